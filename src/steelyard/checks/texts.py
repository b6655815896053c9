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
_BIGRAMS: Final = "ROUGE-2"
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


def checked_texts(
    rows: Sequence[Texts], names: Mapping[str, str], profile: str, digits: Mapping[str, int] | None = None
) -> list[Finding]:
    """Return the scores of rows beside those that their texts give; `names` maps the tool's metrics to ours."""
    known, found = profile_of(profile), list[Finding]()
    pairs = list(dict.fromkeys((row.prediction, text) for row in rows for text in row.references))
    usual, own = (_scores(pairs, list(dict.fromkeys(names.values())), name) for name in (profile, _OWN))
    for row in rows:
        for name in filter(names.__contains__, row.scores):
            measure, written = names[name], row.scores[name]
            if written is None or not row.references:
                found.append(Left(row.row, name, "unscored" if written is None else "no_reference"))
                continue
            lost = [text for text in row.references if _is_emptied(text, known, measure)]
            scores = [(own if text in lost else usual)[measure][row.prediction, text] for text in row.references]
            score = mean(scores) if measure in _SHARES else max(scores)
            why = "texts" if not lost else "emptied" if "".join(lost).isascii() else "script"
            found.append(Value(row.row, name, written, score, why, (digits or {}).get(name, DIGITS)))
    return found


def _scores(
    pairs: Sequence[tuple[str, str]], measures: Sequence[str], profile: str
) -> dict[str, dict[tuple[str, str], float]]:
    """Return the score of each answer and reference in each measure.

    By our own profile StringEM is a share of what is contained, and a single word has a bigram, unlike in the tools.
    """
    if not pairs:
        return {}
    answers, references = [answer for answer, _ in pairs], [[reference] for _, reference in pairs]
    asked = ["EM" if profile == _OWN and name in _SHARES else name for name in measures]
    table = evaluate_answers(answers, references, list(dict.fromkeys(asked)), profile=profile, strip_citations=False)
    scores = {
        name: dict(zip(pairs, map(float, table.column(each)), strict=True))
        for name, each in zip(measures, asked, strict=True)
    }
    if profile == _OWN and _BIGRAMS in scores:
        words = profile_of(_OWN).rouge.tokens
        scores[_BIGRAMS] |= {pair: 0.0 for pair in pairs if len(words(pair[1])) == 1}
    return scores


def _is_emptied(text: str, profile: Profile, measure: str) -> bool:
    encoder = profile.rouge if measure.startswith(_ROUGE) else profile.matching
    return bool(text.strip()) and not encoder.tokens(text)


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
