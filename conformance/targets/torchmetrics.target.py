# /// script
# dependencies = ["torchmetrics==1.9.0", "torch==2.13.0"]
# ///
"""TorchMetrics: its documents are those that are scored, so that all relevant ones must be among them."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from lines import Unsupported, answer
from ranking_names import functions, scored
from torchmetrics import retrieval

NAMES = {
    "ndcg": retrieval.RetrievalNormalizedDCG,
    "ap": retrieval.RetrievalMAP,
    "rr": retrieval.RetrievalMRR,
    "precision": retrieval.RetrievalPrecision,
    "recall": retrieval.RetrievalRecall,
    "r_precision": retrieval.RetrievalRPrecision,
    "success": retrieval.RetrievalHitRate,
}


def compute(given: Mapping[str, Any], metrics: Sequence[Mapping[str, Any]]) -> list[Any]:
    run = scored(given["ranking"])
    for query, grades in given["qrels"].items():
        if any(grade > 0 and document not in run.get(query, {}) for document, grade in grades.items()):
            raise Unsupported("a relevant document that was not retrieved cannot be said")
    if "queries" in given or any(query not in given["qrels"] for query in run):
        raise Unsupported("means over queries with targets")
    return [value_of(given["qrels"], run, metric) for metric in metrics]


def value_of(qrels: Mapping[str, Any], run: Mapping[str, Any], metric: Mapping[str, Any]) -> Any:
    if metric.get("gains") == "exponential" or any(grade < 0 for each in qrels.values() for grade in each.values()):
        raise Unsupported("targets are not negative, and gains linear")
    rows = [(place, *pair, query) for place, query in enumerate(run) for pair in run[query].items()]
    index, documents, scores, queries = zip(*rows, strict=True)
    if min(scores) <= 0:
        raise Unsupported("scores are estimated probabilities")
    grades = [qrels[query].get(document, 0) for query, document in zip(queries, documents, strict=True)]
    target = torch.tensor(grades)
    if metric["computes"] != "ndcg":
        target = target >= metric.get("rel", 1)
    measure = NAMES[metric["computes"]](**({"top_k": metric["k"]} if "k" in metric else {}))
    return measure(torch.tensor(scores), target, indexes=torch.tensor(index))


if __name__ == "__main__":
    answer("torchmetrics", functions(list(NAMES), compute))
