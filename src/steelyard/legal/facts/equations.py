"""Equations in an answer: which value is the result, and whether it is right."""

import re
from collections.abc import Sequence
from decimal import Decimal, DivisionByZero, InvalidOperation
from itertools import pairwise
from typing import Final

from steelyard.text.mentions import Mention, mentions

_EQUALS: Final = re.compile(
    r"=|≈|等于|(?:加上?|减去?|乘以?|除以)[^,。;\n]{1,16},即(?:为|是)?|\bequals\b|\bis equal to\b", re.IGNORECASE
)
_OPERATORS: Final = {
    "+": "+", "加": "+", "加上": "+", "plus": "+", "-": "-", "减": "-", "减去": "-", "minus": "-", "×": "*", "*": "*",
    "x": "*", "乘": "*", "乘以": "*", "times": "*", "÷": "/", "/": "/", "除以": "/", "divided by": "/",
}  # fmt: skip
_OPERATOR: Final = re.compile(
    r"[^+\-×*÷/=\n]{0,16}?(加上|加|减去|减|乘以|乘|除以|\+|-|×|\*|÷|/|\bplus\b|\bminus\b|\btimes\b|\bdivided by\b"
    r"|(?<=\s)x(?=\s))[^+\-×*÷=\n]{0,16}",
    re.IGNORECASE,
)
_BEHIND: Final = re.compile(r"(?:\s?/\s?[A-Za-z\u4e00-\u9fff]{1,10}|[^+\-×*÷/=\n]){0,24}")
_NUMERIC: Final = frozenset(("money", "number", "count", "percent"))
_MOST_OPERANDS: Final = 40
_TOLERANCE: Final = Decimal("0.01")


def equated(text: str, values: Sequence[Mention]) -> list[Mention]:
    """The value on the right of the last equation."""
    marks = [mark.end() for mark in _EQUALS.finditer(text)]
    after = [value for value in values if marks and value.start >= marks[-1]]
    return after[:1]


def is_wrong_result(text: str, value: Mention) -> bool:
    """Whether the value is the result of an equation of figures that does not hold."""
    start = max(0, value.start - 400)
    window = text[start : value.start]
    marks = list(_EQUALS.finditer(window))
    if not marks or re.search(r"\w", window[marks[-1].end() :].replace("约", "")):
        return False
    left = _operation(window[: marks[-1].start()])
    if left is None or value.value is None or not isinstance(value.value, Decimal):
        return False
    slack = max(_TOLERANCE, abs(left) / 200) if marks[-1][0] == "≈" or value.approx else _TOLERANCE
    return all(abs(value.value * scale - left) > slack for scale in (1, Decimal(1) / 10**4, Decimal(1) / 10**6))


def _operation(text: str) -> Decimal | None:
    """The value of the operation at the end of a text; None if there is no readable one."""
    numbers = [mention for mention in mentions(text) if mention.kind in _NUMERIC and isinstance(mention.value, Decimal)]
    if not numbers or not _BEHIND.fullmatch(text[numbers[-1].end :]):
        return None
    terms, signs = [_plain_value(numbers[-1])], []
    for left, right in list(pairwise(numbers))[: -_MOST_OPERANDS - 1 : -1]:
        sign = _OPERATOR.fullmatch(text[left.end : right.start])
        if sign is None:
            break
        signs.append(_OPERATORS[sign[1].lower()])
        terms.append(_plain_value(left))
    return _evaluated(terms[::-1], signs[::-1]) if signs else None


def _plain_value(mention: Mention) -> Decimal:
    value: Decimal = mention.value
    return value / 100 if mention.kind == "percent" else value


def _evaluated(terms: list[Decimal], signs: list[str]) -> Decimal | None:
    """The value of the expression, products before sums; None for a division by zero."""
    total, product = Decimal(0), terms[0]
    plus = True
    try:
        for sign, term in zip(signs, terms[1:], strict=True):
            if sign in "*/":
                product = product * term if sign == "*" else product / term
            else:
                total, product, plus = total + (product if plus else -product), term, sign == "+"
        return total + (product if plus else -product)
    except (DivisionByZero, InvalidOperation):
        return None
