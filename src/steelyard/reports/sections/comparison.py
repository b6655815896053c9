"""What only `compare` shows: tests, differences by tag; of three results or more effects, changed items and letters."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from steelyard.i18n import Words
from steelyard.registry.kinds import COSTS
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Fields, Note, Notes, TableBlock
from steelyard.reports.content import BOARD, Report
from steelyard.reports.sections import section
from steelyard.reports.sections.differences import headings, numbers, tests_table
from steelyard.reports.sections.footnotes import corrected_family
from steelyard.reports.sections.leaderboard import lettered_matrix, letters_by_metric, ranking
from steelyard.reports.verdicts import undecided
from steelyard.stats.compare import Comparison
from steelyard.stats.pairing import Change, Changes

NAMED: Final = 5
_EFFECTS: Final = ("report.effect_size", "report.better", "report.same", "report.worse")
_WITHIN: Final = ("n", "report.difference", "report.interval", "report.p", "report.p_adjusted")
_WITHIN_COMPARED: Final = (
    *("n", "report.before", "report.after", "report.difference", "report.interval", "report.p_adjusted"),
)


@section(84, "brief", of_changes=True)
def main_effects(report: Report, words: Words) -> Iterator[Block]:
    """Yield effect sizes, and how many items are better, equal and worse in the main metric, best first."""
    main = report.main
    best_first = [each for _, result in ranking(report, main) if (each := report.comparison(result.name, main))]
    title = words("report.changed_items_in", metric=words.name("metric", main), baseline=report.tables[0].name)
    names = [[each.a] for each in best_first]
    yield _effects([words("report.system")], names, best_first, title, words)


@section(84, "many", of_changes=True)
def all_effects(report: Report, words: Words) -> Iterator[Block]:
    """Yield the same in every metric."""
    names = [[f"{each.a} − {each.b}", words.name("metric", each.metric)] for each in report.comparisons]
    labels = [words("report.result"), words("report.metric")]
    yield _effects(labels, names, report.comparisons, words("gate.changed_items"), words)


def _effects(
    labels: Sequence[str],
    names: Sequence[Sequence[str]],
    comparisons: Sequence[Comparison],
    title: str,
    words: Words,
) -> TableBlock:
    """Return a row for each comparison; with the means over its items, where some items are in one result only."""
    apart = any(each.unpaired for each in comparisons)
    codes = ("n", *(("report.before", "report.after") if apart else ()), *_EFFECTS)
    rows = [[*name, *numbers(each, codes)] for name, each in zip(names, comparisons, strict=True)]
    return TableBlock([*labels, *headings(codes, words)], rows, title, "effects", labels=len(labels))


@section(85, *BOARD, of_changes=True)
def board_groups(report: Report, words: Words) -> Iterator[Block]:
    """Yield the differences of many results within each value of a tag."""
    rows = [
        [value, f"{each.a} − {each.b}", words.name("metric", each.metric), *numbers(each, _WITHIN)]
        for value, each in _within(report, words)
    ]
    if rows:
        name = words.name("tag", report.by or "")
        heads = (name, words("report.result"), words("report.metric"), *headings(_WITHIN, words))
        yield TableBlock(heads, rows, f"{words('gate.within_each')} {name}", "within", labels=3)


@section(85, "changes", of_changes=True)
def pair_groups(report: Report, words: Words) -> Iterator[Block]:
    """Yield before, after and the difference of two results within each value of a tag."""
    rows = [[value, each.metric, *numbers(each, _WITHIN_COMPARED)] for value, each in _within(report, words)]
    if rows:
        name = words.name("tag", report.by or "")
        heads = (name, words("report.metric"), *headings(_WITHIN_COMPARED, words))
        title = f"{words('gate.within_each')} {name}"
        yield TableBlock(heads, rows, title, "within_compared", labels=2, grouped=True)


def _within(report: Report, words: Words) -> Iterator[tuple[str, Comparison]]:
    """Yield each comparison within a value of the tag, after the value."""
    for value, comparisons in report.within.items():
        for comparison in comparisons:
            yield words.value(report.by or "", value) or cells.DASH, comparison


@section(86, "changes", of_changes=True)
def pair_tests(report: Report, words: Words) -> Iterator[Block]:
    """Yield the tests in full."""
    yield tests_table(report, words)


@section(86, "many", of_changes=True)
def changed_items(report: Report, words: Words) -> Iterator[Block]:
    """Yield the changed items of each of many results by metric; a metric without any change has no table."""
    for changes in _changes(report):
        changed = {"report.better": changes.better, "report.worse": changes.worse}
        rows = [
            [each.id, cells.score(each.old), cells.score(each.new), cells.signed(each.difference)]
            for items in changed.values()
            for each in items
        ]
        counts = words.joined("core.comma", (f"{len(items):,} {words(code)}" for code, items in changed.items()))
        title = words.labelled(words.joined("core.comma", [f"{changes.a} − {changes.b}", changes.metric]), counts)
        if rows:
            yield TableBlock(["id", changes.b, changes.a, words("report.difference")], rows, title, "changed_items")


@section(87, *BOARD, of_each=True, of_changes=True)
def all_letters(report: Report, words: Words) -> Iterator[Block]:
    """Yield the letters of every metric, where all pairs were compared; the board has those of the main metric."""
    if report.pairs:
        yield replace(lettered_matrix(report, words), title=words("gate.all_pairs"), role="letters")


@section(88, of_changes=True)
def notes_and_fields(report: Report, words: Words) -> Iterator[Block]:
    """Yield the notes and the fields."""
    yield Notes(list(_notes(report, words)))
    yield Fields(partial(_fields, report))


def _changes(report: Report) -> list[Changes]:
    """Return the changed items of each comparison, but for costs, which change with every reply."""
    compared = [each for each in report.comparisons if each.metric not in COSTS]
    return [report.changes(comparison.a, comparison.metric) for comparison in compared]


def _fields(report: Report) -> dict[str, Any]:
    """Return every change, and what there is of groups and pairs."""
    groups = {value: [each.as_dict() for each in comparisons] for value, comparisons in report.within.items()}
    pairs = {"pairs": [each.as_dict() for each in report.pairs], "letters": letters_by_metric(report)}
    return {
        "changes": [
            {
                "a": changes.a,
                "b": changes.b,
                "metric": changes.metric,
                "better": _changes_json(changes.better),
                "worse": _changes_json(changes.worse),
                "only_in_a": list(changes.only_a),
                "only_in_b": list(changes.only_b),
            }
            for changes in _changes(report)
        ],
        **({"by": {report.by: groups}} if report.by else {}),
        **(pairs if report.pairs else {}),
    }


def _changes_json(changes: Iterable[Change]) -> list[dict[str, Any]]:
    return [{"id": each.id, "a": each.new, "b": each.old, "diff": each.difference} for each in changes]


def _notes(report: Report, words: Words) -> Iterator[str | Note]:
    for value, comparisons in report.within.items():
        for line in undecided(comparisons, words):
            yield Note(words.labelled(value or cells.DASH, line), "warning")
    if report.pairs:
        family = corrected_family(report.pairs, words)
        level = f"{words('report.at')} {report.pairs[0].settings.alpha:g}"
        yield words.labelled(words("gate.all_pairs"), words.joined("core.comma", [family, level]))
        yield from (Note(line, "warning") for line in undecided(report.pairs, words))
    yield from _unpaired_items(report, words)


def _unpaired_items(report: Report, words: Words) -> Iterator[Note]:
    """Yield the lines about items of one side, each once; with the metrics it holds for, if not for all."""
    metrics: dict[str, list[str]] = {}
    for changes in _changes(report):
        for name, items in ((changes.a, changes.only_a), (changes.b, changes.only_b)):
            if items:
                named = words.joined("core.listed", items[:NAMED]) + (" …" if len(items) > NAMED else "")
                line = words.labelled(f"{words('gate.scored_only_in')} {name}", f"{len(items):,} ({named})")
                metrics.setdefault(line, []).append(changes.metric)
    every = len({comparison.metric for comparison in report.comparisons} - {*COSTS})
    for line, having in metrics.items():
        if len(having) >= every:
            yield Note(line)
        else:
            named = words.labelled(words.joined("core.listed", having), line)
            yield Note(named, named=words.name("headline", having[0]) == having[0])
