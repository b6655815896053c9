"""Required passages in a ranking of chunks: the ranks at which each is found first, and the scores of the ranking.

A passage is found in a chunk that contains it as a quotation (`Key`), or in two chunks whose texts, one after the
other, contain it: it may be cut in two, and the chunks may overlap.
"""

from collections.abc import Iterable, Sequence
from math import fsum, inf, log2
from typing import Final

from steelyard.legal.evidence.quotes import key_of, quote_pieces

Places = Sequence[tuple[int, ...]]
"""For each passage the ranks, from 1 on, of the chunk or the two chunks that contain it first; () if none do."""


def places_of(passages: Sequence[str], chunks: Sequence[str]) -> Places:
    """Return the ranks at which each passage is found first in a ranking of chunks."""
    return [_place(quote_pieces(passage), chunks) for passage in passages]


def recall(places: Places, k: float) -> float:
    """Return the share of the passages that are found in the first k chunks."""
    found = [ranks for ranks in places if ranks and max(ranks) <= k]
    return len(found) / len(places)


def hit(places: Places, k: float) -> float:
    """Return 1 if all passages are found in the first k chunks, else 0."""
    return float(recall(places, k) == 1)


def reciprocal_rank(places: Places, k: float) -> float:
    """Return 1 by the rank of the first relevant chunk; 0 if none is among the first k."""
    ranks = _relevant(places)
    return 1 / ranks[0] if ranks and ranks[0] <= k else 0.0


def gain(places: Places, k: float) -> float:
    """Return nDCG at k: a passage that is not found counts as a relevant chunk that was not retrieved."""
    ranks = _relevant(places)
    missing = [found for found in places if not found]
    ideal = range(1, len(ranks) + len(missing) + 1)
    return _gained(ranks, k) / _gained(ideal, k)


SCORES: Final = {"EvidenceRecall": recall, "EvidenceHit": hit, "RR": reciprocal_rank, "nDCG": gain}


def evidence_scores(passages: Sequence[str], chunks: Sequence[str], metrics: Iterable[str]) -> dict[str, float]:
    """Return the scores of a ranking of chunks; metrics are named as `RR` and `EvidenceRecall@5`."""
    places = places_of(passages, chunks)
    scores = {}
    for metric in metrics:
        name, _, k = metric.partition("@")
        scores[metric] = SCORES[name](places, float(k or inf))
    return scores


def _relevant(places: Places) -> list[int]:
    """Return the ranks of the chunks that contain some passage first, alone or with another chunk."""
    return sorted({rank for ranks in places for rank in ranks})


def _gained(ranks: Iterable[int], k: float) -> float:
    return fsum(1 / log2(rank + 1) for rank in ranks if rank <= k)


def _place(pieces: Sequence[str], chunks: Sequence[str]) -> tuple[int, ...]:
    begun, ended = list[int](), list[int]()  # chunks that may begin, or end, the passage
    for at, chunk in enumerate(chunks):
        if _holds(chunk, pieces):
            return (at + 1,)
        text = key_of(chunk).text
        begins = pieces[0] in text or _shared(text, pieces[0]) > 0
        ends = pieces[-1] in text or _shared(pieces[-1], text) > 0
        pairs = [(other, at) for other in begun if ends] + [(at, other) for other in ended if begins]
        for first, second in pairs:
            if _join(chunks[first], chunks[second], pieces):
                return min(first, second) + 1, at + 1
        begun += [at] * begins
        ended += [at] * ends
    return ()


def _join(first: str, second: str, pieces: Sequence[str]) -> bool:
    """Return whether two texts, one after the other, contain a passage; what both have at the joint counts once."""
    first, second = first.strip(), second.strip()
    both = second[_shared(first, second) :]
    return _holds(first + second, pieces) or _holds(first + both, pieces)


def _holds(text: str, pieces: Sequence[str]) -> bool:
    return key_of(text).find(pieces) >= 0


def _shared(first: str, second: str) -> int:
    """Return the number of characters that the first text ends with and the second begins with."""
    longest = min(len(first), len(second))
    return next((length for length in range(longest, 0, -1) if first.endswith(second[:length])), 0)
