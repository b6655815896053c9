"""Values in a text: addresses, personal and card numbers, dates, times, shares, money, counts; each found once."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import accumulate
from operator import attrgetter
from typing import Final

from steelyard.lexicon import lexicon
from steelyard.text.normalisation import HAN
from steelyard.text.values import (
    CHINESE,
    MEASURES,
    NEAR,
    NEAR_WORDS,
    NUMBER_WORDS,
    SCALES,
    Kind,
    Mention,
    Numeral,
    blanked,
    find_dates,
    numerals,
    value_of,
)

__all__ = ["Kind", "Mention", "currency_code", "mentions"]

_WORDS: Final = lexicon("values")


@lru_cache(maxsize=1 << 12)
def mentions(text: str) -> tuple[Mention, ...]:
    """Return all values of a normalised text, in order; a kind takes no characters that an earlier finder has taken.

    Sentences without a letter or a number have none and are left out: most sentences of a long Chinese answer.
    """
    sentences = [match for match in _SENTENCE.finditer(text) if _OF_VALUE.search(match[0])]
    starts = list(accumulate((len(match[0]) for match in sentences), initial=0))
    values: list[Mention] = []
    left = "".join(match[0] for match in sentences)
    for find in FINDERS:
        if new := list(find(left)):
            values += new
            left = blanked(left, new)
    moved = (_moved(text, value, sentences, starts) for value in values)
    return tuple(sorted(moved, key=attrgetter("start")))


_SENTENCE: Final = re.compile(r"[^。!?;\n]*[。!?;\n]?")
_OF_VALUE: Final = re.compile(f"[\\dA-Za-z{CHINESE}俩仨]")


def _moved(text: str, value: Mention, sentences: Sequence[re.Match[str]], starts: Sequence[int]) -> Mention:
    number = bisect_right(starts, value.start) - 1
    start = value.start + sentences[number].start() - starts[number]
    end = start + value.end - value.start
    return value._replace(start=start, end=end, text=text[start:end])


# ----- readers of matches


def _code(kind: Kind, match: re.Match[str]) -> Mention:
    """Return a number whose digits and letters are the value; those of a named group, if it has one."""
    named = next((name for name, value in match.groupdict().items() if value), 0)
    digits = "".join(char for char in match[named] if char.isascii() and char.isalnum()).upper()
    return Mention(kind, *match.span(named), match[named], digits)


def _address(kind: Kind, match: re.Match[str]) -> Mention:
    """Return an address, whose text is the value, without case, https:// and www."""
    plain = re.sub(r"^(?:https?://)?(?:www\.)?|/$", "", match[0].lower())
    return Mention(kind, *match.span(), match[0], plain)


def _version(kind: Kind, match: re.Match[str]) -> Mention | None:
    """Return a version of three parts, or after a word that announces one; any other number with a point is none."""
    before = match.string[max(0, match.start() - NEAR) : match.start()]
    if match[0].count(".") == 1 and match[0][0] not in "vV" and not _WORDS["version_before"].search(before):
        return None
    return Mention(kind, *match.span(), match[0], match[0].lower().removeprefix("v"))


def _score(kind: Kind, match: re.Match[str]) -> Mention:
    """Return two numbers that belong together: 3比2 and 3:2 are 3:2."""
    return Mention(kind, *match.span(), match[0], ":".join(str(value_of(part)) for part in re.split("[比:]", match[0])))


def _ordinal(kind: Kind, match: re.Match[str]) -> Mention:
    """Return the number of a thing: 第十七届 is 17 with the unit 届, page 3 is PAGE3; 第5.2条 is no single number."""
    if match[1] is None:
        return _code(kind, match)
    return Mention(kind, *match.span(), match[0], None if "." in match[1] else value_of(match[1]), match[2] or "")


def _number(kind: Kind, match: re.Match[str]) -> Mention:
    """Return a mark whose number is the value: 35岁."""
    values = [numeral.value for numeral in numerals(match[0])]
    return Mention(kind, *match.span(), match[0], values[0] if values else None)


_SHARES: Final = {"百分之": "1", "千分之": "0.1", "万分之": "0.01", "‰": "0.1", "‱": "0.01"}
_FEN: Final = {
    "年": Decimal(10),
    "日": Decimal("0.1"),
}  # 分 of interest in per cent; that of a month is 1, 厘 is a tenth


def _percent(kind: Kind, match: re.Match[str]) -> Mention:
    """Return a share in per cent: 1.2% and 百分之一点二 are 1.2, 3‰ and 千分之三 are 0.3, 年息一分二 is 12."""
    part, sign = match[0][:3], match[0][-1]
    if ("分" in match[0][1:] and part not in _SHARES) or sign == "厘":
        return Mention(kind, *match.span(), match[0], _interest(match[0]))
    values = [numeral.value for numeral in numerals(match[0].removeprefix(part) if part in _SHARES else match[0])]
    share = Decimal(_SHARES.get(part) or _SHARES.get(sign, "1"))
    value = values[0] * share if values and values[0] is not None else None
    return _qualified(match.string, Mention(kind, *match.span(), match[0], value))


def _interest(text: str) -> Decimal:
    """Return interest in 分 and 厘 in per cent: 月息一分五 is 1.5, 年息一分 is 10, 日息三厘 is 0.03."""
    whole, has_fen, tenths = re.sub("[利息率为是按:日月年]", "", text).rpartition("分")
    fen = _digit(whole) if has_fen else Decimal(0)
    return (fen + _digit(tenths.removesuffix("厘") or "零") / 10) * _FEN.get(text[0], Decimal(1))


_TIMES: Final = {"once": 1, "twice": 2, "thrice": 3, "俩": 2, "仨": 3}


def _times(kind: Kind, match: re.Match[str]) -> Mention:
    """Return a count that is one word: twice, 俩."""
    unit = "times" if match[0].isascii() else "个"
    return _qualified(match.string, Mention(kind, *match.span(), match[0], Decimal(_TIMES[match[0].lower()]), unit))


# ----- money and counts

_CURRENCY_NAMES: Final = [entry["words"].split() for name, entry in _WORDS.entries() if name == "currency"]
_CURRENCIES: Final = {name.lower(): names[0] for names in _CURRENCY_NAMES for name in names}
_LOCAL: Final = _WORDS.words("local_currency")
_NAMES: Final = sorted(map(re.escape, _CURRENCIES), key=len, reverse=True)
_BEFORE: Final = "|".join(name for name in _NAMES if name not in _WORDS.words("currency_after"))
_BEFORE_MONEY: Final = re.compile(rf"(?<![A-Za-z])({_BEFORE})\s?:?\s?\(?$", re.IGNORECASE)
_AFTER_MONEY: Final = re.compile(rf" {{0,2}}(?:US )?({'|'.join(_NAMES)})(?![A-Za-z])", re.IGNORECASE)
_SCALE: Final = re.compile(
    rf"\s?\)?\s?(?:(百万|千万|万亿|[千万亿])(?![{HAN}]{{0,6}}分之)|([wk])(?![a-z])"
    r"|(thousand|millions?|billions?|trillions?|mn|bn|mio|mm)\b|([mb])\b)",
    re.IGNORECASE,
)
_SHORT_SCALES: Final = {
    "w": 10**4, "k": 1000, "mn": 10**6, "mio": 10**6, "mm": 10**6, "bn": 10**9, "m": 10**6, "b": 10**9
}  # fmt: skip
# 1.234,00 · 42 000 yuan · € 1 234 567,89 · CHF 1'234.50: groups that only money has
_GROUPED: Final = re.compile(
    r"(?<![\d.,])\d{1,3}(?:(?:\.\d{3}){1,6},\d{1,2}|(?:[ '’]\d{3}){1,6}(?:[.,]\d{2})?)(?![\d,])"
)
_CHANGE: Final = re.compile(rf"(?:零?(\d|[{CHINESE}])[角毛])?(?:零?(\d|[{CHINESE}])分(?!钟|之))?")
_TAIL_DIGIT: Final = re.compile(rf"([{CHINESE}]|\d)(?![\d.万千百十亿元块角毛分{CHINESE}])")
_FUNCTION_WORDS: Final = _WORDS.words("function_word")
_MEASURE: Final = re.compile(
    rf"\s*({'|'.join(sorted(MEASURES, key=len, reverse=True))}|{_WORDS.source('after_digits')}"
    r"|(?<=\d) ?[a-z]+|(?<=[a-z]) [a-z]+)",
    re.IGNORECASE,
)


def currency_code(name: str) -> str:
    """Return the code of a currency by any of its names; empty if unknown."""
    return _CURRENCIES.get(name.lower(), "")


def _find_figures(text: str) -> Iterator[Mention]:
    """Yield amounts of money, and the other numbers as counts or plain numbers."""
    end = 0
    foreign = {match.start(): _foreign(match) for match in _GROUPED.finditer(text)}
    for numeral in numerals(text):
        if numeral.start >= end:
            grouped = foreign.get(numeral.start)
            money = (_money(text, grouped) if grouped else None) or _money(text, numeral)
            mention = money or _count(text, numeral)
            end = mention.end
            yield mention


def _foreign(match: re.Match[str]) -> Numeral:
    """Return a number with foreign digit grouping, which is read this way only beside a currency."""
    figure = re.sub("[ '’]", "", match[0])
    plain = figure.replace(".", "").replace(",", ".") if "," in figure[-3:] else figure
    return Numeral(*match.span(), match[0], Decimal(plain))


def _money(text: str, numeral: Numeral) -> Mention | None:
    """Return the amount of money that starts with this number; None without a currency."""
    before = _BEFORE_MONEY.search(text[max(0, numeral.start - NEAR) : numeral.start])
    value = numeral.value
    at, loose = _after_some(text, numeral)
    if (scale := _SCALE.match(text, at)) is not None:
        unit = _scale_of(scale)
        value, at = None if value is None else value * unit, scale.end()
        if _WORDS["some"].match(text, at):
            at, loose = at + 1, "inexact"
        elif scale[1] and value is not None and (tail := _TAIL_DIGIT.match(text, at)):
            value, at = value + _digit(tail[1]) * unit / 10, tail.end()
    after = _AFTER_MONEY.match(text, at)
    if not (before or after or (scale and scale[2])) or (scale and scale[4] and not before):
        return None
    if after:
        value, at = _with_change(text, after.end(), value)
    at += text[at : at + 1] in ("整", "正")
    start = numeral.start - (len(before[0]) if before else 0)
    currency = _currency_of([match[1].lower() for match in (after, before) if match])
    return _qualified(text, Mention("money", start, at, text[start:at], value, currency, loose))


def _after_some(text: str, numeral: Numeral) -> tuple[int, str]:
    """Return where a number ends, with a word for "some" after it, and why it is no exact value."""
    if _WORDS["some"].match(text, numeral.end):
        return numeral.end + 1, "inexact"
    return numeral.end, "range" if numeral.is_range else ""


def _scale_of(scale: re.Match[str]) -> Decimal:
    word = scale[scale.lastindex or 0].lower()
    known = SCALES.get(word.removesuffix("s")) or _SHORT_SCALES.get(word)
    return Decimal(known) if known else value_of(word) or Decimal(1)


def _currency_of(names: list[str]) -> str:
    """Return the currency by the names after and before a number; the one before wins over a local name."""
    if len(names) == 2 and names[0] in _LOCAL:
        names.reverse()
    return _CURRENCIES[names[0]] if names else "CNY"


def _with_change(text: str, at: int, value: Decimal | None) -> tuple[Decimal | None, int]:
    """Add the change after a sum: 八十元五角 is 80.5, 五块五 is 5.5."""
    change = _CHANGE.match(text, at)
    if value is None or change is None:
        return value, at
    value += _digit(change[1] or "零") / 10 + _digit(change[2] or "零") / 100
    tail = _TAIL_DIGIT.match(text, change.end()) if text[change.end() - 1] == "块" else None
    return (value + _digit(tail[1]) / 10, tail.end()) if tail else (value, change.end())


def _digit(text: str) -> Decimal:
    return value_of(text) or Decimal(0)


def _count(text: str, numeral: Numeral) -> Mention:
    at, loose = _after_some(text, numeral)
    measure = _MEASURE.match(text, at)
    unit = measure[1].strip().lower() if measure else ""
    if measure is None or unit in _FUNCTION_WORDS:
        return _qualified(text, Mention("number", numeral.start, at, "", numeral.value, "", loose))
    end, before = measure.end(), text[max(0, numeral.start - NEAR) : numeral.start]
    if rate := _WORDS["short_rate"].match(text, end):
        end = rate.end()
    rate = rate or _WORDS["rate"].match(text, end) or _WORDS["short_rate_before"].search(before)
    rate = rate or _WORDS["rate_before"].search(before)
    unit = f"{unit}/{rate['period'].lower()}" if rate and rate["period"] else unit
    return _qualified(text, Mention("count", numeral.start, end, "", numeral.value, unit, loose))


def _qualified(text: str, mention: Mention) -> Mention:
    """Return whether the words beside a value make it a bound, a rate, a range, or approximate."""
    near, after = text[max(0, mention.start - NEAR) : mention.start], text[mention.end : mention.end + NEAR]
    before = text[max(0, mention.start - NEAR_WORDS) : mention.start] if re.search("[A-Za-z]", near) else near
    loose = mention.loose or _looseness(mention.kind, before, after)
    approx = bool(_WORDS["approx_before"].search(before) or _WORDS["approx_after"].match(after))
    return mention._replace(loose=loose, approx=approx)


def _looseness(kind: Kind, before: str, after: str) -> str:
    """Return why a value is not exact, by the words before and after it."""
    if _WORDS["bound_before"].search(before) or _WORDS["bound_after"].match(after):
        return "bound"
    if kind != "percent" and (_WORDS["rate"].match(after) or _WORDS["rate_before"].search(before)):
        return "rate"
    if kind not in ("money", "percent"):
        return ""
    is_range = _WORDS["span_before"].search(before) or (_WORDS["span_after"].match(after) and "=" not in after)
    return "range" if is_range else ""


# ----- the kinds

Find = Callable[[str], Iterable[Mention]]
_Read = Callable[[Kind, re.Match[str]], Mention | None]


def _found(kind: Kind, pattern: str | re.Pattern[str], read: _Read = _code) -> Find:
    """Return a finder of one kind: what the reader makes of each match of a pattern."""
    compiled = re.compile(pattern)
    return lambda text: (found for match in compiled.finditer(text) if (found := read(kind, match)))


def _each(kind: Kind, name: str, read: _Read) -> list[Find]:
    """Return a finder for each entry of a class of words."""
    sources = [_WORDS.entry_source(entry) for cls, entry in _WORDS.entries() if cls == name]
    return [_found(kind, re.compile(source, re.IGNORECASE), read) for source in sources]


_CODES: Final = "|".join(sorted({name for name in _CURRENCIES if name.isalpha() and name.isascii()}, key=len))
_FREE: Final = r"(?<![0-9A-Za-z])"
_END: Final = r"(?![0-9A-Za-z])"
FINDERS: Final[tuple[Find, ...]] = (
    *_each("address", "address", _address),
    _found(
        "id",
        r"[1-9](?<![0-9A-Za-z].)\d{5} ?(?:1[89]|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]) ?\d{3}[0-9Xx]"
        rf"{_END}",
    ),
    _found(
        "phone",
        rf"(?=[+(\d])(?:{_FREE}(?:\+?86[- ]?)?1[3-9]\d[- ]?\d{{4}}[- ]?\d{{4}}|{_FREE}0\d{{2,3}}-\d{{7,8}}"
        rf"|(?:{_FREE}\+?1[- ]?)?(?:\(\d{{3}}\) ?|{_FREE}\d{{3}}-)?{_FREE}\d{{3}}-\d{{4}}){_END}",
    ),
    *_each("card", "card", _code),
    _found("serial", _WORDS["announced_number"]),
    find_dates,
    *_each("version", "version", _version),
    _found(
        "serial",  # a plate, or letters and digits together
        rf"[\u4e00-\u9fff][A-Z](?=[A-Z]{{0,5}}\d)[A-Z0-9]{{5,6}}{_END}"
        rf"|(?<![0-9A-Za-z.])(?!(?i:{_CODES})\d[\d,.]*{_END})[A-Za-z]{{1,10}}[-_]?\d[A-Za-z0-9_-]*"
        rf"|(?<![0-9A-Za-z.$€£¥])\d+(?!(?i:{_WORDS.source('glued_unit')}){_END})[A-Za-z][A-Za-z0-9_-]*(?<![wWkK]){_END}",
    ),
    _found("time", _WORDS["time"]),
    *_each("score", "score", _score),
    _found(
        "percent",
        re.compile(rf"{_WORDS['percent'].pattern}|(?<!point )(?<!-){NUMBER_WORDS} per ?cent\b", re.IGNORECASE),
        _percent,
    ),
    _found("age", _WORDS["age"], _number),
    _found("ordinal", _WORDS["ordinal"], _ordinal),
    _found("count", re.compile(r"\b(?:once|twice|thrice)\b|[俩仨]", re.IGNORECASE), _times),
    _find_figures,
)
"""In order of precedence."""
