"""RAGAS: rows of a dataset, a result or an experiment (0.1 to 0.4) as JSONL, JSON, CSV or parquet.

RAGAS has no id, and an experiment has its rows in the order in which they were finished. Null and a field that is
missing are the same to it.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from steelyard.i18n import Message
from steelyard.io import shapes
from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.layouts import LABELS
from steelyard.io.records import Record

NAME: Final = "ragas"
TITLE: Final = "RAGAS"
CARRIES: Final = rows.TEXTS_AND_IDS | {rows.SCORES, rows.UNSCORED, rows.NOTES}
CONTEXT_KEYS: Final = frozenset(("id", "text"))

_NAMES: Final = {
    "id": rows.ID,
    "user_input": rows.QUESTION,
    "response": rows.PREDICTION,
    "reference": rows.REFERENCES,
    "retrieved_contexts": rows.CONTEXTS,
    "retrieved_context_ids": rows.RETRIEVED_IDS,
    "reference_contexts": rows.REFERENCE_CONTEXTS,
    "reference_context_ids": rows.REFERENCE_IDS,
}
_SINCE_0_2: Final = {  # names of 0.1 → those that came after them
    "question": "user_input",
    "answer": "response",
    "contexts": "retrieved_contexts",
    "ground_truth": "reference",
    "ground_truths": "references",
}
_LISTS: Final = ("retrieved_contexts", "reference_contexts", "retrieved_context_ids", "reference_context_ids")
_TEXTS: Final = ("id", "user_input", "response", "reference")
_ALL_REFERENCES: Final = "references"  # a column of ours beside `reference`, which is one text
# fields of RAGAS and columns of pandas that are no scores, also when they are numbers
# fmt: off
_NO_SCORES: Final = frozenset((
    "multi_responses", "rubrics", "persona_name", "query_style", "query_length", "synthesizer_name",
    "reference_topics", "reference_tool_calls", "evolution_type", "episode_done", "metadata", "index", "Unnamed:", "",
))
# fmt: on
_OTHER_ANSWERS: Final = frozenset(("prediction", "pred", "pred_answer", "response", "output", "actual_output"))
_METADATA: Final = "metadata"
_REASON: Final = "_reason"
_NAN: Final = "NaN"
# how a result stands in a cell of CSV
_RESULT: Final = re.compile(r"MetricResult\(value=(?P<value>.*?)(?:, reason=(?P<reason>['\"].*))?\)", re.DOTALL)

_QUESTION: Final = shapes.Plain(Message("words.text"), lambda value: isinstance(value, str | list))
_SHAPE: Final = shapes.Fields(
    {
        "user_input": _QUESTION,
        "response": shapes.TEXT,
        "reference": shapes.TEXT,
        "references": rows.TEXTS,
        "retrieved_contexts": rows.PASSAGES,
        "reference_contexts": rows.PASSAGES,
        "retrieved_context_ids": rows.IDS,
        "reference_context_ids": rows.IDS,
    }
)
_MESSAGES: Final = shapes.ListOf(shapes.Fields({"content": shapes.ANYTHING, "type": shapes.TEXT}))


def recognises(container: Container) -> bool:
    """Whether rows have the names of RAGAS: `user_input` beside another of its names, or those of version 0.1."""
    names = container.first.keys() if container.kind == "rows" else frozenset[str]()
    if "user_input" in names:
        return not names.isdisjoint(("response", "reference", *_LISTS))
    answered = not names.isdisjoint(("answer", "ground_truth", "ground_truths"))
    is_old = {"question", "contexts"} <= names and answered and names.isdisjoint(_OTHER_ANSWERS)
    return is_old and not _has_objects(container.first["contexts"])


def _has_objects(contexts: Any) -> bool:
    """Whether contexts are objects, which RAGAS does not have; in a cell they are written as JSON or Python."""
    members = contexts if isinstance(contexts, list) else [contexts]
    return any(isinstance(each, dict) or str(each).startswith(("[{", "{")) for each in members)


def read(container: Container) -> Iterator[Record]:
    """Yield the rows; numbers beside the known fields are scores of metrics."""
    is_old = "user_input" not in container.first
    for record in container.records():
        fields = _parsed(record.fields) if container.cells else record.fields
        if is_old:
            fields = {_SINCE_0_2.get(name, name): value for name, value in fields.items()}
        yield record._replace(fields=_fields(fields, record.where))


def write(content: Iterable[Fields], path: Path) -> None:
    """Write rows as RAGAS 0.4 reads them; CSV has the columns of all rows, lists as Python writes them."""
    rows.write_rows(map(_written, content), path)


def _fields(source: Mapping[str, Any], where: str) -> Fields:
    """Return the fields of a row that has the names of 0.2 and later."""
    original = {name: value for name, value in source.items() if value is not None and not _is_lost(name, value)}
    shapes.check_shape(original, _SHAPE, "", where)
    fields = {ours: original[name] for name, ours in _NAMES.items() if name in original}
    if "reference" in original:
        fields[rows.REFERENCES] = [original["reference"]]
    if original.get(_ALL_REFERENCES):
        fields[rows.REFERENCES] = original[_ALL_REFERENCES]
    for name in (rows.RETRIEVED_IDS, rows.REFERENCE_IDS):
        if name in fields:
            fields[name] = [str(each) for each in fields[name]]
    if isinstance(original.get("user_input"), list):
        fields |= _conversation(original, where)
    fields |= rows.present({rows.TAGS: _tags(original)}) | _scores(original)
    fields = {name: value for name, value in fields.items() if value is not None}
    return rows.with_extra(fields, _extra(original, fields), NAME)


def _extra(original: Mapping[str, Any], fields: Fields) -> Fields:
    """Return what is no part of a row; of a conversation all messages, since a row has only the last ones."""
    scores = fields.get(rows.SCORES) or {}
    used = {*_NAMES, _ALL_REFERENCES, *LABELS, *scores, *(name + _REASON for name in scores)}
    return rows.others(original, used - ({"user_input"} if isinstance(original.get("user_input"), list) else set()))


def _is_lost(name: str, value: Any) -> bool:
    """Whether a field is missing: pandas writes NaN for a text or list that is not there."""
    return name in _NAMES and isinstance(value, float) and math.isnan(value)


def _conversation(original: Mapping[str, Any], where: str) -> Fields:
    """Return the last question of a conversation, and its last answer unless there is a response."""
    messages = original["user_input"]
    shapes.check_shape(messages, _MESSAGES, "user_input", where)
    asked = [rows.text_of(each.get("content")) for each in messages if each.get("type") == "human"]
    is_answered = messages and messages[-1].get("type") == "ai"
    answer = rows.text_of(messages[-1].get("content")) if is_answered else None
    return {rows.QUESTION: asked[-1] if asked else "", rows.PREDICTION: original.get("response", answer)}


def _tags(original: Mapping[str, Any]) -> dict[str, str]:
    """Labels, and the texts, numbers and flags in the metadata."""
    metadata = original.get(_METADATA)
    return {**(rows.tags_of(metadata) if isinstance(metadata, dict) else {}), **rows.labels(original)}


def _scores(fields: Mapping[str, Any]) -> Fields:
    """Scores, why some are missing, and explanations, from the columns that RAGAS does not name."""
    results = {name: _result(value) for name, value in fields.items() if _may_be_score(name)}
    scores = {name: rows.score(value) for name, (value, _) in results.items() if rows.is_score(value)}
    reasons = {name: results[name][1] or _text(fields.get(name + _REASON)) for name in scores}
    unscored = {name: reasons[name] or _NAN for name, value in scores.items() if value is None}
    notes = {name: reasons[name] for name in scores if reasons[name] and name not in unscored}
    return rows.present({rows.SCORES: scores, rows.UNSCORED: unscored, rows.NOTES: notes})


def _may_be_score(name: str) -> bool:
    return name not in (*_NAMES, *LABELS) and name != _ALL_REFERENCES and name.partition(" ")[0] not in _NO_SCORES


def _result(value: Any) -> tuple[Any, str]:
    """Return the value and the reason of a metric's result."""
    match = _RESULT.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return value, ""
    try:
        return rows.parsed_cell(match["value"]), str(rows.evaluated(match["reason"] or "''"))
    except (ValueError, SyntaxError):
        return value, ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _parsed(fields: Mapping[str, Any]) -> Fields:
    """Return the values of cells; an empty cell is a missing value, except for the answer, which may be empty."""
    return {name: _cell(_SINCE_0_2.get(name, name), value) for name, value in fields.items()}


def _cell(name: str, text: str) -> Any:
    if name == "user_input" and text.startswith("[{"):
        value = rows.parsed_cell(text)
        return value if isinstance(value, list) else text
    if name in _TEXTS or name.endswith(_REASON):
        return text if text or name == "response" else None
    return rows.parsed_cell(text)


def _written(row: Mapping[str, Any]) -> Fields:
    """Return a row as RAGAS has it: contexts are texts, their ids stand apart, and there is one reference."""
    names = {ours: name for name, ours in _NAMES.items()}
    found = {names[name]: value for name, value in row.items() if name in names and value is not None}
    for name in ("retrieved_contexts", "reference_contexts"):
        if name in found:
            ids = name.replace("contexts", "context_ids")
            found |= rows.present({ids: found.get(ids) or rows.ids_of(found[name])})
            found[name] = rows.texts_of(found[name])
    references = found.get("reference")
    if isinstance(references, list):
        found["reference"] = references[0] if references else None
        found |= {_ALL_REFERENCES: references} if len(references) > 1 else {}
    return {name: value for name, value in (found | _written_scores(row)).items() if value is not None}


def _written_scores(row: Mapping[str, Any]) -> Fields:
    scores = row.get(rows.SCORES) or {}
    reasons = {**(row.get(rows.NOTES) or {}), **(row.get(rows.UNSCORED) or {}), **(row.get(rows.ERRORS) or {})}
    explained = {name + _REASON: reasons[name] for name in scores if reasons.get(name, _NAN) != _NAN}
    return {**{name: math.nan if value is None else value for name, value in scores.items()}, **explained}
