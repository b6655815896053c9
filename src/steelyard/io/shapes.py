"""Shapes of JSON values, and one error message with the path to a value of another shape."""

import json
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from steelyard.errors import InputError, cut
from steelyard.i18n import Message

DECIMAL: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
"""A number as cells have it; float() takes 1_0 and digits of any script too."""
_LONGEST: Final = 60


@dataclass(frozen=True, slots=True)
class Plain:
    """A value that a test accepts; `words` say what it must be."""

    words: Message
    accepts: Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list whose members all have one shape."""

    member: "Shape"


@dataclass(frozen=True, slots=True)
class MapOf:
    """An object whose values all have one shape."""

    member: "Shape"


@dataclass(frozen=True, slots=True)
class Fields:
    """An object with these fields: `needed` must be there; the others may be missing or null, unknown ones anything.

    A list or an object that is null is removed by the check.
    """

    members: Mapping[str, "Shape"]
    needed: frozenset[str] = frozenset()


Shape = Plain | ListOf | MapOf | Fields


def is_number(value: Any) -> bool:
    """Whether a value is a finite number; true and false are not numbers."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


TEXT: Final = Plain(Message("words.text"), lambda value: isinstance(value, str))
NUMBER: Final = Plain(Message("words.a_number"), is_number)
WHOLE: Final = Plain(Message("words.an_integer"), _is_whole)
FLAG: Final = Plain(Message("words.true_or_false"), lambda value: isinstance(value, bool))
SCALAR: Final = Plain(
    Message("words.text_a_number_true_or_false"), lambda value: isinstance(value, str | bool) or is_number(value)
)
ANYTHING: Final = Plain(Message("words.anything"), lambda value: True)


def check_shape(value: Any, shape: Shape, path: str, where: str) -> None:
    """Refuse a value that has another shape; `path` names it in the message."""
    match shape:
        case Plain():
            if not shape.accepts(value):
                raise wrong_shape(path, shape.words, value, where)
        case ListOf():
            if not isinstance(value, list):
                raise wrong_shape(path, Message("words.a_list"), value, where)
            if isinstance(shape.member, Plain) and all(map(shape.member.accepts, value)):
                return
            for number, member in enumerate(value):
                check_shape(member, shape.member, f"{path}[{number}]", where)
        case _:
            if not isinstance(value, dict):
                raise wrong_shape(path, Message("words.an_object"), value, where)
            _check_members(value, shape, path, where)


def wrong_shape(path: str, words: Message, value: Any, where: str) -> InputError:
    """Return the error about a value that has another shape."""
    return InputError(Message("formats.field_wrong_type", path=path, words=words, value=shown(value)), where=where)


def shown(value: Any) -> Message | str:
    """Return a value as messages show it: whole if it is short."""
    if isinstance(value, dict | list):
        return Message("words.an_object") if isinstance(value, dict) else Message("words.a_list")
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 64:
        return Message("words.a_number_of_many_digits")
    return cut(json.dumps(value) if value is None or isinstance(value, bool) else repr(value), _LONGEST)


def _check_members(value: dict[str, Any], shape: MapOf | Fields, path: str, where: str) -> None:
    prefix = f"{path}." if path else ""
    if isinstance(shape, MapOf):
        if isinstance(shape.member, Plain) and all(map(shape.member.accepts, value.values())):
            return
        for name, member in value.items():
            check_shape(member, shape.member, f"{prefix}{name[:_LONGEST]}", where)
        return
    for name, member in shape.members.items():
        if name in value and (value[name] is not None or name in shape.needed):
            check_shape(value[name], member, f"{prefix}{name}", where)
        elif name in shape.needed:
            raise InputError(Message("formats.field_missing", key=prefix + name), where=where)
        elif not isinstance(member, Plain):
            value.pop(name, None)
