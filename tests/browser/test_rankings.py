"""Rankings on a page in a real browser: the documents of every system side by side, with grades and moves."""

import json

import pytest
from browser.hostile import CLOSING, HANDLER

from steelyard import evaluate_retrieval, report
from steelyard.cli import main

pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]

QRELS = {"q1": {"a": 2, "b": 0, "c": 1, "far": 1, "never": 2}, "q2": {"a": 1}, "q3": {"b": 1}}
OLD = {"q1": {"b": 9, "a": 8, "x": 7}, "q2": {"a": 1}, "q3": {"b": 2, "a": 1}}
FILLER = {f"f{n:02}": 50 - n for n in range(25)}
NEW = {"q1": {"a": 99, "c": 98, "b": 97, **FILLER, "far": 1}, "q2": {"b": 2, "a": 1}}
TEXTS = {
    "a": {"title": "Lease of the hall", "text": "The tenant pays 5,000 yuan."},
    "b": {"title": "", "text": "二号合同"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("rankings")
    (made / "qrels.json").write_text(json.dumps(QRELS))
    for name, run in (("old", OLD), ("new", NEW)):
        (made / f"{name}.json").write_text(json.dumps(run))
    topic = '<topic number="q1"><query>rent of the hall</query><question>How much is it?</question></topic>'
    (made / "topics.xml").write_text(f"<topics>{topic}</topics>")
    (made / "corpus.jsonl").write_text("".join(json.dumps({"_id": k, **v}) + "\n" for k, v in TEXTS.items()))
    texts = ["--queries", str(made / "topics.xml"), "--docs", str(made / "corpus.jsonl")]
    files = [str(made / f"{name}.json") for name in ("qrels", "old", "new")]
    assert main(["retrieval", *files, *texts, "-m", "nDCG@10,AP", "-o", str(made / "two.html"), "--lang", "en"]) == 0
    assert main(["retrieval", *files[:2], "-m", "nDCG@10,AP", "-o", str(made / "one.html"), "--lang", "en"]) == 0
    return made


@pytest.fixture
def at(opened, folder):
    def open_page(name, item="", **settings):
        page = opened(folder / f"{name}.html", **settings)
        page.wait_for_selector("html[data-ready]")
        if item:
            page.evaluate("(item) => { location.hash = `#item/${item}`; }", item)
            page.wait_for_selector("dialog[open]")
        return page

    return open_page


def rows(page, system):
    return page.locator(".ranking").nth(system).locator("ol > li").all_inner_texts()


def cells(text):
    return [cell for cell in text.split("\n") if cell]


def test_a_topic_is_listed_by_its_title_with_its_description_below(at):
    page = at("two")
    item = page.locator(".changed li", has_text="rent of the hall")
    assert item.locator("a").text_content() == "rent of the hall"
    assert item.locator(".below").text_content() == "q1 · How much is it?"
    assert item.locator("div").bounding_box()["width"] > 900, "nothing stands beside it"
    row = page.locator(".list-row", has_text="rent of the hall")
    assert row.locator(".row-question").text_content() == "rent of the hall"
    assert row.locator(".row-answer").first.text_content() == "How much is it?"


def test_the_query_is_above_the_documents_of_every_system(at):
    page = at("two", "q1")
    assert page.locator("dialog .question").inner_text() == "rent of the hall"
    assert "How much is it?" in page.locator("dialog .asked").inner_text()
    assert page.locator(".ranking h3").all_inner_texts() == ["old", "new"]
    assert len(rows(page, 0)) == 3
    assert len(rows(page, 1)) == 20
    assert "1 of 4 relevant in the first 20" in page.locator(".ranking").first.inner_text()


def test_documents_have_grades_titles_and_moves(at):
    page = at("two", "q1")
    assert cells(rows(page, 0)[1])[:4] == ["2", "2", "Lease of the hall", "The tenant pays 5,000 yuan."]
    assert cells(rows(page, 0)[2]) == ["3", "unjudged", "x"]
    first, second, third, *_ = (cells(text) for text in rows(page, 1))
    assert (first[1], first[-1]) == ("2", "↑ 1")
    assert (second[1], second[2], second[-1]) == ("1", "c", "new")
    assert (third[1], third[-1]) == ("0", "↓ 2")
    tones = [page.locator(".ranking").nth(1).locator(".move").nth(n).get_attribute("class") for n in range(3)]
    assert ["good" in tones[0], "good" in tones[1], "muted" in tones[2]] == [True] * 3


def test_what_was_missed_or_left_the_first_is_listed(at):
    page = at("two", "q1")
    new = page.locator(".ranking").nth(1)
    assert new.locator("summary").all_inner_texts() == [
        "Left the first 20 (1)",
        "Relevant, not in the first 20 (2)",
    ]
    for each in new.locator("summary").all():
        each.click()
    gone, missed = (details.locator("li").all_inner_texts() for details in new.locator("details").all())
    assert [cells(text) for text in gone] == [["unjudged", "x", "3 → –"]]
    assert [cells(text) for text in missed] == [["2", "never", "not retrieved"], ["1", "far", "rank 29"]]


def test_a_query_that_a_system_has_no_documents_for_says_so(at):
    page = at("two", "q3")
    assert "no document was retrieved" in page.locator(".ranking").nth(1).inner_text()


def test_queries_are_listed_by_their_text_and_found_by_it(at):
    page = at("two")
    page.fill("#search", "rent of")
    assert page.locator(".list-space .list-row").count() == 1


def test_a_page_without_texts_has_ids(at):
    page = at("one", "q1")
    assert [cells(text) for text in rows(page, 0)] == [["1", "0", "b"], ["2", "2", "a"], ["3", "unjudged", "x"]]
    assert page.locator("dialog ol .move").count() == 0


def test_the_language_of_the_page_is_that_of_the_rankings(at):
    page = at("two", "q1")
    page.evaluate("document.getElementById('language-switch').click()")
    assert "未标注" in rows(page, 0)[2]
    assert "查询" in page.locator("dialog .asked h3").first.inner_text()


def test_columns_scroll_on_a_phone_and_the_page_does_not(at):
    page = at("two", "q1", width=390, height=844)
    body = page.locator(".item-body")
    assert body.evaluate("(body) => body.scrollWidth <= body.clientWidth")
    assert page.locator(".rankings").evaluate("(each) => each.scrollWidth > each.clientWidth")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everybody_can_use_it(at, accessible, theme):
    accessible(at("two", "q1", color_scheme=theme))


def test_hostile_titles_change_nothing(opened, tmp_path):
    hostile = f"{CLOSING}{HANDLER}"
    qrels, run = {"q": {hostile: 1, "b": 0}}, {"q": {hostile: 2.0, "b": 1.0}}
    docs = {hostile: {"title": hostile, "text": hostile}}
    tables = [
        evaluate_retrieval(qrels, run, ["AP", "P@1"], queries={"q": hostile}, docs=docs, name=f"{name}{hostile}")
        for name in ("old", "new")
    ]
    report(tables, tmp_path / "hostile.html")
    page = opened(tmp_path / "hostile.html")
    page.wait_for_selector("html[data-ready]")
    page.evaluate("location.hash = '#item/q'")
    page.wait_for_selector("dialog[open]")
    assert page.locator(".ranking").first.locator("li .said.strong").first.text_content() == hostile
    assert page.evaluate("window.broken") is None
