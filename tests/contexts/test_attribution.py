"""Outcomes of answers, and why some are not right: rows labelled by hand, prose that rules cannot decide, cheats."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rendering import as_json, render_console, render_latex, render_markdown

import steelyard
from steelyard.reports.content import Report
from steelyard.reports.render.html.report_html import render_html
from steelyard.stats.outcomes import CAUSES, OUTCOMES, PARTS

LINES = [json.loads(line) for line in Path(__file__).with_name("attribution.jsonl").read_text("utf-8").splitlines()]
"""Rows labelled before they were judged; people and documents are invented. Some rules cannot decide (`is_decided`)."""
BY_TEXT = [line for line in LINES if line["contexts"] and isinstance(line["contexts"][0], str)]


def table_of(rows, **keywords):
    return steelyard.evaluate_answers(rows, None, "Accurate", **keywords)


def attributed(rows):
    """The outcome and the cause of each row."""
    table = table_of(rows)
    parts = table.parts["Accurate"]
    columns = {**parts, **dict(zip(OUTCOMES[1:], (parts[part] for part in PARTS), strict=True))}
    columns[OUTCOMES[0]] = table.column("Accurate")
    return [tuple(_named(columns, names, row) for names in (OUTCOMES, CAUSES)) for row in range(len(table))]


def _named(columns, names, row):
    return next((name for name in names if columns[name][row] == 1), "")


def expected(line):
    return (line["outcome"], line["cause"]) if line.get("is_decided", True) else ("undecided", "")


@pytest.mark.parametrize("line", LINES, ids=lambda line: line["id"])
def test_rows_labelled_by_hand(line):
    assert attributed([line]) == [expected(line)]


def test_rows_of_a_file_are_judged_as_rows_alone():
    assert attributed(LINES) == list(map(expected, LINES))


@pytest.mark.parametrize("refusal", ["", "材料没有记载，无法确定。", "The documents do not state this."])
def test_who_refuses_everything_is_never_accurate_and_never_hallucinates(refusal):
    answerable = [line for line in LINES if not line["id"].startswith("zh-right-2")]
    found = attributed([{**line, "prediction": refusal} for line in answerable])
    assert {outcome for outcome, _ in found} == {"incomplete"}
    assert {cause for _, cause in found} <= {"not_retrieved", "not_used", "retrieval_unknown"}


def test_who_quotes_everything_has_used_nothing():
    rows = [{**line, "prediction": "\n".join(line["contexts"])} for line in BY_TEXT if len(line["contexts"]) > 1]
    assert len(rows) > 5
    assert not {cause for _, cause in attributed(rows)} & {"misread", "invented"}


def test_an_invention_comes_before_all_other_causes():
    rows = [{**line, "prediction": f"{line['prediction']} 98,765 yuan"} for line in LINES]
    assert {outcome for outcome, _ in attributed(rows)} == {"hallucinated"}
    assert {cause for _, cause in attributed(rows)} <= {"", "invented"}


def test_a_figure_in_long_prose_is_a_doubt():
    """One value that the contexts lack says little of six sentences, unless the answer is wrong for certain."""
    prose = "The rent is due monthly. It is paid to the landlord. It is $900. Keys are returned. A form is sent. {}"
    row = {"question": "What is the rent?", "references": ["$900"], "contexts": ["The rent is $900 a month."]}
    right = {**row, "prediction": prose.format("It was signed on 3 May 2020.")}
    wrong = {**row, "prediction": prose.replace("$900", "$800").format("")}
    short = {**row, "prediction": "$900, as signed on 3 May 2020."}
    assert [outcome for outcome, _ in attributed([right, wrong, short])] == [
        "undecided",
        "hallucinated",
        "hallucinated",
    ]


def test_a_paraphrase_that_rules_cannot_see_is_undecided():
    row = {
        "question": "Why was the lease ended?",
        "references": ["because the roof leaked and the landlord did not mend it for half a year"],
        "prediction": "Water came in for months and nothing was repaired.",
        "contexts": ["The tenant ended the lease since water came in for months and nothing was repaired."],
    }
    assert attributed([row]) == [("undecided", "")]


def test_the_values_of_a_reference_decide_where_the_contexts_have_only_some_of_what_is_wanted():
    row = {
        "question": "What is the cap?",
        "references": ["$5,000"],
        "prediction": "Not stated.",
        "contexts": [{"id": "a", "text": "The cap is $5,000."}],
    }
    assert attributed([{**row, "reference_context_ids": ["a", "b"]}]) == [("incomplete", "not_used")]
    other = {**row, "reference_context_ids": ["a", "b"], "contexts": [{"id": "a", "text": "There is a cap."}]}
    assert attributed([other]) == [("incomplete", "not_retrieved")]


def test_what_is_in_doubt_widens_the_range():
    """A name that the contexts may have in other words: the answer is hallucinated, or it is accurate."""
    row = {
        "id": "name",
        "question": "What did Acme pay?",
        "references": ["$5"],
        "prediction": "Mary Stone of Acme paid $5.",
        "contexts": ["Acme paid $5."],
    }
    found = as_json(Report([table_of([row, *LINES[:3]])]))["results"][0]["attribution"]["outcomes"]
    assert found["accurate"]["range"] == [0.75, 1.0]
    assert found["hallucinated"]["range"] == [0.0, 0.25]
    assert found["undecided"]["count"] == 1
    assert {each["share"] for each in found.values()} == {None}  # a quarter is undecided: no point value


def test_the_note_of_an_answer_names_both():
    line = next(line for line in LINES if line["id"] == "zh-misread-1")
    table = table_of([line])
    assert table.note("Accurate", 0, "en") == "wrong; used and misread"
    assert table.note("Accurate", 0, "zh") == "错误；使用了证据但理解有误"


@pytest.fixture(scope="module")
def report():
    return Report([table_of(LINES, name="rag", keep=True)])


def test_every_wrong_answer_has_one_cause(report):
    found = as_json(report)["results"][0]["attribution"]
    labels, causes = (Counter(of) for of in zip(*map(expected, LINES), strict=True))
    del causes[""]
    assert {name: each["count"] for name, each in found["outcomes"].items()} == labels
    assert {name: each["count"] for name, each in found["causes"].items()} == causes
    wrong = steelyard.evaluate_answers(LINES, None, "Correct").column("Correct") == 0
    assert found["wrong"] == sum(causes.values()) == wrong.sum() - labels["undecided"]
    assert found["answers"] == len(LINES)
    assert found["decided"] == 1 - labels["undecided"] / len(LINES)


def test_every_format_shows_the_section(report, tmp_path):
    for language, words in (("en", ("accurate", "used and misread")), ("zh", ("准确", "使用了证据但理解有误"))):
        for render in (render_console, render_markdown, render_latex):
            text = render(report, language=language).replace(r"\allowbreak{}", "").lower()
            assert all(word in text for word in words), (render, language)
        page = render_html(report, language=language).lower()
        assert all(word in page for word in words)


def test_results_files_keep_it_and_other_results_have_no_section(tmp_path):
    table_of(LINES).save(tmp_path / "a.jsonl")
    assert "attribution" in as_json(Report([steelyard.load(tmp_path / "a.jsonl")]))["results"][0]
    table_of(LINES[:3]).save(tmp_path / "b.jsonl")
    found = as_json(Report([steelyard.load(tmp_path / "b.jsonl")]))["results"][0]["attribution"]
    assert (found["outcomes"]["accurate"]["count"], found["wrong"], found["causes"]) == (3, 0, {})
    plain = steelyard.evaluate_answers(["a"], ["a"])
    assert "attribution" not in as_json(Report([plain]))["results"][0]
    assert "outcomes" not in render_console(Report([plain]))


def test_answers_on_which_the_system_failed_have_no_cause(tmp_path):
    rows = [LINES[0], {**LINES[0], "id": "2", "prediction": None, "error": "timed out"}]
    table = table_of(rows)
    failed = replace(table, failures={1: "timed out"})
    found = as_json(Report([failed]))["results"][0]["attribution"]
    assert (found["failed"], found["wrong"], found["outcomes"]["incomplete"]["count"]) == (1, 0, 1)
    assert np.isnan(table.parts["Accurate"]["invented"][0])
