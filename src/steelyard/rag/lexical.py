"""Lexical search: BM25 over terms, in an index that is read where it lies on disk."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from steelyard.errors import BadValue, ConfigError, MissingExtra
from steelyard.i18n import Message
from steelyard.progress import ProgressCallback
from steelyard.rag.adoption import ADOPTED, AdoptedLexical, adopt_lexical, adopted_lexical
from steelyard.rag.artifacts import DAMAGE, TERMS, Stamp, is_current, read_stamp, whole_folder
from steelyard.rag.corpus import Corpus
from steelyard.rag.ranking import NOTHING, Ranking, best
from steelyard.rag.terms import Way, terms, terms_of_all

K1: Final = 1.5
B: Final = 0.75
_NO_TERM: Final = ""  # stands in a passage without terms, so that its length is not 0; no question has it
_BACKEND: Final = {"backend": "numpy"}  # one that was saved by the backend numba is read without numba, too
BM25_HINT: Final = Message("rag.run_bm25_index_first")


@dataclass(frozen=True, slots=True)
class LexicalIndex:
    """Passages by their terms.

    Scores are those of BM25 as Lucene has it (Kamphuis and others 2020), k1 = 1.5 and b = 0.75, computed by bm25s.
    """

    engine: Any
    way: Way

    def search(self, query: str, top_k: int) -> Ranking:
        """The passages that share a term with the query; a term that the query says twice counts twice."""
        known = [term for term in terms(query, self.way) if term in self.engine.vocab_dict]
        return best(self.engine.get_scores(known), top_k) if known else NOTHING


def make_lexical(corpus: Corpus, path: Path, *, way: Way, overwrite: bool, progress: ProgressCallback) -> None:
    """Index a corpus into a folder, unless that has been done already."""
    if not overwrite and _is_current(corpus, path, way):
        return
    bm25s = _bm25s()
    rows = terms_of_all(corpus.texts, way, progress)
    with whole_folder(path, _stamp(corpus, way)) as folder:
        engine = bm25s.BM25(k1=K1, b=B, method="lucene")
        engine.index(_numbered(rows), show_progress=False)
        engine.save(folder, show_progress=False)


def open_lexical(corpus: Corpus, path: Path, *, way: Way) -> LexicalIndex | AdoptedLexical:
    """The index of this corpus, by a map of memory."""
    if not _is_current(corpus, path, way):
        raise ConfigError(Message("rag.no_index"), where=str(path), hint=BM25_HINT)
    engine, stamp = _engine(path), read_stamp(path) or {}
    if int(engine.scores["num_docs"]) != len(corpus):
        raise ConfigError(Message("rag.index_not_one_stamp_describes"), where=str(path), hint=TERMS.anew_hint)
    return adopted_lexical(engine, path, stamp) if ADOPTED in stamp else LexicalIndex(engine, way)


def take_lexical(corpus: Corpus, path: Path, *, lang: str, tokenizer: str) -> Message | None:
    """Adopt the index that UltraRAG has made of this corpus; what is said of it, None if there is nothing to adopt."""
    if not path.exists() or read_stamp(path) is not None:
        return None
    origin = {key: value for key, value in _stamp(corpus, "all").items() if key != "model"}
    return adopt_lexical(_engine(path), path, origin, lang=lang, tokenizer=tokenizer)


def _is_current(corpus: Corpus, path: Path, way: Way) -> bool:
    """Whether there is an index of this corpus; an adopted one is cut in a way of its own."""
    stamp = _stamp(corpus, way)
    if ADOPTED in (read_stamp(path) or {}):
        stamp = {key: value for key, value in stamp.items() if key != "model"}
    return is_current(path, stamp, TERMS)


def _engine(path: Path) -> Any:
    """What bm25s has kept in a folder; a damaged one is an error."""
    try:
        engine = _bm25s().BM25.load(path, mmap=True, show_progress=False, override_params=_BACKEND)
        _check_engine(engine)
    except (ImportError, *DAMAGE) as error:  # its parameters may name a package that is not there
        said = str(error) or type(error).__name__
        raise ConfigError(Message("rag.index_cannot_read", error=said), where=str(path), hint=TERMS.anew_hint) from None
    return engine


def _check_engine(engine: Any) -> None:
    """Complain of parts that do not fit together."""
    data, indices, starts = (engine.scores[name] for name in ("data", "indices", "indptr"))
    terms_known = max(engine.vocab_dict.values(), default=-1) + 1
    if not (data.ndim == indices.ndim == starts.ndim == 1 and len(data) == len(indices) == starts[-1]):
        raise BadValue(Message("rag.parts_do_not_fit"))
    if len(starts) < terms_known + 1 or starts[0] != 0 or (np.diff(starts) < 0).any():
        raise BadValue(Message("rag.parts_do_not_fit"))
    passages = int(engine.scores["num_docs"])
    if len(indices) and not (indices.min() >= 0 and indices.max() < passages):
        raise BadValue(Message("rag.names_passages_it_lacks"))
    engine.get_scores([next(iter(engine.vocab_dict))])  # what its parameters say shows here


def _numbered(rows: Sequence[Sequence[str]]) -> tuple[list[list[int]], dict[str, int]]:
    """Each row by the numbers of its terms, and these numbers; they follow from the rows alone."""
    numbers = {_NO_TERM: 0}
    numbered = [[numbers.setdefault(term, len(numbers)) for term in row or (_NO_TERM,)] for row in rows]
    return numbered, numbers


def _stamp(corpus: Corpus, way: Way) -> Stamp:
    return {"corpus": corpus.digest, "passages": len(corpus), "backend": "bm25", "model": f"bm25-1 {way}"}


def _bm25s() -> Any:
    try:
        import bm25s
    except ImportError:
        raise MissingExtra.of("bm25s", "rag", purpose=Message("words.searching_by_bm25")) from None
    return bm25s
