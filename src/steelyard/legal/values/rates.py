"""Interest rates with their period: 年利率6%, 月息2分, 日万分之五, four times the LPR, 8% per annum."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final, NamedTuple

from steelyard.lexicon import lexicon
from steelyard.text.mentions import Mention, mentions
from steelyard.text.values import numerals

_LAW: Final = lexicon("law")
_PERIODS: Final = {"年": "year", "月": "month", "日": "day", "天": "day"}
_ENGLISH_PERIODS: Final = {"y": "year", "a": "year", "p": "year", "m": "month", "d": "day"}
_PER_YEAR: Final = {"year": 1, "month": 12, "day": 365}
_BEFORE, _AFTER = 40, 24


class Rate(NamedTuple):
    """An interest rate: per cent a period, or with `of` a multiple of another rate (LPR)."""

    start: int
    end: int
    text: str
    value: Decimal
    period: str = ""
    of: str = ""

    @property
    def key(self) -> tuple[str, Decimal]:
        """Return the rate as per cent a year, or as a multiple of another."""
        return (self.of, self.value) if self.of else ("%", self.value * _PER_YEAR[self.period])


def rates(text: str) -> list[Rate]:
    """Return the interest rates of a normalised text, in order; a percentage without a period is none."""
    return sorted([*_percentages(text), *_multiples(text)], key=lambda rate: rate.start)


def _percentages(text: str) -> Iterator[Rate]:
    for value in mentions(text):
        if value.kind == "percent" and value.is_exact and (found := _period(text, value)):
            period, start, end = found
            yield Rate(start, end, text[start:end], value.value, period)


def _period(text: str, value: Mention) -> tuple[str, int, int] | None:
    """Return the period of a percentage that is interest, with the span of both; None if it is something else."""
    lead = max(0, value.start - _BEFORE)
    before, after = text[lead : value.start], text[value.end : value.end + _AFTER]
    if own := _LAW["rate_period_inside"].match(value.text):
        return _PERIODS.get(own["period"] or "", "month"), value.start, value.end
    if near := _LAW["rate_period_before"].search(before):
        return _named_period(near), lead + near.start(), value.end
    if (near := _LAW["rate_period_after"].match(after)) and not _LAW["no_interest"].search(before):
        return _named_period(near), value.start, value.end + near.end()
    return None


def _named_period(match: re.Match[str]) -> str:
    name = next(group for group in match.groups() if group)
    return _PERIODS.get(name) or _ENGLISH_PERIODS[name[0].lower()]


def _multiples(text: str) -> Iterator[Rate]:
    for named in _LAW["lpr"].finditer(text):
        after = text[named.end() : named.end() + _AFTER]
        factor, start, end = _factor(text, named)
        if factor is None and (_LAW["lpr_only_named"].match(after) or _LAW["lpr_changed"].match(after)):
            continue
        of = "five-year LPR" if _LAW["lpr_five_years"].search(named[0]) else "LPR"
        yield Rate(start, end, text[start:end], factor or Decimal(1), of=of)


def _factor(text: str, named: re.Match[str]) -> tuple[Decimal | None, int, int]:
    """Return the number by which a rate that is named is multiplied, None for none, with the span of both."""
    start, end = named.span()
    lead = max(0, start - _BEFORE)
    if match := _LAW["multiple_after"].match(text[end : end + _AFTER]):
        end += match.end()
    elif match := _LAW["multiple_before"].search(text[lead:start]):
        start = lead + match.start()
    values = [each.value for each in numerals(match[0])] if match else []
    return values[0] if values else None, start, end
