"""Relevance judgments (qrels) and blocks of runs as columns."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from steelyard.errors import MOST_PROBLEMS, InputError, Problem
from steelyard.i18n import Message
from steelyard.io.records import first_seen
from steelyard.retrieval.reading.spans import Spans, Words, combine
from steelyard.table import FloatArray, IntArray

QRELS_HINT = Message("formats.qrels_line_hint")
DUPLICATE_HINT = Message("formats.duplicate_document_hint")


@dataclass(frozen=True, slots=True, eq=False)
class RunBlock:
    """Run lines grouped by query; `line` is the number of each line, counted from 0 in its block.

    `problems` are lines that could not be read (they are not in the columns); `anomalies` counts lines that are unusual
    but unambiguous. A block that is not text is not `readable`, and neither is the rest of its file. `firsts` are the
    first rows of queries, where they are known already; in `distinct` rows no query has a document twice.
    """

    queries: Spans
    documents: Spans
    scores: FloatArray
    ranks: Spans | None
    line: IntArray
    lines: int
    problems: list[tuple[int, Message]] = field(default_factory=list)
    anomalies: dict[str, int] = field(default_factory=dict)
    readable: bool = True
    firsts: IntArray | None = None
    distinct: bool = False

    @classmethod
    def unreadable(cls, problem: tuple[int, Message]) -> "RunBlock":
        """Return an empty block with the problem."""
        none = Spans.of(())
        return cls(none, none, np.zeros(0), None, np.zeros(0, np.int64), 0, [problem], readable=False)

    def take(self, rows: IntArray) -> "RunBlock":
        """Return the same block with its rows in another order."""
        return replace(
            self,
            queries=self.queries.take(rows),
            documents=self.documents.take(rows),
            scores=self.scores[rows],
            ranks=None if self.ranks is None else self.ranks.take(rows),
            line=self.line[rows],
            firsts=None,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Subtopics:
    """Judgments by subtopic: the document of row `judgment[i]` of the qrels has `grade[i]` for `subtopic[i]`."""

    judgment: IntArray
    subtopic: IntArray
    grade: IntArray


@dataclass(eq=False)
class Qrels:
    """Graded relevance judgments: `documents[i]` has the grade `grades[i]` for the query `ids[query[i]]`.

    Queries are in byte order, so that means are summed in the same order as in trec_eval. `anomalies` counts lines that
    are unusual but unambiguous. Where judgments were read by subtopic, the grade is the best of the document.
    """

    name: str
    ids: list[str]
    queries: Spans
    query: IntArray
    documents: Spans
    grades: IntArray
    digest: str
    anomalies: dict[str, int] = field(default_factory=dict)
    subtopics: Subtopics | None = None

    @cached_property
    def keys(self) -> Words:
        """Return a hash of query and document for each row."""
        return combine(self.documents.hashes(), self.query)


def qrels_from_columns(
    name: str, queries: Spans, documents: Spans, grades: IntArray, *, digest: str, place: Callable[[int], str]
) -> Qrels:
    """Return qrels from columns; a document judged twice for one query is an error, and so are empty qrels."""
    if not len(grades):
        raise InputError(Message("formats.no_judgments"), where=name, hint=QRELS_HINT)
    query, heads = _number_queries(queries)
    qrels = Qrels(name, heads.texts(), heads, query, documents, grades, digest)
    _refuse_duplicates(repeated(qrels.keys, qrels.query, documents), documents, place)
    return qrels


def _refuse_duplicates(pairs: list[tuple[int, int]], documents: Spans, place: Callable[[int], str]) -> None:
    if pairs:
        raise InputError.of(
            [
                Problem(
                    place(late),
                    Message(
                        "formats.duplicate_judgment", document=documents.text_at(late), first=first_seen(place(early))
                    ),
                )
                for early, late in pairs[:MOST_PROBLEMS]
            ],
            hint=Message("formats.duplicate_judgment_hint"),
        )


def qrels_by_subtopic(
    name: str,
    queries: Spans,
    subtopics: Spans,
    documents: Spans,
    grades: IntArray,
    *,
    digest: str,
    place: Callable[[int], str],
) -> Qrels:
    """Return qrels in which a document has a judgment for each subtopic; two for the same subtopic are an error."""
    seen: dict[tuple[str, str], int] = {}
    pairs = zip(queries.texts(), documents.texts(), strict=True)
    judgment = np.array([seen.setdefault(pair, len(seen)) for pair in pairs], np.int64)
    codes: dict[str, int] = {}
    subtopic = np.array([codes.setdefault(text, len(codes)) for text in subtopics.texts()], np.int64)
    _refuse_duplicates(_same_subtopic(judgment, subtopic), documents, place)
    rows = np.unique(judgment, return_index=True)[1]
    best = grades[rows]
    np.maximum.at(best, judgment, grades)
    qrels = qrels_from_columns(
        name, queries.take(rows), documents.take(rows), best, digest=digest, place=lambda row: place(int(rows[row]))
    )
    return replace(qrels, subtopics=Subtopics(judgment, subtopic, grades))


def _same_subtopic(judgment: IntArray, subtopic: IntArray) -> list[tuple[int, int]]:
    order = np.lexsort((subtopic, judgment))
    same = (np.diff(judgment[order]) == 0) & (np.diff(subtopic[order]) == 0)
    return sorted(((int(order[n]), int(order[n + 1])) for n in np.flatnonzero(same)), key=lambda pair: pair[1])


def _number_queries(queries: Spans) -> tuple[IntArray, Spans]:
    """Return the query number of each row, and the queries by number, in byte order as in trec_eval."""
    firsts = np.flatnonzero(queries.changes())
    segments = queries.take(firsts)
    order = segments.order()
    ordered = segments.take(order)
    begins = ordered.changes()
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(begins) - 1
    return np.repeat(number, np.diff(firsts, append=len(queries))), ordered.take(np.flatnonzero(begins))


def repeated(keys: Words, query: IntArray, documents: Spans) -> list[tuple[int, int]]:
    """Pairs of rows (earlier, later) with the same query and document, in order of the later row.

    Each row writes itself into a slot by its hash; only rows that were overwritten can be duplicates, and they are few.
    """
    bits = max(12, len(keys).bit_length() + 2)
    slot = (keys >> np.uint64(64 - bits)).view(np.int64)
    holder = np.empty(1 << bits, np.int32)
    rows = np.arange(len(keys), dtype=np.int32)
    holder[slot] = rows
    overwritten = np.flatnonzero(holder.take(slot) != rows)
    clash = overwritten[keys[holder[slot[overwritten]]] == keys[overwritten]]
    ordered = np.sort(keys[overwritten])
    if not len(clash) and not (ordered[1:] == ordered[:-1]).any():
        return []
    return _confirm_repeated(keys, query, documents)


def _confirm_repeated(keys: Words, query: IntArray, documents: Spans) -> list[tuple[int, int]]:
    order = np.lexsort((*documents.sort_keys(), query, keys))
    same = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
    early, late = order[same], order[same + 1]
    same_row = (query[early] == query[late]) & documents.take(early).equals(documents.take(late))
    pairs = np.column_stack((early[same_row], late[same_row]))
    return [(int(a), int(b)) for a, b in pairs[np.argsort(pairs[:, 1])]]


def grouped(block: RunBlock) -> RunBlock:
    """Return the same lines grouped by query; the lines of a query keep their order."""
    return block.take(block.queries.order())
