"""The lines below the tables: what was counted, how differences were tested, and the settings of each result."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from steelyard import counts
from steelyard.i18n import Words
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Note, Notes
from steelyard.reports.content import Report, main_metric
from steelyard.reports.verdicts import report_verdicts
from steelyard.stats.compare import Comparison
from steelyard.stats.pairing import changes, quoted
from steelyard.stats.scopes import Scope, Units
from steelyard.stats.summary import Summary
from steelyard.table import REPEAT_TAG, Signature, Table

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
    yield from (Note(line, "settings") for line in _counted(report, words))
    yield from (Note(line, "settings") for line in repeats(report.tables, report.scope, words))
    if not report.is_pair:  # two results begin with them (`changes`)
        yield from (Note(line) for line in report_verdicts(report, words))
    if report.comparisons:
        yield Note(" · ".join(_method(report, words)))
    if line := " ".join(_about_intervals(report.comparisons, words)):
        yield Note(line)
    if equal := dict.fromkeys(comparison.metric for comparison in report.comparisons if comparison.all_equal):
        yield Note(
            words(
                "report.equal_differences",
                metrics=words.joined("core.listed", (words.name("metric", name) for name in equal)),
            )
        )
    if report.is_many and (line := _needed(report, words)):
        yield Note(line)
    if report.is_short:
        yield Note(words("report.more_of_each"), None)
    yield from (Note(line, "settings", quiet=True) for line in signatures(report.tables, words))


def _needed(report: Report, words: Words) -> str:
    """Of results that do not differ significantly in the metric of the headline, how many units would show it."""
    metric = main_metric(report)
    named = [f"{each.a} {cells.needed(each)}" for each in report.comparisons if each.metric == metric and each.needed]
    unit = words(UNITS[report.scope])
    return (
        words("report.needed_of_each", metric=words.name("metric", metric), units=unit, named=" · ".join(named))
        if named
        else ""
    )


def _about_intervals(comparisons: Sequence[Comparison], words: Words) -> Iterator[str]:
    """What the intervals of differences do not say: they are not adjusted, and [0, 0] where no item changed."""
    if any(comparison.p_adjusted != comparison.p_value for comparison in comparisons):
        yield words("report.intervals_unadjusted")
    unchanged = dict.fromkeys(each.metric for each in comparisons if each.interval.low == each.interval.high == 0)
    if unchanged:
        names = words.joined("core.listed", (words.name("metric", name) for name in unchanged))
        yield words("report.interval_of_no_change", metrics=names)


def signatures(tables: Sequence[Table], words: Words) -> Iterator[str]:
    """The settings that all results share in one line, then for each result those that differ."""
    if len(tables) == 1:
        yield words.labelled(f"{words('report.signature')} {tables[0].name}", str(tables[0].signature))
        return
    shared = set.intersection(*(set(table.signature.settings) for table in tables))
    common = Signature(tuple(setting for setting in tables[0].signature.settings if setting in shared))
    if common.settings:
        yield words.labelled(words("report.signature"), str(common))
    for table in tables:
        own = Signature(tuple(setting for setting in table.signature.settings if setting not in shared))
        if own.settings:
            yield words.labelled(f"{words('report.signature')} {table.name}", str(own))


def _counted(report: Report, words: Words) -> Iterator[str]:
    """The counts of each result; those that three results or more share are one line, as are equal ones."""
    items = [_item_counts(summary, words) for summary in report.summaries]
    others = [_other_counts(summary, words) for summary in report.summaries]
    same = report.is_many and len(set(items)) == 1
    shared = [text for text in others[0] if report.is_many and all(text in line for line in others)]
    if line := _counts_line(items[0] if same else "", shared, words):
        yield words.labelled(words("report.every_system"), line)
    named: dict[str, list[str]] = {}
    for summary, own, counted in zip(report.summaries, items, others, strict=True):
        rest = [text for text in counted if text not in shared]
        named.setdefault(_counts_line("" if same else own, rest, words), []).append(summary.name)
    yield from (words.labelled(words.joined("core.listed", names), line) for line, names in named.items() if line)


def _counts_line(items: str, others: Sequence[str], words: Words) -> str:
    counted = " · ".join(others)
    if not (items and counted):
        return items or counted
    return words.joined("core.clauses", [items, words.labelled(words("report.counted"), counted)])


def repeats(tables: Sequence[Table], scope: Scope, words: Words) -> Iterator[str]:
    """For each result with repeated runs of its items, that intervals and tests are clustered by item."""
    for table in tables:
        if scope == "items" and REPEAT_TAG in table.tags:
            items = len(set(table.tags[REPEAT_TAG]))
            line = words("report.repeats_clustered", rows=f"{len(table):,}", items=f"{items:,}")
            yield words.labelled(table.name, line)


def units_line(scope: Scope, units: Units, words: Words) -> str:
    """Which units decide, and the setting."""
    return words("scope.units_method", units=words(UNITS[scope]), setting=units)


def questions_differ(questions: Sequence[tuple[str, str]], words: Words) -> str:
    """How many items have different questions in two results, and the first of these questions."""
    return words("report.questions_differ", n=f"{len(questions):,}", **quoted(*questions[0]))


def _item_counts(summary: Summary, words: Words) -> str:
    """The items by status, or if metrics differ in it, the metrics that were not scored on every item."""
    items = [words("report.n_items", n=f"{summary.items:,}"), *_statuses(summary, words)]
    differing = (
        words.labelled(words.joined("core.listed", metrics), words("report.n_scored", n=f"{count:,}"))
        for count, metrics in summary.incomplete.items()
    )
    return words.joined("core.clauses", [words.joined("core.comma", items), *differing])


def _statuses(summary: Summary, words: Words) -> Iterator[str]:
    if summary.uniform:
        yield words("report.n_scored", n=f"{summary.scored:,}")
        if summary.unscored:
            yield words("report.n_unscored", n=f"{summary.unscored:,}")
    if summary.errors:
        yield words("report.n_errors", n=f"{summary.errors:,}")


def _other_counts(summary: Summary, words: Words) -> list[str]:
    """What else was counted: missing queries always, the rest where it is not 0."""
    shown = {name: n for name, n in summary.counts.items() if n or name in counts.ALWAYS_SHOWN}
    return [f"{words.named(name)} {n:,}" for name, n in shown.items()]


def _method(report: Report, words: Words) -> Iterator[str]:
    comparisons, first = report.comparisons, report.comparisons[0]
    exact = sum(comparison.test.exact for comparison in comparisons)
    resamples = next((c.test.resamples for c in comparisons if c.test.resamples), None)
    yield words(TESTS[first.test.name])
    if exact:
        yield f"{words('report.exact')} {exact}/{len(comparisons)}"
    if resamples:
        seed = f"{words('report.seed')} {first.settings.seed}"
        yield words.joined("core.comma", [words("report.n_resamples", n=f"{resamples:,}"), seed])
    correction = f"{words(CORRECTIONS[first.settings.correction])} ({len(comparisons)})"
    yield words.labelled(words("report.correction"), correction)
    marks = {cells.BETTER: "report.significantly_better", cells.WORSE: "report.significantly_worse"}
    yield words.joined("core.comma", (f"{mark} {words(code)}" for mark, code in marks.items()))
    yield f"{words('report.at')} {first.settings.alpha:g}"
    if report.units != "auto" or len(first.scopes) > 1:
        yield units_line(report.scope, report.units, words)


def caption(report: Report, words: Words) -> str:
    """What the superscripts of a table of means denote, for papers; "" where nothing was tested."""
    tests = report.pairs or report.comparisons
    if not tests:
        return ""
    settings = tests[0].settings
    named = {"test": words(TESTS[settings.test]), "correction": words(CORRECTIONS[settings.correction])}
    described = "report.paper_method" if len(tests) > 1 else "report.paper_test"
    method = words(described, **named, n=f"{len(tests):,}", alpha=f"{settings.alpha:g}")
    code = "report.paper_letters" if report.pairs else "report.paper_marks"
    return words(code, method=method, baseline=report.tables[0].name)


def warnings_of(report: Report, words: Words) -> Iterator[str]:
    """What makes a comparison doubtful."""
    comparisons = report.comparisons
    tables = {table.name: table for table in report.tables}
    unpaired = (changes(tables[c.a], tables[c.b], c.metric) for c in comparisons if c.unpaired)
    excluded = {item for found in unpaired for item in (*found.only_a, *found.only_b)}
    if excluded:
        yield words.labelled(words("report.items_unpaired"), f"{len(excluded):,}")
        code = "report.over_shared" if report.is_pair else "gate.means_over_all"
        yield words(code, n=_shared_items(comparisons))
    differ = dict.fromkeys(key for comparison in comparisons for key in comparison.settings_differ)
    if differ:
        names = words.joined("core.listed", (words.name("setting", key) for key in differ))
        yield words.labelled(words("report.settings_differ"), names)
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
