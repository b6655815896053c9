"""Prompt server: questions, passages and options put into templates."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

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

app = Server("prompt", __file__)

# the folder that holds servers/ and prompt/
ROOT = Path(__file__).resolve().parents[3]

SEARCH_R1_PASSAGES = 3
R1_SEARCHER_PASSAGES = 5

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


@app.prompt("q_ls,template->prompt_ls")
def qa_boxed(q_ls: Questions, template: TemplatePath = None) -> list[str]:
    r"""Ask each question alone, for an answer in \boxed{}; the template uses `question`."""
    check_lengths(q_ls=q_ls)
    return _filled(template, "qa_boxed", {"question": texts_or_none("q_ls", q_ls)})


@app.prompt("q_ls,ret_psg,template->prompt_ls")
def qa_rag_boxed(q_ls: Questions, ret_psg: Passages, template: TemplatePath = None) -> list[str]:
    r"""Ask each question with its passages, for an answer in \boxed{}; the template uses `question`, `documents`."""
    return _filled(template, "qa_rag_boxed", _with_documents(q_ls, ret_psg))


@app.prompt("q_ls,choices_ls,template->prompt_ls")
def qa_boxed_multiple_choice(q_ls: Questions, choices_ls: Options, template: TemplatePath = None) -> list[str]:
    r"""Ask for the letter of an option in \boxed{}; the template uses `question`, `choices`."""
    check_lengths(q_ls=q_ls, choices_ls=choices_ls)
    columns = {"question": texts_or_none("q_ls", q_ls), "choices": lettered("choices_ls", choices_ls)}
    return _filled(template, "qa_boxed_multiple_choice", columns)


@app.prompt("q_ls,choices_ls,ret_psg,template->prompt_ls")
def qa_rag_boxed_multiple_choice(
    q_ls: Questions, choices_ls: Options, ret_psg: Passages, template: TemplatePath = None
) -> list[str]:
    r"""Ask with passages for the letter of an option; the template uses `question`, `choices`, `documents`."""
    check_lengths(q_ls=q_ls, choices_ls=choices_ls, ret_psg=ret_psg)
    columns = {"choices": lettered("choices_ls", choices_ls), **_with_documents(q_ls, ret_psg)}
    return _filled(template, "qa_rag_boxed_multiple_choice", columns)


@app.prompt("q_ls,ret_psg,kr_template->prompt_ls")
def RankCoT_kr(q_ls: Questions, ret_psg: Passages, template: TemplatePath = None) -> list[str]:
    """Ask for notes on what the passages say about each question; the template uses `question`, `documents`."""
    return _filled(template, "RankCoT_kr", _with_documents(q_ls, ret_psg))


@app.prompt("q_ls,kr_ls,qa_template->prompt_ls")
def RankCoT_qa(q_ls: Questions, kr_ls: Answers, template: TemplatePath = None) -> list[str]:
    """Ask each question with the notes taken for it, which the template calls `CoT`; failed notes, empty prompt."""
    check_lengths(q_ls=q_ls, kr_ls=kr_ls)
    columns = {"question": texts_or_none("q_ls", q_ls), "CoT": texts_or_none("kr_ls", kr_ls)}
    return _filled(template, "RankCoT_qa", columns)


@app.prompt("memory_q_ls,memory_ret_psg,template->prompt_ls")
def ircot_next_prompt(
    memory_q_ls: Annotated[
        list[list[str | None]], "by round: the questions first, then the thoughts that were searched for"
    ],
    memory_ret_psg: Annotated[list[list[list[str] | None]], "by round: for each question the passages found for it"],
    template: TemplatePath = None,
) -> list[str]:
    """Ask for the next thought: `question`, `documents` of all rounds, and the thoughts so far as `cur_answer`.

    A thought or passage that comes again is told once: a question that is settled keeps the prompt that settled it.
    """
    thoughts, passages = by_question("q_ls", memory_q_ls), by_question("ret_psg", memory_ret_psg)
    check_lengths(memory_q_ls=thoughts, memory_ret_psg=passages)
    questions = texts_or_none("memory_q_ls", [each[0] for each in thoughts])
    found = [list(dict.fromkeys(text for turn in turns for text in turn or ())) for turns in passages]
    told = [[each for each in dict.fromkeys(turns) if each and each != turns[0]] for turns in thoughts]
    columns: dict[str, Sequence[str | None]] = {
        "question": questions,
        "documents": joined("memory_ret_psg", found),
        "cur_answer": [" ".join(each) for each in told],
    }
    return _filled(template, "ircot_next_prompt", columns)


@app.prompt("q_ls,ret_psg,gen_subq_template->prompt_ls")
def gen_subq(q_ls: Questions, ret_psg: Passages, template: TemplatePath = None) -> list[str]:
    """Ask for a search query that would find what is still missing; the template uses `question`, `documents`."""
    return _filled(template, "gen_subq", _with_documents(q_ls, ret_psg))


@app.prompt("q_ls,ret_psg,check_psg_template->prompt_ls")
def check_passages(q_ls: Questions, ret_psg: Passages, template: TemplatePath = None) -> list[str]:
    """Ask whether the passages suffice, or <search> is needed; the template uses `question`, `documents`."""
    return _filled(template, "check_passages", _with_documents(q_ls, ret_psg))


@app.prompt("prompt_ls,ans_ls,ret_psg,search_r1_gen_template->prompt_ls")
def search_r1_gen(prompt_ls: Prompts, ans_ls: Answers, ret_psg: Passages, template: TemplatePath = None) -> list[str]:
    """Continue a Search-R1 prompt: `history`, then `answer`, then the first three `passages` that were found."""
    return _continued(prompt_ls, ans_ls, ret_psg, SEARCH_R1_PASSAGES, template, "search_r1_gen")


@app.prompt("prompt_ls,ans_ls,ret_psg,r1_searcher_gen_template->prompt_ls")
def r1_searcher_gen(prompt_ls: Prompts, ans_ls: Answers, ret_psg: Passages, template: TemplatePath = None) -> list[str]:
    """Continue an R1-Searcher prompt: `history`, then `answer`, then the first five `passages` that were found."""
    return _continued(prompt_ls, ans_ls, ret_psg, R1_SEARCHER_PASSAGES, template, "r1_searcher_gen")


def _filled(template: str | None, prompt: str, columns: Mapping[str, Sequence[str | None]]) -> list[str]:
    own = f"prompt/{prompt}.jinja"
    return fill(read_template(own if template is None else template, root=ROOT), columns, prompt=prompt, example=own)


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
