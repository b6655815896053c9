"""Messages as JSON values, so that a report of a stored result can be in another language.

A message is `[code, {name: argument}]` or `[code]`, joined texts are `[separator, [item, …]]`; plain values are
themselves. What cannot be stored so, such as an exception of others, is stored as its English text.
"""

import math
import string
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from steelyard.i18n.catalogue import texts
from steelyard.i18n.message import Joined, Localized, Message, translations

DEEPEST: Final = 8
"""Messages inside messages that are read."""


def to_json(value: object) -> Any:
    """Return a message, or an argument of one, as a JSON value."""
    match value:
        case Message():
            args = {name: to_json(each) for name, each in value.args.items()}
            return [value.code, args] if args else [value.code]
        case Joined():
            return [value.separator, [to_json(each) for each in value.items]]
        case None | str() | int():
            return value
        case float() if math.isfinite(value):
            return value
        case Localized():
            return to_json(value.plain())
    return str(value)


def from_json(value: object) -> Localized | None:
    """Return the message that a JSON value stands for; None where it is none, or one that has no text here."""
    found = _checked(value)
    return None if found is None else found[0]


def translations_from_json(value: object) -> tuple[str, ...] | None:
    """Return the text in every language (`translations`) of the message that `from_json` gives."""
    found = _checked(value)
    return None if found is None else found[1]


def _checked(value: object) -> tuple[Localized, tuple[str, ...]] | None:
    """Return a message with its texts, without which it is none."""
    try:
        found = _message(value, DEEPEST)
        return found, translations(found)
    except (LookupError, ValueError, TypeError, ArithmeticError):
        return None


def _message(value: object, depth: int) -> Message | Joined:
    match value:
        case [str(code)] if depth:
            args: Mapping[str, Any] = {}
        case [str(code), dict(args)] if depth:
            pass
        case [str(code), list(items)] if depth and not _arguments(code):
            return Joined(code, [_item(each, depth - 1) for each in items])
        case _:
            raise ValueError("no message")
    if args.keys() != _arguments(code):
        raise ValueError("other arguments")
    return Message(code, **{name: _value(each, depth - 1) for name, each in args.items()})


def _item(value: object, depth: int) -> Localized | str:
    return value if isinstance(value, str) else _message(value, depth)


def _value(value: object, depth: int) -> Any:
    return value if value is None or isinstance(value, str | int | float) else _message(value, depth)


@cache
def _arguments(code: str) -> frozenset[str]:
    """Return the names of the arguments of a code; KeyError where there is no such code."""
    return frozenset(name for _, name, _, _ in string.Formatter().parse(texts("en")[code]) if name is not None)
