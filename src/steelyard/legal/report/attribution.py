"""Outcomes of legal answers, and causes of those not right: from the verdicts and the passages that a system shows."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from steelyard.i18n import Message
from steelyard.legal.grounding.checked import PARAPHRASED, draws_on
from steelyard.legal.model import METRIC, SLACK, typed_text
from steelyard.legal.question_types import type_of_parts
from steelyard.legal.report.losses import (
    NOT_REFUSED,
    WRONG_CONCLUSION,
    WRONG_PLACE,
    WRONG_VALUE,
    JudgedItem,
    is_in,
    judged_items,
)
from steelyard.stats.outcomes import CAUSES, OUTCOMES, Answered, parts_of, too_many_undecided
from steelyard.stats.review import UNCERTAIN
from steelyard.table import Column, FloatArray, Missing, Table, mean

_INVENTED: Final = "legal.invented_citation"
_COPIES: Final = "legal.copies_document"
_FORBIDDEN: Final = "legal.point_forbidden"
POINTS: Final = "points_reached"
_UNKNOWN: Final = Missing("unscored", Message("missing.no_part"))


def outcomes(table: Table) -> Column | None:
    """Return the outcomes and causes of a legal result; causes only if an item of it shows a passage.

    The outcomes are those of `stats.outcomes`: an item with full score is accurate, whatever remarks it has, and no
    other is. An answer is right if the first part of its type is. An item without an answer, because the system failed,
    states nothing.
    """
    if table.kind != METRIC:
        return None
    items = judged_items(table)
    parts = parts_of([_with_evidence(_answered(item), item) for item in items])
    for cause in () if any(item.shown for item in items) else CAUSES:
        del parts[cause]
    values = parts.pop(OUTCOMES[0])
    return Column(values, np.isnan(values).astype(np.int64), (_UNKNOWN,), parts)


def hallucinated(table: Table) -> FloatArray:
    """1 for items whose outcome is hallucinated, 0 for the others; NaN without parts, or if too many are undecided."""
    parts = parts_of([_answered(item) for item in judged_items(table)])
    return np.full(len(table), np.nan) if too_many_undecided(parts[UNCERTAIN]) else parts["hallucinated"]


def hallucination_rate(table: Table) -> float:
    """Return the share of hallucinated answers: the number of the table of outcomes, of JSON, and of pages."""
    column = hallucinated(table)
    return mean(column[~np.isnan(column)])


def _answered(item: JudgedItem) -> Answered | None:
    """Return what is known of an item but its evidence; None without a score, parts or outputs."""
    kind = type_of_parts(item.parts)
    if kind is None or math.isnan(item.score) or not item.output:
        return None
    if item.score >= 1 - SLACK:
        return Answered(1.0)
    part, remarks, invented = kind.parts[0], _remarks(item.verdict), item.verdict.get("invented") or []
    is_right, share = item.counted[part][1] == 1, item.parts[part]
    if part == POINTS:  # a share of the points misses others; only what is asserted against them is wrong
        share = 0.0 if _asserts_wrongly(item) else share
        is_right = share == 1
    is_open = item.parts.get(UNCERTAIN) == 1
    only_names = all(each.get("kind") in PARAPHRASED for each in invented)
    may_be_held = bool(invented) and only_names and _INVENTED not in remarks and (is_right or is_open)
    doubts = {"correct": is_open, "invents": may_be_held}
    return Answered(
        1.0 if is_right else share if share < 1 else 0.0,
        invents=bool(invented) or _INVENTED in remarks,
        states=_states(item, part),
        lacks=is_right or any(value < 1 for name, (_, value) in item.counted.items() if name != part),
        doubts=frozenset(name for name, is_doubted in doubts.items() if is_doubted),
    )


def _with_evidence(answer: Answered | None, item: JudgedItem) -> Answered | None:
    """Return the same with what is known of the evidence, where the answer has a cause."""
    kind = type_of_parts(item.parts)
    if kind is None or answer is None or not answer.cause:
        return answer
    part = kind.parts[0]
    return answer.with_evidence(_is_retrieved(item), answer.states and _uses(item, part))


def _states(item: JudgedItem, part: str) -> bool:
    """Return whether an answer says something; of points, only what is asserted against them."""
    if part == POINTS:
        return _asserts_wrongly(item)
    return not _refuses(item) and _COPIES not in _remarks(item.verdict)


def _asserts_wrongly(item: JudgedItem) -> bool:
    return item.concludes_wrongly or _has(item.reasons.get(POINTS), _FORBIDDEN)


def _has(stored: Any, code: str) -> bool:
    """Return whether a stored message has this code, or one of its arguments has."""
    if isinstance(stored, Mapping):
        return any(_has(each, code) for each in stored.values())
    return stored == code or (isinstance(stored, list) and any(_has(each, code) for each in stored))


def _remarks(verdict: Mapping[str, Any]) -> set[str]:
    """Return the codes of the remarks of a verdict."""
    stored = (verdict.get("messages") or {}).get("remarks") or ()
    return {each[0] for each in stored if isinstance(each, list) and each}


def _refuses(item: JudgedItem) -> bool:
    abstained = item.verdict.get("abstained")
    return item.refuses() if abstained is None or not item.answer.strip() else bool(abstained)


def _wanted(item: JudgedItem) -> list[str]:
    """Return the words of the passages that are required; of quotations one would do, the first that is shown."""
    quotes: Sequence[str] = item.expected.get("quotes") or ()
    return [*item.evidence, *[*(quote for quote in quotes if is_in(quote, item.shown)), *quotes][:1]]


def _is_retrieved(item: JudgedItem) -> bool | None:
    """Return whether the system shows every required passage; None if others may have been retrieved."""
    wanted = _wanted(item)
    if not wanted and POINTS in item.parts:
        return None
    shown = all(is_in(words, (item.answer, *item.shown)) for words in wanted)
    return shown or (False if item.has_contexts else None)


def _uses(item: JudgedItem, part: str) -> bool:
    """Return whether a wrong answer has something of the evidence, from the stage at which its part was lost."""
    stage = getattr(item, part)()
    return stage in (WRONG_PLACE, NOT_REFUSED) or (
        stage in (WRONG_VALUE, WRONG_CONCLUSION) and _draws_on_evidence(item)
    )


def _draws_on_evidence(item: JudgedItem) -> bool:
    wanted = _wanted(item)
    passages = [text for text in item.shown if any(is_in(words, (text,)) for words in wanted)] or wanted
    if not passages:
        return True
    answer = item.answer if item.answer.strip() else typed_text(item.output)
    return draws_on(answer, "\n".join(passages), str(item.output.get("question") or ""))
