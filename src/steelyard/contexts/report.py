"""Pages of answers with contexts: what is grounded in an answer, what it cites, and where contexts have its values."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from string import Formatter
from typing import TYPE_CHECKING, Any, Final

from steelyard.i18n import Language, Message, codes, translations
from steelyard.legal.model import INVENTED, invented_rows
from steelyard.reports.kinds import NO_DETAILS, AnswerDetails, ItemDetails, KindPage, KindReport, Mark
from steelyard.reports.render.html.items import MOST_CONTEXTS, ShownContext, contexts_in
from steelyard.table import Table

if TYPE_CHECKING:
    from steelyard.contexts.grounding import Span
    from steelyard.contexts.highlights import Highlighter, Highlights, Marked
    from steelyard.documents.pages import Document

MOST_CHECKED: Final = 2_500_000
"""Characters of contexts that are checked for one page; contexts full of numbers take ten seconds."""
LONGEST_CHECKED: Final = 500_000
"""Contexts of one answer that are longer together are not checked."""
_CORRECT: Final = "Correct"
_FEWEST_LETTERS: Final = 5  # of a text that is recognised by its words
_JUDGED: Final = (_CORRECT, "Grounded", "GroundedValues", "Ungrounded", "Refusal")
_KIND: Final = re.compile(rf" \(({'|'.join(INVENTED)})\)(?=; |$)")
"""The kind of a value after it, as in "10万元 (money); …"."""
_NOT_HELD: Final = "report.not_in_contexts"  # as `contexts.grounding` has it, whose judges are not imported here
_UNCHECKED: Final = Message("report.not_highlighted")


class ContextPage(KindPage):
    """Pages of results whose outputs may have contexts."""

    def details(self, documents: "Mapping[str, Document]") -> ItemDetails:
        """Return the details of items, with highlights."""
        return ContextItems()

    def note(self, table: Table, row: int, metric: str, language: Language) -> str:
        """Return the note of an item to a metric, such as the values that are not grounded."""
        return reason(table, row, metric, language)


class ContextItems(ItemDetails):
    """The highlights of answers with contexts; nothing is done for answers without them."""

    def __init__(self) -> None:
        self._left = MOST_CHECKED
        self._last: Sequence[str] = ()
        self._highlighter: Highlighter | None = None

    def answer(self, text: str, output: Mapping[str, Any], document: str) -> AnswerDetails:
        """Return what is grounded in an answer, what is not, what it cites, and where the contexts have its values."""
        contexts = contexts_in(output)
        if not contexts or not text:
            return NO_DETAILS
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
        from steelyard.contexts.highlights import Highlighter, is_checkable

        texts = [each.text for each in contexts]
        size = sum(map(len, texts)) if texts != self._last else 0  # results that are compared may have the same
        if size > min(self._left, LONGEST_CHECKED) or not is_checkable(text):
            return None
        self._left -= size
        self._last = texts
        self._highlighter = self._highlighter or Highlighter()
        return self._highlighter.values(text, question, texts, [each.id for each in contexts])


def reason(table: Table, row: int, metric: str, language: Language) -> str:
    """Return why an item has its score: its note, in the language where the note is one of ours."""
    note = table.notes(row).get(metric, "")
    if language == "en" or metric not in _JUDGED:
        return note
    if code := codes("missing").get(note):
        return Message(code).text(language)
    if metric == _CORRECT:
        return _reason_in(note, language)
    prefix = str(Message(_NOT_HELD, values=""))
    values = _KIND.sub(lambda found: f"（{INVENTED[found[1]].text(language)}）", note.removeprefix(prefix))
    return Message(_NOT_HELD, values=values).text(language) if note.startswith(prefix) else values


def _reason_in(note: str, language: Language) -> str:
    """Return a reason of the judges of facts in a language; the note itself where it is none of theirs."""
    for code, pattern in _reasons():
        if found := pattern.fullmatch(note):
            return Message(code, **{name: _argument(text) for name, text in found.groupdict().items()}).text(language)
    return note


def _argument(text: str) -> Message | str:
    code = codes("loose").get(text) or codes("senses").get(text)
    return Message(code) if code else text


@cache
def _reasons() -> list[tuple[str, re.Pattern[str]]]:
    """Return the codes of reasons with patterns of their English texts.

    The one with the most words of its own is first.
    """
    parsed = {code: list(Formatter().parse(text)) for text, code in codes("legal").items()}
    own = {
        code: sum(len(words.strip()) + (mark == "r") for words, *_, mark in pieces) for code, pieces in parsed.items()
    }
    by_words = sorted((code for code in parsed if own[code] >= _FEWEST_LETTERS), key=lambda code: -own[code])
    return [(code, re.compile("".join(map(_piece, parsed[code])), re.DOTALL)) for code in by_words]


def _piece(piece: tuple[str, str | None, str | None, str | None]) -> str:
    """Return a piece of a text as a pattern: its words, and what stands in the place after them."""
    words, name, _, conversion = piece
    quote = "['\"]" if conversion == "r" else ""
    return re.escape(words) + (f"{quote}(?P<{name}>.*){quote}" if name else "")


class ContextReport(KindReport):
    """What reports show of results whose outputs may have contexts."""

    def page(self) -> KindPage:
        return ContextPage()

    def reason(self, table: Table, row: int, metric: str, language: Language) -> str:
        return reason(table, row, metric, language)


def _places(context: ShownContext, spans: "Iterable[Span]") -> list[Mark]:
    """Return the places of a context; those after the part that the page has are counted there."""
    return _marks(context.shown, [(start, end, "holds") for start, end in spans])


def _marks(text: str, spans: "Iterable[Marked]") -> list[Mark]:
    """Return the spans as a page counts them, in UTF-16 units."""
    from steelyard.legal.report.items import utf16

    return [(utf16(text, start), utf16(text, end), *rest) for start, end, *rest in spans]
