"""Sections are found, ordered, and shown in every format; a new one is one file."""

import re
import sys
from functools import partial

import numpy as np
import pytest
from rendering import as_json, render_console, render_csv, render_latex, render_markdown
from tables import make_table, table_of

from steelyard.i18n import Message
from steelyard.reports import sections
from steelyard.reports.blocks import Details, Notes
from steelyard.reports.content import LAYOUTS, Report
from steelyard.reports.render.html.report_html import render_html
from steelyard.reports.render.tables import plain
from steelyard.reports.sections import load_sections
from steelyard.table import Missing

SECTION = '''"""The share of items with the best score."""

from steelyard.reports.blocks import Cell, Details, Fields, ItemList, ListItem, Note, Notes, TableBlock
from steelyard.reports.sections import section


@section(25)
def blocks(report, words):
    full = {table.name: int((table.column("AP") == 1).sum()) for table in report.tables}
    rows = [[name, str(count)] for name, count in full.items()]
    yield TableBlock([words("report.result"), "n"], rows, "best score")
    yield Notes(["a note of the section", Note("a warning of the section", "warning")])
    yield ItemList("a list of the section", [ListItem(("first", "0.5"), "why <it> is there")])
    yield Details(lambda: [TableBlock(["tag", "n"], [["x", Cell("1", share=0.5)]], role="decided")])
    wide = [["old", "shown on pages", *"23456789", "10"]]
    yield TableBlock(["name", words("report.before"), *"cdefghij", "k"], wide, "some columns", "differences")
    yield Fields(lambda: {"best": full})
    yield from (Fields(lambda count=count: {"best": count}, index) for index, count in enumerate(full.values()))
'''

table = partial(make_table, metric="AP", kind="retrieval")


@pytest.fixture
def added(tmp_path, monkeypatch):
    """One file more beside the sections."""
    (tmp_path / "best_scores.py").write_text(SECTION, encoding="utf-8")
    monkeypatch.setattr(sections, "__path__", [*sections.__path__, str(tmp_path)])
    yield
    sys.modules.pop(f"{sections.__name__}.best_scores", None)
    sections.REGISTERED.pop(f"{sections.__name__}.best_scores.blocks", None)


def report():
    return Report([table("old", [1.0, 0.5]), table("new", [1.0, 1.0])])


def test_sections_are_in_order():
    for layout in LAYOUTS:
        orders = [section.order for section in load_sections() if layout in section.layouts]
        assert orders == sorted(orders)
        assert len(set(orders)) == len(orders)


def test_a_section_is_one_file(added):
    content = report()
    shown = render_console(content)
    assert "\n\nbest score\nresult  n\nold     1\nnew     2\n\na note of the section\n⚠ a warning" in shown
    assert "\n\na list of the section\n  first  0.5\n    why <it> is there\n\nsome columns\n" in shown
    assert "\nname  d  e  f  g  j   k\nold   3  4  5  6  9  10" in shown
    assert (
        "\n\n### best score\n\n| result | n |\n| --- | ---: |\n| old | 1 |\n| new | 2 |\n\n- a note"
        in render_markdown(content)
    )
    assert "\\textbf{best score}" in render_latex(content)
    assert "% a note of the section\n" in render_latex(content)
    assert "shown on pages" not in render_markdown(content) + render_latex(content)
    values = as_json(content)
    assert values["best"] == {"old": 1, "new": 2}
    assert [result["best"] for result in values["results"]] == [1, 2]
    assert "best" not in render_csv(content)


def test_a_page_shows_it_too(added):
    page = render_html(report(), "zh")
    metrics, details, _, _ = re.split('<section id="section-(?:detail|items|settings)"', page)
    assert ">best score</h3>" in metrics
    assert 'data-zh="结果"' in metrics
    assert '<p class="small muted note"><span class="said">a note of the section</span></p>' in metrics
    assert '<p class="small warn note"><span class="said">⚠ a warning of the section</span></p>' in metrics
    assert ">a list of the section</h3>" in metrics
    assert "why &lt;it&gt; is there" in metrics
    assert 'data-zh="之前"' in details
    assert ">shown on pages<" in details
    assert re.search(r'<td class="number">1</td><td class="bar-cell">\s*<svg class="bar"', details)


def test_text_does_not_make_the_tables_of_pages():
    (block,) = plain([Details(lambda: pytest.fail("made")), Notes(["a line"])])
    assert block == Notes(["a line"])


def test_nothing_of_it_without_the_file():
    assert "best score" not in render_console(report())
    assert "best score" not in render_html(report())


def test_reasons_of_items_without_a_score_are_in_every_format():
    reasons = (Missing("unscored", Message("missing.no_reference")), Missing("error", "timed\nout"))
    empty = float("nan")
    status = {"F1": np.array([0, 1, 1, 2]), "EM": np.array([0, 1, 1, 0])}
    columns = {"F1": np.array([1, empty, empty, empty]), "EM": np.array([1, empty, empty, 0])}
    results = Report([table_of(["a", "b", "c", "d"], columns, status=status, reasons=reasons, name="run")])
    text = render_console(results)
    assert re.search(r"there is no reference +2  F1, EM +b, c\n", text)
    assert re.search(r"timed out +1  F1 +d\n", text)
    assert "run: 4 items, 1 error; F1: 1 scored; EM: 2 scored" in text
    assert "| there is no reference | 2 | F1, EM | b, c |" in render_markdown(results)
    assert "没有参考答案" in render_console(results, language="zh")
    assert "there is no reference" in render_html(results)
