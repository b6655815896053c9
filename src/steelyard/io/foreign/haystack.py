"""Haystack: answers as `GeneratedAnswer.to_dict()` writes them, `{"data", "query", "documents", "meta"}`.

Version 2 puts the same into `{"type", "init_parameters"}`, and documents too.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from steelyard.io import shapes
from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.layouts import inner_of
from steelyard.io.records import Record

NAME: Final = "haystack"
TITLE: Final = "Haystack"

_NAMES: Final = frozenset(("data", "query", "documents"))
_ANSWER: Final = shapes.Fields(
    {"data": shapes.ANYTHING, "query": shapes.TEXT, "documents": shapes.ListOf(shapes.Fields({}))}, _NAMES
)


def recognises(container: Container) -> bool:
    """Whether rows have the fields of an answer, wrapped or not."""
    return container.kind == "rows" and inner_of(container.first).keys() >= _NAMES


def read(container: Container) -> Iterator[Record]:
    """Yield the answers; an id may stand beside them."""
    for record in container.records():
        answer = {**record.fields, **inner_of(record.fields)}
        shapes.check_shape(answer, _ANSWER, "", record.where)
        yield record._replace(fields=_fields(answer))


def _fields(answer: Mapping[str, Any]) -> Fields:
    fields = {
        rows.ID: answer.get("id"),
        rows.QUESTION: answer["query"],
        rows.PREDICTION: answer["data"],
        rows.REFERENCES: answer.get(rows.REFERENCES),
        rows.CONTEXTS: answer["documents"],
    }
    known = {name: value for name, value in fields.items() if value is not None}
    return rows.with_extra(known, rows.present({"meta": answer.get("meta")}), NAME)
