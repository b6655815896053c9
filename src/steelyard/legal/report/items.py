"""Items of legal results on a page: what was expected, what was found in an answer, and typed values as people read
them: amounts with separators and their unit, dates, yes and no."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final

from steelyard.documents.pages import Document
from steelyard.i18n import Message, translations
from steelyard.legal.model import FIELDS
from steelyard.legal.report.passages import Library, answer_marks
from steelyard.legal.report.verdicts import translated_reasons, translated_remarks
from steelyard.legal.wording import invented_rows
from steelyard.reports.render.html.kind_page import AnswerDetails, Expected, ItemDetails, as_list, as_text
from steelyard.text.mentions import mentions
from steelyard.text.normalisation import normalise

Output = Mapping[str, Any]
PLAIN: Final = "{}"
_FORMS: Final = {"CNY": "{} 元", "USD": "${}", "EUR": "€{}", "GBP": "£{}"}
"""How an amount is written, by its currency."""


class LegalItems(ItemDetails):
    """The details of items, with passages found in the documents of a page."""

    fields: ClassVar[frozenset[str]] = frozenset(("citations", "evidence", "abstained", "verdict", *FIELDS))

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._library = Library(documents)

    def expected(self, verdict: Output, document: str) -> Expected:
        """The expected values, quotations and passages of a question, from the verdict on an answer to it."""
        expected = verdict.get("expected") or {}
        unit = unit_of(_required(verdict))
        return Expected(
            {key: shown_value(key, value, unit) for key, value in (expected.get("answer") or {}).items()},
            expected.get("abstain"),
            expected.get("quotes"),
            self._library.located(expected.get("evidence"), document),
        )

    def answer(self, text: str, output: Output, document: str) -> AnswerDetails:
        """The passages, invented values and reasons of an answer."""
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
    """The words of the required passages and quotations."""
    expected = verdict.get("expected") or {}
    passages = [passage for passage in as_list(expected.get("evidence")) if isinstance(passage, Mapping)]
    return [*(str(passage.get("text", "")) for passage in passages), *map(str, as_list(expected.get("quotes")))]


def unit_of(passages: Iterable[str]) -> str:
    """How an amount is written that these passages give; without a unit where they have none, or several."""
    values = mentions(normalise("\n".join(passages)))
    units = {value.unit for value in values if value.kind == "money"}
    return _FORMS.get(units.pop(), PLAIN) if len(units) == 1 else PLAIN


def shown_value(field: str, value: Any, unit: str = PLAIN) -> str | tuple[str, ...]:
    """A typed value as text, or as a text in every language.

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


def _amount(value: Any, unit: str) -> str:
    """A number with separators; anything else as it is."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return unit.format(f"{value:,}" if is_number else as_text(value))


def _item(item: Any, unit: str) -> str:
    """An amount with what it is for."""
    if not isinstance(item, Mapping):
        return _amount(item, unit)
    amount, of = _amount(item.get("amount"), unit), as_text(item.get("description"))
    return f"{amount} ({of})" if of else amount
