"""The page of a result, as the report command writes it, with the documents that lie in the folder."""

import os
from pathlib import Path

from steelyard.documents.sets import DocumentSet
from steelyard.errors import Problem
from steelyard.i18n import Language
from steelyard.legal.benchmark.loading import documents_of
from steelyard.reports.content import Report
from steelyard.reports.render.html.report_html import render_html
from steelyard.web.privacy import Privacy
from steelyard.web.viewer import Render


def report_pages(folder: Path, privacy: Privacy, also: Path | None = None) -> Render:
    """A function that makes the page of a report; paths on it begin at the folder.

    Documents lie in the folder, inside their benchmark, or in the folder `also`.
    """
    root = folder.resolve()

    def render(report: Report, language: Language) -> str:
        places = dict.fromkeys(table.benchmark for table in report.tables)
        found = DocumentSet.of(documents_of(place, within=root, beside=root, also=also) for place in places)
        missing = [Problem(each.where.removeprefix(f"{root}{os.sep}"), each.message) for each in found.missing]
        return render_html(report, language, privacy.documents(DocumentSet(found.found, tuple(missing))))

    return render
