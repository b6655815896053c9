"""The command line in the language of the user: help texts by code, argparse's own texts, lines by display width.

Commands give codes of the catalogue as `help`, `description` and titles of groups: `help="help.json"`. `put_into`
replaces them by their texts. The words of metavars are found by their English spelling (section `metavars`), as are the
texts of argparse itself (section `argparse`).
"""

import argparse
import re
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from typing import Any, Final
from unicodedata import east_asian_width

from steelyard.i18n import LANGUAGES, Language, Message, codes, locale_language, texts, words_of

_CHOSEN: Final = ContextVar[Language]("_CHOSEN", default="en")
_OPTION: Final = "--lang"
_PIECE: Final = r"[（“《]*(?:[^\s\u2e80-\uffef“”]+|\S)[，。；：、）”》！？]*|[ ]+"
"""What is not broken: a word, or a Chinese character with the punctuation that belongs to it."""


def language_of(line: Sequence[str], default: str | None = None) -> Language:
    """The language that the last --lang of a command line names, else the default, else that of the locale."""
    found = [default, *(value for option, value in pairwise(line) if option == _OPTION)]
    found += [word.partition("=")[2] for word in line if word.startswith(f"{_OPTION}=")]
    return next((value for value in reversed(found) if value in LANGUAGES), locale_language())


def chosen_language() -> Language:
    """The language of the parser that is being built or used."""
    return _CHOSEN.get()


def refused(code: str, /, **args: Any) -> argparse.ArgumentTypeError:
    """The error of a value that an option does not accept, as a message of the catalogue."""
    return argparse.ArgumentTypeError(Message(code, **args).text(chosen_language()))


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """While the block runs, argparse's own texts and refused values are in a language."""
    before = {name: getattr(argparse, name) for name in ("_", "ngettext")}
    token = _CHOSEN.set(language)
    try:
        if language != "en":
            known, own = codes("argparse"), texts(language)
            argparse._ = lambda text: own[known[text]] if text in known else before["_"](text)  # type: ignore[attr-defined]
            argparse.ngettext = lambda one, many, n: argparse._(one if n == 1 else many)  # type: ignore[attr-defined]
        yield
    finally:
        _CHOSEN.reset(token)
        for name, value in before.items():
            setattr(argparse, name, value)


def put_into(parser: argparse.ArgumentParser, language: Language) -> None:
    """Replace the codes of a parser and of its commands by their texts."""
    parser.formatter_class = HelpFormatter
    parser.description = _text(parser.description, language)
    parser.epilog = _text(parser.epilog, language)
    for group in parser._action_groups:
        group.title = _text(group.title, language)
    for action in parser._actions:
        _translate(action, language)
        if isinstance(action, argparse._SubParsersAction):
            for row in action._choices_actions:
                row.help = _text(row.help, language)
            for command in action.choices.values():
                put_into(command, language)


def _translate(action: argparse.Action, language: Language) -> None:
    action.help = _text(action.help, language)
    if isinstance(action.metavar, str) and (code := codes("metavars").get(action.metavar)):
        action.metavar = texts(language)[code]


def _text(code: str | None, language: Language) -> str | None:
    return code if code is None or code not in texts("en") else words_of(language)(code)


class HelpFormatter(argparse.HelpFormatter):
    """Lines are broken by their width on the terminal; a line end in a description begins a new paragraph."""

    class _Section(argparse.HelpFormatter._Section):
        def format_help(self) -> str:
            """The section; older versions of Python do not put the colon after its heading into the language."""
            heading = texts(chosen_language())["argparse.heading"] % {"heading": self.heading}
            return super().format_help().replace(f"{self.heading}:\n", f"{heading}\n", 1)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrapped(" ".join(text.split()), width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = (line for paragraph in text.split("\n") for line in wrapped(paragraph, width - len(indent)))
        return "\n".join(indent + line for line in lines)

    def _format_usage(self, *args: Any) -> str:
        """Usage is broken by the number of characters, so that its lines are made shorter where some are wide."""
        width = self._width
        words = [action.metavar for action in args[1] if isinstance(action.metavar, str)]
        self._width = width - width // 8 if any(display_width(word) > len(word) for word in words) else width
        try:
            return super()._format_usage(*args)
        finally:
            self._width = width

    def _format_action(self, action: argparse.Action) -> str:
        """The option and its help; the blanks between them are fewer by what wide characters take more."""
        text, header = super()._format_action(action), self._format_action_invocation(action)
        extra = display_width(header) - len(header)
        beside = re.match(rf" *{re.escape(header)}( +)(?=\S)", text)
        if not extra or beside is None:
            return text
        if len(beside[1]) - extra >= 2:
            return text[: beside.end() - extra] + text[beside.end() :]
        return f"{beside[0].rstrip()}\n{' ' * beside.end()}{text[beside.end() :]}"


def display_width(text: str) -> int:
    """The columns of the terminal that a text takes: two for a Chinese character."""
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


def wrapped(text: str, width: int) -> list[str]:
    """A text in lines of at most so many columns; Chinese is broken between any two characters."""
    if text.isascii():
        return textwrap.wrap(text, width)
    lines, line = [], ""
    for piece in re.findall(_PIECE, text):
        if line and display_width(line + piece) > width:
            lines.append(line.rstrip())
            line = ""
        line += piece if line else piece.lstrip()
    return [*lines, line] if line else lines
