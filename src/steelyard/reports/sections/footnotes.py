"""The lines below the tables: what was counted, how differences were tested, and the settings of each result."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from steelyard.i18n import Option, Words, code_of
from steelyard.registry.kinds import COSTS
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Details, Note, Notes, TableBlock
from steelyard.reports.content import BOARD, PAIR, Report
from steelyard.reports.sections import section
from steelyard.reports.verdicts import board_verdicts, mean_verdicts
from steelyard.stats.compare import Comparison
from steelyard.stats.pairing import quoted
from steelyard.stats.resampling import resamples_for
from steelyard.stats.scopes import Scope, Units
from steelyard.stats.summary import Summary
from steelyard.table import ALWAYS_SHOWN, REPEAT_TAG, WARNED, Signature, Table

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


@section(90, "one")
def notes_of_one(report: Report, words: Words) -> Iterator[Block]:
    """Yield what was counted, the main mean in both scopes, and the signature."""
    counts = _counts_of_each(report, words)
    named = words.name("headline", report.main) == report.main
    yield _notes(report, counts, [Note(line, named=named) for line in mean_verdicts(report, words)], words)


@section(90, *PAIR)
def notes_of_two(report: Report, words: Words) -> Iterator[Block]:
    """Yield what was counted, the method of comparison, and the signatures; the outcome is above (`changes`)."""
    yield _notes(report, _counts_of_each(report, words), _about_tests(report, words), words)


@section(90, *BOARD)
def notes_of_many(report: Report, words: Words) -> Iterator[Block]:
    """Yield the same of many results, with findings in the other scope, and how many units would be needed."""
    findings = [Note(line) for line in board_verdicts(report, words)]
    needed = [Note(line) for line in _needed(report, words)]
    hint = [Note(words("report.more_of_each"), "hint")] if report.layout == "brief" else []
    tests = [*findings, *_about_tests(report, words), *needed, *hint]
    yield _notes(report, _shared_counts(report, words), tests, words)


def _notes(report: Report, counts: Iterable[Note], findings: Iterable[Note], words: Words) -> Notes:
    """Return the counts, the findings, then the signatures."""
    repeated = (Note(line, "count", named=True) for line in repeats(report.tables, report.scope, words))
    signed = (Note(line, "signature") for line in signatures(report.tables, words))
    return Notes([*counts, *repeated, *findings, *signed])


def _about_tests(report: Report, words: Words) -> Iterator[Note]:
    """Yield the method of comparison, and what intervals and differences do not say."""
    if report.comparisons:
        yield Note(" · ".join(_method(report, words)))
    yield from _about_intervals(report.comparisons, words)
    if equal := list(dict.fromkeys(comparison.metric for comparison in report.comparisons if comparison.all_equal)):
        names = [words.name("metric", name) for name in equal]
        line = words("report.equal_differences", metrics=words.joined("core.listed", names))
        yield Note(line, named=names[0] == equal[0])


def _needed(report: Report, words: Words) -> Iterator[str]:
    """Of results that do not differ significantly in the metric of the headline, how many units would show it."""
    metric = report.main
    named = [f"{each.a} {cells.needed(each)}" for each in report.comparisons if each.metric == metric and each.needed]
    shown = {"metric": words.name("metric", metric), "units": words(UNITS[report.scope]), "named": " · ".join(named)}
    if named:
        yield words("report.needed_of_each", **shown)


def _about_intervals(comparisons: Sequence[Comparison], words: Words) -> Iterator[Note]:
    """Yield what the intervals of differences do not say: they are not adjusted, and [0, 0] where no item changed."""
    lines: list[str] = []
    if any(comparison.p_adjusted != comparison.p_value for comparison in comparisons):
        lines.append(words("report.intervals_unadjusted"))
    unchanged = list(dict.fromkeys(each.metric for each in comparisons if each.interval.low == each.interval.high == 0))
    names = [words.name("metric", name) for name in unchanged]
    named = not lines and names[:1] == unchanged[:1]
    if unchanged:
        lines.append(words("report.interval_of_no_change", metrics=words.joined("core.listed", names)))
    if lines:
        yield Note(" ".join(lines), named=named)
    if any(comparison.disagrees for comparison in comparisons):
        yield Note(words("report.interval_and_test"))


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


def _counts_of_each(report: Report, words: Words) -> Iterator[Note]:
    """Yield the counts of each result; equal ones are one line."""
    items = [_item_counts(summary, words) for summary in report.summaries]
    others = [_other_counts(summary, words) for summary in report.summaries]
    return _named_counts(report, items, others, words)


def _shared_counts(report: Report, words: Words) -> Iterator[Note]:
    """Yield the counts that all results share in one line, then the others of each."""
    items = [_item_counts(summary, words) for summary in report.summaries]
    others = [_other_counts(summary, words) for summary in report.summaries]
    same = items[0] if len(set(items)) == 1 else ""
    shared = [text for text in others[0] if all(text in line for line in others)]
    if line := _counts_line(same, shared, words):
        yield Note(words.labelled(words("report.every_system"), line), "count")
    rest = [[text for text in counted if text not in shared] for counted in others]
    yield from _named_counts(report, ["" if same else text for text in items], rest, words)


def _named_counts(
    report: Report, items: Sequence[str], others: Sequence[Sequence[str]], words: Words
) -> Iterator[Note]:
    """Yield the counts after the names of the results that have them."""
    named: dict[str, list[str]] = {}
    for summary, own, counted in zip(report.summaries, items, others, strict=True):
        named.setdefault(_counts_line(own, counted, words), []).append(summary.name)
    for line, names in named.items():
        if line:
            yield Note(words.labelled(words.joined("core.listed", names), line), "count", named=True)


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
    comparisons, first = _of_quality(report), report.comparisons[0]
    exact = sum(comparison.exact for comparison in comparisons)
    resamples = {comparison.resamples for comparison in comparisons if comparison.resamples}
    yield words(TESTS[first.settings.test])
    if exact:
        yield f"{words('report.exact')} {exact}/{len(comparisons)}"
    if resamples:
        seed = f"{words('report.seed')} {first.settings.seed}"
        drawn = "–".join(f"{count:,}" for count in sorted({min(resamples), max(resamples)}))
        yield words.joined("core.comma", [words("report.n_resamples", n=drawn), seed])
    yield words.labelled(words("report.correction"), corrected_family(comparisons, words))
    marks = {cells.BETTER: "report.significantly_better", cells.WORSE: "report.significantly_worse"}
    yield words.joined("core.comma", (f"{mark} {words(code)}" for mark, code in marks.items()))
    yield f"{words('report.at')} {first.settings.alpha:g}"
    if report.units != "auto" or len(first.scopes) > 1:
        yield units_line(report.scope, report.units, words)


def corrected_family(comparisons: Sequence[Comparison], words: Words) -> str:
    """Return the correction and the number of tests that it is for."""
    settings = comparisons[0].settings
    code = "report.tests_per_metric" if settings.family == "metric" else "report.tests_in_all"
    return words(code, correction=words(CORRECTIONS[settings.correction]), n=f"{tests_in_family(comparisons):,}")


def tests_in_family(comparisons: Sequence[Comparison]) -> int:
    """Return the number of tests that are corrected together; the most of any metric if each is a family."""
    if comparisons[0].settings.family == "all":
        return len(comparisons)
    return max(Counter(comparison.metric for comparison in comparisons).values())


def resamples_option(comparisons: Sequence[Comparison]) -> Option:
    """Return the option with as many resamples as these tests need."""
    settings = comparisons[0].settings
    return Option("resamples", n=str(resamples_for(settings.tests_of(tests_in_family(comparisons)), settings.alpha)))


def _of_quality(report: Report) -> Sequence[Comparison]:
    """Return the comparisons without those of costs, which are a family apart, unless there are no others."""
    return [each for each in report.comparisons if each.metric not in COSTS] or report.comparisons


def caption(report: Report, words: Words) -> str:
    """Return what the superscripts of a table of means denote, for papers; "" where nothing was tested."""
    tests = report.pairs or report.comparisons
    if not tests:
        return ""
    settings = tests[0].settings
    named = {"test": words(TESTS[settings.test]), "correction": words(CORRECTIONS[settings.correction])}
    several = "report.paper_method_by_metric" if settings.family == "metric" else "report.paper_method"
    tested = several if len(tests) > 1 else "report.paper_test"
    method = words(tested, **named, n=f"{tests_in_family(tests):,}", alpha=f"{settings.alpha:g}")
    code = "report.paper_letters" if report.pairs else "report.paper_marks"
    described = words(code, method=method, baseline=report.tables[0].name)
    if report.shown is report.summaries:
        return described
    return f"{described} {words('report.paper_shared', n=paired_items(report.comparisons))}"


@section(15, "one")
def warnings_of_one(report: Report, words: Words) -> Iterator[Block]:
    """Yield the warnings about a single result."""
    return _warnings(report, (), words)


@section(15, *PAIR)
def warnings_of_two(report: Report, words: Words) -> Iterator[Block]:
    """Yield the warnings about a comparison of two results; their means are over the items that both have."""
    over = over_shared(report.comparisons, words)
    return _warnings(report, [*_unpaired(report, over, words), *_doubts(report, words)], words)


@section(15, *BOARD)
def warnings_of_many(report: Report, words: Words) -> Iterator[Block]:
    """Yield the warnings about comparisons of many results; their means are over all items of each."""
    if not report.comparisons:
        return _warnings(report, (), words)
    items = " · ".join(f"{summary.name} {summary.items:,}" for summary in report.summaries)
    over = words("gate.means_over_all", items=items, n=paired_items(report.comparisons))
    return _warnings(report, [*_unpaired(report, over, words), *_doubts(report, words)], words)


def _warnings(report: Report, doubts: Iterable[str], words: Words) -> Iterator[Block]:
    """Yield a line for each count of what is missing, and for each doubt; nothing where there is none."""
    missing = [line for summary in report.summaries for line in _missing_counts(summary, words)]
    notes = [Note(line, "warning", named=True) for line in missing] + [Note(line, "warning") for line in doubts]
    if notes:
        yield Notes(notes)


def over_shared(comparisons: Sequence[Comparison], words: Words) -> str:
    """Return that means and differences are over the items that both results have, and how many these are."""
    return words("report.over_shared", n=paired_items(comparisons))


def paired_items(comparisons: Sequence[Comparison]) -> str:
    """Return the numbers of items that comparisons are about, from the fewest to the most."""
    counts = {comparison.n for comparison in comparisons}
    return "–".join(f"{count:,}" for count in sorted({min(counts), max(counts)}))


def _unpaired(report: Report, over: str, words: Words) -> Iterator[str]:
    """Yield how many items only one of two results scores, and what means are over; nothing where there is none."""
    unpaired = (report.changes(each.a, each.metric) for each in report.comparisons if each.unpaired)
    excluded = {item for found in unpaired for item in (*found.only_a, *found.only_b)}
    if excluded:
        yield words.labelled(words("report.items_unpaired"), f"{len(excluded):,}")
        yield over


def _doubts(report: Report, words: Words) -> Iterator[str]:
    """Yield what makes comparisons doubtful: settings and questions that differ, too few resamples."""
    comparisons = _of_quality(report)
    differ = dict.fromkeys(key for comparison in comparisons for key in comparison.settings_differ)
    if differ:
        names = words.joined("core.listed", (words.name("setting", key) for key in differ))
        yield words.labelled(words("report.settings_differ"), names)
    questions = max((comparison.questions_differ for comparison in comparisons), key=len)
    if questions:
        yield questions_differ(questions, words)
    if any(comparison.lacks_resamples for comparison in comparisons):
        yield words("report.too_few_resamples", option=resamples_option(comparisons))


def _missing_counts(summary: Summary, words: Words) -> Iterator[str]:
    """Yield the queries or answers that a result lacks, which count 0 or not at all, and what the corpus lacks."""
    for name in WARNED:
        if summary.counts.get(name):
            yield words.labelled(summary.name, f"{words.named(name)} {summary.counts[name]:,}")


@section(80, *BOARD)
def settings_of_many(report: Report, words: Words) -> Iterator[Block]:
    """Yield the tables of counts and settings of many results, as details."""
    yield Details(partial(_of_many, report, words))


@section(80, "one", *PAIR)
def settings_beside(report: Report, words: Words) -> Iterator[Block]:
    """Yield the same of one result or two, as details."""
    yield Details(partial(_side_by_side, report, words))


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
