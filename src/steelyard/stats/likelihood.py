"""How far a mean may lie from a sample's own before the sample becomes unlikely: Owen's empirical likelihood (1988).

The items are given weights that sum to 1 and have the mean in question. The likelihood ratio R of a mean is the
largest product of n times the weights; means with -2 log R below a threshold make up the interval. It needs no formula
for skewness: it reaches further to the side on which the sample has its tail, and never past the sample's own values.
"""

import math
from typing import Final

import numpy as np

from steelyard.table import FloatArray

_NEAREST_TO_THE_LARGEST: Final = 1 - 1e-12  # where the weights would all go to the largest value
_CLOSE_ENOUGH: Final = 1e-6  # of the tilt; the next step would be the square of this
_MOST_STEPS: Final = 100  # three are usual
# sums of products are not matrix products here: those start threads, which on a busy machine cost more than they save


def likelihood_reach(deviations: FloatArray, radius: float) -> float:
    """How far above the mean the interval {-2 log R <= radius²} ends, for deviations from that mean.

    The best weights are in proportion to 1 / (1 - tilt * deviation), so one number is sought: the tilt at which
    sqrt(-2 log R), which grows with it almost in proportion, is the radius. Newton's method, kept between bounds.
    """
    largest = float(deviations.max(initial=0.0))
    if largest == 0:
        return 0.0
    scaled = deviations / largest
    low, high = 0.0, _NEAREST_TO_THE_LARGEST
    tilt = min(radius / math.sqrt(float((scaled * scaled).sum())), 0.5)
    for _ in range(_MOST_STEPS):
        distance, slope = _root_ratio(scaled, tilt)
        low, high = (tilt, high) if distance < radius else (low, tilt)
        better = tilt + (radius - distance) / slope
        previous, tilt = tilt, better if low < better < high else (low + high) / 2
        if abs(tilt - previous) <= _CLOSE_ENOUGH * previous:
            break
    weights = 1 / (1 - tilt * scaled)
    return largest * float((weights * scaled).sum()) / float(weights.sum())


def _root_ratio(scaled: FloatArray, tilt: float) -> tuple[float, float]:
    """sqrt(-2 log R) at this tilt, and how fast it grows."""
    items = len(scaled)
    parts = 1 - tilt * scaled
    weights = 1 / parts
    total = float(weights.sum())
    ratio = 2 * (float(np.log(parts).sum()) + items * math.log(total / items))
    pulls = scaled * weights
    growth = items * float((pulls * weights).sum()) / total - float(pulls.sum())
    root = math.sqrt(max(ratio, 0.0))
    return root, growth / root if root > 0 else math.inf
