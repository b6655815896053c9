"""Items of legal results on a page: what was expected, what was found in an answer, and where passages are.

Typed values are shown as people read them: amounts with separators and their unit, dates, yes and no. Passages are
located in documents and answers as offsets that a page marks.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final

from steelyard.documents.pages import Document
from steelyard.i18n import Joined, Localized, Message, translations
from steelyard.legal.evidence.citations import Citation, citations_of, mismatch
from steelyard.legal.evidence.quotes import Source, Span, contains_quote, locate, source_of
from steelyard.legal.model import FIELDS, LATIN_SNIPPET, SNIPPET, Evidence, invented_rows
from steelyard.legal.report.verdicts import translated_reasons, translated_remarks
from steelyard.reports.kinds import AnswerDetails, Expected, ItemDetails, Json, Mark, as_list, as_text
from steelyard.text.mentions import mentions
from steelyard.text.normalisation import normalise

Output = Mapping[str, Any]
PLAIN: Final = "{}"
_FORMS: Final = {"CNY": "{} 元", "USD": "${}", "EUR": "€{}", "GBP": "£{}"}
"""How an amount is written, by its currency."""
PageSpan = tuple[int, int, int]
"""A page number, and where a passage begins and ends on the page, in UTF-16 units."""

_QUOTED: Final = re.compile('“([^”]{2,400})”|「([^」]{2,400})」|『([^』]{2,400})』|"([^"]{2,400})"')
_LONG: Final = 20_000  # longer answers are not searched for quotations


class LegalItems(ItemDetails):
    """The details of items, with passages found in the documents of a page."""

    fields: ClassVar[frozenset[str]] = frozenset(("citations", "evidence", "abstained", "verdict", *FIELDS))

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._library = Library(documents)

    def expected(self, verdict: Output, document: str) -> Expected:
        """Return the expected values, quotations and passages of a question, from the verdict on an answer to it."""
        expected = verdict.get("expected") or {}
        unit, points = unit_of(_required(verdict)), as_list(expected.get("points"))
        return Expected(
            {key: shown_value(key, value, unit) for key, value in (expected.get("answer") or {}).items()}
            | ({"key_points": shown_points(points, expected.get("reference"))} if points else {}),
            expected.get("abstain"),
            expected.get("quotes"),
            self._library.located(expected.get("evidence"), document),
        )

    def answer(self, text: str, output: Output, document: str) -> AnswerDetails:
        """Return the passages, invented values and reasons of an answer."""
        verdict = output.get("verdict") or {}
        invented = as_list(verdict.get("invented"))
        expected = verdict.get("expected") or {}
        required = expected.get("evidence")
        cited = self._library.located(output.get("citations"), document, required)
        quotes = [*(citation["text"] for citation in cited), *map(str, as_list(expected.get("quotes")))]
        unit = unit_of(_required(verdict))
        return AnswerDetails(
            answer_marks(text, invented, quotes),
            cited,
            self._library.located(output.get("evidence"), document, required),
            verdict.get("abstained"),
            invented_rows((str(value.get("text", "")), str(value.get("kind", ""))) for value in invented),
            [(part, *texts) for part, texts in translated_reasons(output).items()],
            translated_remarks(output),
            values={key: shown_value(key, output[key], unit) for key in FIELDS if output.get(key) is not None},
        )

    def documents(self) -> dict[str, dict[str, str]]:
        return self._library.as_json()


def _required(verdict: Output) -> list[str]:
    """Return the words of the required passages and quotations."""
    expected = verdict.get("expected") or {}
    passages = [passage for passage in as_list(expected.get("evidence")) if isinstance(passage, Mapping)]
    return [*(str(passage.get("text", "")) for passage in passages), *map(str, as_list(expected.get("quotes")))]


def unit_of(passages: Iterable[str]) -> str:
    """Return how an amount is written that these passages give; without a unit where they have none, or several."""
    values = mentions(normalise("\n".join(passages)))
    units = {value.unit for value in values if value.kind == "money"}
    return _FORMS.get(units.pop(), PLAIN) if len(units) == 1 else PLAIN


def shown_value(field: str, value: Any, unit: str = PLAIN) -> str | tuple[str, ...]:
    """Return a typed value as text, or as a text in every language.

    >>> shown_value("amount_total", 62400, "{} 元")
    '62,400 元'
    >>> shown_value("date_range", {"start": "2022-06-01", "end": "2022-06-15"})
    '2022-06-01 – 2022-06-15'
    """
    match field, value:
        case "boolean_answer", bool():
            return translations(Message("senses.yes" if value else "senses.no"))
        case "amount_total", int() | float():
            return _amount(value, unit)
        case "amount_breakdown", list():
            return "\n".join(_item(item, unit) for item in value)
        case "date_range", {"start": start, "end": end}:
            return f"{as_text(start)} – {as_text(end)}"
        case "count", int() | float():
            return _amount(value, PLAIN)
    return as_text(value)


def shown_points(points: Iterable[Any], reference: Any = None) -> tuple[str, ...]:
    """Return keyed points in every language, each on a line with what it earns and its forms; then the reference."""
    lines: list[Localized | str] = [_shown_point(point) for point in points if isinstance(point, Mapping)]
    if reference:
        lines.append(Message("legal.shown_reference", text=as_text(reference)))
    return translations(Joined("core.lines", lines))


def _shown_point(point: Mapping[str, Any]) -> Joined:
    parts: list[Localized | str] = [f"{as_text(point.get('text'))} ({point.get('points'):g})"]
    if point.get("conclusion"):
        parts.append(Message("legal.shown_conclusion"))
    if words := as_list(point.get("aliases")):
        parts.append(Message("legal.shown_alias", words=Joined("core.listed", list(map(as_text, words)))))
    if words := as_list(point.get("forbidden")):
        parts.append(Message("legal.shown_forbidden", words=Joined("core.listed", list(map(as_text, words)))))
    return Joined("core.clauses", parts)


def _amount(value: Any, unit: str) -> str:
    """Return a number with separators; anything else as it is."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return unit.format(f"{value:,}" if is_number else as_text(value))


def _item(item: Any, unit: str) -> str:
    """Return an amount with what it is for."""
    if not isinstance(item, Mapping):
        return _amount(item, unit)
    amount, of = _amount(item.get("amount"), unit), as_text(item.get("description"))
    return f"{amount} ({of})" if of else amount


class Library:
    """The documents of a page, and those of their pages that passages are on."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents = documents
        self._shown: dict[str, set[int]] = {}
        self._spans: dict[tuple[str, tuple[int, ...], str], list[PageSpan]] = {}

    def located(self, citations: Any, name: str, required: Any = None) -> list[Json]:
        """Return the passages of a record with their spans in the document of that name.

        Where passages are required, `right` says whether one of them is given.
        """
        document, wanted = self._documents.get(name), _required_evidence(required)
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
    """Return the marks of an answer: (start, end, "invented" or "quote"), in UTF-16 units."""
    wrong = [span for value in invented if (span := _invented_span(value, answer))]
    quoted = [] if len(answer) > _LONG else [span for quote in quotes for span in _quoted(quote, answer)]
    marks = [(*span, "invented") for span in wrong] + [(*span, "quote") for span in dict.fromkeys(quoted)]
    return [(utf16(answer, start), utf16(answer, end), kind) for start, end, kind in marks]


def utf16(text: str, at: int) -> int:
    """Return an offset as JavaScript counts it: a character beyond the first 65,536 counts twice."""
    return len(text[:at].encode("utf-16-le", "surrogatepass")) // 2


def _required_evidence(passages: Any) -> list[Evidence]:
    """Return the passages that a verdict names as required."""
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
    """Return the spans of a citation: on the pages that it names or goes on to, else on the first others with it."""
    source, named = source_of(document), citation.pages
    around = tuple(sorted(source.touched(citation.text, named)))
    others = ((page.number,) for page in document.pages if page.number not in named)
    candidates = (named, around, tuple(source.pages_with(citation.text)), *others)
    hits = (_spans_on(citation.text, numbers, document) for numbers in candidates)
    return next((hit for hit in hits if hit), [])


def _spans_on(text: str, numbers: Sequence[int], document: Document) -> list[PageSpan]:
    """Return the spans of the words on these pages, which are read as one text."""
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
    """Return the spans of a quote in an answer, or of the parts of it that the answer has between quotation marks."""
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
