"""Errors with a message, a location, a hint and an exit code.

    SteelyardError                exit 2     message · where · hint
    ├── InputError                           a file does not say what its format requires
    ├── ConfigError                          a pipeline, parameter file or option contradicts itself
    ├── UnknownName                          nothing is called that; the hint is the nearest name
    ├── MissingExtra                         an optional package is absent; the hint is the install line
    └── SystemFailure             exit 3     the system, model or server under test failed

Any other exception is a fault of the program and keeps its traceback (exit 4).
"""

import errno
from collections.abc import Iterable, Sequence
from typing import ClassVar, Final

from steelyard.i18n import Audience, Joined, Localized, Message, as_message, code_of, locale_language

MOST_PROBLEMS = 20
"""A reader collects this many bad places before it complains."""


class Problem(Localized):
    """One bad place: `where` is file:line or file#pointer, `message` says what is wrong there."""

    __slots__ = ("message", "where")  # not a dataclass: importing `dataclasses` takes milliseconds of every start

    def __init__(self, where: str, message: Message) -> None:
        self.where = where
        self.message = message

    def text(self, language: str = "en", audience: Audience = "command") -> str:
        """Return the place and the message in a language."""
        words = self.message.text(language, audience)
        return f"{self.where}: {words}" if self.where else words

    def plain(self) -> Message | Joined:
        """Return the place and the message as one message."""
        return Message("core.labelled", label=self.where, message=self.message) if self.where else self.message

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and (self.where, self.message) == (other.where, other.message)

    def __hash__(self) -> int:
        return hash((self.where, self.message))

    def __repr__(self) -> str:
        return f"Problem(where={self.where!r}, message={self.message!r})"


class SteelyardError(Localized, Exception):
    """A mistake that the user can correct: what is wrong, where, and what to do.

    A message that is a plain `str` is foreign text, for example the reply of a server; it is never translated.
    `parameter` names the argument of a tool that the error is about, with dots for what is below it
    (`backend_configs.openai.timeout`): a pipeline finds the line of its parameter file by it.
    """

    exit_code: ClassVar[int] = 2

    def __init__(
        self,
        message: Message | str,
        *,
        where: str | None = None,
        hint: Localized | str | None = None,
        problems: Sequence[Problem] = (),
        parameter: str | None = None,
    ) -> None:
        self.message = as_message(message)
        self.where = where
        self.parameter = parameter
        self.hint = as_message(hint) if isinstance(hint, str) else hint
        self.problems = tuple(problems) or (Problem(where or "", self.message),)
        super().__init__(self.message)
        if (language := locale_language()) != "en":
            self.add_note(self.text(language, "python"))  # Python prints it below the error

    def text(self, language: str = "en", audience: Audience = "command") -> str:
        """Return the problems, one on each line, and the hint."""
        return "\n".join(line.text(language, audience) for line in self._lines())

    def plain(self) -> Message | Joined:
        """Return the lines as messages."""
        lines = self._lines()
        return lines[0].plain() if len(lines) == 1 else Joined("core.lines", lines)

    def _lines(self) -> list[Localized]:
        lines: list[Localized] = [*self.problems]
        if len(self.problems) == MOST_PROBLEMS:
            lines.append(Message("core.first_problems", count=MOST_PROBLEMS))
        if self.hint:
            lines.append(Message("core.hint", hint=self.hint))
        return lines

    def __str__(self) -> str:
        """Return the English text for Python code: options are named as arguments."""
        return self.text("en", "python")


class InputError(SteelyardError):
    """A file, or a value given in its place, does not say what its format requires."""

    @classmethod
    def of(cls, problems: Sequence[Problem], *, hint: Localized | str | None = None) -> "InputError":
        """Return one error for many bad places; only the first 20 are kept."""
        kept = problems[:MOST_PROBLEMS]
        return cls(kept[0].message, where=kept[0].where, hint=hint, problems=kept)


class ConfigError(SteelyardError):
    """A pipeline, parameter file or option contradicts itself."""


_MOST_NAMES: Final = 24
_FEW_NAMES: Final = 8
"""Of more known names only a few are listed for one that is like none of them."""
_LONGEST_TEXT: Final = 200
"""So many characters of a foreign text are repeated."""


class UnknownName(SteelyardError):
    """Nothing is called that; the hint is the nearest name."""

    @classmethod
    def of(
        cls,
        what: Message,
        name: str,
        known: Iterable[str],
        *,
        where: str | None = None,
        parameter: str | None = None,
    ) -> "UnknownName":
        """Return an error about `name`, a `what` ("metric", "test" …) that is not among `known`."""
        shown = cut(name)
        message = Message("core.unknown_name", what=what, name=shown)
        return cls(message, where=where, hint=nearest(shown, known), parameter=parameter)


class MissingExtra(SteelyardError):
    """An optional package is absent; the hint is the install line."""

    @classmethod
    def of(cls, package: str, extra: str, *, purpose: Message) -> "MissingExtra":
        """Return an error that says which package `purpose` needs, and how the packages of its extra are installed."""
        return cls(Message("core.needs_package", purpose=purpose, package=package), hint=cls.install(extra, package))

    @staticmethod
    def install(extra: str, package: str) -> Message:
        """Return the install line: what the metadata of this installation has in an extra, and the package."""
        from importlib.metadata import distributions

        lines = [line.replace('"', "'") for each in distributions(name="steelyard") for line in each.requires or ()]
        found = [line.partition(";")[0].strip() for line in lines if f"extra == '{extra}'" in line]
        needed = found if any(each.startswith(package) for each in found) else [*found, package]
        return Message(
            "core.pip_install", packages=" ".join(f'"{each}"' for each in dict.fromkeys(needed)), extra=extra
        )


class SystemFailure(SteelyardError):
    """The system, model or server under test failed."""

    exit_code: ClassVar[int] = 3


class BadValue(ValueError):
    """A value that cannot be read; whoever knows its place makes a Problem of it."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


def cut(text: str, longest: int = _LONGEST_TEXT) -> str:
    """Return a text as messages repeat it: whole unless it is very long."""
    return text if len(text) <= longest else f"{text[:longest]}…"


def nearest(name: str, known: Iterable[str]) -> Message:
    """Return the hint that offers the known name most like `name`, or all of them; of very many a few."""
    import difflib

    known = list(known)
    if len(known) <= _MOST_NAMES:
        return nearest_only(name, known) or Message("core.known", names=", ".join(known))
    few = difflib.get_close_matches(name, known, n=_FEW_NAMES, cutoff=0.4) or known[:_FEW_NAMES]
    return nearest_only(name, known) or Message("core.known_some", names=", ".join(few), count=len(known))


def nearest_only(name: str, known: Iterable[str]) -> Message | None:
    """Return the hint that offers the known name most like `name`; None if none is like it."""
    found = nearest_name(name, known)
    return None if found is None else Message("core.nearest_name", name=found)


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like `name`; None if none is like it."""
    import difflib

    folded = {candidate.casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else None


def os_reason(error: Exception) -> Message | str:
    """Return why the operating system refused something: a message for the usual reasons, else its own words."""
    number = getattr(error, "errno", None)
    name = "EAI_NONAME" if _is_unknown_host(error) else errno.errorcode.get(number or 0, "")
    code = code_of("os", name)
    return Message(code) if code != name else getattr(error, "strerror", None) or str(error)


def _is_unknown_host(error: Exception) -> bool:
    import socket

    return isinstance(error, socket.gaierror) and error.errno == socket.EAI_NONAME
