"""How much work a benchmark does: all of it, or just enough to see that it runs."""

from dataclasses import dataclass, replace
from typing import Final

from bench.collections import Collection


@dataclass(frozen=True, slots=True)
class Effort:
    """Collections have `shrink` times fewer queries, and no program runs more than `rounds` times on one."""

    shrink: int
    rounds: int
    starts: int
    items: int
    resamples: int

    def sized(self, collection: Collection) -> Collection:
        """Return the collection at this effort; never fewer than ten queries."""
        return replace(collection, queries=max(collection.queries // self.shrink, 10))


FULL: Final = Effort(shrink=1, rounds=3, starts=10, items=6_980, resamples=10_000)
QUICK: Final = Effort(shrink=100, rounds=1, starts=2, items=698, resamples=1_000)
