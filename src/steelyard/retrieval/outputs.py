"""What is kept of the rankings of a run, for pages and plots: the first documents, relevant ones missed, precision.

Every query has a mapping: `ranked` and `grades` are the first documents of the run and their grades (None: not judged),
`relevant` is the number of relevant documents, `missed` the best of those that are not among the first, each with its
grade and its rank (None: not retrieved), and `precision` the interpolated precision at 11 levels of recall.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np

from steelyard.retrieval.matching import Matches, Rankings
from steelyard.retrieval.reading.rankings import Qrels
from steelyard.table import Flags

FIRST: Final = 20
"""The number of documents of each query that are kept."""
MOST_MISSED: Final = 10
"""The number of relevant documents beside them that are kept."""
DIGITS: Final = 6
FIELDS: Final = frozenset(("ranked", "grades", "relevant", "missed", "precision", "texts", "absent"))
"""The fields of an output that describe a ranking.

`texts` are the titles and beginnings of its documents, `absent` the judged documents that the corpus lacks.
"""

Kept = dict[str, Any]


def kept_rankings(
    qrels: Qrels,
    matches: Sequence[Matches],
    ranked: Rankings,
    *,
    rel: int,
    depth: int | None,
    present: Flags | None,
) -> list[Kept]:
    """Return what is kept of each judged query; queries that are not `present` in the run have no precision."""
    from steelyard.retrieval.trec_metrics import precision_at_levels

    first: dict[int, list[str]] = {}
    for block in matches:
        first.update(block.first)
    count = min(FIRST, depth or FIRST)
    grades = _grades(ranked, count)
    missed = _missed(qrels, matches, rel=rel, first=count, depth=depth)
    relevant = ranked.relevant(rel).astype(np.int64).tolist()
    precision = precision_at_levels(ranked, rel).round(DIGITS).tolist()
    return [
        {
            "ranked": (documents := first.get(query, [])[:count]),
            "grades": [grades.get((query, rank)) for rank in range(1, len(documents) + 1)],
            "relevant": relevant[query],
            "missed": missed.get(query, []),
            **({"precision": precision[query]} if present is None or present[query] else {}),
        }
        for query in range(len(qrels.ids))
    ]


def _grades(ranked: Rankings, first: int) -> Mapping[tuple[int, int], int]:
    """Return the grades of judged documents among the first, by query and rank."""
    near = ranked.rank <= first
    places = zip(ranked.query[near].tolist(), ranked.rank[near].tolist(), strict=True)
    return dict(zip(places, ranked.grade[near].tolist(), strict=True))


def _missed(
    qrels: Qrels, matches: Sequence[Matches], *, rel: int, first: int, depth: int | None
) -> Mapping[int, list[list[Any]]]:
    """By query the relevant documents that are not among the first: id, grade and rank, the best grade first."""
    rank = np.zeros(len(qrels.grades), np.int64)
    for block in matches:
        rank[block.hit] = block.rank
    if depth is not None:
        rank[rank > depth] = 0
    rows = np.flatnonzero((qrels.grades >= rel) & ((rank == 0) | (rank > first)))
    after = np.where(rank[rows] == 0, np.iinfo(np.int64).max, rank[rows])
    rows = rows[np.lexsort((after, -qrels.grades[rows], qrels.query[rows]))]
    query = qrels.query[rows]
    starts = np.flatnonzero(np.diff(query, prepend=-1)).tolist()
    return {
        int(query[start]): [
            [qrels.documents.text_at(row), int(qrels.grades[row]), int(rank[row]) or None]
            for row in rows[start:end][:MOST_MISSED].tolist()
        ]
        for start, end in pairwise([*starts, len(rows)])
    }
