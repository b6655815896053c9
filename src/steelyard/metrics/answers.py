"""Answer metrics: each looks at one answer and its references, and the closest reference counts."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from steelyard.errors import MissingExtra
from steelyard.metrics.profiles import Groups, Profile
from steelyard.metrics.registry import metric
from steelyard.metrics.rouge import Overlap, ngram_overlap, summary_overlap
from steelyard.text.folding import fold
from steelyard.text.scripts import script_of

DEFAULT_ANSWERS = ("Acc", "EM", "StringEM", "CoverEM", "F1", "ROUGE-1", "ROUGE-2", "ROUGE-L")
NOTHING = Overlap(0.0, 0.0, 0.0)

_LETTERS = re.compile(r"[A-Za-z]+")
_OPTIONS = re.compile(r"A?B?C?D?E?F?G?H?")


@metric("Acc", kind="answers")
def contained(answer: str, groups: Groups, profile: Profile) -> float:
    """Accuracy by containment: 1 if some reference stands in the answer.

    Formula: [some reference is contained in the answer]
    Convention: at the borders of words and numbers, so 2000 does not stand in 42000, nor one in none.
    Source: UltraRAG acc
    """
    return float(any(profile.contains(answer, reference) for reference in _flat(groups)))


@metric("EM", kind="answers")
def exact_match(answer: str, groups: Groups, profile: Profile) -> float:
    """Exact match: 1 if the answer equals some reference.

    Formula: [some reference equals the answer]
    Convention: case, width, blanks and punctuation do not matter; what is left of a text is never nothing.
    Source: SQuAD; UltraRAG em
    """
    key = profile.key(answer)
    return float(key is not None and any(profile.key(reference) == key for reference in _flat(groups)))


@metric("StringEM", kind="answers")
def groups_found(answer: str, groups: Groups, profile: Profile) -> float:
    """String match over groups: the share of groups of aliases of which one stands in the answer.

    Formula: |groups found in the answer| / |groups|
    Convention: a flat list of references is one group.
    Source: ALCE str_em; UltraRAG stringem counts references that equal the answer instead
    """
    return profile.groups_found(answer, groups)


@metric("CoverEM", kind="answers")
def covered(answer: str, groups: Groups, profile: Profile) -> float:
    """Covering match: 1 if all of some reference occurs in the answer, in order.

    Formula: [some reference is a subsequence of the answer]
    Convention: words may stand between; a word that the reference has twice must occur twice.
    Source: UltraRAG coverem, which looks at sets of words
    """
    return float(any(profile.covers(answer, reference) for reference in _flat(groups)))


@metric("F1", kind="answers")
def token_f1(answer: str, groups: Groups, profile: Profile) -> Overlap:
    """Token F1: words that answer and reference share.

    Formula: 2 · P · R / (P + R), P and R over bags of tokens
    Source: SQuAD; UltraRAG f1
    """
    tokens = profile.tokens(answer)
    return _best(ngram_overlap(tokens, profile.tokens(reference), n=1) for reference in _flat(groups))


@metric("ROUGE-1", kind="answers")
def rouge_1(answer: str, groups: Groups, profile: Profile) -> Overlap:
    """ROUGE-1: words that answer and reference share, as F1.

    Formula: 2 · P · R / (P + R) over single tokens, clipped
    Source: Lin, ACL workshop 2004; rouge_score rouge1
    """
    return _rouge(answer, groups, profile, partial(profile.ngrams, n=1))


@metric("ROUGE-2", kind="answers")
def rouge_2(answer: str, groups: Groups, profile: Profile) -> Overlap:
    """ROUGE-2: pairs of neighbouring words that answer and reference share, as F1.

    Formula: 2 · P · R / (P + R) over pairs of neighbours, clipped
    Convention: a text of one word has no pairs; it scores 1 against itself and 0 against all else (rouge_score: 0).
    Source: Lin, ACL workshop 2004; rouge_score rouge2
    """
    return _rouge(answer, groups, profile, partial(_pair_overlap, profile))


@metric("ROUGE-L", kind="answers")
def rouge_l(answer: str, groups: Groups, profile: Profile) -> Overlap:
    """ROUGE-L: the longest common subsequence of answer and reference, as F1.

    Formula: 2 · P · R / (P + R), P = LCS / |answer|, R = LCS / |reference|
    Convention: over the whole text, not by sentences.
    Source: Lin, ACL workshop 2004; rouge_score rougeL
    """
    return _rouge(answer, groups, profile, profile.subsequence)


@metric("ROUGE-Lsum", kind="answers")
def rouge_lsum(answer: str, groups: Groups, profile: Profile) -> Overlap:
    """ROUGE-Lsum: longest common subsequences sentence by sentence, put together, as F1.

    Formula: 2 · P · R / (P + R) over the union of the subsequences of each reference sentence
    Convention: a sentence is a line.
    Source: Lin, ACL workshop 2004; rouge_score rougeLsum
    """
    sentences = _sentences(answer, profile)
    return _best(summary_overlap(sentences, _sentences(reference, profile)) for reference in _flat(groups))


@metric("BLEU", kind="answers")
def bleu(answer: str, groups: Groups, profile: Profile) -> float:
    """BLEU of a single answer: n-grams up to four that it shares with the references, with a penalty for brevity.

    Formula: brevity penalty · geometric mean of the precisions of 1- to 4-grams
    Convention: sacrebleu's sentence BLEU (effective order, exponential smoothing), by characters for Chinese and
        Japanese; all references count at once. The mean over items is not corpus BLEU.
    Source: Papineni and others, ACL 2002; sacrebleu
    """
    references = list(_flat(groups))
    dense = any(script_of(char) in ("han", "kana") for char in answer + "".join(references))
    scorer = _sacrebleu().BLEU(tokenize="zh" if dense else "13a", effective_order=True)
    return min(float(scorer.sentence_score(answer, references).score) / 100, 1.0)  # sacrebleu: 100.00000000000004


@metric("chrF", kind="answers")
def character_f(answer: str, groups: Groups, profile: Profile) -> float:
    """chrF: character n-grams that answer and reference share, recall counting twice.

    Formula: F with β = 2 over character n-grams up to six
    Source: Popović, WMT 2015; sacrebleu
    """
    return min(float(_sacrebleu().CHRF().sentence_score(answer, list(_flat(groups))).score) / 100, 1.0)


@metric("CharF1", kind="answers")
def character_f1(answer: str, groups: Groups, profile: Profile) -> Overlap:
    """Character F1: letters, figures and Chinese characters that answer and reference share.

    Formula: 2 · P · R / (P + R), P and R over bags of characters
    Convention: lower case; everything that is neither letter nor figure is dropped.
    Source: CJRC and CAIL reading comprehension; LawBench rc-F1
    """
    characters = _characters(answer)
    return _best(ngram_overlap(characters, _characters(reference), n=1) for reference in _flat(groups))


@metric("Choice", kind="answers")
def choice(answer: str, groups: Groups, profile: Profile) -> float:
    """Multiple choice: 1 if the answer names exactly the right options and no other.

    Formula: [option letters of the answer = option letters of a reference]
    Convention: a letter from A to H that is not part of a longer word, or several of them together (ABD).
    Source: LawBench 1-2, 3-6
    """
    letters = option_letters(answer)
    return float(bool(letters) and any(option_letters(reference) == letters for reference in _flat(groups)))


def option_letters(text: str) -> frozenset[str]:
    """The options that a text names: single letters from A to H, or several together in order."""
    runs = _LETTERS.findall(fold(text))
    return frozenset(letter for run in runs if _OPTIONS.fullmatch(run) for letter in run)


def _sentences(text: str, profile: Profile) -> list[Sequence[str]]:
    return [tokens for line in text.split("\n") if (tokens := profile.rouge_tokens(line))]


def _sacrebleu() -> Any:
    try:
        from sacrebleu import metrics
    except ImportError:
        raise MissingExtra.of("sacrebleu", "bleu", purpose="BLEU and chrF") from None
    return metrics


def _flat(groups: Groups) -> Iterator[str]:
    return (alias for group in groups for alias in group)


def _rouge(answer: str, groups: Groups, profile: Profile, overlap: Callable[..., Overlap]) -> Overlap:
    tokens = profile.rouge_tokens(answer)
    return _best(overlap(tokens, profile.rouge_tokens(reference)) for reference in _flat(groups))


def _pair_overlap(profile: Profile, answer: Sequence[str], reference: Sequence[str]) -> Overlap:
    if profile.short_as_whole and len(reference) == 1 and tuple(answer) == tuple(reference):
        return Overlap(1.0, 1.0, 1.0)
    return profile.ngrams(answer, reference, n=2)


def _characters(text: str) -> list[str]:
    return [char for char in text.lower() if char.isdigit() or char.isalpha()]


def _best(overlaps: Iterator[Overlap]) -> Overlap:
    """The overlap with the greatest F1; the first of several."""
    return max(overlaps, key=lambda overlap: overlap.f1, default=NOTHING)
