"""What only results of one kind have to show: the blocks of its report module."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from steelyard.i18n import Words
from steelyard.reports.blocks import Block, ItemList, PageTables, TableBlock
from steelyard.reports.content import Report
from steelyard.reports.kinds import has_page, kind_blocks
from steelyard.stats.scopes import Scope
from steelyard.table import Table

ORDER: Final = 40


def blocks(report: Report, words: Words) -> Iterator[Block]:
    """The tables of every result, which text has only of few results, then its other blocks."""
    added = [block for table in report.tables for block in _of_kind(table, words, report.scope)]
    tables = [block for block in added if isinstance(block, TableBlock)]
    shown = [block for block in tables if block.page is not None]
    yield from [PageTables(lambda: shown)] if report.is_short else tables
    others = (block for block in added if not isinstance(block, TableBlock))
    yield from (block for block in others if not (report.is_short and isinstance(block, ItemList)))


def _of_kind(table: Table, words: Words, scope: Scope) -> Iterator[Block]:
    """The blocks of one result; a kind with its own part of a page shows there what its tables and lists say."""
    shown = not has_page(table.kind)
    for block in kind_blocks(table, words, scope):
        match block:
            case TableBlock():
                yield block if shown else replace(block, page=None)
            case ItemList():
                yield replace(block, on_page=shown)
            case _:
                yield block
