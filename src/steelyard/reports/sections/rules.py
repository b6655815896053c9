"""The rules that a run had to meet, in JSON output; in text they are a report of their own (`gate`)."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from steelyard.i18n import Words
from steelyard.reports.blocks import Block, Fields
from steelyard.reports.content import Report

if TYPE_CHECKING:
    from steelyard.stats.gate import Gate

ORDER: Final = 50


def blocks(report: Report, words: Words) -> Iterator[Block]:
    """The findings as fields; nothing where there were no rules."""
    if report.gate is not None:
        yield Fields(partial(_fields, report.gate))


def _fields(gate: "Gate") -> dict[str, Any]:
    from steelyard.reports.gate import findings_json

    return {"gate": findings_json(gate)}
