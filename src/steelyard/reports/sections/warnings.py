"""What makes results or their comparison doubtful, directly below the first table."""

from collections.abc import Iterator
from typing import Final

from steelyard import counts
from steelyard.i18n import Words
from steelyard.reports.blocks import Block, Note, Notes
from steelyard.reports.content import Report
from steelyard.reports.sections.footnotes import warnings_of
from steelyard.stats.summary import Summary

ORDER: Final = 15


def blocks(report: Report, words: Words) -> Iterator[Block]:
    """A line for each warning; nothing where there is none."""
    lines = [line for summary in report.summaries for line in _missing(summary, words)]
    if report.comparisons:
        lines += warnings_of(report, words)
    if lines:
        yield Notes([Note(line, warning=True) for line in lines])


def _missing(summary: Summary, words: Words) -> Iterator[str]:
    """Queries or answers that a result lacks, which count 0 or not at all."""
    for name in counts.ALWAYS_SHOWN:
        if summary.counts.get(name):
            yield words.labelled(summary.name, f"{words.named(name)} {summary.counts[name]:,}")
