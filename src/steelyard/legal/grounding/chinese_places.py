"""Places and organisations in Chinese text, found by a suffix with a name before it, or by a list."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from steelyard.legal.thresholds import LONGEST_AREA, LONGEST_CORE, LONGEST_STEM, LONGEST_SURE_CORE
from steelyard.lexicon import lexicon

_WORDS: Final = lexicon("grounding")
_CUT: Final = _WORDS.words("not_in_places")
_PARTS: Final = _WORDS.words("trades") | _WORDS.words("generic_places")
_CUT_WORDS: Final = (_WORDS.words("common_words") | _WORDS.words("before_places") | _WORDS.words("roles")) - _PARTS
_KNOWN: Final = _WORDS.words("known_places")
_HAN: Final = r"\u4e00-\u9fff"
_END: Final = re.compile(
    f"(?P<sure>{_WORDS.source('sure_suffix')})|(?P<area>{_WORDS.source('area_suffix')})|{_WORDS.source('place_suffix')}"
)
_STEM: Final = re.compile(f"[{_HAN}\\dA-Z]*$")
_EDGE_AFTER: Final = re.compile(rf"[^{_HAN}]|$|{_WORDS.source('after_place')}|{_WORDS.source('after_name')}")


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
    for match in _END.finditer(text):
        if _goes_on(text, match.end()):
            continue
        stem = _STEM.search(text, max(end, match.start() - LONGEST_STEM), match.start())
        end = match.end()
        name = stem[0][_cut_length(stem[0]) :] if stem else ""
        if _is_place(name, match):
            start = match.start() - len(name)
            yield Place(text[start:end], start, tuple(_pieces(text[start:end])), match[0])
    for match in _WORDS["known_places"].finditer(text):
        yield Place(match[0], match.start(), (match[0],), "")


def _goes_on(text: str, at: int) -> bool:
    """Whether the next suffix is so near that this one is part of a longer name."""
    following = _END.search(text, at, at + 14)
    between = text[at : following.start()] if following else "\0"
    return re.fullmatch(f"[{_HAN}\\d]{{0,8}}", between) is not None and not _cut_length(between)


def _is_place(name: str, suffix: re.Match[str]) -> bool:
    """Whether the words before a suffix are a name, as far as their length and the words after it tell."""
    *towns, last = [*_pieces(name + suffix[0])]
    if not _is_name(name, suffix[0]) or any(len(town) > LONGEST_AREA for town in towns):
        return False
    core = _core(last.removesuffix(suffix[0]))
    if suffix["sure"]:
        return len(core) <= LONGEST_SURE_CORE
    if suffix["area"]:
        return (
            len(last) <= LONGEST_AREA and (suffix[0] != "省" or core in _KNOWN) and (suffix[0] != "区" or bool(towns))
        )
    is_edge = bool(towns) or _EDGE_AFTER.match(suffix.string, suffix.end()) is not None
    return len(core) <= LONGEST_CORE and is_edge


def _cut_length(words: str) -> int:
    """The number of characters before a suffix that do not belong to the name."""
    for at in range(len(words), 0, -1):
        pairs = [words[at - size : at] for size in (2, 3, 4) if at >= size]
        is_unit = bool(pairs) and re.fullmatch(r"\d[年月日号时分元]", pairs[0]) is not None
        if words[at - 1] in _CUT or is_unit or not _CUT_WORDS.isdisjoint(pairs):
            return at
    return 0


def _core(name: str) -> str:
    """A name without the words at its end that say what it is: trades, and words that name no place."""
    while known := next((size for size in (5, 4, 3, 2) if len(name) >= size and name[-size:] in _PARTS), 0):
        name = name[:-known]
    return name


def _is_name(name: str, suffix: str) -> bool:
    """Whether the rest contains anything that only names have."""
    rest = _core(name)
    if rest in _PARTS or rest.isdigit() or not rest or _WORDS["placeholder"].search(rest):
        return False
    return len(rest) > 1 or suffix[-1] == "号" or len(name) > 2


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
    if name in _KNOWN:
        return name in key
    tails = (name[at:] for at in range(min(3, max(1, len(name) - 1))))
    return part in key or any(tail + suffix in key for tail in tails if _is_name(tail, suffix))
