"""Renderers know blocks, and nothing of what they are about."""

import numpy as np
import pytest
from tables import make_table

from steelyard.i18n import words_of
from steelyard.reports import cells
from steelyard.reports.blocks import (
    Cell,
    Fields,
    Headline,
    ItemList,
    ItemScores,
    ListItem,
    Notes,
    Records,
    ResultScores,
    TableBlock,
)
from steelyard.reports.content import Report
from steelyard.reports.files import RENDERERS
from steelyard.reports.render.console import render_console
from steelyard.reports.render.latex import render_latex
from steelyard.reports.render.markdown import render_markdown
from steelyard.reports.render.values import as_json, render_csv
from steelyard.reports.sections import report_blocks
from steelyard.stats.intervals import Interval

TABLE = TableBlock(
    ["name", "a", "b"], [["x_1", Cell("1.0", "▲", "[0, 2]"), "–"]], "title", detail="range", notes=["note"]
)
LIST = ItemList("worst", [ListItem(("q1", "0.50"), "because")], ["lead"], numbered=True)


@pytest.mark.parametrize(
    ("value", "number", "signed"),
    [(0.0, "0.0000", "0.0000"), (-0.0, "0.0000", "0.0000"), (-2e-6, "0.0000", "0.0000"), (2e-6, "0.0000", "0.0000"),
     (-0.00005001, "-0.0001", "-0.0001"), (0.5, "0.5000", "+0.5000"), (float("nan"), "–", "–")],
)  # fmt: skip
def test_what_rounds_to_0_has_no_sign(value, number, signed):
    assert (cells.number(value), cells.signed(value)) == (number, signed)
    assert cells.interval(Interval(value, value, "t")) == (number if number == "–" else f"[{number}, {number}]")


def test_a_table_with_details():
    assert render_console([TABLE]) == "title\nname      a  range   b  range\nx_1   1.0 ▲  [0, 2]  –\nnote\n"
    assert render_markdown([TABLE]) == (
        "### title\n\n| name | a | b |\n| --- | ---: | ---: |\n| x_1 | 1.0 ▲ [0, 2] | – |\n\n- note\n"
    )
    latex = render_latex([TABLE])
    assert "\\begin{tabular}{lrr}\n\\toprule\nname & a & b \\\\\n\\midrule\nx\\_1 & 1.0$^{+}$ & -- \\\\" in latex
    assert "[0, 2]" not in latex


def test_a_table_that_is_too_wide_is_divided():
    assert render_console([TABLE], width=20) == (
        "title\nname      a  range\nx_1   1.0 ▲  [0, 2]\n\ntitle\nname  b  range\nx_1   –\nnote\n"
    )


def test_marks_are_raised_in_latex():
    cells = [Cell("1", "ab"), Cell("2", "▼"), Cell("3", "–"), Cell("4")]
    assert "1$^{\\mathrm{ab}}$ & 2$^{-}$ & 3 -- & 4 \\\\" in render_latex(
        [TableBlock(["a", "b", "c", "d"], [cells], labels=0)]
    )


def test_groups_are_named_once_on_a_terminal():
    block = TableBlock(["type", "n"], [["a", "1"], ["a", "2"], ["b", "3"]], grouped=True)
    assert render_console([block]) == "type  n\na     1\n      2\nb     3\n"
    assert render_markdown([block]).count("| a |") == 2


def test_lists():
    assert render_console([LIST]) == "lead\nworst\n  q1  0.50\n    because\n"
    assert render_markdown([LIST]) == "lead\n\n### worst\n\n1. q1 · 0.50\n   - because\n"
    assert render_latex([LIST]).endswith("\n% lead\n")


def test_a_headline_with_warnings():
    block = Headline("not passed", False, ["cut off"])
    assert render_console([block], colour=True) == "\x1b[31mcut off\x1b[0m\n\x1b[1mnot passed\x1b[0m\n"
    assert render_markdown([block]) == "## ❌ not passed\n\n**cut off**\n"


def test_blocks_are_separated_unless_they_are_to_be_close():
    blocks = [Notes(["a"]), Notes([]), Notes(["b", "c"])]
    assert render_console(blocks) == "a\n\nb\nc\n"
    assert render_console(blocks, spaced=False) == "a\nb\nc\n"


def test_scores_of_items_take_the_place_of_records_in_csv():
    records = Records(("result", "mean"), [("=x", 0.5)])
    scores = ItemScores(("结果", "id", "F1"), ("result", "id", "F1"), [ResultScores("r", ["a"], [np.array([np.nan])])])
    assert render_csv([records, Notes(["n"])]) == "result,mean\n'=x,0.5\n"
    assert render_csv([records, scores]) == "result,id,F1\nr,a,\n"
    assert render_markdown([scores]) == "| 结果 | id | F1 |\n| --- | --- | ---: |\n| r | a | – |\n"
    assert render_console([scores]) == "result\tid\tF1\nr\ta\t–\n"


def test_fields_of_results_are_together():
    blocks = [
        Fields(lambda: {"a": 1}),
        Fields(lambda: {"x": 1}, 1),
        Fields(lambda: {"y": 2}, 1),
        Fields(lambda: {"b": 2}),
    ]
    assert list(as_json(blocks).items()) == [("a", 1), ("results", [{}, {"x": 1, "y": 2}]), ("b", 2)]


def test_blocks_are_built_once_for_a_language():
    report = Report([make_table("a", [0.5, 1.0])])
    assert report_blocks(report, "zh") is report_blocks(report, "zh")
    (block, *_) = (each for each in report_blocks(report, "zh") if isinstance(each, TableBlock))
    assert block.headings == [words_of("zh")("report.metric"), "a"]


@pytest.mark.parametrize("suffix", RENDERERS)
def test_every_format_renders_every_block(suffix):
    report = Report([make_table("a", [0.5, 1.0])], per_item=True)
    assert RENDERERS[suffix]([*report_blocks(report), TABLE, LIST, Headline("h", True)], "en")
