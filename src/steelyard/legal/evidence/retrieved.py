"""Required passages in a ranking of chunks: the ranks at which each is found first, and the scores of the ranking.

A passage is found in a chunk that contains it as a quotation (`Key`), or in two chunks whose texts, one after the
other, contain it: it may be cut in two, and the chunks may overlap.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from steelyard.legal.evidence.quotes import Key, key_of, quote_pieces
from steelyard.retrieval.matching import Rankings
from steelyard.retrieval.metrics import normalised_gain, reciprocal_rank
from steelyard.table import FloatArray

CUTOFFS: Final = (1, 5, 10)
"""The cut-offs of all scores of evidence, if none are given."""
_LOST: Final = 1  # character of a number that its key lacks where a chunk ends inside the number: 42. and 5

Places = Sequence[tuple[int, ...]]
"""For each passage the ranks, from 1 on, of the chunk or the two chunks that contain it first; () if none do."""


def places_of(passages: Sequence[str], chunks: Sequence[str]) -> Places:
    """Return the ranks at which each passage is found first in a ranking of chunks."""
    keys = [key_of(chunk) for chunk in chunks]
    return [_place(quote_pieces(passage), chunks, keys) for passage in passages]


def recall_of(places: Sequence[Places], k: float | None) -> FloatArray:
    """Return for each question the share of its passages that are found in the first k chunks; in all without k."""
    most = np.inf if k is None else k
    found = [[bool(ranks) and max(ranks) <= most for ranks in of] for of in places]
    return np.array([sum(each) / len(each) for each in found], np.float64)


def hits_of(places: Sequence[Places], k: float | None) -> FloatArray:
    """Return 1 for each question of which every passage is found in the first k chunks."""
    return np.equal(recall_of(places, k), 1.0).astype(np.float64)


FOUND: Final = {"EvidenceRecall": recall_of, "EvidenceHit": hits_of}
"""The metrics that are computed from the places of passages; RR and nDCG are those of rankings."""


def evidence_metrics() -> list[str]:
    """Return the names of the scores of evidence, in order."""
    return [*(f"{name}@{k}" for name in FOUND for k in CUTOFFS), "RR", *(f"nDCG@{k}" for k in CUTOFFS)]


def evidence_scores(passages: Sequence[str], chunks: Sequence[str]) -> dict[str, float]:
    """Return the scores of a ranking of chunks, by the names of the metrics."""
    places = [places_of(passages, chunks)]
    ranked = rankings_of(places, [len(chunks)])
    shares = [compute(places, k) for compute in FOUND.values() for k in CUTOFFS]
    gains = [normalised_gain(ranked, k=k) for k in CUTOFFS]
    columns = [*shares, reciprocal_rank(ranked), *gains]
    return {name: float(column[0]) for name, column in zip(evidence_metrics(), columns, strict=True)}


def _place(pieces: Sequence[str], chunks: Sequence[str], keys: Sequence[Key]) -> tuple[int, ...]:
    if not pieces:
        return ()
    whole = next((at for at, key in enumerate(keys) if key.find(pieces) >= 0), len(keys))
    for last, first in _pairs(pieces, keys[:whole]):
        if _join(chunks[first], chunks[last], pieces) or _join(chunks[last], chunks[first], pieces):
            return first + 1, last + 1
    return (whole + 1,) if whole < len(keys) else ()


def _pairs(pieces: Sequence[str], keys: Sequence[Key]) -> list[tuple[int, int]]:
    """Return the pairs of chunks of which one may begin and the other end a passage, the later chunk first in each."""
    texts = [key.text for key in keys]
    begun = [len(pieces[0]) if pieces[0] in text else _shared(text, pieces[0]) for text in texts]
    ended = [len(pieces[-1]) if pieces[-1] in text else _shared(pieces[-1], text) for text in texts]
    least = len(pieces[0]) - _LOST if len(pieces) == 1 else 0
    starts, stops = (np.flatnonzero(lengths).tolist() for lengths in (begun, ended))
    pairs = {(max(a, b), min(a, b)) for a in starts for b in stops if a != b and begun[a] + ended[b] >= least}
    return sorted(pairs)


def _join(first: str, second: str, pieces: Sequence[str]) -> bool:
    """Return whether two texts, one after the other, contain a passage; what both have at the joint counts once."""
    first, second = first.strip(), second.strip()
    joined = (first + second[at:] for at in {0, _shared(first, second)})
    return any(key_of(text).find(pieces) >= 0 for text in joined)


def _shared(first: str, second: str) -> int:
    """Return the number of characters that the first text ends with and the second begins with."""
    longest = min(len(first), len(second))
    return next((length for length in range(longest, 0, -1) if first.endswith(second[:length])), 0)


def rankings_of(places: Sequence[Places], chunks: Sequence[int]) -> Rankings:
    """Return the rankings of several questions, of so many chunks each.

    A chunk is relevant if it is the first to contain some passage, or one of the first two that contain it together. A
    passage that is not found counts as a relevant chunk that was not retrieved.
    """
    ranks = [sorted({rank for found in of for rank in found}) for of in places]
    relevant = [len(each) + of.count(()) for each, of in zip(ranks, places, strict=True)]
    numbers = np.arange(len(places))
    query, judged = np.repeat(numbers, list(map(len, ranks))), np.repeat(numbers, relevant)
    rank, retrieved = np.concatenate(ranks).astype(np.int64), np.array(chunks, np.int64)
    return Rankings(len(places), query, rank, np.ones_like(query), retrieved, judged, np.ones_like(judged))
