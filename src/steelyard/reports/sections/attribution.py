"""Outcomes of answers, and causes of wrong ones: accurate, incomplete or hallucinated; where each error was made."""

from collections.abc import Iterator
from functools import partial

from steelyard.i18n import Words
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Fields, Row, TableBlock
from steelyard.reports.content import Report
from steelyard.reports.sections import section
from steelyard.stats.attribution import Attribution, Share


@section(34, of_each=True)
def attributed(report: Report, words: Words) -> Iterator[Block]:
    """Yield a table for each result that says what its answers are and why some are wrong."""
    for index, found in report.attributions.items():
        yield _table(found, report.tables[index].name, words)
        yield Fields(partial(dict, attribution=found.as_dict()), index)


def _table(found: Attribution, name: str, words: Words) -> TableBlock:
    sides = {"attribution.answers": found.outcomes, "attribution.wrong": found.causes}
    rows = [[words(side), *_row(each, words)] for side, shares in sides.items() for each in shares]
    headings = ["", "", "n", *map(words, ("attribution.share", "report.interval", "attribution.range"))]
    notes = [words("attribution.failed", n=f"{found.failed:,}")] if found.failed else []
    title = words.labelled(name, words("attribution.title"))
    return TableBlock(headings, rows, title, "attribution", labels=2, grouped=True, notes=notes)


def _row(each: Share, words: Words) -> Row:
    """Return the name, number, share, interval, and the range that uncertain verdicts leave."""
    counted = f"{each.count:,} / {each.of:,}"
    bounds = f"{cells.number(each.low)}–{cells.number(each.high)}" if each.low < each.high else cells.DASH
    return [
        words(f"answer_part_names.{each.name}"),
        counted,
        cells.number(each.mean),
        cells.interval(each.interval),
        bounds,
    ]
