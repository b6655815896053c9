"""What `compare` shows beside the tables that every report has: effects, items that changed, letters over all pairs."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from steelyard.i18n import LANGUAGES, Language, Words, words_of
from steelyard.reports import cells, console, content, documents
from steelyard.reports.content import Report
from steelyard.reports.grids import (
    Grid,
    PageGrid,
    console_grid,
    latex,
    latex_grid,
    latex_table,
    markdown,
    markdown_grid,
)
from steelyard.reports.remarks import CORRECTIONS, too_few
from steelyard.stats.compare import Comparison
from steelyard.stats.correction import letters
from steelyard.stats.direction import gain
from steelyard.stats.pairing import Change, Changes
from steelyard.table import Table
from steelyard.text.visible import visible

LARGEST: Final = 10
"""So many changes each way are shown where not every item is asked for."""
NAMED: Final = 5
TAGS: Final = {
    "type": "report.type",
    "document": "report.document",
    "difficulty": "report.difficulty",
    "category": "report.category",
    "language": "report.language",
}
"""What a page calls these tags; others have their own names."""
_EFFECTS: Final = ("report.effect_size", "report.better", "gate.ties", "report.worse")
_DIFFERENCES: Final = ("report.difference", "report.interval", "report.p", "report.p_adjusted")


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """A report whose results are compared with the first, and what changed.

    `within` has the comparisons for each value of the tag that the report groups by, `pairs` those of every two
    results where there are more than two. Of the changes those in `shown` metrics are printed; JSON has all.
    """

    report: Report
    changes: Sequence[Changes] = ()
    shown: Sequence[str] = ()
    within: Mapping[str, Sequence[Comparison]] = field(default_factory=dict)
    pairs: Sequence[Comparison] = ()


def render_console(
    found: ComparisonReport, *, language: Language = "en", width: int = 300, colour: bool = False
) -> str:
    """The report on the terminal, then effects, groups, letters and the items that changed."""
    words = words_of(language)
    lines = [console.render_console(found.report, language=language, width=width, colour=colour)]
    for grid in (*_grids(found, words), *_letter_grids(found, words)):
        lines += [*console_grid(grid, colour=colour), ""]
    lines += map(visible, _remarks(found, words))
    return "\n".join(lines).rstrip("\n") + "\n"


def render_markdown(found: ComparisonReport, *, language: Language = "en") -> str:
    """The same as Markdown."""
    words = words_of(language)
    blocks = [documents.render_markdown(found.report, language=language).rstrip("\n")]
    blocks += [markdown_grid(grid) for grid in (*_grids(found, words), *_letter_grids(found, words))]
    said = [f"- {markdown(line)}" for line in _remarks(found, words)]
    blocks += ["\n".join(said)] if said else []
    return "\n\n".join(blocks) + "\n"


def render_latex(found: ComparisonReport, *, language: Language = "en") -> str:
    """The tables of LaTeX, then the matrix with its letters raised, as papers print it."""
    words = words_of(language)
    lines = [documents.render_latex(found.report, language=language).rstrip("\n")]
    lines += [line for grid in _effect_grids(found, words) for line in latex_grid(grid)]
    for grid in _letter_grids(found, words):
        rows = [[latex(row[0]), *map(_raised, row[1:])] for row in grid.rows]
        lines += latex_table(Grid([*map(latex, grid.headings)], rows, grid.title))
    lines += [f"% {visible(line)}" for line in _remarks(found, words)]
    return "\n".join(lines) + "\n"


def render_json(found: ComparisonReport) -> str:
    """The JSON of the command line, indented."""
    return json.dumps(as_json(found), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def as_json(found: ComparisonReport) -> dict[str, Any]:
    """The JSON of a report, with every change, and what there is of groups and pairs."""
    groups = {value: [each.as_dict() for each in comparisons] for value, comparisons in found.within.items()}
    pairs = {"pairs": [each.as_dict() for each in found.pairs], "letters": _letters(found)}
    return {
        **content.as_json(found.report),
        "changes": [_changes_json(each) for each in found.changes],
        **({"by": {found.report.by: groups}} if found.report.by else {}),
        **(pairs if found.pairs else {}),
    }


RENDERERS: Final[dict[str, Callable[[ComparisonReport, Language], str]]] = {
    ".json": lambda found, _: render_json(found),
    ".md": lambda found, language: render_markdown(found, language=language),
    ".tex": lambda found, language: render_latex(found, language=language),
}


def _changes_json(found: Changes) -> dict[str, Any]:
    return {
        "a": found.a,
        "b": found.b,
        "metric": found.metric,
        "better": [_change_json(change) for change in found.better],
        "worse": [_change_json(change) for change in found.worse],
        "only_in_a": list(found.only_a),
        "only_in_b": list(found.only_b),
    }


def _change_json(change: Change) -> dict[str, Any]:
    return {"id": change.id, "a": change.new, "b": change.old, "diff": change.difference}


def _grids(found: ComparisonReport, words: Words) -> Iterator[Grid]:
    yield from _effect_grids(found, words)
    for changes in found.changes:
        if changes.metric in found.shown:
            yield _changes_grid(changes, words, every=found.report.per_item)


def page_grids(found: ComparisonReport) -> list[PageGrid]:
    """What a page shows beyond its own tables, in every language."""
    letters_of = zip(*(_letter_grids(found, words_of(language)) for language in LANGUAGES), strict=True)
    shown = [PageGrid(dict(zip(LANGUAGES, grids, strict=True)), "gate.shared_letters") for grids in letters_of]
    if found.within:
        shown.append(PageGrid({language: _page_within(found, words_of(language)) for language in LANGUAGES}))
    return shown


def _page_within(found: ComparisonReport, words: Words) -> Grid:
    grid, tag = _within_grid(found, words), found.report.by or ""
    return replace(grid, headings=[words.named(TAGS.get(tag, tag)), *grid.headings[1:]])


def _effect_grids(found: ComparisonReport, words: Words) -> Iterator[Grid]:
    headings = (words("report.result"), words("report.metric"), "n", *map(words, _EFFECTS))
    rows = [
        [
            f"{c.a} − {c.b}",
            c.metric,
            f"{c.n:,}",
            cells.number(c.effect_size, 2),
            *(f"{count:,}" for count in (c.wins, c.n - c.wins - c.losses, c.losses)),
        ]
        for c in found.report.comparisons
    ]
    yield Grid(headings, rows, words("gate.changed_items"), texts=2)
    if found.within:
        yield _within_grid(found, words)


def _within_grid(found: ComparisonReport, words: Words) -> Grid:
    headings = (words("report.result"), words("report.metric"), "n", *map(words, _DIFFERENCES))
    rows = [
        [
            value or cells.DASH,
            f"{c.a} − {c.b}",
            c.metric,
            f"{c.n:,}",
            f"{cells.signed(c.difference)} {cells.mark(c)}".strip(),
            cells.interval(c.interval),
            cells.p_value(c.p_value),
            cells.p_value(c.p_adjusted),
        ]
        for value, comparisons in found.within.items()
        for c in comparisons
    ]
    tag = found.report.by or ""
    return Grid([tag, *headings], rows, f"{words('gate.within_each')} {tag}", texts=3)


def _changes_grid(found: Changes, words: Words, *, every: bool) -> Grid:
    """The largest changes each way, or all of them."""
    most = None if every else LARGEST
    rows = [
        [change.id, cells.score(change.old), cells.score(change.new), cells.signed(change.difference)]
        for change in (*found.better[:most], *found.worse[:most])
    ]
    counted = f"{len(found.better):,} {words('report.better')}, {len(found.worse):,} {words('report.worse')}"
    title = f"{found.a} − {found.b}, {found.metric}: {counted}"
    return Grid(["id", found.b, found.a, words("report.difference")], rows, title)


def _letter_grids(found: ComparisonReport, words: Words) -> Iterator[Grid]:
    """Results down, metrics across, each mean with its letters."""
    if not found.pairs:
        return
    by_metric = _letters(found)
    rows = [
        [table.name, *(_lettered(table, metric, marks) for metric, marks in by_metric.items())]
        for table in found.report.tables
    ]
    yield Grid([words("report.result"), *by_metric], rows, words("gate.all_pairs"))


def _lettered(table: Table, metric: str, marks: Mapping[str, str] | None) -> str:
    """A mean with its letters, or a dash where no test could tell; a dash where the result does not have the metric."""
    if metric not in table.columns:
        return cells.DASH
    return f"{cells.number(table.mean(metric))} {cells.DASH if marks is None else marks[table.name]}"


def _letters(found: ComparisonReport) -> dict[str, dict[str, str] | None]:
    """For each metric the letters of each result that has it; the best has an a. None where no test can tell."""
    by_metric: dict[str, list[Comparison]] = {}
    for each in found.pairs:
        by_metric.setdefault(each.metric, []).append(each)
    return {metric: _letters_of(found.report.tables, metric, pairs) for metric, pairs in by_metric.items()}


def _letters_of(tables: Sequence[Table], metric: str, pairs: Sequence[Comparison]) -> dict[str, str] | None:
    if all(each.underpowered for each in pairs):
        return None
    return letters(_by_merit(tables, metric), [(each.a, each.b) for each in pairs if each.significant])


def _by_merit(tables: Sequence[Table], metric: str) -> list[str]:
    having = [table for table in tables if metric in table.columns]
    return [table.name for table in sorted(having, key=lambda table: -gain(metric, table.mean(metric)))]


def _remarks(found: ComparisonReport, words: Words) -> list[str]:
    within = ((value, too_few(comparisons, words)) for value, comparisons in found.within.items())
    groups = (f"{value or cells.DASH}: {line}" for value, lines in within for line in lines)
    return [*groups, *_letter_remarks(found, words), *_missing(found, words)]


def _letter_remarks(found: ComparisonReport, words: Words) -> Iterator[str]:
    if found.pairs:
        settings = found.pairs[0].settings
        if any(_letters(found).values()):
            yield words("gate.shared_letters")
        family = f"{words(CORRECTIONS[settings.correction])} ({len(found.pairs)})"
        yield f"{words('report.correction')}: {family}, {words('report.at')} {settings.alpha:g}"
        yield from too_few(found.pairs, words)


def _missing(found: ComparisonReport, words: Words) -> Iterator[str]:
    """How many items only one side has, and the first of them."""
    for changes in found.changes:
        if changes.metric in found.shown:
            for name, items in ((changes.a, changes.only_a), (changes.b, changes.only_b)):
                if items:
                    more = " …" if len(items) > NAMED else ""
                    yield f"{words('gate.scored_only_in')} {name}: {len(items):,} ({', '.join(items[:NAMED])}{more})"


def _raised(cell: str) -> str:
    """A mean with its letters raised."""
    number, _, marks = cell.partition(" ")
    return rf"{latex(number)}$^{{\mathrm{{{marks}}}}}$" if marks.isalpha() else latex(cell)
