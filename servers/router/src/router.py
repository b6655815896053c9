"""Router server: the state of each item, by which a branch sends it on. What failed (null) goes where the work ends."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from steelyard.pipelines.server import Server

app = Server("router", __file__)

Answers = Annotated[list[str | None], "the answers of a model, in order; null where it failed"]
Routed = dict[str, list[dict[str, Any]]]

_ENDS = ("<|endoftext|>", "<|im_end|>", "</answer>")


@app.tool("query_list->query_list")
def route1(query_list: Annotated[list[Any], "the queries, in order"]) -> Routed:
    """Send the query 1, a number or its text, to state1 and every other to state2."""
    return {"query_list": _routed(query_list, lambda query: "state1" if str(query).strip() == "1" else "state2")}


@app.tool("query_list->query_list")
def route2(query_list: Annotated[list[Any], "the queries, in order"]) -> Routed:
    """Send every query to state2."""
    return {"query_list": _routed(query_list, lambda query: "state2")}


@app.tool("ans_ls->ans_ls")
def ircot_check_end(ans_ls: Answers) -> Routed:
    """Call an answer complete once it says "so the answer is", in any case; incomplete before. Null is complete."""
    return {"ans_ls": _routed(ans_ls, lambda answer: _complete("so the answer is" in answer.lower()), "complete")}


@app.tool("ans_ls->ans_ls")
def search_r1_check(ans_ls: Answers) -> Routed:
    """Call an answer complete once it has an end token or </answer>; incomplete before. Null is complete."""
    return {"ans_ls": _routed(ans_ls, _ended, "complete")}


@app.tool("ans_ls->ans_ls")
def r1_searcher_check(ans_ls: Answers) -> Routed:
    """Call an answer complete once it has an end token or </answer>; incomplete before. Null is complete."""
    return {"ans_ls": _routed(ans_ls, _ended, "complete")}


@app.tool("page_ls->page_ls")
def webnote_check_page(page_ls: Annotated[list[str | None], "the pages of notes, in order"]) -> Routed:
    """Call a page incomplete while it says "to be filled", in any case; complete after that. Null is complete."""
    return {"page_ls": _routed(page_ls, lambda page: _complete("to be filled" not in page.lower()), "complete")}


@app.tool("ans_ls->ans_ls")
def check_model_state(ans_ls: Answers) -> Routed:
    """Continue where the model asks for a <search>, stop where it does not. Null stops."""
    return {"ans_ls": _routed(ans_ls, lambda answer: "continue" if "<search>" in answer else "stop", "stop")}


def _ended(answer: str) -> str:
    return _complete(any(token in answer for token in _ENDS))


def _complete(ended: bool) -> str:
    return "complete" if ended else "incomplete"


def _routed(items: Sequence[Any], state_of: Callable[[Any], str], failed: str = "state2") -> list[dict[str, Any]]:
    return [{"data": item, "state": failed if item is None else state_of(item)} for item in items]


if __name__ == "__main__":
    app.run()
