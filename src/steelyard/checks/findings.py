"""What a check finds: values as they are written and as their rows give them, and values that cannot be recomputed."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

DIGITS: Final = 4
"""A number that is written with fewer decimals than these is taken as exact to these."""
_MOST_DIGITS: Final = 9

VECTORS: Final[dict[str, str]] = {
    "above_one": "rankings/duplicates/ndcg-of-a-repeated-hit",
    "brevity": "answers/bleu/first-sentence-alone",
    "clipping": "answers/references/complementary-references",
    "emptied": "answers/letters/gold-a-answer-b",
    "left_out": "judges/failures/status-500",
    "nothing_scored": "statistics/means/t-no-value",
    "script": "answers/scripts/chinese-identical",
    "too_few_verdicts": "judges/denominators/one-verdict-of-three",
    "too_many_verdicts": "judges/denominators/four-verdicts-for-three",
}
"""The known answer of the conformance suite that a fault breaks, by its code; the text is `check_reason_names.CODE`."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a row, or of the whole file (row ""), as it is written and recomputed; None is no value.

    `why` is the code of the reason if they differ: one of `VECTORS`, or how the value is defined.
    """

    row: str
    metric: str
    written: float | None
    recomputed: float | None
    why: str
    digits: int = DIGITS

    @property
    def differs(self) -> bool:
        """Whether they differ in the digits that are written."""
        if self.written is None or self.recomputed is None:
            return self.written is not self.recomputed
        if not math.isfinite(self.written):
            return True
        digits = min(max(_decimals(self.written), self.digits), _MOST_DIGITS)
        return abs(self.written - self.recomputed) > 0.5 * 0.1**digits + 1e-9 * abs(self.recomputed)


@dataclass(frozen=True, slots=True)
class Left:
    """A value that cannot be recomputed; the text of the reason is `check_reason_names.WHY`."""

    row: str
    metric: str
    why: str


Finding = Value | Left


@dataclass(frozen=True, slots=True)
class Found:
    """What is found in a file of a tool."""

    name: str
    tool: str
    findings: Sequence[Finding] = field(repr=False)

    @property
    def values(self) -> list[Value]:
        """The values that were recomputed."""
        return [each for each in self.findings if isinstance(each, Value)]

    @property
    def differing(self) -> list[Value]:
        """Those that differ."""
        return [each for each in self.values if each.differs]

    @property
    def left(self) -> list[Left]:
        """The values that could not be recomputed."""
        return [each for each in self.findings if isinstance(each, Left)]

    @property
    def rows(self) -> int:
        """The number of rows with a recomputed value."""
        return len({each.row for each in self.values} - {""})


def valued(row: str, metric: str, written: float | None, recomputed: float | None, why: str) -> Finding:
    """Return a value; what has no number is left."""
    return Left(row, metric, "unscored") if written is None else Value(row, metric, written, recomputed, why)


def number(value: Any) -> float | None:
    """Return a number or flag of a file; None for anything else and for NaN."""
    if not isinstance(value, bool | int | float) or math.isnan(value):
        return None
    return float(value)


def mean(values: Iterable[float]) -> float | None:
    """Return the mean; None of nothing."""
    known = list(values)
    return math.fsum(known) / len(known) if known else None


def standard_error(values: Sequence[float]) -> float:
    """Return the standard error of the mean by the sample deviation; 0 of fewer than two values."""
    n = len(values)
    centre = math.fsum(values) / max(n, 1)
    return math.sqrt(math.fsum((each - centre) ** 2 for each in values) / (n - 1) / n) if n > 1 else 0.0


def _decimals(value: float) -> int:
    exponent = Decimal(repr(value)).as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0
