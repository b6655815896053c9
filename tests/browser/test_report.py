"""The page of a report in a real browser: what people see, click and type."""

import json
import re

import numpy as np
import pytest
from browser.hostile import BROKEN, CLOSING, HANDLER, LONG, WORDS, hostile_table
from reports.marked import REASON, mark_uncertain
from tables import table_of

from steelyard import evaluate_answers
from steelyard.cli import main
from steelyard.documents.pages import Document, Page
from steelyard.io.results import load
from steelyard.legal.report.results import refusals
from steelyard.reports.content import Report
from steelyard.reports.render.html.report_html import render_html
from steelyard.stats.compare import compare_all

pytestmark = pytest.mark.slow

ITEM = "contract_gap_002"  # the baseline quotes 3.1 on page 2 of contract.md, and should have abstained

UNCERTAIN = ("contract_fact_002", "contract_gap_003", "deposition_fact_002")
FALLING = ("-m", "legal.uncertain", "--test", "t")


@pytest.fixture(scope="session")
def made(tmp_path_factory, request):
    """Pages of every kind, made by the program itself from the bundled data."""
    folder = tmp_path_factory.mktemp("reports")
    data = request.config.rootpath / "data"
    run("bench", "--system", "builtin:baseline", "-o", folder / "old.jsonl")
    (folder / "recorded.json").write_text(json.dumps(reworded(folder / "old.jsonl")), encoding="utf-8")
    run("bench", "--system", f"replay:{folder}/recorded.json", "-o", folder / "new.jsonl")
    run("report", folder / "old.jsonl", "-o", folder / "legal.html")
    mark_uncertain(folder / "old.jsonl", folder / "marked.jsonl", lambda item, _: item in UNCERTAIN)
    mark_uncertain(folder / "new.jsonl", folder / "newer.jsonl", lambda item, kind: kind == "fact_exact")
    run("report", folder / "marked.jsonl", "-o", folder / "uncertain.html")
    run("compare", *(folder / f"{name}.jsonl" for name in ("marked", "newer")), *FALLING, "-o", folder / "rise.html")
    run("report", folder / "old.jsonl", folder / "new.jsonl", "-o", folder / "compare.html")
    run("retrieval", data / "qrels.txt", *(data / f"run_{name}.txt" for name in "abc"), "-o", folder / "retrieval.html")
    for name in "ab":
        evaluate_answers(data / f"answers_{name}.jsonl", keep=True).save(folder / f"answers_{name}.jsonl")
    run("report", folder / "answers_a.jsonl", folder / "answers_b.jsonl", "-o", folder / "answers.html", lang="zh")
    return folder


def run(*words, lang="en"):
    assert main([*map(str, words), "--lang", lang]) == 0


def reworded(path):
    """The recorded answers of another system: one is reworded, one invents something, the rest are the same."""
    table = load(path)
    records = []
    for identifier, output in zip(table.ids, table.outputs, strict=True):
        record = {key: value for key, value in output.items() if key not in ("question", "seconds", "verdict")}
        if identifier == ITEM:
            record["answer"] = "材料前后矛盾，无法确定：乙方提供冷藏车5台，冷藏车数量合计4台。"
        if identifier == "contract_gap_005":
            record["answer"] += "王小明支付了88,000元。"
        records.append({"id": identifier, **record})
    return {"system": "reworded", "answers": records}


@pytest.fixture
def at(opened, made):
    """A function that opens a page by name, ready to be used."""

    def open_page(name, **settings):
        page = opened(made / f"{name}.html", **settings)
        page.wait_for_selector("html[data-ready]")
        return page

    return open_page


def rows(page):
    return page.locator(".list-space .list-row")


def shown(page):
    return page.locator("#shown").text_content().split(" ")[0]


def control(page, name):
    return page.locator(f"label.control:has(> span:text-is('{name}'))").locator("select, input")


def test_the_headline_says_how_good_it_is(at, made):
    page, table = at("legal"), load(made / "old.jsonl")
    interval, counts = table.summary().metrics["legal"].interval, refusals(table).counts
    assert page.locator("h1").text_content() == "baseline"
    assert page.locator(".large").text_content() == f"{np.mean(table.column('legal')):.4f}"
    assert f"[{interval.low:.4f}, {interval.high:.4f}]" in page.locator(".score-line").text_content()
    assert page.locator(".large").bounding_box()["y"] < 300
    answerable = [counts.answered, counts.over_refused]
    unanswerable = [counts.missed, counts.refused]
    assert page.locator(".matrix tbody td").all_text_contents() == [str(each) for each in answerable + unanswerable]


def test_a_comparison_says_better_or_not_in_words(at):
    verdict = at("compare").locator(".verdict").text_content()
    assert "On these 4 documents: " in verdict
    assert "For other documents of this kind: cannot tell with 4 documents; " in verdict


def test_three_results_are_a_leaderboard(at):
    page = at("retrieval")
    assert page.locator("h1").text_content() == "nDCG@10 of 3 systems"
    names = page.locator(".board tbody th").all_text_contents()
    assert names == ["run_a", "run_c", "run_b"]
    lines = page.locator(".board tbody tr").all_text_contents()
    assert "baseline" in lines[0]
    assert all("▼" in line and "-0.2" in line for line in lines[1:])
    # the dots are on one axis, the best on the right
    places = [dot.bounding_box()["x"] for dot in page.locator(".board circle").all()]
    assert places == sorted(places, reverse=True)
    assert page.locator("details:not([open])").count() >= 3
    page.locator("summary", has_text="run_b").click()
    assert page.get_by_text("run_b against run_a").is_visible()


@pytest.mark.parametrize(("name", "charts"), [("legal", 6), ("compare", 9), ("retrieval", 13), ("answers", 4)])
def test_charts_have_names_and_are_drawn_once_in_each_language(at, name, charts):
    page = at(name)
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    drawn = page.locator(".drawing:visible")
    assert drawn.count() == charts
    assert all(each.locator("svg").bounding_box()["width"] > 200 for each in drawn.all())
    assert all(each.locator("[role=img]").get_attribute("aria-labelledby") for each in drawn.all())
    page.click("#language-switch")
    assert page.locator(".drawing:visible").count() == charts


@pytest.mark.parametrize("name", ["compare", "retrieval", "answers"])
def test_charts_are_whole_at_1280(at, name):
    page = at(name)
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    cut = "[...document.querySelectorAll('.drawing')].filter((each) => each.scrollWidth > each.clientWidth + 1).length"
    assert page.evaluate(cut) == 0


def test_what_can_be_scrolled_has_a_shadow_at_its_edge(at):
    board = at("retrieval", width=390, height=844).locator(".scroll").first
    assert board.evaluate("(each) => each.scrollWidth > each.clientWidth")
    # the shadows stay at the edges, what covers them where nothing is beyond moves with the table
    assert board.evaluate("(each) => getComputedStyle(each).backgroundAttachment") == "local, local, scroll, scroll"


def test_the_theme_button_says_what_it_does(at):
    page = at("answers")
    button = page.locator("#theme-switch")
    assert button.inner_text() == "深色"
    button.click()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert button.inner_text() == "浅色"


def test_items_are_searched_filtered_and_sorted(at):
    page = at("legal")
    assert shown(page) == "165"
    page.fill("#search", "冷藏车")
    assert 0 < int(shown(page)) < 20
    assert all("冷藏车" in text for text in page.locator(".list-space .c-question").all_text_contents()[:3])
    page.fill("#search", "")
    control(page, "type").select_option(label="exact facts")
    assert shown(page) == "83"
    control(page, "score from").fill("1")
    found = int(shown(page))
    assert 0 < found < 83
    assert set(page.locator(".list-space .c-score").all_text_contents()) == {"1.000"}
    control(page, "score from").fill("")
    control(page, "type").select_option(label="all")
    page.click("[data-key=score] .sort")
    assert page.locator("[data-key=score]").get_attribute("aria-sort") == "descending"
    assert rows(page).first.locator(".c-score").text_content() == "1.000"
    page.click("[data-key=id] .sort")
    assert rows(page).first.locator(".row-id").text_content() == "contract_evidence_001"


def test_uncertain_items_have_a_tile_a_filter_and_a_reason(at):
    page = at("uncertain")
    tile = page.locator(".uncertain").text_content()
    assert "1.8 %" in tile
    assert "3 / 165" in tile
    assert re.search(r"the mean would be between 0\.\d+ and 0\.\d+", tile)
    control(page, "uncertain items").select_option("only these")
    assert shown(page) == "3"
    assert page.locator(".list-space .c-why .chip").all_text_contents() == ["uncertain"] * 3
    assert set(page.locator(".list-space .row-id").all_text_contents()) == set(UNCERTAIN)
    control(page, "uncertain items").select_option("without these")
    assert shown(page) == "162"
    control(page, "uncertain items").select_option("only these")
    rows(page).first.click()
    page.wait_for_selector("dialog[open]")
    assert REASON in page.locator(".reasons").text_content()
    page.keyboard.press("Escape")
    page.click("#language-switch")
    assert "存疑条目" in page.locator(".uncertain").text_content()
    assert re.search(r"均值为 0\.\d+ 至 0\.\d+", page.locator(".uncertain").text_content())
    assert rows(page).first.locator(".c-why .chip").text_content() == "存疑"
    assert control(page, "存疑条目").locator("option").all_text_contents() == ["全部", "只看存疑", "不含存疑"]


def test_that_an_item_is_certain_is_not_said(at):
    page = at("uncertain")
    page.evaluate(f"location.hash = '#item/{ITEM}'")
    page.wait_for_selector("dialog[open]")
    assert "uncertain" not in page.locator(".reasons").text_content()


def test_more_uncertain_items_are_worse(at):
    page = at("rise")
    assert "worse" in page.locator(".verdict").text_content()
    control(page, "changed since").select_option("worse")
    assert int(shown(page)) > 70
    assert set(page.locator(".list-space .c-change .bad").all_text_contents()) == {"+1.000"}
    control(page, "changed since").select_option("better")
    assert shown(page) == "1"  # a gap, which is not among the facts
    assert page.locator(".list-space .c-change .good").text_content() == "−1.000"


def test_only_rows_in_sight_are_in_the_page(at):
    page = at("legal")
    assert rows(page).count() < 40
    page.locator(".list-grid").evaluate("(grid) => { grid.scrollTop = grid.scrollHeight; }")
    page.wait_for_selector("#row-164")
    assert page.locator("#row-0").count() == 0


def test_ten_thousand_items_are_as_quick_as_ten(opened, tmp_path):
    letters = [chr(0x4E00 + number) for number in range(3000)]
    said = ["".join(letters[(row * 31 + place * place) % 3000] for place in range(200)) for row in range(10_000)]
    outputs = [{"question": f"问{row}", "answer": text} for row, text in enumerate(said)]
    scores = {"F1": np.arange(10_000) / 10_000}
    table = table_of(ids=[f"item-{row}" for row in range(10_000)], columns=scores, name="large", outputs=outputs)
    path = tmp_path / "large.html"
    path.write_text(render_html(Report([table])), encoding="utf-8")
    assert path.stat().st_size < 15_000_000
    page = opened(path)
    page.wait_for_selector("html[data-ready]")
    assert shown(page) == "10,000"
    page.fill("#search", "item-9999")
    assert shown(page) == "1"
    page.fill("#search", "")
    assert rows(page).count() < 40
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert rows(page).count() == 300
    assert page.locator(".list-rest").text_content() == "… +9,700"


def test_an_item_shows_its_passage_on_the_page(at):
    page = at("legal")
    page.fill("#search", ITEM)
    rows(page).first.click()
    page.wait_for_selector("dialog[open]")
    assert page.url.endswith(f"#item/{ITEM}?q={ITEM}")
    text = page.locator(".page-text")
    assert text.get_attribute("data-page") == "2"
    assert "".join(text.locator("mark.expected").all_text_contents()) == "乙方提供冷藏车5台"
    assert text.locator("mark.cited").first.is_visible()
    assert page.locator(".answer-text mark.quote").first.text_content() == "乙方提供冷藏车5台"
    page.locator(".asked .passage button", has_text="page 4").click()
    assert text.locator("mark.expected").text_content() == "冷藏车数量合计4台"
    reasons = page.locator(".reasons").text_content()
    assert "nothing in the answer states that the item is absent or unknown" in reasons
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")
    page.wait_for_function("(hash) => location.hash === hash", arg=f"#list?q={ITEM}")
    page.get_by_role("button", name="clear the filters").click()
    page.wait_for_function("location.hash === ''")


def test_what_was_invented_is_marked(at):
    page = at("compare")
    page.evaluate("location.hash = '#item/contract_gap_005'")
    page.wait_for_selector("dialog[open]")
    marked = page.locator(".answer").nth(1).locator(".answer-text mark.invented").all_text_contents()
    assert "88,000元" in "".join(marked)
    assert page.locator(".answer").nth(0).locator("mark.invented").count() == 0


def test_two_answers_stand_side_by_side_with_their_differences(at):
    page = at("compare")
    control(page, "changed since").select_option("changed")
    assert shown(page) == "1"
    control(page, "changed since").select_option("better")
    assert shown(page) == "1"
    rows(page).first.click()
    old, new = (page.locator(".answer").nth(place) for place in (0, 1))
    assert old.bounding_box()["x"] < new.bounding_box()["x"]
    assert abs(old.bounding_box()["y"] - new.bounding_box()["y"]) < 2
    assert "材料前后矛盾，无法确定：" in "".join(new.locator("mark.added").all_text_contents())
    assert "温度记录仪24个" in "".join(old.locator("mark.removed").all_text_contents())
    assert "乙方提供冷藏车5台" not in "".join(old.locator("mark.removed").all_text_contents())
    assert re.search(r"0\.20\s*→\s*1\.00", new.locator(".score").text_content())


def test_differences_are_words_or_characters_by_script(at):
    page = at("legal")
    marks = page.evaluate("Diff.marks('第2页称5台，the red car', '称5台，the blue car 𠀀')")
    assert marks == [[[0, 3, "removed"], [11, 14, "removed"]], [[8, 12, "added"], [16, 19, "added"]]]
    assert page.evaluate("Diff.marks('a '.repeat(9000), 'b '.repeat(9000))") is None


def test_any_result_can_be_set_against_the_first(at):
    page = at("retrieval")
    before = page.locator(".list-space .c-score").all_text_contents()
    control(page, "system, compared with the first").select_option(label="run_b")
    assert page.locator(".list-space .c-score").all_text_contents() != before
    control(page, "metric").select_option("RR")
    assert shown(page) == "40"


def test_the_keyboard_is_enough(at):
    page = at("legal")
    page.locator(".list-grid").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    assert page.locator(".list-row.active").get_attribute("id") == "row-164"
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog[open]")
    assert page.evaluate("document.activeElement.id") == "item-title"
    second = page.locator("#item-title").text_content()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("(was) => document.getElementById('item-title').textContent !== was", arg=second)
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("(was) => document.getElementById('item-title').textContent === was", arg=second)
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.className") == "list-grid"
    assert page.locator(".list-row.active").get_attribute("id") == "row-1"


def test_a_link_opens_its_item(opened, made):
    page = opened(f"{(made / 'legal.html').as_uri()}#item/deposition_fact_002")
    page.wait_for_selector("dialog[open]")
    assert page.locator("#item-title").text_content() == "deposition_fact_002"


def test_the_page_speaks_two_languages(at):
    page = at("answers")
    assert page.locator("#head-items").text_content() == "条目"
    page.evaluate("location.hash = '#item/zh-02'")
    page.wait_for_selector("dialog[open]")
    assert page.locator(".block h3").all_text_contents()[0] == "问题"
    page.keyboard.press("Escape")
    page.click("#language-switch")
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("#head-items").text_content() == "items"
    assert control(page, "search").count() == 1
    legal = at("legal")
    legal.click("#language-switch")
    legal.evaluate(f"location.hash = '#item/{ITEM}'")
    legal.wait_for_selector("dialog[open]")
    assert "回答没有表明所问事项未载明或不知道" in legal.locator(".reasons").text_content()


def test_why_a_score_is_missing_is_said_in_the_language_of_the_page(opened, tmp_path):
    table = evaluate_answers(["x", "y"], [["x"], []], ["EM"])
    (tmp_path / "page.html").write_text(render_html(Report([table])), encoding="utf-8")
    page = opened(f"{(tmp_path / 'page.html').as_uri()}#item/{table.ids[1]}")
    page.wait_for_selector("dialog[open]")
    assert "there is no reference" in page.locator("dialog .reasons").text_content()
    page.keyboard.press("Escape")
    page.click("#language-switch")
    page.evaluate(f"location.hash = '#item/{table.ids[1]}'")
    page.wait_for_selector("dialog[open]")
    assert "没有参考答案" in page.locator("dialog .reasons").text_content()


def test_themes_change_the_colours(at):
    page = at("legal", color_scheme="light")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.click("#theme-switch")
    assert page.evaluate(paper) != light
    assert at("legal", color_scheme="dark").evaluate(paper) == page.evaluate(paper)


@pytest.mark.parametrize("name", ["legal", "uncertain", "compare", "rise", "retrieval", "answers"])
def test_a_phone_does_not_scroll_sideways(at, name):
    page = at(name, width=390, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    rows(page).first.click()
    page.wait_for_selector("dialog[open]")
    body = page.locator(".item-body")
    assert body.evaluate("(body) => body.scrollWidth <= body.clientWidth")


@pytest.mark.parametrize("name", ["legal", "compare", "retrieval", "answers"])
def test_text_in_charts_is_legible_on_a_phone(at, name):
    page = at(name, width=390, height=844)
    sizes = page.evaluate("""[...document.querySelectorAll(".drawing text")].map((text) => {
        const { a, b } = text.getScreenCTM();
        return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(a, b);
    })""")
    assert len(sizes) > 20
    assert min(sizes) >= 11


def test_paper_has_all_tables_and_no_controls(at):
    page = at("legal", color_scheme="dark")
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert not page.locator("#filters").is_visible()
    assert page.locator(".grouping:visible").count() == page.locator(".grouping").count()
    assert rows(page).count() == 165
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.emulate_media(media="screen")
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert rows(page).count() < 165


@pytest.mark.parametrize(
    ("name", "theme"), [("legal", "light"), ("uncertain", "dark"), ("compare", "dark"), ("retrieval", "light")]
)
def test_everybody_can_use_it(at, accessible, name, theme):
    page = at(name, color_scheme=theme)
    accessible(page)
    rows(page).first.click()
    page.wait_for_selector("dialog[open]")
    accessible(page)


def test_hostile_words_change_nothing(opened, tmp_path):
    old, new = hostile_table(f"old{CLOSING}{HANDLER}"), hostile_table(f"new{BROKEN}", shift=0.2)
    document = Document(CLOSING, (Page(1, "".join(WORDS), ()),), "")
    path = tmp_path / "hostile.html"
    report = Report([old, new], compare_all([new], old))
    path.write_text(render_html(report, "en", {CLOSING: document}), encoding="utf-8")
    page = opened(path)
    page.wait_for_selector("html[data-ready]")
    for place in range(len(old)):
        rows(page).nth(place).click()
        page.wait_for_selector("dialog[open]")
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog[open]", state="detached")
    assert page.evaluate("window.attacked") is None
    assert page.evaluate("document.querySelectorAll('main img, main script, svg [onload]').length") == 0
    assert "<script>" in page.locator(".list-space").text_content()
    assert "49" not in page.locator("h1").text_content()


def test_a_long_answer_is_shortened_until_asked_for(opened, tmp_path):
    path = tmp_path / "long.html"
    path.write_text(render_html(Report([hostile_table("one")])), encoding="utf-8")
    page = opened(path)
    page.wait_for_selector("html[data-ready]")
    page.evaluate("location.hash = '#item/5long'")
    page.wait_for_selector("dialog[open]")
    box = page.locator(".answer-text")
    assert len(box.text_content()) < 3000
    box.locator("button").click()
    assert len(box.text_content()) == len(LONG)


@pytest.mark.parametrize(("language", "word"), [("en", "answer"), ("zh", "答话")])
def test_who_speaks_is_said_in_the_language_of_the_page(at, language, word):
    page = at("legal")
    if language == "zh":
        page.click("#language-switch")
    page.evaluate("location.hash = '#item/interrogation_fact_001'")
    page.wait_for_selector("dialog[open]")
    assert f" · {word}" in page.locator(".passage .said").all_text_contents()
