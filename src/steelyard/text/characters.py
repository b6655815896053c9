"""Characters of many texts at once, as arrays of code points: which need attention, and the folding of variants.

The functions equal those of `scripts` and `normalisation`, which take one text; they are faster for long texts.
"""

import sys
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from steelyard.text.normalisation import EQUIVALENTS, FOLDS, with_zeros
from steelyard.text.scripts import HAN, HANGUL, KANA, UNSPACED, ranges_of

CodePoints = NDArray[np.uint32]

END: Final = "\0"  # between texts that are read together
_DENSE, _KANA, _FOLDED, _END, _HANGUL = 1, 2, 4, 8, 16  # bits of `_classes`
_UTF_32: Final = f"utf-32-{sys.byteorder[0]}e"
_CHARACTERS: Final = 1 << 20  # that are looked at together
_DROPPED: Final = 0xFFFFFFFF


def code_points(text: str) -> CodePoints:
    """The code points of a text, surrogates too."""
    return np.frombuffer(text.encode(_UTF_32, "surrogatepass"), np.uint32)


def are_spaced(texts: Sequence[str]) -> list[bool]:
    """Which texts have no NUL, and no letter of a script without blanks or of Hangul, or a radical that becomes one."""
    return [not found for found in _have(texts, _DENSE | _HANGUL | _END)]


def are_runs(tokens: Sequence[str], *, hangul: bool) -> NDArray[np.bool_]:
    """Which tokens are runs of a script without blanks, or with `hangul` of Hangul, by their first character."""
    classes = _classes()[code_points("".join([token[0] for token in tokens]))]
    return np.asarray(classes & (_DENSE | _HANGUL if hangul else _DENSE) != 0)


def have_kana(texts: Sequence[str]) -> list[bool]:
    """Which texts contain a Japanese kana character."""
    return _have(texts, _KANA)


def folded(text: str) -> str:
    """The text with character variants unified, as `fold` has it."""
    if text.isascii():
        return text
    points = code_points(text)
    variants = np.flatnonzero(_classes()[points] & _FOLDED)
    if not len(variants):
        return with_zeros(text)
    distinct, indices = np.unique(points[variants], return_inverse=True)
    unified = points.copy()
    unified[variants] = np.array([_folded_point(point) for point in distinct.tolist()], np.uint32)[indices]
    return with_zeros(unified[unified != _DROPPED].tobytes().decode(_UTF_32, "surrogatepass"))


def _folded_point(point: int) -> int:
    value = FOLDS[point]
    return value if isinstance(value, int) else ord(value) if value else _DROPPED


def _have(texts: Sequence[str], classes: int) -> list[bool]:
    """Which texts have a character of one of the classes; only NUL is in ASCII."""
    found = [False] * len(texts)
    for group in _groups(texts):
        for index, is_found in zip(group, _have_together([texts[index] for index in group], classes), strict=True):
            found[index] = is_found
    return found


def _groups(texts: Sequence[str]) -> Iterator[list[int]]:
    """The indices of the texts that are not ASCII or have NUL, some at a time."""
    group: list[int] = []
    size = 0
    for index, text in enumerate(texts):
        if text.isascii() and END not in text:
            continue
        if group and size + len(text) > _CHARACTERS:
            yield group
            group, size = [], 0
        group.append(index)
        size += len(text)
    if group:
        yield group


def _have_together(texts: Sequence[str], classes: int) -> list[bool]:
    places = np.flatnonzero(_classes()[code_points("".join(texts))] & classes != 0)
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))
    found: list[bool] = (np.diff(np.searchsorted(places, ends), prepend=0) > 0).tolist()
    return found


@cache
def _classes() -> NDArray[np.uint8]:
    """The classes of every code point, as bits."""
    classes = np.zeros(sys.maxunicode + 1, np.uint8)
    for bits, characters in ((_DENSE, HAN), (_DENSE | _KANA, KANA), (_DENSE, UNSPACED), (_HANGUL, HANGUL)):
        for first, last in ranges_of(characters):
            classes[first : last + 1] |= bits
    classes[list(FOLDS)] |= _FOLDED
    classes[list(EQUIVALENTS)] |= _DENSE
    classes[ord(END)] |= _END
    return classes
