"""Of `legal.uncertain` less is better: marks, changes, letters and the rules of the gate know it."""

import subprocess
import sys

import numpy as np
import pytest
from commands import run
from tables import make_table, table_of

from steelyard.errors import ConfigError, UnknownName
from steelyard.io.results.reading import load_all
from steelyard.registry.kinds import best, gain, is_lower_better
from steelyard.reports import cells
from steelyard.reports.content import Report
from steelyard.reports.files import write_report
from steelyard.reports.kinds import ItemDetails, KindPage
from steelyard.reports.plots.items import Paired, difference_bars, dumbbells
from steelyard.reports.plots.means import difference_panel
from steelyard.reports.plots.style import BAD, GOOD
from steelyard.reports.render.html.items import item_data
from steelyard.reports.render.html.report_html import lowest
from steelyard.reports.sections.leaderboard import letters_by_metric
from steelyard.reports.verdicts import outcome_of
from steelyard.stats.compare import ComparisonSettings, compare_all, compare_pairs
from steelyard.stats.gate import decide
from steelyard.stats.pairing import changes
from steelyard.stats.rules import NoRegression, Target, parse_rule, spelled
from steelyard.stats.selection import with_parts

NAME = "legal.uncertain"
N = 60


def table(name, uncertain, score=0.5):
    """So many uncertain verdicts among sixty, the first ones."""
    column = (np.arange(N) < uncertain).astype(float)
    parts = {"legal": {"uncertain": column, "passed": 1 - column}}
    return make_table(name, [score] * N, metric="legal", kind="legal", parts=parts)


OLD, NEW = table("old", 5), table("new", 25)


def compared(new, old, name):
    new, old = (with_parts(each, [name]) for each in (new, old))
    (found,) = compare_all([new], old, metrics=[name])
    return found


def test_only_what_is_named_falls():
    assert is_lower_better(NAME)
    assert is_lower_better("noise_sensitivity(mode=relevant)")
    assert not any(is_lower_better(name) for name in ("legal", "uncertain", "legal.passed", "F1", "nDCG@10"))
    assert (gain(NAME, 0.2), gain("legal", 0.2), best(NAME), best("legal")) == (-0.2, 0.2, 0.0, 1.0)


def test_an_increase_is_no_improvement():
    rise, fall = compared(NEW, OLD, NAME), compared(OLD, NEW, NAME)
    assert rise.significant
    assert fall.significant
    assert (rise.difference, rise.gain) == (pytest.approx(1 / 3), pytest.approx(-1 / 3))
    assert (rise.wins, rise.losses) == (0, 20)
    assert (fall.wins, fall.losses) == (20, 0)
    assert (cells.mark(rise), cells.mark(fall)) == (cells.WORSE, cells.BETTER)
    assert (outcome_of(rise), outcome_of(fall)) == ("report.worse", "report.better")


def test_other_parts_rise_as_before():
    found = compared(NEW, OLD, "legal.passed")
    assert (found.wins, found.losses, cells.mark(found)) == (0, 20, cells.WORSE)


def test_changes_are_sorted_by_what_is_better():
    new, old = (with_parts(each, [NAME]) for each in (NEW, OLD))
    found = changes(new, old, NAME)
    assert (len(found.better), len(found.worse)) == (0, 20)
    assert all(change.difference == 1 for change in found.worse)
    assert (len(changes(old, new, NAME).better), len(changes(old, new, NAME).worse)) == (20, 0)


def test_the_best_letter_goes_to_the_least():
    tables = [with_parts(each, [NAME]) for each in (OLD, NEW, table("most", 50))]
    pairs = compare_pairs(tables, ComparisonSettings(test="t"), metrics=[NAME])
    marks = letters_by_metric(Report(tables, pairs=pairs))[NAME]
    assert marks == {"old": "a", "new": "b", "most": "c"}


def test_the_page_knows_it():
    new, old = (with_parts(each, [NAME]) for each in (NEW, OLD))
    report = Report([old, new], compare_all([new], old, metrics=[NAME]))
    assert outcome_of(report.comparisons[0]) == "report.worse"
    assert item_data(report, NAME, KindPage(), ItemDetails())["falling"] == [NAME]
    assert [each.score for each in lowest(old, NAME, KindPage())] == ["1.0000"] * 5


def test_plots_have_the_right_colours():
    new, old = (with_parts(each, [NAME]) for each in (NEW, OLD))
    risen = Paired.of(new, old, NAME)
    for metric, colour in ((NAME, BAD), ("legal", GOOD)):
        assert {bar["colour"] for bar in difference_bars(risen.difference, metric)["data"]["values"]} == {colour}
        assert colour in str(dumbbells(risen.largest(3), ["old", "new"], metric))
    assert BAD in str(difference_panel([compared(NEW, OLD, NAME)]))


def find(rule, new, old=None):
    (found,) = decide([parse_rule(rule)], new, old).findings
    return found


# rule, result, baseline, verdict
VERDICTS = [
    ("legal.uncertain <= 0.1", OLD, None, "met"),
    ("legal.uncertain <= 0.1", NEW, None, "not met"),
    ("legal.uncertain <= 0", OLD, None, "not met"),
    ("legal.uncertain <= baseline", NEW, OLD, "not met"),
    ("legal.uncertain <= baseline", OLD, NEW, "met"),
    ("legal.uncertain not-worse-by 0.02", NEW, OLD, "not met"),
    ("legal.uncertain not-worse-by 0.02", OLD, NEW, "met"),
    ("legal.uncertain not-worse-by 0.02", OLD, OLD, "cannot tell"),
    ("legal.uncertain not-worse-by 0.6", NEW, OLD, "met"),
    ("legal.passed not-worse-by 0.02", NEW, OLD, "not met"),
    ("no item of legal.uncertain may rise from 0", NEW, OLD, "not met"),
    ("no item of legal.uncertain may fall from 1", NEW, OLD, "not met"),
    ("no item of legal.uncertain may rise from 0", OLD, NEW, "met"),
    ("no item of legal.passed may fall from 1", NEW, OLD, "not met"),
]


@pytest.mark.parametrize(("rule", "new", "old", "verdict"), VERDICTS)
def test_verdicts(rule, new, old, verdict):
    assert find(rule, new, old).outcome == verdict


@pytest.mark.parametrize("margin", [0.01, 0.05, 0.1, 0.3, 0.5])
@pytest.mark.parametrize(("new", "old"), [(NEW, OLD), (OLD, NEW), (OLD, OLD), (table("near", 8), OLD)])
def test_what_is_uncertain_mirrors_what_is_not(margin, new, old):
    """`passed` of these tables is 1 where `uncertain` is 0."""
    one, other = (find(f"legal.{part} not-worse-by {margin}", new, old) for part in ("uncertain", "passed"))
    assert (one.outcome, one.sure, one.more_items) == (other.outcome, other.sure, other.more_items)
    assert one.difference == pytest.approx(-other.difference)


def test_items_that_rose_or_are_gone_are_named():
    found = find("no item of legal.uncertain may rise from 0", NEW, OLD)
    assert (found.n, [fall.id for fall in found.regressions]) == (55, [f"q{row}" for row in range(5, 25)])
    gone = find("no item of legal.uncertain may rise from 0", OLD.take(np.arange(50)), OLD)
    assert [(fall.id, fall.now) for fall in gone.regressions] == [(f"q{row}", None) for row in range(50, 60)]
    nothing = find("no item of legal.uncertain may rise from 0", NEW, table("all", N))
    assert (nothing.outcome, nothing.n) == ("not met", 0)


def test_the_rule_is_printed_as_it_is_meant():
    rule = NoRegression(Target(NAME, (("type", "fact_exact"),)))
    assert str(rule) == "no item of legal.uncertain[type=fact_exact] may rise from 0"
    assert parse_rule(str(rule)) == rule == parse_rule(str(rule).replace("rise from 0", "fall from 1"))
    with pytest.raises(ConfigError, match="not a valid rule"):
        parse_rule("no item of F1 may rise from 0")


def test_unknown_parts_get_the_nearest_name():
    with pytest.raises(UnknownName) as caught:
        find("legal.uncertan <= 0.1", NEW)
    assert str(caught.value.hint) == "did you mean 'legal.uncertain'?"
    with pytest.raises(UnknownName) as caught:
        find("no item of legal.uncertan may fall from 1", NEW, OLD)
    assert str(caught.value.hint) == "did you mean 'legal.uncertain'?"


def test_an_old_result_says_that_it_is_old():
    old = table_of(
        OLD.ids, {"legal": OLD.column("legal")}, kind="legal", name="old", parts={"legal": {"passed": np.ones(N)}}
    )
    with pytest.raises(UnknownName) as caught:
        find("legal.uncertain <= 0.1", old)
    assert str(caught.value.message) == "this result was written by a version without 'legal.uncertain'"
    assert "replay:" in str(caught.value.hint)


def test_users_declare_what_falls(tmp_path):
    """In a process of its own: the declaration is for the whole process."""
    for name, value in (("old", 1.5), ("new", 2.5)):
        rows = (f'{{"id": "{item}", "latency": {value + item % 2 / 10}}}\n' for item in range(8))
        (tmp_path / f"{name}.jsonl").write_text("".join(rows))
    files = [str(tmp_path / "old.jsonl"), str(tmp_path / "new.jsonl")]
    command = [sys.executable, "-m", "steelyard.cli", "compare", *files]
    rising = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    falling = subprocess.run([*command, "--lower-is-better", "latency"], capture_output=True, text=True, check=True)
    assert "▲" in rising
    assert "▼" not in rising.partition("permutation")[0]
    assert "▼" in falling.stdout.partition("permutation")[0]
    assert "▲" not in falling.stdout.partition("permutation")[0]


# ----- neither more nor less is better of Refusal alone


def refusing(name, over, *, has_parts=True):
    """Fifty answerable questions, of which the first are refused, and ten others that are refused."""
    refused = np.where(np.arange(N) < 50, np.arange(N) < over, 1.0)
    parts = {"over_refusal": np.where(np.arange(N) < 50, refused, np.nan)}
    parts["missed_refusal"] = np.where(np.arange(N) < 50, np.nan, 1 - refused)
    return make_table(
        name, refused, metric="Refusal", kind="answers", parts={"Refusal": parts} if has_parts else {}, outputs=()
    )


def test_refusals_are_compared_by_the_parts_that_have_a_direction(tmp_path):
    for name, over in (("old", 20), ("new", 2)):
        refusing(name, over).save(tmp_path / f"{name}.jsonl")
    text = run("compare", tmp_path / "old.jsonl", tmp_path / "new.jsonl").stdout
    assert text.startswith("old → new: Refusal.over_refusal 0.4000 → 0.0400\n")
    assert "18 better · 0 worse · 32 same (Refusal.over_refusal)" in text
    assert "most regressed" not in text
    assert "the item has no such part" not in text


def test_refusals_without_answerable_are_neither_better_nor_worse(tmp_path):
    for name, over in (("old", 20), ("new", 2)):
        refusing(name, over, has_parts=False).save(tmp_path / f"{name}.jsonl")
    text = run("compare", tmp_path / "old.jsonl", tmp_path / "new.jsonl").stdout
    assert "0 higher · 18 lower · 42 same (Refusal)" in text
    assert "items that fell most: Refusal" in text
    assert "▼" not in text.partition("permutation")[0]


def test_written_results_do_not_have_the_parts_twice(tmp_path):
    tables = [refusing("old", 20), refusing("new", 2)]
    write_report(Report(tables, compare_all(tables[1:], tables[0])), tmp_path / "both.jsonl")
    assert [table.metrics for table in load_all(tmp_path / "both.jsonl")] == [["Refusal"], ["Refusal"]]


@pytest.mark.parametrize("rule", ["Refusal not-worse-by 0.01", "no item of refusal may fall from 1"])
def test_a_rule_that_needs_a_direction_is_refused(rule):
    with pytest.raises(ConfigError) as caught:
        spelled([parse_rule(rule)], ["Refusal"])
    assert str(caught.value.message).endswith(": neither more nor less of Refusal is better")
    assert "Refusal.missed_refusal, Refusal.over_refusal" in str(caught.value.hint)
    assert spelled([parse_rule("Refusal <= 0.2")], ["Refusal"])
    assert spelled([parse_rule("Refusal.over_refusal not-worse-by 0.01")], ["Refusal"])
