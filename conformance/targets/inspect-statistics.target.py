# /// script
# dependencies = ["inspect-ai==0.3.285"]
# ///
"""Inspect: the standard error of a metric."""

from typing import Any

from inspect_ai.scorer import SampleScore, Score, stderr
from lines import answer


def standard_error(given: Any) -> Any:
    names = given.get("clusters") or [None] * len(given["values"])
    pairs = zip(given["values"], names, strict=True)
    scores = [SampleScore(score=Score(value=value), sample_metadata={"cluster": name}) for value, name in pairs]
    return float(stderr(cluster="cluster" if "clusters" in given else None)(scores))


if __name__ == "__main__":
    answer("inspect_ai", {"standard_error": standard_error})
