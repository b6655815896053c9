"""Checks of the lines of a results file, which is input like any other.

Every wrong type is one message with its line, so that reports, gate and viewer can rely on what was read. Fields that
only one kind of results has are checked by that kind (`registry.kinds`).
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from steelyard import limits
from steelyard.errors import InputError, nearest
from steelyard.i18n import Message
from steelyard.io.shapes import (
    ANYTHING,
    NUMBER,
    SCALAR,
    TEXT,
    WHOLE,
    Fields,
    ListOf,
    MapOf,
    Plain,
    check_shape,
    is_number,
    shown,
)
from steelyard.registry.kinds import kind_of
from steelyard.table import ROUNDING, Bounds

Json = dict[str, Any]

CONTRADICTION_HINT: Final = Message("formats.file_modified_hint")

_HALF: Final = re.compile("[\ud800-\udfff]")
_NUMBERS: Final = (float, int)
_BOUND: Final = Plain(Message("words.a_number_or_null"), lambda value: value is None or is_number(value))
_PAGE: Final = Plain(Message("words.a_number_or_text"), lambda value: isinstance(value, str) or is_number(value))
_NOT_NEGATIVE: Final = Plain(
    Message("words.a_number_from_0_to_1e15"), lambda value: is_number(value) and 0 <= value <= 1e15
)
_COUNT: Final = Plain(Message("words.an_integer_from_0"), lambda value: WHOLE.accepts(value) and value >= 0)
PASSAGE: Final = {"text": TEXT, "page": _PAGE, "section": TEXT, "speaker": TEXT, "document": TEXT}
"""The fields of a passage of a document."""
_QUOTED: Final = Plain(Message("words.text_or_an_object"), lambda value: isinstance(value, str | dict))
_OUTPUT: Final = Fields(
    {
        "question": TEXT,
        "answer": TEXT,
        "citations": ListOf(_QUOTED),
        "evidence": ListOf(_QUOTED),
        "contexts": ListOf(_QUOTED),
        "seconds": _NOT_NEGATIVE,
        "tokens": _NOT_NEGATIVE,
        "cost": _NOT_NEGATIVE,
        "attempts": _COUNT,
    }
)
_HEADER: Final = Fields(
    {
        "kind": TEXT,
        "name": TEXT,
        "signature": TEXT,
        "metrics": ListOf(TEXT),
        "sums": ListOf(TEXT),
        "geometric": ListOf(TEXT),
        "bounds": MapOf(ListOf(_BOUND)),
        "counts": MapOf(_COUNT),
        "codes": MapOf(MapOf(TEXT)),
        "benchmark": TEXT,
        "created": TEXT,
        "main": TEXT,
        "items": _COUNT,
    },
    frozenset(("kind", "name", "signature", "metrics")),
)
_ITEM: Final = Fields(
    {
        "id": TEXT,
        "scores": MapOf(ANYTHING),
        "unscored": MapOf(TEXT),
        "errors": MapOf(TEXT),
        "parts": MapOf(MapOf(_BOUND)),
        "notes": MapOf(TEXT),
        "codes": MapOf(MapOf(ANYTHING)),
        "tags": MapOf(SCALAR),
        "output": _OUTPUT,
        "error": TEXT,
    },
    frozenset(("id", "scores")),
)
_PASSAGES: Final = {
    "citations": Fields(PASSAGE),
    "evidence": Fields(PASSAGE),
    "contexts": Fields({**PASSAGE, "id": TEXT, "score": NUMBER}),
}
_SCOPE: Final = Fields(
    {"scope": TEXT, "units": _COUNT, "ci95": ListOf(_BOUND)},
    frozenset(("scope", "units", "ci95")),
)
_METRIC_SUMMARY: Final = Fields(
    {
        "mean": _BOUND,
        "ci95": ListOf(_BOUND),
        "scored": _COUNT,
        "unscored": _COUNT,
        "errors": _COUNT,
        "interval": TEXT,
        "scope": TEXT,
        "scopes": ListOf(_SCOPE),
        "average": TEXT,
        "sum": _BOUND,
        "median": _BOUND,
        "p95": _BOUND,
    },
    frozenset(("mean", "ci95", "scored", "unscored", "errors", "interval", "scope", "scopes")),
)
_SUMMARY: Final = Fields(
    {"steelyard": TEXT, "errors": _COUNT, "metrics": MapOf(_METRIC_SUMMARY)},
    frozenset(("steelyard", "errors", "metrics")),
)
_FOOTER: Final = Fields({"items": _COUNT, "means": MapOf(_BOUND), "summary": _SUMMARY})


def check_header(head: Json, where: str) -> None:
    """Refuse a header that is not of the shape that readers rely on."""
    check_shape(head, _HEADER, "", where)
    metrics = head["metrics"]
    limits.METRICS.check(len(metrics), Message("words.the_number_of_metrics"), error=InputError, where=where)
    if not metrics:
        raise InputError(Message("formats.no_metric"), where=where)
    if len(set(metrics)) < len(metrics):
        raise InputError(Message("formats.duplicate_metric"), where=where)
    kind = kind_of(head["kind"])
    if kind.metric is not None and kind.metric not in metrics:
        message = Message("formats.kind_metric_missing", kind=kind.name, metric=kind.metric)
        raise InputError(message, where=where)
    for metric, bounds in (head.get("bounds") or {}).items():
        finite = [bound for bound in bounds if bound is not None]
        for bound in finite:
            check_score(bound, Message("words.a_bound_of", metric=metric), where)
        if len(bounds) != 2 or finite != sorted(finite):
            raise InputError(Message("formats.invalid_bounds", metric=metric), where=where)


def check_item(item: Json, kind: str, metrics: Sequence[str], bounds: Mapping[str, Bounds], where: str) -> None:
    """Refuse an item that is not of the shape that readers rely on, or has a score that it cannot have."""
    check_shape(item, _ITEM, "", where)
    _check_metrics(item, metrics, kind_of(kind).of_contexts, where)
    for metric, value in item["scores"].items():
        if value is not None:
            if not _is_score(value):
                check_score(value, Message("words.the_score_of", metric=metric), where)
            _check_bounds(metric, value, bounds.get(metric), where)
    _check_parts(item.get("parts") or {}, where)
    _check_passages(item.get("output") or {}, where)
    checks = kind_of(kind).load_checks()
    if checks is not None:
        checks.check_item(item, where)


def _check_parts(parts: Mapping[str, Mapping[str, Any]], where: str) -> None:
    for metric, of_metric in parts.items():
        for part, value in of_metric.items():
            if value is not None and not _is_score(value):
                check_score(value, Message("words.the_part_of", part=part, metric=metric), where)


def _is_score(value: Any) -> bool:
    return type(value) in _NUMBERS and abs(value) <= limits.SCORE.value


def _check_metrics(item: Json, metrics: Sequence[str], further: Sequence[str], where: str) -> None:
    """Refuse scores, parts and notes of metrics that neither the header nor, as `further` ones, the kind has."""
    known = frozenset((*metrics, *further))
    for field in ("scores", "parts", "notes"):
        for metric in () if known.issuperset(item.get(field) or ()) else item[field]:
            if metric not in known:
                message = Message("formats.metric_not_in_header", metric=metric)
                raise InputError(message, where=where, hint=nearest(metric, metrics))


def check_footer(foot: Any, items: int, where: str) -> None:
    """Refuse a footer that is not of the shape that readers rely on, or counts other items than there are."""
    check_shape(foot, _FOOTER, "footer", where)
    counted = foot.get("items")
    if counted is not None and counted != items:
        message = Message("formats.footer_item_count", counted=shown(counted), items=items)
        raise InputError(message, where=where, hint=Message("formats.lines_missing_hint"))


def contradictions(footed: Mapping[str, float | None], counted: Mapping[str, float]) -> list[str]:
    """Return the metrics whose mean in the footer is missing, or is not the mean of the items."""
    names = dict.fromkeys((*counted, *footed))
    return [
        metric
        for metric in names
        if metric not in footed or metric not in counted or not _is_close(footed[metric], counted[metric])
    ]


def summary_contradictions(footed: Json, counted: Json) -> list[str]:
    """Return the names in the summary of a footer of which the summary of the items has other values."""
    metrics = {name: (footed["metrics"].get(name), counted["metrics"].get(name)) for name in counted["metrics"]}
    unknown = [name for name in footed["metrics"] if name not in metrics]
    wrong = [name for name, pair in metrics.items() if not _are_close(*pair)]
    return [*wrong, *unknown, *([] if footed["errors"] == counted["errors"] else ["errors"])]


def check_score(value: Any, what: Message, where: str) -> None:
    """Refuse what is no number, or one so large that means and intervals cannot be had."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(Message("formats.not_a_number", what=what, value=shown(value)), where=where)
    if abs(value) > limits.SCORE.value:
        raise limits.SCORE.exceeded(what, error=InputError, where=where)


def check_characters(text: str, line: Any, where: str) -> None:
    """Refuse half a character, which JSON can escape and UTF-8 cannot hold."""
    if "\\u" in text and ("\\ud" in text or "\\uD" in text):
        pending = [line]
        while pending:
            value = pending.pop()
            if isinstance(value, str) and _HALF.search(value):
                raise InputError(Message("formats.lone_surrogate", half=_HALF.findall(value)[0]), where=where)
            if isinstance(value, dict):
                pending += [*value, *value.values()]
            elif isinstance(value, list):
                pending += value


def _check_bounds(metric: str, value: float, bounds: Bounds | None, where: str) -> None:
    """Check that a score lies where the header says that scores of its metric lie."""
    if bounds is None:
        return
    low, high = bounds
    if not low - ROUNDING <= value <= high + ROUNDING:
        raise InputError(
            Message("formats.score_out_of_bounds", metric=metric, low=low, high=high, value=value), where=where
        )


def _check_passages(output: Json, where: str) -> None:
    """Citations, evidence and contexts may be plain text; where they are objects, they are passages."""
    for name, shape in _PASSAGES.items():
        for number, each in enumerate(output.get(name) or ()):
            if isinstance(each, dict):
                check_shape(each, shape, f"output.{name}[{number}]", where)


def _are_close(footed: Any, counted: Any) -> bool:
    """Whether two values of JSON are equal but for the rounding of their numbers."""
    if isinstance(footed, dict) and isinstance(counted, dict):
        return footed.keys() == counted.keys() and all(_are_close(footed[name], counted[name]) for name in counted)
    if isinstance(footed, list) and isinstance(counted, list):
        return len(footed) == len(counted) and all(map(_are_close, footed, counted))
    if is_number(footed) and is_number(counted):
        return _is_close(footed, counted)
    return bool(footed == counted)


def _is_close(footed: float | None, counted: float) -> bool:
    if footed is None or math.isnan(counted):  # no item has a score
        return footed is None and math.isnan(counted)
    return abs(footed - counted) <= ROUNDING * max(abs(footed), abs(counted), ROUNDING)
