"""The custom server: what is taken out of answers; a failed answer stays a failed one."""

from pathlib import Path

import pytest

from steelyard import InputError
from steelyard.pipelines.loading import load_program
from steelyard.pipelines.schemas import fits

TOOLS = load_program(Path(__file__).parents[2] / "servers" / "custom" / "src" / "custom.py").tools
BINDINGS = {
    "output_extract_from_boxed": (["ans_ls"], ("pred_ls",)),
    "evisrag_output_extract_from_special": (["ans_ls"], ("pred_ls",)),
    "merge_passages": (["temp_psg", "ret_psg"], ("ret_psg",)),
    "assign_citation_ids": (["ret_psg"], ("ret_psg",)),
    "ircot_get_first_sent": (["ans_ls"], ("q_ls",)),
    "ircot_extract_ans": (["ans_ls"], ("pred_ls",)),
    "iterretgen_nextquery": (["q_ls", "ret_psg"], ("nextq_ls",)),
    "search_r1_query_extract": (["ans_ls"], ("extract_query_list",)),
    "r1_searcher_query_extract": (["ans_ls"], ("extract_query_list",)),
}


def call(name, *arguments):
    return TOOLS[name].function(*arguments)


def test_bindings():
    found = {name: (list(tool.binding.inputs.values()), tool.binding.outputs) for name, tool in TOOLS.items()}
    assert found == BINDINGS


@pytest.mark.parametrize("name", [name for name, (inputs, _) in BINDINGS.items() if inputs == ["ans_ls"]])
def test_a_failed_answer_stays_null(name):
    (output,) = BINDINGS[name][1]
    found = call(name, [None, "x", None])[output]
    assert [entry is None for entry in found] == [True, False, True]


def test_s5_the_four_cases_that_upstream_got_wrong():
    answers = [r"\boxed{Paris", r"\boxed{f(x)}", r"\boxed{(A) foo}", r"\boxed{\text{A} and \text{B}}"]
    expected = [r"\boxed{Paris", "f(x)", "(A) foo", r"\text{A} and \text{B}"]
    assert call("output_extract_from_boxed", answers) == {"pred_ls": expected}


def test_s5_queries():
    answers = ["<|begin_of_query|>capital of France<|end_of_query|>", "none"]
    assert call("r1_searcher_query_extract", answers) == {"extract_query_list": ["capital of France", ""]}
    assert call("search_r1_query_extract", ["<search> who </search>"]) == {"extract_query_list": ["who"]}


def test_the_next_query():
    found = call("iterretgen_nextquery", ["q1", "q2", "q3"], ["an answer", ["p", "p2"], None])
    assert found == {"nextq_ls": ["q1 an answer", "q2 p p2", "q3"]}
    with pytest.raises(InputError, match=r"^q_ls has 1 entries, ans_ls has 2$"):
        call("iterretgen_nextquery", ["q"], ["a", "b"])


def test_citations_are_numbered_per_question():
    passages = [[" a ", "b"], ["c"], []]
    assert call("assign_citation_ids", passages) == {"ret_psg": [["[1] a", "[2] b"], ["[1] c"], []]}
    assert passages == [[" a ", "b"], ["c"], []]


NULL_ROWS = {
    "merge_passages": ([[["m"], None, ["n"]], [None, ["a"], None]], {"ret_psg": [["m"], ["a"], ["n"]]}),
    "assign_citation_ids": ([[None, ["a"]]], {"ret_psg": [[], ["[1] a"]]}),
    "iterretgen_nextquery": ([[None, "q", None], ["x", None, None]], {"nextq_ls": [None, "q", None]}),
}


@pytest.mark.parametrize("name", NULL_ROWS)
def test_null_rows(name):
    arguments, expected = NULL_ROWS[name]
    assert call(name, *arguments) == expected
    names = list(TOOLS[name].binding.inputs)
    assert all(fits(value, TOOLS[name], each) for each, value in zip(names, arguments, strict=True))


def test_passages_of_as_many_questions_are_merged():
    with pytest.raises(InputError, match=r"^passages of 1 questions in temp_psg, of 2 in ret_psg$"):
        call("merge_passages", [None], [["a"], None])


def test_answers_in_tags():
    answers = ["<evidence>x</evidence><answer> Paris </answer>", " plain "]
    assert call("evisrag_output_extract_from_special", answers) == {"pred_ls": ["Paris", "plain"]}
