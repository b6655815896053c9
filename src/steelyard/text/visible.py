"""Control characters and bidirectional marks escaped, so that text cannot control a terminal."""

import codecs
import json
import math
import re
from functools import partial
from typing import Any, Final

# C0 and C1, DEL, line separators, and bidirectional overrides
_CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_BUT_LAYOUT: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
# the styles of our own tables: bold, dim, red, green, yellow, and reset
_BUT_STYLES: Final = re.compile(rf"\x1b(?!\[(?:[012]|3[123])(?:;(?:[012]|3[123]))*m)|(?!\x1b){_BUT_LAYOUT.pattern}")


HALVES: Final = "steelyard.halves"
"""The error handler that writes � for half of a character."""


def visible(text: str) -> str:
    r"""Return one line of text with every control character escaped, such as \x1b, \n or \u202e."""
    return _CONTROLS.sub(_escaped, text)


def one_line(text: str) -> str:
    """Return text in one line: white space becomes one blank, and other control characters are shown."""
    return visible(" ".join(text.split()))


def visible_lines(text: str) -> str:
    """Return text of several lines, with control characters other than line breaks and tabs escaped."""
    return _BUT_LAYOUT.sub(_escaped, text)


def printable(text: str) -> str:
    """Escape control characters other than line breaks, tabs and our styles, in text rendered for a terminal."""
    return _BUT_STYLES.sub(_escaped, text)


def indented_json(value: Any) -> str:
    """Return a value as indented JSON, as every command prints and writes it; null for NaN and infinity."""
    write = partial(json.dumps, ensure_ascii=False, allow_nan=False, indent=1)
    try:
        return write(value) + "\n"
    except ValueError:  # a number of another program that JSON does not have
        return write(_finite(value)) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return {name: _finite(each) for name, each in value.items()} if isinstance(value, dict) else value


def visible_json(text: str) -> str:
    r"""Return JSON with control characters as JSON escapes, such as \u009b; its value does not change."""
    return _BUT_LAYOUT.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _half_replaced(error: UnicodeError) -> tuple[bytes, int]:
    """Write � for half of a character, which UTF-8 cannot hold: `text.encode("utf-8", HALVES)`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "\ufffd".encode() * (error.end - error.start), error.end


codecs.register_error(HALVES, _half_replaced)


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")
