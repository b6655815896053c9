"""Dense search: exact inner products of vectors of length 1, in an index that is read where it lies on disk."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.errors import ConfigError, MissingExtra, SystemFailure
from steelyard.rag.artifacts import OVERWRITE_HINT, Stamp, whole_file
from steelyard.rag.latent import Vectors
from steelyard.rag.ranking import NOTHING, Ranking, ranked

if TYPE_CHECKING:
    import faiss


def write_dense(vectors: Vectors, path: Path) -> None:
    """Write an index of these vectors, which are brought to length 1."""
    library = _faiss()
    index = library.IndexFlatIP(vectors.shape[1])
    index.add(normalised(vectors))
    with whole_file(path) as part:
        try:
            library.write_index(index, str(part))
        except RuntimeError as error:
            raise ConfigError(f"cannot be written: {error}", where=str(path)) from None


def open_dense(path: Path, stamp: Stamp) -> "faiss.Index":
    """An index by a map of memory; it must have as many vectors, and as long ones, as its stamp says."""
    index = read_dense(path)
    if (index.ntotal, index.d) != (stamp.get("passages"), stamp.get("dimensions")):
        raise ConfigError("this index is not the one that its stamp describes", where=str(path), hint=OVERWRITE_HINT)
    return index


def read_dense(path: Path) -> "faiss.Index":
    """An index by a map of memory, whatever made it."""
    library = _faiss()
    try:
        index: faiss.Index = library.read_index(str(path), library.IO_FLAG_MMAP_IFC)
    except (RuntimeError, MemoryError) as error:
        message = str(error).rpartition(": ")[2] or type(error).__name__
        raise ConfigError(f"this index cannot be read: {message}", where=str(path), hint=OVERWRITE_HINT) from None
    return index


def search_dense(index: "faiss.Index", queries: Vectors, top_k: int) -> list[Ranking]:
    """The best passages for each query; none for a query of zeros, which is like nothing."""
    if queries.shape[1] != index.d:
        raise ConfigError(f"queries have {queries.shape[1]} dimensions, the index has {index.d}", hint=OVERWRITE_HINT)
    vectors = normalised(queries)
    return [_ranking(index, vector, top_k) if vector.any() else NOTHING for vector in vectors]


def normalised(vectors: Vectors) -> Vectors:
    """The vectors with length 1; zeros stay zeros."""
    check_vectors(vectors)
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    return np.ascontiguousarray(vectors / np.where(lengths > 0, lengths, 1)[:, None], dtype=np.float32)


def check_vectors(vectors: Vectors) -> None:
    """Complain of vectors by which nothing can be found."""
    if not vectors.shape[1]:
        raise SystemFailure("the model gave vectors without dimensions")
    if not np.isfinite(vectors).all():
        raise SystemFailure("the model gave vectors with numbers that are not finite")


def _ranking(index: "faiss.Index", vector: Vectors, top_k: int) -> Ranking:
    """The ranking for one query, by itself: many at once are summed by BLAS, and then scores depend on the batch.

    One more than wanted is asked for, and more yet where equals reach beyond: faiss drops any of them.
    """
    reach = min(top_k + 1, index.ntotal)
    scores, places = index.search(vector[None], reach)
    while reach < index.ntotal and scores[0, -1] >= scores[0, top_k - 1]:
        reach = min(reach * 2, index.ntotal)
        scores, places = index.search(vector[None], reach)
    return ranked(places[0], scores[0], top_k)


def _faiss() -> Any:
    try:
        import faiss
    except ImportError:
        raise MissingExtra.of("faiss-cpu", "rag", purpose="searching by vectors") from None
    return faiss
