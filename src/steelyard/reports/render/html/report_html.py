"""The page of a report: one HTML file with results, comparisons, sections of their kind, and every item."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from steelyard import __version__
from steelyard.documents.pages import Document, missing_of
from steelyard.i18n import LANGUAGES, Language, Message, code_of, translations, words_of
from steelyard.registry.kinds import kind_of
from steelyard.reports import cells
from steelyard.reports.content import BOARD, PAIR, Layout, Report, lowest_rows
from steelyard.reports.kinds import Gauge, KindPage, Sections, Tile, TileLine, as_text, gauge_of
from steelyard.reports.plots.means import MOST_METRICS
from steelyard.reports.render.html.figures import charts, distribution_rows
from steelyard.reports.render.html.frame import render_page, sanitized
from steelyard.reports.render.html.items import item_data
from steelyard.reports.render.html.tables import page_blocks
from steelyard.reports.sections.changes import is_question
from steelyard.reports.sections.leaderboard import board_title
from steelyard.reports.sections.means import mean_cell
from steelyard.stats.summary import Summary
from steelyard.table import Table

NO_DOCUMENTS: Final[Mapping[str, Document]] = MappingProxyType({})
NO_LINKS: Final[Mapping[str, str]] = MappingProxyType({})
SCRIPTS: Final = (
    *("report_texts.js", "report_diff.js", "report_list.js", "report_filters.js", "report_address.js"),
    *("report_rows.js", "report_evidence.js", "report_contexts.js", "report_rankings.js", "report_item.js"),
)
"""The scripts that the page's own script uses, in order."""
_TEMPLATES: Final[Mapping[Layout, str]] = {
    "one": "layout_one.html.j2",
    **dict.fromkeys(PAIR, "layout_two.html.j2"),
    **dict.fromkeys(BOARD, "layout_many.html.j2"),
}
FURTHER: Final = ("AP", "RR", "R@100", "EM", "ValuesGrounded", "CitationR", "ContextR", "CoverEM", "ROUGE-L")
"""Metrics that have a tile where a result has them; then the others in their order."""
MOST_TILES: Final = 3
WORST: Final = 8
LONGEST_NOTE: Final = 400


@dataclass(frozen=True, slots=True)
class LowItem:
    """An item with a low score, and its note in every language, or its answer if it has no note.

    `below` is the id where the question does not say it.
    """

    id: str
    score: str
    question: str
    note: tuple[str, ...]
    below: str


def render_html(
    report: Report,
    language: Language = "en",
    documents: Mapping[str, Document] = NO_DOCUMENTS,
    *,
    links: Mapping[str, str] = NO_LINKS,
) -> str:
    """Return the report as a page; `documents` are those that the items are about, by the name in their tag `document`.

    The page lists the documents that a DocumentSet names as missing, with the reasons. Its header has the `links`:
    addresses of other pages with the codes of their names.
    """
    own = report.kind.page()
    kind = own or KindPage()
    details = kind.details(documents)
    return render_page(
        "report",
        sanitized({**item_data(report, report.main, kind, details, documents), **report.served}),
        title=_title(report, language),
        language=language,
        folders=kind.folders,
        scripts=SCRIPTS,
        **_context(report, language, kind),
        blocks=page_blocks(report, language, kind_shown=own is None),
        remarks=[translations(remark) for remark in _remarks(report, documents)],
        links=links,
    )


def _title(report: Report, language: Language) -> str:
    """Return what the window is called: the names of one or two results, or what many were compared in."""
    if report.layout in BOARD:
        return board_title(report, words_of(language))
    between = " → " if report.layout in PAIR else " · "
    return between.join(dict.fromkeys(table.name for table in report.tables)) or "Steelyard"


def _context(report: Report, language: Language, kind: KindPage) -> dict[str, Any]:
    """Return what the template shows; the sections of each of two results are folded."""
    first, main = report.tables[0].kind, report.main
    is_pair = report.layout in PAIR
    counted = code_of("count_names", first)
    return {
        "report": report,
        "layout": _TEMPLATES[report.layout],
        "kind": kind_of(first).title or first,
        "about_documents": kind.about_documents,
        "main": main,
        "main_row": report.metrics.index(main),
        "version": __version__,
        "mean": mean_cell(report, report.summaries[0], main),
        "mean_gauge": _gauge(report.summaries[0], main),
        "tiles": kind.tiles(report.tables[0], report.units) or metric_tiles(report),
        "headline_name": code_of("headline_names", main),
        "counted": translations(
            Message("report.n_items" if counted == first else counted, n=f"{report.summaries[0].items:,}")
        ),
        "tags_shown": {code for tag in kind.tags_shown for code in (tag, code_of("tag_names", tag))},
        "distribution": distribution_rows(report.tables, main),
        "sections": Sections() if is_pair else kind.sections(report.tables, report.scope),
        "figures": [(table.name, kind.sections([table], report.scope)) for table in report.tables if is_pair],
        "worst": [(table.name, low) for table in report.tables if (low := lowest(table, main, kind))],
        "charts": charts(report, main, language, kind),
    }


def _remarks(report: Report, documents: Mapping[str, Document]) -> Iterator[Message]:
    """Yield that charts leave metrics out, if they do, and why documents are not on the page."""
    if len(report.metrics) > MOST_METRICS:
        yield Message("report.not_drawn", n=f"{MOST_METRICS:,}", of=f"{len(report.metrics):,}")
    for problem in missing_of(documents):
        yield Message("core.labelled", label=Message("report.documents_not_shown"), message=problem.plain())


def _gauge(summary: Summary, metric: str) -> Gauge | None:
    mean = summary.metrics.get(metric)
    return None if mean is None or mean.total is not None else gauge_of(mean.mean, mean.interval)


def metric_tiles(report: Report) -> list[Tile]:
    """Return the tiles of a few metrics of the first result, besides that of the headline; totals have none."""
    summary = report.summaries[0]
    means = {name: mean for name, mean in summary.metrics.items() if name != report.main and mean.total is None}
    order = dict.fromkeys((*(name for name in FURTHER if name in means), *means))
    return [
        Tile(
            name,
            [
                TileLine(
                    (cells.mean(means[name]),),
                    f"n = {means[name].scored:,}",
                    (cells.interval(means[name].interval),),
                    _gauge(summary, name),
                )
            ],
            is_name=True,
        )
        for name in list(order)[:MOST_TILES]
    ]


def lowest(table: Table, metric: str, kind: KindPage) -> list[LowItem]:
    """Return the items with the worst scores, worst first; none of them as good as the best."""
    if metric not in table.columns:
        return []
    column = table.column(metric)
    return [_low_item(table, row, float(column[row]), kind) for row in lowest_rows(table, metric, WORST)]


def _low_item(table: Table, row: int, score: float, kind: KindPage) -> LowItem:
    metric = next(iter(table.notes(row)), "")
    output = (table.outputs[row] if table.outputs else None) or {}
    notes = (kind.note(table, row, metric, language) or as_text(output.get("answer")) for language in LANGUAGES)
    question = str(output.get("question", ""))
    return LowItem(
        table.ids[row],
        cells.score(score),
        question.partition("\n")[0],
        tuple(text[:LONGEST_NOTE] for text in notes),
        "" if not question or is_question(table.ids[row], question) else table.ids[row],
    )
