"""Patterns of many alternatives, tried only where one of them may begin.

Python tries every alternative of a pattern at every position. The characters with which each alternative may begin are
known from its syntax: one look at all pairs of characters of a text finds the positions where any may match, and there
only those are tried that begin so. The matches are those of the whole pattern.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from importlib import import_module
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import numpy as np

from steelyard.native import kernel
from steelyard.text.character_classes import CAPITAL, CLASSES, LETTER, character_class, matches_at, rare_places
from steelyard.text.characters import code_points

_SHORT: Final = 80
"""The number of characters up to which, without the kernel, a pattern of not very many parts is faster whole."""
_MANY: Final = 300
_NAMED: Final = re.compile(r"\(\?P<\w+>")
_LATIN: Final = re.compile("[A-Za-z\u0130\u0131\u017f\u212a]")
_EQUAL_LETTER: Final = character_class("\u0130\u0131\u017f\u212a")
"""Letters that equal i, s and k where the case is ignored, but not in lower case."""


_Matcher = Callable[[str, int], re.Match[str] | None]


class _Matchers(dict[str, _Matcher | None]):
    """Matchers by the first character of a match, made when a text has it."""

    def __init__(self, make: Callable[[str], _Matcher | None]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, character: str) -> _Matcher | None:
        matcher = self[character] = self._make(character)
        return matcher


class Alternatives:
    """A pattern of alternatives; those of a named group at the top count one by one. No match is empty.

    `lead` is what stands before all of them.
    """

    def __init__(self, pattern: str, flags: int = 0, *, lead: str = "") -> None:
        self.pattern = f"{lead}(?:{pattern})" if lead else pattern
        self._alternatives = pattern
        self._lead = lead
        self._flags = flags
        self._patterns: dict[str, re.Pattern[str]] = {}
        self._matchers = _Matchers(self._matcher)

    def search(self, text: str) -> re.Match[str] | None:
        """The first match."""
        return self._of_script(text).search(text) if len(text) <= self._short else next(self._scan(text), None)

    def search_within(self, text: str, start: int, end: int) -> re.Match[str] | None:
        """The first match in a part of a text, which ends there."""
        return self._whole.search(text, start, end)

    def found_in(self, text: str) -> bool:
        """Whether there is a match."""
        return self.search(text) is not None

    def may_match(self, text: str) -> bool:
        """Whether a match may begin anywhere in a text; False is certain, for every part of the text too."""
        if "" in self._by_first or CLASSES.of(text) & _EQUAL_LETTER:
            return True
        small = _lower(text)
        return any(small[at] in self._by_first for at in self._candidates(small))

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches, in order."""
        return self._of_script(text).finditer(text) if len(text) <= self._short else self._scan(text)

    def split(self, text: str) -> list[str]:
        """The pieces of the text between the matches."""
        pieces, at = [], 0
        for match in self.finditer(text):
            pieces.append(text[at : match.start()])
            at = match.end()
        return [*pieces, text[at:]]

    def sub(self, put: str, text: str) -> str:
        """The text with other words in place of each match."""
        return put.join(self.split(text))

    @cached_property
    def _whole(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self._flags)

    @cached_property
    def _parts(self) -> list[tuple[str, str]]:
        return list(_split(self._alternatives))

    @cached_property
    def _openings(self) -> list[frozenset[str]]:
        """How the matches of each alternative begin, as far as it is known: up to two characters in lower case."""
        return [_openings(part, self._flags) for _, part in self._parts]

    @cached_property
    def _by_first(self) -> dict[str, list[int]]:
        """The indexes of alternatives by the first character of a match; "" if that is not known of one."""
        indexes: dict[str, list[int]] = {}
        for at, openings in enumerate(self._openings):
            for first in {opening[:1] for opening in openings}:
                indexes.setdefault(first, []).append(at)
        return indexes

    def _compiled(self, indexes: Sequence[int]) -> re.Pattern[str]:
        """The pattern of some of the alternatives."""
        if len(indexes) == len(self._parts):
            return self._whole
        pattern = _joined(self._parts[at] for at in indexes) or "(?!)"
        if pattern not in self._patterns:
            self._patterns[pattern] = re.compile(f"{self._lead}(?:{pattern})" if self._lead else pattern, self._flags)
        return self._patterns[pattern]

    # short texts

    @cached_property
    def _short(self) -> int:
        return _SHORT if kernel() is None and self._alternatives.count("|") < _MANY else 0

    def _of_script(self, text: str) -> re.Pattern[str]:
        """The alternatives that may match a short text by its script."""
        if text.isascii():
            return self._ascii
        return self._whole if CLASSES.of(text) & LETTER else self._without_latin

    @cached_property
    def _ascii(self) -> re.Pattern[str]:
        return self._beginning_with(str.isascii)

    @cached_property
    def _without_latin(self) -> re.Pattern[str]:
        return self._beginning_with(lambda opening: _LATIN.search(opening) is None)

    def _beginning_with(self, may_occur: Callable[[str], bool]) -> re.Pattern[str]:
        """The alternatives of which a match may begin with characters that may occur."""
        return self._compiled([at for at, openings in enumerate(self._openings) if any(map(may_occur, openings))])

    # long texts

    def _scan(self, text: str) -> Iterator[re.Match[str]]:
        """All matches in a long text."""
        if "" in self._by_first or CLASSES.of(text) & _EQUAL_LETTER:
            yield from self._whole.finditer(text)
            return
        small, matchers = _lower(text), self._matchers
        end = 0
        for at in self._candidates(small):
            if at >= end and (matcher := matchers[small[at]]) and (match := matcher(text, at)):
                yield match
                end = match.end()

    def _matcher(self, character: str) -> "_Matcher | None":
        """Matches the alternatives that may begin with a character; None if there is none."""
        indexes = self._by_first.get(character)
        return self._compiled(indexes).match if indexes else None

    def _candidates(self, small: str) -> list[int]:
        """The positions of a text in lower case where a match may begin, and few others."""
        compiled = kernel()
        find = _find_openings if compiled is None else compiled.find_openings
        found: list[int] = find(self._tables, small)
        return found

    @cached_property
    def _tables(self) -> bytes:
        """Which characters, and which pairs by their hashes, may begin a match."""
        known = frozenset[str]().union(*self._openings)
        single, double = ("".join(opening for opening in known if len(opening) == length) for length in (1, _LENGTH))
        tables = np.zeros((2, _HASHES), np.bool_)
        tables[0, _Pairs(single).characters] = True
        tables[1, _Pairs(double).hashes[::_LENGTH]] = True
        return tables.tobytes()


_HASHES: Final = 1 << 16
_FACTOR: Final = np.uint16(40_503)  # odd, near the golden ratio of the number of hashes


class _Pairs:
    """The characters of a text, and the pairs of each with the next one, as indexes of tables."""

    def __init__(self, small: str) -> None:
        characters = code_points(small).astype(np.uint16)
        hashes = characters.copy()
        hashes[:-1] += characters[1:] * _FACTOR
        self.characters, self.hashes = characters.astype(np.intp), hashes.astype(np.intp)


_pairs: Final = lru_cache(maxsize=1 << 4)(_Pairs)


def _find_openings(tables: bytes, small: str) -> list[int]:
    """The indexes of marked characters and of marked pairs, which begin there; the kernel has the same function."""
    may_be_first, may_be_pair = np.frombuffer(tables, np.bool_).reshape(2, _HASHES)
    pairs = _pairs(small)
    found: list[int] = (may_be_first[pairs.characters] | may_be_pair[pairs.hashes]).nonzero()[0].tolist()
    return found


@lru_cache(maxsize=1 << 4)
def _lower(text: str) -> str:
    return text.lower() if CLASSES.of(text) & CAPITAL else text


# ----- patterns tried where a match may begin


def tried_at(
    bits: int, first: Callable[[str], re.Pattern[str]], pattern: re.Pattern[str]
) -> Callable[[str], Iterator[re.Match[str]]]:
    """Finds the matches of a pattern, which is tried only at characters of a text with which one may begin.

    These are of the classes of `bits`; `first` is a pattern of such a character and of what is beside it.
    """

    def finditer(text: str) -> Iterator[re.Match[str]]:
        found = rare_places(text, bits)
        return matches_at((at.start() for at in first(text).finditer(text)) if found is None else found, pattern, text)

    return finditer


# ----- the alternatives of a pattern


def by_first_letter(pattern: str) -> str:
    """A group of the same alternatives, those with the same first letter together, for patterns that ignore the case.

    Python passes over an alternative at once if it begins with a class of characters in which the case counts.
    Alternatives with different first letters never match at the same position, so their order does not matter.
    """
    groups: dict[str, list[str]] = {}
    others: list[str] = []
    for part in _top(pattern):
        if others or not part[0].isalpha() or part[1:2] in ("?", "*", "+", "{"):
            others.append(part)  # these stay behind the ones before them
        else:
            groups.setdefault(part[0], []).append(part[1:])
    grouped = [
        _cases(first) + (by_first_letter("|".join(rest)) if len(rest) > 1 and all(rest) else f"(?:{'|'.join(rest)})")
        for first, rest in groups.items()
    ]
    return f"(?:{'|'.join([*grouped, *others])})"


def _cases(letter: str) -> str:
    """A class of the characters that equal a letter where the case is ignored."""
    equal = {"i": "\u0130\u0131", "k": "\u212a", "s": "\u017f"}
    return f"(?-i:[{letter.lower()}{letter.upper()}{equal.get(letter.lower(), '')}])"


def _split(pattern: str) -> Iterator[tuple[str, str]]:
    """The alternatives at the top of a pattern and of its named groups, each after the beginning of its group or ""."""
    for part in _top(pattern):
        named = _NAMED.match(part)
        if named and _closing(part) == len(part) - 1:
            yield from ((named[0], inner) for inner in _top(part[named.end() : -1]))
        else:
            yield "", part


def _joined(parts: Iterable[tuple[str, str]]) -> str:
    """The pattern of alternatives, with those of one group that follow each other in one group."""
    groups = ((name, "|".join(part for _, part in alike)) for name, alike in groupby(parts, key=itemgetter(0)))
    return "|".join(f"{name}{inner})" if name else inner for name, inner in groups)


def _top(pattern: str) -> Iterator[str]:
    start = 0
    for at, depth in _depths(pattern):
        if depth == 0 and pattern[at] == "|":
            yield pattern[start:at]
            start = at + 1
    yield pattern[start:]


def _closing(pattern: str) -> int:
    """The index of the bracket that closes the first one."""
    return next(at for at, depth in _depths(pattern) if depth == 0 and pattern[at] == ")")


def _depths(pattern: str) -> Iterator[tuple[int, int]]:
    """The indexes of a pattern's operators, each with the number of groups that are open after it."""
    depth = at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "[":
            at = pattern.index("]", at + (3 if pattern[at + 1] == "^" else 2))
            while pattern[at - 1] == "\\":
                at = pattern.index("]", at + 1)
        elif char == "\\":
            at += 1
        else:
            depth += {"(": 1, ")": -1}.get(char, 0)
            yield at, depth
        at += 1


# ----- how matches begin

_LENGTH: Final = 2
_MOST: Final = 4_000
"""The most openings of an alternative that are told apart."""
_ANY: Final = "\0"
"""Stands at the end of an opening after which any character may follow."""
_ZERO_WIDTH: Final = frozenset(("AT", "ASSERT", "ASSERT_NOT"))
_WIDEST: Final = 64
"""The most characters of a range that are listed."""


_BEGINS_PLAINLY: Final = re.compile(r"(?:\\b)?([^\\.^$*+?{}\[\]|()]{2})(?![*+?{])")
"""An alternative that begins with two characters which stand for themselves."""


@lru_cache(maxsize=1 << 10)
def _openings(part: str, flags: int) -> frozenset[str]:
    """The first two characters of matches in lower case; fewer where any may follow."""
    if plain := _BEGINS_PLAINLY.match(part):
        return frozenset((plain[1].lower(),))
    try:
        parser: Any = import_module("re._parser")
        found = _of_sequence(parser.parse(part, flags))
    except (ImportError, AttributeError, TypeError, ValueError):  # another Python: nothing is known
        found = {""}
    return frozenset(opening.rstrip(_ANY).lower() for opening in found)


def _of_sequence(items: Any) -> set[str]:
    """The openings of items one after the other; those without `_ANY` and under two characters may go on."""
    growing, complete = {""}, set[str]()
    for operator, value in items:
        if str(operator) in _ZERO_WIDTH:
            continue
        new = {(opening + more)[:_LENGTH] for more in _of_item(str(operator), value) for opening in growing}
        growing = {opening for opening in new if len(opening) < _LENGTH and not opening.endswith(_ANY)}
        complete |= new - growing
        if len(new) > _MOST:
            return complete | {opening + _ANY for opening in growing}
    return complete | growing


def _of_item(operator: str, value: Any) -> set[str]:
    if operator == "LITERAL":
        return {chr(value)}
    if operator == "IN":
        return _of_class(value)
    if operator == "SUBPATTERN":
        return _of_sequence(value[3])
    if operator == "BRANCH":
        return set[str]().union(*map(_of_sequence, value[1]))
    if operator in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, most, inner = value
        once = _of_sequence(inner)
        repeated = {opening if len(opening) == _LENGTH or most == 1 else opening + _ANY for opening in once}
        return repeated if least else repeated | {""}
    return {_ANY}


def _of_class(items: Any) -> set[str]:
    """The characters of a class, or `_ANY` if they are many."""
    found: set[str] = set()
    for kind, value in items:
        if str(kind) == "LITERAL":
            found.add(chr(value))
        elif str(kind) == "RANGE" and value[1] - value[0] < _WIDEST:
            found.update(map(chr, range(value[0], value[1] + 1)))
        else:
            return {_ANY}
    return found
