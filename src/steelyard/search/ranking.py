"""Rankings: indices of passages with their scores, the best first; ties by index."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float32]


class Ranking(NamedTuple):
    """Indices of passages and their scores."""

    indices: Sequence[int]
    scores: Sequence[float]


NOTHING = Ranking((), ())


def best(scores: Scores, top_k: int) -> Ranking:
    """The best passages with a score above 0."""
    indices = np.flatnonzero(scores > 0)
    if len(indices) > top_k:
        least = np.partition(scores[indices], -top_k)[-top_k]
        indices = indices[scores[indices] >= least]
    return ranked(indices, scores[indices], top_k)


def ranked(indices: npt.NDArray[np.int64], scores: Scores, top_k: int) -> Ranking:
    """These passages in order: the higher score first, then the lower index."""
    order = np.lexsort((indices, -scores))[:top_k]
    return Ranking(indices[order].tolist(), scores[order].tolist())
