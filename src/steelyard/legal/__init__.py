"""The legal benchmark: facts, evidence and refusals, judged by rules without a model."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from steelyard.legal.evidence.quotes import contains_quote
    from steelyard.legal.facts.fields import FactRules, FactVerdict, judge_fact
    from steelyard.legal.grounding.inventions import Invented, find_invented
    from steelyard.legal.model import EvidenceSet, Fact, Gap, question_of
    from steelyard.legal.refusals.abstention import Abstention, detect_abstention
    from steelyard.legal.score import Verdict, judge

# the module of each public name; a module is imported when a name of it is used
_MODULES = {
    "Abstention": "refusals.abstention",
    "EvidenceSet": "model",
    "Fact": "model",
    "FactRules": "facts.fields",
    "FactVerdict": "facts.fields",
    "Gap": "model",
    "Invented": "grounding.inventions",
    "Verdict": "score",
    "contains_quote": "evidence.quotes",
    "detect_abstention": "refusals.abstention",
    "find_invented": "grounding.inventions",
    "judge": "score",
    "judge_fact": "facts.fields",
    "question_of": "model",
}

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


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'steelyard.legal' has no attribute {name!r}")
    return getattr(import_module(f"steelyard.legal.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
