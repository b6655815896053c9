"""The fields of a record in every format, and the conversion of common values to them."""

import ast
import csv
import hashlib
import json
import math
import re
import sys
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from steelyard import limits
from steelyard.errors import ConfigError, InputError
from steelyard.i18n import Message, Option
from steelyard.io.layouts import LABELS
from steelyard.io.records import LINES, NOT_AN_OBJECT, Record, parse_json
from steelyard.io.shapes import DECIMAL, TEXT, ListOf, Plain, Shape, check_shape
from steelyard.io.shapes import Fields as ObjectShape
from steelyard.io.writing import whole_file, write_whole

Fields = dict[str, Any]

# what is read: the fields that `steelyard answers` uses, and those of scores
ID: Final = "id"
QUESTION: Final = "question"
PREDICTION: Final = "prediction"
REFERENCES: Final = "references"
CONTEXTS: Final = "contexts"  # texts, or objects with id, text and others
RETRIEVED_IDS: Final = "retrieved_context_ids"
RETRIEVED_SCORES: Final = "retrieved_context_scores"  # of a ranking, one for each of the ids
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

TEXTS_AND_IDS: Final = frozenset(
    (ID, QUESTION, PREDICTION, REFERENCES, CONTEXTS, RETRIEVED_IDS, REFERENCE_CONTEXTS, REFERENCE_IDS)
)
_OTHERS: Final = (RETRIEVED_SCORES, TAGS, SYSTEM, REPEAT, SCORES, UNSCORED, ERRORS, NOTES, ERROR, EXTRA)
ALL: Final = TEXTS_AND_IDS | {*_OTHERS}

# shapes of common fields, for `shapes.check_shape`
TEXTS: Final = ListOf(TEXT)
IDS: Final = ListOf(Plain(Message("words.a_number_or_text"), lambda value: isinstance(value, str | int)))
PASSAGES: Final = ListOf(Plain(Message("words.text_or_an_object"), lambda value: isinstance(value, str | dict)))

SUFFIXES: Final = (*LINES, ".json", ".csv", ".tsv")  # of files that rows can be written to

# strings in brackets without commas, as NumPy writes an array of texts
_STRING: Final = r"""(?:'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")"""
_ARRAY: Final = re.compile(rf"\[\s*{_STRING}(?:\s+{_STRING})+\s*\]", re.DOTALL)
_WHOLE: Final = re.compile(r"-?\d+\.0")
_ID_NAMES: Final = ("id", "doc_id", "docid", "_id", "document")


def renamed(fields: Mapping[str, Any], names: Mapping[str, str], source: str) -> Fields:
    """Return the fields by our names.

    Of the others, numbers are scores, labels are tags, and what is no score is `extra`.
    """
    known = {names[name]: value for name, value in fields.items() if name in names and value is not None}
    others = {name: value for name, value in fields.items() if name not in names}
    tags = labels(others)
    scores = {name: score(value) for name, value in others.items() if is_score(value) and name not in tags}
    extra = {name: value for name, value in others.items() if name not in scores and value not in (None, "")}
    tags = {**tags, **(known.get(TAGS) or {})}
    return {**known, **present({TAGS: tags, SCORES: scores, EXTRA: {source: extra} if extra else {}})}


def labels(fields: Mapping[str, Any]) -> dict[str, str]:
    """Return the fields that are labels by their name, such as category and answerable, as tags."""
    found = {name: value for name, value in fields.items() if name in LABELS and isinstance(value, str | bool)}
    return {
        name: value if isinstance(value, str) else json.dumps(value) for name, value in found.items() if value != ""
    }


def present(fields: Mapping[str, Any]) -> Fields:
    """Return the fields that are not empty; an empty prediction is one."""
    kept = {name: value for name, value in fields.items() if value not in (None, [], {}, ())}
    return {name: value for name, value in kept.items() if value != "" or name == PREDICTION}


def others(fields: Mapping[str, Any], used: Collection[str]) -> Fields:
    """Return the fields that a format does not give a place among ours."""
    return {name: value for name, value in fields.items() if name not in used and value is not None}


def with_extra(fields: Fields, extra: Fields, source: str) -> Fields:
    """Return the fields with what a format has beside them."""
    return {**fields, EXTRA: {source: extra}} if extra else fields


def extra_of(row: Mapping[str, Any], source: str) -> Fields:
    """Return the fields that a format had and that have no place among ours."""
    return dict((row.get(EXTRA) or {}).get(source, {}))


def is_score(value: Any) -> bool:
    """Whether a value is a number, NaN and booleans included; infinity is none."""
    return isinstance(value, bool | int | float) and not abs(value) > sys.float_info.max


def score(value: float | None) -> float | None:
    """Return a number as a score; None for NaN."""
    return None if value is None or math.isnan(value) else float(value)


def parsed_cell(text: Any, where: str = "") -> Any:
    """Return the value in a cell of CSV: a list or object as JSON or as Python writes it, a number, or the text itself.

    `where` is its place, for the error about one that Python would need much memory to read.
    """
    if not isinstance(text, str):
        return text
    stripped = text.strip()
    if not stripped:
        return None
    if stripped[0] not in "[{":
        return _number(stripped) if stripped[0] in "-+.0123456789nN" else text
    for parse in (_json, _array, evaluated):
        if parse is not _json and stripped[-1] in "]}":
            limits.LITERAL_CHARS.check(len(stripped), Message("words.a_python_list"), error=InputError, where=where)
        try:
            return parse(stripped)
        except (InputError, TypeError, ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return text


def _json(text: str) -> Any:
    return parse_json(text, "", lenient=True)


def evaluated(text: str) -> Any:
    """Return the value that Python writes so, if JSON can express it.

    No warning about a backslash that it would double.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _json(json.dumps(ast.literal_eval(text)))


def _array(text: str) -> list[str]:
    """Return the texts of a NumPy array, which Python would join to one text since there are no commas between them."""
    if not _ARRAY.fullmatch(text):
        raise ValueError(text)
    return [str(evaluated(each)) for each in re.findall(_STRING, text, re.DOTALL)]


def _number(text: str) -> Any:
    if text.lower() == "nan":
        return math.nan
    if not DECIMAL.fullmatch(text):
        return text
    try:
        number = int(text) if text.lstrip("+-").isdecimal() else float(text)
    except ValueError:
        return text
    return number if is_score(number) else text


def with_values(records: Iterable[Record], texts: Collection[str], *, cells: bool) -> Iterator[Record]:
    """Yield records with the values that the cells of CSV hold, except in columns of `texts`; others as they are."""
    for record in records:
        fields = record.fields
        if cells:
            fields = {
                name: value if name in texts else parsed_cell(value, record.where) for name, value in fields.items()
            }
        yield record._replace(fields=fields)


def text_of(context: Any) -> str:
    """Return the text of a context, which is text or an object."""
    if isinstance(context, Mapping):
        names = ("text", "content", "contents", "page_content", "passage", "body")
        return str(next((context[name] for name in names if context.get(name) is not None), ""))
    return "" if context is None else str(context)


def texts_of(contexts: Iterable[Any]) -> list[str]:
    """Return the texts of contexts."""
    return [text_of(context) for context in contexts]


def write_rows(content: Iterable[Mapping[str, Any]], path: Path, suffixes: Iterable[str] = SUFFIXES) -> None:
    """Write rows as the suffix of the file says: JSONL, a JSON array, CSV or TSV."""
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        hint = Message("core.known", names=", ".join(suffixes))
        raise ConfigError(Message("formats.suffix_unknown", suffix=suffix), where=str(path), hint=hint)
    if suffix in LINES:
        write_lines(content, path)
    elif suffix == ".json":
        write_whole(path, json.dumps(list(content), ensure_ascii=False, indent=4) + "\n")
    else:
        _write_cells(list(content), path, "," if suffix == ".csv" else "\t")


def write_lines(content: Iterable[Any], path: Path) -> None:
    """Write values as JSONL."""
    with whole_file(path) as part, part.open("w", encoding="utf-8", newline="\n") as file:
        for value in content:
            file.write(json.dumps(value, ensure_ascii=False) + "\n")


def _write_cells(content: list[Mapping[str, Any]], path: Path, separator: str) -> None:
    """Write rows with the columns of all of them; a list is written as Python writes it."""
    with whole_file(path) as part, part.open("w", encoding="utf-8", newline="") as file:
        columns = list(dict.fromkeys(name for row in content for name in row))
        writer = csv.DictWriter(file, columns, delimiter=separator)
        writer.writeheader()
        writer.writerows(content)


def ids_of(contexts: Iterable[Any]) -> list[str]:
    """Return the ids of contexts; none unless every context has one."""
    ids = [context.get("id") if isinstance(context, Mapping) else None for context in contexts]
    return [str(each) for each in ids] if None not in ids else []


def check(value: Any, shape: Shape, where: str, title: str) -> None:
    """Refuse a value of another shape; `title` is the format that it was read as."""
    if isinstance(shape, ObjectShape) and not isinstance(value, dict):
        given = json.dumps(value, ensure_ascii=False)[:60]
        raise InputError(Message(NOT_AN_OBJECT, shown=given), where=where, hint=read_as(title))
    try:
        check_shape(value, shape, "", where)
    except InputError as error:
        raise InputError(error.message, where=where, hint=read_as(title)) from None


def read_as(title: str) -> Message:
    """Return the hint about a file that has the shape of a format and does not keep to it."""
    return Message("formats.read_as", title=title, option=Option("map"))


def tags_of(fields: Mapping[str, Any]) -> dict[str, str]:
    """Return the values that can be tags, as text: texts, numbers, true and false."""
    plain = {name: value for name, value in fields.items() if isinstance(value, str | int | float)}
    return {name: json.dumps(value) if isinstance(value, bool) else str(value) for name, value in plain.items()}


def whole(value: Any) -> Any:
    """Return the value; a whole number that was read as a float is whole: pandas has such beside missing values."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def whole_cell(text: Any) -> Any:
    """Return the text of a cell that has an id or a number; one that pandas wrote as 7.0 is 7."""
    return text[:-2] if isinstance(text, str) and _WHOLE.fullmatch(text) else whole(text)


def id_of(context: Any) -> str:
    """Return the id of a context; the hash of its text where it has none."""
    found = (
        next((context[name] for name in _ID_NAMES if context.get(name)), None) if isinstance(context, dict) else None
    )
    return str(found) if found is not None else text_id(text_of(context))


def text_id(text: str) -> str:
    """Return an id for a text that has none: the beginning of its SHA-256."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
