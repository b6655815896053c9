"""What brackets in an answer name: [1], [1,2], [1-3], [doc3], 【2】 and ［２］, by id or by position."""

import re
from collections.abc import Sequence
from typing import Final

from steelyard.lexicon import lexicon
from steelyard.text.normalisation import normalise

_SEPARATOR: Final = re.compile(r"\s*(?:[,;、&]|\band\b|和)\s*")
_NOUN: Final = rf"(?:\^|(?:{lexicon('reading').source('source')})[\s.:#_-]*)?"
_NUMBER: Final = re.compile(rf"{_NOUN}(\d{{1,3}})(?:[†:].*)?", re.IGNORECASE)
_RANGE: Final = re.compile(rf"{_NOUN}(\d{{1,3}})\s*[-–—~至]\s*{_NOUN}(\d{{1,3}})", re.IGNORECASE)
_WIDEST: Final = 100  # positions in a range


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
