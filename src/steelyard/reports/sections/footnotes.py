"""The lines below the tables: what was counted, how differences were tested, and the settings of each result."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from steelyard.i18n import Option, Words, code_of
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Details, Note, Notes, TableBlock
from steelyard.reports.content import COMPARED, Report
from steelyard.reports.sections import section
from steelyard.reports.verdicts import report_verdicts
from steelyard.stats.compare import Comparison
from steelyard.stats.pairing import quoted
from steelyard.stats.scopes import Scope, Units
from steelyard.stats.summary import Summary
from steelyard.table import ALWAYS_SHOWN, REPEAT_TAG, Signature, Table

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


@section(90)
def blocks(report: Report, words: Words) -> Iterator[Block]:
    """Yield the footnotes."""
    yield Notes(list(footnotes(report, words)))


def footnotes(report: Report, words: Words) -> Iterator[Note]:
    """For each result what was counted, then the method of comparison, then the signatures."""
    yield from (Note(line, "count") for line in _counted(report, words))
    yield from (Note(line, "count") for line in repeats(report.tables, report.scope, words))
    if report.layout not in COMPARED:  # two results begin with them (`changes`)
        yield from (Note(line) for line in report_verdicts(report, words))
    if report.comparisons:
        yield Note(" · ".join(_method(report, words)))
    if line := " ".join(_about_intervals(report.comparisons, words)):
        yield Note(line)
    if equal := dict.fromkeys(comparison.metric for comparison in report.comparisons if comparison.all_equal):
        names = words.joined("core.listed", (words.name("metric", name) for name in equal))
        yield Note(words("report.equal_differences", metrics=names))
    if report.layout == "many" and (line := _needed(report, words)):
        yield Note(line)
    if report.is_brief:
        yield Note(words("report.more_of_each"), "hint")
    yield from (Note(line, "signature") for line in signatures(report.tables, words))


def _needed(report: Report, words: Words) -> str:
    """Of results that do not differ significantly in the metric of the headline, how many units would show it."""
    metric = report.main
    named = [f"{each.a} {cells.needed(each)}" for each in report.comparisons if each.metric == metric and each.needed]
    shown = {"metric": words.name("metric", metric), "units": words(UNITS[report.scope]), "named": " · ".join(named)}
    return words("report.needed_of_each", **shown) if named else ""


def _about_intervals(comparisons: Sequence[Comparison], words: Words) -> Iterator[str]:
    """Yield what the intervals of differences do not say: they are not adjusted, and [0, 0] where no item changed."""
    if any(comparison.p_adjusted != comparison.p_value for comparison in comparisons):
        yield words("report.intervals_unadjusted")
    unchanged = dict.fromkeys(each.metric for each in comparisons if each.interval.low == each.interval.high == 0)
    if unchanged:
        names = words.joined("core.listed", (words.name("metric", name) for name in unchanged))
        yield words("report.interval_of_no_change", metrics=names)


def signatures(tables: Sequence[Table], words: Words) -> Iterator[str]:
    """Yield the settings that all results share in one line, then for each result those that differ."""
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
    """Yield the counts of each result; those that three results or more share are one line, as are equal ones."""
    items = [_item_counts(summary, words) for summary in report.summaries]
    others = [_other_counts(summary, words) for summary in report.summaries]
    same = report.layout == "many" and len(set(items)) == 1
    shared = [text for text in others[0] if report.layout == "many" and all(text in line for line in others)]
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
    """Return which units decide, and the setting."""
    return words("scope.units_method", units=words(UNITS[scope]), option=Option("units", units=units))


def questions_differ(questions: Sequence[tuple[str, str]], words: Words) -> str:
    """Return how many items have different questions in two results, and the first of these questions."""
    return words("report.questions_differ", n=f"{len(questions):,}", **quoted(*questions[0]))


def _item_counts(summary: Summary, words: Words) -> str:
    """Return the items by status, or if metrics differ in it, the metrics that were not scored on every item."""
    statuses = {"report.n_scored": summary.scored, "report.n_unscored": summary.unscored} if summary.uniform else {}
    counted = {"report.n_items": summary.items, **statuses, "report.n_errors": summary.errors}
    always = ("report.n_items", "report.n_scored")
    items = [words(code, n=f"{count:,}") for code, count in counted.items() if count or code in always]
    differing = (
        words.labelled(words.joined("core.listed", metrics), words("report.n_scored", n=f"{count:,}"))
        for count, metrics in summary.incomplete.items()
    )
    return words.joined("core.clauses", [words.joined("core.comma", items), *differing])


def _other_counts(summary: Summary, words: Words) -> list[str]:
    """Return what else was counted: missing queries always, the rest where it is not 0."""
    shown = {name: n for name, n in summary.counts.items() if n or name in ALWAYS_SHOWN}
    return [f"{words.named(name)} {n:,}" for name, n in shown.items()]


def _method(report: Report, words: Words) -> Iterator[str]:
    comparisons, first = report.comparisons, report.comparisons[0]
    exact = sum(comparison.exact for comparison in comparisons)
    resamples = next((c.resamples for c in comparisons if c.resamples), None)
    yield words(TESTS[first.settings.test])
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
    """Return what the superscripts of a table of means denote, for papers; "" where nothing was tested."""
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
    """Yield what makes a comparison doubtful."""
    comparisons = report.comparisons
    unpaired = (report.changes(each.a, each.metric) for each in comparisons if each.unpaired)
    excluded = {item for found in unpaired for item in (*found.only_a, *found.only_b)}
    if excluded:
        yield words.labelled(words("report.items_unpaired"), f"{len(excluded):,}")
        code = "report.over_shared" if report.layout in COMPARED else "gate.means_over_all"
        shared = sorted({min(each.n for each in comparisons), max(each.n for each in comparisons)})
        yield words(code, n="–".join(f"{count:,}" for count in shared))
    differ = dict.fromkeys(key for comparison in comparisons for key in comparison.settings_differ)
    if differ:
        names = words.joined("core.listed", (words.name("setting", key) for key in differ))
        yield words.labelled(words("report.settings_differ"), names)
    questions = max((comparison.questions_differ for comparison in comparisons), key=len)
    if questions:
        yield questions_differ(questions, words)
    settings, resamples = comparisons[0].settings, next((each.resamples for each in comparisons if each.resamples), 0)
    is_strict = settings.correction in ("holm", "bonferroni")
    if resamples and is_strict and 1 / (resamples + 1) * len(comparisons) >= settings.alpha:
        yield words("report.too_few_resamples", option=Option("resamples"))


@section(15)
def warnings(report: Report, words: Words) -> Iterator[Block]:
    """Yield a line for each warning; nothing where there is none."""
    lines = [line for summary in report.summaries for line in _missing_counts(summary, words)]
    if report.comparisons:
        lines += warnings_of(report, words)
    if lines:
        yield Notes([Note(line, "warning") for line in lines])


def _missing_counts(summary: Summary, words: Words) -> Iterator[str]:
    """Yield the queries or answers that a result lacks, which count 0 or not at all."""
    for name in ALWAYS_SHOWN:
        if summary.counts.get(name):
            yield words.labelled(summary.name, f"{words.named(name)} {summary.counts[name]:,}")


@section(80)
def settings(report: Report, words: Words) -> Iterator[Block]:
    """Yield the tables of counts and settings, as details."""
    yield Details(partial(_of_many if report.layout == "many" else _side_by_side, report, words))


def _of_many(report: Report, words: Words) -> Iterator[TableBlock]:
    """Yield the counts with a row for each result; the settings that all share, and those in which they differ."""
    counted, settings = _counts_and_settings(report)
    headings = [words("report.system"), *map(words.named, counted)]
    yield TableBlock(headings, _down(report, counted), role="settings")
    shared = {key: values for key, values in settings.items() if len(set(values)) == 1}
    heads = [words("report.setting"), words("report.every_system")]
    rows = [[words.name("setting", key), _setting(key, values[0], words)] for key, values in shared.items()]
    yield TableBlock(heads, rows, words("report.signature"), labels=2, role="settings")
    if own := {key: values for key, values in settings.items() if key not in shared}:
        heads = [words("report.system"), *(words.name("setting", key) for key in own)]
        yield TableBlock(heads, _down(report, own), words("report.differing"), labels=len(heads), role="settings")


def _down(report: Report, columns: Mapping[str, Sequence[str]]) -> list[list[str]]:
    return [[table.name, *row] for table, *row in zip(report.tables, *columns.values(), strict=True)]


def _side_by_side(report: Report, words: Words) -> Iterator[TableBlock]:
    """Yield the counts and the settings with a column for each result."""
    counted, settings = _counts_and_settings(report)
    names = [table.name for table in report.tables]
    rows = [[words.named(key), *values] for key, values in counted.items()]
    yield TableBlock([words("report.counted"), *names], rows, role="settings")
    rows = [
        [words.name("setting", key), *(_setting(key, value, words) for value in values)]
        for key, values in settings.items()
    ]
    title = words("report.signature")
    yield TableBlock([words("report.setting"), *names], rows, title, labels=1 + len(names), role="settings")


def _counts_and_settings(report: Report) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the counts of each result by key, and its settings; a dash where a result does not have one.

    The numbers of metrics that differ in them are in the table of means.
    """
    uniform = all(summary.uniform for summary in report.summaries)
    counted = []
    for summary in report.summaries:
        scored = {"report.scored": summary.scored, "report.unscored": summary.unscored} if uniform else {}
        numbers = {"report.items": summary.items, **scored, "report.errors": summary.errors, **summary.counts}
        counted.append({key: f"{number:,}" for key, number in numbers.items()})
    settings = [dict(table.signature.settings) for table in report.tables]
    return _values_by_key(counted), _values_by_key(settings)


def _setting(key: str, value: str, words: Words) -> str:
    """Return the word for a value that the program gives a setting (`missing:zero`); other values are themselves."""
    code = code_of("setting_values", f"{key} {value}")
    return words(code) if code.startswith("setting_values.") else value


def _values_by_key(results: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
    """For each key of any result its values; a dash where a result does not have it."""
    keys = dict.fromkeys(key for of_result in results for key in of_result)
    return {key: [of_result.get(key, cells.DASH) for of_result in results] for key in keys}
