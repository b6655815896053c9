"""Legal values: ours is right on every vector, and plain readers of a few forms agree where they can read the text."""

import re
from datetime import date

import pytest

from conformance.targets.lines import _computed
from conformance.targets.ours.law import FUNCTIONS
from steelyard.suite.outcomes import judged
from steelyard.suite.vectors import read_vectors

VECTORS = {vector.id: vector for vector in read_vectors() if vector.family == "law"}


@pytest.mark.parametrize("vector", VECTORS.values(), ids=VECTORS)
def test_ours_is_right(vector):
    reply = _computed(FUNCTIONS[vector.computes], vector.input)
    assert judged(vector, reply.get("value")).kind == "right"


# --- the same by other means

DIGITS = {
    char: value for value, chars in enumerate(("零〇", "一壹", "二贰两", "三叁", *"四五六七八九")) for char in chars
}
DIGITS |= {"肆": 4, "伍": 5, "陆": 6, "柒": 7, "捌": 8, "玖": 9}
UNITS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000, "万": 10**4, "亿": 10**8}


def spelled(text):
    """A number with a unit after every digit: split at the largest unit, as a child learns it."""
    for unit in sorted((unit for unit in UNITS if unit in text), key=UNITS.__getitem__, reverse=True):
        before, _, after = text.rpartition(unit)
        return (spelled(before) if before.strip("零") else 1) * UNITS[unit] + spelled(after)
    return sum(DIGITS[char] for char in text)


SPELLED = [
    vector
    for vector in VECTORS.values()
    if re.fullmatch(
        "[{0}{1}]+[{1}]|[{0}{1}]+[零{1}][{0}]".format("".join(DIGITS), "".join(UNITS)), vector.input.get("text", "")
    )
    and not {"Range", "ShortForm"} & {*vector.flags}
]
DATED = [
    vector for vector in VECTORS.values() if vector.computes == "date" and re.match(r"\d{4}\D", vector.input["text"])
]


@pytest.mark.parametrize("vector", SPELLED, ids=lambda vector: vector.id)
def test_spelled_numbers(vector):
    assert spelled(vector.input["text"]) == vector.expected


@pytest.mark.parametrize("vector", DATED, ids=lambda vector: vector.id)
def test_days_of_the_calendar(vector):
    """What a date gives is what the calendar has; an impossible one it has not."""
    figures = [int(figure) for figure in re.findall(r"\d+", vector.input["text"])[:3]]
    if vector.result == "invalid":
        with pytest.raises(ValueError, match=r"day|month"):
            date(*figures)
    elif len(figures) == 3:
        assert date(*figures).isoformat() == vector.expected
