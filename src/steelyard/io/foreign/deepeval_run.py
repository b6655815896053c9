"""DeepEval: the test cases of a run with their scores (`.deepeval/.latest_test_run.json`, `test_run_….json`).

A metric with an error could not be scored; one without a score and without an error was not measured.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from steelyard.io import shapes
from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.deepeval import fields_of, snake
from steelyard.io.foreign.rows import Fields
from steelyard.io.records import Record

NAME: Final = "deepeval-run"
TITLE: Final = "DeepEval test run"
BOUNDS: Final = (0.0, 1.0)

_DATA: Final = "testRunData"
_CASES: Final = ("testCases", "conversationalTestCases")
_KNOWN: Final = frozenset(("input", "actual_output", "expected_output", "retrieval_context", "context", "metrics_data"))
_GIVEN_NAME: Final = re.compile(r"(conversational_)?test_case_\d+")  # of a case that has no name: its place in the run
_NOT_MEASURED: Final = "not measured"
_METRIC: Final = shapes.Fields(
    {"name": shapes.TEXT, "score": shapes.NUMBER, "error": shapes.TEXT, "reason": shapes.TEXT}, frozenset(("name",))
)
_CASE: Final = shapes.Fields(
    {"name": shapes.TEXT, "metricsData": shapes.ListOf(_METRIC), "metadata": shapes.MapOf(shapes.ANYTHING)}
)
_RUN: Final = shapes.Fields({name: shapes.ListOf(_CASE) for name in _CASES}, frozenset(("testCases",)))
_WRAPPED: Final = shapes.Fields({_DATA: _RUN}, frozenset((_DATA,)))


def recognises(container: Container) -> bool:
    """Whether a document is a run, or has one under `testRunData`."""
    if container.kind != "document":
        return False
    run = container.first.get(_DATA, container.first)
    return _DATA in container.first or (isinstance(run, dict) and {"testCases", "metricsScores"} <= run.keys())


def suite(container: Container) -> str | None:
    """Return the test file of a run, which is the same in every run of it; None if the run has none."""
    run = container.first.get(_DATA, container.first)
    return run["testFile"] if isinstance(run.get("testFile"), str) else None


def read(container: Container) -> Iterator[Record]:
    """Yield the test cases with their scores."""
    is_wrapped = _DATA in container.first
    shapes.check_shape(container.first, _WRAPPED if is_wrapped else _RUN, "", container.name)
    prefix, run = (f"#/{_DATA}", container.first[_DATA]) if is_wrapped else ("#", container.first)
    cases = [(key, number, case) for key in _CASES for number, case in enumerate(run.get(key) or [])]
    names = [case.get("name") for _, _, case in cases]
    is_named = len(set(names)) == len(names) and not all(_GIVEN_NAME.fullmatch(name or "") for name in names)
    for key, number, case in cases:
        record = Record(container.name, number, {}, f"{{}}{prefix}/{key}/{{}}")
        yield record._replace(fields=_fields(case, record.where, is_named=is_named))


def _fields(case: Mapping[str, Any], where: str, *, is_named: bool) -> Fields:
    """Return the fields of a test case.

    Its name is its id if names differ, DeepEval did not give them, and there is no id.
    """
    known = {snake(name): value for name, value in case.items() if value is not None}
    fields = fields_of({**known, "additional_metadata": known.get("metadata")}, where)
    if is_named and known.get("name") is not None:
        fields.setdefault(rows.ID, known["name"])
    metrics = _by_name(case.get("metricsData") or [])
    rest = {name: value for name, value in known.items() if name not in _KNOWN}
    details = {name: _details(metric) for name, metric in metrics.items()}
    return fields | _scores(metrics) | {rows.EXTRA: {NAME: {**rest, **rows.present({"metrics": details})}}}


def _by_name(metrics: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Metrics by name; a name that is used again gets a number."""
    found: dict[str, dict[str, Any]] = {}
    for metric in metrics:
        name, number = metric["name"], 1
        while name in found:
            number += 1
            name = f"{metric['name']} ({number})"
        found[name] = metric
    return found


def _scores(metrics: Mapping[str, Mapping[str, Any]]) -> Fields:
    errors = {name: each["error"] for name, each in metrics.items() if each.get("error") is not None}
    scores = {name: None if name in errors else rows.score(each.get("score")) for name, each in metrics.items()}
    reasons = {name: each["reason"] for name, each in metrics.items() if each.get("reason")}
    unscored = {
        name: reasons.get(name, _NOT_MEASURED) for name, each in scores.items() if each is None and name not in errors
    }
    notes = {name: reason for name, reason in reasons.items() if name not in unscored}
    return rows.present({rows.SCORES: scores, rows.UNSCORED: unscored, rows.ERRORS: errors, rows.NOTES: notes})


def _details(metric: Mapping[str, Any]) -> Fields:
    return {name: value for name, value in metric.items() if name not in ("name", "score", "error", "reason")}
