# /// script
# dependencies = ["beir==2.2.0", "torch==2.13.0"]
# ///
"""BEIR: means, all with cutoffs, rounded to five digits."""

from collections.abc import Mapping, Sequence
from typing import Any

from beir.retrieval.evaluation import EvaluateRetrieval
from lines import Unsupported, answer
from ranking_names import functions, scored

NAMES = {"ndcg": "NDCG", "ap": "MAP", "rr": "MRR", "precision": "P", "recall": "Recall", "success": "Accuracy"}
CUSTOM = {"rr": "mrr", "success": "accuracy"}


def compute(given: Mapping[str, Any], metrics: Sequence[Mapping[str, Any]]) -> list[Any]:
    if "queries" in given:
        raise Unsupported("means only")
    return [value_of(given, metric) for metric in metrics]


def value_of(given: Mapping[str, Any], metric: Mapping[str, Any]) -> Any:
    if "k" not in metric or "rel" in metric or metric.get("gains") == "exponential":
        raise Unsupported("cutoffs, linear gains and grades from 1 on")
    name, run, cutoffs = metric["computes"], scored(given["ranking"]), [metric["k"]]
    if name in CUSTOM:
        found = EvaluateRetrieval.evaluate_custom(given["qrels"], run, cutoffs, metric=CUSTOM[name])
        return found[f"{NAMES[name]}@{metric['k']}"]
    together: dict[str, float] = {}
    for each in EvaluateRetrieval.evaluate(given["qrels"], run, cutoffs):
        together |= each
    return together[f"{NAMES[name]}@{metric['k']}"]


if __name__ == "__main__":
    answer("beir", functions(list(NAMES), compute))
