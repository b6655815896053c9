"""`http://host/path`: a system that is asked by POST, JSON in, JSON out, and the templates of its requests."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from steelyard.errors import ConfigError, InputError, SystemFailure, nearest
from steelyard.i18n import Message
from steelyard.io.outputs import FIELDS
from steelyard.io.records import parse_json
from steelyard.net.http import JsonClient
from steelyard.net.replies import SYSTEM
from steelyard.net.secrets import public_address
from steelyard.systems.base import Ask, Reply, SystemSettings, reply_of

QUESTION: Final = "{question}"
EXAMPLE: Final = '{"query": "{question}"}'

_PLACEHOLDER: Final = re.compile(r"\{(question|id|document)\}")
_INDEX: Final = re.compile(r"\[(\d+)\]")

_MOST_NAMES: Final = 20
_LONGEST_INDEX: Final = 9  # digits

FieldPath = tuple[str, ...]
"""The keys and indices that lead to a field of a reply."""


@dataclass(frozen=True, slots=True)
class RequestTemplate:
    """A JSON value with the placeholders {question}, {id} and {document} in its texts."""

    content: Any

    @classmethod
    def parse(cls, text: str) -> "RequestTemplate":
        """Read a template; one without {question} is an error."""
        try:
            content = parse_json(text, "--request")
        except InputError as error:
            raise ConfigError(
                Message("systems.bad_request_template", message=error.message),
                where="--request",
                hint=Message("systems.request_template_hint", example=EXAMPLE),
            ) from None
        if not _has_question(content):
            raise ConfigError(
                Message("systems.request_template_without_question", question=QUESTION),
                where="--request",
                hint=Message("systems.request_template_hint", example=EXAMPLE),
            )
        return cls(content)

    def fill(self, ask: Ask) -> Any:
        """The request for a question; placeholders in the question itself are not filled in."""
        return _filled(self.content, {"question": ask.question, "id": ask.id, "document": ask.document})


@dataclass(frozen=True, slots=True)
class ResponseTemplate:
    """The paths of the fields in a reply; the path of "" leads to the whole record, or to the answer alone."""

    paths: Mapping[str, FieldPath]

    @classmethod
    def parse(cls, text: str) -> "ResponseTemplate":
        """Read a JSON pointer, a dotted path, or several with names: answer=/data/answer,citations=/data/sources."""
        pairs = [piece.strip().partition("=") for piece in text.split(",")] if "=" in text else [("", "=", text)]
        for name, equals, path in pairs:
            if not (equals and path.strip()):
                raise ConfigError(Message("systems.bad_response_template", value=name + equals + path))
            if name and name not in FIELDS:
                raise ConfigError(
                    Message("formats.no_field_called", name=name), where="--response", hint=nearest(name, FIELDS)
                )
        return cls({name: _path(path.strip()) for name, _, path in pairs})

    def take(self, reply: Any) -> Any:
        """The output in a reply; fields other than the answer may be missing."""
        if "" in self.paths:
            return _follow(reply, self.paths[""])
        fields: dict[str, Any] = {}
        for name, path in self.paths.items():
            try:
                fields[name] = _follow(reply, path)
            except SystemFailure:
                if name == "answer":
                    raise
        return fields


def _has_question(content: Any) -> bool:
    match content:
        case str():
            return QUESTION in content
        case dict():
            return any(map(_has_question, content.values()))
        case list():
            return any(map(_has_question, content))
    return False


def _filled(content: Any, values: Mapping[str, str]) -> Any:
    match content:
        case str():
            return _PLACEHOLDER.sub(lambda match: values[match[1]], content)
        case dict():
            return {name: _filled(member, values) for name, member in content.items()}
        case list():
            return [_filled(member, values) for member in content]
    return content


def _path(text: str) -> FieldPath:
    """The steps of `/data/answer` (a JSON pointer) or of `data.choices[0].text`."""
    if text.startswith("/"):
        return tuple(step.replace("~1", "/").replace("~0", "~") for step in text[1:].split("/"))
    return tuple(_INDEX.sub(r".\1", text).removeprefix("$").removeprefix(".").split("."))


def _names(value: Mapping[str, Any]) -> str:
    """The first names of an object, for a message."""
    first = ", ".join(repr(name[:60]) for name in islice(value, _MOST_NAMES))
    return f"{first}, …" if len(value) > _MOST_NAMES else first


def _follow(reply: Any, path: FieldPath) -> Any:
    value = reply
    for step in path:
        if isinstance(value, Mapping) and step in value:
            value = value[step]
        elif isinstance(value, list) and _is_index(step) and int(step) < len(value):
            value = value[int(step)]
        else:
            there = _names(value) if isinstance(value, Mapping) else type(value).__name__
            raise SystemFailure(Message("systems.no_value_at_path", path="/" + "/".join(path), there=there))
    return value


def _is_index(step: str) -> bool:
    return step.isdecimal() and len(step) <= _LONGEST_INDEX


class HttpSystem:
    """Posts {"id", "question", "document"}, or a filled template, and reads the record in the reply."""

    def __init__(self, url: str, settings: SystemSettings) -> None:
        self._client = JsonClient(
            url, party=SYSTEM, headers=settings.headers, timeout=settings.timeout, proxy=settings.proxy
        )
        self.name = public_address(url)
        self._request = RequestTemplate.parse(settings.request) if settings.request else None
        self._response = ResponseTemplate.parse(settings.response) if settings.response else None

    def ask(self, ask: Ask) -> Reply:
        """Ask once."""
        value = self._client.post(self._body(ask))
        try:
            return reply_of(self._response.take(value) if self._response else value)
        except SystemFailure as failure:
            if failure.message.code != "formats.reply_without_answer":
                raise
            raise SystemFailure(Message("systems.say_where", message=failure.message), hint=failure.hint) from None

    def close(self) -> None:
        """Do nothing: no connection is kept."""

    def _body(self, ask: Ask) -> Any:
        if self._request:
            return self._request.fill(ask)
        return {"id": ask.id, "question": ask.question, "document": ask.document}


def open_http(rest: str, settings: SystemSettings) -> HttpSystem:
    """The system at `http:` + `rest`."""
    return HttpSystem(f"http:{rest}", settings)


def open_https(rest: str, settings: SystemSettings) -> HttpSystem:
    """The system at `https:` + `rest`."""
    return HttpSystem(f"https:{rest}", settings)
