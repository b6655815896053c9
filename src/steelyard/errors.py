"""What can go wrong, as the user sees it.

    SteelyardError                exit 2     message · where · hint
    ├── InputError                           a file does not say what its format requires
    ├── ConfigError                          a pipeline, parameter file or option contradicts itself
    ├── UnknownName                          nothing is called that; the hint is the nearest name
    ├── MissingExtra                         an optional package is absent; the hint is the install line
    └── SystemFailure             exit 3     the system, model or server under test failed

Anything else that escapes is a bug of ours and keeps its traceback (exit 4).
"""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

MOST_PROBLEMS = 20
"""A reader collects this many bad places before it complains."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One bad place: `where` is file:line or file#pointer, `message` says what is wrong there."""

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message


class SteelyardError(Exception):
    """A mistake that the user can mend: what is wrong, where, and what to do."""

    exit_code: ClassVar[int] = 2

    def __init__(
        self, message: str, *, where: str | None = None, hint: str | None = None, problems: Sequence[Problem] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint
        self.problems = tuple(problems) or (Problem(where or "", message),)

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems]
        if len(self.problems) == MOST_PROBLEMS:
            lines.append(f"(the first {MOST_PROBLEMS} problems; there may be more)")
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)


class InputError(SteelyardError):
    """A file, or a value given in its place, does not say what its format requires."""

    @classmethod
    def of(cls, problems: Sequence[Problem], *, hint: str | None = None) -> "InputError":
        """One error for many bad places; only the first 20 are kept."""
        kept = problems[:MOST_PROBLEMS]
        return cls(kept[0].message, where=kept[0].where, hint=hint, problems=kept)


class ConfigError(SteelyardError):
    """A pipeline, parameter file or option contradicts itself."""


_LONGEST_NAME: Final = 200
"""So many characters of an unknown name are repeated."""


class UnknownName(SteelyardError):
    """Nothing is called that; the hint is the nearest name."""

    @classmethod
    def of(cls, what: str, name: str, known: Iterable[str], *, where: str | None = None) -> "UnknownName":
        """An error about `name`, a `what` ("metric", "test" …) that is not among `known`."""
        shown = cut(name)
        return cls(f"no {what} is called {shown!r}", where=where, hint=nearest(shown, known))


class MissingExtra(SteelyardError):
    """An optional package is absent; the hint is the install line."""

    @classmethod
    def of(cls, package: str, extra: str, *, purpose: str) -> "MissingExtra":
        """An error that says which package `purpose` needs, and which extra brings it."""
        return cls(f"{purpose} needs the package {package}", hint=f'pip install "steelyard[{extra}]"')


class SystemFailure(SteelyardError):
    """The system, model or server under test failed."""

    exit_code: ClassVar[int] = 3


def cut(name: str) -> str:
    """A name as messages repeat it: whole unless it is very long."""
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"


def nearest(name: str, known: Iterable[str]) -> str:
    """The hint that offers the known name most like `name`, or all of them."""
    known = list(known)
    return nearest_only(name, known) or f"known: {', '.join(known)}"


def nearest_only(name: str, known: Iterable[str]) -> str | None:
    """The hint that offers the known name most like `name`; None if none is like it."""
    found = nearest_name(name, known)
    return None if found is None else f"did you mean {found!r}?"


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The known name most like `name`; None if none is like it."""
    folded = {candidate.casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else None
