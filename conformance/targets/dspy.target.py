# /// script
# dependencies = ["dspy==3.4.1"]
# ///
"""The answer metrics of DSPy: EM and F1."""

from typing import Any

from dspy.evaluate.metrics import EM, F1
from lines import answer


def exact_match(given: Any) -> float:
    return float(EM(given["answer"], given["references"]))


def f1(given: Any) -> float:
    return float(F1(given["answer"], given["references"]))


if __name__ == "__main__":
    answer("dspy", {"exact_match": exact_match, "token_f1": f1})
