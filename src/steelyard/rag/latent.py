"""Vectors without a model to download: learnt from the corpus itself.

A vector has two parts of equal weight. The first is latent semantic analysis (Deerwester and others 1990): tf-idf of
terms, reduced by a truncated SVD, so that terms that keep the same company lie close. The second is a sketch of the
same tf-idf (Weinberger and others 2009, feature hashing), which keeps rare names and numbers apart. The SVD is the
randomised one of Halko, Martinsson and Tropp (2011), with two power iterations.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final
from zipfile import ZIP_STORED

import numpy as np
import numpy.typing as npt

from steelyard.errors import BadValue, ConfigError
from steelyard.i18n import Message
from steelyard.progress import ProgressCallback
from steelyard.rag.artifacts import DAMAGE, VECTORS, whole_file
from steelyard.rag.terms import terms_of_all

Vectors = npt.NDArray[np.float32]
Places = npt.NDArray[np.int64]

LATENT: Final = 512
SKETCH: Final = 512
MOST_TERMS: Final = 1 << 15
"""So many terms, those of the most passages, have a place in the latent part; all have one in the sketch."""
_OVERSAMPLING: Final = 16
_ITERATIONS: Final = 2
_SMALLEST: Final = 1e-3  # of the largest singular value; below that, 32-bit sums leave nothing but noise


@dataclass(frozen=True)
class Row:
    """One row of a sparse matrix: columns and the weights in them."""

    columns: Places
    weights: Vectors


@dataclass(frozen=True)
class LatentModel:
    """What is needed to turn a text into a vector: the terms, in how many passages each is, and the projection."""

    terms: tuple[str, ...]
    frequencies: Places
    passages: int
    projection: Vectors
    seed: int

    @property
    def dimensions(self) -> int:
        """The length of a vector; less than the full one where the corpus is small."""
        return int(self.projection.shape[1]) + SKETCH

    def embed(self, rows: Sequence[Sequence[str]]) -> Vectors:
        """A vector of length 1 for each row of terms; of zeros where no term is known."""
        return self.project([weigh(row, self._places, self._rarity) for row in rows])

    def project(self, rows: Sequence[Row]) -> Vectors:
        """The vectors of rows of tf-idf."""
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
    def _places(self) -> dict[str, int]:
        return {term: place for place, term in enumerate(self.terms)}

    @cached_property
    def _rarity(self) -> Vectors:
        return rarity(self.frequencies, self.passages)

    @cached_property
    def _slots(self) -> tuple[Places, Vectors]:
        """The slot of the sketch that each term falls into, and with which sign."""
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
    """A model that was saved."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            if any(part.compress_type != ZIP_STORED for part in stored.zip.infolist()):
                raise ValueError("its parts are compressed")  # ours are not; a few bytes could become very many
            written, numbers = stored["terms"].tobytes().decode(), stored["numbers"].tolist()
            names = tuple(written.split("\n")) if written else ()
            frequencies, projection = stored["frequencies"], stored["projection"]
        if frequencies.shape != (len(names),) or projection.ndim != 2 or not np.isfinite(projection).all():
            raise BadValue(Message("rag.parts_do_not_fit"))
        return LatentModel(names, frequencies, int(numbers[0]), projection, int(numbers[1]))
    except DAMAGE as error:
        said = str(error) or type(error).__name__
        raise ConfigError(
            Message("rag.model_cannot_read", said=said), where=str(path), hint=VECTORS.anew_hint
        ) from None


def fit_latent(texts: Sequence[str], *, seed: int, progress: ProgressCallback) -> tuple[LatentModel, Vectors]:
    """The model of these passages, and their vectors."""
    rows = terms_of_all(texts, "all", progress)
    frequency = Counter(term for row in rows for term in set(row))
    names = sorted(frequency, key=lambda term: (-frequency[term], term))
    frequencies = np.array([frequency[term] for term in names], dtype=np.int64)
    places = {term: place for place, term in enumerate(names)}
    rare = rarity(frequencies, len(rows))
    weighted = [weigh(row, places, rare) for row in rows]
    width = min(len(names), MOST_TERMS)
    projection = directions([_short(row, width) for row in weighted], width, LATENT, seed=seed)
    model = LatentModel(tuple(names), frequencies, len(rows), projection, seed)
    return model, model.project(weighted)


def weigh(row: Sequence[str], places: Mapping[str, int], rare: Vectors) -> Row:
    """tf-idf of the terms that are known: (1 + ln tf) · idf, of length 1."""
    counted = sorted(Counter(place for term in row if (place := places.get(term)) is not None).items())
    columns = np.array([place for place, _ in counted], dtype=np.int64)
    times = np.array([times for _, times in counted], dtype=np.float32)
    return Row(columns, unit((1 + np.log(times)) * rare[columns]))


def rarity(frequencies: Places, passages: int) -> Vectors:
    """The weight of a term: 1 + ln((n + 1) / (df + 1))."""
    return (1 + np.log((passages + 1) / (frequencies + 1))).astype(np.float32)


def unit(vector: Vectors) -> Vectors:
    """The vector with length 1; zeros stay zeros."""
    length = np.sqrt(vector @ vector)
    return (vector / length).astype(np.float32) if length > 0 else vector.astype(np.float32)


def directions(rows: Sequence[Row], width: int, wanted: int, *, seed: int) -> Vectors:
    """The right singular vectors of a sparse matrix, as columns: the `wanted` largest, or as many as there are."""
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
    """The left singular vectors of a tall matrix, the largest first, by way of its small square: faster than QR."""
    squares, turns = np.linalg.eigh((matrix.T @ matrix).astype(np.float64))
    sizes = np.sqrt(np.maximum(squares[::-1], 0))
    kept = int(np.count_nonzero(sizes > _SMALLEST * sizes[0]))
    vectors: Vectors = matrix @ (turns[:, ::-1][:, :kept] / sizes[:kept]).astype(np.float32)
    return vectors


def _times(rows: Sequence[Row], matrix: Vectors) -> Vectors:
    """The product of a sparse matrix and a dense one; row by row, for each row touches little of it."""
    product = np.zeros((len(rows), matrix.shape[1]), dtype=np.float32)
    for place, row in enumerate(rows):
        product[place] = row.weights @ matrix[row.columns]
    return product


def _transposed(rows: Sequence[Row], width: int) -> Iterator[Row]:
    lengths = [len(row.columns) for row in rows]
    columns = np.concatenate([row.columns for row in rows])
    weights = np.concatenate([row.weights for row in rows])
    order = np.argsort(columns, kind="stable")
    places = np.repeat(np.arange(len(rows)), lengths)[order]
    ends = np.cumsum(np.bincount(columns, minlength=width))[:-1]
    pieces = zip(np.split(places, ends), np.split(weights[order], ends), strict=True)
    return (Row(place, weight) for place, weight in pieces)


def _short(row: Row, width: int) -> Row:
    """The part of a row in its first columns."""
    end = int(np.searchsorted(row.columns, width))
    return Row(row.columns[:end], row.weights[:end])
