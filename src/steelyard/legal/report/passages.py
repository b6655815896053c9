"""The location of passages in documents and answers, as offsets that a page marks."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from steelyard.documents.pages import Document
from steelyard.legal.evidence.citations import Citation, citations_of, mismatch
from steelyard.legal.evidence.quotes import contains_quote, quote_pieces
from steelyard.legal.evidence.sources import Source, source_of
from steelyard.legal.model import LATIN_SNIPPET, SNIPPET, Evidence
from steelyard.reports.render.html.kind_page import Json, Mark
from steelyard.text.normalisation import normalise_with_offsets

Span = tuple[int, int]
PageSpan = tuple[int, int, int]
"""A page number, and where a passage begins and ends on the page, in UTF-16 units."""

_QUOTED: Final = re.compile('“([^”]{2,400})”|「([^」]{2,400})」|『([^』]{2,400})』|"([^"]{2,400})"')
_LONG: Final = 20_000  # longer answers are not searched for quotations


def locate(passage: str, text: str) -> list[Span]:
    """The spans of the pieces of a passage between its gaps in a text, in order; none if a piece is missing.

    >>> locate("号码我忘记了", "答：号码，我忘记了。")
    [(2, 9)]
    """
    key, offsets = _skeleton(text)
    spans: list[Span] = []
    at = 0
    for piece in filter(None, ("".join(filter(str.isalnum, piece)) for piece in quote_pieces(passage))):
        start = key.find(piece, at)
        if start < 0:
            return []
        at = start + len(piece)
        spans.append((offsets[start], offsets[at - 1] + 1))
    return spans


class Library:
    """The documents of a page, and those of their pages that passages are on."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents = documents
        self._shown: dict[str, set[int]] = {}
        self._spans: dict[tuple[str, tuple[int, ...], str], list[PageSpan]] = {}

    def located(self, citations: Any, name: str, required: Any = None) -> list[Json]:
        """The passages of a record with their spans in the document of that name.

        Where passages are required, `right` says whether one of them is given.
        """
        document, wanted = self._documents.get(name), _required(required)
        found = []
        for citation in citations_of(citations):
            passage: Json = {"pages": list(citation.pages), "text": citation.text}
            passage |= {key: str(value) for key in ("section", "speaker") if (value := getattr(citation, key))}
            if document is not None:
                passage["places"] = self._places(citation, name, document)
            if document is not None and wanted:
                passage["right"] = _is_right(citation, wanted, source_of(document))
            found.append(passage)
        return found

    def as_json(self) -> dict[str, dict[str, str]]:
        """Document → page → text, of the pages that some passage names or is on."""
        pages = {name: {page.number: page.text for page in self._documents[name].pages} for name in self._shown}
        return {
            name: {str(number): pages[name][number] for number in sorted(numbers) if number in pages[name]}
            for name, numbers in self._shown.items()
        }

    def _places(self, citation: Citation, name: str, document: Document) -> list[PageSpan]:
        key = (name, citation.pages, citation.text)
        if key not in self._spans:
            self._spans[key] = _find(citation, document)
            self._shown.setdefault(name, set()).update(citation.pages, (page for page, *_ in self._spans[key]))
        return self._spans[key]


def answer_marks(answer: str, invented: Sequence[Any], quotes: Sequence[str]) -> list[Mark]:
    """The marks of an answer: (start, end, "invented" or "quote"), in UTF-16 units."""
    wrong = [span for value in invented if (span := _invented_span(value, answer))]
    quoted = [] if len(answer) > _LONG else [span for quote in quotes for span in _quoted(quote, answer)]
    marks = [(*span, "invented") for span in wrong] + [(*span, "quote") for span in dict.fromkeys(quoted)]
    return [(utf16(answer, start), utf16(answer, end), kind) for start, end, kind in marks]


def utf16(text: str, at: int) -> int:
    """An offset as JavaScript counts it: a character beyond the first 65,536 counts twice."""
    return len(text[:at].encode("utf-16-le", "surrogatepass")) // 2


def _required(passages: Any) -> list[Evidence]:
    """The passages that a verdict names as required."""
    found = []
    for passage in passages if isinstance(passages, list) else ():
        match passage:
            case {"page": int(page), "text": str(text)} if text:
                speaker = passage.get("speaker")
                found.append(Evidence(page, text, speaker=speaker if isinstance(speaker, str) else None))
    return found


def _is_right(citation: Citation, required: Sequence[Evidence], source: Source) -> bool:
    """Whether a citation gives one of the required passages, as the judge reads it, with the usual maximum length."""
    longest = LATIN_SNIPPET if citation.text.isascii() else SNIPPET
    return any(mismatch(citation, item, source, longest) is None for item in required)


def _find(citation: Citation, document: Document) -> list[PageSpan]:
    """The spans of a citation: on the pages that it names, else on the first other page that has its words."""
    others = ((page.number,) for page in document.pages if page.number not in citation.pages)
    hits = (_spans_on(citation.text, numbers, document) for numbers in (citation.pages, *others))
    return next((hit for hit in hits if hit), [])


def _spans_on(text: str, numbers: Sequence[int], document: Document) -> list[PageSpan]:
    """The spans of the words on these pages, which are read as one text."""
    pages = [page for number in numbers if (page := document.page(number)) is not None]
    spans = locate(text, "".join(page.text for page in pages))
    result = []
    before = 0
    for page in pages:
        after = before + len(page.text)
        cut = [(max(start, before) - before, min(end, after) - before) for start, end in spans]
        result += [(page.number, utf16(page.text, a), utf16(page.text, b)) for a, b in cut if a < b]
        before = after
    return result


def _quoted(quote: str, answer: str) -> list[Span]:
    """The spans of a quote in an answer, or of the parts of it that the answer has between quotation marks."""
    if contains_quote(answer, quote):  # faster than locate
        return locate(quote, answer)
    matches = _QUOTED.finditer(answer)
    spans = ((match.start(match.lastindex or 0), match.end(match.lastindex or 0)) for match in matches)
    return [(start, end) for start, end in spans if contains_quote(quote, answer[start:end])]


def _invented_span(invented: Any, answer: str) -> Span | None:
    match invented:
        case {"text": str(text), "start": int(start), "end": int(end)} if text and 0 <= start < end <= len(answer):
            return start, end
        case {"text": str(text)} if text in answer:
            return answer.index(text), answer.index(text) + len(text)
    return None


@lru_cache(maxsize=1 << 10)
def _skeleton(text: str) -> tuple[str, tuple[int, ...]]:
    """The normalised letters and figures of a text, with their offsets in the text."""
    folded = normalise_with_offsets(text)
    chars = [(low, at) for char, at in zip(folded.text, folded.offsets, strict=False) for low in char.lower()]
    kept = [(char, at) for char, at in chars if char.isalnum()]
    return "".join(char for char, _ in kept), tuple(at for _, at in kept)
