"""Replies of models: thinking is left aside, and of the JSON objects that fit the schema the last one counts."""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

from steelyard.errors import cut
from steelyard.i18n import Message
from steelyard.io.records import is_deep, unique_keys
from steelyard.judges.prompts import MARKER, Json
from steelyard.judges.spec import Reading
from steelyard.table import Missing
from steelyard.text.reading import without_thinking

_DECODER: Final = json.JSONDecoder(object_pairs_hook=unique_keys)
_SHOWN: Final = 60  # characters of a reply that a reason shows
_MOST_OBJECTS: Final = 1_000  # of one reply, whether they can be read or not
_NOT_CHECKED: Final = ("additionalProperties", "minItems", "maxItems")


@dataclass(frozen=True, slots=True)
class Recorded:
    """A reply as the journal has it; `text` is None if the model gave none.

    `refusal` is the model's own refusal to answer, `finish` why it ended, `sent` and `received` are tokens, and `mode`
    is how the answer was asked for: json_schema, json_object or marker.
    """

    text: str | None
    refusal: str = ""
    finish: str = ""
    sent: int = 0
    received: int = 0
    mode: str = "json_schema"


class Answer(NamedTuple):
    """What a reply says, or why there is nothing to be read."""

    value: Json | None
    why: Missing | None = None


def unscored(code: str, **args: Any) -> Missing:
    """Return the reason of a cell without a score."""
    return Missing("unscored", Message(code, **args))


def read_reply(reply: Recorded, schema: Json, reading: Reading = "last") -> Answer:
    """Return the answer in a reply: the last object that fits the schema, or the only one."""
    if reply.finish == "length":
        return Answer(None, unscored("missing.judge_cut_off"))
    text = (reply.text or "").strip()
    if not text:
        code = "missing.judge_refused" if reply.refusal else "missing.judge_silent"
        return Answer(None, unscored(code))
    validator = _validator(json.dumps(_open(schema)))
    try:
        answer = _answer(text, reply.mode, validator, reading)
    except RecursionError:  # lists within lists, each of which is one call more for the validator
        return _unreadable(text)
    return _unreadable(text) if is_deep(answer.value) else answer


def _answer(text: str, mode: str, validator: Any, reading: Reading) -> Answer:
    if validator.is_valid(whole := _whole(text)):
        return Answer(whole)
    spoken = without_thinking(text).strip()
    _, marker, marked = f"\n{spoken}".rpartition(f"\n{MARKER}")
    is_marked = mode == "marker" and marker
    return _last_of(marked, validator, "only") if is_marked else _last_of(spoken, validator, reading)


def _last_of(text: str, validator: Any, reading: Reading) -> Answer:
    """Return the last object of a text that fits, or the only one; nothing where an object cannot be read.

    What stands in an object that cannot be read may be a quotation, and so may be an object with words behind it.
    """
    objects = _objects(text)
    fitting = [found.value for found in objects if validator.is_valid(found.value)]
    if len(fitting) > 1 and reading == "only":
        return Answer(None, unscored("missing.judge_several", count=len(fitting)))
    ends = zip([0, *(each.end for each in objects)], [*(each.start for each in objects), len(text)], strict=True)
    if not fitting or _has_more(text, objects[-1]) or any({"{", "}"} & {*text[end:start]} for end, start in ends):
        return _unreadable(text)
    return Answer(fitting[-1])


def _unreadable(text: str) -> Answer:
    return Answer(None, unscored("missing.judge_unreadable", text=cut(" ".join(text.split()), _SHOWN)))


class _Object(NamedTuple):
    """A JSON object of a text, and where it begins and ends."""

    value: Any
    start: int
    end: int


def _has_more(text: str, last: _Object) -> bool:
    """Return whether words follow an object: a verdict stands at the end of a reply."""
    return any(map(str.isalnum, text[last.end :]))


def _whole(text: str) -> Any:
    """Return a reply that is one JSON value; it may quote the marks of thinking."""
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


def _objects(text: str) -> list[_Object]:
    """Return the JSON objects of a text that stand in no other."""
    found: list[_Object] = []
    at = text.find("{")
    for _ in range(_MOST_OBJECTS):
        if at < 0:
            break
        try:
            value, end = _DECODER.raw_decode(text, at)
        except json.JSONDecodeError as error:
            end = max(at + 1, error.pos)
        except (ValueError, RecursionError):  # a number of thousands of digits, a key twice, or too deep
            break
        else:
            found.append(_Object(value, at, end))
        at = text.find("{", end)
    return found


@lru_cache(maxsize=64)
def _validator(schema: str) -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(schema))


def _open(schema: Any) -> Any:
    """Return a schema without what has a reason of its own: menus, sizes of lists, further fields, missing texts."""
    if isinstance(schema, list):
        return [_open(value) for value in schema]
    if not isinstance(schema, dict):
        return schema
    if "enum" in schema:
        return {}
    opened = {name: _open(value) for name, value in schema.items() if name not in _NOT_CHECKED}
    if "required" in schema:
        opened["required"] = [name for name in schema["required"] if schema["properties"][name] != {"type": "string"}]
    return opened
