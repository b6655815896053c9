# /// script
# dependencies = ["mlflow==3.17.2"]
# ///
"""MLflow: metrics of retrievers, of lists of ids, with binary relevance."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from lines import Unsupported, answer
from mlflow import metrics as mlflow
from ranking_names import functions, listed

NAMES = {"ndcg": mlflow.ndcg_at_k, "precision": mlflow.precision_at_k, "recall": mlflow.recall_at_k}


def compute(given: Mapping[str, Any], metrics: Sequence[Mapping[str, Any]]) -> list[Any]:
    return [value_of(given, metric) for metric in metrics]


def value_of(given: Mapping[str, Any], metric: Mapping[str, Any]) -> Any:
    if "k" not in metric:
        raise Unsupported("a cutoff is needed")
    if metric["computes"] == "ndcg" and any(grade > 1 for each in given["qrels"].values() for grade in each.values()):
        raise Unsupported("relevance is binary")
    lists, queries = listed(given["ranking"]), list(given["qrels"])
    if not set(lists) <= set(queries):
        raise Unsupported("each row has its targets")
    level = metric.get("rel", 1)
    targets = pd.Series([[d for d, g in grades.items() if g >= level] for grades in given["qrels"].values()])
    predictions = pd.Series([lists.get(query, []) for query in queries])
    found = NAMES[metric["computes"]](metric["k"])(predictions=predictions, targets=targets)
    if found is None:
        return None
    if "queries" in given:
        return [found.scores[queries.index(query)] for query in given["queries"]]
    return found.aggregate_results["mean"]


if __name__ == "__main__":
    answer("mlflow", functions(list(NAMES), compute, by_score=False))
