"""Scores of answers against references, recomputed from the texts of a row by the profile of a tool.

Some tools remove words and characters before they compare, until nothing is left of the reference: "A" is an article,
Chinese is not a-z. Such a reference is compared by Steelyard's own profile, since the tool scored two empty texts.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from steelyard.answers.evaluate import evaluate_answers
from steelyard.answers.profiles import Profile, profile_of
from steelyard.checks.findings import DIGITS, Finding, Left, Value, mean

_OWN: Final = "steelyard"
_ROUGE: Final = "ROUGE"
_SHARES: Final = frozenset(("StringEM",))
"""Metrics that are means over the references, not their best."""
SHORTEST: Final = 4
"""BLEU has no 4-grams of a text with fewer words; tools differ in what they make of that."""
_ORDERS: Final = range(1, SHORTEST + 1)


class Texts(NamedTuple):
    """A row with an answer, its references and the scores that are written, by the name that the tool uses."""

    row: str
    prediction: str
    references: Sequence[str]
    scores: Mapping[str, float | None]


class _Pair(NamedTuple):
    prediction: str
    reference: str


def checked_texts(
    rows: Sequence[Texts], names: Mapping[str, str], profile: str, digits: Mapping[str, int] | None = None
) -> list[Finding]:
    """Return the scores of rows beside those that their texts give; `names` maps the tool's metrics to ours."""
    known = profile_of(profile)
    pairs = list(dict.fromkeys(_Pair(row.prediction, text) for row in rows for text in row.references))
    measures = list(dict.fromkeys(names.values()))
    usual, own = _scores(pairs, measures, profile), _scores(pairs, measures, _OWN)
    found: list[Finding] = []
    for row in rows:
        for name, written in row.scores.items():
            if name not in names:
                continue
            if written is None or not row.references:
                found.append(Left(row.row, name, "unscored" if written is None else "no_reference"))
                continue
            measure = names[name]
            emptied = [_is_emptied(text, known, measure) for text in row.references]
            each = [
                _own_score(own, measure, _Pair(row.prediction, text)) if lost else usual[measure][row.prediction, text]
                for text, lost in zip(row.references, emptied, strict=True)
            ]
            score = mean(each) if measure in _SHARES else max(each)
            why = _reason(row.references, emptied)
            found.append(Value(row.row, name, written, score, why, (digits or {}).get(name, DIGITS)))
    return found


def _scores(pairs: Sequence[_Pair], measures: Sequence[str], profile: str) -> dict[str, dict[tuple[str, str], float]]:
    """Return the score of each pair in each measure."""
    if not pairs:
        return {}
    predictions, references = [pair.prediction for pair in pairs], [[pair.reference] for pair in pairs]
    table = evaluate_answers(predictions, references, list(measures), profile=profile, strip_citations=False)
    return {name: dict(zip(pairs, map(float, table.column(name)), strict=True)) for name in measures}


def _is_emptied(text: str, profile: Profile, measure: str) -> bool:
    encoder = profile.rouge if measure.startswith(_ROUGE) else profile.matching
    return bool(text.strip()) and not encoder.tokens(text)


def _own_score(own: Mapping[str, Mapping[tuple[str, str], float]], measure: str, pair: _Pair) -> float:
    """Return the score by our own profile; a single word has no bigrams, as in the tools."""
    if measure == "ROUGE-2" and len(profile_of(_OWN).rouge.tokens(pair.reference)) == 1:
        return 0.0
    return own["EM" if measure in _SHARES else measure][pair]


def _reason(references: Sequence[str], emptied: Sequence[bool]) -> str:
    lost = "".join(text for text, is_lost in zip(references, emptied, strict=True) if is_lost)
    return "texts" if not lost else "emptied" if lost.isascii() else "script"


def bleu(words: Sequence[str], references: Sequence[Sequence[str]], floor: float | None = None) -> float:
    """Return BLEU-4, each n-gram clipped by the reference that has it most often.

    A precision without a match is `floor`; by default half a match in the first order without one, a quarter in the
    next, and so on, as sacrebleu smooths.
    """
    logs, part = [], 1.0
    for n in _ORDERS:
        most: Counter[tuple[str, ...]] = Counter()
        for other in references:
            most |= _ngrams(other, n)
        ours = _ngrams(words, n)
        shared = float((ours & most).total())
        if not shared:
            part /= 2
        logs.append(math.log((shared or (part if floor is None else floor * ours.total())) / ours.total()))
    closest = min(map(len, references), key=lambda length: (abs(length - len(words)), length))
    return math.exp(min(0.0, 1 - closest / len(words)) + math.fsum(logs) / len(logs))


def _ngrams(words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[start : start + n]) for start in range(len(words) - n + 1))
