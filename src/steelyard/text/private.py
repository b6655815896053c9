"""Personal data in a text: identity, phone, card and plate numbers, e-mail addresses, house numbers.

Amounts, dates, case and contract numbers, articles and pages are not personal. An ambiguous number is personal unless
the words before it say otherwise (订单号, contract no.); an identity number with a valid check digit always is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from steelyard.lexicon import lexicon
from steelyard.text.normalisation import Folded, fold_with_offsets

_WORDS: Final = lexicon("private")
_KEPT: Final = 4
_KEPT_OF_SHORT: Final = 2
_SHORT: Final = 9
_CODE: Final = re.compile("[0-9A-Za-z〇零○一二三四五六七八九幺]")
_CODES: Final = {"house": re.compile("[0-9A-Za-z〇零一二三四五六七八九十百]"), "mail": re.compile(".")}
"""The characters that are masked; blanks and dashes are kept."""
_SEPARATOR: Final = "separator"


@dataclass(frozen=True, slots=True)
class Private:
    """A private passage: `places` are the characters to mask, `start` and `end` its span in the original text."""

    kind: str
    start: int
    end: int
    places: tuple[int, ...]


@lru_cache(maxsize=1 << 8)
def private_passages(text: str) -> tuple[Private, ...]:
    """Return the private passages of a text, in order; of two that overlap, the one of the more certain kind."""
    folded = fold_with_offsets(text)
    taken = bytearray(len(folded.text))
    passages: list[Private] = []
    for kind, start, end in _spans(folded.text):
        if not any(taken[start:end]):
            taken[start:end] = b"\1" * (end - start)
            passages.append(_private(kind, folded, start, end))
    return tuple(sorted(passages, key=lambda passage: passage.start))


def _private(kind: str, folded: Folded, start: int, end: int) -> Private:
    codes = _CODES.get(kind, _CODE)
    characters = [index for index in range(start, end) if codes.match(folded.text[index])]
    shown = 0 if kind in ("house", "mail") else _KEPT if len(characters) >= _SHORT else _KEPT_OF_SHORT  # at the end
    hidden = characters[: len(characters) - shown]
    return Private(kind, *folded.original_span(start, end), tuple(folded.offsets[index] for index in hidden))


def _spans(text: str) -> Iterator[tuple[str, int, int]]:
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            named = [match.span(name) for name, value in match.groupdict().items() if value and name != _SEPARATOR]
            for start, end in named or [match.span()]:
                if kind in _CERTAIN or not _is_public(text, start, end):
                    yield kind, start, end


def _is_public(text: str, start: int, end: int) -> bool:
    """Return whether the words before exclude a personal number, or it is a list of years or a date."""
    value = text[start:end]
    if _has_check_digit(value):
        return False
    before = text[max(0, start - 24) : start]
    is_announced = _WORDS["public_before"].search(before) and not _WORDS["personal_before"].search(before)
    return bool(is_announced or _YEARS.fullmatch(value) or _DAY.fullmatch(value))


def _has_check_digit(value: str) -> bool:
    """Return whether it is a Chinese identity number with a valid check digit (GB 11643)."""
    plain = re.sub("[ -]", "", value).upper()
    if not re.fullmatch("[0-9]{17}[0-9X]", plain) or not _ID_DATE.search(plain):
        return False
    total = sum(int(digit) << (17 - index) for index, digit in enumerate(plain[:17]))
    return "10X98765432"[total % 11] == plain[17]


_DATE: Final = "(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"
_YEARS: Final = re.compile("(?:(?:19|20)[0-9]{2}[ -]?)+")
_DAY: Final = re.compile(
    rf"(?:19|20)[0-9]{{2}}(?:([-/ ])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12][0-9]|3[01])|{_DATE}(?:[0-9]{{4}}|[0-9]{{6}})?)"
)
_ID_DATE: Final = re.compile(f"^[1-9][0-9]{{5}}(?:1[89]|20)[0-9]{{2}}{_DATE}")

# ----- personal, phone and card numbers

_BEFORE: Final = r"(?<![0-9A-Za-z])(?<![0-9]\.)"
_NO_PART: Final = r"(?<![0-9A-Za-z][-_/])"  # HT-010-12345678 is one number
_AFTER: Final = (
    r"(?![0-9A-Za-z])(?!\.[0-9])(?!,[0-9]{3}(?![0-9]))(?![ ]?[%‰])"
    rf"(?![ ]?(?:{_WORDS.source('money_unit')}))"
)
_NO_MORE: Final = r"(?![-_/][0-9A-Za-z])"
_ID_18: Final = rf"[1-9][0-9]{{5}}[ -]?(?:1[89]|20)[0-9]{{2}}[ -]?{_DATE}[ -]?[0-9]{{3}}[0-9Xx]"
_ID_15: Final = rf"[1-9][0-9]{{7}}{_DATE}[0-9]{{3}}"
_ID: Final = rf"{_BEFORE}(?:{_ID_18}|{_ID_15}|[0-9]{{17}}[Xx]){_AFTER}|{_BEFORE}[A-Z]{{1,2}}[0-9]{{6}}\([0-9A]\)"
_SSN: Final = rf"{_BEFORE}{_NO_PART}(?!000|666|9)[0-9]{{3}}-(?!00)[0-9]{{2}}-(?!0000)[0-9]{{4}}{_AFTER}{_NO_MORE}"
_PASSPORT: Final = rf"{_BEFORE}{_NO_PART}(?:[EG][0-9]{{8}}|E[A-HJ-NP-Z][0-9]{{7}}|[HM][0-9]{{8}}){_AFTER}{_NO_MORE}"
_MOBILE: Final = (
    rf"(?:\+|{_BEFORE})(?:\(?(?:00)?86\)?[ -]?)?(?:1[3-9][0-9][ -]?[0-9]{{4}}[ -]?[0-9]{{4}}"
    r"|1[3-9][0-9]{2}[ -][0-9]{3}[ -][0-9]{4}|1[3-9][0-9][ -][0-9]{3}[ -][0-9]{5}|1[3-9][0-9]{3}[ -][0-9]{6}"
    rf"|1(?: [0-9]){{10}}){_AFTER}"
)
_LANDLINE: Final = (
    rf"{_BEFORE}{_NO_PART}(?:\(0(?:10|2[0-9]|[3-9][0-9]{{2}})\)|0(?:10|2[0-9]|[3-9][0-9]{{2}}))[ -]?"
    rf"[1-9][0-9]{{2,3}}[ -]?[0-9]{{4}}(?:(?:转|分机| ?ext\.? ?|-)[0-9]{{1,6}})?{_AFTER}{_NO_MORE}"
)
_ABROAD: Final = (
    rf"(?<![0-9A-Za-z+])\+[1-9][0-9]{{0,2}}[ -]?(?:\([0-9]{{1,4}}\)[ -]?)?[0-9](?:[ -]?[0-9]){{7,12}}{_AFTER}"
    rf"|{_BEFORE}{_NO_PART}(?:1[-. ])?(?:\([2-9][0-9]{{2}}\) ?|[2-9][0-9]{{2}}[-.])"
    rf"[0-9]{{3}}[-.][0-9]{{4}}{_AFTER}{_NO_MORE}"
)
_CARD: Final = (
    rf"{_BEFORE}(?:[0-9]{{16,19}}|[0-9]{{6}} [0-9]{{10,13}}|3[47][0-9]{{2}}[ -][0-9]{{6}}[ -][0-9]{{5}}){_AFTER}"
    rf"|{_BEFORE}{_NO_PART}[0-9]{{4}}(?P<{_SEPARATOR}>[ -])(?:[0-9]{{4}}(?P={_SEPARATOR})){{2}}[0-9]{{1,4}}"
    rf"(?:(?P={_SEPARATOR})[0-9]{{1,4}})?{_AFTER}{_NO_MORE}"
)
_SPOKEN: Final = "[〇零○一二三四五六七八九幺]{11,}"
_ANNOUNCED: Final = (
    rf"(?:{_WORDS.source('announced')})(?: ?(?:编?号码?|numbers?\b|no\b\.?))?(?:\([^()]{{0,8}}\))?(?:分别)?"
    r"(?:为|是|系|:|=|#|\bis\b|\s|\bat\b)*"
    rf"(?P<announced>[A-Za-z]{{0,3}}\(?[0-9](?:[ ()-]{{0,2}}[0-9]){{5,29}}[Xx]?){_AFTER}{_NO_MORE}"
)
_MAIL: Final = r"(?<![A-Za-z0-9._%+-])(?P<local>[A-Za-z0-9._%+-]+)@[\w-]+(?:\.[\w-]+)+"

_PATTERNS: Final = (
    ("mail", re.compile(_MAIL)),
    ("id", re.compile(_ID)),
    ("phone", re.compile(_MOBILE)),
    ("card", re.compile(_CARD)),
    ("phone", re.compile(f"{_LANDLINE}|{_ABROAD}")),
    ("id", re.compile(f"{_SSN}|{_PASSPORT}")),
    ("announced", re.compile(_ANNOUNCED, re.IGNORECASE)),
    ("spoken", re.compile(_SPOKEN)),
    ("plate", _WORDS["plate"]),
    ("house", _WORDS["house"]),
    ("house", _WORDS["flat"]),
    ("house", _WORDS["street"]),
)
"""In order of precedence."""
_CERTAIN: Final = frozenset(("mail", "plate", "house"))
"""Kinds that no words before them make public."""
