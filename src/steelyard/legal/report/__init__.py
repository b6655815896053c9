"""Sections of reports that only legal results have."""

from steelyard.legal.report.sections import blocks, fields

__all__ = ["blocks", "fields"]
