"""The means of the items that share a value of a tag."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from steelyard.i18n import Words, code_of
from steelyard.registry.kinds import kind_of
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Cell, Details, Fields, TableBlock
from steelyard.reports.content import BOARD, PAIR, Report
from steelyard.reports.sections import section
from steelyard.stats.pairing import PairedRows, pair
from steelyard.stats.summary import MetricSummary

MOST_GROUPS: Final = 24
MOST_TAGS: Final = 8
"""A page groups by so many tags, each with at most so many values; by the tag that was asked for in any case."""
_COMMON: Final = "type"
_KEYS: Final = ("items", "scored", "unscored", "errors", "metrics")


@section(30, "one", "two", *BOARD)
def blocks(report: Report, words: Words) -> Iterator[Block]:
    """Yield a table for each result, with a row per value of the tag that is asked for.

    Where it is asked what changed, the differences within each value have the means of both.
    """
    if report.by:
        for index in range(len(report.tables)):
            yield from _tables(report, index, report.by, words)


@section(32)
def group_fields(report: Report, words: Words) -> Iterator[Block]:
    """Yield the same as fields."""
    if report.by:
        yield from (Fields(partial(_fields, report, index, report.by), index) for index in range(len(report.tables)))


@section(31, *PAIR)
def groups_compared(report: Report, words: Words) -> Iterator[Block]:
    """Yield tables of every tag, as details."""
    yield Details(partial(_of_pair, report, words))


@section(31, "one", *BOARD)
def other_groups(report: Report, words: Words) -> Iterator[Block]:
    """Yield tables of the other tags, as details."""
    yield Details(partial(_others, report, words))


def _of_pair(report: Report, words: Words) -> Iterator[TableBlock]:
    """For each tag one table: the means of the headline before and after, over the items that both results score."""
    old, new = report.tables
    metric = report.main
    rows = pair(new, old)
    differences = rows.differences(metric, ties=True)
    before, after = old.column(metric)[rows.old], new.column(metric)[rows.new]
    for tag in _tags(report):
        values = _values(report, tag, rows)
        groups = [(value, (values == value) & ~np.isnan(differences)) for value in dict.fromkeys(values.tolist())]
        yield TableBlock(
            [words.name("tag", tag), "n", *map(words, ("report.before", "report.after", "report.difference"))],
            [
                [
                    words.value(tag, value) or cells.DASH,
                    f"{np.count_nonzero(chosen):,}",
                    cells.number(float(before[chosen].mean())),
                    cells.number(float(after[chosen].mean())),
                    cells.signed(float(differences[chosen].mean())),
                ]
                for value, chosen in groups
                if chosen.any()
            ],
            metric,
            "groups_compared",
            about=words.name("tag", tag),
        )


def _values(report: Report, tag: str, rows: PairedRows) -> "np.ndarray[Any, np.dtype[Any]]":
    """Return the value of a tag for each paired item: that of the first result, or else that of the second."""
    old, new = (table.tags.get(tag, [""] * len(table)) for table in report.tables)
    return np.array([old[a] or new[b] for a, b in zip(rows.old.tolist(), rows.new.tolist(), strict=True)])


def _others(report: Report, words: Words) -> Iterator[TableBlock]:
    """Yield the tables of the tags that were not asked for."""
    for tag in _tags(report):
        having = (index for index, table in enumerate(report.tables) if tag in table.tags)
        for index in having if tag != report.by else ():
            yield from _tables(report, index, tag, words)


def _tags(report: Report) -> list[str]:
    """Return the tag that was asked for, the type of the items, and other tags with few values."""
    every = dict.fromkeys(tag for table in report.tables for tag in table.tags)
    few = [tag for tag in every if any(2 <= len(set(t.tags.get(tag, ()))) <= MOST_GROUPS for t in report.tables)]
    first = [tag for tag in (report.by, _COMMON) if tag in every]
    return list(dict.fromkeys(tag for tag in (*first, *few) if tag))[:MOST_TAGS]


def _tables(report: Report, index: int, tag: str, words: Words) -> Iterator[TableBlock]:
    """Yield the means of each value; where the kind has a metric of its own, those of other metrics by themselves."""
    own = [metric for metric in report.metrics if metric == kind_of(report.tables[0].kind).metric]
    others = [metric for metric in report.metrics if metric not in own]
    yield from (_table(report, index, tag, words, metrics) for metrics in (own, others) if metrics)


def _table(report: Report, index: int, tag: str, words: Words, metrics: Sequence[str]) -> TableBlock:
    """Return a row per value; the metric of the headline has its interval."""
    shown = words.name("tag", tag)
    return TableBlock(
        [shown, "n", *(words.name("metric", metric) for metric in metrics)],
        [
            [
                words.value(tag, value) or cells.DASH,
                f"{summary.items:,}",
                *(_mean(summary.metrics.get(metric), is_main=metric == report.main) for metric in metrics),
            ]
            for value, summary in report.groups(index, tag).items()
        ],
        words.labelled(report.tables[index].name, shown),
        "groups",
        about=code_of("tag_names", tag),
        extra=words("report.interval"),
    )


def _mean(mean: MetricSummary | None, *, is_main: bool) -> str | Cell:
    if mean is None:
        return Cell(cells.DASH, extra=cells.DASH) if is_main else cells.DASH
    text = cells.mean(mean)
    return Cell(text, extra=cells.spread(mean), share=cells.share(mean)) if is_main else text


def _fields(report: Report, index: int, tag: str) -> dict[str, Any]:
    groups = {value: summary.as_dict() for value, summary in report.groups(index, tag).items()}
    return {"by": {tag: {value: {key: fields[key] for key in _KEYS} for value, fields in groups.items()}}}
