"""Failures of the system: a warning before everything else, in every format."""

import re
from datetime import UTC, datetime

import numpy as np
import pytest
from tables import make_table

from steelyard.reports.content import Report
from steelyard.reports.gate import gate_blocks
from steelyard.reports.render.console import render_console
from steelyard.reports.render.html.report_html import render_html
from steelyard.reports.render.latex import render_latex
from steelyard.reports.render.markdown import render_markdown
from steelyard.reports.render.values import as_json, render_junit
from steelyard.reports.sections import report_blocks
from steelyard.stats.gate import GateSettings, decide
from steelyard.stats.rules import parse_rule
from steelyard.table import Missing

SAID = "⚠ 2 of 40 questions failed and count as 0 (HTTP 500 from the server)"
FAILED = make_table("new", [0.0, 0.0, *[0.9] * 38], failures={0: "HTTP 500\nfrom the server", 1: "timeout"})


def test_a_report_begins_with_them():
    blocks = report_blocks(Report([FAILED]))
    assert render_console(blocks).startswith(f"{SAID}\n")
    assert render_markdown(blocks).startswith(f"**{SAID}**\n")
    assert render_latex(blocks).splitlines()[1].endswith(SAID)
    assert as_json(blocks)["results"][0]["errors"] == 2
    assert render_console(report_blocks(Report([FAILED]), "zh")).startswith("⚠ 40 个条目中有 2 个出错，计 0 分（")
    assert "⚠" not in render_console(report_blocks(Report([make_table("fine", [1.0])])))


def test_the_reason_is_in_the_language_of_the_report():
    stored = ["systems.python_raised", {"name": "RuntimeError", "text": "HTTP 500"}]
    english = "the system raised RuntimeError: HTTP 500"
    failed = make_table("new", [0.0], failures={0: english}, outputs=[{"verdict": {"messages": {"error": stored}}}])
    assert render_console(report_blocks(Report([failed]))).startswith(
        f"⚠ 1 of 1 question failed and counts as 0 ({english})"
    )
    said = render_console(report_blocks(Report([failed]), "zh"))
    assert said.startswith("⚠ 1 个条目中有 1 个出错，计 0 分（系统抛出 RuntimeError：HTTP 500）")


@pytest.mark.parametrize("results", [1, 2, 3])
def test_a_page_has_them_above_its_title(results):
    page = render_html(Report([FAILED, *(make_table(f"other {n}", [0.9] * 40) for n in range(1, results))]))
    body = page[page.index("<main") :]
    assert body.index('class="alert') < body.index("<h1")
    assert f"⚠ {'new: ' if results > 1 else ''}2 of 40 questions failed and count as 0" in re.sub("<[^>]+>", "", body)


def test_scores_that_are_errors_are_told_apart():
    broken = make_table(
        "broken",
        [0.5, np.nan, np.nan],
        status={"F1": np.array([0, 1, 1])},
        reasons=(Missing("error", "the judge gave no number"),),
    )
    text = render_console(report_blocks(Report([broken])))
    assert text.startswith("⚠ 2 of 3 items could not be scored (the judge gave no number)\n")


@pytest.mark.parametrize(("allowed", "passed"), [(0.0, False), (0.04, False), (0.05, True), (1.0, True)])
def test_a_gate_does_not_pass_unless_they_are_allowed(allowed, passed):
    gate = decide([parse_rule("F1 >= 0.5")], FAILED, settings=GateSettings(allow_errors=allowed))
    assert gate.passed is passed
    assert (GateSettings().allow_errors, decide([parse_rule("F1 >= 0.5")], FAILED).passed) == (0.0, False)
    text = render_console(gate_blocks(gate), spaced=False)
    assert text.startswith(f"{SAID}\n")
    assert ("questions on which the system failed: 2, more than --allow-errors" in text) is not passed
    xml = render_junit(gate_blocks(gate), when=datetime(2026, 1, 1, tzinfo=UTC), seconds=0.0)
    assert SAID in re.search(r"<system-out>([^<]*⚠[^<]*)</system-out>", xml)[1]
    assert '<property name="failed questions" value="2" />' in xml
