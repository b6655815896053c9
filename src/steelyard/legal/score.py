"""From a question and what a system gave to a verdict: a score by the seed's formulas, its parts, and why."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.formats.documents import Document
from steelyard.formats.legal_scores import (
    EVIDENCE_WEIGHTS,
    FACT_WEIGHTS,
    GAP_WEIGHTS,
    SLACK,
    evidence_score,
    fact_score,
    gap_score,
    penalised,
)
from steelyard.legal.abstention import Abstention, detect_abstention
from steelyard.legal.cases import Case, case_of, remarks_on, value_cited
from steelyard.legal.citations import Citation, gives, is_real, mismatch
from steelyard.legal.clauses import doubt, without_quotes
from steelyard.legal.copies import own_words
from steelyard.legal.facts import FactVerdict, judge_fact
from steelyard.legal.forbidden import find_forbidden
from steelyard.legal.grounding import Invented, find_invented
from steelyard.legal.model import Evidence, EvidenceSet, Fact, Gap, Question, penalty_of
from steelyard.legal.quotes import contains_quote
from steelyard.legal.reading import MOST_FIGURES, is_too_long
from steelyard.legal.refusal_words import CONFLICT
from steelyard.legal.saying import says_something


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

    @property
    def uncertain(self) -> bool:
        """Whether rules cannot decide; the score is the best guess."""
        return bool(self.parts.get("uncertain"))


@dataclass(slots=True)
class _Draft:
    """A verdict in the making; `uncertain` is why rules cannot decide, and nothing where they can."""

    parts: dict[str, float]
    reasons: dict[str, str]
    score: float = 0.0
    remarks: tuple[str, ...] = ()
    uncertain: str = ""
    invented: tuple[Invented, ...] = ()
    abstained: bool | None = None
    may_pass: bool = True


def judge(question: Question, record: Mapping[str, Any], document: Document) -> Verdict:
    """Judge what a system gave to a question; no model, no chance."""
    answer = record.get("answer")
    if isinstance(answer, str) and is_too_long(answer, question.about.longest):
        draft = _unread(question, answer)
        return _closed(question, case_of(question, {}, document), draft)
    case = case_of(question, record, document)
    match question:
        case Fact():
            draft = _judge_fact(question, case)
        case EvidenceSet():
            draft = _judge_evidence(question, case)
        case Gap():
            draft = _judge_gap(question, case)
    return _closed(question, case, draft)


def _unread(question: Question, answer: str) -> _Draft:
    """A draft for an answer that is longer, or has more figures, than the judges read."""
    if len(answer) > question.about.longest:
        remark = f"answer_too_long: more than {question.about.longest} characters"
        return _nothing(question, f"longer than {question.about.longest} characters", remark)
    return _nothing(question, f"more than {MOST_FIGURES} figures", f"answer_too_long: more than {MOST_FIGURES} figures")


def _nothing(question: Question, why: str, remark: str = "") -> _Draft:
    """A draft that earns nothing on any part."""
    match question:
        case Fact():
            names = tuple(FACT_WEIGHTS) if question.citation_required else ("exact_match",)
        case EvidenceSet():
            names = tuple(EVIDENCE_WEIGHTS)
        case Gap():
            names = (*GAP_WEIGHTS, *_quote_parts(question))
    return _Draft(dict.fromkeys(names, 0.0), {names[0]: why}, remarks=(remark,) if remark else ())


def _judge_fact(question: Fact, case: Case) -> _Draft:
    if case.is_silent and not case.has_typed(question.expected):
        return _nothing(question, "nothing is said")
    if case.is_dump:
        draft = _nothing(question, "the answer is a copy of the document")
    else:
        found = _fact(question, case)
        if found.correct and (why := _refused(question, case)):
            found = FactVerdict(False, 0.0, why)
        exact = found.share if question.rules.partial_credit else float(found.correct)
        draft = _Draft({"exact_match": exact}, {"exact_match": found.reason}, exact, found.remarks, _undecided(found))
    if question.citation_required:
        share, why = _cited(question.evidence, case.cited("citations", "evidence"), case)
        draft.parts["citation_correctness"], draft.reasons["citation_correctness"] = share, why
        draft.score = fact_score(draft.parts)
    return draft


def _fact(question: Fact | Gap, case: Case) -> FactVerdict:
    """The typed fields of the record, or what its text says of them, against those that are expected."""
    return judge_fact(question.expected, case.record, question=question.about.question, rules=question.rules)


def _refused(question: Fact, case: Case) -> str:
    """The words by which an answer refuses, if the value stands only in what it quotes: “not stated; it says: …”."""
    if case.has_typed(question.expected):
        return ""
    refusal = detect_abstention(case.answer, question=question.about.question)
    own = {**case.record, "answer": without_quotes(case.text)}
    asked = question.about.question
    if not refusal.abstains or judge_fact(question.expected, own, question=asked, rules=question.rules).correct:
        return ""
    return refusal.reason


def _undecided(found: FactVerdict) -> str:
    """The fields that rules cannot decide, with their reasons."""
    return "; ".join(f"{name}: {judged.reason}" for name, judged in found.fields.items() if judged.uncertain)


def _cited(evidence: Sequence[Evidence], citations: Sequence[Citation], case: Case) -> tuple[float, str]:
    """The share of critical items that some citation gives, and why not all."""
    wanted = [item for item in evidence if item.is_critical] or list(evidence)
    if not wanted:
        return 0.0, "the question names no evidence"
    misses = [_miss(item, citations, case) for item in wanted]
    missed = [why for why in misses if why]
    return (len(wanted) - len(missed)) / len(wanted), "; ".join(missed) or "every required passage is cited"


def _miss(item: Evidence, citations: Sequence[Citation], case: Case) -> str:
    """Why no citation gives a passage, told of the nearest one."""
    misses = [mismatch(citation, item, case.document, case.snippet) for citation in citations]
    if None in misses:
        return ""
    place = f"page {item.page}, {item.must_include[:24]!r}"
    nearest = max((miss for miss in misses if miss), key=lambda miss: (miss.nearness, -len(miss.reason)), default=None)
    return f"{place}: {nearest.reason}" if nearest else f"{place}: nothing is cited"


def _judge_evidence(question: EvidenceSet, case: Case) -> _Draft:
    snippets, count = case.cited("evidence", "citations"), len(case.returned("evidence", "citations"))
    recall, why = _cited(question.evidence, snippets, case)
    relevant = [each for each in snippets if _is_relevant(each, question, case)]
    precision = len(relevant) / count if count else 0.0
    provided = float(any(is_real(each, case.document) for each in [*snippets, *case.cited("citations")]))
    reached = {
        "recall": recall >= question.recall_min - SLACK,
        "precision": bool(snippets) and precision >= question.precision_min - SLACK,
        "citation_provided": provided,
    }
    short = "" if count >= question.count_min else f"{count} of {question.count_min} snippets"
    return _Draft(
        {"recall": recall, "precision": precision, "citation_provided": provided},
        {
            "recall": why,
            "precision": f"{len(relevant)} of {count} snippets are relevant",
            "citation_provided": "a snippet stands on its page"
            if provided
            else "no snippet stands on the page it names",
        },
        evidence_score(reached),
        (f"count_ok: {short}",) if short else (),
        may_pass=all(reached.values()),  # recall and the existence of a citation never pass alone
    )


def _is_relevant(snippet: Citation, question: EvidenceSet, case: Case) -> bool:
    return any(mismatch(snippet, item, case.document, case.snippet) is None for item in question.evidence)


def _judge_gap(question: Gap, case: Case) -> _Draft:
    fact = _fact(question, case) if question.expected and not question.should_abstain else None
    if case.is_silent and not (fact and fact.correct and case.has_typed(question.expected)):
        return _nothing(question, "nothing is said")
    if case.is_dump:
        draft = _nothing(question, "the answer is a copy of the document")
        draft.abstained = False
        return draft
    abstention = _abstention(question, case)
    quoted = next((quote for quote in question.quotes if contains_quote(case.text, quote)), "")
    invented = _invented(question, case)
    answered, why = _answered(question, case, abstention, fact, quoted)
    says = abstention.abstains or bool(quoted) or bool(fact and fact.correct) or _says_something(question, case)
    draft = _Draft(
        {"correct_abstention": float(answered), "no_hallucination": float(not invented and says)},
        {"correct_abstention": why, "no_hallucination": _told(invented, says=says)},
        uncertain=_unsure(abstention, fact, quoted),
        invented=tuple(invented),
        abstained=abstention.abstains,
    )
    for name, (value, reason) in _quoting(question, case, quoted).items():
        draft.parts[name], draft.reasons[name] = value, reason
    draft.score = gap_score(draft.parts)
    return draft


def _abstention(question: Gap, case: Case) -> Abstention:
    """Whether the answer refuses in words of its own; those that it copies are the document's."""
    found = detect_abstention(case.answer, question=question.about.question)
    if not found.abstains:
        return found
    own = own_words(case.text, case.source)
    if own == case.text or detect_abstention(own, question=question.about.question).abstains:
        return found
    return Abstention(False, "the words of refusal are copied from the document", found.uncertain)


def _answered(
    question: Gap, case: Case, abstention: Abstention, fact: FactVerdict | None, quoted: str
) -> tuple[bool, str]:
    """Whether the answer refuses as it should; or, to a control, answers: with the fact, or with the quotation."""
    if question.should_abstain or abstention.abstains:
        return abstention.abstains is question.should_abstain, abstention.reason
    if fact is not None and (fact.correct or not quoted):
        return fact.correct, fact.reason
    if word := doubt(own_words(case.text, case.source)):
        return False, f"the answer disclaims itself ({word!r})"
    if question.quotes:
        return bool(quoted), f"quotes {quoted}" if quoted else f"does not quote {question.quotes[0]}"
    says = _says_something(question, case)
    return says, abstention.reason if says else "the answer says nothing that the document has"


def _says_something(question: Gap, case: Case) -> bool:
    return says_something(case.text, question.about.question, case.source)


def _unsure(abstention: Abstention, fact: FactVerdict | None, quoted: str) -> str:
    """Why rules cannot decide: the refusal, or the fact of a control that no quotation settles."""
    if abstention.uncertain:
        return abstention.reason
    return _undecided(fact) if fact is not None and not quoted else ""


def _invented(question: Gap, case: Case) -> list[Invented]:
    answer, context = case.answer, case.source.text
    asked = question.about.question
    return [
        *find_invented(answer, context, question=asked),
        *find_forbidden(answer, question.check, context, question=asked),
    ]


def _told(invented: Sequence[Invented], *, says: bool) -> str:
    if invented:
        return ", ".join(f"{each.text} ({each.kind})" for each in invented)
    return "nothing is invented" if says else "the answer says nothing that the document has"


def _quote_parts(question: Gap) -> tuple[str, ...]:
    """The parts about quotations; the first takes the rest of the formula."""
    return ("quote_included",) * bool(question.quotes) + ("conflict_surfaced",) * bool(question.conflicting)


def _quoting(question: Gap, case: Case, quoted: str) -> dict[str, tuple[float, str]]:
    found = {}
    if question.quotes:
        found["quote_included"] = (1.0, f"quotes {quoted}") if quoted else (0.0, f"does not quote {question.quotes[0]}")
    if question.conflicting:
        found["conflict_surfaced"] = _surfaced(question, case)
    return found


def _surfaced(question: Gap, case: Case) -> tuple[float, str]:
    """Whether the answer says that statements disagree and gives both sides, quoted or cited."""
    if not CONFLICT.search(case.text):
        return 0.0, "does not say that statements disagree"
    citations = case.cited("citations", "evidence")
    missing = [
        item
        for item in question.conflicting
        if not contains_quote(case.text, item.must_include)
        and not any(gives(each, item, case.document, case.snippet) for each in citations)
    ]
    if missing:
        return 0.0, f"does not give {missing[0].must_include!r} on page {missing[0].page}"
    return 1.0, "says that the statements disagree, and gives them"


def _closed(question: Question, case: Case, draft: _Draft) -> Verdict:
    """The verdict, with what every verdict has beside its own parts."""
    score = 1.0 if math.isclose(draft.score, 1.0, abs_tol=SLACK) else draft.score
    parts, reasons = draft.parts, draft.reasons
    cited = None if case.is_dump else value_cited(case)
    if cited is not None:
        parts["value_cited"] = cited
    level = question.penalty if isinstance(question, Gap) else "low"
    parts["penalised_score"] = penalised(score, penalty_of(level)) if draft.invented else score
    fails = not draft.may_pass or (bool(draft.invented) and level != "low")
    parts["passed"] = float(score >= question.about.passing - SLACK and not fails)
    parts["uncertain"] = float(bool(draft.uncertain))
    if draft.uncertain:
        reasons["uncertain"] = draft.uncertain
    remarks = (*draft.remarks, *remarks_on(question, case))
    return Verdict(score, parts, reasons, remarks, draft.invented, draft.abstained)
