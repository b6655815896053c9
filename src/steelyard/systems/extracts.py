"""The words of a passage that answer a question: one clause, or what it says about not knowing."""

import re
from collections.abc import Callable
from typing import Final

LONGEST_SNIPPET: Final = 299
"""Characters of a citation."""

_SPEAKER: Final = re.compile(r"\A\W*(?:[问問答]\s*[:：]|[QA]\s*[.:：](?=\s|\Z))\s*")
# Chinese is cut at commas, English at the ends of sentences: commas there part dates and enumerations
_CLAUSE: Final = re.compile(r"(?:[^，。；！？;!?.\n]|(?<=Mr|Ms|Dr|St|No)\.|(?<=Mrs)\.|\.(?=\S))+[，。；！？;!?.\n]*")
_SHORTEST: Final = 6  # characters; a clause below that takes the next one along: 承认，钱是我收的
_OPEN_END: Final = "，、；,; \n"

_LISTING: Final = re.compile(
    r"(?:有|还有)?哪些(?:证据|内容|陈述|说法|事实|情况|条款|地方)*|(?:能够|可以|能)?(?:表明|说明|证明|显示|涉及|体现)(?:了)?|关于"
    r"|\b(?:what|which|list|find|all|the)\b(?= (?:of|all|the|evidence|statements?|passages?|clauses?|parts?))"
    r"|\b(?:evidence|statements?|passages?|clauses?|shows?|proves?|supports?|concerns?|about|that)\b",
    re.IGNORECASE,
)
_ASKS_FOR_ALL: Final = re.compile(
    r"有哪些|哪些(?:证据|内容|陈述|说法|事实|条款)|\b(?:evidence|statements|passages|clauses)\b", re.IGNORECASE
)
_POLAR: Final = re.compile(
    r"是否|有没有|有无|是不是|能否|可否|吗|\A\W*(?:did|do|does|is|are|was|were|has|have|had|can)\b", re.IGNORECASE
)
_UNKNOWN: Final = re.compile(
    "忘记|忘了|记不|不记得|想不起|不知道|不清楚|不了解|不详|说不上|说不清|没有印象"
    r"|\b(?:forg[eo]t\w*|(?:do|did|can|could)(?:n['’]t|not| not) (?:know|remember|recall|say)|not (?:sure|certain)"
    r"|no (?:idea|recollection|memory))\b",
    re.IGNORECASE,
)
_ABOUT_KNOWING: Final = re.compile(r"知道|知情|清楚|记得|\b(?:know|remember|recall)\b", re.IGNORECASE)
_FIGURE: Final = "[0-9０-９一二三四五六七八九十百千万亿两]"
_COUNTED: Final = "[次回个名人份台辆笔张]"
# what is asked for, and how an answer to that looks
_KINDS: Final = tuple(
    (re.compile(question, re.IGNORECASE), re.compile(answer, re.IGNORECASE))
    for question, answer in (
        (
            r"多少(?:钱|元|.{0,4}[款费金])|金额|数额|how much|how many dollars|amount|price",
            rf"{_FIGURE}\s*(?:余|多)?[元块]|[$¥￥£]\s*\d|\d dollars",
        ),
        (r"一共|总共|共计|合计|总计|in total|altogether", "一共|总共|共计|合计|总计|合起来|加起来|in total|altogether"),
        (r"什么时候|何时|哪一?[天年月日]|日期|when|date|which day", rf"{_FIGURE}\s*[年月日号]|\b(?:19|20)\d\d\b"),
        (r"电话|手机号|号码|编号|[账尾]号|phone|number", r"[0-9A-Z-]{4,}"),
        (
            rf"(?:几|多少){_COUNTED}|how many|how often",
            rf"{_FIGURE}\s*{_COUNTED}|\b(?:\d+|one|two|three|four|five|six|once|twice)\b",
        ),
        (r"哪里|何处|什么地方|哪个地方|地址|where", r"[省市县区镇村路街巷室馆店家]|\b(?:at|in|on) (?:the )?[A-Z]"),
    )
)


def asks_for_all(question: str) -> bool:
    """Whether a question wants every passage rather than one answer."""
    return _ASKS_FOR_ALL.search(question) is not None


def subject(question: str) -> str:
    """What a question that wants every passage is about: 有哪些证据表明他退款 is about 他退款."""
    return _LISTING.sub(" ", question)


def clauses(text: str) -> list[str]:
    """The clauses of what somebody said, without the mark of who says it; a short one with the one that follows."""
    found: list[str] = []
    for clause in _CLAUSE.findall(_SPEAKER.sub("", text)):
        if found and len(found[-1]) < _SHORTEST and found[-1].endswith("，"):
            found[-1] += clause
        else:
            found.append(clause)
    return [clause.strip(_OPEN_END) for clause in found if clause.strip(_OPEN_END)]


def best_clause(question: str, text: str, overlap: Callable[[str, str], float]) -> str:
    """The clause that answers: where somebody speaks, the first for a question of yes or no; else the most fitting."""
    found = clauses(text) or [text]
    if _POLAR.search(question) and _SPEAKER.match(text):
        return found[0]
    return max(found, key=lambda clause: _fit(question, clause) + overlap(question, clause))


def can_answer(question: str, clause: str) -> bool:
    """Whether a clause holds what is asked for, as far as the question tells: an amount, a date, a number."""
    return _fit(question, clause) > 0 or not any(asked.search(question) for asked, _ in _KINDS)


def is_unknown(question: str, clause: str) -> bool:
    """Whether somebody says that they do not know, and was not asked just that."""
    return _UNKNOWN.search(clause) is not None and not _ABOUT_KNOWING.search(question)


def snippet(text: str, clause: str) -> str:
    """The text, or as much of it around the clause as may be cited."""
    around = max(LONGEST_SNIPPET - len(clause), 0) // 2
    start = max(min(text.find(clause) - around, len(text) - LONGEST_SNIPPET), 0)
    return text[start : start + LONGEST_SNIPPET]


def _fit(question: str, clause: str) -> int:
    return sum(1 for asked, answer in _KINDS if asked.search(question) and answer.search(clause))
