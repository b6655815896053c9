"""The lines below the tables: what was counted, how differences were tested, and the settings of each result."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from steelyard import counts
from steelyard.i18n import Words
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Note, Notes
from steelyard.reports.content import Report
from steelyard.reports.verdicts import report_verdicts
from steelyard.stats.compare import Comparison
from steelyard.stats.pairing import quoted
from steelyard.stats.scopes import Scope, Units
from steelyard.stats.summary import Summary
from steelyard.table import REPEAT_TAG, Table

ORDER: Final = 90
TESTS: Final[Mapping[str, str]] = {
    "permutation": "report.permutation_test",
    "t": "report.t_test",
    "wilcoxon": "report.wilcoxon_test",
    "sign": "report.sign_test",
    "bootstrap": "report.bootstrap_test",
}
UNITS: Final[Mapping[Scope, str]] = {"items": "report.items", "documents": "scope.documents"}
CORRECTIONS: Final[Mapping[str, str]] = {
    "none": "report.no_correction",
    "holm": "report.holm",
    "bh": "report.bh",
    "bonferroni": "report.bonferroni",
}


def blocks(report: Report, words: Words) -> Iterator[Block]:
    """The footnotes."""
    yield Notes(list(footnotes(report, words)))


def footnotes(report: Report, words: Words) -> Iterator[Note]:
    """For each result what was counted, then the method of comparison, then the signatures."""
    for summary in report.summaries:
        yield Note(f"{summary.name}: {_item_counts(summary, words)}{_other_counts(summary, words)}", "settings")
    yield from (Note(line, "settings") for line in repeats(report.tables, report.scope, words))
    if not report.is_pair:  # two results begin with them (`changes`)
        yield from (Note(line) for line in report_verdicts(report, words))
    if report.comparisons:
        yield Note(" · ".join(_method(report, words)))
        yield from (Note(line, warning=True) for line in _warnings(report, words))
    if equal := dict.fromkeys(comparison.metric for comparison in report.comparisons if comparison.all_equal):
        yield Note(words("report.equal_differences", metrics=", ".join(equal)))
    for summary in report.summaries:
        yield Note(f"{words('report.signature')} {summary.name}: {summary.signature}", "settings")


def repeats(tables: Sequence[Table], scope: Scope, words: Words) -> Iterator[str]:
    """For each result with repeated runs of its items, that intervals and tests are clustered by item."""
    for table in tables:
        if scope == "items" and REPEAT_TAG in table.tags:
            items = len(set(table.tags[REPEAT_TAG]))
            yield f"{table.name}: {words('report.repeats_clustered', rows=f'{len(table):,}', items=f'{items:,}')}"


def units_line(scope: Scope, units: Units, words: Words) -> str:
    """Which units decide, and the setting."""
    return words("scope.units_method", units=words(UNITS[scope]), setting=units)


def questions_differ(questions: Sequence[tuple[str, str]], words: Words) -> str:
    """How many items have different questions in two results, and the first of these questions."""
    return words("report.questions_differ", n=f"{len(questions):,}", **quoted(*questions[0]))


def _item_counts(summary: Summary, words: Words) -> str:
    """The items by status, or if metrics differ in it, the metrics that were not scored on every item."""
    items = ", ".join([f"{summary.items:,} {words('report.items')}", *_statuses(summary, words)])
    scored = words("report.scored")
    differing = [f"{', '.join(metrics)}: {count:,} {scored}" for count, metrics in summary.incomplete.items()]
    return "; ".join([items, *differing])


def _statuses(summary: Summary, words: Words) -> Iterator[str]:
    if summary.uniform:
        yield f"{summary.scored:,} {words('report.scored')}"
        if summary.unscored:
            yield f"{summary.unscored:,} {words('report.unscored')}"
    if summary.errors:
        yield f"{summary.errors:,} {words('report.errors')}"


def _other_counts(summary: Summary, words: Words) -> str:
    """What else was counted: missing queries always, the rest where it is not 0."""
    shown = {name: n for name, n in summary.counts.items() if n or name in counts.ALWAYS_SHOWN}
    texts = [f"{words.named(name)} {n:,}" for name, n in shown.items()]
    return f"; {words('report.counted')}: {' · '.join(texts)}" if texts else ""


def _method(report: Report, words: Words) -> Iterator[str]:
    comparisons, first = report.comparisons, report.comparisons[0]
    exact = sum(comparison.test.exact for comparison in comparisons)
    resamples = next((c.test.resamples for c in comparisons if c.test.resamples), None)
    yield words(TESTS[first.test.name])
    if exact:
        yield f"{words('report.exact')} {exact}/{len(comparisons)}"
    if resamples:
        yield f"{resamples:,} {words('report.resamples')}, {words('report.seed')} {first.settings.seed}"
    yield f"{words('report.correction')}: {words(CORRECTIONS[first.settings.correction])} ({len(comparisons)})"
    yield f"{cells.BETTER} {words('report.significantly_better')}, {cells.WORSE} {words('report.significantly_worse')}"
    yield f"{words('report.at')} {first.settings.alpha:g}"
    if report.units != "auto" or len(first.scopes) > 1:
        yield units_line(report.scope, report.units, words)


def _warnings(report: Report, words: Words) -> Iterator[str]:
    """What makes a comparison doubtful."""
    comparisons = report.comparisons
    unpaired = max(comparison.unpaired for comparison in comparisons)
    if unpaired:
        yield f"{words('report.items_unpaired')}: {unpaired:,}"
        code = "report.over_shared" if report.changed else "gate.means_over_all"
        yield words(code, n=_shared_items(comparisons))
    differ = dict.fromkeys(key for comparison in comparisons for key in comparison.settings_differ)
    if differ:
        yield f"{words('report.settings_differ')}: {', '.join(words.name('setting', key) for key in differ)}"
    questions = max((comparison.questions_differ for comparison in comparisons), key=len)
    if questions:
        yield questions_differ(questions, words)
    sampled = [c for c in comparisons if c.test.resamples]
    if sampled and _cannot_be_significant(sampled[0], len(comparisons)):
        yield words("report.too_few_resamples")


def _shared_items(comparisons: Sequence[Comparison]) -> str:
    """How many items the two sides of a comparison share; a range where metrics differ in that."""
    least, most = min(c.n for c in comparisons), max(c.n for c in comparisons)
    return f"{least:,}" if least == most else f"{least:,}–{most:,}"


def _cannot_be_significant(comparison: Comparison, family: int) -> bool:
    """Whether even the smallest p that this many resamples can give is above alpha once corrected."""
    least = 1 / ((comparison.test.resamples or 0) + 1)
    return comparison.settings.correction in ("holm", "bonferroni") and least * family >= comparison.settings.alpha
