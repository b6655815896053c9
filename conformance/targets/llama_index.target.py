# /// script
# dependencies = ["llama-index-core==0.14.25"]
# ///
"""LlamaIndex: retrieval metrics of a query, of lists of ids; the mean of a dataset is that of its results."""

from collections.abc import Mapping, Sequence
from typing import Any

from lines import Unsupported, answer
from llama_index.core.evaluation import retrieval
from ranking_names import functions, listed, mean_of

METRICS = retrieval.metrics.METRIC_REGISTRY
NAMES = {"ndcg": "ndcg", "ap": "ap", "rr": "mrr", "precision": "precision", "recall": "recall", "success": "hit_rate"}


def compute(given: Mapping[str, Any], metrics: Sequence[Mapping[str, Any]]) -> list[Any]:
    return [mean_of(values_of(given, metric), given) for metric in metrics]


def values_of(given: Mapping[str, Any], metric: Mapping[str, Any]) -> dict[str, Any]:
    lists, k = listed(given["ranking"]), metric.get("k")
    level = metric.get("rel", 1)
    wanted = {query: [d for d, grade in each.items() if grade >= level] for query, each in given["qrels"].items()}
    if (k is not None and k < max(map(len, (*lists.values(), *wanted.values())))) or not set(lists) <= set(wanted):
        raise Unsupported("lists without cutoffs, for queries with expected ids")
    if metric["computes"] == "ndcg" and any(grade > 1 for each in given["qrels"].values() for grade in each.values()):
        raise Unsupported("relevance is binary")
    measure = METRICS[NAMES[metric["computes"]]]()
    return {
        query: measure.compute(expected_ids=expected, retrieved_ids=lists.get(query, [])).score
        for query, expected in wanted.items()
    }


if __name__ == "__main__":
    answer("llama-index-core", functions(list(NAMES), compute, by_score=False))
