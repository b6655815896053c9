"""Qrels and runs of character spans, whose metrics do not depend on how a document is cut into chunks.

Each line of JSONL is one span: a query, a document, and the half-open range of characters `start` to `end`.
"""

from collections.abc import Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, Literal

from steelyard.answers.evaluate import evaluate_source
from steelyard.answers.rows import AnswerRow
from steelyard.answers.scoring import ScoringSpec
from steelyard.answers.sources import Answers
from steelyard.answers.values import Context
from steelyard.errors import BadValue, InputError, Problem
from steelyard.i18n import Message
from steelyard.io.addresses import addressed
from steelyard.io.records import read_records
from steelyard.registry.names import parse_measures
from steelyard.retrieval.reading.sources import END, START
from steelyard.retrieval.reading.tabular import (
    DOCUMENT,
    DOCUMENT_ID,
    GRADE,
    QUERY,
    QUERY_ID,
    SCORE,
    find_column,
    grade_of,
    identifier,
    score_of,
)
from steelyard.table import Table

DEFAULT: Final = ("SpanR", "SpanP", "SpanIoU")

Spans = dict[str, list[Context]]
"""The spans of each query, in the order of the file."""


def evaluate_spans(
    qrels: str | Path,
    run: str | Path,
    metrics: str | Sequence[str] | None = None,
    *,
    cutoffs: Sequence[int] | None = None,
    missing: Literal["zero", "skip"] = "zero",
    relevance_level: int = 1,
    depth: int | None = None,
    name: str | None = None,
) -> Table:
    """Evaluate retrieved spans against relevant spans: one row per judged query, one column per metric.

    Both are JSONL files. Hits are ordered by `score`, greatest first, then by document, greatest first, then by start;
    without scores by the order of the file. Relevant spans may have a `grade`.
    """
    measures = parse_measures(metrics or DEFAULT, cutoffs, kind="answers")
    wanted, _ = _read(qrels, GRADE)
    found, digest = _read(run, SCORE)
    if wanted.keys().isdisjoint(found):
        hint = Message("metrics.same_collection_hint", value=next(iter(wanted)))
        raise InputError(Message("metrics.no_query_judged", name=str(qrels)), where=str(run), hint=hint)
    silence: list[Context] | None = [] if missing == "zero" else None
    ranked = {query: hits and _ranked(hits)[:depth] for query in wanted for hits in [found.get(query, silence)]}
    rows = [_row(query, ranked[query], spans, relevance_level) for query, spans in wanted.items()]
    answers = Answers(str(run), rows, digest, format="spans")
    answers.counts["counts.judged_queries"] = len(wanted)
    answers.counts["counts.queries_missing"] = len(wanted.keys() - found)
    answers.counts["counts.queries_unjudged"] = len(found.keys() - wanted)
    chosen = {"depth": depth, "missing": missing, "rel": relevance_level}
    usual = {"depth": None, "missing": "zero", "rel": 1}
    read = "".join(f" {key}={value}" for key, value in chosen.items() if value != usual[key])
    return evaluate_source(answers, ScoringSpec(tuple(measures), "steelyard", "words"), name=name, read=read)


def _row(query: str, hits: Sequence[Context] | None, spans: Sequence[Context], relevance_level: int) -> AnswerRow:
    relevant = tuple(sorted(each for each in spans if (each.grade or 0) >= relevance_level))
    contexts = None if hits is None else tuple(hits)
    return AnswerRow(query, None, (), contexts=contexts, reference_contexts=relevant)


def _ranked(hits: Sequence[Context]) -> list[Context]:
    if any(each.score is None for each in hits):
        return list(hits)
    ranked = sorted(hits, key=attrgetter("span"))
    ranked.sort(key=attrgetter("document"), reverse=True)
    return sorted(ranked, key=attrgetter("score"), reverse=True)


def _read(path: str | Path, values: Sequence[str]) -> tuple[Spans, str]:
    """Return the spans of each query and the SHA-256 of the file; `values` are names of the score or the grade."""
    records, digest = read_records(addressed(path))
    if not records:
        raise InputError(Message("formats.no_rows"), where=str(path))
    columns = [find_column(list(records[0].fields), names, str(path)) for names in (QUERY, DOCUMENT, START, END)]
    columns += [field for field in records[0].fields if field.casefold() == values[0]]
    spans: Spans = {}
    problems: list[Problem] = []
    for record in records:
        try:
            query, context = _span(record.fields, columns, is_run=values is SCORE)
            spans.setdefault(query, []).append(context)
        except BadValue as error:
            problems.append(Problem(record.where, error.message))
    if problems:
        raise InputError.of(problems)
    return spans, digest


def _span(fields: dict[str, Any], columns: Sequence[str], *, is_run: bool) -> tuple[str, Context]:
    for column in columns:
        if column not in fields:
            raise BadValue(Message("formats.field_missing", key=column))
    query, document, start, end, *value = (fields[column] for column in columns)
    if type(start) is not int or type(end) is not int or not 0 <= start < end:
        raise BadValue(Message("formats.empty_span", start=start, end=end))
    context = Context(
        document=identifier(document, DOCUMENT_ID),
        span=(start, end),
        score=score_of(value[0]) if value and is_run else None,
        grade=None if is_run else grade_of(value[0]) if value else 1,
    )
    return identifier(query, QUERY_ID), context
