# /// script
# dependencies = ["sacrebleu[ja]==2.6.0"]
# ///
"""BLEU and chrF of single sentences by sacrebleu; its tokenizer is that of the language, 13a unless there is one."""

from typing import Any, Final

from lines import answer
from sacrebleu.metrics import BLEU, CHRF

TOKENIZERS: Final = {"zh": "zh", "ja": "ja-mecab", "th": "char"}


def bleu(given: Any) -> float:
    scorer = BLEU(effective_order=True, tokenize=TOKENIZERS.get(given.get("language", "en")))
    return float(scorer.sentence_score(given["answer"], given["references"]).score) / 100


def chrf(given: Any) -> float:
    return float(CHRF().sentence_score(given["answer"], given["references"]).score) / 100


if __name__ == "__main__":
    answer("sacrebleu", {"bleu": bleu, "chrf": chrf})
