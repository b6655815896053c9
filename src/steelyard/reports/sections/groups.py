"""The means of the items that share a value of a tag."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from steelyard.i18n import Words
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Fields, TableBlock
from steelyard.reports.content import Report, groups
from steelyard.stats.summary import Summary

ORDER: Final = 30
ON_PAGE: Final = False
_KEYS: Final = ("items", "scored", "unscored", "errors", "metrics")


def blocks(report: Report, words: Words) -> Iterator[Block]:
    """A table for each result, with a row per value of the tag; nothing where the report is not grouped."""
    if report.by:
        for index, table in enumerate(report.tables):
            summaries = groups(table, report.by)
            yield _table(summaries, report.by, report.metrics, f"{table.name}: {report.by}")
            yield Fields(partial(_fields, summaries, report.by), index)


def _table(summaries: Mapping[str, Summary], tag: str, metrics: Sequence[str], title: str) -> TableBlock:
    rows = [
        [
            value or cells.DASH,
            f"{summary.items:,}",
            *(cells.mean(summary.metrics[m]) if m in summary.metrics else cells.DASH for m in metrics),
        ]
        for value, summary in summaries.items()
    ]
    return TableBlock([tag, "n", *metrics], rows, title)


def _fields(summaries: Mapping[str, Summary], tag: str) -> dict[str, Any]:
    return {"by": {tag: {value: _kept(summary.as_dict()) for value, summary in summaries.items()}}}


def _kept(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key in _KEYS}
