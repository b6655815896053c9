"""The corpus: passages with ids, in the format of UltraRAG (`id`, `contents`) or BEIR (`_id`, `title`, `text`)."""

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
    """Passages in the order of their file; `digest` is the SHA-256 of the file.

    Several passages may have one id, as in UltraRAG.
    """

    name: str
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    digest: str

    @property
    def repeated(self) -> int:
        """The number of passages with the id of an earlier one."""
        return len(self.ids) - len(set(self.ids))

    def __len__(self) -> int:
        return len(self.ids)


def read_corpus(path: str | Path) -> Corpus:
    """The passages of a file: JSONL, JSON, CSV, TSV or parquet; each must have text and an id."""
    records, digest = read_records(Path(path))
    if not records:
        raise InputError(Message("rag.no_passages"), where=str(path), hint=CORPUS_HINT)
    problems = list(_missing(records))
    if problems:
        raise InputError.of(problems, hint=CORPUS_HINT)
    return Corpus(
        str(path), tuple(_id(row.fields) for row in records), tuple(_text(row.fields) for row in records), digest
    )


def _missing(records: Iterable[Record]) -> Iterable[Problem]:
    for record in records:
        if not _id(record.fields):
            yield Problem(record.where, Message("rag.passage_without_id"))
        elif not _text(record.fields).strip():
            yield Problem(record.where, Message("rag.passage_without_text"))


def _id(fields: Mapping[str, Any]) -> str:
    """The id as text; an integer is allowed."""
    value = fields.get("id", fields.get("_id"))
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if is_number or isinstance(value, str) else ""


def _text(fields: Mapping[str, Any]) -> str:
    """The contents, or the title and the text of a BEIR row."""
    if "contents" in fields:
        return _text_or_empty(fields["contents"])
    parts = (_text_or_empty(fields.get("title")), _text_or_empty(fields.get("text")))
    return "\n".join(part for part in parts if part.strip())


def _text_or_empty(value: Any) -> str:
    return value if isinstance(value, str) else ""
