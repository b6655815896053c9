"""Custom server: small steps between a model and what is weighed. A null answer, one that failed, stays null."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.pipelines.server import Server, notify
from steelyard.rag import extraction, surveys
from steelyard.rag.prompts import CitationNumbers, check_lengths

app = Server("custom", __file__)

FIRST_PASSAGES = 20  # what is shown of the passages before a survey has an outline
PASSAGES = 10

_cited, _survey_cited = CitationNumbers(), CitationNumbers()

Answers = Annotated[list[str | None], "the answers of a model, in order; null where it failed"]
Passages = Annotated[list[list[str] | None], "for each question the texts of the passages found for it; null for none"]
Texts = dict[str, list[str | None]]
Lists = Annotated[list[list[str] | None], "for each question a list of texts; <PAD> alone where it is empty"]
Replies = Annotated[list[str | None], "what a model has replied; null where it failed"]
Instructions = Annotated[list[str | None], "what each survey is to be about"]
Surveys = Annotated[list[str | None], "the survey of each instruction so far, as JSON; <PAD> where it is not begun"]
Cursors = Annotated[list[str | None], "the part of each survey that is written next; null where none is left"]
Strict = Annotated[bool, "whether number, length, language and citations are checked too"]
Found = Annotated[list[list[list[str]] | None], "for each instruction the passages found for each keyword"]
Columns = dict[str, list[Any]]


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
        raise InputError(Message("servers.passages_differ", new=len(temp_psg), found=len(ret_psg)))
    return {"ret_psg": [[*(found or ()), *(more or ())] for more, found in zip(temp_psg, ret_psg, strict=True)]}


@app.tool("ret_psg->ret_psg")
def assign_citation_ids(ret_psg: Passages) -> dict[str, list[list[str]]]:
    """Number the passages of each question from [1] on, so that an answer can cite them."""  # noqa: D401 - a verb
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
        raise InputError(Message("servers.questions_and_answers", questions=len(q_ls), answers=len(ans_ls)))
    answers = [" ".join(each) if isinstance(each, list) else each or "" for each in ans_ls]
    pairs = zip(q_ls, answers, strict=True)
    return {"nextq_ls": [None if question is None else f"{question} {more}".strip() for question, more in pairs]}


@app.tool("ans_ls->extract_query_list")
def search_r1_query_extract(ans_ls: Answers) -> Texts:
    """Take the last query in <search>…</search> of each answer, as a question; without one, "There is no query."."""
    return {"extract_query_list": _each(lambda answer: extraction.search_question(answer, "search"), ans_ls)}


@app.tool("ans_ls->extract_query_list")
def r1_searcher_query_extract(ans_ls: Answers) -> Texts:
    """Take the last query in <|begin_of_query|>…<|end_of_query|>, as a question; without one, "There is no query."."""
    return {"extract_query_list": _each(lambda answer: extraction.search_question(answer, "begin_of_query"), ans_ls)}


@app.tool("q_ls->q_ls")
def init_citation_registry(q_ls: Annotated[list[str | None], "the questions, in order"]) -> Columns:
    """Begin to number passages for citations: the numbers given before are forgotten."""
    _cited.reset()
    return {"q_ls": q_ls}


@app.tool("ret_psg,q_ls->ret_psg")
def assign_citation_ids_stateful(
    ret_psg: Passages, q_ls: Annotated[list[str | None] | None, "the questions of these passages"] = None
) -> dict[str, list[list[str]]]:
    """Number the passages of each question; a passage that comes again has the number it had."""  # noqa: D401 - a verb
    _begin(_cited)
    keyed = zip(_cited.keys(len(ret_psg), q_ls), ret_psg, strict=True)
    return {
        "ret_psg": [[f"[{_cited.number(key, text)}] {text.strip()}" for text in texts or ()] for key, texts in keyed]
    }


@app.tool("q_ls->total_subq_list,total_reason_list,total_final_info_list")
def search_o1_init_list(q_ls: Annotated[list[str | None], "the questions, in order"]) -> Columns:
    """Begin the three lists of Search-o1 for each question: queries, reasoning, and what was learned."""
    names = ("total_subq_list", "total_reason_list", "total_final_info_list")
    return {name: [[surveys.PAD] for _ in q_ls] for name in names}


@app.tool("ans_ls->extract_query_list")
def search_o1_query_extract(ans_ls: Answers) -> Texts:
    """Take the last query in <|begin_search_query|>…<|end_search_query|> of each answer; "" where there is none."""
    return {"extract_query_list": _each(extraction.o1_query, ans_ls)}


@app.tool("ans_ls->extract_reason_list")
def search_o1_reasoning_extract(ans_ls: Answers) -> Texts:
    """Take the reasoning that stands before the first <|begin_search_query|> of each answer."""
    return {"extract_reason_list": _each(extraction.o1_reasoning, ans_ls)}


@app.tool("ans_ls->extract_final_infor_list")
def search_o1_extract_final_information(ans_ls: Answers) -> Texts:
    """Take each answer from **Final Information** on; "" where it has no such line."""
    return {"extract_final_infor_list": _each(extraction.o1_information, ans_ls)}


@app.tool("total_subq_list,extract_query_list,total_reason_list,extract_reason_list->total_subq_list,total_reason_list")
def search_o1_combine_list(
    total_subq_list: Lists,
    extract_query_list: Annotated[list[str | None], "the new query of each question"],
    total_reason_list: Lists,
    extract_reason_list: Annotated[list[str | None], "the new reasoning of each question"],
) -> Columns:
    """Put the new queries and the new reasoning behind those of before."""
    return {
        "total_subq_list": _extended(total_subq_list, extract_query_list),
        "total_reason_list": _extended(total_reason_list, extract_reason_list),
    }


@app.tool("total_final_info_list,extract_final_infor_list->total_final_info_list")
def search_o1_combine_final_information(
    total_final_info_list: Lists, extract_final_infor_list: Annotated[list[str | None], "what was learned now"]
) -> Columns:
    """Put what was learned from a search behind what was learned before."""
    return {"total_final_info_list": _extended(total_final_info_list, extract_final_infor_list)}


@app.tool("instruction_ls->instruction_ls")
def surveycpm_init_citation_registry(instruction_ls: Instructions) -> Columns:
    """Begin to number what surveys cite: the numbers given before are forgotten."""
    _survey_cited.reset()
    return {"instruction_ls": instruction_ls}


@app.tool(
    "instruction_ls->state_ls,cursor_ls,survey_ls,step_ls,extend_time_ls,extend_result_ls,retrieved_info_ls,parsed_ls"
)
def surveycpm_state_init(instruction_ls: Instructions) -> Columns:
    """Begin a survey for each instruction: it is not planned, and a search comes first."""
    first: dict[str, Any] = {
        "state_ls": "search",
        "cursor_ls": surveys.OUTLINE,
        "survey_ls": surveys.PAD,
        "step_ls": 0,
        "extend_time_ls": 0,
        "extend_result_ls": surveys.PAD,
        "retrieved_info_ls": surveys.PAD,
        "parsed_ls": True,
    }
    return {name: [value] * len(instruction_ls) for name, value in first.items()}


@app.tool("response_ls,surveycpm_hard_mode->keywords_ls,parsed_ls")
def surveycpm_parse_search_response(response_ls: Replies, surveycpm_hard_mode: Strict = True) -> Columns:
    """Take the keywords to search for out of each reply."""
    rules = surveys.Rules(surveycpm_hard_mode)
    read = [surveys.read_reply(reply, ["search"], rules) for reply in response_ls]
    return {"keywords_ls": [_keywords(each.action) for each in read], "parsed_ls": [each.valid for each in read]}


@app.tool("ret_psg_ls->retrieved_info_ls")
def surveycpm_process_passages(ret_psg_ls: Found) -> Columns:
    """Join the passages found for each instruction, without repetitions, twenty at most."""
    chosen = [surveys.selected(found, FIRST_PASSAGES) if found else [] for found in ret_psg_ls]
    return {"retrieved_info_ls": ["\n\n".join(texts).strip() for texts in chosen]}


@app.tool("ret_psg_ls,survey_ls,instruction_ls->retrieved_info_ls,ret_psg")
def surveycpm_process_passages_with_citation(
    ret_psg_ls: Found,
    survey_ls: Surveys,
    instruction_ls: Annotated[list[str | None] | None, "the instructions of these surveys"] = None,
) -> Columns:
    """Join the passages found for each instruction, each with the key by which it is cited."""
    check_lengths(ret_psg_ls=ret_psg_ls, survey_ls=survey_ls)
    _begin(_survey_cited)
    keys = _survey_cited.keys(len(ret_psg_ls), instruction_ls)
    cited = []
    for key, found, survey in zip(keys, ret_psg_ls, survey_ls, strict=True):
        most = PASSAGES if surveys.read_survey(survey) else FIRST_PASSAGES
        chosen = surveys.selected(found, most) if found else []
        cited.append([f"bibkey:textid{_survey_cited.number(key, text)}\n{text}" for text in chosen])
    return {"retrieved_info_ls": ["\n\n".join(texts).strip() for texts in cited], "ret_psg": cited}


@app.tool("response_ls,survey_ls,instruction_ls,surveycpm_hard_mode->survey_ls,cursor_ls,parsed_ls")
def surveycpm_after_init_plan(
    response_ls: Replies, survey_ls: Surveys, instruction_ls: Instructions, surveycpm_hard_mode: Strict = True
) -> Columns:
    """Take title and sections of each survey out of a reply; without them the survey stays as it was."""
    check_lengths(response_ls=response_ls, survey_ls=survey_ls, instruction_ls=instruction_ls)
    rows = []
    for reply, survey, instruction in zip(response_ls, survey_ls, instruction_ls, strict=True):
        rules = surveys.Rules(surveycpm_hard_mode, instruction or "")
        read = surveys.read_reply(reply, ["init-plan"], rules)
        planned = {"title": read.action["title"], "sections": read.action["sections"]} if read.valid else {}
        kept = surveys.written(planned) if read.valid else survey
        rows.append((kept, surveys.next_part(planned), read.valid))
    return _columns(("survey_ls", "cursor_ls", "parsed_ls"), rows)


@app.tool(
    "response_ls,survey_ls,cursor_ls,instruction_ls,retrieved_info_ls,surveycpm_hard_mode->survey_ls,cursor_ls,parsed_ls"
)
def surveycpm_after_write(  # noqa: PLR0917 - as UltraRAG's
    response_ls: Replies,
    survey_ls: Surveys,
    cursor_ls: Cursors,
    instruction_ls: Instructions,
    retrieved_info_ls: Annotated[list[str | None], "what was found for each survey, as one text"],
    surveycpm_hard_mode: Strict = True,
) -> Columns:
    """Put the text of each reply where the cursor is, and set the cursor to the next part."""
    lists = {"survey_ls": survey_ls, "cursor_ls": cursor_ls, "instruction_ls": instruction_ls}
    check_lengths(response_ls=response_ls, **lists, retrieved_info_ls=retrieved_info_ls)
    rows = []
    for reply, text, cursor, instruction, found in zip(response_ls, *lists.values(), retrieved_info_ls, strict=True):
        rules = surveys.Rules(surveycpm_hard_mode, instruction or "", known_keys=surveys.cited_keys(found or ""))
        read = surveys.read_text_reply(reply, rules)
        content = read.action["content"] if read.valid else ""
        if content and cursor:
            survey = surveys.replaced(surveys.read_survey(text), cursor, {"content": content})
            rows.append((surveys.written(survey), surveys.next_part(survey), True))
        else:
            rows.append((text, cursor, read.valid))
    return _columns(("survey_ls", "cursor_ls", "parsed_ls"), rows)


@app.tool(
    "response_ls,survey_ls,cursor_ls,instruction_ls,surveycpm_hard_mode->survey_ls,cursor_ls,extend_result_ls,parsed_ls"
)
def surveycpm_after_extend(
    response_ls: Replies,
    survey_ls: Surveys,
    cursor_ls: Cursors,
    instruction_ls: Instructions,
    surveycpm_hard_mode: Strict = True,
) -> Columns:
    """Put the subsections that a reply names into each survey: extended, nop where none are, retry where unreadable."""
    lists = {"survey_ls": survey_ls, "cursor_ls": cursor_ls, "instruction_ls": instruction_ls}
    check_lengths(response_ls=response_ls, **lists)
    rows = []
    for reply, text, cursor, instruction in zip(response_ls, *lists.values(), strict=True):
        survey = surveys.read_survey(text)
        rules = surveys.Rules(surveycpm_hard_mode, instruction or "", survey, cursor)
        read = surveys.read_reply(reply, ["extend-plan", "nop"], rules)
        if read.valid and read.action["name"] == "extend-plan":
            more = {"subsections": read.action["subsections"]}
            survey = surveys.replaced(survey, read.action["position"], more)
            rows.append((surveys.written(survey), surveys.next_part(survey), "extended", True))
        else:
            rows.append((text, cursor, "nop" if read.valid else "retry", read.valid))
    return _columns(("survey_ls", "cursor_ls", "extend_result_ls", "parsed_ls"), rows)


@app.tool(
    "state_ls,cursor_ls,extend_time_ls,extend_result_ls,step_ls,parsed_ls,surveycpm_max_step,surveycpm_max_extend_step"
    "->state_ls,extend_time_ls,step_ls"
)
def surveycpm_update_state(  # noqa: PLR0917 - as UltraRAG's
    state_ls: Annotated[list[str], "the state of each survey"],
    cursor_ls: Cursors,
    extend_time_ls: Annotated[list[int], "how often each survey was extended"],
    extend_result_ls: Annotated[list[str | None], "extended, nop, retry or <PAD>"],
    step_ls: Annotated[list[int], "how many steps each survey has taken"],
    parsed_ls: Annotated[list[bool | None], "whether the last reply of each survey could be read"],
    surveycpm_max_step: Annotated[int, "how many steps a survey may take"] = 140,
    surveycpm_max_extend_step: Annotated[int, "how often a survey may be extended"] = 12,
) -> Columns:
    """Say what each survey does next: search, plan, write, extend, or that it is done."""
    parsed = parsed_ls or [True] * len(state_ls)
    check_lengths(state_ls=state_ls, cursor_ls=cursor_ls, extend_time_ls=extend_time_ls, step_ls=step_ls)
    check_lengths(state_ls=state_ls, extend_result_ls=extend_result_ls, parsed_ls=parsed)
    stands = map(surveys.Progress, state_ls, cursor_ls, extend_time_ls, step_ls)
    limits = {"most_steps": surveycpm_max_step, "most_extensions": surveycpm_max_extend_step}
    after = [
        surveys.advanced(now, parsed=bool(read), extension=extension or "", **limits)
        for now, read, extension in zip(stands, parsed, extend_result_ls, strict=True)
    ]
    return _columns(
        ("state_ls", "extend_time_ls", "step_ls"), [(each.state, each.extended, each.step) for each in after]
    )


@app.tool("step_ls,state_ls,surveycpm_max_step->state_ls")
def surveycpm_check_completion(
    step_ls: Annotated[list[int], "how many steps each survey has taken"],
    state_ls: Annotated[list[str], "the state of each survey"],
    surveycpm_max_step: Annotated[int, "how many steps a survey may take"] = 140,
) -> Columns:
    """Call a survey done that has taken all its steps."""
    check_lengths(step_ls=step_ls, state_ls=state_ls)
    pairs = zip(step_ls, state_ls, strict=True)
    return {"state_ls": ["done" if step >= surveycpm_max_step else state for step, state in pairs]}


@app.tool("survey_ls,instruction_ls->ans_ls")
def surveycpm_format_output(survey_ls: Surveys, instruction_ls: Instructions) -> Columns:
    """Write each survey out as Markdown, with numbered sections and citations."""
    check_lengths(survey_ls=survey_ls, instruction_ls=instruction_ls)
    return {"ans_ls": [surveys.as_markdown(surveys.read_survey(each)) for each in survey_ls]}


def _begin(registry: CitationNumbers) -> None:
    """Say that numbers begin at 1 where no step of this run has begun them, as after a run that was resumed."""
    if not registry.begun:
        notify(Message("servers.citations_from_one"))
        registry.reset()


def _each(extract: Callable[[str], str], answers: Sequence[str | None]) -> list[str | None]:
    return [None if answer is None else extract(answer) for answer in answers]


def _extended(lists: Sequence[list[str] | None], more: Sequence[str | None]) -> list[list[str]]:
    """Each list with one more entry, which takes the place of a lone <PAD>; what failed is an empty entry."""
    if len(lists) != len(more):
        raise InputError(Message("servers.lists_and_entries", lists=len(lists), entries=len(more)))
    before = [[] if not entries or entries == [surveys.PAD] else entries for entries in lists]
    return [[*entries, each or ""] for entries, each in zip(before, more, strict=True)]


def _keywords(action: Any) -> list[str]:
    found = action.get("keywords")
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _columns(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> Columns:
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


if __name__ == "__main__":
    app.run()
