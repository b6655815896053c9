"""Numbers in a text: digits with groups, Chinese numerals and capitals, mixtures by unit, English words.

四万二 is 42000 and 四万零二 is 40002; 三四千 is a range, not a number. No library reads all of these correctly.
"""

import re
from decimal import Decimal
from typing import Final, NamedTuple

_SETS: Final = ("零〇", "一壹弌", "二贰两弍貳", "三叁弎參叄", "四肆", "五伍", "六陆陸", "七柒", "八捌", "九玖")
DIGITS: Final = {char: value for value, chars in enumerate(_SETS) for char in chars}
LARGE_UNITS: Final = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_UNITS: Final = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000, **LARGE_UNITS}
_TENS: Final = {"廿": 20, "卅": 30}
CHINESE: Final = "".join((*DIGITS, *_UNITS, *_TENS))
"""All Chinese numerals, for a class of characters."""

_PLAIN: Final = r"\d{1,3}(?:,\d{3}){1,8}(?:\.\d+)?(?!\d|,\d)|\d+(?:\.\d+)?"
_RUN: Final = re.compile(rf"(?:{_PLAIN}|[{CHINESE}]|(?<=[{CHINESE}])点(?=[{''.join(DIGITS)}]))+")
_PART: Final = re.compile(rf"{_PLAIN}|.")

_ONES: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENFOLDS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS: Final = {word: value for value, word in enumerate(_ONES.split())} | {
    word: 10 * value for value, word in enumerate(_TENFOLDS.split(), 2)
}
SCALES: Final = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_WORD: Final = f"(?:{'|'.join(sorted((*_WORDS, *SCALES), key=len, reverse=True))})"
NUMBER_WORDS: Final = (
    rf"\b(?:an? (?={'|'.join(SCALES)})|half an? (?=million|billion|dozen))?{_WORD}"
    rf"(?:(?:[ -]|,? and ){_WORD}){{0,24}}\b"
)
"""Pattern of a number in English words."""
_WORD_RUN: Final = re.compile(NUMBER_WORDS, re.IGNORECASE)
LONGEST: Final = 60
"""The longest run of numerals in characters that is read as a number."""


class Numeral(NamedTuple):
    """A number in a text; `value` is None if the words are a range (三四千) or not a number."""

    start: int
    end: int
    text: str
    value: Decimal | None

    @property
    def is_range(self) -> bool:
        """Whether two adjacent digits mean an approximate number."""
        return self.value is None


def numerals(text: str) -> list[Numeral]:
    """All numbers of a folded text, in order."""
    digits = [Numeral(run.start(), run.end(), run[0], value_of(run[0])) for run in _RUN.finditer(text)]
    words = [Numeral(run.start(), run.end(), run[0], _english(run[0])) for run in _WORD_RUN.finditer(text)]
    return sorted([*digits, *words], key=lambda numeral: numeral.start) if words else digits


def value_of(run: str) -> Decimal | None:
    """The value of a run of digits and numerals; None if it is a range, invalid or too long."""
    if len(run) > LONGEST:
        return None
    if run.isascii() and run.isdigit():
        return Decimal(run)
    parts = [Decimal(part.replace(",", "")) if part.isascii() else part for part in _PART.findall(run)]
    if len(parts) == 1 and isinstance(parts[0], Decimal):
        return parts[0]
    if all(part in DIGITS for part in parts):
        return _positional([DIGITS[str(part)] for part in parts])
    return _composed(_merged_points(parts))


def _positional(digits: list[int]) -> Decimal | None:
    """二〇二〇 is read digit by digit; two digits without a zero (三四) are a range."""
    if len(digits) == 2 and 0 not in digits and digits[1] == digits[0] + 1:
        return None
    return Decimal(int("".join(map(str, digits))))


def _merged_points(parts: list[Decimal | str]) -> list[Decimal | str]:
    """一点八 becomes 1.8."""
    if "点" not in parts:
        return parts
    point = parts.index("点")
    after = next((index for index in range(point + 1, len(parts)) if parts[index] not in DIGITS), len(parts))
    integer = DIGITS.get(str(parts[point - 1])) if point else None
    if integer is None:
        return parts
    fraction = "".join(str(DIGITS[str(part)]) for part in parts[point + 1 : after])
    return [*parts[: point - 1], Decimal(f"{integer}.{fraction}"), *parts[after:]]


def _composed(parts: list[Decimal | str]) -> Decimal | None:
    """Digits by their units: 一亿二千万, 4万2千; a last digit takes the next lower unit, unless a zero precedes it."""
    total = section = Decimal(0)  # of 亿 and 万, and below them
    pending: Decimal | None = None  # a digit whose unit has not been read yet
    last_unit, after_zero = 0, False
    for part in parts:
        if isinstance(part, Decimal) or part in DIGITS:
            if pending is not None:
                return None
            number = part if isinstance(part, Decimal) else Decimal(DIGITS[part])
            pending, after_zero = number or None, after_zero or number == 0
        elif part in _TENS:
            section, last_unit = section + _TENS[part], 10
        elif part in _UNITS:
            unit = _UNITS[part]
            if part in LARGE_UNITS:
                section = section + (pending or 0) or Decimal(0 if total else 1)
                total, section = (total + section) * unit if unit == 10**8 else total + section * unit, Decimal(0)
            else:
                section += (1 if pending is None else pending) * unit
            pending, last_unit, after_zero = None, unit, False
        else:
            return None
    if pending is None:
        return total + section
    is_short = last_unit > 10 and not after_zero and pending < 10 and pending % 1 == 0
    return total + section + pending * (last_unit // 10 if is_short else 1)


def _english(run: str) -> Decimal:
    """forty-two thousand and five is 42005, half a million 500000, two dozen 24."""
    total = section = Decimal(0)
    share = Decimal("0.5") if run.lower().startswith("half ") else Decimal(1)
    for word in re.findall("[a-z]+", run.lower()):
        if word in _WORDS:
            section += _WORDS[word]
        elif word in ("hundred", "dozen"):
            section = (section or Decimal(1)) * SCALES[word]
        elif word in SCALES:
            total, section = total + (section or Decimal(1)) * SCALES[word], Decimal(0)
    return (total + section) * share
