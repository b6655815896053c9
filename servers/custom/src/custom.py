"""Custom server: small steps between a model and what is weighed. A null answer, one that failed, stays null."""

from collections.abc import Callable, Sequence
from typing import Annotated

from steelyard.errors import InputError
from steelyard.pipelines.server import Server
from steelyard.rag import extraction

app = Server("custom", __file__)

Answers = Annotated[list[str | None], "the answers of a model, in order; null where it failed"]
Passages = Annotated[list[list[str] | None], "for each question the texts of the passages found for it; null for none"]
Texts = dict[str, list[str | None]]


@app.tool("ans_ls->pred_ls")
def output_extract_from_boxed(ans_ls: Answers) -> Texts:
    r"""Take what stands in the last closed \boxed{…} of each answer; without one, the whole answer."""
    return {"pred_ls": _each(extraction.boxed, ans_ls)}


@app.tool("ans_ls->pred_ls")
def evisrag_output_extract_from_special(ans_ls: Answers) -> Texts:
    """Take what stands in <answer>…</answer>; without these tags, the whole answer."""
    return {"pred_ls": _each(extraction.tagged_answer, ans_ls)}


@app.tool("temp_psg,ret_psg->ret_psg")
def merge_passages(temp_psg: Passages, ret_psg: Passages) -> dict[str, list[list[str]]]:
    """Put the passages of `temp_psg` behind those of `ret_psg`, question by question."""
    if len(temp_psg) != len(ret_psg):
        raise InputError(f"passages of {len(temp_psg)} questions in temp_psg, of {len(ret_psg)} in ret_psg")
    return {"ret_psg": [[*(found or ()), *(more or ())] for more, found in zip(temp_psg, ret_psg, strict=True)]}


@app.tool("ret_psg->ret_psg")
def assign_citation_ids(ret_psg: Passages) -> dict[str, list[list[str]]]:
    """Number the passages of each question from [1] on, so that an answer can cite them."""
    numbered = [enumerate(texts or (), start=1) for texts in ret_psg]
    return {"ret_psg": [[f"[{number}] {text.strip()}" for number, text in texts] for texts in numbered]}


@app.tool("ans_ls->q_ls")
def ircot_get_first_sent(ans_ls: Answers) -> Texts:
    """Take the first sentence of each answer as the next question; without an end mark, its first line."""
    return {"q_ls": _each(extraction.first_sentence, ans_ls)}


@app.tool("ans_ls->pred_ls")
def ircot_extract_ans(ans_ls: Answers) -> Texts:
    """Take what follows "so the answer is" on its line; without these words, the whole answer."""
    return {"pred_ls": _each(extraction.final_answer, ans_ls)}


@app.tool("q_ls,ret_psg->nextq_ls")
def iterretgen_nextquery(
    q_ls: Annotated[list[str | None], "the questions, in order; null has no next query"],
    ans_ls: Annotated[list[str | list[str] | None], "for each question an answer, or passages"],
) -> Texts:
    """Make the next query of each question: the question, then what was answered or found; alone where that failed.

    A pipeline that means the answers says so: `input: {ans_ls: ans_ls}`.
    """
    if len(q_ls) != len(ans_ls):
        raise InputError(f"q_ls has {len(q_ls)} entries, ans_ls has {len(ans_ls)}")
    said = [" ".join(each) if isinstance(each, list) else each or "" for each in ans_ls]
    pairs = zip(q_ls, said, strict=True)
    return {"nextq_ls": [None if question is None else f"{question} {more}".strip() for question, more in pairs]}


@app.tool("ans_ls->extract_query_list")
def search_r1_query_extract(ans_ls: Answers) -> Texts:
    """Take the last query in <search>…</search> of each answer; "" where there is none."""
    return {"extract_query_list": _each(lambda answer: extraction.search_query(answer, "search"), ans_ls)}


@app.tool("ans_ls->extract_query_list")
def r1_searcher_query_extract(ans_ls: Answers) -> Texts:
    """Take the last query in <|begin_of_query|>…<|end_of_query|> of each answer; "" where there is none."""
    return {"extract_query_list": _each(lambda answer: extraction.search_query(answer, "begin_of_query"), ans_ls)}


def _each(extract: Callable[[str], str], answers: Sequence[str | None]) -> list[str | None]:
    return [None if answer is None else extract(answer) for answer in answers]


if __name__ == "__main__":
    app.run()
