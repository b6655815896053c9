"""MLflow: rows of a dataset (`inputs`, `outputs`, `expectations`), and of the results of `mlflow.genai.evaluate`.

Assessments are scores, be they a list or columns `NAME/value`; `yes` and `true` are 1, `no` and `false` 0, other texts
are kept apart. Rows that have their trace are read as traces.
"""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from steelyard.io import layouts, shapes
from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.records import Record

NAME: Final = "mlflow"
TITLE: Final = "MLflow rows"

_VALUE, _RATIONALE, _FAILURE = "/value", "/rationale", "/error_message"
_OF_TRACES: Final = ("trace", "spans")
_OWN_TAGS: Final = "mlflow."
_WORDS: Final = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_EXPECTED: Final = ("expected_response", "expected_output", "ground_truth")
_ANSWER: Final = ("response", "answer", "output", "content", "text")
_IDS: Final = ("id", "dataset_record_id", "request_id", "trace_id")
_READ: Final = frozenset(("inputs", "request", "outputs", "response", "expectations", "tags", "assessments", *_IDS[:2]))
_PASSAGE: Final = {"content": "text", "doc_uri": "document"}
_OBJECT: Final = shapes.MapOf(shapes.ANYTHING)
_PASSAGES: Final = shapes.ListOf(shapes.Fields({}))
_ROW: Final = shapes.Fields(
    {
        "inputs": _OBJECT,
        "expectations": shapes.Fields({"expected_retrieved_context": _PASSAGES}),
        "tags": _OBJECT,
        "assessments": shapes.ListOf(shapes.Fields({"feedback": _OBJECT, "expectation": _OBJECT})),
        "retrieved_context": _PASSAGES,
    }
)


def recognises(container: Container) -> bool:
    """Whether rows have inputs beside outputs or expectations, or a request beside assessments, and no trace."""
    names = container.first if container.kind == "rows" else {}
    if not names.keys().isdisjoint(_OF_TRACES):
        return False
    has_inputs = isinstance(rows.parsed_cell(names.get("inputs")), dict)
    is_result = "request" in names and ("assessments" in names or any(name.endswith(_VALUE) for name in names))
    return is_result or (has_inputs and not names.keys().isdisjoint(("outputs", "expectations")))


def read(container: Container) -> Iterator[Record]:
    """Yield the rows with their assessments."""
    for record in container.records():
        given = {name: _cell(name, each) if container.cells else each for name, each in record.fields.items()}
        row = {name: value for name, value in given.items() if value is not None}
        shapes.check_shape(row, _ROW, "", record.where)
        yield record._replace(fields=_fields(row))


def _cell(name: str, text: str) -> Any:
    """Return the value of a cell of CSV: an object, a list, a score, or text."""
    value = rows.parsed_cell(text)
    return value if value is None or isinstance(value, dict | list) or name.endswith(_VALUE) else text


def _fields(row: Fields) -> Fields:
    assessments = list(_assessments(row))
    expected = {**_expectations(assessments), **(row.get("expectations") or {})}
    reference = next((expected[name] for name in _EXPECTED if isinstance(expected.get(name), str)), None)
    tags = {name: each for name, each in (row.get("tags") or {}).items() if not name.startswith(_OWN_TAGS)}
    fields = {
        rows.ID: next((row[name] for name in _IDS if name in row), None),
        rows.QUESTION: _question(row.get("inputs", row.get("request"))),
        rows.PREDICTION: _answer(row.get("outputs", row.get("response"))),
        rows.REFERENCES: None if reference is None else [reference],
        rows.CONTEXTS: _passages(row.get("retrieved_context")),
        rows.REFERENCE_CONTEXTS: _passages(expected.get("expected_retrieved_context")),
        rows.TAGS: {name: each for name, each in tags.items() if isinstance(each, str)} or None,
        rows.EXTRA: {NAME: _extra(row, expected, assessments)},
    }
    outcome = {rows.ERROR: "ERROR"} if row.get("state") == "ERROR" else _scores(assessments)
    return {name: value for name, value in (fields | outcome).items() if value not in (None, {NAME: {}})}


def _question(inputs: Any) -> str | None:
    """Return the input that is a question by its name, the last message of the user, the only text, or all as JSON."""
    if not isinstance(inputs, dict):
        return inputs if isinstance(inputs, str) else None
    named = [inputs[name] for name in layouts.QUESTION if isinstance(inputs.get(name), str)]
    messages = inputs.get("messages") if isinstance(inputs.get("messages"), list) else []
    asked = [each["content"] for each in messages or [] if isinstance(each, dict) and _is_asked(each)]
    texts = [value for value in inputs.values() if isinstance(value, str)]
    found = [*named[:1], *asked[-1:], *(texts if len(texts) == 1 else [])]
    return found[0] if found else json.dumps(inputs, ensure_ascii=False)


def _is_asked(message: Mapping[str, Any]) -> bool:
    return message.get("role") == "user" and isinstance(message.get("content"), str)


def _answer(outputs: Any) -> str | None:
    if outputs is None or isinstance(outputs, str):
        return outputs
    named = (
        [outputs[name] for name in _ANSWER if isinstance(outputs.get(name), str)] if isinstance(outputs, dict) else []
    )
    return named[0] if named else json.dumps(outputs, ensure_ascii=False)


def _passages(found: Any) -> list[Fields] | None:
    """Passages with our names: `content` is the text, `doc_uri` the document."""
    if not isinstance(found, list):
        return None
    passages: list[Fields] = [each for each in found if isinstance(each, dict)]
    return [{_PASSAGE.get(key, key): value for key, value in each.items()} for each in passages]


def _assessments(row: Mapping[str, Any]) -> Iterator[Fields]:
    """Assessments with `name`, `value`, `rationale` and `error`, and whether they are expectations."""
    for each in row.get("assessments") or []:
        feedback, expectation = each.get("feedback") or {}, each.get("expectation") or {}
        error = feedback.get("error") or each.get("error")
        yield {
            "name": str(each.get("assessment_name") or each.get("name")),
            "value": _held(expectation or feedback or each),
            "rationale": each.get("rationale"),
            "error": error.get("error_message") if isinstance(error, dict) else error,
            "is_expected": bool(expectation),
        }
    for name in dict.fromkeys(key.rpartition("/")[0] for key in row if key.endswith((_VALUE, _FAILURE))):
        yield {
            "name": name,
            "value": row.get(name + _VALUE),
            "rationale": row.get(name + _RATIONALE),
            "error": row.get(name + _FAILURE),
            "is_expected": name.startswith("expected_"),
        }


def _held(holder: Mapping[str, Any]) -> Any:
    serialized = holder.get("serialized_value")
    return rows.parsed_cell(serialized.get("value")) if isinstance(serialized, dict) else holder.get("value")


def _expectations(assessments: list[Fields]) -> Fields:
    return {each["name"]: each["value"] for each in assessments if each["is_expected"] and each["value"] is not None}


def _scores(assessments: list[Fields]) -> Fields:
    given = [each for each in assessments if not each["is_expected"]]
    errors = {each["name"]: str(each["error"]) for each in given if each["error"]}
    values = {each["name"]: _number(each["value"]) for each in given}
    scores = {name: None if name in errors else value for name, value in values.items() if value is not None}
    unscored = {each["name"]: "NaN" for each in given if each["value"] != each["value"]}
    notes = {each["name"]: str(each["rationale"]) for each in given if each["rationale"] and each["name"] in scores}
    found = {**scores, **dict.fromkeys((*errors, *unscored))}
    return rows.present({rows.SCORES: found, rows.ERRORS: errors, rows.UNSCORED: unscored, rows.NOTES: notes})


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        return _WORDS.get(value.strip().lower())
    return rows.score(value) if rows.is_score(value) else None


def _extra(row: Mapping[str, Any], expected: Mapping[str, Any], assessments: list[Fields]) -> Fields:
    rest = {name: value for name, value in row.items() if name not in _READ and "/" not in name}
    others = {name: value for name, value in expected.items() if name not in _EXPECTED}
    labels = {each["name"]: each["value"] for each in assessments if _is_label(each)}
    return {**rest, **rows.present({"expectations": others, "labels": labels})}


def _is_label(assessment: Mapping[str, Any]) -> bool:
    value = assessment["value"]
    is_given = not assessment["is_expected"] and value is not None
    return is_given and _number(value) is None and not _is_nan(value)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
