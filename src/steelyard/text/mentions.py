"""Values in a text: personal and card numbers, dates, times, shares, money, counts; each found once.

The match of one kind is masked for the next, so that the digits of a phone number are never an amount.
"""

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final, Literal, NamedTuple

from steelyard.text.dates import LUNAR_DAY, Day, dates
from steelyard.text.measures import MEASURES
from steelyard.text.numerals import CHINESE, NUMBER_WORDS, Numeral, numerals

Kind = Literal[
    "id", "phone", "card", "serial", "date", "time", "percent", "age", "ordinal", "money", "count", "number"
]  # fmt: skip

_TAKEN: Final = "\0"
_START: Final = itemgetter(1)


class Mention(NamedTuple):
    """A value in a normalised text. `value` is digits, a Decimal, or a Day; None if it is a range or impossible.

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
        """Whether it is a single value."""
        return not self.loose and self.value is not None


@lru_cache(maxsize=1 << 12)
def mentions(text: str) -> tuple[Mention, ...]:
    """All values of a normalised text, in order."""
    values: list[Mention] = []
    masked = text
    for find in _FINDERS:
        new = list(find(masked))
        values += new
        masked = _masked(masked, new)
    values = [mention if _TAKEN not in mention.text else _restored(text, mention) for mention in values]
    values.sort(key=_START)
    return tuple(values)


def _restored(text: str, mention: Mention) -> Mention:
    """The mention, a part of which was masked, with its original words."""
    return mention._replace(text=text[mention.start : mention.end])


def _masked(text: str, taken: list[Mention]) -> str:
    """The text with these mentions blanked out."""
    if not taken:
        return text
    pieces: list[str] = []
    at = 0
    for start, end in sorted((mention.start, mention.end) for mention in taken):
        pieces += (text[at:start], _TAKEN * (end - max(at, start)))
        at = max(at, end)
    return "".join([*pieces, text[at:]])


_EDGE: Final = r"(?<![0-9A-Za-z])"
_EDGE_AFTER: Final = r"(?![0-9A-Za-z])"
_ID: Final = re.compile(
    rf"[1-9](?<![0-9A-Za-z].)\d{{5}} ?(?:1[89]|20)\d{{2}}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
    rf" ?\d{{3}}[0-9Xx]{_EDGE_AFTER}"
)
_PHONE: Final = re.compile(
    rf"{_EDGE}(?:\+?86[- ]?)?1[3-9]\d[- ]?\d{{4}}[- ]?\d{{4}}{_EDGE_AFTER}"
    rf"|{_EDGE}0\d{{2,3}}-\d{{7,8}}{_EDGE_AFTER}"
    rf"|(?:{_EDGE}\+?1[- ]?)?(?:\(\d{{3}}\) ?|{_EDGE}\d{{3}}-)?{_EDGE}\d{{3}}-\d{{4}}{_EDGE_AFTER}"
)
_CARD: Final = re.compile(
    rf"(?:卡号|账号|帐号|尾号|末四位|末位){{1,3}}(?:分别)?(?:为|是"
    rf"|:)?\s*(?P<value>\d[\d *]{{0,40}}(?:[和、]\d[\d *]{{0,40}}){{0,9}})|"
    rf"{_EDGE}\d{{4}}(?: \d{{4}}){{3}}(?: \d{{1,3}})?{_EDGE_AFTER}|{_EDGE}\d{{16,19}}{_EDGE_AFTER}"
    r"|(?:ending|ends) (?:in|with) \d{2,20}"
)
# numbers introduced by a word or brackets; they may look like dates
_ANNOUNCED: Final = re.compile(
    r"[(\[〔〈]\d{4}[)\]〕〉][^,。;\s]{0,20}?号"
    r"|(?:案号|编号|流水号|订单号|单号|合同号|凭证号|发票号码?|车牌号?|文号|序列号|票号)(?:为|是|:)?\s*(?P<value>[A-Za-z0-9第字()\-_/\u4e00-\u9fff]{1,24}?号|[A-Za-z0-9第字()\-_/]+)"
    r"|(?:No\.|number|case|invoice|contract) ?#?(?P<other>\d{3,}[\w-]*)",
    re.IGNORECASE,
)
_SERIAL: Final = re.compile(
    rf"[\u4e00-\u9fff][A-Z](?=[A-Z]{{0,5}}\d)[A-Z0-9]{{5,6}}(?![A-Za-z0-9])|(?<![0-9A-Za-z.])[A-Za-z]{{1,10}}[-_]?\d[A-Za-z0-9_-]*"
    rf"|(?<![0-9A-Za-z.])\d+[A-Za-z][A-Za-z0-9_-]*(?<![wWkK]){_EDGE_AFTER}",
)
_TIME: Final = re.compile(
    rf"(?:凌晨|早上|上午|中午|下午|傍晚|晚上|夜里|当晚)(?:\d{{1,2}}|[{CHINESE}]{{1,3}})(?:时|点钟?)(?:(?:\d{{1,2}}|[{CHINESE}]{{1,3}})分?|半|一刻|许|整)?"
    rf"|(?:\d{{1,2}}|[{CHINESE}]{{1,3}})(?:时|点)(?:(?:\d{{1,2}}|[{CHINESE}]{{1,3}})分|半|一刻|许|整|钟)"
    r"|(?<!\d)\d{1,2}时(?!间|候|常)|(?<![\d:])\d{1,2}:\d{2}(?::\d{2})?(?!\d)(?: ?(?i:[ap]\.?m)\.?)?|"
    r"\b\d{1,2} ?(?i:[ap]\.?m)\b\.?",
)
_PERCENT: Final = re.compile(
    rf"(?<![\d,.])\d[\d,]{{0,30}}(?:\.\d{{1,30}})? ?(?:[%‰‱]|(?i:per ?cent)\b)"
    rf"|(?<!point )(?<!-)(?i:{NUMBER_WORDS} per ?cent\b)"
    rf"|[百千万]分之[\d.{CHINESE}点]{{1,30}}|(?:月息|年息|利率)[\d.{CHINESE}]{{1,12}}[分厘](?!之)"
)
_PERCENT_UNITS: Final = {"‰": Decimal("0.1"), "‱": Decimal("0.01"), "厘": Decimal("0.1")}
_PARTS_OF: Final = {"百分之": Decimal(1), "千分之": Decimal("0.1"), "万分之": Decimal("0.01")}
_AGE: Final = re.compile(rf"(?:\d{{1,3}}|[{CHINESE}]{{1,4}})(?:周)?岁|\b\d{{1,3}} years? old|\baged? \d{{1,3}}")
_ORDINAL: Final = re.compile(
    rf"第(?:\d{{1,12}}|[{CHINESE}]{{1,12}})(?:[次页段条号笔项款人批期名行章节组届季层]|季度|部分)?|\b\d{{1,12}}(?i:st|nd|rd|th)\b"
    r"|\b(?i:pages?|pp?\.|articles?|sections?|clauses?|lines?|paragraphs?|paras?\.?|exhibits?|no\.|episodes?|seasons?"
    r"|chapters?|volumes?|parts?|steps?|grades?|versions?|figures?|tables?|items?|questions?|§+) ?\d{1,9}"
    r"(?:(?: ?[-.,] ?|(?i: through | to | and ))\d{1,9}){0,4}\b"
)


def _find_marked(kind: Kind, pattern: re.Pattern[str]) -> Callable[[str], Iterator[Mention]]:
    def find(text: str) -> Iterator[Mention]:
        for match in pattern.finditer(text):
            named = match.groupdict()
            start, end = next((match.span(name) for name in named if named[name]), match.span())
            digits = "".join(char for char in text[start:end] if char.isascii() and char.isalnum()).upper()
            yield Mention(kind, start, end, text[start:end], digits)

    return find


def _find_numbered(kind: Kind, pattern: re.Pattern[str]) -> Callable[[str], Iterator[Mention]]:
    """Marks whose number is the value: 35岁."""

    def find(text: str) -> Iterator[Mention]:
        for match in pattern.finditer(text):
            values = [numeral.value for numeral in numerals(match[0])]
            yield Mention(kind, match.start(), match.end(), match[0], values[0] if values else None)

    return find


def _find_percents(text: str) -> Iterator[Mention]:
    """Shares in per cent: 1.2% and 百分之一点二 are 1.2, 3‰ and 千分之三 are 0.3."""
    for match in _PERCENT.finditer(text):
        parts = _PARTS_OF.get(match[0][:3])
        values = [numeral.value for numeral in numerals(match[0][3:] if parts else match[0])]
        scale = parts or _PERCENT_UNITS.get(match[0][-1], Decimal(1))
        value = values[0] * scale if values and values[0] is not None else None
        yield _qualified(text, Mention("percent", match.start(), match.end(), match[0], value))


def _find_dates(text: str) -> Iterator[Mention]:
    for lunar in LUNAR_DAY.finditer(text):
        yield Mention("date", lunar.start(), lunar.end(), lunar[0], loose="lunar")
    without = LUNAR_DAY.sub(lambda lunar: _TAKEN * len(lunar[0]), text)
    for date in dates(without):
        value = date.day if date.day.is_possible else None
        loose = date.loose or ("" if date.day.is_whole else "coarse")
        yield Mention("date", date.start, date.end, date.text, value, "", loose, date.approx, date.until)


# ----- money and counts

_CURRENCY_NAMES: Final = (
    ("CNY", "元人民币 人民币元 人民币 块钱 元 圆 块 yuan renminbi RMB CNY ¥ CN¥"),
    ("USD", "美元 美金 US$ $ USD dollars dollar bucks"),
    ("HKD", "港元 港币 港幣 HK$ HKD"),
    ("EUR", "欧元 € EUR euros euro"),
    ("GBP", "英镑 £ GBP pounds sterling"),
    ("JPY", "日元 日圆 yen JPY JP¥"),
    ("KRW", "韩元 韩币 KRW won"),
    ("TWD", "新台币 台币 NT$ TWD"),
    ("RUB", "卢布 RUB rubles roubles"),
    ("AUD", "澳元 澳币 A$ AUD"),
    ("CAD", "加元 加币 C$ CAD"),
    ("SGD", "新加坡元 新元 新币 S$ SGD"),
    ("CHF", "瑞士法郎 CHF francs"),
    ("THB", "泰铢 THB baht"),
    ("INR", "卢比 INR rupees ₹"),
    ("MOP", "澳门元 澳门币 MOP"),
)
_CURRENCIES: Final = {name.lower(): code for code, names in _CURRENCY_NAMES for name in names.split()}
_LOCAL: Final = frozenset(("元", "圆", "块", "块钱", "dollars", "dollar", "$", "¥"))
"""Names whose currency is given before the number: 港币3万元, HK$ 30,000 dollars."""
_NAMES_BEFORE: Final = "|".join(
    sorted(
        (re.escape(name) for name in _CURRENCIES if name not in ("元", "圆", "块", "块钱", "won", "yen")),
        key=len,
        reverse=True,
    )
)
_BEFORE_MONEY: Final = re.compile(rf"(?<![A-Za-z])({_NAMES_BEFORE})\s?:?\s?\(?$", re.IGNORECASE)
_SCALE: Final = re.compile(
    r"\s?\)?\s?(?:(万|亿|千|百万|千万|万亿)(?![\u4e00-\u9fff]{0,6}分之)|([wWkK])(?![A-Za-z])"
    r"|(thousand|millions?|billions?|trillions?|mn|bn|mio|mm)\b|(m|b)\b(?![A-Za-z]))",
    re.IGNORECASE,
)
_SCALES: Final = {
    "万": 10**4, "亿": 10**8, "千": 1000, "百万": 10**6, "千万": 10**7, "万亿": 10**12, "w": 10**4, "k": 1000,
    "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12, "mn": 10**6, "mio": 10**6, "mm": 10**6,
    "bn": 10**9, "m": 10**6, "b": 10**9,
}  # fmt: skip
_SOME: Final = frozenset("余多几来")
_NAMES_AFTER: Final = "|".join(sorted((re.escape(name) for name in _CURRENCIES), key=len, reverse=True))
_AFTER_MONEY: Final = re.compile(rf" {{0,2}}(?:US )?({_NAMES_AFTER})(?![A-Za-z])", re.IGNORECASE)
# 1.234,00 · 42 000 yuan · € 1 234 567,89: groups that only money has
_GROUPED: Final = re.compile(r"(?<![\d.,])\d{1,3}(?:(?:\.\d{3}){1,6},\d{1,2}|(?: \d{3}){1,6}(?:[.,]\d{2})?)(?![\d,])")
_JIAO: Final = re.compile(rf"零?(\d|[{CHINESE}])[角毛]")
_FEN: Final = re.compile(rf"零?(\d|[{CHINESE}])分(?!钟|之)")
_WHOLE: Final = frozenset("整正")
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
    r"(?:(?<![大最极弱])小(?=$)|不到|不足|将近|接近|近|超过|超出|高于|多于|少于|低于|至少|不少于|不低于|不超过|至多|最多|不止|逾|"
    r"上万|好几|over|more than|less than|"
    r"fewer than|at least|at most|under|above|below|up to|nearly|almost|no more than|not more than|not less than"
    r"|no less than|as much as|as many as|exceeding|in excess of|upwards of)\s*(?:a total of |the sum of )?(?:人民币"
    r"|"
    r"了|是|有|RMB|¥)?\s*$",
    re.IGNORECASE,
)
_SOME_BEFORE: Final = re.compile(r"(?<![人次总件个户名份额倍指分年天系参奇偶整量页字票员])数$|(?<![第十])几$")
_BOUND_AFTER: Final = re.compile(
    r"\s*(?:以上|以下|以内|之内|之上|之下|起步|不到|有余|开外|or more|or less|and above|at least)"
)
_APPROX_BEFORE: Final = re.compile(
    r"(?:大约|大概|大致|约莫|约|差不多|≈|around|about|approximately|approx\.?|roughly|some)\s*(?:是|有|为|人民币|收了|RMB|¥)?\s*$",
    re.IGNORECASE,
)
_APPROX_AFTER: Final = re.compile(r"\s*(?:左右|上下|or so)")
_SPAN_AFTER: Final = re.compile(rf"\s*(?:至|到|-|~|to)\s*(?=[¥$]?[\d{CHINESE}])")

_LETTER: Final = re.compile("[A-Za-z]")
_MEASURE: Final = re.compile(rf"\s*({'|'.join(MEASURES)}|(?<=\d) ?[a-z]+|(?<=[a-z]) [a-z]+)", re.IGNORECASE)
# fmt: off
_FUNCTION_WORDS: Final = frozenset((
    "or", "and", "to", "of", "in", "on", "at", "were", "was", "the", "a", "is", "by", "for", "from", "with", "but",
    "are", "through", "until", "than", "if", "it", "he", "she", "they", "that", "who", "which", "when", "as", "all",
    "had", "have", "has", "did", "would", "will", "per", "plus", "minus", "under", "over", "between", "during",
    "after", "before", "since", "so",
))
# fmt: on
_OFTEN: Final = re.compile(r"\bonce\b|\btwice\b|\bthrice\b", re.IGNORECASE)
_TIMES: Final = {"once": 1, "twice": 2, "thrice": 3}
_PAIR: Final = re.compile("[俩仨]")


def currency_code(name: str) -> str:
    """The code of a currency by any of its names; empty if unknown."""
    return _CURRENCIES.get(name.lower(), "")


def _find_figures(text: str) -> Iterator[Mention]:
    """Amounts of money, and the other numbers as counts or plain numbers."""
    end = 0
    grouped = _grouped(text)
    for numeral in numerals(text):
        if numeral.start < end:
            continue
        number = grouped.get(numeral.start, numeral)
        mention = _money(text, number) or (_money(text, numeral) if number is not numeral else None)
        if mention is None:
            mention = _count(text, numeral)
        end = mention.end
        yield mention


def _grouped(text: str) -> dict[int, Numeral]:
    """Numbers with foreign digit grouping, by position; they are read this way only beside a currency."""
    numbers = {}
    for match in _GROUPED.finditer(text):
        figure = match[0].replace(" ", "")
        is_comma = "," in figure[-3:]
        plain = figure.replace(".", "").replace(",", ".") if is_comma else figure
        numbers[match.start()] = Numeral(match.start(), match.end(), match[0], Decimal(plain))
    return numbers


def _money(text: str, numeral: Numeral) -> Mention | None:
    """The amount of money that starts with this number; None without a currency."""
    before = _BEFORE_MONEY.search(text[max(0, numeral.start - 12) : numeral.start])
    value, position, loose = numeral.value, numeral.end, "range" if numeral.is_range else ""
    if text[position : position + 1] in _SOME:
        position, loose = position + 1, "inexact"
    if (scale := _SCALE.match(text, position)) is not None:
        value = None if value is None else value * _scale_of(scale)
        position = scale.end()
        if text[position : position + 1] in _SOME:
            position, loose = position + 1, "inexact"
        elif scale[1] and value is not None and (tail := _TAIL_DIGIT.match(text, position)):
            value += _digit(tail[1]) * _scale_of(scale) / 10
            position = tail.end()
    after = _AFTER_MONEY.match(text, position)
    if not (before or after or (scale and scale[2])) or (scale and scale[4] and not before):
        return None
    position = after.end() if after else position
    value, position = _with_small_change(text, position, value) if after else (value, position)
    if text[position : position + 1] in _WHOLE:
        position += 1
    start = numeral.start - (len(before[0]) if before else 0)
    unit = _currency_of(before, after)
    return _qualified(text, Mention("money", start, position, text[start:position], value, unit, loose))


def _scale_of(scale: re.Match[str]) -> int:
    word = (scale[1] or scale[2] or scale[3] or scale[4]).lower()
    return _SCALES.get(word) or _SCALES[word.removesuffix("s")]


def _currency_of(before: re.Match[str] | None, after: re.Match[str] | None) -> str:
    """The currency; one named before the number takes precedence over a local name after it."""
    names = [match[1].lower() for match in (after, before) if match]
    if len(names) == 2 and names[0] in _LOCAL:
        names.reverse()
    return _CURRENCIES[names[0]] if names else "CNY"


def _with_small_change(text: str, position: int, value: Decimal | None) -> tuple[Decimal | None, int]:
    """八十元五角 is 80.5, 五块五 is 5.5."""
    for pattern, share in ((_JIAO, Decimal("0.1")), (_FEN, Decimal("0.01"))):
        if value is not None and (change := pattern.match(text, position)):
            value, position = value + _digit(change[1]) * share, change.end()
    if value is not None and text[position - 1] == "块" and (tail := _TAIL_DIGIT.match(text, position)):
        value, position = value + _digit(tail[1]) / 10, tail.end()
    return value, position


def _digit(text: str) -> Decimal:
    return numerals(text)[0].value or Decimal(0)


def _qualified(text: str, mention: Mention) -> Mention:
    """Whether the words beside an amount or a count make it a bound, a rate, a range, or approximate."""
    before, after = text[max(0, mention.start - 12) : mention.start], text[mention.end : mention.end + 12]
    if _LETTER.search(before):  # words are longer than Chinese characters
        before = text[max(0, mention.start - 40) : mention.start]
    loose = mention.loose or _looseness(mention.kind, before, after)
    approx = _APPROX_BEFORE.search(before) is not None or _APPROX_AFTER.match(after) is not None
    return mention._replace(loose=loose, approx=approx)


def _looseness(kind: Kind, before: str, after: str) -> str:
    """Why a value is not exact, by the words before and after it."""
    if _BOUND_BEFORE.search(before) or _SOME_BEFORE.search(before) or _BOUND_AFTER.match(after):
        return "bound"
    if kind != "percent" and (_RATE.match(after) or _RATE_BEFORE.search(before)):
        return "rate"
    if kind not in ("money", "percent"):
        return ""
    return "range" if _SPAN_BEFORE.search(before) or (_SPAN_AFTER.match(after) and "=" not in after) else ""


def _find_words(text: str) -> Iterator[Mention]:
    """Counts that are single words: twice, 俩."""
    for often in _OFTEN.finditer(text):
        value = Decimal(_TIMES[often[0].lower()])
        yield _qualified(text, Mention("count", often.start(), often.end(), often[0], value, "times"))
    for pair in _PAIR.finditer(text):
        yield Mention("count", pair.start(), pair.end(), pair[0], Decimal(2 if pair[0] == "俩" else 3), "个")


def _count(text: str, numeral: Numeral) -> Mention:
    """A number with its measure word, or alone."""
    position, loose = numeral.end, "range" if numeral.is_range else ""
    if text[position : position + 1] in _SOME:
        position, loose = position + 1, "inexact"
    measure = _MEASURE.match(text, position)
    end = measure.end() if measure else position
    unit = measure[1].strip().lower() if measure else ""
    if unit in _FUNCTION_WORDS:
        measure, unit, end = None, "", position
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
    _find_percents,
    _find_numbered("age", _AGE),
    _find_marked("ordinal", _ORDINAL),
    _find_words,
    _find_figures,
)
"""Each kind takes no characters that an earlier kind has taken."""
