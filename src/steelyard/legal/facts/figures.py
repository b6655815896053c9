"""Judging a text that is one number, bare or with a unit: by value, and as the kind that the question asks for.

7 days is one week, 600 per minute is 10 per second, 半年 is 6个月, 12 is 十二. A year is compared with years
only. A number of another kind elsewhere in the answer is no answer.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Context, Decimal
from typing import Final

from steelyard.i18n import Message
from steelyard.legal import thresholds
from steelyard.legal.facts.selection import is_negative, select_value
from steelyard.legal.facts.statements import FieldVerdict, inexact
from steelyard.lexicon import lexicon
from steelyard.text.mentions import Mention, mentions
from steelyard.text.values import CHINESE, Day, is_measure, same_measure, value_of

_WORDS: Final = lexicon("facts")
_KINDS: Final = frozenset(("number", "count", "money", "percent", "age", "ordinal"))
_OPEN: Final = frozenset(("legal.several_values", "legal.not_result_of_equation"))
"""Reasons against a number that stands in the answer which only a reader can check."""
_ROUNDED: Final = Context(prec=15)
_ORDINAL: Final = re.compile(r"(\d+)(?:ST|ND|RD|TH)")
_FRACTION: Final = re.compile(
    r"(?<![\d/.,])(\d{1,9}) ?/ ?(\d{1,9})(?![\d/])"
    rf"|(?![百千万]分之)([\d{CHINESE}]{{1,6}})分之([\d{CHINESE}]{{1,6}})"
)
_HALF: Final = re.compile(
    rf"([\d{CHINESE}]{{1,4}})(个?(?:年|月|小时))半|(?<![{CHINESE}])半个?(年|月|天|小时)"
    r"|\bhalf an? (year|month|day|hour)\b"
)
_PERIODS: Final = {
    word: (Decimal(entry["words"].split()[0]), name)
    for name, entry in _WORDS.entries()
    if name in ("second", "month")
    for word in entry["words"].split()[1:]
}
"""How many seconds or months a unit of time has."""
_PERIOD: Final = "|".join(sorted(_PERIODS, key=len, reverse=True))
_RATE_AFTER: Final = re.compile(rf"\s?(?:/|per|each|an?|每) ?({_PERIOD})(?![a-z])", re.IGNORECASE)
_RATE_BEFORE: Final = re.compile(rf"每({_PERIOD})[^,。\d]{{0,6}}$")
_YEAR: Final = re.compile(r"\A(\d{4})年\Z")
_REST: Final = re.compile("[a-z ]{0,24}")


def judge_figure(expected: str, question: str, answer: str) -> FieldVerdict | None:
    """Judge an expected text that is one number; None if it is anything else. All texts are normalised.

    The number of an account, a room or a case is a name.
    """
    if _WORDS["identifier_asked"].search(question):
        return None
    question, answer = _with_halves(question), _with_halves(answer)
    wanted = whole_figure(_YEAR.sub(r"\1", _with_halves(expected)))
    if wanted is None:
        return None
    if _is_year(wanted) and _WORDS["year_asked"].search(question):
        values: Sequence[Mention] = list(_years(answer))
        wanted = wanted._replace(value=Day(int(wanted.value)))
    else:
        asked = _WORDS["asked_measure"].search(question)
        noun = asked[1].lower() if asked else ""
        rate = _RATE_AFTER.search(question)
        if not wanted.unit and (rate or noun in _PERIODS):
            wanted = wanted._replace(unit=f"{noun}/{rate[1].lower()}" if rate else noun)
        values = _candidates(wanted, noun, figures(answer))
        if _base(wanted.unit):
            wanted, *values = map(_in_base_unit, (wanted, *values))
    return _verdict(wanted, question, answer, values)


def _verdict(wanted: Mention, question: str, answer: str, values: Sequence[Mention]) -> FieldVerdict:
    value, verdict = select_value(question, answer, values)
    if value is None:
        is_open = isinstance(verdict.why, Message) and verdict.why.code in _OPEN
        is_among = any(each.value == wanted.value for each in values)
        has_rival = any(each.value != wanted.value for each in values)
        return replace(verdict, unsettled=not has_rival or (is_open and is_among))
    is_limit = value.loose == "bound" and _WORDS["limit_asked"].search(question)
    if not value.is_exact and value.loose != "rate" and not is_limit:
        return FieldVerdict(False, inexact(value), unsettled=value.value == wanted.value)
    if value.value != wanted.value:
        why = Message("legal.is_not", text=value.text, expected=wanted.text)
        return FieldVerdict(False, why, names_another=True)
    return FieldVerdict(True, Message("legal.answer_says", value=value.text))


def whole_figure(text: str) -> Mention | None:
    """Return the one exact number that a normalised text consists of, with what it counts; None if it is none."""
    text = text.strip(" .。$")
    found = figures(text) if len(text) <= thresholds.LONGEST_FIGURE else []
    if len(found) != 1 or not found[0].is_exact or found[0].approx or found[0].kind == "ordinal":
        return None
    start, end = text[: found[0].start].strip(" -负"), text[found[0].end :]
    is_counted = _REST.fullmatch(end) and (not found[0].unit or found[0].text.lower() == found[0].text)
    return found[0] if not start and (not end or is_counted or _RATE_AFTER.fullmatch(end)) else None


def figures(text: str) -> list[Mention]:
    """Return the numbers in a normalised text, each with its unit; of a rate with its period."""
    parts = [_fraction(match) for match in _FRACTION.finditer(text)]
    inside = {at for part in parts for at in range(part.start, part.end)}
    whole = (figure for value in mentions(text) if value.start not in inside and (figure := _figure(text, value)))
    return sorted((*parts, *whole), key=lambda value: value.start)


def _fraction(match: re.Match[str]) -> Mention:
    over, under = (match[1], match[2]) if match[1] else (match[4], match[3])
    numerator, denominator = (value_of(part) or Decimal(0) for part in (over, under))
    value = _ROUNDED.divide(numerator, denominator) if denominator else None
    return Mention("number", *match.span(), match[0], value)


def _figure(text: str, value: Mention) -> Mention | None:
    """Return a value as a number with a unit; None if it is another kind of value."""
    if value.kind == "serial" and (ordinal := _ORDINAL.fullmatch(str(value.value))):
        return value._replace(kind="number", value=Decimal(ordinal[1]))
    if value.kind not in _KINDS:
        return None
    unit = "%" if value.kind == "percent" else value.unit
    if not unit and text.startswith("日", value.end):  # 10日内
        value, unit = value._replace(end=value.end + 1, text=f"{value.text}日"), "日"
    if value.kind == "money" and value.text[-1:] in "kKwW":  # 50k without a currency
        unit = ""
    if "/" not in unit and (rate := _RATE_AFTER.match(text, value.end) or _RATE_BEFORE.search(text[: value.start])):
        unit = f"{unit}/{rate[1].lower()}"
    number = -value.value if value.value is not None and is_negative(text, value) else value.value
    kind = value.kind if value.kind in ("ordinal", "money") else "count" if unit else "number"
    loose = "" if value.loose == "rate" and "/" in unit else value.loose
    return value._replace(kind=kind, value=number, unit=unit, loose=loose)


def _with_halves(text: str) -> str:
    """Return the text with halves as decimals: 半年 is 0.5年, 一年半 is 1.5年, half an hour is 0.5 hour."""
    return _HALF.sub(_half, text)


def _half(match: re.Match[str]) -> str:
    whole = value_of(match[1]) if match[1] else None
    return f"{(whole or 0) + Decimal('0.5')} {match[match.lastindex or 0]}"


def _in_base_unit(value: Mention) -> Mention:
    """Return a duration in seconds or months, and a rate per second or month."""
    noun, _, period = value.unit.partition("/")
    if value.value is None or (period or noun) not in _PERIODS:
        return value
    factor, base = _PERIODS[period or noun]
    number = _ROUNDED.divide(value.value, factor) if period else _ROUNDED.multiply(value.value, factor)
    return value._replace(value=number, unit=f"{noun}/{base}" if period else base)


# ----- the kind that the question asks for


def _is_year(value: Mention) -> bool:
    first, last = thresholds.YEARS
    return not value.unit and value.value is not None and value.value % 1 == 0 and first <= value.value <= last


def _years(text: str) -> Iterator[Mention]:
    """Yield the years in a text, also those of days."""
    for value in mentions(text):
        if value.kind == "date" and value.value is not None and value.value.year:
            yield value._replace(value=Day(value.value.year), loose="", until=None)
        elif value.kind in ("number", "count") and _is_year(value._replace(unit="")):
            yield value._replace(kind="date", value=Day(int(value.value)), unit="", loose="")


def _candidates(wanted: Mention, noun: str, values: Sequence[Mention]) -> Sequence[Mention]:
    """Return the numbers that can answer: of the asked things, else bare ones, else others that may be meant."""
    unit = wanted.unit or noun
    fitting = [value for value in values if _fits(unit, value.unit) and value.kind != "ordinal"]
    named = [value for value in fitting if value.unit and unit and _is_same(unit, value.unit)]
    others = [value for value in fitting if not _is_year(value)] or (fitting if not noun or _is_year(wanted) else [])
    ordinals = [value for value in values if value.kind == "ordinal"]
    return named or others or ([] if unit else ordinals)


def _fits(wanted: str, unit: str) -> bool:
    """Return whether two units can be the same; a noun of another language can mean any measure word of things."""
    if not wanted or not unit or _is_same(wanted, unit):
        return True
    if _base(wanted) or _base(unit):
        return False
    if wanted.isascii() != unit.isascii():
        return not is_measure(wanted if wanted.isascii() else unit)
    return not (is_measure(wanted) or is_measure(unit))


def _is_same(one: str, two: str) -> bool:
    """Return whether two units have the same dimension, or two nouns the same stem."""
    (first, _, period), (second, _, other) = one.partition("/"), two.partition("/")
    bases = [_PERIODS.get(each, (None, each))[1] for each in (first, second, period, other)]
    is_alike = not bases[0] or not bases[1] or bases[0][:5] == bases[1][:5] or same_measure(bases[0], bases[1])
    return is_alike and (not period or bases[2] == bases[3])


def _base(unit: str) -> str:
    """Return second or month for a duration and a rate, else ""."""
    noun, _, period = unit.partition("/")
    return _PERIODS[period or noun][1] if (period or noun) in _PERIODS else ""
