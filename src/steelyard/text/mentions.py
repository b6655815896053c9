"""Values that a text mentions: numbers of persons and cards, dates, times, shares, money, counts; each once.

What one kind has taken is masked for the next, so that the digits of a phone are never an amount.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, Literal

from steelyard.text.dates import LUNAR_DAY, Day, dates
from steelyard.text.measures import MEASURES
from steelyard.text.numerals import CHINESE, Numeral, numerals

Kind = Literal[
    "id", "phone", "card", "serial", "date", "time", "percent", "age", "ordinal", "money", "count", "number"
]  # fmt: skip

_TAKEN: Final = "\0"
_DIGIT: Final = re.compile("[0-9]")
_NEEDING_DIGITS: Final = frozenset(("id", "phone", "card", "serial"))


@dataclass(frozen=True, slots=True)
class Mention:
    """A value in a normal text. `value` is digits, a Decimal, or a Day; None where it is a range or impossible.

    `loose` says why it is no exact value ("" if it is one), `approx` that 约 or 左右 stands beside it, `unit` is the
    measure word or the currency, `until` the end of a range of dates.
    """

    kind: Kind
    start: int
    end: int
    text: str
    value: Any = None
    unit: str = ""
    loose: str = ""
    approx: bool = False
    until: Day | None = None

    @property
    def is_exact(self) -> bool:
        """Whether it is one value."""
        return not self.loose and self.value is not None


@lru_cache(maxsize=1 << 12)
def mentions(text: str) -> tuple[Mention, ...]:
    """All values of a normal text, in order."""
    found: list[Mention] = []
    masked = text
    for find in _FINDERS:
        new = list(find(masked))
        found += new
        masked = _masked(masked, new)
    restored = [replace(mention, text=text[mention.start : mention.end]) for mention in found]
    return tuple(sorted(restored, key=lambda mention: mention.start))


def _masked(text: str, taken: list[Mention]) -> str:
    """The text with these mentions blanked out."""
    if not taken:
        return text
    characters = list(text)
    for mention in taken:
        characters[mention.start : mention.end] = _TAKEN * (mention.end - mention.start)
    return "".join(characters)


_EDGE: Final = r"(?<![0-9A-Za-z])"
_EDGE_AFTER: Final = r"(?![0-9A-Za-z])"
_ID: Final = re.compile(
    rf"{_EDGE}[1-9]\d{{5}} ?(?:1[89]|20)\d{{2}}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]) ?\d{{3}}[0-9Xx]{_EDGE_AFTER}"
)
_PHONE: Final = re.compile(
    rf"{_EDGE}(?:\+?86[- ]?)?1[3-9]\d[- ]?\d{{4}}[- ]?\d{{4}}{_EDGE_AFTER}"
    rf"|{_EDGE}0\d{{2,3}}-\d{{7,8}}{_EDGE_AFTER}"
    rf"|(?:{_EDGE}\+?1[- ]?)?(?:\(\d{{3}}\) ?|{_EDGE}\d{{3}}-)?{_EDGE}\d{{3}}-\d{{4}}{_EDGE_AFTER}"
)
_CARD: Final = re.compile(
    rf"(?:卡号|账号|帐号|尾号|末四位|末位)+(?:尾号)?(?:分别)?(?:为|是|:)?\s*(?P<value>\d[\d *]*(?:[和、]\d[\d *]*)*)|"
    rf"{_EDGE}\d{{4}}(?: \d{{4}}){{3}}(?: \d{{1,3}})?{_EDGE_AFTER}|{_EDGE}\d{{16,19}}{_EDGE_AFTER}"
    r"|(?:ending|ends) (?:in|with) \d{2,}"
)
# numbers that a word or brackets announce; they may look like dates
_ANNOUNCED: Final = re.compile(
    r"[(\[〔〈]\d{4}[)\]〕〉][^,。;\s]{0,20}?号"
    r"|(?:案号|编号|流水号|订单号|单号|合同号|凭证号|发票号码?|车牌号?|文号|序列号|票号)(?:为|是|:)?\s*(?P<value>[A-Za-z0-9第字()\-_/]+号?)"
    r"|(?:No\.|number|case|invoice|contract) ?#?(?P<other>\d{3,}[\w-]*)",
    re.IGNORECASE,
)
_SERIAL: Final = re.compile(
    rf"[\u4e00-\u9fff][A-Z][A-Z0-9]{{5,6}}(?![A-Za-z0-9])|(?<![0-9A-Za-z.])[A-Za-z]{{1,10}}[-_]?\d[A-Za-z0-9_-]*"
    rf"|(?<![0-9A-Za-z.])\d+[A-Za-z][A-Za-z0-9_-]*(?<![wWkK]){_EDGE_AFTER}",
)
_TIME: Final = re.compile(
    rf"(?:凌晨|早上|上午|中午|下午|傍晚|晚上|夜里|当晚)(?:\d{{1,2}}|[{CHINESE}]{{1,3}})(?:时|点钟?)(?:(?:\d{{1,2}}|[{CHINESE}]{{1,3}})分?|半|一刻|许|整)?"
    rf"|(?:\d{{1,2}}|[{CHINESE}]{{1,3}})(?:时|点)(?:(?:\d{{1,2}}|[{CHINESE}]{{1,3}})分|半|一刻|许|整|钟)"
    r"|(?<!\d)\d{1,2}时(?!间|候|常)|(?<![\d:])\d{1,2}:\d{2}(?::\d{2})?(?!\d)(?: ?[ap]\.?m\.?)?|"
    r"\b\d{1,2} ?[ap]\.?m\b\.?",
    re.IGNORECASE,
)
_PERCENT: Final = re.compile(
    rf"\d[\d,]*(?:\.\d+)?(?:%|‰| ?percent\b| per cent\b)|[百千万]分之[\d.{CHINESE}点]+|(?:月息|年息|"
    rf"利率)[\d.{CHINESE}]+[分厘]"
)
_AGE: Final = re.compile(rf"(?:\d{{1,3}}|[{CHINESE}]{{1,4}})(?:周)?岁|\b\d{{1,3}} years? old|\baged? \d{{1,3}}")
_ORDINAL: Final = re.compile(
    rf"第(?:\d+|[{CHINESE}]+)(?:[次页段条号笔项款人批期名行章节组届季层]|季度|部分)?|\b\d+(?:st|nd|rd|th)\b"
    r"|\b(?:page|pages|p\.|article|section|clause|line|lines|paragraph|exhibit|no\.) ?\d+(?:-\d+)?",
    re.IGNORECASE,
)


def _find_marked(kind: Kind, pattern: re.Pattern[str]) -> Callable[[str], Iterator[Mention]]:
    def find(text: str) -> Iterator[Mention]:
        if kind in _NEEDING_DIGITS and not _DIGIT.search(text):
            return
        for match in pattern.finditer(text):
            named = match.groupdict()
            start, end = next((match.span(name) for name in named if named[name]), match.span())
            digits = "".join(char for char in text[start:end] if char.isascii() and char.isalnum()).upper()
            yield Mention(kind, start, end, text[start:end], digits)

    return find


def _find_numbered(kind: Kind, pattern: re.Pattern[str]) -> Callable[[str], Iterator[Mention]]:
    """Marks whose number is the value: 3% and 百分之三 are one share."""

    def find(text: str) -> Iterator[Mention]:
        for match in pattern.finditer(text):
            body = re.sub("^[百千万]分之", "", match[0])
            values = [numeral.value for numeral in numerals(body)]
            yield Mention(kind, match.start(), match.end(), match[0], values[0] if values else None)

    return find


def _find_dates(text: str) -> Iterator[Mention]:
    for lunar in LUNAR_DAY.finditer(text):
        yield Mention("date", lunar.start(), lunar.end(), lunar[0], loose="lunar")
    without = LUNAR_DAY.sub(lambda lunar: _TAKEN * len(lunar[0]), text)
    for date in dates(without):
        value = date.day if date.day.is_possible else None
        loose = date.loose or ("" if date.day.is_whole else "coarse")
        yield Mention("date", date.start, date.end, date.text, value, "", loose, date.approx, date.until)


# ----- money and counts

_CURRENCIES: Final = {
    "元": "CNY", "圆": "CNY", "块": "CNY", "块钱": "CNY", "人民币": "CNY", "元人民币": "CNY", "RMB": "CNY",
    "CNY": "CNY", "¥": "CNY",
    "yuan": "CNY", "renminbi": "CNY", "日元": "JPY", "日圆": "JPY", "yen": "JPY", "美元": "USD", "美金": "USD",
    "US$": "USD",
    "$": "USD", "USD": "USD", "dollars": "USD", "dollar": "USD", "港元": "HKD", "港币": "HKD", "HK$": "HKD",
    "HKD": "HKD",
    "欧元": "EUR", "€": "EUR", "EUR": "EUR", "euros": "EUR", "euro": "EUR", "英镑": "GBP", "£": "GBP", "GBP": "GBP",
    "pounds": "GBP", "韩元": "KRW", "新台币": "TWD", "台币": "TWD", "卢布": "RUB", "澳元": "AUD", "加元": "CAD",
}  # fmt: skip
_BEFORE_MONEY: Final = re.compile(r"(人民币|RMB|CNY|USD|EUR|GBP|HKD|US\$|HK\$|[¥$€£])\s*:?\s*$", re.IGNORECASE)
_SCALE: Final = re.compile(r"\s*(?:(万|亿|千|百万|千万)(?![\u4e00-\u9fff]*分之)|([wWkK])(?![A-Za-z]))")
_SCALES: Final = {"万": 10**4, "亿": 10**8, "千": 1000, "百万": 10**6, "千万": 10**7, "w": 10**4, "k": 1000}
_SOME: Final = re.compile("[余多几来]")
_AFTER_MONEY: Final = re.compile(
    r"\s*(元人民币|日元|日圆|美元|美金|港元|港币|欧元|英镑|韩元|新台币|台币|卢布|澳元|加元|人民币|块钱|元|圆|块|yuan|renminbi|RMB|CNY|"
    r"USD|dollars?|euros?|pounds|yen)(?![A-Za-z])",
    re.IGNORECASE,
)
_JIAO: Final = re.compile(rf"零?(\d|[{CHINESE}])[角毛]")
_FEN: Final = re.compile(rf"零?(\d|[{CHINESE}])分(?!钟|之)")
_WHOLE: Final = re.compile("[整正]")
_TAIL_DIGIT: Final = re.compile(rf"([{CHINESE}]|\d)(?![\d.万千百十亿元块角毛分{CHINESE}])")
_PERIOD: Final = "天|日|月|年|周|季度|小时|平方米|吨|day|week|month|year|hour"
_RATE: Final = re.compile(rf"\s*(?:/|每|per |a |each )\s*(?:{_PERIOD})\b", re.IGNORECASE)
_RATE_BEFORE: Final = re.compile(
    rf"每个?(?:{_PERIOD})(?:的?(?:租金|工资|利息|费用))?(?:为|是|付|支付|收)?$"
    r"|\b(?:monthly|daily|weekly|yearly|annual) (?:\w+ )?(?:of )?$",
    re.IGNORECASE,
)
_SPAN_BEFORE: Final = re.compile(
    rf"[\d{CHINESE}](?:元|万元|yuan)?\s*(?:至|到|~|\bto\b)\s*[¥$]?$|\bbetween\s+[¥$]?[\d,.]+(?: yuan)?\s+and\s*[¥$]?$",
    re.IGNORECASE,
)

_BOUND_BEFORE: Final = re.compile(
    r"(?:不到|不足|将近|接近|近|超过|超出|高于|多于|少于|低于|至少|不少于|不低于|不超过|至多|最多|不止|逾|"
    r"上万|好几|数|几|over|more than|less than|"
    r"fewer than|at least|at most|under|above|below|up to|nearly|almost|no more than|exceeding)\s*(?:人民币|"
    r"了|是|有|RMB|¥)?\s*$",
    re.IGNORECASE,
)
_BOUND_AFTER: Final = re.compile(
    r"\s*(?:以上|以下|以内|之内|之上|之下|起步|不到|有余|开外|or more|or less|and above|at least)"
)
_APPROX_BEFORE: Final = re.compile(
    r"(?:大约|大概|大致|约莫|约|差不多|around|about|approximately|roughly|some)\s*(?:是|有|为|人民币|收了|RMB|¥)?\s*$",
    re.IGNORECASE,
)
_APPROX_AFTER: Final = re.compile(r"\s*(?:左右|上下|or so)")
_SPAN_AFTER: Final = re.compile(rf"\s*(?:至|到|-|~|to)\s*(?=[¥$]?[\d{CHINESE}])")

_MEASURE: Final = re.compile(rf"\s*({'|'.join(MEASURES)}|(?<=\d) ?[a-z]+|(?<=[a-z]) [a-z]+)", re.IGNORECASE)
_FUNCTION_WORDS: Final = frozenset(
    (
        "or",
        "and",
        "to",
        "of",
        "in",
        "on",
        "at",
        "were",
        "was",
        "the",
        "a",
        "is",
        "by",
        "for",
        "from",
        "with",
        "but",
        "are",
    )
)
_OFTEN: Final = re.compile(r"\b(once|twice|thrice)\b", re.IGNORECASE)
_TIMES: Final = {"once": 1, "twice": 2, "thrice": 3}
_PAIR: Final = re.compile("[俩仨]")


def _find_money(text: str) -> Iterator[Mention]:
    end = 0
    for numeral in numerals(text):
        if numeral.start >= end and (mention := _money(text, numeral)):
            end = mention.end
            yield mention


def _money(text: str, numeral: Numeral) -> Mention | None:
    """The amount that begins with this number; None if nothing says that it is money."""
    before = _BEFORE_MONEY.search(text[max(0, numeral.start - 8) : numeral.start])
    value, at, loose = numeral.value, numeral.end, "range" if numeral.is_range else ""
    if some := _SOME.match(text, at):
        at, loose = some.end(), "inexact"
    if scale := _SCALE.match(text, at):
        value = None if value is None else value * _SCALES[(scale[1] or scale[2]).lower()]
        at = scale.end()
        if some := _SOME.match(text, at):
            at, loose = some.end(), "inexact"
        elif scale[1] and value is not None and (tail := _TAIL_DIGIT.match(text, at)):
            value += _digit(tail[1]) * _SCALES[scale[1]] / 10
            at = tail.end()
    after = _AFTER_MONEY.match(text, at)
    if not (before or after or (scale and scale[2])):
        return None
    at = after.end() if after else at
    value, at = _with_small_change(text, at, value) if after else (value, at)
    if whole := _WHOLE.match(text, at):
        at = whole.end()
    named = (after[1] if after else before[1] if before else "元").lower()
    unit = next(code for name, code in _CURRENCIES.items() if name.lower() == named)
    start = numeral.start - (len(before[0]) if before else 0)
    return _qualified(text, Mention("money", start, at, text[start:at], value, unit, loose))


def _with_small_change(text: str, at: int, value: Decimal | None) -> tuple[Decimal | None, int]:
    """八十元五角 is 80.5, 五块五 is 5.5."""
    for pattern, share in ((_JIAO, Decimal("0.1")), (_FEN, Decimal("0.01"))):
        if value is not None and (change := pattern.match(text, at)):
            value, at = value + _digit(change[1]) * share, change.end()
    if value is not None and text[at - 1] == "块" and (tail := _TAIL_DIGIT.match(text, at)):
        value, at = value + _digit(tail[1]) / 10, tail.end()
    return value, at


def _digit(text: str) -> Decimal:
    return numerals(text)[0].value or Decimal(0)


def _qualified(text: str, mention: Mention) -> Mention:
    """What stands beside an amount or a count may make it a bound, a rate, a range, or approximate."""
    before, after = text[max(0, mention.start - 40) : mention.start], text[mention.end : mention.end + 12]
    loose = mention.loose
    if _BOUND_BEFORE.search(before) or _BOUND_AFTER.match(after):
        loose = loose or "bound"
    elif _RATE.match(after) or _RATE_BEFORE.search(before):
        loose = loose or "rate"
    elif mention.kind == "money" and (_SPAN_BEFORE.search(before) or (_SPAN_AFTER.match(after) and "=" not in after)):
        loose = loose or "range"
    approx = bool(_APPROX_BEFORE.search(before) or _APPROX_AFTER.match(after))
    return replace(mention, loose=loose, approx=approx)


def _find_counts(text: str) -> Iterator[Mention]:
    for often in _OFTEN.finditer(text):
        value = Decimal(_TIMES[often[1].lower()])
        yield _qualified(text, Mention("count", often.start(), often.end(), often[0], value, "times"))
    for pair in _PAIR.finditer(text):
        yield Mention("count", pair.start(), pair.end(), pair[0], Decimal(2 if pair[0] == "俩" else 3), "个")
    for numeral in numerals(text):
        yield _count(text, numeral)


def _count(text: str, numeral: Numeral) -> Mention:
    """A number with its measure word, or alone."""
    at, loose = numeral.end, "range" if numeral.is_range else ""
    if some := _SOME.match(text, at):
        at, loose = some.end(), "inexact"
    measure = _MEASURE.match(text, at)
    end = measure.end() if measure else at
    unit = measure[1].strip().lower() if measure else ""
    if unit in _FUNCTION_WORDS:
        measure, unit, end = None, "", at
    kind: Kind = "count" if measure else "number"
    return _qualified(text, Mention(kind, numeral.start, end, text[numeral.start : end], numeral.value, unit, loose))


_FINDERS: Final[tuple[Callable[[str], Iterator[Mention]], ...]] = (
    _find_marked("id", _ID),
    _find_marked("phone", _PHONE),
    _find_marked("card", _CARD),
    _find_marked("serial", _ANNOUNCED),
    _find_dates,
    _find_marked("serial", _SERIAL),
    _find_marked("time", _TIME),
    _find_numbered("percent", _PERCENT),
    _find_numbered("age", _AGE),
    _find_marked("ordinal", _ORDINAL),
    _find_money,
    _find_counts,
)
