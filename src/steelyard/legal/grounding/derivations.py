"""Derived values: whether a value of an answer follows from supported ones by arithmetic.

Sums, differences, products, shares, and the time between two dates or clock times. Every search looks at a bounded
number of nearby operands, so the cost per value does not grow with the answer.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from itertools import accumulate, combinations
from typing import Final, Generic, TypeVar

from steelyard.legal import thresholds
from steelyard.legal.grounding.claims import Claims
from steelyard.legal.grounding.grounds import Ground, cents, minutes_of, values_of
from steelyard.legal.thresholds import NEAR_COUNTS, NEAR_MOMENTS
from steelyard.lexicon import lexicon
from steelyard.text.mentions import Mention
from steelyard.text.values import Day, numerals, same_measure

_WORDS: Final = lexicon("grounding")
_Operand = TypeVar("_Operand")
_SIZES: Final = {
    unit: (dimension, Decimal(size.partition(":")[0]), Decimal(size.partition(":")[2] or 0))
    for dimension, (name, entry) in enumerate(_WORDS.entries())
    if name == "unit_sizes"
    for unit, size in (pair.split("=") for pair in entry["words"].split())
}
"""The dimension, the size and the zero of units."""
_SECONDS, _MONTHS = _SIZES["秒"][0], _SIZES["个月"][0]
_HOUR, _DAY = _SIZES["小时"][1], _SIZES["天"][1]


class _Stated(Generic[_Operand]):
    """Operands of one kind in the order of the answer, with their positions."""

    def __init__(self) -> None:
        self.positions: list[int] = []
        self.values: list[_Operand] = []

    def add(self, position: int, value: _Operand) -> None:
        at = bisect_left(self.positions, position)
        self.positions.insert(at, position)
        self.values.insert(at, value)

    def near(self, position: int, limit: int = thresholds.NEAR_AMOUNTS) -> list[_Operand]:
        """Return the values nearest to a position, before and after it."""
        at = bisect_left(self.positions, position)
        return self.values[max(0, at - limit) : at + limit]

    def between(self, start: int, end: int) -> list[_Operand]:
        return self.values[bisect_left(self.positions, start) : bisect_left(self.positions, end)]


class DerivedValues:
    """The supported values of an answer, as operands from which others may follow."""

    def __init__(self, claims: Claims, unknown: Sequence[Mention], grounds: Sequence[Ground]) -> None:
        self.text = claims.text
        self.claims = claims
        self.grounds = grounds
        self.amounts, self.counts, self.minutes = _Stated[int](), _Stated[int](), _Stated[int]()
        self.days = _Stated[Day]()
        self.percents: list[Decimal] = []
        missing = {value.start for value in unknown}
        for value in claims.values:
            if value.start not in missing:
                self.add(value)
        for value in values_of(claims.text):
            if value.kind in ("count", "number") and value.value is not None and 1 <= value.value <= 1000:
                self.counts.add(value.start, int(value.value))

    def add(self, value: Mention) -> None:
        """Add a supported value to the operands."""
        match value.kind:
            case "money" | "number" if value.value is not None:
                self.amounts.add(value.start, cents(value.value))
            case "date":
                for day in (value.value, value.until):
                    if day is not None:
                        self.days.add(value.start, day)
            case "time":
                self.minutes.add(value.start, min(minutes_of(self.text, value)))
            case "percent" if value.value is not None and len(self.percents) < thresholds.NEAR_AMOUNTS:
                self.percents.append(value.value)

    def follows(self, value: Mention) -> bool:
        if value.value is None:
            return False
        match value.kind:
            case "money" | "number":
                return self._is_amount(value)
            case "percent":
                return self._is_percent(value)
            case "date":
                return self._is_later(value)
            case "count":
                return self._is_count(value)
        return False

    def _says(self, name: str, value: Mention) -> bool:
        """Return whether the words of the clause around a value have a class of words."""
        reach = thresholds.CLAUSE_REACH * (3 if self.text.isascii() else 1)
        before = re.split(r"[。;\n]", self.text[max(0, value.start - reach) : value.start])[-1]
        after = re.split(r"[,。;\n]", self.text[value.end : value.end + reach], maxsplit=1)[0]
        return _WORDS[name].search(f"{before}\0{after}") is not None

    # ----- amounts and shares

    def _is_amount(self, value: Mention) -> bool:
        amount, near = cents(value.value), self.amounts.near(value.start)
        counts = self.counts.near(value.start, NEAR_COUNTS)
        is_result = _adds_up_to(amount, value.start, self.amounts) or _is_product(amount, near, counts)
        is_total = self.claims.is_bare(value) and self._is_total_of_counts(value)
        return is_result or is_total or _is_part(amount, near, self.percents, counts)

    def _is_percent(self, value: Mention) -> bool:
        percent, of_rest = value.value, self._says("rest", value)
        stated, counts = self.amounts.near(value.start), self.counts.near(value.start, NEAR_COUNTS)
        if _is_share(percent, stated, of_rest=of_rest) or _is_share(percent, counts, of_rest=of_rest):
            return True
        known = [amount for ground in self.grounds for amount in ground.amounts]
        known += [cents(number) for ground in self.grounds for number in ground.counts if number > 1]
        if len(known) > thresholds.FIGURES_OF_SHARES or self._says("rate", value):
            return False
        figures = [*stated, *(100 * count for count in counts)]
        pairs = [(one, other) for one in figures for other in known]
        if self._says("share", value) and any(_is_share(percent, pair, of_rest=of_rest) for pair in pairs):
            return True
        return len(percent.normalize().as_tuple().digits) >= 3 and _is_share(percent, known, of_rest=of_rest)

    # ----- counts and times

    def _is_count(self, value: Mention) -> bool:
        """Return whether a count is the time between two moments, or the number of payments that the answer lists."""
        number, unit = self._whole_span(value)
        days, clocks = self.days.near(value.start, NEAR_MOMENTS), self.minutes.near(value.start, NEAR_MOMENTS)
        if _is_span(number, unit, days, clocks) or self._is_total_count(value) or self._is_converted(value):
            return True
        amounts = self.amounts.near(value.start, NEAR_MOMENTS)
        if any(one == two * value.value for one in amounts for two in amounts):
            return True
        if same_measure(value.unit, "次") and value.value in (len(self.amounts.values), len(self.days.values)):
            return True
        return self._says("time_between", value) and any(
            _is_span(number, unit, ground.days, sorted(ground.minutes)[: thresholds.NEAR_AMOUNTS])
            for ground in self.grounds
            if len(ground.days) <= thresholds.DAYS_OF_SPANS
        )

    def _whole_span(self, value: Mention) -> tuple[Decimal, str]:
        """Return the full span that a value is part of: 1小时25分钟 is 85 minutes, 两年七个月 is 31 months."""
        before, unit = self.text[max(0, value.start - 20) : value.start], value.unit
        match _SIZES.get(unit):
            case (dimension, 60, _) if dimension == _SECONDS and (hours := _WORDS["hours_before"].search(before)):
                return value.value + 60 * _number(hours[1]), unit
            case (_, size, _) if size == _HOUR and (minutes := _WORDS["minutes_after"].match(self.text, value.end)):
                return value.value * 60 + _number(minutes[1]), "分钟"
            case (dimension, 1, _) if dimension == _MONTHS and (years := _WORDS["years_before"].search(before)):
                return value.value + 12 * _number(years[1]), unit
            case (_, 12, _) if months := _WORDS["months_after"].match(self.text, value.end):
                return value.value * 12 + _number(months[1]), "个月"
        return value.value, unit

    def _is_converted(self, value: Mention) -> bool:
        """Return whether a measure is one of the document in another unit: 8 km for 5 miles."""
        dimension, size, zero = _SIZES.get(value.unit, (-1, Decimal(1), Decimal(0)))
        figures = value.value.normalize().as_tuple()
        is_rough = len(figures.digits) <= thresholds.ROUGH_DIGITS
        slack = value.value / thresholds.ROUGH_MEASURE if is_rough else Decimal(10) ** figures.exponent / 2
        known = [
            (*_SIZES[unit], number) for ground in self.grounds for number, unit in ground.measures if unit in _SIZES
        ]
        return any(
            other == dimension
            and length != size
            and abs((number + start) * length / size - zero - value.value) <= slack
            for other, length, start, number in known
        )

    def _counts_before(self, value: Mention) -> list[int]:
        start = max(self.text.rfind(mark, max(0, value.start - 200), value.start) for mark in "。;\n")
        return self.counts.between(start, value.start)

    def _is_total_count(self, value: Mention) -> bool:
        pairs = combinations(self._counts_before(value)[-6:], 2)
        if self._says("rest", value) and any(one - two == value.value for one, two in pairs):
            return True
        return self._says("total", value) and self._is_total_of_counts(value)

    def _is_total_of_counts(self, value: Mention) -> bool:
        parts = self._counts_before(value)
        return len(parts) > 1 and sum(parts) == value.value

    def _is_later(self, value: Mention) -> bool:
        """Return whether a date is a period of the document after or before one of its days."""
        if value.until is not None or not value.value.is_whole or not self._says("deadline", value):
            return False
        periods = [each for ground in self.grounds for each in ground.measures if each[1] in _SIZES]
        return any(
            _is_span(count, unit, (known, value.value), ())
            for ground in self.grounds
            if len(ground.days) <= 2 * thresholds.DAYS_OF_SPANS
            for known in ground.days
            for count, unit in periods[: thresholds.PERIODS]
        )


def _number(text: str) -> Decimal:
    return numerals(text)[0].value or Decimal(0)


# ----- arithmetic


def _adds_up_to(value: int, position: int, stated: _Stated[int]) -> bool:
    """Return whether a value is the sum or the difference of two stated ones, or of several in a row beside it."""
    near = Counter(stated.near(position))
    for one in near:
        other = value - one
        if (other in near and (other != one or near[one] > 1)) or (value + one in near and value != 0):
            return True
    at = bisect_left(stated.positions, position)
    rows = stated.values[max(0, at - thresholds.ADDENDS) : at][::-1], stated.values[at : at + thresholds.ADDENDS]
    runs = (total for row in rows for total in list(accumulate(row))[1:])
    return any(run == value or value + run in near for run in runs)


def _is_product(value: int, amounts: Iterable[int], counts: Iterable[int]) -> bool:
    numbers = [count for count in counts if count > 1]
    return any(
        value == amount * count or 2 * abs(value * count - amount) <= count for amount in amounts for count in numbers
    )


def _is_part(value: int, amounts: Iterable[int], percents: Sequence[Decimal], counts: Sequence[int]) -> bool:
    """Return whether a value is a percentage of an amount, the rest of it, or interest over a number of periods."""
    shares: set[Decimal] = set()
    for share in (percent / 100 for percent in percents):
        shares |= {share, 1 - share, 1 + share}
        shares |= {share * count / periods for count in counts[:4] for periods in (1, 12, 365, 360)}
    return any(abs(amount * share - value) <= thresholds.ROUNDED_CENTS for amount in amounts for share in shares)


def _is_share(percent: Decimal, values: Iterable[int], *, of_rest: bool) -> bool:
    """Whether a percentage is the ratio of two values as far as its digits go; `of_rest` allows what is left of it."""
    slack = Decimal(6) * Decimal(10) ** (int(percent.as_tuple().exponent) - 1)
    for small, large in combinations(sorted(set(values)), 2):
        ratio = Decimal(100 * small) / large if large and small > 0 else Decimal(-1)
        if abs(ratio - percent) <= slack or (of_rest and ratio >= 0 and abs(100 - ratio - percent) <= slack):
            return True
    return False


def is_rounded(value: Mention, known: Decimal) -> bool:
    """Return whether a value is an approximation of an amount: 约4万 and 4万多 of 42000, 近5万 of 48000."""
    stated = value.value
    if known <= 0 or len(stated.normalize().as_tuple().digits) >= len(known.normalize().as_tuple().digits):
        return False
    unit = Decimal(10) ** stated.normalize().as_tuple().exponent
    if value.loose == "inexact":
        return bool(stated < known < stated + unit)
    return abs(stated - known) <= unit / 2 or (value.loose == "bound" and abs(stated - known) < unit)


# ----- the time between two moments


def _is_span(value: Decimal, unit: str, days: Sequence[Day], clocks: Sequence[int]) -> bool:
    """Return whether so many days, weeks, months, years, hours or minutes lie between two of these moments."""
    dimension, size, _ = _SIZES.get(unit, (-1, Decimal(1), Decimal(0)))
    if dimension == _MONTHS:
        months = [(day.year * 12 + day.month, day.day or 0) for day in days if day.year and day.month]  # since year 0
        years = {day.year for day in days if day.year} if size == 12 else ()
        if any(value == abs(one - two) for one, two in combinations(years, 2)):
            return True
        return any(_is_months(value, int(size), one, two) for one, two in combinations(months, 2))
    if dimension != _SECONDS:
        return False
    if size >= _DAY:
        whole = [date.fromisoformat(day.isoformat()) for day in days if day.is_whole and day.is_possible]
        between = {abs((two - one).days) for one, two in combinations(whole, 2)} - {0}
        return value * size / _DAY in between | {length + 1 for length in between}
    minutes, lengths = value * size / 60, (two - one for one, two in combinations(sorted(clocks), 2))
    return any(abs(minutes - length) * thresholds.ROUGH_MINUTES <= length for length in lengths if length)


def _is_months(value: Decimal, length: int, one: tuple[int, int], two: tuple[int, int]) -> bool:
    """Return whole months that have passed, begun ones counted or not; years likewise."""
    (first, first_day), (last, last_day) = sorted((one, two))
    passed = last - first - (last_day < first_day)
    if passed < 1:
        return False
    return value in (passed // length, -(-passed // length), (passed + 1) // length, Decimal(passed) / length)
