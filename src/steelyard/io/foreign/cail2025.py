"""CAIL 2025, 法律数值计算: rows with the numbers and the articles of an answer, in predictions and references alike.

The prediction is the JSON of both lists, in which they are read again and shown.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from steelyard.io import shapes
from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.records import Record

NAME: Final = "cail2025"
TITLE: Final = "CAIL 2025"
ONE_SIDED: Final = True

ANSWERS: Final = ("numerical_answer", "article_answer")
_VALUES: Final = shapes.ListOf(shapes.SCALAR)
_ITEM: Final = shapes.Fields(
    {"id": shapes.SCALAR, "query": shapes.TEXT, "type": shapes.TEXT, **dict.fromkeys(ANSWERS, _VALUES)},
    frozenset(("id", *ANSWERS)),
)


def recognises(container: Container) -> bool:
    """Whether rows have a list of numbers and one of articles."""
    return container.kind == "rows" and not container.cells and container.first.keys() >= {*ANSWERS}


def read(container: Container) -> Iterator[Record]:
    """Yield the answers as predictions."""
    for record in container.records():
        shapes.check_shape(record.fields, _ITEM, "", record.where)
        extra = rows.others(record.fields, ("id", "query", "type", *ANSWERS))
        yield record._replace(fields=rows.with_extra(_fields(record.fields), extra, NAME))


def _fields(item: Mapping[str, Any]) -> Fields:
    answer = {name: item[name] for name in ANSWERS}
    known = {
        rows.ID: item["id"],
        rows.QUESTION: item.get("query"),
        rows.PREDICTION: json.dumps(answer, ensure_ascii=False),
        rows.TAGS: rows.labels({"type": item.get("type")}),
    }
    return rows.present(known)
