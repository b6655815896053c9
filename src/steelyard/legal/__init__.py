"""The legal benchmark: facts, evidence and refusals, judged by rules without a model."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from steelyard.legal.evidence.quotes import contains_quote as contains_quote
    from steelyard.legal.facts.fields import FactVerdict as FactVerdict
    from steelyard.legal.facts.fields import judge_fact as judge_fact
    from steelyard.legal.grounding.inventions import Invented as Invented
    from steelyard.legal.grounding.inventions import find_invented as find_invented
    from steelyard.legal.model import FactRules as FactRules
    from steelyard.legal.model import LegalVerdict as LegalVerdict
    from steelyard.legal.model import Question as Question
    from steelyard.legal.question_types import question_of as question_of
    from steelyard.legal.question_types.evidence import EvidenceQuestion as EvidenceQuestion
    from steelyard.legal.question_types.fact import FactQuestion as FactQuestion
    from steelyard.legal.question_types.gap import GapQuestion as GapQuestion
    from steelyard.legal.question_types.points import KeyPointsQuestion as KeyPointsQuestion
    from steelyard.legal.score import judge as judge
    from steelyard.legal.stance import Stance as Stance
    from steelyard.legal.stance import detect_abstention as detect_abstention

# the names of each module; a module is imported when a name of it is used
_NAMES = {
    "evidence.quotes": "contains_quote",
    "facts.fields": "FactVerdict judge_fact",
    "grounding.inventions": "Invented find_invented",
    "model": "FactRules LegalVerdict Question",
    "question_types": "question_of",
    "question_types.evidence": "EvidenceQuestion",
    "question_types.fact": "FactQuestion",
    "question_types.gap": "GapQuestion",
    "question_types.points": "KeyPointsQuestion",
    "score": "judge",
    "stance": "Stance detect_abstention",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'steelyard.legal' has no attribute {name!r}")
    return getattr(import_module(f"steelyard.legal.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return list(_MODULES)
