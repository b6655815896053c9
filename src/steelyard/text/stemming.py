"""English stems by Porter's algorithm, as used by rouge_score.

M. F. Porter, An algorithm for suffix stripping, Program 14(3), 1980, 130-137, with the departures that nltk makes by
default (its NLTK_EXTENSIONS): irregular words, "dies" and "died" to "die", y to i after any consonant but a lone first
one, and a few more endings. Its irregularities are kept: a score equal to rouge_score needs the same stems.
"""

from functools import lru_cache
from typing import Final

_Endings = tuple[tuple[str, str], ...]
"""Endings and their replacements."""


def _endings(table: str) -> _Endings:
    """Return the endings of a table; a longer one comes before its suffix, as only the first match is tried."""
    return tuple((ending, put) for ending, _, put in (entry.partition(":") for entry in table.split()))


_IRREGULAR: Final = dict(
    _endings(
        "skies:sky dying:die lying:lie tying:tie innings:inning outings:outing cannings:canning sky:sky news:news "
        "inning:inning outing:outing canning:canning howe:howe proceed:proceed exceed:exceed succeed:succeed"
    )
)
_PLURALS: Final = _endings("sses:ss ies:i ss:ss s:")
_DOUBLE_ENDINGS: Final = _endings(
    "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble entli:ent eli:e ousli:ous ization:ize ation:ate "
    "ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble fulli:ful"
)
_ADJECTIVES: Final = _endings("icate:ic ative: alize:al iciti:ic ical:ic ful: ness:")
_LAST_ENDINGS: Final = _endings("al ance ence er ic able ible ant ement ment ent ou ism ate iti ous ive ize")


@lru_cache(maxsize=2**17)
def stem(word: str) -> str:
    """Return the stem of an English word, in lower case; a word of one or two letters is its own stem.

    >>> stem("Generously")
    'gener'
    """
    lowered = word.lower()
    if lowered in _IRREGULAR:
        return _IRREGULAR[lowered]
    if len(word) <= 2:
        return lowered
    inflected = _without_y(_without_past_or_participle(_without_plural(lowered)))
    shortened = _replace_ending(_without_double_ending(inflected), _ADJECTIVES, measure=1)
    return _without_double_l(_without_e(_without_last_ending(shortened)))


def _without_plural(word: str) -> str:
    if len(word) == 4 and word.endswith("ies"):
        return word[:-1]
    return _replace_ending(word, _PLURALS, measure=0)


def _without_past_or_participle(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        base = word.removesuffix(ending)
        if base != word and "v" in _shape(base):
            return _restored(base)
    return word


def _restored(base: str) -> str:
    """Return the word before -ed or -ing: conflat(ed) to conflate, hopp(ing) to hop, fil(ing) to file."""
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if base[-1] == base[-2:-1] and _shape(base)[-1] == "c":
        return base if base[-1] in "lsz" else base[:-1]
    return base + "e" if _measure(base) == 1 and _is_short(base) else base


def _without_y(word: str) -> str:
    if word.endswith("y") and len(word) > 2 and _shape(word)[-2] == "c":
        return word[:-1] + "i"
    return word


def _without_double_ending(word: str) -> str:
    if word.endswith("alli"):
        return _without_double_ending(word[:-2]) if _measure(word[:-4]) > 0 else word
    if word.endswith("logi"):  # the l is part of the stem: geologi to geolog, but logi stays
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replace_ending(word, _DOUBLE_ENDINGS, measure=1)


def _without_last_ending(word: str) -> str:
    if word.endswith("ion"):
        return word[:-3] if word.endswith(("sion", "tion")) and _measure(word[:-3]) > 1 else word
    return _replace_ending(word, _LAST_ENDINGS, measure=2)


def _without_e(word: str) -> str:
    if not word.endswith("e"):
        return word
    base = word[:-1]
    measure = _measure(base)
    return base if measure > 1 or (measure == 1 and not _is_short(base)) else word


def _without_double_l(word: str) -> str:
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


def _replace_ending(word: str, endings: _Endings, *, measure: int) -> str:
    """Replace the first matching ending, if the stem before it has at least this measure."""
    for ending, replacement in endings:
        if word.endswith(ending):
            base = word[: -len(ending)]
            return base + replacement if _measure(base) >= measure else word
    return word


def _is_short(base: str) -> bool:
    """Whether it ends consonant, vowel, consonant other than w, x, y (Porter's *o), or is a vowel and a consonant."""
    shape = _shape(base)
    return shape == "vc" or (shape.endswith("cvc") and base[-1] not in "wxy")


def _measure(base: str) -> int:
    """Return Porter's m: how often a vowel is followed by a consonant."""
    return _shape(base).count("vc")


def _shape(word: str) -> str:
    """Return each letter as v or c; y is a vowel after a consonant, and other characters are consonants."""
    shape = ""
    for letter in word:
        is_vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if is_vowel else "c"
    return shape
