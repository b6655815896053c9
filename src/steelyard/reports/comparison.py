"""The blocks of `compare`: those of the report, groups, tests; of three or more results changed items and letters."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from steelyard.i18n import Words
from steelyard.registry.names import columns_called
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Fields, Note, Notes, PageForm, PageTables, Row, TableBlock
from steelyard.reports.content import MANY, Report, main_metric
from steelyard.reports.ranking import lettered_matrix, letters_by_metric, ranking
from steelyard.reports.sections.differences import difference, effect, tests_table
from steelyard.reports.sections.footnotes import CORRECTIONS
from steelyard.reports.verdicts import undecided
from steelyard.stats.compare import Comparison, ComparisonSettings, compare_all, compare_by, compare_pairs
from steelyard.stats.pairing import Change, Changes
from steelyard.stats.pairing import changes as changes_of
from steelyard.stats.selection import metrics_of, with_directed_parts, with_parts
from steelyard.table import Table

NAMED: Final = 5
_EFFECTS: Final = ("report.effect_size", "report.better", "report.same", "report.worse")
_DIFFERENCES: Final = ("report.difference", "report.interval", "report.p", "report.p_adjusted")


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """A report whose results are compared with the first, and what changed.

    `within` has the comparisons for each value of the tag that the report groups by. Of the changes those in `shown`
    metrics are printed: of two results in all of them if the user has `named` them, else in the main one; of three
    results or more only where the scores of items are. JSON has all.
    """

    report: Report
    changes: Sequence[Changes] = ()
    shown: Sequence[str] = ()
    within: Mapping[str, Sequence[Comparison]] = field(default_factory=dict)
    named: bool = False


def compare_results(
    tables: Sequence[Table],
    settings: ComparisonSettings,
    *,
    metrics: Sequence[str] | None = None,
    by: str | None = None,
    per_item: bool = False,
) -> ComparisonReport:
    """The first table against each of the others on these metrics or parts of metrics, by default on all metrics."""
    metrics = columns_called(metrics, tables[0].columns)
    old, *new = tables = with_directed_parts([with_parts(table, metrics or ()) for table in tables])
    comparisons = compare_all(new, old, settings, metrics=metrics)
    by_name = {table.name: table for table in new}
    shown = tables if metrics is None else [table.only(metrics_of(table, metrics)).headed(metrics) for table in tables]
    pairs = compare_pairs(tables, settings, metrics=metrics) if len(tables) >= MANY else ()
    return ComparisonReport(
        Report(shown, comparisons, per_item, by, pairs=pairs, units=settings.units),
        changes=[changes_of(by_name[pair.a], old, pair.metric) for pair in comparisons],
        shown=metrics or list(dict.fromkeys(pair.metric for pair in comparisons)),
        within=compare_by(new, old, by, settings, metrics=metrics) if by else {},
        named=metrics is not None,
    )


def compared_report(comparison: ComparisonReport) -> Report:
    """The report, with the blocks that only a comparison has; of two results, text begins with what changed."""
    report = replace(comparison.report, added=partial(_added, comparison))
    return replace(report, changed=_changed_first(comparison)) if report.is_pair else report


def _changed_first(comparison: ComparisonReport) -> list[str]:
    """The metrics whose changed items are listed first: all if they were asked for, else that of the headline."""
    every = list(dict.fromkeys(compared.metric for compared in comparison.report.comparisons))
    return every if comparison.named or comparison.report.per_item else [main_metric(comparison.report)]


def _added(comparison: ComparisonReport, words: Words) -> list[Block]:
    middle = _of_pair if comparison.report.is_pair else _of_many
    return [
        *middle(comparison, words),
        Notes(list(_notes(comparison, words))),
        Fields(partial(_fields, comparison)),
    ]


def _of_pair(comparison: ComparisonReport, words: Words) -> Iterator[Block]:
    """The differences by tag and the tests in full; the sections have the changes."""
    yield from _within(comparison, words)
    yield tests_table(comparison.report, words)


def _of_many(comparison: ComparisonReport, words: Words) -> Iterator[Block]:
    """Effect sizes, differences by tag, changed items and letters."""
    yield _effects(comparison, words)
    yield from _within(comparison, words)
    yield from _changed_items(comparison, words)
    yield from _letter_tables(comparison, words)


def _fields(comparison: ComparisonReport) -> dict[str, Any]:
    """Every change, and what there is of groups and pairs."""
    groups = {value: [pair.as_dict() for pair in comparisons] for value, comparisons in comparison.within.items()}
    pairs = {
        "pairs": [pair.as_dict() for pair in comparison.report.pairs],
        "letters": letters_by_metric(comparison.report),
    }
    return {
        "changes": [_changes_json(changes) for changes in comparison.changes],
        **({"by": {comparison.report.by: groups}} if comparison.report.by else {}),
        **(pairs if comparison.report.pairs else {}),
    }


def _changes_json(changes: Changes) -> dict[str, Any]:
    return {
        "a": changes.a,
        "b": changes.b,
        "metric": changes.metric,
        "better": [_change_json(change) for change in changes.better],
        "worse": [_change_json(change) for change in changes.worse],
        "only_in_a": list(changes.only_a),
        "only_in_b": list(changes.only_b),
    }


def _change_json(change: Change) -> dict[str, Any]:
    return {"id": change.id, "a": change.new, "b": change.old, "diff": change.difference}


def _effects(comparison: ComparisonReport, words: Words) -> TableBlock:
    """The effect sizes, and how many items are better, equal and worse; on pages, columns of the differences."""
    if comparison.report.is_short:
        return _effects_of_many(comparison.report, words)
    headings = (words("report.result"), words("report.metric"), "n", *map(words, _EFFECTS))
    rows = [
        [
            _pair(pair),
            words.name("metric", pair.metric),
            f"{pair.n:,}",
            *effect(pair),
        ]
        for pair in comparison.report.comparisons
    ]
    return TableBlock(headings, rows, words("gate.changed_items"), text_columns=2, page=None)


def _effects_of_many(report: Report, words: Words) -> TableBlock:
    """The effects in the main metric, a row for each result that is compared with the first, best first."""
    main = main_metric(report)
    pairs = [pair for _, summary in ranking(report, main) if (pair := report.comparison(summary.name, main))]
    headings = (words("report.system"), "n", *map(words, _EFFECTS))
    rows = [[pair.a, f"{pair.n:,}", *effect(pair)] for pair in pairs]
    title = words("report.changed_items_in", metric=words.name("metric", main), baseline=report.tables[0].name)
    return TableBlock(headings, rows, title, page=None)


def _within(comparison: ComparisonReport, words: Words) -> Iterator[TableBlock]:
    """The differences within each value of the tag, if there is one."""
    if not comparison.within:
        return
    tag = comparison.report.by or ""
    if comparison.report.is_pair:
        yield _within_pair(comparison, tag, words)
        return
    shown = words.name("tag", tag)
    headings = (shown, words("report.result"), words("report.metric"), "n", *map(words, _DIFFERENCES))
    rows: list[Row] = [
        [
            words.value(tag, value) or cells.DASH,
            _pair(pair),
            words.name("metric", pair.metric),
            f"{pair.n:,}",
            difference(pair),
            cells.interval(pair.interval),
            cells.p_value(pair.p_value),
            cells.p_value(pair.p_adjusted),
        ]
        for value, comparisons in comparison.within.items()
        for pair in comparisons
    ]
    yield TableBlock(headings, rows, f"{words('gate.within_each')} {shown}", text_columns=3)


def _within_pair(comparison: ComparisonReport, tag: str, words: Words) -> TableBlock:
    """Before, after and the difference of two results within each value of the tag."""
    columns = ("report.before", "report.after", "report.difference", "report.interval", "report.p_adjusted")
    rows: list[Row] = [
        [
            words.value(tag, value) or cells.DASH,
            pair.metric,
            f"{pair.n:,}",
            cells.number(pair.b_mean),
            cells.number(pair.a_mean),
            difference(pair),
            cells.interval(pair.interval),
            cells.p_value(pair.p_adjusted),
        ]
        for value, comparisons in comparison.within.items()
        for pair in comparisons
    ]
    headings = [words.name("tag", tag), words("report.metric"), "n", *map(words, columns)]
    title = f"{words('gate.within_each')} {words.name('tag', tag)}"
    return TableBlock(headings, rows, title, text_columns=2, grouped=True, page=PageForm("details"))


def _pair(comparison: Comparison) -> str:
    return f"{comparison.a} − {comparison.b}"


def _changed_items(comparison: ComparisonReport, words: Words) -> Iterator[TableBlock]:
    """The changed items of each of many results, where the scores of items are asked for; a metric without any change
    has no table. Pages have charts and a filter."""
    for changes in () if comparison.report.is_short else _changed(comparison):
        rows = [
            [change.id, cells.score(change.old), cells.score(change.new), cells.signed(change.difference)]
            for change in (*changes.better, *changes.worse)
        ]
        sides = {"report.better": changes.better, "report.worse": changes.worse}
        counts = words.joined("core.comma", (f"{len(items):,} {words(code)}" for code, items in sides.items()))
        title = words.labelled(words.joined("core.comma", [f"{changes.a} − {changes.b}", changes.metric]), counts)
        headings = ["id", changes.b, changes.a, words("report.difference")]
        yield TableBlock(headings, rows, title, in_papers=False, page=None)


def _shown_changes(comparison: ComparisonReport) -> list[Changes]:
    return [changes for changes in comparison.changes if changes.metric in comparison.shown]


def _changed(comparison: ComparisonReport) -> list[Changes]:
    return [changes for changes in _shown_changes(comparison) if changes.better or changes.worse]


def _letter_tables(comparison: ComparisonReport, words: Words) -> Iterator[Block]:
    """The letters of every metric, where all pairs were compared; the board has those of the main metric."""
    if comparison.report.pairs:
        tables = partial(_letter_table, comparison.report, words)
        yield from [PageTables(tables)] if comparison.report.is_short else tables()


def _letter_table(report: Report, words: Words) -> Iterator[TableBlock]:
    """Results down, metrics across, each mean with its letters; papers have it beside the board."""
    title, form = words("gate.all_pairs"), PageForm("results", folded=True)
    yield replace(lettered_matrix(report, words), title=title, page=form, in_papers=False)


def _notes(comparison: ComparisonReport, words: Words) -> Iterator[str | Note]:
    for value, comparisons in comparison.within.items():
        yield from (
            Note(words.labelled(value or cells.DASH, line), warning=True) for line in undecided(comparisons, words)
        )
    yield from _letter_notes(comparison, words)
    yield from _unpaired_items(comparison, words)


def _letter_notes(comparison: ComparisonReport, words: Words) -> Iterator[str | Note]:
    if comparison.report.pairs:
        settings = comparison.report.pairs[0].settings
        family = f"{words(CORRECTIONS[settings.correction])} ({len(comparison.report.pairs):,})"
        yield words.labelled(
            words("gate.all_pairs"), words.joined("core.comma", [family, f"{words('report.at')} {settings.alpha:g}"])
        )
        yield from (Note(line, warning=True) for line in undecided(comparison.report.pairs, words))


def _unpaired_items(comparison: ComparisonReport, words: Words) -> Iterator[str]:
    """The lines about items of one side, each once; with the metrics it holds for, if not for all."""
    metrics: dict[str, list[str]] = {}
    for changes in _shown_changes(comparison):
        for line in _items_of_one_side(changes, words):
            metrics.setdefault(line, []).append(changes.metric)
    for line, found in metrics.items():
        yield line if len(found) >= len(comparison.shown) else words.labelled(words.joined("core.listed", found), line)


def _items_of_one_side(changes: Changes, words: Words) -> Iterator[str]:
    """How many items only one result has, and the first of them."""
    for name, items in ((changes.a, changes.only_a), (changes.b, changes.only_b)):
        if items:
            more = " …" if len(items) > NAMED else ""
            named = words.joined("core.listed", items[:NAMED])
            yield words.labelled(f"{words('gate.scored_only_in')} {name}", f"{len(items):,} ({named}{more})")
