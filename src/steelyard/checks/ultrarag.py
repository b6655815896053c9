"""UltraRAG: averages from their lists, the lengths of lists, and, in a snapshot with answers, every score."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from steelyard.checks.findings import Finding, Left, Value, mean, number, valued
from steelyard.checks.texts import Texts, checked_texts
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.ultrarag import metrics_of, variables_of

_PROFILES: Final = ("ultrarag", "ultrarag-2026-09")
"""The releases that prepare texts differently; the file does not say which one wrote it."""
_NAMES: Final = {
    "acc": "Acc",
    "em": "EM",
    "stringem": "StringEM",
    "coverem": "CoverEM",
    "f1": "F1",
    "rouge-1": "ROUGE-1",
    "rouge-2": "ROUGE-2",
    "rouge-l": "ROUGE-L",
}


def check(container: Container) -> Iterator[Finding]:
    """Yield the averages and, where answers are there, the scores of rows."""
    lists, scores = ({}, container.first) if container.kind == "document" else variables_of(container)
    names = metrics_of(scores)
    for name in names:
        values = [each for each in map(number, scores[name]) if each is not None]
        why = "mean" if scores[name] else "nothing_scored"
        yield valued("", f"avg_{name}", number(scores[f"avg_{name}"]), mean(values), why)
    yield from _lengths(lists, {name: scores[name] for name in names if scores[name]})
    yield from _rows(lists, {name: scores[name] for name in names})


def _lengths(lists: Mapping[str, list[Any]], scores: Mapping[str, list[Any]]) -> Iterator[Finding]:
    """Yield the number of scores of each metric beside that of the questions, or else the usual one."""
    counts = Counter(map(len, scores.values()))
    usual = min(counts, key=lambda length: (-counts[length], length), default=0)
    wanted = max((len(lists[name]) for name in ("gt_ls", "q_ls") if name in lists), default=usual)
    for name, values in scores.items():
        why = "truncated" if len(values) < wanted else "count"
        yield Value("", f"{name} rows", float(len(values)), float(wanted), why)


def _rows(lists: Mapping[str, list[Any]], scores: Mapping[str, list[Any]]) -> Iterator[Finding]:
    answers, references = lists.get("pred_ls", lists.get("ans_ls")), lists.get("gt_ls")
    if answers is None or references is None:
        yield from (Left("", name, "no_texts") for name in scores if scores[name])
        return
    rows = [
        Texts(
            str(place),
            str(answer),
            [several] if isinstance(several, str) else [str(each) for each in several],
            {name: number(values[place]) for name, values in scores.items() if len(values) == len(answers)},
        )
        for place, (answer, several) in enumerate(zip(answers, references, strict=False))
    ]
    found = [checked_texts(rows, _NAMES, profile) for profile in _PROFILES]
    yield from min(found, key=lambda each: sum(isinstance(value, Value) and value.differs for value in each))
