"""BM25: the scores of texts in memory, and indexes of the library bm25s on disk."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from steelyard.errors import BadValue, ConfigError, MissingExtra
from steelyard.i18n import Message
from steelyard.search.artifacts import DAMAGE, TERMS, error_reason
from steelyard.search.ranking import NOTHING, Ranking, best
from steelyard.search.terms import Way, terms

K1: Final = 1.5
B: Final = 0.75

_NO_TERM: Final = ""  # in a passage without terms, so that its length is not 0; no query contains it
_BACKEND: Final = {"backend": "numpy"}  # an index that was saved with the backend numba is read without numba


class Bm25:
    """BM25 scores (Robertson and Zaragoza 2009) of texts that are given by their terms; no score is below 0."""

    def __init__(self, texts: Sequence[Iterable[str]], *, k1: float = K1, b: float = B) -> None:
        counts = [Counter(text) for text in texts]
        lengths = [count.total() for count in counts]
        mean = sum(lengths) / max(len(lengths), 1) or 1.0
        self._total = len(texts)
        self._weights: dict[str, dict[int, float]] = defaultdict(dict)
        for index, (count, length) in enumerate(zip(counts, lengths, strict=True)):
            for term, times in count.items():
                spread = k1 * (1 - b + b * length / mean)
                self._weights[term][index] = times * (k1 + 1) / (times + spread)

    def idf(self, term: str) -> float:
        """The inverse document frequency of a term: ln(1 + (N - n + 0.5) / (n + 0.5))."""
        having = len(self._weights.get(term, ()))
        return math.log(1 + (self._total - having + 0.5) / (having + 0.5))

    def scores(self, query: Iterable[str]) -> dict[int, float]:
        """The scores of the texts that share a term with the query, by index; a repeated term counts once."""
        scores: dict[int, float] = defaultdict(float)
        for term in sorted(set(query)):  # sorted: sums of floats depend on their order
            idf = self.idf(term)
            for index, weight in self._weights.get(term, {}).items():
                scores[index] += idf * weight
        return scores

    def coverage(self, query: Iterable[str], text: AbstractSet[str]) -> float:
        """The share of the terms of a query that a text has, weighted by their idf."""
        return coverage({term: self.idf(term) for term in set(query)}, text)


def coverage(weights: Mapping[str, float], text: AbstractSet[str]) -> float:
    """The share of the weight of terms that a text has; 0 if there is no weight."""
    total = math.fsum(weights.values())
    return math.fsum(weight for term, weight in weights.items() if term in text) / total if total else 0.0


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
