"""open-rag-eval: the CSV of answers, one row for each passage.

The answer stands in the first row of a query and run. Its `[n]` are ids of passages, which have brackets in their
column and none here.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from steelyard.io import shapes
from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.records import Record

NAME: Final = "open-rag-eval"
TITLE: Final = "open-rag-eval"

_NEEDED: Final = frozenset(("query", "passage_id", "passage", "generated_answer"))
_KNOWN: Final = _NEEDED | {"query_id", "query_run", "expected_answer"}
_NO_ANSWER: Final = "NO_ANSWER"
_ERROR: Final = "API_ERROR"
_NO_PASSAGE: Final = ("NA", "ERROR")
_ROW: Final = shapes.Fields(
    {
        "query_id": shapes.SCALAR,
        "query": shapes.TEXT,
        "query_run": shapes.SCALAR,
        "passage_id": shapes.SCALAR,
        "passage": shapes.TEXT,
        "generated_answer": shapes.TEXT,
    },
    frozenset(("query", "passage_id")),
)


def recognises(container: Container) -> bool:
    """Whether rows have a query, a passage with its id, and a generated answer."""
    return container.kind == "rows" and container.first.keys() >= _NEEDED


def read(container: Container) -> Iterator[Record]:
    """One record for each query and run."""
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in container.records():
        row = record.fields
        shapes.check_shape(row, _ROW, "", record.where)
        key = (str(row.get("query_id") or row["query"]), str(row.get("query_run") or ""))
        groups.setdefault(key, []).append(record)
    has_runs = len({run for _, run in groups}) > 1
    for group in groups.values():
        yield group[0]._replace(fields=_fields([record.fields for record in group], has_runs=has_runs))


def _fields(group: Sequence[Fields], *, has_runs: bool) -> Fields:
    first = group[0]
    answer = next((row["generated_answer"] for row in group if row.get("generated_answer")), "")
    failure = first.get("passage") or _ERROR if answer == _ERROR else None
    passages = [row for row in group if row["passage_id"] not in (*_NO_PASSAGE, "")]
    fields = {
        rows.ID: first.get("query_id") or None,
        rows.REPEAT: _run(first.get("query_run")) if has_runs else None,
        rows.QUESTION: first["query"],
        rows.PREDICTION: None if failure else "" if answer == _NO_ANSWER else answer,
        rows.REFERENCES: [first["expected_answer"]] if first.get("expected_answer") else None,
        rows.CONTEXTS: [{"id": _passage_id(row["passage_id"]), "text": row.get("passage") or ""} for row in passages],
        rows.ERROR: failure,
    }
    rest = {name: value for name, value in first.items() if name not in _KNOWN and value not in (None, "")}
    kept = {name: value for name, value in fields.items() if value is not None}
    return kept | ({rows.EXTRA: {NAME: rest}} if rest else {})


def _run(value: Any) -> Any:
    number = rows.parsed_cell(value)
    return number if isinstance(number, int) else value


def _passage_id(value: Any) -> str:
    return str(value).strip().removeprefix("[").removesuffix("]")
