"""Prompts: Jinja templates that are filled for every question, and the parts they are filled with.

A template runs in a sandbox. It must use exactly the names that the prompt gives it, so that no document is left out
and none is missing.
"""

import difflib
import string
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Final

from steelyard import limits
from steelyard.errors import ConfigError, InputError, MissingExtra, SteelyardError, nearest
from steelyard.i18n import Message
from steelyard.io.streams import read_text

LETTERS: Final = string.ascii_uppercase
_FRAME: Final = "<template>"  # the file name that Jinja gives a template from a string


@dataclass(frozen=True, slots=True)
class Template:
    """A template: its path, the names that it uses with the line of each, and what gives the pieces of a filled one."""

    path: str
    names: Mapping[str, int]
    generate: Callable[[Mapping[str, Any]], Iterator[str]]


def read_template(name: str, *, root: Path, escape: bool = False) -> Template:
    """Return the template at this path, relative to the current folder or to `root`, the folder of the bundled ones.

    With `escape`, what is put into it is escaped as HTML, as UltraRAG does.
    """
    try:
        from jinja2 import StrictUndefined, TemplateSyntaxError, meta, nodes

        from steelyard.rag.sandbox import Sandbox
    except ImportError:
        raise MissingExtra.of("jinja2", "rag", purpose=Message("words.filling_prompt_templates")) from None
    path = _template_path(name, root)
    text, _ = read_text(path)
    environment = Sandbox(undefined=StrictUndefined, autoescape=escape)
    try:
        tree = environment.parse(text)
        template = environment.from_string(text)
    except TemplateSyntaxError as error:
        raise ConfigError(
            Message("rag.template_unreadable", message=error.message), where=f"{path}:{error.lineno}"
        ) from None
    used = meta.find_undeclared_variables(tree)
    lines = sorted((node.lineno, node.name) for node in tree.find_all(nodes.Name) if node.name in used)
    return Template(str(path), {name: line for line, name in reversed(lines)}, template.generate)


def fill(template: Template, columns: Mapping[str, Sequence[str | None]], *, prompt: str, example: str) -> list[str]:
    """Return one text per row of the columns, which have one length; errors name `prompt` and the template `example`.

    The prompt of a row with a None is empty, and empty prompts are not sent: an earlier failure stays a failure.
    """
    _check_names(template, list(columns), prompt, example)
    rows = zip(*columns.values(), strict=True)
    return ["" if None in row else _rendered(template, dict(zip(columns, row, strict=True))) for row in rows]


def check_lengths(**lists: Any) -> None:
    """Raise an error unless all are lists of one length."""
    for name, entries in lists.items():
        if not isinstance(entries, list):
            raise InputError(Message("rag.must_be_list", name=name, entries=_kind(entries)))
    (first, length), *others = ((name, len(entries)) for name, entries in lists.items())
    for name, other in others:
        if other != length:
            raise InputError(Message("rag.lengths_differ", first=first, length=length, name=name, other=other))


def texts(name: str, entries: Sequence[Any]) -> list[str]:
    """Return the entries, which must all be text."""
    for number, entry in enumerate(entries):
        if not isinstance(entry, str):
            raise InputError(Message("rag.entry_must_be_text", entry=_kind(entry)), where=f"{name}[{number}]")
    return list(entries)


def texts_or_none(name: str, entries: Sequence[Any]) -> list[str | None]:
    """Return the entries, which must all be text or None."""
    texts(name, ["" if entry is None else entry for entry in entries])
    return list(entries)


def joined(name: str, entries: Sequence[Any], *, most: int | None = None) -> list[str]:
    """Return the passages of each question joined by line breaks, at most `most` of them; None means no passages."""
    lists = [[] if passages is None else passages for passages in entries]
    for number, passages in enumerate(lists):
        if not isinstance(passages, list):
            raise InputError(Message("rag.passages_must_be_list", passages=_kind(passages)), where=f"{name}[{number}]")
    return ["\n".join(texts(f"{name}[{number}]", passages)[:most]) for number, passages in enumerate(lists)]


def lettered(name: str, entries: Sequence[Any]) -> list[str | None]:
    """Return the options of each question with their letters, joined by line breaks; None if there are none."""
    return [
        None if options is None else _lettered(options, f"{name}[{number}]") for number, options in enumerate(entries)
    ]


def by_question(name: str, rounds: Any) -> list[list[Any]]:
    """Return the values of a variable in all rounds so far by question: its entries of every round."""
    memory = f"memory_{name}"
    if not isinstance(rounds, list) or not rounds:
        raise InputError(Message("rag.memory_must_be_list", memory=memory, name=name))
    check_lengths(**{f"{memory}[{number}]": entries for number, entries in enumerate(rounds)})
    return [list(entries) for entries in zip(*rounds, strict=True)]


def text_of(prompt: Any) -> str:
    """Return the text of a prompt: text, or a message {"content": {"text": …}}, {"content": …} or {"text": …}."""
    match prompt:
        case str():
            return prompt
        case {"content": {"text": str(text)}} | {"content": str(text)} | {"text": str(text)}:
            return text
    hint = Message("rag.message_hint")
    raise InputError(Message("rag.prompt_must_be_text", prompt=_kind(prompt)), hint=hint)


class CitationNumbers:
    """The numbers by which passages are cited: one for each text of a question, kept over all its rounds.

    A call from inside a branch has fewer rows than there are questions. With the questions of its rows, the numbers are
    those of these questions; without them, rows are counted from the first, as UltraRAG does.
    """

    def __init__(self) -> None:
        self._numbers: dict[Any, dict[str, int]] = {}
        self.begun = False

    def reset(self) -> None:
        """Forget all numbers, and begin."""
        self._numbers.clear()
        self.begun = True

    def keys(self, rows: int, questions: Sequence[Any] | None) -> list[Any]:
        """Return the keys of the questions of rows: their texts if there is one for each row, else their indices."""
        if questions is not None and len(questions) == rows and None not in questions:
            return list(questions)
        return list(range(rows))

    def number(self, key: Any, text: str) -> int:
        """Return the number of a text, a new one if it has none; whitespace around it is ignored."""
        known = self._numbers.setdefault(key, {})
        return known.setdefault(text.strip(), len(known) + 1)


def _template_path(name: Any, root: Path) -> Path:
    if not isinstance(name, str) or not name:
        raise ConfigError(Message("rag.template_must_be_path", name=name), parameter="template")
    if ".." in PurePosixPath(name.replace("\\", "/")).parts:
        raise ConfigError(Message("rag.template_outside"), where=name)
    path = next((path for path in (Path(name), root / name) if path.is_file()), None)
    if path is None:
        known = [str(path.relative_to(root)) for path in sorted((root / "prompt").glob("*.jinja"))]
        raise ConfigError(Message("rag.no_such_template"), where=name, hint=nearest(name, known))
    return path


def _lettered(options: Any, where: str) -> str:
    if not isinstance(options, list):
        raise InputError(Message("rag.options_must_be_list", options=_kind(options)), where=where)
    if not 0 < len(options) <= len(LETTERS):
        raise InputError(Message("rag.number_of_options", options=len(options), letters=len(LETTERS)), where=where)
    listed = texts(where, [str(option) if isinstance(option, int | float) else option for option in options])
    return "\n".join(f"{letter}: {option}" for letter, option in zip(LETTERS, listed, strict=False))


def _check_names(template: Template, given: Sequence[str], prompt: str, example: str) -> None:
    for name, line in template.names.items():
        if name not in given:
            message = Message("rag.template_unknown_name", name=name, prompt=prompt)
            fitting = _fitting(given, prompt, example)
            hint = Message("rag.template_names_hint", prompt=prompt, names=", ".join(given), example=fitting)
            raise ConfigError(message, where=f"{template.path}:{line}", hint=hint)
    for name in given:
        if name not in template.names:
            message = Message("rag.template_without", name=name, prompt=prompt)
            hint = Message("rag.template_hint", prompt=prompt, example=_fitting(given, prompt, example))
            raise ConfigError(message, where=template.path, hint=hint)


def _fitting(given: Sequence[str], prompt: str, example: str) -> str:
    """Return the template to suggest: `example` if there is one, else one of the project that uses these names."""
    if Path(example).is_file():
        return example
    fitting = [path for path in sorted(Path(example).parent.glob("*.jinja")) if _uses(path) == set(given)]
    return str(max(fitting, key=partial(_similarity, prompt))) if fitting else example


def _uses(path: Path) -> set[str]:
    """Return the names that a template uses; none if it cannot be read."""
    try:
        return set(read_template(str(path), root=path.parent).names)
    except SteelyardError:
        return set()


def _similarity(prompt: str, path: Path) -> float:
    return difflib.SequenceMatcher(None, prompt.casefold(), path.stem.casefold()).ratio()


def _rendered(template: Template, row: Mapping[str, str]) -> str:
    from jinja2 import TemplateError

    try:
        return "".join(_limited(template.generate(row)))
    except (TemplateError, ConfigError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == _FRAME]
        where = f"{template.path}:{lines[-1]}" if lines else template.path
        reason, hint = (error.message, error.hint) if isinstance(error, ConfigError) else (error, None)
        raise ConfigError(Message("rag.template_fails", error=reason), where=where, hint=hint) from None


def _limited(pieces: Iterator[str]) -> Iterator[str]:
    size = 0
    for piece in pieces:
        size += len(piece)
        limits.PROMPT_CHARACTERS.check(size, Message("words.the_size_of_a_prompt"))
        yield piece


def _kind(entry: Any) -> Message | str:
    match entry:
        case None:
            return Message("words.nothing")
        case str():
            return Message("words.text")
        case list():
            return Message("words.a_list")
        case Mapping():
            return Message("words.an_object")
    return repr(entry)
