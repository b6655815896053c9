"""Dense search: exact inner products of vectors of length 1, in an index that is read where it lies on disk."""

import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from steelyard.errors import BadValue, ConfigError, MissingExtra, SystemFailure
from steelyard.i18n import Message
from steelyard.rag.artifacts import VECTORS, Stamp, whole_file
from steelyard.rag.latent import Vectors
from steelyard.rag.ranking import NOTHING, Ranking, ranked

if TYPE_CHECKING:
    import faiss

_HEADER: Final = struct.Struct("<4siqqqBi")  # kind, dimensions, vectors, two that mean nothing, trained, metric
_FLAT: Final = b"IxFI"
_NUMBERED: Final = (b"IxMp", b"IxM2")  # around a flat one, with a number for each vector
_MOST_DIMENSIONS: Final = 1 << 20
_MOST_VECTORS: Final = 1 << 40


class _Header(NamedTuple):
    """What an index file begins with."""

    kind: bytes
    dimensions: int
    vectors: int


def write_dense(vectors: Vectors, path: Path) -> None:
    """Write an index of these vectors, which are brought to length 1."""
    library = _faiss()
    index = library.IndexFlatIP(vectors.shape[1])
    index.add(normalised(vectors))
    with whole_file(path) as part:
        try:
            library.write_index(index, str(part))
        except RuntimeError as error:
            raise ConfigError(Message("formats.cannot_written", strerror=error), where=str(path)) from None


def open_dense(path: Path, stamp: Stamp) -> "faiss.Index":
    """An index by a map of memory; it must have as many vectors, and as long ones, as its stamp says."""
    index = read_dense(path)
    if (index.ntotal, index.d) != (stamp.get("passages"), stamp.get("dimensions")):
        raise ConfigError(Message("rag.index_not_one_stamp_describes"), where=str(path), hint=VECTORS.anew_hint)
    return index


def read_dense(path: Path) -> "faiss.Index":
    """A flat index of inner products by a map of memory, with or without numbers of its own for the vectors."""
    library = _faiss()
    try:
        _check_file(path)
        index: faiss.Index = library.read_index(str(path), library.IO_FLAG_MMAP_IFC)
        numbers = library.vector_to_array(index.id_map) if hasattr(index, "id_map") else None
        if numbers is not None and not np.array_equal(numbers, np.arange(index.ntotal)):
            raise BadValue(Message("rag.not_numbered_from_0"))
    except (OSError, ValueError, RuntimeError, MemoryError) as error:
        said = error.message if isinstance(error, BadValue) else str(error).rpartition(": ")[2] or type(error).__name__
        raise ConfigError(
            Message("rag.index_cannot_read", error=said), where=str(path), hint=VECTORS.anew_hint
        ) from None
    return index


def _check_file(path: Path) -> None:
    """Complain of a file that is not whole: the library ends the process on some of these."""
    with path.open("rb") as file:
        first = _header(file.read(_HEADER.size))
        flat = _header(file.read(_HEADER.size)) if first.kind in _NUMBERED else first
        if flat.kind != _FLAT or first[1:] != flat[1:]:
            raise BadValue(Message("rag.not_flat_index"))
        if _count(file.read(8)) != flat.vectors * flat.dimensions:
            raise BadValue(Message("rag.parts_do_not_fit"))
        end = file.seek(flat.vectors * flat.dimensions * 4, os.SEEK_CUR)
        if first.kind in _NUMBERED:
            if _count(file.read(8)) != flat.vectors:
                raise BadValue(Message("rag.parts_do_not_fit"))
            end += 8 + flat.vectors * 8
        if end != path.stat().st_size:
            raise BadValue(Message("rag.bytes_needed", needed=end, found=path.stat().st_size))


def _header(content: bytes) -> "_Header":
    if len(content) < _HEADER.size:
        raise BadValue(Message("rag.ends_too_early"))
    kind, dimensions, vectors, _, _, trained, metric = _HEADER.unpack(content)
    if not (0 < dimensions < _MOST_DIMENSIONS and 0 <= vectors < _MOST_VECTORS and trained == 1 and metric == 0):
        raise BadValue(Message("rag.not_flat_index"))
    return _Header(kind, dimensions, vectors)


def _count(content: bytes) -> int:
    return int.from_bytes(content, "little") if len(content) == 8 else -1


def search_dense(index: "faiss.Index", queries: Vectors, top_k: int) -> list[Ranking]:
    """The best passages for each query; none for a query of zeros, which is like nothing."""
    if queries.shape[1] != index.d:
        raise ConfigError(
            Message("rag.queries_dimensions_index", value=queries.shape[1], d=index.d), hint=VECTORS.anew_hint
        )
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
        raise SystemFailure(Message("rag.model_gave_vectors_without_dimensions"))
    if not np.isfinite(vectors).all():
        raise SystemFailure(Message("rag.model_gave_vectors_numbers_not"))


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
        raise MissingExtra.of("faiss-cpu", "rag", purpose=Message("words.searching_by_vectors")) from None
    return faiss
