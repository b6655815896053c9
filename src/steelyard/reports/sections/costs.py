"""What replies cost: median and 95th percentile of seconds, tokens and price, beside the mean."""

from collections.abc import Iterator

from steelyard.i18n import Words
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Row, TableBlock
from steelyard.reports.content import Report
from steelyard.reports.sections import section

_HEADINGS = ("report.system", "report.metric", "report.mean", "report.median", "report.p95")


@section(42, of_each=True)
def blocks(report: Report, words: Words) -> Iterator[Block]:
    """Yield a row for each result and cost; nothing where no result says what its replies cost."""
    rows: list[Row] = [
        [summary.name, words.name("metric", metric), *map(cells.number, (mean.mean, mean.median, mean.p95))]
        for summary in report.summaries
        for metric, mean in summary.metrics.items()
        if mean.median is not None and mean.p95 is not None
    ]
    if rows:
        yield TableBlock([*map(words, _HEADINGS)], rows, words("report.costs"), labels=2)
