"""A document prepared for searching quotations, computed once per document.

The cache uses the identity of the document: hashing a document means hashing all of its text and units.
"""

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from threading import Lock
from typing import Any, Final

from steelyard.documents.pages import Document, Page
from steelyard.legal.evidence.quotes import Key, key_of, quote_pieces

_MOST_SOURCES: Final = 64
_MOST_CACHED: Final = 1 << 12
_MOST_POSITIONS: Final = 8
GRAM: Final = 3
WORD: Final = re.compile("[a-z][a-z'-]+")
_sources: OrderedDict[int, "Source"] = OrderedDict()
_lock: Final = Lock()


@dataclass(frozen=True, eq=False)
class SourcePage:
    """A page with its key, and the kinds and keys of its units."""

    page: Page

    @cached_property
    def key(self) -> Key:
        """The key of the page."""
        return key_of(self.page.text)

    @cached_property
    def units(self) -> tuple[tuple[str, Key], ...]:
        """The kind and the key of each unit."""
        return tuple((unit.kind, key_of(self.page.text[unit.start : unit.end])) for unit in self.page.units)

    @cached_property
    def _kinds(self) -> dict[str, list[str]]:
        return {}

    def kinds(self, words: str) -> list[str]:
        """The kinds of the units that contain these words, each once; cached, because every answer asks for them."""
        kinds = self._kinds.get(words)
        if kinds is None:
            kinds = list(dict.fromkeys(kind for kind, unit in self.units if unit.holds(words)))
            keep(self._kinds, words, kinds)
        return kinds


@dataclass(frozen=True, eq=False)
class Source:
    """A document with its text and keys."""

    document: Document

    @cached_property
    def text(self) -> str:
        """The text of all pages."""
        return self.document.text

    @cached_property
    def key(self) -> Key:
        """The key of the whole text."""
        return key_of(self.text)

    @cached_property
    def pages(self) -> Mapping[int, SourcePage]:
        """The pages by number."""
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
    def words(self) -> frozenset[str]:
        """All words in Latin letters, in lower case."""
        return frozenset(WORD.findall(self.text.lower()))

    @cached_property
    def _blocks(self) -> dict[int, dict[str, list[int]]]:
        return {}

    def blocks(self, size: int) -> Mapping[str, Sequence[int]]:
        """The key cut into blocks of this size, each with its first positions."""
        if size not in self._blocks:
            blocks: dict[str, list[int]] = {}
            for at in range(0, len(self.key.text) - size + 1, size):
                positions = blocks.setdefault(self.key.text[at : at + size], [])
                if len(positions) < _MOST_POSITIONS:
                    positions.append(at)
            self._blocks[size] = blocks
        return self._blocks[size]

    def pages_with(self, words: str) -> list[int]:
        """The numbers of the pages that contain a quotation."""
        return [number for number, page in self.pages.items() if page.key.holds(words)]

    def span_on(self, words: str, numbers: tuple[int, ...]) -> int:
        """The number of characters that a quotation spans on these pages, gaps included; -1 if it is not there."""
        span = self._spans.get((words, numbers))
        if span is None:
            keys = [page.key for number in numbers if (page := self.pages.get(number)) is not None]
            spans = [key.span(quote_pieces(words)) for key in (*keys, *([_joined(keys)] if len(keys) > 1 else ()))]
            span = min((span for span in spans if span >= 0), default=-1)
            keep(self._spans, (words, numbers), span)
        return span

    @cached_property
    def mismatches(self) -> dict[Any, Any]:
        """Why citations do not give passages of the document, as far as that was asked."""
        return {}

    @cached_property
    def _spans(self) -> dict[tuple[str, tuple[int, ...]], int]:
        return {}


def source_of(document: Document) -> Source:
    """The prepared document; the most recent ones are cached."""
    known = _sources.get(id(document))
    if known is not None and known.document is document:
        return known
    with _lock:
        source = _sources.get(id(document))
        if source is None or source.document is not document:
            source = _sources[id(document)] = Source(document)
        _sources.move_to_end(id(document))
        while len(_sources) > _MOST_SOURCES:
            _sources.popitem(last=False)
        return source


def keep(kept: dict[Any, Any], key: Any, value: Any) -> None:
    """Store a value; a full cache is cleared first."""
    if len(kept) >= _MOST_CACHED:
        kept.clear()
    kept[key] = value


def _joined(keys: list[Key]) -> Key:
    text, breaks = "", set[int]()
    for key in keys:
        breaks |= {len(text), *(len(text) + at for at in key.breaks)}
        text += key.text
    edges = [0, *sorted(breaks - {0}), len(text)]
    return Key(text, [text[start:end] for start, end in pairwise(edges)])
