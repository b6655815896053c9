"""Clock times as minutes of the day: 下午2点10分, 14时10分 and 2:10 pm are one time."""

import re
from collections.abc import Iterable
from typing import Final

from steelyard.lexicon import lexicon
from steelyard.text.mentions import Mention
from steelyard.text.numerals import numerals

_WORDS: Final = lexicon("grounding")
_POINT_BEFORE: Final = re.compile(r"(?<!\d)(\d{1,2})\.$")  # 10.30 am
_HALF_DAY: Final = 12 * 60


def stated_minutes(text: str, values: Iterable[Mention]) -> frozenset[int]:
    """All times in a document; a 12-hour time without am or pm stands for both, 8:0 in a record is 8:00."""
    minutes = {60 * int(hour) + int(minute) for hour, minute in re.findall(r"(?<![\d:.])(\d{1,2}):(\d)(?![\d:])", text)}
    is_afternoon, end = False, 0
    for value in values:
        if value.kind == "time":
            hour, minute = _read(text, value)
            joined = is_afternoon and _WORDS["until"].fullmatch(text, end, value.start) is not None
            is_afternoon = _WORDS["afternoon"].search(value.text) is not None or joined
            end = value.end
            both = joined or (_is_open(value.text) and "点" in value.text)
            minutes |= _minutes(value.text, hour, minute, both=both)
    return frozenset(minutes)


def minutes_of(text: str, value: Mention) -> frozenset[int]:
    """The minutes of the day that a time in an answer can mean; “about” an hour is any minute of it."""
    hour, minute = _read(text, value)
    times = _minutes(value.text, hour, minute, both=_is_open(value.text))
    before = text[max(0, value.start - 8) : value.start]
    is_about = _WORDS["about_after_time"].match(text, value.end) or _WORDS["about_before_time"].search(before)
    if minute is None and (is_about or "许" in value.text):
        return frozenset(time // 60 * 60 + minute for time in times for minute in range(60))
    return times


def _is_open(text: str) -> bool:
    """Whether a time does not say whether it is am or pm."""
    return _WORDS["afternoon"].search(text) is None and _WORDS["morning"].search(text) is None


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
    if hour < 12 and _WORDS["afternoon"].search(text) and not ("夜里" in text and hour < 6):
        hour += 12
    elif hour == 12 and _WORDS["night"].search(text):
        hour = 0
    time = hour * 60 + (minute or 0)
    return frozenset((time, time + _HALF_DAY)) if both and hour < 12 else frozenset((time,))
