# /// script
# dependencies = ["nltk==3.10.4"]
# ///
"""BLEU and chrF of single sentences by nltk: words between blanks, no smoothing, beta 2."""

from typing import Any

from lines import Unsupported, answer
from nltk.translate.bleu_score import sentence_bleu
from nltk.translate.chrf_score import sentence_chrf


def bleu(given: Any) -> float:
    if given.get("language") in ("zh", "ja", "th"):
        raise Unsupported("it takes words, and cuts no text")
    return float(sentence_bleu([reference.split() for reference in given["references"]], given["answer"].split()))


def chrf(given: Any) -> float:
    if len(given["references"]) != 1:
        raise Unsupported("one reference at a time")
    return float(sentence_chrf(given["references"][0], given["answer"], beta=2.0))


if __name__ == "__main__":
    answer("nltk", {"bleu": bleu, "chrf": chrf})
