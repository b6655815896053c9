# /// script
# dependencies = ["torchmetrics[text]==1.9.0", "torch==2.15.0"]
# ///
"""The text metrics of torchmetrics."""

from functools import partial
from typing import Any

from lines import answer
from torchmetrics.functional.text import bleu_score, chrf_score, rouge_score, squad


def rouge(given: Any, *, name: str) -> float:
    found = rouge_score(given["answer"], given["references"], accumulate="best", rouge_keys=name)
    return float(found[f"{name}_fmeasure"])


def of_squad(given: Any, *, name: str) -> float:
    answers = {"text": given["references"], "answer_start": [0] * len(given["references"])}
    found = squad({"prediction_text": given["answer"], "id": "q"}, {"answers": answers, "id": "q"})
    return float(found[name]) / 100


def bleu(given: Any) -> float:
    return float(bleu_score([given["answer"]], [given["references"]]))


def chrf(given: Any) -> float:
    return float(chrf_score([given["answer"]], [given["references"]], n_word_order=0))


if __name__ == "__main__":
    names = {"rouge1": "rouge1", "rouge2": "rouge2", "rouge_l": "rougeL"}  # rougeLsum downloads a model of sentences
    answer(
        "torchmetrics",
        {
            **{ours: partial(rouge, name=name) for ours, name in names.items()},
            "exact_match": partial(of_squad, name="exact_match"),
            "token_f1": partial(of_squad, name="f1"),
            "bleu": bleu,
            "chrf": chrf,
        },
    )
