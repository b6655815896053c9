"""Items of legal results on a page: what was expected, and what was found in an answer."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from steelyard.documents.pages import Document
from steelyard.legal.model import FIELDS
from steelyard.legal.report.passages import Library, answer_marks
from steelyard.legal.report.values import shown_value, unit_of
from steelyard.legal.report.verdicts import translated_reasons, translated_remarks
from steelyard.legal.wording import invented_rows
from steelyard.reports.render.html.kind_page import AnswerDetails, Expected, ItemDetails, as_list

Output = Mapping[str, Any]


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
        required = (verdict.get("expected") or {}).get("evidence")
        cited = self._library.judged(output.get("citations"), document, required)
        unit = unit_of(_required(verdict))
        return AnswerDetails(
            answer_marks(text, invented, _quotes([citation["text"] for citation in cited], verdict)),
            cited,
            self._library.judged(output.get("evidence"), document, required),
            verdict.get("abstained"),
            invented_rows((str(value.get("text", "")), str(value.get("kind", ""))) for value in invented),
            [(part, *texts) for part, texts in translated_reasons(output).items()],
            translated_remarks(output),
            values={key: shown_value(key, output[key], unit) for key in FIELDS if output.get(key) is not None},
        )

    def documents(self) -> dict[str, dict[str, str]]:
        """The pages with passages."""
        return self._library.as_json()


def _required(verdict: Output) -> list[str]:
    """The words of the required passages and quotations."""
    expected = verdict.get("expected") or {}
    passages = [passage for passage in as_list(expected.get("evidence")) if isinstance(passage, Mapping)]
    return [*(str(passage.get("text", "")) for passage in passages), *map(str, as_list(expected.get("quotes")))]


def _quotes(cited: Sequence[str], verdict: Output) -> list[str]:
    """Texts that an answer may quote: those of its citations, and those that it was to quote."""
    expected = as_list((verdict.get("expected") or {}).get("quotes"))
    return [*cited, *map(str, expected)]
