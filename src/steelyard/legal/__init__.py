"""The legal benchmark: facts, evidence, refusals, judged by rules; no model, and no trick earns a point."""

from steelyard.legal.evidence.quotes import contains_quote
from steelyard.legal.facts.fields import FactRules, FactVerdict, judge_fact
from steelyard.legal.grounding.inventions import Invented, find_invented
from steelyard.legal.model import EvidenceSet, Fact, Gap, question_of
from steelyard.legal.refusals.abstention import Abstention, detect_abstention
from steelyard.legal.score import Verdict, judge

__all__ = [
    "Abstention",
    "EvidenceSet",
    "Fact",
    "FactRules",
    "FactVerdict",
    "Gap",
    "Invented",
    "Verdict",
    "contains_quote",
    "detect_abstention",
    "find_invented",
    "judge",
    "judge_fact",
    "question_of",
]
