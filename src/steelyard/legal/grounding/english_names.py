"""Names of persons, organisations and places in English text, by capitals, titles and suffixes."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from steelyard.lexicon import lexicon

_WORDS: Final = lexicon("grounding")
_TITLES: Final = _WORDS.words("titles")
_ORGANISATIONS: Final = _WORDS.words("organisations")
_PLACES: Final = _WORDS.words("places")
_STATUTES: Final = _WORDS.words("statutes")
_ALSO_NAMES: Final = _WORDS.words("also_names")
_NAMES_WITH_ENDINGS: Final = _WORDS.words("names_with_endings")
_LEADING: Final = _WORDS.words("function_words") | _WORDS.words("role_words")
_ORDINARY: Final = _WORDS.words("ordinary_words") | _LEADING
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
    """Capitalised names with their positions, without titles and ordinary words before them.

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
    first = next((at for at, (word, _) in enumerate(words) if _is_initial(word) or not _leads(plain[at])), len(plain))
    first = max((at + 1 for at, word in enumerate(plain[:-1]) if word in _TITLES), default=first)
    last = max((at for at, word in enumerate(plain) if not _is_particle(word)), default=-1)
    kept = plain[first : last + 1]
    if not kept or any(word in _STATUTES for word in kept):
        return
    start, end = words[first][1], words[last][1] + len(words[last][0])
    before = text[max(0, start - 12) : start]
    if _FIGURE_AFTER.match(text, end) or (text[end : end + 1] == ":" and _HEADING.search(before)):
        return
    has_title = first > 0 and plain[first - 1] in _TITLES
    is_introduced = has_title or _WORDS["named"].search(before) is not None
    if _is_named(kept, lower, is_introduced=is_introduced):
        house = _HOUSE_NUMBER.search(before) if kept[-1] in _PLACES else None
        start -= len(house[0]) if house else 0
        yield re.sub(r"(?:'s?|[.,])$", "", text[start:end]), start


def _is_named(words: list[str], lower: frozenset[str], *, is_introduced: bool) -> bool:
    """Whether capitalised words are a name: at least two, or introduced by a title, and not a heading."""
    content = [word for word in words if not _is_particle(word)]
    if words[-1] in _ORGANISATIONS or words[-1] in _PLACES:
        return any(not _is_ordinary(word) and word.lower() not in lower for word in content[:-1])
    if is_introduced:
        return not _is_ordinary(content[0]) or content[0].lower() in _ALSO_NAMES
    doubtful = [word for word in content if _is_ordinary(word) or word.lower() in lower]
    if any(word.lower() not in _ALSO_NAMES for word in doubtful) or len(doubtful) == len(content):
        return False
    return len(content) > 1 and _is_cased(content)


def _is_cased(words: list[str]) -> bool:
    """Whether at least one word is not in capitals throughout or an initial."""
    return any(len(word) > 1 and not word.isupper() for word in words)


def _leads(word: str) -> bool:
    """Whether a word precedes a name and is not part of it."""
    return word in _TITLES or _is_particle(word) or word.lower() in _LEADING


def _is_initial(word: str) -> bool:
    return len(word) == 2 and word[1] == "."


def _is_particle(word: str) -> bool:
    return not word or word[0].islower() or word == "&"


def _is_ordinary(word: str) -> bool:
    lower = word.lower()
    if lower in _NAMES_WITH_ENDINGS:
        return False
    is_long = len(word) > 6 or word.isupper()
    return lower in _ORDINARY or (is_long and _WORDS["ordinary_ending"].search(lower) is not None)


def is_known_english_name(name: str, text: str) -> bool:
    """Whether a text has the words of a name in any case, without accents, initials, titles and particles."""
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
    """The words of a text in Latin letters, in lower case and without accents; of OutdoorSeating, its parts too."""
    parts = re.sub("(?<=[a-z])(?=[A-Z])", " ", text)
    return frozenset(_unaccented(word) for each in (text, parts) for word in re.findall(_LATIN_WORD, each))


def _unaccented(word: str) -> str:
    if not word.isascii():
        word = "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))
    return word.lower().removesuffix("'s")
