"""Derived values: whether a value of an answer follows from supported ones by arithmetic."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import combinations, islice
from typing import Final

from steelyard.legal.grounding import derivations
from steelyard.legal.grounding.claims import Claims
from steelyard.legal.grounding.clocks import minutes_of
from steelyard.legal.grounding.derivations import REST, TOTAL, Stated, cents
from steelyard.legal.grounding.grounds import Ground, values_of
from steelyard.text.dates import Day
from steelyard.text.measures import same_measure
from steelyard.text.mentions import Mention
from steelyard.text.numerals import numerals


def _years_of_days(grounds: Sequence[Ground]) -> dict[tuple[int | None, int | None], set[int | None]]:
    """The years in which the documents name a day of a month."""
    years: dict[tuple[int | None, int | None], set[int | None]] = {}
    for ground in grounds:
        for day in ground.days:
            years.setdefault((day.month, day.day), set()).add(day.year)
    return years


_HOURS: Final = re.compile(r"(\d+|[一二两三四五六七八九十]+|\w+)(?:个?小时| hours?(?: and)? )(?:零|又)?$")
_MINUTES: Final = re.compile(r"(?:零|又| and | )?(\d+|[一二三四五六七八九十]+)(?:分| minutes?)")


_YEARS: Final = re.compile(
    r"(\d+|[一二两三四五六七八九十]+|[a-z-]+)(?:年| years?(?: and)? ?)(?:零|又|多|and )?$", re.IGNORECASE
)
_MONTHS_AFTER: Final = re.compile(
    r"(?:零|又| and | |, )?(\d+|[一二两三四五六七八九十]+|[a-z]+)(?:个月| months?)", re.IGNORECASE
)
_YEAR: Final = frozenset(("年", "years", "year"))
_MONTHS: Final = frozenset(("个月", "月", "months", "month"))


_SENTENCE_END: Final = re.compile(r"[。;\n]")
_CLAUSE_END: Final = re.compile(r"[,。;\n]")


class DerivedValues:
    """The supported values of an answer, as operands from which others may follow."""

    def __init__(self, claims: Claims, unknown: Sequence[Mention], grounds: Sequence[Ground]) -> None:
        self.text = claims.text
        self.claims = claims
        self.bare = Stated()  # small numbers without a unit, from which only such numbers follow
        self.grounds = grounds
        self.amounts, self.counts, self.all_counts, self.minutes = Stated(), Stated(), Stated(), Stated()
        self.years = _years_of_days(grounds)
        self.days: list[Day] = []
        self.day_positions = Stated()
        self.percents: list[Decimal] = []
        self.is_chinese = not claims.text.isascii()
        missing = {value.start for value in unknown}
        for value in claims.values:
            if value.start not in missing:
                self.add(value)
        for value in values_of(claims.text):
            if value.kind in ("count", "number") and value.value is not None and 1 <= value.value <= 1000:
                self.all_counts.add(value.start, int(value.value))
                if value.value > 1:
                    self.counts.add(value.start, int(value.value))

    def add(self, value: Mention) -> None:
        """Add a supported value to the operands."""
        match value.kind:
            case "number" if self.claims.is_bare(value):
                self.bare.add(value.start, cents(value.value))
            case "money" | "number" if value.value is not None:
                self.amounts.add(value.start, cents(value.value))
            case "date":
                for day in (value.value, value.until):
                    if day is not None:
                        self.days.append(self._with_year(day))
                        self.day_positions.add(value.start, len(self.days) - 1)
            case "time":
                self.minutes.add(value.start, min(minutes_of(self.text, value)))
            case "percent" if value.value is not None and len(self.percents) < 8:
                self.percents.append(value.value)

    def _with_year(self, day: Day) -> Day:
        """The day with the year of the document's day, if it has none."""
        if day.year or day.month is None:
            return day
        years = self.years.get((day.month, day.day), ())
        return Day(next(iter(years)), day.month, day.day) if len(years) == 1 else day

    def follows(self, value: Mention) -> bool:
        """Whether the value follows from the operands."""
        match value.kind:
            case "number" if self.claims.is_bare(value):
                return self._is_bare_result(value)
            case "money" | "number" if value.value is not None:
                return self._is_amount(value)
            case "percent":
                return self._is_percent(value)
            case "date":
                return self._is_later(value)
            case "count":
                return self._is_count(value)
        return False

    def _is_later(self, value: Mention) -> bool:
        """Whether a date is a period of the document after one of its days."""
        day = value.value
        if day is None or value.until is not None or not day.is_whole:
            return False
        if not derivations.names_a_deadline(self._around(value)):
            return False
        grounds = [ground for ground in self.grounds if len(ground.days) <= 24]
        return any(
            derivations.is_after(day, known, count, unit)
            for ground in grounds
            for known in ground.days
            for count, unit in ground.periods[:6]
        )

    def _around(self, value: Mention) -> str:
        """The words of the clause around a value."""
        reach = 14 if self.is_chinese else 40
        before = _SENTENCE_END.split(self.text[max(0, value.start - reach) : value.start])[-1]
        return before + "\0" + _CLAUSE_END.split(self.text[value.end : value.end + reach], maxsplit=1)[0]

    def _is_amount(self, value: Mention) -> bool:
        amount = cents(value.value)
        near = self.amounts.near(value.start)
        if derivations.is_sum(amount, value.start, self.amounts):
            return True
        counts = self.counts.near(value.start, 3)
        return derivations.is_product(amount, near, counts) or derivations.is_part(amount, near, self.percents, counts)

    def _is_bare_result(self, value: Mention) -> bool:
        """Whether a small number is a sum, a difference or a product of numbers beside it."""
        number = cents(value.value)
        near = [*self.bare.near(value.start, 4), *self.amounts.near(value.start, 2)]
        counts = self.counts.near(value.start, 3)
        is_sum = derivations.is_sum(number, value.start, self.bare)
        return is_sum or self._is_total_of_counts(value) or derivations.is_product(number, near, counts)

    def _is_percent(self, value: Mention) -> bool:
        percent = value.value
        if percent is None:
            return False
        around = self._around(value)
        of_rest = REST.search(around) is not None
        stated = [*self.amounts.near(value.start)]
        if derivations.is_share(percent, stated, of_rest=of_rest):
            return True
        if derivations.is_share(percent, self.counts.near(value.start, 3), of_rest=of_rest):
            return True
        known = [amount for ground in self.grounds for amount in ground.amounts[:13]]
        known += [cents(number) for ground in self.grounds for number in islice(ground.counts, 7) if number > 1]
        if len(known) > 18:
            return False
        figures = [*stated, *(100 * count for count in self.counts.near(value.start, 3))]
        if derivations.names_a_share(around) and derivations.is_share_of(percent, figures, known, of_rest=of_rest):
            return True
        return derivations.may_be_share(percent, around) and derivations.is_share(percent, known, of_rest=of_rest)

    def _whole_span(self, value: Mention) -> tuple[Decimal, str]:
        """The full span that a value is part of: 1小时25分钟 is 85 minutes, 两年七个月 is 31 months."""
        if value.unit in ("分钟", "分", "minutes") and (
            hours := _HOURS.search(self.text[max(0, value.start - 20) : value.start])
        ):
            return value.value + 60 * (numerals(hours[1])[0].value or 0), "分钟"
        if value.unit in ("小时", "个小时", "hours") and (minutes := _MINUTES.match(self.text, value.end)):
            return value.value * 60 + (numerals(minutes[1])[0].value or 0), "分钟"
        if value.unit in _MONTHS and (years := _YEARS.search(self.text[max(0, value.start - 20) : value.start])):
            return value.value + 12 * (numerals(years[1])[0].value or 0), "个月"
        if value.unit in _YEAR and (months := _MONTHS_AFTER.match(self.text, value.end)):
            return value.value * 12 + (numerals(months[1])[0].value or 0), "个月"
        return value.value, value.unit

    def _is_total_count(self, value: Mention) -> bool:
        """Whether a count is the total of the counts in its sentence."""
        around = self._around(value)
        if REST.search(around) and any(one - two == value.value for one, two in self._pairs_before(value)):
            return True
        return TOTAL.search(around) is not None and self._is_total_of_counts(value)

    def _pairs_before(self, value: Mention) -> Iterator[tuple[int, int]]:
        """The counts of the sentence before a value, each with a later one."""
        start = max(self.text.rfind(mark, max(0, value.start - 200), value.start) for mark in "。;\n")
        return combinations(self.all_counts.between(start, value.start)[-6:], 2)

    def _is_total_of_counts(self, value: Mention) -> bool:
        """Whether the counts of the sentence before it add up to this one."""
        start = max(self.text.rfind(mark, max(0, value.start - 200), value.start) for mark in "。;\n")
        parts = self.all_counts.between(start, value.start)
        return len(parts) > 1 and sum(parts) == value.value

    def _is_count(self, value: Mention) -> bool:
        """Whether a count is the time between two moments, or the number of payments that the answer lists."""
        days = [self.days[at] for at in self.day_positions.near(value.start, 4)]
        clocks = self.minutes.near(value.start, 4)
        number, unit = self._whole_span(value)
        if derivations.is_span(number, unit, days, clocks):
            return True
        if self._is_total_count(value):
            return True
        amounts = self.amounts.near(value.start, 4)
        if any(one == two * value.value for one in amounts for two in amounts):
            return True
        if same_measure(value.unit, "次") and value.value in (len(self.amounts.values), len(self.days)):
            return True
        if not derivations.names_a_span(self._around(value)):
            return False
        return any(
            len(ground.days) <= 12 and derivations.is_span(number, unit, ground.days, sorted(ground.minutes)[:8])
            for ground in self.grounds
        )
