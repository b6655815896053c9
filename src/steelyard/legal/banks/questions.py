"""Fields of question files from the entries of a bank: types of questions, values, passages and their pages."""

import re
from collections.abc import Sequence
from typing import Any, Final

from steelyard.i18n import Message
from steelyard.legal.banks.reading import WORDS, Entry
from steelyard.legal.cues import asked_for
from steelyard.legal.evidence.quotes import Source, quote_key
from steelyard.legal.facts.fields import judge_fact
from steelyard.legal.facts.polarity import polarity
from steelyard.legal.model import SNIPPET
from steelyard.legal.stance import detect_abstention
from steelyard.text.mentions import Mention, mentions
from steelyard.text.normalisation import normalise

Fields = dict[str, Any]
_TYPES: Final = ("fact_exact", "evidence_set", "conflict_gap")
_LIST_MARK: Final = re.compile(r"^\s*(?:[-*+•]\s|[(（]?\d{1,2}(?:[、)）](?!\d)|\.(?!\d))|[①-⑳])\s*")
_PAGE: Final = re.compile(r"(?:@@|第\s*|[Pp](?:age|\.)?\s*|^\s*)(\d{1,6})(?=\t|-\d|\s*[页頁]|\s*$)", re.MULTILINE)
_OMISSION: Final = re.compile(r"\.{3,}|…+")


def question_fields(entry: Entry, source: Source, remarks: list[Message]) -> tuple[str, Fields]:
    """Return the type and the fields of a question about a document, none if it is left out; remarks say why."""
    found = found_in(entry, source, remarks)
    refuses = _is_refusal(entry)
    kind = _type(entry, found, refuses=refuses)
    fields: Fields = {"id": entry.id or f"{kind}_{entry.number:03}", "question": entry.question}
    if entry.notes:
        fields["metadata"] = {"notes": entry.notes}
    if kind == "conflict_gap":
        fields |= {"should_abstain": refuses, **_quotations(entry, found, source)}
    elif found:
        places = [{"page": _page(entry, passage, source), "must_include": passage} for passage in found]
        fields["required_evidence"] = places
    elif kind == "evidence_set":
        remarks.append(Message("banks.no_passage"))
        return kind, {}
    if kind == "evidence_set":
        fields["expected"] = {"key_points": list_items(entry.answer)}
    elif not refuses:
        fields["expected"] = _expected(entry, remarks)
        if kind == "conflict_gap":
            remarks.append(Message("banks.control"))
    return kind, fields


# ----- passages


def found_in(entry: Entry, source: Source, remarks: list[Message]) -> list[str]:
    """Return the passages of an entry that stand in a document; words that their author left out part them."""
    quoted = re.findall("`([^`]+)`", entry.evidence) or list_items(entry.evidence)
    found: list[str] = []
    for passage in map(str.strip, _OMISSION.split("…".join(quoted))):
        length = len(quote_key(passage))
        if length < 2:  # 无: there is none
            continue
        if length <= SNIPPET and source.key.holds(passage):
            found.append(passage)
        else:
            remarks.append(Message("banks.passage_not_found", passage=passage, name=source.document.name))
    return list(dict.fromkeys(found))


def list_items(text: str) -> list[str]:
    """Return the lines of a text without marks of a list and bold print; an indented line belongs to the one above."""
    lines = re.split(r"\n+(?=\S)", text.replace("**", "").strip())
    return [_LIST_MARK.sub("", line).strip() for line in lines]


def _page(entry: Entry, passage: str, source: Source) -> int:
    """Return the page where a passage stands, of several one that the bank names; without pages the named one."""
    named = list(map(int, _PAGE.findall(entry.location)))
    pages = source.pages_with(passage) or named or [1]
    return next((page for page in named if page in pages), pages[0])


# ----- types


def _type(entry: Entry, passages: Sequence[str], *, refuses: bool) -> str:
    """Return the type that the bank names, else what answer and passages show; a refusal is never a fact."""
    words = entry.type or entry.group
    named = next((kind for kind in _TYPES if WORDS[kind].search(words)), "")
    if refuses and named != "evidence_set":
        return "conflict_gap"
    is_set = passages and len(list_items(entry.answer)) > 1
    return named or ("evidence_set" if is_set else "fact_exact")


def _is_refusal(entry: Entry) -> bool:
    is_unclear = WORDS["gap_answer"].match(entry.answer) is not None
    return is_unclear or detect_abstention(entry.answer, question=entry.question).abstains


def _quotations(entry: Entry, passages: Sequence[str], source: Source) -> Fields:
    """Return the quotations of a gap; words of the question are none."""
    question = quote_key(entry.question)
    quotes = [passage for passage in passages if quote_key(passage) not in question]
    if not quotes:
        return {}
    place = {"page": _page(entry, quotes[0], source)}
    return {"required_quote": quotes[0], "additional_quotes": quotes[1:], "evidence_location": place}


# ----- values


def _expected(entry: Entry, remarks: list[Message]) -> Fields:
    """Return the typed field of an answer if the judge reads it from the bank's own words; else a text."""
    answer = "；".join(list_items(entry.answer))
    fields = _typed(entry.question, answer)
    if judge_fact(fields, answer, question=entry.question).correct:
        return fields
    remarks.append(Message("banks.as_text"))
    return {"text_answer": answer}


def _typed(question: str, answer: str) -> Fields:
    """Return the typed field that an answer is, apart from an addition in brackets; none if it is no single value."""
    asked = asked_for(question)
    bare = WORDS["in_brackets"].sub("", answer)
    plain = normalise(bare)
    sense = polarity(question, plain) if asked.whether else None
    if sense is not None:
        return {"boolean_answer": sense, "text_answer": answer}
    if asked.kind in ("person", "place"):
        return {} if WORDS["clause"].search(plain) else {"entity": bare}
    value = next((value for value in mentions(plain) if value.is_exact), None)
    if value is None or WORDS["beside_value"].sub("", plain.replace(value.text, "")):
        return {}
    return _value_field(value, asked.kind)


def _value_field(value: Mention, asked: str) -> Fields:
    """Return the field of a value; a bare number is of the kind that the question asks for."""
    if value.kind == "date":
        start = value.value.isoformat()
        return {"date_range": {"start": start, "end": value.until.isoformat()}} if value.until else {"date": start}
    kind = asked if value.kind == "number" else value.kind
    if kind == "money":
        return {"amount_total": float(value.value) if value.value % 1 else int(value.value)}
    return {"count": int(value.value)} if kind == "count" else {}
