"""Logs of Inspect: archives with zstandard members, chunks, JSON; epochs, failures, unscored samples."""

import json
import zipfile

import pytest
import zstandard
from complaints import complaint
from foreign_files import DATA, fields_of, title_of

from steelyard import limits

LOGS = [DATA / "inspect" / name for name in ("log.eval", "chunked.eval", "log.json")]


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name)
def test_a_log_is_read_alike_in_each_of_its_forms(log):
    assert title_of(log) == "Inspect"
    found = fields_of(log)
    assert found == fields_of(LOGS[0])
    assert [(each["id"], each["repeat"]) for each in found] == [
        *(("2", 1), ("q/4", 1), ("q1", 1), ("q3", 1)),
        *(("2", 2), ("q/4", 2), ("q1", 2), ("q3", 2)),
    ]


def test_letters_and_parts_of_a_score_are_numbers():
    second, no, first, unscored, *_ = fields_of(LOGS[0])
    assert second["scores"] == {"graded": 0.5, "parts/precision": 0.5, "parts/recall": 1.0}
    assert (no["scores"]["graded"], first["scores"]["graded"]) == (0.0, 1.0)
    assert unscored["scores"]["graded"] is None
    assert unscored["unscored"] == {"graded": "no grade in the reply"}
    assert second["notes"]["graded"] == "P by hand"


def test_texts_of_attachments_and_metadata_are_resolved():
    first = fields_of(LOGS[1])[2]
    assert first["question"].startswith("The lease of the shop in Linden Street")
    assert first["tags"] == {"type": "date"}
    assert (first["prediction"], first["references"]) == ("It was signed on 3 May 2021.", ["3 May 2021"])
    assert fields_of(LOGS[1])[0]["references"] == ["the tenant", "tenant"]


def test_a_sample_that_failed_has_an_error_and_no_score():
    failed = fields_of(LOGS[0])[5]
    assert failed["error"] == "RuntimeError('the index is not there')"
    assert "scores" not in failed
    assert "prediction" not in failed


def _sample(**fields):
    return {"id": 1, "epoch": 1, "input": "Q", "target": "G", "output": {"completion": "A", "choices": []}, **fields}


def _archive(path, *members, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as file:
        for name, value in members:
            file.writestr(name, value if isinstance(value, bytes | str) else json.dumps(value))
    return path


def _log(path, **sample):
    path.write_text(json.dumps({"version": 2, "status": "success", "eval": {}, "samples": [_sample(**sample)]}))
    return path


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_the_last_of_several_members_with_one_name_counts(tmp_path):
    name = "samples/1_epoch_1.json"
    log = _archive(tmp_path / "x.eval", (name, _sample(target="old")), (name, _sample(target="new")))
    assert [each["references"] for each in fields_of(log)] == [["new"]]


def test_an_archive_called_zip_is_known_by_its_header(tmp_path):
    log = _archive(tmp_path / "x.zip", ("header.json", {"eval": {"task": "t"}}), ("samples/1_epoch_1.json", _sample()))
    assert title_of(log) == "Inspect"
    assert fields_of(log)[0]["extra"] == {"inspect": {"task": "t"}}
    assert title_of(_archive(tmp_path / "y.zip", ("a.txt", "b"))) == ""


@pytest.mark.parametrize(
    ("value", "scores"),
    [
        ("N", {"s": 0.0}),
        ("yes", {"s": 1.0}),
        ("False", {"s": 0.0}),
        ("0.25", {"s": 0.25}),
        (True, {"s": 1.0}),
        ([1, "P"], {"s/0": 1.0, "s/1": 0.5}),
        ({"a": {"b": 3}}, {"s/a/b": 3.0}),
    ],
)
def test_values_are_numbers_as_inspect_makes_them(tmp_path, value, scores):
    found = fields_of(_log(tmp_path / "log.json", scores={"s": {"value": value}}))[0]
    assert found["scores"] == scores
    assert "unscored" not in found


@pytest.mark.parametrize(("value", "reason"), [("maybe", "no number: 'maybe'"), (float("nan"), "NaN")])
def test_what_is_no_number_is_unscored_with_the_reason(tmp_path, value, reason):
    found = fields_of(_log(tmp_path / "log.json", scores={"s": {"value": value}}))[0]
    assert (found["scores"], found["unscored"]) == ({"s": None}, {"s": reason})


def test_the_question_of_a_conversation_is_the_last_message_of_the_user(tmp_path):
    text = "attachment://abc"
    messages = [
        {"role": "user", "content": "first"},
        {"role": "assistant", "content": "well"},
        {"role": "user", "content": [{"type": "text", "text": text}]},
    ]
    found = fields_of(_log(tmp_path / "log.json", input=messages, attachments={"abc": "second"}))[0]
    assert found["question"] == "second"


def test_what_is_wrong_with_a_log_is_one_message(tmp_path):
    log = tmp_path / "log.json"
    assert complaint(fields_of, _log(log, epoch="one")) == (
        f"{log}: the field 'samples[0].epoch' must be an integer, not 'one'\n"
        "hint: read as Inspect; mapping={FIELD: COLUMN} reads plain rows (convert: --from)"
    )
    assert complaint(fields_of, _log(log, scores={"s": {}})).startswith(
        f"{log}: the field 'samples[0].scores.s.value' is missing"
    )
    (tmp_path / "x.eval").write_bytes(b"PK no archive")
    assert complaint(fields_of, tmp_path / "x.eval") == (
        f"{tmp_path / 'x.eval'}: cannot be read: File is not a zip file\nhint: is the file complete?"
    )
    broken = _archive(tmp_path / "y.eval", ("samples/1_epoch_1.json", '{"id": 1,'))
    assert complaint(fields_of, broken).startswith(f"{broken}#/samples/1_epoch_1.json:1: this is not JSON")
    listed = _archive(tmp_path / "z.eval", ("samples/1_epoch_1.json", "[]"))
    assert complaint(fields_of, listed).startswith(f"{listed}#/samples/1_epoch_1.json: ")


def test_a_damaged_member_is_one_message(tmp_path):
    content = bytearray(LOGS[0].read_bytes())
    with zipfile.ZipFile(LOGS[0]) as archive:
        member = archive.getinfo("samples/q1_epoch_1.json")
    start = member.header_offset + 30 + len(member.filename)
    content[start + 40 : start + 60] = bytes(20)
    damaged = tmp_path / "damaged.eval"
    damaged.write_bytes(content)
    assert complaint(fields_of, damaged).startswith(f"{damaged}#/samples/q1_epoch_1.json: cannot be read")


def test_a_member_that_grows_beyond_the_limit_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(limits.FILE_BYTES, "value", 100_000)
    bomb = _archive(tmp_path / "x.eval", ("samples/1_epoch_1.json", b" " * 10_000_000))
    assert "is above the limit of 100,000" in complaint(fields_of, bomb)
    monkeypatch.setattr(limits.FILE_BYTES, "value", 10_000_000)
    monkeypatch.setattr(limits.ARCHIVE_BYTES, "value", 10_000)
    assert "STEELYARD_ARCHIVE_BYTES" in complaint(fields_of, LOGS[0])
    monkeypatch.setattr(limits.ARCHIVE_MEMBERS, "value", 3)
    assert "STEELYARD_ARCHIVE_MEMBERS" in complaint(fields_of, LOGS[0])


def test_a_member_of_zstandard_is_not_read_beyond_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(limits.FILE_BYTES, "value", 100_000)
    packed = zstandard.compress(b" " * 50_000_000)
    log = _archive(tmp_path / "x.eval", ("samples/1_epoch_1.json", packed), method=zipfile.ZIP_STORED)
    content = log.read_bytes().replace(b"\x14\x00\x00\x00\x00\x00", b"\x14\x00\x00\x00\x5d\x00")
    log.write_bytes(content)
    assert "is above the limit of 100,000" in complaint(fields_of, log)


def test_lists_of_passages_in_the_metadata_are_contexts(tmp_path):
    metadata = {"retrieved_contexts": ["one", {"id": "d2", "text": "two"}], "gold_contexts": ["one"], "language": "en"}
    (row,) = fields_of(_log(tmp_path / "log.json", metadata=metadata))
    assert row["contexts"] == metadata["retrieved_contexts"]
    assert row["reference_contexts"] == ["one"]
    assert row["tags"] == {"language": "en"}
    (row,) = fields_of(_log(tmp_path / "other.json", metadata={"context": [1, 2], "documents": "lease.pdf"}))
    assert "contexts" not in row
