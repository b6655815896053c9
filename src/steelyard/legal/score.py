"""From a question and what a system gave to a verdict: a score by the seed's formulas, its parts, and why."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from steelyard.formats.documents import Document
from steelyard.legal.abstention import detect_abstention
from steelyard.legal.amounts import amounts, same_amount
from steelyard.legal.citations import Citation, citations_of, gives, is_real, mismatch
from steelyard.legal.clauses import live, totalled
from steelyard.legal.days import date_values
from steelyard.legal.facts import judge_fact, spoken
from steelyard.legal.forbidden import find_forbidden
from steelyard.legal.grounding import Invented, find_invented, ground_of
from steelyard.legal.model import Evidence, EvidenceSet, Fact, Gap, Question, penalty_of
from steelyard.legal.quotes import contains_quote
from steelyard.legal.refusal_words import CONFLICT
from steelyard.text.normal import normal

SLACK: Final = 1e-9
FACT_WEIGHTS: Final = {"exact_match": 0.7, "citation_correctness": 0.3}
"""What each part counts for in the score of a fact whose passages must be cited; else the match is all of it."""
EVIDENCE_WEIGHTS: Final = {"recall": 0.5, "precision": 0.3, "citation_provided": 0.2}
"""Those of a set of evidence; recall and precision count in full or not at all, by their thresholds."""
GAP_WEIGHTS: Final = {"correct_abstention": 0.4, "no_hallucination": 0.4}
"""Those of a gap; where no quotation and no conflict is asked for, these two are all of the score."""
QUOTE_WEIGHT: Final = 0.2


@dataclass(frozen=True, slots=True)
class Verdict:
    """A score in [0, 1], the parts it is made of and those that stand beside it, why, and what was invented."""

    score: float
    parts: Mapping[str, float]
    reasons: Mapping[str, str]
    remarks: tuple[str, ...] = ()
    invented: tuple[Invented, ...] = ()
    abstained: bool | None = None

    @property
    def reason(self) -> str:
        """All reasons in one line."""
        return "; ".join(f"{part}: {why}" for part, why in self.reasons.items())


def judge(question: Question, record: Mapping[str, Any], document: Document) -> Verdict:
    """Judge what a system gave to a question; no model, no chance."""
    match question:
        case Fact():
            return _judge_fact(question, record, document)
        case EvidenceSet():
            return _judge_evidence(question, record, document)
        case Gap():
            return _judge_gap(question, record, document)


def _judge_fact(question: Fact, record: Mapping[str, Any], document: Document) -> Verdict:
    found = judge_fact(question.expected, record, question=question.about.question, rules=question.rules)
    exact = found.share if question.rules.partial_credit else float(found.correct)
    parts, reasons = {"exact_match": exact}, {"exact_match": found.reason}
    score = exact
    if question.citation_required:
        share, why = _cited(question.evidence, _citations(record, "citations", "evidence"), question, document)
        parts["citation_correctness"], reasons["citation_correctness"] = share, why
        score = _weighed(FACT_WEIGHTS, parts)
    return _closed(question, record, document, score, parts, reasons, found.remarks)


def _cited(
    evidence: Sequence[Evidence], citations: Sequence[Citation], question: Question, document: Document
) -> tuple[float, str]:
    """The share of critical items that some citation gives, and why not all."""
    wanted = [item for item in evidence if item.is_critical] or list(evidence)
    if not wanted:
        return 0.0, "the question names no evidence"
    misses = [_miss(item, citations, question, document) for item in wanted]
    missed = [why for why in misses if why]
    return (len(wanted) - len(missed)) / len(wanted), "; ".join(missed) or "every required passage is cited"


def _miss(item: Evidence, citations: Sequence[Citation], question: Question, document: Document) -> str:
    misses = [mismatch(citation, item, document, question.about.snippet) for citation in citations]
    if None in misses:
        return ""
    place = f"page {item.page}, {item.must_include[:24]!r}"
    nearest = max((miss for miss in misses if miss), key=lambda miss: (miss.nearness, -len(miss.reason)), default=None)
    return f"{place}: {nearest.reason}" if nearest else f"{place}: nothing is cited"


def _judge_evidence(question: EvidenceSet, record: Mapping[str, Any], document: Document) -> Verdict:
    snippets = _citations(record, "evidence", "citations")
    recall, why = _cited(question.evidence, snippets, question, document)
    relevant = [
        snippet
        for snippet in snippets
        if any(mismatch(snippet, item, document, question.about.snippet) is None for item in question.evidence)
    ]
    precision = len(relevant) / len(snippets) if snippets else 0.0
    provided = float(any(is_real(each, document) for each in [*snippets, *_citations(record, "citations")]))
    reached = {
        "recall": recall >= question.recall_min - SLACK,
        "precision": bool(snippets) and precision >= question.precision_min - SLACK,
        "citation_provided": provided,
    }
    parts = {"recall": recall, "precision": precision, "citation_provided": provided}
    reasons = {
        "recall": why,
        "precision": f"{len(relevant)} of {len(snippets)} snippets are relevant",
        "citation_provided": "a snippet stands on its page" if provided else "no snippet stands on the page it names",
    }
    verdict = _closed(question, record, document, _weighed(EVIDENCE_WEIGHTS, reached), parts, reasons, ())
    count = "" if len(snippets) >= question.count_min else f"{len(snippets)} of {question.count_min} snippets"
    return replace(verdict, remarks=(*verdict.remarks, f"count_ok: {count}")) if count else verdict


def _judge_gap(question: Gap, record: Mapping[str, Any], document: Document) -> Verdict:
    answer = record.get("answer")
    text = answer if isinstance(answer, str) else ""
    if not text.strip():
        parts = dict.fromkeys(("correct_abstention", "no_hallucination", *_quote_part(question)), 0.0)
        return _closed(question, record, document, 0.0, parts, {"correct_abstention": "nothing is said"}, ())
    asked = question.about.question
    abstention = detect_abstention(text, question=asked)
    invented = [
        *find_invented(text, document.text, question=asked),
        *find_forbidden(text, question.check, document.text, question=asked),
    ]
    parts = {
        "correct_abstention": float(abstention.abstains is question.should_abstain),
        "no_hallucination": float(not invented),
    }
    reasons = {
        "correct_abstention": abstention.reason,
        "no_hallucination": ", ".join(f"{each.text} ({each.kind})" for each in invented) or "nothing is invented",
    }
    for name, (value, why) in _quoting(question, record, text, document).items():
        parts[name], reasons[name] = value, why
    score, quoted = _weighed(GAP_WEIGHTS, parts), _quote_part(question)
    score = score + QUOTE_WEIGHT * parts[quoted[0]] if quoted else score / sum(GAP_WEIGHTS.values())
    verdict = _closed(question, record, document, score, parts, reasons, ())
    return replace(verdict, invented=tuple(invented), abstained=abstention.abstains)


def _quote_part(question: Gap) -> tuple[str, ...]:
    """The part that takes the rest of the formula."""
    return ("quote_included",) if question.quotes else ("conflict_surfaced",) if question.conflicting else ()


def _quoting(question: Gap, record: Mapping[str, Any], text: str, document: Document) -> dict[str, tuple[float, str]]:
    found = {}
    if question.quotes:
        quoted = next((quote for quote in question.quotes if contains_quote(text, quote)), None)
        found["quote_included"] = (1.0, f"quotes {quoted}") if quoted else (0.0, f"does not quote {question.quotes[0]}")
    if question.conflicting:
        found["conflict_surfaced"] = _surfaced(question, record, text, document)
    return found


def _surfaced(question: Gap, record: Mapping[str, Any], text: str, document: Document) -> tuple[float, str]:
    """Whether the answer says that statements disagree and gives both sides, quoted or cited."""
    if not CONFLICT.search(normal(text)):
        return 0.0, "does not say that statements disagree"
    citations = _citations(record, "citations", "evidence")
    missing = [
        item
        for item in question.conflicting
        if not contains_quote(text, item.must_include)
        and not any(gives(each, item, document, question.about.snippet) for each in citations)
    ]
    if missing:
        return 0.0, f"does not give {missing[0].must_include!r} on page {missing[0].page}"
    return 1.0, "says that the statements disagree, and gives them"


def _weighed(weights: Mapping[str, float], values: Mapping[str, float]) -> float:
    total = 0.0
    for part, weight in weights.items():
        total += weight * values[part]  # one by one: from Python 3.12 on `sum` rounds in another way
    return total


def _closed(
    question: Question,
    record: Mapping[str, Any],
    document: Document,
    score: float,
    parts: dict[str, float],
    reasons: Mapping[str, str],
    remarks: tuple[str, ...],
) -> Verdict:
    """What every verdict has beside its own parts."""
    score = 1.0 if math.isclose(score, 1.0, abs_tol=SLACK) else score
    cited = _value_cited(record, document)
    if cited is not None:
        parts["value_cited"] = cited
    hallucinated = isinstance(question, Gap) and not parts["no_hallucination"]
    level = question.penalty if isinstance(question, Gap) else "low"
    parts["penalised_score"] = max(0.0, score - penalty_of(level)) if hallucinated else score
    failed = hallucinated and level != "low"
    parts["passed"] = float(score >= question.about.passing - SLACK and not failed)
    return Verdict(score, parts, reasons, (*remarks, *_remarks(record, document)))


def _citations(record: Mapping[str, Any], *names: str) -> list[Citation]:
    """The citations under the first of these names that has any."""
    return next((found for name in names if (found := citations_of(record.get(name)))), [])


def _value_cited(record: Mapping[str, Any], document: Document) -> float | None:
    """The share of sums and days of the answer that occur, by value, in the passages it cites; None if it has none."""
    answer = spoken(record.get("answer"))
    values = [*live(answer, amounts(answer)), *live(answer, date_values(answer))]
    asserted = [value for value in values if value.value is not None and value.kind in ("money", "date")]
    if not asserted:
        return None
    cited = "\n".join(each.text for each in _citations(record, "citations", "evidence") if is_real(each, document))
    ground = ground_of(cited)
    held = [
        value.value in ground.money if value.kind == "money" else any(value.value.agrees(day) for day in ground.days)
        for value in asserted
    ]
    return sum(held) / len(held)


def _remarks(record: Mapping[str, Any], document: Document) -> Iterator[str]:
    answer = spoken(record.get("answer"))
    yield from _sums(answer)
    invented = [
        each for each in _citations(record, "citations", "evidence") if each.key and not is_real(each, document)
    ]
    if invented:
        yield f"invented_citation: {invented[0].text[:40]}"


def _sums(answer: str) -> Iterator[str]:
    """Whether stated parts add up to the stated total."""
    values = [value for value in live(answer, amounts(answer)) if value.is_exact]
    totals = totalled(answer, values)
    parts = [value for value in values if value not in totals]
    if len(totals) == 1 and len(parts) > 1:
        total = sum(value.value for value in parts)
        if not same_amount(total, totals[0].value):
            yield f"parts_do_not_add_up: {total} is not {totals[0].text}"
