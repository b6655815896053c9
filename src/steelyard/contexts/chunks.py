"""Rankings of chunks, judged by the passages that the questions of a legal benchmark require.

A run is a file of recorded outputs with contexts, of the chunks that a product returned for each question, or of lines
with one chunk each; in Python it may be a mapping from the ids of questions to chunks.
"""

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from steelyard import __version__
from steelyard.answers.batch import AnswerBatch
from steelyard.answers.values import contexts_of, identifier_of, shown
from steelyard.contexts.grounding import Memory
from steelyard.errors import BadValue, ConfigError, InputError, Problem
from steelyard.i18n import Message, Option
from steelyard.io.layouts import CONTEXTS, PREDICTION
from steelyard.io.records import digest_rows
from steelyard.legal.benchmark.questions import read_benchmark
from steelyard.legal.evidence.retrieved import CUTOFFS, FOUND, Places, places_of, rankings_of
from steelyard.legal.model import Question
from steelyard.legal.question_types import question_of
from steelyard.registry.metrics import Measure, column_of
from steelyard.registry.names import parse_measures
from steelyard.retrieval.evaluate import RetrievalSettings, unscored_where_absent
from steelyard.retrieval.reading.tabular import SCORE, score_of
from steelyard.systems.replay import Recorded, read_recorded
from steelyard.table import Column, Flags, Signature, Table

DEFAULT: Final = (*FOUND, "RR", "nDCG")
_QUESTION: Final = ("question_id", "query_id", "query-id", "qid", "id", "_id")

Chunks = Mapping[str, Sequence[str]]
"""The texts that were retrieved for each question, best first."""


class _Hit(NamedTuple):
    """A chunk on a line of its own."""

    text: str
    rank: float | None
    score: float | None


def places_in(pairs: AnswerBatch) -> list[Places]:
    """Return where the reference contexts of each row are in its contexts, found once for all metrics."""
    both = zip(pairs.reference_contexts, pairs.contexts, strict=True)
    texts = ([[each.text or "" for each in side] for side in of] for of in both)
    return pairs.once("passages", lambda: _places(texts))


def _places(rows: Iterable[Sequence[Sequence[str]]]) -> list[Places]:
    """Return where the passages of each row, its first list, are in its chunks, its second."""
    memory, places = Memory(), list[Places]()
    for passages, chunks in rows:
        memory.add(sum(map(len, chunks)))
        places.append(places_of(passages, chunks))
    return places


def evaluate_chunks(
    folder: str | Path,
    run: Any,
    metrics: str | Sequence[str] | None,
    settings: RetrievalSettings,
    *,
    cutoffs: Sequence[int] | None = None,
    name: str | None = None,
    keep: bool = False,
) -> Table:
    """Evaluate rankings of chunks: one row per question that requires a passage, one column per metric.

    With `keep`, the table has questions, passages and chunks as `outputs`.
    """
    if settings.relevance_level != 1:
        raise ConfigError(Message("cli.not_with_questions", option=Option("relevance_level")), where=str(folder))
    measures = _measures(metrics, cutoffs)
    every = _questions(folder)
    source, found = _read(run)
    questions = [question for question in every if question.passages]
    ids = [question.about.id for question in questions]
    _check_common(ids, found, str(folder), str(run) if isinstance(run, str | Path) else source)
    chunks = [list(found.get(each, ()))[: settings.depth] for each in ids]
    rows = [(question.passages, texts) for question, texts in zip(questions, chunks, strict=True)]
    scored = np.array([settings.missing == "zero" or each in found for each in ids], np.bool_)
    return Table(
        ids=ids,
        columns=_columns(measures, _places(rows), list(map(len, chunks)), scored),
        kind="retrieval",
        name=source if name is None else name,
        signature=_signature(questions, found, settings),
        tags=_tags(questions),
        counts=_counts(every, found),
        outputs=list(map(_output, questions, chunks)) if keep else (),
    )


def _questions(folder: str | Path) -> list[Question]:
    """Return the questions of a benchmark, whose documents are not needed."""
    return [
        question_of(raw.fields, document=file.document, criteria=file.criteria, where=raw.where)
        for file in read_benchmark(folder)
        for raw in file.questions
    ]


def _measures(metrics: str | Sequence[str] | None, cutoffs: Sequence[int] | None) -> list[Measure]:
    measures = parse_measures(metrics or DEFAULT, cutoffs or (None if metrics else CUTOFFS), kind="answers")
    for measure in measures:
        if measure.metric.kind != "retrieval" and measure.name not in FOUND:
            message = Message("metrics.not_of_chunks", measure=str(measure))
            raise ConfigError(message, hint=Message("core.known", names=", ".join(DEFAULT)))
    return measures


def _columns(
    measures: Sequence[Measure], places: Sequence[Places], sizes: Sequence[int], scored: Flags
) -> dict[str, Column]:
    """Return the column of each metric; questions that are not `scored` have no value."""
    ranked, columns = rankings_of(places, sizes), dict[str, Column]()
    for measure in measures:
        metric, settings, find = measure.metric, measure.settings(), FOUND.get(measure.name)
        values = metric.compute(ranked, **settings) if find is None else find(places, dict(measure.parameters).get("k"))
        column = Column(
            column_of(values, measure, len(places)),
            bounds=metric.bounds,
            summed=metric.summed,
            geometric=metric.geometric,
        )
        columns[str(measure)] = column if scored.all() else unscored_where_absent(column, scored)
    return columns


def _check_common(ids: Sequence[str], found: Chunks, folder: str, source: str) -> None:
    if not ids:
        raise InputError(Message("legal.no_passage_required"), where=folder)
    if found.keys().isdisjoint(ids):
        hint = Message("metrics.same_collection_hint", value=ids[0])
        raise InputError(Message("metrics.no_query_judged", name=folder), where=source, hint=hint)


def _tags(questions: Sequence[Question]) -> dict[str, list[str]]:
    names = dict.fromkeys(name for question in questions for name in question.about.tags)
    return {name: [question.about.tags.get(name, "") for question in questions] for name in names}


def _counts(every: Sequence[Question], found: Chunks) -> dict[str, int]:
    judged = {question.about.id for question in every if question.passages}
    without = [question for question in every if not question.passages]
    gaps = sum(question.may_abstain for question in without)
    return {
        "counts.judged_queries": len(judged),
        "counts.gaps_left_out": gaps,
        "counts.questions_without_passages": len(without) - gaps,
        "counts.queries_missing": len(judged - found.keys()),
        "counts.queries_unjudged": len(found.keys() - {question.about.id for question in every}),
    }


def _signature(questions: Sequence[Question], found: Chunks, settings: RetrievalSettings) -> Signature:
    required = digest_rows([[question.about.id, *question.passages] for question in questions])
    retrieved = digest_rows([[name, *texts] for name, texts in sorted(found.items())])
    return Signature.of(
        {
            "kind": "retrieval",
            "judgments": "required passages",
            "missing": settings.missing,
            "depth": settings.depth or "all",
            "qrels": f"sha256 {required[:16]}",
            "run": f"sha256 {retrieved[:16]}",
            "steelyard": __version__,
        }
    )


def _output(question: Question, chunks: Sequence[str]) -> dict[str, Any]:
    shown = {"contexts": chunks, "reference_contexts": list(question.passages)}
    return {"question": question.about.question, **shown}


def _read(run: Any) -> tuple[str, Chunks]:
    """Return the name of a run, and its rankings; every line that cannot be read is a problem of one error."""
    name, recorded = read_recorded(str(run)) if isinstance(run, str | Path) else ("run", _given(run))
    lists, hits, problems = dict[str, list[str]](), dict[str, list[_Hit]](), list[Problem]()
    for each in recorded:
        try:
            _add(each, lists, hits)
        except BadValue as error:
            problems.append(Problem(each.where, error.message))
    if not (problems or lists or hits):
        problems = [Problem(str(run), Message("formats.field_missing", key=CONTEXTS[0]))]
    if problems:
        raise InputError.of(problems, hint=Message("formats.chunks_hint"))
    return name, {question: _in_order(of) for question, of in hits.items()} | lists


def _given(run: Any) -> list[Recorded]:
    """Return chunks given in Python: by the id of their question, or in rows."""
    if isinstance(run, Mapping):
        return [Recorded(name, {CONTEXTS[0]: chunks}, f"run[{name!r}]") for name, chunks in run.items()]
    return [Recorded(None, row, f"run[{number}]") for number, row in enumerate(run)]


def _add(recorded: Recorded, lists: dict[str, list[str]], hits: dict[str, list[_Hit]]) -> None:
    """Add the chunks of a record to those of its question; BadValue says why they cannot be read."""
    if recorded.problem:
        raise BadValue(recorded.problem)
    if not isinstance(recorded.value, Mapping):
        raise BadValue(Message("formats.not_an_object", shown=shown(recorded.value)))
    value = recorded.value
    given = next((value[name] for name in _QUESTION if value.get(name) is not None), recorded.id)
    question, chunks = identifier_of(given), _chunks(value)
    if question is None:
        raise BadValue(Message("formats.invalid_id", value=shown(given)))
    if chunks is not None and question in lists:
        raise BadValue(Message("formats.question_again", name=question))
    if chunks is not None:
        lists[question] = _texts(chunks)
    elif value and not any(name in value for name in PREDICTION):  # of an answer without contexts nothing is known
        hits.setdefault(question, []).append(_hit(value))


def _chunks(value: Mapping[str, Any]) -> Any:
    """Return the chunks in a record or in the reply of a product; None if it has no list of them."""
    match value:
        case {"data": {"chunks": list(chunks)}} | {"chunks": list(chunks)}:
            return chunks
    return next((value[name] for name in CONTEXTS if value.get(name) is not None), None)


def _texts(chunks: Any) -> list[str]:
    texts = [each.text for each in contexts_of(chunks) or ()]
    if None in texts:
        raise BadValue(Message("formats.chunk_without_text"))
    return [text or "" for text in texts]


def _hit(value: Mapping[str, Any]) -> _Hit:
    (text,) = _texts([value])
    rank = value.get("rank")
    score = next((value[name] for name in SCORE if value.get(name) is not None), None)
    return _Hit(text, None if rank is None else score_of(rank), None if score is None else score_of(score))


def _in_order(hits: Sequence[_Hit]) -> list[str]:
    """Return the texts by rank; without ranks by score, the greatest first; without scores by their lines."""
    if all(hit.rank is not None for hit in hits):
        hits = sorted(hits, key=attrgetter("rank"))
    elif all(hit.score is not None for hit in hits):
        hits = sorted(hits, key=attrgetter("score"), reverse=True)
    return [hit.text for hit in hits]
