"""The pages of reports in the viewer, as the report command writes them, with the documents in its folder."""

import os
from pathlib import Path

from steelyard.documents.sets import DocumentSet
from steelyard.errors import Problem
from steelyard.i18n import Language
from steelyard.reports.content import Report
from steelyard.reports.render.html.kind_page import kind_page
from steelyard.reports.render.html.report_html import render_html
from steelyard.web.privacy import Privacy
from steelyard.web.viewer import Render


def report_pages(folder: Path, privacy: Privacy, also: Path | None = None) -> Render:
    """A function that makes the page of a report; paths on it begin at the folder.

    Documents lie in the folder, inside their benchmark, or in the folder `also`.
    """
    root = folder.resolve()

    def render(report: Report, language: Language) -> str:
        benchmarks = dict.fromkeys((table.kind, table.benchmark) for table in report.tables)
        found = DocumentSet.of(
            kind_page(kind).documents(benchmark, within=root, beside=root, also=also) for kind, benchmark in benchmarks
        )
        missing = [Problem(each.where.removeprefix(f"{root}{os.sep}"), each.message) for each in found.missing]
        return render_html(report, language, privacy.documents(DocumentSet(found.found, tuple(missing))))

    return render
