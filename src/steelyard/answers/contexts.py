"""Contexts of an answer: the passages that the system retrieved, and those that it should have."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from steelyard.errors import BadValue
from steelyard.i18n import Message

Grades = Mapping[str, int]
"""The reference contexts by id, each with its grade; 1 where the file has a list."""

# fmt: off
_TEXT: Final = ("text", "contents", "content", "page_content", "passage", "body", "snippet", "chunk", "answer")
_ID: Final = ("id", "_id", "doc_id", "docid", "passage_id", "context_id", "chunk_id", "pid")
_DOCUMENT: Final = (
    "document", "file_path", "doc", "document_name", "doc_name", "file_name", "filename", "file", "source",
)
# fmt: on
_SCORE: Final = ("score", "similarity")
_GRADE: Final = ("grade", "relevance")


class BadContext(BadValue):
    """A context, an id or a span that cannot be read."""


class Context(NamedTuple):
    """One passage; `span` are its first and its last character + 1 in the document, `grade` is its relevance."""

    text: str | None = None
    id: str | None = None
    document: str | None = None
    span: tuple[int, int] | None = None
    score: float | None = None
    grade: int | None = None


Contexts = tuple[Context, ...]


def contexts_of(value: Any) -> Contexts | None:
    """The contexts in a value: texts or objects, in a list or one alone; None if there is no value."""
    if _is_missing(value):
        return None
    if isinstance(value, Mapping) and not _is_object(value):
        return tuple(Context(_text(text), str(name)) for name, text in value.items())
    if isinstance(value, Mapping) and (columns := _columns(value)):
        value = [dict(zip(value, row, strict=True)) for row in zip(*columns, strict=True)]
    members = value if isinstance(value, list | tuple) else [value]
    if members and all(isinstance(member, list | tuple) for member in members):  # one list for each round of retrieval
        members = [each for member in members for each in member]
    return tuple([Context(member) if type(member) is str else _context(member) for member in members])


def ids_of(value: Any) -> tuple[str, ...] | None:
    """The ids in a value: texts or whole numbers, in a list, which may have lists in it, or one alone."""
    if _is_missing(value):
        return None
    members = value if isinstance(value, list | tuple) else [value]
    flat = [each for member in members for each in (member if isinstance(member, list | tuple) else [member])]
    return tuple([each if type(each) is str and each else _id(each) for each in flat])


def grades_of(value: Any) -> Grades | None:
    """The reference ids in a value: ids, or objects with `id` and `grade`; or an object of ids with their grades."""
    if isinstance(value, Mapping) and not _is_graded(value):
        return {str(name): _grade(name, grade) for name, grade in value.items()}
    members = value if isinstance(value, list | tuple) else [value]
    if members and all(isinstance(member, Mapping) and _first(member, _ID) is not None for member in members):
        pairs = [(_id(_first(member, _ID)), _first(member, _GRADE)) for member in members]
        return {name: 1 if grade is None else _grade(name, grade) for name, grade in pairs}
    ids = ids_of(value)
    return None if ids is None else dict.fromkeys(ids, 1)


def _is_graded(value: Mapping[str, Any]) -> bool:
    """Whether an object is one reference with its id and its grade, and not ids with their grades."""
    return isinstance(_first(value, _ID), str) and any(name in value for name in _GRADE)


def _grade(name: Any, grade: Any) -> int:
    if isinstance(grade, float) and grade.is_integer():
        return int(grade)
    if not isinstance(grade, int):
        raise BadContext(Message("formats.invalid_grade", id=str(name), value=_shown(grade)))
    return int(grade)


def reference_grades(value: Any, contexts: Contexts | None) -> Grades | None:
    """The reference ids with their grades: those in a value, else those of the contexts, which may have grades."""
    known = {each.id: each.grade for each in contexts or () if each.id and each.grade is not None}
    ids = context_ids(contexts)
    grades = dict.fromkeys(ids, 1) if _is_missing(value) and ids is not None else grades_of(value)
    return grades if grades is None or not known else {name: known.get(name, grade) for name, grade in grades.items()}


def named_contexts(contexts: Contexts | None, ids: Sequence[str] | None) -> Contexts | None:
    """The contexts with these ids, where each has one; contexts of ids alone where there are no texts."""
    if contexts is None or ids is None:
        return contexts if ids is None else tuple([Context(id=each) for each in ids])
    if len(contexts) != len(ids):
        return contexts
    return tuple([each if each.id else each._replace(id=name) for each, name in zip(contexts, ids, strict=True)])


def context_ids(contexts: Contexts | None) -> tuple[str, ...] | None:
    """The ids of contexts, if all have one; None for none, since nothing says that there are ids."""
    ids = [each.id for each in contexts or () if each.id]
    return tuple(ids) if contexts and len(ids) == len(contexts) else None


def _context(value: Any) -> Context:
    if isinstance(value, str):
        return Context(str(value))
    if not isinstance(value, Mapping) or not _is_object(value):
        raise BadContext(Message("formats.invalid_context", value=_shown(value)))
    inner = value["node"] if isinstance(value.get("node"), Mapping) else value  # LlamaIndex
    beside = inner["metadata"] if isinstance(inner.get("metadata"), Mapping) else {}
    found = _first(inner, _ID)
    return Context(
        text=_titled(inner),
        id=None if found is None else _id(found),
        document=_document(_first(inner, _DOCUMENT) or _first(beside, _DOCUMENT)),
        span=_span(inner) or _span(beside),
        score=_number(_first(value, _SCORE)),
        grade=_whole(_first(value, _GRADE)),
    )


def _columns(value: Mapping[str, Any]) -> list[Sequence[Any]]:
    """The lists of equal length that an object consists of, as data sets of Hugging Face store a list of objects."""
    columns: list[Sequence[Any]] = [column for column in value.values() if isinstance(column, list | tuple)]
    is_table = len(columns) == len(value) and len({len(column) for column in columns}) == 1 and "span" not in value
    return columns if is_table else []


def _is_object(value: Mapping[str, Any]) -> bool:
    names = (*_TEXT, *_ID, "span", "node", "title")
    return any(name in value for name in names)


def _titled(value: Mapping[str, Any]) -> str | None:
    """The text, after the title of the passage if it has one."""
    text, title = _first(value, _TEXT), value.get("title")
    if isinstance(title, str) and title.strip():
        return title if text is None else f"{title}\n{_text(text)}"
    return None if text is None else _text(text)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise BadContext(Message("formats.invalid_context", value=_shown(value)))
    return value


def _id(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
        raise BadContext(Message("formats.invalid_context_id", value=_shown(value)))
    return str(value)


def _document(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _span(value: Mapping[str, Any]) -> tuple[int, int] | None:
    span = value.get("span")
    if span is None:
        return None
    is_pair = isinstance(span, list | tuple) and len(span) == 2 and all(type(edge) is int for edge in span)
    if not is_pair or not 0 <= span[0] <= span[1]:
        raise BadContext(Message("formats.invalid_span", value=_shown(span)))
    return span[0], span[1]


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _whole(value: Any) -> int | None:
    return int(value) if type(value) is int or (isinstance(value, float) and value.is_integer()) else None


def _first(value: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((value[name] for name in names if value.get(name) is not None), None)


def _is_missing(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
