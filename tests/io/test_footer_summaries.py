"""The summary in the footer of a result: that of its items, or it is stated that it is not."""

import json

import numpy as np
import pytest
from tables import make_table

from steelyard.cli import main
from steelyard.errors import SteelyardError
from steelyard.io.results import CONTRADICTED, load, load_all, save_all
from steelyard.io.results.lines import summary_json
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
def test_a_footer_has_the_summary_of_its_items(tmp_path, seed):
    path = tmp_path / "results.jsonl"
    save_all([random_table(seed + number, f"run {number}") for number in range(seed % 3 + 1)], path)
    assert footer_of(path)["summary"] == summary_json(load_all(path)[-1])
    assert not any(SUMMARIES_CONTRADICTED in table.counts for table in load_all(path))


@pytest.mark.parametrize("size", [0, 9, 10**30])
def test_the_number_of_bytes_in_footers_of_earlier_versions_is_not_read(saved, size):
    before = [table.ids for table in load_all(saved)]
    with_footer(saved, bytes=size)
    assert [table.ids for table in load_all(saved, strict=True)] == before


def test_footers_of_other_versions_are_not_relied_on(saved):
    with_footer(saved, summary=footer_of(saved)["summary"] | {"steelyard": "0.0.1"})
    assert not any(SUMMARIES_CONTRADICTED in table.counts for table in load_all(saved))


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
    assert load_all(saved)[1].counts[SUMMARIES_CONTRADICTED] == 1


@pytest.mark.parametrize("field", ["mean", "ci95", "scored", "scopes"])
def test_a_summary_without_a_field(saved, field):
    summary = footer_of(saved)["summary"]
    del summary["metrics"]["F1"][field]
    with_footer(saved, summary=summary)
    with pytest.raises(SteelyardError, match=f"'footer.summary.metrics.F1.{field}' is missing"):
        load_all(saved)


def test_a_summary_that_its_items_contradict_is_stated(saved, capsys):
    summary = footer_of(saved)["summary"]
    summary["metrics"]["F1"]["ci95"] = [0.2, 0.3]
    with_footer(saved, summary=summary | {"errors": summary["errors"] + 1})
    _, table = load_all(saved)
    assert table.counts[SUMMARIES_CONTRADICTED] == 2
    assert CONTRADICTED not in table.counts
    assert main(["report", str(saved)]) == 0
    assert "values whose summary in the footer is not that of the items 2" in capsys.readouterr().out
    table.save(saved)
    assert SUMMARIES_CONTRADICTED not in load(saved).counts
