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
    put(place / "other.jsonl", table("other questions", questions="1111"), age=-1)
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
    assert shown.locator("#results tbody tr").count() == 15
    assert names(shown)[1:4] == ["法律助手", "system v11", "system v10"]
    assert shown.locator("#shown").inner_text() == "15 / 15"
    assert "broken.jsonl" in shown.locator(".broken").inner_text()


def test_search_and_filter(page):
    shown = page()
    shown.get_by_label("search").fill("V1 nightly")
    assert names(shown) == ["system v11", "system v10", "system v1"]
    shown.get_by_label("search").fill("")
    shown.get_by_label("kind").select_option("legal")
    assert names(shown) == ["法律助手"]
    assert shown.locator("#shown").inner_text() == "1 / 15"


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
    assert shown.locator("#results tbody tr").count() == 15


def test_compare_two(page):
    shown = page()
    button = shown.get_by_role("button", name="compare the two selected")
    assert button.is_disabled()
    for name in ("system v9", "system v5"):  # from the top of a list with the latest first
        shown.get_by_role("checkbox", name=name).check()
    third = shown.get_by_role("checkbox", name="system v2")
    assert third.is_disabled()
    assert third.get_attribute("title") == "two are selected: deselect one first"
    shown.get_by_role("button", name="compare: system v5 → system v9").click()
    shown.wait_for_url(re.compile("/compare/"))
    assert shown.locator("h1").inner_text() == "system v5 → system v9"


def test_compare_the_other_way(page):
    shown = page()
    for name in ("system v5", "system v9"):
        shown.get_by_role("checkbox", name=name).check()
    shown.get_by_role("button", name="swap the two").click()
    shown.get_by_role("button", name="compare: system v9 → system v5").click()
    shown.wait_for_url(re.compile("/compare/"))
    assert shown.locator("h1").inner_text() == "system v9 → system v5"


def test_results_of_one_file_are_compared_in_its_order(opened, tmp_path):
    put(tmp_path / "runs.jsonl", *(table(name, system=name) for name in ("first", "second")))
    with serving(tmp_path, render=report_pages(tmp_path, OPEN)) as server:
        shown = opened(server.address, allowed=(server.address,))
        for name in ("second", "first"):
            shown.get_by_role("checkbox", name=name).check()
        assert shown.locator("#compare").inner_text() == "Compare: first → second"


def test_results_of_two_kinds_are_not_offered_for_comparison(page):
    shown = page()
    legal = shown.get_by_role("checkbox", name="法律助手")
    shown.get_by_role("checkbox", name="system v5").check()
    assert legal.is_disabled()
    shown.get_by_label("search").fill("system")
    shown.get_by_label("search").fill("")
    assert legal.is_disabled(), "the rows are drawn again"
    shown.get_by_role("checkbox", name="system v5").uncheck()
    assert legal.is_enabled()


def test_what_does_not_compare_says_why(page, opened):
    shown = page()
    shown.get_by_role("checkbox", name="other questions").check()
    shown.get_by_role("checkbox", name="system v5").check()
    shown.locator("#compare").click()
    shown.wait_for_url(re.compile("/compare/"))
    assert "questions (0000 ≠ 1111)" in shown.locator("main").inner_text()
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


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Runs of two systems that say when they were made; their files have other times."""
    place = tmp_path_factory.mktemp("runs")
    for day, scores in enumerate(((0.4, 0.4), (0.6, 0.6), (0.5, 0.5)), 1):
        made = table(f"rag v{day}", system="rag", scores=scores, created=f"2026-03-0{day}T12:00:00Z")
        put(place / f"{day}.jsonl", made, age=10 - day)
    put(place / "other.jsonl", table("other", system="other", created="2026-02-01T12:00:00Z"), age=20)
    put(place / "old.jsonl", table("without a time", system="old"), age=1)
    return place


@pytest.fixture
def runs_page(opened, runs):
    with serving(runs, render=report_pages(runs, OPEN)) as server:

        def visit(path="", **settings):
            shown = opened(server.address + path, allowed=(server.address, "data:", "blob:"), **settings)
            shown.wait_for_selector("h1")
            return shown

        yield visit


def cell(shown, name, key):
    keys = [head.get_attribute("data-key") for head in shown.locator("#results th").all()]
    row = shown.locator("#results tbody tr", has=shown.get_by_role("link", name=name, exact=True))
    return row.locator("td").nth(keys.index(key) + 1)


def test_each_run_is_set_against_the_one_before(runs_page):
    shown = runs_page(timezone_id="UTC")
    assert names(shown)[:4] == ["rag v3", "rag v2", "rag v1", "other"], "by the times of the headers"
    assert cell(shown, "rag v3", "change").inner_text().split("\n")[0] == "−0.1000"
    assert cell(shown, "rag v2", "change").locator(".good").count() == 2, "both metrics"
    assert cell(shown, "rag v1", "change").inner_text() == "first run"
    assert cell(shown, "other", "change").inner_text() == "–"
    assert cell(shown, "rag v3", "time").inner_text() == "3 Mar 2026, 12:00"
    assert "time of the file" in cell(shown, "without a time", "time").inner_text()
    assert cell(shown, "rag v3", "runs").locator("polyline").get_attribute("points").count(",") == 3
    assert cell(shown, "rag v2", "runs").locator("polyline").get_attribute("points").count(",") == 2


def test_history_by_system(runs_page, accessible):
    shown = runs_page("history")
    assert shown.locator("tbody tr").count() == 1
    assert "rag" in shown.locator("tbody tr td").first.inner_text()
    assert shown.locator("tbody .sparkline polyline").count() == 1
    assert shown.locator("tbody .delta").inner_text() == "−0.1000"
    shown.locator("tbody a").first.click()
    shown.wait_for_url(re.compile("/history/"))
    assert shown.locator("tbody tr").first.locator(".delta").all_inner_texts() == ["−0.1000"] * 2
    accessible(shown)


def test_a_folder_without_earlier_runs_has_no_columns_about_them(opened, tmp_path):
    put(tmp_path / "one.jsonl", table("one", metrics=("F1", "EM", "Acc", "ROUGE-L")))
    with serving(tmp_path, render=report_pages(tmp_path, OPEN)) as server:
        shown = opened(server.address, allowed=(server.address,))
        shown.wait_for_selector("#results tbody tr")
        heads = [head.get_attribute("data-key") for head in shown.locator("#results th").all()]
        assert heads == ["name", "time", "items", "errors", "mean"]
        assert shown.locator("#results tbody tr").bounding_box()["height"] < 70, "two lines"


def test_an_empty_folder_says_which_command_makes_a_result(opened, accessible, tmp_path):
    folder = tmp_path / "my results"
    folder.mkdir()
    with serving(folder, render=report_pages(folder, OPEN)) as server:
        shown = opened(server.address, permissions=["clipboard-read", "clipboard-write"], allowed=(server.address,))
        shown.wait_for_selector(".empty")
        commands = shown.locator(".empty code").all_inner_texts()
        assert commands[0] == "steelyard bench --system builtin:baseline -o 'my results'/baseline.jsonl"
        shown.locator(".empty button").first.click()
        shown.locator(".empty button", has_text="copied").wait_for()
        assert shown.evaluate("navigator.clipboard.readText()") == commands[0]
        assert shown.locator("#results").count() == 0
        accessible(shown)
        shown.locator("#language-switch").click()
        assert "这个文件夹里还没有结果" in shown.locator(".empty").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_runs_are_accessible(runs_page, accessible, width, scheme):
    shown = runs_page(width=width, height=800, color_scheme=scheme)
    assert shown.evaluate("document.documentElement.scrollWidth") == width
    accessible(shown)
