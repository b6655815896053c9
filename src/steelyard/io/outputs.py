"""The output of a system as a record with one set of field names, whatever names the system uses.

    {"answer": "…", "citations": [{"page": 2, "text": "…"}], "evidence": [{"page": 2, "text": "…"}],
     "contexts": [{"id": "7", "text": "…"}], "abstained": false, "amount_total": 42000}

Contexts are what was retrieved, citations and evidence what the answer cites: a context that the answer does not cite
is no citation. Marks of products in the answer, such as [ID:0], are citations of contexts, unless there are others.
Thinking blocks are not part of the output; JSON in a code fence is the record itself; a citation may be plain text.
Unknown fields are left out of the record.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import date
from decimal import Decimal
from itertools import islice
from math import isfinite
from typing import Any, Final

from steelyard import limits
from steelyard.errors import SystemFailure, cut
from steelyard.i18n import Message
from steelyard.io.layouts import PREDICTION, inner_of
from steelyard.io.records import json_or_text
from steelyard.text.marks import cited
from steelyard.text.reading import without_thinking

ANSWER: Final = tuple(dict.fromkeys(("answer", *PREDICTION, "result", "completion", "content", "答案", "回答")))
CITATIONS: Final = ("citations", "citation", "sources", "references")
EVIDENCE: Final = ("evidence", "evidences", "retrieved_evidence")
# fmt: off
CONTEXTS: Final = (
    "contexts", "context", "retrieved_contexts", "retrieval_context", "retrieved_context", "retrieval_result",
    "source_documents", "source_nodes",
)
# fmt: on
ABSTAINED: Final = ("abstained", "abstain", "refused")
TYPED: Final = {
    "amount_total": ("amount_total", "amount"),
    "amount_breakdown": ("amount_breakdown",),
    "date": ("date",),
    "date_range": ("date_range",),
    "count": ("count",),
    "text_answer": ("text_answer", "text"),  # `text` answers both; where nothing else is the answer, it is the answer
    "boolean_answer": ("boolean_answer", "boolean"),
    "entity": ("entity", "text"),
}
QUALIFIERS: Final = ("currency", "unit")
"""What a record says of its own figures."""
FIELDS: Final = ("answer", "citations", "evidence", "contexts", "abstained", *TYPED)
_NAMES: Final = {*ANSWER, *CITATIONS, *EVIDENCE, *CONTEXTS, *ABSTAINED, *(name for of in TYPED.values() for name in of)}

_TEXT: Final = ("text", "quote", "content", "contents", "page_content", "snippet", "passage")
_PAGE: Final = ("page", "page_number", "page_no", "page_num", "page_label")
_PAGE_BESIDE: Final = ("page_label", "page_number", "page")  # in metadata, `page` counts from 0 where there is a label
_DOCUMENT: Final = ("document", "doc", "document_name", "doc_name", "file_name", "filename", "file", "source")
_ID: Final = ("id", "_id", "chunk_id", "segment_id", "doc_id", "docid", "passage_id", "context_id", "id_")
_SCORE: Final = ("score", "similarity")
_PAGE_NUMBER: Final = re.compile(r"(?:第|p\.?|page)?\s?(\d{1,9})\s?页?", re.IGNORECASE)
_LONGEST_PAGE: Final = 40  # characters of a page that may hold its number
_MOST_NAMES: Final = 20  # of a record, in a message
_LARGEST_NUMBER: Final = 4_096  # bits of a whole number

Named = Mapping[Any, Any]


def record_of(value: Any, where: str = "") -> dict[str, Any]:
    """Return the output record of a text or of an object with named fields.

    `where` is its location, if it comes from a file.

    A text that is JSON, bare or in a code fence, is read as the record, and is kept under `raw`.
    """
    named = record_in(value) if isinstance(value, str) else named_values(value)
    if named is None:
        raise SystemFailure(Message("formats.reply_wrong_type", value=_shown(value)), where=where)
    folded = {str(name).casefold(): member for name, member in named.items()}
    if _NAMES.isdisjoint(folded):
        names = shown_names(folded)
        raise SystemFailure(
            Message("formats.reply_without_answer", names=names),
            where=where,
            hint=Message("formats.answer_fields_hint", names=", ".join(ANSWER)),
        )
    found = _with_cited_contexts(_with_inner_record(_Reading(folded, where).record(), where))
    return {name: plain(member, where) for name, member in found.items() if member is not None}


def record_in(text: str) -> dict[str, Any]:
    """Return the record that a model wrote as JSON, bare or fenced, after its thinking.

    Else a record of the text alone.
    """
    spoken = without_thinking(text).strip()
    for candidate in (spoken, _fenced(spoken)):
        if not (candidate.startswith("{") and candidate.endswith("}")):
            continue
        value = json_or_text(candidate)
        if isinstance(value, dict) and not _NAMES.isdisjoint(str(name).casefold() for name in value):
            return {**{name: _as_text(name, member) for name, member in value.items()}, "raw": text}
    return {"answer": text} if len(spoken) == len(text.strip()) else {"answer": spoken, "raw": text}


def prose_around(text: str) -> str:
    """Return what a model wrote before and after the code fence of its record; "" if it gives no record in a fence."""
    inside = _fenced(text)
    if not inside.startswith("{") or "raw" not in record_in(text):
        return ""
    at = text.rfind(inside)
    return text[:at].rsplit("```", 1)[0] + "\n" + text[at + len(inside) :].partition("```")[2]


def _as_text(name: str, member: Any) -> Any:
    """Return an answer that a model wrote as a figure, a truth value or null as that word."""
    is_word = name.casefold() in ANSWER and isinstance(member, bool | int | float | None)
    return json.dumps(member) if is_word else member


def _fenced(text: str) -> str:
    """Return the content of the last code fence of a text."""
    end = text.rfind("```")
    start = text.rfind("```", 0, max(end, 0))
    inside = text[start + 3 : end] if start >= 0 else ""
    return inside.partition("\n")[2].strip() if "\n" in inside else inside.strip()


def _with_inner_record(record: dict[str, Any], where: str) -> dict[str, Any]:
    """Return the record, with missing fields filled from JSON inside its answer."""
    inner = record_in(record["answer"])
    if inner.keys() == {"answer"}:
        return record
    folded = {str(name).casefold(): member for name, member in inner.items()}
    read = {name: member for name, member in _Reading(folded, where).record().items() if member not in (None, [])}
    return {
        **read,
        **{name: member for name, member in record.items() if member not in (None, [], "")},
        **{"answer": read.get("answer", ""), "raw": record["answer"]},
    }


def _with_cited_contexts(record: dict[str, Any]) -> dict[str, Any]:
    """Return the record with the contexts that the marks of its answer cite as citations, if it has no others."""
    contexts = record.get("contexts") or []
    if record.get("citations") or not contexts:
        return record
    marked = cited(record["answer"], context_ids(contexts))
    return {**record, "citations": [citation_of(contexts[index]) for index in marked]} if marked else record


def context_ids(contexts: Iterable[Any]) -> list[str | None]:
    """Return the id of each context of a record, None for a text."""
    return [each.get("id") if isinstance(each, Mapping) else None for each in contexts]


def citation_of(context: str | dict[str, Any]) -> dict[str, Any]:
    """Return a context as a passage that an answer cites; its page can be found by its words."""
    named = {"text": context} if isinstance(context, str) else context
    return {**{name: value for name, value in named.items() if name not in ("id", "score")}, "retrieved": True}


def named_values(value: Any) -> Named | None:
    """Return the fields of a mapping, a dataclass or a pydantic model; None for anything else."""
    if isinstance(value, Mapping):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    dump = None if isinstance(value, type) else getattr(value, "model_dump", None)
    return dump() if callable(dump) else None


def plain(value: Any, where: str = "", depth: int = 0) -> Any:
    """Return the value as JSON and UTF-8 can hold it."""
    if depth > limits.NESTING.value:
        raise limits.NESTING.exceeded(Message("words.the_nesting_of_the_reply"), error=SystemFailure, where=where)
    match value:
        case Mapping():
            return {str(name): plain(member, where, depth + 1) for name, member in value.items()}
        case list() | tuple():
            return [plain(member, where, depth + 1) for member in value]
        case str() | bool() | int() | float() | Decimal() | date() | None:
            return _plain_scalar(value, where)
    if hasattr(value, "tolist"):  # numpy
        return plain(value.tolist(), where, depth + 1)
    raise SystemFailure(Message("formats.reply_not_json_value", value=_shown(value)), where=where)


def _plain_scalar(value: Any, where: str) -> Any:
    if isinstance(value, float | Decimal) and not isfinite(value):
        raise SystemFailure(Message("formats.reply_invalid_number", value=value), where=where)
    if isinstance(value, int) and value.bit_length() > _LARGEST_NUMBER:
        raise SystemFailure(Message("formats.reply_integer_too_large", value=value.bit_length()), where=where)
    if isinstance(value, str):
        return _whole_text(value, where)
    return str(value) if isinstance(value, Decimal | date) else value


@dataclass(frozen=True, slots=True)
class _Reading:
    """The fields of a reply by lower-case name."""

    named: Mapping[str, Any]
    where: str

    def record(self) -> dict[str, Any]:
        answers = ANSWER if self._has(ANSWER) else ("text",)
        typed = {name: self._first(each for each in of if each not in answers) for name, of in TYPED.items()}
        return {
            "answer": self._answer(answers),
            "citations": [self._passage(item) for item in self._cited()],
            "evidence": [self._passage(item) for item in self._listed(EVIDENCE)],
            "contexts": [self._context(item) for item in self._listed(CONTEXTS)] or None,
            "abstained": self._abstained(),
            "raw": self._first(("raw",)),
            **typed,
            **{name: self._first((name,)) for name in QUALIFIERS},
        }

    def _answer(self, names: Iterable[str]) -> str:
        answer = self._first(names)
        if answer is None:  # silence
            return ""
        if not isinstance(answer, str):
            raise SystemFailure(Message("formats.answer_not_text", answer=_shown(answer)), where=self.where)
        if len(answer) > (largest := limits.REPLY_BYTES.value):
            raise SystemFailure(Message("formats.answer_too_long", largest=largest), where=self.where)
        return answer

    def _context(self, item: Any) -> str | dict[str, Any]:
        """Return a context as it is given: a text, or an object with its id, place and score."""
        if isinstance(item, str):
            return item
        passage = self._passage(item)
        outer = named_values(item) or {}
        identifier, score = _first(inner_of(outer), _ID), _first({**inner_of(outer), **outer}, _SCORE)
        if isinstance(identifier, str | int):
            passage["id"] = str(identifier)
        if isinstance(score, int | float):
            passage["score"] = score
        return passage

    def _abstained(self) -> bool | None:
        abstained = self._first(ABSTAINED)
        if not isinstance(abstained, bool | None):
            raise SystemFailure(Message("formats.abstained_not_boolean", abstained=_shown(abstained)), where=self.where)
        return abstained

    def _passage(self, item: Any) -> dict[str, Any]:
        outer = {"text": item} if isinstance(item, str) else named_values(item)
        if outer is None:
            raise SystemFailure(Message("formats.citation_not_object", item=_shown(item)), where=self.where)
        inner = inner_of(outer)
        beside = named_values(inner.get("metadata")) or named_values(inner.get("meta")) or {}
        page = _page(_first(inner, _PAGE), self.where) or _page(_first(beside, _PAGE_BESIDE), self.where)
        text = _first(inner, _TEXT)
        if not isinstance(text, str | None):
            raise SystemFailure(Message("formats.citation_text_not_text", text=_shown(text)), where=self.where)
        labels = {name: inner[name] for name in ("section", "speaker") if isinstance(inner.get(name), str)}
        document = _first(inner, _DOCUMENT) or _first(beside, _DOCUMENT)
        labels |= {"document": document} if isinstance(document, str) else {}
        labels |= {"retrieved": True} if inner.get("retrieved") is True else {}
        return {**({} if page is None else {"page": page}), "text": text or "", **labels}

    def _cited(self) -> list[Any]:
        """Return the citations; `citation` and `citations` may both be there."""
        cited = self._listed(CITATIONS)
        return [*cited, *self._listed(("citation",))] if self._first(("citations",)) is not None else cited

    def _listed(self, names: Iterable[str]) -> list[Any]:
        """Return the members of a field; one alone is a list of one."""
        value = self._first(names)
        if value is None:
            return []
        return list(value) if isinstance(value, list | tuple) else [value]

    def _has(self, names: Iterable[str]) -> bool:
        return any(name in self.named for name in names)

    def _first(self, names: Iterable[str]) -> Any:
        return _first(self.named, names)


def _first(named: Named, names: Iterable[str]) -> Any:
    """Return the first field of these names that is not empty."""
    return next((named[name] for name in names if named.get(name) is not None), None)


def _page(value: Any, where: str) -> int | str | None:
    """Return a page number, also out of "2", 2.0, [2] or 第2页; texts such as a range are kept, a list becomes one."""
    if isinstance(value, list | tuple):
        pages = [_page(each, where) for each in value]
        return None if not pages else pages[0] if len({*pages}) == 1 else f"{pages[0]}-{pages[-1]}"
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | str | None):
        raise SystemFailure(Message("formats.citation_page_not_number", value=_shown(value)), where=where)
    plain_text = " ".join(value.split()) if isinstance(value, str) else ""
    number = _PAGE_NUMBER.fullmatch(plain_text) if len(plain_text) <= _LONGEST_PAGE else None
    return int(number[1]) if number else value


def _whole_text(text: str, where: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise SystemFailure(Message("formats.reply_lone_surrogate"), where=where) from None
    return text


def shown_names(names: Collection[str]) -> str:
    """Return the first names of a record, for a message."""
    first = ", ".join(_shown(name) for name in islice(names, _MOST_NAMES)) or "none"
    return f"{first}, …" if len(names) > _MOST_NAMES else first


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, a list in a list in a list
        return f"{type(value).__name__} ({type(error).__name__})"
    return cut(text, 60)
