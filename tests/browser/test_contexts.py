"""Contexts beside answers in a real browser: what is marked, linked, folded and left out."""

import json
from pathlib import Path

import pytest
from browser.hostile import BIDI, BROKEN, CLOSING, HANDLER, SCRIPT
from web.folders import put
from web.serving import serving

from steelyard import evaluate_answers
from steelyard.reports.content import Report
from steelyard.reports.render.html.report_html import render_html
from steelyard.stats.compare import compare_all
from steelyard.web.rendering import OPEN, report_pages

pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]

FILLER = "Each delivery is inspected within two working days of its arrival. " * 12
AGREEMENT = f"The agreement was signed on 14 March 2021. {FILLER}The price was £42,000, payable in three instalments."
ANSWER = (
    "It was signed on 14 March 2021 [1]. The price was £42,000 [1, 2]. Peter Falk paid £9,750 [7]. "
    "It is “payable in three instalments” [doc1]."
)
ROW = {
    "id": "q1",
    "question": "What was the price?",
    "prediction": ANSWER,
    "references": ["£42,000"],
    "contexts": [
        {"id": "agreement", "text": AGREEMENT},
        {"id": "letter", "text": "Mary Johnson confirms the price of £42,000."},
        {"id": "minutes", "text": "Nothing was decided."},
    ],
    "reference_context_ids": ["agreement", "annex"],
}
OTHER = {
    **ROW,
    "prediction": "原告支付42,000元【1】，另付王小明9,999元。",
    "contexts": [{"id": "letter", "text": "原告张伟支付4.2万元。"}],
}
BARE = {"id": "q2", "question": "Bare?", "prediction": "42,000 [1]", "references": ["x"]}


def table_of_rows(name, *rows):
    return evaluate_answers(list(rows), None, ["F1", "ValuesGrounded"], name=name, keep=True)


def rendered(results, lang):
    """The page of some results, each a name and its rows."""
    first, *others = (table_of_rows(name, *rows) for name, *rows in results)
    return render_html(Report([first, *others], compare_all(others, first) if others else []), lang)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A function that writes the page of some results, once for all tests that read the same one."""
    folder = tmp_path_factory.mktemp("contexts")
    known: dict[str, Path] = {}

    def file_of(results, lang):
        key = json.dumps([results, lang])
        if key not in known:
            known[key] = folder / f"{len(known)}.html"
            known[key].write_text(rendered(results, lang), encoding="utf-8")
        return known[key]

    return file_of


@pytest.fixture
def at(opened, files):
    """A function that opens an item on the page of some results, each a name and its rows."""

    def open_item(*results, item="q1", lang="en", **settings):
        path = files(results, lang)
        page = opened(f"{path.as_uri()}#item/{item}", **settings)
        page.wait_for_selector("html[data-ready]")
        page.wait_for_selector("dialog[open]")
        return page

    return open_item


def marks(page, kind, within=".answer-text"):
    return page.locator(f"{within} mark.{kind}").all_text_contents()


def test_values_of_the_answer_are_marked_by_verdict(at):
    page = at(("a", ROW, BARE))
    assert marks(page, "grounded") == ["14 March 2021", "£42,000", "payable in three instalments"]
    assert marks(page, "ungrounded") == ["Peter Falk", "£9,750"]
    assert marks(page, "void") == ["[7]"]
    assert page.locator(".answer .legend mark").all_text_contents() == [
        "grounded in the contexts",
        "not grounded",
        "cites no context that exists",
    ]
    titles = page.locator(".answer-text mark").evaluate_all("(all) => all.map((each) => each.title)")
    assert all(titles)


def test_verdicts_differ_by_the_shape_of_their_lines(at):
    page = at(("a", ROW, BARE))
    line = "(each) => { const s = getComputedStyle(each); return [s.borderBottomStyle, s.textDecorationStyle].join() }"
    kinds = ("grounded", "ungrounded", "void")
    assert len({page.locator(f".answer-text mark.{kind}").first.evaluate(line) for kind in kinds}) == len(kinds)


def test_each_context_has_a_number_an_id_a_size_and_whether_it_was_wanted(at):
    page = at(("a", ROW, BARE))
    heads = page.locator(".source .context-head").all_inner_texts()
    assert [" ".join(head.split()) for head in heads] == [
        f"1 agreement ✓ judged relevant {len(AGREEMENT):,} characters",
        "2 letter – not judged relevant 43 characters",
        "3 minutes – not judged relevant 20 characters",
    ]
    assert page.locator(".contexts .chip").all_text_contents() == ["annex"]
    assert marks(page, "holds", ".context:nth-child(2)") == ["£42,000"]


def test_a_long_context_is_folded_around_what_it_holds(at):
    page = at(("a", ROW, BARE))
    first = page.locator(".source .context").first
    assert marks(page, "holds", ".context:nth-child(1)") == ["14 March 2021", "£42,000", "payable in three instalments"]
    assert len(first.locator(".context-text").text_content()) < len(AGREEMENT) / 2
    first.get_by_role("button").click()
    assert first.locator(".context-text").text_content() == AGREEMENT


def test_what_a_context_holds_beyond_the_page_is_counted(at):
    text = f"It paid 42,000 yuan. {FILLER * 9}42,000 yuan."
    long = {**BARE, "prediction": "It paid 42,000 yuan.", "contexts": [text]}
    page = at(("a", ROW, long), item="q2")
    assert marks(page, "holds", ".context") == ["42,000 yuan"]
    assert page.locator(".context .note").all_inner_texts() == [
        f"{len(text) - 4000:,} more characters are not on this page",
        "Values of the answer in the part that is not on this page: 1",
    ]


def test_citations_lead_to_their_contexts(at):
    page = at(("a", ROW, BARE))
    links = page.locator(".answer-text button.cites")
    assert links.all_text_contents() == ["[1]", "1", "2", "[doc1]"]
    links.nth(2).click()
    assert page.evaluate("document.activeElement.querySelector('.context-id').textContent") == "letter"
    links.nth(0).focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.querySelector('.context-id').textContent") == "agreement"
    assert page.locator(".answer-text").text_content() == ANSWER


def test_compared_answers_have_their_own_contexts(at):
    page = at(("old", ROW, BARE), ("new", OTHER, BARE))
    sides = page.locator("article.answer")
    assert sides.nth(0).locator(".context-id").all_text_contents() == ["agreement", "letter", "minutes"]
    assert sides.nth(1).locator(".context-id").all_text_contents() == ["letter"]
    assert sides.nth(1).locator(".context-text mark.holds").all_text_contents() == ["4.2万元"]
    sides.nth(1).locator("button.cites").click()
    focused = "document.activeElement.closest('article.answer') === document.querySelectorAll('article.answer')[1]"
    assert page.evaluate(focused)


def test_an_item_without_contexts_has_no_pane(at):
    page = at(("a", ROW, BARE), item="q2")
    assert page.locator(".contexts").count() == page.locator(".source").count() == 0
    assert page.locator(".answer-text mark, .answer-text button").count() == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("width", "lang"), [(1280, "en"), (390, "zh")])
def test_contexts_are_accessible_and_fit(at, accessible, theme, width, lang):
    for tables in ([("a", ROW, BARE)], [("a", ROW, BARE), ("b", OTHER, BARE)]):
        page = at(*tables, lang=lang, width=width, color_scheme=theme)
        accessible(page)
        assert page.locator(".item-body").evaluate("(body) => body.scrollWidth - body.clientWidth") == 0
        assert ("上下文" if lang == "zh" else "Contexts") in page.locator(".contexts h3").first.inner_text()


def test_hostile_contexts_change_nothing_and_are_limited(at):
    words = [SCRIPT, CLOSING, HANDLER, BIDI, BROKEN]
    many = {
        "id": "q1",
        "question": SCRIPT,
        "prediction": f"42,000 yuan [1] [200] [201] [999] {''.join(words)}",
        "references": ["x"],
        "contexts": [{"id": f"{n}{words[n % 5]}", "text": words[n % 5] * 300} for n in range(300)],
        "reference_context_ids": [f"{n}{CLOSING}" for n in range(500)],
    }
    long = {**BARE, "contexts": ["长" * 500_000 + "a" * 500_000, BROKEN, "42,000"]}
    page = at(("a", many, long))
    assert page.locator(".context").count() == 200
    assert "100 more contexts" in page.locator(".contexts").inner_text()
    page.locator("button.cites", has_text="[200]").click()
    assert page.evaluate("document.activeElement.querySelector('.context-number').textContent") == "200"
    page.locator("button.cites", has_text="[201]").click()
    assert page.evaluate("window.attacked") is None
    assert page.locator("dialog img, dialog script").count() == 0
    page.evaluate("location.hash = '#item/q2'")
    page.wait_for_selector("#item-title:text-is('q2')")
    assert "1,000,000 characters" in page.locator(".context-head").first.inner_text()
    assert "996,000 more characters" in page.locator(".context").first.inner_text()
    assert "not highlighted" in page.locator(".answer").inner_text()


def test_the_viewer_shows_them_too(opened, tmp_path):
    put(tmp_path / "rag.jsonl", table_of_rows("rag", ROW, BARE))
    with serving(tmp_path, render=report_pages(tmp_path, OPEN)) as server:
        page = opened(server.address, allowed=(server.address, "data:", "blob:"))
        page.locator("#results tbody a", has_text="rag").first.click()
        page.wait_for_selector("html[data-ready]")
        page.evaluate("location.hash = '#item/q1'")
        page.wait_for_selector("dialog[open]")
        assert marks(page, "ungrounded") == ["Peter Falk", "£9,750"]
        assert page.locator(".context").count() == 3
