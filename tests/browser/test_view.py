"""The viewer in a real browser: list, search, choose, compare, and names that would like to be markup."""

import re

import pytest
from web.folders import put, table
from web.serving import serving

from steelyard.web.rendering import OPEN, report_pages

pytestmark = pytest.mark.slow

HOSTILE = "</script><script>window.hurt=1</script><img src=x onerror='window.hurt=2'>\u202egnp\0" + "长" * 500


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("results")
    for number in range(12):
        scores = [(row * 7 + number) % 10 / 10 for row in range(20)]
        put(place / "nightly" / f"run-{number}.jsonl", table(f"system v{number}", scores=scores), age=number)
    put(place / "legal.jsonl", table("法律助手", kind="legal", metrics=("legal",)), age=20)
    put(place / "<b>hostile.jsonl", table(HOSTILE, failures={0: HOSTILE}), age=30)
    (place / "broken.jsonl").write_text("{<img src=x>\n")
    return place


@pytest.fixture(scope="module")
def address(folder):
    with serving(folder, render=report_pages(folder, OPEN)) as server:
        yield server.address


@pytest.fixture
def page(opened, address):
    def visit(path="", **settings):
        shown = opened(address + path, allowed=(address, "data:", "blob:"), **settings)
        shown.wait_for_selector("h1")
        return shown

    return visit


def names(shown):
    return shown.locator("#results tbody tr td:nth-child(2) a").all_inner_texts()


def test_the_list_shows_every_result(page):
    shown = page()
    assert shown.locator("#results tbody tr").count() == 14
    assert names(shown)[1:4] == ["法律助手", "system v11", "system v10"]
    assert shown.locator("#shown").inner_text() == "14 / 14"
    assert "broken.jsonl" in shown.locator(".broken").inner_text()


def test_search_and_filter(page):
    shown = page()
    shown.get_by_label("search").fill("V1 nightly")
    assert names(shown) == ["system v11", "system v10", "system v1"]
    shown.get_by_label("search").fill("")
    shown.get_by_label("kind").select_option("legal")
    assert names(shown) == ["法律助手"]
    assert shown.locator("#shown").inner_text() == "1 / 14"


def test_sort_by_name_and_back(page):
    shown = page()
    shown.get_by_label("search").fill("system")
    head = shown.locator("#results th[data-key=name]")
    head.get_by_role("button").click()
    assert names(shown)[:3] == ["system v0", "system v1", "system v2"]
    assert head.get_attribute("aria-sort") == "ascending"
    shown.keyboard.press("Enter")  # the button that was pressed keeps the focus
    assert names(shown)[0] == "system v11"
    assert head.get_attribute("aria-sort") == "descending"


def test_open_a_result_and_come_back(page):
    shown = page()
    shown.get_by_role("link", name="system v3", exact=True).click()
    shown.wait_for_url(re.compile("/result/"))
    assert "system v3" in shown.locator("h1").inner_text()
    shown.get_by_role("link", name="all results").click()
    assert shown.locator("#results tbody tr").count() == 14


def test_compare_two(page):
    shown = page()
    button = shown.get_by_role("button", name="compare the two selected")
    assert button.is_disabled()
    for name in ("system v9", "system v5", "system v2"):  # the two chosen last are kept
        shown.get_by_role("checkbox", name=name).check()
    assert not shown.get_by_role("checkbox", name="system v9").is_checked()
    shown.get_by_role("button", name="compare: system v5 → system v2").click()
    shown.wait_for_url(re.compile("/compare/"))
    text = shown.locator("main").inner_text()
    assert text.index("system v5") < text.index("system v2")  # the one chosen first is what the other is compared with


def test_what_does_not_compare_says_why(page, opened):
    shown = page()
    shown.get_by_role("checkbox", name="法律助手").check()
    shown.get_by_role("checkbox", name="system v5").check()
    shown.locator("#compare").click()
    shown.wait_for_url(re.compile("/compare/"))
    assert "they are not comparable" in shown.locator("main").inner_text()
    # a browser reports the status of a page like that of a missing picture
    (complaint,) = opened.complaints
    assert "409" in complaint
    opened.complaints.clear()


def test_history(page, accessible):
    shown = page("history")
    assert shown.locator("tbody tr").count() == 1
    shown.locator("tbody a").first.click()
    shown.wait_for_url(re.compile("/history/"))
    assert shown.locator("tbody tr").count() == 13
    assert shown.locator("svg").count() in (0, 2)  # none without the package that draws
    assert shown.locator("time").first.inner_text().strip()
    accessible(shown)


def test_language_and_theme(page):
    shown = page()
    shown.locator("#language-switch").click()
    assert shown.locator("h1").inner_text() == "全部结果"
    assert shown.locator("#results th[data-key=errors]").inner_text() == "出错"
    shown.locator("#theme-switch").click()
    assert shown.locator("html").get_attribute("data-theme") == "dark"
    shown.get_by_role("link", name="历次走势", exact=True).click()  # the next page speaks it too
    assert shown.locator("html").get_attribute("lang") == "zh-CN"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["", "history"])
def test_axe_finds_nothing(page, accessible, path, scheme):
    accessible(page(path, color_scheme=scheme))


def test_a_message_is_accessible(page, accessible, opened):
    accessible(page("nothing"))
    assert all("404" in complaint for complaint in opened.complaints)
    opened.complaints.clear()


@pytest.mark.parametrize("path", ["", "history"])
def test_a_phone_does_not_scroll_sideways(page, path):
    shown = page(path, width=390, height=800)
    assert shown.evaluate("document.documentElement.scrollWidth") == 390
    assert shown.locator("tbody tr").first.is_visible()


def test_hostile_names_are_text(page):
    shown = page()
    assert "<script>window.hurt=1</script>" in names(shown)[0]
    shown.locator("#results tbody a").first.click()
    shown.wait_for_url(re.compile("/result/"))
    assert shown.evaluate("window.hurt") is None
    assert shown.locator("main img").count() == 0
