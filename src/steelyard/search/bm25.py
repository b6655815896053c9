"""BM25 scores of texts in memory, and the coverage of a query by a text."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

K1: Final = 1.5
B: Final = 0.75


class Bm25:
    """BM25 scores (Robertson and Zaragoza 2009) of texts that are given by their terms; no score is below 0."""

    def __init__(self, texts: Sequence[Iterable[str]], *, k1: float = K1, b: float = B) -> None:
        counts = [Counter(text) for text in texts]
        lengths = [count.total() for count in counts]
        mean = sum(lengths) / max(len(lengths), 1) or 1.0
        self._total = len(texts)
        self._weights: dict[str, dict[int, float]] = defaultdict(dict)
        for index, (count, length) in enumerate(zip(counts, lengths, strict=True)):
            for term, times in count.items():
                spread = k1 * (1 - b + b * length / mean)
                self._weights[term][index] = times * (k1 + 1) / (times + spread)

    def idf(self, term: str) -> float:
        """The inverse document frequency of a term: ln(1 + (N - n + 0.5) / (n + 0.5))."""
        having = len(self._weights.get(term, ()))
        return math.log(1 + (self._total - having + 0.5) / (having + 0.5))

    def scores(self, query: Iterable[str]) -> dict[int, float]:
        """The scores of the texts that share a term with the query, by index; a repeated term counts once."""
        scores: dict[int, float] = defaultdict(float)
        for term in sorted(set(query)):  # sorted: sums of floats depend on their order
            idf = self.idf(term)
            for index, weight in self._weights.get(term, {}).items():
                scores[index] += idf * weight
        return scores

    def coverage(self, query: Iterable[str], text: AbstractSet[str]) -> float:
        """The share of the terms of a query that a text has, weighted by their idf."""
        return coverage({term: self.idf(term) for term in set(query)}, text)


def coverage(weights: Mapping[str, float], text: AbstractSet[str]) -> float:
    """The share of the weight of terms that a text has; 0 if there is no weight."""
    total = math.fsum(weights.values())
    return math.fsum(weight for term, weight in weights.items() if term in text) / total if total else 0.0
