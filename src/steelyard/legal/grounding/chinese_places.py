"""Places and organisations in Chinese text, found by their suffix."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from steelyard.legal.thresholds import LONGEST_STEM
from steelyard.lexicon import lexicon

_WORDS: Final = lexicon("grounding")
_CUT: Final = _WORDS.words("not_in_places")
_PARTS: Final = _WORDS.words("trades") | _WORDS.words("generic_places")
_CUT_WORDS: Final = (_WORDS.words("common_words") | _WORDS.words("before_places")) - _PARTS
_GENERIC: Final = _WORDS.words("generic_places")
_HAN: Final = r"\u4e00-\u9fff"
_STEM: Final = re.compile(f"[{_HAN}\\dA-Z]*$")
_DISTRICT: Final = re.compile(f"[省市州县][{_HAN}]{{2,3}}$")


@dataclass(frozen=True, slots=True)
class Place:
    """A place or an organisation: its text and start, the parts of its address, and its suffix."""

    text: str
    start: int
    pieces: tuple[str, ...]
    suffix: str


def chinese_places(text: str) -> Iterator[Place]:
    """Named places and organisations in a normalised text."""
    end = 0
    text = _WORDS["statute_title"].sub(lambda title: "《" + "\0" * (len(title[0]) - 1), text)
    for match in _WORDS["place_suffix"].finditer(text):
        if _goes_on(text, match.end()):
            continue
        place = _place(text, max(end, match.start() - LONGEST_STEM), match)
        end = match.end()
        if place:
            yield place


def _goes_on(text: str, at: int) -> bool:
    """Whether the next suffix is so near that this one is part of a longer name."""
    following = _WORDS["place_suffix"].search(text, at, at + 14)
    between = text[at : following.start()] if following else "\0"
    return re.fullmatch(f"[{_HAN}\\d]{{0,8}}", between) is not None and not _cut_length(between)


def _place(text: str, lowest: int, match: re.Match[str]) -> Place | None:
    stem = _STEM.search(text, lowest, match.start())
    words = stem[0] if stem else ""
    name = words[_cut_length(words) :]
    if not _is_name(name, match[0]) or (match[0] == "区" and not _DISTRICT.search(name)):
        return None
    return Place(name + match[0], match.start() - len(name), tuple(_pieces(name + match[0])), match[0])


def _cut_length(words: str) -> int:
    """The number of characters before a suffix that do not belong to the name."""
    for at in range(len(words), 0, -1):
        pair = words[at - 2 : at] if at > 1 else ""
        if words[at - 1] in _CUT or pair in _CUT_WORDS or re.fullmatch(r"\d[年月日号时分元]", pair):
            return at
    return 0


def _is_name(name: str, suffix: str) -> bool:
    """Whether the rest contains anything that only names have."""
    rest = name
    while known := next((size for size in (5, 4, 3, 2) if len(rest) >= size and rest[-size:] in _PARTS), 0):
        rest = rest[:-known]
    if rest in _GENERIC or rest.isdigit() or not rest or _WORDS["placeholder"].search(rest):
        return False
    return len(rest) > 1 or suffix[-1] == "号" or (len(name) > 2 and rest not in "甲乙丙丁戊己庚辛ABCDEFGHXYZM")


def _pieces(place: str) -> Iterator[str]:
    """The parts of an address or of a name that begins with a town."""
    at = 0
    for end in _WORDS["address_part"].finditer(place):
        if end.end() - at > 2:
            yield place[at : end.end()]
            at = end.end()
    if at < len(place):
        yield place[at:]


def is_known_place(place: Place, key: str) -> bool:
    """Whether the key of a document has the place, or each of its parts; the last part may have leading words."""
    if place.text in key:
        return True
    *towns, last = place.pieces
    return all(town in key for town in towns) and _is_known_part(last, place.suffix, key)


def _is_known_part(part: str, suffix: str, key: str) -> bool:
    """Whether the key has the part, or its end with at least two characters of the name."""
    name = part.removesuffix(suffix)
    tails = (name[at:] for at in range(min(3, max(1, len(name) - 1))))
    return part in key or any(tail + suffix in key for tail in tails if _is_name(tail, suffix))
