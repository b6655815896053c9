"""Equations in an answer: which value is the result, and whether it is right."""

import re
from collections.abc import Sequence
from decimal import Decimal, DivisionByZero, InvalidOperation
from itertools import pairwise
from typing import Final

from steelyard.legal import thresholds
from steelyard.legal.facts.statements import after_last
from steelyard.lexicon import lexicon
from steelyard.text.mentions import Mention, mentions

_WORDS: Final = lexicon("facts")
_OPERATOR: Final = re.compile(
    r"[^+\-×*÷/=\n]{0,16}?(?:"
    + "|".join(f"(?P<{name}>{_WORDS.source(name)})" for name in ("plus", "minus", "times", "divided"))
    + r")[^+\-×*÷=\n]{0,16}",
    re.IGNORECASE,
)
_BEHIND: Final = re.compile(r"(?:\s?/\s?[A-Za-z\u4e00-\u9fff]{1,10}|[^+\-×*÷/=\n]){0,24}")
_SIGN: Final = re.compile(r"[\W约负]*")
_MINUS: Final = re.compile(r"(?<![\w%)])\s?[-负]\s?$")
_REMARK: Final = re.compile(r"\([^()]{0,40}\)")
_NUMERIC: Final = frozenset(("money", "number", "count", "percent"))


def equated(text: str, values: Sequence[Mention]) -> list[Mention]:
    """The value on the right of the last equation."""
    return after_last(_WORDS["equals"], text, values)[:1]


def is_wrong_result(text: str, value: Mention) -> bool:
    """Whether the value is the result of an equation of figures that does not hold."""
    window = text[max(0, value.start - thresholds.EQUATION_REACH) : value.start]
    marks = list(_WORDS["equals"].finditer(window))
    between = window[marks[-1].end() :] if marks else ""
    if not marks or not _SIGN.fullmatch(between):
        return False
    left = _operation(window[: marks[-1].start()])
    if left is None or not isinstance(value.value, Decimal):
        return False
    result = -value.value if is_negative(text, value) else value.value
    is_rounded = marks[-1][0] == "≈" or value.approx
    slack = max(Decimal(thresholds.CENT), abs(left) / thresholds.ROUNDED if is_rounded else Decimal(0))
    return all(abs(result / scale - left) > slack for scale in (1, 10**4, 10**6))


def is_negative(text: str, value: Mention) -> bool:
    """Whether a minus sign stands before the value that is no dash between two values."""
    return _MINUS.search(text, max(0, value.start - 3), value.start) is not None


def _operation(text: str) -> Decimal | None:
    """The value of the operation at the end of a text; None if there is no readable one."""
    numbers = [mention for mention in mentions(text) if mention.kind in _NUMERIC and isinstance(mention.value, Decimal)]
    if not numbers or not _BEHIND.fullmatch(text[numbers[-1].end :]):
        return None
    terms, signs = [_plain_value(numbers[-1])], []
    for left, right in list(pairwise(numbers))[: -thresholds.OPERANDS - 1 : -1]:
        between = _REMARK.sub("", text[left.end : right.start])
        if "(" in between or ")" in between:
            return None
        sign = _OPERATOR.fullmatch(between)
        if sign is None:
            break
        signs.append(str(sign.lastgroup))
        terms.append(_plain_value(left))
    return _evaluated(terms[::-1], signs[::-1]) if signs else None


def _plain_value(mention: Mention) -> Decimal:
    value: Decimal = mention.value
    return value / 100 if mention.kind == "percent" else value


def _evaluated(terms: list[Decimal], signs: list[str]) -> Decimal | None:
    """The value of the expression, products before sums; None for a division by zero."""
    products = [terms[0]]
    try:
        for sign, term in zip(signs, terms[1:], strict=True):
            match sign:
                case "times":
                    products[-1] *= term
                case "divided":
                    products[-1] /= term
                case _:
                    products.append(term if sign == "plus" else -term)
        return sum(products, Decimal(0))
    except (DivisionByZero, InvalidOperation):
        return None
