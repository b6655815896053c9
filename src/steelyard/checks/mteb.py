"""MTEB: the main score is that of a metric, and scores of rankings are from 0 to 1; it has no scores of queries."""

import re
from collections.abc import Iterator
from typing import Final

from steelyard.checks.findings import Finding, Value, valued
from steelyard.io.foreign import mteb, rows
from steelyard.io.foreign.containers import Container

_MAIN: Final = "main_score"
_USUAL: Final = "ndcg_at_10"
_RANKED: Final = re.compile(r"(ndcg|map|mrr|recall|precision|hit_rate)_at_\d+")


def check(container: Container) -> Iterator[Finding]:
    """Yield the main score of every subset, and the scores of rankings beside their bounds."""
    for record in mteb.read(container):
        row = " ".join(filter(None, (record.fields.get(rows.SYSTEM), record.fields[rows.ID])))
        scores = {name: value for name, value in record.fields.get(rows.SCORES, {}).items() if value is not None}
        for name, value in scores.items():
            if _RANKED.fullmatch(name):
                yield Value(row, name, value, min(max(value, 0.0), 1.0), "above_one")
        main = scores.pop(_MAIN, None)
        recomputed = main if main in scores.values() else scores.get(_USUAL)
        yield valued(row, _MAIN, main, recomputed, "main_score")
