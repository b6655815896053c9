"""The corpus: passages with their ids, as UltraRAG (`id`, `contents`) or BEIR (`_id`, `title`, `text`) writes them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, Problem
from steelyard.i18n import Message
from steelyard.io.records import Record, read_records

CORPUS_HINT = Message("rag.corpus_hint")


@dataclass(frozen=True, slots=True)
class Corpus:
    """Passages in the order of their file; `digest` is the SHA-256 of what was read.

    An id may stand for several passages, as in UltraRAG.
    """

    name: str
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    digest: str

    @property
    def repeated(self) -> int:
        """How many passages have an id that an earlier one has."""
        return len(self.ids) - len(set(self.ids))

    def __len__(self) -> int:
        return len(self.ids)


def read_corpus(path: str | Path) -> Corpus:
    """All passages of a file: JSONL, JSON, CSV, TSV or parquet; each has text and an id."""
    records, digest = read_records(path)
    if not records:
        raise InputError(Message("rag.no_passages"), where=str(path), hint=CORPUS_HINT)
    problems = list(_missing(records))
    if problems:
        raise InputError.of(problems, hint=CORPUS_HINT)
    return Corpus(
        str(path), tuple(_id(each.fields) for each in records), tuple(_text(each.fields) for each in records), digest
    )


def _missing(records: Iterable[Record]) -> Iterable[Problem]:
    for record in records:
        if not _id(record.fields):
            yield Problem(record.where, Message("rag.passage_without_id"))
        elif not _text(record.fields).strip():
            yield Problem(record.where, Message("rag.passage_without_text"))


def _id(fields: Mapping[str, Any]) -> str:
    """The id as text; a whole number is taken as it is written."""
    found = fields.get("id", fields.get("_id"))
    is_number = isinstance(found, int) and not isinstance(found, bool)
    return str(found) if is_number or isinstance(found, str) else ""


def _text(fields: Mapping[str, Any]) -> str:
    """The contents; of a BEIR row the title, then the text."""
    if "contents" in fields:
        return _said(fields["contents"])
    parts = (_said(fields.get("title")), _said(fields.get("text")))
    return "\n".join(part for part in parts if part.strip())


def _said(value: Any) -> str:
    return value if isinstance(value, str) else ""
