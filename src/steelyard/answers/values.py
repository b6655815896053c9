"""Values of answer rows as files and Python have them: predictions, references, ids, tags and contexts."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from steelyard.errors import BadValue, InputError, cut
from steelyard.i18n import Message
from steelyard.io.foreign.rows import EXTRA, SCORES, whole, whole_cell
from steelyard.io.layouts import ANSWERABLE, TAGS, inner_of
from steelyard.io.records import parse_json

References = tuple[tuple[str, ...], ...]

_YES = frozenset(("true", "1", "yes", "y", "是", "可", "能", "对", "可以", "可回答", "能回答"))
_UNKNOWN = frozenset(("", "unknown", "none", "null", "nan", "n/a", "未知"))
_NO = frozenset(("false", "0", "no", "n", "否", "不可", "不能", "不是", "不可以", "不可回答", "不能回答", "无法回答"))


def identifier_of(value: Any) -> str | None:
    """Return a text or whole number as an id; None for other values."""
    return (str(value) or None) if isinstance(value, int | str) and not isinstance(value, bool) else None


def prediction_of(value: Any) -> str | None:
    """Return the text of a prediction, None if it is missing; raise BadValue if it is no text."""
    if isinstance(value, Mapping) and "pred" in value:  # FlashRAG: {"output": {"prompt": …, "pred": …}}
        value = value["pred"]
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        return value[0]
    text = text_of(value)
    if text is None and not _is_missing(value):
        raise BadValue(Message("formats.prediction_not_text", value=shown(value)))
    return text


def references_of(value: Any) -> tuple[References, bool]:
    """Return groups of aliases, and whether the value had groups."""
    if isinstance(value, str):
        return ((value,),), False
    if isinstance(value, list) and set(map(type, value)) == {str}:
        return (tuple(value),), False
    if _is_missing(value) or value in ([], [[]]):
        return (), False
    if isinstance(value, Mapping) and isinstance(value.get("text"), list):  # SQuAD: {"text": […], "answer_start": […]}
        return references_of(value["text"])
    values = value if isinstance(value, list) else [value]
    grouped = [isinstance(member, list) for member in values]
    if not any(grouped):
        return (tuple(_reference(member) for member in values),), False
    if not all(grouped):
        raise BadValue(Message("formats.mixed_references", value=shown(value)))
    if not all(values):
        raise BadValue(Message("formats.empty_reference_group", value=shown(value)))
    return tuple(tuple(_reference(member) for member in group) for group in values), True


def _reference(value: Any) -> str:
    text = text_of(value)
    if text is None:
        raise BadValue(Message("formats.reference_not_text", value=shown(value)))
    return text


def cell_value(text: str | None) -> Any:
    """Return the value of a cell of a CSV file: None, a JSON array, or text."""
    if not text or not text.startswith("["):
        return text or None
    try:
        return parse_json(text, "", lenient=True)
    except InputError:
        if text.startswith(("['", '["')) and text.endswith("]"):
            raise BadValue(Message("formats.cell_not_json_array", text=text[:60])) from None
        return text


def tags_of(fields: Mapping[str, Any], columns: Sequence[str], labels: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield tags by name: the plain values of an object, or a column of text; empty values are skipped.

    Columns of numbers are tags if they are among the `labels`, or called `answerable`.
    """
    for column in columns:
        value = fields.get(column)
        if isinstance(value, Mapping):
            yield from ((str(name), text) for name, entry in value.items() if (text := text_of(entry)))
        elif isinstance(value, str) and value and (column.casefold() not in TAGS or column in labels):
            yield column, value
        elif is_number(value) and (column in labels or column.casefold() == ANSWERABLE):
            yield column, json.dumps(whole(value))


def inner_labels(fields: Mapping[str, Any], names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the labels among the fields of a format that have no name of ours, which are scores if they are numbers."""
    for group in (fields.get(SCORES) or {}, *(fields.get(EXTRA) or {}).values()):
        yield from ((name, text) for name in names if (text := text_of(whole(group.get(name)))))


class AnswerableValues:
    """The values of `answerable`: how many are readable, how many are not, and where the first of these is."""

    def __init__(self) -> None:
        self.unclear = 0
        self.clear = 0
        self._first = ("", "")

    def add(self, text: str, where: str) -> None:
        """Count a value; "" and words such as unknown are none."""
        if text.strip().casefold() in _UNKNOWN:
            return
        if is_answerable(text) is not None:
            self.clear += 1
            return
        self._first = self._first if self.unclear else (text, where)
        self.unclear += 1

    def check(self) -> None:
        """Refuse values of which none is readable."""
        text, where = self._first
        if self.unclear and not self.clear:
            message = Message("formats.answerable_unclear", value=shown(text))
            raise InputError(message, where=where, hint=Message("formats.answerable_hint"))


def is_answerable(text: str) -> bool | None:
    """Return what a value of `answerable` says; None for what is neither yes nor no."""
    word = str(whole_cell(text.strip().casefold()))
    return True if word in _YES else False if word in _NO else None


def text_of(value: Any) -> str | None:
    """Return text, or a number or boolean as in JSON; None for other values."""
    if isinstance(value, str):
        return value
    return json.dumps(value) if is_number(value) else None


def is_number(value: Any) -> bool:
    """Return whether a value is a number or a boolean."""
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def plain_value(value: Any) -> Any:
    """Return a Python value with numpy values and tuples converted, inside lists and objects too."""
    if type(value) is str or (type(value) is list and set(map(type, value)) == {str}):
        return value
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {name: plain_value(member) for name, member in value.items()}
    return [plain_value(member) for member in value] if isinstance(value, list | tuple) else value


def shown(value: Any) -> str:
    """Return the beginning of a value as JSON, for messages."""
    return json.dumps(value, ensure_ascii=False, default=str, skipkeys=True)[:60]


Grades = Mapping[str, int]
"""The reference contexts by id, each with its grade; 1 where the file has a list."""

# fmt: off
_TEXTS: Final = ("text", "contents", "content", "page_content", "passage", "body", "snippet", "chunk", "answer")
_IDS: Final = ("id", "_id", "doc_id", "docid", "passage_id", "context_id", "chunk_id", "pid", "id_", "segment_id")
_DOCUMENT: Final = (
    "document", "file_path", "doc", "document_name", "doc_name", "file_name", "filename", "file", "source",
)
# fmt: on
_BESIDE: Final = ("metadata", "meta")
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
    """Return the contexts in a value: texts or objects, in a list or one alone; None if there is no value."""
    if _is_absent(value):
        return None
    if isinstance(value, Mapping) and not _is_object(value):
        return tuple(Context(_context_text(text), str(name)) for name, text in value.items())
    if isinstance(value, Mapping) and (columns := _lists(value)):
        value = [dict(zip(value, row, strict=True)) for row in zip(*columns, strict=True)]
    members = value if isinstance(value, list | tuple) else [value]
    if members and all(isinstance(member, list | tuple) for member in members):  # one list for each round of retrieval
        members = [each for member in members for each in member]
    return tuple([Context(member) if type(member) is str else _context(member) for member in members])


def ids_of(value: Any) -> tuple[str, ...] | None:
    """Return the ids in a value: texts or whole numbers, in a list, which may have lists in it, or one alone."""
    if _is_absent(value):
        return None
    members = value if isinstance(value, list | tuple) else [value]
    flat = [each for member in members for each in (member if isinstance(member, list | tuple) else [member])]
    return tuple([each if type(each) is str and each else _id(each) for each in flat])


def grades_of(value: Any) -> Grades | None:
    """Return the reference ids in a value: ids, objects with `id` and `grade`, or an object of ids with grades."""
    if isinstance(value, Mapping) and not _is_graded(value):
        return {str(name): _grade(name, grade) for name, grade in value.items()}
    members = value if isinstance(value, list | tuple) else [value]
    if members and all(isinstance(member, Mapping) and _first(member, _IDS) is not None for member in members):
        pairs = [(_id(_first(member, _IDS)), _first(member, _GRADE)) for member in members]
        return {name: 1 if grade is None else _grade(name, grade) for name, grade in pairs}
    ids = ids_of(value)
    return None if ids is None else dict.fromkeys(ids, 1)


def _is_graded(value: Mapping[str, Any]) -> bool:
    """Return whether an object is one reference with its id and its grade, and not ids with their grades."""
    return isinstance(_first(value, _IDS), str) and any(name in value for name in _GRADE)


def _grade(name: Any, grade: Any) -> int:
    if isinstance(grade, float) and grade.is_integer():
        return int(grade)
    if not isinstance(grade, int):
        raise BadContext(Message("formats.invalid_grade", id=str(name), value=_cut(grade)))
    return int(grade)


def reference_grades(value: Any, contexts: Contexts | None) -> Grades | None:
    """Return the reference ids with their grades: those in a value, else those of the contexts."""
    known = {each.id: each.grade for each in contexts or () if each.id and each.grade is not None}
    ids = context_ids(contexts)
    grades = dict.fromkeys(ids, 1) if _is_absent(value) and ids is not None else grades_of(value)
    return grades if grades is None or not known else {name: known.get(name, grade) for name, grade in grades.items()}


def named_contexts(contexts: Contexts | None, ids: Sequence[str] | None) -> Contexts | None:
    """Return the contexts with these ids, where each has one; contexts of ids alone where there are no texts."""
    if contexts is None or ids is None:
        return contexts if ids is None else tuple([Context(id=each) for each in ids])
    if len(contexts) != len(ids):
        return contexts
    return tuple([each if each.id else each._replace(id=name) for each, name in zip(contexts, ids, strict=True)])


def context_ids(contexts: Contexts | None) -> tuple[str, ...] | None:
    """Return the ids of contexts, if all have one; None for none, since nothing says that there are ids."""
    ids = [each.id for each in contexts or () if each.id]
    return tuple(ids) if contexts and len(ids) == len(contexts) else None


def _context(value: Any) -> Context:
    if isinstance(value, str):
        return Context(str(value))
    if not isinstance(value, Mapping) or not _is_object(value):
        raise BadContext(Message("formats.invalid_context", value=_cut(value)))
    inner = inner_of(value)
    beside: Mapping[str, Any] = next((inner[name] for name in _BESIDE if isinstance(inner.get(name), Mapping)), {})
    found, document = _first(inner, _IDS), _first(inner, _DOCUMENT) or _first(beside, _DOCUMENT)
    return Context(
        text=_titled(inner),
        id=None if found is None else _id(found),
        document=document if isinstance(document, str) else None,
        span=_span(inner) or _span(beside),
        score=_number(_first({**inner, **value}, _SCORE)),
        grade=_whole(_first(value, _GRADE)),
    )


def _lists(value: Mapping[str, Any]) -> list[Sequence[Any]]:
    """Return the lists of equal length that an object consists of, as Hugging Face stores a list of objects."""
    columns: list[Sequence[Any]] = [column for column in value.values() if isinstance(column, list | tuple)]
    is_table = len(columns) == len(value) and len({len(column) for column in columns}) == 1 and "span" not in value
    return columns if is_table else []


def _is_object(value: Mapping[str, Any]) -> bool:
    names = (*_TEXTS, *_IDS, "span", "title", "text_resource")
    return any(name in inner_of(value) for name in names)


def _titled(value: Mapping[str, Any]) -> str | None:
    """Return the text, after the title of the passage if it has one."""
    text, title = _first(value, _TEXTS), value.get("title")
    if isinstance(title, str) and title.strip():
        return title if text is None else f"{title}\n{_context_text(text)}"
    return None if text is None else _context_text(text)


def _context_text(value: Any) -> str:
    if not isinstance(value, str):
        raise BadContext(Message("formats.invalid_context", value=_cut(value)))
    return value


def _id(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
        raise BadContext(Message("formats.invalid_context_id", value=_cut(value)))
    return str(value)


def _span(value: Mapping[str, Any]) -> tuple[int, int] | None:
    span = value.get("span")
    if span is None:
        return None
    is_pair = isinstance(span, list | tuple) and len(span) == 2 and all(type(edge) is int for edge in span)
    if not is_pair or not 0 <= span[0] <= span[1]:
        raise BadContext(Message("formats.invalid_span", value=_cut(span)))
    return span[0], span[1]


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _whole(value: Any) -> int | None:
    return int(value) if type(value) is int or (isinstance(value, float) and value.is_integer()) else None


def _first(value: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((value[name] for name in names if value.get(name) is not None), None)


def _is_absent(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _cut(value: Any) -> str:
    return cut(repr(value), 60)
