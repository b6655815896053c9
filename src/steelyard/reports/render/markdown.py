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
    Row,
    TableBlock,
    for_paper,
)
from steelyard.table import FloatArray
from steelyard.text.visible import one_line

MOST_COLUMNS: Final = 9
"""A table of metrics with more columns is divided."""
PASSED, FAILED = "✅", "❌"
# a mark between two letters or figures is no emphasis in Markdown, so that names stay readable: exact_match
_SPECIAL: Final = re.compile(r"[\\`*\[\]<>#~&$]|(?<![^\W_])_|_(?![^\W_])")


def render_markdown(blocks: Sequence[Block]) -> str:
    """The blocks as headings, paragraphs, tables and lists."""
    return "\n\n".join(paragraph for block in blocks for paragraph in _paragraphs(block)) + "\n"


def _paragraphs(block: Block) -> Iterator[str]:
    match block:
        case TableBlock():
            yield from _table(block)
        case Leaderboard() | MetricMatrix():
            yield from (paragraph for table in for_paper(block, MOST_COLUMNS) for paragraph in _table(table))
        case Headline():
            yield f"## {PASSED if block.passed else FAILED} {_escaped(block.text)}"
            yield from (f"**{_escaped(warning)}**" for warning in block.warnings)
        case Notes() if block.lines:
            yield from (f"**{_escaped(line)}**" for line in block.alerts)
            if others := [text for text in block.texts if text not in block.alerts]:
                yield _bullets(others)
        case ItemList():
            yield from _list(block)
        case ItemScores():
            yield from _table(_scores(block))


def _table(block: TableBlock) -> Iterator[str]:
    headings = [_escaped_cell(heading) for heading in block.headings]
    rules = ["---" if column < block.text_columns else "---:" for column in range(len(headings))]
    rows = [_row(row, block.text_columns) for row in block.rows]
    if block.title:
        yield f"### {_escaped(block.title)}"
    yield "\n".join(f"| {' | '.join(line)} |" for line in (headings, rules, *rows))
    if block.notes:
        yield _bullets(block.notes)


def _row(row: Row, texts: int) -> list[str]:
    return [_escaped_cell(str(cell)) if column < texts else _number(cell) for column, cell in enumerate(row)]


def _number(cell: str | Cell) -> str:
    """A number with its mark and detail; the best of a column is bold."""
    if isinstance(cell, str) or not cell.strong:
        return str(cell)
    return str(replace(cell, text=f"**{cell.text}**"))


def _list(block: ItemList) -> Iterator[str]:
    yield from map(_escaped, block.lead)
    if block.items:
        yield f"### {_escaped(block.title)}"
        bullets = (f"{number}." if block.numbered else "-" for number in range(1, len(block.items) + 1))
        yield "\n".join(_item(bullet, item) for bullet, item in zip(bullets, block.items, strict=True))


def _item(bullet: str, item: ListItem) -> str:
    line = f"{bullet} {' · '.join(map(_escaped, item.parts))}"
    return f"{line}\n   - {_escaped(item.note)}" if item.note else line


def _scores(block: ItemScores) -> TableBlock:
    """The scores as a table with a row per result and item."""
    rows = [
        [scores.result, identifier, *(_score(column, row) for column in scores.columns)]
        for scores in block.results
        for row, identifier in enumerate(scores.ids)
    ]
    return TableBlock(block.headings, rows, text_columns=2)


def _score(column: FloatArray | None, row: int) -> str:
    return cells.DASH if column is None else cells.score(float(column[row]))


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"- {_escaped(line)}" for line in lines)


def _escaped_cell(text: str) -> str:
    """Text that stays within a cell."""
    return _escaped(text).replace("|", r"\|")


def _escaped(text: str) -> str:
    """Text in one line that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\g<0>", one_line(text))
