"""The lines below the tables: what was counted, how differences were tested, and the settings of each result."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from steelyard import counts
from steelyard.i18n import Words
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Note, Notes
from steelyard.reports.content import Report
from steelyard.stats.compare import Comparison
from steelyard.stats.pairing import quoted
from steelyard.stats.summary import Summary, cluster_tag
from steelyard.table import REPEAT_TAG, Table

ORDER: Final = 90
CANNOT_TELL: Final = {
    True: "gate.smallest_p_documents",
    False: "gate.smallest_p_items",
}
TESTS: Final[Mapping[str, str]] = {
    "permutation": "report.permutation_test",
    "t": "report.t_test",
    "wilcoxon": "report.wilcoxon_test",
    "sign": "report.sign_test",
    "bootstrap": "report.bootstrap_test",
}
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
    yield from (Note(line, "settings") for line in repeats(report.tables, words))
    if report.comparisons:
        yield Note(" · ".join(_method(report.comparisons, words)))
        yield from (Note(line, warning=True) for line in _warnings(report.comparisons, words))
    if equal := dict.fromkeys(comparison.metric for comparison in report.comparisons if comparison.all_equal):
        yield Note(words("report.equal_differences", metrics=", ".join(equal)))
    for summary in report.summaries:
        yield Note(f"{words('report.signature')} {summary.name}: {summary.signature}", "settings")


def repeats(tables: Sequence[Table], words: Words) -> Iterator[str]:
    """For each result with repeated runs of its items, that intervals and tests are clustered by item."""
    for table in tables:
        if cluster_tag(table) == REPEAT_TAG:
            items = len(set(table.tags[REPEAT_TAG]))
            yield f"{table.name}: {words('report.repeats_clustered', rows=f'{len(table):,}', items=f'{items:,}')}"


def questions_differ(questions: Sequence[tuple[str, str]], words: Words) -> str:
    """How many items have different questions in two results, and the first of these questions."""
    return words("report.questions_differ", n=f"{len(questions):,}", **quoted(*questions[0]))


def too_few(comparisons: Sequence[Comparison], words: Words) -> list[str]:
    """Notes, without repetition, that so few documents or items vary that these tests cannot be significant."""
    underpowered = (c for c in comparisons if c.underpowered and not c.test.resamples)
    return list(dict.fromkeys(_too_few(comparison, words) for comparison in underpowered))


def _too_few(comparison: Comparison, words: Words) -> str:
    least, corrected = (0.0 if p is None else p for p in (comparison.smallest_p, comparison.smallest_p_adjusted))
    limits = [words(CANNOT_TELL[comparison.by_document], n=f"{comparison.units:,}", p=f"{least:.3g}")]
    if corrected > least:
        limits.append(words("gate.after_correction", p=f"{corrected:.3g}"))
    remedy = words("gate.use_test_t") if comparison.units > 1 else words("gate.add_more")
    return f"{', '.join(limits)}; {remedy}"


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


def _method(comparisons: Sequence[Comparison], words: Words) -> Iterator[str]:
    first = comparisons[0]
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


def _warnings(comparisons: Sequence[Comparison], words: Words) -> Iterator[str]:
    """What makes a comparison doubtful."""
    unpaired = max(comparison.unpaired for comparison in comparisons)
    if unpaired:
        yield f"{words('report.items_unpaired')}: {unpaired:,}"
        yield words("gate.means_over_all", n=_shared_items(comparisons))
    differ = dict.fromkeys(key for comparison in comparisons for key in comparison.settings_differ)
    if differ:
        yield f"{words('report.settings_differ')}: {', '.join(words.name('setting', key) for key in differ)}"
    questions = max((comparison.questions_differ for comparison in comparisons), key=len)
    if questions:
        yield questions_differ(questions, words)
    yield from too_few(comparisons, words)
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
