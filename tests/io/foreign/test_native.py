"""Our own rows: JSONL, JSON, CSV, TSV and parquet; plain rows of users stay plain rows."""

import json
from typing import Any

import pytest
from complaints import complaint
from foreign_files import DATA, fields_of, title_of

from steelyard.errors import ConfigError
from steelyard.io.foreign import native
from steelyard.io.foreign.rows import ALL

SUFFIXES = [".jsonl", ".json", ".csv", ".tsv", ".parquet"]
ROWS: list[dict[str, Any]] = [
    {
        "id": "q1",
        "question": 'Is 1 < 2, "true"?\n[yes]',
        "prediction": "[1] is no list\t",
        "references": ["yes", "2021"],
        "contexts": ["a", "b,c"],
        "retrieved_context_ids": ["d1", "2"],
        "retrieved_context_scores": [0.5, 0.25],
        "reference_contexts": [{"id": "d1", "text": "甲", "span": [0, 3], "score": 0.1}],
        "reference_context_ids": ["d1"],
        "tags": {"type": "a"},
        "system": "s",
        "repeat": 2,
        "scores": {"F1": 0.1, "EM": None, "BLEU": None},
        "unscored": {"EM": "why"},
        "errors": {"BLEU": "broken"},
        "notes": {"F1": "good"},
        "extra": {"ragas": {"rubrics": {"1": "bad"}, "n": [1, 2.5, None]}},
    },
    {"id": "q2", "question": "{}", "prediction": "12", "references": "text", "contexts": ["c"], "repeat": 1},
    {"id": "q3", "error": "timeout"},
]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_rows_are_the_same_after_writing_and_reading(suffix, tmp_path):
    file = tmp_path / f"rows{suffix}"
    native.write(ROWS, file)
    assert title_of(file) == "Steelyard rows"
    assert fields_of(file) == ROWS
    native.write(fields_of(file), tmp_path / f"again{suffix}")
    if suffix != ".parquet":
        assert (tmp_path / f"again{suffix}").read_bytes() == file.read_bytes()


def test_every_field_has_a_place():
    assert {name for row in ROWS for name in row} == ALL


def test_rows_are_recognised_by_the_first_one_whatever_it_has(tmp_path):
    native.write([{"id": "q", "question": "Q"}, ROWS[0]], tmp_path / "rows.jsonl")
    assert title_of(tmp_path / "rows.jsonl") == "Steelyard rows"


@pytest.mark.parametrize(
    "row",
    [
        {"id": 1, "question": "Q", "prediction": "A", "references": ["G"]},
        {"id": 1, "question": "Q", "prediction": "A", "references": "G", "contexts": ["p"]},
        {"id": 1, "prediction": "A", "references": "G", "scores": 0.5},
        {"id": 1, "prediction": "A", "references": "G", "extra": "note"},
        {"id": 1, "prediction": "A", "golden_answers": ["G"], "scores": {"F1": 1}},
        {"id": 1},
    ],
)
@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
def test_rows_of_users_stay_plain_rows(row, suffix, tmp_path):
    file = tmp_path / f"rows{suffix}"
    cells = [value if isinstance(value, str) else json.dumps(value) for value in row.values()]
    quoted = ",".join('"' + cell.replace('"', '""') + '"' for cell in cells)
    file.write_text(json.dumps(row) + "\n" if suffix == ".jsonl" else f"{','.join(row)}\n{quoted}\n")
    assert title_of(file) == ""


def test_an_empty_answer_is_kept(tmp_path):
    native.write([{"id": "q", "prediction": ""}], tmp_path / "rows.jsonl")
    assert fields_of(tmp_path / "rows.jsonl") == [{"id": "q", "prediction": ""}]


@pytest.mark.parametrize("file", sorted(path for path in DATA.rglob("*.jsonl") if path.parent.name != "beir"))
def test_what_was_read_from_others_can_be_kept(file, tmp_path):
    given = fields_of(file)
    native.write(given, tmp_path / "rows.jsonl")
    assert fields_of(tmp_path / "rows.jsonl") == given


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "q", "extra": {}, "scores": {"F1": "high"}}, "'scores.F1' must be a number, not 'high'"),
        ({"id": "q", "extra": {}, "contexts": "p"}, "'contexts' must be a list, not 'p'"),
        ({"id": "q", "extra": {}, "contexts": [3]}, "'contexts[0]' must be text or an object, not 3"),
        ({"id": "q", "extra": {"ragas": 1}}, "'extra.ragas' must be an object, not 1"),
        ({"id": ["q"], "extra": {}}, "'id' must be text, a number, true or false, not a list"),
    ],
)
def test_what_is_wrong_is_one_message_with_its_line(row, message, tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps({"id": "first", "extra": {}}) + "\n" + json.dumps(row) + "\n")
    said = complaint(fields_of, file)
    assert said.startswith(f"{file}:2: ")
    assert message in said


def test_an_unknown_suffix_is_refused(tmp_path):
    assert complaint(native.write, ROWS, tmp_path / "rows.docx", kind=ConfigError) == (
        f"{tmp_path / 'rows.docx'}: rows cannot be written to a file called '.docx'\n"
        "hint: known: .jsonl, .ndjson, .json, .csv, .tsv, .parquet"
    )
