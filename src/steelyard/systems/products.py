"""Products as data: how a product is asked, and where its replies have the answer, the contexts and the usage.

name: My RAG
key: MY_API_KEY                   the variable of the environment that has the key
requests:                         the first; the next where the one before is answered with a status of `after`
  - path: /ask                    after: [404, 405], session: {path, body, id}
    body: {query: "{question}"}   {question} {id} {app} {apps} {session} {unique}
answer: /data/answer              a path, or a list of which the first that leads to a value counts
contexts: /data/chunks/*          what was retrieved; each: [texts, metas] for lists in one object that run in parallel
context: {id: /id, text: /text, page: /meta/page + 1, document: /file, score: /score, source: what a mark [1] counts}
first: 1                          the number of the first context in marks such as [1]
tokens: /usage/total_tokens       all that is found is added up; also cost
fits: /data/chunks                paths of which one is in each recorded reply of this product
errors: {code: /code, message: /message, fine: [0], retry: [500], key: [401], answer: how one in an answer begins}
stream: {ends: {/event: end}, replaces: {/final: true}, thinks: {/starts: <think>, /ends: </think>}}
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from steelyard.errors import InputError, SteelyardError, UnknownName
from steelyard.i18n import Message
from steelyard.io.shapes import wrong_shape
from steelyard.io.yamls import Located, read_yaml
from steelyard.systems.templates import Places

LOST: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)
"""Statuses of an address that has no such path."""
_SHIPPED: Final = Path(__file__).with_name("shipped")
_SCHEMA: Final = Path(__file__).with_name("product.schema.json")
_WORDS: Final = {"object": "words.an_object", "array": "words.a_list", "integer": "words.an_integer"}

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Product:
    """A product as its file describes it."""

    name: str
    requests: list[Fields]
    contexts: Places
    context: Fields
    key: str = ""
    answer: Places = ()
    each: Sequence[str] = ()
    first: int = 1
    tokens: Places = ()
    cost: Places = ()
    fits: Places = ()
    errors: Fields = field(default_factory=dict)
    stream: Fields = field(default_factory=dict)

    @property
    def paths(self) -> list[str]:
        """Return the paths of all requests, with those that make sessions."""
        sessions = [each["session"] for each in self.requests if "session" in each]
        return [each["path"] for each in [*self.requests, *sessions]]

    @property
    def wants_app(self) -> bool:
        """Whether a request names an app, a chat or a model."""
        return "{app" in json.dumps(self.requests)


@lru_cache(maxsize=1)
def shipped() -> dict[str, Product]:
    """Return the products of this package by name."""
    return {path.stem: Product(**read_yaml(path).plain()) for path in sorted(_SHIPPED.glob("*.yaml"))}


def load_product(path: str | Path) -> Product:
    """Read the file of a product; a fault is an error with its line."""
    from jsonschema import Draft202012Validator

    found = read_yaml(path)
    content = found.plain()
    validator = Draft202012Validator(json.loads(_SCHEMA.read_text("utf-8")))
    for fault in validator.iter_errors(content):
        raise _error(found, fault)
    return Product(**content)


def _error(found: Located, fault: Any) -> SteelyardError:
    """Return the error about what the schema does not allow."""
    for key in fault.absolute_path:
        found = found.value[key]
    if fault.validator == "required":
        missing = next(name for name in fault.validator_value if name not in found.value)
        return InputError(Message("formats.field_missing", key=missing), where=found.where)
    if fault.validator == "additionalProperties":
        known = fault.schema["properties"]
        name = next(name for name in found.value if name not in known)
        return UnknownName.of(Message("words.field"), name, known, where=found.value[name].where)
    words = Message(_WORDS.get(str(fault.schema["type"]), "words.text"))
    return wrong_shape(fault.json_path.rpartition(".")[2], words, fault.instance, found.where)
