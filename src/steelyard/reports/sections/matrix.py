"""Every metric of three results or more, for formats without room for them on the leaderboard."""

from collections.abc import Iterator
from typing import Final

from steelyard.i18n import Words
from steelyard.reports.blocks import Block, MetricMatrix
from steelyard.reports.content import Report
from steelyard.reports.ranking import lettered_matrix, matrix
from steelyard.reports.sections.leaderboard import leaderboard

ORDER: Final = 18


def blocks(report: Report, words: Words) -> Iterator[Block]:
    """The means of all metrics, a row for each result; nothing for one or two results, nor for one metric."""
    if report.is_many and len(report.metrics) > 1:
        table = matrix(report, report.metrics, words)
        yield MetricMatrix(table, leaderboard(report, words), lettered_matrix(report, words))
