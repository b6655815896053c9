"""Chunks of a text: by tokens, by sentences, or recursively by paragraphs, sentences, clauses and words.

The rules are those of chonkie's TokenChunker, SentenceChunker and RecursiveChunker, which UltraRAG uses, and the chunks
are the same with the tokenizers `character` and `word`; only the recursive one knows Chinese punctuation besides.
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
"""What ends a sentence where the settings name nothing."""

OVERLAP: Final = 64
_LEAST_SENTENCE: Final = 12  # bytes of UTF-8; a shorter one belongs to the sentence before it
_LEAST_PIECE: Final = 50  # bytes of UTF-8, of the recursive backend
_PARAGRAPHS: Final = ("\n\n", "\r\n", "\n", "\r")
_SENTENCES: Final = (". ", "! ", "? ", "。”", "！”", "？”", "。", "！", "？", "；")
_CLAUSES: Final = (*'{}"[]<>():;,—|~-', "...", "`", "'", *"，、：（）《》")
_LEVELS: Final = (_PARAGRAPHS, _SENTENCES, _CLAUSES, (" ",))

DELIMITERS_HINT: Final = Message("rag.delimiters_hint")
TOKENIZER_HINT: Final = Message("rag.tokenizer_hint")

Chunker = Callable[[str], list[str]]


class Tokenizer(Protocol):
    """Counts the tokens of a text, and cuts a text at tokens."""

    def count(self, text: str) -> int:
        """How many tokens a text has."""

    def windows(self, text: str, size: int, step: int) -> Iterator[str]:
        """Texts of `size` tokens, each `step` tokens after the one before it; the last ends with the text."""


class Characters:
    """Every character is a token."""

    def count(self, text: str) -> int:
        """How many characters a text has."""
        return len(text)

    def windows(self, text: str, size: int, step: int) -> Iterator[str]:
        """Texts of so many characters."""
        return (text[start:end] for start, end in _windows(len(text), size, step))


class Words:
    """Words are what stands between blanks; a text without blanks is one word."""

    def count(self, text: str) -> int:
        """How many words a text has."""
        return text.count(" ") + 1

    def windows(self, text: str, size: int, step: int) -> Iterator[str]:
        """Texts of so many words."""
        words = text.split(" ")
        return (" ".join(words[start:end]) for start, end in _windows(len(words), size, step))


_OWN: Final[Mapping[str, Callable[[], Tokenizer]]] = {"character": Characters, "word": Words}


class Encoding:
    """Tokens of an encoding of the library tiktoken, by its name."""

    def __init__(self, name: str) -> None:
        tiktoken = _tiktoken(name)
        try:
            self._encoding = tiktoken.get_encoding(name)
        except (ImportError, OSError, ValueError) as error:  # what a download needs is missing, it failed, is damaged
            message = Message("rag.tokenizer_cannot_load", name=name, value=error or type(error).__name__)
            raise ConfigError(message, hint=Message("rag.tokenizer_without_download_hint")) from None

    def count(self, text: str) -> int:
        """How many tokens a text has."""
        return len(self._encoding.encode_ordinary(text))

    def windows(self, text: str, size: int, step: int) -> Iterator[str]:
        """Texts of so many tokens."""
        tokens = self._encoding.encode_ordinary(text)
        return (self._encoding.decode(tokens[start:end]) for start, end in _windows(len(tokens), size, step))


@dataclass(frozen=True, slots=True)
class ChunkSettings:
    """What a chunker is made from; the names are those of UltraRAG."""

    backend: str = "token"
    tokenizer: str = "character"
    chunk_size: int = 256
    chunk_overlap: int = OVERLAP
    min_sentences_per_chunk: int = 1
    min_characters_per_chunk: int = _LEAST_PIECE
    delimiters: Sequence[str] = SENTENCE_ENDS


def chunk_settings(backend: str, tokenizer: str, chunk_size: int, config: Mapping[str, Any]) -> ChunkSettings:
    """Settings as UltraRAG's parameters say them; an overlap not smaller than a chunk becomes a quarter of it."""
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
    """The function that cuts a text as the settings say."""
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
    held, size = 0, 0  # where the piece begins that may still grow, and its bytes
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
        end = max(_reach(counts, start, settings.chunk_size), start + settings.min_sentences_per_chunk)
        chunks.append("".join(sentences[start:end]))
        start = end if end >= len(sentences) else _begin_again(counts, start, end, settings.chunk_overlap)
    return chunks


def _begin_again(counts: Sequence[int], start: int, end: int, overlap: int) -> int:
    """Where the next chunk begins: as many sentences back as fit into the overlap, after the one that began this."""
    total, begin = 0, end
    while begin - 1 > start and total + counts[begin - 1] + 1 <= overlap:
        total += counts[begin - 1] + 1
        begin -= 1
    return begin


def _reach(counts: Sequence[int], start: int, size: int) -> int:
    """The end of the sentences from `start` on that fit into a chunk; at least one does."""
    total, end = counts[start], start + 1
    while end < len(counts) and total + counts[end] <= size:
        total += counts[end]
        end += 1
    return end


def _recursively(text: str, tokenizer: Tokenizer, settings: ChunkSettings, level: int) -> Iterator[str]:
    """Pieces of this level, joined while they fit; what does not fit alone is cut at the next level."""
    if level == len(_LEVELS):
        yield from tokenizer.windows(text, settings.chunk_size, settings.chunk_size)
        return
    pieces = split_at(text, _LEVELS[level], settings.min_characters_per_chunk)
    counts = [tokenizer.count(piece) for piece in pieces]
    totals = [0, *accumulate(counts)]
    start = 0
    while start < len(pieces):
        end = _reach(counts, start, settings.chunk_size)
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
    """Refuse a tokenizer that nobody knows, before anything is downloaded."""
    if not isinstance(name, str) or not name:
        message = Message("rag.tokenizer_must_be_text", name=name)
        raise ConfigError(message, hint=TOKENIZER_HINT, parameter="tokenizer_or_token_counter")
    if name not in _OWN:
        _tiktoken(name)


def _tokenizer(name: Any) -> Tokenizer:
    check_tokenizer(name)
    return _OWN[name]() if name in _OWN else Encoding(name)


def _tiktoken(name: str) -> Any:
    """The library that has an encoding of this name."""
    try:
        tiktoken = importlib.import_module("tiktoken")
    except ImportError:
        if difflib.get_close_matches(name, _OWN):  # a slip
            raise UnknownName.of(Message("words.tokenizer"), name, _OWN) from None
        raise ConfigError(Message("rag.tokenizer_needs_tiktoken", name=name), hint=TOKENIZER_HINT) from None
    known = tiktoken.list_encoding_names()
    if name not in known:
        raise UnknownName.of(Message("words.tokenizer"), name, (*_OWN, *known))
    return tiktoken


def _delimiters(given: Any, section: str) -> Sequence[str]:
    """A list of texts, or such a list as text, as UltraRAG's parameter file has it."""
    if given is None:
        return SENTENCE_ENDS
    found = _literal(given) if isinstance(given, str) else given
    listed = [found] if isinstance(found, str) else found
    if not isinstance(listed, list | tuple) or not listed or not all(isinstance(each, str) and each for each in listed):
        message = Message("rag.delimiters_must_be_texts", given=given)
        raise ConfigError(message, hint=DELIMITERS_HINT, parameter=f"{section}delim")
    return tuple(listed)


def _literal(text: str) -> Any:
    import ast

    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
