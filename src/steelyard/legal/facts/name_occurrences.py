"""Occurrences of a name in an answer, in any of its forms, each with the objection to it: denied, offered, listed …"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from steelyard.legal.clauses import outline
from steelyard.legal.grounding.proper_names import DOUBLE_SURNAMES, SURNAMES
from steelyard.legal.thresholds import NAME_REACH, OCCURRENCES
from steelyard.lexicon import lexicon
from steelyard.text.scripts import HAN

_WORDS: Final = lexicon("facts")
_SHARED: Final = lexicon("shared")
SURNAME: Final = f"(?:{'|'.join(DOUBLE_SURNAMES)}|[{''.join(sorted(SURNAMES))}])"
GIVEN: Final = f"(?!{_WORDS.source('not_given')})[{HAN}]"
_PLAIN_LETTERS: Final = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "ı": "i"}
    | {"’": "'"}
)
_ACCENTED: Final = re.compile("[\u00c0-\u024f]")
_DOT: Final = re.compile(rf"(?<=[{HAN}]) ?[·•・‧∙.\-] ?(?=[{HAN}])")
_LISTED_SUBJECT: Final = re.compile(rf"\s*(?:[、和及与]|以及)\s*{SURNAME}[{HAN}]{{2}}{_WORDS.source('listed_subject')}")
_LISTED_BEFORE: Final = re.compile(rf"[{HAN}]{{2,4}}、$|{SURNAME}[{HAN}]{{1,2}}(?:[和及]|以及)$")


class Occurrence(NamedTuple):
    """An occurrence of a name, and why it is not the answer ("" if it is)."""

    start: int
    end: int
    objection: str = ""


# ----- forms


def folded(text: str) -> str:
    """The text without accents, and without the dots between the parts of a foreign name in Chinese."""
    if text.isascii():
        return text
    plain = text.translate(_PLAIN_LETTERS)
    if _ACCENTED.search(plain):
        plain = "".join(char for char in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(char))
    return _DOT.sub("", plain)


def untitled(text: str) -> str:
    """The text without titles such as 先生, 被告人 and Mr."""
    return _WORDS["title"].sub("", text)


def digits_of(name: str) -> str:
    """The digits of a name that is a number (phone, identity card), or ""."""
    figures = re.sub(r"[\s\-()+]", "", name)
    return figures.upper() if re.fullmatch(r"\d{5,}[0-9Xx]?", figures) else ""


@lru_cache(maxsize=1 << 12)
def name_pattern(name: str) -> re.Pattern[str]:
    """The pattern of a name: with or without middle names, initials and hyphens, or with the surname first."""
    plain = folded(name)
    words = re.findall(r"[A-Za-z]+(?:'[A-Za-z]+)?", plain)
    is_latin = plain.isascii() and bool(words) and not re.search(r"[\d_]", plain)
    if is_latin and len(words) > 1 and words[0].lower() == "the":
        words = words[1:]
    if is_latin and 2 <= len(words) <= 4 and "," not in plain and not _WORDS["organisation_word"].search(plain):
        return re.compile(_bounded(_person(words), "Aa"))
    if not is_latin or "&" in plain:
        return re.compile(_bounded(re.escape(plain), plain), re.IGNORECASE)
    joined = r"[\s.,\-\"]{0,3}(?:& |and )?".join(map(re.escape, words))
    return re.compile(_bounded(joined, plain), re.IGNORECASE)


def _person(words: Sequence[str]) -> str:
    """The pattern of a person's name; a middle name may be left out or added."""
    first, *middle, last = map(re.escape, words)
    gap = r"[\s.\-\"“”]"
    added = r"(?:[A-Z][\w'.]{0,20}[\s\"“”\-]{1,3}){0,2}"
    kept = "".join(rf"(?:(?i:{word}|{word[0]}){gap}{{0,3}})?" for word in middle)
    is_initial = len(first) == 1
    given = rf"(?i:{first}[a-z]{{0,12}})" if is_initial else f"(?i:{first}|{first[0]}(?=[. ]))"
    forward = rf"{given}{gap}{{{0 if is_initial else 1},3}}{kept}{added}(?i:{last})"
    return f"(?:{forward}|(?i:{last}),? (?i:{first}))"


def _bounded(pattern: str, name: str) -> str:
    """The pattern, which must not match inside a word or a number."""
    before = r"(?<![A-Za-z0-9])" if name[:1].isascii() and name[:1].isalnum() else ""
    after = r"(?![A-Za-z0-9])" if name[-1:].isascii() and name[-1:].isalnum() else ""
    return before + pattern + after


# ----- objections


def asks_person(question: str) -> bool:
    """Whether a question asks for a person."""
    return _WORDS["asks_person"].search(question) is not None


def is_denied_name(text: str, at: int) -> bool:
    """Whether the words right before a position deny what follows."""
    return _WORDS["denied_name"].search(text[max(0, at - NAME_REACH) : at]) is not None


def occurrences_of(name: str, question: str, text: str, known: str = "") -> Iterator[Occurrence]:
    """The first occurrences of a name, each with the objection to it; names in `known` may be listed beside it."""
    for match in islice(name_pattern(name).finditer(text), OCCURRENCES):
        yield Occurrence(match.start(), match.end(), _objection(name, question, text, match, f"{question} {known}"))


def _objection(name: str, question: str, text: str, match: re.Match[str], known: str) -> str:
    """Why an occurrence of the name is not an answer, or ""."""
    before, after = text[max(0, match.start() - NAME_REACH) : match.start()], text[match.end() : match.end() + 60]
    if not _is_whole(name, after) or (len(name) == 1 and re.search(f"(?![是为叫即])[{HAN}]$", before)):
        return "part"
    if is_denied_name(text, match.start()):
        return "denied"
    if _WORDS["offered_before"].search(before) or _WORDS["offered_after"].match(after):
        return "offered"
    if _is_listed(name, asks_person(question), known.lower(), before, after):
        return "listed"
    ahead = text[max(0, match.start() - 60) : match.start()]
    if _WORDS["ranked_second"].search(ahead) or _is_replaced(question, before, after):
        return "ranked"
    if _SHARED["doubt"].search(outline(text).sentences.at(match.start()).text):
        return "doubted"
    if _WORDS["possessive"].match(after):
        return "owner"
    return "recipient" if _WORDS["recipient"].search(before) and _WORDS["asks_agent"].search(question) else ""


def _is_replaced(question: str, before: str, after: str) -> bool:
    """Whether somebody else replaced the named person: Ann Lee, who replaced X; X，后变更为乙."""
    if beaten := _WORDS["beaten"].search(before):
        return (beaten[1] or beaten[2])[:5].lower() not in question.lower()
    return bool(_WORDS["superseded"].match(after)) and not _WORDS["asks_earlier"].search(question)


def _is_whole(name: str, after: str) -> bool:
    """Whether the name ends there and is not part of a longer name."""
    if name.isascii():
        if _WORDS["organisation_word"].search(name):
            return not _WORDS["organisation_goes_on"].match(after)
        return not (_WORDS["longer_name"].match(after) and len(name.split()) == 2)
    after = untitled(after) if _WORDS["title"].match(after) else after
    if not re.match(f"[{HAN}\\d]", after):
        return True
    if len(name) > 3:
        return not _WORDS["organisation_tail"].match(after)
    if _WORDS["legal_form"].match(after):
        return False
    is_full = name[0] in SURNAMES and not name.startswith(DOUBLE_SURNAMES) and len(name) == 3
    return (is_full and not _WORDS["unit_end"].search(name)) or _WORDS["after_name"].match(after) is not None


def _is_listed(name: str, is_person: bool, known: str, before: str, after: str) -> bool:
    """Whether the name is in a list with names that are not known: 甲、乙 and 丙."""
    if not name.isascii():
        rest = _WORDS["listed_name"].match(after) or _LISTED_SUBJECT.match(after) or _LISTED_BEFORE.search(before)
    elif long := _WORDS["long_list"].match(after):
        rest = long
    else:
        rest = _WORDS["listed_person"].match(after) or _WORDS["listed_person_before"].search(before)
        rest = rest if is_person else None
    if rest is None:
        return False
    others = re.findall(rf"[A-Za-z']+|[{HAN}]{{2,}}", _WORDS["list_join"].sub(" ", rest[0]))
    return not others or not all(other.lower() in known for other in others)
