"""RAGChecker: `{"results": […]}` before and after checking.

The metrics of an item are shares from 0 to 1 (those of the summary percentages). `answer2response` has a label for each
claim of the response, `response2answer` one for each claim of the reference.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from steelyard.io import shapes
from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.records import Record

NAME: Final = "ragchecker"
TITLE: Final = "RAGChecker"
BOUNDS: Final = (0.0, 1.0)

_RESULTS: Final = "results"
_NAMES: Final = {"query_id": rows.ID, "query": rows.QUESTION, "response": rows.PREDICTION}
_READ: Final = frozenset((*_NAMES, "gt_answer", "retrieved_context", "metrics"))
_METRIC: Final = shapes.Plain(shapes.NUMBER.words, rows.is_score)
_ITEM: Final = shapes.Fields(
    {
        "query_id": shapes.SCALAR,
        "query": shapes.TEXT,
        "gt_answer": shapes.TEXT,
        "response": shapes.TEXT,
        "retrieved_context": rows.PASSAGES,
        "metrics": shapes.MapOf(_METRIC),
    },
    frozenset(("query",)),
)
_DOCUMENT: Final = shapes.Fields({_RESULTS: shapes.ListOf(_ITEM)}, frozenset((_RESULTS,)))


def recognises(container: Container) -> bool:
    """Whether a document has results with a query and a `gt_answer` or a `retrieved_context`."""
    results = container.first.get(_RESULTS) if container.kind == "document" else None
    first = results[0] if isinstance(results, list) and results else None
    names = first.keys() if isinstance(first, dict) else frozenset[str]()
    return "query" in names and not names.isdisjoint(("gt_answer", "retrieved_context"))


def read(container: Container) -> Iterator[Record]:
    """Yield the results; the metrics of an item are its scores."""
    shapes.check_shape(container.first, _DOCUMENT, "", container.name)
    for number, item in enumerate(container.first[_RESULTS]):
        yield Record(container.name, number, _fields(item), f"{{}}#/{_RESULTS}/{{}}")


def _fields(item: Mapping[str, Any]) -> Fields:
    fields = {name: item[key] for key, name in _NAMES.items() if item.get(key) is not None}
    if item.get("gt_answer") is not None:
        fields[rows.REFERENCES] = [item["gt_answer"]]
    if item.get("retrieved_context") is not None:
        fields[rows.CONTEXTS] = [_passage(each) for each in item["retrieved_context"]]
    scores = {name: rows.score(value) for name, value in (item.get("metrics") or {}).items()}
    unscored = {name: "NaN" for name, value in scores.items() if value is None}
    extra = {name: value for name, value in item.items() if name not in _READ and value is not None}
    others = {rows.SCORES: scores, rows.UNSCORED: unscored, rows.EXTRA: rows.present({NAME: extra})}
    return fields | rows.present(others)


def _passage(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    known = {"id": value.get("doc_id"), **{name: each for name, each in value.items() if name != "doc_id"}}
    return {name: each for name, each in known.items() if each is not None}
