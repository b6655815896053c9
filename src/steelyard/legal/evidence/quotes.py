"""Quotations: the words themselves, whatever their width, script, punctuation and blanks.

The one rule for "this quotation stands in that text" is `Key.find`: the pieces between gaps stand in the text in their
order, and none of them begins or ends in the middle of a number or of a word in Latin letters. A piece of `PASSAGE`
characters or more may begin or end inside a word, as passages do that were cut by length; inside a number, never.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from steelyard.text.normalisation import normalise
from steelyard.text.reading import plain_text, without_thinking

PASSAGE: Final = 20
"""Characters from which on words stand in a document as a passage of it, and not by chance."""

_TRIES: Final = 64
_GAP: Final = re.compile(r"\.{3,}|…+|\[\.\.\.\]")
# a comma after an opening yes or no carries meaning: 不，是我 is not 不是我
_ANSWER_COMMA: Final = re.compile(r"(?:(?<=^)|(?<=[。;!?！？；,:“\"\n]))(不|没有|是|否|对|no|yes),", re.IGNORECASE)
_KEPT_COMMA: Final = "\ue000"
_DROPPED: Final = re.compile(r"(?<=\d)\.(?=\d)|(?<=[A-Za-z0-9])[-_](?=[A-Za-z0-9])|(?P<mark>[^\w\ue000]|_)")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_NUMERAL: Final = "〇零一二三四五六七八九十百千万亿两"
# two characters that belong to one number or one Latin word; 一 opens other words too (一共, 一起), so it joins nothing
_NUMBER_GOES_ON: Final = re.compile(rf"[0-9]{{2}}|[0-9][.\-_]|[.\-_][0-9]|[{_NUMERAL}][{_NUMERAL}](?<!一)")
_WORD_GOES_ON: Final = re.compile(rf"[a-z0-9]{{2}}|{_NUMBER_GOES_ON.pattern}")


@dataclass(frozen=True, slots=True)
class Key:
    """The characters of a text that are compared; `breaks` are the places after something that was dropped."""

    text: str
    breaks: frozenset[int]

    def find(self, pieces: Sequence[str], start: int = 0) -> int:
        """Where the last of these pieces ends, if all stand here in their order and cut nothing; else -1."""
        for piece in pieces:
            at = self._place(piece, start)
            if at < 0:
                return -1
            start = at + len(piece)
        return start

    def span(self, pieces: Sequence[str]) -> int:
        """The characters from the first to the last of these pieces, what the gaps skip included; -1 if not here."""
        spans = []
        at = self._place(pieces[0], 0) if pieces else -1
        while at >= 0 and (end := self.find(pieces, at)) >= 0:
            spans.append(end - at)
            at = self._place(pieces[0], at + 1) if len(pieces) > 1 and len(spans) < _TRIES else -1
        return min(spans, default=-1)

    def holds(self, quote: str) -> bool:
        """Whether a quotation stands in the text; one without a character that counts does not."""
        pieces = quote_pieces(quote)
        return bool(pieces) and self.find(pieces) >= 0

    def count(self, piece: str) -> int:
        """How many times a piece stands here."""
        places = (found.start() for found in re.finditer(re.escape(piece), self.text))
        return sum(not self._is_cut(at, piece) for at in places)

    def _place(self, piece: str, start: int) -> int:
        at = self.text.find(piece, start)
        while at >= 0 and self._is_cut(at, piece):
            at = self.text.find(piece, at + 1)
        return at

    def _is_cut(self, at: int, piece: str) -> bool:
        """Whether a number or a word goes on before or after the piece: 42000元 does not quote 2000元."""
        going_on = _WORD_GOES_ON if len(piece) < PASSAGE else _NUMBER_GOES_ON
        edges = (edge for edge in (at, at + len(piece)) if edge and edge not in self.breaks)
        return any(going_on.fullmatch(self.text, edge - 1, edge + 1) for edge in edges)


@lru_cache(maxsize=1 << 12)
def quote_key(text: str) -> str:
    """What is compared: letters, characters and figures; points and hyphens inside numbers and identifiers stay."""
    return _DROPPED.sub(lambda found: "" if found["mark"] else found[0], _with_commas(text)).lower()


@lru_cache(maxsize=1 << 10)
def key_of(text: str) -> Key:
    """A text as quotations are looked for in it."""
    plain = _THOUSANDS.sub("", _with_commas(text))
    pieces: list[str] = []
    breaks: set[int] = set()
    at = length = 0
    for found in _DROPPED.finditer(plain):
        if found["mark"]:
            pieces.append(plain[at : found.start()])
            length += found.start() - at
            breaks.add(length)
            at = found.end()
    pieces.append(plain[at:])
    return Key("".join(pieces).lower(), frozenset(breaks))


@lru_cache(maxsize=1 << 12)
def quote_pieces(quote: str) -> tuple[str, ...]:
    """The keys of the pieces of a quotation between its gaps."""
    return tuple(key for piece in _GAP.split(quote) if (key := quote_key(piece)))


def contains_quote(answer: str, quote: str) -> bool:
    """Whether the answer quotes these words, the pieces between gaps in their order.

    >>> contains_quote("他说“号码我忘记了”。", "号码我忘记了")
    True
    """
    return any(key_of(text).holds(quote) for text in dict.fromkeys((without_thinking(answer), plain_text(answer))))


def _with_commas(text: str) -> str:
    """The normal text, the commas that carry meaning kept."""
    return _ANSWER_COMMA.sub(lambda opening: opening[1] + _KEPT_COMMA, normalise(text))
