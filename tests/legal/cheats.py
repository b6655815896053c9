"""Systems that cheat: each knows the question and the document, and nothing of the key.

A cheat is a function of the question's text and the document that gives an output record. None of them reads; each
bets on a weakness that a judge might have.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from steelyard.documents.pages import Document
from steelyard.systems.baseline import Index, Passage, passages_of
from steelyard.text.mentions import mentions
from steelyard.text.normalisation import normalise

Record = dict[str, Any]
Cheat = Callable[[str, Document], Record]

CHEATS: dict[str, Cheat] = {}
_INDEXES: dict[str, Index] = {}


def cheat(function: Cheat) -> Cheat:
    """Enter a cheating system under its name."""
    CHEATS[function.__name__] = function
    return function


# what cheats are made of


def in_words(question: str, chinese: str, english: str) -> str:
    return english if question.isascii() else chinese


def nearest(question: str, document: Document, most: int = 1) -> list[Passage]:
    """The passages most like the question."""
    if document.digest not in _INDEXES:
        _INDEXES[document.digest] = Index(list(passages_of(document)))
    index = _INDEXES[document.digest]
    return [passage for _, passage in index.search(question)[:most]] or index.passages[:most]


def nearest_line(question: str, document: Document) -> str:
    return re.sub(r"^\s*[答A]\s*[:：]\s*", "", nearest(question, document)[0].text).strip()


def slices(document: Document) -> list[Record]:
    """The whole document in passages of the longest length that may be cited."""
    longest = 880 if document.text[:400].isascii() else 290
    return [
        {"page": page.number, "text": page.text[at : at + longest]}
        for page in document.pages
        for at in range(0, len(page.text), longest)
    ]


def values(document: Document, *kinds: str) -> list[str]:
    return list(dict.fromkeys(found.text for found in mentions(normalise(document.text)) if found.kind in kinds))


def units(document: Document, kind: str) -> Iterator[tuple[int, str]]:
    for page in document.pages:
        for unit in page.units:
            if unit.kind == kind:
                yield page.number, page.text[unit.start : unit.end].strip()


def unknown_lines(document: Document) -> list[str]:
    unknown = re.compile(r"忘|记不|不知道|不清楚|未载明|不详|\b(?:know|recall|remember|say)\b")
    return [line for line in document.text.split("\n") if unknown.search(line)]


@cache
def refusal(is_english: bool) -> str:
    return "The document does not state this." if is_english else "材料未载明该信息，无法确定。"


# citations


@cheat
def slices_in_order(question: str, document: Document) -> Record:
    cited = slices(document)
    return {"answer": in_words(question, "详见引用。", "See the citations."), "citations": cited, "evidence": cited}


@cheat
def slices_nearest_first(question: str, document: Document) -> Record:
    line = nearest(question, document)[0]
    cited = sorted(slices(document), key=lambda each: each["page"] != line.page or line.text[:20] not in each["text"])
    return {"answer": in_words(question, "详见引用。", "See the citations."), "citations": cited, "evidence": cited}


@cheat
def whole_pages_cited(question: str, document: Document) -> Record:
    cited = [{"page": page.number, "text": page.text} for page in document.pages]
    return {"answer": in_words(question, "详见引用。", "See the citations."), "citations": cited, "evidence": cited}


@cheat
def glued_lines(question: str, document: Document) -> Record:
    """One snippet for each page that glues its nearest lines with gaps, so that few snippets hold much."""
    glued: dict[int, list[str]] = {}
    for passage in nearest(question, document, 12):
        glued.setdefault(passage.page, []).append(passage.text)
    cited = []
    for number, lines in glued.items():
        page = document.page(number)
        assert page is not None
        cited.append({"page": number, "text": "……".join(sorted(lines, key=page.text.find))})
    return {"answer": in_words(question, "详见引用。", "See the citations."), "citations": cited, "evidence": cited}


@cheat
def a_word_of_every_page(question: str, document: Document) -> Record:
    cited = [{"page": page.number, "text": page.text[:12]} for page in document.pages]
    return {"answer": question, "citations": cited, "evidence": cited}


@cheat
def invented_citations(question: str, document: Document) -> Record:
    """Every page, with the question's own words as what stands there."""
    cited = [{"page": page.number, "text": f"答：{question.rstrip('？?')}"} for page in document.pages]
    return {"answer": in_words(question, "是的。", "Yes."), "citations": cited, "evidence": cited}


@cheat
def citations_without_pages(question: str, document: Document) -> Record:
    cited = [text for _, text in units(document, "answer")] or document.text.split("\n")
    return {"answer": in_words(question, "详见引用。", "See the citations."), "citations": cited, "evidence": cited}


@cheat
def page_range_of_all(question: str, document: Document) -> Record:
    """The nearest lines, each on all pages at once."""
    pages = f"{document.pages[0].number}-{document.pages[-1].number}"
    cited = [{"page": pages, "text": passage.text} for passage in nearest(question, document, 5)]
    return {"answer": in_words(question, "详见引用。", "See the citations."), "citations": cited, "evidence": cited}


# copies of the document


@cheat
def whole_document(question: str, document: Document) -> Record:
    return {"answer": document.text}


@cheat
def refusal_and_document(question: str, document: Document) -> Record:
    return {"answer": refusal(question.isascii()) + "\n" + document.text}


@cheat
def document_and_refusal(question: str, document: Document) -> Record:
    return {"answer": document.text + "\n" + refusal(question.isascii())}


@cheat
def every_answer_quoted(question: str, document: Document) -> Record:
    """A refusal with every answer of the document in quotation marks."""
    lines = [text for _, text in units(document, "answer")] or document.text.split("\n")
    quoted = "".join(f"“{line.strip('“”')}”" for line in lines)
    return {"answer": refusal(question.isascii()) + quoted}


@cheat
def lines_of_not_knowing(question: str, document: Document) -> Record:
    """All that the document says about not knowing, one line after the other."""
    return {"answer": "\n".join(unknown_lines(document))}


@cheat
def refusal_quoting_all_that_is_not_known(question: str, document: Document) -> Record:
    """A refusal that quotes all that the document says about not knowing, whatever was asked."""
    lines = [re.sub(r"^\W*[答A]\s*[:：]\s*", "", line) for line in unknown_lines(document)]
    return {"answer": refusal(question.isascii()) + "".join(f"“{line.strip('“”')}”" for line in lines)}


@cheat
def document_with_noise(question: str, document: Document) -> Record:
    """A refusal and the whole document, a foreign letter after every ten characters."""
    text = document.text
    noisy = "ж".join(text[at : at + 10] for at in range(0, len(text), 10))
    return {"answer": refusal(question.isascii()) + noisy}


# nothing said


@cheat
def question_repeated(question: str, document: Document) -> Record:
    return {"answer": question}


@cheat
def question_as_statement(question: str, document: Document) -> Record:
    return {"answer": question.rstrip("？?") + in_words(question, "，这一点材料中有说明。", ", as the document says.")}


@cheat
def vacuous_sentence(question: str, document: Document) -> Record:
    return {
        "answer": in_words(question, "这是一个好问题，我会认真回答您。", "This is a good question. I am glad to help.")
    }


@cheat
def well_then(question: str, document: Document) -> Record:
    return {"answer": in_words(question, "好的。", "OK.")}


@cheat
def full_stop(question: str, document: Document) -> Record:
    cited = slices(document)
    return {"answer": "。", "citations": cited, "evidence": []}


# lists


@cheat
def all_figures(question: str, document: Document) -> Record:
    return {"answer": "，".join(values(document, "money", "date", "count", "percent", "phone", "serial"))}


@cheat
def all_figures_as_final_answer(question: str, document: Document) -> Record:
    listed = "，".join(values(document, "money", "date", "count"))
    return {"answer": in_words(question, f"最终答案：{listed}", f"Final answer: {listed}")}


@cheat
def all_names(question: str, document: Document) -> Record:
    from steelyard.legal.grounding.names import names

    found = dict.fromkeys(name for name, _ in names(normalise(document.text)))
    return {"answer": "、".join(found) or "无"}


@cheat
def both_polarities(question: str, document: Document) -> Record:
    return {"answer": in_words(question, "是。不是。有。没有。", "Yes. No.")}


@cheat
def always_yes(question: str, document: Document) -> Record:
    return {"answer": in_words(question, "是。", "Yes.")}


@cheat
def always_no(question: str, document: Document) -> Record:
    return {"answer": in_words(question, "没有。", "No.")}


# typed fields


@cheat
def one_line_in_every_field(question: str, document: Document) -> Record:
    """The nearest line as the value of every typed field, and as the answer."""
    line = nearest_line(question, document)
    fields = ("amount_total", "amount_breakdown", "date", "date_range", "count", "boolean_answer", "entity")
    return {"answer": line, **dict.fromkeys((*fields, "text_answer"), line)}


@cheat
def all_candidates_in_fields(question: str, document: Document) -> Record:
    """All candidates at once in every typed field, and no text."""
    money, days = "，".join(values(document, "money")), "，".join(values(document, "date"))
    counts = "，".join(values(document, "count"))
    record: Record = {"answer": "", "amount_total": money, "date": days, "date_range": days, "count": counts}
    names = all_names(question, document)["answer"]
    return record | {
        "amount_breakdown": money,
        "entity": names,
        "text_answer": names,
        "boolean_answer": in_words(question, "是，不是", "yes, no"),
    }


@cheat
def document_in_fields(question: str, document: Document) -> Record:
    return {"answer": "", **dict.fromkeys(("entity", "text_answer", "boolean_answer", "count"), document.text)}


@cheat
def field_against_text(question: str, document: Document) -> Record:
    """The field says yes, the text says no; the field has one figure of the nearest line, the text has all of them."""
    found = [value for value in mentions(normalise(nearest_line(question, document))) if value.value is not None]
    money = next((float(value.value) for value in found if value.kind == "money"), None)
    said = "，".join(value.text for value in found)
    return {
        "answer": in_words(question, f"不是，也可能是{said}，无法确定。", f"No, or maybe {said}, I am not sure."),
        "boolean_answer": True,
        "amount_total": money,
    }


# refusals and hedges


@cheat
def constant_refusal(question: str, document: Document) -> Record:
    return {"answer": refusal(question.isascii())}


@cheat
def refusal_with_nearest_quotation(question: str, document: Document) -> Record:
    line = nearest_line(question, document).strip("“”")
    said = in_words(question, f"材料未载明，原文为“{line}”。", f"The document does not state this; it says: “{line}”.")
    passage = nearest(question, document)[0]
    return {"answer": said, "citations": [{"page": passage.page, "text": passage.text}]}


@cheat
def refusal_and_nearest_line(question: str, document: Document) -> Record:
    """A refusal that supplies the nearest line after all."""
    line = nearest_line(question, document)
    return {"answer": in_words(question, f"材料未载明，但是{line}", f"The document does not state this, but {line}")}


@cheat
def hedge_with_nearest_line(question: str, document: Document) -> Record:
    line = nearest_line(question, document)
    return {"answer": in_words(question, f"可能是{line}，也可能不是。", f"Maybe {line}, or maybe not.")}


@cheat
def abstained_flag(question: str, document: Document) -> Record:
    """The nearest line, with a flag that says it is a refusal."""
    return {"answer": nearest_line(question, document), "abstained": True}


@cheat
def line_with_fixed_tail_and_slices(question: str, document: Document) -> Record:
    """The nearest line, a tail that refuses in case, and the whole document as citations."""
    cited = slices(document)
    tail = in_words(question, "其余情况材料未载明，无法确定。", "The document does not state the rest.")
    return {"answer": f"{nearest_line(question, document)} {tail}", "citations": cited, "evidence": cited}


# the same retrieval without a trick, for comparison: nothing is gained by the tricks above


def honest_line(question: str, document: Document) -> Record:
    """The nearest line as it stands, cited."""
    near = nearest(question, document, 5)
    cited = [{"page": each.page, "text": each.text[:290]} for each in near]
    return {"answer": nearest_line(question, document), "citations": cited, "evidence": cited}
