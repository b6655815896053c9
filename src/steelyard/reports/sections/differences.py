"""How each result differs from the first, metric by metric; of two results also part by part."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from steelyard.i18n import Words
from steelyard.reports import cells
from steelyard.reports.blocks import (
    Block,
    Cell,
    DifferenceGroup,
    DifferenceTable,
    Fields,
    PageForm,
    PageOnly,
    PageTables,
    Place,
    Row,
    TableBlock,
)
from steelyard.reports.content import Report
from steelyard.reports.kinds import PartGroup, compared_parts
from steelyard.reports.sections.footnotes import CORRECTIONS
from steelyard.stats.compare import Comparison
from steelyard.stats.direction import is_directed
from steelyard.stats.summary import Summary

ORDER: Final = 20
_HEADINGS: Final = (
    *("report.metric", "report.before", "report.after", "report.difference", "report.interval"),
    *("report.p", "report.p_adjusted", "report.effect_size", "report.better_same_worse", "report.detectable"),
    "report.needed",
)
_PRINTED: Final = (0, 3, 4, 5, 6, 9, 10)
_TESTS: Final = (0, 5, 6, 7, 9, 10)
_PAIR: Final = (
    *("report.metric", "report.before", "report.after", "report.difference"),
    *("report.interval", "report.p_adjusted", "report.better_same_worse"),
)


def blocks(report: Report, words: Words) -> Iterator[Block]:
    """A table for each result that is compared with the first, of many results only where items are asked for too.

    Of two results there is one table of metrics and parts.
    """
    if report.is_pair:
        yield from _pair_blocks(report, words)
    else:
        tables = partial(_tables, report, words)
        yield from [PageTables(tables)] if report.is_short else tables()
    yield Fields(lambda: {"comparisons": [comparison.as_dict() for comparison in report.comparisons]})


def _tables(report: Report, words: Words) -> Iterator[TableBlock]:
    place: Place = "results" if report.is_many else "metrics"
    for name in dict.fromkeys(comparison.a for comparison in report.comparisons):
        compared = [comparison for comparison in report.comparisons if comparison.a == name]
        yield _table(compared, words, PageForm(place, folded=True, result=name))


def _pair_blocks(report: Report, words: Words) -> Iterator[Block]:
    """The table of differences; on pages the tests in full are with the settings."""
    if report.changed:
        yield pair_table(report, words)
    else:
        yield PageOnly(lambda: [pair_table(report, words)])
    yield _table(report.comparisons, words, folded=PageForm("settings", folded=True), in_text=not report.changed)


def difference(comparison: Comparison) -> Cell:
    """The difference of the means, marked where it is significant."""
    return Cell(cells.signed(comparison.difference), cells.mark(comparison))


def effect(comparison: Comparison) -> tuple[str, str, str, str]:
    """The effect size, and how many items are better, equal and worse."""
    ties = comparison.n - comparison.wins - comparison.losses
    better, same, worse = (f"{count:,}" for count in (comparison.wins, ties, comparison.losses))
    if not is_directed(comparison.metric):
        better = worse = cells.DASH
    return cells.number(comparison.effect_size, 2), better, same, worse


def pair_table(report: Report, words: Words) -> DifferenceTable:
    """Before, after and the difference of every metric of two results, then of the parts of their scores."""
    compared = {comparison.metric: comparison for comparison in report.comparisons}
    metrics = [
        _pair_row(_metric_name(metric, words), compared[metric])
        if metric in compared
        else _untested(metric, report.summaries)
        for metric in report.metrics
    ]
    groups = _parts(report)
    tested = sum(len(group.parts) for group in groups)
    correction = words(CORRECTIONS[report.comparisons[0].settings.correction])
    return DifferenceTable(
        [words(heading) for heading in _PAIR],
        metrics,
        [
            DifferenceGroup(
                words.named(group.title), [_pair_row(words.named(name), each) for name, each in group.parts]
            )
            for group in groups
        ],
        title=words("report.parts"),
        part=words("report.part"),
        notes=[words("report.exploratory_parts", n=f"{tested:,}", correction=correction)] if groups else [],
    )


def _metric_name(metric: str, words: Words) -> str:
    """What a headline calls a metric, else its name."""
    name = words.name("headline", metric)
    return words.name("metric", metric) if name == metric else name


def tests_table(report: Report, words: Words) -> TableBlock:
    """The tests in full: p-values, effect sizes, and what the sample could detect."""
    rows = [[row[column] for column in _TESTS] for row in (_row(each, words) for each in report.comparisons)]
    headings = [words(_HEADINGS[column]) for column in _TESTS]
    return TableBlock(headings, rows, words("report.tests"), in_papers=False, page=None)


def _parts(report: Report) -> Sequence[PartGroup]:
    """The comparisons of parts, made once for all languages."""
    if "parts" not in report.kept:
        old, new = report.tables
        report.kept["parts"] = compared_parts(new, old, report.comparisons[0].settings)
    found: Sequence[PartGroup] = report.kept["parts"]
    return found


def _pair_row(name: str, comparison: Comparison) -> Row:
    return [
        name,
        cells.number(comparison.b_mean),
        cells.number(comparison.a_mean),
        difference(comparison),
        cells.interval(comparison.interval),
        cells.p_value(comparison.p_adjusted),
        " / ".join(effect(comparison)[1:]),
    ]


def _untested(metric: str, summaries: Sequence[Summary]) -> Row:
    """A metric that is not compared, such as a total, or one that only one result has."""
    means = [summary.metrics.get(metric) for summary in summaries]
    before, after = (cells.DASH if mean is None else cells.mean(mean) for mean in means)
    change = cells.DASH
    if all(mean is not None and mean.total is not None for mean in means):
        old, new = (mean.total or 0.0 for mean in means if mean)
        change = cells.signed(new - old, 0)
    return [metric, before, after, change, cells.DASH, cells.DASH, cells.DASH]


def _table(
    comparisons: Sequence[Comparison],
    words: Words,
    folded: PageForm = PageForm(folded=True),  # noqa: B008 - frozen
    *,
    in_text: bool = True,
) -> TableBlock:
    """A row per metric; means and effects are columns of pages, for text has them in other tables."""
    title = f"{comparisons[0].a} {words('report.against')} {comparisons[0].b}"
    return TableBlock(
        [words(heading) for heading in _HEADINGS],
        [_row(comparison, words) for comparison in comparisons],
        title,
        in_papers=False,
        in_text=in_text,
        printed=_PRINTED,
        page=folded,
    )


def _row(comparison: Comparison, words: Words) -> Row:
    effect_size, *changed = effect(comparison)
    return [
        words.name("metric", comparison.metric),
        cells.number(comparison.b_mean),
        cells.number(comparison.a_mean),
        difference(comparison),
        cells.interval(comparison.interval),
        cells.p_value(comparison.p_value),
        cells.p_value(comparison.p_adjusted),
        effect_size,
        " / ".join(changed),
        cells.number(comparison.smallest_detectable),
        cells.needed(comparison),
    ]
