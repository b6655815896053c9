"""Reports of legal results: the sections that only they have."""

from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.legal.report.differences import compared_parts, pair_blocks, reason
from steelyard.legal.report.results import as_json as fields
from steelyard.legal.report.sections import blocks

if TYPE_CHECKING:
    from steelyard.documents.sets import DocumentSet
    from steelyard.reports.render.html.kind_page import KindPage

__all__ = ["blocks", "compared_parts", "documents", "fields", "kind_page", "pair_blocks", "reason"]


def kind_page() -> "KindPage":
    """What pages show of legal results (`reports.render.html.kind_page`)."""
    from steelyard.legal.report.page import LegalPage

    return LegalPage()


def documents(benchmark: str, **folders: Path | None) -> "DocumentSet":
    """The documents of a benchmark (`reports.kinds.KindDocuments`)."""
    from steelyard.legal.benchmark.loading import documents_of

    return documents_of(benchmark, **folders)
