"""A document prepared for searching quotations, computed once per document."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

from steelyard.documents.pages import Document, Page
from steelyard.legal.evidence.quotes import Key, key_of, quote_pieces

_MOST_SOURCES: Final = 64
_MOST_POSITIONS: Final = 8
GRAM: Final = 3
WORD: Final = re.compile("[a-z][a-z'-]+")
_sources: Final[dict[int, "Source"]] = {}


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

    def kinds(self, words: str) -> list[str]:
        """The kinds of the units that contain these words, each once."""
        return list(dict.fromkeys(kind for kind, unit in self.units if unit.holds(words)))


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
        keys = [page.key for number in numbers if (page := self.pages.get(number)) is not None]
        spans = [key.span(quote_pieces(words)) for key in (*keys, *([_joined(keys)] if len(keys) > 1 else ()))]
        return min((span for span in spans if span >= 0), default=-1)


def source_of(document: Document) -> Source:
    """The prepared document; the most recent ones are cached by identity, because hashing reads the whole text."""
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
