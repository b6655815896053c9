"""MTEB: the main score is that of a metric, and scores of rankings are between 0 and 1 and grow with the cutoff."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from steelyard.checks.findings import Finding, Left, Value, number
from steelyard.io.foreign.containers import Container

FORMAT: Final = "mteb"

_MAIN: Final = "main_score"
_RANKED: Final = re.compile(r"(ndcg|map|mrr|recall|precision|hit_rate)_at_\d+")


def check(container: Container) -> Iterator[Finding]:
    """Yield the main score of every subset, and the scores of rankings beside their bounds."""
    for split, subsets in container.first["scores"].items():
        for subset in subsets:
            yield from _subset(f"{split}/{subset.get('hf_subset', 'default')}", subset)


def _subset(row: str, subset: Mapping[str, Any]) -> Iterator[Finding]:
    scores = {name: value for name, each in subset.items() if (value := number(each)) is not None}
    for name, value in scores.items():
        if _RANKED.fullmatch(name):
            yield Value(row, name, value, min(max(value, 0.0), 1.0), "above_one")
    if _MAIN in scores:
        main = scores.pop(_MAIN)
        ranked = scores.get("ndcg_at_10")
        others = [value for value in scores.values() if value == main]
        closest = main if others else ranked
        yield Left(row, _MAIN, "no_metric") if closest is None else Value(row, _MAIN, main, closest, "main_score")
