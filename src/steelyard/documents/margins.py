"""What stands around the text of pages: line numbers at the left, page numbers, running heads and feet.

None of it is text: it would cut sentences and hide who speaks. A column of line numbers is recognised by counting: most
lines of a page begin with a number, and the numbers rise as the lines do; they go on over the page end or start again.
Numbers of lists have a point after them, and amounts and dates do not count lines.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from steelyard.documents.units import begins_unit
from steelyard.text.normalisation import Edit, Folded

_NUMBER: Final = "[0-9０-９]"
_RULES: Final = " \t\u3000\u00a0=＝-－—–_*#~<>!|【】[]()（）·"  # what may stand around a page mark on its line
_LONGEST_MARK: Final = 60
# 第1页 共4页 · 第１页 · 第 1 頁，共 2 頁 · page 3 of 4; 第 页 共 页 is a mark whose number is missing
_MARK = re.compile(
    r"第\s*(?P<counted>[^\s第页頁]{0,9})\s*[页頁]\s*[,，、/／|·]?\s*共\s*[^\s共页頁]{0,9}\s*[页頁]"
    rf"|第\s*(?P<chinese>{_NUMBER}{{1,9}})\s*[页頁]"
    rf"|page\s*(?P<english>{_NUMBER}{{1,9}})(?:\s*(?:of|/)\s*{_NUMBER}{{1,9}})?",
    re.IGNORECASE,
)
_RULED_MARK = re.compile(r"\s*(?:--|==)[-=\s]*page\s*(?P<ruled>[^\s=-]{0,9})\s*(?:--|==)[-=\s]*", re.IGNORECASE)
_ROW = re.compile(r"^[^\S\n]*\S[^\n]*", re.MULTILINE)
_FIGURES = re.compile("[0-9]{1,9}")
# 12 at the start of a line, before a blank or the mark of a speaker; 12. and 12、 begin entries of lists, 2023 years
_PRINTED = re.compile(rf"\s*(?!(?:19|20)\d\d)({_NUMBER}{{1,4}})(?:\s+|$|(?=[问問答QA]\s*[:：.]))")
# an amount, a day or an entry of a table: 1 月 3000 元 … 12 月 …
_AMOUNT = re.compile(
    rf"\s*{_NUMBER}+\s*(?:[年月日号號条條项項款页頁章節节元万萬亿个個次人份岁歲时時点點分秒期笔筆%|]"
    r"|(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\b|(?:days?|months?|years?|hours?|percent)\b)",
    re.IGNORECASE,
)
_FEWEST: Final = 5
"""A column has at least so many numbers on some page."""
_COVERED: Final = 0.6
"""The share of a page's lines that are numbered; entries of two lines each reach a half."""
_ENDS: Final = (0, 1, 2, -1, -2, -3)
"""Where running heads and feet are, among the lines of a page."""

Row = re.Match[str]
"""A line that is not blank."""


class NumberedLine(NamedTuple):
    """A line with the number that it is cited by; `start` and `end` are offsets into its page's text."""

    number: int
    start: int
    end: int


class Trimmed(NamedTuple):
    """A page without its margins, with its lines if numbers are printed beside them, at their offsets before."""

    text: Folded
    lines: Sequence[NumberedLine]


def page_mark(line: str) -> re.Match[str] | None:
    """Return the mark of a page, if the line is one; its last group is the number."""
    if len(line) > _LONGEST_MARK:
        return None
    return _MARK.fullmatch(line.strip(_RULES)) or _RULED_MARK.fullmatch(line)


def without_margins(texts: Sequence[str]) -> list[Trimmed]:
    """Return pages without page marks, running heads, feet and line numbers.

    The first running head and the last foot stay: they may say what no other line says, and cut no sentence there.
    """
    pages = [list(_ROW.finditer(text)) for text in texts]
    unmarked = [[row for row in rows if page_mark(row[0]) is None] for rows in pages]
    repeated = _repeated(unmarked)
    kept = [[row for row in rows if row not in repeated] for rows in unmarked]
    numbers = _line_numbers(kept)
    parts = zip(texts, pages, kept, strict=True)
    return [_trimmed(text, rows, left, numbers) for text, rows, left in parts]


def _trimmed(text: str, rows: Sequence[Row], kept: Iterable[Row], numbers: Mapping[Row, re.Match[str]]) -> Trimmed:
    """Return what is not cut, and the lines with a number."""
    edits: list[Edit] = []
    lines: list[NumberedLine] = []
    left = set(kept)
    above = 0
    for row in rows:
        if row not in left:
            edits.append((above, row.end(), ""))
        elif row in numbers:
            number = numbers[row]
            start = row.start() + number.end()
            edits.append((row.start(), start, ""))
            lines.append(NumberedLine(int(number[1]), start, row.end()))
        above = row.end()
    return Trimmed(Folded(text, range(len(text) + 1)).edited(edits), lines)


def _repeated(pages: Sequence[Sequence[Row]]) -> set[Row]:
    """Return the lines at the ends of most pages that are the same, or differ in the number of the page."""
    found: set[Row] = set()
    for end in _ENDS:
        groups: dict[str, list[Row]] = defaultdict(list)
        for index, rows in enumerate(pages):
            if len(rows) > abs(end) + 1:
                for key in _keys(rows[end][0], index):
                    groups[key].append(rows[end])
        same = max(groups.values(), key=len, default=[])
        if 2 * len(same) <= max(len(pages), 2):
            continue
        text = _PRINTED.sub("", same[0][0], count=1)
        if begins_unit(text):
            continue
        if any(map(str.isalpha, text)):
            del same[0 if end >= 0 else -1]
        found.update(same)
    return found


def _keys(line: str, index: int) -> set[str]:
    """Return the line without blanks and page marks, as it is and with its figures counted from this page."""
    text = "".join(_MARK.sub("", line).split())
    return {text, _FIGURES.sub(lambda figure: f"#{int(figure[0]) - index}", text)}


def _line_numbers(pages: Sequence[Sequence[Row]]) -> dict[Row, re.Match[str]]:
    """Return the numbers at the starts of lines that rise as the lines do; for each line there, one may be lost."""
    rows = [row for page in pages for row in page]
    printed = [(at, number) for at, row in enumerate(rows) if (number := _PRINTED.match(row[0]))]
    numbers: dict[Row, re.Match[str]] = {}
    for (at, one), (after, other) in pairwise(printed):
        if 0 < int(other[1]) - int(one[1]) <= 2 * (after - at):
            numbers |= {rows[at]: one, rows[after]: other}
    return numbers if any(_is_column(page, numbers) for page in pages) else {}


def _is_column(page: Sequence[Row], numbers: Mapping[Row, re.Match[str]]) -> bool:
    """Return whether a page has line numbers, whatever the other pages have."""
    lines = [row[0] for row in page if row in numbers]
    amounts = [line for line in lines if _AMOUNT.match(line)]
    return len(lines) >= max(_FEWEST, _COVERED * len(page)) and 5 * len(amounts) < len(lines)
