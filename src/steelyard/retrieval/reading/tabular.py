"""Qrels and runs from rows with named columns, nested mappings, and data frames."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any, TypeVar

import numpy as np

from steelyard.errors import MOST_PROBLEMS, BadValue, InputError, Problem
from steelyard.i18n import Message
from steelyard.io.records import Record, format_suffix
from steelyard.retrieval.matching import Run
from steelyard.retrieval.reading.blocks import Columns, qrels_of_columns, run_of_columns
from steelyard.retrieval.reading.columns import ValueColumn
from steelyard.retrieval.reading.decimals import LARGEST_WHOLE, means_infinity
from steelyard.retrieval.reading.rankings import Qrels
from steelyard.retrieval.reading.trec import ORDER_HINT

QUERY_ID, DOCUMENT_ID = Message("words.query"), Message("words.document")
QUERY = ("query", "query_id", "query-id", "qid", "q_id", "topic", "topic_id", "topicno")
DOCUMENT = (
    "document",
    "doc",
    "doc_id",
    "doc-id",
    "docid",
    "docno",
    "document_id",
    "corpus-id",
    "corpus_id",
    "did",
    "pid",
)
SCORE = ("score", "sim", "similarity")
GRADE = ("grade", "relevance", "rel", "label", "judgment", "score")

Made = TypeVar("Made")
Row = tuple[str, Any, Any, Any]
"""Location, query, document, and score or grade."""


def named_rows(records: Sequence[Record], values: Sequence[str], name: str) -> Iterator[Row]:
    """Yield the query, document and value columns, found by their usual names."""
    if not records:
        raise InputError(Message("formats.no_rows"), where=name)
    fields = list(records[0].fields)
    chosen = [find_column(fields, names, name) for names in (QUERY, DOCUMENT, values)]
    for record in records:
        absent = [column for column in chosen if column not in record.fields]
        if absent:
            raise InputError(Message("formats.field_missing", key=absent[0]), where=record.where)
        yield (record.where, *(record.fields[column] for column in chosen))


def nested_rows(content: Mapping[Any, Any], name: str, *, judged: bool) -> Iterator[Row]:
    """Yield rows of `{query: {document: value}}`, the form of pytrec_eval and ranx.

    In a run a query may have no documents (it is then missing); in qrels it may not.
    """
    for query, documents in content.items():
        if not isinstance(documents, Mapping):
            raise InputError(Message("formats.documents_not_mapping"), where=f"{name}#/{query}")
        if not documents and judged:
            raise InputError(
                Message("formats.no_judged_document"),
                where=f"{name}#/{query}",
                hint=Message("formats.remove_query_hint"),
            )
        for document, value in documents.items():
            yield f"{name}#/{query}/{document}", query, document, value


def qrels_of_rows(rows: Iterable[Row], name: str, digest: str | None = None) -> Qrels:
    """Return judgments from rows; grades are whole numbers."""
    where, columns = _columns(rows, name, _grade)
    return _regular(qrels_of_columns(columns, name, where.__getitem__, digest))


def run_of_rows(rows: Iterable[Row], name: str, digest: str | None = None) -> Run:
    """Return a run from rows; the rows of a query need not be adjacent."""
    where, columns = _columns(rows, name, _score)
    return _regular(run_of_columns(columns, name, where.__getitem__, digest))


def _regular(made: Made | None) -> Made:
    if made is None:
        raise ValueError("rows that were read are not regular")
    return made


def _columns(rows: Iterable[Row], name: str, read: Callable[[Any], Any]) -> tuple[list[str], Columns]:
    """Return the places of rows, and their columns; raise InputError if a value cannot be read."""
    where: list[str] = []
    queries: list[str] = []
    documents: list[str] = []
    values: list[Any] = []
    problems: list[Problem] = []
    for place, query, document, value in rows:
        try:
            queries.append(_identifier(query, QUERY_ID))
            documents.append(_identifier(document, DOCUMENT_ID))
            values.append(read(value))
            where.append(place)
        except BadValue as error:
            problems.append(Problem(place, error.message))
            if len(problems) == MOST_PROBLEMS:
                break
    if problems:
        is_run = read is _grade and len(problems) == MOST_PROBLEMS  # no grade is one
        raise InputError.of(problems, hint=ORDER_HINT if is_run else None)
    if not values:
        raise InputError(Message("formats.empty_file"), where=name)
    return where, Columns(ValueColumn(queries), ValueColumn(documents), ValueColumn(values))


def _identifier(value: Any, what: Message) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str) and value and "\0" not in value:
        with suppress(UnicodeEncodeError):  # a lone surrogate
            value.encode("utf-8")
            return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise BadValue(Message("formats.invalid_id_of", what=what, value=value))


def _score(value: Any) -> float:
    number = _number(value)
    if number is None or math.isnan(number):
        raise BadValue(Message("formats.score_not_a_number", value=_shown(value)))
    if math.isinf(number) and not means_infinity(str(value)):
        raise BadValue(Message("formats.number_too_large"))
    return number


def _grade(value: Any) -> int:
    number = _number(value)
    if number is None or not number.is_integer() or abs(number) >= LARGEST_WHOLE:
        raise BadValue(Message("formats.grade_not_integer", value=_shown(value)))
    return int(number)


def _number(value: Any) -> float | None:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        return None
    try:
        return None if isinstance(value, str) and ("_" in value or not value.isascii()) else float(value)
    except (ValueError, OverflowError):
        return None


def _shown(value: Any) -> str:
    return repr(value.item() if isinstance(value, np.generic) else value)


def find_column(fields: Sequence[str], names: Sequence[str], source: str) -> str:
    """Return the column with one of the names, in any case."""
    folded = {field.casefold(): field for field in fields}
    for name in names:
        if name in folded:
            return folded[name]
    accepted, kind = ", ".join(names), format_suffix(source)
    hint = Message("formats.accepted_names_hint", names=accepted)
    if kind:
        hint = Message("formats.accepted_names_of_kind_hint", names=accepted, kind=kind)
    raise InputError(
        Message(
            "formats.no_column_of_either_name", first=names[0], second=names[1], columns=", ".join(map(repr, fields))
        ),
        where=source,
        hint=hint,
    )
