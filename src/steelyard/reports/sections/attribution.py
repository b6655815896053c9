"""Outcomes of answers, and causes of wrong ones: accurate, incomplete or hallucinated; where each error was made."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from steelyard.i18n import Words
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Fields, Row, TableBlock
from steelyard.reports.content import Report
from steelyard.reports.sections import section
from steelyard.stats.attribution import Share


@section(34, of_each=True)
def attributed(report: Report, words: Words) -> Iterator[Block]:
    """Yield two tables for each result: what its answers are, and why some are wrong."""
    for index, found in report.attributions.items():
        name = report.tables[index].name
        failed = [words("attribution.failed", n=f"{found.failed:,}")] if found.failed else []
        title = words.labelled(name, words("attribution.outcomes"))
        outcomes = _table("attribution.outcome", found.outcomes, title, words)
        yield replace(outcomes, notes=failed)
        if found.causes:
            title = words.labelled(name, words("attribution.causes"))
            yield _table("attribution.cause", found.causes, title, words)
        yield Fields(partial(dict, attribution=found.as_dict()), index)


def _table(label: str, shares: Sequence[Share], title: str, words: Words) -> TableBlock:
    """Return a row for each outcome or cause: its number, share and interval, and the range that doubts leave."""
    headings = [words(label), "n", *map(words, ("attribution.share", "report.interval", "attribution.range"))]
    return TableBlock(headings, [_row(each, words) for each in shares], title, "attribution")


def _row(each: Share, words: Words) -> Row:
    counted = f"{each.count:,} / {each.of:,}"
    bounds = f"{cells.number(each.low)}–{cells.number(each.high)}" if each.low < each.high else cells.DASH
    name = words(f"answer_part_names.{each.name}")
    return [name, counted, cells.number(each.mean), cells.interval(each.interval), bounds]
