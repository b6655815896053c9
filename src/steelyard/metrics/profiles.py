"""How texts are read before they are compared: our own way, and other programs' ways to the letter."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Protocol

from steelyard.errors import UnknownName
from steelyard.metrics.rouge import (
    Overlap,
    chinese_subsequence_overlap,
    distinct_ngram_overlap,
    english_tokens,
    ngram_overlap,
    subsequence_overlap,
)
from steelyard.text.english import squad_text, ultrarag_text
from steelyard.text.tokens import Unit, atoms, contains, covers, segment, tokens


class NgramOverlap(Protocol):
    """ROUGE-N over two texts."""

    def __call__(self, prediction: Sequence[str], reference: Sequence[str], *, n: int) -> Overlap: ...


Groups = Sequence[Sequence[str]]
"""References: groups of aliases; one group unless the question has several answers."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What counts as equal (`key`), as contained, as covered; the tokens of F1 and of ROUGE; the share of groups found.

    With `short_as_whole`, texts that are too short to have n-grams are compared as they are, so that a single word
    scores 1 against itself in ROUGE-2 too; the programs that the other profiles repeat say 0.
    """

    name: str
    key: Callable[[str], Hashable]
    contains: Callable[[str, str], bool]
    covers: Callable[[str, str], bool]
    tokens: Callable[[str], Sequence[str]]
    rouge_tokens: Callable[[str], Sequence[str]]
    groups_found: Callable[[str, Groups], float]
    ngrams: NgramOverlap = ngram_overlap
    subsequence: Callable[[Sequence[str], Sequence[str]], Overlap] = subsequence_overlap
    short_as_whole: bool = False


def profile_of(name: str, unit: Unit = "words") -> Profile:
    """The profile of this name; `unit` is for our own alone."""
    if name not in _PROFILES:
        raise UnknownName.of("profile", name, _PROFILES)
    return _PROFILES[name](unit)


def _steelyard(unit: Unit) -> Profile:
    return Profile(
        name="steelyard",
        key=lambda text: atoms(text) or None,
        contains=lambda answer, reference: contains(atoms(answer), atoms(reference)),
        covers=lambda answer, reference: covers(atoms(answer), atoms(reference)),
        tokens=partial(tokens, unit=unit),
        rouge_tokens=partial(tokens, unit=unit),
        groups_found=_share_of_groups,
        short_as_whole=True,
    )


def _ultrarag(_: Unit) -> Profile:
    return Profile(
        name="ultrarag",
        key=ultrarag_text,
        contains=lambda answer, reference: (
            bool(ultrarag_text(answer)) and ultrarag_text(reference) in ultrarag_text(answer)
        ),
        covers=lambda answer, reference: set(ultrarag_text(reference).split()) <= set(ultrarag_text(answer).split()),
        tokens=lambda text: ultrarag_text(text).split(),
        rouge_tokens=lambda text: _stemmed(ultrarag_text(text)),
        groups_found=_share_of_equal_references,
    )


def _squad(_: Unit) -> Profile:
    return Profile(
        name="squad",
        key=squad_text,
        contains=lambda answer, reference: bool(squad_text(reference)) and squad_text(reference) in squad_text(answer),
        covers=lambda answer, reference: set(squad_text(reference).split()) <= set(squad_text(answer).split()),
        tokens=lambda text: squad_text(text).split(),
        rouge_tokens=_stemmed,
        groups_found=_share_of_groups,
    )


def _rouge_score(_: Unit) -> Profile:
    return replace(_squad("words"), name="rouge-score", rouge_tokens=_unstemmed)


def _rouge_score_stemmed(_: Unit) -> Profile:
    return replace(_squad("words"), name="rouge-score-stemmed", rouge_tokens=_stemmed)


def _rouge_jieba(unit: Unit) -> Profile:
    return replace(_steelyard(unit), name="rouge-jieba", rouge_tokens=_jieba_words, short_as_whole=False)


# each text is cut once, however many metrics look at it
_stemmed = lru_cache(maxsize=1 << 12)(partial(english_tokens, stemmed=True))
_unstemmed = lru_cache(maxsize=1 << 12)(partial(english_tokens, stemmed=False))
_segmented = lru_cache(maxsize=1 << 12)(segment)


@lru_cache(maxsize=1 << 12)
def _jieba_words(text: str) -> list[str]:
    return [word for word in segment(text) if word.strip()]


def _rouge_chinese(unit: Unit) -> Profile:
    return replace(
        _steelyard(unit),
        name="rouge-chinese",
        rouge_tokens=_segmented,
        ngrams=distinct_ngram_overlap,
        subsequence=chinese_subsequence_overlap,
        short_as_whole=False,
    )


def _share_of_groups(answer: str, groups: Groups) -> float:
    """The share of groups of which some alias stands in the answer."""
    read = atoms(answer)
    return sum(any(contains(read, atoms(alias)) for alias in group) for group in groups) / len(groups)


def _share_of_equal_references(answer: str, groups: Groups) -> float:
    """As UltraRAG has it: the share of all references that equal the answer."""
    flat = [alias for group in groups for alias in group]
    return sum(ultrarag_text(alias) == ultrarag_text(answer) for alias in flat) / len(flat)


_PROFILES: dict[str, Callable[[Unit], Profile]] = {
    "steelyard": _steelyard,
    "ultrarag": _ultrarag,
    "squad": _squad,
    "rouge-score": _rouge_score,
    "rouge-score-stemmed": _rouge_score_stemmed,
    "rouge-jieba": _rouge_jieba,
    "rouge-chinese": _rouge_chinese,
}
