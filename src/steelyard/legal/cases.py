"""A case: what a system returned for a question, read once, and the rules that judge it.

The judges of question types (`legal.question_types`) use the methods of `Case`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from steelyard.documents.pages import Document
from steelyard.i18n import Localized, Message
from steelyard.io.outputs import prose_around
from steelyard.legal.asked import WORDS
from steelyard.legal.evidence import citations
from steelyard.legal.evidence.citations import Citation, Passages
from steelyard.legal.evidence.content import has_content
from steelyard.legal.evidence.copies import NO_DUMP, is_dump, own_words, without_passages
from steelyard.legal.evidence.quotes import contains_quote, quote_key, repeats
from steelyard.legal.evidence.sources import Source, source_of
from steelyard.legal.facts.fields import FactVerdict, judge_fact
from steelyard.legal.facts.statements import doubt
from steelyard.legal.grounding.forbidden import find_forbidden
from steelyard.legal.grounding.inventions import Invented, find_invented
from steelyard.legal.model import FIELDS, About, Evidence, FactRules, Question
from steelyard.legal.reading import read
from steelyard.legal.stance import Stance, stance


class Case(NamedTuple):
    """What a system returned for a question: `answer` as it was given, `text` as the judges read it.

    An answer that only repeats the question is silent; a dump is a copy of the document, as text or in a typed field.
    `source` is the document as it is searched.
    """

    about: About
    record: Mapping[str, Any]
    answer: str
    text: str
    is_silent: bool
    is_dump: bool
    passages: Mapping[str, Sequence[Citation]]
    source: Source

    def returned(self, *names: str) -> Sequence[Citation]:
        """The citations in the first of these fields that has any."""
        for name in names:
            if passages := self.passages[name]:
                return passages
        return ()

    def cited(self, *names: str) -> Sequence[Citation]:
        """The citations that are read: the first ones, up to the budget."""
        return self.returned(*names)[: self.about.citations]

    def has_typed(self, fields: Iterable[str]) -> bool:
        """Whether one of the typed fields is given."""
        return any(self.record.get(name) not in (None, "", []) for name in fields)

    def judge_fact(self, expected: Mapping[str, Any], rules: FactRules) -> FactVerdict:
        """The typed fields of the record, or what its text says of them, against the expected ones."""
        return judge_fact(expected, self.record, question=self.about.question, rules=rules)

    def stance(self) -> Stance:
        """Whether the answer answers, refuses, or both; JSON that a model wrote is read with the prose around it."""
        raw = self.record.get("raw")
        return stance(self.about.question, self.answer, prose_around(raw) if isinstance(raw, str) else "")

    def own_stance(self) -> Stance:
        """The stance of the answer in its own words: a refusal that it copies is the document's."""
        found = self.stance()
        own = own_words(self.text, self.source) if found.abstains else self.text
        if own == self.text:
            return found
        spoken = stance(self.about.question, own)
        if spoken.abstains and not spoken.uncertain:
            is_contradicted = not spoken.names_asked and self.without_passages() is not self
            return replace(found, kind="mixed", uncertain=True) if is_contradicted else found
        return Stance("answers", Message("legal.refusal_copied"), uncertain=found.uncertain)

    def without_passages(self) -> "Case":
        """The same case without the passages of the document, if the answer is made of separate ones.

        An answer that announces its final answer says which of them answers.
        """
        own = self.text if read(self.answer).final else without_passages(self.text, self.source)
        return self if own == self.text else self._replace(record={**self.record, "answer": own})

    def own_doubt(self) -> str:
        """The words by which the answer, outside what it copies, disclaims itself; "" if there are none."""
        return doubt(own_words(self.text, self.source))

    def has_content(self) -> bool:
        """Whether the answer says anything of the document beyond the question."""
        return has_content(self.text, self.about.question, self.source)

    def reports_conflict(self) -> bool:
        """Whether the answer says that statements disagree."""
        return WORDS["cue_conflict"].search(self.text) is not None

    def invented(self, check: str) -> list[Invented]:
        """Values that the document does not support, and those that the hallucination check of the question forbids."""
        context = self.source.text
        found = [
            *find_invented(self.answer, context, question=self.about.question),
            *find_forbidden(self.answer, check, context, question=self.about.question),
        ]
        return list({(value.start, value.end): value for value in found}.values())  # one that is both is forbidden

    def quotes(self, words: str) -> bool:
        """Whether the answer quotes these words."""
        return contains_quote(self.text, words)

    def gives(self, item: Evidence) -> bool:
        """Whether the answer quotes a passage, or a citation gives its words."""
        cited, longest = self.cited("citations", "evidence"), self.about.snippet
        return self.quotes(item.must_include) or any(
            citations.gives(citation, item, self.source, longest) for citation in cited
        )

    def cites_quote(self, words: str) -> bool:
        """Whether a citation has these words of the document, whatever page it names."""
        cited = (citation._replace(pages=()) for citation in self.cited("citations", "evidence"))
        item, longest = Evidence(0, words), self.about.snippet
        return any(citations.gives(citation, item, self.source, longest) for citation in cited)

    def matches(self, citation: Citation, item: Evidence) -> bool:
        """Whether a citation gives a required passage."""
        return citations.mismatch(citation, item, self.source, self.about.snippet) is None

    def is_real(self, citation: Citation) -> bool:
        """Whether the cited words are on the page that the citation names."""
        return citations.is_real(citation, self.source)

    def cited_share(self, evidence: Sequence[Evidence], *names: str) -> tuple[float, Localized]:
        """The share of required passages that the citations in these fields give, and the reason."""
        return citations.cited_share(evidence, self.cited(*names), self.source, self.about.snippet)


def case_of(question: Question, record: Mapping[str, Any], document: Document) -> Case:
    """The case of a question and a record."""
    answer = given if isinstance(given := record.get("answer"), str) else ""
    reading, source = read(answer), source_of(document)
    is_silent = reading.is_silent or repeats(reading.text, question.about.question)
    is_copy = _is_dump(reading.text, record, source, question)
    return Case(question.about, record, answer, reading.text, is_silent, is_copy, Passages(record), source)


def _is_dump(text: str, record: Mapping[str, Any], source: Source, question: Question) -> bool:
    """Whether the text, or that of a typed field, is a copy of a large part of the document."""
    typed = (value for name, value in record.items() if isinstance(value, str) and name in FIELDS)
    long_texts = [each for each in (text, *typed) if len(each) > NO_DUMP]
    if not long_texts:
        return False
    required = sum(len(quote_key(text)) for text in question.required_texts)
    return any(is_dump(text, source, required) for text in long_texts)
