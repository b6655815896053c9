# /// script
# dependencies = ["scikit-learn==1.9.1"]
# ///
"""scikit-learn: Cohen's kappa."""

from typing import Any

from lines import answer
from sklearn.metrics import cohen_kappa_score


def kappa(given: Any) -> Any:
    weights = {"none": None}.get(given["weighting"], given["weighting"])
    return float(cohen_kappa_score(given["a"], given["b"], labels=given.get("values"), weights=weights))


if __name__ == "__main__":
    answer("scikit-learn", {"kappa": kappa})
