# /// script
# dependencies = ["crfm-helm==0.5.16"]
# ///
"""The reference metrics of HELM; as in its runs, the best of several references counts."""

from collections.abc import Callable
from functools import partial
from typing import Any

from helm.benchmark.metrics.evaluate_reference_metrics import f1_score, quasi_exact_match
from lines import answer


def best(given: Any, *, compute: Callable[[str, str], float]) -> float:
    return max(float(compute(reference, given["answer"])) for reference in given["references"])


if __name__ == "__main__":
    functions = {"exact_match": quasi_exact_match, "f1": f1_score}
    answer("crfm-helm", {name: partial(best, compute=compute) for name, compute in functions.items()})
