"""The page of a report: one file that opens in any browser, offline, and says how good, better or not, and why."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from steelyard import __version__
from steelyard.documents.pages import Document
from steelyard.documents.sets import missing_of
from steelyard.errors import Problem
from steelyard.i18n import LANGUAGES, Language, words_of
from steelyard.legal.report import results as legal
from steelyard.legal.report.page import legal_panel
from steelyard.legal.report.verdicts import part_names
from steelyard.reports.content import Report
from steelyard.reports.plots.means import MOST_METRICS
from steelyard.reports.remarks import remarks
from steelyard.reports.render.html import sections as page_sections
from steelyard.reports.render.html.figures import charts
from steelyard.reports.render.html.frame import render_page
from steelyard.reports.render.html.items import item_data
from steelyard.reports.render.html.sanitize import mended, mended_documents, mended_report

NO_DOCUMENTS: Final[Mapping[str, Document]] = MappingProxyType({})
SCRIPTS: Final = (
    "report_texts.js",
    "report_diff.js",
    "report_list.js",
    "report_filters.js",
    "report_evidence.js",
    "report_item.js",
)
"""What the page's own script stands on, in order."""

KINDS: Final = {"legal": "report.legal_questions", "retrieval": "report.rankings", "answers": "report.answers"}
"""What was weighed."""


def render_html(report: Report, language: Language = "en", documents: Mapping[str, Document] = NO_DOCUMENTS) -> str:
    """The report as a page; `documents` are those that the items are about, by the name in their tag `document`.

    Where a DocumentSet says why some are missing, the page says it too.
    """
    report = mended_report(report)
    main = page_sections.main_metric(report)
    return render_page(
        "report",
        item_data(report, mended_documents(documents), main),
        title=" · ".join(dict.fromkeys(table.name for table in report.tables)) or "Steelyard",
        language=language,
        scripts=SCRIPTS,
        **_sections(report, main, language),
        remarks=[*_remarks(report), *_absences(missing_of(documents))],
    )


def _sections(report: Report, main: str, language: Language) -> dict[str, Any]:
    tables = [table for table in report.tables if table.kind == legal.METRIC]
    grouped = page_sections.groupings(report, main)
    return {
        "report": report,
        "kind": KINDS.get(report.tables[0].kind, report.tables[0].kind),
        "names": part_names("zh"),
        "main": main,
        "version": __version__,
        "headlines": page_sections.headlines(report, main),
        "metric_rows": list(page_sections.metric_rows(report)),
        "comparisons": page_sections.comparison_rows(report),
        "grids": report.grids,
        "groupings": grouped,
        "glance": page_sections.glance(report, grouped),
        "distribution": page_sections.distribution_rows(report.tables, main),
        "panels": [legal_panel(table) for table in tables],
        "worst": [(table.name, poor) for table in report.tables if (poor := page_sections.worst(table, main))],
        "counted": page_sections.counted(report),
        "settings": page_sections.settings(report),
        "method": page_sections.method(report),
        "charts": charts(report, main, language),
    }


def _remarks(report: Report) -> list[tuple[str, str]]:
    """What is said below the tables, in English and Chinese."""
    said = list(zip(remarks(report, words_of("en")), remarks(report, words_of("zh")), strict=True))
    return [*said, *_undrawn(len(report.metrics))]


def _undrawn(metrics: int) -> list[tuple[str, str]]:
    """That charts leave metrics out, in the same form."""
    if metrics <= MOST_METRICS:
        return []
    numbers = {"n": f"{MOST_METRICS:,}", "of": f"{metrics:,}"}
    return [(words_of("en")("report.not_drawn", **numbers), words_of("zh")("report.not_drawn", **numbers))]


def _absences(missing: Sequence[Problem]) -> list[tuple[str, str]]:
    """Why documents are not on the page, in the same form."""
    english, chinese = (words_of(language)("report.documents_not_shown") for language in LANGUAGES)
    return [
        (mended(f"{english}: {each}"), mended(f"{chinese}：{each.where}：{each.message.text('zh')}"))
        for each in missing
    ]
