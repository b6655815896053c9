"""One way of writing for many: full and half width, dashes, radicals, invisible characters; with the way back.

Unicode's own compatibility form is not used, for it changes figures (42000② would become 420002, ½ would become 1⁄2).
Circled, superscript and subscript digits are marks beside a text and are dropped, never read as digits.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from steelyard.text.radicals import EQUIVALENTS

_WIDTHS: Final = {0xFF01 + n: 0x21 + n for n in range(0x5E)}  # ！ … ～ to ! … ~
_BLANKS: Final = dict.fromkeys((0x3000, 0xA0, 0x202F, *range(0x2000, 0x200B)), " ")
_CURRENCY: Final = {0xFFE5: "¥", 0xFFE1: "£", 0xFFE0: "¢"}
_DASHES: Final = dict.fromkeys([*range(0x2010, 0x2016), 0x2212, 0xFE58, 0xFE63], "-") | dict.fromkeys([0x301C], "~")
_INVISIBLE: Final = dict.fromkeys([0xFEFF, 0x200B, 0x200C, 0x200D, 0x2060, 0xAD, *range(0x202A, 0x202F)], "")
_DIGIT_MARKS: Final = dict.fromkeys(
    (
        *(0xB2, 0xB3, 0xB9, 0x2070, *range(0x2074, 0x207A), *range(0x2080, 0x208A)),  # super- and subscript
        *(*range(0x2460, 0x249C), *range(0x24EA, 0x2500), *range(0x2776, 0x2794)),  # circled, bracketed
        *(*range(0x3251, 0x3260), *range(0x32B1, 0x32C0)),  # circled, from 21 on
    ),
    "",
)
FOLDS: Final[dict[int, int | str]] = {
    **_WIDTHS,
    **_BLANKS,
    **_CURRENCY,
    **_DASHES,
    **_INVISIBLE,
    **_DIGIT_MARKS,
    **EQUIVALENTS,
}

# ○ and ◯ stand for 〇 between Chinese numerals or before 年, and O and o do where a year is meant
_NUMERAL: Final = "一二三四五六七八九十〇零"
_ZEROS: Final = re.compile(f"(?<=[{_NUMERAL}])[○◯Oo]+(?=[{_NUMERAL}年])")


@dataclass(frozen=True, slots=True)
class Folded:
    """Folded text, and for each of its characters where it stands in the original; one more for the end."""

    text: str
    offsets: tuple[int, ...]

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Where `text[start:end]` stands in the original."""
        return self.offsets[start], self.offsets[end - 1] + 1 if end > start else self.offsets[start]


def fold(text: str) -> str:
    """The text in one way of writing."""
    return text if text.isascii() else _with_zeros(text.translate(_table()))


def fold_with_offsets(text: str) -> Folded:
    """The folded text with the way back to the original."""
    pieces = list(_folded_characters(text))
    folded = "".join(char for char, _ in pieces)
    return Folded(_with_zeros(folded), (*(offset for _, offset in pieces), len(text)))


def _with_zeros(folded: str) -> str:
    return _ZEROS.sub(lambda zeros: "〇" * len(zeros[0]), folded)


def _folded_characters(text: str) -> Iterator[tuple[str, int]]:
    table = _table()
    for offset, char in enumerate(text):
        for folded in char.translate(table):
            yield folded, offset


@cache
def _table() -> dict[int, int | str]:
    return dict(FOLDS)
