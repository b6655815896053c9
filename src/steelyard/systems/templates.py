"""Templates of requests, with placeholders in texts, and paths into replies, with `*` for every member."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from steelyard.errors import SystemFailure
from steelyard.i18n import Message

FieldPath = tuple[str, ...]
"""The keys and indices that lead to a field of a reply."""

EVERY: Final = "*"
NAME: Final = "#"
"""The field that a member of an object gets beside its own: its name in that object."""

_PLACEHOLDER: Final = re.compile(r"\{([a-z]+)\}")
_INDEX: Final = re.compile(r"\[(\d+|\*)\]")
_INDEX_STEP: Final = re.compile(r"\d{1,9}")
_MOST_NAMES: Final = 20


def filled(content: Any, values: Mapping[str, Any]) -> Any:
    """Return a template with its placeholders filled; a text that is one placeholder becomes the value itself."""
    match content:
        case str():
            if content[1:-1] in values and content == f"{{{content[1:-1]}}}":
                return values[content[1:-1]]
            return _PLACEHOLDER.sub(lambda match: str(values.get(match[1], match[0])), content)
        case dict():
            return {name: filled(member, values) for name, member in content.items()}
        case list():
            return [filled(member, values) for member in content]
    return content


def path_of(text: str) -> FieldPath:
    """Return the steps of `/data/answer` (a JSON pointer) or of `data.choices[0].text`."""
    if text.startswith("/"):
        return tuple(step.replace("~1", "/").replace("~0", "~") for step in text[1:].split("/"))
    return tuple(_INDEX.sub(r".\1", text).removeprefix("$").removeprefix(".").split("."))


def find(reply: Any, path: FieldPath) -> list[Any] | None:
    """Return what a path leads to; an empty list where `*` stands for no member, None where it leads nowhere."""
    found, is_empty = [reply], False
    for step in path:
        is_empty = is_empty or (step == EVERY and any(each in ([], {}) for each in found))
        found = [inner for each in found for inner in _members(each, step)]
    return found if found or is_empty else None


def nothing_at(reply: Any, path: FieldPath) -> SystemFailure:
    """Return the failure of a reply in which a path leads nowhere: what there is where it ends."""
    reached = [reply]
    for end in range(1, len(path)):
        reached = find(reply, path[:end]) or reached[:1]
    value = reached[0]
    there = type(value).__name__
    if isinstance(value, Mapping):
        names = [repr(name[:60]) for name in islice(value, _MOST_NAMES)]
        there = ", ".join([*names, "…"] if len(value) > _MOST_NAMES else names)
    return SystemFailure(Message("systems.no_value_at_path", path="/" + "/".join(path), there=there))


def _members(value: Any, step: str) -> Iterator[Any]:
    if isinstance(value, Mapping):
        if step == EVERY:
            yield from ({NAME: name, **each} if isinstance(each, Mapping) else each for name, each in value.items())
        elif step in value:
            yield value[step]
    elif isinstance(value, list):
        if step == EVERY:
            yield from value
        elif _INDEX_STEP.fullmatch(step) and int(step) < len(value):
            yield value[int(step)]
