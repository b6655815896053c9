"""Pages of answers with contexts: what is grounded in an answer, what it cites, and where contexts have its values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from steelyard.i18n import Message, translations
from steelyard.legal.model import invented_rows
from steelyard.reports.kinds import NO_DETAILS, AnswerDetails, ItemDetails, KindPage, KindReport, Mark
from steelyard.reports.render.html.items import MOST_CONTEXTS, ShownContext, contexts_in

if TYPE_CHECKING:
    from steelyard.contexts.highlights import Highlighter, Highlights, Marked
    from steelyard.documents.pages import Document
    from steelyard.legal.grounding.checked import Span

MOST_CHECKED: Final = 2_500_000
"""Characters of contexts that are checked for one page; contexts full of numbers take ten seconds."""
LONGEST_CHECKED: Final = 500_000
"""Contexts of one answer that are longer together are not checked."""
_UNCHECKED: Final = Message("report.not_highlighted")


class ContextPage(KindPage):
    """Pages of results whose outputs may have contexts."""

    def details(self, documents: "Mapping[str, Document]") -> ItemDetails:
        """Return the details of items, with highlights."""
        return ContextItems()


class ContextItems(ItemDetails):
    """The highlights of answers with contexts; nothing is done for answers without them."""

    def __init__(self) -> None:
        self._left = MOST_CHECKED
        self._last: Sequence[str] = ()
        self._highlighter: Highlighter | None = None

    def answer(self, text: str, output: Mapping[str, Any], document: str) -> AnswerDetails:
        """Return what is grounded in an answer, what is not, what it cites, and where the contexts have its values."""
        contexts = contexts_in(output)
        claims = _judged_claims(output)
        if not contexts or not text:
            return replace(NO_DETAILS, claims=claims) if claims else NO_DETAILS
        if claims:
            quotes = [quote for _, _, quote, found, _ in claims if found]
            marks = [_quote_marks(each, quotes) for each in contexts[:MOST_CONTEXTS]]
            return AnswerDetails(claims=claims, contexts=marks)
        from steelyard.contexts.highlights import citation_marks

        cited = citation_marks(text, [each.id for each in contexts])
        if not any(each.text for each in contexts):
            return AnswerDetails(marks=_marks(text, cited))
        found = self._checked(text, str(output.get("question") or ""), contexts)
        if found is None:
            return AnswerDetails(marks=_marks(text, cited), remarks=[list(translations(_UNCHECKED))])
        return AnswerDetails(
            marks=_marks(text, [*found.answer, *cited]),
            contexts=[_places(*of) for of in zip(contexts[:MOST_CONTEXTS], found.contexts, strict=False)],
            invented=invented_rows(found.ungrounded),
        )

    def _checked(self, text: str, question: str, contexts: Sequence[ShownContext]) -> "Highlights | None":
        """Return the highlights; None if there is too much text."""
        from steelyard.contexts.highlights import Highlighter
        from steelyard.legal.reading import is_too_long

        texts = [each.text for each in contexts]
        size = sum(map(len, texts)) if texts != self._last else 0  # results that are compared may have the same
        if size > min(self._left, LONGEST_CHECKED) or is_too_long(text):
            return None
        self._left -= size
        self._last = texts
        self._highlighter = self._highlighter or Highlighter()
        return self._highlighter.values(text, question, texts, [each.id for each in contexts])


class ContextReport(KindReport):
    """What reports show of results whose outputs may have contexts."""

    def page(self) -> KindPage:
        return ContextPage()


def _judged_claims(output: Mapping[str, Any]) -> list[tuple[str, str, str, bool, str]]:
    """Return the claims of an answer that a judge has checked against the contexts, as `AnswerDetails` has them."""
    judged = output.get("judged")
    found: list[tuple[str, str, str, bool, str]] = []
    for details in judged.values() if isinstance(judged, Mapping) else ():
        match details:
            case {"claims": {"contexts": list() as claims}}:
                found += [_claim(each) for each in claims if isinstance(each, Mapping)]
    return found


def _claim(each: Mapping[str, Any]) -> tuple[str, str, str, bool, str]:
    claim, verdict, quote, reason = (str(each.get(name) or "") for name in ("claim", "verdict", "quote", "reason"))
    return claim, verdict, quote, each.get("found") is True, reason


def _quote_marks(context: ShownContext, quotes: Sequence[str]) -> list[Mark]:
    """Return the places of a context that have a quotation of a judge."""
    from steelyard.legal.evidence.quotes import locate

    spans = dict.fromkeys(span for quote in quotes for span in locate(quote, context.text))
    return _marks(context.text, [(start, end, "holds") for start, end in spans])


def _places(context: ShownContext, spans: "Iterable[Span]") -> list[Mark]:
    """Return the places of a context; those after the part that the page has are counted there."""
    return _marks(context.text, [(start, end, "holds") for start, end in spans])


def _marks(text: str, spans: "Iterable[Marked]") -> list[Mark]:
    """Return the spans as a page counts them, in UTF-16 units."""
    from steelyard.legal.report.items import utf16

    return [(utf16(text, start), utf16(text, end), *rest) for start, end, *rest in spans]
