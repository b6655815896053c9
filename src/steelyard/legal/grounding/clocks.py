"""Clock times as minutes of the day: 下午2点10分, 14时10分 and 2:10 pm are one time."""

import re
from collections.abc import Iterable
from typing import Final

from steelyard.text.mentions import Mention
from steelyard.text.numerals import numerals

_AFTERNOON: Final = re.compile(r"下午|晚上|傍晚|当晚|夜里|中午|p\.?m", re.IGNORECASE)
_MORNING: Final = re.compile(r"凌晨|早上|上午|a\.?m", re.IGNORECASE)
_ABOUT_AFTER: Final = re.compile(r"许|多|左右|前后|过后|或稍")
_ABOUT_BEFORE: Final = re.compile(r"约|大概|将近|(?:about|around|approximately|roughly) (?:at )?$", re.IGNORECASE)
_JOIN: Final = re.compile(r"\s*(?:至|到|-|~|to|until)\s*$", re.IGNORECASE)
_HALF_DAY: Final = 12 * 60


def stated_minutes(text: str, values: Iterable[Mention]) -> frozenset[int]:
    """All times in a document; a 12-hour time without am or pm stands for both."""
    minutes: set[int] = set()
    is_afternoon, end = False, 0
    for value in values:
        if value.kind == "time":
            hour, minute = _read(text, value)
            joined = is_afternoon and _JOIN.fullmatch(text, end, value.start) is not None
            is_afternoon = _AFTERNOON.search(value.text) is not None or joined
            end = value.end
            both = joined or (_is_open(value.text) and "点" in value.text)
            minutes |= _minutes(value.text, hour, minute, both=both)
    return frozenset(minutes)


_POINT_BEFORE: Final = re.compile(r"(?<!\d)(\d{1,2})\.$")  # 10.30 am


def minutes_of(text: str, value: Mention) -> frozenset[int]:
    """The minutes of the day that a time in an answer can mean; “about” an hour is any minute of it."""
    hour, minute = _read(text, value)
    times = _minutes(value.text, hour, minute, both=_is_open(value.text))
    is_about = _ABOUT_AFTER.match(text, value.end) or _ABOUT_BEFORE.search(text[max(0, value.start - 8) : value.start])
    if minute is None and (is_about or "许" in value.text):
        return frozenset(time // 60 * 60 + minute for time in times for minute in range(60))
    return times


def _is_open(text: str) -> bool:
    """Whether a time does not say whether it is am or pm."""
    return _AFTERNOON.search(text) is None and _MORNING.search(text) is None


def _read(text: str, value: Mention) -> tuple[int, int | None]:
    """Hour and minute of a mention; for 10.30 am, the mention has only the second number."""
    hour, minute = _hour_and_minute(value.text)
    point = _POINT_BEFORE.search(text, max(0, value.start - 3), value.start) if minute is None else None
    return (int(point[1]), hour) if point else (hour, minute)


def _hour_and_minute(text: str) -> tuple[int, int | None]:
    numbers = [int(numeral.value) for numeral in numerals(re.sub("[:点]", "时", text)) if numeral.value is not None]
    if "半" in text and len(numbers) == 1:
        return numbers[0], 30
    if "刻" in text and len(numbers) > 1:
        return numbers[0], 15 * numbers[1]
    return (numbers[0] if numbers else 0), (numbers[1] if len(numbers) > 1 else None)


def _minutes(text: str, hour: int, minute: int | None, *, both: bool) -> frozenset[int]:
    if hour < 12 and _AFTERNOON.search(text) and not ("夜里" in text and hour < 6):
        hour += 12
    elif hour == 12 and re.search(r"凌晨|夜里|晚上|当晚|a\.?m", text, re.IGNORECASE):
        hour = 0
    time = hour * 60 + (minute or 0)
    return frozenset((time, time + _HALF_DAY)) if both and hour < 12 else frozenset((time,))
