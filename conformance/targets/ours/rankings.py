"""What Steelyard computes of the rankings."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from steelyard import evaluate_retrieval


def ndcg(given: Any) -> float:
    gains = "nDCG" if given.get("gains", "linear") == "linear" else "nDCG(dcg='exp-log2')"
    return _mean(given, gains + (f"@{given['k']}" if "k" in given else ""))


def _mean(given: Any, metric: str) -> float:
    run = {query: dict(pairs) for query, pairs in given["ranking"].items()}
    table = evaluate_retrieval(given["qrels"], run, [metric])
    return table.mean(next(iter(table.columns)))


FUNCTIONS: Final[Mapping[str, Callable[[Any], Any]]] = {"ndcg": ndcg}
