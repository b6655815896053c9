"""Whether contexts have what they should: the reference contexts by id, or the sentences of the reference."""

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
from steelyard.lexicon import lexicon
from steelyard.text.scripts import has_han
from steelyard.text.tokens import atoms

_LONGEST_PHRASE: Final = 6  # three words, or six Chinese characters


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
    passages = [[each.text] for each in row.reference_contexts or () if each.text is not None]
    wanted_of = [[_units(text) for text in group] for group in passages or row.references]
    if not passages:  # an answer in other words than the documents says nothing about them without a value
        wanted_of = [[[unit for unit in units if _is_anchored(unit)] for units in group] for group in wanted_of]
    groups = [units for group in wanted_of if (units := list(filter(None, group)))]
    if not groups:
        return np.nan, np.nan
    contexts = list(dict.fromkeys(each.text or "" for each in row.contexts or ()))
    wanted = dict.fromkeys(unit for group in groups for units in group for unit in units)
    right = sum(any(_has(text, unit) for unit in wanted) for text in contexts)
    whole = joined(row.contexts or ())
    found = {unit for unit in wanted if _has(whole, unit)}
    shares = [max(sum(unit in found for unit in units) / len(units) for units in group) for group in groups]
    return right / len(contexts) if contexts else 0.0, sum(shares) / len(shares)


def _units(text: str) -> list[str]:
    """The sentences of a text that can be looked for."""
    return [sentence for sentence in sentences(text) if _is_telling(sentence)]


def _is_telling(sentence: str) -> bool:
    key = quote_key(sentence)
    return _has_claims(sentence) or (len(key) > 1 and key not in lexicon("contexts").words("yes_no"))


def _is_anchored(sentence: str) -> bool:
    """Whether a sentence has a value, or is a phrase so short that it would be copied from a document."""
    weight = sum(1 if has_han(each) else 2 for each in atoms(sentence))
    return weight <= _LONGEST_PHRASE or _has_claims(sentence)


def _has_claims(sentence: str) -> bool:
    return not claims_of(sentence, full=True).is_without_values


def _has(text: str, sentence: str) -> bool:
    """Whether a text has the words of a sentence, or all its values."""
    return key_of(text).holds(sentence) or (_has_claims(sentence) and not find_invented(sentence, text, full=True))
