"""Embeddings and indexes that UltraRAG has made: checked against the corpus, and given a stamp.

Nothing in such files says from which corpus and by which model they were made. What can be checked is how many passages
they have, and that is checked; the stamp says `adopted`. The files themselves stay as they are.
"""

import json
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from steelyard.errors import ConfigError
from steelyard.i18n import Message
from steelyard.rag.artifacts import TERMS, VECTORS, Kind, Stamp, digest_of, write_stamp
from steelyard.rag.dense import read_dense
from steelyard.rag.ranking import NOTHING, Ranking, best
from steelyard.rag.vectors import load_vectors

ADOPTED: Final = "adopted"
BACKEND_HINT: Final = Message("rag.set_backend_model_name_path")

Splitter = Literal["regex", "jieba", "character"]
_WORDS: Final = re.compile(r"(?u)\b\w\w+\b")
_CHINESE: Final = ("zh", "zh-cn", "zh-hans", "zh-hant", "zh-tw", "cn", "chinese")


@dataclass(frozen=True, slots=True)
class AdoptedLexical:
    """An index of bm25s over the tokens of UltraRAG's tokenizer, which queries are cut by, too."""

    engine: Any
    splitter: Splitter
    stopwords: Collection[str]

    def search(self, query: str, top_k: int) -> Ranking:
        """The passages that share a token with the query."""
        tokens = (token for token in _SPLITTERS[self.splitter](query.lower()) if token not in self.stopwords)
        known = [token for token in tokens if token in self.engine.vocab_dict]
        return best(self.engine.get_scores(known), top_k) if known else NOTHING


def adopt_embeddings(path: Path, origin: Stamp) -> Message:
    """Stamp a file of embeddings; what is said of it."""
    vectors = load_vectors(path)
    _check_passages(len(vectors), origin, path, VECTORS)
    sizes = {"dimensions": vectors.shape[1], "embeddings": digest_of(path)}
    write_stamp(path, {**origin, **sizes, ADOPTED: 1})
    return _notice(path, origin, Message("rag.vectors_of_dimensions", dimensions=vectors.shape[1]))


def adopt_dense(path: Path, origin: Stamp) -> Message:
    """Stamp an index of faiss, in which passages are numbered as in the corpus; what is said of it."""
    index = read_dense(path)
    _check_passages(index.ntotal, origin, path, VECTORS)
    write_stamp(path, {**origin, "dimensions": index.d, ADOPTED: 1})
    return _notice(path, origin, Message("rag.vectors_of_dimensions", dimensions=index.d))


def adopt_lexical(engine: Any, path: Path, origin: Stamp, *, lang: str, tokenizer: str) -> Message:
    """Stamp an index of bm25s; what is said of it."""
    _check_passages(int(engine.scores["num_docs"]), origin, path, TERMS)
    splitter = _splitter_of(lang, tokenizer, engine.vocab_dict)
    write_stamp(path, {**origin, "model": splitter, ADOPTED: 1})
    return _notice(path, origin, Message("rag.terms_by", splitter=splitter))


def adopted_lexical(engine: Any, path: Path, stamp: Stamp) -> AdoptedLexical:
    """The index as it was adopted, with the stop words beside it."""
    splitter = next((name for name in _SPLITTERS if name == stamp.get("model")), None)
    if splitter is None:
        raise ConfigError(Message("rag.index_not_one_stamp_describes"), where=str(path), hint=TERMS.anew_hint)
    return AdoptedLexical(engine, splitter, _stopwords(path / "stopwords.tokenizer.json"))


def _check_passages(found: int, origin: Stamp, path: Path, kind: Kind) -> None:
    if found != origin["passages"]:
        message = Message("rag.passages_corpus_made_from_something", found=found, origin=origin["passages"])
        raise ConfigError(message, where=str(path), hint=kind.anew_hint)


def _notice(path: Path, origin: Stamp, what: Message) -> Message:
    return Message("rag.adopted_passages_whether_made_from", path=path, origin=origin["passages"], what=what)


def _splitter_of(lang: str, tokenizer: str, vocabulary: Collection[str]) -> Splitter:
    """The way in which UltraRAG cut the texts; without jieba it cuts Chinese into characters."""
    mode = tokenizer.strip().lower()
    if mode in ("default", "regex"):
        return "regex"
    if mode in ("character", "char") or not any(len(token) > 1 for token in vocabulary):
        return "character"
    return "jieba" if lang.strip().lower() in _CHINESE else "regex"


def _stopwords(path: Path) -> frozenset[str]:
    try:
        found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(
            Message("rag.index_cannot_read", error=error), where=str(path), hint=TERMS.anew_hint
        ) from None
    return frozenset(word for word in found if isinstance(word, str)) if isinstance(found, list) else frozenset()


def _jieba(text: str) -> list[str]:
    import rjieba

    return [token.strip() for token in rjieba.cut_for_search(text) if token.strip()]


_SPLITTERS: Final[dict[Splitter, Callable[[str], Sequence[str]]]] = {
    "regex": _WORDS.findall,
    "jieba": _jieba,
    "character": lambda text: [character for character in text if character.strip()],
}
