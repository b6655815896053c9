"""Pages of rankings: the first documents of every query in every result, their grades, and relevant ones missed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from steelyard.documents.pages import Document
from steelyard.reports.kinds import ItemDetails, Json, KindPage, Rows, as_list
from steelyard.retrieval.outputs import FIELDS, FIRST, MOST_MISSED
from steelyard.table import Table

MOST_TEXT: Final = 6_000_000
"""Characters of documents on one page; the documents of the items that are listed first have theirs."""


class RankedItems(ItemDetails):
    """The fields of rankings have a place of their own."""

    fields: ClassVar[frozenset[str]] = FIELDS


class RankingPage(KindPage):
    """What pages show of rankings."""

    def details(self, documents: Mapping[str, Document]) -> RankedItems:
        """Nothing of an item but its ranking."""
        return RankedItems()

    def item_columns(self, tables: Sequence[Table], rows: Sequence[Rows], order: Sequence[int]) -> Json:
        """`rankings`: for each item its documents, and for each result their order; none where no ranking was kept."""
        if not any(table.outputs for table in tables):
            return {}
        outputs = [
            [_output(table, row) for table, row in zip(tables, of, strict=True)] for of in zip(*rows, strict=True)
        ]
        items = [_item(of_item) for of_item in outputs]
        if not any(items):
            return {}
        texts = _texts(outputs[place] for place in order)
        return {"rankings": {"first": FIRST, "level": _level(tables[0]), "items": items, "texts": texts}}


def _output(table: Table, row: int | None) -> Mapping[str, Any]:
    return {} if row is None or not table.outputs else table.outputs[row] or {}


def _level(table: Table) -> int:
    """Return the least grade of a relevant document, by the signature."""
    given = str(dict(table.signature.settings).get("rel", 1))
    return int(given) if given.isdigit() else 1


def _item(outputs: Sequence[Mapping[str, Any]]) -> Json | None:
    """Return one query: documents and their grades, each once; for each result its documents by number, in order."""
    numbers: dict[str, int] = {}
    grades: list[int | None] = []
    ranked, missed = [], []
    for output in outputs:
        places = [_number(*each, numbers, grades) for each in _ranked(output)]
        ranked.append(places if "ranked" in output else None)
        missed.append([[_number(id_, grade, numbers, grades), rank] for id_, grade, rank in _missed(output)])
    if not numbers and all(each is None for each in ranked):
        return None
    relevant = next((output["relevant"] for output in outputs if isinstance(output.get("relevant"), int)), None)
    return {"docs": list(numbers), "grades": grades, "ranked": ranked, "missed": missed, "relevant": relevant}


def _number(id_: str, grade: int | None, numbers: dict[str, int], grades: list[int | None]) -> int:
    """Return the number of a document of the item, which is added if it is new."""
    if id_ not in numbers:
        numbers[id_] = len(numbers)
        grades.append(grade)
    return numbers[id_]


def _ranked(output: Mapping[str, Any]) -> list[tuple[str, int | None]]:
    """Return the documents of a ranking with their grades; a results file may hold anything."""
    pairs = zip(as_list(output.get("ranked"))[:FIRST], as_list(output.get("grades")), strict=False)
    return [(str(id_), grade if isinstance(grade, int) else None) for id_, grade in pairs]


def _missed(output: Mapping[str, Any]) -> Iterator[tuple[str, int, int | None]]:
    for each in as_list(output.get("missed"))[:MOST_MISSED]:
        match each:
            case [id_, int(grade), int() | None as rank]:
                yield str(id_), grade, rank


def _texts(outputs: Iterable[Sequence[Mapping[str, Any]]]) -> dict[str, list[str]]:
    """Document → title and text, as long as there is room for them."""
    texts: dict[str, list[str]] = {}
    left = MOST_TEXT
    for of_item in outputs:
        for output in of_item:
            for id_, (title, text) in _pairs(output.get("texts")):
                if id_ not in texts and left > 0:
                    texts[id_] = [title, text]
                    left -= len(title) + len(text)
    return texts


def _pairs(texts: Any) -> Iterator[tuple[str, tuple[str, str]]]:
    for id_, pair in texts.items() if isinstance(texts, Mapping) else ():
        match pair:
            case [str(title), str(text)]:
                yield id_, (title, text)
