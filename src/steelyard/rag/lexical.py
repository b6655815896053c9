"""Lexical search: BM25 over terms, in an index that is read where it lies on disk."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from steelyard.errors import ConfigError, MissingExtra
from steelyard.rag.artifacts import OVERWRITE_HINT, Stamp, is_current, whole_folder
from steelyard.rag.corpus import Corpus
from steelyard.rag.ranking import NOTHING, Ranking, best
from steelyard.rag.terms import Told, Way, terms, terms_of_all

K1: Final = 1.5
B: Final = 0.75
_NO_TERM: Final = ""  # stands in a passage without terms, so that its length is not 0; no question has it
BM25_HINT: Final = "run bm25_index first"


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


def make_lexical(corpus: Corpus, path: Path, *, way: Way, overwrite: bool, told: Told) -> None:
    """Index a corpus into a folder, unless that has been done already."""
    stamp = _stamp(corpus, way)
    if not overwrite and is_current(path, stamp):
        return
    bm25s = _bm25s()
    rows = terms_of_all(corpus.texts, way, told)
    with whole_folder(path, stamp) as folder:
        engine = bm25s.BM25(k1=K1, b=B, method="lucene")
        engine.index(_numbered(rows), show_progress=False)
        engine.save(folder, show_progress=False)


def open_lexical(corpus: Corpus, path: Path, *, way: Way) -> LexicalIndex:
    """The index of this corpus, by a map of memory."""
    if not is_current(path, _stamp(corpus, way)):
        raise ConfigError("there is no index", where=str(path), hint=BM25_HINT)
    try:
        return LexicalIndex(_bm25s().BM25.load(path, mmap=True, show_progress=False), way)
    except (OSError, ValueError, KeyError) as error:
        raise ConfigError(f"this index cannot be read: {error}", where=str(path), hint=OVERWRITE_HINT) from None


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
        raise MissingExtra.of("bm25s", "rag", purpose="searching by BM25") from None
    return bm25s
