"""Quotations: whether a text contains given words, regardless of width, script, punctuation and white space.

The only rule for this is `Key.find`: the text contains the pieces between gaps in their order, and no piece begins or
ends inside a number or a Latin word. Retrieved passages are cut by length, so a piece of `PASSAGE` characters or more
may begin or end inside a word, and one of `CHUNK` inside a number too. A document is prepared for this once (`Source`).
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, islice, pairwise
from typing import TYPE_CHECKING, Final

from steelyard.legal.thresholds import CHUNK, PASSAGE
from steelyard.lexicon import lexicon
from steelyard.text.normalisation import normalise, normalise_with_offsets
from steelyard.text.reading import plain_text, without_thinking

if TYPE_CHECKING:
    from steelyard.documents.pages import Document, Page

Span = tuple[int, int]
_WORDS: Final = lexicon("grounding")
_TRIES: Final = 64  # occurrences of the first piece of a quotation
_GAP: Final = re.compile(r"\.{3,}|…+|\[\.\.\.\]")
# a comma after an opening yes or no carries meaning: 不，是我 is not 不是我
_ANSWER_COMMA: Final = re.compile(
    rf"(?:^|(?<=[。;!?！？；,:“\"\n]))({_WORDS.source('answer_before_comma')}),", re.IGNORECASE
)
_KEPT_COMMA: Final = "\ue000"
# all but letters, ideographs and digits; a point inside a number and a hyphen inside a name are kept
_DROPPED: Final = re.compile(
    r"[\W_](?:(?<![.\-_\ue000])|(?<=\.)(?:(?<!\d\.)|(?!\d))"
    r"|(?<=[-_])(?:(?<![A-Za-z0-9][-_])|(?![A-Za-z0-9])))"
)
_THOUSANDS: Final = re.compile(r",(?<=\d,)(?=\d{3}(?!\d))")
_NUMERAL: Final = "〇零一二三四五六七八九十百千万亿两"
# two characters that belong to one number or one Latin word; 一 opens other words too (一共, 一起), so it joins nothing
_NUMBER_GOES_ON: Final = re.compile(rf"[0-9]{{2}}|[0-9][.\-_]|[.\-_][0-9]|[{_NUMERAL}][{_NUMERAL}](?<!一)")
_WORD_GOES_ON: Final = re.compile(rf"[a-z0-9]{{2}}|{_NUMBER_GOES_ON.pattern}")


class Key:
    """The characters of a text that are compared, and the pieces of the text between those that are not."""

    def __init__(self, text: str, pieces: Sequence[str]) -> None:
        self.text = text
        self._pieces = pieces

    @cached_property
    def breaks(self) -> frozenset[int]:
        """The positions where something was dropped."""
        return frozenset(accumulate(map(len, self._pieces[:-1])))

    def find(self, pieces: Sequence[str], start: int = 0) -> int:
        """Return the end of the last piece if all pieces are here in order and none cuts a number or word; else -1."""
        for piece in pieces:
            at = self._find_piece(piece, start)
            if at < 0:
                return -1
            start = at + len(piece)
        return start

    def spans(self, pieces: Sequence[str]) -> Iterator[tuple[int, int]]:
        """Yield the first places where the pieces stand in order, each from the first to the last piece."""
        at = self._find_piece(pieces[0], 0) if pieces else -1
        for _ in range(_TRIES):
            end = self.find(pieces, at) if at >= 0 else -1
            if end < 0:
                return
            yield at, end
            at = self._find_piece(pieces[0], at + 1)

    def span(self, pieces: Sequence[str]) -> int:
        """Return the number of characters from the first to the last piece, gaps included; -1 if they are not here."""
        spans = islice(self.spans(pieces), 1 if len(pieces) == 1 else _TRIES)
        return min((end - start for start, end in spans), default=-1)

    def holds(self, quote: str) -> bool:
        """Return whether the text contains a quotation; an empty one is never contained."""
        pieces = quote_pieces(quote)
        return bool(pieces) and self.find(pieces) >= 0

    def count(self, piece: str) -> int:
        positions = (match.start() for match in re.finditer(re.escape(piece), self.text))
        return sum(not self._is_cut(at, piece) for at in positions)

    def _find_piece(self, piece: str, start: int) -> int:
        at = self.text.find(piece, start)
        while at >= 0 and self._is_cut(at, piece):
            at = self.text.find(piece, at + 1)
        return at

    def _is_cut(self, at: int, piece: str) -> bool:
        """Return whether a number or a word goes on before or after the piece: 42000元 does not quote 2000元."""
        if len(piece) >= CHUNK:
            return False
        going_on = _WORD_GOES_ON if len(piece) < PASSAGE else _NUMBER_GOES_ON
        edges = (edge for edge in (at, at + len(piece)) if edge and edge not in self.breaks)
        return any(going_on.fullmatch(self.text, edge - 1, edge + 1) for edge in edges)


@lru_cache(maxsize=1 << 12)
def quote_key(text: str) -> str:
    """Return the compared characters: letters, ideographs, digits; points and hyphens inside numbers and names."""
    return _DROPPED.sub("", _with_commas(text)).lower()


@lru_cache(maxsize=1 << 10)
def key_of(text: str) -> Key:
    """Return the key of a text in which quotations are searched."""
    pieces = _DROPPED.split(_THOUSANDS.sub("", _with_commas(text)))
    return Key("".join(pieces).lower(), pieces)


@lru_cache(maxsize=1 << 12)
def quote_pieces(quote: str) -> tuple[str, ...]:
    """Return the keys of the pieces of a quotation between its gaps."""
    return tuple(key for piece in _GAP.split(quote) if (key := quote_key(piece)))


def contains_quote(answer: str, quote: str) -> bool:
    """Return whether the answer quotes these words; pieces between gaps must be in order.

    >>> contains_quote("他说“号码我忘记了”。", "号码我忘记了")
    True
    """
    return any(key_of(text).holds(quote) for text in dict.fromkeys((without_thinking(answer), plain_text(answer))))


def repeats(text: str, question: str) -> bool:
    """Return whether a text has the same key as a question."""
    return key_of(text).text == key_of(question).text


def _with_commas(text: str) -> str:
    """Return the normalised text, with the commas that carry meaning marked."""
    return _ANSWER_COMMA.sub(rf"\1{_KEPT_COMMA}", normalise(text))


def locate(passage: str, text: str, start: int = 0) -> list[Span]:
    """Return the spans of the pieces of a passage between its gaps in a text, in order; none if a piece is missing.

    They are looked for from an offset of the text on.

    >>> locate("号码我忘记了", "答：号码，我忘记了。")
    [(2, 9)]
    """
    key, offsets = _skeleton(text)
    spans: list[Span] = []
    at = bisect_left(offsets, start)
    for piece in filter(None, ("".join(filter(str.isalnum, piece)) for piece in quote_pieces(passage))):
        found = key.find(piece, at)
        if found < 0:
            return []
        at = found + len(piece)
        spans.append((offsets[found], offsets[at - 1] + 1))
    return spans


@lru_cache(maxsize=1 << 10)
def _skeleton(text: str) -> tuple[str, tuple[int, ...]]:
    """Return the normalised letters and figures of a text, with their offsets in the text."""
    folded = normalise_with_offsets(text)
    chars = [(low, at) for char, at in zip(folded.text, folded.offsets, strict=False) for low in char.lower()]
    kept = [(char, at) for char, at in chars if char.isalnum()]
    return "".join(char for char, _ in kept), tuple(at for _, at in kept)


_MOST_SOURCES: Final = 64
_MOST_POSITIONS: Final = 8
GRAM: Final = 3
WORD: Final = re.compile("[a-z][a-z'-]+")
_sources: Final[dict[int, "Source"]] = {}


@dataclass(frozen=True, eq=False)
class SourcePage:
    """A page with its key, and the kinds and keys of its units."""

    page: "Page"

    @cached_property
    def key(self) -> Key:
        return key_of(self.page.text)

    @cached_property
    def units(self) -> tuple[tuple[str, Key], ...]:
        """The kind and the key of each unit."""
        return tuple((unit.kind, key_of(self.page.text[unit.start : unit.end])) for unit in self.page.units)

    def kinds(self, words: str) -> list[str]:
        """Return the kinds of the units that contain these words, each once."""
        return list(dict.fromkeys(kind for kind, unit in self.units if unit.holds(words)))


_CLAUSE_END: Final = re.compile(r"[,，。.;；!?！？:：\n]")
_PARTICLES: Final = "了的吧呢啊呀"


@dataclass(frozen=True, eq=False)
class Source:
    """A document with its text and keys."""

    document: "Document"

    @cached_property
    def text(self) -> str:
        return self.document.text

    @cached_property
    def key(self) -> Key:
        """The key of all pages, one after the other: a passage may go on after the end of a page."""
        return _joined([page.key for page in self.pages.values()])

    @cached_property
    def pages(self) -> Mapping[int, SourcePage]:
        return {page.number: SourcePage(page) for page in self.document.pages}

    @cached_property
    def is_latin(self) -> bool:
        """Whether most of it is in Latin script."""
        return 2 * sum(map(str.isascii, self.key.text)) > len(self.key.text)

    @cached_property
    def grams(self) -> frozenset[str]:
        """All runs of `GRAM` characters of the key."""
        return frozenset(self.key.text[at : at + GRAM] for at in range(len(self.key.text) - GRAM + 1))

    @cached_property
    def clauses(self) -> frozenset[str]:
        """The keys of all clauses, without the particles at their ends."""
        return frozenset(quote_key(clause).rstrip(_PARTICLES) for clause in _CLAUSE_END.split(self.text))

    @cached_property
    def words(self) -> frozenset[str]:
        """All words in Latin letters, in lower case."""
        return frozenset(WORD.findall(self.text.lower()))

    @cached_property
    def _blocks(self) -> dict[int, dict[str, list[int]]]:
        return {}

    def blocks(self, size: int) -> Mapping[str, Sequence[int]]:
        """Return the key cut into blocks of this size, each with its first positions."""
        if size not in self._blocks:
            blocks: dict[str, list[int]] = {}
            for at in range(0, len(self.key.text) - size + 1, size):
                positions = blocks.setdefault(self.key.text[at : at + size], [])
                if len(positions) < _MOST_POSITIONS:
                    positions.append(at)
            self._blocks[size] = blocks
        return self._blocks[size]

    def pages_with(self, words: str) -> Sequence[int]:
        """Return the numbers of the pages with a quotation, of both if it goes on after the end of one.

        A document without pages has none.
        """
        return _pages_with(self, words) if self.document.is_paged else ()

    def lines_with(self, words: str, number: int) -> list[tuple[int, int]]:
        """Return the first and the last line of each place on a page where a quotation stands, or goes on.

        Without pages, the number of the page means nothing.
        """
        places: list[Span] = []
        while spans := locate(words, self.text, places[-1][0] + 1 if places else 0):
            places.append((spans[0][0], spans[-1][1]))
        found = []
        begin = 0
        for page in self.document.pages:
            if page.number == number or not self.document.is_paged:
                lines = (page.lines_of(start - begin, end - begin) for start, end in places)
                found += [each for each in lines if each]
            begin += len(page.text) + 1
        return found

    def span_on(self, words: str, numbers: Sequence[int]) -> int:
        """Return how many characters a quotation spans that stands on, or touches, these pages; -1 if none does.

        Gaps are included.
        """
        pieces = quote_pieces(words)
        keys = (page.key for number in numbers if (page := self.pages.get(number)) is not None)
        spans = [span for key in keys if (span := key.span(pieces)) >= 0]
        if not spans:
            spans = [span for span, touched in self.across(words) if not set(touched).isdisjoint(numbers)]
        return min(spans, default=-1)

    def touched(self, words: str, numbers: Sequence[int]) -> set[int]:
        """Return these pages, and those that a quotation goes on to from one of them, or comes from."""
        pairs = (set(touched) for _, touched in self.across(words))
        return set(numbers).union(*(pair for pair in pairs if not pair.isdisjoint(numbers)))

    def across(self, words: str) -> Iterator[tuple[int, Sequence[int]]]:
        """Yield the length and the two pages of each place where a quotation goes on after the end of a page."""
        pieces, numbers = quote_pieces(words), list(self.pages)
        for start, end in self.key.spans(pieces):
            touched = numbers[bisect_right(self._ends, start) : bisect_right(self._ends, end - 1) + 1]
            if len(touched) == 2:
                yield end - start, touched

    @cached_property
    def _ends(self) -> list[int]:
        """Where the key of each page ends in the key of the document."""
        return list(accumulate(len(page.key.text) for page in self.pages.values()))


@lru_cache(maxsize=1 << 10)
def _pages_with(source: Source, words: str) -> Sequence[int]:
    whole = [number for number, page in source.pages.items() if page.key.holds(words)]
    return whole or next((numbers for _, numbers in source.across(words)), [])


def source_of(document: "Document") -> Source:
    """Return the prepared document, cached by identity, because hashing reads the whole text."""
    source = _sources.get(id(document))
    if source is None or source.document is not document:
        if len(_sources) >= _MOST_SOURCES:
            _sources.clear()
        source = _sources[id(document)] = Source(document)
    return source


def _joined(keys: list[Key]) -> Key:
    text, breaks = "", set[int]()
    for key in keys:
        breaks |= {len(text), *(len(text) + at for at in key.breaks)}
        text += key.text
    edges = [0, *sorted(breaks - {0}), len(text)]
    return Key(text, [text[start:end] for start, end in pairwise(edges)])
