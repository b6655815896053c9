"""What kinds of results add to reports (`registry.kinds`).

The module `Kind.report` of a kind may have `blocks(table, words)`, the blocks about one result; `fields(table)`, the
same as fields of JSON output; and `kind_page()`, a part of its own on pages (`render.html.kind_page`).
"""

from collections.abc import Iterable
from typing import Any

from steelyard.i18n import Words
from steelyard.registry.kinds import kind_of
from steelyard.reports.blocks import Block
from steelyard.table import Table


def kind_blocks(table: Table, words: Words) -> Iterable[Block]:
    """The blocks that the kind of a result adds, in the language of the words."""
    make = getattr(kind_of(table.kind).load_report(), "blocks", None)
    return () if make is None else make(table, words)


def kind_fields(table: Table) -> dict[str, Any]:
    """The fields that the kind of a result adds to JSON output, under the name of the kind."""
    make = getattr(kind_of(table.kind).load_report(), "fields", None)
    return {} if make is None else {table.kind: make(table)}


def has_page(kind: str) -> bool:
    """Whether the kind has a part of its own on pages."""
    return hasattr(kind_of(kind).load_report(), "kind_page")
