"""Where a passage stands in a text, so that a page marks characters and decides nothing."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from steelyard.documents.pages import Document
from steelyard.legal.evidence.citations import Citation, citations_of
from steelyard.legal.evidence.quotes import contains_quote, quote_pieces
from steelyard.reports.render.html.kind_page import Json, Mark
from steelyard.text.normalisation import normalise_with_offsets

Span = tuple[int, int]
Place = tuple[int, int, int]
"""A page, and where on it a passage begins and ends, in UTF-16 units."""


_QUOTED: Final = re.compile('“([^”]{2,400})”|「([^」]{2,400})」|『([^』]{2,400})』|"([^"]{2,400})"')
_LONG: Final = 20_000
"""Longer answers are not searched for quotations."""


class Skeleton(NamedTuple):
    """Letters and figures of a text in one way of writing, and where each stands in the text."""

    key: str
    offsets: tuple[int, ...]


def locate(passage: str, text: str) -> list[Span]:
    """Where the pieces of a passage between its gaps stand in a text, in order; nowhere if one of them is missing.

    >>> locate("号码我忘记了", "答：号码，我忘记了。")
    [(2, 9)]
    """
    skeleton = _skeleton(text)
    found: list[Span] = []
    at = 0
    for piece in _pieces(passage):
        start = skeleton.key.find(piece, at)
        if start < 0:
            return []
        at = start + len(piece)
        found.append((skeleton.offsets[start], skeleton.offsets[at - 1] + 1))
    return found


class Library:
    """Documents that a page shows, and those of their pages that were asked for."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents = documents
        self._wanted: dict[str, set[int]] = {}
        self._found: dict[tuple[str, tuple[int, ...], str], list[Place]] = {}

    def placed(self, citations: Any, name: str) -> list[Json]:
        """The passages of a record with the places where they stand in the document of that name."""
        return [self._placed(citation, name) for citation in citations_of(citations)]

    def as_json(self) -> dict[str, dict[str, str]]:
        """Document → page → text, of the pages that some passage names or stands on."""
        return {name: dict(self._pages(name, sorted(numbers))) for name, numbers in self._wanted.items()}

    def _placed(self, citation: Citation, name: str) -> Json:
        found: Json = {"pages": list(citation.pages), "text": citation.text}
        found |= {key: str(value) for key in ("section", "speaker") if (value := getattr(citation, key))}
        document = self._documents.get(name)
        if document is None:
            return found
        asked = (name, citation.pages, citation.text)
        if asked not in self._found:
            self._found[asked] = _find(citation, document)
            self._want(name, [*citation.pages, *(page for page, *_ in self._found[asked])], document)
        return {**found, "places": self._found[asked]}

    def _want(self, name: str, numbers: Iterable[int], document: Document) -> None:
        there = {page.number for page in document.pages}
        self._wanted.setdefault(name, set()).update(there.intersection(numbers))

    def _pages(self, name: str, numbers: Sequence[int]) -> Iterator[tuple[str, str]]:
        for number in numbers:
            page = self._documents[name].page(number)
            if page is not None:
                yield str(number), page.text


def answer_marks(answer: str, invented: Sequence[Any], quotes: Sequence[str]) -> list[Mark]:
    """What is marked in an answer: (start, end, "invented" or "quote"), in UTF-16 units."""
    false = [span for each in invented if (span := _invented_span(each, answer))]
    true = [] if len(answer) > _LONG else [span for quote in quotes for span in _quoted(quote, answer)]
    marks = [(*span, "invented") for span in false] + [(*span, "quote") for span in dict.fromkeys(true)]
    return [(utf16(answer, start), utf16(answer, end), kind) for start, end, kind in marks]


def utf16(text: str, at: int) -> int:
    """An offset as JavaScript counts it: a character beyond the first 65,536 counts twice."""
    return at + sum(char > "\uffff" for char in text[:at]) if _has_long(text) else at


@lru_cache(maxsize=1 << 10)
def _has_long(text: str) -> bool:
    return max(text, default="") > "\uffff"


def _find(citation: Citation, document: Document) -> list[Place]:
    """Where the words stand: on the pages that are named, else on the first other page that has them."""
    others = ((page.number,) for page in document.pages if page.number not in citation.pages)
    hits = (_places(citation.text, numbers, document) for numbers in (citation.pages, *others))
    return next((hit for hit in hits if hit), [])


def _places(text: str, numbers: Sequence[int], document: Document) -> list[Place]:
    """Where the words stand on these pages, which are read as one."""
    pages = [page for number in numbers if (page := document.page(number)) is not None]
    spans = locate(text, "".join(page.text for page in pages))
    found = []
    before = 0
    for page in pages:
        after = before + len(page.text)
        cut = [(max(start, before) - before, min(end, after) - before) for start, end in spans]
        found += [(page.number, utf16(page.text, a), utf16(page.text, b)) for a, b in cut if a < b]
        before = after
    return found


def _quoted(quote: str, answer: str) -> list[Span]:
    """The quote where the answer has it, or what the answer has of it between quotation marks."""
    if contains_quote(answer, quote):  # quicker than to locate it
        return locate(quote, answer)
    spans = ((found.start(found.lastindex or 0), found.end(found.lastindex or 0)) for found in _QUOTED.finditer(answer))
    return [(start, end) for start, end in spans if contains_quote(quote, answer[start:end])]


def _invented_span(invented: Any, answer: str) -> Span | None:
    match invented:
        case {"text": str(text), "start": int(start), "end": int(end)} if text and 0 <= start < end <= len(answer):
            return start, end
        case {"text": str(text)} if text in answer:
            return answer.index(text), answer.index(text) + len(text)
    return None


@lru_cache(maxsize=1 << 12)
def _pieces(passage: str) -> tuple[str, ...]:
    bare = ("".join(filter(str.isalnum, piece)) for piece in quote_pieces(passage))
    return tuple(piece for piece in bare if piece)


@lru_cache(maxsize=1 << 10)
def _skeleton(text: str) -> Skeleton:
    folded = normalise_with_offsets(text)
    kept = [(char, place) for char, place in _lower(folded.text, folded.offsets) if char.isalnum()]
    return Skeleton("".join(char for char, _ in kept), tuple(place for _, place in kept))


def _lower(text: str, offsets: Sequence[int]) -> Iterator[tuple[str, int]]:
    """Characters in lower case with their places; one may become two."""
    for char, place in zip(text, offsets, strict=False):
        for low in char.lower():
            yield low, place
