"""The fields of a record in every format, and the conversion of common values to them."""

import ast
import csv
import json
import math
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from steelyard.i18n import Message
from steelyard.io.shapes import TEXT, ListOf, Plain
from steelyard.io.writing import whole_file, write_whole

Fields = dict[str, Any]

# what is read: the fields that `steelyard answers` uses, and those of scores
ID: Final = "id"
QUESTION: Final = "question"
PREDICTION: Final = "prediction"
REFERENCES: Final = "references"
CONTEXTS: Final = "contexts"  # texts, or objects with id, text and others
RETRIEVED_IDS: Final = "retrieved_context_ids"
REFERENCE_CONTEXTS: Final = "reference_contexts"
REFERENCE_IDS: Final = "reference_context_ids"
TAGS: Final = "tags"  # an object of texts
SYSTEM: Final = "system"  # of a file with the outputs of several systems
REPEAT: Final = "repeat"  # the number of a repeated run of one item (epoch), from 1
SCORES: Final = "scores"  # metric → number, or None where there is none
UNSCORED: Final = "unscored"  # metric → why it has no number although nothing failed
ERRORS: Final = "errors"  # metric → why scoring failed
NOTES: Final = "notes"  # metric → explanation
ERROR: Final = "error"  # why the system failed on this item
EXTRA: Final = "extra"  # format → the fields that have no place above

ALL: Final = frozenset(
    (
        ID,
        QUESTION,
        PREDICTION,
        REFERENCES,
        CONTEXTS,
        RETRIEVED_IDS,
        REFERENCE_CONTEXTS,
        REFERENCE_IDS,
        TAGS,
        SYSTEM,
        REPEAT,
        SCORES,
        UNSCORED,
        ERRORS,
        NOTES,
        ERROR,
        EXTRA,
    )
)

# shapes of common fields, for `shapes.check_shape`
TEXTS: Final = ListOf(TEXT)
IDS: Final = ListOf(Plain(Message("words.a_number_or_text"), lambda value: isinstance(value, str | int)))
PASSAGES: Final = ListOf(Plain(Message("words.text_or_an_object"), lambda value: isinstance(value, str | dict)))

# strings in brackets without commas, as NumPy writes an array of texts
_STRING: Final = r"""(?:'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")"""
_ARRAY: Final = re.compile(rf"\[\s*{_STRING}(?:\s+{_STRING})+\s*\]", re.DOTALL)


def renamed(fields: Mapping[str, Any], names: Mapping[str, str], source: str) -> Fields:
    """The fields by our names; numbers under other names are scores, and all else is kept under `extra`."""
    known = {names[name]: value for name, value in fields.items() if name in names and value is not None}
    others = {name: value for name, value in fields.items() if name not in names}
    scores = {name: score(value) for name, value in others.items() if is_score(value)}
    extra = {name: value for name, value in others.items() if name not in scores and value not in (None, "")}
    return {**known, **present({SCORES: scores, EXTRA: {source: extra} if extra else {}})}


def present(fields: Mapping[str, Any]) -> Fields:
    """The fields that are not empty."""
    return {name: value for name, value in fields.items() if value not in (None, "", [], {}, ())}


def extra_of(row: Mapping[str, Any], source: str) -> Fields:
    """The fields that a format had and that have no place among ours."""
    return dict((row.get(EXTRA) or {}).get(source, {}))


def with_rest(fields: Fields, original: Mapping[str, Any], written: Mapping[str, Any], source: str) -> Fields:
    """The fields with `extra` for every field of the original that writing them would not give back; null is none."""
    absent = object()
    rest = {
        name: value
        for name, value in original.items()
        if value is not None and not _is_same(value, written.get(name, absent))
    }
    others = {name: value for name, value in fields.items() if name != EXTRA}
    return {**others, EXTRA: {source: rest}} if rest else others


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def is_score(value: Any) -> bool:
    """Whether a value is a number, NaN and booleans included; infinity is none."""
    return isinstance(value, bool | int | float) and not abs(value) > sys.float_info.max


def score(value: float | None) -> float | None:
    """A number as a score; None for NaN."""
    return None if value is None or math.isnan(value) else float(value)


def parsed_cell(text: Any) -> Any:
    """The value in a cell of CSV: a list or an object as JSON or as Python writes it, a number, or the text itself."""
    if not isinstance(text, str):
        return text
    stripped = text.strip()
    if not stripped:
        return None
    if stripped[0] not in "[{":
        return _number(stripped) if stripped[0] in "-+.0123456789nN" else text
    for parse in (json.loads, _array, ast.literal_eval):
        try:
            return parse(stripped)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return text


def _array(text: str) -> list[str]:
    """The texts of a NumPy array, which Python would join to one text since there are no commas between them."""
    if not _ARRAY.fullmatch(text):
        raise ValueError(text)
    return [str(ast.literal_eval(each)) for each in re.findall(_STRING, text, re.DOTALL)]


def _number(text: str) -> Any:
    if text.lower() == "nan":
        return math.nan
    try:
        number = int(text) if text.lstrip("+-").isdecimal() else float(text)
    except ValueError:
        return text
    return number if is_score(number) else text


def text_of(context: Any) -> str:
    """The text of a context, which is text or an object."""
    if isinstance(context, Mapping):
        names = ("text", "content", "contents", "page_content", "passage", "body")
        return str(next((context[name] for name in names if context.get(name) is not None), ""))
    return "" if context is None else str(context)


def texts_of(contexts: Iterable[Any]) -> list[str]:
    """The texts of contexts."""
    return [text_of(context) for context in contexts]


def write_lines(content: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Write rows as JSONL."""
    with whole_file(path) as part, part.open("w", encoding="utf-8", newline="\n") as file:
        for row in content:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def write_array(content: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Write rows as a JSON array."""
    write_whole(path, json.dumps(list(content), ensure_ascii=False, indent=4) + "\n")


def write_cells(content: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Write rows as CSV with the columns of all rows; a list is written as Python writes it."""
    rows = list(content)
    with whole_file(path) as part, part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(name for row in rows for name in row)))
        writer.writeheader()
        writer.writerows(rows)


def ids_of(contexts: Iterable[Any]) -> list[str]:
    """The ids of contexts; none unless every context has one."""
    ids = [context.get("id") if isinstance(context, Mapping) else None for context in contexts]
    return [str(each) for each in ids] if None not in ids else []
