"""Blocks as a fragment of HTML, for notebooks; it has no script and no style sheet."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from steelyard.reports.blocks import (
    Block,
    Cell,
    Headline,
    ItemList,
    Leaderboard,
    MetricMatrix,
    Notes,
    Row,
    TableBlock,
    for_paper,
    printed,
)

MOST_COLUMNS: Final = 12
"""A table of metrics with more columns is divided."""
_NUMBER: Final = ' style="text-align: right"'
_TEXT: Final = ' style="text-align: left"'


def render_fragment(blocks: Sequence[Block]) -> str:
    """The headlines, tables, lists and notes of a report, every text escaped."""
    return f"<div>{''.join(part for block in printed(blocks) for part in _parts(block))}</div>"


def _parts(block: Block) -> Iterator[str]:
    match block:
        case TableBlock():
            yield _table(block)
            yield from map(_small, block.notes)
        case Leaderboard() | MetricMatrix():
            yield from (part for table in for_paper(block, MOST_COLUMNS) for part in _parts(table))
        case Headline():
            yield f"<p><strong>{escape(block.text)}</strong></p>"
            yield from (f"<p>{escape(warning)}</p>" for warning in block.warnings)
        case Notes():
            yield from (f"<p><strong>{escape(text)}</strong></p>" for text in block.alerts)
            yield from (_small(text) for text in block.texts if text not in block.alerts)
        case ItemList() if block.items:
            entries = (f"<li>{escape(' '.join(item.parts))}</li>" for item in block.items)
            yield f"<p>{escape(block.title)}</p><ul>{''.join(entries)}</ul>"


def _table(block: TableBlock) -> str:
    caption = f"<caption>{escape(block.title)}</caption>" if block.title else ""
    head = "".join(_cell("th", heading, column, block) for column, heading in enumerate(block.headings))
    rows = "".join(f"<tr>{_cells(row, block)}</tr>" for row in block.rows)
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _cells(row: Row, block: TableBlock) -> str:
    return "".join(_cell("td", str(cell), column, block, strong=_is_strong(cell)) for column, cell in enumerate(row))


def _is_strong(cell: str | Cell) -> bool:
    return isinstance(cell, Cell) and cell.strong


def _cell(tag: str, text: str, column: int, block: TableBlock, *, strong: bool = False) -> str:
    shown = f"<strong>{escape(text)}</strong>" if strong else escape(text)
    return f"<{tag}{_TEXT if column < block.text_columns else _NUMBER}>{shown}</{tag}>"


def _small(text: str) -> str:
    return f"<p><small>{escape(text)}</small></p>"
