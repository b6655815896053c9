"""Blocks as LaTeX, for papers: tables, and notes as comments."""

from collections.abc import Iterator, Sequence
from typing import Final

from steelyard.i18n import Language, words_of
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Cell, ItemList, Notes, Row, TableBlock
from steelyard.text.visible import one_line

_RAISED: Final = {cells.BETTER: "$^{+}$", cells.WORSE: "$^{-}$"}
_SPECIAL: Final = str.maketrans(
    {
        "_": r"\_",
        "%": r"\%",
        "&": r"\&",
        "#": r"\#",
        "$": r"\$",
        "~": r"\textasciitilde{}",
        "^": r"\^{}",
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        **_RAISED,
    }
)


def render_latex(blocks: Sequence[Block], *, language: Language = "en") -> str:
    """The tables (booktabs) without the details of their cells; raised + and - mark significant differences.

    Lines of text are comments. Items and tables that no paper prints are left out.
    """
    words = words_of(language)
    legend = f"{words('report.significantly_better')}, {words('report.significantly_worse')}"
    lines = [rf"% \usepackage{{booktabs}}; $^{{+}}$ $^{{-}}$: {legend}"]
    lines += (line for block in blocks for line in _lines(block))
    return "\n".join(lines) + "\n"


def _lines(block: Block) -> Iterator[str]:
    match block:
        case TableBlock() if block.in_papers:
            yield from _table(block)
            yield from map(_comment, block.notes)
        case Notes():
            yield from map(_comment, block.texts)
        case ItemList():
            yield from map(_comment, block.lead)


def _comment(line: str) -> str:
    return f"% {one_line(line)}"


def _table(block: TableBlock) -> Iterator[str]:
    if block.title:
        yield from ("", rf"\bigskip\noindent\textbf{{{_escaped(block.title)}}}\par\smallskip\noindent")
    columns = "l" * block.text_columns + "r" * (len(block.headings) - block.text_columns)
    yield from (rf"\begin{{tabular}}{{{columns}}}", r"\toprule", _row(block.headings), r"\midrule")
    yield from (*map(_row, block.rows), r"\bottomrule", r"\end{tabular}")


def _row(row: Row) -> str:
    line = " & ".join(map(_cell, row)) + r" \\"
    # after \\ and \toprule a bracket or star would be an argument
    return "{}" + line if line.startswith(("[", "*")) else line


def _cell(cell: str | Cell) -> str:
    """A text, or a number with its mark raised."""
    if isinstance(cell, str) or not cell.mark:
        return _escaped(cell if isinstance(cell, str) else cell.text)
    if cell.mark in _RAISED:
        return _escaped(cell.text) + _RAISED[cell.mark]
    if cell.mark.isalpha():
        return rf"{_escaped(cell.text)}$^{{\mathrm{{{cell.mark}}}}}$"
    return _escaped(f"{cell.text} {cell.mark}")


def _escaped(text: str) -> str:
    """Text in one line that LaTeX shows as it is."""
    return one_line(text).translate(_SPECIAL)
