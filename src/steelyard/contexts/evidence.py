"""Whether contexts have what they should: the reference contexts by id, or the sentences of the reference."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from steelyard.answers.batch import AnswerBatch
from steelyard.answers.needs import is_judged_by_ids
from steelyard.answers.rows import AnswerRow
from steelyard.contexts.citations import PrecisionRecall
from steelyard.contexts.grounding import Memory, joined
from steelyard.contexts.sentences import sentences
from steelyard.legal.evidence.quotes import key_of, quote_key
from steelyard.legal.grounding.claims import claims_of
from steelyard.legal.grounding.inventions import find_invented

# sentences whose words are in every text
_YES_OR_NO: Final = frozenset(
    ["yes", "no", "true", "false", "是的", "不是", "没有", "有的", "正确", "错误", "对的", "不对", "可以", "不可以"]
)


def evidence_scores(pairs: AnswerBatch) -> PrecisionRecall:
    """Context precision and recall of a batch, counted once for both metrics."""
    return pairs.once("evidence", lambda: _scores(pairs))


def _scores(pairs: AnswerBatch) -> PrecisionRecall:
    memory = Memory()
    scores = []
    for row in pairs.of:
        if is_judged_by_ids(row):
            scores.append(_by_ids(row))
        else:
            memory.add(sum(len(each.text or "") for each in row.contexts or ()))
            scores.append(_by_text(row))
    columns = np.array(scores, np.float64).reshape(-1, 2).T
    return PrecisionRecall(columns[0], columns[1])


def _by_ids(row: AnswerRow) -> tuple[float, float]:
    retrieved = set(row.retrieved_ids or ())
    wanted = {name for name, grade in (row.reference_ids or {}).items() if grade > 0}
    found = len(retrieved & wanted)
    return found / len(retrieved) if retrieved else 0.0, found / len(wanted) if wanted else 0.0


def _by_text(row: AnswerRow) -> tuple[float, float]:
    groups = [units for group in _references(row) if (units := [each for text in group if (each := _units(text))])]
    if not groups:
        return np.nan, np.nan
    contexts = list(dict.fromkeys(each.text or "" for each in row.contexts or ()))
    wanted = dict.fromkeys(unit for group in groups for units in group for unit in units)
    right = sum(any(_has(text, unit) for unit in wanted) for text in contexts)
    whole = joined(row.contexts or ())
    found = {unit for unit in wanted if _has(whole, unit)}
    shares = [max(sum(unit in found for unit in units) / len(units) for units in group) for group in groups]
    return right / len(contexts) if contexts else 0.0, sum(shares) / len(shares)


def _references(row: AnswerRow) -> Sequence[Sequence[str]]:
    """Groups of texts, of each of which one is enough: the reference contexts, else the references."""
    contexts = [each.text for each in row.reference_contexts or () if each.text is not None]
    return [[text] for text in contexts] if contexts else row.references


def _units(text: str) -> list[str]:
    """The sentences of a text that can be looked for."""
    return [sentence for sentence in sentences(text) if _is_telling(sentence)]


def _is_telling(sentence: str) -> bool:
    key = quote_key(sentence)
    return _has_claims(sentence) or (len(key) > 1 and key not in _YES_OR_NO)


def _has_claims(sentence: str) -> bool:
    return not claims_of(sentence, full=True).is_without_values


def _has(text: str, sentence: str) -> bool:
    """Whether a text has the words of a sentence, or all its values."""
    return key_of(text).holds(sentence) or (_has_claims(sentence) and not find_invented(sentence, text, full=True))
