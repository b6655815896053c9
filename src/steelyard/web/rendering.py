"""Reports as pages of the viewer: with the documents in its folder, and with private data masked on request."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from steelyard.documents.pages import DocumentSet
from steelyard.errors import Problem
from steelyard.i18n import Language
from steelyard.reports.content import Report
from steelyard.reports.kinds import documents_for
from steelyard.reports.masking import mask_documents, mask_tables, mask_text
from steelyard.reports.render.html.report_html import render_html
from steelyard.table import Table

Render = Callable[[Report, Language], str]
"""A function that makes the page of a report in a language."""
LINKS: Final = {"/": "view.all_results", "/history": "view.history"}
"""The pages that every report links to: their addresses, and the codes of their names."""


@dataclass(frozen=True, slots=True)
class Privacy:
    """How a text, the results of one page and its documents are shown."""

    text: Callable[[str], str]
    tables: Callable[[Sequence[Table]], list[Table]]
    documents: Callable[[DocumentSet], DocumentSet]


OPEN: Final = Privacy(text=lambda text: text, tables=list, documents=lambda documents: documents)
"""Everything is shown."""
MASKED: Final = Privacy(text=mask_text, tables=mask_tables, documents=mask_documents)
"""Private numbers and addresses are masked."""


def report_pages(folder: Path, privacy: Privacy, also: Path | None = None) -> Render:
    """Return a function that makes pages of reports, on which paths are relative to the folder, with links to others.

    Documents are in the folder, inside their benchmark, or in the folder `also`.
    """
    root = folder.resolve()

    def render(report: Report, language: Language) -> str:
        documents = documents_for(report.tables, [root] * len(report.tables), within=root, also=also)
        missing = [
            Problem(problem.where.removeprefix(f"{root}{os.sep}"), problem.message) for problem in documents.missing
        ]
        shown = privacy.documents(DocumentSet(documents.found, tuple(missing)))
        return render_html(report, language, shown, links=LINKS)

    return render
