"""The router server: each state as its docstring says, and failures to where the work ends."""

from pathlib import Path

import pytest

from steelyard.pipelines.loading import load_program
from steelyard.pipelines.schemas import fits

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


@pytest.mark.parametrize("name", TOOLS)
def test_null_rows_are_what_the_signatures_take(name):
    (argument,) = TOOLS[name].binding.inputs
    assert fits([None, "x"], TOOLS[name], argument)


def test_all_routers_give_what_they_take_under_the_same_name():
    bound = {name: (list(tool.binding.inputs.values()), tool.binding.outputs) for name, tool in TOOLS.items()}
    assert {name for name, (inputs, outputs) in bound.items() if tuple(inputs) == outputs} == set(TOOLS)
    assert set(TOOLS) == {name for name, _, _ in STATES}
