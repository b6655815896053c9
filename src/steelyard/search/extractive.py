"""Extracts the words of a text that answer a question: a clause of a passage, or a sentence and a span of it.

`best_clause` and what follows it answer questions about one document (the system `builtin:baseline`). `Evidence` and
`span` answer from the passages in a prompt (the embedded generator). Both weigh shared terms by `coverage`; their
patterns are for different texts, and published results depend on both.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Final

from steelyard.search.terms import coverage, terms
from steelyard.text.mentions import mentions
from steelyard.text.normalisation import HAN, has_han, normalise
from steelyard.text.tokens import atoms
from steelyard.text.values import numerals

LONGEST_SNIPPET: Final = 299
"""The most characters of a citation."""

_SPEAKER: Final = re.compile(r"\A\W*(?:[问問答]\s*[:：]|[QA]\s*[.:：](?=\s|\Z))\s*")
# Chinese is split at commas, English at the ends of sentences: its commas also separate dates and enumerations
_CLAUSE: Final = re.compile(r"(?:[^，。；！？;!?.\n]|(?<=Mr|Ms|Dr|St|No)\.|(?<=Mrs)\.|\.(?=\S))+[，。；！？;!?.\n]*")
_SHORTEST: Final = 6  # characters; a shorter clause is joined with the next one: 承认，钱是我收的
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
# patterns of questions, and of clauses that answer them
_EXPECTED: Final = tuple(
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
    """Return whether a question asks for all passages about something instead of one answer."""
    return _ASKS_FOR_ALL.search(question) is not None


def subject(question: str) -> str:
    """Return the subject of a question for all passages: 他退款 of 有哪些证据表明他退款."""
    return _LISTING.sub(" ", question)


def clauses(text: str) -> list[str]:
    """Return the clauses of a statement without the mark of its speaker; a short clause is joined with the next one."""
    pieces: list[str] = []
    for clause in _CLAUSE.findall(_SPEAKER.sub("", text)):
        if pieces and len(pieces[-1]) < _SHORTEST and pieces[-1].endswith("，"):
            pieces[-1] += clause
        else:
            pieces.append(clause)
    return [clause.strip(_OPEN_END) for clause in pieces if clause.strip(_OPEN_END)]


def best_clause(question: str, text: str, coverage_of: Callable[[str, str], float]) -> str:
    """Return the clause that answers: the first one of a reply to a yes-no question, else the one with the best fit."""
    candidates = clauses(text) or [text]
    if _POLAR.search(question) and _SPEAKER.match(text):
        return candidates[0]
    return max(candidates, key=lambda clause: _fit(question, clause) + coverage_of(question, clause))


def can_answer(question: str, clause: str) -> bool:
    """Return whether a clause has what the question asks for (an amount, a date, a number), if that can be seen."""
    return _fit(question, clause) > 0 or not any(asked.search(question) for asked, _ in _EXPECTED)


def is_unknown(question: str, clause: str) -> bool:
    """Return whether a clause says that something is not known, unless the question is about knowing."""
    return _UNKNOWN.search(clause) is not None and not _ABOUT_KNOWING.search(question)


def snippet(text: str, clause: str) -> str:
    """Return the text, or the part around the clause that is short enough for a citation."""
    around = max(LONGEST_SNIPPET - len(clause), 0) // 2
    start = max(min(text.find(clause) - around, len(text) - LONGEST_SNIPPET), 0)
    return text[start : start + LONGEST_SNIPPET]


def _fit(question: str, clause: str) -> int:
    return sum(1 for asked, answer in _EXPECTED if asked.search(question) and answer.search(clause))


# sentences and spans

# a Latin full stop ends a sentence only before whitespace: 3.14 is one number
_SENTENCE: Final = re.compile(r"[^\n]+?(?:[。！？]+[”’」』）]*|[.!?]+[\"”’)]*(?=\s|$)|$)", re.MULTILINE)
_LEAST: Final = 0.3  # coverage of the question above which a sentence is relevant
_SURE: Final = 0.5  # … and above which it answers the question
_MOST_RELEVANT: Final = 3  # sentences that are searched for a span, each at least half as good as the best
_HAN_CHARACTER: Final = re.compile(f"[{HAN}]")
_WHEN: Final = re.compile(
    r"\b(?:when|what (?:year|date|day|time)|which (?:year|date|day))\b|何时|什么时候|哪一?[年月天日]|日期", re.I
)
_MANY: Final = re.compile(r"\bhow (?:many|much|often|old|long|far|tall|high)\b|多少|几[^乎何]", re.I)
_WHO: Final = re.compile(r"\bwho(?:m|se)?\b|谁|哪位|何人", re.I)
_WHERE: Final = re.compile(r"\bwhere\b|哪里|哪儿|何处|什么地方|在哪", re.I)
_YEAR: Final = re.compile(r"(?<!\d)[12]\d{3}(?!\d)年?")
_NUMBERS: Final = ("count", "money", "percent", "age", "number")  # a plain number last: it may be part of a name
# a run of capitalised words, with the lower-case words that occur within names
_NAME: Final = re.compile(r"[^\W\d_a-z][\w'’.-]*(?:\s+(?:(?:of|the|de|van|von|la|le)\s+)*[^\W\d_a-z][\w'’.-]*)*")
_PLACE: Final = re.compile(rf"\b(?:in|at|near|on|to|from)\s+(?:the\s+)?({_NAME.pattern})")
_PLACE_ZH: Final = re.compile(r"(?:位于|坐落在|坐落于|在|于)([^\W的]{2,})")
_PARTICLES: Final = frozenset("的了是由在于为被把和与及等也都就而他她它这那位叫名")  # around Chinese names


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; a line break ends a sentence."""
    return [sentence for match in _SENTENCE.finditer(text) if (sentence := match[0].strip())]


class Evidence:
    """Sentences ranked by the share of the terms of a question that they have; rare terms weigh more."""

    def __init__(self, question: str, candidates: Sequence[str]) -> None:
        self._sentences = candidates
        self._terms = [frozenset(terms(sentence)) for sentence in candidates]
        self._frequency = Counter(term for sentence in self._terms for term in sentence)
        self._coverage = self._coverage_of(question)

    @cached_property
    def relevant(self) -> list[str]:
        """The sentences that cover enough of the question, the best first; ties keep their order."""
        order = sorted(range(len(self._sentences)), key=lambda index: -self._coverage[index])[:_MOST_RELEVANT]
        least = max(_LEAST, self._coverage[order[0]] / 2) if order else _LEAST
        return [self._sentences[index] for index in order if self._coverage[index] >= least]

    @property
    def sure(self) -> bool:
        """Whether a sentence covers so much of the question that it answers it."""
        return max(self._coverage, default=0.0) >= _SURE

    def support(self, option: str) -> float:
        """Return how well a relevant sentence covers the terms of an option."""
        pairs = zip(self._coverage_of(option), self._coverage, strict=True)
        return max((share * (1 + relevance) for share, relevance in pairs), default=0.0)

    def _coverage_of(self, text: str) -> list[float]:
        """Return the coverage of a text by each sentence."""
        total = len(self._sentences) + 1
        weights = {term: math.log(1 + total / (self._frequency[term] + 0.5)) for term in set(terms(text))}
        return [coverage(weights, sentence) for sentence in self._terms]


def span(question: str, relevant: Sequence[str]) -> tuple[str, str]:
    """Return the sentence that answers, and the date, number, name or place in it that is asked for, else all of it."""
    known = frozenset(atoms(question))
    find = next((find for asks, find in _FINDERS if asks.search(question)), None)
    for sentence in relevant if find else ():
        if find and (text := find(sentence, known)):
            return sentence, text
    return relevant[0], relevant[0].rstrip("。！？.!? ")


def _new(text: str, known: frozenset[str]) -> bool:
    """Return whether a text has a word that the question does not have."""
    return not known.issuperset(atoms(text))


def _date(sentence: str, known: frozenset[str]) -> str:
    dates = [mention.text for mention in mentions(normalise(sentence)) if mention.kind == "date"]
    return _first_new((*dates, *_YEAR.findall(sentence)), known)


def _number(sentence: str, known: frozenset[str]) -> str:
    numbers = [
        number for number in mentions(normalise(sentence)) if number.kind in _NUMBERS and _new(number.text, known)
    ]
    if not numbers:
        return ""
    first = min(numbers, key=lambda number: number.kind == _NUMBERS[-1])
    bare = numerals(first.text) if first.kind == "count" and first.text.isascii() else []
    return bare[0].text if bare else first.text


def _place(sentence: str, known: frozenset[str]) -> str:
    pattern = _PLACE_ZH if has_han(sentence) else _PLACE
    return _first_new(pattern.findall(_undated(sentence)), known)


def _name(sentence: str, known: frozenset[str]) -> str:
    """Return capitalised words, the first of a sentence only with others; in Chinese a run of 2 to 4 new characters."""
    plain = _undated(sentence)
    if has_han(sentence):
        others = known | _PARTICLES
        added = "".join(char if _HAN_CHARACTER.match(char) and char not in others else " " for char in plain)
        return next((run for run in added.split() if 2 <= len(run) <= 4), "")
    return _first_new((match[0] for match in _NAME.finditer(plain) if match.start() > 0 or " " in match[0]), known)


def _undated(sentence: str) -> str:
    """Return the sentence with # in place of dates, so that June is not taken for a name and "in 1958" for a place."""
    plain = normalise(sentence)
    for mention in mentions(plain):
        if mention.kind == "date":
            plain = plain.replace(mention.text, "#" * len(mention.text))
    return plain


def _first_new(candidates: Iterable[str], known: frozenset[str]) -> str:
    """Return the first text that is not in the question, without punctuation at its end."""
    return next((text.rstrip(".,'’") for text in candidates if _new(text, known)), "")


_FINDERS: Final = ((_WHEN, _date), (_MANY, _number), (_WHERE, _place), (_WHO, _name))
