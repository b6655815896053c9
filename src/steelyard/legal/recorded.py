"""Checks of the items of a legal results file: parts and weights in their ranges, and scores that follow from parts."""

from collections.abc import Mapping
from typing import Any, Final

from steelyard import limits
from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.io.shapes import wrong_shape
from steelyard.legal.formulas import SHARES, agrees
from steelyard.registry.kinds import Scores
from steelyard.table import ROUNDING

METRIC: Final = "legal"


def check_item(item: Mapping[str, Any], where: str) -> None:
    """Refuse an item with a part outside 0 to 1, or with a weight that is not a number above 0."""
    for part, value in ((item.get("parts") or {}).get(METRIC) or {}).items():
        if value is not None and part in SHARES and not -ROUNDING <= value <= 1 + ROUNDING:
            what = Message("words.the_part_of", part=part, metric=METRIC)
            raise InputError(Message("formats.share", what=what, value=value), where=where)
    _check_weight((item.get("tags") or {}).get("weight"), where)


def is_consistent(scores: Scores, parts: Mapping[str, Scores], *, failed: bool) -> bool:
    """Whether the score of an item is what its parts come to."""
    return agrees(scores.get(METRIC), parts.get(METRIC, {}), failed=failed)


def _check_weight(weight: Any, where: str) -> None:
    if weight in (None, ""):
        return
    try:
        is_weight = not isinstance(weight, bool) and 0 < float(weight) <= limits.SCORE.value
    except ValueError:
        is_weight = False
    if not is_weight:
        raise wrong_shape("tags.weight", Message("words.a_number_above_0"), weight, where)
