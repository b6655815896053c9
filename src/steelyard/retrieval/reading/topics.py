"""TREC topics, the queries of a test collection: the classic form with <top> and <num>, and XML."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape
from typing import Any, Final
from xml.parsers import expat

from steelyard.errors import InputError
from steelyard.i18n import Message

NUMBER: Final = ("num", "number", "identifier", "id", "qid", "query_id", "topic_id", "topicid", "queryid")
"""Names of the element or attribute with the id of a topic."""
TITLE: Final = ("title", "query", "topic", "text")
"""Names of what a user would type; the first that a topic has is its text."""
SENTENCE: Final = ("question", "desc", "description", "summary")
"""Names of the sentence that says the same at length; it follows the title."""

_TOPIC: Final = re.compile(r"<top\b[^>]*>(.*?)(?=</top\s*>|<top\b|\Z)", re.DOTALL | re.IGNORECASE)
_TAG: Final = re.compile(r"<(/?)([A-Za-z][\w.-]*)[^<>]*>")
_LABEL: Final = re.compile(r"\s*(?:number|topic|description|narrative|title)\s*:", re.IGNORECASE)


@dataclass(slots=True)
class Topic:
    """One topic: its line, and its fields by name in lower case; attributes are fields too."""

    line: int
    fields: dict[str, str] = field(default_factory=dict)

    @property
    def number(self) -> str:
        """Its id; "" where it has none."""
        return _first(self.fields, NUMBER)

    @property
    def text(self) -> str:
        """Its title, and on the next line the sentence at length; "" where it has neither."""
        return "\n".join(text for text in (_first(self.fields, TITLE), _first(self.fields, SENTENCE)) if text)


def is_markup(text: str) -> bool:
    """Whether a text may be topics."""
    return text.lstrip().startswith("<")


def read_topics(text: str, name: str) -> list[Topic]:
    """The topics of a file, which has one of the two forms."""
    topics = list(_classic(text)) if re.match(r"\s*<top\b", text, re.IGNORECASE) else _xml(text, name)
    if not topics:
        raise InputError(Message("formats.no_topics"), where=name, hint=Message("formats.topics_hint"))
    return topics


def _classic(text: str) -> Iterator[Topic]:
    """Topics whose tags need not be closed: a field reaches to the next tag."""
    for found in _TOPIC.finditer(text):
        topic = Topic(text.count("\n", 0, found.start()) + 1)
        tags = list(_TAG.finditer(found[1]))
        ends = [*(tag.start() for tag in tags[1:]), len(found[1])]
        for tag, end in zip(tags, ends, strict=True):
            value = found[1][tag.end() : end]
            if not tag[1]:
                topic.fields.setdefault(tag[2].lower(), _plain(unescape(_LABEL.sub("", value, count=1))))
        yield topic


def _plain(value: str) -> str:
    return " ".join(value.split())


def _first(fields: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((fields[name] for name in names if fields.get(name)), "")


def _xml(text: str, name: str) -> list[Topic]:
    """The children of the root as topics."""
    handler = _Handler()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = lambda tag, attributes: handler.start(tag, attributes, parser.CurrentLineNumber)
    parser.EndElementHandler = handler.end
    parser.CharacterDataHandler = handler.characters
    parser.StartDoctypeDeclHandler = lambda *_: _refuse(name, parser.CurrentLineNumber)
    try:
        parser.Parse(text.lstrip().encode("utf-8"), True)
    except expat.ExpatError as error:
        before = text[: len(text) - len(text.lstrip())].count("\n")
        message = Message("formats.topics_not_xml", error=expat.errors.messages[error.code])
        raise InputError(
            message, where=f"{name}:{before + error.lineno}", hint=Message("formats.topics_hint")
        ) from None
    return handler.topics


def _refuse(name: str, line: int) -> None:
    raise InputError(Message("formats.topics_doctype"), where=f"{name}:{line}")


class _Handler:
    """Collects the children of the root: attributes, the texts of their own children, or their own text."""

    def __init__(self) -> None:
        self.topics: list[Topic] = []
        self._open: list[str] = []
        self._pieces: list[str] = []

    def start(self, tag: str, attributes: Mapping[str, Any], line: int) -> None:
        """An element begins."""
        self._open.append(tag.rpartition(":")[2].lower())
        if len(self._open) == 2:
            self.topics.append(Topic(line, {key.lower(): _plain(value) for key, value in attributes.items()}))
        if len(self._open) <= 3:
            self._pieces = []

    def characters(self, text: str) -> None:
        """Text, of an element or of one inside it."""
        self._pieces.append(text)

    def end(self, _tag: str) -> None:
        """An element ends."""
        name, depth = self._open.pop(), len(self._open)
        if depth not in (1, 2):
            return
        value, self._pieces = _plain("".join(self._pieces)), []
        if value:
            self.topics[-1].fields.setdefault(name if depth == 2 else "text", value)
