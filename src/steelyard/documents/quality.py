"""How well a document was read: what an OCR tool, or the author, may have left out."""

import unicodedata
from itertools import pairwise
from typing import Final, NamedTuple

from steelyard.documents.pages import Document
from steelyard.documents.units import begins_turn

_UNREADABLE: Final = {"Cc", "Cn", "Co", "Cs"}
"""Categories of Unicode: control characters, unassigned and private ones, halves of characters."""
_LARGEST: Final = 10_000
"""Up to this page number, a number between others that is missing is a page without text."""


class Quality(NamedTuple):
    """Figures of a document: `unreadable` is a share of the characters, `blank` the pages without text."""

    pages: int
    characters: int
    unreadable: float
    blank: tuple[int, ...]
    unanswered: int


def quality_of(document: Document) -> Quality:
    """Return the figures of a document; one that has no pages has 0 of them."""
    text = "".join(page.text for page in document.pages)
    lost = sum(char == "\ufffd" or (not char.isspace() and unicodedata.category(char) in _UNREADABLE) for char in text)
    numbers = [page.number for page in document.pages]
    expected = range(min(numbers), max(numbers) + 1) if max(numbers) <= _LARGEST else sorted(numbers)
    filled = {page.number for page in document.pages if page.text}
    blank = tuple(number for number in expected if number not in filled)
    return Quality(len(numbers) * document.is_paged, len(text), lost / len(text), blank, _unanswered(document))


def _unanswered(document: Document) -> int:
    """Return how many questions are followed by no answer; a question may go on over a page end."""
    turns: list[str | None] = []
    for page in document.pages:
        spoken = [unit for unit in page.units if unit.kind in ("question", "answer")]
        goes_on = spoken and not begins_turn(page.text[spoken[0].start :])
        turns += [unit.kind for unit in spoken[bool(goes_on and turns) :]]
    return sum(one == "question" and other != "answer" for one, other in pairwise([*turns, None]))
