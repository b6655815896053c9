"""`fact_exact`: a question whose answer is one or more typed fields."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from steelyard.i18n import Message
from steelyard.legal.model import (
    FIELDS,
    About,
    Draft,
    Evidence,
    FactRules,
    Fault,
    Fields,
    Question,
    listed,
    only,
    weighted_sum,
)

if TYPE_CHECKING:
    from steelyard.documents.pages import Document
    from steelyard.legal.score import Case

WEIGHTS: Final = {"exact_match": 0.7, "citation_correctness": 0.3}
"""The weights where passages must be cited; else the match is the whole score."""


@dataclass(frozen=True, slots=True)
class FactQuestion(Question):
    """A question with typed fields as its answer."""

    order: ClassVar = 1
    type: ClassVar = "fact_exact"
    schema: ClassVar = {"required": ["expected"], "properties": {"expected": {"minProperties": 1, **only(*FIELDS)}}}
    digest_name: ClassVar = "Fact"
    parts: ClassVar = tuple(WEIGHTS)
    key_parts: ClassVar = frozenset(("exact_match",))
    open_part: ClassVar = "exact_match"

    about: About
    expected: Mapping[str, Any]
    evidence: tuple[Evidence, ...]
    rules: FactRules
    citation_required: bool

    @classmethod
    def parse(cls, fields: Fields, about: About) -> Self:
        evidence = Evidence.list_of(fields.get("required_evidence", ()))
        rules = FactRules.of(fields, (item.must_include for item in evidence))
        is_required = bool(fields.get("scoring", {}).get("citation_required", bool(evidence)))
        return cls(about, fields.get("expected", {}), evidence, rules, is_required)

    @classmethod
    def weights(cls, parts: Collection[str]) -> Mapping[str, float]:
        return WEIGHTS if "citation_correctness" in parts else {"exact_match": 1.0}

    @classmethod
    def faults(cls, fields: Fields) -> Iterator[Fault]:
        if fields.get("scoring", {}).get("citation_required") and not fields.get("required_evidence"):
            yield Fault("/scoring/citation_required", Message("formats.citation_without_evidence"))

    @property
    def part_names(self) -> tuple[str, ...]:
        return self.parts if self.citation_required else ("exact_match",)

    def judge(self, case: "Case") -> Draft:
        """Judge the typed fields, or what the text says of them, and the citations."""
        if case.is_silent and not case.has_typed(self.expected):
            return Draft.zero(self, Message("legal.nothing_said"))
        draft = Draft.zero(self, Message("legal.copy_of_document")) if case.is_dump else self._judge_fields(case)
        if self.citation_required:
            share, why = case.cited_share(self.evidence, "citations", "evidence")
            draft.parts["citation_correctness"], draft.why["citation_correctness"] = share, why
            draft.score = weighted_sum(WEIGHTS, draft.parts)
        return draft

    def _judge_fields(self, case: "Case") -> Draft:
        verdict = case.judge_fact(self.expected, self.rules)
        if verdict.share and (stance := case.stance()).kind in ("refuses", "mixed"):
            doubt = stance.why if stance.uncertain else None
            return Draft({"exact_match": 0.0}, {"exact_match": stance.why}, uncertain=doubt)
        own = case.without_passages() if verdict.share else case
        if own is not case and not own.judge_fact(self.expected, self.rules).share:
            why = Message("legal.pile_of_passages")
            return Draft({"exact_match": 0.0}, {"exact_match": why}, uncertain=why)
        exact = verdict.share if self.rules.partial_credit else float(verdict.correct)
        return Draft({"exact_match": exact}, {"exact_match": verdict.why}, exact, verdict.flags, verdict.undecided)

    def expected_output(self) -> dict[str, Any]:
        return {"answer": dict(self.expected), "evidence": listed(self.evidence)}

    def gold_record(self, document: "Document") -> dict[str, Any]:
        return {**self.expected, "answer": "", "citations": listed(self.evidence)}
