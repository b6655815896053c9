from functools import partial

import numpy as np
from rendering import render_console, render_latex, render_markdown
from tables import make_table

from steelyard.io.records import unique_names
from steelyard.reports.content import Report
from steelyard.stats.compare import ComparisonSettings, compare_all
from steelyard.table import Signature

table = partial(make_table, metric="AP", kind="retrieval", bounds=None)


def report(**changes):
    old, new = table("base_1%", [0.2] * 9 + [0.1]), table("new|run", [0.6] * 9 + [0.8])
    return Report([old, new], compare_all([new], old), **changes)


def test_a_significant_difference_is_marked_everywhere():
    # ten items, all better: the exact two-sided p is 2/2^10
    text = render_console(report())
    assert "0.6200 ▲" in text
    assert "+0.4300" in text
    assert "0.0020" in text
    assert "| AP | 0.1900 [" in render_markdown(report())
    assert r"AP & 0.1900 & \textbf{0.6200}$^{+}$" in render_latex(report())


def test_every_report_says_what_was_counted_and_how_it_was_tested():
    settings = {"kind": "retrieval", "rel": "1"}
    old = table(
        "old",
        [0.1, 0.2],
        counts={"judged queries missing from the run": 7},
        signature=Signature.of(settings | {"run": "x"}),
    )
    new = table("new", [0.3, 0.1], signature=Signature.of(settings | {"run": "y"}))
    both = Report([old, new], compare_all([new], old))
    for text in (render_console(both), render_markdown(both), render_latex(both)):
        assert "judged queries missing from the run 7" in text
        assert "correction: holm (1)" in text
        # what both share once, and what differs for each
        assert text.count("kind:retrieval|rel:1") == 1
        assert "signature old: run:x" in text
        assert "signature new: run:y" in text


def test_a_total_does_not_stand_beside_the_interval_of_a_mean():
    counted = Report([table("a", [3, 5], sums=("AP",))])
    assert "| AP | 8 Σ |" in render_markdown(counted)
    assert "8  Σ" in render_console(counted)
    assert "1235001  Σ" in render_console(Report([table("a", [1235000, 1], sums=("AP",))]))


def test_a_family_too_large_for_its_resamples_is_said():
    source = np.random.default_rng(3)
    old = table("old", source.random(60))
    new = [table(f"s{n}", source.random(60)) for n in range(3)]
    text = render_console(Report([old, *new], compare_all(new, old, ComparisonSettings(resamples=50))))
    assert "no sampled p can be significant after this correction" in text


def test_names_are_escaped():
    assert r"base\_1\%" in render_latex(report())
    assert r"new\|run" in render_markdown(report())


def test_unknown_numbers_are_a_dash_and_never_nan():
    one = Report([table("one", [0.5])])
    text = render_console(one) + render_markdown(one) + render_latex(one)
    assert "nan" not in text
    assert "–" in text


def test_a_small_p_is_never_nought():
    many = table("a", [0.0] * 60), table("b", [1.0] * 60)
    text = render_console(Report(list(many), compare_all([many[1]], many[0])))
    assert "1.7e-18" in text  # 2 / 2^60


def test_items_come_one_to_a_line():
    lines = render_console(report(per_item=True)).splitlines()
    assert lines[-21].split("\t") == ["result", "id", "AP"]
    assert lines[-1].split("\t") == ["new|run", "q9", "0.8000"]


def test_a_narrow_terminal_loses_nothing():
    text = render_console(report(), width=40)
    for number in ("0.1900", "0.6200", "+0.4300"):
        assert number in text


def test_unique_names():
    assert unique_names(["run", "run", "run-2", "run"]) == ["run", "run-2", "run-2-2", "run-3"]
