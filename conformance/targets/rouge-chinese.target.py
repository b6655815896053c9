# /// script
# dependencies = ["rouge-chinese==1.0.3", "jieba==0.42.1"]
# ///
"""ROUGE by rouge-chinese, of one reference; texts are cut by jieba, as its description says."""

from functools import partial
from typing import Any

import jieba
from lines import Unsupported, answer
from rouge_chinese import Rouge


def score(given: Any, *, name: str) -> float:
    if len(given["references"]) != 1:
        raise Unsupported("one reference at a time")
    if given.get("language") != "zh":
        raise Unsupported("for Chinese")
    texts = (" ".join(jieba.cut(text)) for text in (given["answer"], given["references"][0]))
    return float(Rouge(metrics=[name]).get_scores(*texts)[0][name]["f"])


if __name__ == "__main__":
    names = {"rouge1": "rouge-1", "rouge2": "rouge-2", "rouge_l": "rouge-l"}
    answer("rouge-chinese", {ours: partial(score, name=name) for ours, name in names.items()})
