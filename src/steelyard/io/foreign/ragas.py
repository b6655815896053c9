"""RAGAS: rows of a dataset or an experiment (0.1 to 0.4) as JSONL, JSON, CSV or parquet."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.records import Record, format_suffix

NAME: Final = "ragas"
TITLE: Final = "RAGAS"
CARRIES: Final = frozenset(
    (
        rows.QUESTION,
        rows.PREDICTION,
        rows.REFERENCES,
        rows.CONTEXTS,
        rows.RETRIEVED_IDS,
        rows.REFERENCE_CONTEXTS,
        rows.REFERENCE_IDS,
        rows.SCORES,
    )
)

_NAMES: Final = {
    "user_input": rows.QUESTION,
    "response": rows.PREDICTION,
    "reference": rows.REFERENCES,
    "retrieved_contexts": rows.CONTEXTS,
    "retrieved_context_ids": rows.RETRIEVED_IDS,
    "reference_contexts": rows.REFERENCE_CONTEXTS,
    "reference_context_ids": rows.REFERENCE_IDS,
    "id": rows.ID,
}
_OLD_NAMES: Final = {
    "question": rows.QUESTION,
    "answer": rows.PREDICTION,
    "contexts": rows.CONTEXTS,
    "ground_truth": rows.REFERENCES,
    "ground_truths": rows.REFERENCES,
    "id": rows.ID,
}
_OTHER_ANSWERS: Final = ("prediction", "pred", "pred_answer", "response", "output", "actual_output")
_LISTS: Final = ("retrieved_contexts", "reference_contexts", "retrieved_context_ids", "reference_context_ids")
_TEXTS: Final = ("user_input", "response", "reference", "question", "answer", "ground_truth")


def recognises(container: Container) -> bool:
    """Whether rows have the names of RAGAS: `user_input` beside another of its names, or those of version 0.1."""
    names = container.first.keys() if container.kind == "rows" else frozenset[str]()
    is_new = "user_input" in names and not names.isdisjoint(("response", "reference", *_LISTS))
    return is_new or ({"question", "answer", "contexts"} <= names and names.isdisjoint(_OTHER_ANSWERS))


def read(container: Container) -> Iterator[Record]:
    """The rows; numbers beside the known fields are scores of metrics."""
    names = _NAMES if "user_input" in container.first else _OLD_NAMES
    for record in container.records():
        fields = _parsed(record.fields) if container.cells else record.fields
        yield record._replace(fields=_with_question(rows.renamed(fields, names, NAME)))


def write(content: Iterable[Fields], path: Path) -> None:
    """Write rows as RAGAS 0.4 reads them; CSV has the columns of all rows, lists as Python writes them."""
    written = [_written(row) for row in content]
    if format_suffix(path) == ".csv":
        columns = list(dict.fromkeys(name for row in written for name in row))
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns)
            writer.writeheader()
            writer.writerows(written)
        return
    lines = [json.dumps(row, ensure_ascii=False) for row in written]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _parsed(fields: Mapping[str, Any]) -> Fields:
    return {name: rows.parsed_cell(value) if name not in _TEXTS else value or None for name, value in fields.items()}


def _with_question(fields: Fields) -> Fields:
    """The fields with the last human message as the question of a conversation, which is kept as it is."""
    messages = fields.get(rows.QUESTION)
    if not isinstance(messages, list):
        return fields
    human = [message.get("content", "") for message in messages if message.get("type") == "human"]
    extra = {**rows.extra_of(fields, NAME), "user_input": messages}
    return {**fields, rows.QUESTION: human[-1] if human else "", rows.EXTRA: {NAME: extra}}


def _written(row: Mapping[str, Any]) -> Fields:
    names = {ours: name for name, ours in _NAMES.items()}
    fields = {names[name]: _value(name, value) for name, value in row.items() if name in names}
    return {**fields, **row.get(rows.SCORES, {}), **rows.extra_of(row, NAME)}


def _value(name: str, value: Any) -> Any:
    """A value as RAGAS has it: contexts are texts, and there is one reference."""
    if name in (rows.CONTEXTS, rows.REFERENCE_CONTEXTS):
        return rows.texts_of(value)
    return value[0] if name == rows.REFERENCES and isinstance(value, list) and len(value) == 1 else value
