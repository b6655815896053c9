"""Rankings of chunks, judged by the passages that the questions of a legal benchmark require.

A run is a file of recorded outputs with contexts, of the chunks that a product returned for each question, or of lines
with one chunk each; in Python it may be a mapping from the ids of questions to chunks.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from steelyard import __version__
from steelyard.answers.batch import AnswerBatch
from steelyard.answers.values import contexts_of, identifier_of, shown
from steelyard.contexts.grounding import Memory
from steelyard.errors import BadValue, ConfigError, InputError, Problem
from steelyard.i18n import Message
from steelyard.io.layouts import CONTEXTS, PREDICTION
from steelyard.io.records import digest_rows, result_name
from steelyard.io.results import Footer, Header, Item
from steelyard.io.results.reading import Section, table_of
from steelyard.legal.benchmark.questions import read_benchmark
from steelyard.legal.evidence.retrieved import SCORES, Places, evidence_scores, places_of
from steelyard.legal.model import Question
from steelyard.legal.question_types import question_of
from steelyard.registry.kinds import CUTOFFS
from steelyard.registry.names import parse_measures
from steelyard.retrieval.evaluate import NOT_IN_RUN, RetrievalSettings
from steelyard.retrieval.reading.tabular import SCORE, score_of
from steelyard.systems.replay import Recorded, read_recorded
from steelyard.table import Signature, Table

_QUESTION: Final = ("question_id", "query_id", "query-id", "qid")

Ranked = dict[str, list[tuple[float, str]]]
"""The texts that were retrieved for each question, each with its place."""


def places_in(pairs: AnswerBatch) -> list[Places]:
    """Return where the reference contexts of each row are in its contexts, found once for all metrics."""
    return pairs.once("passages", lambda: list(_places(pairs)))


def _places(pairs: AnswerBatch) -> Iterable[Places]:
    memory = Memory()
    for wanted, contexts in zip(pairs.reference_contexts, pairs.contexts, strict=True):
        passages, chunks = ([each.text or "" for each in side] for side in (wanted, contexts))
        memory.add(sum(map(len, chunks)))
        yield places_of(passages, chunks)


def evaluate_chunks(
    folder: str | Path,
    run: Any,
    metrics: str | Sequence[str] | None = None,
    *,
    cutoffs: Sequence[int] | None = None,
    name: str | None = None,
    keep: bool = False,
    **settings: Any,
) -> Table:
    """Evaluate rankings of chunks: one row per question that requires a passage, one column per metric.

    With `keep`, the table has questions, passages and chunks as `outputs`. Further settings are those of rankings.
    """
    names, how = _metrics(metrics, cutoffs), RetrievalSettings(**settings)
    source, found = _read(run)
    every = _questions(folder)
    questions = {name: question for name, question in every.items() if question.passages}
    if found.keys().isdisjoint(questions):
        hint = Message("metrics.same_collection_hint", value=next(iter(questions), ""))
        raise InputError(Message("metrics.no_query_judged", name=str(folder)), where=source, hint=hint)
    items = {name: _item(question, found.get(name), names, how, keep=keep) for name, question in questions.items()}
    header = Header(
        "retrieval",
        result_name(source) if name is None else name,
        _signature(questions, found, how),
        names,
        bounds=dict.fromkeys(names, (0.0, 1.0)),
        counts={
            "counts.judged_queries": len(questions),
            "counts.questions_left_out": len(every) - len(questions),
            "counts.queries_missing": len(questions.keys() - found.keys()),
            "counts.queries_unjudged": len(found.keys() - every.keys()),
        },
    )
    return table_of(Section(header, items, footer=Footer(len(items), {})))


def _item(
    question: Question, chunks: Sequence[str] | None, names: Sequence[str], settings: RetrievalSettings, *, keep: bool
) -> Item:
    """Return the item of a question; with `missing` as "skip", one that is not in the run has no scores."""
    retrieved, about = list(chunks or ())[: settings.depth], question.about
    shown = {"question": about.question, "contexts": retrieved, "reference_contexts": list(question.passages)}
    is_scored = chunks is not None or settings.missing == "zero"
    return Item(
        about.id,
        evidence_scores(question.passages, retrieved, names) if is_scored else {},
        dict.fromkeys(names, NOT_IN_RUN.reason),
        tags=dict(about.tags),
        output=shown if keep else None,
    )


def _questions(folder: str | Path) -> dict[str, Question]:
    """Return the questions of a benchmark by id; their documents are not needed."""
    files = read_benchmark(folder)
    questions = (question_of(raw.fields, document=file.document) for file in files for raw in file.questions)
    return {question.about.id: question for question in questions}


def _metrics(metrics: str | Sequence[str] | None, cutoffs: Sequence[int] | None) -> list[str]:
    measures = parse_measures(metrics or list(SCORES), cutoffs or (None if metrics else CUTOFFS), kind="answers")
    names = list(map(str, measures))
    for name in names:
        if name.partition("@")[0] not in SCORES:
            hint = Message("core.known", names=", ".join(SCORES))
            raise ConfigError(Message("metrics.not_of_chunks", measure=name), hint=hint)
    return names


def _signature(
    questions: Mapping[str, Question], found: Mapping[str, Sequence[str]], settings: RetrievalSettings
) -> Signature:
    required = digest_rows([name, *question.passages] for name, question in questions.items())
    retrieved = digest_rows([name, *found[name]] for name in sorted(found))
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


def _read(run: Any) -> tuple[str, dict[str, list[str]]]:
    """Return the name of a run, and its rankings; every line that cannot be read is a problem of one error."""
    source = "run" if isinstance(run, Mapping) else str(run)
    recorded = _given(run) if isinstance(run, Mapping) else read_recorded(source)[1]
    found, problems = Ranked(), list[Problem]()
    for each in recorded:
        try:
            _add(each, found)
        except BadValue as error:
            problems.append(Problem(each.where, error.message))
    if not (problems or found):
        problems = [Problem(source, Message("formats.field_missing", key=CONTEXTS[0]))]
    if problems:
        raise InputError.of(problems, hint=Message("formats.chunks_hint"))
    return source, {name: [text for _, text in sorted(chunks, key=itemgetter(0))] for name, chunks in found.items()}


def _given(run: Mapping[str, Any]) -> Iterator[Recorded]:
    for name, chunks in run.items():
        yield Recorded(name, {CONTEXTS[0]: chunks}, f"run[{name!r}]")


def _add(recorded: Recorded, found: Ranked) -> None:
    """Add the chunks of a record to those of its question; BadValue says why they cannot be read."""
    value = recorded.value
    if recorded.problem or not isinstance(value, Mapping):
        raise BadValue(recorded.problem or Message("formats.not_an_object", shown=shown(value)))
    chunks = _chunks(value)
    if chunks is None and (not value or any(name in value for name in PREDICTION)):  # an output without contexts
        return
    named = next((value[name] for name in _QUESTION if name in value), recorded.id)
    question = identifier_of(named)
    if question is None:
        raise BadValue(Message("formats.invalid_id", value=shown(named)))
    ranking = found.setdefault(question, [])
    if ranking and chunks is not None:
        raise BadValue(Message("formats.question_again", name=question))
    for number, each in enumerate(contexts_of([value] if chunks is None else chunks) or (), len(ranking)):
        if each.text is None:
            raise BadValue(Message("formats.chunk_without_text"))
        ranking.append((_place(value, number) if chunks is None else number, each.text))


def _chunks(value: Mapping[str, Any]) -> Any:
    """Return the chunks in a record or in the reply of a product; None if it has no list of them."""
    match value:
        case {"data": {"chunks": list(chunks)}} | {"chunks": list(chunks)}:
            return chunks
    return next((value[name] for name in CONTEXTS if value.get(name) is not None), None)


def _place(value: Mapping[str, Any], number: int) -> float:
    """Return the place of a chunk on a line of its own: its rank, else by its score, else by its line."""
    if "rank" in value:
        return score_of(value["rank"])
    score = next((value[name] for name in SCORE if name in value), None)
    return number if score is None else -score_of(score)
