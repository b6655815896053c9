"""Highlights of answers with contexts: which words are marked, as what, and where the contexts have them."""

import json

import numpy as np
import pytest
from tables import table_of

import steelyard
from steelyard.contexts.highlights import Highlighter, citation_marks
from steelyard.contexts.report import LONGEST_CHECKED, MOST_CHECKED, ContextItems
from steelyard.reports.content import Report
from steelyard.reports.kinds import kind_page
from steelyard.reports.render.html.items import LONGEST_CONTEXT, MOST_CHARACTERS, MOST_CONTEXTS, SHORTENED, item_data
from steelyard.reports.render.html.report_html import render_html

CONTEXTS = [
    "On 2020-06-05 Acme paid 30,000 yuan to Bob Stone, “under protest”.",
    "On 5 June 2020 Acme paid 3万元.",
    "The weather was fine in May.",
]


def words(text, spans):
    return [(text[start:end], *rest) for start, end, *rest in spans]


def found(answer, contexts=CONTEXTS, question=""):
    return Highlighter().values(answer, question, contexts)


def data_of(table):
    kind = kind_page(table.kind)
    return item_data(Report([table]), table.metrics[0], kind, kind.details({}))


def said(answer, **fields):
    output = {"question": "How much?", "answer": answer, **fields}
    table = table_of(["q"], {"F1": np.array([0.5])}, kind="answers", name="a", outputs=[output])
    data = data_of(table)
    return data, data["results"][0]["said"][0]


# ----- what is marked


def test_an_address_is_marked_where_the_context_has_it():
    marks = Highlighter().values("http://example.org/a", "", ["See https://example.org/a/b."], [])
    assert marks.answer == [(0, 20, "grounded")]
    assert words("See https://example.org/a/b.", marks.contexts[0]) == [("example.org/a",)]


@pytest.mark.parametrize(
    ("answer", "marks"),
    [
        ("Acme paid 30,000 yuan.", [("30,000 yuan", "grounded")]),
        ("Acme paid 31,000 yuan.", [("31,000 yuan", "ungrounded")]),
        ("Bob Stone signed “under protest”.", [("Bob Stone", "grounded"), ("under protest", "grounded")]),
        ("It was fine.", []),
        ("https://example.org/b", [("https://example.org/b", "ungrounded")]),
        ("", []),
    ],
)
def test_values_of_an_answer(answer, marks):
    assert words(answer, found(answer).answer) == marks


def test_what_the_question_gives_is_marked_as_such():
    answer = "It did not pay 77,000 yuan."
    assert words(answer, found(answer, question="Did Acme pay 77,000 yuan?").answer) == [("77,000 yuan", "asked")]


def test_contexts_are_marked_where_they_have_a_value_however_it_is_written():
    answer = "On 2020-06-05 Acme paid 30,000 yuan, “under protest”."
    places = [[word for word, *_ in words(*each)] for each in zip(CONTEXTS, found(answer).contexts, strict=True)]
    assert places == [["2020-06-05", "30,000 yuan", "under protest"], ["5 June 2020", "3万元"], []]


def test_a_value_that_no_context_has_alone_is_grounded_without_a_place():
    answer = "30,000 + 12,000 = 42,000 yuan in all."
    marked = found(answer, ["Acme paid 30,000 yuan.", "Acme paid 12,000 yuan."])
    assert ("42,000 yuan", "grounded") in words(answer, marked.answer)
    assert marked.ungrounded == []


def test_the_verdicts_are_those_of_the_metrics():
    answers = ["Acme paid 30,000 yuan to Eve Hill.", "It paid 1,234 yuan on 2021-01-01.", "Nothing."]
    rows = [{"question": "Who?", "prediction": each, "contexts": CONTEXTS} for each in answers]
    counts = steelyard.evaluate_answers(rows, None, ["Ungrounded"]).column("Ungrounded")
    assert [len(found(each, question="Who?").ungrounded) for each in answers] == list(counts)


@pytest.mark.parametrize(
    ("answer", "marks"),
    [
        ("x [1].", [("[1]", "cites", 0)]),
        ("x 【2】［３］", [("【2】", "cites", 1), ("［３］", "cites", 2)]),
        ("x [1, doc3]", [("1", "cites", 0), ("doc3", "cites", 2)]),
        ("x [1-2]", [("[1-2]", "cites", 0)]),
        ("x [b]", [("[b]", "cites", 1)]),
        ("x [9]", [("[9]", "void")]),
        ("x [sic] [1] [see 2, 3]", [("[1]", "cites", 0)]),
        ("x [1].\n[1] a book\n[9] a letter", [("[1]", "cites", 0), ("[1]", "cites", 0)]),
        ("<think>[2]</think> x [1]", [("[1]", "cites", 0)]),
    ],
)
def test_citations(answer, marks):
    assert words(answer, citation_marks(answer, ["a", "b", "c"])) == marks


# ----- what the page has


def test_offsets_count_as_browsers_do():
    _, item = said("😀 30,000 yuan [1]", contexts=["😀😀 paid 30,000 yuan"])
    assert sorted(item["marks"]) == [(3, 14, "grounded"), (15, 18, "cites", 0)]
    assert item["contexts"] == [{"text": 0, "marks": [(10, 21, "holds")]}]


def test_ids_say_what_was_wanted():
    wanted = {"d1": 2, "d2": 0, "d9": 1}
    data, item = said("x", contexts=["a", "b", "a"], context_ids=["d1", "d2", "d3"], reference_context_ids=wanted)
    assert [(each["id"], each["text"], each["relevant"]) for each in item["contexts"]] == [
        ("d1", 0, True),
        ("d2", 1, False),
        ("d3", 0, False),
    ]
    assert item["missed"] == ["d9"]
    assert data["contexts"] == ["a", "b"]
    assert data["expected"][0]["contexts"] == [{"id": "d1"}, {"id": "d9"}]


def test_ids_alone_are_contexts_without_texts():
    _, item = said("see [d2]", context_ids=["d1", "d2"], reference_context_ids=["d2"])
    assert item["contexts"] == [{"id": "d1", "relevant": False}, {"id": "d2", "relevant": True}]
    assert item["marks"] == [(4, 8, "cites", 1)]


def test_a_reference_context_is_known_by_its_words_where_there_are_no_ids():
    data, item = said("x", contexts=["a", "b"], reference_contexts=["b", "c"])
    assert [each.get("relevant") for each in item["contexts"]] == [None, True]
    assert [data["contexts"][each["text"]] for each in data["expected"][0]["contexts"]] == ["b", "c"]


def test_records_of_any_tool_are_contexts():
    _, item = said("x", contexts=[{"doc_id": 7, "title": "T", "page_content": "p"}, {"contents": "q"}, {"odd": 1}])
    data, _ = said("x", contexts=[{"doc_id": 7, "title": "T", "page_content": "p"}, {"contents": "q"}, {"odd": 1}])
    assert data["contexts"] == ["T\np", "q", '{"odd": 1}']
    assert [each.get("id") for each in item["contexts"]] == ["7", None, None]


def test_what_is_embedded_is_limited_and_the_page_says_so():
    texts = [f"{number} " + "x" * 10_000 for number in range(MOST_CONTEXTS + 50)]
    data, item = said("x", contexts=texts)
    assert len(item["contexts"]) == MOST_CONTEXTS
    assert item["others"] == 50
    assert {each["length"] for each in item["contexts"]} <= {len(text) for text in texts}
    sizes = [len(data["contexts"][each["text"]]) for each in item["contexts"]]
    assert sizes == [LONGEST_CONTEXT] * 10 + [SHORTENED] * (MOST_CONTEXTS - 10)
    assert sum(sizes) <= MOST_CHARACTERS + MOST_CONTEXTS * SHORTENED


def test_too_much_text_is_not_checked_and_the_page_says_so():
    _, item = said("It paid 30,000 yuan [1]", contexts=["x" * LONGEST_CHECKED, "30,000 yuan"])
    assert item["marks"] == [(20, 23, "cites", 0)]
    assert "not highlighted" in item["remarks"][0][0]


def test_the_limit_of_a_page_counts_equal_contexts_of_compared_answers_once():
    items, output = ContextItems(), {"contexts": ["30,000 yuan " + "x" * (LONGEST_CHECKED - 100)]}
    for _ in range(3 * MOST_CHECKED // LONGEST_CHECKED):
        assert items.answer("30,000 yuan", output, "").marks == [(0, 11, "grounded")]


def test_the_lowest_scores_are_checked_first(monkeypatch):
    monkeypatch.setattr("steelyard.contexts.report.MOST_CHECKED", 20)
    outputs = [{"answer": "1,234 yuan", "contexts": [f"1,234 yuan {n}"]} for n in range(3)]
    table = table_of(["a", "b", "c"], {"F1": np.array([0.9, 0.5, 0.1])}, kind="answers", name="a", outputs=outputs)
    answers = data_of(table)["results"][0]["said"]
    assert ["marks" in each for each in answers] == [False, False, True]


def test_answers_without_contexts_are_as_before():
    _, item = said("It paid 30,000 yuan [1]")
    assert {"marks", "contexts", "invented"}.isdisjoint(item)


def test_scores_of_other_tools_have_the_same_view(write):
    row = {
        "user_input": "q",
        "response": "14 days [1].",
        "retrieved_contexts": ["Within 14 days."],
        "faithfulness": 1.0,
    }
    table = steelyard.load(write("ragas.jsonl", json.dumps(row) + "\n"))
    item = data_of(table)["results"][0]["said"][0]
    assert table.kind == "scores"
    assert sorted(item["marks"]) == [(0, 7, "grounded"), (8, 11, "cites", 0)]
    assert item["contexts"][0]["marks"] == [(7, 14, "holds")]


def test_a_text_of_many_items_is_on_the_page_once():
    outputs = [{"answer": "x", "contexts": ["SHARED " * 50, f"own {n}"]} for n in range(20)]
    ids = [str(n) for n in range(20)]
    table = table_of(ids, {"F1": np.zeros(20)}, kind="answers", name="a", outputs=outputs)
    assert render_html(Report([table])).count("SHARED " * 50) == 1


def test_contexts_without_a_text_keep_their_places():
    row = {"prediction": "x [2]", "references": ["x"], "contexts": [{"id": "a"}, {"id": "b", "text": "words"}]}
    output = steelyard.evaluate_answers([row], None, ["F1"], keep=True).outputs[0]
    assert (output["contexts"], output["context_ids"]) == (["", "words"], ["a", "b"])
    _, item = said(output["answer"], **{key: output[key] for key in ("contexts", "context_ids")})
    assert item["contexts"] == [{"id": "a"}, {"text": 0, "id": "b"}]
    assert item["marks"] == [(2, 5, "cites", 1)]
