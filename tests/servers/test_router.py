"""The router server: each state as its docstring says, and failures to where the work ends."""

from pathlib import Path

import pytest

from steelyard import InputError
from steelyard.pipelines.load import load_program
from steelyard.pipelines.server import matches_type

TOOLS = load_program(Path(__file__).parents[2] / "servers" / "router" / "src" / "router.py").tools

# tool, item, state
STATES = [
    ("route1", "1", "state1"),
    ("route1", 1, "state1"),
    ("route1", "2", "state2"),
    ("route1", "one", "state2"),
    ("route1", None, "state2"),
    ("route2", "1", "state2"),
    ("route2", None, "state2"),
    ("ircot_check_end", "Hence SO THE ANSWER IS 7.", "complete"),
    ("ircot_check_end", "Next", "incomplete"),
    ("ircot_check_end", None, "complete"),
    ("search_r1_check", "x<|im_end|>", "complete"),
    ("search_r1_check", "x<|endoftext|>", "complete"),
    ("search_r1_check", "<answer>x</answer>", "complete"),
    ("search_r1_check", "<search>x</search>", "incomplete"),
    ("search_r1_check", None, "complete"),
    ("r1_searcher_check", "<answer>x</answer>", "complete"),
    ("r1_searcher_check", "<|begin_of_query|>x<|end_of_query|>", "incomplete"),
    ("r1_searcher_check", None, "complete"),
    ("webnote_check_page", "1. To Be Filled", "incomplete"),
    ("webnote_check_page", "1. done", "complete"),
    ("webnote_check_page", None, "complete"),
    ("check_model_state", "<search> x", "continue"),
    ("check_model_state", "done", "stop"),
    ("check_model_state", None, "stop"),
]


@pytest.mark.parametrize(("name", "item", "state"), STATES)
def test_states(name, item, state):
    (output,) = TOOLS[name].binding.outputs
    assert TOOLS[name].function([item]) == {output: [{"data": item, "state": state}]}


@pytest.mark.parametrize("name", sorted({name for name, _, _ in STATES}))
def test_null_rows_are_what_the_signatures_take(name):
    (argument,) = TOOLS[name].binding.inputs
    assert matches_type([None, "x"], TOOLS[name], argument)


def test_search_o1_sends_five_lists_together():
    found = TOOLS["search_o1_check"].function(
        ["<|begin_search_query|>x<|end_search_query|>", "x<|im_end|>", None], *(list("abc") for _ in range(4))
    )
    assert list(found) == ["ans_ls", "q_ls", "total_subq_list", "total_reason_list", "total_final_info_list"]
    assert {tuple(each["state"] for each in rows) for rows in found.values()} == {("retrieve", "stop", "stop")}
    assert [each["data"] for each in found["q_ls"]] == ["a", "b", "c"]
    with pytest.raises(InputError, match=r"^1 row is routed, q_ls has 2 entries$"):
        TOOLS["search_o1_check"].function(["x"], ["a", "b"], [[]], [[]], [[]])


def test_surveys_go_where_their_state_says():
    found = TOOLS["surveycpm_state_router"].function(
        ["search", "done"], ["outline", None], ["<PAD>"] * 2, [0, 1], [0, 0], ["<PAD>"] * 2
    )
    assert {tuple(each["state"] for each in rows) for rows in found.values()} == {("search", "done")}


def test_all_routers_give_what_they_take_under_the_same_name():
    bound = {name: (list(tool.binding.inputs.values()), tool.binding.outputs) for name, tool in TOOLS.items()}
    assert {name for name, (inputs, outputs) in bound.items() if tuple(inputs) == outputs} == set(TOOLS)
    assert set(TOOLS) == {name for name, _, _ in STATES} | {"search_o1_check", "surveycpm_state_router"}
