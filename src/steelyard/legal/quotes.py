"""Quotations: the words themselves, whatever their width, script, punctuation and blanks."""

import re
from functools import lru_cache
from typing import Final

from steelyard.text.normal import normal

_GAP: Final = re.compile(r"\.{3,}|…+|\[\.\.\.\]")
# a comma after an opening yes or no carries meaning: 不，是我 is not 不是我
_ANSWER_COMMA: Final = re.compile(r"(?:(?<=^)|(?<=[。;!?！？；,:“\"\n]))(不|没有|是|否|对|no|yes),", re.IGNORECASE)
_KEPT_COMMA: Final = "\ue000"
_DROPPED: Final = re.compile(r"(?<=\d)\.(?=\d)|(?<=[A-Za-z0-9])[-_](?=[A-Za-z0-9])|(?P<mark>[^\w\ue000]|_)")


@lru_cache(maxsize=1 << 12)
def quote_key(text: str) -> str:
    """What is compared: letters, characters and figures; points and hyphens inside numbers and identifiers stay."""
    plain = _ANSWER_COMMA.sub(lambda opening: opening[1] + _KEPT_COMMA, normal(text))
    return _DROPPED.sub(lambda found: "" if found["mark"] else found[0], plain).lower()


def quote_pieces(quote: str) -> list[str]:
    """The keys of the pieces of a quotation between its gaps."""
    return [key for piece in _GAP.split(quote) if (key := quote_key(piece))]


def contains_quote(answer: str, quote: str) -> bool:
    """Whether the answer quotes these words, the pieces between gaps in their order.

    >>> contains_quote("他说“号码我忘记了”。", "号码我忘记了")
    True
    """
    rest = quote_key(answer)
    pieces = quote_pieces(quote)
    for piece in pieces:
        at = rest.find(piece)
        if at < 0 or _cuts_a_number(rest, at, piece):
            return False
        rest = rest[at + len(piece) :]
    return bool(pieces)


def _cuts_a_number(text: str, at: int, piece: str) -> bool:
    """Whether the piece begins or ends in the middle of a number: 42000元 does not quote 2000元."""
    before, after = text[at - 1 : at], text[at + len(piece) : at + len(piece) + 1]
    return (piece[0].isdigit() and before.isdigit()) or (piece[-1].isdigit() and after.isdigit())
