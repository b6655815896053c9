"""Markup removal: the plain text of an answer, which every legal judge reads.

Thinking blocks, Markdown, HTML, LaTeX, tables, list numbers, emoji, citation marks, control tokens and general
disclaimers are removed. Offsets are kept, so that a finding can be shown in the original.
"""

import html
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final

from steelyard.text.normalisation import Folded
from steelyard.text.scripts import HAN

LONGEST_ANSWER: Final = 100_000
"""The longest answer in characters that is judged; `judge` gives a longer one a score of 0 with a reason."""

Replacement = str | Callable[[re.Match[str]], str]
_Pass = tuple[re.Pattern[str], Replacement]
"""A pattern, and what is put in place of a match."""

# an answer without any of these characters has no markup
_MARKUP: Final = "<>*_#`|\\$[]【†&~\n\r•·●▪◦‘’ʼ«‹"
_SYMBOLS: Final = "\u2600-\u27bf\u2b00-\u2bff\ufe0f\U0001f000-\U0001faff"
_SUSPECT: Final = re.compile(f"[{re.escape(_MARKUP)}{_SYMBOLS}]")
_OPENS_LIST: Final = re.compile(r"\s*[-+]")

_THINKING_TAG: Final = r"(?:think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis)"
_THINKING: Final = re.compile(rf"<{_THINKING_TAG}>.*?</{_THINKING_TAG}>", re.DOTALL | re.IGNORECASE)
_THINKING_END: Final = re.compile(rf"</{_THINKING_TAG}>", re.IGNORECASE)
_THINKING_START: Final = re.compile(rf"<{_THINKING_TAG}>", re.IGNORECASE)

_CONTROL_TOKEN: Final = re.compile(
    r"<\|[^|<>\n]{1,40}\|>|</?s>|<(?:eoa|eos|bos|pad|unk|eot|sep)>?|\[/?INST\]", re.IGNORECASE
)
_BREAKING_TAG: Final = re.compile(
    r"</?(?:br|p|div|li|ul|ol|tr|table|h[1-6]|blockquote|section|hr)\b[^<>\n]{0,200}/?>", re.IGNORECASE
)
_CELL_TAG: Final = re.compile(r"</(?:td|th)>", re.IGNORECASE)
_TAG: Final = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>|<!--[^<>]{0,200}-->")
_ENTITY: Final = re.compile(r"&(?:#\d{1,6}|#x[0-9a-fA-F]{1,6}|[A-Za-z]{2,10});")

_FENCE_LINE: Final = re.compile(r"^[ \t]*(?:```|~~~)[^\n`]*$", re.MULTILINE)
_RULE_LINE: Final = re.compile(r"^[ \t]*(?:[-*_=][ \t]*){3,}$", re.MULTILINE)
_HEADER: Final = re.compile(r"^[ \t]{0,6}#{1,6}[ \t]+|[ \t]+#{1,6}[ \t]*$", re.MULTILINE)
_BULLET: Final = re.compile(r"^[ \t]*(?:[>•●▪◦·*+-][ \t]+|>+[ \t]*)+(?:\[[ xX]\][ \t]+)?", re.MULTILINE)
_EMPHASIS: Final = re.compile(
    r"(?=[*_~`])(?:(?<!\d)\*{1,3}(?=\S)|(?<=[^\s\d])\*{1,3}|\*{2,3}(?!\d)|(?<![A-Za-z0-9_])_{1,3}(?=\S)"
    r"|(?<=\S)_{1,3}(?![A-Za-z0-9_０-９])|~~|`+)"
)
_CALCULATOR: Final = re.compile(r"<[<‹][^<>‹\n]{1,80}>>?")  # marks of a calculator in school problems: <<5*10=50>>
_WRITTEN_BREAK: Final = re.compile(r"(?:\\n)+(?=[\sA-Z\d\u4e00-\u9fff]|$)")
_HUNDREDTHS: Final = re.compile(r"(?:\s+and)?\s+\d{2}/100(?=\s+dollars?\b)", re.IGNORECASE)  # as on cheques
_IMAGE: Final = re.compile(r"!\[[^\[\]\n]{0,200}\]\([^()\n]{0,500}\)")
_LINK: Final = re.compile(r"(?<!!)\[([^\[\]\n]{1,200})\]\([^()\n]{0,500}\)")
ADDRESS: Final = re.compile(r"https?://[^\s<>()\[\]`\"“”\u3000-\u9fff\uff00-\uffef]*[^\W_](?:[/=])?", re.IGNORECASE)
"""An address of the web, without the punctuation after it."""

_MATH: Final = re.compile(
    r"\$\$([^$]{1,2000})\$\$|(?<![\\$\w])\$(?=[^\s$])((?:[^$\n\\]|\\.){1,500}?)(?<=\S)\$(?![\d$])"
)
_MATH_SIGNS: Final = re.compile(r"[\\=+^{}]|^\s*[\d.,\s%]+\s*$|^[A-Za-z]$")
_BOXED: Final = re.compile(r"\${0,2}\s?\\(?:boxed|fbox)\s*\{((?:[^{}\n]|\{[^{}\n]{0,200}\}){0,400})\}\s?\${0,2}")
_FRACTION: Final = re.compile(r"\\d?frac\s*\{([^{}\n]{1,100})\}\s*\{([^{}\n]{1,100})\}")
_STYLED: Final = re.compile(
    r"\\(?:text(?:bf|it|rm|sf)?|math(?:rm|bf|it|sf)|operatorname|mbox|underline)\s*\{([^{}\n]{0,300})\}"
)
_MATH_WORDS: Final = {
    "times": "×", "cdot": "×", "div": "÷", "approx": "≈", "sim": "约", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥",
    "neq": "≠", "pm": "±", "quad": " ", "qquad": " ", "rightarrow": "→", "to": "→", "therefore": "因此",
}  # fmt: skip
_MATH_WORD: Final = re.compile(rf"\\({'|'.join(sorted(_MATH_WORDS, key=len, reverse=True))})(?![A-Za-z])")
_MATH_MARK: Final = re.compile(r"\\[()\[\]]|\\(?=[%$#&_{}])|(?<=\d)\{,\}(?=\d)")
_THIN_SPACE: Final = re.compile(r"(?<=\d)\\[,;: ](?=\d)")
_MATH_SPACE: Final = re.compile(r"\\[,;:! ]")

_TABLE_RULE: Final = re.compile(
    r"^[ \t]*\|?[ \t]*:?-{1,40}:?[ \t]*(?:\|[ \t]*:?-{1,40}:?[ \t]*){0,40}\|?[ \t]*$", re.MULTILINE
)
_UNIT_IN_HEAD: Final = re.compile(
    r"[(（/／\[][ \t]*(?:单位[:：])?[ \t]*(人民币)?(元|万元|亿元|千元|美元|港元|欧元|英镑|日元|USD|EUR|GBP|RMB|CNY"
    r"|HKD|次|人|个|份|天|个月|[$€£¥￥])(?:[ \t](thousand|million|billion)s?)?[ \t]*[)）\]]?[ \t]*$",
    re.IGNORECASE,
)
_NUMERIC_CELL: Final = re.compile(r"[¥￥$€£]?[ \t]*[\d０-９][\d０-９,，. ]*")

_EMOJI: Final = re.compile("[\u2600-\u27bf\u2b00-\u2bff\ufe0f\u20e3\U0001f000-\U0001faff]+")
_CITATION: Final = re.compile(
    r"[ \t]?(?:\[\^?\d{1,3}(?:[ \t]?[,，、;\-–][ \t]?\^?\d{1,3}){0,8}\](?![\d(])|【\d{1,3}(?:[†:：][^【】\n]{0,40})?】"
    r"|\[(?:citation|doc|source|ref|passage|document|文档|来源|引用|资料)s?[ :_-]?\d{1,3}\]|\[citation needed\])",
    re.IGNORECASE,
)
# a footnote digit glued to a word, a year or a sum: episodes1. · 20171. · 42000元1。
_FOOTNOTE: Final = re.compile(
    rf"[ \d](?:(?<=[a-z][a-z][a-z]\d)\d?(?=[.,;:)]?(?:\s|$))|(?<=\d, (?:19|20)\d\d\d)(?!\d)"
    rf"|(?:(?<=[元圆{HAN}][元日号次人整月]\d)\d?|(?<=[元圆{HAN}][元日号次人整月] )\d{{1,2}})(?=[。，,；;](?!\d)|$)"
    r"|(?<=[\d,]\d{3}\.\d)(?=\s|$))"
)
# a blank that the extraction of a web page lost: a total of27 · composed byAndrew Lloyd Webber
_GLUED: Final = re.compile(r"\b(of|is|to|by|in|are|was|has|had|and)(?=\d{1,6}\b|[A-Z][a-z]{2,} ?[A-Z])")

_APOSTROPHE: Final = re.compile(r"(?<=\w)[’ʼ](?=[A-Za-z]|\s|$)|(?<=[A-Za-z])[’ʼ]")
_SINGLE_QUOTED: Final = re.compile(r"(?<![A-Za-z0-9])‘((?:[^‘’\n]|(?<=\w)’(?=[a-z])){1,300})’(?![A-Za-z0-9])")
_GUILLEMETS: Final = {"«": "“", "»": "”", "‹": "“", "›": "”"}

_LIST_NUMBER: Final = re.compile(
    r"(?:^|(?<=\n)|(?<=[；;。] )|(?<=[；;。])|(?<=[^\d][：:]))[ \t]*(?:[(（]\d{1,2}[)）]|\d{1,2}(?:[.．](?!\d)"
    r"|[、)）]))[ \t]*(?=\S)"
)

_INLINE_NUMBER: Final = re.compile(
    r"(?:^|(?<=[\s:：。；;，,]))[(（]?(\d{1,2})[.．、)）](?:[ \t]{1,4}(?=\S)|(?=[^\d\s]))"
)
_LINE_BREAK: Final = re.compile(r"[ \t\r]*\n[ \t\r\n]*")
_INSIDE_VALUE: Final = re.compile(rf"\n(?:(?<=[\d年月]\n)(?=[\d年月日元])|(?<=[{HAN}]\n)(?=[月日]))")

_OWN_HEADING: Final = re.compile(
    r"\A[\s#*_]{0,8}(?:回答|答复|答案|Answer|Response)[\s*_:：]{0,6}\n\s{0,4}", re.IGNORECASE
)
_DISCLAIMER: Final = re.compile(
    r"由\s?(?:AI|人工智能|大模型|模型).{0,8}生成|(?:仅供|供您?)参考|不(?:构成|作为|能作为|能代替|能替代).{0,16}(?:意见|建议|依据|咨询)|可能(?:存在|有|会有|包含).{0,8}(?:错误|误差|偏差|不准确|疏漏|不完整|出入)"
    r"|(?:如有|若有)(?:任何)?(?:错误|疑问|其他问题|不准确|进一步)|(?:请|应)以.{0,16}(?:原件|原文|原始|官方|正式).{0,8}为准|(?:希望|但愿).{0,12}(?:帮助|有用)"
    r"|\b(?:may|might|can|could) (?:contain|include|have|make) (?:some |minor |occasional )?(?:errors?|inaccurac\w+"
    r"|mistakes?|omissions?)\b|\b(?:not|no|n't) (?:constitute |be |provide |offer |intended as |a substitute for "
    r"|meant as )*(?:professional |formal )?legal advice\b"
    r"|\bnot a (?:substitute|lawyer)\b|\bcannot (?:provide|give|offer) (?:legal|medical|financial) advice\b"
    r"|\bfor (?:general )?(?:informational|information|reference"
    r"|educational) (?:purposes? )?only\b|\b(?:generated|produced) by (?:an? )?(?:AI|language model)"
    r"|\b(?:let me know|feel free to|hope this helps|please verify|please double[- ]check)\b",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"[^。！？!?；;\n.]*(?:\.(?=\S)[^。！？!?；;\n.]*)*(?:[。！？!?；;\n]|\.(?=\s|$)|$)")

FINAL: Final = re.compile(
    r"(?:最终|最后|正确|标准|参考|本题|我的|【|\[|^|\n)[ \t]*(?:的)?(?:答案|结论|回答|答复|金额)(?:[】\]]|是|为"
    r"|如下)?[ \t]*[:：】\]][ \t]*|最终(?:答案|结论|结果|金额)(?:是|为)[:：]?|(?:答案|结论)[是为][:：]?"
    r"|(?:^|\n|[.] )[ \t]*(?:(?:the )?(?:final|short|correct|direct) )?(?:answer|conclusion)(?: is)?[ \t]*:[ \t]*"
    r"|\b(?:the )?(?:final|correct) answer is:?[ \t]*|\banswer \([^()\n]{1,40}\) is:?[ \t]*|\bthe answer is:?[ \t]*"
    r"|(?:^|(?<=\n))(?-i:A)[:：][ \t]*"
    r"|####[ \t]*",
    re.IGNORECASE,
)


class _Draft:
    """A text under edit, with the offset of each character in the original if `tracked`."""

    def __init__(self, text: str, *, tracked: bool) -> None:
        self.text = text
        self.offsets = list(range(len(text) + 1)) if tracked else None

    def replace(self, pattern: re.Pattern[str], replacement: Replacement) -> None:
        """Replace each match; the offset of the new characters is the start of the match."""
        if self.offsets is None:
            self.text = pattern.sub(replacement if callable(replacement) else lambda _: replacement, self.text)
            return
        edits = [
            (m.start(), m.end(), replacement if isinstance(replacement, str) else replacement(m))
            for m in pattern.finditer(self.text)
        ]
        self.edit(edits)

    def pass_through(self, passes: "Iterable[_Pass]") -> None:
        """Replace the matches of each pattern."""
        for pattern, replacement in passes:
            self.replace(pattern, replacement)

    def edit(self, edits: list[tuple[int, int, str]]) -> None:
        """Apply these edits, which are in order and do not overlap."""
        if not edits:
            return
        pieces: list[str] = []
        offsets: list[int] = []
        position = 0
        for start, end, put in edits:
            pieces += (self.text[position:start], put)
            if self.offsets is not None:
                offsets += self.offsets[position:start]
                kept = put if put and put == self.text[start : start + len(put)] else ""
                offsets += (
                    self.offsets[start : start + len(put)]
                    if kept
                    else _placed(self.text, self.offsets, start, end, put)
                )
            position = end
        pieces.append(self.text[position:])
        if self.offsets is not None:
            self.offsets = [*offsets, *self.offsets[position:]]
        self.text = "".join(pieces)


def _placed(text: str, offsets: list[int], start: int, end: int, put: str) -> list[int]:
    """The offsets of a replacement: those of the part of the match that it keeps, else the start of the match."""
    inside = text.find(put, start, end) if put else -1
    return offsets[inside : inside + len(put)] if inside >= 0 else [offsets[start]] * len(put)


@lru_cache(maxsize=1 << 12)
def plain_text(raw: str) -> str:
    """The text of an answer without markup, thinking, citation marks and disclaimers."""
    return _read(raw, tracked=False).text


def plain_text_with_offsets(raw: str) -> Folded:
    """The plain text, with the offsets of its characters in the original."""
    draft = _read(raw, tracked=True)
    return Folded(draft.text, tuple(draft.offsets or ()))


def without_thinking(raw: str) -> str:
    """The text after the thinking block of a model; empty if the block is not closed."""
    return raw[_thinking_end(raw) :] if "<" in raw else raw


def final_part(text: str) -> str:
    """The paragraph that a plain text announces as its final answer; empty if it announces none."""
    for mark in reversed(list(FINAL.finditer(text))):
        for part in text[mark.end() :].split("\n", 3)[:3]:
            if is_silent(part) or part.rstrip().endswith(("?", "？")):
                continue
            return part.strip()
    return ""


def is_silent(text: str) -> bool:
    """Whether a text has no letter, digit or ideograph."""
    for char in text:  # noqa: SIM110 - a generator is slower, and most texts begin with a letter
        if char.isalnum():
            return False
    return True


def _read(raw: str, *, tracked: bool) -> _Draft:
    draft = _Draft(raw, tracked=tracked)
    if "<" in raw:
        _drop_thinking(draft)
    if "\n" in raw and (heading := _OWN_HEADING.match(draft.text)):
        draft.edit([(0, heading.end(), "")])
    if _may_have_markup(draft.text):
        draft.pass_through(_PASSES)
        _flatten_tables(draft)
        draft.pass_through(_LATE_PASSES)
    draft.pass_through(_LAST_PASSES)
    _drop_list_numbers(draft)
    draft.replace(_GLUED, lambda match: match[0] + " ")
    _drop_disclaimers(draft)
    return _address_in(raw, tracked=tracked) or draft if is_silent(draft.text) else draft


def _address_in(raw: str, *, tracked: bool) -> _Draft | None:
    """The address in an answer that says nothing else."""
    address = ADDRESS.search(raw, _thinking_end(raw))
    if address is None:
        return None
    draft = _Draft(raw, tracked=tracked)
    draft.edit([(0, address.start(), ""), (address.end(), len(raw), "")])
    return draft


def _may_have_markup(text: str) -> bool:
    """Whether a text has a character of markup, or begins as a list; one with neither is left as it is."""
    return bool(_SUSPECT.search(text) or _OPENS_LIST.match(text))


def _thinking_end(raw: str) -> int:
    ends = [end.end() for end in _THINKING_END.finditer(raw)]
    start = _THINKING_START.match(raw.lstrip())
    if ends and (start or not _THINKING_START.search(raw[: ends[0]])):
        return ends[-1]
    return len(raw) if start and not ends else 0


def _drop_thinking(draft: _Draft) -> None:
    end = _thinking_end(draft.text)
    if end:
        draft.edit([(0, end, "")])
    draft.replace(_THINKING, " ")


def _of_math(match: re.Match[str]) -> str:
    inner = match[1] or match[2]
    return inner if match[1] or _MATH_SIGNS.search(inner) else match[0]


def _unescaped(match: re.Match[str]) -> str:
    char = html.unescape(match[0])
    return char if len(char) == 1 else match[0]


def _flatten_tables(draft: _Draft) -> None:
    """Turn rows of a Markdown table into lines "first cell: second, third"; numbers get the unit of the column head."""
    if "|" not in draft.text or not _TABLE_RULE.search(draft.text):
        return
    edits: list[tuple[int, int, str]] = []
    units: dict[int, str] = {}
    position, previous = 0, (0, 0)
    for line in draft.text.split("\n"):
        start, end = position, position + len(line)
        position = end + 1
        if "|" in line and _TABLE_RULE.fullmatch(line):
            units = dict(_head_units(draft.text[slice(*previous)]))
            edits.append((start, end, ""))
        elif line.count("|") >= 1 and ("|" in line.strip()[1:-1] or line.strip().startswith("|")):
            edits += _cell_edits(line, start, units)
        else:
            units = {}
        previous = (start, end)
    draft.edit(edits)


def _cells(line: str) -> Iterator[tuple[int, int]]:
    """The spans of the cells of a table row."""
    start = len(line) - len(line.lstrip(" \t|"))
    end = len(line.rstrip(" \t|"))
    position = start
    while position <= end:
        stop = line.find("|", position, end)
        stop = end if stop < 0 else stop
        yield position, stop
        position = stop + 1


def _head_units(line: str) -> Iterator[tuple[int, str]]:
    for column, (start, end) in enumerate(_cells(line)):
        if unit := _UNIT_IN_HEAD.search(line[start:end]):
            yield column, f" {unit[3]} {unit[2]}" if unit[3] else unit[2]


def _cell_edits(line: str, offset: int, units: dict[int, str]) -> Iterator[tuple[int, int, str]]:
    cells = list(_cells(line))
    if not cells:
        return
    yield offset, offset + cells[0][0], ""
    for column, (start, end) in enumerate(cells):
        cell = line[start:end]
        figure = _NUMERIC_CELL.fullmatch(cell.strip())
        unit = units.get(column, "") if figure else ""
        last = column == len(cells) - 1
        tail = offset + end
        separator = "" if last else (": " if column == 0 else ", ")
        following = 0 if last else 1 + _blanks(line, end + 1)
        yield tail - (len(cell) - len(cell.rstrip())), tail + following, unit + separator
    if cells[-1][1] < len(line):
        yield offset + cells[-1][1], offset + len(line), ""


def _blanks(line: str, start: int) -> int:
    return len(line) - start - len(line[start:].lstrip(" \t"))


def _drop_list_numbers(draft: _Draft) -> None:
    """Remove the numbers of a list; a single number at the very beginning is a value."""
    inline = list(_INLINE_NUMBER.finditer(draft.text))
    numbers = [int(mark[1]) for mark in inline]
    if len(numbers) > 1 and numbers == list(range(1, len(numbers) + 1)):
        draft.edit(
            [
                (
                    mark.start(),
                    mark.end(),
                    "\n" if draft.text[max(0, mark.start() - 1) : mark.start()] not in ("", "\n") else "",
                )
                for mark in inline
            ]
        )
    marks = list(_LIST_NUMBER.finditer(draft.text))
    if len(marks) > 1 or (marks and draft.text[: marks[0].start()].strip()):
        draft.edit([(mark.start(), mark.end(), "") for mark in marks])


def _drop_disclaimers(draft: _Draft) -> None:
    """Remove general disclaimers, unless the answer says nothing else."""
    if not _DISCLAIMER.search(draft.text):
        return
    sentences = [match for match in _SENTENCE.finditer(draft.text) if match[0].strip()]
    general = [match for match in sentences if _DISCLAIMER.search(match[0])]
    if len(general) < len(sentences):
        draft.edit([(match.start(), match.end(), "\n") for match in general])


_PASSES: Final[tuple[_Pass, ...]] = (
    (_WRITTEN_BREAK, "\n"),
    (_CALCULATOR, ""),
    (_CONTROL_TOKEN, "\n"),
    (_ENTITY, _unescaped),
    (_FENCE_LINE, ""),
    (_BREAKING_TAG, "\n"),
    (_CELL_TAG, " "),
    (_TAG, ""),
    (_IMAGE, ""),
    (_CITATION, ""),
    (_LINK, lambda match: match[1]),
    (ADDRESS, " "),
    (_THIN_SPACE, " "),
    (_MATH_SPACE, " "),
    (_STYLED, lambda match: match[1]),
    (_BOXED, lambda match: match[1]),
    (_FRACTION, lambda match: f"{match[1]}/{match[2]}"),
    (_MATH_WORD, lambda match: _MATH_WORDS[match[1]]),
    (_MATH, _of_math),
    (_MATH_MARK, lambda match: "," if match[0] == "{,}" else ""),
)
_LATE_PASSES: Final[tuple[_Pass, ...]] = (
    (_RULE_LINE, ""),
    (_HEADER, ""),
    (_BULLET, ""),
    (_EMPHASIS, ""),
    (_EMOJI, ""),
    (_SINGLE_QUOTED, lambda match: f"“{match[1]}”"),
    (_APOSTROPHE, "'"),
    (re.compile("[«»‹›]"), lambda match: _GUILLEMETS[match[0]]),
    (_LINE_BREAK, "\n"),
    (_INSIDE_VALUE, ""),
)
_LAST_PASSES: Final[tuple[_Pass, ...]] = ((_FOOTNOTE, ""), (_HUNDREDTHS, ""))
