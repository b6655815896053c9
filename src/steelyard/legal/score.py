"""From a question and what a system gave to a verdict: a score by the seed's formulas, its parts, and why."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from steelyard.documents.pages import Document
from steelyard.i18n import Joined, Localized, Message
from steelyard.i18n.verdicts import in_one_line, invented_kind
from steelyard.legal.cases import Case, case_of, remarks_on, value_cited
from steelyard.legal.evidence.citations import Citation, Mismatch, gives, is_real, mismatch
from steelyard.legal.evidence.copies import own_words
from steelyard.legal.evidence.quotes import contains_quote
from steelyard.legal.evidence.saying import says_something
from steelyard.legal.facts.clauses import doubt, without_quotes
from steelyard.legal.facts.fields import FactVerdict, judge_fact
from steelyard.legal.formulas import (
    EVIDENCE_WEIGHTS,
    FACT_WEIGHTS,
    GAP_WEIGHTS,
    SLACK,
    evidence_score,
    fact_score,
    gap_score,
    penalised,
)
from steelyard.legal.grounding.forbidden import find_forbidden
from steelyard.legal.grounding.inventions import Invented, find_invented
from steelyard.legal.model import Evidence, EvidenceSet, Fact, Gap, Question, penalty_of
from steelyard.legal.reading import MOST_FIGURES, is_too_long
from steelyard.legal.refusals.abstention import Abstention, detect_abstention
from steelyard.legal.refusals.words import CONFLICT

AT_PASSAGE: Final = "legal.at_passage"
"""The code of a reason that names a required passage which is not cited, by its page and the beginning of its words."""
LONGEST_WORDS: Final = 24


@dataclass(frozen=True, slots=True)
class Verdict:
    """A score in [0, 1], the parts it is made of and those that stand beside it, why, and what was invented.

    `why` are the reasons by part and `noted` the remarks, as messages; `reasons`, `remarks` and `reason` are their
    English texts. `reached` says of parts that count in full or not at all whether they count.
    """

    score: float
    parts: Mapping[str, float]
    why: Mapping[str, Localized]
    noted: tuple[Message, ...] = ()
    invented: tuple[Invented, ...] = ()
    abstained: bool | None = None
    reached: Mapping[str, bool] = field(default_factory=dict)

    @property
    def reasons(self) -> dict[str, str]:
        """Why, part by part, in English."""
        return {part: str(why) for part, why in self.why.items()}

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is reported beside the score, in English."""
        return tuple(map(str, self.noted))

    @property
    def reason(self) -> str:
        """All reasons in one line."""
        return str(in_one_line(self.why.items()))

    @property
    def uncertain(self) -> bool:
        """Whether rules cannot decide; the score is the best guess."""
        return bool(self.parts.get("uncertain"))


@dataclass(slots=True)
class _Draft:
    """A verdict in the making; `uncertain` is why rules cannot decide, and nothing where they can."""

    parts: dict[str, float]
    why: dict[str, Localized]
    score: float = 0.0
    noted: tuple[Message, ...] = ()
    uncertain: Localized | None = None
    invented: tuple[Invented, ...] = ()
    abstained: bool | None = None
    may_pass: bool = True
    reached: Mapping[str, bool] = field(default_factory=dict)


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
        remark = Message("legal.answer_too_long", longest=question.about.longest)
        return _nothing(question, Message("legal.longer_than", longest=question.about.longest), remark)
    remark = Message("legal.too_many_figures", most=MOST_FIGURES)
    return _nothing(question, Message("legal.more_figures_than", most=MOST_FIGURES), remark)


def _nothing(question: Question, why: Message, remark: Message | None = None) -> _Draft:
    """A draft that earns nothing on any part."""
    match question:
        case Fact():
            names = tuple(FACT_WEIGHTS) if question.citation_required else ("exact_match",)
        case EvidenceSet():
            names = tuple(EVIDENCE_WEIGHTS)
        case Gap():
            names = (*GAP_WEIGHTS, *_quote_parts(question))
    return _Draft(dict.fromkeys(names, 0.0), {names[0]: why}, noted=(remark,) if remark else ())


def _judge_fact(question: Fact, case: Case) -> _Draft:
    if case.is_silent and not case.has_typed(question.expected):
        return _nothing(question, Message("legal.nothing_said"))
    if case.is_dump:
        draft = _nothing(question, Message("legal.copy_of_document"))
    else:
        found = _fact(question, case)
        if found.correct and (why := _refused(question, case)):
            found = FactVerdict(False, 0.0, why)
        exact = found.share if question.rules.partial_credit else float(found.correct)
        draft = _Draft({"exact_match": exact}, {"exact_match": found.why}, exact, found.noted, _undecided(found))
    if question.citation_required:
        share, why = _cited(question.evidence, case.cited("citations", "evidence"), case)
        draft.parts["citation_correctness"], draft.why["citation_correctness"] = share, why
        draft.score = fact_score(draft.parts)
    return draft


def _fact(question: Fact | Gap, case: Case) -> FactVerdict:
    """The typed fields of the record, or what its text says of them, against those that are expected."""
    return judge_fact(question.expected, case.record, question=question.about.question, rules=question.rules)


def _refused(question: Fact, case: Case) -> Localized | None:
    """The words by which an answer refuses, if the value stands only in what it quotes: “not stated; it says: …”."""
    if case.has_typed(question.expected):
        return None
    refusal = detect_abstention(case.answer, question=question.about.question)
    own = {**case.record, "answer": without_quotes(case.text)}
    asked = question.about.question
    if not refusal.abstains or judge_fact(question.expected, own, question=asked, rules=question.rules).correct:
        return None
    return refusal.why


def _undecided(found: FactVerdict) -> Localized | None:
    """The fields that rules cannot decide, with their reasons."""
    unsure = [(name, judged.why) for name, judged in found.fields.items() if judged.uncertain]
    return in_one_line(unsure) if unsure else None


def _cited(evidence: Sequence[Evidence], citations: Sequence[Citation], case: Case) -> tuple[float, Localized]:
    """The share of critical items that some citation gives, and why not all."""
    wanted = [item for item in evidence if item.is_critical] or list(evidence)
    if not wanted:
        return 0.0, Message("legal.no_evidence_named")
    misses = [_miss(item, citations, case) for item in wanted]
    missed = [why for why in misses if why]
    why = Joined("core.clauses", missed) if missed else Message("legal.every_passage_cited")
    return (len(wanted) - len(missed)) / len(wanted), why


def _miss(item: Evidence, citations: Sequence[Citation], case: Case) -> Message | None:
    """Why no citation gives a passage, told of the nearest one."""
    misses = [mismatch(citation, item, case.document, case.snippet) for citation in citations]
    given = [miss for miss in misses if miss is not None]
    if len(given) < len(misses):
        return None
    reason = _nearest(given).why if given else Message("legal.nothing_cited")
    return Message(AT_PASSAGE, page=item.page, words=item.must_include[:LONGEST_WORDS], reason=reason)


def _nearest(misses: Sequence[Mismatch]) -> Mismatch:
    """The miss that comes nearest; of several the one that takes the fewest words to tell."""
    most = max(miss.nearness for miss in misses)
    nearest = [miss for miss in misses if miss.nearness == most]
    return nearest[0] if len(nearest) == 1 else min(nearest, key=lambda miss: len(str(miss.why)))


def _judge_evidence(question: EvidenceSet, case: Case) -> _Draft:
    snippets, count = case.cited("evidence", "citations"), len(case.returned("evidence", "citations"))
    recall, why = _cited(question.evidence, snippets, case)
    relevant = [each for each in snippets if _is_relevant(each, question, case)]
    precision = len(relevant) / count if count else 0.0
    provided = float(any(is_real(each, case.document) for each in [*snippets, *case.cited("citations")]))
    reached = {
        "recall": recall >= question.recall_min - SLACK,
        "precision": bool(snippets) and precision >= question.precision_min - SLACK,
        "citation_provided": bool(provided),
    }
    short = Message("legal.too_few_snippets", count=count, least=question.count_min)
    return _Draft(
        {"recall": recall, "precision": precision, "citation_provided": provided},
        {
            "recall": why,
            "precision": Message("legal.relevant_snippets", relevant=len(relevant), count=count),
            "citation_provided": Message("legal.snippet_on_page") if provided else Message("legal.no_snippet_on_page"),
        },
        evidence_score(reached),
        (short,) if count < question.count_min else (),
        may_pass=all(reached.values()),  # recall and the existence of a citation never pass alone
        reached=reached,
    )


def _is_relevant(snippet: Citation, question: EvidenceSet, case: Case) -> bool:
    return any(mismatch(snippet, item, case.document, case.snippet) is None for item in question.evidence)


def _judge_gap(question: Gap, case: Case) -> _Draft:
    fact = _fact(question, case) if question.expected and not question.should_abstain else None
    if case.is_silent and not (fact and fact.correct and case.has_typed(question.expected)):
        return _nothing(question, Message("legal.nothing_said"))
    if case.is_dump:
        draft = _nothing(question, Message("legal.copy_of_document"))
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
        draft.parts[name], draft.why[name] = value, reason
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
    return Abstention(False, Message("legal.refusal_copied"), found.uncertain)


def _answered(
    question: Gap, case: Case, abstention: Abstention, fact: FactVerdict | None, quoted: str
) -> tuple[bool, Localized]:
    """Whether the answer refuses as it should; or, to a control, answers: with the fact, or with the quotation."""
    if question.should_abstain or abstention.abstains:
        return abstention.abstains is question.should_abstain, abstention.why
    if fact is not None and (fact.correct or not quoted):
        return fact.correct, fact.why
    if word := doubt(own_words(case.text, case.source)):
        return False, Message("legal.disclaims_itself", word=word)
    if question.quotes:
        return bool(quoted), _quoted(question, quoted)
    says = _says_something(question, case)
    return says, abstention.why if says else Message("legal.says_nothing_of_document")


def _says_something(question: Gap, case: Case) -> bool:
    return says_something(case.text, question.about.question, case.source)


def _unsure(abstention: Abstention, fact: FactVerdict | None, quoted: str) -> Localized | None:
    """Why rules cannot decide: the refusal, or the fact of a control that no quotation settles."""
    if abstention.uncertain:
        return abstention.why
    return _undecided(fact) if fact is not None and not quoted else None


def _invented(question: Gap, case: Case) -> list[Invented]:
    answer, context = case.answer, case.source.text
    asked = question.about.question
    return [
        *find_invented(answer, context, question=asked),
        *find_forbidden(answer, question.check, context, question=asked),
    ]


def _told(invented: Sequence[Invented], *, says: bool) -> Message:
    if invented:
        items = [Message("legal.invented_item", text=each.text, kind=invented_kind(each.kind)) for each in invented]
        return Message("legal.invented", items=Joined("legal.items", items))
    return Message("legal.nothing_invented") if says else Message("legal.says_nothing_of_document")


def _quote_parts(question: Gap) -> tuple[str, ...]:
    """The parts about quotations; the first takes the rest of the formula."""
    return ("quote_included",) * bool(question.quotes) + ("conflict_surfaced",) * bool(question.conflicting)


def _quoted(question: Gap, quoted: str) -> Message:
    if quoted:
        return Message("legal.quotes", quote=quoted)
    return Message("legal.does_not_quote", quote=question.quotes[0])


def _quoting(question: Gap, case: Case, quoted: str) -> dict[str, tuple[float, Message]]:
    found = {}
    if question.quotes:
        found["quote_included"] = (float(bool(quoted)), _quoted(question, quoted))
    if question.conflicting:
        found["conflict_surfaced"] = _surfaced(question, case)
    return found


def _surfaced(question: Gap, case: Case) -> tuple[float, Message]:
    """Whether the answer says that statements disagree and gives both sides, quoted or cited."""
    if not CONFLICT.search(case.text):
        return 0.0, Message("legal.disagreement_not_said")
    citations = case.cited("citations", "evidence")
    missing = [
        item
        for item in question.conflicting
        if not contains_quote(case.text, item.must_include)
        and not any(gives(each, item, case.document, case.snippet) for each in citations)
    ]
    if missing:
        return 0.0, Message("legal.side_not_given", words=missing[0].must_include, page=missing[0].page)
    return 1.0, Message("legal.disagreement_said")


def _closed(question: Question, case: Case, draft: _Draft) -> Verdict:
    """The verdict, with what every verdict has beside its own parts."""
    score = 1.0 if math.isclose(draft.score, 1.0, abs_tol=SLACK) else draft.score
    parts, why = draft.parts, draft.why
    cited = None if case.is_dump else value_cited(case)
    if cited is not None:
        parts["value_cited"] = cited
    level = question.penalty if isinstance(question, Gap) else "low"
    parts["penalised_score"] = penalised(score, penalty_of(level)) if draft.invented else score
    fails = not draft.may_pass or (bool(draft.invented) and level != "low")
    parts["passed"] = float(score >= question.about.passing - SLACK and not fails)
    parts["uncertain"] = float(draft.uncertain is not None)
    if draft.uncertain is not None:
        why["uncertain"] = draft.uncertain
    noted = (*draft.noted, *remarks_on(question, case))
    return Verdict(score, parts, why, noted, draft.invented, draft.abstained, draft.reached)
