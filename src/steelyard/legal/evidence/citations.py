"""Citations: whether they name the right document, page and speaker, have the required words, and are not too long."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from steelyard.documents.pages import Document
from steelyard.i18n import Joined, Localized, Message
from steelyard.legal.evidence.quotes import Source, key_of, quote_key, quote_pieces, source_of
from steelyard.legal.model import UNITS, Evidence, critical, named
from steelyard.text.normalisation import normalise

_PAGE: Final = re.compile(
    r"(?:第|p\.?|pages?)?\s?(\d{1,9})\s?页?(?:\s?[-~–至到]\s?第?\s?(\d{1,9})\s?页?)?", re.IGNORECASE
)
_LONGEST_PAGE: Final = 60  # characters that may hold the number of a page, or two
_SPEAKERS: Final = {"问": "question", "q": "question", "答": "answer", "a": "answer"}
_TURN: Final = re.compile(r"(?:^|(?<=[\s。?!？！]))(问|答|Q|A)\s*[:：.]", re.IGNORECASE)
_SECTIONS: Final = {"qa_pair": ("question", "answer"), "header": ("header",)}
_LONGEST_ENDING: Final = 12  # characters, with the point
AT_PASSAGE: Final = "legal.at_passage"
"""The code of a reason that names a required passage which is not cited, by its page and the beginning of its words."""
CHUNK_SNIPPETS: Final = 4
"""How many times as long as a passage that a system selects a chunk may be that a mark cites."""
LONGEST_WORDS: Final = 24
"""The number of characters of a required passage that such a reason quotes."""
_REPORTED_FIRST: Final = (
    "legal.not_page", "legal.does_not_include", "legal.not_in", "legal.said_to_be_in", "legal.said_to_be_the",
    "legal.not_said_in", "legal.longer_than", "legal.words_not_on_page", "legal.another_document",
    "legal.another_page", "legal.page_not_named", "legal.words_on_page", "legal.words_nowhere", "legal.cites_no_words",
)  # fmt: skip
"""Codes of mismatches; of several equally near citations, the one whose code comes first is reported."""
# a name is that of a document only with one of these endings: 第3页, qa_pair, chunk 12 or "knowledge base" name none
_FILE: Final = re.compile(
    r"\.(?:md|markdown|txt|text|jsonl?|pdf|docx?|rtf|odt|wps|ofd|html?|xml|csv|tsv|xlsx?|pptx?|epub)$", re.IGNORECASE
)


class Citation(NamedTuple):
    """A passage that a system returned; `pages` is empty if it named none or too many.

    `is_retrieved` if it is a retrieved text that a mark of the answer cites; where that has no page, it has those on
    which its words stand.
    """

    pages: tuple[int, ...]
    text: str
    section: str | None = None
    speaker: str | None = None
    document: str | None = None
    is_retrieved: bool = False

    @property
    def key(self) -> str:
        """The characters of the text that are compared."""
        return quote_key(self.text)


class Mismatch(NamedTuple):
    """Why a citation does not give a passage; `nearness` is 2 for the same words, 1 for the same page, else 0."""

    nearness: int
    why: Message


def citations_of(items: Any) -> list[Citation]:
    """Return the citations of a record without duplicates; a plain text is a citation without a page."""
    is_list = isinstance(items, list) or (isinstance(items, Sequence) and not isinstance(items, str))
    citations = map(_citation, items if is_list else ())
    return distinct(citation for citation in citations if citation is not None)


def distinct(citations: Iterable[Citation]) -> list[Citation]:
    """Return the citations without those of the same words, pages and document as an earlier one."""
    found: dict[tuple[Any, ...], Citation] = {}
    for citation in citations:
        named = _stem(citation.document) if citation.document else ""
        found.setdefault((citation.pages, citation.key, named), citation)
    return list(found.values())


def _citation(item: Any) -> Citation | None:
    if isinstance(item, str):
        return Citation((), item)
    if not isinstance(item, dict) and not isinstance(item, Mapping):
        return None
    text, document = item.get("text"), item.get("document")
    return Citation(
        _pages(item.get("page")),
        text if isinstance(text, str) else "",
        item.get("section"),
        item.get("speaker"),
        document if isinstance(document, str) else None,
        item.get("retrieved") is True,
    )


def is_real(citation: Citation, source: Source) -> bool:
    """Return whether the cited words are on the named page of this document; on any page if it has no pages.

    Of a missing document, they must have, or be in, a passage that its questions quote.
    """
    if is_foreign(citation, source.document):
        return False
    if source.document.is_missing:
        cited = key_of(citation.text)
        return source.key.holds(citation.text) or any(map(cited.holds, source.text.split("\n")))
    return _span(_placed(citation, source), source) >= 0


def is_invented(citation: Citation, source: Source) -> bool:
    """Return whether words are cited from this document that stand nowhere, neither in it nor in those beside it."""
    if source.document.is_missing or is_foreign(citation, source.document) or not citation.key:
        return False
    sources = (source, *map(source_of, source.document.beside))
    return not any(each.key.holds(citation.text) for each in sources)


def is_foreign(citation: Citation, document: Document) -> bool:
    """Return whether the citation names the file of another document; folders, endings and case do not matter."""
    if not citation.document:
        return False
    name = _file_name(citation.document)
    return _FILE.search(name) is not None and _stem(name) != _stem(document.name)


def gives(citation: Citation, item: Evidence, source: Source, longest: int) -> bool:
    """Return whether a citation has the words of a passage, with or without its page, and is not too long."""
    if citation.pages:
        return mismatch(citation, item, source, longest) is None
    return quotes(citation, item.must_include, source, longest)


def quotes(citation: Citation, words: str, source: Source, longest: int) -> bool:
    """Return whether the text of a citation, as the document has it, contains these words and is not too long."""
    if is_foreign(citation, source.document) or not key_of(citation.text).holds(words):
        return False
    span = len(citation.key) if source.document.is_missing else source.key.span(quote_pieces(citation.text))
    return 0 <= span <= _longest(words, longest)


def mismatch(citation: Citation, item: Evidence, source: Source, longest: int) -> Mismatch | None:
    """Return why a citation does not give the required passage; None if it does.

    A passage is cited with a page on which it stands, or with the page that the question names: its author may have
    counted otherwise. In a document without pages, words alone decide.
    """
    has_words, document = key_of(citation.text).holds(item.must_include), source.document
    citation = _placed(citation, source)
    if is_foreign(citation, document):
        return Mismatch(2 * has_words, Message("legal.another_document", name=citation.document))
    if not document.is_paged and not citation.key:
        return Mismatch(0, Message("legal.cites_no_words"))
    stands = source.pages_with(item.must_include)
    if document.is_paged and {item.page, *stands}.isdisjoint(source.touched(citation.text, citation.pages)):
        return Mismatch(2 * has_words, _elsewhere(citation, item, stands, has_words=has_words))
    if not has_words:
        return Mismatch(1, Message("legal.does_not_include", words=item.must_include))
    has_key_page = item.page in citation.pages and bool(stands) and item.page not in stands
    span = source.key.span(quote_pieces(citation.text)) if has_key_page else _span(citation, source)
    if span < 0:
        return Mismatch(2, _not_there(citation, source))
    longest *= CHUNK_SNIPPETS if citation.is_retrieved else 1
    if span > _longest(item.must_include, longest):
        return Mismatch(2, Message("legal.longer_than", longest=longest))
    spoken = _spoken_otherwise(citation, item, source)
    return Mismatch(2, spoken) if spoken else None


def _placed(citation: Citation, source: Source) -> Citation:
    """Return a retrieved text without a page with the pages on which it stands."""
    if citation.pages or not citation.is_retrieved:
        return citation
    return citation._replace(pages=tuple(source.pages_with(citation.text)))


def _not_there(citation: Citation, source: Source) -> Message:
    pages = source.pages_with(citation.text)
    if pages:
        return Message("legal.words_on_page", page=pages[0])
    return Message("legal.words_not_on_page" if source.document.is_paged else "legal.words_nowhere")


def cited_share(
    evidence: Sequence[Evidence], citations: Sequence[Citation], source: Source, longest: int
) -> tuple[float, Localized]:
    """Return the share of critical passages that are cited, and the reason; all are critical if none is marked."""
    required = critical(evidence)
    if not required:
        return 0.0, Message("legal.no_evidence_named")
    misses = [_miss(item, citations, source, longest) for item in required]
    missed = [why for why in misses if why]
    why = Joined("core.clauses", missed) if missed else Message("legal.every_passage_cited")
    return (len(required) - len(missed)) / len(required), why


def _miss(item: Evidence, citations: Sequence[Citation], source: Source, longest: int) -> Message | None:
    """Return why no citation gives a passage, by the nearest citation; None if one does."""
    mismatches = []
    for citation in citations:
        if (miss := mismatch(citation, item, source, longest)) is None:
            return None
        mismatches.append(miss)
    mismatches.sort(key=lambda miss: (-miss.nearness, _REPORTED_FIRST.index(miss.why.code)))
    reason = mismatches[0].why if mismatches else Message("legal.nothing_cited")
    return Message(AT_PASSAGE, page=item.page, words=shortened(item.must_include), reason=reason)


def shortened(words: str) -> str:
    """Return the beginning of a required passage as reasons quote it: never cut inside a number, and with a mark."""
    end = LONGEST_WORDS
    while words[end - 1 : end + 1].isalnum() and words[end - 1 : end + 1].isascii() and end < len(words):
        end += 1
    return words if end >= len(words) else f"{words[:end]}…"


def _span(citation: Citation, source: Source) -> int:
    """Return the length of the cited passage on its pages; pieces joined with ... include the text between them.

    In a missing document, every passage stands.
    """
    if source.document.is_missing:
        return len(citation.key)
    if source.document.is_paged:
        return source.span_on(citation.text, citation.pages)
    return source.key.span(quote_pieces(citation.text))


def _longest(words: str, longest: int) -> int:
    return max(longest, 3 * len(quote_key(words)))


def _elsewhere(citation: Citation, item: Evidence, stands: Sequence[int], *, has_words: bool) -> Message:
    page = item.page if item.page in stands or not stands else stands[0]
    if not has_words:
        return Message("legal.not_page", page=page)
    if not citation.pages:
        return Message("legal.page_not_named", page=page)
    return Message("legal.another_page", pages="-".join(map(str, citation.pages)), page=page)


def _file_name(name: str) -> str:
    """Return the last component of a path or URL, without query and fragment."""
    return re.split(r"[/\\]", re.split("[?#]", normalise(name).strip())[0])[-1]


def _stem(name: str) -> str:
    stem = _file_name(name).casefold()
    end = len(stem)
    while _FILE.fullmatch(stem, dot := max(0, stem.rfind(".", max(0, end - _LONGEST_ENDING), end)), end):
        end = dot
    return stem[:end]


def _spoken_otherwise(citation: Citation, item: Evidence, source: Source) -> Message | None:
    if item.speaker and citation.speaker and citation.speaker != item.speaker:
        return Message("legal.said_to_be_the", unit=named(UNITS, citation.speaker))
    if item.section and citation.section and citation.section != item.section:
        return Message("legal.said_to_be_in", unit=named(UNITS, citation.section))
    kinds = _kinds(item, source) or _marked_kinds(citation.text, item.must_include)
    if item.speaker and kinds and item.speaker not in kinds:
        return Message("legal.not_said_in", unit=named(UNITS, item.speaker))
    if item.section in _SECTIONS and kinds and not kinds & set(_SECTIONS[item.section]):
        return Message("legal.not_in", unit=named(UNITS, item.section))
    return None


def _marked_kinds(text: str, words: str) -> set[str]:
    """Return the kinds of the turns of a cited text, by their marks 问： and 答：, that have these words."""
    turns = _TURN.split(normalise(text))
    return {
        _SPEAKERS[mark.lower()]
        for mark, turn in zip(turns[1::2], turns[2::2], strict=True)
        if key_of(turn).holds(words)
    }


def _kinds(item: Evidence, source: Source) -> set[str]:
    """Return the kinds of the units that have a passage, on the pages where it stands; none in a missing document."""
    if source.document.is_missing:
        return set()
    stands = source.pages_with(item.must_include)
    pages = [source.pages[number] for number in stands] if stands else source.pages.values()
    return {kind for page in pages for kind in page.kinds(item.must_include)}


def _pages(value: Any) -> tuple[int, ...]:
    """Return the named pages: one, or a range of two."""
    if isinstance(value, int):
        return () if isinstance(value, bool) else (value,)
    if isinstance(value, float):
        return (int(value),) if value.is_integer() else ()
    if isinstance(value, list):
        numbers = [page for part in value for page in _pages(part)]
        return tuple(numbers) if len(numbers) <= 2 else ()
    text = " ".join(value.split()) if isinstance(value, str) else ""
    match = _PAGE.fullmatch(text) if 0 < len(text) <= _LONGEST_PAGE else None
    if match is None:
        return ()
    first, last = int(match[1]), int(match[2] or match[1])
    return tuple(range(first, last + 1)) if 0 <= last - first <= 1 else ()
