"""Builds a corpus from documents, in the format of UltraRAG: a row per document, then a row per chunk.

Texts are chunked by tokens, by sentences, or recursively by paragraphs, sentences, clauses and words. The rules are
those of chonkie's TokenChunker, SentenceChunker and RecursiveChunker, which UltraRAG uses. With the tokenizers
`character` and `word` the chunks are the same, except that the recursive one knows Chinese punctuation too.
"""

import difflib
import importlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

from steelyard.documents.pages import read_text
from steelyard.errors import ConfigError, InputError, Problem, UnknownName
from steelyard.i18n import Message
from steelyard.io.records import Record, format_suffix, read_records
from steelyard.progress import ProgressCallback
from steelyard.rag.settings import CHUNKERS, check_backend, from_one
from steelyard.search.artifacts import whole_file
from steelyard.text.visible import HALVES

SENTENCE_ENDS: Final = (".", "!", "?", "；", "。", "！", "？")
"""The default delimiters of sentences."""

OVERLAP: Final = 64
_LEAST_SENTENCE: Final = 12  # bytes of UTF-8; a shorter sentence is joined to the one before
_LEAST_PIECE: Final = 50  # bytes of UTF-8, of the recursive backend
_PARAGRAPHS: Final = ("\n\n", "\r\n", "\n", "\r")
_SENTENCES: Final = (". ", "! ", "? ", "。”", "！”", "？”", "。", "！", "？", "；")
_CLAUSES: Final = (*'{}"[]<>():;,—|~-', "...", "`", "'", *"，、：（）《》")
_LEVELS: Final = (_PARAGRAPHS, _SENTENCES, _CLAUSES, (" ",))

DELIMITERS_HINT: Final = Message("rag.delimiters_hint")
TOKENIZER_HINT: Final = Message("rag.tokenizer_hint")

Chunker = Callable[[str], list[str]]
KINDS: Final = (".txt", ".text", ".md", ".markdown", ".pdf", ".docx")
KINDS_HINT: Final = Message("rag.document_kinds_hint")
SOURCE_HINT: Final = Message("rag.source_hint")
BUILD_HINT: Final = Message("rag.build_hint")
ROWS_HINT: Final = Message("rag.rows_hint")
# the end of a complete paragraph, and the start of a paragraph that continues the one before
_FINISHED: Final = re.compile(r"[。！？!?；;…]\s*[”’」』》）】]*\Z")
_TAIL: Final = 80  # characters of a paragraph in which its end is searched
_CONTINUES: Final = re.compile(r"[一-鿿0-9a-zA-Z“\"‘’《（(【\[「『<]")


class Tokenizer(NamedTuple):
    """Splits a text into tokens, and joins tokens to a text."""

    split: Callable[[str], Sequence[Any]]
    join: Callable[[Any], str]

    def count(self, text: str) -> int:
        """Return the number of tokens of a text."""
        return len(self.split(text))

    def windows(self, text: str, size: int, step: int) -> Iterator[str]:
        """Yield texts of `size` tokens, each `step` tokens after the one before it; the last ends with the text."""
        tokens = self.split(text)
        for start in range(0, len(tokens), step):
            yield self.join(tokens[start : start + size])
            if start + size >= len(tokens):
                return


_BUILT_IN: Final = {
    "character": Tokenizer(str, str),  # every character is a token
    "word": Tokenizer(lambda text: text.split(" "), " ".join),  # a text without spaces is one word
}


@dataclass(frozen=True, slots=True)
class ChunkSettings:
    """The settings of a chunker, under the names of UltraRAG."""

    backend: str = "token"
    tokenizer: str = "character"
    chunk_size: int = 256
    chunk_overlap: int = OVERLAP
    min_sentences_per_chunk: int = 1
    min_characters_per_chunk: int = _LEAST_PIECE
    delimiters: Sequence[str] = SENTENCE_ENDS


def chunk_settings(backend: str, tokenizer: str, chunk_size: int, config: Mapping[str, Any]) -> ChunkSettings:
    """Return settings from UltraRAG's parameters; an overlap as large as a chunk or larger becomes a quarter of it."""
    check_backend("chunk_backend", backend, CHUNKERS)
    size = from_one(chunk_size, "chunk_size")
    section = f"chunk_backend_configs.{backend}."
    overlap = config.get("chunk_overlap", OVERLAP)
    if isinstance(overlap, bool) or not isinstance(overlap, int) or overlap < 0:
        raise ConfigError(Message("rag.chunk_overlap", overlap=overlap), parameter=f"{section}chunk_overlap")

    def least(name: str, default: int) -> int:
        return from_one(config.get(name, default), name, section=section)

    return ChunkSettings(
        backend=backend,
        tokenizer=tokenizer,
        chunk_size=size,
        chunk_overlap=overlap if overlap < size else size // 4,
        min_sentences_per_chunk=least("min_sentences_per_chunk", 1),
        min_characters_per_chunk=least("min_characters_per_chunk", _LEAST_PIECE),
        delimiters=_delimiters(config.get("delim"), section),
    )


def chunker(settings: ChunkSettings) -> Chunker:
    """Return the function that splits a text by these settings."""
    check_tokenizer(settings.tokenizer)
    tokenizer = _BUILT_IN.get(settings.tokenizer) or _encoding(settings.tokenizer)
    match settings.backend:
        case "token":
            step = settings.chunk_size - settings.chunk_overlap
            return lambda text: list(tokenizer.windows(text, settings.chunk_size, step))
        case "sentence":
            return lambda text: _by_sentences(text, tokenizer, settings)
    return lambda text: list(_recursively(text, tokenizer, settings, 0))


def split_at(text: str, delimiters: Sequence[str], least: int) -> list[str]:
    """Split a text after delimiters; a piece of less than `least` bytes of UTF-8 is joined to the piece before it."""
    pattern = "|".join(map(re.escape, delimiters))
    ends = [match.end() for match in re.finditer(pattern, text)] if delimiters else []
    borders = [0, *ends, *([len(text)] if not ends or ends[-1] < len(text) else [])]
    pieces: list[str] = []
    held, size = 0, 0  # the start of the piece that may still grow, and its bytes
    for start, end in pairwise(borders):
        added = len(text[start:end].encode("utf-8", "surrogatepass"))
        if added >= least and size >= least:
            pieces.append(text[held:start])
            held, size = start, 0
        size += added
    return [*pieces, text[held:]] if text else []


def _by_sentences(text: str, tokenizer: Tokenizer, settings: ChunkSettings) -> list[str]:
    sentences = split_at(text, settings.delimiters, _LEAST_SENTENCE)
    counts = [tokenizer.count(sentence) for sentence in sentences]
    chunks, start = [], 0
    while start < len(sentences):
        end = max(_end_of_chunk(counts, start, settings.chunk_size), start + settings.min_sentences_per_chunk)
        chunks.append("".join(sentences[start:end]))
        start = end if end >= len(sentences) else _next_start(counts, start, end, settings.chunk_overlap)
    return chunks


def _next_start(counts: Sequence[int], start: int, end: int, overlap: int) -> int:
    """Return the first sentence of the next chunk: as far back as the overlap allows, after the first of this one."""
    total, begin = 0, end
    while begin - 1 > start and total + counts[begin - 1] + 1 <= overlap:
        total += counts[begin - 1] + 1
        begin -= 1
    return begin


def _end_of_chunk(counts: Sequence[int], start: int, size: int) -> int:
    """Return the end of the sentences from `start` that fit into a chunk, at least one."""
    total, end = counts[start], start + 1
    while end < len(counts) and total + counts[end] <= size:
        total += counts[end]
        end += 1
    return end


def _recursively(text: str, tokenizer: Tokenizer, settings: ChunkSettings, level: int) -> Iterator[str]:
    """Yield pieces of this level, joined while they fit; a piece that is too long is split at the next level."""
    if level == len(_LEVELS):
        yield from tokenizer.windows(text, settings.chunk_size, settings.chunk_size)
        return
    pieces = split_at(text, _LEVELS[level], settings.min_characters_per_chunk)
    counts = [tokenizer.count(piece) for piece in pieces]
    totals = [0, *accumulate(counts)]
    start = 0
    while start < len(pieces):
        end = _end_of_chunk(counts, start, settings.chunk_size)
        joined = "".join(pieces[start:end])
        if totals[end] - totals[start] > settings.chunk_size:
            yield from _recursively(joined, tokenizer, settings, level + 1)
        else:
            yield joined
        start = end


def check_tokenizer(name: Any) -> None:
    """Raise an error for an unknown tokenizer; nothing is downloaded."""
    if not isinstance(name, str) or not name:
        message = Message("rag.tokenizer_must_be_text", name=name)
        raise ConfigError(message, hint=TOKENIZER_HINT, parameter="tokenizer_or_token_counter")
    if name not in _BUILT_IN:
        _tiktoken(name)


def _encoding(name: str) -> Tokenizer:
    """Return the tokenizer of an encoding of the library tiktoken."""
    try:
        encoding = _tiktoken(name).get_encoding(name)
    except (ImportError, OSError, ValueError) as error:  # the download failed
        message = Message("rag.tokenizer_cannot_load", name=name, value=error or type(error).__name__)
        raise ConfigError(message, hint=Message("rag.tokenizer_without_download_hint")) from None
    return Tokenizer(encoding.encode_ordinary, encoding.decode)


def _tiktoken(name: str) -> Any:
    """Return the library that has an encoding of this name."""
    try:
        tiktoken = importlib.import_module("tiktoken")
    except ImportError:
        if difflib.get_close_matches(name, _BUILT_IN):  # probably misspelt
            raise UnknownName.of(Message("words.tokenizer"), name, _BUILT_IN) from None
        raise ConfigError(Message("rag.tokenizer_needs_tiktoken", name=name), hint=TOKENIZER_HINT) from None
    known = tiktoken.list_encoding_names()
    if name not in known:
        raise UnknownName.of(Message("words.tokenizer"), name, (*_BUILT_IN, *known))
    return tiktoken


def _delimiters(given: Any, section: str) -> Sequence[str]:
    """Return a list of texts, or such a list written as text, as in UltraRAG's parameter file."""
    if given is None:
        return SENTENCE_ENDS
    value = _literal(given) if isinstance(given, str) else given
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list | tuple) or not listed or not all(isinstance(text, str) and text for text in listed):
        message = Message("rag.delimiters_must_be_texts", given=given)
        raise ConfigError(message, hint=DELIMITERS_HINT, parameter=f"{section}delim")
    return tuple(listed)


def _literal(text: str) -> Any:
    import ast

    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


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
    """Return the text with the lines of each paragraph joined, and paragraphs joined that a page break has split."""
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
    """Return the lines joined; a word that is hyphenated at the end of a line is joined too."""
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
    """Return whether the last line is a dash at the start of a sentence."""
    return pieces[-1] == "-" and (len(pieces) == 1 or (pieces[-2] == " " and _is_finished(pieces[-5:-2])))


def _is_finished(pieces: Sequence[str]) -> bool:
    """Return whether the last characters of the last paragraph end a sentence."""
    paragraph = "".join(pieces[-3:]).rpartition("\n\n")[2]
    return bool(_FINISHED.search(paragraph[-_TAIL:].rstrip()))


def _rows(
    files: Iterable[Path], problems: list[Problem], progress: ProgressCallback, *, alone: bool
) -> Iterator[dict[str, Any]]:
    listed = list(files)
    for done, path in enumerate(listed, 1):
        try:
            if format_suffix(path) not in KINDS:
                raise InputError(Message("rag.unknown_document_kind"), where=str(path), hint=KINDS_HINT)
            original, warnings = read_text(path)
            text = reflowed(original)
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
