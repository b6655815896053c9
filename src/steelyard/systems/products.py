"""Products as data: how a product is asked, and where its replies have the answer, the contexts and the usage.

name: My RAG
key: MY_API_KEY                   the variable of the environment that has the key
requests:                         the first, or the next where the one before answers with a status of `after`
  - path: /ask                    after: [404, 405], session: {path, body, id}
    body: {query: "{question}"}   {question} {id} {app} {apps}, {session}, {unique}
answer: /data/answer              PATH, or a list of which the first that leads anywhere counts; without it: no answer
contexts: /data/chunks/*          what was retrieved; each: [text, meta] for lists of one object that run in parallel
context:                          paths in a context; A + B adds numbers and joins texts
  {id: /id, text: /text, page: /meta/page + 1, document: /file, score: /score, source: what a mark [1] counts}
first: 1                          the number of the first context in marks such as [1]
tokens, cost: /usage/total        summed
fits: [/data/chunks]              paths of which one is in each recorded reply of this product
errors: {code: /code, message: /message, fine: [0], retry: [500], key: [401], answer: "**ERROR**"}
stream: {ends: ["[DONE]", "/event = end"], whole: [PATH], replaces: ["/final = true"], insert: {TEXT: "/think = true"}}
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from steelyard.errors import InputError, UnknownName
from steelyard.i18n import Message
from steelyard.io.yamls import Located, read_yaml
from steelyard.systems.templates import FieldPath, find, path_of

LOST: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)
"""Statuses of an address that has no such path."""
_SHIPPED: Final = Path(__file__).with_name("shipped")
_HINT: Final = Message("systems.product_file_hint")


@dataclass(frozen=True, slots=True)
class Places:
    """Where a value may be: alternatives of paths and whole numbers that are added; `text` is the first as written."""

    alternatives: tuple[tuple[FieldPath | int, ...], ...] = ()
    text: str = ""

    def find(self, value: Any) -> list[Any] | None:
        """Return what the first alternative that leads anywhere finds; None if none does. Null is nothing."""
        for terms in self.alternatives:
            found = [find(value, term) for term in terms if not isinstance(term, int)]
            if all(each is None for each in found):
                continue
            offset = sum(term for term in terms if isinstance(term, int))
            values = [each for part in found for each in part or () if each is not None]
            if values or [] in found:
                return [each + offset if type(each) is int else each for each in values]
        return None


@dataclass(frozen=True, slots=True)
class Condition:
    """What holds of an event of a stream: a path leads to a value, or the event is this text."""

    path: FieldPath
    value: Any

    def holds(self, event: Any) -> bool:
        """Return whether it holds of an event."""
        found = (find(event, self.path) or []) if self.path else [event]
        return any(each == self.value and type(each) is type(self.value) for each in found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What is posted before a question, and where the reply has the id of the session."""

    path: str
    id: Places
    body: Any = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A way to ask; it is tried after the one before has answered with one of these statuses."""

    path: str
    body: Any
    after: tuple[Any, ...] = LOST
    session: Session | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """How a product says that it failed, also at status 200; `fine` are codes of success.

    A code in `retry` may pass, one in `key` is about the key; an answer that begins with `answer` is no answer.
    """

    code: Places = Places()
    message: Places = Places()
    fine: tuple[Any, ...] = ()
    retry: tuple[Any, ...] = ()
    key: tuple[Any, ...] = (401, 403)
    answer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """How a stream of events ends, and which events have the whole answer or put a text into it."""

    ends: tuple[Condition, ...] = (Condition((), "[DONE]"),)
    whole: Places = Places()
    replaces: tuple[Condition, ...] = ()
    insert: tuple[tuple[str, Condition], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A product as its file describes it."""

    name: str
    requests: tuple[Request, ...]
    contexts: Places
    context: Mapping[str, Places]
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
    product: Product = _PRODUCT(read_yaml(path))
    return product


# ----- readers of the values of a file

_Reader = Callable[[Located], Any]


def _refused(found: Located, code: str, **args: Any) -> InputError:
    return InputError(Message(code, **args), where=found.where, hint=_HINT)


def _text(found: Located) -> str:
    if not isinstance(found.value, str) or not found.value.strip():
        raise _refused(found, "systems.product_not_text", value=found.plain())
    return found.value


def _listed(found: Located) -> list[Located]:
    """Return the members of a list; a value alone is a list of one."""
    return found.value if isinstance(found.value, list) else [found]


def _texts(found: Located) -> tuple[str, ...]:
    return tuple(map(_text, _listed(found)))


def _values(found: Located) -> tuple[Any, ...]:
    return tuple(each.plain() for each in _listed(found))


def _number(found: Located) -> int:
    if type(found.value) is not int:
        raise _refused(found, "systems.product_not_number", value=found.plain())
    return found.value


def _any(found: Located) -> Any:
    return found.plain()


def _places(found: Located) -> Places:
    texts = _texts(found)
    return Places(tuple(tuple(map(_term, text.split(" + "))) for text in texts), texts[0] if texts else "")


def _term(text: str) -> FieldPath | int:
    return int(text) if text.strip().isdecimal() else path_of(text.strip())


def _condition(found: Located) -> Condition:
    """Read `/event = end`, or the text of an event that is not JSON."""
    path, equals, text = _text(found).partition(" = ")
    return Condition(path_of(path), _constant(text)) if equals else Condition((), path)


def _constant(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _conditions(found: Located) -> tuple[Condition, ...]:
    return tuple(map(_condition, _listed(found)))


def _inserted(found: Located) -> tuple[tuple[str, Condition], ...]:
    return tuple((text, _condition(value)) for text, value in _fields(found).items())


def _requests(found: Located) -> tuple[Request, ...]:
    return tuple(map(_REQUEST, _listed(found)))


def _context(found: Located) -> dict[str, Places]:
    return _read(found, dict.fromkeys(("id", "text", "page", "document", "score", "source"), _places), ("text",))


def _each_place(found: Located) -> tuple[Places, ...]:
    return tuple(map(_places, _listed(found)))


def _fields(found: Located) -> dict[str, Located]:
    if not isinstance(found.value, dict):
        raise _refused(found, "systems.product_not_mapping", value=found.plain())
    return found.value


def _read(found: Located, readers: Mapping[str, _Reader], needed: Sequence[str]) -> dict[str, Any]:
    """Return the fields of a mapping as their readers read them."""
    fields = _fields(found)
    for name, value in fields.items():
        if name not in readers:
            raise UnknownName.of(Message("words.field"), name, readers, where=value.where)
    for name in needed:
        if name not in fields:
            raise _refused(found, "formats.field_missing", key=name)
    return {name: readers[name](value) for name, value in fields.items()}


def _reader(make: Callable[..., Any], needed: Sequence[str] = (), **readers: _Reader) -> _Reader:
    return lambda found: make(**_read(found, readers, needed))


_SESSION: Final = _reader(Session, ("path", "id"), path=_text, id=_places, body=_any)
_REQUEST: Final = _reader(Request, ("path", "body"), path=_text, body=_any, after=_values, session=_SESSION)
_ERRORS: Final = _reader(Errors, code=_places, message=_places, fine=_values, retry=_values, key=_values, answer=_text)
_STREAM: Final = _reader(Stream, ends=_conditions, whole=_places, replaces=_conditions, insert=_inserted)
_PRODUCT: Final = _reader(
    Product,
    ("name", "requests", "contexts", "context"),
    name=_text, key=_text, requests=_requests, answer=_places, contexts=_places, context=_context, each=_texts,
    first=_number, tokens=_places, cost=_places, fits=_each_place, errors=_ERRORS, stream=_STREAM,
)  # fmt: skip
