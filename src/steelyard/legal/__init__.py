"""The legal benchmark: facts, evidence and refusals, judged by rules without a model."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from steelyard.legal.evidence.quotes import contains_quote
    from steelyard.legal.facts.fields import FactVerdict, judge_fact
    from steelyard.legal.grounding.inventions import Invented, find_invented
    from steelyard.legal.model import FactRules, Question
    from steelyard.legal.question_types import question_of
    from steelyard.legal.question_types.evidence import EvidenceQuestion
    from steelyard.legal.question_types.fact import FactQuestion
    from steelyard.legal.question_types.gap import GapQuestion
    from steelyard.legal.score import judge
    from steelyard.legal.stance import Stance, detect_abstention
    from steelyard.legal.verdicts import LegalVerdict

# the module of each public name; a module is imported when a name of it is used
_MODULES = {
    "Stance": "stance",
    "EvidenceQuestion": "question_types.evidence",
    "FactQuestion": "question_types.fact",
    "FactRules": "model",
    "FactVerdict": "facts.fields",
    "GapQuestion": "question_types.gap",
    "Invented": "grounding.inventions",
    "LegalVerdict": "verdicts",
    "Question": "model",
    "contains_quote": "evidence.quotes",
    "detect_abstention": "stance",
    "find_invented": "grounding.inventions",
    "judge": "score",
    "judge_fact": "facts.fields",
    "question_of": "question_types",
}

__all__ = [
    "EvidenceQuestion",
    "FactQuestion",
    "FactRules",
    "FactVerdict",
    "GapQuestion",
    "Invented",
    "LegalVerdict",
    "Question",
    "Stance",
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
