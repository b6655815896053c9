# /// script
# dependencies = ["rouge-score==0.1.2"]
# ///
"""ROUGE by rouge-score, without stemming."""

from functools import partial
from typing import Any

from lines import answer
from rouge_score.rouge_scorer import RougeScorer


def score(given: Any, *, name: str) -> float:
    found = RougeScorer([name]).score_multi(given["references"], given["answer"])
    return float(found[name].fmeasure)


if __name__ == "__main__":
    names = {"rouge1": "rouge1", "rouge2": "rouge2", "rouge_l": "rougeL", "rouge_lsum": "rougeLsum"}
    answer("rouge-score", {ours: partial(score, name=name) for ours, name in names.items()})
