"""Vectors of passages: made by latent semantic analysis of a corpus, and searched by faiss.

A vector has two parts of equal weight. The first is latent semantic analysis (Deerwester and others 1990): tf-idf of
terms, reduced by a truncated SVD, so that terms that occur together have similar vectors. The second is feature
hashing of the same tf-idf (Weinberger and others 2009), which distinguishes rare names and numbers. The SVD is the
randomised one of Halko, Martinsson and Tropp (2011), with two power iterations. The search is exact: inner products of
unit vectors, in an index that is mapped into memory.
"""

import os
import struct
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from zipfile import ZIP_STORED

import numpy as np
import numpy.typing as npt

from steelyard.errors import BadValue, ConfigError, MissingExtra, SystemFailure
from steelyard.i18n import Message
from steelyard.progress import ProgressCallback
from steelyard.search.artifacts import DAMAGE, VECTORS_HINT, Stamp, error_reason, whole_file
from steelyard.search.terms import NOTHING, Ranking, ranked, terms_of_all

if TYPE_CHECKING:
    import faiss

Vectors = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]

LATENT: Final = 512
SKETCH: Final = 512
MOST_TERMS: Final = 1 << 15
"""The number of terms, those of the most passages, in the latent part; the hashed part has all terms."""
_OVERSAMPLING: Final = 16
_ITERATIONS: Final = 2
_SMALLEST: Final = 1e-3  # share of the largest singular value; smaller ones are noise in 32-bit sums
_HEADER: Final = struct.Struct("<4siqqqBi")  # kind, dimensions, vectors, two unused fields, trained, metric
_FLAT: Final = b"IxFI"
_NUMBERED: Final = (b"IxMp", b"IxM2")  # a flat index with a number for each vector
_MOST_DIMENSIONS: Final = 1 << 20
_MOST_VECTORS: Final = 1 << 40


@dataclass(frozen=True)
class Row:
    """One row of a sparse matrix: columns and the weights in them."""

    columns: Indices
    weights: Vectors


@dataclass(frozen=True)
class LatentModel:
    """The terms, their document frequencies and the projection, by which texts are embedded."""

    terms: tuple[str, ...]
    frequencies: Indices
    passages: int
    projection: Vectors
    seed: int

    @property
    def dimensions(self) -> int:
        """The number of dimensions; a small corpus has fewer."""
        return int(self.projection.shape[1]) + SKETCH

    def embed(self, rows: Sequence[Sequence[str]]) -> Vectors:
        """Return a unit vector for each row of terms; zeros if no term is known."""
        return self.project([tfidf(row, self._columns, self._idf) for row in rows])

    def project(self, rows: Sequence[Row]) -> Vectors:
        """Return the vectors of rows of tf-idf."""
        vectors = [self._vector(row) for row in rows]
        return np.array(vectors, dtype=np.float32).reshape(len(rows), self.dimensions)

    def _vector(self, row: Row) -> Vectors:
        latent = _short(row, len(self.projection))
        meaning = latent.weights @ self.projection[latent.columns]
        slots, signs = self._slots
        signed = row.weights * signs[row.columns]
        sketch = np.bincount(slots[row.columns], weights=signed, minlength=SKETCH).astype(np.float32)
        return unit(np.concatenate((unit(meaning), unit(sketch))))

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {term: column for column, term in enumerate(self.terms)}

    @cached_property
    def _idf(self) -> Vectors:
        return idf(self.frequencies, self.passages)

    @cached_property
    def _slots(self) -> tuple[Indices, Vectors]:
        """The slot of the hashed part for each term, and its sign."""
        generator = np.random.default_rng(self.seed)
        slots = generator.integers(0, SKETCH, len(self.terms))
        return slots, generator.choice(np.array((-1, 1), dtype=np.float32), len(self.terms))

    def save(self, path: Path) -> None:
        """Write the model into one file."""
        written = np.frombuffer("\n".join(self.terms).encode(), dtype=np.uint8)
        numbers = np.array((self.passages, self.seed), dtype=np.int64)
        with whole_file(path) as part, part.open("wb") as file:
            np.savez(file, terms=written, frequencies=self.frequencies, numbers=numbers, projection=self.projection)


def load_latent(path: Path) -> LatentModel:
    """Return a model that was saved."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            if any(part.compress_type != ZIP_STORED for part in stored.zip.infolist()):
                # `save` does not compress; a few bytes could be gigabytes
                raise BadValue(Message("search.parts_compressed"))
            written, numbers = stored["terms"].tobytes().decode(), stored["numbers"].tolist()
            names = tuple(written.split("\n")) if written else ()
            frequencies, projection = stored["frequencies"], stored["projection"]
        if frequencies.shape != (len(names),) or projection.ndim != 2 or not np.isfinite(projection).all():
            raise BadValue(Message("search.parts_do_not_fit"))
        return LatentModel(names, frequencies, int(numbers[0]), projection, int(numbers[1]))
    except DAMAGE as error:
        message = Message("search.model_unreadable", reason=error_reason(error))
        raise ConfigError(message, where=str(path), hint=VECTORS_HINT) from None


def fit_latent(texts: Sequence[str], *, seed: int, progress: ProgressCallback) -> tuple[LatentModel, Vectors]:
    """Return the model of these passages, and their vectors."""
    rows = terms_of_all(texts, "all", progress)
    frequency = Counter(term for row in rows for term in set(row))
    names = sorted(frequency, key=lambda term: (-frequency[term], term))
    frequencies = np.array([frequency[term] for term in names], dtype=np.int64)
    columns = {term: column for column, term in enumerate(names)}
    weights = idf(frequencies, len(rows))
    weighted = [tfidf(row, columns, weights) for row in rows]
    width = min(len(names), MOST_TERMS)
    projection = directions([_short(row, width) for row in weighted], width, LATENT, seed=seed)
    model = LatentModel(tuple(names), frequencies, len(rows), projection, seed)
    return model, model.project(weighted)


def tfidf(row: Sequence[str], columns: Mapping[str, int], weights: Vectors) -> Row:
    """Return tf-idf of the known terms: (1 + ln tf) · idf, of length 1."""
    counted = sorted(Counter(column for term in row if (column := columns.get(term)) is not None).items())
    known = np.array([column for column, _ in counted], dtype=np.int64)
    times = np.array([times for _, times in counted], dtype=np.float32)
    return Row(known, unit((1 + np.log(times)) * weights[known]))


def idf(frequencies: Indices, passages: int) -> Vectors:
    """Return the inverse document frequency of terms: 1 + ln((n + 1) / (df + 1))."""
    return (1 + np.log((passages + 1) / (frequencies + 1))).astype(np.float32)


def unit(vector: Vectors) -> Vectors:
    """Return the vector with length 1; zeros stay zeros."""
    length = np.sqrt(vector @ vector)
    return (vector / length).astype(np.float32) if length > 0 else vector.astype(np.float32)


def directions(rows: Sequence[Row], width: int, wanted: int, *, seed: int) -> Vectors:
    """Return the right singular vectors of a sparse matrix, as columns: the `wanted` largest, or all of them."""
    size = min(wanted + _OVERSAMPLING, len(rows), width)
    if size == 0:
        return np.zeros((width, 0), dtype=np.float32)
    columns = list(_transposed(rows, width))
    start = np.random.default_rng(seed).standard_normal((width, size), dtype=np.float32)
    basis = _orthonormal(_times(rows, start))
    for _ in range(_ITERATIONS):
        basis = _orthonormal(_times(rows, _orthonormal(_times(columns, basis))))
    return np.ascontiguousarray(_orthonormal(_times(columns, basis))[:, :wanted])


def _orthonormal(matrix: Vectors) -> Vectors:
    """Return the left singular vectors of a tall matrix, the largest first, from its Gram matrix: faster than QR."""
    squares, turns = np.linalg.eigh((matrix.T @ matrix).astype(np.float64))
    sizes = np.sqrt(np.maximum(squares[::-1], 0))
    kept = int(np.count_nonzero(sizes > _SMALLEST * sizes[0]))
    vectors: Vectors = matrix @ (turns[:, ::-1][:, :kept] / sizes[:kept]).astype(np.float32)
    return vectors


def _times(rows: Sequence[Row], matrix: Vectors) -> Vectors:
    """Return the product of a sparse matrix and a dense one, row by row."""
    product = np.zeros((len(rows), matrix.shape[1]), dtype=np.float32)
    for number, row in enumerate(rows):
        product[number] = row.weights @ matrix[row.columns]
    return product


def _transposed(rows: Sequence[Row], width: int) -> Iterator[Row]:
    lengths = [len(row.columns) for row in rows]
    columns = np.concatenate([row.columns for row in rows])
    weights = np.concatenate([row.weights for row in rows])
    order = np.argsort(columns, kind="stable")
    numbers = np.repeat(np.arange(len(rows)), lengths)[order]
    ends = np.cumsum(np.bincount(columns, minlength=width))[:-1]
    pieces = zip(np.split(numbers, ends), np.split(weights[order], ends), strict=True)
    return (Row(number, weight) for number, weight in pieces)


def _short(row: Row, width: int) -> Row:
    """Return the first columns of a row."""
    end = int(np.searchsorted(row.columns, width))
    return Row(row.columns[:end], row.weights[:end])


def load_vectors(path: Path) -> Vectors:
    """Return the vectors of a .npy file; a damaged one is an error."""
    try:
        vectors: Vectors = np.asarray(np.load(path, allow_pickle=False), dtype=np.float32)
    except DAMAGE as error:
        message = Message("search.embeddings_unreadable", reason=error_reason(error))
        raise ConfigError(message, where=str(path), hint=VECTORS_HINT) from None
    if vectors.ndim != 2 or not vectors.shape[1] or not np.isfinite(vectors).all():
        message = Message("search.embeddings_unreadable", reason=Message("search.finite_numbers_needed"))
        raise ConfigError(message, where=str(path), hint=VECTORS_HINT)
    return vectors


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
    """Return an index, mapped into memory; an error if its size is not that of its stamp."""
    index = read_dense(path)
    if (index.ntotal, index.d) != (stamp.get("passages"), stamp.get("dimensions")):
        raise ConfigError(Message("search.index_differs_from_stamp"), where=str(path), hint=VECTORS_HINT)
    return index


def read_dense(path: Path) -> "faiss.Index":
    """Return a flat index of inner products, mapped into memory, with or without numbers for the vectors."""
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
        raise ConfigError(message, where=str(path), hint=VECTORS_HINT) from None
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
    """Return the best passages for each query; none for a query of zeros."""
    if queries.shape[1] != index.d:
        raise ConfigError(Message("search.query_dimensions", value=queries.shape[1], d=index.d), hint=VECTORS_HINT)
    vectors = normalised(queries)
    return [_ranking(index, vector, top_k) if vector.any() else NOTHING for vector in vectors]


def normalised(vectors: Vectors) -> Vectors:
    """Return the vectors, normalised to length 1; zeros stay zeros."""
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
    """Return the ranking for one query. Queries are searched one by one, because BLAS scores depend on the batch.

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
