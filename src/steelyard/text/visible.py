"""Text that commands no terminal: control characters and marks that turn the direction of writing, as escapes."""

import re
from typing import Final

# C0 and C1, DEL, separators of lines, and the marks that override the direction of what follows
_CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_BUT_LAYOUT: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
# what our own tables use on a terminal: bold, dim, and their end
_BUT_STYLES: Final = re.compile(rf"\x1b(?!\[[012](?:;[012])*m)|(?!\x1b){_BUT_LAYOUT.pattern}")


def visible(text: str) -> str:
    r"""A name or a word in one line: every control character is shown, such as \x1b, \n or \u202e."""
    return _CONTROLS.sub(_escaped, text)


def one_line(text: str) -> str:
    """Text in one line: white space becomes one blank, and other control characters are shown."""
    return visible(" ".join(text.split()))


def visible_lines(text: str) -> str:
    """Text of several lines: the same, but line breaks and tabs stay."""
    return _BUT_LAYOUT.sub(_escaped, text)


def printable(text: str) -> str:
    """What was rendered for a terminal: the same, but bold, dim and their end stay."""
    return _BUT_STYLES.sub(_escaped, text)


def visible_json(text: str) -> str:
    r"""JSON that commands no terminal: the same characters as \u009b; it stands for the same value."""
    return _BUT_LAYOUT.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")
