"""What the statistics refuse, and the words they refuse it with."""

import numpy as np

from steelyard import limits
from steelyard.i18n import Message
from steelyard.table import FloatArray


def require_resamples(resamples: int) -> None:
    """Refuse a number of resamples that is not positive, or above the limit."""
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, not {resamples}")
    limits.RESAMPLES.check(resamples, Message("words.the_number_of_resamples"))


def require_one_column(values: FloatArray) -> None:
    """Refuse anything but one column of scores or differences without gaps."""
    if values.ndim != 1:
        raise ValueError(f"one column is needed, not an array of {values.ndim} dimensions")
    if not np.isfinite(values).all():
        raise ValueError("values must be finite; leave out unscored items first")


def require_columns(differences: FloatArray) -> None:
    """Refuse differences that are not items by metrics, or infinite; NaN stands for an unscored item."""
    if differences.ndim != 2:
        raise ValueError(f"differences must be items by metrics, not an array of {differences.ndim} dimensions")
    if np.isinf(differences).any():
        raise ValueError("differences must be finite, or NaN for an unscored item")


def require_share(name: str, share: float) -> None:
    """Refuse a level or chance that does not lie strictly between 0 and 1."""
    if not 0 < share < 1:
        raise ValueError(f"{name} must lie between 0 and 1, not {share!r}")
