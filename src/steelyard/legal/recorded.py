"""Checks of the items of a legal results file: verdicts, parts and weights, and scores that follow from the parts."""

from collections.abc import Mapping
from typing import Any, Final

from steelyard import limits
from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.io import shapes
from steelyard.io.results.checks import PASSAGE
from steelyard.io.shapes import FLAG, TEXT, Fields, ListOf, MapOf
from steelyard.legal.model import METRIC, PENALTIES, SLACK, penalised, weighted_sum
from steelyard.legal.question_types import part_labels, type_of_parts
from steelyard.registry.kinds import Scores
from steelyard.table import ROUNDING

_EXPECTED: Final = Fields(
    {
        "answer": MapOf(shapes.ANYTHING),
        "abstain": FLAG,
        "quotes": ListOf(TEXT),
        "evidence": ListOf(Fields(PASSAGE, frozenset(("text", "page")))),
    }
)
_STORED: Final = shapes.Plain(Message("words.a_list"), lambda value: isinstance(value, list))
"""A message as a value; one that is not known or has other arguments is left to who shows it."""
_VERDICT: Final = Fields(
    {
        "expected": _EXPECTED,
        "reasons": MapOf(TEXT),
        "remarks": ListOf(TEXT),
        "messages": Fields({"reasons": MapOf(_STORED), "remarks": ListOf(_STORED), "error": _STORED}),
        "reached": MapOf(FLAG),
        "invented": ListOf(Fields({"text": TEXT, "kind": TEXT})),
        "should_abstain": FLAG,
        "abstained": FLAG,
    }
)
_OUTPUT: Final = Fields({"verdict": _VERDICT})


def check_item(item: Mapping[str, Any], where: str) -> None:
    """Refuse an item with a verdict of another shape, a part outside 0 to 1, or a weight that is not above 0."""
    shapes.check_shape(item.get("output") or {}, _OUTPUT, "output", where)
    for part, value in ((item.get("parts") or {}).get(METRIC) or {}).items():
        if value is not None and part in part_labels() and not -ROUNDING <= value <= 1 + ROUNDING:
            what = Message("words.the_part_of", part=part, metric=METRIC)
            raise InputError(Message("formats.not_a_share", what=what, value=value), where=where)
    _check_weight((item.get("tags") or {}).get("weight"), where)


def is_consistent(scores: Scores, parts: Mapping[str, Scores], *, failed: bool) -> bool:
    """Return whether the score of an item follows from its parts, as far as they are there; a failed item scores 0."""
    score = scores.get(METRIC)
    if score is None:
        return True
    known = {part: value for part, value in parts.get(METRIC, {}).items() if value is not None}
    kind, after_penalty = type_of_parts(known), known.get("penalised_score", score)
    if kind is not None:
        total = weighted_sum(kind.weights(known), kind.counted(known, score, {}))
        if abs(score - total) > SLACK:
            return False
    is_invented = known.get("no_hallucination", 1.0) < 1.0
    possible = [penalised(score, penalty) for penalty in PENALTIES.values()] if is_invented else [score]
    is_penalised = any(abs(after_penalty - other) <= SLACK for other in possible)
    return is_penalised and not (failed and abs(score) > SLACK)


def _check_weight(weight: Any, where: str) -> None:
    try:
        is_weight = weight in (None, "") or (not isinstance(weight, bool) and 0 < float(weight) <= limits.SCORE.value)
    except ValueError:
        is_weight = False
    if not is_weight:
        raise shapes.wrong_shape("tags.weight", Message("words.a_number_above_0"), weight, where)
