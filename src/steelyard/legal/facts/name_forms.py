"""Forms of names: accents, middle names, initials, titles, surname first; a number by its digits."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from steelyard.text.scripts import HAN

TITLES: Final = re.compile(
    r"(?:先生|女士|小姐|同志|老师|律师|警官|医生|经理|主任|所长|队长)|(?:犯罪)?嫌疑人|被告人|被害人|证人|民警|"
    r"被询问人|被讯问人|报案人|\b(?:mr|ms|mrs|dr|miss|sir|prof|professor|judge|justice|officer|detective)\b\.?\s*",
    re.IGNORECASE,
)
IS_ORGANISATION: Final = re.compile(
    r"\b(?:ltd|llp|llc|inc|corp|co|plc|gmbh|company|limited|bank|university|court|the|of|and|for)\b|&", re.IGNORECASE
)
_PLAIN_LETTERS: Final = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "ı": "i"}
    | {"’": "'"}
)
_ACCENTED: Final = re.compile("[\u00c0-\u024f]")
_DOT: Final = re.compile(rf"(?<=[{HAN}]) ?[·•・‧∙.\-] ?(?=[{HAN}])")


def folded(text: str) -> str:
    """The text without accents, and without the dots between the parts of a foreign name in Chinese."""
    if text.isascii():
        return text
    return _DOT.sub("", _without_accents(text.translate(_PLAIN_LETTERS)))


def _without_accents(text: str) -> str:
    if not _ACCENTED.search(text):
        return text
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


@lru_cache(maxsize=1 << 12)
def name_pattern(name: str) -> re.Pattern[str]:
    """The pattern of a name: with or without middle names, initials and hyphens, or with the surname first."""
    plain = folded(name)
    words = re.findall(r"[A-Za-z]+(?:'[A-Za-z]+)?", plain)
    is_latin = plain.isascii() and bool(words) and not re.search(r"[\d_]", plain)
    if not is_latin:
        return re.compile(_bounded(re.escape(plain), plain), re.IGNORECASE)
    if words[0].lower() == "the" and len(words) > 1:
        words = words[1:]
    if not 2 <= len(words) <= 4 or "," in plain or IS_ORGANISATION.search(plain):
        return re.compile(
            _bounded(
                r"[\s.,\-\"]{0,3}(?:& |and )?".join(map(re.escape, words)) if "&" not in plain else re.escape(plain),
                plain,
            ),
            re.IGNORECASE,
        )
    return re.compile(_bounded(_person(words), "Aa"))


def _person(words: Sequence[str]) -> str:
    """The pattern of a person's name; a middle name may be left out or added."""
    first, *middle, last = words
    gap = r"[\s.\-\"“”]{1,3}"
    added = r"(?:[A-Z][\w'.]{0,20}[\s\"“”\-]{1,3}){0,2}"
    kept = "".join(rf"(?:(?i:{re.escape(word)}|{word[0]}){gap[:-5]}{{0,3}})?" for word in middle)
    given = (
        f"(?i:{re.escape(first)}|{re.escape(first[0])}(?=[. ]))" if len(first) > 1 else rf"(?i:{first}[a-z]{{0,12}})"
    )
    forward = rf"{given}[\s.\-\"“”]{{{0 if len(first) == 1 else 1},3}}{kept}{added}(?i:{re.escape(last)})"
    backward = rf"(?i:{re.escape(last)}),? (?i:{re.escape(first)})"
    return f"(?:{forward}|{backward})"


def _bounded(pattern: str, name: str) -> str:
    """The pattern, which must not match inside a word or a number."""
    before = r"(?<![A-Za-z0-9])" if name[:1].isascii() and name[:1].isalnum() else ""
    after = r"(?![A-Za-z0-9])" if name[-1:].isascii() and name[-1:].isalnum() else ""
    return before + pattern + after


def digits_of(name: str) -> str:
    """The digits of a name that is a number (phone, identity card), or ""."""
    figures = re.sub(r"[\s\-()+]", "", name)
    return figures.upper() if re.fullmatch(r"\d{5,}[0-9Xx]?", figures) else ""


def untitled(text: str) -> str:
    """The text without titles such as 先生, 被告人 and Mr."""
    return TITLES.sub("", text)
