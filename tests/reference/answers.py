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
    text = {"True": "yes", "False": "no"}.get(text, text).replace("_", " ").lower()
    text = "".join(" " if char in PUNCTUATION else char for char in text)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def acc(prediction, references):
    return float(any(normalise(r) in normalise(prediction) for r in references) and normalise(prediction) != "")


def em(prediction, references):
    return float(any(normalise(r) == normalise(prediction) for r in references))


def stringem(prediction, references):
    return sum(normalise(r) == normalise(prediction) for r in references) / len(references)


def coverem(prediction, references):
    words = set(normalise(prediction).split())
    return float(any(set(normalise(r).split()) <= words for r in references))


def f1(prediction, references):
    def one(reference):
        said, wanted = normalise(prediction).split(), normalise(reference).split()
        shared = sum((Counter(said) & Counter(wanted)).values())
        if shared == 0:
            return 0.0
        precision, recall = shared / len(said), shared / len(wanted)
        return 2 * precision * recall / (precision + recall)

    return max(one(reference) for reference in references)


def rouge(prediction, references, name):
    scorer = RougeScorer([name], use_stemmer=True)
    return max(scorer.score(normalise(r), normalise(prediction))[name].fmeasure for r in references)


def score(prediction, references):
    """All eight, in the order of NAMES."""
    return (
        acc(prediction, references),
        em(prediction, references),
        stringem(prediction, references),
        coverem(prediction, references),
        f1(prediction, references),
        rouge(prediction, references, "rouge1"),
        rouge(prediction, references, "rouge2"),
        rouge(prediction, references, "rougeL"),
    )
