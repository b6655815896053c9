"""How the score of a legal item is made of its parts; the judges and the check of results files follow these formulas.

A results file holds the score of an item and its parts. Whoever changes one of them and not the other leaves a file
that contradicts itself, which `agrees` finds.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Final

SLACK: Final = 1e-9
"""So far may a score lie from what its parts come to."""
FACT_WEIGHTS: Final = {"exact_match": 0.7, "citation_correctness": 0.3}
"""What each part counts for in the score of a fact whose passages must be cited; else the match is all of it."""
EVIDENCE_WEIGHTS: Final = {"recall": 0.5, "precision": 0.3, "citation_provided": 0.2}
"""Those of a set of evidence; recall and precision count in full or not at all, by their thresholds."""
GAP_WEIGHTS: Final = {"correct_abstention": 0.4, "no_hallucination": 0.4}
"""Those of a gap; where no quotation and no conflict is asked for, these two are all of the score."""
QUOTE_WEIGHT: Final = 0.2
QUOTE_PARTS: Final = ("quote_included", "conflict_surfaced")
"""The parts about quotations; the first that a gap has takes the rest of the formula."""
PENALTIES: Final = {"high": 0.4, "medium": 0.2, "low": 0.0}
"""What a hallucination takes off the penalised score, by the level that the question names."""
SHARES: Final = frozenset(
    (
        *FACT_WEIGHTS,
        *EVIDENCE_WEIGHTS,
        *GAP_WEIGHTS,
        *QUOTE_PARTS,
        "value_cited",
        "penalised_score",
        "passed",
        "uncertain",
    )
)
"""The parts of a legal item; each lies between 0 and 1."""


def fact_score(parts: Mapping[str, float]) -> float:
    """The score of a fact."""
    return _weighed(FACT_WEIGHTS, parts) if "citation_correctness" in parts else parts["exact_match"]


def evidence_score(reached: Mapping[str, float]) -> float:
    """The score of a set of evidence, by whether recall and precision reach their thresholds."""
    return _weighed(EVIDENCE_WEIGHTS, reached)


def gap_score(parts: Mapping[str, float]) -> float:
    """The score of a gap."""
    score = _weighed(GAP_WEIGHTS, parts)
    quoting = next((part for part in QUOTE_PARTS if part in parts), None)
    return score / sum(GAP_WEIGHTS.values()) if quoting is None else score + QUOTE_WEIGHT * parts[quoting]


def penalised(score: float, penalty: float) -> float:
    """What is left of a score when something was invented."""
    return max(0.0, score - penalty)


def agrees(score: float | None, parts: Mapping[str, float | None], *, failed: bool) -> bool:
    """Whether a score is what its parts come to, as far as they tell; an item that failed earns nothing."""
    if score is None:
        return True
    known = {part: value for part, value in parts.items() if value is not None}
    if failed and abs(score) > SLACK:
        return False
    left = known.get("penalised_score", score)
    return _is_one_of(score, _scores(known) or [score]) and _is_one_of(left, _penalised_scores(score, known))


def _scores(parts: Mapping[str, float]) -> list[float]:
    """The scores that an item with these parts can have; none where its parts are not those of a known type."""
    if "exact_match" in parts:
        return [fact_score(parts)]
    if parts.keys() >= GAP_WEIGHTS.keys():
        return [gap_score(parts)]
    if "citation_provided" in parts:  # the thresholds stand in the question
        provided = {"citation_provided": parts["citation_provided"]}
        reached = product((0.0, 1.0), repeat=2)
        return [evidence_score({"recall": r, "precision": p, **provided}) for r, p in reached]
    return []


def _penalised_scores(score: float, parts: Mapping[str, float]) -> list[float]:
    """What the penalised score can be: the score itself, or less where something may be invented."""
    invents = parts.get("no_hallucination", 1.0) < 1.0
    return [penalised(score, penalty) for penalty in PENALTIES.values()] if invents else [score]


def _is_one_of(value: float, possible: Sequence[float]) -> bool:
    return any(abs(value - each) <= SLACK for each in possible)


def _weighed(weights: Mapping[str, float], values: Mapping[str, Any]) -> float:
    total = 0.0
    for part, weight in weights.items():
        total += weight * values[part]  # one by one: from Python 3.12 on `sum` rounds in another way
    return total
