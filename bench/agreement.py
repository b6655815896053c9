"""Every value of every query against pytrec_eval's, before anything is timed: `python -m bench.agreement QRELS RUN`."""

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from itertools import chain, groupby, islice
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

import steelyard
from bench.contestants.pytrec_eval import evaluator_of
from bench.measures import MEASURES
from bench.races import TOLERANCE, Agreement


class Disagreement(Exception):
    """Steelyard and pytrec_eval give different numbers."""


def compare(qrels_path: str, run_path: str) -> Agreement:
    """Compare all values; a query that only one of the two has is a disagreement as well."""
    table = steelyard.evaluate_retrieval(qrels_path, run_path)
    ours = np.column_stack([table.column(measure.steelyard) for measure in MEASURES])
    theirs = dict(_pytrec_eval_values(qrels_path, run_path))
    if sorted(theirs) != sorted(table.ids):
        raise Disagreement(f"{len(table.ids)} queries in Steelyard, {len(theirs)} in pytrec_eval")
    differences = np.abs(ours - np.stack([theirs[query] for query in table.ids]))
    row, column = divmod(int(differences.argmax()), len(MEASURES))
    # argmax finds a NaN first, and a NaN is not below the tolerance
    if not differences[row, column] <= TOLERANCE:
        query, measure = table.ids[row], MEASURES[column].steelyard
        raise Disagreement(f"{measure} of query {query}: {ours[row, column]}, not {theirs[query][column]}")
    return Agreement(differences.size, float(differences[row, column]))


def _pytrec_eval_values(qrels_path: str, run_path: str) -> Iterator[tuple[str, NDArray[np.float64]]]:
    evaluator = evaluator_of(qrels_path)
    with open(run_path) as lines:
        for query, scores in _by_query(map(str.split, lines)):
            values = evaluator.evaluate({query: scores})[query]
            yield query, np.array([values[measure.pytrec_eval] for measure in MEASURES])


def _by_query(rows: Iterator[list[str]]) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield the scores of each query, one query at a time, so that the largest run needs little memory.

    A run whose first two lines are of different queries is in no such order: it is held in memory.
    """
    first = list(islice(rows, 2))
    every = chain(first, rows)
    if len({row[0] for row in first}) == 1:
        for query, own in groupby(every, key=itemgetter(0)):
            yield query, {row[2]: float(row[4]) for row in own}
        return
    held: dict[str, dict[str, float]] = {}
    for row in every:
        held.setdefault(row[0], {})[row[2]] = float(row[4])
    yield from held.items()


if __name__ == "__main__":
    print(json.dumps(asdict(compare(*sys.argv[1:]))))
