"""UMBRELA: judgments of passages from 0 to 3 as rows; those that were written as qrels are read as qrels."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.records import Record
from steelyard.io.shapes import NUMBER, TEXT
from steelyard.io.shapes import Fields as Shape

NAME: Final = "umbrela"
TITLE: Final = "UMBRELA"
METRIC: Final = "UMBRELA"

_ROW: Final = Shape(
    {"query": TEXT, "passage": TEXT, "judgment": NUMBER, "result_status": NUMBER},
    frozenset(("query", "passage", "judgment")),
)
_REPLIES: Final = ("prediction", "predition")  # the second is how older versions write it
_TEXTS: Final = ("query", "passage", "qid", "docid", *_REPLIES)
_USED: Final = ("query", "passage", "judgment", "result_status")
_LONGEST: Final = 100


def recognises(container: Container) -> bool:
    """Whether rows have a query, a passage and its judgment."""
    first = container.first if container.kind == "rows" else {}
    return {"query", "passage", "judgment"} <= first.keys()


def read(container: Container) -> Iterator[Record]:
    """One record for each passage; a reply that could not be parsed is an error, although it is recorded as 0."""
    for record in rows.with_values(container.records(), _TEXTS, cells=container.cells):
        rows.check(record.fields, _ROW, record.where, TITLE)
        yield record._replace(fields=_fields(record.fields))


def _fields(row: Mapping[str, Any]) -> Fields:
    is_parsed = row.get("result_status", 1) != 0
    reply = next((str(row[name]) for name in _REPLIES if row.get(name)), "")
    passage = rows.present({"id": row.get("docid"), "text": row["passage"]})
    fields = {
        rows.ID: _id(row),
        rows.QUESTION: row["query"],
        rows.CONTEXTS: [passage if "id" in passage else row["passage"]],
        rows.SCORES: {METRIC: float(row["judgment"]) if is_parsed else None},
        rows.ERRORS: {} if is_parsed else {METRIC: f"the reply could not be parsed: {reply[:_LONGEST]}"},
        rows.EXTRA: {NAME: {name: value for name, value in row.items() if name not in _USED}},
    }
    return rows.present(fields)


def _id(row: Mapping[str, Any]) -> str:
    """Return the ids of query and passage, or the hash of both texts."""
    if row.get("qid") is not None and row.get("docid") is not None:
        return f"{row['qid']}/{row['docid']}"
    return rows.text_id(f"{row['query']}\n{row['passage']}")
