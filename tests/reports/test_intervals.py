"""What is said once about the intervals of differences."""

import pytest
from rendering import render_console, render_latex, render_markdown
from tables import make_table

from steelyard.reports.content import Report
from steelyard.reports.render.html.report_html import render_html
from steelyard.stats.compare import compare_all

UNADJUSTED = "The 95 % intervals of differences are not adjusted for several comparisons; the adjusted p values are."
NO_CHANGE = "EM: no item changed; the interval [0, 0] does not say that other items would not change."
OLD = make_table("old", {"F1": [0.0, 0.5] * 8, "EM": [0.0, 1.0] * 8})
NEW = make_table("new", {"F1": [0.9, 0.5] * 8, "EM": [0.0, 1.0] * 8})


@pytest.mark.parametrize("render", [render_console, render_markdown, render_latex, render_html])
@pytest.mark.parametrize("others", [[NEW], [NEW, make_table("newer", {"F1": [0.8] * 16, "EM": [0.0, 1.0] * 8})]])
def test_intervals_are_not_adjusted_and_zero_where_nothing_changed(render, others):
    text = render(Report([OLD, *others], compare_all(others, OLD))).replace("\\", "")
    assert text.count(f"{UNADJUSTED} {NO_CHANGE}") >= 1


def test_one_comparison_with_changes_needs_no_remark():
    old, new = make_table("old", [0.0, 0.5] * 8), make_table("new", [0.9, 0.5] * 8)
    text = render_console(Report([old, new], compare_all([new], old)))
    assert "adjusted for several" not in text
    assert "no item changed" not in text
