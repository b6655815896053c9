"""The perfect answer to a question, made from its key: it must score 1, or the benchmark is wrong."""

from collections.abc import Iterable, Mapping
from typing import Any

from steelyard.documents.pages import Document
from steelyard.legal.evidence.quotes import contains_quote
from steelyard.legal.model import Evidence, EvidenceSet, Fact, Gap, Question

_WORDS = {
    "zh": {
        "absent": "材料未载明，无法确定。",
        "conflict": "材料前后矛盾，无法确定：",
        "said": "原文为“{}”。",
        "yes": "是。",
        "no": "否。",
    },
    "en": {
        "absent": "The document does not state it. ",
        "conflict": "The statements are inconsistent, so it cannot be determined: ",
        "said": "It says “{}”. ",
        "yes": "Yes.",
        "no": "No.",
    },
}


def gold_record(question: Question, document: Document) -> dict[str, Any]:
    """The output record of a system that knows the key."""
    match question:
        case Fact():
            return {**question.expected, "answer": "", "citations": _passages(question.evidence)}
        case EvidenceSet():
            passages = _passages(question.evidence)
            return {"answer": "", "evidence": passages, "citations": passages}
        case Gap():
            typed = {} if question.should_abstain else question.expected
            return {**typed, "answer": _gap_answer(question, document), "citations": _passages(question.conflicting)}


def _passages(items: Iterable[Evidence]) -> list[Mapping[str, Any]]:
    return [{"page": item.page, "text": item.must_include} for item in items]


def _gap_answer(question: Gap, document: Document) -> str:
    """Refuse or answer as the key says, in the document's own words."""
    words = _WORDS["en" if question.about.question.isascii() else "zh"]
    sides = [item.must_include for item in question.conflicting]
    quotes = [*question.quotes[:1], *(side for side in sides if side not in question.quotes[:1])]
    quoted = "".join(words["said"].format(quote) for quote in quotes)
    if question.should_abstain:
        return (words["conflict"] if sides else words["absent"]) + quoted
    return quoted or ("" if question.expected else _sentence(question, document))


def _sentence(question: Gap, document: Document) -> str:
    """A line of the document that the question's evidence names, where there is nothing to quote."""
    lines = (line for page in document.pages for line in page.text.split("\n"))
    return next(
        (line for line in lines if any(contains_quote(line, item.must_include) for item in question.evidence)), ""
    )
