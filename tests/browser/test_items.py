"""The list of items in a real browser: what a row says, filters in the address, and whole rows."""

import re

import numpy as np
import pytest
from tables import table_of

from steelyard.reports.content import Report
from steelyard.reports.render.html.report_html import render_html
from steelyard.table import Missing

pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]

COUNT = 60
TYPES = ("fact_exact", "conflict_gap", "a?b&c=d#e%")
REASON = "the answer says 5, not 4"


def result(name="first", shift=0.0):
    """A result with questions, answers, notes and tags, of which one has one value only."""
    scores = (np.arange(COUNT) / COUNT + shift).clip(0, 1)
    outputs = [{"question": f"Question {row}?", "answer": f"Answer {row}\nof {name}."} for row in range(COUNT)]
    tags = {"type": [TYPES[row % 3] for row in range(COUNT)], "document": ["one"] * COUNT, "q": ["x", "y"] * 30}
    notes = {"F1": dict.fromkeys(range(COUNT), REASON)}
    fields = {"name": name, "outputs": outputs, "tags": tags, "notes": notes}
    return table_of([f"i?{row}" for row in range(COUNT)], {"F1": scores}, **fields)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Pages of one result and of two, of scores only, and of a result with failures and gaps."""
    folder = tmp_path_factory.mktemp("items")
    bare = table_of(["a", "b"], {"F1": np.array([0.5, 0.5])}, name="bare")
    missing = {"status": {"F1": np.array([0] * (COUNT - 1) + [1])}, "reasons": [Missing("unscored", "no reference")]}
    scores = np.append(np.arange(COUNT - 1) / COUNT, np.nan)
    gaps = table_of(
        [f"i{row}" for row in range(COUNT)],
        {"F1": scores},
        failures={0: "HTTP 500"},
        outputs=result().outputs,
        **missing,
    )
    questions = ["What is the rent?", "What is the rent of the second hall, of which the lease begins in March? " * 2]
    ids = [questions[0], f"{questions[1][:80]}… 0d7e0ea832eea448"]
    outputs = [{"question": question, "answer": "5,000 yuan"} for question in questions]
    asked = table_of(ids, {"F1": np.array([0.0, 0.5])}, name="asked", outputs=outputs)
    reports = {
        "one": [result()],
        "two": [result(), result("second", 0.1)],
        "many": [result("first", 0.2), result("third"), result("best", 0.3), result("second", 0.1)],
        "bare": [bare],
        "gaps": [gaps],
        "asked": [asked],
    }
    for name, tables in reports.items():
        (folder / f"{name}.html").write_text(render_html(Report(tables)), encoding="utf-8")
    return folder


@pytest.fixture
def at(opened, pages):
    def open_page(name, hash_="", **settings):
        page = opened(f"{(pages / f'{name}.html').as_uri()}{hash_}", **settings)
        page.wait_for_selector("html[data-ready]")
        return page

    return open_page


def shown(page):
    return page.locator("#shown").text_content().split(" ")[0]


def control(page, name):
    return page.locator(f"label.control:has(> span:text-is('{name}'))").locator("select, input")


def first(page, part):
    return page.locator(f"#row-0 {part}").text_content()


def address(page):
    return page.evaluate("location.hash")


def test_a_row_says_what_was_asked_answered_and_why(at):
    page = at("one")
    assert first(page, ".row-question") == "Question 0?"
    assert first(page, ".row-answer") == "Answer 0 of first."
    assert first(page, ".c-why") == REASON
    assert first(page, ".row-id") == "i?0"
    assert first(page, ".row-tag") == "exact facts"
    assert first(page, ".c-score") == "0.000"


def test_two_results_have_before_after_and_the_change(at):
    page = at("two")
    page.click("[data-key=id] .sort")
    assert first(page, ".row-answer") == "Answer 0 of second."
    assert [first(page, f".c-{key}") for key in ("before", "score", "change")] == ["0.000", "0.100", "+0.100"]
    shown = page.locator("#row-0 .c-change .good").evaluate("(each) => getComputedStyle(each, '::before').content")
    assert shown == "none"  # ▲ and ▼ say that a mean differs significantly; an item has its sign


def test_of_many_results_the_best_is_set_against_the_first(at):
    page = at("many")
    assert control(page, "system, compared with the first").locator("option:checked").text_content() == "best"
    assert address(page) == ""


def test_an_id_that_is_the_question_is_not_repeated(at):
    page = at("asked")
    assert page.locator("[role=columnheader]").all_text_contents() == ["question and answer", "score"]
    assert page.locator(".worst li").first.inner_text().count("What is the rent?") == 1
    page.click("#row-0")
    assert page.locator("#item-title").text_content() == "What is the rent?"
    assert page.locator(".asked").text_content() == ""
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.getElementById('item-title').textContent.startsWith('What is the rent of')")
    assert "0d7e" not in page.locator("#item").text_content()
    assert at("one").locator("#row-0 .row-id").text_content() == "i?0"


def test_failures_and_missing_scores_say_why(at):
    page = at("gaps")
    page.click("[data-key=id] .sort")
    assert first(page, ".c-why .bad") == "HTTP 500"
    control(page, "state").select_option("unscored")
    assert first(page, ".c-why") == "no reference"


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (1280, 555), (390, 844), (844, 390)])
@pytest.mark.parametrize("name", ["one", "two", "bare"])
def test_the_list_ends_with_a_whole_row(at, name, width, height):
    page = at(name, width=width, height=height)
    rest, row = page.evaluate(
        """() => {
          const grid = document.querySelector(".list-grid");
          const row = parseFloat(getComputedStyle(grid).getPropertyValue("--row"));
          const sight = grid.clientHeight - document.querySelector(".list-head").offsetHeight;
          return [sight % row, row];
        }"""
    )
    assert rest < 0.01 or row - rest < 0.01
    heights = page.locator(".list-space .list-row").evaluate_all("(rows) => rows.map((each) => each.offsetHeight)")
    assert set(heights) == {row}
    overflowing = "(cells) => cells.filter((each) => each.scrollHeight > each.clientHeight + 4).length"
    assert page.locator(".list-space .list-row > *").evaluate_all(overflowing) == 0


def test_filters_with_one_value_are_not_shown(at):
    page = at("one")
    assert control(page, "type").count() == 1
    assert control(page, "document").count() == 0
    assert control(page, "state").count() == 0
    bare = at("bare")
    assert bare.locator("#filters label").count() == 1, "nothing but the search"


def test_the_filters_are_in_the_address(at):
    page = at("one")
    control(page, "type").select_option(label="exact facts")
    assert address(page) == "#list?type=fact_exact"
    page.type("#search", "question 3")
    control(page, "score from").fill("0.1")
    page.click("[data-key=score] .sort")
    assert address(page) == "#list?q=question+3&type=fact_exact&from=0.1&sort=-score"
    listed = page.locator(".list-space .row-id").all_text_contents()
    link = at("one", address(page))
    assert link.locator(".list-space .row-id").all_text_contents() == listed == ["i?39", "i?36", "i?33", "i?30"]
    assert link.input_value("#search") == "question 3"
    assert control(link, "type").locator("option:checked").text_content() == "exact facts"
    assert link.locator("#list").is_visible()
    assert link.evaluate("scrollY") > 0


def test_back_and_forward_walk_through_the_views(at):
    page = at("one")
    control(page, "type").select_option(label="exact facts")
    page.type("#search", "question 1")
    assert shown(page) == "3"
    page.go_back()
    page.wait_for_function("document.getElementById('search').value === ''")
    assert shown(page) == "20"
    page.go_back()
    page.wait_for_function("location.hash === ''")
    assert shown(page) == "60"
    assert control(page, "type").input_value() == ""
    page.go_forward()
    page.wait_for_function("location.hash === '#list?type=fact_exact'")
    assert shown(page) == "20"


def test_an_item_keeps_the_filters_and_next_walks_through_them(at):
    page = at("one")
    control(page, "type").select_option(label=TYPES[2])
    page.locator("#row-0").click()
    page.wait_for_selector("dialog[open]")
    link = address(page)
    assert link.startswith("#item/i%3F2?type=")
    other = at("one", link)
    other.wait_for_selector("dialog[open]")
    assert other.locator(".steps .digits").text_content() == "1 / 20"
    other.keyboard.press("ArrowRight")
    other.wait_for_function("document.getElementById('item-title').textContent.includes('i?5')")
    other.keyboard.press("Escape")
    other.wait_for_function("location.hash.startsWith('#list?type=')")
    assert shown(other) == "20"
    other.get_by_role("button", name="clear the filters").click()
    assert (shown(other), address(other)) == ("60", "")


def test_a_link_to_an_item_alone_keeps_what_is_chosen(at):
    page = at("one")
    control(page, "type").select_option(label="exact facts")
    page.evaluate("location.hash = '#item/i%3F3'")
    page.wait_for_selector("dialog[open]")
    page.wait_for_function("location.hash === '#item/i%3F3?type=fact_exact'")
    assert page.locator(".steps .digits").text_content() == "2 / 20"


@pytest.mark.parametrize(
    "hash_",
    ["#list?type=none&from=x&to=&sort=evil&state=1&metric=M&result=R&__proto__=1", "#list?%", "#item/%E0%A4%A", "#?"],
)
def test_an_address_that_says_nothing_known_changes_nothing(at, hash_):
    page = at("two", hash_)
    assert shown(page) == "60"
    assert page.locator("dialog[open]").count() == 0


def test_a_tag_called_like_a_filter_has_an_address_of_its_own(at):
    page = at("one")
    control(page, "q").select_option(label="y")
    assert address(page) == "#list?tag.q=y"
    assert shown(at("one", "#list?tag.q=y")) == "30"


def test_the_id_alone_is_an_address(at):
    page = at("two", "#i%3F7")
    page.wait_for_selector("dialog[open]")
    page.wait_for_function("location.hash === '#item/i%3F7'")


def test_nothing_found_is_said(at):
    page = at("one", "#list?q=nothing+of+this+kind")
    assert shown(page) == "0"
    assert page.locator(".list-none").text_content() == "No item matches the filters."


def test_a_phone_has_a_card_for_each_item(at):
    page = at("two", width=390, height=844)
    boxes = [
        page.locator(f"#row-0 {part}").bounding_box() for part in (".row-question", ".row-answer", ".c-why", ".c-score")
    ]
    assert all(box["width"] > 0 for box in boxes)
    assert [box["y"] for box in boxes] == sorted(box["y"] for box in boxes)
    assert page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("name", "width"), [("one", 1280), ("two", 390), ("gaps", 1280)])
def test_everybody_can_use_it(at, accessible, name, width, theme):
    page = at(name, "#list?q=question", width=width, color_scheme=theme)
    accessible(page)


def test_the_language_of_the_rows_changes(at):
    page = at("one")
    page.click("#language-switch")
    assert re.search(r"问题与回答", page.locator(".list-head").text_content())
    assert first(page, ".row-tag") == "事实型"
    assert page.get_by_role("button", name="清除筛选").count() == 0
    page.fill("#search", "zzz")
    assert page.locator(".list-none").text_content() == "没有符合筛选条件的条目。"
    assert page.get_by_role("button", name="清除筛选").count() == 1
