"""The files of one collection: `python -m bench.generation JSON`, with the fields of a Collection.

Ids look like those of MS MARCO. The same NumPy writes the same bytes every time.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bench.collections import FOLDER, Collection, Judging, Scoring

Documents = NDArray[np.int64]

QUERY_IDS: Final = 2_000_000
DOCUMENTS: Final = 8_841_823  # as many as MS MARCO has passages


@dataclass(frozen=True, slots=True)
class Scores:
    """How the scores of one query are drawn, and the form in which they are written."""

    draw: Callable[[Generator, int], NDArray[np.float64]]
    form: str


def generate(collection: Collection) -> None:
    """Write judgments and run; a file under its final name is a whole file."""
    FOLDER.mkdir(exist_ok=True)
    qrels_part = collection.qrels_path.with_suffix(".qrels-part")
    run_part = collection.run_path.with_suffix(".run-part")
    with qrels_part.open("w") as qrels, run_part.open("w") as run:
        for judgment_lines, run_lines in _ordered_texts(collection):
            qrels.write(judgment_lines)
            run.write(run_lines)
        # on disk now, or writing it back would slow down whatever is timed next
        run.flush()
        os.fsync(run.fileno())
    qrels_part.rename(collection.qrels_path)
    run_part.rename(collection.run_path)


def _ordered_texts(collection: Collection) -> Iterator[tuple[str, str]]:
    """Judgments and lines of the run in its order; an order other than by query needs the whole run in memory."""
    if collection.order == "by query":
        yield from _query_texts(collection)
        return
    judgments, rankings = zip(*_query_texts(collection), strict=True)
    lines = [line for ranking in rankings for line in ranking.splitlines(keepends=True)]
    places = np.arange(len(lines))
    if collection.order == "by rank":
        places = places.reshape(collection.queries, collection.depth).T.ravel()
    else:
        np.random.default_rng(collection.seed).shuffle(places)
    yield "".join(judgments), "".join(lines[place] for place in places.tolist())


def _query_texts(collection: Collection) -> Iterator[tuple[str, str]]:
    """Yield the judgments and the ranking of each query, as lines."""
    random = np.random.default_rng(collection.seed)
    for query in random.choice(QUERY_IDS, collection.queries, replace=False).tolist():
        documents = random.choice(DOCUMENTS, collection.depth, replace=False)
        ranking = _ranking_lines(query, documents, SCORES[collection.scoring], random)
        yield _judgment_lines(query, JUDGES[collection.judging](random, documents)), ranking


def _ranking_lines(query: int, documents: Documents, scores: Scores, random: Generator) -> str:
    # one template for the whole ranking: the quickest way to write a thousand lines
    template = f"{query} Q0 %d %d {scores.form} bm25\n" * len(documents)
    ranks = range(1, len(documents) + 1)
    cells = zip(documents.tolist(), ranks, scores.draw(random, len(documents)).tolist(), strict=True)
    return template % tuple(chain.from_iterable(cells))


def _judgment_lines(query: int, judgments: Mapping[int, int]) -> str:
    return "".join(f"{query} 0 {document} {grade}\n" for document, grade in judgments.items())


def _falling(random: Generator, depth: int) -> NDArray[np.float64]:
    return np.sort(random.gamma(2.0, 4.0, depth))[::-1]


def _a_third_equal(random: Generator, depth: int) -> NDArray[np.float64]:
    """Falling scores in which every third, by chance, is that of the document before."""
    scores = _falling(random, depth)
    source = np.where(random.random(depth) < 1 / 3, 0, np.arange(depth))
    return scores[np.maximum.accumulate(source)]


def _whole_numbers(random: Generator, depth: int) -> NDArray[np.float64]:
    return random.integers(0, 51, depth).astype(np.float64)


def _few_binary(random: Generator, documents: Documents) -> dict[int, int]:
    """Return one or two relevant documents, most of them found early, as MS MARCO has them."""
    count = 2 if random.random() < 0.07 else 1
    return {_relevant(random, documents, missed=DOCUMENTS + place): 1 for place in range(count)}


def _relevant(random: Generator, documents: Documents, *, missed: int) -> int:
    if random.random() < 0.15:
        return missed
    return int(documents[min(int(random.exponential(40)), len(documents) - 1)])


def _many_graded(random: Generator, documents: Documents) -> dict[int, int]:
    """Return a hundred documents with grades 0 to 3, of which 60 were retrieved."""
    retrieved = random.choice(documents, 60, replace=False)
    elsewhere = random.integers(0, DOCUMENTS, 40)
    grades = random.integers(0, 4, 100)
    return dict(zip(np.concatenate([retrieved, elsewhere]).tolist(), grades.tolist(), strict=True))


JUDGES: Final[Mapping[Judging, Callable[[Generator, Documents], dict[int, int]]]] = {
    "few binary": _few_binary,
    "many graded": _many_graded,
}
SCORES: Final[Mapping[Scoring, Scores]] = {
    "six decimals": Scores(_falling, "%.6f"),
    "all digits": Scores(_falling, "%r"),
    "a third equal": Scores(_a_third_equal, "%.6f"),
    "whole numbers": Scores(_whole_numbers, "%d"),
}

if __name__ == "__main__":
    generate(Collection(**json.loads(sys.argv[1])))
