"""Eight answer metrics as UltraRAG has them, written as plainly as they can be: slow, and easy to check.

acc, em, stringem, coverem, f1 by words after lower case, punctuation and articles are gone; ROUGE by rouge_score, one
scorer for each, with stems. Facts of ULTRARAG's behaviour; no code of it.
"""

import re
import string
from collections import Counter

from rouge_score.rouge_scorer import RougeScorer

NAMES = ("Acc", "EM", "StringEM", "CoverEM", "F1", "ROUGE-1", "ROUGE-2", "ROUGE-L")
PUNCTUATION = set(string.punctuation + "‘’´`")


def normalise(text):
    """As it is up to release 0.3.0.2."""
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", without_punctuation(text)).split())


def normalise_2026_09(text):
    """As it is since 2026-09-12 (OpenBMB/UltraRAG#510): a text of nothing but articles keeps them."""
    return normalise(text) or " ".join(without_punctuation(text).split())


def without_punctuation(text):
    text = {"True": "yes", "False": "no"}.get(text, text).replace("_", " ").lower()
    return "".join(" " if char in PUNCTUATION else char for char in text)


def acc(prediction, references, normalise):
    return float(any(normalise(r) in normalise(prediction) for r in references) and normalise(prediction) != "")


def em(prediction, references, normalise):
    return float(any(normalise(r) == normalise(prediction) for r in references))


def stringem(prediction, references, normalise):
    return sum(normalise(r) == normalise(prediction) for r in references) / len(references)


def coverem(prediction, references, normalise):
    words = set(normalise(prediction).split())
    return float(any(set(normalise(r).split()) <= words for r in references))


def f1(prediction, references, normalise):
    def one(reference):
        said, wanted = normalise(prediction).split(), normalise(reference).split()
        shared = sum((Counter(said) & Counter(wanted)).values())
        if shared == 0:
            return 0.0
        precision, recall = shared / len(said), shared / len(wanted)
        return 2 * precision * recall / (precision + recall)

    return max(one(reference) for reference in references)


def rouge(prediction, references, normalise, name):
    scorer = RougeScorer([name], use_stemmer=True)
    return max(scorer.score(normalise(r), normalise(prediction))[name].fmeasure for r in references)


def score(prediction, references, normalise=normalise):
    """All eight, in the order of NAMES."""
    return (
        acc(prediction, references, normalise),
        em(prediction, references, normalise),
        stringem(prediction, references, normalise),
        coverem(prediction, references, normalise),
        f1(prediction, references, normalise),
        rouge(prediction, references, normalise, "rouge1"),
        rouge(prediction, references, normalise, "rouge2"),
        rouge(prediction, references, normalise, "rougeL"),
    )
