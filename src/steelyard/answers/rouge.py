"""ROUGE of one pair: shared words, bigrams, and the longest common subsequence of a prediction and a reference.

C.-Y. Lin, ROUGE: A Package for Automatic Evaluation of Summaries, 2004. The values equal those of rouge_score 0.1.2;
`overlaps`, which compares many pairs at once, uses these functions for long texts.
"""

import re
from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from steelyard.text.stemming import stem

_ENGLISH_TOKEN: Final = re.compile(r"[a-z0-9]+")
_MARKED_TOKEN: Final = re.compile(r"[a-z0-9]+|\0")
# the ends of sentences in rouge_chinese, in its order: between the two groups
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
ADDEND: Final = 1e-8  # rouge_chinese adds it to the divisor of F1, so equal texts have 0.999999995


def english_tokens(text: str, *, stemmed: bool, marked: bool = False) -> list[str]:
    """Runs of a-z and 0-9 in the lower-cased text; other characters separate, accented letters too, as in rouge_score.

    Tokens of up to three characters are never stemmed. With `marked`, NUL characters are tokens too.

    >>> english_tokens("The U.S. generously agreed", stemmed=True)
    ['the', 'u', 's', 'gener', 'agre']
    """
    tokens = (_MARKED_TOKEN if marked else _ENGLISH_TOKEN).findall(text.lower())
    return [stem(token) if len(token) > 3 else token for token in tokens] if stemmed else tokens


def ngram_overlap(prediction: Sequence[str], reference: Sequence[str], *, n: int) -> Overlap:
    """ROUGE-N over clipped n-grams; 0 if a side has fewer than n tokens."""
    shared = shared_ngrams(prediction, reference, n=n)
    return _overlap(shared, max(len(prediction) - n + 1, 0), max(len(reference) - n + 1, 0))


def shared_ngrams(prediction: Sequence[Hashable], reference: Sequence[Hashable], *, n: int) -> int:
    """The number of common n-grams, clipped."""
    predicted, wanted = Counter(ngrams(prediction, n)), Counter(ngrams(reference, n))
    common = predicted.keys() & wanted.keys()
    return sum(map(min, map(predicted.__getitem__, common), map(wanted.__getitem__, common)))


def summary_overlap(
    prediction_sentences: Sequence[Sequence[str]], reference_sentences: Sequence[Sequence[str]]
) -> Overlap:
    """ROUGE-Lsum: tokens of a reference sentence in its longest common subsequence with any predicted sentence.

    A token is clipped to its count in the prediction. Of several longest subsequences that of rouge_score is used.
    """
    predicted = Counter(chain.from_iterable(prediction_sentences))
    masks = [(_masks(sentence), len(sentence)) for sentence in prediction_sentences]
    matched: Counter[str] = Counter()
    for sentence in reference_sentences:
        positions = {position for mask, width in masks for position in _matched(sentence, mask, width)}
        matched.update(sentence[position] for position in positions)
    return _overlap((matched & predicted).total(), predicted.total(), sum(map(len, reference_sentences)))


def chinese_words(tokens: Sequence[str]) -> list[str]:
    """The words that rouge_chinese counts in tokens joined by blanks.

    A sentence may end within a token, and a blank line is an empty word.
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
    """The n-grams of the tokens."""
    if n < 1:
        raise ValueError(f"an n-gram has at least one token, not {n}")
    return tokens if n == 1 else zip(*(tokens[start:] for start in range(n)), strict=False)


def subsequence_length(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """The length of the longest common subsequence."""
    last = deque(_rows(left, _masks(right), len(right)), maxlen=1).pop()
    return _length(last, len(right))


def _matched(sentence: Sequence[str], masks: Mapping[Hashable, int], width: int) -> list[int]:
    """The positions in the sentence of one longest common subsequence, found from the end as in rouge_score."""
    rows = list(_rows(sentence, masks, width))
    positions = []
    row, column = len(sentence), width
    while row and column:
        if (masks.get(sentence[row - 1], 0) >> (column - 1)) & 1:
            row, column = row - 1, column - 1
            positions.append(row)
        elif _length(rows[row], column - 1) > _length(rows[row - 1], column):
            column -= 1
        else:
            row -= 1
    return positions


def _rows(tokens: Sequence[Hashable], masks: Mapping[Hashable, int], width: int) -> Iterator[int]:
    """The table of common subsequence lengths, a row for each prefix of the tokens, as bits: 0 if a row rises by one.

    H. Hyyrö, Bit-parallel LCS-length computation revisited, 2004. A row is an integer of any size.
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
    """The positions of each token, as bits."""
    masks: dict[Hashable, int] = {}
    for position, token in enumerate(tokens):
        masks[token] = masks.get(token, 0) | (1 << position)
    return masks
