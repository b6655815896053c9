"""Judging an answer: what a system returned is read once (`Case`), and the type of the question judges it.

The judges of question types (`legal.question_types`) use the methods of `Case`.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, Final, NamedTuple

from steelyard import limits
from steelyard.documents.pages import Document
from steelyard.i18n import Localized, Message
from steelyard.io.outputs import context_ids, prose_around, record_of
from steelyard.legal.cues import WORDS
from steelyard.legal.evidence import citations
from steelyard.legal.evidence.citations import Citation, citations_of, distinct, is_foreign, is_invented
from steelyard.legal.evidence.copies import has_content, is_dump, own_words, without_passages
from steelyard.legal.evidence.quotes import Source, contains_quote, repeats, source_of
from steelyard.legal.facts.fields import FactVerdict, judge_fact
from steelyard.legal.facts.statements import doubt, is_bare_list, list_pieces, retraction, totalled
from steelyard.legal.facts.values import asserted_amounts, asserted_dates, same_amount
from steelyard.legal.grounding.inventions import Invented, find_forbidden, find_invented
from steelyard.legal.model import (
    FIELDS,
    PENALTIES,
    SLACK,
    About,
    Draft,
    Evidence,
    FactRules,
    LegalVerdict,
    Question,
    penalised,
    typed_text,
    typed_texts,
)
from steelyard.legal.points import PointVerdict, judge_points
from steelyard.legal.question_types.points import KeyPointsQuestion, Point
from steelyard.legal.reading import MOST_FIGURES, QUOTED, is_too_long, read, without_quotes
from steelyard.legal.stance import Stance, stance, states_asked
from steelyard.signals import DeadlineExceeded, deadline
from steelyard.text.marks import blanked
from steelyard.text.mentions import mentions
from steelyard.text.normalisation import normalise
from steelyard.text.reading import is_silent

_ANNOUNCED: Final = re.compile(rf"(?:[^，。！？；,;!?\n:：]*[:：]\s*)?(?P<quote>{QUOTED.pattern})", QUOTED.flags)
_LEAD_IN: Final = re.compile(r"[^。！？!?；;\n]*[:：]\s*\Z")  # what announces a quotation: 笔录中的原话是：


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
        """Return the citations in these fields, each once: `citations` and `evidence` are one set of places."""
        return distinct(citation for name in names for citation in self.passages[name])

    def cited(self, *names: str) -> Sequence[Citation]:
        """Return the citations that are read: the first ones, up to the budget.

        Retrieved chunks are as long as the product cuts them: theirs is a budget of characters, the same in all.
        """
        read = self.returned(*names)[: self.about.citations]
        lengths = accumulate(len(citation.key) if citation.is_retrieved else 0 for citation in read)
        room = self.about.citations * self.about.snippet
        return [citation for citation, length in zip(read, lengths, strict=True) if length <= room]

    def has_typed(self, fields: Iterable[str]) -> bool:
        return any(self.record.get(name) not in (None, "", []) for name in fields)

    def judge_fact(self, expected: Mapping[str, Any], rules: FactRules) -> FactVerdict:
        """Judge the typed fields of the record, or what its text says of them, against the expected ones."""
        return judge_fact(expected, self.record, question=self.about.question, rules=rules)

    def judge_points(self, points: Sequence[Point]) -> list[PointVerdict]:
        """Judge which points the answer gives; what only a pile of passages or a list of candidates gives is not given.

        A list of candidates is a bare list of which most pieces give no point.
        """
        found = judge_points(points, self.text, self.about.question)
        earning = [verdict for verdict in found if verdict.earned]
        own = self.without_passages() if earning else self
        if is_bare_list(self.text) and 2 * len(earning) < len(list_pieces(self.text)):
            spoken = [replace(verdict, earned=0.0) for verdict in found]
        elif own is not self:
            spoken = judge_points(points, read(str(own.record["answer"])).text, self.about.question)
        else:
            return found
        return [
            replace(one, outcome="listed", earned=0.0) if one.earned > two.earned else one
            for one, two in zip(found, spoken, strict=True)
        ]

    def stance(self) -> Stance:
        """Return whether it answers, refuses, or both; JSON that a model wrote is read with the prose around it.

        A declared abstention is a refusal; with a statement of its own in prose or in a typed field, it is both.
        """
        raw = self.record.get("raw")
        found = stance(self.about.question, self.answer, prose_around(raw) if isinstance(raw, str) else "")
        if not self.is_declared_refusal:
            return found
        if self._supplied():
            return Stance("mixed", Message("legal.declares_abstention"), abstains=True, uncertain=True)
        return found if found.abstains else Stance("refuses", Message("legal.declares_abstention"), abstains=True)

    @property
    def is_declared_refusal(self) -> bool:
        """Whether the record says `abstained: true`."""
        return self.record.get("abstained") is True

    def _supplied(self) -> bool:
        """Return whether prose or a typed field states something that is neither a refusal nor of the document."""
        prose = _LEAD_IN.sub("", own_words(without_quotes(self.text), self.source))
        stated = (text for text in (prose, *typed_texts(self.record)) if not is_silent(text))
        own = (text for text in stated if not self.source.key.holds(text))
        return not all(stance(self.about.question, text).abstains for text in own)

    def own_stance(self) -> Stance:
        """Return the stance of the answer in its own words: a refusal that it copies is the document's."""
        whole = self.stance()
        if self.is_declared_refusal:
            return whole
        unquoted = self._without_quotations()
        if unquoted != self.text and not is_silent(unquoted):
            spoken = stance(self.about.question, unquoted)
            if whole.uncertain and spoken.kind == "refuses":
                whole = spoken  # what is quoted, such as the guess of a witness, is not the system's
            elif whole.abstains and spoken.kind == "answers" and states_asked(self.about.question, unquoted):
                return replace(whole, kind="mixed", uncertain=True)
        own = own_words(self.text, self.source) if whole.abstains else self.text
        if own == self.text:
            return whole
        spoken = stance(self.about.question, own)
        if spoken.abstains and not spoken.uncertain:
            is_contradicted = not spoken.names_asked and self.without_passages() is not self
            return replace(whole, kind="mixed", uncertain=True) if is_contradicted else whole
        return Stance("answers", Message("legal.refusal_copied"), uncertain=whole.uncertain)

    def _without_quotations(self) -> str:
        """Return the text without what it quotes of the document, and without the clauses that announce it."""
        return _ANNOUNCED.sub(lambda quote: "" if self.source.key.holds(quote["quote"][1:-1]) else quote[0], self.text)

    def without_passages(self) -> "Case":
        """Return the same case without the passages of the document, if the answer is made of separate ones.

        An answer that announces its final answer says which of them answers.
        """
        own = self.text if read(self.answer).final else without_passages(self.text, self.source)
        return self if own == self.text else self._replace(record={**self.record, "answer": own})

    def own_doubt(self) -> str:
        """Return the words by which the answer, outside what it copies, disclaims itself; "" if there are none."""
        return doubt(own_words(self.text, self.source))

    def retraction(self) -> str:
        """Return the words by which the answer takes back what it says, or ""."""
        return retraction(self.text)

    def has_content(self) -> bool:
        """Return whether the answer says anything of the document beyond the question."""
        return has_content(self.text, self.about.question, self.source)

    def reports_conflict(self) -> bool:
        return WORDS["cue_conflict"].search(self.text) is not None

    def invented(self, check: str) -> list[Invented]:
        """Return values that the document does not support, and those that the question forbids."""
        texts = filter(None, (self.answer, typed_text(self.record)))
        found = [value for text in texts for value in self._invented_in(text, check)]
        return list({(value.text, value.kind): value for value in found}.values())

    def _invented_in(self, text: str, check: str) -> Iterable[Invented]:
        question = self.about.question
        values = list(find_forbidden(text, check, question=question))
        if not self.source.document.is_missing:
            values = [*find_invented(text, self.source.text, question=question), *values]
        return {(value.start, value.end): value for value in values}.values()  # one that is both is forbidden

    def quotes(self, words: str) -> bool:
        return contains_quote(self.text, words)

    def gives(self, item: Evidence) -> bool:
        """Return whether the answer quotes a passage, or a citation gives its words."""
        cited, longest = self.cited("citations", "evidence"), self.about.snippet
        return self.quotes(item.must_include) or any(
            citations.gives(citation, item, self.source, longest) for citation in cited
        )

    def cites_quote(self, words: str) -> bool:
        """Return whether a citation has these words of the document, whatever page it names."""
        cited = (citation._replace(pages=()) for citation in self.cited("citations", "evidence"))
        item, longest = Evidence(0, words), self.about.snippet
        return any(citations.gives(citation, item, self.source, longest) for citation in cited)

    def matches(self, citation: Citation, item: Evidence) -> bool:
        return citations.mismatch(citation, item, self.source, self.about.snippet) is None

    def is_real(self, citation: Citation) -> bool:
        """Return whether the cited words are on the page that the citation names."""
        return citations.is_real(citation, self.source)

    def cited_share(self, evidence: Sequence[Evidence], *names: str) -> tuple[float, Localized]:
        """Return the share of required passages that the citations in these fields give, and the reason."""
        return citations.cited_share(evidence, self.cited(*names), self.source, self.about.snippet)


def case_of(question: Question, record: Mapping[str, Any], document: Document) -> Case:
    """Return the case of a question and a record."""
    answer = given if isinstance(given := record.get("answer"), str) else ""
    if answer:
        answer = blanked(answer, context_ids(record.get("contexts") or ()))  # what is found in it stays where it is
        record = {**record, "answer": answer}
    reading, source = read(answer), source_of(document)
    is_silent = reading.is_silent or repeats(reading.text, question.about.question)
    is_copy = _is_dump(reading.text, record, source, question)
    passages = {name: citations_of(record.get(name)) for name in question.citation_fields}
    return Case(question.about, record, answer, reading.text, is_silent, is_copy, passages, source)


def _is_dump(text: str, record: Mapping[str, Any], source: Source, question: Question) -> bool:
    """Return whether the text, or that of a typed field, is a copy of a large part of the document."""
    typed = (value for name, value in record.items() if isinstance(value, str) and name in FIELDS)
    return any(is_dump(each, source, question.required_texts) for each in (text, *typed))


def judge(question: Question, record: Mapping[str, Any], document: Document) -> LegalVerdict:
    """Judge the record that a system returned for a question, by rules only."""
    answer = record.get("answer")
    if isinstance(answer, str) and is_too_long(answer, question.about.longest):
        return _completed(question, case_of(question, {}, document), _unread(question, answer))
    case = case_of(question, record, document)
    return _completed(question, case, question.judge(case))


def _unread(question: Question, answer: str) -> Draft:
    """Return the draft for an answer that is longer, or has more figures, than the judges read."""
    if len(answer) > (longest := question.about.longest):
        why, flag = Message("legal.longer_than", longest=longest), Message("legal.answer_too_long", longest=longest)
    else:
        most = MOST_FIGURES
        why, flag = Message("legal.more_figures_than", most=most), Message("legal.too_many_figures", most=most)
    return Draft.zero(question, why, flag)


def _completed(question: Question, case: Case, draft: Draft) -> LegalVerdict:
    """Return the verdict: the draft with the parts and flags that are common to all types."""
    score = 1.0 if math.isclose(draft.score, 1.0, abs_tol=SLACK) else draft.score
    parts, why = draft.parts, draft.why
    cited = None if case.is_dump or isinstance(question, KeyPointsQuestion) else _value_cited(case)
    if cited is not None:
        parts["value_cited"] = cited
    level = question.hallucination_level
    parts["penalised_score"] = penalised(score, PENALTIES[level]) if draft.invented else score
    fails = not draft.may_pass or (bool(draft.invented) and level != "low")
    parts["passed"] = float(score >= question.about.passing - SLACK and not fails)
    parts["uncertain"] = float(draft.uncertain is not None)
    if draft.uncertain is not None:
        why["uncertain"] = draft.uncertain
    flags = (*draft.flags, *_flags(question, case))
    invented = _invented(question, case) if draft.invented is None else draft.invented
    return LegalVerdict(score, parts, why, flags, invented, draft.abstained, draft.reached)


def _invented(question: Question, case: Case) -> tuple[Invented, ...]:
    """Return the values of an answer, or of its typed fields, that neither the document nor the right answer has."""
    if case.is_dump:
        return ()
    found, expected = case.invented(""), question.key_text
    return tuple(value for value in found if not expected or find_invented(value.text, expected))


def _value_cited(case: Case) -> float | None:
    """Return the share of sums and days that occur, by value, in the cited passages; None if there are none."""
    values = (*asserted_amounts(case.text), *asserted_dates(case.text))
    asserted = [value for value in values if value.value is not None and value.kind in ("money", "date")]
    if not asserted:
        return None
    real = "\n".join(item.text for item in case.cited("citations", "evidence") if case.is_real(item))
    cited = mentions(normalise(real))
    sums = {value.value for value in cited if value.kind in ("money", "number")}
    days = [day for value in cited if value.kind == "date" for day in (value.value, value.until) if day is not None]
    is_cited = [
        value.value in sums if value.kind == "money" else any(value.value.agrees(day) for day in days)
        for value in asserted
    ]
    return sum(is_cited) / len(is_cited)


def _flags(question: Question, case: Case) -> Iterator[Message]:
    """Yield what is reported beside the score and does not change it."""
    if case.is_dump:
        yield Message("legal.copies_document")
    else:
        yield from _sum_flags(case.text)
    returned = case.returned(*question.citation_fields)
    if len(returned) > case.about.citations:
        yield Message("legal.citations_over_budget", given=len(returned), read=case.about.citations)
    if foreign := [item for item in returned if is_foreign(item, case.source.document)]:
        yield Message("legal.wrong_document", name=foreign[0].document)
    for item in case.returned("citations", "evidence"):
        if is_invented(item, case.source):
            yield Message("legal.invented_citation", words=item.text[:40])
            break


def _sum_flags(answer: str) -> Iterator[Message]:
    """Yield a flag if the stated parts do not add up to the stated total."""
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


_LONGEST_REASON: Final = 200  # characters


def judge_safely(question: Question, record: Mapping[str, Any], document: Document) -> LegalVerdict | Message:
    """Return the verdict, or why there is none; only KeyboardInterrupt and SystemExit are raised."""
    return _guarded(lambda: judge(question, record, document))


def judge_answer(question: Question, answer: Any, document: Document) -> LegalVerdict | Message:
    """Return the same for an answer of any shape; None is a failed answer."""
    return _guarded(lambda: judge(question, {} if answer is None else record_of(answer, question.about.id), document))


def _guarded(work: Callable[[], LegalVerdict]) -> LegalVerdict | Message:
    try:
        with deadline(limits.JUDGING_SECONDS.value):
            return work()
    except DeadlineExceeded:
        return Message("pipelines.judging_timeout", value=limits.JUDGING_SECONDS.value)
    except Exception as error:
        return Message("pipelines.judging_failed", error=described(error))


def verdict_on_answer(question: Question, answer: Any, document: Document) -> LegalVerdict:
    """Return the verdict on an answer of any shape; one that cannot be judged scores 0, with a flag that says why."""
    return verdict_or_zero(question, document, judge_answer(question, answer, document))


def verdict_or_zero(question: Question, document: Document, outcome: LegalVerdict | Message) -> LegalVerdict:
    """Return a verdict as it is; a verdict of 0 for an answer that could not be judged."""
    if isinstance(outcome, LegalVerdict):
        return outcome
    parts = zero_parts(question, document)
    flag = Message("pipelines.not_judged", reason=outcome)
    return LegalVerdict(0.0, parts, {next(iter(parts), "error"): outcome}, (flag,))


def zero_parts(question: Question, document: Document) -> dict[str, float]:
    """Return the parts of a question's score, each 0; empty if even an empty answer cannot be judged."""
    outcome = judge_safely(question, {}, document)
    return dict.fromkeys(outcome.parts, 0.0) if isinstance(outcome, LegalVerdict) else {}


def described(error: BaseException) -> str:
    """Return the type of an exception and the beginning of its message, on one line."""
    text = " ".join(str(error)[: 4 * _LONGEST_REASON].split())[:_LONGEST_REASON]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
