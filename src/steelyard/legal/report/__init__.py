"""Reports of legal results: the sections that only they have."""

from typing import TYPE_CHECKING

from steelyard.legal.report.sections import blocks, fields

if TYPE_CHECKING:
    from steelyard.reports.render.html.kind_page import KindPage


__all__ = ["blocks", "fields", "kind_page"]


def kind_page() -> "KindPage":
    """What pages show of legal results (`reports.render.html.kind_page`)."""
    from steelyard.legal.report.page import LegalPage

    return LegalPage()
