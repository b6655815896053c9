import gzip
import json
import os
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest
from platforms import posix
from tables import table_of

import steelyard
from steelyard.errors import ConfigError, InputError
from steelyard.i18n import Message
from steelyard.io.results import UNFINISHED, Footer, Header, Item, ResultsWriter, load, load_all, save_all
from steelyard.table import Missing, Signature


def table(name="a"):
    return table_of(
        ids=["问1", "q2", "q3"],
        columns={"legal": np.array([0.1 + 0.2, np.nan, np.nan]), "NumRel": np.array([3.0, 1.0, 0.0])},
        kind="legal",
        name=name,
        signature=Signature.of({"kind": "legal", "run": "sha256 00ff"}),
        reasons=(Missing("unscored", "no reference"), Missing("error", "timeout")),
        status={"legal": np.array([0, 1, 2])},
        tags={"type": ["fact", "gap", "fact"]},
        parts={"legal": {"quoted": np.array([1.0, 0.0, np.nan])}},
        notes={"legal": {0: "金额相符"}},
        outputs=[{"answer": "四万二千元"}, None, {"answer": ""}],
        counts={"questions": 3},
        sums=("NumRel",),
        bounds={"legal": (0.0, 1.0), "NumRel": (0.0, np.inf)},
    )


def same(one, other):
    assert list(one.ids) == list(other.ids)
    assert {**one.counts} == {**other.counts}
    assert (one.kind, one.name, one.signature, tuple(one.sums)) == (
        other.kind,
        other.name,
        other.signature,
        tuple(other.sums),
    )
    assert one.metrics == other.metrics
    for metric in one.metrics:
        np.testing.assert_array_equal(one.column(metric), other.column(metric))
        assert one.bounds(metric) == other.bounds(metric)
        assert [one.why(metric, row) for row in range(3)] == [other.why(metric, row) for row in range(3)]
    assert {tag: list(values) for tag, values in one.tags.items()} == {tag: list(v) for tag, v in other.tags.items()}
    np.testing.assert_array_equal(one.parts["legal"]["quoted"], other.parts["legal"]["quoted"])
    assert dict(one["legal"].notes) == dict(other["legal"].notes)
    assert list(one.outputs) == list(other.outputs)


def test_a_table_comes_back_as_it_was(tmp_path):
    table().save(tmp_path / "results.jsonl")
    same(steelyard.load(tmp_path / "results.jsonl"), table())


KNOWN = ("no_option", "no_part", "no_reference", "not_in_run", "not_recorded")


def test_reasons_are_english_with_their_codes_in_the_file_and_messages_in_the_table(tmp_path):
    """A message has its code beside its text, text of others is text alone."""
    reasons = [*(Missing("unscored", Message(f"missing.{name}")) for name in KNOWN), Missing("error", "timeout {0}")]
    rows = len(reasons)
    written = table_of(
        [f"q{row}" for row in range(rows)],
        {"F1": np.full(rows, np.nan)},
        status={"F1": np.arange(1, rows + 1)},
        reasons=reasons,
    )
    written.save(tmp_path / "one.jsonl")
    items = [json.loads(line) for line in (tmp_path / "one.jsonl").read_text("utf-8").splitlines()[1:-1]]
    coded = {"codes": {"unscored": {"F1": ["missing.no_reference"]}}}
    assert items[2] == {"id": "q2", "scores": {"F1": None}, "unscored": {"F1": "there is no reference"}, **coded}
    assert items[-1] == {"id": "q5", "scores": {"F1": None}, "errors": {"F1": "timeout {0}"}}
    read = steelyard.load(tmp_path / "one.jsonl")
    assert [read.why("F1", row) for row in range(rows)] == reasons
    assert [read.why("F1", row).reason.text("zh") for row in (2, 5)] == ["没有参考答案", "timeout {0}"]


def test_messages_with_arguments_are_read_back(tmp_path):
    message = Message("legal.is_not", text="3", expected="4")
    written = table_of(["a"], {"F1": np.zeros(1)}, notes={"F1": {0: message}})
    written.save(tmp_path / "one.jsonl")
    line = (tmp_path / "one.jsonl").read_text("utf-8").splitlines()[1]
    read = steelyard.load(tmp_path / "one.jsonl")
    assert (read["F1"].notes, read.notes(0)) == ({0: message}, {"F1": str(message)})
    unknown = line.replace("legal.is_not", "legal.of_another_version")
    (tmp_path / "one.jsonl").write_text((tmp_path / "one.jsonl").read_text("utf-8").replace(line, unknown), "utf-8")
    assert steelyard.load(tmp_path / "one.jsonl")["F1"].notes == {0: str(message)}


def test_an_old_file_is_written_again_with_codes(tmp_path):
    old = [
        '{"steelyard": "' + steelyard.__version__ + '", "kind": "answers", "name": "old", "signature": "", '
        '"inputs": {}, "metrics": ["EM"], "sums": [], "bounds": {"EM": [0.0, 1.0]}, "counts": {}}',
        '{"id": "a", "scores": {"EM": null}, "unscored": {"EM": "there is no reference"}}',
        '{"id": "b", "scores": {"EM": null}, "unscored": {"EM": "the reason of an earlier version"}}',
        '{"id": "c", "scores": {"EM": null}, "errors": {"EM": ""}}',
        '{"id": "d", "scores": {"EM": 1.0}}',
        '{"footer": {"items": 4, "means": {"EM": 1.0}}}',
    ]
    (tmp_path / "old.jsonl").write_text("\n".join(old) + "\n", encoding="utf-8")
    steelyard.load(tmp_path / "old.jsonl").save(tmp_path / "new.jsonl")
    *new, footer = (tmp_path / "new.jsonl").read_text(encoding="utf-8").splitlines()
    old[1] = old[1].removesuffix("}") + ', "codes": {"unscored": {"EM": ["missing.no_reference"]}}}'
    assert new == old[:-1]
    assert footer.startswith(old[-1].removesuffix("}}") + ', "summary": {')


def test_the_time_is_that_of_the_first_writing(tmp_path):
    replace(table(), created="2023-11-14T22:13:20Z").save(tmp_path / "first.jsonl")
    first = steelyard.load(tmp_path / "first.jsonl")
    assert first.created == "2023-11-14T22:13:20Z"
    assert "2023" not in str(first.signature)
    first.save(tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "first.jsonl").read_bytes()
    table().save(tmp_path / "new.jsonl")
    assert (steelyard.load(tmp_path / "new.jsonl").created or "") > "2024"


def test_header_items_footer(tmp_path):
    table().save(tmp_path / "results.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text("utf-8").splitlines()]
    assert datetime.fromisoformat(lines[0].pop("created")).utcoffset() == timedelta(0)
    assert lines[0] == {
        "steelyard": steelyard.__version__,
        "kind": "legal",
        "name": "a",
        "signature": "kind:legal|run:sha256 00ff",
        "inputs": {"run": "sha256 00ff"},
        "metrics": ["legal", "NumRel"],
        "sums": ["NumRel"],
        "bounds": {"legal": [0.0, 1.0], "NumRel": [0.0, None]},
        "counts": {"questions": 3},
    }
    assert lines[1] == {
        "id": "问1",
        "scores": {"legal": 0.30000000000000004, "NumRel": 3.0},
        "parts": {"legal": {"quoted": 1.0}},
        "notes": {"legal": "金额相符"},
        "tags": {"type": "fact"},
        "output": {"answer": "四万二千元"},
    }
    assert lines[2]["unscored"] == {"legal": "no reference"}
    assert lines[3]["errors"] == {"legal": "timeout"}
    footer = lines[4].pop("footer")
    assert footer.pop("summary") == {
        "steelyard": steelyard.__version__,
        "errors": 1,
        "metrics": {name: each.as_dict() for name, each in table().summary().metrics.items()},
    }
    assert footer == {"items": 3, "means": {"legal": 0.30000000000000004, "NumRel": 4 / 3}}


def test_several_results_in_one_file(tmp_path):
    save_all([table("a"), table("b")], tmp_path / "two.jsonl")
    assert [found.name for found in load_all(tmp_path / "two.jsonl")] == ["a", "b"]
    with pytest.raises(InputError, match="it contains 2 results: a, b"):
        steelyard.load(tmp_path / "two.jsonl")


HEAD: dict[str, Any] = {"steelyard": "0.1.0", "kind": "legal", "name": "s", "signature": "", "metrics": ["legal"]}
ITEM = {"id": "q1", "scores": {"legal": 1.0}}
HEADER = Header("legal", "s", Signature(), ["legal"])


def test_written_as_it_goes_and_resumed_at_any_byte(tmp_path):
    path = tmp_path / "results.jsonl"
    with ResultsWriter.create(path, HEADER) as writer:
        writer.add(Item("q1", {"legal": 1.0}))
        assert path.read_text().count("\n") == 2  # on its way before the next item
        writer.add(Item("q2", {"legal": 1.0}, notes={"legal": "甲"}))
    whole = path.read_bytes()
    first_line = whole.index(b"\n") + 1
    for length in range(first_line, len(whole) + 1):
        path.write_bytes(whole[:length])
        kept = whole[:length].count(b"\n") - 1
        assert steelyard.load(path).counts[UNFINISHED] == kept
        writer, head, items = ResultsWriter.resume(path)
        with writer:
            writer.add(Item("q3", {"legal": 1.0}))
        assert head == HEADER
        assert [item.id for item in items] == ["q1", "q2"][:kept]
        assert list(steelyard.load(path).ids) == [*["q1", "q2"][:kept], "q3"]


@posix
@pytest.mark.parametrize("other", [None, "another"])
def test_a_file_that_is_removed_or_replaced_is_noticed_at_the_next_item(tmp_path, other):
    path = tmp_path / "results.jsonl"
    with ResultsWriter.create(path, HEADER) as writer:
        writer.add(Item("q1", {"legal": 1.0}))
        path.unlink()
        if other:
            path.write_text(other)
        with pytest.raises(ConfigError) as caught:
            writer.add(Item("q2", {"legal": 1.0}, notes={"legal": "甲"}))
    saved = path if other is None else path.with_stem(f"{path.stem}-{os.getpid()}")
    assert str(caught.value) == (
        f"{path}: the file was removed or replaced while it was being written; what was recorded is in {saved}\n"
        "hint: continue that file with --resume"
    )
    writer, _, items = ResultsWriter.resume(saved)
    writer.close()
    assert [item.id for item in items] == ["q1", "q2"]
    assert other is None or path.read_text() == other


def test_a_finished_result_is_not_resumed(tmp_path):
    path = tmp_path / "results.jsonl"
    with ResultsWriter.create(path, HEADER) as writer:
        writer.finish(Footer(0, {}))
    with pytest.raises(InputError, match="this result is finished"):
        ResultsWriter.resume(path)


def test_a_compressed_file_is_not_resumed_and_not_harmed(write):
    content = gzip.compress(json.dumps(HEAD).encode() + b"\n")
    path = write("results.jsonl", content)
    with pytest.raises(InputError) as caught:
        ResultsWriter.resume(path)
    assert str(caught.value) == f"{path}: this is not an uncompressed results file\nhint: decompress it before resuming"
    assert path.read_bytes() == content


def test_nothing_recorded_is_overwritten(tmp_path):
    path = tmp_path / "results.jsonl"
    path.write_text("precious")
    with pytest.raises(InputError) as caught:
        ResultsWriter.create(path, HEADER)
    hint = "continue it with --resume, replace it with --overwrite, or use another name"
    assert str(caught.value) == f"{path}: the file already exists\nhint: {hint}"
    assert path.read_text() == "precious"


MISTAKES = {
    "empty": ("", "{path}: it contains no result\nhint: a results file begins with a header line"),
    "no header": (
        '{"name": "q"}\n',
        "{path}: this is neither a results file nor a file of scores: no record has a score\n"
        "hint: a file of scores has an id and columns of numbers, or is the output of RAGAS, DeepEval,"
        " promptfoo, Inspect or lm-eval",
    ),
    "a stranger": (json.dumps(HEAD) + "\n[1]\n", "{path}:2: this line is neither a header, an item nor a footer"),
    "items lost": (
        "\n".join(map(json.dumps, (HEAD, ITEM, {"footer": {"items": 2}}))) + "\n",
        "{path}:3: the footer states 2 items, the file has 1\nhint: lines are missing from this file",
    ),
    "an item after the end": (
        "\n".join(map(json.dumps, (HEAD, {"footer": {}}, ITEM))) + "\n",
        "{path}:3: this line is neither a header, an item nor a footer",
    ),
    "a metric of nobody": (
        "\n".join(map(json.dumps, (HEAD, {"id": "q", "scores": {"F1": 1}}))) + "\n",
        "{path}:2: the metric 'F1' is not in the header\nhint: known: legal",
    ),
    "parts of a metric of nobody": (
        "\n".join(map(json.dumps, (HEAD, {**ITEM, "parts": {"leagl": {"passed": 1}}}))) + "\n",
        "{path}:2: the metric 'leagl' is not in the header\nhint: did you mean 'legal'?",
    ),
    "a note of a metric of nobody": (
        "\n".join(map(json.dumps, (HEAD, {**ITEM, "notes": {"leagl": "x"}}))) + "\n",
        "{path}:2: the metric 'leagl' is not in the header\nhint: did you mean 'legal'?",
    ),
    "a score as text": (
        "\n".join(map(json.dumps, (HEAD, {"id": "q", "scores": {"legal": "1"}}))) + "\n",
        "{path}:2: the score of 'legal' is not a number: '1'",
    ),
    "parts that are a list": (
        "\n".join(map(json.dumps, (HEAD, {**ITEM, "parts": []}))) + "\n",
        "{path}:2: the field 'parts' must be an object, not a list",
    ),
    "another encoding": (
        json.dumps(HEAD).encode() + b"\n\xff\n",
        "{path}:2: this is not UTF-8 text: byte 0xff\nhint: convert it, for example: iconv -f GB18030 -t UTF-8",
    ),
    "an item twice": (
        "\n".join(map(json.dumps, (HEAD, ITEM, ITEM))) + "\n",
        "{path}:3: duplicate item 'q1' (first on line 2)",
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes(write, case):
    content, message = MISTAKES[case]
    path = write("results.jsonl", content)
    with pytest.raises(InputError) as caught:
        steelyard.load(path)
    assert str(caught.value) == message.format(path=path)


def test_broken_json_in_the_middle_is_an_error_with_its_line(write):
    path = write("results.jsonl", json.dumps(HEAD) + "\n{oops\n" + json.dumps(ITEM) + "\n")
    with pytest.raises(InputError) as caught:
        steelyard.load(path)
    assert caught.value.where == f"{path}:2"


HEAD = {"kind": "legal", "name": "x", "signature": "kind:legal", "metrics": ["legal"], "bounds": {"legal": [0.0, 1.0]}}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"scores": {"legal": 7}}, "the score of 'legal' must be between 0 and 1, not 7"),
        ({"parts": {"legal": {"recall": "x"}}}, "the field 'parts.legal.recall' must be a number or null, not 'x'"),
        ({"output": "said"}, "the field 'output' must be an object, not 'said'"),
        ({"output": {"verdict": "right"}}, "the field 'output.verdict' must be an object, not 'right'"),
        (
            {"output": {"verdict": {"expected": []}}},
            "the field 'output.verdict.expected' must be an object, not a list",
        ),
        ({"output": {"verdict": {"reasons": []}}}, "the field 'output.verdict.reasons' must be an object, not a list"),
        ({"output": {"verdict": {"invented": [5]}}}, "the field 'output.verdict.invented[0]' must be an object, not 5"),
        (
            {"output": {"verdict": {"expected": {"quotes": 3}}}},
            "the field 'output.verdict.expected.quotes' must be a list, not 3",
        ),
    ],
)
def test_a_damaged_item_is_named_with_its_line(tmp_path, more, message):
    path = tmp_path / "r.jsonl"
    item = {"id": "a", "scores": {"legal": 1.0}, **more}
    path.write_text(f"{json.dumps(HEAD)}\n{json.dumps(item)}\n")
    with pytest.raises(InputError) as caught:
        load(path)
    assert str(caught.value) == f"{path}:2: {message}"
