"""Items of legal results on a page: what was expected, and what was found in an answer."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from steelyard.documents.pages import Document
from steelyard.i18n import LANGUAGES
from steelyard.legal.report.passages import Library, answer_marks
from steelyard.legal.report.verdicts import reasons_in, remarks_in
from steelyard.reports.render.html.kind_page import AnswerDetails, Expected, ItemDetails, Json, as_list, as_text

Output = Mapping[str, Any]


class LegalItems(ItemDetails):
    """The details of items, with passages found in the documents of a page."""

    fields: ClassVar[frozenset[str]] = frozenset(("citations", "evidence", "abstained", "verdict"))

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._library = Library(documents)

    def expected(self, verdict: Output, document: str) -> Expected:
        """The expected values, quotations and passages of a question, from the verdict on an answer to it."""
        expected = verdict.get("expected") or {}
        return Expected(
            {key: as_text(value) for key, value in (expected.get("answer") or {}).items()},
            expected.get("abstain"),
            expected.get("quotes"),
            self._library.located(expected.get("evidence"), document),
        )

    def answer(self, text: str, output: Output, document: str) -> AnswerDetails:
        """The passages, invented values and reasons of an answer."""
        verdict = output.get("verdict") or {}
        invented = as_list(verdict.get("invented"))
        cited = self._library.located(output.get("citations"), document)
        return AnswerDetails(
            answer_marks(text, invented, _quotes(cited, verdict)),
            cited,
            self._library.located(output.get("evidence"), document),
            verdict.get("abstained"),
            [[str(value.get("text", "")), str(value.get("kind", ""))] for value in invented],
            _reasons(output),
            list(zip(*(remarks_in(language, output) for language in LANGUAGES), strict=True)),
        )

    def documents(self) -> dict[str, dict[str, str]]:
        """The pages with passages."""
        return self._library.as_json()


def _quotes(cited: Sequence[Json], verdict: Output) -> list[str]:
    """Texts that an answer may quote: those of its citations, and those that it was to quote."""
    expected = as_list((verdict.get("expected") or {}).get("quotes"))
    return [*(citation["text"] for citation in cited), *map(str, expected)]


def _reasons(output: Output) -> list[tuple[str, ...]]:
    """The parts of the score with their reasons in every language."""
    texts = [reasons_in(language, output) for language in LANGUAGES]
    return [(part, *(reasons[part] for reasons in texts)) for part in texts[0]]
