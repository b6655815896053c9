"""Names of persons, organisations and places, without word segmentation.

English names are found by capitals, titles and suffixes; Chinese places and organisations by a suffix with a name
before it, or by a list; Chinese persons by surname and context.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from steelyard.legal.thresholds import LONGEST_AREA, LONGEST_CORE, LONGEST_STEM, LONGEST_SURE_CORE
from steelyard.lexicon import lexicon

_WORDS: Final = lexicon("grounding")
_TITLES: Final = _WORDS.words("titles")
_PLACES: Final = _WORDS.words("places")
_ALSO_NAMES: Final = _WORDS.words("also_names")
_LEADING: Final = _WORDS.words("function_words") | _WORDS.words("role_words")
_ORDINARY_WORDS: Final = _WORDS.words("ordinary_words") | _LEADING
_SAME_WORDS: Final = dict(pair.split("=") for pair in _WORDS.words("abbreviations"))

_UPPER: Final = "A-ZÀ-ÖØ-Þ"
_LETTER: Final = "A-Za-zÀ-ÖØ-öø-ÿĀ-ſ"
_LATIN_WORD: Final = rf"[{_LETTER}]+(?:'[{_LETTER}]+)*"
_WORD: Final = rf"(?:Mc|Mac|O'|D')?[{_UPPER}][{_LETTER}]*(?:(?:-|'(?!s\b))[{_LETTER}]+)*"
_PART: Final = rf"(?:(?:{_WORDS.source('abbreviated')}|[{_UPPER}])\.|{_WORD})"
# capitalised words in a row, joined by particles and initials
_SEQUENCE: Final = re.compile(
    rf"(?<![{_LETTER}\d_.@/-]){_PART}(?:(?:{_WORDS.source('joins_names')}| ?& ?| |, (?=(?:Inc|LLC|LLP|Ltd|Co|Corp)\b))"
    rf"(?:(?:{_WORDS.source('particles')}) ){{0,2}}{_PART})*"
)
_HOUSE_NUMBER: Final = re.compile(r"\b\d+[A-Za-z]? $")
_FIGURE_AFTER: Final = re.compile(r"[: ]+[($£€¥]*\d|: *[$£€¥]")  # the label of a figure
_HEADING: Final = re.compile(r"(?:\A|\n)(?:\(?\d{1,2}[.)]|[-*•]|) ?$")  # what is before a heading
_LAST_MARKS: Final = re.compile(r"(?:'s?|[.,])+$")


def english_names(text: str) -> Iterator[tuple[str, int]]:
    """Yield capitalised names with their positions, without titles and ordinary words before them.

    A single word is a name only if the words before it introduce one; a word that the text also writes in lower case
    is an ordinary one.
    """
    sequences = [
        match
        for match in _SEQUENCE.finditer(text)
        if " " in match[0] or _WORDS["named"].search(text[max(0, match.start() - 12) : match.start()])
    ]
    lower = frozenset(re.findall(r"\b[a-z]{3,}\b", text)) if sequences else frozenset()
    for match in sequences:
        words = [(word[0], word.start() + match.start()) for word in re.finditer(r"\S+", match[0])]
        yield from _names_in(text, words, lower)


def _names_in(text: str, words: list[tuple[str, int]], lower: frozenset[str]) -> Iterator[tuple[str, int]]:
    plain = [_LAST_MARKS.sub("", word) for word, _ in words]
    leads = [word in _TITLES or _is_particle(word) or word.lower() in _LEADING for word in plain]
    is_initial = [len(word) == 2 and word[1] == "." for word, _ in words]
    first = next((at for at in range(len(plain)) if is_initial[at] or not leads[at]), len(plain))
    first = max((at + 1 for at, word in enumerate(plain[:-1]) if word in _TITLES), default=first)
    last = max((at for at, word in enumerate(plain) if not _is_particle(word)), default=-1)
    name_words = plain[first : last + 1]
    if not name_words or any(word in _WORDS.words("statutes") for word in name_words):
        return
    start, end = words[first][1], words[last][1] + len(words[last][0])
    before = text[max(0, start - 12) : start]
    if _FIGURE_AFTER.match(text, end) or (text[end : end + 1] == ":" and _HEADING.search(before)):
        return
    has_title = first > 0 and plain[first - 1] in _TITLES
    is_introduced = has_title or _WORDS["named"].search(before) is not None
    if _is_named(name_words, lower, is_introduced=is_introduced):
        house = _HOUSE_NUMBER.search(before) if name_words[-1] in _PLACES else None
        start -= len(house[0]) if house else 0
        yield re.sub(r"(?:'s?|[.,])$", "", text[start:end]), start


def _is_named(words: list[str], lower: frozenset[str], *, is_introduced: bool) -> bool:
    """Return whether capitalised words are a name: at least two, or introduced by a title, and not a heading."""
    content = [word for word in words if not _is_particle(word)]
    if words[-1] in _WORDS.words("organisations") or words[-1] in _PLACES:
        return any(not _is_ordinary(word) and word.lower() not in lower for word in content[:-1])
    if is_introduced:
        return not _is_ordinary(content[0]) or content[0].lower() in _ALSO_NAMES
    doubtful = [word for word in content if _is_ordinary(word) or word.lower() in lower]
    if any(word.lower() not in _ALSO_NAMES for word in doubtful) or len(doubtful) == len(content):
        return False
    is_cased = any(len(word) > 1 and not word.isupper() for word in content)
    return len(content) > 1 and is_cased


def _is_particle(word: str) -> bool:
    return not word or word[0].islower() or word == "&"


def _is_ordinary(word: str) -> bool:
    lower = word.lower()
    if lower in _WORDS.words("names_with_endings"):
        return False
    is_long = len(word) > 6 or word.isupper()
    return lower in _ORDINARY_WORDS or (is_long and _WORDS["ordinary_ending"].search(lower) is not None)


def is_known_english_name(name: str, text: str) -> bool:
    """Return whether a text has the words of a name in any case, without accents, initials, titles and particles."""
    known = latin_words(text)
    if name[0].isdigit() and " ".join(name.lower().split(" ")[:2]) not in text.lower():
        return False
    words = [_unaccented(word) for word in re.findall(rf"[{_LETTER}']+", name) if not _is_particle(word)]
    return all(
        word in known
        or word.removesuffix("s") in known
        or _SAME_WORDS.get(word, "") in known
        or len(word) == 1
        or (_is_ordinary(word) and (word not in _ALSO_NAMES or len(words) > 2))
        for word in words
    )


@lru_cache(maxsize=64)
def latin_words(text: str) -> frozenset[str]:
    """Return the words in Latin letters, in lower case and without accents; of OutdoorSeating, its parts too."""
    parts = re.sub("(?<=[a-z])(?=[A-Z])", " ", text)
    return frozenset(_unaccented(word) for each in (text, parts) for word in re.findall(_LATIN_WORD, each))


def _unaccented(word: str) -> str:
    if not word.isascii():
        word = "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))
    return word.lower().removesuffix("'s")


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
    """Yield named places and organisations in a normalised text."""
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
    following = _END.search(text, at, at + 14)
    between = text[at : following.start()] if following else "\0"
    return re.fullmatch(f"[{_HAN}\\d]{{0,8}}", between) is not None and not _cut_length(between)


def _is_place(name: str, suffix: re.Match[str]) -> bool:
    """Return whether the words before a suffix are a name, as far as their length and the words after it tell."""
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
    """Return the number of characters before a suffix that do not belong to the name."""
    for at in range(len(words), 0, -1):
        pairs = [words[at - size : at] for size in (2, 3, 4) if at >= size]
        is_unit = bool(pairs) and re.fullmatch(r"\d[年月日号时分元]", pairs[0]) is not None
        if words[at - 1] in _WORDS.words("not_in_places") or is_unit or not _CUT_WORDS.isdisjoint(pairs):
            return at
    return 0


def _core(name: str) -> str:
    """Return a name without the words at its end that say what it is: trades, and words that name no place."""
    while known := next((size for size in (5, 4, 3, 2) if len(name) >= size and name[-size:] in _PARTS), 0):
        name = name[:-known]
    return name


def _is_name(name: str, suffix: str) -> bool:
    """Return whether the rest contains anything that only names have."""
    rest = _core(name)
    if rest in _PARTS or rest.isdigit() or not rest or _WORDS["placeholder"].search(rest):
        return False
    return len(rest) > 1 or suffix[-1] == "号" or len(name) > 2


def _pieces(place: str) -> Iterator[str]:
    """Yield the parts of an address or of a name that begins with a town."""
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
    name = last.removesuffix(place.suffix)
    if not all(town in key for town in towns):
        return False
    if name in _KNOWN:
        return name in key
    tails = (name[at:] for at in range(min(3, max(1, len(name) - 1))))  # with at least two characters of the name
    return last in key or any(tail + place.suffix in key for tail in tails if _is_name(tail, place.suffix))


SURNAMES: Final = _WORDS.words("surnames")
DOUBLE_SURNAMES: Final = tuple(sorted(_WORDS.words("double_surnames")))
_AMBIGUOUS: Final = _WORDS.words("ambiguous_surnames")
_SURNAME_WORDS: Final = _WORDS.words("surname_words")
_ORDINARY: Final = _WORDS.words("common_words") | _SURNAME_WORDS
_COPULAS: Final = _WORDS.words("copulas")
_MARKS: Final = frozenset("、:,。;!?\n(“ |") | _WORDS.words("name_joints")
_EDGES: Final = _WORDS.words("name_edges")
_NEVER: Final = _WORDS.words("never_given")

_SURNAME: Final = f"[{''.join(sorted(SURNAMES))}]"
_GIVEN: Final = f"(?![{''.join(sorted(_NEVER))}])[{_HAN}]"
_GIVEN_NAMES: Final = {length: re.compile(_GIVEN * length) for length in (1, 2)}
_CANDIDATE: Final = re.compile(f"(?=({_WORDS.source('double_surnames')}|{_SURNAME}{_GIVEN}))")
_AFTER: Final = re.compile(rf"[,。;!?、)\]”\s:(|]|$|{_WORDS.source('after_name')}")
_SURE_AFTER: Final = re.compile(rf"(?![\d以等所代送向])(?:{_AFTER.pattern})")
_SOMEBODY: Final = re.compile(f"{_SURNAME}某[某甲乙丙丁]?")
_FAMILIAR: Final = re.compile(
    f"(?:(?<![{_HAN}])|(?<=[给找叫是跟与和])) ?([老阿小](?:{_SURNAME}|[{_HAN}](?=[”,。;、]|$)))(?=[,。;、”\\s]|$|的|说)"
)
_TITLED: Final = re.compile(f"[{''.join(sorted(SURNAMES - _AMBIGUOUS))}](?:先生|女士|小姐|太太)")


@lru_cache(maxsize=1 << 5)
def names(text: str) -> tuple[tuple[str, int], ...]:
    """Return names of persons with their positions in a normalised text; cached, as several judges ask for them."""
    return (*(() if text.isascii() else _chinese_names(text)), *english_names(text))


def _chinese_names(text: str) -> Iterator[tuple[str, int]]:
    end = 0
    for match in _CANDIDATE.finditer(text):
        at = match.start()
        surname = match[1] if match[1] in DOUBLE_SURNAMES else match[1][0]
        if at >= end and (name := _name_at(text, at, surname)):
            end = at + len(name)
            yield name, at
    yield from ((match[0], match.start()) for match in _SOMEBODY.finditer(text))
    for match in _FAMILIAR.finditer(text):
        if match[1] not in _WORDS.words("not_familiar"):
            yield match[1], match.start(1)
    yield from ((match[0], match.start()) for match in _TITLED.finditer(text))


def _name_at(text: str, at: int, surname: str) -> str:
    """Return the name that begins with the surname at this position; "" if the context does not support one."""
    given = at + len(surname)
    if text[given - 1 : given + 1] in _SURNAME_WORDS:
        return ""
    role = _has_role_before(text, at)
    if not role and (text[at - 1 : at + 1] in _ORDINARY or text[at - 1 : at + 1] in _WORDS.words("joined_words")):
        return ""
    is_mark = at == 0 or text[at - 1] in _MARKS
    is_edge = is_mark or text[at - 1] in _EDGES or text[at - 2 : at] in _EDGES
    if len(surname) == 2:
        is_sure = role or (is_edge and surname not in _WORDS.words("doubtful_surnames"))
        return _with_given(text, at, surname, (1, 2), _AFTER) if is_sure else ""
    if surname in _WORDS.words("function_surnames") and not (role and text[at - 1] in _COPULAS):
        return _with_given(text, at, surname, (1, 2), _WORDS["title_after_name"]) if role else ""
    if surname in _AMBIGUOUS:
        if role:
            is_usual = surname in _WORDS.words("usual_surnames")
            loose = _with_given(text, at, surname, (2,), None) if is_usual else ""
            return _with_given(text, at, surname, (2, 1), _AFTER) or loose
        return _with_given(text, at, surname, (2,), _SURE_AFTER) if is_mark else ""
    if role:
        return _with_given(text, at, surname, (1, 2), _AFTER) or _with_given(text, at, surname, (2,), None)
    if is_edge:
        return _with_given(text, at, surname, (1, 2), _AFTER)
    return _with_given(text, at, surname, (2,), _WORDS["speaks"])


def _has_role_before(text: str, at: int) -> bool:
    """Return whether a word for a person in a role, or such a word with 是 or a colon, is before the position."""
    if at > 1 and text[at - 1] in _COPULAS:
        if text[at - 1] == "叫":
            return True
        at -= 1
    return any(at >= size and text[at - size : at] in _WORDS.words("roles") for size in (2, 3, 4))


def _with_given(text: str, at: int, surname: str, lengths: tuple[int, ...], after: re.Pattern[str] | None) -> str:
    """Return the surname with a given name of one of these lengths that `after` may follow; "" if there is none."""
    for length in lengths:
        given = _GIVEN_NAMES[length].match(text, at + len(surname))
        if given and given[0] not in _ORDINARY and (after is None or after.match(text, given.end())):
            return surname + given[0]
    return ""


def is_known_name(name: str, text: str) -> bool:
    """Whether the text has the name; one with 某 or a title is known by its surname, English names in any case."""
    if not "\u4e00" <= name[0] <= "\u9fff":
        return is_known_english_name(name, text)
    if name[1:] in _WORDS.words("courtesy") or name[1:2] == "某":
        return name[0] in text
    return name in text
