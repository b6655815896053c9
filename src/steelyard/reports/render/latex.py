"""Blocks as LaTeX, for papers: tables, and notes as comments."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from steelyard.i18n import Language, words_of
from steelyard.reports import cells
from steelyard.reports.blocks import (
    Block,
    Cell,
    ItemList,
    Leaderboard,
    MetricMatrix,
    Notes,
    TableBlock,
    TableRole,
)
from steelyard.reports.render.tables import board_tables, divided, note_text, plain
from steelyard.text.visible import one_line

MOST_COLUMNS: Final = 8
"""A table of metrics with more columns is divided: it would be wider than a page."""
SHOWN: Final[frozenset[TableRole]] = frozenset(
    (
        *("table", "means", "means_compared", "groups", "effects", "within", "within_compared"),
        *("refusals", "uncertain", "attribution", "kind"),
    )
)
"""Tables that a paper prints."""
_TEXT_WIDTH: Final = 345.0
"""The width in points of the text of the class article."""
_NARROWEST: Final = 72.0
"""The least width in points of a column whose texts are broken."""
_LETTER: Final = 6.0
"""The width in points of a letter of 10 points, with some to spare; a Chinese character has twice as much."""
_PIECES: Final = re.compile(r"[^_\-./:\s]{1,12}[_\-./:\s]*|[_\-./:\s]+")
_CAPTION: Final = r"\caption{"
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
    """Return the tables (booktabs) without the details of their cells; raised + and - mark significant differences.

    Lines of text are comments. Items and tables that no paper prints are left out. pdfLaTeX compiles the tables; if
    they hold Chinese, Japanese or Korean, a comment says what it needs for that.
    """
    words = words_of(language)
    legend = words.joined("core.comma", map(words, ("report.significantly_better", "report.significantly_worse")))
    lines = list(_labelled(line for block in plain(blocks) for line in _lines(block)))
    head = [rf"% \usepackage{{booktabs}}; {words.labelled('$^{+}$ $^{-}$', legend)}"]
    if any(_CHINESE.search(line) for line in lines if not line.startswith("%")):
        head.append(f"% {words('report.chinese_in_latex')}")
    return "\n".join([*head, *lines]) + "\n"


def _lines(block: Block) -> Iterator[str]:
    match block:
        case TableBlock() if block.role in SHOWN:
            yield from _table(block)
            yield from map(_comment, block.notes)
        case Leaderboard() | MetricMatrix():
            yield from (line for table in board_tables(block, MOST_COLUMNS) for line in _lines(table))
            if isinstance(block, Leaderboard) and block.lettered:
                yield from _lines(block.lettered)
        case Notes():
            yield from (_comment(note_text(line)) for line in block.lines)
        case ItemList():
            yield from map(_comment, block.lead)


def _labelled(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines, those of captions with a label of its own: tab:results, tab:results-2 …"""
    count = 0
    for line in lines:
        yield line
        if line.startswith(_CAPTION):
            count += 1
            yield rf"\label{{tab:results{f'-{count}' if count > 1 else ''}}}"


def _comment(line: str) -> str:
    return f"% {one_line(line)}"


class _Size(NamedTuple):
    """A size of letters, what it is of the usual one, and the space beside a column in points."""

    command: str
    share: float
    space: float

    def width(self, block: TableBlock, column: int) -> float:
        """About the width of a column in points."""
        texts = [block.headings[column], *(_plain(row[column]) for row in block.rows)]
        return max(map(_letters, texts)) * _LETTER * self.share + 2 * self.space

    def free(self, block: TableBlock, broken: int = -1) -> float:
        """Return what the columns but a broken one leave of the width of the text."""
        return _TEXT_WIDTH - sum(self.width(block, each) for each in range(len(block.headings)) if each != broken)


_USUAL: Final = _Size("", 1.0, 6.0)
_SMALL: Final = _Size(r"\footnotesize\setlength{\tabcolsep}{3pt}", 0.82, 3.0)


def _table(block: TableBlock) -> Iterator[str]:
    """Yield the table within the width of the text: in smaller letters, with broken names, or as several tables."""
    if _USUAL.free(block) >= 0:
        yield from _sized(block, _USUAL)
        return
    for table in divided(block, lambda part: _SMALL.free(part) >= 0 or _SMALL.free(part, _broken(part)) >= _NARROWEST):
        yield from _sized(table, _SMALL)


def _broken(block: TableBlock) -> int:
    """Return the column of texts that is widest; -1 where there is none."""
    return max(range(block.labels), key=lambda column: _SMALL.width(block, column), default=-1)


def _sized(block: TableBlock, size: _Size) -> Iterator[str]:
    title = rf"\textbf{{{_escaped(block.title)}}}\par\smallskip\noindent" if block.title else ""
    if block.caption:
        yield from ("", r"\begin{table}[t]", r"\centering", rf"{_CAPTION}{_escaped(block.caption)}}}")
    else:
        yield from ("", rf"\bigskip\noindent{title}")
    broken = -1 if size.free(block) >= 0 else _broken(block)
    columns = ["l" if column < block.labels else "r" for column in range(len(block.headings))]
    if broken >= 0:
        columns[broken] = f"p{{{max(size.free(block, broken) - 2 * size.space, _NARROWEST / 2):.0f}pt}}"
    yield from ([f"{{{size.command}"] if size.command else [])
    yield from (rf"\begin{{tabular}}{{{''.join(columns)}}}", r"\toprule", _row(list(map(_escaped, block.headings))))
    rows = ([_placed(block, cell, column, broken) for column, cell in enumerate(row)] for row in block.rows)
    yield from (r"\midrule", *map(_row, rows), r"\bottomrule", r"\end{tabular}")
    yield from (["}"] if size.command else [])
    yield from ([r"\end{table}"] if block.caption else [])


def _placed(block: TableBlock, cell: str | Cell, column: int, broken: int) -> str:
    """Return a cell; that of a broken column can be broken after signs, and within a long word."""
    if column == broken:
        pieces = (piece.translate(_SPECIAL) for piece in _PIECES.findall(one_line(_plain(cell))))
        return r"\raggedright " + r"\allowbreak{}".join(pieces)
    return _cell(cell, number=column >= block.labels)


def _plain(cell: str | Cell) -> str:
    return f"{cell.value}{cell.mark}" if isinstance(cell, Cell) else cell


def _letters(text: str) -> float:
    """Return the width of a text in letters: capitals are wider."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide + 0.4 * sum(letter.isupper() or letter == "@" for letter in text)


def _row(row: Sequence[str]) -> str:
    line = " & ".join(row) + r" \\"
    # after \\ and \toprule a bracket or star would be an argument
    return "{}" + line if line.startswith(("[", "*")) else line


def _cell(cell: str | Cell, *, number: bool) -> str:
    """Return a text, or a number with its mark raised; the best of a column is bold."""
    value = cell if isinstance(cell, Cell) else Cell(cell)
    text = _POWER.sub(_power, _MINUS.sub("$-$", _escaped(value.value))) if number else _escaped(value.value)
    text = rf"\textbf{{{text}}}" if value.strong else text
    if value.mark in _RAISED:
        return text + _RAISED[value.mark]
    if value.mark.isalpha():
        return rf"{text}$^{{\mathrm{{{value.mark}}}}}$"
    return f"{text} {_escaped(value.mark)}" if value.mark else text


def _power(match: re.Match[str]) -> str:
    sign = "-" if match[2] == "-" else ""
    return rf"${match[1]}\times10^{{{sign}{match[3]}}}$"


def _escaped(text: str) -> str:
    """Text in one line that LaTeX shows as it is."""
    return one_line(text).translate(_SPECIAL)
