"""Indexes of a corpus: BM25 indexes that are made and opened, and files of UltraRAG that are adopted.

The files of UltraRAG do not say from which corpus and by which model they were made. Only their number of passages can
be checked; their stamp has the mark `adopted`. The files themselves are not changed.
"""

import json
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from steelyard.errors import ConfigError
from steelyard.i18n import Message
from steelyard.progress import ProgressCallback
from steelyard.rag.corpus import Corpus
from steelyard.search.artifacts import (
    TERMS,
    VECTORS,
    Kind,
    Stamp,
    digest_of,
    is_current,
    read_stamp,
    whole_folder,
    write_stamp,
)
from steelyard.search.dense import load_vectors, read_dense
from steelyard.search.lexical import LexicalIndex, load_engine, new_engine, write_engine
from steelyard.search.ranking import NOTHING, Ranking, best
from steelyard.search.terms import Way, terms_of_all

ADOPTED: Final = "adopted"
BACKEND_HINT: Final = Message("rag.adopt_backend_hint")
BM25_HINT: Final = Message("rag.bm25_index_hint")

Splitter = Literal["regex", "jieba", "character"]
_WORDS: Final = re.compile(r"(?u)\b\w\w+\b")
_CHINESE: Final = ("zh", "zh-cn", "zh-hans", "zh-hant", "zh-tw", "cn", "chinese")


@dataclass(frozen=True, slots=True)
class AdoptedLexical:
    """A bm25s index over the tokens of one of UltraRAG's tokenizers, which is used for queries too."""

    engine: Any
    splitter: Splitter
    stopwords: Collection[str]

    def search(self, query: str, top_k: int) -> Ranking:
        """The best passages that share a token with the query."""
        tokens = (token for token in _SPLITTERS[self.splitter](query.lower()) if token not in self.stopwords)
        known = [token for token in tokens if token in self.engine.vocab_dict]
        return best(self.engine.get_scores(known), top_k) if known else NOTHING


def make_lexical(corpus: Corpus, path: Path, *, way: Way, overwrite: bool, progress: ProgressCallback) -> None:
    """Index a corpus into a folder, unless there is an index of it already."""
    if not overwrite and _is_current(corpus, path, way):
        return
    engine, rows = new_engine(), terms_of_all(corpus.texts, way, progress)
    with whole_folder(path, _stamp(corpus, way)) as folder:
        write_engine(engine, rows, folder)


def open_lexical(corpus: Corpus, path: Path, *, way: Way) -> LexicalIndex | AdoptedLexical:
    """The index of this corpus, mapped into memory."""
    if not _is_current(corpus, path, way):
        raise ConfigError(Message("rag.no_index"), where=str(path), hint=BM25_HINT)
    engine, stamp = load_engine(path), read_stamp(path) or {}
    if int(engine.scores["num_docs"]) != len(corpus):
        raise _differs_from_stamp(path)
    return _adopted_lexical(engine, path, stamp) if ADOPTED in stamp else LexicalIndex(engine, way)


def adopt_lexical(corpus: Corpus, path: Path, *, lang: str, tokenizer: str) -> Message | None:
    """Stamp a bm25s index of UltraRAG and return the notice about it; None if there is none without a stamp."""
    if not path.exists() or read_stamp(path) is not None:
        return None
    engine, origin = load_engine(path), _without_model(_stamp(corpus, "all"))
    _check_passages(int(engine.scores["num_docs"]), origin, path, TERMS)
    splitter = _splitter_of(lang, tokenizer, engine.vocab_dict)
    write_stamp(path, {**origin, "model": splitter, ADOPTED: 1})
    return _notice(path, origin, Message("rag.terms_by", splitter=splitter))


def adopt_embeddings(path: Path, origin: Stamp) -> Message:
    """Stamp a file of embeddings and return the notice about it."""
    vectors = load_vectors(path)
    _check_passages(len(vectors), origin, path, VECTORS)
    sizes = {"dimensions": vectors.shape[1], "embeddings": digest_of(path)}
    write_stamp(path, {**origin, **sizes, ADOPTED: 1})
    return _notice(path, origin, Message("rag.vectors_of_dimensions", dimensions=vectors.shape[1]))


def adopt_dense(path: Path, origin: Stamp) -> Message:
    """Stamp a faiss index, whose passages are numbered as in the corpus, and return the notice about it."""
    index = read_dense(path)
    _check_passages(index.ntotal, origin, path, VECTORS)
    write_stamp(path, {**origin, "dimensions": index.d, ADOPTED: 1})
    return _notice(path, origin, Message("rag.vectors_of_dimensions", dimensions=index.d))


def _is_current(corpus: Corpus, path: Path, way: Way) -> bool:
    """Whether there is an index of this corpus; the terms of an adopted one are not compared."""
    stamp = _stamp(corpus, way)
    return is_current(path, _without_model(stamp) if ADOPTED in (read_stamp(path) or {}) else stamp, TERMS)


def _stamp(corpus: Corpus, way: Way) -> Stamp:
    return {"corpus": corpus.digest, "passages": len(corpus), "backend": "bm25", "model": f"bm25-1 {way}"}


def _without_model(stamp: Stamp) -> Stamp:
    return {name: value for name, value in stamp.items() if name != "model"}


def _adopted_lexical(engine: Any, path: Path, stamp: Stamp) -> AdoptedLexical:
    splitter = next((name for name in _SPLITTERS if name == stamp.get("model")), None)
    if splitter is None:
        raise _differs_from_stamp(path)
    return AdoptedLexical(engine, splitter, _stopwords(path / "stopwords.tokenizer.json"))


def _differs_from_stamp(path: Path) -> ConfigError:
    return ConfigError(Message("search.index_differs_from_stamp"), where=str(path), hint=TERMS.anew_hint)


def _check_passages(number: int, origin: Stamp, path: Path, kind: Kind) -> None:
    if number != origin["passages"]:
        message = Message("rag.other_number_of_passages", found=number, origin=origin["passages"])
        raise ConfigError(message, where=str(path), hint=kind.anew_hint)


def _notice(path: Path, origin: Stamp, what: Message) -> Message:
    return Message("rag.adopted", path=path, origin=origin["passages"], what=what)


def _splitter_of(lang: str, tokenizer: str, vocabulary: Collection[str]) -> Splitter:
    """The tokenizer that UltraRAG used; without jieba it splits Chinese into characters."""
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
        raise ConfigError(message, where=str(path), hint=TERMS.anew_hint) from None
    return frozenset(word for word in words if isinstance(word, str)) if isinstance(words, list) else frozenset()


def _jieba(text: str) -> list[str]:
    import rjieba

    return [token.strip() for token in rjieba.cut_for_search(text) if token.strip()]


_SPLITTERS: Final[dict[Splitter, Callable[[str], Sequence[str]]]] = {
    "regex": _WORDS.findall,
    "jieba": _jieba,
    "character": lambda text: [character for character in text if character.strip()],
}
