"""Reviews and live pages of the viewer in a real browser: accept, correct, see both, and watch a run grow."""

import json

import numpy as np
import pytest
from playwright.sync_api import expect
from tables import make_table
from web.folders import put
from web.serving import serving

from steelyard.io.reviews import read_review
from steelyard.web.rendering import OPEN, report_pages

pytestmark = pytest.mark.slow

HOSTILE = "</script><img src=x onerror='window.hurt=1'> 不符"
COUNT = 40


def result(name, scores):
    """A result with parts and answers."""
    parts = {"F1": {"exact": np.floor(scores), "passed": np.floor(scores)}}
    outputs = [{"question": f"question {number}", "answer": f"{name} {number}"} for number in range(len(scores))]
    names = [f"q{number}" for number in range(len(scores))]
    return make_table(name, {"F1": scores}, names, kind="answers", parts=parts, outputs=outputs)


@pytest.fixture
def folder(tmp_path):
    scores = np.arange(COUNT) % 3 / 2
    put(tmp_path / "old.jsonl", result("old", scores))
    put(tmp_path / "new.jsonl", result("new", 1 - scores), age=1)
    return tmp_path


@pytest.fixture
def server(folder):
    with serving(folder, render=report_pages(folder, OPEN)) as running:
        yield running


@pytest.fixture
def visit(opened, server):
    def visit(path, **settings):
        shown = opened(server.address + path, allowed=(server.address, "data:", "blob:"), **settings)
        shown.wait_for_selector("html[data-ready]")
        return shown

    return visit


def ids(server):
    return {entry.name: entry.id for entry in server.viewer.listed().entries}


def opened_item(page, name):
    page.evaluate(f"location.hash = 'item/{name}'")
    expect(page.locator("#item-title")).to_have_text(name)
    return page.locator(".review-panel")


def test_a_verdict_is_accepted(visit, server, folder, accessible):
    page = visit(f"result/{ids(server)['old']}")
    panel = opened_item(page, "q1")
    panel.get_by_role("button", name="accept").click()
    panel.get_by_label("comment").fill(HOSTILE)
    panel.get_by_label("reviewer").fill("李")
    accessible(page)
    panel.get_by_role("button", name="save").click()
    expect(page.locator(".review-state")).to_have_text("saved in old.review.jsonl")
    expect(page.locator(".answer .score .chip")).to_have_text("✓ agree (person)")
    (found,) = read_review(folder / "old.review.jsonl")
    assert (found.id, found.agree, found.remark, found.reviewer, found.score) == ("q1", True, HOSTILE, "李", None)
    page.reload()
    expect(page.locator(".review-panel textarea")).to_have_value(HOSTILE)
    expect(page.get_by_label("reviewer")).to_have_value("李")
    assert page.evaluate("window.hurt") is None


def test_a_score_and_its_parts_are_corrected(visit, server, folder):
    page = visit(f"result/{ids(server)['old']}", width=390)
    panel = opened_item(page, "q1")
    panel.get_by_role("button", name="correct").click()
    panel.locator("label", has_text="exact").locator("input").fill("1")
    panel.locator("label", has_text="passed").locator("input").check()
    panel.locator("label.review-row").last.locator("input").fill("0.9")
    panel.get_by_role("button", name="save").click()
    expect(page.locator(".answer .score")).to_contain_text("0.50")
    expect(page.locator(".answer .score .chip")).to_have_text("✗ corrected to 0.90")
    expect(page.locator("table.reasons tr.total")).to_contain_text("0.50 → 0.90")
    expect(page.locator("table.reasons tr", has_text="passed")).to_contain_text("no → yes")
    (found,) = read_review(folder / "old.review.jsonl")
    assert (found.agree, found.score, found.parts) == (False, 0.9, {"exact": 1.0, "passed": 1.0})
    page.get_by_role("button", name="close").click()
    page.reload()
    table = page.locator("table", has_text="mean after correction")
    expect(table.locator("tbody tr")).to_contain_text("1 / 40")
    assert "0.4875" in table.inner_text()
    assert "0.4975" in table.inner_text()


def test_what_is_refused_is_said_and_what_was_entered_stays(visit, opened, server, folder):
    page = visit(f"result/{ids(server)['old']}")
    panel = opened_item(page, "q1")
    panel.get_by_role("button", name="correct").click()
    panel.locator("label.review-row").last.locator("input").fill("7")
    panel.get_by_label("comment").fill("kept")
    with page.expect_response("**/review/*") as refused:
        panel.get_by_role("button", name="save").click()
    assert refused.value.status == 409
    expect(page.locator(".review-state")).to_have_text("not saved: a score lies between 0 and 1, not 7")
    page.evaluate("document.getElementById('language-switch').click()")
    opened_item(page, "q2")
    opened_item(page, "q1")
    expect(page.locator(".review-panel textarea")).to_have_value("kept")
    expect(page.locator(".review-panel h4")).to_contain_text("您的复核")
    assert not list(folder.glob("*.review.jsonl"))
    opened.complaints[:] = [each for each in opened.complaints if "409" not in each]  # the browser tells of it too


def test_both_results_of_a_comparison_are_reviewed(visit, server, folder):
    known = ids(server)
    page = visit(f"compare/{known['old']}/{known['new']}")
    panels = opened_item(page, "q2")
    assert panels.count() == 2
    for place, name in enumerate(("accept", "correct")):
        panels.nth(place).get_by_role("button", name=name).click()
    panels.nth(1).locator("label.review-row").last.locator("input").fill("0.25")
    for place, file in enumerate(("old", "new")):
        panels.nth(place).get_by_role("button", name="save").click()
        expect(panels.nth(place).locator(".review-state")).to_have_text(f"saved in {file}.review.jsonl")
    assert [read_review(folder / f"{name}.review.jsonl")[0].score for name in ("old", "new")] == [None, 0.25]


@pytest.fixture
def growing(folder):
    """Write so many items of a run, or all of them with the footer."""
    lines = put(folder / "run.jsonl", result("run", np.arange(COUNT) % 3 / 2)).read_text("utf-8").splitlines(True)
    head = json.dumps(json.loads(lines[0]) | {"items": COUNT}) + "\n"

    def write(count):
        kept = lines[1:] if count is None else lines[1 : count + 1]
        (folder / "run.jsonl").write_text(head + "".join(kept), "utf-8")

    write(10)
    return write


def items_shown(page):
    return page.locator("#shown")


def test_a_page_of_a_run_updates_itself_until_it_ends(visit, server, growing, accessible):
    page = visit(f"result/{ids(server)['run']}")
    expect(page.locator(".live")).to_have_text("This run is still being written: the page updates itself.")
    accessible(page)
    page.evaluate("window.sameDocument = true")
    page.get_by_role("button", name="中文").click()
    page.evaluate("window.scrollTo(0, 300)")
    growing(20)
    expect(items_shown(page)).to_contain_text("20 / 20", timeout=15_000)
    assert page.evaluate("[window.sameDocument, window.scrollY, document.documentElement.lang]") == [True, 300, "zh-CN"]
    expect(page.locator("#head-items")).to_have_text("条目")
    opened_item(page, "q1")
    growing(None)
    page.wait_for_timeout(3_000)
    expect(page.locator("#item-title")).to_have_text("q1")  # a reader is not interrupted
    page.get_by_role("button", name="关闭").click()
    expect(items_shown(page)).to_contain_text("40 / 40", timeout=15_000)
    expect(page.locator(".live")).to_have_text("运行已结束：页面已完整。")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(3_000)
    assert asked == []
    assert opened_item(page, "q39").count() == 1


def test_the_list_updates_itself_and_keeps_what_was_chosen(opened, server, growing):
    page = opened(server.address, allowed=(server.address, "data:", "blob:"))
    row = page.locator("#results tbody tr", has_text="run")
    expect(row.locator(".chip", has_text="unfinished")).to_be_visible()
    page.get_by_label("search").fill("r")
    row.get_by_role("checkbox").check()
    growing(None)
    expect(row.locator(".chip", has_text="unfinished")).to_have_count(0, timeout=15_000)
    expect(row.get_by_role("checkbox")).to_be_checked()
    expect(page.get_by_label("search")).to_have_value("r")
    expect(page.locator("#results tbody tr")).to_have_count(1)


def test_a_removed_file_leaves_the_last_state(opened, server, growing, folder):
    page = opened(f"{server.address}result/{ids(server)['run']}", allowed=(server.address, "data:", "blob:"))
    (folder / "run.jsonl").rename(folder / "run.gone")
    expect(page.locator(".live")).to_have_text("The results file is gone: this is its last state.", timeout=15_000)
    expect(items_shown(page)).to_contain_text("10 / 10")
    growing(20)
    expect(items_shown(page)).to_contain_text("20 / 20", timeout=15_000)
    opened.complaints[:] = [each for each in opened.complaints if "404" not in each]  # the browser tells of it too
