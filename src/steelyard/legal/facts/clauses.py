"""Clauses of an answer, and the values that it asserts: not denied, corrected, doubted or offered as alternatives."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Final

from steelyard.legal.clauses import clause_of, outline, without_quotes
from steelyard.lexicon import lexicon
from steelyard.text.mentions import Mention, mentions

_SHARED: Final = lexicon("shared")
_DENIAL_MARK: Final = re.compile("[不非没未误NRInri\u0130\u0131]")  # what every denial before a value has
_DENIED: Final = re.compile(
    r"(?:(?<!仅)(?<!但)(?:并不是|不是|并非|绝非|而非|而不是|不为|不等于|不在)(?!仅|但|不)"
    r"|(?:没有|没|未|从未|并未|未曾|不曾)(?:收|给|支付|付|交|转|借|拿|说|签|去|花|欠)"
    r"|(?:系|属于?|是|为)?(?:笔误|误写|误记|错误)|\b(?:not(?! only)|never|nor|rather than|instead of)\b|n't\b)"
    r"(?:(?!而是|应为|\bbut\b).){0,24}$",
    re.IGNORECASE,
)
_DENIED_AFTER: Final = re.compile(
    r"[^,。;\n]{0,4}?(?:系|是|为|属)(?:笔误|误写|误记|错误|不实|虚假)|\s?\)?,? (?:is|was) (?:wrong|incorrect"
    r"|a (?:typo|mistake|clerical error))",
    re.IGNORECASE,
)
_CORRECTED: Final = re.compile(
    r"更正为|改判[为:]?|更正:|更正是|纠正为|纠正:|改为|改口(?:为|称|说)|应为|应当为|应当是|实际为|实际上?是|而是|准确(?:地说|的说法)?(?:应)?[是为]|"
    r"(?:酌情?|酌定|核减|调整|变更|修正|下调|上调|降低|减少|增加)(?:调整)?[为至到]|"
    r"\b(?:correct(?:ed|s)?|adjust(?:ed|s)|amend(?:ed|s)|reduced|revised|changed)(?: it| this| that)? to\b"
    r"|\bcorrection:|\bactually\b|\bbut rather\b",
    re.IGNORECASE,
)
_BOUND_WORDS: Final = 24  # characters beside a value that may be the words of a bound
_STANDARD: Final = re.compile(r"以(.{1,30}?)为准")
_SELF_DOUBT: Final = re.compile(
    r"^\s*(?:但|不过|然而|只是)?[^,。]{0,6}(?:我|本人|对此)?[^,。]{0,4}(?:不太?确定|无法确定|不能确定|不敢(?:确定|肯定)|不能保证)|"
    r"\b(?:I|we) (?:am|'m|are|'re) (?:not|un)[ -]?(?:sure|certain)|\bI cannot (?:be sure|confirm|guarantee)",
    re.IGNORECASE,
)
_TAKEN_BACK: Final = re.compile(
    r"也可能(?:不|没|未)|也许不是|或许不是|也未必|是不是就?不知道|可能是也可能不是"
    r"|\bor (?:maybe|perhaps|possibly|it may|it might)(?: be)? not\b|\bmay or may not\b|\bmaybe not\b",
    re.IGNORECASE,
)
_SEPARATORS: Final = "、,;，；/|\n"
_SEPARATED: Final = re.compile(f"[{_SEPARATORS}]+")
_PREDICATE: Final = re.compile(
    r"[是为了在的有被把向对将已曾说称应由因共计合其给收付退还签到]|[:：=]"
    r"|\b(?:is|was|were|are|has|have|had|be|did|does|paid|signed|the|that|which|who|because|so|total|and|of|for|by|in)\b",
    re.IGNORECASE,
)
_GROUP_COMMA: Final = re.compile(r",(?<=\d,)(?=\d{3})")
_FEWEST_OF_LIST: Final = 6
ALTERNATIVE: Final = re.compile(r"或者|或|抑或|还是|要么|\bor\b", re.IGNORECASE)
_SAME_AGAIN: Final = re.compile(r"^\s?(?:即|也就是|合|折合|相当于|i\.e\.|that is|equivalent to)", re.IGNORECASE)
_CONCLUSION: Final = re.compile(
    r"答案[是为:]|因此|所以|综上|故此|可见|由此|结论[是为:]|最终|\btherefore\b|\bthus\b|\bhence\b|"
    r"\bthe answer is\b|\bin conclusion\b|\bin summary\b|\bconsequently\b|\bso,|(?:^|[.\n] ?)so\b",
    re.IGNORECASE,
)
_TOTAL: Final = re.compile(
    r"合计|共计|总计|总额|总数|总共|总金额|总价值?|总值|总和|总的|总费用|总花费|总支出|总收入|一共|合起来|加起来|累计|共(?!同|犯|有人|享|和国|谋|产)|"
    r"\bin total\b|\ba total of\b|\btotall?ing\b|\btotal(?:ed|led|s)?\b|\baltogether\b|\bcombined\b|\bsum of\b",
    re.IGNORECASE,
)
_TOTAL_AFTER: Final = re.compile(r"[ \t]*(?:in total|altogether|in all|合计|总计|共计)", re.IGNORECASE)
CLAIMED: Final = re.compile(
    r"主张|诉称|诉请|要求|请求|自述|自称|声称|辩称|起诉书|索赔|报价|原定|原告称|被告称|\b(?:claim(?:ed|s|ing)?"
    r"|alleg\w+|sought|demand\w+|contend\w*|argu\w+|request\w*|asked for|assert\w*|pleaded)\b",
    re.IGNORECASE,
)
_FOUND: Final = re.compile(
    r"认定|查明|判决|判令|支持|确认|裁定|酌定|酌情|核定|判处|采信|法院认为|仲裁委|"
    r"\b(?:found|held|awarded|award|ordered|determined|ruled|concluded|allowed|assessed|confirmed)\b",
    re.IGNORECASE,
)


def without_stated_bounds(answer: str, source: str) -> str:
    """The answer without the words of a bound that the source has beside the same value: up to 10."""
    stated = [value for value in mentions(source) if value.loose == "bound" and value.value is not None]
    for value in reversed(mentions(answer)) if stated else ():
        same = [each for each in stated if value.loose == "bound" and each.value == value.value]
        if same:
            before, after = _shared_words(answer, value, source, same[0])
            answer = f"{answer[: value.start - before]} {answer[value.start : value.end]} {answer[value.end + after :]}"
    return answer


def _shared_words(answer: str, value: Mention, source: str, stated: Mention) -> tuple[int, int]:
    """How many characters beside a value, before and after it, are those of the source."""
    ahead = answer[max(0, value.start - _BOUND_WORDS) : value.start], source[: stated.start]
    behind = answer[value.end : value.end + _BOUND_WORDS], source[stated.end :]
    return _shared(*(reversed(text) for text in ahead)), _shared(*behind)


def _shared(one: Iterable[str], other: Iterable[str]) -> int:
    """How many characters two texts begin with in common, in any case."""
    return len(list(takewhile(lambda pair: pair[0].lower() == pair[1].lower(), zip(one, other, strict=False))))


def doubt(text: str) -> str:
    """The words outside quotations by which an answer expresses doubt, or ""."""
    match = _SHARED["doubt"].search(without_quotes(text))
    return match[0] if match else ""


def takes_itself_back(text: str) -> str:
    """The words by which an answer retracts itself, or "": "or maybe not"."""
    match = _TAKEN_BACK.search(without_quotes(text))
    return match[0] if match else ""


def is_bare_list(text: str) -> bool:
    """Whether a text only lists many values or names and states nothing about them."""
    separators = sum(map(text.count, _SEPARATORS))
    if separators < _FEWEST_OF_LIST - 1:
        return False
    plain = _GROUP_COMMA.sub("", text)
    pieces = others = 0
    for piece in _separated(plain):
        pieces += 1
        others += len(piece) > 40 or _PREDICATE.search(piece) is not None
        if others > (separators + 1) // 10:  # there are no more pieces than that
            return False
    return pieces >= _FEWEST_OF_LIST and others <= pieces // 10


def _separated(text: str) -> Iterator[str]:
    """The pieces of a text between separators, without empty ones."""
    start = 0
    for separator in _SEPARATED.finditer(text):
        if (piece := text[start : separator.start()]).strip():
            yield piece
        start = separator.end()
    if (piece := text[start:]).strip():
        yield piece


def doubt_about(text: str, values: Sequence[Mention]) -> str:
    """The words of doubt in the sentences of these values, or in the sentence after one."""
    sentences = outline(text).sentences
    for sentence in dict.fromkeys(sentences.at(value.start) for value in values):
        if word := doubt(sentence.text):
            return word
        if match := _SELF_DOUBT.search(sentences.after(sentence)):
            return match[0]
    return ""


def asserted_values(text: str, values: Sequence[Mention]) -> list[Mention]:
    """The values that the text asserts: not denied, not corrected, and not in brackets beside others."""
    standing = [value for value in values if not is_denied(text, value)]
    if len(standing) < 2:
        return standing
    standing = _after_correction(text, standing)
    structure = outline(text)
    outside = [value for value in standing if not structure.is_bracketed(value.start, value.end)]
    return outside or standing


def is_denied(text: str, value: Mention) -> bool:
    """Whether a negator of its clause governs the value."""
    return _is_denied_at(text, value.start, value.end)


@lru_cache(maxsize=1 << 10)
def _is_denied_at(text: str, start: int, end: int) -> bool:
    near = max(0, start - 40)
    if _DENIAL_MARK.search(text, near, start):
        before = text[max(clause_of(text, start).start, near) : start]
        if _DENIAL_MARK.search(before) and _DENIED.search(before):
            return True
    return _DENIED_AFTER.match(text, end) is not None


def are_alternatives(text: str, values: Sequence[Mention]) -> bool:
    """Whether the text offers different values to choose from."""
    starts, ends = [value.start for value in values], [value.end for value in values]
    for word in ALTERNATIVE.finditer(text):
        at = bisect_right(ends, word.start()) - 1
        before = values[at] if at >= 0 and word.start() - ends[at] <= 12 else None
        if before is None or _SAME_AGAIN.match(text[word.end() : word.end() + 20]):
            continue
        after_at = bisect_right(starts, word.end() - 1)
        after = values[after_at] if after_at < len(values) and starts[after_at] - word.end() <= 12 else None
        if after is not None and after.value != before.value:
            return True
        if after is None and re.match(r"\s{0,2}第?[\d一二两三四五六七八九十]", text[word.end() : word.end() + 6]):
            return True
    return False


def concluded(text: str, values: Sequence[Mention]) -> list[Mention]:
    """The values after the last word of conclusion that is followed by any."""
    marks = [mark.end() for mark in _CONCLUSION.finditer(text)]
    last = values[-1].start if values else -1
    reached = [mark for mark in marks if mark <= last]
    return [value for value in values if reached and value.start >= reached[-1]]


def totalled(text: str, values: Sequence[Mention]) -> list[Mention]:
    """The values that are announced as a total."""
    clauses = outline(text).clauses
    ends = [mention.end for mention in mentions(text)]
    totals = []
    for value in values:
        at = bisect_right(ends, value.start) - 1
        start = max(clauses.at(value.start).start, ends[at] if at >= 0 else 0, value.start - 60)
        if _TOTAL.search(text, start, value.start) or _TOTAL_AFTER.match(text, value.end):
            totals.append(value)
    return totals


def asks_for_total(question: str) -> bool:
    """Whether a question is about a total."""
    return _TOTAL.search(question) is not None


def found_by_court(text: str, values: Sequence[Mention]) -> list[Mention]:
    """The values without those that somebody only claims, if others were found, awarded or confirmed."""
    clauses = outline(text).clauses
    pieces = [clauses.at(value.start) for value in values]
    kinds = {clause: (CLAIMED.search(clause.text), _FOUND.search(clause.text)) for clause in set(pieces)}
    claimed = [kinds[clause][0] is not None and kinds[clause][1] is None for clause in pieces]
    is_found = any(is_finding for _, is_finding in kinds.values()) or _CORRECTED.search(text)
    if not any(claimed) or not is_found:
        return list(values)
    return [value for value, is_claim in zip(values, claimed, strict=True) if not is_claim] or list(values)


def _after_correction(text: str, values: Sequence[Mention]) -> list[Mention]:
    if "以" in text and (standard := _STANDARD.search(text)):
        inside = [value for value in values if standard.start() <= value.start < standard.end()]
        if inside:
            return inside
    marks = [mark.end() for mark in _CORRECTED.finditer(text)]
    after = [value for value in values if marks and value.start >= marks[-1]]
    return after or list(values)
