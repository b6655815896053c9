# /// script
# dependencies = ["mteb==2.26.24"]
# ///
"""MTEB: what its retrieval tasks compute of the results of a search, with cutoffs."""

from collections.abc import Mapping, Sequence
from typing import Any

from lines import Unsupported, answer
from mteb._evaluators.retrieval_metrics import calculate_retrieval_scores
from ranking_names import functions, scored

NAMES = {
    "ndcg": ("ndcg", "NDCG"),
    "ap": ("map", "MAP"),
    "rr": ("mrr", "MRR"),
    "precision": ("precision", "P"),
    "recall": ("recall", "Recall"),
    "success": ("hit_rate", "HitRate"),
}


def compute(given: Mapping[str, Any], metrics: Sequence[Mapping[str, Any]]) -> list[Any]:
    for metric in metrics:
        if "k" not in metric or "rel" in metric or "queries" in given or metric.get("gains") == "exponential":
            raise Unsupported("means with cutoffs, linear gains and grades from 1 on")
    cutoffs = list(dict.fromkeys(metric["k"] for metric in metrics))
    found = calculate_retrieval_scores(scored(given["ranking"]), given["qrels"], cutoffs)
    places = [(*NAMES[metric["computes"]], metric["k"]) for metric in metrics]
    return [getattr(found, field)[f"{name}@{k}"] for field, name, k in places]


if __name__ == "__main__":
    answer("mteb", functions(list(NAMES), compute))
