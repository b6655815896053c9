"""JuDGE: rows of an id and a judgment, in the files of predictions and of references alike."""

from collections.abc import Iterator
from typing import Final

from steelyard.io import shapes
from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.records import Record

NAME: Final = "judge"
TITLE: Final = "JuDGE"
ONE_SIDED: Final = True

_TEXT: Final = "document"
_ITEM: Final = shapes.Fields({"id": shapes.SCALAR, _TEXT: shapes.TEXT}, frozenset(("id", _TEXT)))


def recognises(container: Container) -> bool:
    """Whether rows have an id and a document, and nothing else."""
    return container.kind == "rows" and not container.cells and container.first.keys() == {"id", _TEXT}


def read(container: Container) -> Iterator[Record]:
    """Yield the judgments as predictions."""
    for record in container.records():
        shapes.check_shape(record.fields, _ITEM, "", record.where)
        known = {rows.ID: record.fields["id"], rows.PREDICTION: record.fields[_TEXT]}
        extra = rows.others(record.fields, ("id", _TEXT))
        yield record._replace(fields=rows.with_extra(known, extra, NAME))
