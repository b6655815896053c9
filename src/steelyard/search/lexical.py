"""Lexical search: BM25 indexes of the library bm25s, which are mapped into memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from steelyard.errors import BadValue, ConfigError, MissingExtra
from steelyard.i18n import Message
from steelyard.search.artifacts import DAMAGE, TERMS, error_reason
from steelyard.search.bm25 import K1, B
from steelyard.search.ranking import NOTHING, Ranking, best
from steelyard.search.terms import Way, terms

_NO_TERM: Final = ""  # in a passage without terms, so that its length is not 0; no query contains it
_BACKEND: Final = {"backend": "numpy"}  # an index that was saved with the backend numba is read without numba


@dataclass(frozen=True, slots=True)
class LexicalIndex:
    """An index of bm25s: BM25 as Lucene has it (Kamphuis and others 2020), k1 = 1.5 and b = 0.75."""

    engine: Any
    way: Way

    def search(self, query: str, top_k: int) -> Ranking:
        """The best passages that share a term with the query; a repeated term of the query counts repeatedly."""
        known = [term for term in terms(query, self.way) if term in self.engine.vocab_dict]
        return best(self.engine.get_scores(known), top_k) if known else NOTHING


def new_engine() -> Any:
    """An empty index."""
    return _bm25s().BM25(k1=K1, b=B, method="lucene")


def write_engine(engine: Any, rows: Sequence[Sequence[str]], folder: Path) -> None:
    """Index passages, given by their terms, into a folder."""
    engine.index(_numbered(rows), show_progress=False)
    engine.save(folder, show_progress=False)


def load_engine(path: Path) -> Any:
    """The index in a folder, mapped into memory; a damaged one is an error."""
    try:
        engine = _bm25s().BM25.load(path, mmap=True, show_progress=False, override_params=_BACKEND)
        _check_engine(engine)
    except (ImportError, *DAMAGE) as error:  # its parameters may name a package that is not installed
        message = Message("search.index_unreadable", error=error_reason(error))
        raise ConfigError(message, where=str(path), hint=TERMS.anew_hint) from None
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


def _numbered(rows: Sequence[Sequence[str]]) -> tuple[list[list[int]], dict[str, int]]:
    """The rows as numbers of terms, and the numbers by term, in order of first appearance."""
    numbers = {_NO_TERM: 0}
    numbered = [[numbers.setdefault(term, len(numbers)) for term in row or (_NO_TERM,)] for row in rows]
    return numbered, numbers


def _bm25s() -> Any:
    try:
        import bm25s
    except ImportError:
        raise MissingExtra.of("bm25s", "rag", purpose=Message("words.searching_by_bm25")) from None
    return bm25s
