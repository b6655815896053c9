"""Extraction from outputs of models: sentences, boxed and tagged answers, queries."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.rag.extraction import (
    boxed,
    final_answer,
    first_sentence,
    o1_information,
    o1_query,
    o1_reasoning,
    search_question,
    sentences,
    tagged_answer,
)

plain = st.text(st.characters(exclude_characters="{}\\$()", exclude_categories=["Cs"]))
balanced = st.recursive(plain, lambda inner: st.tuples(plain, inner, plain).map(lambda t: f"{t[0]}{{{t[1]}}}{t[2]}"))


@given(balanced, plain)
def test_s5_any_balanced_content_of_a_box_comes_back(content, around):
    assert boxed(rf"{around}\boxed{{{content}}}{around}") == content.strip()


@pytest.mark.parametrize(
    ("content", "answer"), [("$42$", "42"), ("$ x $", "x"), ("$", "$"), ("$5", "$5"), ("5$", "5$")]
)
def test_s5_signs_of_a_formula_are_no_content(content, answer):
    assert boxed(rf"\boxed{{{content}}}") == answer


@given(plain)
def test_s5_an_open_box_is_no_box(content):
    assert boxed(rf"\boxed{{{content}") == rf"\boxed{{{content}".strip()


def test_sentences_end_at_marks_and_at_lines():
    assert sentences("Pi is 3.14. Is it? Yes!\nNo end\n\n他说“好。”然后走了。真的？是") == [
        "Pi is 3.14.",
        "Is it?",
        "Yes!",
        "No end",
        "他说“好。”",
        "然后走了。",
        "真的？",
        "是",
    ]
    assert first_sentence(" \n") == ""


@pytest.mark.parametrize(
    ("answer", "query"),
    [
        ("<search>who?</search>", "who?"),
        ("<search>a</search> then <search> b <c> ", "b?"),
        ("none", "There is no query."),
    ],
)
def test_queries_of_search_r1(answer, query):
    assert search_question(answer, "search") == query


def test_s5_queries_of_r1_searcher():
    answer = "I | need <|begin_of_query|> capital of France <|end_of_query|>"
    assert search_question(answer, "begin_of_query") == "capital of France?"
    assert search_question("begin_of_query", "begin_of_query") == "There is no query."


def test_answers_after_words_and_in_tags():
    assert final_answer("Hence, So the answer is: Paris\nDone.") == "Paris"
    assert final_answer(" unsure ") == "unsure"
    assert tagged_answer("<think>x</think><answer> Paris </answer>") == "Paris"
    assert tagged_answer("<answer>Paris") == "Paris"
    assert tagged_answer(" Paris ") == "Paris"


@pytest.mark.parametrize(
    ("content", "expected"),
    [("$5$", "5"), (r"\(x\)", "x"), ("(A)", "A"), ("((1, 2))", "1, 2"), ("(a) and (b)", "(a) and (b)"), ("$5", "$5")],
)
def test_signs_around_the_whole_of_a_boxed_answer(content, expected):
    assert boxed(rf"\boxed{{{content}}}") == expected


def test_what_search_o1_writes_between_its_marks():
    answer = "first <|begin_search_query|> 'a\n b' <|end_search_query|> then <|begin_search_query|>open"
    assert (o1_query(answer), o1_query("none"), o1_reasoning(answer)) == ("a b", "", "first")
    assert o1_information("x **Final Information**  Paris ") == "**Final Information**\nParis"
    assert o1_information("nothing") == ""
