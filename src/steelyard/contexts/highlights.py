"""Highlights of an answer and its contexts: the values with their verdicts, citations, and where contexts have them.

Spans are offsets of Python; `steelyard.contexts.report` converts them for a page.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from steelyard.contexts.evidence import citations_in
from steelyard.contexts.grounding import GAP, Memory, with_addresses
from steelyard.legal.evidence.quotes import quote_pieces
from steelyard.legal.grounding.checked import CheckedValues, Span, checked_values
from steelyard.legal.grounding.claims import Claims, claims_of
from steelyard.legal.grounding.grounds import host_of, values_of
from steelyard.legal.reading import read
from steelyard.legal.values.statutes import Article, articles, is_known_article
from steelyard.text.marks import blanked
from steelyard.text.mentions import Mention
from steelyard.text.normalisation import normalise_with_offsets
from steelyard.text.values import same_measure

GROUNDED: Final = "grounded"
ASKED: Final = "asked"
UNGROUNDED: Final = "ungrounded"
CITES: Final = "cites"
CITES_NOTHING: Final = "void"
_AMOUNTS: Final = ("money", "number")
_MOST_PLACES: Final = 100
"""Places that are marked in one context."""

Marked = tuple[int, int, str] | tuple[int, int, str, int]
"""A span with its kind; that of a citation also has the index of the context."""


class Highlights(NamedTuple):
    """What is marked in an answer and in each of its contexts; `ungrounded` are texts with the kinds of the values."""

    answer: list[Marked]
    contexts: list[list[Span]]
    ungrounded: list[tuple[str, str]]


def citation_marks(answer: str, ids: Sequence[str | None]) -> list[Marked]:
    """Return the citations of an answer: which context each names, or that it names none."""
    return [
        (start, end, CITES_NOTHING) if index is None else (start, end, CITES, index)
        for start, end, index in citations_in(answer, ids)
    ]


class Highlighter:
    """Finds highlights in many answers, and keeps the caches of the judges small."""

    def __init__(self) -> None:
        self._memory = Memory()

    def values(self, answer: str, question: str, contexts: Sequence[str], ids: Sequence[str | None] = ()) -> Highlights:
        """Return the values of an answer, checked against all contexts as one text, and where each context has them.

        The verdicts are those of the metrics `ValuesGrounded`, `GroundedValues` and `Ungrounded`.
        """
        if read(answer).is_silent:
            return Highlights([], [[] for _ in contexts], [])
        context, answer = with_addresses(contexts, ids), blanked(answer, ids)
        self._memory.add(len(context))
        checked = checked_values(answer, question, context)
        claims = _Sought.of(claims_of(answer, full=True), checked)
        marks: list[Marked] = [
            (*span, kind)
            for kind, spans in ((GROUNDED, checked.grounded), (ASKED, checked.asked), (UNGROUNDED, checked.ungrounded))
            for span in spans
        ]
        return Highlights(
            sorted(marks),
            claims.places(contexts),
            [(value.text, value.kind) for value in checked.found],
        )


class _Sought(NamedTuple):
    """The grounded claims of an answer, which are searched in its contexts."""

    text: str
    values: Sequence[Mention]
    words: Sequence[re.Pattern[str]]
    articles: Sequence[Article]

    @classmethod
    def of(cls, claims: Claims, checked: CheckedValues) -> "_Sought":
        is_wanted = _within(claims, checked.grounded)
        words = [
            *((text, r"\W*") for text, start in claims.quotes if is_wanted(start, len(text))),
            *((text, r"[\s.]*") for text, start in claims.names if is_wanted(start, len(text))),
            *((place.text, "") for place in claims.places if is_wanted(place.start, len(place.text))),
            *(
                (host_of(claims.original[slice(*span)]), r"\W*")
                for span in claims.addresses
                if span in checked.grounded
            ),
        ]
        values = [value for value in claims.values if is_wanted(value.start, value.end - value.start)]
        named = [each for each in claims.articles if is_wanted(each.start, each.end - each.start)]
        return cls(claims.text, values, [pattern for text, gap in words for pattern in _patterns(text, gap)], named)

    def places(self, contexts: Sequence[str]) -> list[list[Span]]:
        """Return the spans of each context that have one of the claims."""
        places: list[list[Span]] = [[] for _ in contexts]
        if not self.values and not self.words and not self.articles:
            return places
        folded = normalise_with_offsets(GAP.join(contexts))
        starts = list(accumulate((len(text) + len(GAP) for text in contexts), initial=0))
        for start, end in sorted({folded.original_span(*span) for span in self._found(folded.text)}):
            at = bisect_right(starts, start) - 1
            if end <= starts[at] + len(contexts[at]) and len(places[at]) < _MOST_PLACES:
                places[at].append((start - starts[at], end - starts[at]))
        return places

    def _found(self, text: str) -> Iterator[Span]:
        for pattern in self.words:
            yield from (match.span() for match in pattern.finditer(text))
        for article in articles(text) if self.articles else ():
            if any(is_known_article(each, [article], text) for each in self.articles):
                yield article.start, article.end
        if self.values:
            for mention in values_of(text):
                if any(_is_same(value, mention) for value in self.values):
                    yield mention.start, mention.end


def _is_same(value: Mention, mention: Mention) -> bool:
    """Return whether a mention in a context is this value, however it is written."""
    if value.kind in _AMOUNTS and mention.kind in _AMOUNTS:
        return value.value is not None and value.value == mention.value
    if value.kind != mention.kind:
        return False
    match value.kind:
        case "date":
            return _is_same_day(value, mention)
        case "percent":
            return value.value is not None and value.value == mention.value
        case "count":
            return value.value == mention.value and same_measure(value.unit, mention.unit)
    return value.value is not None and str(value.value) == str(mention.value)


def _within(claims: Claims, spans: Sequence[Span]) -> Callable[[int, int], bool]:
    """Return a function that says whether a piece of the read answer lies within one of these spans of the original."""

    def is_within(start: int, length: int) -> bool:
        first, last = claims.folded.original_span(start, start + length)
        return any(low <= first and last <= high for low, high in spans)

    return is_within


def _is_same_day(value: Mention, mention: Mention) -> bool:
    """Return whether a context names all that the answer names of a day; the context may leave out the year."""
    day, other = value.value, mention.value
    if day is None or other is None:
        return False
    is_same_year = day.year is None or other.year in (None, day.year)
    return is_same_year and day.month in (None, other.month) and day.day in (None, other.day)


def _patterns(text: str, gap: str) -> Iterator[re.Pattern[str]]:
    """Yield what finds the pieces of these words, with any `gap` between characters; no number or Latin word is cut."""
    for piece in quote_pieces(text):
        before = "(?<![a-z0-9])" if piece[0].isascii() else ""
        after = "(?![a-z0-9])" if piece[-1].isascii() else ""
        yield re.compile(before + gap.join(map(re.escape, piece)) + after, re.IGNORECASE)
