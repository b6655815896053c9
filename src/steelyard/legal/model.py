"""Questions of the benchmark: a fact, a set of evidence, or a gap (something absent or contradictory)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from steelyard.errors import UnknownName
from steelyard.i18n import Message
from steelyard.legal.facts.fields import FIELDS, FactRules
from steelyard.legal.formulas import PENALTIES
from steelyard.legal.reading import LONGEST_ANSWER
from steelyard.text.normalisation import normalise

TYPES: Final = ("fact_exact", "evidence_set", "conflict_gap")
SNIPPET: Final = 300
LATIN_SNIPPET: Final = 900
# upstream passes at 0.7; the seed's fact files ask for all of it, and a set of evidence needs both thresholds
_PASSES: Final = {"fact_exact": 1.0, "evidence_set": 1.0, "conflict_gap": 0.7}
# citations that are read: at least so many, and so many for each required passage
_BUDGETS: Final = {"fact_exact": (5, 2), "evidence_set": (8, 3), "conflict_gap": (5, 2)}


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage that must be cited: its page, words that it includes, and who speaks."""

    page: int
    must_include: str
    section: str | None = None
    speaker: str | None = None
    is_critical: bool = True


@dataclass(frozen=True, slots=True)
class About:
    """What every question has.

    `snippet` is the longest passage that may be cited, in characters that count; `citations` is how many citations are
    read; `longest` is the length of an answer, in characters, beyond which it is not read.
    """

    id: str
    type: str
    question: str
    document: str
    where: str = ""
    weight: float = 1.0
    passing: float = 0.7
    snippet: int = SNIPPET
    citations: int = 5
    longest: int = LONGEST_ANSWER
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fact:
    """A question with typed fields as its answer."""

    about: About
    expected: Mapping[str, Any]
    evidence: tuple[Evidence, ...]
    rules: FactRules
    citation_required: bool


@dataclass(frozen=True, slots=True)
class EvidenceSet:
    """A question for passages."""

    about: About
    evidence: tuple[Evidence, ...]
    recall_min: float
    precision_min: float
    count_min: int


@dataclass(frozen=True, slots=True)
class Gap:
    """A question about something that the document leaves open, or that only seems so.

    `expected` are the typed fields of the answer to a control, a question that must be answered.
    """

    about: About
    should_abstain: bool
    quotes: tuple[str, ...]
    check: str
    penalty: str
    conflicting: tuple[Evidence, ...]
    evidence: tuple[Evidence, ...]
    expected: Mapping[str, Any] = field(default_factory=dict)
    rules: FactRules = field(default_factory=FactRules)


Question = Fact | EvidenceSet | Gap


def question_of(
    fields: Mapping[str, Any], *, document: str = "", criteria: Mapping[str, Any] | None = None, where: str = ""
) -> Question:
    """The question that the fields of a question file describe; `type` is among them."""
    kind = fields.get("type", "")
    if kind not in _MAKERS:
        raise UnknownName.of(Message("words.question_type"), str(kind), TYPES, where=where or None)
    return _MAKERS[kind](fields, _about(fields, document, criteria or {}, where))


def penalty_of(level: str) -> float:
    """What a hallucination takes off the penalised score."""
    return PENALTIES[level]


def _about(fields: Mapping[str, Any], document: str, criteria: Mapping[str, Any], where: str) -> About:
    scoring, kind = fields.get("scoring", {}), fields["type"]
    default = LATIN_SNIPPET if fields["question"].isascii() else SNIPPET
    metadata = fields.get("metadata", {})
    tags = {key: str(metadata[key]) for key in ("difficulty", "category") if metadata.get(key)}
    weight = float(scoring.get("weight", 1.0))
    tags |= {} if weight == 1.0 else {"weight": f"{weight:g}"}
    return About(
        id=str(fields["id"]),
        type=kind,
        question=fields["question"],
        document=document,
        where=where,
        weight=weight,
        passing=float(criteria.get("passing_threshold", _PASSES[kind])),
        snippet=int(criteria.get("max_snippet_chars", default)),
        citations=int(criteria.get("max_citations", _budget(fields))),
        longest=min(int(criteria.get("max_answer_chars", LONGEST_ANSWER)), LONGEST_ANSWER),
        tags={"type": kind, **({"document": document} if document else {}), **tags},
    )


def _budget(fields: Mapping[str, Any]) -> int:
    """How many citations are read: the more, the more are required."""
    least, factor = _BUDGETS[fields["type"]]
    required = len(fields.get("required_evidence", ())) + len(fields.get("conflicting_evidence", ()))
    return max(least, factor * required)


def _fact(fields: Mapping[str, Any], about: About) -> Fact:
    scoring = fields.get("scoring", {})
    evidence = _evidence(fields.get("required_evidence", ()))
    rules = _rules(fields, (item.must_include for item in evidence))
    return Fact(
        about, fields.get("expected", {}), evidence, rules, bool(scoring.get("citation_required", bool(evidence)))
    )


def _rules(fields: Mapping[str, Any], sources: Iterable[str]) -> FactRules:
    scoring = fields.get("scoring", {})
    aliases = [*fields.get("aliases", ()), *fields.get("entity_aliases", ()), *scoring.get("entity_aliases", ())]
    return FactRules(
        numeric_exact=bool(scoring.get("numeric_exact", True)),
        date_exact=bool(scoring.get("date_exact", True)),
        approx_policy=str(scoring.get("approx_policy", "credit")),
        partial_credit=bool(scoring.get("partial_credit", False)),
        aliases=tuple(map(str, aliases)),
        source="\n".join(sources),
    )


def _evidence_set(fields: Mapping[str, Any], about: About) -> EvidenceSet:
    scoring, expected = fields.get("scoring", {}), fields.get("expected", {})
    return EvidenceSet(
        about,
        _evidence(fields.get("required_evidence", ())),
        recall_min=float(scoring.get("evidence_recall_min", 1.0)),
        precision_min=float(scoring.get("evidence_precision_min", 1.0)),
        count_min=int(expected.get("evidence_count_min", 0)),
    )


def _gap(fields: Mapping[str, Any], about: About) -> Gap:
    scoring, expected = fields.get("scoring", {}), fields.get("expected", {})
    required = fields.get("required_quote")
    quotes = (required, *fields.get("additional_quotes", ())) if required else ()
    evidence = _evidence(fields.get("required_evidence", ()))
    return Gap(
        about,
        should_abstain=bool(fields.get("should_abstain", expected.get("should_abstain", True))),
        quotes=quotes,
        check=str(scoring.get("hallucination_check", "")),
        penalty=_level(fields.get("hallucination_penalty", scoring.get("hallucination_penalty", "high"))),
        conflicting=_evidence(fields.get("conflicting_evidence", ())),
        evidence=evidence,
        expected={name: expected[name] for name in FIELDS if expected.get(name) is not None},
        rules=_rules(fields, (*quotes, *(item.must_include for item in evidence))),
    )


def _level(penalty: str | float) -> str:
    if isinstance(penalty, str):
        return penalty if penalty in PENALTIES else "high"
    return "high" if penalty >= 0.75 else "medium" if penalty >= 0.4 else "low"


def _evidence(items: Sequence[Mapping[str, Any]]) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(
            item["page"],
            normalise(item["must_include"]),
            item.get("section"),
            item.get("speaker"),
            bool(item.get("is_critical", False)),
        )
        for item in items
    )


_MAKERS: Final[Mapping[str, Callable[[Mapping[str, Any], About], Question]]] = {
    "fact_exact": _fact,
    "evidence_set": _evidence_set,
    "conflict_gap": _gap,
}
