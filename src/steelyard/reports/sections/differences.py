"""How each result differs from the first, metric by metric; of two results also part by part."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from steelyard.i18n import Words
from steelyard.registry.kinds import is_directed
from steelyard.reports import cells
from steelyard.reports.blocks import (
    Block,
    Cell,
    Details,
    DifferenceGroup,
    DifferenceTable,
    Fields,
    Row,
    Symbol,
    TableBlock,
    TableRole,
)
from steelyard.reports.content import BOARD, Report
from steelyard.reports.sections import section
from steelyard.reports.sections.footnotes import CORRECTIONS, over_shared
from steelyard.stats.compare import Comparison
from steelyard.stats.risk import Risk, risks
from steelyard.stats.summary import Summary, known

_EVERY: Final = (
    *("report.before", "report.after", "report.difference", "report.interval", "report.p", "report.p_adjusted"),
    *("report.effect_size", "report.better_same_worse", "report.detectable", "report.needed"),
)
_PAIR: Final = (
    *("report.before", "report.after", "report.difference", "report.interval", "report.p_adjusted"),
    "report.better_same_worse",
)


@section(20, *BOARD, of_each=True)
def differences(report: Report, words: Words) -> Iterator[Block]:
    """Yield a table for each result that is compared with the first.

    Its means are over the items that both have; where the board has means over others, the table says so.
    """
    for name in dict.fromkeys(comparison.a for comparison in report.comparisons):
        compared = [comparison for comparison in report.comparisons if comparison.a == name]
        apart = [over_shared(compared, words)] if any(each.unpaired for each in compared) else []
        role: TableRole = "differences_apart" if apart else "differences"
        yield replace(_table(compared, words), role=role, about=name, notes=apart)


@section(20, "changes")
def pair_differences(report: Report, words: Words) -> Iterator[Block]:
    """Yield the table of metrics and parts; every number of the comparison is a detail."""
    yield pair_table(report, words)
    yield Details(lambda: [_table(report.comparisons, words)])


@section(20, "two")
def pair_numbers(report: Report, words: Words) -> Iterator[Block]:
    """Yield every number of the comparison; the table of metrics and parts is a detail."""
    yield Details(lambda: [pair_table(report, words)])
    yield _table(report.comparisons, words)


@section(21)
def comparison_fields(report: Report, words: Words) -> Iterator[Block]:
    """Yield the comparisons as fields."""
    yield Fields(lambda: {"comparisons": [comparison.as_dict() for comparison in report.comparisons]})


def difference(comparison: Comparison) -> Cell:
    """Return the difference of the means, marked where it is significant."""
    return Cell(cells.signed(comparison.difference), cells.mark(comparison))


def _directed(comparison: Comparison, count: int) -> str:
    return f"{count:,}" if is_directed(comparison.metric) else cells.DASH


def _changed(each: Comparison) -> str:
    return f"{_directed(each, each.wins)} / {each.ties:,} / {_directed(each, each.losses)}"


_NUMBERS: Final[Mapping[str, Callable[[Comparison], str | Cell]]] = {
    "n": lambda each: f"{each.n:,}",
    "report.before": lambda each: cells.number(each.b_mean),
    "report.after": lambda each: cells.number(each.a_mean),
    "report.difference": difference,
    "report.interval": lambda each: cells.interval(each.interval),
    "report.difference_interval": lambda each: cells.interval(each.interval),
    "report.p": lambda each: cells.p_value(each.p_value),
    "report.p_adjusted": lambda each: cells.p_value(each.p_adjusted),
    "report.effect_size": lambda each: cells.number(each.effect_size, 2),
    "report.better": lambda each: _directed(each, each.wins),
    "report.same": lambda each: f"{each.ties:,}",
    "report.worse": lambda each: _directed(each, each.losses),
    "report.better_same_worse": _changed,
    "report.detectable": lambda each: cells.number(each.smallest_detectable),
    "report.needed": cells.needed,
}
"""The numbers of a comparison by the codes of their headings."""


def headings(codes: Iterable[str], words: Words) -> list[str]:
    """Return the headings of the numbers of comparisons."""
    return [Symbol(words(code)) if code == "report.p_adjusted" else words.named(code) for code in codes]


def numbers(comparison: Comparison, codes: Iterable[str]) -> list[str | Cell]:
    """Return the numbers of a comparison under these headings."""
    return [_NUMBERS[code](comparison) for code in codes]


def pair_table(report: Report, words: Words) -> DifferenceTable:
    """Before, after and the difference of every metric of two results, then of the parts of their scores."""
    compared = {comparison.metric: comparison for comparison in report.comparisons}
    headlines = {metric: words.name("headline", metric) for metric in report.metrics}
    metrics = [
        [words.name("metric", metric) if headline == metric else headline, *numbers(compared[metric], _PAIR)]
        if metric in compared
        else _untested(metric, report.summaries)
        for metric, headline in headlines.items()
    ]
    tested = sum(len(group.parts) for group in report.parts)
    correction = words(CORRECTIONS[report.comparisons[0].settings.correction])
    return DifferenceTable(
        [words("report.metric"), *map(words, _PAIR)],
        metrics,
        [
            DifferenceGroup(
                words.named(group.title), [[words.named(name), *numbers(each, _PAIR)] for name, each in group.parts]
            )
            for group in report.parts
        ],
        title=words("report.parts"),
        part=words("report.part"),
        notes=[words("report.exploratory_parts", n=f"{tested:,}", correction=correction)] if report.parts else [],
    )


def tests_table(report: Report, words: Words) -> TableBlock:
    """Return the tests in full: p-values, effect sizes, and what the sample could detect."""
    return _numbers_table(report.comparisons, words, words("report.tests"), "tests")


def _untested(metric: str, summaries: Sequence[Summary]) -> Row:
    """Return a metric that is not compared, such as a total, or one that only one result has."""
    means = [summary.metrics.get(metric) for summary in summaries]
    before, after = (cells.DASH if mean is None else cells.mean(mean) for mean in means)
    change = cells.DASH
    if all(mean is not None and mean.total is not None for mean in means):
        old, new = (mean.total or 0.0 for mean in means if mean)
        change = cells.signed(new - old, 0)
    return [metric, before, after, change, cells.DASH, cells.DASH, cells.DASH]


def _table(comparisons: Sequence[Comparison], words: Words) -> TableBlock:
    """Return every number of the comparisons, a row per metric."""
    title = f"{comparisons[0].a} {words('report.against')} {comparisons[0].b}"
    return _numbers_table(comparisons, words, title, "differences")


def _numbers_table(comparisons: Sequence[Comparison], words: Words, title: str, role: TableRole) -> TableBlock:
    rows = [[words.name("metric", each.metric), *numbers(each, _EVERY)] for each in comparisons]
    return TableBlock([words("report.metric"), *headings(_EVERY, words)], rows, title, role)


ALPHAS: Final = (1, 5, 10)
"""How much more a fall weighs than a gain; those of the TREC Web Track. Tables have the first."""
_KIND: Final = "retrieval"


@section(28)
def risk(report: Report, words: Words) -> Iterator[Block]:
    """Yield a row for each result, in the metric of the headline; JSON has every metric that is compared."""
    if report.tables[0].kind == _KIND and report.comparisons:
        yield _risk_table(report, words)
        yield Fields(partial(_risk_fields, report))


def _risk_table(report: Report, words: Words) -> TableBlock:
    metric = report.main
    rows: list[Row] = [
        [name, cells.signed(each.urisk), cells.number(each.trisk, 2), cells.number(each.georisk)]
        for name, each in _risks(report, metric, ALPHAS[0])
    ]
    title = words("report.risk", metric=words.name("metric", metric), baseline=report.tables[0].name, alpha=ALPHAS[0])
    return TableBlock([words("report.system"), "URisk", "TRisk", "GeoRisk"], rows, title, role="risk")


def _risk_fields(report: Report) -> dict[str, Any]:
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
