# /// script
# dependencies = ["rouge==1.0.1"]
# ///
"""ROUGE by rouge, of one reference."""

from functools import partial
from typing import Any

from lines import Unsupported, answer
from rouge import Rouge


def score(given: Any, *, name: str) -> float:
    if len(given["references"]) != 1:
        raise Unsupported("one reference at a time")
    found = Rouge(metrics=[name]).get_scores(given["answer"], given["references"][0])
    return float(found[0][name]["f"])


if __name__ == "__main__":
    names = {"rouge1": "rouge-1", "rouge2": "rouge-2", "rouge_l": "rouge-l"}
    answer("rouge", {ours: partial(score, name=name) for ours, name in names.items()})
