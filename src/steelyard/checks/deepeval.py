"""DeepEval: scores from the verdicts in the log of a metric, success by the threshold, and the totals of the run.

The documentation defines the shares over all claims or statements; the program divides by the verdicts that came.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from steelyard.checks.findings import Finding, Left, Value, number, valued
from steelyard.io.foreign.containers import Container

_LENIENT: Final = ("Faithfulness", "Answer Relevancy")
"""Metrics in which an uncertain verdict counts, unless a setting that the file does not have says otherwise."""
_TURNED: Final = frozenset(("Bias", "Toxicity", "Hallucination"))
"""Metrics of which less was better, until a release made more better."""
_RECALL: Final = "Contextual Recall"
_PRECISION: Final = "Contextual Precision"
_COUNTED: Final = ("Claims", "Statements")
_PART: Final = re.compile(r"(?:\A|\n \n)([A-Z][\w ]*)(?: \(limit=\w+\))?:\n(\[\]|\[\n.*?\n\])(?= \n \n|\Z)", re.DOTALL)
"""A list of a log, with its title."""
_VERDICT: Final = re.compile(r'"verdict": "(\w+)"')
_COLLECTIONS: Final = ("testCases", "conversationalTestCases")


def check(container: Container) -> Iterator[Finding]:
    """Yield the scores and successes of every case, and the totals."""
    run = container.first.get("testRunData", container.first)
    cases = [case for name in _COLLECTIONS for case in run.get(name) or []]
    metrics: dict[str, list[Mapping[str, Any]]] = {}
    for case in cases:
        for metric in case.get("metricsData") or []:
            metrics.setdefault(metric["name"], []).append(metric)
            yield from _metric(str(case.get("name")), metric, case)
        yield from _success(case)
    for total in run.get("metricsScores") or []:
        yield from _total(total, metrics.get(total["metric"], []))
    for name, passed in (("testPassed", True), ("testFailed", False)):
        if name in run:
            counted = sum(case.get("success") is passed for case in cases)
            yield valued("", name, number(run[name]), float(counted), "count")


def _metric(row: str, metric: Mapping[str, Any], case: Mapping[str, Any]) -> Iterator[Finding]:
    name, score, threshold = metric["name"], number(metric.get("score")), number(metric.get("threshold"))
    if score is None or metric.get("error"):
        yield Left(row, name, "unscored")
        return
    yield _scored(row, name, score, metric, case)
    if threshold is not None and metric.get("success") is not None and name not in _TURNED:
        yield Value(row, f"{name} success", float(metric["success"]), float(score >= threshold), "threshold")


def _scored(row: str, name: str, score: float, metric: Mapping[str, Any], case: Mapping[str, Any]) -> Finding:
    if name == "Exact Match" and {"actualOutput", "expectedOutput"} <= case.keys():
        equal = case["actualOutput"].strip() == case["expectedOutput"].strip()
        return Value(row, name, score, float(equal), "texts")
    parts = dict(_PART.findall(str(metric.get("verboseLogs") or "")))
    if "Verdicts" not in parts or name not in (*_LENIENT, _RECALL, _PRECISION) or metric.get("strictMode"):
        return Left(row, name, "strict" if metric.get("strictMode") else "judged")
    verdicts = [verdict.lower() for verdict in _VERDICT.findall(parts["Verdicts"])]
    strict = [verdict == "yes" for verdict in verdicts]
    if name == _PRECISION:
        return Value(row, name, score, _average_precision(strict), "verdicts")
    total = _count(parts, len(verdicts))
    if not total:
        return Left(row, name, "nothing_to_count")
    if len(verdicts) > total:
        return Value(row, name, score, None, "too_many_verdicts")
    counts = {sum(strict), sum(verdict != "no" for verdict in verdicts) if name in _LENIENT else sum(strict)}
    closest = min((count / total for count in counts), key=lambda share: abs(share - score))
    return Value(row, name, score, closest, "verdicts" if len(verdicts) == total else "too_few_verdicts")


def _count(parts: Mapping[str, str], verdicts: int) -> int:
    """Return the number of claims or statements; that of the verdicts if the log has neither."""
    text = next((parts[name] for name in _COUNTED if name in parts), None)
    if text is None:
        return verdicts
    try:
        return len(json.loads(text, strict=False))
    except ValueError:  # a claim with a quotation mark, which DeepEval does not escape
        return len(re.findall(r'^ {4}"', text, re.MULTILINE))


def _average_precision(relevant: Sequence[bool]) -> float:
    shares = [sum(relevant[:rank]) / rank for rank, hit in enumerate(relevant, 1) if hit]
    return sum(shares) / len(shares) if shares else 0.0


def _success(case: Mapping[str, Any]) -> Iterator[Finding]:
    known = [metric.get("success") for metric in case.get("metricsData") or [] if not metric.get("flaky")]
    if case.get("success") is not None and known and None not in known:
        yield Value(str(case.get("name")), "success", float(case["success"]), float(all(known)), "all_metrics")


def _total(total: Mapping[str, Any], metrics: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Yield the counts of a metric, and the sum of its list of scores."""
    name = total["metric"]
    scored = [each for each in metrics if each.get("score") is not None and each.get("success") is not None]
    counts = {
        "passes": sum(each["success"] for each in scored),
        "fails": sum(not each["success"] for each in scored),
        "errors": len(metrics) - len(scored),
    }
    for key, counted in counts.items():
        yield valued("", f"{name} {key}", number(total.get(key)), float(counted), "count")
    written, found = (number(math.fsum(scores)) for scores in (total["scores"], [each["score"] for each in scored]))
    yield valued("", f"{name} scores", written, found, "sum")
