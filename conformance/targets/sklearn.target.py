# /// script
# dependencies = ["scikit-learn==1.9.1"]
# ///
"""scikit-learn: ndcg_score of one sample for each query; all documents are scored."""

from collections.abc import Mapping, Sequence
from typing import Any

from lines import Unsupported, answer
from ranking_names import functions, mean_of, scored
from sklearn.metrics import ndcg_score


def compute(given: Mapping[str, Any], metrics: Sequence[Mapping[str, Any]]) -> list[Any]:
    return [mean_of(values_of(given, metric), given) for metric in metrics]


def values_of(given: Mapping[str, Any], metric: Mapping[str, Any]) -> dict[str, Any]:
    values, run = {}, scored(given["ranking"])
    if metric.get("gains") == "exponential" or not set(run) <= set(given["qrels"]):
        raise Unsupported("linear gains, and a truth for each sample")
    for query, grades in given["qrels"].items():
        scores = run.get(query, {})
        if any(grade > 0 and document not in scores for document, grade in grades.items()):
            raise Unsupported("a relevant document that is not scored cannot be said")
        if len(scores) < 2:
            raise Unsupported("nDCG has no meaning for fewer than two documents")
        truth = [grades.get(document, 0) for document in scores]
        values[query] = ndcg_score([truth], [list(scores.values())], k=metric.get("k"))
    return values


if __name__ == "__main__":
    answer("scikit-learn", functions(["ndcg"], compute))
