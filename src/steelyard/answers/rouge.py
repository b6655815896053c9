"""ROUGE: how many words, word pairs, or words in the same order a prediction shares with a reference.

C.-Y. Lin, ROUGE: A Package for Automatic Evaluation of Summaries, 2004. Overlaps of one pair with the numbers of
rouge_score 0.1.2 (Google's), and what `overlaps`, which looks at many pairs at once, leans on for long texts.
"""

import re
from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from steelyard.text.stemming import stem

_ENGLISH_TOKEN: Final = re.compile(r"[a-z0-9]+")
# where rouge_chinese ends a sentence, in its order: between the two groups
_SENTENCE_ENDS: Final = tuple(
    re.compile(rule)
    for rule in ("([。！？?])([^”’])", "([.]{6})([^”’])", "(…{2})([^”’])", "([。！？?][”’])([^，。！？?])")
)


@dataclass(frozen=True, slots=True)
class Overlap:
    """The shared part as a share of the prediction, as a share of the reference, and the harmonic mean of the two."""

    precision: float
    recall: float
    f1: float


_NOTHING: Final = Overlap(0.0, 0.0, 0.0)
ADDEND: Final = 1e-8  # by which rouge_chinese keeps the divisor of F1 from 0, so equal texts have 0.999999995


def english_tokens(text: str, *, stemmed: bool) -> list[str]:
    """Runs of a-z and 0-9 in the lower-cased text; all else, accented letters too, is a blank, as in rouge_score.

    Tokens of up to three characters are never stemmed.

    >>> english_tokens("The U.S. generously agreed", stemmed=True)
    ['the', 'u', 's', 'gener', 'agre']
    """
    tokens = _ENGLISH_TOKEN.findall(text.lower())
    return [stem(token) if len(token) > 3 else token for token in tokens] if stemmed else tokens


def ngram_overlap(prediction: Sequence[str], reference: Sequence[str], *, n: int) -> Overlap:
    """ROUGE-N: an n-gram counts as often as it stands in both; 0 where a side has fewer than n tokens."""
    shared = shared_ngrams(prediction, reference, n=n)
    return _overlap(shared, max(len(prediction) - n + 1, 0), max(len(reference) - n + 1, 0))


def shared_ngrams(prediction: Sequence[Hashable], reference: Sequence[Hashable], *, n: int) -> int:
    """How many n-grams both have, each as often as both have it."""
    predicted, wanted = Counter(ngrams(prediction, n)), Counter(ngrams(reference, n))
    common = predicted.keys() & wanted.keys()
    return sum(map(min, map(predicted.__getitem__, common), map(wanted.__getitem__, common)))


def summary_overlap(
    prediction_sentences: Sequence[Sequence[str]], reference_sentences: Sequence[Sequence[str]]
) -> Overlap:
    """ROUGE-Lsum: tokens of a reference sentence in its longest common subsequence with any predicted sentence.

    A token counts no more often than the prediction has it. Of several longest subsequences rouge_score's is taken.
    """
    predicted = Counter(chain.from_iterable(prediction_sentences))
    masks = [(_masks(sentence), len(sentence)) for sentence in prediction_sentences]
    matched: Counter[str] = Counter()
    for sentence in reference_sentences:
        places = {place for mask, width in masks for place in _matched(sentence, mask, width)}
        matched.update(sentence[place] for place in places)
    return _overlap((matched & predicted).total(), predicted.total(), sum(map(len, reference_sentences)))


def chinese_words(tokens: Sequence[str]) -> list[str]:
    """The words rouge_chinese counts in tokens joined by blanks.

    A sentence ends within a token too, and a blank line is an empty word.
    """
    text = " ".join(tokens)
    for rule in _SENTENCE_ENDS:
        text = rule.sub(r"\1\n\2", text)
    sentences = [sentence for sentence in text.rstrip().split("\n") if sentence]
    return [word for sentence in sentences for word in sentence.split() or [""]]


def _overlap(shared: int, predicted: int, wanted: int) -> Overlap:
    if not shared:
        return _NOTHING
    precision, recall = shared / predicted, shared / wanted
    return Overlap(precision, recall, 2 * precision * recall / (precision + recall))


def ngrams(tokens: Sequence[Hashable], n: int) -> Iterable[Hashable]:
    """Every n tokens that stand together."""
    if n < 1:
        raise ValueError(f"an n-gram has at least one token, not {n}")
    return tokens if n == 1 else zip(*(tokens[start:] for start in range(n)), strict=False)


def subsequence_length(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """The length of the longest common subsequence."""
    last = deque(_rows(left, _masks(right), len(right)), maxlen=1).pop()
    return _length(last, len(right))


def _matched(sentence: Sequence[str], masks: Mapping[Hashable, int], width: int) -> list[int]:
    """Places in the sentence of one longest common subsequence, found from the end as rouge_score finds it."""
    rows = list(_rows(sentence, masks, width))
    places = []
    row, column = len(sentence), width
    while row and column:
        if (masks.get(sentence[row - 1], 0) >> (column - 1)) & 1:
            row, column = row - 1, column - 1
            places.append(row)
        elif _length(rows[row], column - 1) > _length(rows[row - 1], column):
            column -= 1
        else:
            row -= 1
    return places


def _rows(tokens: Sequence[Hashable], masks: Mapping[Hashable, int], width: int) -> Iterator[int]:
    """The table of common subsequence lengths, a row for each beginning of tokens, as bits: 0 where a row rises by one.

    H. Hyyrö, Bit-parallel LCS-length computation revisited, 2004. A row is a whole number of any size.
    """
    full = (1 << width) - 1
    row = full
    yield row
    for token in tokens:
        common = row & masks.get(token, 0)
        row = ((row + common) | (row - common)) & full
        yield row


def _length(row: int, column: int) -> int:
    return column - (row & ((1 << column) - 1)).bit_count()


def _masks(tokens: Sequence[Hashable]) -> dict[Hashable, int]:
    """For each token the places where it stands, as bits."""
    masks: dict[Hashable, int] = {}
    for place, token in enumerate(tokens):
        masks[token] = masks.get(token, 0) | (1 << place)
    return masks
