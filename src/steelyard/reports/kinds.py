"""What kinds of results add to reports (`registry.kinds`)."""

from collections.abc import Iterable
from typing import Any, Protocol, cast

from steelyard.i18n import Words
from steelyard.registry.kinds import kind_of
from steelyard.reports.blocks import Block
from steelyard.table import Table


class KindReport(Protocol):
    """The module `Kind.report` of a kind that has sections of its own."""

    def blocks(self, table: Table, words: Words) -> Iterable[Block]:
        """The blocks about one result, in the language of the words."""

    def fields(self, table: Table) -> dict[str, Any]:
        """The same as fields of JSON output."""


def report_of(kind: str) -> KindReport | None:
    """The report module of a kind, or None."""
    return cast("KindReport | None", kind_of(kind).load_report())
