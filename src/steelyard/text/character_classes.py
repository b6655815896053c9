"""Classes of characters that a text has, found in one pass: a pattern is tried only where its characters occur.

A class is declared by `character_class`, beside the pattern that needs one of its characters. All characters beyond
the Basic Multilingual Plane are members of a class that has one of them: a pattern may be tried in vain, but is never
left out.
"""

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Final

from steelyard.native import kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PLANE: Final = 1 << 16
_MOST: Final = 64  # bits of a word
_RARE: Final = 16  # characters of a text for each that is looked at alone
_SHORT: Final = 200  # characters of a text below which all are looked at
_RANGE: Final = re.compile("(.)-(.)|(.)", re.DOTALL)


class _Classes:
    """The classes that are declared, and the search for their characters.

    A declaration replaces `of` and `places`: what another thread finds at that time is not kept for the new class.
    """

    of: Callable[[str], int]
    """The bits of all classes of which a text has a character."""
    places: Callable[[str, int], list[int]]
    """The indexes of the characters of a text that are in some classes, and perhaps of some others."""

    def __init__(self) -> None:
        self._declared: list[str] = []
        self._lock = threading.Lock()
        self._renew()

    def declare(self, characters: str) -> int:
        """The bit of a new class, written as in a pattern: characters and ranges, a hyphen itself first."""
        with self._lock:
            if len(self._declared) == _MOST:
                raise ValueError("there are 64 classes of characters already")
            self._declared.append(characters)
            self._renew()
            return 1 << len(self._declared) - 1

    def _renew(self) -> None:
        search = cache(partial(_search, tuple(self._declared)))  # the table is made when it is needed first

        def of(text: str) -> int:
            return search()[0](text)

        def places(text: str, bits: int) -> list[int]:
            return search()[1](text, bits)

        self.of, self.places = lru_cache(maxsize=1 << 9)(of), places


def _search(declared: Sequence[str]) -> tuple[Callable[[str], int], Callable[[str, int], list[int]]]:
    """The functions that find the bits, and the places of characters with some bits."""
    table = _table(declared)
    compiled = kernel()
    if compiled is None:
        return partial(_find, table), partial(_find_members, table)
    packed = table.tobytes()
    return partial(compiled.find_classes, packed), partial(compiled.find_members, packed)


def _find_members(table: "NDArray[np.uint64]", text: str, bits: int) -> list[int]:
    import numpy as np

    found: list[int] = (_bits_of(table, text) & np.uint64(bits)).nonzero()[0].tolist()
    return found


def _bits_of(table: "NDArray[np.uint64]", text: str) -> "NDArray[np.uint64]":
    import numpy as np

    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    bits: NDArray[np.uint64] = table[np.minimum(points, _PLANE)]
    return bits


def _find(table: "NDArray[np.uint64]", text: str) -> int:
    import numpy as np

    return int(np.bitwise_or.reduce(_bits_of(table, text)))


def _table(declared: Sequence[str]) -> "NDArray[np.uint64]":
    """The bits of every code point of the plane, and those of all others."""
    import numpy as np

    table = np.zeros(_PLANE + 1, np.uint64)
    for number, characters in enumerate(declared):
        bit = np.uint64(1 << number)
        for first, last in ranges_of(characters):
            table[min(first, _PLANE) : min(last, _PLANE) + 1] |= bit
    return table


def ranges_of(characters: str) -> Iterator[tuple[int, int]]:
    """The first and the last code point of each range of a class; those of a single character are the same."""
    for first, last, single in _RANGE.findall(characters):
        yield ord(first or single), ord(last or single)


CLASSES: Final = _Classes()
character_class: Final = CLASSES.declare
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
    return lambda text: full() if CLASSES.of(text) & _OTHER_DIGIT else plain


def rare_places(text: str, bits: int) -> list[int] | None:
    """The places of characters of these classes; None where a pattern finds its matches faster by itself."""
    if len(text) < _SHORT:
        return None
    found = CLASSES.places(text, bits)
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
