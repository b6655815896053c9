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
    TableBlock,
)
from steelyard.reports.render.tables import board_tables, divided_notes, plain

MOST_COLUMNS: Final = 12
"""A table of metrics with more columns is divided."""
_NUMBER: Final = ' style="text-align: right"'
_TEXT: Final = ' style="text-align: left"'


def render_fragment(blocks: Sequence[Block]) -> str:
    """Return the headlines, tables, lists and notes of a report, every text escaped."""
    return f"<div>{''.join(part for block in plain(blocks) for part in _parts(block))}</div>"


def _parts(block: Block) -> Iterator[str]:
    match block:
        case TableBlock():
            yield _table(block)
            yield from map(_small, block.notes)
        case Leaderboard() | MetricMatrix():
            yield from (part for table in board_tables(block, MOST_COLUMNS) for part in _parts(table))
        case Headline():
            yield f"<p><strong>{escape(block.message)}</strong></p>"
            yield from (f"<p>{escape(warning)}</p>" for warning in block.warnings)
        case Notes():
            alerts, others = divided_notes(block)
            yield from (f"<p><strong>{escape(text)}</strong></p>" for text in alerts)
            yield from map(_small, others)
        case ItemList():
            yield from (f"<p>{escape(line)}</p>" for line in block.lead)
            entries = (f"<li>{escape(' '.join(item.parts))}</li>" for item in block.items)
            if block.items:
                yield f"<p>{escape(block.title)}</p><ul>{''.join(entries)}</ul>"


def _table(block: TableBlock) -> str:
    caption = f"<caption>{escape(block.title)}</caption>" if block.title else ""
    head = "".join(_cell("th", heading, column, block) for column, heading in enumerate(block.headings))
    rows = "".join(
        f"<tr>{''.join(_cell('td', cell, column, block) for column, cell in enumerate(row))}</tr>" for row in block.rows
    )
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _cell(tag: str, cell: str | Cell, column: int, block: TableBlock) -> str:
    text = escape(str(cell))
    shown = f"<strong>{text}</strong>" if isinstance(cell, Cell) and cell.strong else text
    return f"<{tag}{_TEXT if column < block.labels else _NUMBER}>{shown}</{tag}>"


def _small(text: str) -> str:
    return f"<p><small>{escape(text)}</small></p>"
