"""`evidence_set`: a question whose answer is a set of passages."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from steelyard.i18n import Message
from steelyard.legal.model import SLACK, TEXTS, About, Draft, Evidence, Fields, Question, listed, only, weighted_sum

if TYPE_CHECKING:
    from steelyard.documents.pages import Document
    from steelyard.legal.score import Case

WEIGHTS: Final = {"recall": 0.5, "precision": 0.3, "citation_provided": 0.2}
"""Recall and precision count in full if they reach their thresholds, else not at all."""


@dataclass(frozen=True, slots=True)
class EvidenceQuestion(Question):
    """A question for passages."""

    order: ClassVar = 2
    type: ClassVar = "evidence_set"
    schema: ClassVar = {
        "required": ["required_evidence"],
        "properties": {
            "required_evidence": {"minItems": 1},
            "expected": only(evidence_count_min={"type": "integer", "minimum": 1}, key_points=TEXTS),
        },
    }
    digest_name: ClassVar = "EvidenceSet"
    parts: ClassVar = tuple(WEIGHTS)
    key_parts: ClassVar = frozenset(("citation_provided",))
    citation_budget: ClassVar = (8, 3)
    citation_fields: ClassVar = ("evidence", "citations")

    about: About
    evidence: tuple[Evidence, ...]
    recall_min: float
    precision_min: float
    count_min: int

    @classmethod
    def parse(cls, fields: Fields, about: About) -> Self:
        scoring, expected = fields.get("scoring", {}), fields.get("expected", {})
        return cls(
            about,
            Evidence.list_of(fields.get("required_evidence", ())),
            recall_min=float(scoring.get("evidence_recall_min", 1.0)),
            precision_min=float(scoring.get("evidence_precision_min", 1.0)),
            count_min=int(expected.get("evidence_count_min", 0)),
        )

    @classmethod
    def weights(cls, parts: Collection[str]) -> Mapping[str, float]:
        return WEIGHTS

    @classmethod
    def counted(cls, parts: Mapping[str, float], score: float, reached: Mapping[str, bool]) -> Mapping[str, float]:
        """Return 1 for recall and precision if they reach their thresholds; without `reached`, as the score implies.

        Results files of earlier versions do not hold `reached`. The weights are such that every sum is unique.
        """
        provided = {"citation_provided": parts["citation_provided"]}
        if reached:
            return {part: float(bool(reached.get(part))) for part in ("recall", "precision")} | provided
        rest = score - WEIGHTS["citation_provided"] * provided["citation_provided"]
        recall = float(rest > WEIGHTS["recall"] - 2 * SLACK)
        precision = float(rest - WEIGHTS["recall"] * recall > WEIGHTS["precision"] - 2 * SLACK)
        return {"recall": recall, "precision": precision, **provided}

    def judge(self, case: "Case") -> Draft:
        """Judge the passages against the required ones."""
        snippets, count = case.cited(*self.citation_fields), len(case.returned(*self.citation_fields))
        recall, why = case.cited_share(self.evidence, *self.citation_fields)
        relevant = sum(any(case.matches(snippet, item) for item in self.evidence) for snippet in snippets)
        precision = relevant / count if count else 0.0
        provided = relevant > 0 or any(map(case.is_real, snippets))
        reached = {
            "recall": recall >= self.recall_min - SLACK,
            "precision": bool(snippets) and precision >= self.precision_min - SLACK,
            "citation_provided": provided,
        }
        nothing = "legal.no_snippet_on_page" if count else "legal.nothing_cited"
        reasons = {
            "recall": why,
            "precision": Message("legal.relevant_snippets", relevant=relevant, count=count),
            "citation_provided": Message("legal.snippet_on_page" if provided else nothing),
        }
        too_few = Message("legal.too_few_snippets", count=count, least=self.count_min)
        return Draft(
            dict(zip(WEIGHTS, (recall, precision, float(provided)), strict=True)),
            reasons,
            weighted_sum(WEIGHTS, reached),
            (too_few,) if count < self.count_min else (),
            may_pass=all(reached.values()),  # neither recall nor the existence of a citation is enough alone
            reached=reached,
        )

    def expected_output(self) -> dict[str, Any]:
        return {"evidence": listed(self.evidence)}

    def gold_record(self, document: "Document") -> dict[str, Any]:
        passages = listed(self.evidence)
        return {"answer": "", "evidence": passages, "citations": passages}
