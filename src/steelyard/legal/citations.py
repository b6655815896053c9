"""Citations: the right page, the right words, really there, said by the right person, and not the whole page."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from steelyard.formats.documents import Document, Page
from steelyard.legal.model import Evidence
from steelyard.legal.quotes import quote_key, quote_pieces

_PAGE: Final = re.compile(
    r"\s*(?:第|p\.?|pages?)?\s*(\d+)\s*(?:页)?(?:\s*[-~–至到]\s*(?:第)?\s*(\d+)\s*页?)?\s*", re.IGNORECASE
)
_SPEAKERS: Final = {"问": "question", "q": "question", "答": "answer", "a": "answer"}
_PREFIX: Final = re.compile(r"^\s*(问|答|Q|A)\s*[:：.]", re.IGNORECASE)
_SECTIONS: Final = {"qa_pair": ("question", "answer"), "header": ("header",)}


@dataclass(frozen=True, slots=True)
class Citation:
    """A passage that a system returned; `pages` are none where it named none or too many."""

    pages: tuple[int, ...]
    text: str
    section: str | None = None
    speaker: str | None = None

    @property
    def key(self) -> str:
        """What of the text is compared."""
        return quote_key(self.text)


def citations_of(items: Any) -> list[Citation]:
    """The citations of a record, duplicates dropped; what is no citation at all is one without a page."""
    found = []
    for item in items if isinstance(items, Sequence) and not isinstance(items, str) else ():
        if isinstance(item, Mapping):
            text = item.get("text")
            found.append(
                Citation(
                    _pages(item.get("page")),
                    text if isinstance(text, str) else "",
                    item.get("section"),
                    item.get("speaker"),
                )
            )
        elif isinstance(item, str):
            found.append(Citation((), item))
    return list({(each.pages, each.key): each for each in found}.values())


def is_real(citation: Citation, document: Document) -> bool:
    """Whether the words stand on the page that is named."""
    return bool(citation.key) and _stands_in(citation.text, _page_key(document, citation.pages))


def mismatch(citation: Citation, item: Evidence, document: Document, longest: int) -> str:
    """Why a citation does not give the required passage; nothing if it does."""
    wanted = quote_key(item.must_include)
    if item.page not in citation.pages:
        return f"not page {item.page}"
    if wanted not in citation.key:
        return f"does not include {item.must_include!r}"
    if not is_real(citation, document):
        return "the words are not on that page"
    if len(citation.key) > max(longest, 3 * len(wanted)):
        return f"longer than {longest} characters"
    return _spoken_otherwise(citation, item, document)


def _spoken_otherwise(citation: Citation, item: Evidence, document: Document) -> str:
    if item.speaker and citation.speaker and citation.speaker != item.speaker:
        return f"said to be the {citation.speaker}"
    if item.section and citation.section and citation.section != item.section:
        return f"said to be in {citation.section}"
    kinds = _kinds(item, citation, document)
    if item.speaker and kinds and item.speaker not in kinds:
        return f"not said in the {item.speaker}"
    if item.section in _SECTIONS and kinds and not kinds & set(_SECTIONS[item.section]):
        return f"not in the {item.section}"
    return ""


def _kinds(item: Evidence, citation: Citation, document: Document) -> set[str]:
    """The kinds of unit in which the cited words stand; by the prefix of the citation where none has them."""
    page = document.page(item.page)
    wanted = quote_key(item.must_include)
    if page is not None:
        located = {kind for kind, key in _unit_keys(page) if wanted in key}
        if located:
            return located
    prefix = _PREFIX.match(citation.text)
    return {_SPEAKERS[prefix[1].lower()]} if prefix else set()


@lru_cache(maxsize=512)
def _unit_keys(page: Page) -> tuple[tuple[str, str], ...]:
    return tuple((unit.kind, quote_key(page.text[unit.start : unit.end])) for unit in page.units)


def _page_key(document: Document, pages: tuple[int, ...]) -> str:
    return "".join(_key_of(page) for number in pages if (page := document.page(number)) is not None)


@lru_cache(maxsize=512)
def _key_of(page: Page) -> str:
    return quote_key(page.text)


def _stands_in(text: str, key: str) -> bool:
    """Whether all pieces of a text stand in a key, in order."""
    at = 0
    for piece in quote_pieces(text):
        found = key.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _pages(value: Any) -> tuple[int, ...]:
    """The pages that are named: one, or a range of two."""
    if isinstance(value, bool):
        return ()
    if isinstance(value, int):
        return (value,)
    if isinstance(value, float):
        return (int(value),) if value.is_integer() else ()
    if isinstance(value, list):
        numbers = [page for each in value for page in _pages(each)]
        return tuple(numbers) if len(numbers) <= 2 else ()
    found = _PAGE.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return ()
    first, last = int(found[1]), int(found[2] or found[1])
    return tuple(range(first, last + 1)) if 0 <= last - first <= 1 else ()
