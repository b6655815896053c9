"""TREC RAG: answers in sentences with citations, of 2024 and of 2025/26; RAGTIME's name for the sentences too."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.records import Record
from steelyard.io.shapes import SCALAR, TEXT, ListOf, Plain
from steelyard.io.shapes import Fields as Shape

NAME: Final = "trec-rag"
TITLE: Final = "TREC RAG"

_LISTED: Final = Plain(Message("words.a_list"), lambda value: isinstance(value, list | dict))
_SENTENCES: Final = ListOf(Shape({"text": TEXT, "citations": _LISTED}, frozenset(("text",))))
_ANSWERS: Final = ("answer", "responses")
_ROW: Final = Shape(
    {
        "metadata": Shape({"run_id": SCALAR, "narrative": TEXT}),
        "run_id": SCALAR,
        "topic": TEXT,
        "references": ListOf(SCALAR),
        **dict.fromkeys(_ANSWERS, _SENTENCES),
    },
    frozenset(("references",)),
)
_IDS: Final = ("topic_id", "narrative_id")
_CITATION: Final = re.compile(r"\[\s*\d|【\s*\d")
_END: Final = re.compile(r"\s*([.!?。！？]*)\s*\Z")


def recognises(container: Container) -> bool:
    """Whether rows have references, sentences, and the number of a topic or narrative."""
    first = container.first if container.kind == "rows" else {}
    sentences = next((first[name] for name in _ANSWERS if name in first), None)
    return "references" in first and isinstance(sentences, list) and any(name in _about(first) for name in _IDS)


def read(container: Container) -> Iterator[Record]:
    """Yield the answers; a citation is written as [n] into the text where no text has such a mark already."""
    for record in container.records():
        rows.check(record.fields, _ROW, record.where, TITLE)
        yield record._replace(fields=_fields(record))


def _about(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fields about the run and the topic, which are inside `metadata` since 2025."""
    metadata = row.get("metadata")
    return metadata if isinstance(metadata, dict) else row


def _fields(record: Record) -> Fields:
    row, about = record.fields, _about(record.fields)
    references = list(dict.fromkeys(str(each) for each in row["references"]))
    sentences: list[Fields] = row.get("answer") or row.get("responses") or []
    cited = [_cited(each.get("citations") or (), references, record) for each in sentences]
    topic = next((about[name] for name in _IDS if about.get(name) is not None), "")
    fields = {
        rows.ID: str(topic),
        rows.QUESTION: str(about.get("narrative") or about.get("topic") or about.get("title") or ""),
        rows.PREDICTION: _joined([each["text"] for each in sentences], cited),
        rows.RETRIEVED_IDS: references,
        rows.SYSTEM: str(about.get("run_id") or ""),
        rows.EXTRA: {NAME: {name: value for name, value in row.items() if name not in ("topic_id", "topic", "run_id")}},
    }
    return rows.present(fields)


def _cited(citations: Any, references: list[str], record: Record) -> list[int]:
    """Return the indexes of the cited references, which are given by index or by id."""
    found = []
    for citation in citations:
        is_index = isinstance(citation, int) and not isinstance(citation, bool)
        index = citation if is_index else references.index(citation) if citation in references else -1
        if not 0 <= index < len(references):
            message = Message("formats.citation_unknown", citation=repr(citation), count=len(references))
            raise InputError(message, where=record.where, hint=rows.read_as(TITLE))
        found.append(index)
    return found


def _joined(texts: list[str], cited: list[list[int]]) -> str:
    """Join the sentences to one text, with their citations counted from 1 unless it has marks of this kind already."""
    if any(_CITATION.search(text) for text in texts):
        return " ".join(texts)
    return " ".join(_marked(text, indexes) for text, indexes in zip(texts, cited, strict=True))


def _marked(text: str, indexes: list[int]) -> str:
    """Return a sentence with its citations before the mark that ends it."""
    if not indexes:
        return text
    marks = "".join(f"[{index + 1}]" for index in indexes)
    return _END.sub(lambda end: f" {marks}{end[1]}", text, count=1)
