"""The blocks of a report that only legal results have: parts by type, questions about gaps, uncertain verdicts, the
weighted mean and the questions with the lowest scores."""

from collections.abc import Iterator

from steelyard.i18n import Words
from steelyard.legal.formulas import METRIC
from steelyard.legal.report import results
from steelyard.legal.report.results import Uncertain, uncertain, uncertain_by_type
from steelyard.legal.report.verdicts import note_in
from steelyard.reports import cells
from steelyard.reports.blocks import Block, ItemList, ListItem, TableBlock
from steelyard.reports.content import lowest_rows
from steelyard.stats.scopes import Units
from steelyard.table import Table


def blocks(table: Table, words: Words, units: Units = "auto") -> Iterator[Block]:
    """The tables, then the lines about the mean and the list of questions."""
    yield _parts(table, words, units)
    if results.has_gaps(table):
        yield _gaps(table, words)
    yield from _uncertain(table, words)
    yield _lowest(table, words)


def _parts(table: Table, words: Words, units: Units) -> TableBlock:
    """The score and its parts for each type of question."""
    rows = [
        [words.value("type", part.type), words.name("part", part.part), *_numbers(part)]
        for part in results.part_means(table, units)
    ]
    headings = [*map(words, ("report.type", "report.part", "report.mean", "report.interval")), "n"]
    title = words.labelled(table.name, words("report.parts"))
    return TableBlock(headings, rows, title, text_columns=2, grouped=True)


def _numbers(part: results.PartMean) -> tuple[str, str, str]:
    return cells.number(part.mean), cells.interval(part.interval), f"{part.items:,}"


def _gaps(table: Table, words: Words) -> TableBlock:
    """Answered and abstained, of answerable questions and of others; questions without an answer, if any."""
    counts = results.refusals(table)
    answerable = (counts.answered_answerable, counts.refused_answerable)
    others = (counts.answered_unanswerable, counts.refused_unanswerable)
    rows = [
        [words("report.answerable"), *map(str, answerable), cells.percent(counts.over_refusal, words)],
        [words("report.not_answerable"), *map(str, others), cells.percent(counts.false_answer, words)],
        [words("report.hallucinating_answers"), "", "", cells.percent(results.hallucination_rate(table), words)],
    ]
    unanswered = (("report.the_system_failed", counts.failed), ("report.no_answer", counts.silent))
    rows += [[words(code), str(count), "", ""] for code, count in unanswered if count]
    headings = ["", *map(words, ("report.answered", "report.abstained", "report.wrong_rate"))]
    return TableBlock(headings, rows, words.labelled(table.name, words("report.questions_about_gaps")))


def _uncertain(table: Table, words: Words) -> Iterator[TableBlock]:
    """A row for each type with an uncertain verdict, and one for all types, where there is any."""
    summary = uncertain(table)
    if summary is None or not summary.count:
        return
    rows = [
        [
            words.value("type", each.share.type) if each.share.type else words("report.all"),
            f"{each.count:,} / {each.share.items:,} ({cells.percent(each.share.mean, words)})",
            *map(cells.number, (each.mean, each.low, each.high)),
        ]
        for each in (*uncertain_by_type(table), summary)
        if each.count
    ]
    codes = ("report.type", "report.uncertain_items", "report.mean", "report.lowest_mean", "report.highest_mean")
    title = words.labelled(table.name, words("report.uncertain_items"))
    yield TableBlock([*map(words, codes)], rows, title)


def _lowest(table: Table, words: Words) -> ItemList:
    """The questions with the lowest scores and the reasons, below what is to be known of the mean."""
    items = []
    for row in lowest_rows(table, METRIC, results.WORST, best=1.0):
        score, question = table.column(METRIC)[row], str(results.output_of(table, row).get("question", ""))
        shown = (table.ids[row], cells.number(float(score), 2), question)
        items.append(ListItem(shown, note_in(words.language, table, row)))
    title = words.labelled(table.name, words("report.worst_questions"))
    return ItemList(title, items, list(mean_lines(table, words)), numbered=True)


def mean_lines(table: Table, words: Words) -> Iterator[str]:
    """The weighted mean, and the range of the mean, where the result has them."""
    weighted = results.weighted_mean(table)
    if weighted is not None:
        yield words.labelled(table.name, f"{words('report.weighted_mean')} {cells.number(weighted)}")
    doubts = uncertain(table)
    if doubts is not None:
        share = cells.percent(doubts.share.mean, words)
        counted = words("report.uncertain_share", n=f"{doubts.count:,}", items=f"{doubts.share.items:,}", share=share)
        bounds = [mean_range(doubts, words)] if doubts.count else []
        yield words.labelled(table.name, words.joined("core.comma", [counted, *bounds]))


def mean_range(doubts: Uncertain, words: Words) -> str:
    """The range of the mean."""
    return words("report.mean_range", low=cells.number(doubts.low), high=cells.number(doubts.high))
