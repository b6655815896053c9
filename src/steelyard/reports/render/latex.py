"""Blocks as LaTeX, for papers: tables, and notes as comments."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from steelyard.i18n import Language, words_of
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Cell, ItemList, Leaderboard, MetricMatrix, Notes, TableBlock, for_paper
from steelyard.text.visible import one_line

MOST_COLUMNS: Final = 8
"""A table of metrics with more columns is divided: it would be wider than a page."""
_RAISED: Final = {cells.BETTER: "$^{+}$", cells.WORSE: "$^{-}$"}
_MINUS: Final = re.compile(r"(?<![\w.])-(?=[\d.])")
_POWER: Final = re.compile(r"(\d(?:\.\d+)?)e([+-])0*(\d+)")
_CHINESE: Final = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
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
        "\u00a0": "~",
        "–": "--",
        "—": "---",
        "…": r"\ldots{}",
        "·": r"$\cdot$",
        "−": "$-$",
        "×": r"$\times$",
        "±": r"$\pm$",
        "≤": r"$\leq$",
        "≥": r"$\geq$",
        "≠": r"$\neq$",
        "≈": r"$\approx$",
        "→": r"$\rightarrow$",
        "Σ": r"$\Sigma$",
        "Δ": r"$\Delta$",
        "α": r"$\alpha$",
        **_RAISED,
    }
)


def render_latex(blocks: Sequence[Block], *, language: Language = "en") -> str:
    """The tables (booktabs) without the details of their cells; raised + and - mark significant differences.

    Lines of text are comments. Items and tables that no paper prints are left out. pdfLaTeX compiles the tables; if
    they hold Chinese, Japanese or Korean, a comment says what it needs for that.
    """
    words = words_of(language)
    legend = words.joined("core.comma", map(words, ("report.significantly_better", "report.significantly_worse")))
    lines = [line for block in blocks for line in _lines(block)]
    head = [rf"% \usepackage{{booktabs}}; {words.labelled('$^{+}$ $^{-}$', legend)}"]
    if any(_CHINESE.search(line) for line in lines if not line.startswith("%")):
        head.append(f"% {words('report.chinese_in_latex')}")
    return "\n".join([*head, *lines]) + "\n"


def _lines(block: Block) -> Iterator[str]:
    match block:
        case TableBlock() if block.in_papers:
            yield from _table(block)
            yield from map(_comment, block.notes)
        case Leaderboard() | MetricMatrix():
            yield from (line for table in for_paper(block, MOST_COLUMNS) for line in _lines(table))
        case Notes():
            yield from map(_comment, block.texts)
        case ItemList():
            yield from map(_comment, block.lead)


def _comment(line: str) -> str:
    return f"% {one_line(line)}"


def _table(block: TableBlock) -> Iterator[str]:
    if not block.title:
        yield from ("", r"\bigskip\noindent")
    else:
        yield from ("", rf"\bigskip\noindent\textbf{{{_escaped(block.title)}}}\par\smallskip\noindent")
    columns = "l" * block.text_columns + "r" * (len(block.headings) - block.text_columns)
    heads = [_escaped(heading) for heading in block.headings]
    yield from (rf"\begin{{tabular}}{{{columns}}}", r"\toprule", _row(heads), r"\midrule")
    rows = ([_cell(cell, number=place >= block.text_columns) for place, cell in enumerate(row)] for row in block.rows)
    yield from (*map(_row, rows), r"\bottomrule", r"\end{tabular}")


def _row(row: Sequence[str]) -> str:
    line = " & ".join(row) + r" \\"
    # after \\ and \toprule a bracket or star would be an argument
    return "{}" + line if line.startswith(("[", "*")) else line


def _cell(cell: str | Cell, *, number: bool) -> str:
    """A text, or a number with its mark raised; the best of a column is bold."""
    value = cell if isinstance(cell, Cell) else Cell(cell)
    text = _number(value.text) if number else _escaped(value.text)
    text = rf"\textbf{{{text}}}" if value.strong else text
    if value.mark in _RAISED:
        return text + _RAISED[value.mark]
    if value.mark.isalpha():
        return rf"{text}$^{{\mathrm{{{value.mark}}}}}$"
    return f"{text} {_escaped(value.mark)}" if value.mark else text


def _number(text: str) -> str:
    """Text of numbers, with minus signs and powers of ten."""
    return _POWER.sub(_power, _MINUS.sub("$-$", _escaped(text)))


def _power(match: re.Match[str]) -> str:
    sign = "-" if match[2] == "-" else ""
    return rf"${match[1]}\times10^{{{sign}{match[3]}}}$"


def _escaped(text: str) -> str:
    """Text in one line that LaTeX shows as it is."""
    return one_line(text).translate(_SPECIAL)
