"""The risk of rankings against the first result: whether they hurt items that it does well on."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from steelyard.i18n import Words
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Fields, PageForm, Row, TableBlock
from steelyard.reports.content import Report, main_metric
from steelyard.stats.risk import Risk, risks
from steelyard.stats.summary import known

ORDER: Final = 28
ALPHAS: Final = (1, 5, 10)
"""How much more a fall weighs than a gain; those of the TREC Web Track. Tables have the first."""
_KIND: Final = "retrieval"


def blocks(report: Report, words: Words) -> Iterator[Block]:
    """A row for each result, in the metric of the headline; JSON has every metric that is compared."""
    if report.tables[0].kind == _KIND and report.comparisons:
        yield _table(report, words)
        yield Fields(partial(_fields, report))


def _table(report: Report, words: Words) -> TableBlock:
    metric = main_metric(report)
    rows: list[Row] = [
        [name, cells.signed(each.urisk), cells.number(each.trisk, 2), cells.number(each.georisk)]
        for name, each in _risks(report, metric, ALPHAS[0])
    ]
    title = words("report.risk", metric=words.name("metric", metric), baseline=report.tables[0].name, alpha=ALPHAS[0])
    form = PageForm("settings", folded=True)
    return TableBlock([words("report.system"), "URisk", "TRisk", "GeoRisk"], rows, title, in_papers=False, page=form)


def _fields(report: Report) -> dict[str, Any]:
    named = {"baseline": report.tables[0].name}
    return {
        "risk": [
            {
                "name": name,
                **named,
                "metric": metric,
                "alpha": alpha,
                **{k: known(v) for k, v in each._asdict().items()},
            }
            for metric in dict.fromkeys(comparison.metric for comparison in report.comparisons)
            for alpha in ALPHAS
            for name, each in _risks(report, metric, alpha)
        ]
    }


def _risks(report: Report, metric: str, alpha: float) -> list[tuple[str, Risk]]:
    having = [table for table in report.tables if metric in table.columns]
    return list(zip((table.name for table in having), risks(having, metric, alpha=alpha), strict=True))
