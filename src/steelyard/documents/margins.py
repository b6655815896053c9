"""What stands around the text of pages: line numbers at the left, page numbers, running heads and feet.

None of it is text: it would cut sentences and hide who speaks. A column of line numbers is recognised by counting: most
lines of a page begin with a number, and the numbers rise as the lines do; they go on over the page end or start again.
Numbers of lists have a point after them, and amounts and dates do not count lines.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from steelyard.documents.units import begins_turn, is_signature
from steelyard.text.normalisation import Folded

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
_ROW = re.compile(r"\S[^\n]*")
_FIGURES = re.compile("[0-9]{1,9}")
# 12 at the start of a line, before a blank or the mark of a speaker; 12. and 12、 begin entries of lists
_PRINTED = re.compile(rf"({_NUMBER}{{1,4}})(?:\s+|$|(?=[问問答QA]\s*[:：.]))")
# what makes a number an amount, a day or an entry of a table: 1 月 3000 元 … 12 月 …
_UNIT = re.compile(
    r"[年月日号號条條项項款页頁章节節元万萬亿个個次人份岁歲时時点點分秒期笔筆%|]"
    r"|(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\b|(?:days?|months?|years?|hours?|percent)\b",
    re.IGNORECASE,
)
_FEWEST: Final = 5
"""A column has at least so many numbers on some page."""
_FEWEST_STEPS: Final = 3
"""The same where not every line is numbered."""
_COVERED: Final = 0.6
"""The share of a page's lines that the numbers count; entries of two lines each reach a half."""
_LARGEST_START: Final = 999
"""A column of years begins above."""
_RESTART: Final = 10
"""Where numbers start again, so many may be unreadable."""
_DEEPEST: Final = 3
"""The most lines of a running head or foot."""


class NumberedLine(NamedTuple):
    """A line with the number that it is cited by; `start` and `end` are offsets into its page's text."""

    number: int
    start: int
    end: int


class Trimmed(NamedTuple):
    """A page without its margins, with its lines if numbers are printed beside them, at their offsets before."""

    text: Folded
    lines: tuple[NumberedLine, ...]


@dataclass(slots=True, eq=False)
class _Row:
    """A line that is not blank; `after` ends the line above, `start` is past its number."""

    after: int
    begin: int
    end: int
    text: str
    start: int
    number: int | None = None
    is_cut: bool = False


class _Hit(NamedTuple):
    """A number at the start of a line: `at` counts the lines above it, `length` are its characters with the blanks."""

    at: int
    number: int
    row: _Row
    length: int


def page_mark(line: str) -> re.Match[str] | None:
    """Return the mark of a page, if the line is one; its last group is the number."""
    if len(line) > _LONGEST_MARK:
        return None
    return _MARK.fullmatch(line.strip(_RULES)) or _RULED_MARK.fullmatch(line)


def without_margins(texts: Sequence[str]) -> list[Trimmed]:
    """Return pages without page marks, running heads, feet and line numbers.

    The first running head and the last foot stay: they may say what no other line says, and cut no sentence there.
    """
    pages = list(map(_rows, texts))
    for rows in pages:
        for row in rows:
            row.is_cut = page_mark(row.text) is not None
    _cut_repeated(pages, is_head=True)
    _cut_repeated(pages, is_head=False)
    _cut_numbers(pages)
    return [_trimmed(text, rows) for text, rows in zip(texts, pages, strict=True)]


def _rows(text: str) -> list[_Row]:
    rows: list[_Row] = []
    after = 0
    for line in _ROW.finditer(text):
        start, end = line.span()
        rows.append(_Row(after, start, end, line[0], start))
        after = end
    return rows


def _kept(rows: Sequence[_Row]) -> list[_Row]:
    return [row for row in rows if not row.is_cut]


def _trimmed(text: str, rows: Sequence[_Row]) -> Trimmed:
    """Return what was not cut; the blanks before a line number go with it."""
    offsets: list[int] = []
    lines: list[NumberedLine] = []
    for row in _kept(rows):
        if offsets:
            above = text.rfind("\n", 0, row.begin) + 1 if row.start > row.begin else row.begin
            offsets += range(row.after, above)
        offsets += range(row.start, row.end)
        if row.number is not None:
            goes_on = lines and lines[-1].number == row.number
            lines.append(NumberedLine(row.number, lines.pop().start if goes_on else row.start, row.end))
    kept = "".join(text[at] for at in offsets)
    return Trimmed(Folded(kept, [*offsets, len(text)]), tuple(lines))


def _cut_repeated(pages: Sequence[Sequence[_Row]], *, is_head: bool) -> None:
    """Cut the lines at this end of most pages that are the same, or differ in the number of the page."""
    listed = list(map(_kept, pages))
    for depth in range(_DEEPEST):
        groups: dict[str, list[_Row]] = defaultdict(list)
        for index, rows in enumerate(listed):
            if len(rows) > depth + 1:
                row = rows[depth if is_head else -1 - depth]
                for key in _keys(row.text, index):
                    groups[key].append(row)
        repeated = max(groups.values(), key=len, default=[])
        if len(repeated) < 2 or 2 * len(repeated) <= len(pages) or _is_spoken(repeated[0].text):
            return
        if any(map(str.isalpha, repeated[0].text)):
            del repeated[0 if is_head else -1]
        for row in repeated:
            row.is_cut = True


def _keys(line: str, index: int) -> set[str]:
    """Return the line without blanks, as it is and with its first or last figure counted from this page."""
    text = "".join(line.split())
    figures = [*_FIGURES.finditer(text)]
    counted = {f"{text[: one.start()]}\0{int(one[0]) - index}{text[one.end() :]}" for one in figures[:1] + figures[-1:]}
    return {text} | counted


def _is_spoken(line: str) -> bool:
    """Return whether a line says something on each page: a question, an answer, a signature."""
    text = _PRINTED.sub("", line, count=1)
    return begins_turn(text) or is_signature(text)


def _cut_numbers(pages: Sequence[Sequence[_Row]]) -> None:
    """Cut the column of line numbers, and number the lines by it; a line without one belongs to the line above."""
    columns = [(rows, _hits(rows)) for rows in map(_kept, pages)]
    if not any(_is_column(rows, hits) for rows, hits in columns):
        return
    for rows, hits in columns:
        if _covers(rows, hits, 0.5):  # a short page has few numbers
            found = {hit.row: hit for hit in hits}
            number = None
            for row in rows:
                if row in found:
                    number = found[row].number
                    row.start += found[row].length
                    row.is_cut = row.start == row.end
                row.number = number


def _hits(rows: Sequence[_Row]) -> list[_Hit]:
    """Return the numbers at the starts of lines that rise as the lines do; a number alone is that of the next line."""
    hits: list[_Hit] = []
    at = 0
    for row in rows:
        printed = _PRINTED.match(row.text)
        if printed:
            _add_hit(hits, _Hit(at, int(printed[1]), row, printed.end()))
        at += printed is None or printed.end() < len(row.text)
    linked = {hit for pair in pairwise(hits) if _rise(*pair) for hit in pair}
    return [hit for hit in hits if hit in linked or len(hits) == 1]


def _add_hit(hits: list[_Hit], hit: _Hit) -> None:
    """Add a number that goes on, or starts again; an amount or a day between two lines is left out."""
    if not hits or _rise(hits[-1], hit):
        hits.append(hit)
    elif len(hits) > 1 and _rise(hits[-2], hit):
        hits[-1] = hit
    elif len(hits) == 1 or hit.number <= _RESTART:
        hits.append(hit)


def _rise(one: _Hit, other: _Hit) -> int:
    """Return by how much the numbers rise if they count the lines, else 0; for each line there, one may be lost."""
    rise = other.number - one.number
    return rise if 0 < rise <= 2 * (other.at - one.at) else 0


def _covers(rows: Sequence[_Row], hits: Sequence[_Hit], share: float) -> bool:
    """Return whether the numbers count this share of the lines."""
    counted = sum(min(_rise(one, other), other.at - one.at) or 1 for one, other in pairwise(hits)) + bool(hits)
    alone = sum(hit.length == len(hit.row.text) for hit in hits)
    return counted >= share * (len(rows) - alone)


def _is_column(rows: Sequence[_Row], hits: Sequence[_Hit]) -> bool:
    """Return whether a page has line numbers, whatever the other pages have."""
    amounts = sum(_UNIT.match(hit.row.text, hit.length) is not None for hit in hits)
    rises = Counter(_rise(one, other) for one, other in pairwise(hits))
    step = max(rises, key=lambda rise: rises[rise], default=1)
    fewest = _FEWEST if step < 2 else _FEWEST_STEPS
    if len(hits) < fewest or hits[0].number > _LARGEST_START or 5 * amounts >= len(hits):
        return False
    is_regular = step < 2 or all(hit.number % step == 0 for hit in hits)
    return is_regular and _covers(rows, hits, _COVERED)
