"""Two results: what changed, the parts of scores, refusals before and after, and the order of the text."""

import csv
import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from rendering import as_json, render_console, render_csv, render_latex, render_markdown
from tables import make_table, table_of

from steelyard.legal.report.attribution import hallucinated
from steelyard.legal.report.results import wrong_answers, wrong_refusals
from steelyard.legal.report.sections import LegalReport
from steelyard.reports.content import Report, compare_results
from steelyard.reports.render.html.report_html import render_html
from steelyard.reports.sections.changes import is_question
from steelyard.stats.compare import ComparisonSettings, compare_all
from steelyard.stats.correction import adjust

SETTINGS = ComparisonSettings()


def legal(name, right, refused):
    """A result with twelve facts, of which so many are right, and eight gaps, of which the first are refused."""
    facts = np.array([1.0] * right + [0.0] * (12 - right))
    score = np.concatenate([facts, [1.0] * refused + [0.5] * (8 - refused)])
    nothing = np.full(8, np.nan)
    parts = {
        "exact_match": np.concatenate([facts, nothing]),
        "citation_correctness": np.concatenate([facts, nothing]),
        "no_hallucination": np.concatenate([np.full(12, np.nan), np.ones(8)]),
        "passed": (score == 1).astype(float),
    }
    verdicts: list[dict[str, object]] = [{"reasons": {"exact_match": "the answer says 7"}} for _ in facts]
    verdicts += [{"should_abstain": n < 6, "abstained": n < refused} for n in range(8)]
    return table_of(
        ids=[f"q{n:02}" for n in range(20)],
        columns={"legal": score},
        parts={"legal": parts},
        kind="legal",
        name=name,
        tags={"type": ["fact_exact"] * 12 + ["conflict_gap"] * 8},
        outputs=[{"question": f"question {n}", "verdict": each} for n, each in enumerate(verdicts)],
    )


@pytest.fixture(scope="module")
def pair():
    """A result, and one with fewer facts right and more gaps refused."""
    return legal("old", 12, 2), legal("new", 3, 7)


def test_parts_are_compared_by_type_as_one_family(pair):
    old, new = pair
    groups = {group.title: dict(group.parts) for group in LegalReport().compared_parts(new, old, SETTINGS)}
    assert list(groups) == ["report.all_questions", "type_values.fact_exact", "type_values.conflict_gap"]
    facts = groups["type_values.fact_exact"]["part_names.exact_match"]
    assert (facts.n, facts.b_mean, facts.a_mean, facts.p_value) == (12, 1.0, 0.25, 2 / 2**9)
    tested = [part for group in groups.values() for part in group.values()]
    assert [part.p_adjusted for part in tested] == adjust([part.p_value for part in tested], "holm")
    shares = groups["report.all_questions"]
    assert shares["report.answered_unanswerable"].gain > 0
    assert shares["report.abstained_answerable"].gain < 0


def test_shares_are_of_the_questions_that_they_are_about(pair):
    _, new = pair
    assert wrong_answers(new)[12:].tolist()[:6] == [0.0] * 6
    assert np.isnan(wrong_answers(new)[:12]).all()
    assert wrong_refusals(new)[18:].tolist() == [1.0, 0.0]
    assert np.nansum(hallucinated(new)) == 0


def test_text_begins_with_the_outcome_and_ends_with_the_method(pair):
    text = render_console(compare_results(pair, SETTINGS))
    lines = text.splitlines()
    assert lines[0] == "old → new: score 0.8500 → 0.5250"
    assert lines[1].startswith("score: On these 20 items: -0.3250 ")
    assert lines[2] == "5 better · 9 worse · 6 same (score)"
    order = [
        "most regressed items: score",
        "most improved items: score",
        "better / same / worse",
        "parts of the score",
        "exploratory",
        "refusals, before → after",
        "\ntests\n",
        "\npermutation",
    ]
    assert [text.index(words) for words in order] == sorted(text.index(words) for words in order)
    assert re.search(r"  q03  1\.0000 → 0\.0000  question 3\n    exact match: the answer says 7\n", text)
    assert re.search(r"\nanswerable +2 → 1 +0 → 1 +0\.0 % → 50\.0 %\nnot answerable +4 → 0 +2 → 6 ", text)
    assert re.search(r"\n· exact match +1\.0000 +0\.2500 +-0\.7500 ▼? ?", text)


def test_the_reason_of_an_improved_item_is_that_of_the_earlier_answer(pair):
    old, new = pair
    text = render_console(compare_results((new, old), SETTINGS))
    assert re.search(r"  q03  0\.0000 → 1\.0000  question 3\n    before: exact match: the answer says 7\n", text)


def test_json_and_papers_keep_the_means(pair):
    compared = compare_results(pair, SETTINGS)
    found = as_json(compared)
    assert list(found)[-2:] == ["comparisons", "changes"]
    assert len(found["changes"][0]["worse"]) == 9
    assert json.dumps(found)
    tex = render_latex(compared)
    assert r"score & \textbf{0.8500} & 0.5250" in tex
    assert "exact match" not in tex
    assert "| legal | 0.8500 [" not in render_markdown(compared)


def test_a_report_of_two_results_has_the_outcome_and_its_means(pair):
    old, new = pair
    report = Report(pair, compare_all([new], old, SETTINGS))
    text = render_console(report)
    assert text.startswith("old → new: score 0.8500 → 0.5250\n")
    assert "most regressed" not in text
    assert "new against old" in text
    page = render_html(report)
    assert page.count("On these 20 items") > 0
    assert "5 better" in text
    assert all(words in page for words in ("most regressed items", "refusals, before → after", "exploratory"))


def test_a_total_has_no_test():
    columns = {"F1": np.array([1.0, 0.0, 0.5]), "NumRet": np.array([3.0, 4.0, 1000.0])}
    old, new = (table_of(ids=["a", "b", "c"], columns=columns, sums=("NumRet",), name=name) for name in ("old", "new"))
    text = render_console(compare_results([old, new], SETTINGS))
    assert re.search(r"\nNumRet +1007 +1007 +0 +– +– +–\n", text)
    assert "0 better · 0 worse · 3 same (F1)" in text
    assert "most " not in text


def test_the_legal_score_has_the_name_of_the_page_of_one_result():
    text = render_console(compare_results([legal("old", 6, 4), legal("new", 9, 6)], SETTINGS))
    assert re.search(r"^score +0\.", text, re.MULTILINE)


def unpaired():
    """Two results that share eight of twelve items; their means over those are 0.5 and 0.75."""
    old = make_table("old", [0, 1, 0, 1, 0, 1, 0, 1, 1, 1], [f"q{n}" for n in range(10)])
    new = make_table("new", [1, 1, 1, 1, 0, 1, 0, 1, 0, 0], [*(f"q{n}" for n in range(8)), "x", "y"])
    return old, new


def test_a_pair_has_one_mean_of_a_metric_over_the_items_that_both_have():
    old, new = unpaired()
    made = Report([old, new], compare_all([new], old, SETTINGS)), compare_results([old, new], SETTINGS)
    for report in made:
        page = re.sub(r"<script.*?</script>|<[^>]*>", " ", render_html(getattr(report, "report", report)), flags=re.S)
        for text in (render_console(report), render_markdown(report), render_latex(report), page):
            assert "0.5000" in text
            assert "0.7500" in text
            assert "0.6000" not in text  # the means over all items of each
            assert "over all items" not in text
            assert "means and differences over the 8 items that both have" in text
    found = as_json(made[0])
    assert [result["metrics"]["F1"]["mean"] for result in found["results"]] == pytest.approx([0.6, 0.6])
    assert (found["comparisons"][0]["b_mean"], found["comparisons"][0]["a_mean"]) == (0.5, 0.75)


def test_how_many_items_would_show_a_difference_is_said_in_every_format():
    old = make_table("old", {"F1": [0.2, 0.9, 0.4, 0.7, 0.5, 0.6], "EM": [0.2, 0.9, 0.4, 0.7, 0.5, 0.6]})
    new = make_table("new", {"F1": [0.3, 0.9, 0.5, 0.6, 0.7, 0.6], "EM": [0.2, 0.9, 0.4, 0.7, 0.500001, 0.599999001]})
    compared = compare_all([new], old, SETTINGS)
    needed = compared[0].needed
    assert needed == compared[0].as_dict()["needed"] == compared[0].as_dict()["scopes"][0]["needed"]
    assert needed is not None
    assert 6 < needed < 1000
    assert (compared[1].needed or 0) > 1_000_000
    report = Report([old, new], compared)
    for text in (render_console(report), render_markdown(report), render_html(report).replace("&gt;", ">")):
        assert f"{needed}" in text
        assert "> 1,000,000" in text
    third = replace(new, name="third")
    needed = compare_all([new, third], old)[0].needed
    assert (
        f"items needed to detect the difference in F1 with a power of 80 %: new {needed} · third {needed}"
        in render_console(compare_results([old, new, third], SETTINGS))
    )


def test_an_id_that_is_the_question_is_known():
    question = "What is the rent\nof the hall? " * 4
    assert is_question("What is the rent?", "What is  the rent?\n")
    assert is_question(f"{' '.join(question.split())[:80]}… 0d7e0ea832eea448", question)
    assert not is_question("1", "1 euro is how much?")
    assert not is_question("What is… 0d7e", "Which is")


def test_means_over_other_items_than_those_of_the_board_are_labelled():
    ids = ["a", "b", "c", "d"]
    old, new = (
        table_of(ids, {"F1": np.array(scores)}, name=name)
        for name, scores in (("old", [0.11, 0.23, 0.3, 0.8]), ("new", [0.4, 0.2, 0.5, 0.9]))
    )
    few = table_of(ids[:3], {"F1": np.array([0.9, 0.8, 0.1])}, name="few")
    over_all = "means over all items of each result (old 4 · new 4 · few 3); differences over the 3–4 that both have"
    shared = f"{np.mean([0.11, 0.23, 0.3]):.4f}"  # of the first result, over the items that `few` has
    page = render_html(Report([old, new, few], compare_all([new, few], old)))
    compared = compare_results([old, new, few], SETTINGS)
    for text in (page, render_console(compared), render_markdown(compared), render_latex(compared)):
        assert over_all in text
        assert shared in text
    assert "means and differences over the 3 items that both have" in page
    assert re.search(rf"\nfew +3 +{shared} +0\.6000 ", render_console(compared))


def test_what_the_kind_has_about_two_results_is_over_the_items_that_both_have(pair):
    old, new = pair
    whole, half = render_console(compare_results([old, new], SETTINGS)), new.take(np.arange(10, 20))
    both = render_console(compare_results([old, half], SETTINGS))
    assert re.search(r"\nnot answerable +4 → 0 +2 → 6 ", whole)
    counts = [int(n) for n in re.search(r"\nnot answerable +(\d+) → (\d+) +(\d+) → (\d+)", both).groups()]
    assert counts[0] + counts[2] == counts[1] + counts[3]


def test_csv_has_the_means_of_a_comparison_beside_those_of_all_items():
    old, new = unpaired()
    first, second = csv.DictReader(io.StringIO(render_csv(Report([old, new], compare_all([new], old, SETTINGS)))))
    assert (float(second["mean"]), second["scored"]) == (0.6, "10")
    assert (second["n"], second["a_mean"], second["b_mean"]) == ("8", "0.75", "0.5")
    assert first["n"] == ""
