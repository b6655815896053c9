"""Numbers as text, the same in every format."""

import math

from steelyard.i18n import Words
from steelyard.registry.kinds import is_directed
from steelyard.stats.compare import Comparison
from steelyard.stats.intervals import Interval
from steelyard.stats.summary import MetricSummary

BETTER, WORSE = "▲", "▼"
DASH = "–"
MOST_NEEDED = 1_000_000
"""More units than this are not written out."""


def number(value: float, digits: int = 4) -> str:
    """Return four decimal places, as trec_eval prints; a dash for an unknown number."""
    return _fixed(value, f".{digits}f") if math.isfinite(value) else DASH


def signed(value: float, digits: int = 4) -> str:
    """Return a difference with its sign; what rounds to 0 has none."""
    return _fixed(value, f"+.{digits}f") if math.isfinite(value) else DASH


def _fixed(value: float, form: str) -> str:
    text = format(value, form)
    return text if text.strip("+-0.") else text.lstrip("+-")


def interval(bounds: Interval) -> str:
    """Return both ends, or a dash."""
    if not math.isfinite(bounds.low):
        return DASH
    return f"[{number(bounds.low)}, {number(bounds.high)}]"


def p_value(value: float) -> str:
    """Return four decimal places, or an exponent for a small p; never 0."""
    if not math.isfinite(value):
        return DASH
    return f"{value:.4f}" if value >= 0.0001 else f"{value:.1e}"


def needed(comparison: Comparison) -> str:
    """Return about how many units would detect the difference; a dash where it is significant, or no number would."""
    if comparison.needed is None:
        return DASH
    return f"{comparison.needed:,}" if comparison.needed <= MOST_NEEDED else f"> {MOST_NEEDED:,}"


def mark(comparison: Comparison | None) -> str:
    """Return ▲ or ▼ where the difference is significant, and not only between verdicts of a model."""
    if comparison is None or not comparison.significant or comparison.judged or not is_directed(comparison.metric):
        return ""
    return BETTER if comparison.gain > 0 else WORSE


def score(value: float) -> str:
    """Return one item's score; whole numbers above 1 are counts and stay whole."""
    return f"{value:.0f}" if value > 1 and value.is_integer() else number(value)


def spread(summary: MetricSummary) -> str:
    """Return the interval of the mean, or Σ where the number is a total."""
    return interval(summary.interval) if summary.total is None else "Σ"


def mean(summary: MetricSummary) -> str:
    """Return the mean, or the total where people quote that."""
    return number(summary.mean) if summary.total is None else number(summary.total, 0)


def counts(summary: MetricSummary) -> str:
    """Return how many items are scored, unscored and errors."""
    return f"{summary.scored:,} / {summary.unscored:,} / {summary.errors:,}"


def share(summary: MetricSummary) -> float | None:
    """Return the mean where a bar can show it: between 0 and 1, and no cost."""
    return summary.mean if summary.total is None and summary.median is None and 0 <= summary.mean <= 1 else None


def percent(share: float, words: Words) -> str:
    """Return a share in per cent, as the language writes it; a dash where there is none."""
    return words("core.percent", n=f"{100 * share:.1f}") if math.isfinite(share) else DASH
