"""The language of what is joined in code: separators and percentages."""

import re

import pytest
from rendering import render_console, render_latex, render_markdown
from tables import make_table

from steelyard.i18n import words_of
from steelyard.reports import cells
from steelyard.reports.content import Report
from steelyard.stats.compare import compare_all

HALF_WIDTH = re.compile("[\u4e00-\u9fff][,;:] |[,;:] [\u4e00-\u9fff]")
OLD = make_table("old", [0.0, 0.5] * 4)
NEW = make_table("new", [1.0, 0.5] * 4)


@pytest.mark.parametrize("render", [render_console, render_markdown, render_latex])
@pytest.mark.parametrize("tables", [[OLD], [OLD, NEW]], ids=["one", "two"])
def test_chinese_sentences_have_chinese_punctuation(render, tables):
    report = Report(tables, compare_all([NEW], OLD) if len(tables) > 1 else ())
    text = render(report, language="zh")
    assert "8 个条目，8 个已计分" in text
    assert HALF_WIDTH.findall(text) == []


def test_a_percentage_is_written_as_the_language_does():
    assert (cells.percent(0.125, words_of("en")), cells.percent(0.125, words_of("zh"))) == ("12.5 %", "12.5%")
