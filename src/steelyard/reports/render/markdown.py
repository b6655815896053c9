"""Blocks as Markdown, for pull requests and notes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from steelyard.reports import cells
from steelyard.reports.blocks import (
    Block,
    Cell,
    Headline,
    ItemList,
    ItemScores,
    Leaderboard,
    ListItem,
    MetricMatrix,
    Notes,
    TableBlock,
)
from steelyard.reports.render.tables import COMPARED, board_tables, divided_notes, plain
from steelyard.text.visible import one_line

MOST_COLUMNS: Final = 9
"""A table of metrics with more columns is divided."""
PASSED, FAILED = "✅", "❌"
# a mark between two letters or figures is no emphasis in Markdown, so that names stay readable: exact_match
_SPECIAL: Final = re.compile(r"[\\`*\[\]<>#~&$]|(?<![^\W_])_|_(?![^\W_])")


def render_markdown(blocks: Sequence[Block]) -> str:
    """Return the blocks as headings, paragraphs, tables and lists."""
    return "\n\n".join(paragraph for block in plain(blocks) for paragraph in _paragraphs(block)) + "\n"


def _paragraphs(block: Block) -> Iterator[str]:
    match block:
        case TableBlock() if block.role not in COMPARED:
            yield from _table(block)
        case Leaderboard() | MetricMatrix():
            yield from (paragraph for table in board_tables(block, MOST_COLUMNS) for paragraph in _table(table))
        case Headline():
            yield f"## {PASSED if block.passed else FAILED} {_escaped(block.message)}"
            yield from (f"**{_escaped(warning)}**" for warning in block.warnings)
        case Notes() if block.lines:
            alerts, others = divided_notes(block)
            yield from (f"**{_escaped(line)}**" for line in alerts)
            if others:
                yield _bullets(others)
        case ItemList():
            yield from _list(block)
        case ItemScores():
            yield from _table(_scores(block))


def _table(block: TableBlock) -> Iterator[str]:
    headings = [_escaped_cell(heading) for heading in block.headings]
    rules = ["---" if column < block.labels else "---:" for column in range(len(headings))]
    rows = [
        [_escaped_cell(str(cell)) if column < block.labels else _number(cell) for column, cell in enumerate(row)]
        for row in block.rows
    ]
    if block.title:
        yield f"### {_escaped(block.title)}"
    yield "\n".join(f"| {' | '.join(line)} |" for line in (headings, rules, *rows))
    if block.notes:
        yield _bullets(block.notes)


def _number(cell: str | Cell) -> str:
    """Return a number with its mark and detail; the best of a column is bold."""
    if isinstance(cell, str) or not cell.strong:
        return str(cell)
    return str(replace(cell, value=f"**{cell.value}**"))


def _list(block: ItemList) -> Iterator[str]:
    yield from map(_escaped, block.lead)
    if block.items:
        yield f"### {_escaped(block.title)}"
        bullets = (f"{number}." if block.numbered else "-" for number in range(1, len(block.items) + 1))
        yield "\n".join(_item(bullet, item) for bullet, item in zip(bullets, block.items, strict=True))
    if block.more:
        yield _escaped(block.more)


def _item(bullet: str, item: ListItem) -> str:
    line = f"{bullet} {' · '.join(map(_escaped, item.parts))}"
    return f"{line}\n   - {_escaped(item.note)}" if item.note else line


def _scores(block: ItemScores) -> TableBlock:
    """Return the scores as a table with a row per result and item."""
    rows = [
        [
            scores.result,
            identifier,
            *((cells.DASH if column is None else cells.score(float(column[row]))) for column in scores.columns),
        ]
        for scores in block.results
        for row, identifier in enumerate(scores.ids)
    ]
    return TableBlock(block.headings, rows, labels=2)


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"- {_escaped(line)}" for line in lines)


def _escaped_cell(text: str) -> str:
    """Text that stays within a cell."""
    return _escaped(text).replace("|", r"\|")


def _escaped(text: str) -> str:
    """Text in one line that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\g<0>", one_line(text))
