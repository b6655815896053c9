"""Invented test collections in the shapes people evaluate, written to `bench/collections/` once and then reused."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal

from bench.processes import run_python

FOLDER: Final = Path(__file__).with_name("collections")

Judging = Literal["few binary", "many graded"]
Scoring = Literal["six decimals", "all digits", "whole numbers", "a third equal"]
Order = Literal["by query", "by rank", "shuffled"]


@dataclass(frozen=True, slots=True)
class Collection:
    """Judgments and one run of `queries` rankings, each of `depth` documents; `order` is that of the run's lines."""

    name: str
    description: str
    queries: int
    depth: int
    judging: Judging
    scoring: Scoring
    seed: int
    order: Order = "by query"

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
    if not (collection.qrels_path.exists() and collection.run_path.exists()):
        run_python(("-m", "bench.generation", json.dumps(asdict(collection))))


def remove(collection: Collection) -> None:
    """Delete the files of a collection."""
    collection.run_path.unlink(missing_ok=True)
    collection.qrels_path.unlink(missing_ok=True)


MSMARCO: Final = Collection(
    name="msmarco",
    description="The size of MS MARCO's dev set, about 1.07 binary judgments a query",
    queries=6_980,
    depth=1_000,
    judging="few binary",
    scoring="six decimals",
    seed=1,
)
GRADED: Final = Collection(
    name="graded",
    description="The size of a TREC track, about 100 graded judgments a query",
    queries=250,
    depth=1_000,
    judging="many graded",
    scoring="six decimals",
    seed=2,
)
MANY: Final = Collection(
    name="many",
    description="Many short rankings, about 1.07 binary judgments a query",
    queries=100_000,
    depth=100,
    judging="few binary",
    scoring="six decimals",
    seed=3,
)
DOUBLES: Final = Collection(
    name="doubles",
    description="Scores written with all the digits of a double, 16 or 17",
    queries=1_000,
    depth=1_000,
    judging="few binary",
    scoring="all digits",
    seed=4,
)
TIED: Final = Collection(
    name="tied",
    description="Whole scores from 0 to 50 in no order, so that every document ties with others",
    queries=250,
    depth=1_000,
    judging="many graded",
    scoring="whole numbers",
    seed=5,
)
TIES: Final = Collection(
    name="ties",
    description="As msmarco, but a third of all documents have the score of the one before",
    queries=6_980,
    depth=1_000,
    judging="few binary",
    scoring="a third equal",
    seed=8,
)
INTERLEAVED: Final = Collection(
    name="interleaved",
    description="As msmarco, but the first documents of all queries come first, then all second ones, and so on",
    queries=6_980,
    depth=1_000,
    judging="few binary",
    scoring="six decimals",
    seed=9,
    order="by rank",
)
SHUFFLED: Final = Collection(
    name="shuffled",
    description="As msmarco, but the lines are in no order",
    queries=6_980,
    depth=1_000,
    judging="few binary",
    scoring="six decimals",
    seed=9,
    order="shuffled",
)
TENTH: Final = Collection(
    name="tenth",
    description="A tenth of msmarco",
    queries=700,
    depth=1_000,
    judging="few binary",
    scoring="six decimals",
    seed=6,
)
TENFOLD: Final = Collection(
    name="tenfold",
    description="Ten times msmarco",
    queries=69_800,
    depth=1_000,
    judging="few binary",
    scoring="six decimals",
    seed=7,
)
