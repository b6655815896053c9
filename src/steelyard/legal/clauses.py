"""Clauses, sentences, brackets and quotations of a normalised text: the one model that all judges use."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from steelyard.text.mentions import mentions

QUOTED: Final = re.compile(
    '“(?:[^“”]|“[^“”]{0,80}”){0,400}”|「[^」]{0,400}」|『[^』]{0,400}』|"[^"]{0,400}"|《[^》]{0,80}》'
)
"""A quotation, or the title of a work."""
# a comma or a point inside a number does not end a clause
_STOP: Final = re.compile(r"[,。;!?！？；\n.](?:(?<![,.])|(?<=,)(?:(?!\d{3}(?!\d))|(?<!\d,))|(?<=\.)(?=\s|$))")
_BRACKETED: Final = re.compile(r"\([^()\n]{0,400}\)|\[[^\[\]\n]{0,400}\]|【[^】\n]{0,400}】|（[^）\n]{0,400}）")
_CACHED_TEXTS: Final = 1 << 10


class Clause(NamedTuple):
    """A piece of a text between two stops, with the number of its sentence."""

    start: int
    end: int
    text: str
    sentence: int


class Pieces:
    """The pieces of a text between stops, without empty ones, found by index in logarithmic time."""

    def __init__(self, text: str, stops: Sequence[int], sentences: "Pieces | None" = None) -> None:
        spans = zip([0, *[at + 1 for at in stops]], [*stops, len(text)], strict=True)
        kept = [(start, end) for start, end in spans if start < end]
        self._text = text
        self._starts, self._ends = [start for start, _ in kept], [end for _, end in kept]
        self._sentences = sentences or self

    def __len__(self) -> int:
        return len(self._starts)

    def __getitem__(self, number: int) -> Clause:
        start, end = self._starts[number], self._ends[number]
        return Clause(start, end, self._text[start:end], self._sentences.number(start))

    def __iter__(self) -> Iterator[Clause]:
        return map(self.__getitem__, range(len(self)))

    def number(self, index: int) -> int:
        """The number of the piece at an index of the text, or of the last before it; -1 if there is none."""
        return bisect_right(self._starts, index) - 1

    def at(self, index: int) -> Clause:
        """The piece at an index of the text, or the last before it; the text if there is none."""
        number = self.number(index)
        return self[number] if number >= 0 else Clause(0, len(self._text), self._text, 0)

    def after(self, piece: Clause) -> str:
        """The text of the next piece, or ""."""
        number = self.number(piece.start) + 1
        return self[number].text if number < len(self) else ""


class Outline:
    """The clauses, sentences and brackets of a text. A comma inside a date or a number is not a stop."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _stops(self) -> list[int]:
        values = (value for value in mentions(self.text) if value.end - value.start > 3)
        inside = {at for value in values for at in range(value.start + 1, value.end)}
        return [at for stop in _STOP.finditer(self.text) if (at := stop.start()) not in inside]

    @cached_property
    def sentences(self) -> Pieces:
        """The sentences of the text: their stops are those of clauses except commas."""
        return Pieces(self.text, [at for at in self._stops if self.text[at] != ","])

    @cached_property
    def clauses(self) -> Pieces:
        """The clauses of the text."""
        return Pieces(self.text, self._stops, self.sentences)

    @cached_property
    def _brackets(self) -> list[tuple[int, int]]:
        return [match.span() for match in _BRACKETED.finditer(self.text)]

    @cached_property
    def _bracket_starts(self) -> list[int]:
        return [start for start, _ in self._brackets]

    def is_bracketed(self, start: int, end: int) -> bool:
        """Whether a span is inside brackets."""
        at = bisect_right(self._bracket_starts, start) - 1
        return at >= 0 and self._brackets[at][0] < start and end < self._brackets[at][1]


@lru_cache(maxsize=_CACHED_TEXTS)
def outline(text: str) -> Outline:
    """The outline of a normalised text."""
    return Outline(text)


def clause_of(text: str, index: int) -> Clause:
    """The clause at an index."""
    return outline(text).clauses.at(index)


def without_quotes(text: str, filler: str = " ") -> str:
    """The text with every character of a quotation replaced by the filler."""
    return QUOTED.sub(lambda quote: filler * len(quote[0]), text)
