"""The page of a report: one HTML file with results, comparisons, sections of their kind, and every item."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from steelyard import __version__
from steelyard.documents.pages import Document
from steelyard.documents.sets import missing_of
from steelyard.errors import Problem
from steelyard.i18n import Language, Message, code_of, translations, words_of
from steelyard.registry.kinds import kind_of
from steelyard.reports.content import Report, main_metric
from steelyard.reports.plots.means import MOST_METRICS
from steelyard.reports.render.html.figures import charts, distribution_rows
from steelyard.reports.render.html.frame import render_page
from steelyard.reports.render.html.headlines import headlines, lowest
from steelyard.reports.render.html.items import item_data
from steelyard.reports.render.html.kind_page import KindPage, Sections, kind_page
from steelyard.reports.render.html.sanitize import sanitized, sanitized_documents, sanitized_report
from steelyard.reports.render.html.tables import page_blocks
from steelyard.reports.render.html.tiles import metric_tiles
from steelyard.reports.sections.leaderboard import board_title

NO_DOCUMENTS: Final[Mapping[str, Document]] = MappingProxyType({})
NO_LINKS: Final[Mapping[str, str]] = MappingProxyType({})
SCRIPTS: Final = (
    "report_texts.js",
    "report_diff.js",
    "report_list.js",
    "report_filters.js",
    "report_address.js",
    "report_rows.js",
    "report_evidence.js",
    "report_contexts.js",
    "report_rankings.js",
    "report_item.js",
)
"""The scripts that the page's own script uses, in order."""


def render_html(
    report: Report,
    language: Language = "en",
    documents: Mapping[str, Document] = NO_DOCUMENTS,
    *,
    links: Mapping[str, str] = NO_LINKS,
) -> str:
    """The report as a page; `documents` are those that the items are about, by the name in their tag `document`.

    The page lists the documents that a DocumentSet names as missing, with the reasons. Its header has the `links`:
    addresses of other pages with the codes of their names.
    """
    report = sanitized_report(report)
    kind = kind_page(report.tables[0].kind)
    main = main_metric(report)
    return render_page(
        "report",
        item_data(report, sanitized_documents(documents), main, kind),
        title=_title(report, main, language),
        language=language,
        folders=kind.folders,
        scripts=SCRIPTS,
        **_context(report, main, language, kind),
        remarks=[*_undrawn(len(report.metrics)), *_absences(missing_of(documents))],
        links=links,
    )


def _title(report: Report, main: str, language: Language) -> str:
    """What the window is called: the names of one or two results, or what many were compared in."""
    if report.is_many:
        return board_title(report, words_of(language))
    between = " → " if report.is_pair else " · "
    return between.join(dict.fromkeys(table.name for table in report.tables)) or "Steelyard"


def _context(report: Report, main: str, language: Language, kind: KindPage) -> dict[str, Any]:
    """What the template shows."""
    first = report.tables[0].kind
    return {
        "report": report,
        "layout": _layout(report),
        "kind": kind_of(first).title or first,
        "about_documents": kind.about_documents,
        "main": main,
        "names": _names(report),
        "version": __version__,
        "headlines": headlines(report, main),
        "blocks": page_blocks(report, language),
        "tiles": kind.tiles(report.tables[0], report.units) or metric_tiles(report, main),
        "headline_name": code_of("headline_names", main),
        "counted": _counted(first, report.summaries[0].items),
        "tags_shown": {code for tag in kind.tags_shown for code in (tag, code_of("tag_names", tag))},
        "distribution": distribution_rows(report.tables, main),
        "sections": Sections() if report.is_pair else kind.sections(report.tables, report.scope),
        "figures": _figures(report, kind),
        "worst": [(table.name, low) for table in report.tables if (low := lowest(table, main, kind))],
        "charts": charts(report, main, language, kind),
    }


def _names(report: Report) -> tuple[str, ...]:
    """The names of results and of metrics without words, which a page does not begin with a capital."""
    metrics = (metric for metric in report.metrics if code_of("headline_names", metric) == metric)
    return (*(table.name for table in report.tables), *metrics)


def _figures(report: Report, kind: KindPage) -> list[tuple[str, Sections]]:
    """The sections of each of two results, which are folded; of other reports nothing."""
    tables = report.tables if report.is_pair else ()
    return [(table.name, kind.sections([table], report.scope)) for table in tables]


def _counted(kind: str, items: int) -> tuple[str, ...]:
    """How many items there are, by what the kind calls them, in every language."""
    code = code_of("count_names", kind)
    return translations(Message(code if code != kind else "report.n_items", n=f"{items:,}"))


def _layout(report: Report) -> str:
    """The template with the parts of the page in order: for one result, for a difference, or for several results."""
    name = "one" if len(report.tables) == 1 else "two" if report.is_pair else "many"
    return f"layout_{name}.html.j2"


def _undrawn(metrics: int) -> list[tuple[str, ...]]:
    """That charts leave metrics out, if they do."""
    if metrics <= MOST_METRICS:
        return []
    return [translations(Message("report.not_drawn", n=f"{MOST_METRICS:,}", of=f"{metrics:,}"))]


def _absences(missing: Sequence[Problem]) -> list[tuple[str, ...]]:
    """Why documents are not on the page."""
    label = Message("report.documents_not_shown")
    lines = (Message("core.labelled", label=label, message=problem.plain()) for problem in missing)
    return [tuple(map(sanitized, translations(line))) for line in lines]
