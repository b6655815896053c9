"""The page of one result, and the view of an item, in a real browser."""

import json

import numpy as np
import pytest
from browser.hostile import BROKEN, CLOSING, HANDLER, WORDS, hostile_table
from tables import table_of

from steelyard.cli import main
from steelyard.documents.pages import Document, Page
from steelyard.io.results import load
from steelyard.legal.benchmark.runner import judge_answers
from steelyard.reports.content import Report
from steelyard.reports.render.html.report_html import render_html

pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]

ITEM = "contract_gap_002"
CITATIONS = [
    {"page": 2, "text": "3.1 乙方提供冷藏车5台、电动叉车6台、温度记录仪24个，明细见附件一。"},
    {"page": 2, "text": "3.4 设备的日常维护和年检由乙方负责，费用由乙方承担。"},
    {"page": 1, "text": "3.1 乙方提供冷藏车5台、电动叉车6台、温度记录仪24个，明细见附件一。"},
    {"page": 2, "text": "乙方提供飞机一架。"},
]
"""One that is right, one on the page that it names, one on another page, and one that is nowhere."""


@pytest.fixture(scope="module")
def made(tmp_path_factory, request):
    folder = tmp_path_factory.mktemp("one")
    data = request.config.rootpath / "data"
    run("bench", "--system", "builtin:baseline", "-o", folder / "old.jsonl")
    (folder / "recorded.json").write_text(json.dumps(recorded(folder / "old.jsonl")), encoding="utf-8")
    run("bench", "--system", f"replay:{folder}/recorded.json", "-o", folder / "new.jsonl")
    run("report", folder / "old.jsonl", "-o", folder / "legal.html")
    run("report", folder / "new.jsonl", "-o", folder / "marks.html")
    run("report", folder / "old.jsonl", folder / "new.jsonl", "-o", folder / "compare.html")
    run("retrieval", data / "qrels.txt", data / "run_a.txt", "-o", folder / "retrieval.html")
    run("answers", data / "answers_a.jsonl", "-o", folder / "answers.html")
    return folder


def run(*words):
    assert main([*map(str, words), "--lang", "en"]) == 0


def recorded(path):
    """The same answers; one has four citations and a typed field."""
    table, answers = load(path), []
    for identifier, output in zip(table.ids, table.outputs, strict=True):
        kept = output or {}
        answer = {key: kept[key] for key in ("answer", "citations", "evidence") if key in kept}
        if identifier == ITEM:
            answer |= {"citations": CITATIONS, "amount_total": 123456}
        answers.append({"id": identifier, **answer})
    return {"system": "other", "answers": answers}


@pytest.fixture
def at(opened, made):
    def open_page(name, item="", **settings):
        address = (made / f"{name}.html").as_uri() + (f"#item/{item}" if item else "")
        page = opened(address, **settings)
        page.wait_for_selector("html[data-ready]")
        if item:
            page.wait_for_selector("dialog[open]")
        return page

    return open_page


def bottom(locator):
    box = locator.bounding_box()
    return box["y"] + box["height"]


def test_the_first_screen_has_the_figures_and_where_points_were_lost(at, made):
    page, table = at("legal"), load(made / "old.jsonl")
    tiles = page.locator(".tile")
    titles = ["questions passed", "hallucinated", "abstention errors", "citations correct"]
    assert page.locator(".tile-name").all_text_contents() == titles
    assert all(bottom(tile) < 900 for tile in tiles.all())
    assert bottom(page.locator(".beside .drawing")) < 900
    assert bottom(page.locator(".uncertain")) < 900
    passed = float(np.mean(table.parts["legal"]["passed"]))
    assert tiles.first.locator(".middle").text_content() == f"{100 * passed:.1f} %"
    assert all("95 % interval" in tile.text_content() for tile in tiles.all())
    assert tiles.nth(2).locator(".tile-line").count() == 2


def test_the_score_is_said_once_and_no_table_has_one_row(at):
    page = at("legal")
    assert page.locator(".large").count() == 1
    score = page.locator(".large").text_content()
    assert page.locator("#section-summary .score-line").inner_text().count(score) == 1
    assert page.locator(".tiles").inner_text().count(score) == 0
    rows = page.locator("main table").evaluate_all(
        "(all) => all.map((each) => each.querySelectorAll('tbody tr').length)"
    )
    assert min(rows) > 1
    assert "Means with 95 % intervals" not in page.locator("main").inner_text()


def test_types_and_parts_have_words_and_weights(at):
    page = at("legal")
    table = page.locator("table.parts")
    assert table.locator(".chosen th").all_text_contents() == [
        *("gaps and conflicts", "evidence sets", "exact facts", "keyed points")
    ]
    facts = table.locator("tbody").nth(2).locator("tr")
    assert facts.nth(1).locator("th, td").all_text_contents()[:2] == ["exact match", "0.7"]
    assert "_" not in table.inner_text()
    assert "type" not in page.locator("#group-choice option").all_text_contents()


@pytest.mark.parametrize("name", ["legal", "answers", "retrieval"])
def test_other_kinds_have_the_headline_once_and_further_metrics_in_tiles(at, name):
    page = at(name)
    assert page.locator(".large").count() == 1
    assert page.locator(".tile").count() >= 3
    assert bottom(page.locator(".tile").last) < 900
    assert not page.locator("#section-settings table").first.is_visible()
    page.click("#section-settings summary")
    assert page.locator("#section-settings table").first.is_visible()
    main_name = page.locator(".score-line .metric").text_content()
    assert main_name not in page.locator(".tile-name").all_text_contents()


def test_the_worst_items_have_their_questions_and_reasons(at):
    page = at("legal")
    first = page.locator(".worst li").first
    assert first.locator("a").text_content()
    assert "exact match" in first.text_content() or "correct abstention" in first.text_content()
    first.locator("a").click()
    page.wait_for_selector("dialog[open]")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_everybody_can_use_it(at, accessible, theme, width):
    accessible(at("legal", color_scheme=theme, width=width, height=900))
    accessible(at("marks", ITEM, color_scheme=theme, width=width, height=900))


@pytest.mark.parametrize("name", ["legal", "answers", "retrieval"])
def test_a_phone_shows_tiles_and_text_that_can_be_read(at, name):
    page = at(name, width=390, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    for tile in page.locator(".tile").all():
        box = tile.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    sizes = page.locator(".drawing svg").evaluate_all(
        """(all) => all.flatMap((svg) => {
            const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
            return [...svg.querySelectorAll('text')].map((text) => parseFloat(getComputedStyle(text).fontSize) * scale);
        })"""
    )
    assert min(sizes) >= 10.99


def test_what_is_above_all_else_is_above_the_headline(opened, tmp_path):
    failures = dict.fromkeys(range(3), "HTTP 500")
    table = table_of([*"abcde"], columns={"F1": np.array([0.0, 0.0, 0.0, 0.5, 1.0])}, name="run", failures=failures)
    path = tmp_path / "page.html"
    path.write_text(render_html(Report([table])), encoding="utf-8")
    page = opened(path)
    alert = page.locator(".alert")
    assert alert.text_content() == "⚠ 3 of 5 questions failed and count as 0 (HTTP 500)"
    assert bottom(alert) < page.locator("h1").bounding_box()["y"]


def test_the_score_comes_first_then_its_parts_with_their_weights(at):
    page = at("legal", ITEM)
    rows = page.locator(".reasons tr")
    names = rows.locator("th").all_text_contents()
    assert names[:4] == ["score", "correct abstention", "not blank or invented", "quotation included"]
    assert rows.nth(1).locator(".number").text_content() == "0.4 × 0.00 = 0.00"
    assert rows.nth(2).locator(".number").text_content() == "0.4 × 1.00 = 0.40"
    assert rows.nth(3).locator(".number").text_content() == "0.2 × 1.00 = 0.20"
    assert rows.first.locator(".number").text_content() == "0.60"
    classes = rows.evaluate_all("(all) => all.map((each) => each.className)")
    assert classes == ["total", "", "", "", *["extra"] * (len(names) - 4)]
    assert names[-1] == "passed"
    assert rows.last.locator(".number").text_content() == "no"


def test_a_threshold_that_is_not_reached_counts_nothing(at, made):
    table = load(made / "old.jsonl")
    recall = table.parts["legal"]["recall"]
    item = table.ids[int(np.flatnonzero((recall > 0) & (recall < 1))[0])]
    row = at("legal", item).locator(".reasons tr", has_text="evidence recall")
    assert row.locator(".number").text_content() == "0.5 × 0.00 = 0.00"
    assert "below the threshold" in row.text_content()


def test_keyed_points_show_the_factors_of_their_score(opened, tmp_path):
    (tmp_path / "a.md").write_text("Page 1\nThe buyer is in breach.\n", encoding="utf-8")
    points = [{"text": "in breach", "points": 2, "conclusion": True}, {"text": "pay damages", "points": 2}]
    question = {"id": "q", "question": "Is the buyer liable?", "points": points, "reference_answer": "In breach, pay."}
    file = {"benchmark_type": "key_points", "document": "a.md", "questions": [question]}
    (tmp_path / "a.json").write_text(json.dumps(file), encoding="utf-8")
    table = judge_answers({"q": {"answer": "The buyer is not in breach but must pay damages."}}, tmp_path).table
    path = tmp_path / "page.html"
    path.write_text(render_html(Report([table])), encoding="utf-8")
    page = opened(f"{path.as_uri()}#item/q")
    page.wait_for_selector("dialog[open]")
    row = page.locator(".reasons tr", has_text="share × conclusion × length")
    assert row.locator(".number").text_content() == "0.00"
    assert "share × conclusion × length: 0.50 × 0.00 × " in row.text_content()
    assert "threshold" not in row.text_content()


def test_both_sides_of_a_comparison_have_the_same_rows(at):
    page = at("compare", ITEM)
    sides = [page.locator(".answer").nth(place).locator(".reasons th").all_text_contents() for place in (0, 1)]
    assert sides[0] == sides[1]
    assert sides[0][0] == "score"


def test_only_a_right_citation_has_a_tick(at):
    page = at("marks", ITEM)
    signs = page.locator(".answer > div > ul > li .sign")
    assert signs.all_text_contents() == ["✓", "○", "✗", "✗"]
    names = [sign.get_attribute("aria-label") for sign in signs.all()]
    assert names[0].startswith("right")
    assert "not a required passage" in names[1]
    assert names[2] == names[3] == "not found on the page that is named"
    assert page.locator(".asked .sign").count() == 0
    page.keyboard.press("Escape")
    page.click("#language-switch")
    page.evaluate(f"location.hash = '#item/{ITEM}'")
    page.wait_for_selector("dialog[open]")
    assert signs.first.get_attribute("title").startswith("正确")


def test_values_have_separators_units_and_words(at, made):
    page = at("marks", ITEM)
    assert "123,456" in page.locator(".answer .values").text_content()
    facts = at("legal", "contract_fact_003").locator(".asked .values").text_content()
    assert facts == "amount62,400 元"
    truth = at("legal", "contract_fact_019").locator(".asked .values").text_content()
    assert truth == "yes or noyes"


def test_hostile_words_change_nothing(opened, tmp_path):
    table = hostile_table(f"one{CLOSING}{HANDLER}{BROKEN}")
    document = Document(CLOSING, (Page(1, "".join(WORDS), ()),), "")
    path = tmp_path / "hostile.html"
    path.write_text(render_html(Report([table]), "en", {CLOSING: document}), encoding="utf-8")
    page = opened(path)
    page.wait_for_selector("html[data-ready]")
    for row in page.locator(".list-space .list-row").all():
        row.click()
        page.wait_for_selector("dialog[open]")
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog[open]", state="detached")
    assert page.evaluate("window.attacked") is None
    assert page.evaluate("document.querySelectorAll('main img, main script, svg [onload]').length") == 0
    assert "<script>" in page.locator("h1").text_content()
