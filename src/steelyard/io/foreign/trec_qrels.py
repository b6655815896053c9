"""TREC qrels: `query 0 document grade`, also as UMBRELA writes them; one record for each query."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.foreign.trec_columns import grouped, write_columns
from steelyard.io.records import Record

NAME: Final = "trec-qrels"
TITLE: Final = "TREC qrels"
CARRIES: Final = frozenset((rows.ID, rows.REFERENCE_CONTEXTS, rows.REFERENCE_IDS))
NEEDS: Final = frozenset((rows.ID, rows.REFERENCE_CONTEXTS, rows.REFERENCE_IDS))

_WIDTH: Final = 4


def recognises(container: Container) -> bool:
    """Whether lines have the four columns of qrels."""
    return container.kind == "lines" and container.width == _WIDTH


def read(container: Container) -> Iterator[Record]:
    """Yield the judgments; documents with a grade above 0 are the references, with the grade where it is not 1."""
    for query, (number, lines) in grouped(container, _WIDTH, (3, "grade"), TITLE).items():
        grades = {document: rows.whole(float(grade)) for _, document, grade in lines}
        relevant = {document: grade for document, grade in grades.items() if grade > 0}
        graded = [{"id": document, "grade": grade} for document, grade in relevant.items() if grade != 1]
        references = {rows.REFERENCE_IDS: list(relevant), rows.REFERENCE_CONTEXTS: graded}
        others = [document for document in grades if document not in relevant]
        fields = {rows.ID: query, **rows.present(references)}
        yield Record(container.name, number, rows.with_extra(fields, rows.present({"not_relevant": others}), NAME))


def write(content: Iterable[Fields], path: Path) -> None:
    """Write judgments: each reference context with its grade, which is 1 unless it has a `grade`."""
    write_columns((line for row in content for line in _lines(row)), path)


def grades_of(row: Fields) -> dict[str, Any]:
    """Return the grade of each reference context of a row."""
    contexts = row.get(rows.REFERENCE_CONTEXTS) or []
    graded = {rows.id_of(each): each.get("grade", 1) if isinstance(each, dict) else 1 for each in contexts}
    return {each: graded.get(each, 1) for each in map(str, row.get(rows.REFERENCE_IDS) or graded)}


def _lines(row: Fields) -> Iterator[list[Any]]:
    yield from ([row[rows.ID], 0, document, grade] for document, grade in grades_of(row).items())
