"""FlashRAG and UltraRAG: rows of a dataset (JSONL), and FlashRAG's `intermediate_data.json` with outputs and scores."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from steelyard.io import layouts, shapes
from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.records import LINES, Record

NAME: Final = "flashrag"
TITLE: Final = "FlashRAG"
BOUNDS: Final = (0.0, 1.0)
CARRIES: Final = frozenset((rows.ID, rows.QUESTION, rows.REFERENCES, rows.TAGS))

_METADATA: Final = ("metadata", "meta_data")  # FlashRAG, UltraRAG
_OUTPUT: Final = "output"
_ANSWERS: Final = frozenset(layouts.PREDICTION) - {_OUTPUT}
_ITEM: Final = shapes.Fields(
    {
        "id": shapes.SCALAR,
        "question": shapes.TEXT,
        "golden_answers": shapes.ListOf(shapes.SCALAR),
        _OUTPUT: shapes.Fields(
            {
                "pred": shapes.TEXT,
                "retrieval_result": rows.PASSAGES,
                "metric_score": shapes.MapOf(shapes.Plain(shapes.NUMBER.words, rows.is_score)),
            }
        ),
    },
    frozenset(("question",)),
)


def recognises(container: Container) -> bool:
    """Whether rows have `golden_answers` and no answer, or an answer in an object `output`."""
    names = container.first if container.kind == "rows" and not container.cells else {}
    if not {"question", "golden_answers"} <= names.keys() or not names.keys().isdisjoint(_ANSWERS):
        return False
    return isinstance(names.get(_OUTPUT, {}), dict)


def read(container: Container) -> Iterator[Record]:
    """Yield the items; scores and contexts are those of `output`."""
    for record in container.records():
        original = {name: value for name, value in record.fields.items() if value is not None}
        shapes.check_shape(original, _ITEM, "", record.where)
        yield record._replace(fields=rows.with_extra(_fields(original), _extra(original), NAME))


def write(content: Iterable[Fields], path: Path) -> None:
    """Write the rows of a dataset as JSONL, or as a JSON array."""
    rows.write_rows(map(_written, content), path, (*LINES, ".json"))


def _fields(item: Mapping[str, Any]) -> Fields:
    output = item.get(_OUTPUT) or {}
    scores = {name: rows.score(value) for name, value in (output.get("metric_score") or {}).items()}
    fields = {
        rows.ID: item.get("id"),
        rows.QUESTION: item["question"],
        rows.PREDICTION: output.get("pred"),
        rows.REFERENCES: _texts(item.get("golden_answers")),
        rows.CONTEXTS: _passages(output.get("retrieval_result")),
        rows.TAGS: {name: value for name, value in _metadata(item).items() if isinstance(value, str)} or None,
        rows.SCORES: scores or None,
        rows.UNSCORED: {name: "NaN" for name, value in scores.items() if value is None} or None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _extra(item: Mapping[str, Any]) -> Fields:
    """Return what is no part of a row: other fields, also of the output and of the metadata."""
    output = rows.others(item.get(_OUTPUT) or {}, ("pred", "retrieval_result", "metric_score"))
    metadata = {name: value for name, value in _metadata(item).items() if not isinstance(value, str)}
    rest = rows.others(item, ("id", "question", "golden_answers", _OUTPUT, *_METADATA))
    return {**rest, **rows.present({_METADATA[0]: metadata, _OUTPUT: output})}


def _metadata(item: Mapping[str, Any]) -> Fields:
    return next((item[name] for name in _METADATA if isinstance(item.get(name), dict)), {})


def _texts(values: Any) -> list[str] | None:
    return [str(each) for each in values or []] or None


def _passages(found: Any) -> list[Any] | None:
    """Passages with `text` for the name that they have here, `contents`."""
    if found is None:
        return None
    return [_passage(each) for each in found]


def _passage(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {"text" if name == "contents" else name: each for name, each in value.items()}


def _written(row: Mapping[str, Any]) -> Fields:
    references = row.get(rows.REFERENCES)
    several = [references] if isinstance(references, str) else references or []
    known = {"id": row.get(rows.ID), "question": row.get(rows.QUESTION), "golden_answers": several}
    return {name: value for name, value in (known | {_METADATA[0]: row.get(rows.TAGS)}).items() if value is not None}
