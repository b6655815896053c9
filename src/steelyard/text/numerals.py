"""Numbers in a text: digits with groups, Chinese numerals and capitals, mixtures by unit, English words.

四万二 is 42000 and 四万零二 is 40002; 三四千 is a range, not a number. No library reads all of these correctly.
"""

import re
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple

DIGITS: Final = {char: value for value, chars in enumerate(
    ("零〇", "一壹弌", "二贰两弍貳", "三叁弎參叄", "四肆", "五伍", "六陆陸", "七柒", "八捌", "九玖")
) for char in chars}  # fmt: skip
SMALL_UNITS: Final = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
LARGE_UNITS: Final = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_TENS: Final = {"廿": 20, "卅": 30}
_UNITS: Final = SMALL_UNITS | LARGE_UNITS
CHINESE: Final = "".join((*DIGITS, *_UNITS, *_TENS))

_PLAIN: Final = r"\d{1,3}(?:,\d{3}){1,8}(?:\.\d+)?(?!\d|,\d)|\d+(?:\.\d+)?"
_NUMERAL: Final = rf"(?:{_PLAIN}|[{CHINESE}]|(?<=[{CHINESE}])点(?=[{''.join(DIGITS)}]))"
_RUN: Final = re.compile(f"{_NUMERAL}+")
_PART: Final = re.compile(rf"{_PLAIN}|.")

# fmt: off
_ONES: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)
_TENFOLDS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
# fmt: on
_WORDS: Final = {word: value for value, word in enumerate(_ONES)} | {
    word: value for value, word in zip(range(20, 100, 10), _TENFOLDS, strict=True)
}
_SCALES: Final = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_WORD: Final = f"(?:{'|'.join(sorted((*_WORDS, *_SCALES), key=len, reverse=True))})"
NUMBER_WORDS: Final = (
    rf"\b(?:an? (?={'|'.join(_SCALES)})|half an? (?=million|billion|dozen))?{_WORD}"
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
    return None if len(run) > LONGEST else _value_of(run)


@lru_cache(maxsize=1 << 12)
def _value_of(run: str) -> Decimal | None:
    if run.isascii() and run.isdigit():
        return Decimal(run)
    parts = [_number(part) if part[0].isdigit() and part.isascii() else part for part in _PART.findall(run)]
    if all(part in DIGITS for part in parts):
        return _positional([DIGITS[str(part)] for part in parts])
    if len(parts) == 1 and isinstance(parts[0], Decimal):
        return parts[0]
    return _composed(_merged_points(parts))


def _number(part: str) -> Decimal:
    return Decimal(part.replace(",", ""))


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


class _Sum:
    """A number accumulated unit by unit: 一亿二千万 and 4万2千."""

    def __init__(self) -> None:
        self.total = Decimal(0)  # of 亿 and 万
        self.section = Decimal(0)  # below 万
        self.pending: Decimal | None = None  # a digit whose unit has not been read yet
        self.last_unit = 0
        self.after_zero = False

    def add_number(self, number: Decimal) -> bool:
        """Add a digit; False if another one is still pending."""
        if self.pending is not None:
            return False
        if number == 0:
            self.after_zero = True
        else:
            self.pending = number
        return True

    def add_unit(self, unit: int) -> None:
        """Apply a unit to the digits before it."""
        if unit in LARGE_UNITS.values():
            section = self.section + (self.pending or 0) or (0 if self.total else 1)
            self.total = (self.total + section) * unit if unit == 10**8 else self.total + section * unit
            self.section = Decimal(0)
        else:
            self.section += (1 if self.pending is None else self.pending) * unit
        self.pending, self.last_unit, self.after_zero = None, unit, False

    def value(self) -> Decimal:
        """The value; a last digit without a unit takes the next lower unit, unless a zero precedes it."""
        if self.pending is None:
            return self.total + self.section
        is_short = self.last_unit > 10 and not self.after_zero and self.pending < 10 and self.pending % 1 == 0
        return self.total + self.section + self.pending * (self.last_unit // 10 if is_short else 1)


def _composed(parts: list[Decimal | str]) -> Decimal | None:
    number = _Sum()
    for part in parts:
        if isinstance(part, Decimal) or part in DIGITS:
            if not number.add_number(part if isinstance(part, Decimal) else Decimal(DIGITS[part])):
                return None
        elif part in _TENS:
            number.section, number.last_unit = number.section + _TENS[part], 10
        elif part in _UNITS:
            number.add_unit(_UNITS[part])
        else:
            return None
    return number.value()


def _english(run: str) -> Decimal:
    """forty-two thousand and five is 42005, half a million 500000, two dozen 24."""
    total = section = Decimal(0)
    share = Decimal("0.5") if run.lower().startswith("half ") else Decimal(1)
    for word in re.findall("[a-z]+", run.lower()):
        if word in _WORDS:
            section += _WORDS[word]
        elif word in ("hundred", "dozen"):
            section = (section or Decimal(1)) * _SCALES[word]
        elif word in _SCALES:
            total, section = total + (section or Decimal(1)) * _SCALES[word], Decimal(0)
    return (total + section) * share
