"""What a document can be searched for: answers with their questions, and single lines; each is found by BM25."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from steelyard.text.normalisation import fold
from steelyard.text.scripts import HAN
from steelyard.text.stemming import stem
from steelyard.text.tokens import words

if TYPE_CHECKING:
    from steelyard.documents.pages import Document

_K1: Final = 1.2
_B: Final = 0.75
_HAN_RUN: Final = re.compile(f"[{HAN}]+")


@dataclass(frozen=True, slots=True)
class Passage:
    """Words of a page that may be cited, and the question of the document that they answer, if any."""

    page: int
    text: str
    asked: str = ""


def passages_of(document: "Document") -> Iterator[Passage]:
    """Answers, also on the page after their question, and lines; those of a transcript are signatures: left out."""
    asked = ""
    for page in document.pages:
        for unit in page.units:
            text = page.text[unit.start : unit.end]
            match unit.kind:
                case "question":
                    asked = text
                case "answer":
                    yield Passage(page.number, text, asked)
                case _ if not asked:
                    yield from (Passage(page.number, line.strip()) for line in text.split("\n") if line.strip())


def features(text: str) -> list[str]:
    """What a text is found by: its words, and its Chinese characters, single and by twos, which know every name."""
    runs = _HAN_RUN.findall(fold(text))
    pairs = [first + second for run in runs for first, second in pairwise(run)]
    return [*"".join(runs), *pairs, *(stem(word) if word.isascii() else word for word in words(text))]


class Index:
    """Passages by their features.

    Scores are those of BM25 (Robertson and Zaragoza 2009) with k1 = 1.2 and b = 0.75, never below 0.
    """

    def __init__(self, passages: list[Passage]) -> None:
        self.passages = passages
        counts = [Counter(features(f"{passage.asked} {passage.text}")) for passage in passages]
        lengths = [count.total() for count in counts]
        mean = sum(lengths) / max(len(lengths), 1) or 1.0
        self._weights: dict[str, dict[int, float]] = defaultdict(dict)
        for number, (count, length) in enumerate(zip(counts, lengths, strict=True)):
            for feature, times in count.items():
                spread = _K1 * (1 - _B + _B * length / mean)
                self._weights[feature][number] = times * (_K1 + 1) / (times + spread)

    def rarity(self, feature: str) -> float:
        """How much a feature tells: more, the fewer passages have it."""
        having = len(self._weights.get(feature, ()))
        return math.log(1 + (len(self.passages) - having + 0.5) / (having + 0.5))

    def search(self, question: str) -> list[tuple[float, Passage]]:
        """The passages that share something with a question, the best first; of equals, the first."""
        scores: dict[int, float] = defaultdict(float)
        for feature in sorted(set(features(question))):  # sorted: sums of floats depend on their order
            for number, weight in self._weights.get(feature, {}).items():
                scores[number] += self.rarity(feature) * weight
        ranked = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
        return [(score, self.passages[number]) for number, score in ranked]

    def overlap(self, question: str, text: str) -> float:
        """The share of a question, by what its features tell, that a text has too."""
        wanted, there = set(features(question)), set(features(text))
        total = math.fsum(map(self.rarity, wanted))
        return math.fsum(self.rarity(feature) for feature in wanted & there) / total if total else 0.0
