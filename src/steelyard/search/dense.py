"""Dense search: exact inner products of unit vectors by faiss, in an index that is mapped into memory."""

import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from steelyard.errors import BadValue, ConfigError, MissingExtra, SystemFailure
from steelyard.i18n import Message
from steelyard.search.artifacts import DAMAGE, VECTORS, Stamp, error_reason, whole_file
from steelyard.search.latent import Vectors
from steelyard.search.ranking import NOTHING, Ranking, ranked

if TYPE_CHECKING:
    import faiss


def load_vectors(path: Path) -> Vectors:
    """The vectors of a .npy file; a damaged one is an error."""
    try:
        vectors: Vectors = np.asarray(np.load(path, allow_pickle=False), dtype=np.float32)
    except DAMAGE as error:
        message = Message("search.embeddings_unreadable", reason=error_reason(error))
        raise ConfigError(message, where=str(path), hint=VECTORS.anew_hint) from None
    if vectors.ndim != 2 or not vectors.shape[1] or not np.isfinite(vectors).all():
        message = Message("search.embeddings_unreadable", reason=Message("search.finite_numbers_needed"))
        raise ConfigError(message, where=str(path), hint=VECTORS.anew_hint)
    return vectors


_HEADER: Final = struct.Struct("<4siqqqBi")  # kind, dimensions, vectors, two unused fields, trained, metric
_FLAT: Final = b"IxFI"
_NUMBERED: Final = (b"IxMp", b"IxM2")  # a flat index with a number for each vector
_MOST_DIMENSIONS: Final = 1 << 20
_MOST_VECTORS: Final = 1 << 40


class _Header(NamedTuple):
    """The header of an index file."""

    kind: bytes
    dimensions: int
    vectors: int


def write_dense(vectors: Vectors, path: Path) -> None:
    """Write an index of these vectors, normalised to length 1."""
    library = _faiss()
    index = library.IndexFlatIP(vectors.shape[1])
    index.add(normalised(vectors))
    with whole_file(path) as part:
        try:
            library.write_index(index, str(part))
        except RuntimeError as error:
            raise ConfigError(Message("formats.cannot_write", strerror=error), where=str(path)) from None


def open_dense(path: Path, stamp: Stamp) -> "faiss.Index":
    """An index, mapped into memory; an error if its size is not that of its stamp."""
    index = read_dense(path)
    if (index.ntotal, index.d) != (stamp.get("passages"), stamp.get("dimensions")):
        raise ConfigError(Message("search.index_differs_from_stamp"), where=str(path), hint=VECTORS.anew_hint)
    return index


def read_dense(path: Path) -> "faiss.Index":
    """A flat index of inner products, mapped into memory, with or without numbers for the vectors."""
    library = _faiss()
    try:
        _check_file(path)
        index: faiss.Index = library.read_index(str(path), library.IO_FLAG_MMAP_IFC)
        numbers = library.vector_to_array(index.id_map) if hasattr(index, "id_map") else None
        if numbers is not None and not np.array_equal(numbers, np.arange(index.ntotal)):
            raise BadValue(Message("search.not_numbered_from_0"))
    except (OSError, ValueError, RuntimeError, MemoryError) as error:
        reason = error.message if isinstance(error, BadValue) else str(error).rpartition(": ")[2]
        message = Message("search.index_unreadable", error=reason or type(error).__name__)
        raise ConfigError(message, where=str(path), hint=VECTORS.anew_hint) from None
    return index


def _check_file(path: Path) -> None:
    """Raise an error for an incomplete file: the library ends the process on some of these."""
    with path.open("rb") as file:
        first = _header(file.read(_HEADER.size))
        flat = _header(file.read(_HEADER.size)) if first.kind in _NUMBERED else first
        if flat.kind != _FLAT or first[1:] != flat[1:]:
            raise BadValue(Message("search.not_flat_index"))
        if _count(file.read(8)) != flat.vectors * flat.dimensions:
            raise BadValue(Message("search.parts_do_not_fit"))
        end = file.seek(flat.vectors * flat.dimensions * 4, os.SEEK_CUR)
        if first.kind in _NUMBERED:
            if _count(file.read(8)) != flat.vectors:
                raise BadValue(Message("search.parts_do_not_fit"))
            end += 8 + flat.vectors * 8
        if end != path.stat().st_size:
            raise BadValue(Message("search.bytes_needed", needed=end, found=path.stat().st_size))


def _header(content: bytes) -> "_Header":
    if len(content) < _HEADER.size:
        raise BadValue(Message("search.ends_too_early"))
    kind, dimensions, vectors, _, _, trained, metric = _HEADER.unpack(content)
    if not (0 < dimensions < _MOST_DIMENSIONS and 0 <= vectors < _MOST_VECTORS and trained == 1 and metric == 0):
        raise BadValue(Message("search.not_flat_index"))
    return _Header(kind, dimensions, vectors)


def _count(content: bytes) -> int:
    return int.from_bytes(content, "little") if len(content) == 8 else -1


def search_dense(index: "faiss.Index", queries: Vectors, top_k: int) -> list[Ranking]:
    """The best passages for each query; none for a query of zeros."""
    if queries.shape[1] != index.d:
        raise ConfigError(Message("search.query_dimensions", value=queries.shape[1], d=index.d), hint=VECTORS.anew_hint)
    vectors = normalised(queries)
    return [_ranking(index, vector, top_k) if vector.any() else NOTHING for vector in vectors]


def normalised(vectors: Vectors) -> Vectors:
    """The vectors, normalised to length 1; zeros stay zeros."""
    check_vectors(vectors)
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    return np.ascontiguousarray(vectors / np.where(lengths > 0, lengths, 1)[:, None], dtype=np.float32)


def check_vectors(vectors: Vectors) -> None:
    """Raise an error for vectors that cannot be searched: without dimensions, or not finite."""
    if not vectors.shape[1]:
        raise SystemFailure(Message("search.no_dimensions"))
    if not np.isfinite(vectors).all():
        raise SystemFailure(Message("search.not_finite"))


def _ranking(index: "faiss.Index", vector: Vectors, top_k: int) -> Ranking:
    """The ranking for one query. Queries are searched one by one, because BLAS scores depend on the batch.

    One passage more than wanted is searched, and more while there are ties at the end: faiss orders ties freely.
    """
    reach = min(top_k + 1, index.ntotal)
    scores, indices = index.search(vector[None], reach)
    while reach < index.ntotal and scores[0, -1] >= scores[0, top_k - 1]:
        reach = min(reach * 2, index.ntotal)
        scores, indices = index.search(vector[None], reach)
    return ranked(indices[0], scores[0], top_k)


def _faiss() -> Any:
    try:
        import faiss
    except ImportError:
        raise MissingExtra.of("faiss-cpu", "rag", purpose=Message("words.searching_by_vectors")) from None
    return faiss
