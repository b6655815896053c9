"""Judging an answer to a question: the verdict of its type, and what every verdict has besides."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from steelyard.documents.pages import Document
from steelyard.i18n import Message
from steelyard.legal.cases import Case, case_of
from steelyard.legal.evidence.citations import is_foreign, is_invented
from steelyard.legal.facts.amounts import asserted_amounts, same_amount
from steelyard.legal.facts.days import asserted_dates
from steelyard.legal.facts.statements import totalled
from steelyard.legal.formulas import PENALTIES, SLACK, penalised
from steelyard.legal.model import Question
from steelyard.legal.reading import MOST_FIGURES, is_too_long
from steelyard.legal.verdicts import Draft, LegalVerdict
from steelyard.text.mentions import mentions
from steelyard.text.normalisation import normalise


def judge(question: Question, record: Mapping[str, Any], document: Document) -> LegalVerdict:
    """Judge the record that a system returned for a question, by rules only."""
    answer = record.get("answer")
    if isinstance(answer, str) and is_too_long(answer, question.about.longest):
        return _completed(question, case_of(question, {}, document), _unread(question, answer))
    case = case_of(question, record, document)
    return _completed(question, case, question.judge(case))


def _unread(question: Question, answer: str) -> Draft:
    """The draft for an answer that is longer, or has more figures, than the judges read."""
    longest = question.about.longest
    if len(answer) > longest:
        flag = Message("legal.answer_too_long", longest=longest)
        return Draft.zero(question, Message("legal.longer_than", longest=longest), flag)
    flag = Message("legal.too_many_figures", most=MOST_FIGURES)
    return Draft.zero(question, Message("legal.more_figures_than", most=MOST_FIGURES), flag)


def _completed(question: Question, case: Case, draft: Draft) -> LegalVerdict:
    """The verdict: the draft with the parts and flags that are common to all types."""
    score = 1.0 if math.isclose(draft.score, 1.0, abs_tol=SLACK) else draft.score
    parts, why = draft.parts, draft.why
    cited = None if case.is_dump else _value_cited(case)
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
    return LegalVerdict(score, parts, why, flags, draft.invented, draft.abstained, draft.reached)


def _value_cited(case: Case) -> float | None:
    """The share of sums and days in the answer that occur, by value, in the cited passages; None if it has none."""
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
    """What is reported beside the score and does not change it."""
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
    """A flag if the stated parts do not add up to the stated total."""
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
