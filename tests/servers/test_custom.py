"""The custom server: what is taken out of answers; a failed answer stays a failed one."""

from pathlib import Path
from typing import Any

import pytest

from steelyard import InputError
from steelyard.pipelines.load import load_program
from steelyard.pipelines.server import callbacks, matches_type

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
    "init_citation_registry": (["q_ls"], ("q_ls",)),
    "assign_citation_ids_stateful": (["ret_psg", "q_ls"], ("ret_psg",)),
    "search_o1_init_list": (["q_ls"], ("total_subq_list", "total_reason_list", "total_final_info_list")),
    "search_o1_query_extract": (["ans_ls"], ("extract_query_list",)),
    "search_o1_reasoning_extract": (["ans_ls"], ("extract_reason_list",)),
    "search_o1_extract_final_information": (["ans_ls"], ("extract_final_infor_list",)),
    "search_o1_combine_list": (
        ["total_subq_list", "extract_query_list", "total_reason_list", "extract_reason_list"],
        ("total_subq_list", "total_reason_list"),
    ),
    "search_o1_combine_final_information": (
        ["total_final_info_list", "extract_final_infor_list"],
        ("total_final_info_list",),
    ),
    "surveycpm_init_citation_registry": (["instruction_ls"], ("instruction_ls",)),
    "surveycpm_state_init": (
        ["instruction_ls"],
        (
            *("state_ls", "cursor_ls", "survey_ls", "step_ls", "extend_time_ls", "extend_result_ls"),
            *("retrieved_info_ls", "parsed_ls"),
        ),
    ),
    "surveycpm_parse_search_response": (["response_ls", "surveycpm_hard_mode"], ("keywords_ls", "parsed_ls")),
    "surveycpm_process_passages": (["ret_psg_ls"], ("retrieved_info_ls",)),
    "surveycpm_process_passages_with_citation": (
        ["ret_psg_ls", "survey_ls", "instruction_ls"],
        ("retrieved_info_ls", "ret_psg"),
    ),
    "surveycpm_after_init_plan": (
        ["response_ls", "survey_ls", "instruction_ls", "surveycpm_hard_mode"],
        ("survey_ls", "cursor_ls", "parsed_ls"),
    ),
    "surveycpm_after_write": (
        ["response_ls", "survey_ls", "cursor_ls", "instruction_ls", "retrieved_info_ls", "surveycpm_hard_mode"],
        ("survey_ls", "cursor_ls", "parsed_ls"),
    ),
    "surveycpm_after_extend": (
        ["response_ls", "survey_ls", "cursor_ls", "instruction_ls", "surveycpm_hard_mode"],
        ("survey_ls", "cursor_ls", "extend_result_ls", "parsed_ls"),
    ),
    "surveycpm_update_state": (
        [
            *("state_ls", "cursor_ls", "extend_time_ls", "extend_result_ls", "step_ls", "parsed_ls"),
            *("surveycpm_max_step", "surveycpm_max_extend_step"),
        ],
        ("state_ls", "extend_time_ls", "step_ls"),
    ),
    "surveycpm_check_completion": (["step_ls", "state_ls", "surveycpm_max_step"], ("state_ls",)),
    "surveycpm_format_output": (["survey_ls", "instruction_ls"], ("ans_ls",)),
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
    assert call("r1_searcher_query_extract", answers) == {
        "extract_query_list": ["capital of France?", "There is no query."]
    }
    assert call("search_r1_query_extract", ["<search> who </search>"]) == {"extract_query_list": ["who?"]}


def test_the_next_query():
    found = call("iterretgen_nextquery", ["q1", "q2", "q3"], ["an answer", ["p", "p2"], None])
    assert found == {"nextq_ls": ["q1 an answer", "q2 p p2", "q3"]}
    with pytest.raises(InputError, match=r"^q_ls has 1 entry, ans_ls has 2$"):
        call("iterretgen_nextquery", ["q"], ["a", "b"])


def test_citations_are_numbered_per_question():
    passages = [[" a ", "b"], ["c"], []]
    assert call("assign_citation_ids", passages) == {"ret_psg": [["[1] a", "[2] b"], ["[1] c"], []]}
    assert passages == [[" a ", "b"], ["c"], []]


NULL_ROWS: dict[str, tuple[list[Any], Any]] = {
    "merge_passages": ([[["m"], None, ["n"]], [None, ["a"], None]], {"ret_psg": [["m"], ["a"], ["n"]]}),
    "assign_citation_ids": ([[None, ["a"]]], {"ret_psg": [[], ["[1] a"]]}),
    "iterretgen_nextquery": ([[None, "q", None], ["x", None, None]], {"nextq_ls": [None, "q", None]}),
}


@pytest.mark.parametrize("name", NULL_ROWS)
def test_null_rows(name):
    arguments, expected = NULL_ROWS[name]
    assert call(name, *arguments) == expected
    names = list(TOOLS[name].binding.inputs)
    assert all(matches_type(value, TOOLS[name], each) for each, value in zip(names, arguments, strict=True))


def test_passages_of_as_many_questions_are_merged():
    with pytest.raises(InputError, match=r"^temp_psg has passages of 1 question, ret_psg of 2$"):
        call("merge_passages", [None], [["a"], None])


def test_answers_in_tags():
    answers = ["<evidence>x</evidence><answer> Paris </answer>", " plain "]
    assert call("evisrag_output_extract_from_special", answers) == {"pred_ls": ["Paris", "plain"]}


def test_search_o1_keeps_its_lists():
    lists = call("search_o1_init_list", ["q1", "q2"])
    assert set(map(str, lists.values())) == {str([["<PAD>"], ["<PAD>"]])}
    subq = lists["total_subq_list"]
    first = call("search_o1_combine_list", subq, ["a", None], lists["total_reason_list"], ["r", "s"])
    assert first == {"total_subq_list": [["a"], [""]], "total_reason_list": [["r"], ["s"]]}
    assert subq == [["<PAD>"], ["<PAD>"]]  # what was given stays as it was
    again = call("search_o1_combine_final_information", first["total_subq_list"], ["b", "c"])
    assert again == {"total_final_info_list": [["a", "b"], ["", "c"]]}
    with pytest.raises(InputError, match=r"^1 list and 2 new entries$"):
        call("search_o1_combine_final_information", [["a"]], ["b", "c"])


def test_citations_keep_their_numbers_over_rounds_and_in_branches():
    call("init_citation_registry", ["q1", "q2"])
    assert call("assign_citation_ids_stateful", [["a", "b"], ["c"]], ["q1", "q2"])["ret_psg"][1] == ["[1] c"]
    # a branch about the second question alone
    assert call("assign_citation_ids_stateful", [["d", " c "]], ["q2"]) == {"ret_psg": [["[2] d", "[1] c"]]}
    assert call("assign_citation_ids_stateful", [["b", "d"]], ["q1"]) == {"ret_psg": [["[2] b", "[3] d"]]}
    call("init_citation_registry", ["q1"])
    assert call("assign_citation_ids_stateful", [["z"], None]) == {"ret_psg": [["[1] z"], []]}


def test_numbers_that_nothing_has_begun_are_said():
    fresh = load_program(Path(__file__).parents[2] / "servers" / "custom" / "src" / "custom.py").tools
    notices = []
    with callbacks(on_notice=lambda notice: notices.append(str(notice))):
        assert fresh["assign_citation_ids_stateful"].function([["a"]]) == {"ret_psg": [["[1] a"]]}
        fresh["assign_citation_ids_stateful"].function([["b"]])
    assert notices == ["citations are numbered from 1: no earlier step of this run has started the numbering"]
