"""Sentence BLEU over given tokens with the smoothing that Chinese legal papers report.

Method 4 of B. Chen and C. Cherry, A Systematic Comparison of Smoothing Techniques for Sentence-Level BLEU, WMT 2014, as
in nltk 3.10 (`SmoothingFunction().method4`). The unsmoothed BLEU metric uses sacrebleu.
"""

import math
from collections import Counter
from collections.abc import Sequence

ORDERS = 4
_K = 5


def smoothed_bleu(answer: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """BLEU of one answer; 0 if no word is shared. Short answers get less smoothing."""
    matched = [_matched(answer, references, n) for n in range(1, ORDERS + 1)]
    if not matched[0] or not answer:
        return 0.0
    precisions = []
    empty_orders = 0
    for n, count in enumerate(matched, 1):
        if not count and len(answer) > 1:
            empty_orders += 1
        smoothed = count or (math.log(len(answer)) / (2**empty_orders * _K) if len(answer) > 1 else 0.0)
        precisions.append(smoothed / max(1, len(answer) - n + 1))
    logarithms = [math.log(precision) / ORDERS for precision in precisions if precision > 0]
    return _brevity(len(answer), [len(reference) for reference in references]) * math.exp(math.fsum(logarithms))


def _matched(answer: Sequence[str], references: Sequence[Sequence[str]], n: int) -> int:
    """The number of n-grams of the answer, each clipped to its maximum count in a reference."""
    most: Counter[tuple[str, ...]] = Counter()
    for reference in references:
        most |= _ngrams(reference, n)
    return (_ngrams(answer, n) & most).total()


def _ngrams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[start:] for start in range(n)), strict=False))


def _brevity(length: int, references: Sequence[int]) -> float:
    """The brevity penalty: 1 if the answer is longer than the reference closest in length, the shorter of two."""
    nearest = min(references, key=lambda other: (abs(other - length), other))
    return 1.0 if length > nearest else math.exp(1 - nearest / length)
