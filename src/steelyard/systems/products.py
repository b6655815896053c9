"""Products as data: how a product is asked, and where its replies have the answer, the contexts and the usage.

name: My RAG
key: MY_API_KEY                   the variable of the environment that has the key
requests:                         the first; the next where the one before is answered with a status of `after`
  - path: /ask                    after: [404, 405], session: {path, body, id}
    body: {query: "{question}"}   {question} {id} {app} {apps} {session} {unique}
answer: /data/answer              PATH, or a list of which the first that leads anywhere counts; without it no answer
contexts: /data/chunks/*          what was retrieved; each: [texts, metas] for lists in one object that run in parallel
context: {id: /id, text: /text, page: /meta/page + 1, document: /file, score: /score, source: what a mark [1] counts}
first: 1                          the number of the first context in marks such as [1]
tokens: /usage/total_tokens       A + B adds numbers and joins texts; all that is found is added up; also cost
fits: [/data/chunks]              paths of which one is in each recorded reply of this product
errors: {code: /code, message: /message, fine: [0], retry: [500], key: [401], answer: "**ERROR**"}
stream: {ends: ["[DONE]", "/event = end"], whole: PATH, replaces: ["/final = true"], think: [BEGIN, END]}
"""

import json
from dataclasses import MISSING, dataclass, field, fields
from functools import lru_cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, Self, get_args

from steelyard.errors import InputError, UnknownName
from steelyard.i18n import Message
from steelyard.io.shapes import wrong_shape
from steelyard.io.yamls import Located, read_yaml
from steelyard.systems.templates import FieldPath, find, path_of

LOST: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)
"""Statuses of an address that has no such path."""
_SHIPPED: Final = Path(__file__).with_name("shipped")
_WORDS: Final = {str: "words.text", int: "words.an_integer", dict: "words.an_object"}


@dataclass(frozen=True, slots=True)
class Places:
    """Where a value may be: alternatives of paths and whole numbers that are added; `text` is the first as written."""

    alternatives: tuple[tuple[FieldPath | int, ...], ...] = ()
    text: str = ""

    def find(self, value: Any) -> list[Any] | None:
        """Return what the first alternative that leads anywhere finds; None if none does. Null is nothing."""
        for terms in self.alternatives:
            found, is_empty, offset = [], False, 0
            for term in terms:
                if isinstance(term, int):
                    offset += term
                elif (there := find(value, term)) is not None:
                    found += [each for each in there if each is not None]
                    is_empty = is_empty or not there
            if found or is_empty:
                return [each + offset if type(each) is int else each for each in found]
        return None

    def first(self, value: Any, kind: type | tuple[type, ...]) -> Any:
        """Return the first value of a type that is found, an empty text left out; None if there is none."""
        return next((each for each in self.find(value) or () if isinstance(each, kind) and each != ""), None)

    @classmethod
    def of(cls, texts: list[str]) -> Self:
        """Read alternatives such as `/meta/page + 1`."""
        terms = [[term.strip() for term in text.split(" + ")] for text in texts]
        return cls(
            tuple(tuple(int(each) if each.isdecimal() else path_of(each) for each in of) for of in terms), texts[0]
        )


@dataclass(frozen=True, slots=True)
class Condition:
    """What holds of an event of a stream: a path leads to a value, or the event is this text."""

    path: FieldPath
    value: Any

    def holds(self, event: Any) -> bool:
        """Return whether it holds of an event."""
        found = (find(event, self.path) or []) if self.path else [event]
        return any(each == self.value and type(each) is type(self.value) for each in found)

    @classmethod
    def of(cls, text: str) -> Self:
        """Read `/final = true`, `/event = end`, or the text of an event that is not JSON."""
        path, equals, value = text.partition(" = ")
        if not equals:
            return cls((), text)
        return cls(path_of(path), {"true": True, "false": False}.get(value, value))


@dataclass(frozen=True, slots=True)
class Session:
    """What is posted before a question, and where the reply has the id of the session."""

    path: str
    id: Places
    body: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Request:
    """A way to ask; it is tried after the one before was answered with one of these statuses."""

    path: str
    body: dict[str, Any]
    after: tuple[Any, ...] = LOST
    session: Session | None = None


@dataclass(frozen=True, slots=True)
class Errors:
    """How a product says that it failed, also at status 200; `fine` are codes of success.

    A code in `retry` may pass, one in `key` is about the key; an answer that begins with `answer` is no answer.
    """

    code: Places = Places()
    message: Places = Places()
    fine: tuple[Any, ...] = ()
    retry: tuple[Any, ...] = ()
    key: tuple[Any, ...] = ()
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Stream:
    """How a stream ends, which events have the whole answer, and where thinking begins and ends."""

    ends: tuple[Condition, ...] = (Condition((), "[DONE]"),)
    whole: Places = Places()
    replaces: tuple[Condition, ...] = ()
    think: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextPlaces:
    """Where a context has its parts; marks such as [1] count sources where `source` says what a source is."""

    text: Places
    id: Places = Places()
    page: Places = Places()
    document: Places = Places()
    score: Places = Places()
    source: Places = Places()


@dataclass(frozen=True, slots=True)
class Product:
    """A product as its file describes it."""

    name: str
    requests: tuple[Request, ...]
    contexts: Places
    context: ContextPlaces
    key: str = ""
    answer: Places = Places()
    each: tuple[str, ...] = ()
    first: int = 1
    tokens: Places = Places()
    cost: Places = Places()
    fits: tuple[Places, ...] = ()
    errors: Errors = Errors()
    stream: Stream = Stream()

    @property
    def wants_app(self) -> bool:
        """Whether a request names an app, a chat or a model."""
        return any("{app" in json.dumps([each.path, each.body]) for each in self.requests)


@lru_cache(maxsize=1)
def shipped() -> dict[str, Product]:
    """Return the products of this package by name."""
    return {path.stem: load_product(path) for path in sorted(_SHIPPED.glob("*.yaml"))}


def load_product(path: str | Path) -> Product:
    """Read the file of a product; an unknown field is an error with its line."""
    product: Product = _record(Product, read_yaml(path), "")
    return product


def _record(kind: Any, found: Located, name: str) -> Any:
    """Return an instance of a class from the fields of a mapping."""
    content = _checked(dict, found, name).value
    known = {each.name: each for each in fields(kind)}
    for field_name, value in content.items():
        if field_name not in known:
            raise UnknownName.of(Message("words.field"), field_name, known, where=value.where)
    for each in known.values():
        if each.name not in content and each.default is MISSING and each.default_factory is MISSING:
            raise InputError(Message("formats.field_missing", key=each.name), where=found.where)
    return kind(**{each: _value(known[each].type, value, each) for each, value in content.items()})


def _value(kind: Any, found: Located, name: str) -> Any:
    """Return a value of the type of a field; one value alone is a tuple of one."""
    inner = get_args(kind)
    listed = found.value if isinstance(found.value, list) else [found]
    if kind is Places:
        return Places.of([_checked(str, each, name).value for each in listed])
    if kind is Condition:
        return Condition.of(_checked(str, found, name).value)
    if kind is Any or kind == dict[str, Any]:
        return (found if kind is Any else _checked(dict, found, name)).plain()
    if Ellipsis in inner:
        return tuple(_value(inner[0], each, name) for each in listed)
    kind = inner[0] if inner else kind
    return _checked(kind, found, name).value if kind in _WORDS else _record(kind, found, name)


def _checked(kind: type, found: Located, name: str) -> Located:
    if not isinstance(found.value, kind) or found.value is True:
        raise wrong_shape(name, Message(_WORDS[kind]), found.plain(), found.where)
    return found
