"""The two inputs of a ranking evaluation, as columns: judgments (qrels) and runs.

A run arrives in blocks, each of whole queries, so that a file larger than memory can be weighed; every reader of
every format ends here.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from steelyard.errors import MOST_PROBLEMS, InputError, Problem
from steelyard.i18n import Message
from steelyard.io.records import first_seen
from steelyard.retrieval.reading.spans import Spans, Words, combine
from steelyard.table import FloatArray, IntArray

QRELS_HINT = Message("formats.qrels_line_query_0_document")
DUPLICATE_HINT = Message("formats.list_each_document_once_per")


@dataclass(frozen=True, slots=True, eq=False)
class RunBlock:
    """Run lines with the lines of a query together; `line` is where each stands, counted from 0 in its block.

    `problems` are lines that could not be read (they are not in the columns); `odd` counts what is unusual and
    still has one meaning. A block that is not text is not `readable`, and neither is the rest of its file.
    """

    queries: Spans
    documents: Spans
    scores: FloatArray
    ranks: Spans | None
    line: IntArray
    lines: int
    problems: list[tuple[int, Message]] = field(default_factory=list)
    odd: dict[str, int] = field(default_factory=dict)
    readable: bool = True

    @classmethod
    def unreadable(cls, problem: tuple[int, Message]) -> "RunBlock":
        """A block of which nothing can be read but why."""
        none = Spans.of(())
        return cls(none, none, np.zeros(0), None, np.zeros(0, np.int64), 0, [problem], readable=False)


Piece = Callable[[], RunBlock]


@dataclass(eq=False)
class Run:
    """A run to be read: `pieces` reads it from its beginning, and each piece turns into columns when it is called.

    Reading is done in order; pieces may be called on any thread. `whole` reads everything as one block, for runs whose
    queries are not in one piece, `place` names a line, and `digest` tells what was read, afterwards.
    """

    name: str
    pieces: Callable[[], Iterator[Piece]]
    whole: Piece
    place: Callable[[int], str]
    digest: Callable[[], str]


@dataclass(eq=False)
class Judgments:
    """Graded judgments: row i says that `documents[i]` has `grades[i]` for the query `ids[query[i]]`.

    Queries are in the order of their bytes, so that means are summed up in the order in which trec_eval does it.
    `odd` counts lines that are unusual and still have one meaning.
    """

    name: str
    ids: list[str]
    queries: Spans
    query: IntArray
    documents: Spans
    grades: IntArray
    digest: str
    odd: dict[str, int] = field(default_factory=dict)

    @cached_property
    def keys(self) -> Words:
        """A hash of query and document for each row."""
        return combine(self.documents.hashes(), self.query)


def judgments(
    name: str, queries: Spans, documents: Spans, grades: IntArray, *, digest: str, place: Callable[[int], str]
) -> Judgments:
    """Build judgments from columns; a document judged twice for one query is an error, and so is none at all."""
    if not len(grades):
        raise InputError(Message("formats.no_judgments"), where=name, hint=QRELS_HINT)
    query, heads = _number_queries(queries)
    found = Judgments(name, heads.texts(), heads, query, documents, grades, digest)
    again = repeated(found.keys, found.query, documents)
    if again:
        raise InputError.of(
            [
                Problem(
                    place(late),
                    Message("formats.judged_again", document=documents.text_at(late), first=first_seen(place(early))),
                )
                for early, late in again[:MOST_PROBLEMS]
            ],
            hint=Message("formats.keep_one_judgment_per_query"),
        )
    return found


def _number_queries(queries: Spans) -> tuple[IntArray, Spans]:
    """For each row the number of its query, and the queries by number: in order of their bytes, as trec_eval has it."""
    firsts = np.flatnonzero(queries.changes())
    seen: dict[str, int] = {}
    segments = queries.take(firsts)
    number = np.array([seen.setdefault(text, len(seen)) for text in segments.texts()])
    heads = segments.take(np.unique(number, return_index=True)[1])
    order = heads.order()
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return np.repeat(place[number], np.diff(firsts, append=len(queries))), heads.take(order)


def repeated(keys: Words, query: IntArray, documents: Spans) -> list[tuple[int, int]]:
    """Pairs of rows (earlier, later) with the same query and document, in order of the later row.

    Rows race for a slot by their hash; only losers need a closer look, and few rows lose.
    """
    bits = max(12, len(keys).bit_length() + 2)
    slot = (keys >> np.uint64(64 - bits)).astype(np.int64)
    holder = np.empty(1 << bits, np.int32)
    rows = np.arange(len(keys), dtype=np.int32)
    holder[slot] = rows
    losers = np.flatnonzero(holder[slot] != rows)
    clash = losers[keys[holder[slot[losers]]] == keys[losers]]
    among = np.sort(keys[losers])
    if not len(clash) and not (among[1:] == among[:-1]).any():
        return []
    return _confirm_repeated(keys, query, documents)


def _confirm_repeated(keys: Words, query: IntArray, documents: Spans) -> list[tuple[int, int]]:
    order = np.lexsort((*documents.sort_keys(), query, keys))
    same = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
    early, late = order[same], order[same + 1]
    same_row = (query[early] == query[late]) & documents.take(early).equals(documents.take(late))
    pairs = np.column_stack((early[same_row], late[same_row]))
    return [(int(a), int(b)) for a, b in pairs[np.argsort(pairs[:, 1])]]


def run_from_rows(
    name: str,
    queries: list[bytes],
    documents: list[bytes],
    scores: FloatArray,
    *,
    digest: str,
    place: Callable[[int], str],
) -> Run:
    """A run that is already in memory; the rows of a query need not be together."""
    block = grouped(RunBlock(Spans.of(queries), Spans.of(documents), scores, None, np.arange(len(scores)), len(scores)))
    return Run(name, lambda: iter((lambda: block,)), lambda: block, place, lambda: digest)


def grouped(block: RunBlock) -> RunBlock:
    """The same lines with those of a query together, its lines in their order."""
    order = block.queries.order()
    return replace(
        block,
        queries=block.queries.take(order),
        documents=block.documents.take(order),
        scores=block.scores[order],
        ranks=None if block.ranks is None else block.ranks.take(order),
        line=block.line[order],
    )
