"""Builds a corpus from documents, in the format of UltraRAG: a row per document, then a row per chunk."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from steelyard.documents.pages import read_text
from steelyard.errors import ConfigError, InputError, Problem
from steelyard.i18n import Message
from steelyard.io.records import Record, format_suffix, read_records
from steelyard.progress import ProgressCallback
from steelyard.rag.chunking import Chunker
from steelyard.search.artifacts import whole_file
from steelyard.text.visible import HALVES

KINDS: Final = (".txt", ".text", ".md", ".markdown", ".pdf", ".docx")
KINDS_HINT: Final = Message("rag.document_kinds_hint")
SOURCE_HINT: Final = Message("rag.source_hint")
BUILD_HINT: Final = Message("rag.build_hint")
ROWS_HINT: Final = Message("rag.rows_hint")

# the end of a complete paragraph, and the start of a paragraph that continues the one before
_FINISHED: Final = re.compile(r"[。！？!?；;…]\s*[”’」』》）】]*\Z")
_TAIL: Final = 80  # characters of a paragraph in which its end is searched
_CONTINUES: Final = re.compile(r"[一-鿿0-9a-zA-Z“\"‘’《（(【\[「『<]")


class Built(NamedTuple):
    """The number of rows that were written, and the problems: files left out, and warnings."""

    rows: int
    problems: tuple[Problem, ...]


def build_corpus(source: str, target: str, progress: ProgressCallback) -> Built:
    """Write a row with id, title and contents for each document of a file or of a folder with all its subfolders.

    A single file that cannot be read is an error; one of a folder is left out and reported.
    """
    path = Path(_named(source, "parse_file_path"))
    if not path.exists():
        raise InputError(Message("rag.no_such_path"), where=str(path), hint=SOURCE_HINT)
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    problems: list[Problem] = []
    count = _write(
        _rows(files, problems, progress, alone=path.is_file()), _named(target, "text_corpus_save_path"), path
    )
    return Built(count, tuple(problems))


def chunk_corpus(source: str, target: str, chunk: Chunker, *, use_title: bool, progress: ProgressCallback) -> Built:
    """Write a row with id, doc_id, title and contents for each chunk of each document; one without text is left out."""
    if not Path(_named(source, "raw_chunk_path")).exists():
        raise InputError(Message("formats.no_such_file"), where=source, hint=BUILD_HINT)
    records, _ = read_records(source)
    bad = [problem for record in records if (problem := _bad_row(record)) is not None]
    if bad:
        raise InputError.of(bad, hint=ROWS_HINT)
    problems: list[Problem] = []
    count = _write(
        _chunk_rows(records, chunk, use_title, problems, progress), _named(target, "chunk_path"), Path(source)
    )
    return Built(count, tuple(problems))


def reflowed(text: str) -> str:
    """The text with the lines of each paragraph joined, and paragraphs joined that a page break has split."""
    plain = text.replace("\u3000", " ").replace("\r\n", "\n").replace("\r", "\n").strip()
    pieces: list[str] = []
    for paragraph in filter(None, map(_joined, re.split(r"\n{2,}", plain))):
        if not pieces:
            pieces = [paragraph]
        elif _is_finished(pieces) or not _CONTINUES.match(paragraph):
            pieces += ["\n\n", paragraph]
        elif pieces[-1].endswith("-"):
            pieces[-1:] = [pieces[-1].rstrip("-"), paragraph]
        else:
            pieces += [" ", paragraph]
    return "".join(pieces).strip()


def _joined(paragraph: str) -> str:
    """The lines joined; a word that is hyphenated at the end of a line is joined too."""
    pieces: list[str] = []
    for line in filter(None, map(str.strip, paragraph.split("\n"))):
        if not pieces:
            pieces = [line]
        elif pieces[-1].endswith("-") and not _is_dash(pieces):
            pieces[-1:] = [pieces[-1][:-1], line]
        else:
            pieces += [" ", line]
    return re.sub(r"\s{2,}", " ", "".join(pieces)).strip()


def _is_dash(pieces: Sequence[str]) -> bool:
    """Whether the last line is a dash at the start of a sentence."""
    return pieces[-1] == "-" and (len(pieces) == 1 or (pieces[-2] == " " and _is_finished(pieces[-5:-2])))


def _is_finished(pieces: Sequence[str]) -> bool:
    """Whether the last characters of the last paragraph end a sentence."""
    paragraph = "".join(pieces[-3:]).rpartition("\n\n")[2]
    return bool(_FINISHED.search(paragraph[-_TAIL:].rstrip()))


def _rows(
    files: Iterable[Path], problems: list[Problem], progress: ProgressCallback, *, alone: bool
) -> Iterator[dict[str, Any]]:
    listed = list(files)
    for done, path in enumerate(listed, 1):
        try:
            text, warnings = _document(path)
        except InputError as error:
            if alone:
                raise
            problems += error.problems
            continue
        problems += warnings
        if text:
            yield {"id": path.stem, "title": path.stem, "contents": text}
        else:
            problems.append(Problem(str(path), Message("formats.no_text")))
        progress(done, len(listed))


def _document(path: Path) -> tuple[str, tuple[Problem, ...]]:
    if format_suffix(path) not in KINDS:
        raise InputError(Message("rag.unknown_document_kind"), where=str(path), hint=KINDS_HINT)
    text, warnings = read_text(path)
    return reflowed(text), warnings


def _chunk_rows(
    records: Iterable[Record], chunk: Chunker, use_title: bool, problems: list[Problem], progress: ProgressCallback
) -> Iterator[dict[str, Any]]:
    listed, number = list(records), 0
    for done, record in enumerate(listed, 1):
        text, title = _text(record, "contents"), _text(record, "title")
        if not text:
            problems.append(Problem(record.where, Message("rag.document_without_contents")))
        for piece in chunk(text) if text else ():
            contents = f"Title:\n{title}\n\nContent:\n{piece}" if use_title else piece
            document = record.fields.get("id") or ""
            yield {"id": number, "doc_id": document, "title": title, "contents": contents.strip()}
            number += 1
        progress(done, len(listed))


def _bad_row(record: Record) -> Problem | None:
    for name in ("contents", "title"):
        value = record.fields.get(name)
        if not isinstance(value, str | None):
            return Problem(record.where, Message("rag.must_be_text", name=name, kind=type(value).__name__))
    return None


def _text(record: Record, name: str) -> str:
    return (record.fields.get(name) or "").strip()


def _write(rows: Iterable[dict[str, Any]], target: str, source: Path) -> int:
    """Write the rows as JSON lines, atomically, and return their number."""
    count = 0
    with whole_file(Path(target)) as part, part.open("w", encoding="utf-8", errors=HALVES, newline="\n") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
        if not count:
            raise InputError(Message("rag.no_documents"), where=str(source), hint=KINDS_HINT)
    return count


def _named(path: Any, what: str) -> str:
    if not isinstance(path, str) or not path:
        raise ConfigError(Message("rag.must_name_file", what=what, path=path), parameter=what)
    return path
