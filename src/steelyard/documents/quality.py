"""How well a document was read: what an OCR tool, or the author, may have left out."""

import unicodedata
from itertools import pairwise
from typing import Final, NamedTuple

from steelyard.documents.pages import Document
from steelyard.documents.units import cut_units

_UNREADABLE: Final = {"Cc", "Cn", "Co", "Cs"}
"""Categories of Unicode: control characters, unassigned and private ones, halves of characters."""
_LARGEST: Final = 10_000
"""Up to this page number, a number between others that is missing is a page without text."""


class Quality(NamedTuple):
    """Figures of a document: `unreadable` is a share of the characters; without pages `page_count` is 0."""

    page_count: int
    characters: int
    unreadable: float
    pages_without_text: list[int]
    questions_without_answer: int


def quality_of(document: Document) -> Quality:
    """Return the figures of a document."""
    text = "".join(page.text for page in document.pages)
    seen = "".join(text.split())
    lost = sum(char == "\ufffd" or unicodedata.category(char) in _UNREADABLE for char in seen)
    numbers = [page.number for page in document.pages]
    filled = {page.number for page in document.pages if page.text}
    last = min(max(numbers), _LARGEST)
    blank = [number for number in range(min(numbers), last + 1) if number not in filled]
    pages = len(numbers) if document.is_paged else 0
    return Quality(pages, len(text), lost / len(text), blank, _unanswered(document))


def _unanswered(document: Document) -> int:
    """Return how many questions are followed by no answer."""
    (units,) = cut_units([document.text])
    turns = [unit.kind for unit in units if unit.kind in ("question", "answer")]
    return sum(pair == ("question", "question") for pair in pairwise([*turns, "question"]))
