"""Citation marks in an answer: [1], [1,2], [1-3], [doc3], 【2】 and ［２］, by id or by position."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from steelyard.lexicon import lexicon
from steelyard.text.normalisation import normalise

_LONGEST_MARK: Final = 80
MARK: Final = re.compile(rf"[\[［【]([^\[\]［］【】\n]{{1,{_LONGEST_MARK}}})[\]］】]")
"""Brackets that may be a citation; the group is what they contain."""
_SEPARATOR: Final = re.compile(r"\s*(?:[,;、&]|\band\b|和)\s*")
_NOUN: Final = rf"(?:\^|(?:{lexicon('reading').source('source')})[\s.:#_-]*)?"
_NUMBER: Final = re.compile(rf"{_NOUN}(\d{{1,3}})(?:[†:].*)?", re.IGNORECASE)
_RANGE: Final = re.compile(rf"{_NOUN}(\d{{1,3}})\s*[-–—~至]\s*{_NOUN}(\d{{1,3}})", re.IGNORECASE)
_WIDEST: Final = 100  # positions in a range


class Mark(NamedTuple):
    """A citation in a text: its span, and what it names: ids, or positions as digits."""

    start: int
    end: int
    names: tuple[str, ...]


def marks(text: str, ids: frozenset[str] = frozenset()) -> Iterator[Mark]:
    """Yield the citation marks of a text; `ids` are those of the contexts."""
    for match in MARK.finditer(text):
        names = names_in(match[1].strip(), ids)
        if names:
            yield Mark(match.start(), match.end(), names)


def names_in(inner: str, ids: frozenset[str]) -> tuple[str, ...]:
    """Return what brackets name: ids, or positions as digits; nothing if they are no citation."""
    if inner in ids:
        return (inner,)
    names: list[str] = []
    for part in _SEPARATOR.split(normalise(inner)):
        if part in ids:
            names.append(part)
        elif between := _RANGE.fullmatch(part):
            first, last = int(between[1]), int(between[2])
            names += map(str, range(first, min(last, first + _WIDEST) + 1))
        elif number := _NUMBER.fullmatch(part):
            names.append(number[1])
        else:
            return ()
    return tuple(names)


def places_of(ids: Sequence[str | None]) -> dict[str, int]:
    """Return the index of the first context of each id."""
    return {name: index for index, name in reversed(list(enumerate(ids))) if name}


def index_of(name: str, places: Mapping[str, int], contexts: int) -> int:
    """Return the index of the context that a citation names, by id or by position from 1 on; -1 if it names none."""
    index = places.get(name, int(name) - 1 if name.isdecimal() else -1)
    return index if index < contexts else -1


def has_citations(text: str, ids: Sequence[str | None]) -> bool:
    """Return whether a text has a citation mark; `ids` are those of its contexts, if they are known."""
    return any(bracket in text for bracket in "[［【") and any(marks(text, frozenset(filter(None, ids))))


def without_citations(text: str, ids: Sequence[str | None]) -> str:
    """Drop the marks that cite contexts, and the blanks before them; `ids` has one per context."""
    places = places_of(ids)
    pieces, at = [], 0
    for mark in marks(text, frozenset(places)):
        if all(index_of(name, places, len(ids)) >= 0 for name in mark.names):
            pieces.append(text[at : mark.start].rstrip(" \t"))
            at = mark.end
    return "".join([*pieces, text[at:]]) if pieces else text
