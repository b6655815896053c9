# /// script
# dependencies = ["nltk==3.10.4"]
# ///
"""NLTK: agreement of annotators."""

from typing import Any

from lines import Unsupported, answer
from nltk.metrics import binary_distance, interval_distance
from nltk.metrics.agreement import AnnotationTask


def task_of(rows: Any, distance: Any) -> Any:
    triples = [(str(rater), str(item), label) for rater, row in enumerate(rows) for item, label in enumerate(row)]
    return AnnotationTask(triples, distance=distance, missing_values=[None])


def kappa(given: Any) -> Any:
    rows = [given["a"], given["b"]]
    if given["weighting"] == "quadratic":
        return task_of(rows, interval_distance).weighted_kappa()
    return task_of(rows, binary_distance).kappa()


def alpha(given: Any) -> Any:
    if given["level"] == "ordinal":
        raise Unsupported("no ordinal distance")
    distance = {"nominal": binary_distance, "interval": interval_distance}[given["level"]]
    return task_of(given["ratings"], distance).alpha()


if __name__ == "__main__":
    answer("nltk", {"kappa": kappa, "alpha": alpha})
