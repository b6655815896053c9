"""Measure words (classifiers) and units, and the classes of interchangeable ones."""

from typing import Final

from steelyard.lexicon import lexicon

_WORDS: Final = lexicon("values")
_CLASSES: Final = [entry["words"].split() for name, entry in _WORDS.entries() if name == "interchangeable"]
_CLASS_OF: Final = {unit: number for number, units in enumerate(_CLASSES) for unit in units}
_NOT_GENERAL: Final = {_CLASS_OF[unit] for unit in _WORDS.words("not_general")}
_GENERAL: Final = "个"
_KNOWN: Final = _WORDS.words("measure") | _CLASS_OF.keys()
MEASURES: Final = {unit for unit in _KNOWN if not unit.isascii()} - {"日", "月", "度"}
"""The measure words that make any number a count; 日 and 月 make it a date."""


def is_measure(unit: str) -> bool:
    """Whether a word is a measure word, or a rate of one (次/秒)."""
    return unit.partition("/")[0] in _KNOWN


def same_measure(one: str, two: str) -> bool:
    """Whether two measure words are interchangeable; 个 counts everything except occurrences and durations.

    Rates differ if both name a period and the periods differ: 次/秒 and 次/分钟.
    """
    (first, _, period), (second, _, other) = one.partition("/"), two.partition("/")
    if period and other and not _is_same(period, other):
        return False
    if _is_same(first, second):
        return True
    return _GENERAL in (first, second) and _CLASS_OF.get(second if first == _GENERAL else first) not in _NOT_GENERAL


def _is_same(one: str, two: str) -> bool:
    return one == two or _CLASS_OF.get(one, one) == _CLASS_OF.get(two, two)
