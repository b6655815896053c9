"""Arithmetic between values: sums, differences, products, shares, and the time between two dates or clock times.

Every search looks at a bounded number of nearby operands, so the cost per value does not grow with the answer.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from itertools import combinations
from typing import Final

from steelyard.text.dates import Day
from steelyard.text.mentions import Mention

_NEAR: Final = 8  # operands on either side of a value
_LONGEST_SUM: Final = 48  # addends of a sum in a row

TOTAL: Final = re.compile(
    "合计|共计|总计|累计|一共|总共|共|总额|总数|加起来|合起来|之和|相加|加上|全部|先后|已[付支还退收交]|实际|"
    r"\b(?:total|altogether|combined|sum|together|overall|aggregate|paid|received)",
    re.IGNORECASE,
)
REST: Final = re.compile(
    "差|欠|余|剩|尚|未[退还付偿归支交结]|没有?[退还付]|还有|相减|减去|扣除|扣减|超出|多出|少[了付收退]|"
    r"\b(?:difference|balance|remain|outstanding|ow(?:ed|ing|es)|left|unpaid|still|short|minus|unreturned|"
    "not been|yet to|shortfall|excess)",
    re.IGNORECASE,
)
_RATE: Final = re.compile(r"利率|利息|年息|月息|税率|违约金|\b(?:interest|rate|penalty)\b", re.IGNORECASE)
_SHARE: Final = re.compile(
    r"占|比例|比重|份额|之|\b(?:of|share|proportion|portion|fraction|per cent)\b|\(\0", re.IGNORECASE
)
_DEADLINE: Final = re.compile(
    "期限|到期|届满|期满|截至|截止|至迟|最迟|最晚|不晚于|应[于在当]|之前|前|止|"
    r"\b(?:due|deadline|expir|until|by|no later|end(?:s|ed)?|latest|run(?:s|ning)? to)\b",
    re.IGNORECASE,
)
_TIME_BETWEEN: Final = re.compile(
    "相隔|相距|间隔|历时|持续|之间|期间|经过|共|为期|时隔|后|前|不到|超过|至|到|长达|工作|任职|满|多|"
    r"\b(?:between|later|after|before|lasted|elapsed|apart|over|within|span|period"
    r"|from|total|duration|for|worked|employed|since|more than|just)",
    re.IGNORECASE,
)


def cents(value: Decimal) -> int:
    """An amount in hundredths, as an int: cheap to add and to look up."""
    return int((value * 100).to_integral_value())


@dataclass(slots=True)
class Stated:
    """Operands of one kind in the order of the answer, with their positions."""

    places: list[int] = field(default_factory=list)
    values: list[int] = field(default_factory=list)

    def add(self, place: int, value: int) -> None:
        """Insert a value at its position."""
        at = bisect_left(self.places, place)
        self.places.insert(at, place)
        self.values.insert(at, value)

    def near(self, place: int, limit: int = _NEAR) -> list[int]:
        """The values nearest to a position, before and after it."""
        at = bisect_left(self.places, place)
        return self.values[max(0, at - limit) : at + limit]

    def between(self, start: int, end: int) -> list[int]:
        """The values at positions from `start` to before `end`."""
        return self.values[bisect_left(self.places, start) : bisect_left(self.places, end)]

    def runs(self, place: int) -> Iterator[int]:
        """Sums of two or more consecutive values that end before the position or begin after it."""
        at = bisect_left(self.places, place)
        for row in (reversed(self.values[max(0, at - _LONGEST_SUM) : at]), self.values[at : at + _LONGEST_SUM]):
            total = 0
            for number, value in enumerate(row, 1):
                total += value
                if number > 1:
                    yield total


def is_sum(value: int, place: int, stated: Stated) -> bool:
    """Whether a value is the sum or the difference of two stated ones, or of several in a row."""
    if not stated.values:
        return False
    near = Counter(stated.near(place))
    for one in near:
        other = value - one
        if (other in near and (other != one or near[one] > 1)) or (value + one in near and value != 0):
            return True
    return any(run == value or value + run in near for run in stated.runs(place))


def is_product(value: int, amounts: Iterable[int], counts: Iterable[int]) -> bool:
    """Whether a value is an amount times a count, or an amount divided by a count."""
    numbers = [count for count in counts if 1 < count <= 1000]
    return any(
        value == amount * count or 2 * abs(value * count - amount) <= count for amount in amounts for count in numbers
    )


def is_part(value: int, amounts: Iterable[int], percents: Sequence[Decimal], counts: Sequence[int]) -> bool:
    """Whether a value is a percentage of an amount, the rest of it, or interest over a number of periods."""
    shares = {share for percent in percents for share in _portions(percent, counts)}
    return any(abs(amount * share - value) <= 50 for amount in amounts for share in shares)


def _portions(percent: Decimal, counts: Sequence[int]) -> Iterator[Decimal]:
    share = percent / 100
    yield from (share, 1 - share, 1 + share)
    for count in counts[:4]:
        yield from (share * count, share * count / 12, share * count / 365, share * count / 360)


def is_share(percent: Decimal, values: Iterable[int], *, of_rest: bool) -> bool:
    """Whether a percentage is the ratio of two values as far as its digits go; `of_rest` allows what is left of it."""
    exponent = percent.as_tuple().exponent
    slack = Decimal(6) * Decimal(10) ** (int(exponent) - 1)
    for small, large in combinations(sorted(set(values)), 2):
        ratio = Decimal(100 * small) / large if large and small > 0 else Decimal(-1)
        if abs(ratio - percent) <= slack or (of_rest and ratio >= 0 and abs(100 - ratio - percent) <= slack):
            return True
    return False


def is_share_of(percent: Decimal, stated: Iterable[int], known: Sequence[int], *, of_rest: bool) -> bool:
    """Whether a percentage is the ratio of a stated value and one of the document."""
    return any(is_share(percent, (one, other), of_rest=of_rest) for one in stated for other in known)


def names_a_share(around: str) -> bool:
    """Whether the words around a percentage say that it is a part of something, and not a rate."""
    return _SHARE.search(around) is not None and not _RATE.search(around)


def may_be_share(percent: Decimal, around: str) -> bool:
    """Whether a percentage without stated operands may be meant as a ratio: three digits or more, and not a rate."""
    return len(percent.normalize().as_tuple().digits) >= 3 and not _RATE.search(around)


def is_rounded(value: Mention, known: Decimal) -> bool:
    """Whether a value is an approximation of an amount: 约4万 and 4万多 of 42000, 近5万 of 48000."""
    stated = value.value
    if known <= 0 or len(stated.normalize().as_tuple().digits) >= len(known.normalize().as_tuple().digits):
        return False
    unit = Decimal(10) ** stated.normalize().as_tuple().exponent
    if value.loose == "inexact":
        return bool(stated < known < stated + unit)
    return abs(stated - known) <= unit / 2 or (value.loose == "bound" and abs(stated - known) < unit)


# ----- the time between two moments

_DAYS_OF: Final = {"天": 1, "日": 1, "days": 1, "day": 1, "周": 7, "星期": 7, "weeks": 7, "week": 7}
_MONTHS_OF: Final = {"个月": 1, "月": 1, "months": 1, "month": 1, "年": 12, "years": 12, "year": 12, "季度": 3}
CALENDAR_UNITS: Final = frozenset((*_DAYS_OF, *_MONTHS_OF))
_MINUTES_OF: Final = {"小时": 60, "个小时": 60, "hours": 60, "hour": 60, "分钟": 1, "minutes": 1, "minute": 1, "分": 1}


def is_span(value: Decimal, unit: str, days: Sequence[Day], clocks: Sequence[int]) -> bool:
    """Whether so many days, weeks, months, years, hours or minutes lie between two of these moments."""
    if unit in _DAYS_OF:
        return any(_is_days(value * _DAYS_OF[unit], one, two) for one, two in combinations(_calendar(days), 2))
    if unit in _MONTHS_OF:
        years = {day.year for day in days if day.year}
        if _MONTHS_OF[unit] == 12 and any(value == abs(one - two) for one, two in combinations(years, 2)):
            return True
        return any(_is_months(value, _MONTHS_OF[unit], one, two) for one, two in combinations(_months(days), 2))
    if unit in _MINUTES_OF:
        return any(_is_minutes(value * _MINUTES_OF[unit], two - one) for one, two in combinations(sorted(clocks), 2))
    return False


def is_after(day: Day, known: Day, count: int, unit: str) -> bool:
    """Whether a day is so many days, weeks, months or years after a known one; the first day may count."""
    if not (known.is_whole and known.is_possible and day.is_possible):
        return False
    if unit in _DAYS_OF:
        later = _calendar((day,))[0] - _calendar((known,))[0]
        return later.days in (count * _DAYS_OF[unit], count * _DAYS_OF[unit] - 1)
    months = _months((day,))[0][0] - _months((known,))[0][0]
    same = day.day in (known.day, (known.day or 1) - 1)
    return months == count * _MONTHS_OF[unit] and same


def names_a_deadline(around: str) -> bool:
    """Whether the words around a date say that a period ends there."""
    return _DEADLINE.search(around) is not None


def names_a_span(around: str) -> bool:
    """Whether the words around a number of days say that it is the time between two moments."""
    return _TIME_BETWEEN.search(around) is not None


def _calendar(days: Sequence[Day]) -> list[date]:
    """The days that name one day of the calendar."""
    whole = (day for day in days if day.is_whole and day.is_possible)
    return [date(day.year or 1, day.month or 1, day.day or 1) for day in whole]


def _is_days(value: Decimal, one: date, two: date) -> bool:
    between = abs((two - one).days)
    return between > 0 and value in (between, between + 1)


def _months(days: Sequence[Day]) -> list[tuple[int, int]]:
    """Months since year 0 with the day of the month."""
    return [(day.year * 12 + day.month, day.day or 0) for day in days if day.year and day.month]


def _is_months(value: Decimal, length: int, one: tuple[int, int], two: tuple[int, int]) -> bool:
    """Whole months that have passed, begun ones counted or not; years likewise."""
    (first, first_day), (last, last_day) = sorted((one, two))
    passed = last - first - (last_day < first_day)
    if passed < 1:
        return False
    return value in (passed // length, -(-passed // length), (passed + 1) // length, Decimal(passed) / length)


def _is_minutes(value: Decimal, between: int) -> bool:
    return between > 0 and abs(value - between) * 20 <= between
