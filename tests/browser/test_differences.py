"""The page of two results in a real browser: the outcome, one table, regressions first, both answers of an item."""

import numpy as np
import pytest
from tables import make_table, table_of

from steelyard.reports.content import Report
from steelyard.reports.render.html.report_html import render_html
from steelyard.stats.compare import ComparisonSettings, compare_all
from steelyard.table import Missing

pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]

OLD = {"legal": [1.0, 1.0, 0.5, 0.0, 0.5, 1.0], "F1": [1.0, 0.8, 0.5, 0.0, 0.5, 1.0]}
NEW = {"legal": [0.0, 0.5, 1.0, 0.0, 0.5, 1.0], "F1": [0.1, 0.4, 1.0, 0.0, 0.5, 1.0]}
SAID = ("The deposit is $10,000, payable on signing.", "The deposit is $12,000, payable on signing.")


def results(kind, metric):
    """Two results of a kind with questions and answers."""

    def made(name, values, answer):
        outputs = [{"question": f"How much is deposit {n}?", "answer": answer} for n in range(6)]
        ids = [f"q/{n}" for n in range(6)]
        tags = {"language": ["en", "zh"] * 3}
        return table_of(ids=ids, columns={metric: np.array(values)}, kind=kind, name=name, outputs=outputs, tags=tags)

    return made("before.v1", OLD[metric], SAID[0]), made("after.v2", NEW[metric], SAID[1])


@pytest.fixture(
    scope="module", params=[("legal", "legal"), ("answers", "F1"), ("scores", "F1")], ids=lambda pair: pair[0]
)
def rendered(request, tmp_path_factory):
    """The file of two results of each kind that has answers."""
    kind, metric = request.param
    old, new = results(kind, metric)
    path = tmp_path_factory.mktemp(kind) / "x.html"
    path.write_text(render_html(Report([old, new], compare_all([new], old, ComparisonSettings()))), encoding="utf-8")
    return path


@pytest.fixture
def page(opened, rendered):
    """The page of the two results."""
    shown = opened(rendered)
    shown.wait_for_selector("html[data-ready]")
    return shown


def test_the_outcome_leads_with_the_items_that_changed(page):
    assert page.locator("h1").text_content() == "before.v1 → after.v2"
    assert page.title() == "before.v1 → after.v2"
    assert page.locator(".tallies .large").all_text_contents() == ["1", "2", "3"]
    words = [text.split() for text in page.locator(".tallies li").all_text_contents()]
    assert [word[-1] for word in words] == ["better", "worse", "same"]
    widths = [each.bounding_box()["width"] for each in page.locator(".segments rect").all()]
    assert widths[1] == pytest.approx(2 * widths[0], rel=0.02)
    assert widths[2] == pytest.approx(3 * widths[0], rel=0.02)
    assert page.locator(".outcome").bounding_box()["y"] < 300
    assert "On these 6 items" in page.locator(".verdict").text_content()


def test_one_table_has_before_and_after(page):
    headings = page.locator(".differences thead th").all_text_contents()
    assert headings[1:4] == ["before", "after", "difference"]
    assert page.locator(".differences tbody tr").count() == 1
    cells = page.locator(".differences tbody td").all_text_contents()
    assert cells[-1] == "1 / 3 / 2"
    assert page.locator("table:visible caption", has_text="before.v1").count() == 0


def test_regressions_come_first_and_open_both_answers(page):
    titles = page.locator("#section-changes h3").all_text_contents()
    assert [title.split(":")[0] for title in titles] == ["most regressed items", "most improved items"]
    links = page.locator("#section-changes a")
    assert links.all_text_contents() == [f"How much is deposit {n}?" for n in (0, 1, 2)]
    links.first.click()
    page.wait_for_selector("dialog[open]")
    assert page.locator("#item-title").text_content() == "q/0"
    first, second = page.locator(".answers .answer").all()
    assert first.bounding_box()["y"] == pytest.approx(second.bounding_box()["y"], abs=2)
    assert first.bounding_box()["x"] + first.bounding_box()["width"] <= second.bounding_box()["x"]
    assert first.locator("mark.removed").all_text_contents() == ["10"]
    assert second.locator("mark.added").all_text_contents() == ["12"]


def test_a_tag_has_one_table_of_both_results(page):
    tables = page.locator(".grouping:visible table")
    assert tables.count() == 1
    headings = tables.locator("thead th").all_text_contents()
    assert headings[1:] == ["n", "before", "after", "difference"]
    assert tables.locator("tbody tr").count() == 2


def test_names_of_parts_are_not_cut_into_characters_on_a_phone(page):
    page.evaluate("document.documentElement.lang = 'zh'")
    page.locator(".differences tbody th[scope=row]").first.evaluate("each => { each.textContent = '应当拒答而作答'; }")
    page.set_viewport_size({"width": 390, "height": 844})
    box = page.locator(".differences tbody th[scope=row]").first.bounding_box()
    assert box["width"] >= 80
    assert box["height"] <= 70


def test_why_items_have_no_score_is_folded_below_what_changed(opened, tmp_path):
    ids = [f"What does the contract say about the deposit number {n}, and where is it said?" for n in range(40)]
    status = {"F1": np.array([1] * 27 + [0] * 13)}
    scores = {"F1": np.array([np.nan] * 27 + [0.5] * 13)}
    reasons = [Missing("unscored", "the answer has no values")]
    old = make_table("a", scores, ids, status=status, reasons=reasons)
    changed = make_table("b", {"F1": scores["F1"] * ([1.0] * 39 + [2.0])}, ids, status=status, reasons=reasons)
    path = tmp_path / "x.html"
    path.write_text(render_html(Report([old, changed], compare_all([changed], old))), encoding="utf-8")
    shown = opened(path, width=390)
    folds = shown.locator("details", has=shown.locator("summary", has_text="items without a score"))
    assert folds.count() == 2
    assert folds.first.get_attribute("open") is None
    assert folds.first.bounding_box()["y"] > shown.locator("#section-changes").bounding_box()["y"]
    folds.first.locator("summary").click()
    count = folds.first.locator("td", has_text="27").first
    lines = "cell => { const all = new Range(); all.selectNode(cell.firstChild); return all.getClientRects().length }"
    assert count.evaluate(lines) == 1, "a number is not broken"
