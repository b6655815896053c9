"""Values of an answer checked against a text: which it has, which only the question has, which are in neither."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from steelyard.documents.pages import Document, Page
from steelyard.legal.evidence.copies import has_content
from steelyard.legal.evidence.quotes import Source, key_of, quote_key
from steelyard.legal.grounding.claims import claims_of
from steelyard.legal.grounding.inventions import Invented, find_invented
from steelyard.legal.reading import read
from steelyard.lexicon import lexicon

Span = tuple[int, int]
PARAPHRASED: Final = frozenset(("name", "place", "serial"))
"""Kinds of values that a text may have in other words; figures and quotations are not."""


class CheckedValues(NamedTuple):
    """The values of an answer: spans that the contexts have, that only the question gives, and that neither has."""

    grounded: list[Span]
    asked: list[Span]
    ungrounded: list[Span]
    found: list[Invented]


def checked_values(answer: str, question: str, context: str) -> CheckedValues:
    """Return the values of an answer, each in the longest span that has it; `found` are those not grounded."""
    found = find_invented(answer, context, question=question, full=True)
    bad = [(value.start, value.end) for value in found]
    own = [(value.start, value.end) for value in find_invented(answer, context, full=True)] if question else bad
    units = _outermost([*_claim_spans(answer), *own, *bad])
    wrong = [unit for unit in units if _has(unit, bad)]
    asked = [unit for unit in units if _has(unit, own) and not _has(unit, bad)]
    grounded = [unit for unit in units if not _has(unit, own) and not _has(unit, bad)]
    return CheckedValues(grounded, asked, wrong, found)


def _claim_spans(answer: str) -> list[Span]:
    """Return the spans of all values, quotations, names and places of an answer."""
    claims = claims_of(answer, full=True)
    spans = [(value.start, value.end) for value in claims.values]
    spans += [(start, start + len(text)) for text, start in (*claims.quotes, *claims.names)]
    spans += [(place.start, place.start + len(place.text)) for place in claims.places]
    spans += [(article.start, article.end) for article in claims.articles]
    return [*claims.addresses, *(claims.folded.original_span(*span) for span in spans)]


def _outermost(spans: Iterable[Span]) -> list[Span]:
    found: list[Span] = []
    for start, end in sorted(set(spans), key=lambda span: (span[0], -span[1])):
        if not found or end > found[-1][1]:
            found.append((start, end))
    return found


def _has(unit: Span, spans: Sequence[Span]) -> bool:
    return any(unit[0] <= start and end <= unit[1] for start, end in spans)


def draws_on(answer: str, evidence: str, question: str) -> bool:
    """Return whether an answer says something of the evidence beyond the question.

    That is a value, name or quotation that the evidence has; of an answer without any, words of the evidence, or a yes
    or no. A value that the evidence does not have comes from elsewhere.
    """
    checked = checked_values(answer, question, evidence)
    if checked.grounded or checked.ungrounded:
        return bool(checked.grounded)
    text = read(answer).text
    if quote_key(text) in lexicon("contexts").words("yes_no") or key_of(evidence).holds(text):
        return True
    return has_content(text, question, Source(Document("", (Page(1, evidence, ()),), "")))
