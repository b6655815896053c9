"""Who decided: how many verdicts are those of rules, of a judge or of a person; and errors by coverage, where a result
has reviews (`stats.review.with_reviews`)."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from steelyard.i18n import Words
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Cell, Fields, PageForm, Row, TableBlock
from steelyard.reports.content import Report, main_metric
from steelyard.stats.review import UNCERTAIN, Coverage, decided_by, risk_coverage
from steelyard.stats.summary import known
from steelyard.table import Table

ORDER: Final = 39
_NAMES: Final = {
    "rules": "review.by_rules",
    "judge": "review.by_judge",
    "person": "review.by_person",
    UNCERTAIN: "review.undecided",
}
_WITHOUT: Final = {"": "report.all", UNCERTAIN: "review.without_uncertain", "partial": "review.without_partial"}
_PAGE: Final = PageForm("details")


def blocks(report: Report, words: Words) -> Iterator[Block]:
    """A row for each result that says which verdicts are uncertain, and a table for each that has reviews."""
    metric = main_metric(report)
    decided = {index: counts for index, table in enumerate(report.tables) if (counts := decided_by(table, metric))}
    if not decided:
        return
    rows: list[Row] = [
        [report.tables[index].name, *(_counted(counts[name], sum(counts.values()), words) for name in _NAMES)]
        for index, counts in decided.items()
    ]
    headings = [words("report.system"), *map(words, _NAMES.values())]
    yield TableBlock(headings, rows, words("review.decided_by"), in_papers=False, page=_PAGE)
    for index, counts in decided.items():
        table = report.tables[index]
        curve = risk_coverage(table, metric)
        if curve:
            yield _curve(table, curve, words)
        yield Fields(partial(_fields, counts, curve), index)


def _counted(count: int, total: int, words: Words) -> str:
    return f"{count:,} ({cells.percent(count / total, words)})" if count else "0"


def _curve(table: Table, curve: list[Coverage], words: Words) -> TableBlock:
    """The share of verdicts that are kept against the share of wrong ones among them; a page has bars."""
    rows: list[Row] = [
        [
            words(_WITHOUT[point.without]),
            Cell(cells.percent(point.share, words), share=point.share),
            f"{point.reviewed:,}",
            Cell(cells.percent(point.error, words), share=point.error if point.error == point.error else None),
        ]
        for point in curve
    ]
    codes = ("review.verdicts_kept", "review.coverage", "review.reviewed", "review.error_rate")
    title = words.labelled(table.name, words("review.risk_coverage"))
    return TableBlock([*map(words, codes)], rows, title, in_papers=False, page=_PAGE)


def _fields(counts: dict[str, int], curve: list[Coverage]) -> dict[str, Any]:
    points = [{**point._asdict(), "error": known(point.error)} for point in curve]
    return {"decided_by": counts, **({"risk_coverage": points} if points else {})}
