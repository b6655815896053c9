"""Invented test collections in the shapes people evaluate, written to `bench/collections/` once and then reused.

Ids look like those of MS MARCO. The same NumPy writes the same bytes every time.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Documents = NDArray[np.int64]

FOLDER: Final = Path(__file__).with_name("collections")
QUERY_IDS: Final = 2_000_000
DOCUMENTS: Final = 8_841_823  # as many as MS MARCO has passages


@dataclass(frozen=True, slots=True)
class Scores:
    """How the scores of one query are drawn, and the form in which they are written."""

    draw: Callable[[Generator, int], NDArray[np.float64]]
    form: str


@dataclass(frozen=True, slots=True)
class Collection:
    """Judgments and one run of `queries` rankings, each of `depth` documents."""

    name: str
    description: str
    queries: int
    depth: int
    judge: Callable[[Generator, Documents], dict[int, int]]
    scores: Scores
    seed: int

    @property
    def lines(self) -> int:
        """Lines of the run."""
        return self.queries * self.depth

    @property
    def qrels_path(self) -> Path:
        """Where the judgments are written."""
        return self._path("qrels")

    @property
    def run_path(self) -> Path:
        """Where the run is written."""
        return self._path("run")

    def _path(self, extension: str) -> Path:
        return FOLDER / f"{self.name}-{self.queries}x{self.depth}.{extension}"


def prepare(collection: Collection) -> None:
    """Write the files of a collection, unless they are there."""
    if collection.run_path.exists():
        return
    FOLDER.mkdir(exist_ok=True)
    qrels_part, run_part = collection.qrels_path.with_suffix(".part-qrels"), collection.run_path.with_suffix(".part")
    with qrels_part.open("w") as qrels, run_part.open("w") as run:
        for judgment_lines, run_lines in _query_texts(collection):
            qrels.write(judgment_lines)
            run.write(run_lines)
    # a file under its final name is a whole file
    qrels_part.rename(collection.qrels_path)
    run_part.rename(collection.run_path)


def remove(collection: Collection) -> None:
    """Delete the files of a collection."""
    collection.run_path.unlink(missing_ok=True)
    collection.qrels_path.unlink(missing_ok=True)


def _query_texts(collection: Collection) -> Iterator[tuple[str, str]]:
    """The judgments and the ranking of each query, as lines."""
    random = np.random.default_rng(collection.seed)
    for query in random.choice(QUERY_IDS, collection.queries, replace=False).tolist():
        yield _query_text(collection, query, random)


def _query_text(collection: Collection, query: int, random: Generator) -> tuple[str, str]:
    documents = random.choice(DOCUMENTS, collection.depth, replace=False)
    scores = collection.scores.draw(random, collection.depth).tolist()
    judgments = collection.judge(random, documents)
    template = f"{query} Q0 %d %d {collection.scores.form} bm25\n" * collection.depth
    cells = zip(documents.tolist(), range(1, collection.depth + 1), scores, strict=True)
    judgment_lines = [f"{query} 0 {document} {grade}\n" for document, grade in judgments.items()]
    return "".join(judgment_lines), template % tuple(chain.from_iterable(cells))


def _falling(random: Generator, depth: int) -> NDArray[np.float64]:
    return np.sort(random.gamma(2.0, 4.0, depth))[::-1]


def _whole_numbers(random: Generator, depth: int) -> NDArray[np.float64]:
    return random.integers(0, 51, depth).astype(np.float64)


def _few_binary(random: Generator, documents: Documents) -> dict[int, int]:
    """About 1.07 relevant documents, most of them found early, as MS MARCO has them."""
    count = 2 if random.random() < 0.07 else 1
    return {_relevant(random, documents, missed=DOCUMENTS + place): 1 for place in range(count)}


def _relevant(random: Generator, documents: Documents, *, missed: int) -> int:
    if random.random() < 0.15:
        return missed
    return int(documents[min(int(random.exponential(40)), len(documents) - 1)])


def _many_graded(random: Generator, documents: Documents) -> dict[int, int]:
    """About 100 documents with grades 0 to 3, of which 60 were retrieved."""
    retrieved = random.choice(documents, 60, replace=False)
    elsewhere = random.integers(0, DOCUMENTS, 40)
    grades = random.integers(0, 4, 100)
    return dict(zip(np.concatenate([retrieved, elsewhere]).tolist(), grades.tolist(), strict=True))


DECIMALS: Final = Scores(_falling, "%.6f")
DOUBLES: Final = Scores(_falling, "%r")
TIES: Final = Scores(_whole_numbers, "%d")

MSMARCO: Final = Collection(
    "msmarco", "the size of MS MARCO dev, about 1.07 binary judgments a query", 6_980, 1_000, _few_binary, DECIMALS, 1
)
GRADED: Final = Collection(
    "graded", "a TREC track, about 100 graded judgments a query", 250, 1_000, _many_graded, DECIMALS, 2
)
MANY: Final = Collection(
    "many", "many short rankings, about 1.07 judgments a query", 100_000, 100, _few_binary, DECIMALS, 3
)
LONG_SCORES: Final = Collection("doubles", "scores written with 16 or 17 digits", 1_000, 1_000, _few_binary, DOUBLES, 4)
TIED: Final = Collection(
    "tied", "whole scores from 0 to 50 in no order, so that most documents tie", 250, 1_000, _many_graded, TIES, 5
)
TENTH: Final = Collection("tenth", "a tenth of msmarco", 700, 1_000, _few_binary, DECIMALS, 6)
TENFOLD: Final = Collection("tenfold", "ten times msmarco", 69_800, 1_000, _few_binary, DECIMALS, 7)
