"""Which values of an answer it stands by: not those that it denies, corrects, doubts or offers as alternatives."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from steelyard.text.mentions import Mention, mentions

# a comma or a point inside a number does not end a clause
_END: Final = re.compile(r",(?!\d{3}(?!\d))|(?<!\d),|[。;!?！？；\n]|\.(?=\s|$)")
_QUOTED: Final = re.compile('“[^”]*”|「[^」]*」|『[^』]*』|"[^"]*"')
_BRACKETED: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|【[^】]*】|（[^）]*）")

_DENIED: Final = re.compile(
    r"(?:(?<!仅)(?<!但)(?:并不是|不是|并非|绝非|而非|而不是|不为|不等于|不在)(?!仅|但|不)"
    r"|(?:没有|没|未|从未|并未|未曾|不曾)(?:收|给|支付|付|交|转|借|拿|说|签|去|花|欠)"
    r"|\b(?:not|never|nor|rather than|instead of)\b|n't\b)(?:(?!而是|应为|\bbut\b).){0,24}$",
    re.IGNORECASE,
)
_CORRECTED: Final = re.compile(
    r"更正为|更正:|更正是|纠正为|纠正:|改为|改口(?:为|称|说)|应为|应当为|应当是|实际为|实际上?是|而是|准确(?:地说|的说法)?(?:应)?[是为]|"
    r"\bcorrected to\b|\bcorrection:|\bactually\b|\bbut rather\b",
    re.IGNORECASE,
)
_STANDARD: Final = re.compile(r"以(.{1,30}?)为准")
_DOUBTED: Final = re.compile(
    r"无法确定|不能确定|难以确定|不太?确定|不敢确定|不敢肯定|不能肯定|记不[清得]|不记得|(?<!不)(?<!尽)可能(?!性)|也许|或许|好像|似乎|猜|估计|恐怕|说不准|"
    r"不好说|应该(?:就?是|为|有|在|大?约)|\bnot (?:quite |entirely |completely )?(?:sure|certain)\b|"
    r"\bunsure\b|\buncertain\b|\bmaybe\b|\bperhaps\b|"
    r"\bpossibly\b|\bmight\b|\bmay (?:be|have)\b|\bi guess\b|\bi think\b|\bi believe\b|\bprobably\b|"
    r"\bcannot be (?:sure|certain|determined)\b",
    re.IGNORECASE,
)
ALTERNATIVE: Final = re.compile(r"或者|或|抑或|还是|要么|\bor\b", re.IGNORECASE)
_CONCLUSION: Final = re.compile(
    r"答案[是为:]|因此|所以|综上|故此|可见|由此|结论[是为:]|\btherefore\b|\bthus\b|\bhence\b|"
    r"\bthe answer is\b|\bin conclusion\b|\bso,",
    re.IGNORECASE,
)
_TOTAL: Final = re.compile(
    r"合计|共计|总计|总额|总数|总共|一共|合起来|加起来|累计|共(?!同|犯|有人|享)|\bin total\b|\ba total of\b|"
    r"\btotall?ing\b|\btotal(?:ed|led|s)?\b|\baltogether\b",
    re.IGNORECASE,
)

_TOTAL_AFTER: Final = re.compile(r"[ \t]*(?:in total|altogether|in all|合计|总计|共计)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a text between two stops."""

    start: int
    end: int
    text: str


@lru_cache(maxsize=1 << 10)
def clauses(text: str) -> list[Clause]:
    """The clauses of a normal text."""
    return _pieces(text)


def clause_of(text: str, place: int) -> Clause:
    """The clause in which a place lies."""
    return next((clause for clause in clauses(text) if clause.start <= place <= clause.end), Clause(0, len(text), text))


def without_quotes(text: str) -> str:
    """The text with all that it quotes blanked out."""
    return _QUOTED.sub(lambda quote: " " * len(quote[0]), text)


def doubt(text: str) -> str:
    """The word by which an answer disclaims itself, or nothing; what it quotes is not its own."""
    found = _DOUBTED.search(without_quotes(text))
    return found[0] if found else ""


def live(text: str, values: Sequence[Mention]) -> list[Mention]:
    """The values that the text stands by: not denied, not corrected, not a working in brackets beside a result."""
    standing = [value for value in values if not is_denied(text, value)]
    standing = _after_correction(text, standing)
    outside = [value for value in standing if not _is_bracketed(text, value)]
    return outside or standing


def is_denied(text: str, value: Mention) -> bool:
    """Whether a negator of its clause governs the value."""
    clause = clause_of(text, value.start)
    return _DENIED.search(text[clause.start : value.start]) is not None


def are_alternatives(text: str, values: Sequence[Mention]) -> bool:
    """Whether the text offers different values to choose from."""
    for word in ALTERNATIVE.finditer(text):
        before = [value for value in values if value.end <= word.start() and word.start() - value.end <= 12]
        after = [value for value in values if value.start >= word.end() and value.start - word.end() <= 12]
        if before and after and before[-1].value != after[0].value:
            return True
        if before and not after and re.match(r"\s*(?:第)?[\d一二两三四五六七八九十]", text[word.end() :]):
            return True
    return False


def concluded(text: str, values: Sequence[Mention]) -> list[Mention]:
    """The values after the last word of conclusion."""
    marks = [mark.end() for mark in _CONCLUSION.finditer(text)]
    return [value for value in values if marks and value.start >= marks[-1]]


def equated(text: str, values: Sequence[Mention]) -> list[Mention]:
    """The value on the right of the last equation."""
    at = max(text.rfind("="), text.rfind("等于"))
    after = [value for value in values if at >= 0 and value.start > at]
    return after[:1]


def totalled(text: str, values: Sequence[Mention]) -> list[Mention]:
    """The values that are announced as a total."""
    found = []
    for value in values:
        clause = clause_of(text, value.start)
        words = list(_TOTAL.finditer(text, clause.start, value.start))
        before = words and not any(words[-1].end() <= other.start < value.start for other in values)
        if before or _TOTAL_AFTER.match(text, value.end):
            found.append(value)
    return found


def asks_for_total(question: str) -> bool:
    """Whether a question is about a total."""
    return _TOTAL.search(question) is not None


def _after_correction(text: str, values: Sequence[Mention]) -> list[Mention]:
    if standard := _STANDARD.search(text):
        inside = [value for value in values if standard.start() <= value.start < standard.end()]
        if inside:
            return inside
    marks = [mark.end() for mark in _CORRECTED.finditer(text)]
    after = [value for value in values if marks and value.start >= marks[-1]]
    return after or list(values)


def _is_bracketed(text: str, value: Mention) -> bool:
    return any(bracket.start() < value.start and value.end < bracket.end() for bracket in _BRACKETED.finditer(text))


def _pieces(text: str) -> list[Clause]:
    """The text between stops; a comma inside a date or a number is none."""
    inside = [(value.start, value.end) for value in mentions(text) if value.end - value.start > 3]
    found = []
    start = 0
    for stop in _END.finditer(text):
        if any(first < stop.start() < last for first, last in inside):
            continue
        if stop.start() > start:
            found.append(Clause(start, stop.start(), text[start : stop.start()]))
        start = stop.end()
    if start < len(text):
        found.append(Clause(start, len(text), text[start:]))
    return found
