"""What Steelyard computes of the rankings."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ranking_names import functions

from steelyard import evaluate_retrieval

NAMES: Final[Mapping[str, str]] = {
    "ndcg": "nDCG",
    "ap": "AP",
    "rr": "RR",
    "precision": "P",
    "recall": "R",
    "f1": "SetF",
    "r_precision": "Rprec",
    "bpref": "bpref",
    "infap": "infAP",
    "success": "Success",
    "judged": "Judged",
    "err": "ERR",
    "rbp": "RBP",
}


def compute(given: Mapping[str, Any], metrics: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return the mean of each metric, or its values for the queries asked for."""
    rows = [(query, *pair) for query, pairs in given["ranking"].items() for pair in pairs]
    table = evaluate_retrieval(given["qrels"], rows, [_spelled(metric) for metric in metrics])
    if "queries" not in given:
        return [table.mean(_spelled(metric)) for metric in metrics]
    places = [list(table.ids).index(query) for query in given["queries"]]
    return [[column.values[place] for place in places] for column in table.columns.values()]


def _spelled(metric: Mapping[str, Any]) -> str:
    name = NAMES[metric["computes"]]
    if metric["computes"] in ("precision", "recall") and "k" not in metric:
        name = f"Set{name}"
    if metric.get("gains") == "exponential":
        name = "nDCGexp"
    parameters = ",".join(f"{name}={metric[name]}" for name in ("rel", "p", "max") if name in metric)
    return name + (f"({parameters})" if parameters else "") + (f"@{metric['k']}" if "k" in metric else "")


FUNCTIONS: Final[Mapping[str, Callable[[Any], Any]]] = functions(list(NAMES), compute)
