"""A corpus, its BM25 indexes, made and searched by the library bm25s, and files of UltraRAG that are adopted.

Passages have ids, in the format of UltraRAG (`id`, `contents`) or BEIR (`_id`, `title`, `text`).

The files of UltraRAG do not say from which corpus and by which model they were made. Only their number of passages can
be checked; their stamp has the mark `adopted`. The files themselves are not changed.
"""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from steelyard.errors import BadValue, ConfigError, InputError, MissingExtra, Problem
from steelyard.i18n import Message
from steelyard.io.records import read_records
from steelyard.progress import ProgressCallback
from steelyard.search.artifacts import (
    DAMAGE,
    TERMS_HINT,
    VECTORS_HINT,
    Stamp,
    digest_of,
    error_reason,
    is_current,
    read_stamp,
    whole_folder,
    write_stamp,
)
from steelyard.search.terms import K1, NOTHING, B, Ranking, Way, best, terms, terms_of_all
from steelyard.search.vectors import load_vectors, read_dense

CORPUS_HINT: Final = Message("rag.corpus_hint")
ADOPTED: Final = "adopted"
BACKEND_HINT: Final = Message("rag.adopt_backend_hint")
BM25_HINT: Final = Message("rag.bm25_index_hint")

_WORDS: Final = re.compile(r"(?u)\b\w\w+\b")
_CHINESE: Final = ("zh", "zh-cn", "zh-hans", "zh-hant", "zh-tw", "cn", "chinese")
_NO_TERM: Final = ""  # in a passage without terms, so that its length is not 0; no query contains it
_BACKEND: Final = {"backend": "numpy"}  # an index that was saved with the backend numba is read without numba


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
    """Return the passages of a file: JSONL, JSON, CSV, TSV or parquet; each must have text and an id."""
    records, digest = read_records(Path(path))
    if not records:
        raise InputError(Message("rag.no_passages"), where=str(path), hint=CORPUS_HINT)
    ids, texts = [_id(row.fields) for row in records], [_text(row.fields) for row in records]
    problems = [
        Problem(record.where, Message("rag.passage_without_text" if id else "rag.passage_without_id"))
        for record, id, text in zip(records, ids, texts, strict=True)
        if not id or not text.strip()
    ]
    if problems:
        raise InputError.of(problems, hint=CORPUS_HINT)
    return Corpus(str(path), tuple(ids), tuple(texts), digest)


def _id(fields: Mapping[str, Any]) -> str:
    """Return the id as text; an integer is allowed."""
    value = fields.get("id", fields.get("_id"))
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if is_number or isinstance(value, str) else ""


def _text(fields: Mapping[str, Any]) -> str:
    """Return the contents, or the title and the text of a BEIR row."""
    if "contents" in fields:
        return _text_or_empty(fields["contents"])
    parts = (_text_or_empty(fields.get("title")), _text_or_empty(fields.get("text")))
    return "\n".join(part for part in parts if part.strip())


def _text_or_empty(value: Any) -> str:
    return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class LexicalIndex:
    """An index of bm25s over the terms that `split` gives, for passages and queries alike.

    Ours is BM25 as Lucene has it (Kamphuis and others 2020), k1 = 1.5 and b = 0.75; an adopted one has the tokens of
    one of UltraRAG's tokenizers.
    """

    engine: Any
    split: Callable[[str], Sequence[str]]

    def search(self, query: str, top_k: int) -> Ranking:
        """Return the best passages that share a term with the query; a repeated term of the query counts repeatedly."""
        known = [term for term in self.split(query) if term in self.engine.vocab_dict]
        return best(self.engine.get_scores(known), top_k) if known else NOTHING


def make_lexical(corpus: Corpus, path: Path, *, way: Way, overwrite: bool, progress: ProgressCallback) -> None:
    """Index a corpus into a folder, unless there is an index of it already."""
    if not overwrite and _is_current(corpus, path, way):
        return
    engine, rows = new_engine(), terms_of_all(corpus.texts, way, progress)
    with whole_folder(path, _stamp(corpus, way)) as folder:
        write_engine(engine, rows, folder)


def open_lexical(corpus: Corpus, path: Path, *, way: Way) -> LexicalIndex:
    """Return the index of this corpus, mapped into memory."""
    if not _is_current(corpus, path, way):
        raise ConfigError(Message("rag.no_index"), where=str(path), hint=BM25_HINT)
    engine, stamp = load_engine(path), read_stamp(path) or {}
    if int(engine.scores["num_docs"]) != len(corpus):
        raise _differs_from_stamp(path)
    if ADOPTED not in stamp:
        return LexicalIndex(engine, partial(terms, way=way))
    splitter = _SPLITTERS.get(str(stamp.get("model")))
    if splitter is None:
        raise _differs_from_stamp(path)
    stopwords = _stopwords(path / "stopwords.tokenizer.json")
    return LexicalIndex(engine, lambda query: [token for token in splitter(query.lower()) if token not in stopwords])


def adopt_lexical(corpus: Corpus, path: Path, *, lang: str, tokenizer: str) -> Message | None:
    """Stamp a bm25s index of UltraRAG and return the notice about it; None if there is none without a stamp."""
    if not path.exists() or read_stamp(path) is not None:
        return None
    engine, origin = load_engine(path), _without_model(_stamp(corpus, "all"))
    _check_passages(int(engine.scores["num_docs"]), origin, path, TERMS_HINT)
    splitter = _splitter_of(lang, tokenizer, engine.vocab_dict)
    write_stamp(path, {**origin, "model": splitter, ADOPTED: 1})
    return _notice(path, origin, Message("rag.terms_by", splitter=splitter))


def adopt_embeddings(path: Path, origin: Stamp) -> Message:
    """Stamp a file of embeddings and return the notice about it."""
    vectors = load_vectors(path)
    _check_passages(len(vectors), origin, path, VECTORS_HINT)
    sizes = {"dimensions": vectors.shape[1], "embeddings": digest_of(path)}
    write_stamp(path, {**origin, **sizes, ADOPTED: 1})
    return _notice(path, origin, Message("rag.vectors_of_dimensions", dimensions=vectors.shape[1]))


def adopt_dense(path: Path, origin: Stamp) -> Message:
    """Stamp a faiss index, whose passages are numbered as in the corpus, and return the notice about it."""
    index = read_dense(path)
    _check_passages(index.ntotal, origin, path, VECTORS_HINT)
    write_stamp(path, {**origin, "dimensions": index.d, ADOPTED: 1})
    return _notice(path, origin, Message("rag.vectors_of_dimensions", dimensions=index.d))


def _is_current(corpus: Corpus, path: Path, way: Way) -> bool:
    """Return whether there is an index of this corpus; the terms of an adopted one are not compared."""
    stamp = _stamp(corpus, way)
    return is_current(path, _without_model(stamp) if ADOPTED in (read_stamp(path) or {}) else stamp, TERMS_HINT)


def _stamp(corpus: Corpus, way: Way) -> Stamp:
    return {"corpus": corpus.digest, "passages": len(corpus), "backend": "bm25", "model": f"bm25-1 {way}"}


def _without_model(stamp: Stamp) -> Stamp:
    return {name: value for name, value in stamp.items() if name != "model"}


def _differs_from_stamp(path: Path) -> ConfigError:
    return ConfigError(Message("search.index_differs_from_stamp"), where=str(path), hint=TERMS_HINT)


def _check_passages(number: int, origin: Stamp, path: Path, anew: Message) -> None:
    if number != origin["passages"]:
        message = Message("rag.other_number_of_passages", found=number, origin=origin["passages"])
        raise ConfigError(message, where=str(path), hint=anew)


def _notice(path: Path, origin: Stamp, what: Message) -> Message:
    return Message("rag.adopted", path=path, origin=origin["passages"], what=what)


def _splitter_of(lang: str, tokenizer: str, vocabulary: Collection[str]) -> str:
    """Return the tokenizer that UltraRAG used; without jieba it splits Chinese into characters."""
    mode = tokenizer.strip().lower()
    if mode in ("default", "regex"):
        return "regex"
    if mode in ("character", "char") or not any(len(token) > 1 for token in vocabulary):
        return "character"
    return "jieba" if lang.strip().lower() in _CHINESE else "regex"


def _stopwords(path: Path) -> frozenset[str]:
    try:
        words = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    except (OSError, ValueError, RecursionError) as error:
        message = Message("search.index_unreadable", error=error)
        raise ConfigError(message, where=str(path), hint=TERMS_HINT) from None
    return frozenset(word for word in words if isinstance(word, str)) if isinstance(words, list) else frozenset()


def _jieba(text: str) -> list[str]:
    import rjieba

    return [token.strip() for token in rjieba.cut_for_search(text) if token.strip()]


_SPLITTERS: Final[dict[str, Callable[[str], Sequence[str]]]] = {
    "regex": _WORDS.findall,
    "jieba": _jieba,
    "character": lambda text: [character for character in text if character.strip()],
}


def new_engine() -> Any:
    """Return an empty index."""
    return _bm25s().BM25(k1=K1, b=B, method="lucene")


def write_engine(engine: Any, rows: Sequence[Sequence[str]], folder: Path) -> None:
    """Index passages, given by their terms, into a folder."""
    numbers = {_NO_TERM: 0}  # of terms, in order of first appearance
    numbered = [[numbers.setdefault(term, len(numbers)) for term in row or (_NO_TERM,)] for row in rows]
    engine.index((numbered, numbers), show_progress=False)
    engine.save(folder, show_progress=False)


def load_engine(path: Path) -> Any:
    """Return the index in a folder, mapped into memory; a damaged one is an error."""
    try:
        engine = _bm25s().BM25.load(path, mmap=True, show_progress=False, override_params=_BACKEND)
        _check_engine(engine)
    except (ImportError, *DAMAGE) as error:  # its parameters may name a package that is not installed
        message = Message("search.index_unreadable", error=error_reason(error))
        raise ConfigError(message, where=str(path), hint=TERMS_HINT) from None
    return engine


def _check_engine(engine: Any) -> None:
    """Raise an error if the arrays of an index do not fit together."""
    data, indices, starts = (engine.scores[name] for name in ("data", "indices", "indptr"))
    known = max(engine.vocab_dict.values(), default=-1) + 1
    if not (data.ndim == indices.ndim == starts.ndim == 1 and len(data) == len(indices) == starts[-1]):
        raise BadValue(Message("search.parts_do_not_fit"))
    if len(starts) < known + 1 or starts[0] != 0 or (np.diff(starts) < 0).any():
        raise BadValue(Message("search.parts_do_not_fit"))
    passages = int(engine.scores["num_docs"])
    if len(indices) and not (indices.min() >= 0 and indices.max() < passages):
        raise BadValue(Message("search.unknown_passages"))
    engine.get_scores([next(iter(engine.vocab_dict))])  # bad parameters raise here


def _bm25s() -> Any:
    try:
        import bm25s
    except ImportError:
        raise MissingExtra.of("bm25s", "rag", purpose=Message("words.searching_by_bm25")) from None
    return bm25s
