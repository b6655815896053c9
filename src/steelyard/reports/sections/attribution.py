"""Outcomes of answers (`stats.outcomes`), and where the errors of those that are not right were made."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from steelyard.i18n import Words
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Fields, TableBlock
from steelyard.reports.content import Report
from steelyard.reports.sections import section
from steelyard.stats.attribution import Attribution, Share


@section(34, of_each=True)
def attributed(report: Report, words: Words) -> Iterator[Block]:
    """Yield two tables for each result: what its answers are, and why some are not right."""
    definitions = [words("attribution.definitions")]  # once
    for index, found in report.attributions.items():
        name = report.tables[index].name
        outcomes = _outcomes(found, words.labelled(name, words("attribution.outcomes")), words)
        yield replace(outcomes, notes=[*outcomes.notes, *definitions])
        definitions = []
        if found.causes:
            rows = [_row(each, words) for each in found.causes]
            headings = [words("attribution.cause"), *_headings(words)]
            title = words.labelled(name, words("attribution.causes"))
            yield TableBlock(headings, rows, title, "attribution")
        yield Fields(partial(dict, attribution=found.as_dict()), index)


def _outcomes(found: Attribution, title: str, words: Words) -> TableBlock:
    """Return a row for each outcome, with the range that undecided answers leave."""
    notes = []
    if not found.has_point:
        decided = f"{found.answers - found.undecided:,}"
        share = cells.percent(found.decided, words)
        notes.append(words("attribution.mostly_undecided", n=decided, of=f"{found.answers:,}", share=share))
    if found.failed:
        notes.append(words("attribution.failed", n=f"{found.failed:,}"))
    headings = [words("attribution.outcome"), *_headings(words), words("attribution.range")]
    rows = [[*_row(each, words), _range(each)] for each in found.outcomes]
    return TableBlock(headings, rows, title, "attribution", notes=notes)


def _headings(words: Words) -> list[str]:
    return ["n", words("attribution.share"), words("report.interval")]


def _row(each: Share, words: Words) -> list[str]:
    """Return the name of an outcome or cause, its number, share and interval."""
    name = words(f"answer_part_names.{each.name}")
    return [name, f"{each.count:,} / {each.of:,}", cells.number(each.mean), cells.interval(each.interval)]


def _range(each: Share) -> str:
    return f"{cells.number(each.low)}–{cells.number(each.high)}" if each.low < each.high else cells.DASH
