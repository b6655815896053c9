"""Measure words (classifiers) and the classes of interchangeable ones."""

from typing import Final

from steelyard.lexicon import lexicon

_WORDS: Final = lexicon("values")
_CLASSES: Final = [entry["words"].split() for name, entry in _WORDS.entries() if name == "interchangeable"]
_CLASS_OF: Final = {unit: number for number, units in enumerate(_CLASSES) for unit in units}
_NOT_GENERAL: Final = {_CLASS_OF[unit] for unit in _WORDS.words("not_general")}
_GENERAL: Final = "个"
MEASURES: Final = (_WORDS.words("measure") | {unit for unit in _CLASS_OF if not unit.isascii()}) - {"日", "月"}
"""The Chinese measure words that make a number a count; 日 and 月 make it a date."""


def is_measure(unit: str) -> bool:
    """Whether a word is a measure word."""
    return unit in _CLASS_OF or unit in MEASURES


def same_measure(one: str, two: str) -> bool:
    """Whether two measure words are interchangeable; 个 counts everything except occurrences and durations."""
    first, second = _CLASS_OF.get(one), _CLASS_OF.get(two)
    if one == two or (first is not None and first == second):
        return True
    return _GENERAL in (one, two) and (second if one == _GENERAL else first) not in _NOT_GENERAL
