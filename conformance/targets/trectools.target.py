# /// script
# dependencies = ["trectools==0.0.50"]
# ///
"""trectools, from files in TREC formats."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lines import Unsupported, answer
from ranking_names import functions
from trectools import TrecEval, TrecQrel, TrecRun

NAMES = {
    "ndcg": "get_ndcg",
    "ap": "get_map",
    "rr": "get_reciprocal_rank",
    "precision": "get_precision",
    "recall": "get_recall",
    "r_precision": "get_rprec",
    "bpref": "get_bpref",
    "rbp": "get_rbp",
}


def evaluator(given: Mapping[str, Any]) -> TrecEval:
    ids = {each for query, grades in given["qrels"].items() for each in (query, *grades)}
    if any(not pairs for pairs in given["ranking"].values()) or any(len(each.split()) > 1 for each in ids):
        raise Unsupported("a TREC file has no lines for an empty ranking, and no ids with spaces")
    judged = [f"{q} 0 {d} {grade}\n" for q, grades in given["qrels"].items() for d, grade in grades.items()]
    lines = [
        f"{query} Q0 {document} {rank} {score!r} run\n"
        for query, pairs in given["ranking"].items()
        for rank, (document, score) in enumerate(pairs, 1)
    ]
    with tempfile.TemporaryDirectory() as folder:
        (qrels := Path(folder, "qrels")).write_text("".join(judged), "utf-8")
        (run := Path(folder, "run")).write_text("".join(lines), "utf-8")
        return TrecEval(TrecRun(str(run)), TrecQrel(str(qrels)))


def compute(given: Mapping[str, Any], metrics: Sequence[Mapping[str, Any]]) -> list[Any]:
    evaluation = evaluator(given)
    return [value_of(evaluation, metric, given) for metric in metrics]


def value_of(evaluation: TrecEval, metric: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
    name = metric["computes"]
    if "rel" in metric or (name == "precision" and "k" not in metric):
        raise Unsupported("no relevance level; precision has a cutoff")
    options: dict[str, Any] = {"depth": metric["k"]} if "k" in metric else {}
    if name == "rbp":
        options |= {"p": metric["p"]}
    if name == "ndcg" and metric.get("gains") == "exponential":
        options |= {"trec_eval": False}
    found = getattr(evaluation, NAMES[name])(**options, per_query="queries" in given)
    if "queries" not in given:
        return found[0] if isinstance(found, tuple) else found
    values = found[0] if isinstance(found, tuple) else found
    values = values.set_index("query") if "query" in values.columns else values
    by_query = {str(query): value for query, value in values.iloc[:, 0].items()}
    return [by_query.get(query) for query in given["queries"]]


if __name__ == "__main__":
    answer("trectools", functions(list(NAMES), compute))
