"""Chunking of texts: by tokens, by sentences, or recursively by paragraphs, sentences, clauses and words.

The rules are those of chonkie's TokenChunker, SentenceChunker and RecursiveChunker, which UltraRAG uses. With the
tokenizers `character` and `word` the chunks are the same, except that the recursive one knows Chinese punctuation too.
"""

import difflib
import importlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, Final, Protocol

from steelyard.errors import ConfigError, UnknownName
from steelyard.i18n import Message
from steelyard.rag.choices import CHUNKERS, check_backend, from_one

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


class Tokenizer(Protocol):
    """Counts the tokens of a text, and splits a text at tokens."""

    def count(self, text: str) -> int:
        """The number of tokens of a text."""

    def windows(self, text: str, size: int, step: int) -> Iterator[str]:
        """Texts of `size` tokens, each `step` tokens after the one before it; the last ends with the text."""


class Characters:
    """Every character is a token."""

    def count(self, text: str) -> int:
        """The number of characters of a text."""
        return len(text)

    def windows(self, text: str, size: int, step: int) -> Iterator[str]:
        """Texts of so many characters."""
        return (text[start:end] for start, end in _windows(len(text), size, step))


class Words:
    """Words are separated by spaces; a text without spaces is one word."""

    def count(self, text: str) -> int:
        """The number of words of a text."""
        return text.count(" ") + 1

    def windows(self, text: str, size: int, step: int) -> Iterator[str]:
        """Texts of so many words."""
        words = text.split(" ")
        return (" ".join(words[start:end]) for start, end in _windows(len(words), size, step))


_BUILT_IN: Final[Mapping[str, Callable[[], Tokenizer]]] = {"character": Characters, "word": Words}


class Encoding:
    """Tokens of an encoding of the library tiktoken, by its name."""

    def __init__(self, name: str) -> None:
        tiktoken = _tiktoken(name)
        try:
            self._encoding = tiktoken.get_encoding(name)
        except (
            ImportError,
            OSError,
            ValueError,
        ) as error:  # the download failed
            message = Message("rag.tokenizer_cannot_load", name=name, value=error or type(error).__name__)
            raise ConfigError(message, hint=Message("rag.tokenizer_without_download_hint")) from None

    def count(self, text: str) -> int:
        """The number of tokens of a text."""
        return len(self._encoding.encode_ordinary(text))

    def windows(self, text: str, size: int, step: int) -> Iterator[str]:
        """Texts of so many tokens."""
        tokens = self._encoding.encode_ordinary(text)
        return (self._encoding.decode(tokens[start:end]) for start, end in _windows(len(tokens), size, step))


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
    """Settings from UltraRAG's parameters; an overlap as large as a chunk or larger becomes a quarter of it."""
    check_backend("chunk_backend", backend, CHUNKERS)
    size = from_one(chunk_size, "chunk_size")
    section = f"chunk_backend_configs.{backend}."
    overlap = config.get("chunk_overlap", OVERLAP)
    if isinstance(overlap, bool) or not isinstance(overlap, int) or overlap < 0:
        raise ConfigError(Message("rag.chunk_overlap", overlap=overlap), parameter=f"{section}chunk_overlap")
    return ChunkSettings(
        backend=backend,
        tokenizer=tokenizer,
        chunk_size=size,
        chunk_overlap=overlap if overlap < size else size // 4,
        min_sentences_per_chunk=from_one(
            config.get("min_sentences_per_chunk", 1), "min_sentences_per_chunk", section=section
        ),
        min_characters_per_chunk=from_one(
            config.get("min_characters_per_chunk", _LEAST_PIECE), "min_characters_per_chunk", section=section
        ),
        delimiters=_delimiters(config.get("delim"), section),
    )


def chunker(settings: ChunkSettings) -> Chunker:
    """The function that splits a text by these settings."""
    tokenizer = _tokenizer(settings.tokenizer)
    match settings.backend:
        case "token":
            step = settings.chunk_size - settings.chunk_overlap
            return lambda text: list(tokenizer.windows(text, settings.chunk_size, step))
        case "sentence":
            return lambda text: _by_sentences(text, tokenizer, settings)
    return lambda text: list(_recursively(text, tokenizer, settings, 0))


def split_at(text: str, delimiters: Sequence[str], least: int) -> list[str]:
    """Pieces that end with a delimiter; one of less than `least` bytes of UTF-8 is joined to the piece before it."""
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
    """The first sentence of the next chunk: as far back as the overlap allows, but after the first of this chunk."""
    total, begin = 0, end
    while begin - 1 > start and total + counts[begin - 1] + 1 <= overlap:
        total += counts[begin - 1] + 1
        begin -= 1
    return begin


def _end_of_chunk(counts: Sequence[int], start: int, size: int) -> int:
    """The end of the sentences from `start` that fit into a chunk, at least one."""
    total, end = counts[start], start + 1
    while end < len(counts) and total + counts[end] <= size:
        total += counts[end]
        end += 1
    return end


def _recursively(text: str, tokenizer: Tokenizer, settings: ChunkSettings, level: int) -> Iterator[str]:
    """Pieces of this level, joined while they fit; a piece that is too long is split at the next level."""
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


def _windows(total: int, size: int, step: int) -> Iterator[tuple[int, int]]:
    for start in range(0, total, step):
        yield start, start + size
        if start + size >= total:
            return


def check_tokenizer(name: Any) -> None:
    """Raise an error for an unknown tokenizer; nothing is downloaded."""
    if not isinstance(name, str) or not name:
        message = Message("rag.tokenizer_must_be_text", name=name)
        raise ConfigError(message, hint=TOKENIZER_HINT, parameter="tokenizer_or_token_counter")
    if name not in _BUILT_IN:
        _tiktoken(name)


def _tokenizer(name: Any) -> Tokenizer:
    check_tokenizer(name)
    return _BUILT_IN[name]() if name in _BUILT_IN else Encoding(name)


def _tiktoken(name: str) -> Any:
    """The library that has an encoding of this name."""
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
    """A list of texts, or such a list written as text, as in UltraRAG's parameter file."""
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
