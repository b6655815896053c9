"""Markup removal: the plain text of an answer, which every legal judge reads.

Thinking blocks, Markdown, HTML, LaTeX, tables, list numbers, emoji, citation marks, control tokens and general
disclaimers are removed. Offsets are kept, so that a finding can be shown in the original.
"""

import html
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

from steelyard.lexicon import lexicon
from steelyard.text.marks import CANDIDATE, marks_of
from steelyard.text.normalisation import HAN, Edit, Folded

LONGEST_ANSWER: Final = 100_000
"""The longest answer in characters that is judged; `judge` gives a longer one a score of 0 with a reason."""

_WORDS: Final = lexicon("reading")
_THINKING_TAG: Final = re.compile(rf"<(/?)(?:{_WORDS.source('thinking')})>", re.IGNORECASE)
_END: Final = "<eoa>"
_SPOKEN: Final = re.compile(r"[^\W_]")
ADDRESS: Final = lexicon("values")["url"]
"""An address of the web, without the punctuation after it."""


@lru_cache(maxsize=1 << 12)
def plain_text(raw: str) -> str:
    """Return the text of an answer without markup, thinking, citation marks and disclaimers."""
    return plain_text_with_offsets(raw).text


def plain_text_with_offsets(raw: str) -> Folded:
    """Return the plain text, with the offsets of its characters in the original."""
    text = _without_blocks(Folded(raw, range(len(raw) + 1)).edited([(0, _thinking_end(raw), "")]))
    if heading := _WORDS["own_heading"].match(text.text):
        text = text.edited([(0, heading.end(), "")])
    for pattern, put in _PASSES:
        text = text.replaced(pattern, put)
    text = _flattened(text)
    for pattern, put in _LATE_PASSES:
        text = text.replaced(pattern, put)
    text = _without_list_numbers(text).replaced(_WORDS["glued"], lambda match: f"{match[0]} ")
    return _without_disclaimers(_without_notes(text))


def without_thinking(raw: str) -> str:
    """Return the text after the thinking block of a model; empty if the block is not closed."""
    return raw[_thinking_end(raw) :]


def marked_answer(output: str, question: str) -> str:
    """Return what stands between a mark such as [罪名] and <eoa>, where the question wants the answer there; else all.

    Without the mark the answer ends at <eoa>. Where the output repeats these words of the question they do not count.
    """
    place = lexicon("lawbench")["answer_place"]
    wanted = place.search(question)
    if wanted is None:
        return output
    text = place.sub("", output)
    _, _, after = text.partition(wanted["mark"])
    if _END in after:
        return after.partition(_END)[0]
    before = text.partition(_END)[0].rstrip()
    return before if before and not before.endswith((":", "：")) else text


def final_part(text: str) -> str:
    """Return the paragraph that a plain text announces as its final answer; empty if it announces none."""
    for mark in reversed(list(_WORDS["final"].finditer(text))):
        for part in text[mark.end() :].split("\n", 3)[:3]:
            if not is_silent(part) and not part.rstrip().endswith(("?", "？")):
                return part.strip()
    return ""


def is_silent(text: str) -> bool:
    """Return whether a text has no letter, digit or ideograph."""
    return _SPOKEN.search(text) is None


def _thinking_end(raw: str) -> int:
    """Return where the thoughts at the beginning end; without a closing tag all is thought."""
    tags = list(_THINKING_TAG.finditer(raw))
    if not tags or not (tags[0][1] or not raw[: tags[0].start()].strip()):
        return 0
    return next((tag.end() for tag in reversed(tags) if tag[1]), len(raw))


def _without_blocks(text: Folded) -> Folded:
    edits: list[Edit] = []
    start = -1
    for tag in _THINKING_TAG.finditer(text.text):
        if not tag[1]:
            start = tag.start() if start < 0 else start
        elif start >= 0:
            edits.append((start, tag.end(), " "))
            start = -1
    return text.edited(edits)


# ----- tables, lists, disclaimers

_TABLE_RULE: Final = re.compile(
    r"^[ \t]*(?:\|[ \t]*)?:?-{1,40}:?[ \t]*(?:\|[ \t]*:?-{1,40}:?[ \t]*){0,40}(?:\|[ \t]*)?$", re.MULTILINE
)
_BAR: Final = re.compile(r"(?<![ \t])[ \t]*\|[ \t]*")
_NUMERIC_CELL: Final = re.compile(r"[¥￥$€£]?[ \t]*[\d０-９][\d０-９,，. ]*")
_LIST_NUMBER: Final = re.compile(
    r"(?:^|(?<=\n)|(?<=[；;。] )|(?<=[；;。])|(?<=[^\d][：:]))[ \t]*(?:[(（]\d{1,2}[)）]|\d{1,2}(?:[.．](?!\d)"
    r"|[、)）]))[ \t]*(?=\S)"
)
_INLINE_NUMBER: Final = re.compile(
    r"(?:^|(?<=[\s:：。；;，,]))[(（]?(\d{1,2})[.．、)）](?:[ \t]{1,4}(?=\S)|(?=[^\d\s]))"
)
_SENTENCE: Final = re.compile(r"[^。！？!?；;\n.]*(?:\.(?=\S)[^。！？!?；;\n.]*)*(?:[。！？!?；;\n]|\.(?=\s|$)|$)")


def _flattened(text: Folded) -> Folded:
    """Turn rows of a Markdown table into lines "first cell: second, third"; numbers get the unit of the column head."""
    if "|" not in text.text or not _TABLE_RULE.search(text.text):
        return text
    edits: list[Edit] = []
    units: list[str] = []
    at, previous = 0, ""
    for line in text.text.split("\n"):
        if "|" in line and _TABLE_RULE.fullmatch(line):
            units = [_unit_of(cell) for _, cell, _ in _cells(previous)]
            edits.append((at, at + len(line), ""))
        elif "|" in line.strip()[1:-1] or line.lstrip().startswith("|"):
            edits += _row_edits(line, at, units)
        else:
            units = []
        at, previous = at + len(line) + 1, line
    return text.edited(edits)


def _cells(line: str) -> Iterator[tuple[int, str, int]]:
    """Yield the cells of a table row, each with the end of its text and the start of the next."""
    inner = line.strip(" \t|")
    start = line.find(inner)
    end = start + len(inner)
    for bar in _BAR.finditer(line, start, end) if inner else ():
        yield bar.start(), line[start : bar.start()], bar.end()
        start = bar.end()
    if inner:
        yield end, line[start:end], len(line)


def _row_edits(line: str, at: int, units: list[str]) -> Iterator[Edit]:
    cells = list(_cells(line))
    if cells:
        yield at, at + len(line) - len(line.lstrip(" \t|")), ""
    for column, (end, cell, following) in enumerate(cells):
        unit = units[column] if column < len(units) and _NUMERIC_CELL.fullmatch(cell) else ""
        yield at + end, at + following, unit + ("" if following == len(line) else ", " if column else ": ")


def _unit_of(head: str) -> str:
    unit = _WORDS["unit_in_head"].search(head)
    return "" if unit is None else f" {unit[2]} {unit[1]}" if unit[2] else unit[1]


def _without_list_numbers(text: Folded) -> Folded:
    """Return the text without the numbers of a list; a single number at the very beginning is a value."""
    inline = list(_INLINE_NUMBER.finditer(text.text))
    if len(inline) > 1 and [int(mark[1]) for mark in inline] == list(range(1, len(inline) + 1)):
        starts_line = [text.text[max(0, mark.start() - 1) : mark.start()] in ("", "\n") for mark in inline]
        text = text.edited(
            (*mark.span(), "" if starts else "\n") for mark, starts in zip(inline, starts_line, strict=True)
        )
    marks = list(_LIST_NUMBER.finditer(text.text))
    if len(marks) > 1 or (marks and text.text[: marks[0].start()].strip()):
        text = text.edited((*mark.span(), "") for mark in marks)
    return text


_NOTE: Final = rf"[ \t]*[（(]?(?:{_WORDS.source('note')})"
_FIRST_NOTE: Final = re.compile(rf"\s*{_NOTE}[。.!！][)）]?\s*", re.IGNORECASE)
_LAST_NOTE: Final = re.compile(rf"(?:(?<=\W)|(?=[（(])){_NOTE}[。.!！]?[)）]?\s*\Z", re.IGNORECASE)
_LONGEST_NOTE: Final = 200


def _without_notes(text: Folded) -> Folded:
    """Drop notes at the beginning and at the end of a text, unless it says nothing else.

    A note is a sentence about anything else, or about the limits of the material or the speaker.
    """
    start, end = 0, len(text.text)
    while note := _FIRST_NOTE.match(text.text, start, end):
        start = note.end()
    while note := _LAST_NOTE.search(text.text, max(start, end - _LONGEST_NOTE), end):
        end = note.start()
    if is_silent(text.text[start:end]):
        return text
    return text.edited([(0, start, ""), (end, len(text.text), "")])


def _without_disclaimers(text: Folded) -> Folded:
    """Drop general disclaimers, unless the text says nothing else; a sentence with a figure states something."""
    if not _WORDS["disclaimer"].search(text.text):
        return text
    sentences = [match for match in _SENTENCE.finditer(text.text) if match[0].strip()]
    general = [match for match in sentences if _WORDS["disclaimer"].search(match[0]) and not re.search(r"\d", match[0])]
    return text.edited((*match.span(), "\n") for match in general) if len(general) < len(sentences) else text


# ----- passes: a pattern, which ignores case and has lines, and what is put in place of a match

_MATH_WORDS: Final = {
    "times": "×", "cdot": "×", "div": "÷", "approx": "≈", "sim": "约", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥",
    "neq": "≠", "pm": "±", "quad": " ", "qquad": " ", "rightarrow": "→", "to": "→", "therefore": "因此",
}  # fmt: skip
_MATH_WORD: Final = "|".join(sorted(_MATH_WORDS, key=len, reverse=True))
_GUILLEMETS: Final = {"«": "“", "»": "”", "‹": "“", "›": "”"}
_UNIT: Final = "[元日号次人整月]"

_Put = str | Callable[[re.Match[str]], str]


def _first(match: re.Match[str]) -> str:
    return match[1]


def _unescaped(match: re.Match[str]) -> str:
    char = html.unescape(match[0])
    return char if len(char) == 1 else match[0]


def _of_math(match: re.Match[str]) -> str:
    """Return what a formula says; dollars around words are sums of money."""
    inner = match[1] or match[2]
    is_math = match[1] or re.search(r"[\\=+^{}]|^\s*[\d.,/\s%]+\s*$|^[A-Za-z]$", inner)
    return inner if is_math else match[0]


def _without_mark(match: re.Match[str]) -> str:
    is_mark = match["inner"] == "citation needed" or marks_of(match)
    return "" if is_mark else match[0]


def _compiled(*passes: tuple[str, _Put]) -> tuple[tuple[re.Pattern[str], _Put], ...]:
    return tuple((re.compile(pattern, re.IGNORECASE | re.MULTILINE), put) for pattern, put in passes)


_PASSES: Final = _compiled(
    (r"(?-i:\\n(?:\\n)*(?=[\sA-Z\d\u4e00-\u9fff]|\Z))", "\n"),  # a line break that is written out
    (r"<[<‹][^<>‹\n]{1,80}>>?", ""),  # marks of a calculator in school problems: <<5*10=50>>
    (r"<\|[^|<>\n]{1,40}\|>|</?s>|<(?:eoa|eos|bos|pad|unk|eot|sep)>?|\[/?INST\]", "\n"),  # control tokens
    (r"&(?:#\d{1,6}|#x[0-9a-f]{1,6}|[a-z]{2,10});", _unescaped),
    (r"(?:^[ \t]*(?:```|~~~)[^\n`]*|```[a-z]{1,12})$", ""),  # fences
    (r"<((?:https?://|mailto:)[^<>\s]{1,500})>", _first),
    (r"</?(?:br|p|div|li|ul|ol|tr|table|h[1-6]|blockquote|section|hr)\b[^<>\n]{0,200}/?>", "\n"),
    (r"</(?:td|th)>", " "),
    (r"</?[a-z][^<>\n]{0,200}>|<!--[^<>]{0,200}-->", ""),  # other tags
    (r"!\[[^\[\]\n]{0,200}\]\([^()\n]{0,500}\)", ""),  # images
    (rf"[ \t]?(?:{CANDIDATE.pattern})", _without_mark),
    # links; one whose text says nothing is its address
    (r"\[(?<!!.)([^\[\]\n]{0,200})\]\(([^()\n]{0,500})\)", lambda match: match[2 if is_silent(match[1]) else 1]),
    (r"\\[,;:! ]", " "),  # spaces of LaTeX
    (r"\\(?:text(?:bf|it|rm|sf)?|math(?:rm|bf|it|sf)|operatorname|mbox|underline)\s*\{([^{}\n]{0,300})\}", _first),
    (r"\${0,2}\s?\\(?:boxed|fbox)\s*\{((?:[^{}\n]|\{[^{}\n]{0,200}\}){0,400})\}\s?\${0,2}", _first),
    (r"\\d?frac\s*\{([^{}\n]{1,100})\}\s*\{([^{}\n]{1,100})\}", lambda match: f"{match[1]}/{match[2]}"),
    (rf"(?-i:\\({_MATH_WORD})(?![A-Za-z]))", lambda match: _MATH_WORDS[match[1]]),
    (r"\$\$([^$]{1,2000})\$\$|(?<![\\$A-Za-z0-9_])\$(?=[^\s$])((?:[^$\n\\]|\\.){1,500}?)(?<=\S)\$(?![\d$])", _of_math),
    (r"\\(?:[()\[\]]|(?=[%$#&_{}]))", ""),
    (r"\{(?<=\d.),\}(?=\d)", ","),
)
_LATE_PASSES: Final = _compiled(
    (r"^[ \t]*(?:[-*_=][ \t]*){3,}$", ""),  # rules
    (r"^[ \t]{0,6}#{1,6}[ \t]+", ""),  # headers
    (r"[ \t](?<![ \t].)[ \t]*#{1,6}[ \t]*$", ""),
    (r"^[ \t]*(?:[>•●▪◦·*+-][ \t]+|>+[ \t]*)+(?:\[[ x]\][ \t]+)?", ""),  # bullets
    (
        r"(?=[*_~`])(?:(?<!\d)\*{1,3}(?=\S)|(?<=[^\s\d])\*{1,3}|\*{2,3}(?!\d)|(?<![A-Za-z0-9_])_{1,3}(?=\S)"
        r"|(?<=\S)_{1,3}(?![A-Za-z0-9_０-９])|~~|`+)",
        "",
    ),  # emphasis
    ("[\u2600-\u27bf\u2b00-\u2bff\ufe0f\u20e3\U0001f000-\U0001faff]+", ""),  # emoji
    (r"‘(?<![A-Za-z0-9].)((?:[^‘’\n]|(?<=\w)’(?=(?-i:[a-z]))){1,300})’(?![A-Za-z0-9])", lambda match: f"“{match[1]}”"),
    (r"[’ʼ](?:(?<=\w.)(?=[a-z]|\s|\Z)|(?<=[a-z].))", "'"),
    ("[«»‹›]", lambda match: _GUILLEMETS[match[0]]),
    (r"(?<![ \t\r])[ \t\r]*\n[ \t\r\n]*", "\n"),
    (rf"\n(?:(?<=[\d年月]\n)(?=[\d年月日元])|(?<=[{HAN}]\n)(?=[月日]))", ""),  # a line break inside a value
    # a footnote digit glued to a word, a year or a sum: episodes1. · 20171. · 42000元1。
    (
        r"(?-i:[ \d](?:(?<=[a-z][a-z][a-z]\d)\d?(?=[.,;:)]?(?:\s|\Z))|(?<=\d, (?:19|20)\d\d\d)(?!\d)"
        rf"|(?:(?<=[元圆{HAN}]{_UNIT}\d)\d?|(?<=[元圆{HAN}]{_UNIT} )\d{{1,2}})(?=[。，,；;](?!\d)|\n?\Z)"
        r"|(?<=[\d,]\d{3}\.\d)(?=\s|\Z)))",
        "",
    ),
    (r"\s(?<!\s.)\s*(?:and\s+)?\d{2}/100(?=\s+dollars?\b)", ""),  # hundredths as on cheques
)
