"""Classes of characters that a text has, found in one pass: a pattern is tried only where its characters occur.

A class is declared by `character_class`, beside the pattern that needs one of its characters. All characters beyond
the Basic Multilingual Plane are members of a class that has one of them: a pattern may be tried in vain, but is never
left out.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache, partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from steelyard.native import kernel

_PLANE: Final = 1 << 16
_MOST: Final = 64  # bits of a word
_RARE: Final = 16  # characters of a text for each that is looked at alone
_SHORT: Final = 200  # characters of a text below which all are looked at
_RANGE: Final = re.compile("(.)-(.)|(.)", re.DOTALL)
_classes: Final[list[str]] = []


def character_class(characters: str) -> int:
    """The bit of a new class of characters, which is written as in a pattern: single ones and ranges."""
    if len(_classes) == _MOST:
        raise ValueError("there are 64 classes of characters already")
    _classes.append(characters)
    _finder.cache_clear()
    _place_finder.cache_clear()
    classes_of.cache_clear()
    return 1 << len(_classes) - 1


@lru_cache(maxsize=1 << 9)
def classes_of(text: str) -> int:
    """The bits of all classes of which a text has a character."""
    return _finder()(text)


def places(text: str, bits: int) -> list[int]:
    """The indexes of the characters of a text that are in one of these classes, and perhaps of some others."""
    return _place_finder()(text, bits)


@cache
def _finder() -> Callable[[str], int]:
    table = _table()
    compiled = kernel()
    return partial(_find, table) if compiled is None else partial(compiled.find_classes, table.tobytes())


@cache
def _place_finder() -> Callable[[str, int], list[int]]:
    table = _table()
    compiled = kernel()
    return partial(_find_members, table) if compiled is None else partial(compiled.find_members, table.tobytes())


def _find_members(table: NDArray[np.uint64], text: str, bits: int) -> list[int]:
    found: list[int] = (_bits_of(table, text) & np.uint64(bits)).nonzero()[0].tolist()
    return found


def _bits_of(table: NDArray[np.uint64], text: str) -> NDArray[np.uint64]:
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    bits: NDArray[np.uint64] = table[np.minimum(points, _PLANE)]
    return bits


def _find(table: NDArray[np.uint64], text: str) -> int:
    return int(np.bitwise_or.reduce(_bits_of(table, text)))


def _table() -> NDArray[np.uint64]:
    """The bits of every code point of the plane, and those of all others."""
    table = np.zeros(_PLANE + 1, np.uint64)
    for number, characters in enumerate(_classes):
        bit = np.uint64(1 << number)
        for first, last, single in _RANGE.findall(characters):
            start, end = (min(ord(character or single), _PLANE) for character in (first, last))
            table[start : end + 1] |= bit
    return table


DECIMALS: Final = "\u0660-\u1fff\ua620-\uabff\uff10-\uff19\U00010000-\U0001ffff"
"""Where decimal digits beyond ASCII are, and others."""
_OTHER_DIGIT: Final = character_class(DECIMALS)
DIGIT: Final = character_class("0-9") | _OTHER_DIGIT
"""What `\\d` matches, and more."""
LETTER: Final = character_class("A-Za-z\u0130\u0131\u017f\u212a")
"""What `[a-z]` matches where the case is ignored."""
CAPITAL: Final = character_class(
    "A-Z\u00c0-\u058f\u10a0-\u1fff\u2100-\u218f\u24b6-\u24cf\u2c00-\u2dff\ua640-\ua7ff\uff21-\uff3a"
    "\U00010000-\U0001ffff"
)
"""Where letters are that another stands for in lower case, and others."""
QUOTATION: Final = character_class('“‘「『"《')
"""What every quotation and title begins with."""


def by_digits(pattern: Callable[[str], str], flags: int = 0) -> Callable[[str], re.Pattern[str]]:
    """The pattern for a text, made of the digits of a class: `0-9` if the text has no others, which is faster."""
    plain, full = re.compile(pattern("0-9"), flags), cache(lambda: re.compile(pattern(r"\d"), flags))
    return lambda text: full() if classes_of(text) & _OTHER_DIGIT else plain


def rare_places(text: str, bits: int) -> list[int] | None:
    """The places of characters of these classes; None where a pattern finds its matches faster by itself."""
    if len(text) < _SHORT:
        return None
    found = places(text, bits)
    return found if len(found) * _RARE <= len(text) else None


def matches_at(places: Iterable[int], pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches of a pattern, one after another, that begin at these places, which are in order."""
    end = 0
    for at in places:
        if at >= end and (match := pattern.match(text, at)):
            yield match
            end = match.end()


def matches_beginning(bits: int, pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """All matches of a pattern, of which each begins with a character of these classes."""
    found = rare_places(text, bits)
    return pattern.finditer(text) if found is None else matches_at(found, pattern, text)
