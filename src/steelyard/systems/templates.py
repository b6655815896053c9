"""Templates of requests, with placeholders in texts, and paths into replies, with `*` for every member."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from steelyard.errors import ConfigError, InputError, SystemFailure
from steelyard.i18n import Message
from steelyard.io.outputs import shown_names
from steelyard.io.records import parse_json

FieldPath = tuple[str, ...]
"""The keys and indices that lead to a field of a reply."""
Places = str | Sequence[str]
"""Paths as texts, of which the first that leads to a value counts."""

EVERY: Final = "*"
NAME: Final = "#"
"""The field that a member of an object gets beside its own: its name in that object."""

_PLACEHOLDER: Final = re.compile(r"\{([a-z]+)\}")
_INDEX: Final = re.compile(r"\[(\d+|\*)\]")
_INDEX_STEP: Final = re.compile(r"\d{1,9}")


def template_of(text: str, hint: Message | None = None) -> Any:
    """Return the template of the option --request."""
    try:
        return parse_json(text, "--request")
    except InputError as error:
        message = Message("systems.bad_request_template", message=error.message)
        raise ConfigError(message, where="--request", hint=hint) from None


def filled(content: Any, values: Mapping[str, Any]) -> Any:
    """Return a template with its placeholders filled; a text that is one placeholder becomes the value itself."""
    match content:
        case str():
            if whole := _PLACEHOLDER.fullmatch(content):
                return values.get(whole[1], content)
            return _PLACEHOLDER.sub(lambda match: str(values.get(match[1], match[0])), content)
        case dict():
            return {name: filled(member, values) for name, member in content.items()}
        case list():
            return [filled(member, values) for member in content]
    return content


@lru_cache(maxsize=1 << 8)
def path_of(text: str) -> FieldPath:
    """Return the steps of `/data/answer` (a JSON pointer) or of `data.choices[0].text`."""
    if text.startswith("/"):
        return tuple(step.replace("~1", "/").replace("~0", "~") for step in text[1:].split("/"))
    return tuple(_INDEX.sub(r".\1", text).removeprefix("$").removeprefix(".").split("."))


def find(reply: Any, path: FieldPath) -> list[Any] | None:
    """Return what a path leads to; an empty list where `*` stands for no member, None where it leads nowhere."""
    found = [reply]
    for step in path:
        members = [inner for each in found for inner in _members(each, step)]
        if not members:
            return [] if step == EVERY and ([] in found or {} in found) else None
        found = members
    return found


def listed(places: Places | None) -> Sequence[str]:
    """Return places as a list, of one if it is one."""
    return [places] if isinstance(places, str) else places or ()


def values_at(reply: Any, places: Places | None) -> list[Any]:
    """Return what the first of these places that leads to a value finds; null is none.

    `/q + /a` leads to both; `/page + 1` adds to numbers.
    """
    for place in listed(places):
        found: list[Any] = []
        added = 0
        for term in place.split(" + "):
            if term.isdecimal():
                added += int(term)
            else:
                found += find(reply, path_of(term)) or []
        values = [each + added if added and isinstance(each, int) else each for each in found if each is not None]
        if values:
            return values
    return []


def first_at(reply: Any, places: Places | None) -> Any:
    """Return the first value at these places; None if there is none."""
    return next(iter(values_at(reply, places)), None)


def nothing_at(reply: Any, path: FieldPath) -> SystemFailure:
    """Return the failure of a reply in which a path leads nowhere: what there is where it ends."""
    value = reply
    for step in path[:-1]:
        value = next(_members(value, step), value)
    there = shown_names(value) if isinstance(value, Mapping) else type(value).__name__
    return SystemFailure(Message("systems.no_value_at_path", path="/" + "/".join(path), there=there))


def _members(value: Any, step: str) -> Iterator[Any]:
    if isinstance(value, Mapping) and step == EVERY:
        for name, each in value.items():
            yield {NAME: name, **each} if isinstance(each, Mapping) else each
    elif isinstance(value, Mapping) and step in value:
        yield value[step]
    elif isinstance(value, list) and step == EVERY:
        yield from value
    elif isinstance(value, list) and _INDEX_STEP.fullmatch(step):
        yield from value[int(step) :][:1]
