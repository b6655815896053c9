"""Patterns of many alternatives, searched alternative by alternative.

Python tries every alternative of a pattern at every position. Alone, an alternative that begins with known characters
is found by a fast search for them, and one whose words a text does not have is not searched at all. The matches are
those of the whole pattern: the leftmost, and of several at one position that of the first alternative.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from heapq import heapify, heappop, heapreplace
from importlib import import_module
from typing import Any, Final

SHORT: Final = 80
"""The number of characters of a text up to which the whole pattern is faster."""
_WIDEST: Final = 12
"""The most characters of a class that are looked for one by one."""
_NAMED: Final = re.compile(r"\(\?P<\w+>")
_SYNTAX: Final = re.compile(r"\(\?P<\w+>|\\.")
"""Letters of a pattern that stand for themselves in no match."""
_FREQUENT: Final = frozenset("的一是不了在有人我他这中上个到说们为和你地出也时年就那要下以会自之过对可里后多而能好都没")
_LATIN: Final = re.compile("[A-Za-z\u0130\u0131\u017f\u212a]")
_EQUAL_LETTER: Final = re.compile("[\u0130\u0131\u017f\u212a]")
"""Letters that equal i, s and k where the case is ignored, but not in lower case."""


class Alternatives:
    """A pattern of alternatives; those of a named group at the top count one by one. No match is empty.

    `lead` is what stands before all of them.
    """

    def __init__(self, pattern: str, flags: int = 0, *, lead: str = "") -> None:
        self.pattern = f"{lead}(?:{pattern})" if lead else pattern
        self._alternatives = pattern
        self._lead = lead
        self._flags = flags

    def search(self, text: str) -> re.Match[str] | None:
        """The first match."""
        if len(text) <= SHORT:
            short = self._of_script(text)
            return short.search(text) if short is not None else None
        first = None
        for part in self._possible(text):
            match = part.search(text)
            if match is not None and (first is None or match.start() < first.start()):
                first = match
        return first

    def search_within(self, text: str, start: int, end: int) -> re.Match[str] | None:
        """The first match in a part of a text, which ends there."""
        return self._whole.search(text, start, end)

    def found_in(self, text: str) -> bool:
        """Whether there is a match."""
        if len(text) <= SHORT:
            return self.search(text) is not None
        return any(part.search(text) for part in self._possible(text))

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches, in order."""
        if len(text) > SHORT:
            return _merged(self._possible(text), text)
        short = self._of_script(text)
        return short.finditer(text) if short is not None else iter(())

    def sub(self, put: str, text: str) -> str:
        """The text with other words in place of each match."""
        pieces, at = [], 0
        for match in self.finditer(text):
            pieces.append(text[at : match.start()])
            at = match.end()
        return put.join([*pieces, text[at:]])

    @cached_property
    def _whole(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self._flags)

    def _of_script(self, text: str) -> re.Pattern[str] | None:
        """The alternatives that may match a short text by its script; None if there are none."""
        if text.isascii():
            return self._ascii
        return self._whole if _LATIN.search(text) else self._without_latin

    @cached_property
    def _ascii(self) -> re.Pattern[str] | None:
        return self._joined(str.isascii)

    @cached_property
    def _without_latin(self) -> re.Pattern[str] | None:
        return self._joined(lambda word: _LATIN.search(word) is None)

    def _joined(self, may_occur: Callable[[str], bool]) -> re.Pattern[str] | None:
        """The alternatives whose matches need no words but such as may occur."""
        all_parts = list(_top(self._alternatives))
        parts = [part for part in all_parts if _may_match(part, self._flags, may_occur)]
        if len(parts) == len(all_parts):
            return self._whole
        pattern = "|".join(parts)
        return re.compile(f"{self._lead}(?:{pattern})" if self._lead else pattern, self._flags) if parts else None

    @cached_property
    def _parts(self) -> list[tuple[re.Pattern[str], "tuple[_Words, ...]"]]:
        """Each alternative with what its matches contain."""
        parts = [f"{self._lead}(?:{part})" if self._lead else part for part in _split(self._alternatives)]
        return [(re.compile(part, self._flags), _needs(part, self._flags)) for part in parts]

    @cached_property
    def _by_mark(self) -> dict[str, list[int]]:
        """The indexes of alternatives by the marks of the words that they need first; those without are under ""."""
        indexes: dict[str, list[int]] = {}
        for at, (_, needed) in enumerate(self._parts):
            for mark in needed[0].marks if needed else ("",):
                indexes.setdefault(mark, []).append(at)
        return indexes

    @cached_property
    def _marks(self) -> re.Pattern[str]:
        """A pattern of one mark of any of the words that the alternatives need."""
        marks = {mark for _, needed in self._parts for words in needed for mark in words.marks}
        return re.compile(f"[{''.join(map(re.escape, sorted(marks)))}]" if marks else "(?!)")

    def _possible(self, text: str) -> list[re.Pattern[str]]:
        """The alternatives that may match somewhere."""
        contents, parts = _contents(text), self._parts
        if not contents.is_plain:
            return [part for part, _ in parts]
        by_mark, marks = self._by_mark, set(self._marks.findall(contents.text))
        near = set(by_mark.get("", ())).union(*[by_mark[mark] for mark in by_mark.keys() & marks])
        return [parts[at][0] for at in sorted(near) if contents.has_all(parts[at][1], marks)]


def _merged(parts: Sequence[re.Pattern[str]], text: str) -> Iterator[re.Match[str]]:
    """The matches of the alternatives that the whole pattern would find."""
    matches = [(match.start(), at, match) for at, part in enumerate(parts) if (match := part.search(text))]
    heapify(matches)
    end = 0
    while matches:
        start, at, match = matches[0]
        if start >= end:
            yield match
            end = match.end()
        following = parts[at].search(text, end)
        if following is None:
            heappop(matches)
        else:
            heapreplace(matches, (following.start(), at, following))


# ----- the alternatives of a pattern


def by_first_letter(pattern: str) -> str:
    """A group of the same alternatives, those with the same first letter together.

    Python tries one alternative after the other where the case is ignored. Alternatives with different first letters
    never match at the same position, so their order does not matter.
    """
    groups: dict[str, list[str]] = {}
    others: list[str] = []
    for part in _top(pattern):
        if others or not part[0].isalpha() or part[1:2] in ("?", "*", "+", "{"):
            others.append(part)  # these stay behind the ones before them
        else:
            groups.setdefault(part[0], []).append(part[1:])
    grouped = [
        first + (by_first_letter("|".join(rest)) if len(rest) > 1 and all(rest) else f"(?:{'|'.join(rest)})")
        for first, rest in groups.items()
    ]
    return f"(?:{'|'.join([*grouped, *others])})"


def _split(pattern: str) -> Iterator[str]:
    """The alternatives at the top of a pattern, and those of its named groups in groups of that name."""
    for part in _top(pattern):
        named = _NAMED.match(part)
        if named and _closing(part) == len(part) - 1:
            yield from (f"{named[0]}{inner})" for inner in _top(part[named.end() : -1]))
        else:
            yield part


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


# ----- what a match needs


class _Words:
    """Words of which every match of an alternative contains one, by a character of each, which is rare if any is."""

    __slots__ = ("breadth", "by_mark", "marks", "words")

    def __init__(self, words: frozenset[str]) -> None:
        self.words = words
        self.by_mark: dict[str, list[str]] = {}
        for word in sorted(words):
            mark = next((char for char in word if char not in _FREQUENT), word[0])
            self.by_mark.setdefault(mark, []).append(word)
        self.marks = frozenset(self.by_mark)
        self.breadth = sum(1 if len(word) > 1 else 60 if word.isascii() else 4 for word in words)


@lru_cache(maxsize=1 << 12)
def _words(words: frozenset[str]) -> _Words:
    """One object for equal words, because what a text has of them is kept by object."""
    return _Words(words)


class _Contents:
    """A text in lower case, and which words it has, as far as that was asked."""

    def __init__(self, text: str) -> None:
        self.text = text.lower()
        self.is_plain = _EQUAL_LETTER.search(text) is None
        self._known: dict[_Words, bool] = {}

    def has_all(self, needed: Sequence[_Words], marks: set[str]) -> bool:
        """Whether the text has one word of each; `marks` are those of their marks that it has."""
        known = self._known
        for words in needed:
            has = known.get(words)
            if has is None:
                has = known[words] = self._has(words, marks)
            if not has:
                return False
        return True

    def _has(self, words: _Words, marks: set[str]) -> bool:
        text = self.text
        for mark in words.marks & marks:
            for word in words.by_mark[mark]:
                if word in text:
                    return True
        return False


@lru_cache(maxsize=1 << 5)
def characters_of(text: str) -> frozenset[str]:
    """The characters of a text."""
    return frozenset(text)


@lru_cache(maxsize=1 << 5)
def _contents(text: str) -> _Contents:
    return _Contents(text)


_INNER: Final = {"SUBPATTERN": 3, "ASSERT": 1, "MAX_REPEAT": 2, "MIN_REPEAT": 2, "POSSESSIVE_REPEAT": 2}
"""Operators whose matches contain one of the pattern inside, with its place among their values."""


@lru_cache(maxsize=1 << 10)
def _needs(part: str, flags: int) -> tuple[_Words, ...]:
    """Words of which every match contains one, for each place where there are such; rarer ones first."""
    try:
        parser: Any = import_module("re._parser")
        needed = _of_sequence(parser.parse(part, flags))
    except (ImportError, AttributeError, TypeError, ValueError):  # another Python: every alternative is searched
        needed = []
    return tuple(sorted(map(_words, needed), key=lambda words: words.breadth))


def _may_match(part: str, flags: int, may_occur: Callable[[str], bool]) -> bool:
    """Whether an alternative has, at each place where it needs one of several words, one that may occur.

    Named groups have many alternatives and are not examined.
    """
    if _NAMED.match(part) or may_occur(_SYNTAX.sub("", part)):
        return True
    return all(any(may_occur(word) for word in words.words) for words in _needs(part, flags))


def _of_sequence(items: Any) -> list[frozenset[str]]:
    needed: list[frozenset[str]] = []
    word = ""
    for operator, value in items:
        if str(operator) == "LITERAL":
            word += chr(value).lower()
            continue
        needed += [frozenset((word,))] if word else []
        needed += _of_item(str(operator), value)
        word = ""
    return [*needed, frozenset((word,))] if word else needed


def _of_item(operator: str, value: Any) -> list[frozenset[str]]:
    if operator in _INNER:
        is_optional = operator.endswith("REPEAT") and not value[0]
        return [] if is_optional else _of_sequence(value[_INNER[operator]])
    if operator == "BRANCH":
        branches = [_of_sequence(branch) for branch in value[1]]
        least = (min(branch, key=lambda words: _words(words).breadth) for branch in branches if branch)
        return [frozenset[str]().union(*least)] if all(branches) else []
    if operator == "IN" and len(value) <= _WIDEST and all(str(kind) == "LITERAL" for kind, _ in value):
        return [frozenset(chr(char).lower() for _, char in value)]
    return []
