"""Results by headers and footers: the same as from every line, and never other numbers without a word about it."""

import json
import random
from dataclasses import replace

import numpy as np
import pytest
from tables import make_table

from steelyard.cli import main
from steelyard.errors import SteelyardError
from steelyard.io.results import CONTRADICTED, Footer, Header, Item, ResultsWriter, load, load_all, save_all
from steelyard.io.results.checks import summary_contradictions
from steelyard.io.results.lines import summary_json
from steelyard.io.results.outlines import Outline, read_outlines
from steelyard.io.results.reading import SUMMARIES_CONTRADICTED
from steelyard.table import Missing, Signature


def random_table(seed, name="a"):
    """Missing scores, failures, counts, documents, and texts that look like lines of a results file."""
    draw = np.random.default_rng(seed)
    rows = int(draw.integers(1, 40))
    scores = {"F1": draw.random(rows), "EM": draw.integers(0, 2, rows).astype(float), "NumRel": draw.random(rows) * 9}
    columns = {metric: np.where(draw.random(rows) < 0.2, np.nan, values) for metric, values in scores.items()}
    return make_table(
        name,
        columns,
        [f'{{"footer": {number}}}\u2028{{"kind": ""}}' for number in range(rows)],
        kind="answers",
        bounds={"F1": (0.0, 1.0)},
        sums=("NumRel",),
        status={metric: np.isnan(values) * draw.integers(1, 3, rows) for metric, values in columns.items()},
        reasons=(Missing("unscored", "no reference"), Missing("error", "timeout")),
        signature=Signature.of({"kind": "answers", "questions": "七"}),
        tags={"document": [f"d{row % 12}" for row in range(rows)]} if seed % 2 else {},
        failures={0: "timeout"} if seed % 3 == 0 else {},
        outputs=[{"answer": '{"footer": {"items": 1}}\n{"kind": 1}'} for _ in range(rows)],
        created="2024-05-01T10:00:00Z",
        main="EM" if seed % 2 else "",
    )


def read_whole(path):
    return [Outline.of(table) for table in load_all(path)]


def footer_of(path):
    return json.loads(path.read_bytes().splitlines()[-1])["footer"]


def with_footer(path, **fields):
    """The file with other fields in its last footer."""
    *lines, last = path.read_text(encoding="utf-8").split("\n")[:-1]
    foot = json.loads(last)["footer"] | fields
    path.write_text("\n".join([*lines, json.dumps({"footer": foot})]) + "\n", encoding="utf-8", newline="\n")
    return path


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "results.jsonl"
    save_all([random_table(1, "a"), random_table(2, "b")], path)
    return path


@pytest.mark.parametrize("seed", range(24))
def test_headers_and_footers_say_what_every_line_says(tmp_path, seed):
    path = tmp_path / "results.jsonl"
    save_all([random_table(seed + number, f"run {number}") for number in range(seed % 3 + 1)], path)
    found = read_outlines(path)
    assert found is not None
    assert found == read_whole(path)
    assert not any(SUMMARIES_CONTRADICTED in table.counts for table in load_all(path))


def test_a_run_that_was_written_item_by_item(tmp_path):
    path = tmp_path / "run.jsonl"
    with ResultsWriter.create(path, Header("answers", "a", Signature(), ["EM"], created="2024-05-01")) as writer:
        writer.add(Item("一", {"EM": 1.0}))
    writer, _, _ = ResultsWriter.resume(path)
    writer.add(Item("二", {"EM": 0.0}))
    writer.finish(Footer.of(load(path)))
    assert read_outlines(path) == read_whole(path)
    assert read_outlines(path)[0].items == 2


def test_what_has_to_be_read_whole(saved, tmp_path):
    content = saved.read_bytes()
    assert read_outlines(saved) is not None
    lines = content.splitlines(keepends=True)
    for changed in (
        b"",
        b"\n",
        content[:-1],
        content + b'{"id',
        content + b"\n",
        b"\n" + content,
        b"\xef\xbb\xbf" + content,
        b"".join(lines[:-1]),
        b"".join(lines[1:]),
        b"".join([lines[0], *lines[2:]]),
        content.replace(b"\n", b"\r\n"),
        content.replace(b'"F1"', b'"F2"', 1),
        content + b" " * (1 << 21) + b"\n",
        content + b"[" * 100_000 + b"\n",
        content + b"\xff\n",
    ):
        saved.write_bytes(changed)
        assert read_outlines(saved) is None
    assert read_outlines(tmp_path / "none.jsonl") is None
    assert read_outlines(tmp_path) is None


def test_footers_of_other_versions_are_not_relied_on(saved):
    with_footer(saved, summary=footer_of(saved)["summary"] | {"steelyard": "0.0.1"})
    assert read_outlines(saved) is None
    assert not any(SUMMARIES_CONTRADICTED in table.counts for table in load_all(saved))


@pytest.mark.parametrize("size", [None, 0, 1, -1, 10**30, 1.5, "9", True, []])
def test_a_wrong_number_of_bytes(saved, size):
    with_footer(saved, bytes=size)
    assert read_outlines(saved) is None


def test_a_number_of_bytes_that_leads_to_the_header_of_another_result(saved):
    """The second result would be listed as the first."""
    content = saved.read_bytes()
    with_footer(saved, bytes=content.rindex(b"\n", 0, -1) + 1)
    with pytest.raises(SteelyardError, match="reaches back to the header of another result"):
        load_all(saved)
    with pytest.raises(SteelyardError, match="reaches back"):
        load_all(saved, strict=True)


def test_an_item_that_looks_like_a_header(tmp_path):
    path = tmp_path / "results.jsonl"
    head = {"kind": "answers", "name": "a", "signature": "", "metrics": ["F1"]}
    random_item = {"id": "x", "scores": {"F1": 1.0}}
    foot = Footer.of(make_table("a", [1.0, 1.0])).to_line()["footer"]
    lines = [json.dumps(each) for each in (head, random_item, head | random_item | {"id": "y"})]
    for size in (len(lines[2]) + 1, sum(len(line) + 1 for line in lines[:3])):
        text = "\n".join([*lines, json.dumps({"footer": foot | {"bytes": size}})]) + "\n"
        path.write_text(text, encoding="utf-8", newline="\n")
        assert read_outlines(path) in (None, read_whole(path))
        assert [table.name for table in load_all(path)] == ["a"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("ci95", [0.1]),
        ("ci95", [0.1, 0.2, 0.3]),
        ("scored", 10**40),
        ("scored", 0),
        ("scope", "<b>"),
        ("mean", 0.123),
        ("other", 1),
        ("scopes", [{"scope": "items", "units": 1, "ci95": []}]),
    ],
)
def test_summaries_that_this_program_does_not_write(saved, field, value):
    summary = footer_of(saved)["summary"]
    summary["metrics"]["F1"][field] = value
    with_footer(saved, summary=summary)
    assert read_outlines(saved) is None
    assert load_all(saved)[1].counts[SUMMARIES_CONTRADICTED] == 1


@pytest.mark.parametrize("field", ["mean", "ci95", "scored", "scopes"])
def test_a_summary_without_a_field(saved, field):
    summary = footer_of(saved)["summary"]
    del summary["metrics"]["F1"][field]
    with_footer(saved, summary=summary)
    assert read_outlines(saved) is None
    with pytest.raises(SteelyardError, match=f"'footer.summary.metrics.F1.{field}' is missing"):
        load_all(saved)


def test_a_summary_that_its_items_contradict_is_stated(saved, capsys):
    summary = footer_of(saved)["summary"]
    summary["metrics"]["F1"]["ci95"] = [0.2, 0.3]
    with_footer(saved, summary=summary | {"errors": summary["errors"] + 1})
    assert read_outlines(saved)[1].summaries["F1"]["ci95"] == [0.2, 0.3]
    _, table = load_all(saved)
    assert table.counts[SUMMARIES_CONTRADICTED] == 2
    assert CONTRADICTED not in table.counts
    assert main(["report", str(saved)]) == 0
    assert "values whose summary in the footer is not that of the items 2" in capsys.readouterr().out
    table.save(saved)
    assert SUMMARIES_CONTRADICTED not in load(saved).counts


def mutated(content, draw):
    """The lines with bytes, numbers or whole lines changed; footers more often than the rest."""
    lines = content.splitlines(keepends=True)
    feet = [number for number, line in enumerate(lines) if line.startswith(b'{"footer"')]
    for _ in range(draw.choice((1, 1, 2))):
        at = draw.choice(feet) if draw.random() < 0.6 else draw.randrange(len(lines))
        line = bytearray(lines[at])
        match draw.randrange(5):
            case 0:
                digits = [place for place, byte in enumerate(line) if 48 <= byte <= 57] or [0]
                line[draw.choice(digits)] = draw.choice(b"0123456789")
            case 1:
                line[draw.randrange(len(line))] = draw.randrange(256)
            case 2:
                line = bytearray(draw.choice(lines))
            case 3:
                del line[draw.randrange(len(line)) :]
            case _:
                size = draw.choice([sum(map(len, lines[start:at])) for start in range(at + 1)])
                foot = json.loads(lines[draw.choice(feet)])
                foot["footer"]["bytes"] = size
                line = bytearray(json.dumps(foot).encode() + b"\n")
        lines[at] = bytes(line)
        feet = [each for each in feet if lines[each].startswith(b'{"footer"') and lines[each].endswith(b"}}\n")]
        feet = feet or [len(lines) - 1]
        if not lines[feet[0]].startswith(b'{"footer"'):
            break
    return b"".join(lines)


def is_said(found, path):
    """Whether whoever opens the results sees what was listed, or a message."""
    try:
        tables = load_all(path)
    except SteelyardError:
        return True
    noted = (CONTRADICTED, SUMMARIES_CONTRADICTED)
    pairs = list(zip(found, tables, strict=True))
    return all(agree(outline, table) or any(code in table.counts for code in noted) for outline, table in pairs)


def agree(outline, table):
    """Whether all is the same but for the last digits of numbers."""
    whole = Outline.of(table)
    close = not summary_contradictions({"errors": 0, "metrics": outline.summaries}, summary_json(table) | {"errors": 0})
    return close and replace(outline, summaries=whole.summaries) == whole


def test_changed_files_are_never_listed_wrongly_without_a_word(saved):
    examples, draw, content = 300, random.Random(7), saved.read_bytes()
    listed = 0
    for _ in range(examples):
        try:
            saved.write_bytes(mutated(content, draw))
        except ValueError:  # two changes of one footer
            continue
        found = read_outlines(saved)
        if found is not None:
            listed += 1
            assert is_said(found, saved)
    assert listed > examples / 20
