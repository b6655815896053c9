"""Router server: the state of each item, by which a branch sends it on. What failed (null) goes where the work ends."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.pipelines.server import Server

app = Server("router", __file__)

Answers = Annotated[list[str | None], "the answers of a model, in order; null where it failed"]
Lists = Annotated[list[list[str] | None], "for each question a list of texts"]
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


@app.tool(
    "ans_ls,q_ls,total_subq_list,total_reason_list,total_final_info_list"
    "->ans_ls,q_ls,total_subq_list,total_reason_list,total_final_info_list"
)
def search_o1_check(
    ans_ls: Answers,
    q_ls: Annotated[list[str | None], "the questions, in order"],
    total_subq_list: Lists,
    total_reason_list: Lists,
    total_final_info_list: Lists,
) -> Routed:
    """Retrieve where an answer has a query of Search-o1 that is closed, stop where it has none. Null stops."""
    states = [_o1_state(answer) for answer in ans_ls]
    return _together(
        states,
        ans_ls=ans_ls,
        q_ls=q_ls,
        total_subq_list=total_subq_list,
        total_reason_list=total_reason_list,
        total_final_info_list=total_final_info_list,
    )


@app.tool(
    "state_ls,cursor_ls,survey_ls,step_ls,extend_time_ls,extend_result_ls"
    "->state_ls,cursor_ls,survey_ls,step_ls,extend_time_ls,extend_result_ls"
)
def surveycpm_state_router(  # noqa: PLR0917 - as UltraRAG's
    state_ls: Annotated[list[str], "the state of each survey"],
    cursor_ls: Annotated[list[str | None], "the part of each survey that is written next"],
    survey_ls: Annotated[list[str | None], "the surveys, as JSON"],
    step_ls: Annotated[list[int], "how many steps each survey has taken"],
    extend_time_ls: Annotated[list[int], "how often each survey was extended"],
    extend_result_ls: Annotated[list[str | None], "what came of the last extension"],
) -> Routed:
    """Send each survey where its state says."""
    return _together(
        state_ls,
        state_ls=state_ls,
        cursor_ls=cursor_ls,
        survey_ls=survey_ls,
        step_ls=step_ls,
        extend_time_ls=extend_time_ls,
        extend_result_ls=extend_result_ls,
    )


def _ended(answer: str) -> str:
    return _complete(any(token in answer for token in _ENDS))


def _complete(ended: bool) -> str:
    return "complete" if ended else "incomplete"


def _o1_state(answer: str | None) -> str:
    return "retrieve" if answer is not None and "<|end_search_query|>" in answer else "stop"


def _together(states: Sequence[str], **lists: Sequence[Any]) -> Routed:
    """Return lists of one length, all sent by the same states."""
    for name, entries in lists.items():
        if len(entries) != len(states):
            raise InputError(Message("servers.rows_routed", rows=len(states), name=name, entries=len(entries)))
    return {
        name: [{"data": each, "state": state} for each, state in zip(entries, states, strict=True)]
        for name, entries in lists.items()
    }


def _routed(items: Sequence[Any], state_of: Callable[[Any], str], failed: str = "state2") -> list[dict[str, Any]]:
    return [{"data": item, "state": failed if item is None else state_of(item)} for item in items]


if __name__ == "__main__":
    app.run()
