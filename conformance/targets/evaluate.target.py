# /// script
# dependencies = ["evaluate==0.4.6", "rouge-score==0.1.2", "sacrebleu==2.6.0"]
# ///
"""Metrics of Hugging Face evaluate, which it fetches from its hub when it starts."""

import sys
from functools import partial
from typing import Any, Final

import evaluate
from lines import answer

try:
    METRICS: Final = {name: evaluate.load(name) for name in ("rouge", "bleu", "chrf", "squad")}
except OSError:
    sys.exit("its metrics are fetched from its hub, which is out of reach")


def squad(given: Any, *, name: str) -> float:
    references = [{"id": "q", "answers": {"text": given["references"], "answer_start": [0] * len(given["references"])}}]
    found = METRICS["squad"].compute(
        predictions=[{"id": "q", "prediction_text": given["answer"]}], references=references
    )
    return float(found[name]) / 100


def rouge(given: Any, *, name: str) -> float:
    found = METRICS["rouge"].compute(
        predictions=[given["answer"]], references=[given["references"]], rouge_types=[name]
    )
    return float(found[name])


def bleu(given: Any) -> float:
    return float(METRICS["bleu"].compute(predictions=[given["answer"]], references=[given["references"]])["bleu"])


def chrf(given: Any) -> float:
    return (
        float(METRICS["chrf"].compute(predictions=[given["answer"]], references=[given["references"]])["score"]) / 100
    )


FUNCTIONS: Final = {
    "exact_match": partial(squad, name="exact_match"),
    "token_f1": partial(squad, name="f1"),
    "rouge1": partial(rouge, name="rouge1"),
    "rouge2": partial(rouge, name="rouge2"),
    "rouge_l": partial(rouge, name="rougeL"),
    "rouge_lsum": partial(rouge, name="rougeLsum"),
    "bleu": bleu,
    "chrf": chrf,
}

if __name__ == "__main__":
    answer("evaluate", FUNCTIONS)
