"""What every paired test gives back."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PairedResult:
    """A two-sided p; `exact` when it is neither approximated nor sampled, `resamples` when it is sampled.

    p is NaN when nothing could be tested, and never 0.
    """

    p_value: float
    test: str
    exact: bool
    resamples: int | None
