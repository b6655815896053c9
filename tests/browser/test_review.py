"""The review page in a real browser: read, judge by mouse and by keys, leave, come back, save, and weigh."""

import json
from pathlib import Path

import numpy as np
import pytest
from commands import run
from tables import make_table, table_of

from steelyard.io.results import load
from steelyard.io.reviews import read_review
from steelyard.legal.benchmark.questions import documents_of
from steelyard.legal.benchmark.runner import evaluate_legal
from steelyard.reports.agreement import agree
from steelyard.reports.render.html.review_html import render_review
from steelyard.stats.review import SampleSettings, SampleSize, take_sample

pytestmark = pytest.mark.slow

TEMPLATES = Path(__file__).parents[2] / "src" / "steelyard" / "reports" / "templates"
HOSTILE = '</script><script>window.hit=1</script><img src=x onerror="window.hit=1">\u202e\u2028\0'


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    path = tmp_path_factory.mktemp("review") / "base.jsonl"
    evaluate_legal("builtin:baseline", path=path)
    return path


@pytest.fixture
def review(result, tmp_path):
    """A page of six verdicts."""
    table = load(result)
    sample = take_sample(table, SampleSettings(SampleSize(6), by="type"))
    page = tmp_path / "review.html"
    page.write_text(render_review(table, sample, documents=documents_of(table.benchmark)), encoding="utf-8")
    return page


def ready(page):
    page.wait_for_selector("#item-title")
    return page


def saved(page, folder):
    with page.expect_download() as started:
        page.click("#save")
    assert started.value.suggested_filename == "review.jsonl"
    path = folder / "review.jsonl"
    started.value.save_as(path)
    return path


def progress(page):
    return page.inner_text("#progress-words")


def test_by_mouse_from_page_to_findings(opened, review, result, tmp_path):
    page = ready(opened(review, accept_downloads=True))
    assert progress(page) == "0 / 6 reviewed"
    page.fill("#reviewer", "张三")
    page.click("[data-choice=agree]")
    page.click("#list li:nth-child(2) button")
    page.click("[data-choice=disagree]")
    page.fill("#remark", "第3页没有“这句话”\n<b>")
    page.click(".steps button:nth-of-type(2)")
    page.click("[data-choice=unsure]")
    assert progress(page) == "3 / 6 reviewed"
    page.check("#only-open")
    assert page.locator("#list li").count() == 4, "three that are open, and the one that is shown"
    path = saved(page, tmp_path)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [line["agree"] for line in lines] == [True, False, None, None, None, None]
    assert [line["unsure"] for line in lines] == [False, False, True, False, False, False]
    assert (lines[1]["remark"], {line["reviewer"] for line in lines}) == ("第3页没有“这句话”\n<b>", {"张三"})
    assert set(lines[0]) == {"id", "verdict", "agree", "unsure", "remark", "reviewer", "metric", "result", "sampling"}
    done = run("agreement", result, path, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    (found,) = json.loads(done.stdout)["reviews"]
    assert (found["reviewed"], found["disagreed"], found["unsure"], found["open"]) == (2, 1, 1, 3)
    assert found["disagreements"][0]["remark"] == lines[1]["remark"]


def test_a_rejected_verdict_has_the_other_score_or_the_one_that_is_entered(opened, tmp_path):
    scores = {"two kinds": [1.0, 0.0, 1.0], "shares": [1.0, 0.25, 0.5]}
    for name, values in scores.items():
        table = make_table(name, values, metric="Faithfulness")
        sample = take_sample(table, SampleSettings(SampleSize(3)))
        path = tmp_path / f"{name}.html"
        path.write_text(render_review(table, sample, documents={}), encoding="utf-8")
        page = ready(opened(path, accept_downloads=True))
        assert page.is_hidden("#score")
        page.click("[data-choice=disagree]")
        assert page.input_value("#score") == ("0" if name == "two kinds" else "")
        page.click("#list li:nth-child(2) button")
        page.click("[data-choice=disagree]")
        page.fill("#score", "0.75")
        page.click("#list li:nth-child(3) button")
        page.click("[data-choice=agree]")
        lines = [json.loads(line) for line in saved(page, tmp_path).read_text("utf-8").splitlines()]
        first = 0 if name == "two kinds" else None
        assert [line.get("score") for line in lines] == [first, 0.75, None]


def test_by_keys_and_after_a_reload(opened, review, result, tmp_path):
    page = ready(opened(review, accept_downloads=True))
    shown = []
    for key in ("a", "d", "u", "a", "a", "a"):
        shown.append(page.inner_text("#item-title"))
        page.keyboard.press(key)
        page.keyboard.press("ArrowRight")
    assert len(set(shown)) == 6, "every arrow goes one further"
    assert progress(page).startswith("6 / 6 reviewed · all are reviewed")
    page.keyboard.press("ArrowLeft")
    assert page.inner_text("#item-title") == shown[4]
    page.focus("#remark")
    page.keyboard.type("a d u stay letters")
    page.keyboard.press("ArrowLeft")
    page.reload()
    ready(page)
    assert progress(page).startswith("6 / 6 reviewed")
    lines = [json.loads(line) for line in saved(page, tmp_path).read_text("utf-8").splitlines()]
    assert [line["agree"] for line in lines] == [True, False, None, True, True, True]
    assert [line["remark"] for line in lines] == ["", "", "", "", "a d u stay letters", ""]
    found = agree(load(result), {"review": read_review(tmp_path / "review.jsonl")})
    assert found.reviews[0].rate.decided == 5


def test_a_choice_is_taken_back_and_keys_are_switched_off(opened, review):
    page = ready(opened(review))
    page.keyboard.press("a")
    assert page.get_attribute("[data-choice=agree]", "aria-pressed") == "true"
    page.keyboard.press("a")
    assert progress(page) == "0 / 6 reviewed"
    page.uncheck("#keys")
    page.keyboard.press("d")
    assert progress(page) == "0 / 6 reviewed"


def test_a_reload_goes_to_the_first_that_is_open(opened, review):
    page = ready(opened(review))
    page.keyboard.press("a")
    page.keyboard.press("ArrowRight")
    second = page.inner_text("#item-title")
    page.reload()
    assert ready(page).inner_text("#item-title") == second


def test_what_is_shown(opened, review, result):
    table = load(result)
    sample = take_sample(table, SampleSettings(SampleSize(6), by="type"))
    page = ready(opened(review))
    for judgement in sample:
        output = table.outputs[list(table.ids).index(judgement.id)]
        text = page.inner_text("#item")
        assert page.inner_text("#item-title") == judgement.id
        assert output["question"] in text
        assert output["answer"].strip()[:10] in text
        assert f"score {judgement.verdict:.2f}" in page.inner_text("#verdict")
        if output["citations"]:
            assert page.locator(".page-text mark").count() >= 1
        page.keyboard.press("ArrowRight")


def test_the_list_has_questions_and_choices_have_colours_and_words(opened, review, result):
    table = load(result)
    sample = take_sample(table, SampleSettings(SampleSize(6), by="type"))
    page = ready(opened(review))
    questions = [table.outputs[list(table.ids).index(judgement.id)]["question"] for judgement in sample]
    assert page.locator("#list .review-question").all_text_contents() == questions
    assert page.locator("#list .review-id").all_text_contents() == [judgement.id for judgement in sample]
    colour = "(each) => getComputedStyle(each).borderTopColor"
    assert (
        len({page.locator(f"[data-choice={name}]").evaluate(colour) for name in ("agree", "disagree", "unsure")}) == 3
    )
    page.keyboard.press("a")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("u")
    counts = page.locator("#progress-counts .review-count").all_text_contents()
    assert counts == ["✓ agree 1", "✗ disagree 0", "? unsure 1"]
    assert page.locator("#list li").first.locator("button").get_attribute("aria-current") is None
    assert ": agree" in page.locator("#list li").first.text_content()


def test_chinese_on_a_phone(opened, review):
    page = ready(opened(review, width=390, height=844))
    page.click("#language-switch")
    assert progress(page) == "0 / 6 已复核"
    assert page.inner_text("[data-choice=agree]").startswith("✓ 同意")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.click("[data-choice=agree]")
    assert progress(page) == "1 / 6 已复核"


def test_without_a_memory(opened, review):
    page = opened("about:blank", allowed=("about:", "file:", "data:", "blob:"), once=True)
    page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error('no') } })")
    page.goto(review.resolve().as_uri())
    ready(page).keyboard.press("d")
    assert progress(page) == "1 / 6 reviewed"


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")])
def test_accessible(opened, accessible, review, width, theme):
    page = ready(opened(review, width=width, color_scheme=theme))
    accessible(page)
    for key in ("a", "ArrowRight", "d", "ArrowRight", "u"):
        page.keyboard.press(key)
    page.check("#only-open")
    accessible(page)


def test_hostile_content_is_only_shown(opened, tmp_path):
    output = {
        "question": HOSTILE,
        "answer": HOSTILE * 50,
        "references": [[HOSTILE]],
        "citations": [{"page": 1, "text": HOSTILE}],
    }
    table = table_of(
        [HOSTILE, "__proto__"],
        {"F1": np.array([0.5, 1.0])},
        name=HOSTILE,
        tags={HOSTILE: [HOSTILE, "b"]},
        notes={"F1": {0: HOSTILE}},
        outputs=[output, output],
    )
    sample = take_sample(table, SampleSettings(SampleSize(2)))
    path = tmp_path / "hostile.html"
    path.write_text(render_review(table, sample, documents={}), encoding="utf-8")
    page = ready(opened(path, accept_downloads=True))
    assert "onerror" in page.inner_text("#item")
    page.keyboard.press("a")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("d")
    assert progress(page).startswith("2 / 2")
    assert page.evaluate("[window.hit, document.images.length]") == [None, 0]
    read = read_review(saved(page, tmp_path))
    assert [(each.id, each.agree) for each in read] == [(HOSTILE, True), ("__proto__", False)]
