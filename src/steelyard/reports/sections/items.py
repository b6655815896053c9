"""The scores of every item, where they are asked for."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from steelyard.i18n import Words
from steelyard.io.results import items_of
from steelyard.reports.blocks import Block, Fields, ItemScores, ResultScores
from steelyard.reports.content import Report
from steelyard.table import Table

ORDER: Final = 100


def blocks(report: Report, words: Words) -> Iterator[Block]:
    """The scores, a column per metric; nothing where only means are asked for."""
    if report.per_item:
        headings = (words("report.result"), "id", *report.metrics)
        yield ItemScores(headings, ("result", "id", *report.metrics), [_scores(report, t) for t in report.tables])
        yield from (Fields(partial(_fields, table), index) for index, table in enumerate(report.tables))


def _scores(report: Report, table: Table) -> ResultScores:
    columns = [table.column(metric) if metric in table.columns else None for metric in report.metrics]
    return ResultScores(table.name, table.ids, columns)


def _fields(table: Table) -> dict[str, Any]:
    return {"per_item": [item.to_json() for item in items_of(table)]}
