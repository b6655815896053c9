# /// script
# dependencies = ["crfm-helm==0.5.16"]
# ///
"""The reference metrics of HELM; as in its runs, the best of several references counts."""

from collections.abc import Callable
from functools import partial
from typing import Any

from helm.benchmark.metrics.evaluate_reference_metrics import f1_score, quasi_exact_match
from lines import Unsupported, answer


def best(given: Any, *, compute: Callable[[str, str], float]) -> float:
    return max(float(compute(reference, given["answer"])) for reference in given["references"])


def f1(given: Any) -> float:
    if any(len(set(text.split())) < len(text.split()) for text in (given["answer"], *given["references"])):
        raise Unsupported("its F1 is over sets of words")
    return best(given, compute=f1_score)


if __name__ == "__main__":
    answer("crfm-helm", {"exact_match": partial(best, compute=quasi_exact_match), "token_f1": f1})
