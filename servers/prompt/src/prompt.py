"""Prompt server: questions, passages and options put into templates."""

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated, Any

from steelyard.errors import UnknownName
from steelyard.i18n import Message
from steelyard.pipelines.server import Server
from steelyard.rag.prompts import (
    by_question,
    check_lengths,
    fill,
    joined,
    lettered,
    read_template,
    text_of,
    texts_or_none,
)
from steelyard.rag.surveys import outline, read_survey

app = Server("prompt", __file__)

# the folder that holds servers/ and prompt/
ROOT = Path(__file__).resolve().parents[3]

SEARCH_R1_PASSAGES = 3
R1_SEARCHER_PASSAGES = 5
LAST_REASONS = 3
PAD = "<PAD>"

Questions = Annotated[list[str | None], "the questions, in order; the prompt of null is empty, and is not asked"]
Passages = Annotated[
    list[list[str] | None], "for each question the texts of the passages found for it, the best first; null for none"
]
Options = Annotated[
    list[list[str | int | float] | None],
    "for each question its options, in order; they get the letters A, B, C and so on; the prompt of null is empty",
]
TemplatePath = Annotated[
    str | None, "path of a Jinja template, from the current folder or from the bundled ones; null for the prompt's own"
]
Prompts = Annotated[list[Any], "the prompts so far, as texts or messages; null where there is none"]
Answers = Annotated[list[str | None], "what the model answered to each prompt; null where it failed"]
Plans = Annotated[list[str | None], "the plan of each question's page of notes; null where it failed"]
Pages = Annotated[list[str | None], "the page of notes of each question; null where it failed"]
Surveys = Annotated[list[str | None], "the survey of each instruction so far, as JSON; <PAD> where it is not begun"]
Cursors = Annotated[list[str | None], "the part of each survey that is written next: outline, section-1, section-1.2 …"]
Instructions = Annotated[list[str | None], "what each survey is to be about"]
Found = Annotated[list[str | None], "what was found for each survey, as one text; <PAD> for nothing"]
Escape = Annotated[str | None, "html escapes what is put into a template as HTML, as UltraRAG does; null for nothing"]
ESCAPES = ("html",)
_ESCAPE: ContextVar[str | None] = ContextVar("_ESCAPE", default=None)


def _prompt(output: str) -> Callable[[Callable[..., list[str]]], Callable[..., list[str]]]:
    """Register a function as a prompt with one more argument, `escape`."""

    def register(function: Callable[..., list[str]]) -> Callable[..., list[str]]:
        @functools.wraps(function)
        def filled(*given: Any, escape: str | None = None, **named: Any) -> list[str]:
            _ESCAPE.set(escape)
            return function(*given, **named)

        added = inspect.Parameter("escape", inspect.Parameter.KEYWORD_ONLY, default=None)
        signature = inspect.signature(function)
        filled.__signature__ = signature.replace(parameters=[*signature.parameters.values(), added])  # type: ignore[attr-defined]
        filled.__annotations__ = {**function.__annotations__, "escape": Escape}
        return app.prompt(output.replace("->", ",escape->"))(filled)

    return register


@_prompt("q_ls,template->prompt_ls")
def qa_boxed(q_ls: Questions, template: TemplatePath = None) -> list[str]:
    r"""Ask each question alone, for an answer in \boxed{}; the template uses `question`."""
    check_lengths(q_ls=q_ls)
    return _filled(template, "qa_boxed", {"question": texts_or_none("q_ls", q_ls)})


@_prompt("q_ls,ret_psg,template->prompt_ls")
def qa_rag_boxed(q_ls: Questions, ret_psg: Passages, template: TemplatePath = None) -> list[str]:
    r"""Ask each question with its passages, for an answer in \boxed{}; the template uses `question`, `documents`."""
    return _filled(template, "qa_rag_boxed", _with_documents(q_ls, ret_psg))


@_prompt("q_ls,choices_ls,template->prompt_ls")
def qa_boxed_multiple_choice(q_ls: Questions, choices_ls: Options, template: TemplatePath = None) -> list[str]:
    r"""Ask for the letter of an option in \boxed{}; the template uses `question`, `choices`."""
    check_lengths(q_ls=q_ls, choices_ls=choices_ls)
    columns = {"question": texts_or_none("q_ls", q_ls), "choices": lettered("choices_ls", choices_ls)}
    return _filled(template, "qa_boxed_multiple_choice", columns)


@_prompt("q_ls,choices_ls,ret_psg,template->prompt_ls")
def qa_rag_boxed_multiple_choice(
    q_ls: Questions, choices_ls: Options, ret_psg: Passages, template: TemplatePath = None
) -> list[str]:
    r"""Ask with passages for the letter of an option; the template uses `question`, `choices`, `documents`."""
    check_lengths(q_ls=q_ls, choices_ls=choices_ls, ret_psg=ret_psg)
    columns = {"choices": lettered("choices_ls", choices_ls), **_with_documents(q_ls, ret_psg)}
    return _filled(template, "qa_rag_boxed_multiple_choice", columns)


@_prompt("q_ls,ret_psg,kr_template->prompt_ls")
def RankCoT_kr(q_ls: Questions, ret_psg: Passages, template: TemplatePath = None) -> list[str]:
    """Ask for notes on what the passages say about each question; the template uses `question`, `documents`."""
    return _filled(template, "RankCoT_kr", _with_documents(q_ls, ret_psg))


@_prompt("q_ls,kr_ls,qa_template->prompt_ls")
def RankCoT_qa(q_ls: Questions, kr_ls: Answers, template: TemplatePath = None) -> list[str]:
    """Ask each question with the notes taken for it, which the template calls `CoT`; failed notes, empty prompt."""
    check_lengths(q_ls=q_ls, kr_ls=kr_ls)
    columns = {"question": texts_or_none("q_ls", q_ls), "CoT": texts_or_none("kr_ls", kr_ls)}
    return _filled(template, "RankCoT_qa", columns)


@_prompt("memory_q_ls,memory_ret_psg,template->prompt_ls")
def ircot_next_prompt(
    memory_q_ls: Annotated[
        list[list[str | None]], "by round: the questions first, then the thoughts that were searched for"
    ],
    memory_ret_psg: Annotated[list[list[list[str] | None]], "by round: for each question the passages found for it"],
    template: TemplatePath = None,
) -> list[str]:
    """Ask for the next thought: `question`, `documents` of all rounds, and the thoughts so far as `cur_answer`.

    A round that repeats the one before it is left out: a question that is settled keeps the prompt that settled it.
    """
    thoughts, passages = by_question("q_ls", memory_q_ls), by_question("ret_psg", memory_ret_psg)
    check_lengths(memory_q_ls=thoughts, memory_ret_psg=passages)
    found = [_of_new_rounds(asked, turns) for asked, turns in zip(thoughts, passages, strict=True)]
    texts = [
        [each for each, again in zip(asked, _repeated(asked), strict=True) if each and not again][1:]
        for asked in thoughts
    ]
    columns: dict[str, Sequence[str | None]] = {
        "question": texts_or_none("memory_q_ls", [each[0] for each in thoughts]),
        "documents": joined("memory_ret_psg", found),
        "cur_answer": [" ".join(each) for each in texts],
    }
    return _filled(template, "ircot_next_prompt", columns)


@_prompt("q_ls,ret_psg,gen_subq_template->prompt_ls")
def gen_subq(q_ls: Questions, ret_psg: Passages, template: TemplatePath = None) -> list[str]:
    """Ask for a search query that would find what is still missing; the template uses `question`, `documents`."""
    return _filled(template, "gen_subq", _with_documents(q_ls, ret_psg))


@_prompt("q_ls,ret_psg,check_psg_template->prompt_ls")
def check_passages(q_ls: Questions, ret_psg: Passages, template: TemplatePath = None) -> list[str]:
    """Ask whether the passages suffice, or <search> is needed; the template uses `question`, `documents`."""
    return _filled(template, "check_passages", _with_documents(q_ls, ret_psg))


@_prompt("prompt_ls,ans_ls,ret_psg,search_r1_gen_template->prompt_ls")
def search_r1_gen(prompt_ls: Prompts, ans_ls: Answers, ret_psg: Passages, template: TemplatePath = None) -> list[str]:
    """Continue a Search-R1 prompt: `history`, then `answer`, then the first three `passages` that were found."""
    return _continued(prompt_ls, ans_ls, ret_psg, SEARCH_R1_PASSAGES, template, "search_r1_gen")


@_prompt("prompt_ls,ans_ls,ret_psg,r1_searcher_gen_template->prompt_ls")
def r1_searcher_gen(prompt_ls: Prompts, ans_ls: Answers, ret_psg: Passages, template: TemplatePath = None) -> list[str]:
    """Continue an R1-Searcher prompt: `history`, then `answer`, then the first five `passages` that were found."""
    return _continued(prompt_ls, ans_ls, ret_psg, R1_SEARCHER_PASSAGES, template, "r1_searcher_gen")


@_prompt("q_ls,searcho1_reasoning_template->prompt_ls")
def search_o1_init(q_ls: Questions, template: TemplatePath = None) -> list[str]:
    """Ask each question of a model that may search while it reasons (Search-o1); the template uses `question`."""
    check_lengths(q_ls=q_ls)
    return _filled(template, "search_o1_init", {"question": texts_or_none("q_ls", q_ls)}, "search_o1_reasoning")


@_prompt("extract_query_list,ret_psg,total_reason_list,searcho1_refine_template->prompt_ls")
def search_o1_reasoning_indocument(
    extract_query_list: Annotated[list[str | None], "what was searched for"],
    ret_psg: Passages,
    total_reason_list: Annotated[list[list[str] | None], "for each question the reasoning before each search"],
    template: TemplatePath = None,
) -> list[str]:
    """Ask what the passages say on a query: `search_query`, `document`, and the first and last `prev_reasoning`."""
    check_lengths(extract_query_list=extract_query_list, ret_psg=ret_psg, total_reason_list=total_reason_list)
    columns: dict[str, Sequence[str | None]] = {
        "prev_reasoning": [None if steps is None else _reasoning(steps) for steps in total_reason_list],
        "search_query": texts_or_none("extract_query_list", extract_query_list),
        "document": joined("ret_psg", ret_psg),
    }
    return _filled(template, "search_o1_reasoning_indocument", columns, "search_o1_refinement")


@_prompt("q_ls,total_subq_list,total_final_info_list,searcho1_reasoning_template->prompt_ls")
def search_o1_insert(
    q_ls: Questions,
    total_subq_list: Annotated[list[list[str] | None], "for each question what was searched for, in order"],
    total_final_info_list: Annotated[list[list[str] | None], "for each question the result of each search"],
    template: TemplatePath = None,
) -> list[str]:
    """Ask each question again, followed by every query so far with what was learned from it."""
    check_lengths(q_ls=q_ls, total_subq_list=total_subq_list, total_final_info_list=total_final_info_list)
    asked = _filled(template, "search_o1_insert", {"question": texts_or_none("q_ls", q_ls)}, "search_o1_reasoning")
    searches = zip(asked, total_subq_list, total_final_info_list, strict=True)
    return [text and text + _searches(queries or (), results or ()) for text, queries, results in searches]


@_prompt("q_ls,webnote_gen_plan_template->prompt_ls")
def webnote_gen_plan(q_ls: Questions, template: TemplatePath = None) -> list[str]:
    """Ask for the plan of a page of notes on each question; the template uses `question`."""
    check_lengths(q_ls=q_ls)
    return _filled(template, "webnote_gen_plan", {"question": texts_or_none("q_ls", q_ls)})


@_prompt("q_ls,plan_ls,webnote_init_page_template->prompt_ls")
def webnote_init_page(q_ls: Questions, plan_ls: Plans, template: TemplatePath = None) -> list[str]:
    """Ask for a page with the sections of the plan, none of them filled; the template uses `question`, `plan`."""
    return _filled(template, "webnote_init_page", _columns(question=("q_ls", q_ls), plan=("plan_ls", plan_ls)))


@_prompt("q_ls,plan_ls,page_ls,webnote_gen_subq_template->prompt_ls")
def webnote_gen_subq(q_ls: Questions, plan_ls: Plans, page_ls: Pages, template: TemplatePath = None) -> list[str]:
    """Ask for the next thing to search for; the template uses `question`, `plan`, `page`."""
    columns = _columns(question=("q_ls", q_ls), plan=("plan_ls", plan_ls), page=("page_ls", page_ls))
    return _filled(template, "webnote_gen_subq", columns)


@_prompt("q_ls,plan_ls,page_ls,subq_ls,psg_ls,webnote_fill_page_template->prompt_ls")
def webnote_fill_page(  # noqa: PLR0917 - as UltraRAG's
    q_ls: Questions,
    plan_ls: Plans,
    page_ls: Pages,
    subq_ls: Annotated[list[str | None], "what was searched for; null where it failed"],
    psg_ls: Passages,
    template: TemplatePath = None,
) -> list[str]:
    """Ask to fill in a page: `question`, `plan`, `page`, `sub_question` and the passages found, `docs_text`."""
    check_lengths(q_ls=q_ls, psg_ls=psg_ls)
    columns = _columns(
        question=("q_ls", q_ls), plan=("plan_ls", plan_ls), sub_question=("subq_ls", subq_ls), page=("page_ls", page_ls)
    )
    return _filled(template, "webnote_fill_page", {**columns, "docs_text": joined("psg_ls", psg_ls)})


@_prompt("q_ls,page_ls,webnote_gen_answer_template->prompt_ls")
def webnote_gen_answer(q_ls: Questions, page_ls: Pages, template: TemplatePath = None) -> list[str]:
    """Ask each question with its page of notes; the template uses `question`, `page`."""
    return _filled(template, "webnote_gen_answer", _columns(question=("q_ls", q_ls), page=("page_ls", page_ls)))


@_prompt("instruction_ls,survey_ls,cursor_ls,surveycpm_search_template->prompt_ls")
def surveycpm_search(
    instruction_ls: Instructions,
    survey_ls: Surveys,
    cursor_ls: Cursors,
    surveycpm_search_template: TemplatePath = None,
) -> list[str]:
    """Ask what to search for: `user_query`, `current_outline` and, as `current_instruction`, the part to write next."""
    check_lengths(instruction_ls=instruction_ls, survey_ls=survey_ls, cursor_ls=cursor_ls)
    columns: dict[str, Sequence[str | None]] = {
        "user_query": texts_or_none("instruction_ls", instruction_ls),
        "current_outline": [outline(read_survey(each)) for each in survey_ls],
        "current_instruction": [_task(each) for each in cursor_ls],
    }
    return _filled(surveycpm_search_template, "surveycpm_search", columns)


@_prompt("instruction_ls,retrieved_info_ls,surveycpm_init_plan_template->prompt_ls")
def surveycpm_init_plan(
    instruction_ls: Instructions, retrieved_info_ls: Found, surveycpm_init_plan_template: TemplatePath = None
) -> list[str]:
    """Ask for title and sections of a survey: `user_query`, and what was found as `current_information`."""
    check_lengths(instruction_ls=instruction_ls, retrieved_info_ls=retrieved_info_ls)
    columns: dict[str, Sequence[str | None]] = {
        "user_query": texts_or_none("instruction_ls", instruction_ls),
        "current_information": _information(retrieved_info_ls),
    }
    return _filled(surveycpm_init_plan_template, "surveycpm_init_plan", columns)


@_prompt("instruction_ls,survey_ls,cursor_ls,retrieved_info_ls,surveycpm_write_template->prompt_ls")
def surveycpm_write(
    instruction_ls: Instructions,
    survey_ls: Surveys,
    cursor_ls: Cursors,
    retrieved_info_ls: Found,
    surveycpm_write_template: TemplatePath = None,
) -> list[str]:
    """Ask for a part: `user_query`, `current_survey`, `current_instruction`, `current_information`."""
    check_lengths(
        instruction_ls=instruction_ls, survey_ls=survey_ls, cursor_ls=cursor_ls, retrieved_info_ls=retrieved_info_ls
    )
    columns: dict[str, Sequence[str | None]] = {
        "user_query": texts_or_none("instruction_ls", instruction_ls),
        "current_survey": [outline(read_survey(each)) for each in survey_ls],
        "current_instruction": [_task(each) for each in cursor_ls],
        "current_information": _information(retrieved_info_ls),
    }
    return _filled(surveycpm_write_template, "surveycpm_write", columns)


@_prompt("instruction_ls,survey_ls,surveycpm_extend_plan_template->prompt_ls")
def surveycpm_extend_plan(
    instruction_ls: Instructions, survey_ls: Surveys, surveycpm_extend_plan_template: TemplatePath = None
) -> list[str]:
    """Ask which section to cut into subsections, or that none is: `user_query`, `current_survey`."""
    check_lengths(instruction_ls=instruction_ls, survey_ls=survey_ls)
    columns: dict[str, Sequence[str | None]] = {
        "user_query": texts_or_none("instruction_ls", instruction_ls),
        "current_survey": [outline(read_survey(each)) for each in survey_ls],
    }
    return _filled(surveycpm_extend_plan_template, "surveycpm_extend_plan", columns)


def _filled(
    template: str | None, prompt: str, columns: Mapping[str, Sequence[str | None]], bundled: str | None = None
) -> list[str]:
    escape, own = _ESCAPE.get(), f"prompt/{bundled or prompt}.jinja"
    if escape not in (None, *ESCAPES):
        raise UnknownName.of(Message("words.setting"), escape, ESCAPES, parameter="escape")
    found = read_template(own if template is None else template, root=ROOT, escape=escape is not None)
    return fill(found, columns, prompt=prompt, example=own)


def _columns(**named: tuple[str, Sequence[Any]]) -> dict[str, Sequence[str | None]]:
    """Return the texts of lists of one length, each by the name that a template has for it.

    A list has its own name too.
    """
    check_lengths(**dict(named.values()))
    return {name: texts_or_none(own, entries) for name, (own, entries) in named.items()}


def _repeated(turns: Sequence[Any]) -> list[bool]:
    """Which rounds repeat the one before."""
    return [place > 0 and turn == turns[place - 1] for place, turn in enumerate(turns)]


def _of_new_rounds(asked: Sequence[Any], found: Sequence[list[str] | None]) -> list[str]:
    """Return the passages of all rounds but those in which nothing new was asked and nothing new was found."""
    again = list(map(all, zip(_repeated(asked), _repeated(found), strict=False)))
    again += [False] * (len(found) - len(again))
    return [text for turn, left_out in zip(found, again, strict=True) if not left_out for text in turn or ()]


def _reasoning(steps: Sequence[str]) -> str:
    """Return the first step of a reasoning and the last ones, numbered as they are shown."""
    shown = steps if len(steps) <= LAST_REASONS else [steps[0], *steps[-LAST_REASONS:]]
    return "\n\n".join(f"Step {number}: {step}" for number, step in enumerate(shown, start=1))


def _searches(queries: Sequence[str], results: Sequence[str]) -> str:
    """Return queries and results between the marks of Search-o1."""
    return "".join(
        f"<|begin_search_query|>{query}<|end_search_query|>\n<|begin_search_result|>{result}<|end_search_result|>"
        for query, result in zip(queries, results, strict=False)
    )


def _task(cursor: str | None) -> str:
    return f"You need to update {cursor}"


def _information(found: Sequence[str | None]) -> list[str]:
    return ["" if each in (None, PAD) else str(each) for each in found]


def _with_documents(q_ls: Sequence[str | None], ret_psg: Sequence[list[str] | None]) -> dict[str, Sequence[str | None]]:
    check_lengths(q_ls=q_ls, ret_psg=ret_psg)
    return {"question": texts_or_none("q_ls", q_ls), "documents": joined("ret_psg", ret_psg)}


def _continued(  # noqa: PLR0917 - three lists and how to fill them
    prompt_ls: list[Any],
    ans_ls: list[str | None],
    ret_psg: list[list[str] | None],
    most: int,
    template: str | None,
    prompt: str,
) -> list[str]:
    check_lengths(prompt_ls=prompt_ls, ans_ls=ans_ls, ret_psg=ret_psg)
    columns: dict[str, Sequence[str | None]] = {
        "history": [None if each is None else text_of(each) for each in prompt_ls],
        "answer": texts_or_none("ans_ls", ans_ls),
        "passages": joined("ret_psg", ret_psg, most=most),
    }
    return _filled(template, prompt, columns)


if __name__ == "__main__":
    app.run()
