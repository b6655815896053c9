"""What a system gave to a question, read once: its answer, its citations, and what is reported beside a verdict."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.documents.pages import Document
from steelyard.i18n import Message
from steelyard.legal.evidence.citations import Citation, citations_of, is_foreign, is_real
from steelyard.legal.evidence.copies import is_dump
from steelyard.legal.evidence.quotes import key_of, quote_key
from steelyard.legal.evidence.sources import Source, source_of
from steelyard.legal.facts.amounts import asserted_amounts, same_amount
from steelyard.legal.facts.clauses import totalled
from steelyard.legal.facts.days import asserted_dates
from steelyard.legal.facts.fields import FIELDS
from steelyard.legal.model import EvidenceSet, Gap, Question
from steelyard.legal.reading import read
from steelyard.text.mentions import mentions
from steelyard.text.normalisation import normalise


@dataclass(frozen=True, slots=True)
class Case:
    """What a system gave to a question: `answer` as it was given, `text` as the judges read it.

    An answer that only repeats the question is silent; a dump is a copy of the document, as text or in a typed field.
    """

    record: Mapping[str, Any]
    document: Document
    answer: str
    text: str
    is_silent: bool
    is_dump: bool
    budget: int
    snippet: int
    passages: Mapping[str, Sequence[Citation]]

    @property
    def source(self) -> Source:
        """The document as it is searched."""
        return source_of(self.document)

    def returned(self, *names: str) -> Sequence[Citation]:
        """The citations under the first of these names that has any."""
        return next((found for name in names if (found := self.passages[name])), ())

    def cited(self, *names: str) -> Sequence[Citation]:
        """Those that are read: the first ones, as many as the question allows."""
        return self.returned(*names)[: self.budget]

    def has_typed(self, fields: Iterable[str]) -> bool:
        """Whether one of the typed fields is given."""
        return any(self.record.get(name) not in (None, "", []) for name in fields)


def case_of(question: Question, record: Mapping[str, Any], document: Document) -> Case:
    """What a record says, read once."""
    answer = given if isinstance(given := record.get("answer"), str) else ""
    reading = read(answer)
    required = sum(len(quote_key(words)) for words in _required(question))
    texts = (reading.text, *(given for name in FIELDS if isinstance(given := record.get(name), str)))
    return Case(
        record,
        document,
        answer,
        reading.text,
        reading.is_silent or key_of(reading.text).text == key_of(question.about.question).text,
        any(is_dump(text, source_of(document), required) for text in texts),
        question.about.citations,
        question.about.snippet,
        {name: citations_of(record.get(name)) for name in ("citations", "evidence")},
    )


def _required(question: Question) -> Iterator[str]:
    """The words that an answer must give or cite."""
    yield from (item.must_include for item in question.evidence)
    if isinstance(question, Gap):
        yield from (item.must_include for item in question.conflicting)
        yield from question.quotes


def value_cited(case: Case) -> float | None:
    """The share of sums and days of the answer that occur, by value, in the passages it cites; None if it has none."""
    values = (*asserted_amounts(case.text), *asserted_dates(case.text))
    asserted = [value for value in values if value.value is not None and value.kind in ("money", "date")]
    if not asserted:
        return None
    real = "\n".join(each.text for each in case.cited("citations", "evidence") if is_real(each, case.document))
    cited = mentions(normalise(real))
    sums = {value.value for value in cited if value.kind in ("money", "number")}
    days = [day for value in cited if value.kind == "date" for day in (value.value, value.until) if day is not None]
    held = [
        value.value in sums if value.kind == "money" else any(value.value.agrees(day) for day in days)
        for value in asserted
    ]
    return sum(held) / len(held)


def remarks_on(question: Question, case: Case) -> Iterator[Message]:
    """What is reported beside a verdict and is no part of the score."""
    if case.is_dump:
        yield Message("legal.copies_document")
    else:
        yield from _sums(case.text)
    names = ("evidence", "citations") if isinstance(question, EvidenceSet) else ("citations", "evidence")
    returned = case.returned(*names)
    if len(returned) > case.budget:
        yield Message("legal.citations_over_budget", given=len(returned), read=case.budget)
    if foreign := [each for each in returned if is_foreign(each, case.document)]:
        yield Message("legal.wrong_document", name=foreign[0].document)
    own = (each for each in case.returned("citations", "evidence") if not is_foreign(each, case.document))
    if invented := [each for each in own if each.key and not is_real(each, case.document)]:
        yield Message("legal.invented_citation", words=invented[0].text[:40])


def _sums(answer: str) -> Iterator[Message]:
    """Whether stated parts add up to the stated total."""
    values = [value for value in asserted_amounts(answer) if value.is_exact]
    if len(values) < 3:
        return
    totals = totalled(answer, values)
    announced = {value.start for value in totals}
    parts = [value for value in values if value.start not in announced]
    if len(totals) == 1 and len(parts) > 1:
        total = sum(value.value for value in parts)
        if not same_amount(total, totals[0].value):
            yield Message("legal.parts_do_not_add_up", sum=str(total), total=totals[0].text)
