"""A ranking: places in the corpus with their scores, the best first, of equals the one that stands first."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float32]


class Ranking(NamedTuple):
    """Places of passages and their scores, side by side."""

    places: Sequence[int]
    scores: Sequence[float]


NOTHING = Ranking((), ())


def best(scores: Scores, top_k: int) -> Ranking:
    """The best of those that score above 0."""
    places = np.flatnonzero(scores > 0)
    if len(places) > top_k:
        least = np.partition(scores[places], -top_k)[-top_k]
        places = places[scores[places] >= least]
    return ranked(places, scores[places], top_k)


def ranked(places: npt.NDArray[np.int64], scores: Scores, top_k: int) -> Ranking:
    """These places in order: the higher score first, then the earlier place."""
    order = np.lexsort((places, -scores))[:top_k]
    return Ranking(places[order].tolist(), scores[order].tolist())
