"""What the targets of rankings share: names whose values follow from those of others."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lines import Unsupported

Compute = Callable[[Mapping[str, Any], Sequence[Mapping[str, Any]]], list[Any]]
"""From the input of a vector and some metrics of it (`computes`, `k` …), their values."""


def functions(names: Sequence[str], compute: Compute, *, by_score: bool = True) -> dict[str, Callable[[Any], Any]]:
    """Return the functions of a target; one that takes ranked lists (not `by_score`) has no order of equal scores."""

    def values(given: Any, metrics: Sequence[Mapping[str, Any]]) -> list[Any]:
        if unknown := {metric["computes"] for metric in metrics} - {*names}:
            raise Unsupported(f"no {', '.join(sorted(unknown))}")
        return compute(given, metrics)

    def of(name: str) -> Callable[[Any], Any]:
        return lambda given: values(given, [{**given, "computes": name}])[0]

    def order_effect(given: Any) -> float:
        found = [values(each, [given["metric"]])[0] for each in given["inputs"]]
        return float(max(found) - min(found))

    together = {"measures": lambda given: values(given, given["metrics"])}
    return {name: of(name) for name in names} | together | ({"order_effect": order_effect} if by_score else {})


def mean_of(values: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
    """Return the values of the queries that are asked for (None for one that is left out), or the mean of all."""
    if "queries" in given:
        return [values.get(query) for query in given["queries"]]
    return sum(values.values()) / len(values) if values else None


def scored(ranking: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Return a ranking as mappings, the form of many libraries; a repeated document cannot be said in it."""
    if any(len({document for document, _ in pairs}) < len(pairs) for pairs in ranking.values()):
        raise Unsupported("rankings are mappings: a document cannot be repeated")
    return {query: {document: float(score) for document, score in pairs} for query, pairs in ranking.items()}


def listed(ranking: Mapping[str, Any], k: int | None = None) -> dict[str, list[str]]:
    """Return a ranking as lists of documents in the order of the system, the first `k` of each."""
    return {query: [document for document, _ in pairs][:k] for query, pairs in ranking.items()}
