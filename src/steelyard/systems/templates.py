"""How a question is put into a request of another shape, and where in its reply the answer stands."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from steelyard.errors import ConfigError, InputError, SystemFailure, nearest
from steelyard.i18n import Message
from steelyard.io.outputs import FIELDS
from steelyard.io.records import parse_json
from steelyard.systems.records import Ask

QUESTION: Final = "{question}"
EXAMPLE: Final = '{"query": "{question}"}'

_PLACE: Final = re.compile(r"\{(question|id|document)\}")
_INDEX: Final = re.compile(r"\[(\d+)\]")

_MOST_NAMES: Final = 20
_LONGEST_INDEX: Final = 9  # digits

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RequestTemplate:
    """JSON in whose texts {question}, {id} and {document} are filled in."""

    content: Any

    @classmethod
    def parse(cls, text: str) -> "RequestTemplate":
        """Read a template; one that never asks is refused."""
        try:
            content = parse_json(text, "--request")
        except InputError as error:
            raise ConfigError(
                Message("systems.request_template_cannot_read", message=error.message), where="--request"
            ) from None
        if not _asks(content):
            raise ConfigError(
                Message("systems.request_template_no_any_texts", question=QUESTION),
                where="--request",
                hint=Message("systems.for_example", example=EXAMPLE),
            )
        return cls(content)

    def fill(self, ask: Ask) -> Any:
        """The request for a question; what it says is never read as a place itself."""
        return _filled(self.content, {"question": ask.question, "id": ask.id, "document": ask.document})


@dataclass(frozen=True, slots=True)
class ResponseTemplate:
    """Where the fields of the record stand in a reply; "" stands for all of the record, or for the answer alone."""

    paths: Mapping[str, Path]

    @classmethod
    def parse(cls, text: str) -> "ResponseTemplate":
        """Read a JSON pointer, a dotted path, or several with names: answer=/data/answer,citations=/data/sources."""
        pairs = [piece.strip().partition("=") for piece in text.split(",")] if "=" in text else [("", "=", text)]
        for name, equals, path in pairs:
            if not (equals and path.strip()):
                raise ConfigError(Message("systems.response_template_field_path_not", value=name + equals + path))
            if name and name not in FIELDS:
                raise ConfigError(
                    Message("formats.no_field_called", name=name), where="--response", hint=nearest(name, FIELDS)
                )
        return cls({name: _path(path.strip()) for name, _, path in pairs})

    def take(self, reply: Any) -> Any:
        """The part of a reply that is the output; a field other than the answer may be missing."""
        if "" in self.paths:
            return _follow(reply, self.paths[""])
        found: dict[str, Any] = {}
        for name, path in self.paths.items():
            try:
                found[name] = _follow(reply, path)
            except SystemFailure:
                if name == "answer":
                    raise
        return found


def _asks(content: Any) -> bool:
    match content:
        case str():
            return QUESTION in content
        case dict():
            return any(map(_asks, content.values()))
        case list():
            return any(map(_asks, content))
    return False


def _filled(content: Any, values: Mapping[str, str]) -> Any:
    match content:
        case str():
            return _PLACE.sub(lambda place: values[place[1]], content)
        case dict():
            return {name: _filled(member, values) for name, member in content.items()}
        case list():
            return [_filled(member, values) for member in content]
    return content


def _path(text: str) -> Path:
    """The steps of `/data/answer` (a JSON pointer) or of `data.choices[0].text`."""
    if text.startswith("/"):
        return tuple(step.replace("~1", "/").replace("~0", "~") for step in text[1:].split("/"))
    return tuple(_INDEX.sub(r".\1", text).removeprefix("$").removeprefix(".").split("."))


def _names(value: Mapping[str, Any]) -> str:
    """The first names of an object, for a message."""
    first = ", ".join(repr(name[:60]) for name in islice(value, _MOST_NAMES))
    return f"{first}, …" if len(value) > _MOST_NAMES else first


def _follow(reply: Any, path: Path) -> Any:
    value = reply
    for step in path:
        if isinstance(value, Mapping) and step in value:
            value = value[step]
        elif isinstance(value, list) and _is_index(step) and int(step) < len(value):
            value = value[int(step)]
        else:
            there = _names(value) if isinstance(value, Mapping) else type(value).__name__
            raise SystemFailure(Message("systems.nothing_at_path", path="/" + "/".join(path), there=there))
    return value


def _is_index(step: str) -> bool:
    return step.isdecimal() and len(step) <= _LONGEST_INDEX
