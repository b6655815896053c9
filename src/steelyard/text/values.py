"""A value in a text, and a date as far as a text gives it."""

from calendar import monthrange
from collections.abc import Iterable
from typing import Any, Final, Literal, NamedTuple

Kind = Literal[
    "address", "id", "phone", "card", "serial", "date", "version", "time", "score", "percent", "age", "ordinal",
    "money", "count", "number",
]  # fmt: skip
"""An address is a URL, a host, an e-mail address, a file name or an option of a command."""

NEAR: Final = 12
"""Characters beside a value in which Chinese words qualify it, such as 约 or 以上."""
NEAR_WORDS: Final = 40
"""The same before it in English, whose words are longer."""
_TAKEN: Final = "\0"


class Day(NamedTuple):
    """A date; parts that the text does not give are None."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    @property
    def is_whole(self) -> bool:
        """Whether it specifies one day."""
        return None not in self

    @property
    def is_possible(self) -> bool:
        """Whether the date exists."""
        if self.month is not None and not 1 <= self.month <= 12:
            return False
        longest = monthrange(self.year or 2000, self.month)[1] if self.month else 31
        return self.day is None or 1 <= self.day <= longest

    def agrees(self, other: "Day") -> bool:
        """Whether the common parts are equal, and this gives no part that the other lacks."""
        return all(one is None or one == two for one, two in zip(self, other, strict=True))

    def isoformat(self) -> str:
        """YYYY-MM-DD, with ?? for missing parts."""
        year = f"{self.year:04}" if self.year else "????"
        return "-".join((year, *(f"{part:02}" if part else "??" for part in (self.month, self.day))))


class Mention(NamedTuple):
    """A value in a normalised text. `value` is a text, a Decimal, or a Day; None if it is a range or impossible.

    `loose` says why it is no exact value ("" if it is one), `approx` that 约 or 左右 stands beside it, `unit` is the
    measure word (of a rate 次/秒) or the currency, `until` the end of a range of dates.
    """

    kind: Kind
    start: int
    end: int
    text: str
    value: Any = None
    unit: str = ""
    loose: str = ""
    approx: bool = False
    until: Day | None = None

    @property
    def is_exact(self) -> bool:
        """Whether it is a single value."""
        return not self.loose and self.value is not None


def blanked(text: str, mentions: Iterable[Mention]) -> str:
    """The text with a mark in place of each character of these mentions, so that no other kind takes them."""
    pieces: list[str] = []
    at = 0
    for start, end in sorted((mention.start, mention.end) for mention in mentions):
        pieces += (text[at:start], _TAKEN * (end - max(at, start)))
        at = max(at, end)
    return "".join((*pieces, text[at:]))
