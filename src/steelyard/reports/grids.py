"""A table of words and numbers, as the terminal, Markdown and LaTeX have it."""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from steelyard.reports import cells
from steelyard.text.visible import visible

if TYPE_CHECKING:
    from rich.table import Table as RichTable

# a mark between two letters or figures is no emphasis in Markdown, so that names stay readable: exact_match
_MARKDOWN: Final = re.compile(r"[\\`*\[\]<>#~&$]|(?<![^\W_])_|_(?![^\W_])")
_LATEX: Final = str.maketrans(
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
        cells.BETTER: "$^{+}$",
        cells.WORSE: "$^{-}$",
    }
)


@dataclass(frozen=True, slots=True)
class Grid:
    """A table in no format yet: the first `texts` columns hold words of the case, the others numbers."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    texts: int = 1


@dataclass(frozen=True, slots=True)
class PageGrid:
    """A table of a page in every language; `note` is the code of what is said below the tables."""

    by_language: Mapping[str, Grid]
    note: str = ""

    @property
    def headings(self) -> list[tuple[str, ...]]:
        """The headings, each in every language."""
        return list(zip(*(grid.headings for grid in self.by_language.values()), strict=True))

    @property
    def title(self) -> tuple[str, ...]:
        """The title in every language."""
        return tuple(grid.title for grid in self.by_language.values())


def console_grid(grid: Grid, *, colour: bool) -> list[str]:
    """The lines of a table on the terminal, as wide as it must be."""
    table = titled(grid.title or None)
    for number, heading in enumerate(grid.headings):
        table.add_column(heading, justify="left" if number < grid.texts else "right", no_wrap=True)
    for row in grid.rows:
        table.add_row(*map(one_line, row))
    return draw(table, colour)


def titled(title: str | None) -> "RichTable":
    """A table of the terminal, without lines, to be filled; what is filled in commands no terminal."""
    return _visible_table()(
        title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, header_style="bold"
    )


@cache
def _visible_table() -> "type[RichTable]":
    """A class, made when it is first needed, because rich is slow to import."""
    from rich.table import Table as RichTable

    class VisibleTable(RichTable):
        """A table whose headings and cells show control characters as escapes."""

        def add_column(self, header: Any = "", *others: Any, **settings: Any) -> None:
            super().add_column(visible(header), *others, **settings)

        def add_row(self, *cells: Any, **settings: Any) -> None:
            super().add_row(*map(visible, cells), **settings)

    return VisibleTable


def draw(table: "RichTable", colour: bool) -> list[str]:
    """The lines of a table of the terminal."""
    from rich.console import Console

    title, table.title = table.title, None  # it may be wider than its table, and must not break
    output = io.StringIO()
    settings = {"force_terminal": True} if colour else {"no_color": True}
    Console(file=output, width=width_of(table), highlight=False, emoji=False, markup=False, **settings).print(table)  # type: ignore[arg-type]
    head = [] if title is None else [f"\x1b[1m{visible(str(title))}\x1b[0m" if colour else visible(str(title))]
    return [*head, *(line.rstrip() for line in output.getvalue().splitlines())]


def width_of(table: "RichTable") -> int:
    """How many columns of the terminal a table needs."""
    from rich.console import Console

    return Console(width=10_000, markup=False).measure(table).maximum


def markdown_grid(grid: Grid) -> str:
    """A table of Markdown, below its title."""
    headings = [markdown_cell(heading) for heading in grid.headings]
    rules = ["---" if column < grid.texts else "---:" for column in range(len(headings))]
    rows = [[*map(markdown_cell, row[: grid.texts]), *row[grid.texts :]] for row in grid.rows]
    table = "\n".join(f"| {' | '.join(line)} |" for line in (headings, rules, *rows))
    return f"### {markdown(grid.title)}\n\n{table}" if grid.title else table


def markdown_cell(text: str) -> str:
    """Text that stays within a cell."""
    return markdown(text).replace("|", r"\|")


def markdown(text: str) -> str:
    """Text in one line that Markdown shows as it is."""
    return _MARKDOWN.sub(r"\\\g<0>", one_line(text))


def latex_grid(grid: Grid) -> Iterator[str]:
    """The lines of a table of LaTeX (booktabs), below its title."""
    rows = [[latex(cell) for cell in row] for row in grid.rows]
    return latex_table(Grid([*map(latex, grid.headings)], rows, grid.title, grid.texts))


def latex_table(grid: Grid) -> Iterator[str]:
    """The same of a grid whose headings and cells are LaTeX already."""
    if grid.title:
        yield from ("", rf"\bigskip\noindent\textbf{{{latex(grid.title)}}}\par\smallskip\noindent")
    numbers = len(grid.headings) - grid.texts
    yield from (rf"\begin{{tabular}}{{{'l' * grid.texts}{'r' * numbers}}}", r"\toprule", _latex_row(grid.headings))
    yield from (r"\midrule", *map(_latex_row, grid.rows), r"\bottomrule", r"\end{tabular}")


def latex(text: str) -> str:
    """Text in one line that LaTeX shows as it is."""
    return one_line(text).translate(_LATEX)


def one_line(text: str) -> str:
    """The text in one line; control characters are shown as escapes."""
    return visible(" ".join(text.split()))


def _latex_row(row: Sequence[str]) -> str:
    line = " & ".join(row) + r" \\"
    # after \\ and \toprule a bracket or star would be an argument
    return "{}" + line if line.startswith(("[", "*")) else line
