"""Messages as values: a code of the catalogue with arguments."""

import string
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

from steelyard.i18n.catalogue import LANGUAGES, Language, texts

FOREIGN: Final = "core.foreign"
"""The code of text that is not ours."""


Audience = Literal["command", "python"]
"""For whom a text is: it names options of commands, or arguments of the functions of this package."""


class Localized(ABC):
    """Something that has a text in every language; `str` gives the English one."""

    __slots__ = ()

    @abstractmethod
    def text(self, language: str = "en", audience: Audience = "command") -> str:
        """Return the text in a language."""

    def plain(self) -> "Message | Joined":
        """Return the same made of nothing but messages and joined texts, as it can be stored."""
        return Message(FOREIGN, text=str(self))

    def __str__(self) -> str:
        return self.text()


class Message(Localized):
    """A code of the catalogue with arguments: plain values, or messages, which are put into the same language."""

    __slots__ = ("args", "code")

    def __init__(self, code: str, /, **args: Any) -> None:
        self.code = code
        self.args = args

    def text(self, language: str = "en", audience: Audience = "command") -> str:
        """Return the text in a language, with the arguments in their places."""
        shown = {name: _shown(value, language, audience) for name, value in self.args.items()}
        return filled(texts(language)[self.code], shown)

    def plain(self) -> "Message":
        """Itself."""
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and (self.code, self.args) == (other.code, other.args)

    def __hash__(self) -> int:
        return hash((self.code, str(self) if self.args else ""))

    def __repr__(self) -> str:
        return f"Message({', '.join([repr(self.code), *(f'{name}={value!r}' for name, value in self.args.items())])})"


class Joined(Localized):
    """Several texts with the same words between them: `separator` is a code, such as that of " or "."""

    __slots__ = ("items", "separator")

    def __init__(self, separator: str, items: Iterable[Localized | str]) -> None:
        self.separator = separator
        self.items = tuple(items)

    def text(self, language: str = "en", audience: Audience = "command") -> str:
        """Return the texts in a language, joined."""
        return texts(language)[self.separator].join(str(_shown(item, language, audience)) for item in self.items)

    def plain(self) -> "Joined":
        """Itself."""
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Joined) and (self.separator, self.items) == (other.separator, other.items)

    def __hash__(self) -> int:
        return hash((self.separator, self.items))

    def __repr__(self) -> str:
        return f"Joined({self.separator!r}, {self.items!r})"


_OPTIONS: Final = {
    "allow_errors": ("--allow-errors", "allow_errors"),
    "baseline": ("steelyard gate RESULT --baseline OLD", "baseline=OLD"),
    "column": ("--map {field}={column}", 'mapping={{"{field}": "{column}"}}'),
    "force": ("--force", "force=True"),
    "map": ("--map FIELD=COLUMN", "mapping={{FIELD: COLUMN}}"),
    "metrics": ("-m", "metrics="),
    "references": ("--references FILE", "references=FILE"),
    "require": ("--require '{rule}'", 'require="{rule}"'),
    "resamples": ("--resamples {n}", "resamples={n}"),
    "statutes": ("--statutes FILE", "statutes=FILE"),
    "units": ("--units {units}", 'units="{units}"'),
}
"""How options are written on the command line, and the same as an argument in Python."""


class Option(Localized):
    """An option of a command, or the argument of the same name in Python.

    >>> Option("column", field="id", column="key").text(audience="python")
    'mapping={"id": "key"}'
    """

    __slots__ = ("name", "values")

    def __init__(self, name: str, /, **values: str) -> None:
        self.name = name
        self.values = values

    def text(self, language: str = "en", audience: Audience = "command") -> str:
        """Return the option or the argument, which is the same in every language."""
        return _OPTIONS[self.name][audience == "python"].format(**self.values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Option) and (self.name, self.values) == (other.name, other.values)

    def __hash__(self) -> int:
        return hash((self.name, str(self)))

    def __repr__(self) -> str:
        return f"Option({', '.join([repr(self.name), *(f'{name}={value!r}' for name, value in self.values.items())])})"


def filled(text: str, values: Mapping[str, Any]) -> str:
    """Return a text with values in its places; `{n:item|items}` is the first word where n is 1, else the second."""
    return _COUNTING.vformat(text, (), values) if "|" in text else text.format(**values)


class _Counting(string.Formatter):
    """Format specifications, and words by number: a count is a number, or a text that has been made of one."""

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return a value as it is shown, or the word for it."""
        one, bar, several = format_spec.partition("|")
        if not bar:
            return format(value, format_spec)
        return one if str(value) == "1" else several


_COUNTING: Final = _Counting()


def as_message(text: "Message | str") -> Message:
    """Return a message as it is; text that is not ours, such as that of a server, is the same in every language."""
    return Message(FOREIGN, text=text) if isinstance(text, str) else text


def _shown(value: Any, language: str, audience: Audience) -> Any:
    return value.text(language, audience) if isinstance(value, Localized) else value


class Words:
    """The texts of a language: `words("report.mean")`, with arguments where a text has places for them."""

    __slots__ = ("audience", "language")

    def __init__(self, language: Language, audience: Audience = "command") -> None:
        self.language = language
        self.audience = audience

    def __call__(self, code: str, /, **args: Any) -> str:
        """Return the text of a code."""
        return Message(code, **args).text(self.language, self.audience)

    def labelled(self, label: str, text: str) -> str:
        """Return a text after what it is about, with the colon of the language."""
        return self("core.labelled", label=label, message=text)

    def joined(self, separator: str, items: Iterable[str]) -> str:
        """Texts with a separator of the language: `core.comma`, `core.clauses`, or `core.listed` between names."""
        return self(separator).join(items)

    def named(self, name: str) -> str:
        """Return the text of a code; a name that is not ours, such as that of a tag, is itself."""
        return texts(self.language).get(name, name)

    def name(self, of: str, name: str) -> str:
        """Return the word for a name of the program: of a tag, a part, a setting or a kind.

        A name of a user is itself.
        """
        return self.named(code_of(f"{of}_names", name))

    def value(self, tag: str, value: str) -> str:
        """Return the word for a value of a tag, such as a type of questions; a value of a user is itself."""
        return self.named(code_of(f"{tag}_values", value))


def code_of(section: str, name: str) -> str:
    """Return the code of a name in a section of the catalogue; the name itself if it is not there."""
    code = f"{section}.{name.replace(' ', '_')}"
    return code if code in texts("en") else name


def words_of(language: Language, audience: Audience = "command") -> Words:
    """Return the words of a language."""
    return Words(language, audience)


def translations(text: Localized) -> tuple[str, ...]:
    """Return the text in every language, in the order of `LANGUAGES`."""
    return tuple(text.text(language) for language in LANGUAGES)
