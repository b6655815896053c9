"""Ranking metrics once more, for one query, as slowly and plainly as they are defined."""

import math


def order(scores: dict[str, float]) -> list[str]:
    """Documents by score, greatest first, then by id as bytes, greatest first."""
    return sorted(scores, key=lambda document: (scores[document], document.encode()), reverse=True)


def rbp(grades: dict[str, int], scores: dict[str, float], *, p: float, rel: int | None = None) -> float:
    greatest = max(1, *grades.values())
    total = 0.0
    for place, document in enumerate(order(scores)):
        grade = max(grades.get(document, 0), 0)
        gain = grade / greatest if rel is None else float(grade >= rel)
        total += gain * p**place
    return (1 - p) * total


def err(grades: dict[str, int], scores: dict[str, float], *, k: int, top: int = 4) -> float:
    total, reached = 0.0, 1.0
    for rank, document in enumerate(order(scores)[:k], 1):
        stop = (2 ** max(grades.get(document, 0), 0) - 1) / 2**top
        total += reached * stop / rank
        reached *= 1 - stop
    return total


def judged(grades: dict[str, int], scores: dict[str, float], *, k: int) -> float:
    first = order(scores)[:k]
    return sum(grades.get(document, -1) >= 0 for document in first) / len(first) if first else 0.0


def reciprocal_rank(grades: dict[str, int], scores: dict[str, float], *, k: int) -> float:
    ranks = [rank for rank, document in enumerate(order(scores)[:k], 1) if grades.get(document, 0) >= 1]
    return 1 / ranks[0] if ranks else 0.0


def ndcg(grades: dict[str, int], scores: dict[str, float], *, k: int) -> float:
    gains = [max(grades.get(document, 0), 0) for document in order(scores)]
    best = sorted((max(grade, 0) for grade in grades.values()), reverse=True)
    ideal = _dcg(best[:k])
    return _dcg(gains[:k]) / ideal if ideal else 0.0


def _dcg(gains: list[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
