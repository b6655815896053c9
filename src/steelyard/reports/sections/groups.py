"""The means of the items that share a value of a tag."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from steelyard.i18n import Words, code_of
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Cell, Fields, PageForm, PageTables, TableBlock
from steelyard.reports.content import Report, main_metric
from steelyard.stats.pairing import PairedRows, pair
from steelyard.stats.summary import MetricSummary, Summary
from steelyard.table import FloatArray

ORDER: Final = 30
MOST_GROUPS: Final = 24
MOST_TAGS: Final = 8
"""A page groups by so many tags, each with at most so many values; by the tag that was asked for in any case."""
_COMMON: Final = "type"
_KEYS: Final = ("items", "scored", "unscored", "errors", "metrics")


def blocks(report: Report, words: Words) -> Iterator[Block]:
    """A table for each result, with a row per value of the tag; only pages have the other tags."""
    if report.by:
        for index in range(len(report.tables)):
            table = _table(report, index, report.by, words)
            yield replace(table, in_text=not report.changed, page=None if report.is_pair else table.page)
            yield Fields(partial(_fields, report, index, report.by), index)
    yield PageTables(partial(_of_pair if report.is_pair else _others, report, words))


def _of_pair(report: Report, words: Words) -> Iterator[TableBlock]:
    """For each tag one table: the means of the headline before and after, over the items that both results score."""
    old, new = report.tables
    metric = main_metric(report)
    rows = pair(new, old)
    differences = rows.differences(metric, ties=True)
    before, after = old.column(metric)[rows.old], new.column(metric)[rows.new]
    for tag in _tags(report):
        values = _values(report, tag, rows)
        groups = [(value, (values == value) & ~np.isnan(differences)) for value in dict.fromkeys(values.tolist())]
        yield TableBlock(
            [words.name("tag", tag), "n", *map(words, ("report.before", "report.after", "report.difference"))],
            [
                [words.value(tag, value) or cells.DASH, *_change(before[chosen], after[chosen], differences[chosen])]
                for value, chosen in groups
                if chosen.any()
            ],
            metric,
            page=PageForm("details", choice=words.name("tag", tag)),
        )


def _values(report: Report, tag: str, rows: PairedRows) -> "np.ndarray[Any, np.dtype[Any]]":
    """The value of a tag for each paired item: that of the first result, or if it has none, that of the second."""
    old, new = (table.tags.get(tag, [""] * len(table)) for table in report.tables)
    return np.array([old[a] or new[b] for a, b in zip(rows.old.tolist(), rows.new.tolist(), strict=True)])


def _change(before: FloatArray, after: FloatArray, differences: FloatArray) -> list[str | Cell]:
    means = [float(column.mean()) for column in (before, after)]
    return [f"{len(before):,}", *map(cells.number, means), cells.signed(float(differences.mean()))]


def _others(report: Report, words: Words) -> Iterator[TableBlock]:
    """The tables of the tags that were not asked for."""
    for tag in _tags(report):
        having = (index for index, table in enumerate(report.tables) if tag in table.tags)
        yield from (_table(report, index, tag, words) for index in having if tag != report.by)


def _tags(report: Report) -> list[str]:
    """The tag that was asked for, the type of the items, and other tags with few values."""
    every = dict.fromkeys(tag for table in report.tables for tag in table.tags)
    few = [tag for tag in every if any(2 <= len(set(t.tags.get(tag, ()))) <= MOST_GROUPS for t in report.tables)]
    first = [tag for tag in (report.by, _COMMON) if tag in every]
    return list(dict.fromkeys(tag for tag in (*first, *few) if tag))[:MOST_TAGS]


def _table(report: Report, index: int, tag: str, words: Words) -> TableBlock:
    """A row per value; a page has the metric of the headline first, with its interval."""
    main = main_metric(report)
    metrics = [main, *(metric for metric in report.metrics if metric != main)]
    shown = words.name("tag", tag)
    return TableBlock(
        [shown, "n", *(words.name("metric", metric) for metric in metrics)],
        [_row(words.value(tag, value), summary, metrics) for value, summary in report.groups(index, tag).items()],
        words.labelled(report.tables[index].name, shown),
        printed=[0, 1, *(2 + metrics.index(metric) for metric in report.metrics)],
        page=PageForm("details", choice=code_of("tag_names", tag)),
        extra=words("report.interval"),
    )


def _row(value: str, summary: Summary, metrics: Sequence[str]) -> list[str | Cell]:
    means = [summary.metrics.get(metric) for metric in metrics]
    others = (cells.DASH if mean is None else cells.mean(mean) for mean in means[1:])
    return [value or cells.DASH, f"{summary.items:,}", _main_cell(means[0]), *others]


def _main_cell(mean: MetricSummary | None) -> Cell:
    if mean is None:
        return Cell(cells.DASH, extra=cells.DASH)
    return Cell(cells.mean(mean), extra=cells.spread(mean), share=cells.share(mean))


def _fields(report: Report, index: int, tag: str) -> dict[str, Any]:
    return {"by": {tag: {value: _kept(summary.as_dict()) for value, summary in report.groups(index, tag).items()}}}


def _kept(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key in _KEYS}
