"""TREC runs: `query Q0 document rank score tag`; one record for each query, with the ids as their scores rank them."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.foreign.trec_columns import grouped, write_columns
from steelyard.io.records import Record

NAME: Final = "trec-run"
TITLE: Final = "TREC run"
CARRIES: Final = frozenset((rows.ID, rows.CONTEXTS, rows.RETRIEVED_IDS, rows.RETRIEVED_SCORES, rows.SYSTEM))
NEEDS: Final = frozenset((rows.ID, rows.CONTEXTS, rows.RETRIEVED_IDS))

_WIDTH: Final = 6
_TAG: Final = "steelyard"


def recognises(container: Container) -> bool:
    """Whether lines have the six columns of a run."""
    return container.kind == "lines" and container.width == _WIDTH


def read(container: Container) -> Iterator[Record]:
    """Yield the rankings; equal scores are in descending order of the id, as trec_eval has them."""
    for query, (number, lines) in grouped(container, _WIDTH, (4, "score"), TITLE).items():
        ranked = sorted(((float(line[3]), line[1]) for line in lines), reverse=True)
        fields = {
            rows.ID: query,
            rows.RETRIEVED_IDS: [document for _, document in ranked],
            rows.RETRIEVED_SCORES: [score for score, _ in ranked],
            rows.SYSTEM: lines[0][4],
        }
        yield Record(container.name, number, fields)


def write(content: Iterable[Fields], path: Path) -> None:
    """Write rankings: the ids of the contexts in their order, each once."""
    write_columns((line for row in content for line in _lines(row)), path)


def _lines(row: Fields) -> Iterator[list[Any]]:
    ids = list(dict.fromkeys(row.get(rows.RETRIEVED_IDS) or map(rows.id_of, row.get(rows.CONTEXTS) or ())))
    tag = "_".join(str(row.get(rows.SYSTEM) or _TAG).split())
    given = row.get(rows.RETRIEVED_SCORES) or []
    scores = given if len(given) == len(ids) else _scores(row.get(rows.CONTEXTS) or [], len(ids))
    for rank, (document, score) in enumerate(zip(ids, scores, strict=True), 1):
        yield [row[rows.ID], "Q0", document, rank, score, tag]


def _scores(contexts: list[Any], count: int) -> list[float]:
    """Return the scores of the contexts where they fall with each rank; else numbers that do."""
    given = [context.get("score") for context in contexts if isinstance(context, dict)]
    numbers = [each for each in given if isinstance(each, int | float) and not isinstance(each, bool)]
    falls = all(higher > lower for higher, lower in pairwise(numbers))
    return numbers if len(numbers) == count and falls else [float(count - rank) for rank in range(count)]
