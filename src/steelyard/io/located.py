"""JSON with the line of every value, for error messages."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isinf
from typing import Any

from steelyard.errors import InputError, cut
from steelyard.i18n import Message
from steelyard.io.records import parse_json

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s"{}\[\],:]+', re.DOTALL)
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONSTANTS = ("NaN", "Infinity", "-Infinity")
_DEEPEST = 32  # no schema is deeper; a deeper value has the line of the value around it


@dataclass(frozen=True, slots=True)
class SourceMap:
    """The line of each value of a file, by JSON pointer, and the span of each value that is no object and no array."""

    name: str
    lines: Mapping[str, int]
    spans: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def line(self, pointer: str) -> int:
        """Return the line of a value, or of the nearest value around it."""
        while pointer and pointer not in self.lines:
            pointer = pointer.rpartition("/")[0]
        return self.lines.get(pointer, 1)

    def location(self, pointer: str) -> str:
        """Return the same as file:line."""
        return f"{self.name}:{self.line(pointer)}"


def pointer_to(*keys: str | int) -> str:
    """Return the JSON pointer that these keys and indexes make."""
    return "".join(f"/{str(key).replace('~', '~0').replace('/', '~1')}" for key in keys)


def located_json(text: str, name: str) -> tuple[Any, SourceMap]:
    """Parse JSON without repeated keys and with finite numbers only, together with the lines of its values."""
    scan = _scanned(text, name)
    return parse_json(text, name), SourceMap(name, scan.lines, scan.spans)


@dataclass(slots=True)
class _Container:
    """An object or array being read, and the current key or index."""

    pointer: str
    is_object: bool
    key: str | int = 0
    seen: set[str] = field(default_factory=set)


class _Scan:
    """Scans tokens; for invalid JSON the lines may be wrong, but the parser refuses it."""

    def __init__(self, name: str) -> None:
        self.lines: dict[str, int] = {}
        self.spans: dict[str, tuple[int, int]] = {}
        self._name = name
        self._around: list[_Container] = []
        self._awaits_key = False

    def read(self, token: str, line: int, start: int) -> None:
        _check_token(token, f"{self._name}:{line}")
        match token:
            case ":":
                pass
            case ",":
                self._go_on()
            case "}" | "]":
                self._around[-1:] = []
                self._awaits_key = False
            case _ if self._awaits_key:
                self._name_key(token, line)
            case "{" | "[":
                self._around.append(_Container(self._value(line), token == "{"))
                self._awaits_key = token == "{"
            case _:
                self.spans[self._value(line)] = (start, start + len(token))

    def _value(self, line: int) -> str:
        """Record the line of a value, and return its pointer."""
        if len(self._around) >= _DEEPEST:
            return ""
        pointer = self._around[-1].pointer + pointer_to(self._around[-1].key) if self._around else ""
        self.lines[pointer] = line
        return pointer

    def _go_on(self) -> None:
        """Advance to the next index or key."""
        if self._around:
            container = self._around[-1]
            self._awaits_key = container.is_object
            container.key = container.key if isinstance(container.key, str) else container.key + 1

    def _name_key(self, token: str, line: int) -> None:
        self._awaits_key = False
        key = _string(token)
        container = self._around[-1]
        if key in container.seen:
            raise InputError(Message("formats.duplicate_key", key=key), where=f"{self._name}:{line}")
        container.key = key
        container.seen.add(key)


def _scanned(text: str, name: str) -> _Scan:
    scan = _Scan(name)
    line, counted = 1, 0
    for match in _TOKEN.finditer(text):
        line, counted = line + text.count("\n", counted, match.start()), match.start()
        scan.read(match[0], line, match.start())
    return scan


def _check_token(token: str, where: str) -> None:
    if token in _CONSTANTS:
        raise InputError(Message("formats.invalid_json_number", token=token), where=where)
    if _NUMBER.fullmatch(token) and isinf(float(token)):
        raise InputError(Message("formats.json_number_too_large", token=cut(token, 20)), where=where)
    half = _SURROGATE.search(_string(token)) if "\\u" in token else None
    if half:
        raise InputError(Message("formats.lone_surrogate", half=half[0]), where=where)


def _string(token: str) -> str:
    """Return the value of a string token."""
    try:
        return str(json.loads(token))
    except ValueError:
        return ""  # the parser reports the error
