"""Answer metrics over a batch of answers and references; the closest reference counts."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from steelyard.answers.batch import AnswerBatch
from steelyard.answers.profiles import Profile
from steelyard.answers.rouge import Overlaps, ngram_overlap, summary_overlap
from steelyard.errors import ConfigError, MissingExtra
from steelyard.i18n import Message
from steelyard.io.costs import BOUNDS
from steelyard.registry.metrics import Measure, metric
from steelyard.table import FloatArray
from steelyard.text.normalisation import fold, script_of

DEFAULT_ANSWERS = ("Acc", "EM", "StringEM", "CoverEM", "F1", "ROUGE-1", "ROUGE-2", "ROUGE-L")

_LETTERS = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]+(?![A-Za-z0-9])")
_OPTIONS = re.compile(r"A?B?C?D?E?F?G?H?")


@metric("Acc", kind="answers")
def contained(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """Accuracy by containment: 1 if the answer contains some reference.

    Formula: [some reference is contained in the answer]
    Convention: at word and number boundaries: 42000 does not contain 2000, nor none one.
    Source: UltraRAG acc
    """
    return pairs.best(profile.contained(pairs, profile))


@metric("EM", kind="answers")
def exact_match(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """Exact match: 1 if the answer equals some reference.

    Formula: [some reference equals the answer]
    Convention: case, width, whitespace and punctuation are ignored; a text never becomes empty.
    Source: SQuAD; UltraRAG em
    """
    equal = pairs.equal(profile.matching)
    return pairs.best(equal if profile.nothing_matches else equal & pairs.has_tokens(profile.matching))


@metric("StringEM", kind="answers")
def groups_found(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """String match over groups: the share of alias groups with an alias in the answer.

    Formula: |groups found in the answer| / |groups|
    Convention: a flat list of references is one group.
    Source: ALCE str_em; UltraRAG stringem counts references that equal the answer instead
    """
    return profile.found(pairs, profile)


@metric("CoverEM", kind="answers")
def covered(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """Covering match: 1 if all words of some reference occur in the answer, in order.

    Formula: [some reference is a subsequence of the answer]
    Convention: other words may come between; a word that the reference has twice must occur twice.
    Source: UltraRAG coverem, which compares sets of words
    """
    return pairs.best(profile.covered(pairs, profile))


@metric("F1", kind="answers")
def token_f1(pairs: AnswerBatch, profile: Profile) -> Overlaps:
    """Token F1: words that answer and reference share.

    Formula: 2 · P · R / (P + R), P and R over bags of tokens
    Source: SQuAD; UltraRAG f1
    """
    shared = pairs.shared(profile.bag)
    return pairs.closest(Overlaps.of(shared.unigrams, shared.predicted, shared.wanted))


@metric("ROUGE-1", kind="answers")
def rouge_1(pairs: AnswerBatch, profile: Profile) -> Overlaps:
    """ROUGE-1: words that answer and reference share, as F1.

    Formula: 2 · P · R / (P + R) over single tokens, clipped
    Source: Lin, ACL workshop 2004; rouge_score rouge1
    """
    return pairs.closest(profile.ngrams(pairs, profile, 1))


@metric("ROUGE-2", kind="answers")
def rouge_2(pairs: AnswerBatch, profile: Profile) -> Overlaps:
    """ROUGE-2: bigrams that answer and reference share, as F1.

    Formula: 2 · P · R / (P + R) over bigrams, clipped
    Convention: a text of one word has no bigrams; it scores 1 against itself and 0 against others (rouge_score: 0).
    Source: Lin, ACL workshop 2004; rouge_score rouge2
    """
    return pairs.closest(profile.ngrams(pairs, profile, 2))


@metric("ROUGE-L", kind="answers")
def rouge_l(pairs: AnswerBatch, profile: Profile) -> Overlaps:
    """ROUGE-L: the longest common subsequence of answer and reference, as F1.

    Formula: 2 · P · R / (P + R), P = LCS / |answer|, R = LCS / |reference|
    Convention: over the whole text, not by sentences.
    Source: Lin, ACL workshop 2004; rouge_score rougeL
    """
    return pairs.closest(profile.subsequence(pairs, profile))


@metric("ROUGE-Lsum", kind="answers")
def rouge_lsum(pairs: AnswerBatch, profile: Profile) -> Overlaps:
    """ROUGE-Lsum: longest common subsequences sentence by sentence, combined, as F1.

    Formula: 2 · P · R / (P + R) over the union of the subsequences of each reference sentence
    Convention: a sentence is a line.
    Source: Lin, ACL workshop 2004; rouge_score rougeLsum
    """

    def sentences(text: str) -> list[Sequence[str]]:
        return [tokens for line in text.split("\n") if (tokens := profile.rouge.tokens(line))]

    return pairs.closest(pairs.overlaps(sentences, summary_overlap))


@metric("BLEU", kind="answers")
def bleu(pairs: AnswerBatch, profile: Profile, *, smooth: int | None = None) -> FloatArray:
    """BLEU of a single answer: shared n-grams up to four with the references, with a brevity penalty.

    Formula: brevity penalty · geometric mean of the precisions of 1- to 4-grams
    Convention: sacrebleu's sentence BLEU (effective order, exponential smoothing), by characters for Chinese and
        Japanese; all references count at once. The mean over items is not corpus BLEU. BLEU(smooth=4) is nltk's with
        smoothing method 4 of Chen and Cherry, over the words of the profile (LeCoQA uses that of rouge-jieba, which
        keeps blanks as jieba does).
    Source: Papineni and others, ACL 2002; sacrebleu; Chen and Cherry, WMT 2014
    """
    if smooth is not None:
        return _smoothed_bleu(pairs, profile, smooth)
    scorers = {kind: _sacrebleu().BLEU(tokenize=kind, effective_order=True) for kind in ("zh", "13a")}
    return _by_answer(pairs, lambda answer, references: scorers["zh" if _is_dense(answer, *references) else "13a"])


@metric("chrF", kind="answers")
def character_f(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """chrF: character n-grams that answer and reference share, with recall weighted twice.

    Formula: F with β = 2 over character n-grams up to six
    Source: Popović, WMT 2015; sacrebleu
    """
    scorer = _sacrebleu().CHRF()
    return _by_answer(pairs, lambda answer, references: scorer)


@metric("CharF1", kind="answers")
def character_f1(pairs: AnswerBatch, profile: Profile) -> Overlaps:
    """Character F1: letters, digits and Chinese characters that answer and reference share.

    Formula: 2 · P · R / (P + R), P and R over bags of characters
    Convention: lower case; other characters are removed.
    Source: CJRC and CAIL reading comprehension; LawBench rc-F1
    """
    return pairs.closest(pairs.overlaps(_characters, partial(ngram_overlap, n=1)))


@metric("Choice", kind="answers", unscored=Message("missing.no_option"))
def choice(pairs: AnswerBatch, profile: Profile, *, skip: int = 0) -> FloatArray:
    """Multiple choice: 1 if the answer gives exactly the correct options.

    Formula: [option letters of the answer = option letters of a reference]
    Convention: a letter from A to H that is not part of a longer word, or several of them together (ABD). An answer
        that names no option is wrong; with Choice(skip=1) it is unscored, and counted as such.
    Source: LawBench 1-2, 3-6
    """
    scores = pairs.best(pairs.compare_texts(_same_options))
    if skip:
        scores[[not option_letters(answer) for answer in pairs.answers]] = np.nan
    return scores


def option_letters(text: str) -> frozenset[str]:
    """Return the options that a text names: single letters from A to H, or several together in order."""
    runs = _LETTERS.findall(fold(text))
    return frozenset(letter for run in runs if _OPTIONS.fullmatch(run) for letter in run)


def check_packages(measures: Iterable[Measure]) -> None:
    """Raise MissingExtra, before anything is read, if a metric needs a package that is not installed."""
    for measure in measures:
        if measure.metric.compute is character_f or (measure.metric.compute is bleu and not measure.parameters):
            _sacrebleu()


def _sacrebleu() -> Any:
    try:
        from sacrebleu import metrics
    except ImportError:
        raise MissingExtra.of("sacrebleu", "bleu", purpose=Message("words.bleu_and_chrf")) from None
    return metrics


def _characters(text: str) -> list[str]:
    return [char for char in text.lower() if char.isdigit() or char.isalpha()]


def _same_options(answer: str, reference: str) -> bool:
    letters = option_letters(answer)
    return bool(letters) and option_letters(reference) == letters


def _smoothed_bleu(pairs: AnswerBatch, profile: Profile, smooth: int) -> FloatArray:
    if smooth != 4:
        raise ConfigError(
            Message("metrics.bleu_smoothing", smooth=smooth),
            hint=Message("metrics.bleu_smoothing_hint"),
        )
    scores = [
        smoothed_bleu(profile.bleu(answer), [profile.bleu(alias) for group in groups for alias in group])
        for answer, groups in pairs.rows()
    ]
    return np.array(scores, np.float64)


def _by_answer(pairs: AnswerBatch, scorer_of: Callable[[str, list[str]], Any]) -> FloatArray:
    """sacrebleu's score of each answer against all its references."""
    rows = [(answer, [alias for group in groups for alias in group]) for answer, groups in pairs.rows()]
    scores = [scorer_of(*row).sentence_score(*row).score / 100 for row in rows]
    return np.minimum(np.array(scores, np.float64), 1.0)  # sacrebleu: 100.00000000000004


def _is_dense(*texts: str) -> bool:
    return any(script_of(char) in ("han", "kana") for text in texts for char in text)


ORDERS = 4
_K = 5


def smoothed_bleu(answer: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """BLEU of one answer; 0 if no word is shared. Short answers get less smoothing."""
    matched = [_matched(answer, references, n) for n in range(1, ORDERS + 1)]
    if not matched[0] or not answer:
        return 0.0
    precisions = []
    empty_orders = 0
    for n, count in enumerate(matched, 1):
        if not count and len(answer) > 1:
            empty_orders += 1
        smoothed = count or (math.log(len(answer)) / (2**empty_orders * _K) if len(answer) > 1 else 0.0)
        precisions.append(smoothed / max(1, len(answer) - n + 1))
    logarithms = [math.log(precision) / ORDERS for precision in precisions if precision > 0]
    nearest = min(map(len, references), key=lambda length: (abs(length - len(answer)), length))
    brevity = 1.0 if len(answer) > nearest else math.exp(1 - nearest / len(answer))
    return brevity * math.exp(math.fsum(logarithms))


def _matched(answer: Sequence[str], references: Sequence[Sequence[str]], n: int) -> int:
    """Return the number of n-grams of the answer, each clipped to its maximum count in a reference."""
    most: Counter[tuple[str, ...]] = Counter()
    for reference in references:
        most |= _ngrams(reference, n)
    return (_ngrams(answer, n) & most).total()


def _ngrams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[start:] for start in range(n)), strict=False))


@metric("Seconds", kind="answers", needs=("seconds",), bounds=BOUNDS)
def seconds(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """Seconds: how long the system took for an answer; less is better.

    Formula: seconds from the question to the whole answer
    Convention: a field seconds, latency (seconds) or latency_ms (milliseconds) of the row. What an answer costs says
        nothing of its quality, and has median and 95th percentile beside the mean. An answer that failed, and one
        without the field, is unscored.
    Source: the system, or the tool that asked it
    """
    return _costs(pairs, "Seconds")


@metric("Tokens", kind="answers", needs=("tokens",), bounds=BOUNDS)
def tokens(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """Tokens: how many tokens the models read and wrote for an answer; less is better.

    Formula: tokens of all requests and replies
    Convention: a field tokens, total_tokens or usage.total_tokens of the row; as Seconds.
    Source: the system, or the tool that asked it
    """
    return _costs(pairs, "Tokens")


@metric("Cost", kind="answers", needs=("cost",), bounds=BOUNDS)
def cost(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """Cost: the price of an answer, in the currency of the system; less is better.

    Formula: price of all requests
    Convention: a field cost, total_cost or usage.cost of the row; as Seconds. Currencies are not converted.
    Source: the system, or the tool that asked it
    """
    return _costs(pairs, "Cost")


def _costs(pairs: AnswerBatch, metric: str) -> FloatArray:
    return np.array([row.costs[metric] for row in pairs.of], np.float64)
