"""Evaluation of answers against references: from a source of rows to a Table."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import chain, islice
from pathlib import Path
from typing import Any, Literal, TypeGuard

import numpy as np
from numpy.typing import NDArray

from steelyard import __version__
from steelyard.answers.batch import CorpusFile
from steelyard.answers.columns import BatchColumn, reasons_of
from steelyard.answers.frames import frame_of, is_series, paired_ids, values_of
from steelyard.answers.metrics import DEFAULT_ANSWERS, check_packages
from steelyard.answers.needs import (
    AS_READ,
    UNMET,
    WANTS,
    check_met,
    context_use,
    judged_metrics,
    metrics_of_tasks,
    needed,
    required_fields,
    uses_answerable,
)
from steelyard.answers.profiles import profile_of
from steelyard.answers.rows import AnswerRow, Wanted
from steelyard.answers.scoring import (
    RangedAnswers,
    ScoredBatch,
    ScoringSpec,
    UnorderedAnswers,
    ranged_answers,
    score_batches,
)
from steelyard.answers.sources import (
    Answers,
    AnswerStream,
    answers_of,
    answers_of_frame,
    answers_of_rows,
    stream_answers,
)
from steelyard.answers.values import Contexts
from steelyard.engines.base import Engine, engine_of
from steelyard.errors import ConfigError, InputError, UnknownName
from steelyard.i18n import Localized, Message, Option
from steelyard.io.records import read_records, result_name
from steelyard.io.streams import read_once
from steelyard.registry.judged import folded
from steelyard.registry.metrics import Measure
from steelyard.registry.names import parse_measures, split_names
from steelyard.table import Column, FloatArray, IntArray, Missing, Signature, Table
from steelyard.text.tokens import TokenUnit

OWN_PROFILE = "steelyard"
STATUTE_KNOWN = "StatuteKnown"
UNJUDGED = "counts.contexts_unjudged"
LEFT_OUT = "counts.references_left_out"
OVER_CONTEXTS = ("ValuesGrounded", "Refusal")
"""The metrics that a source without references has by default."""


def evaluate_answers(
    predictions: Any,
    references: Any = None,
    metrics: str | Sequence[str] | None = None,
    *,
    profile: str = "steelyard",
    tokens: TokenUnit = "words",
    language: str = "auto",
    mapping: Mapping[str, str] | None = None,
    ids: Sequence[Any] | None = None,
    name: str | None = None,
    processes: int = 1,
    engine: str | Engine | None = None,
    progress: Callable[[int], None] | None = None,
    keep: bool | Literal["questions"] = False,
    system: str | None = None,
    strip_citations: bool | None = None,
    tags: Sequence[str] = (),
    statutes: str | Path | None = None,
) -> Table:
    """Evaluate answers: one row per item, one column per metric.

    `predictions` and `references` are paths, sequences of texts, or mappings by id. What has named fields contains
    both, alone: a path, a data frame, a Hugging Face data set, columns, or rows such as `{"question": …, "prediction":
    …, "references": …, "contexts": …}`; `mapping` names columns. `ids` name the items, else a column of ids, an index
    of pandas that is not 0, 1, 2 …, their questions, or numbers. A missing prediction scores 0, an item without a
    reference nothing. Long files are scored in batches, on `processes` or by an `engine` ("local", "ray", "dask" or an
    object); `progress` gets the rows done. `keep` keeps the texts for reports, or only the questions. `system` selects
    one of a file, `tags` name columns, `statutes` a corpus. `strip_citations` (default: for the profile `steelyard`)
    hides marks such as [1] from metrics over references. Without `metrics` and references, contexts are judged alone.
    """
    spec = _spec(metrics, predictions, profile, tokens, language=language, strip=strip_citations, statutes=statutes)
    workers, name, read = processes if processes > 1 else None, system if name is None else name, _read(mapping, system)
    source = partial(_answers, predictions, references, mapping, ids)
    wanted = partial(_wanted, system=system, tags=tags, keep=keep is True)
    with engine_of(engine or ("local" if workers else None), workers=workers) as on, _wants_of(profile):
        run = partial(evaluate_source, name=name, engine=on, progress=progress, keep=keep, read=read)
        return _evaluated(lambda spec: run(source(wanted(spec)), spec), spec, predictions, references)


def _evaluated(
    evaluated: Callable[[ScoringSpec], Table], spec: ScoringSpec, predictions: Any, references: Any
) -> Table:
    """Return the result; by default, of a source with contexts and without references, that of what needs none."""
    try:
        return evaluated(spec)
    except InputError as error:
        is_default = spec.is_default and spec.profile == OWN_PROFILE and references is None
        if not (is_default and _is_kept(predictions) and _lacks_references(error)):
            raise
        lacking = error
    needless = [measure for measure in spec.measures if "references" not in measure.metric.needs]
    measures = (*needless, *parse_measures(list(OVER_CONTEXTS), default=(), kind="answers"))
    try:
        table = evaluated(replace(spec, measures=measures, strip_citations=False))
    except InputError as error:
        raise (lacking if error.message.code == UNMET else error) from None
    return replace(table, counts={**table.counts, LEFT_OUT: len(table)})


def _lacks_references(error: InputError) -> bool:
    return error.message.code == "formats.no_column_for" and error.message.args["name"] == "references"


def _is_kept(predictions: Any) -> bool:
    """Return whether a source can be read again."""
    return not read_once(predictions) if isinstance(predictions, str | Path) else hasattr(predictions, "__len__")


@contextmanager
def _wants_of(profile: str) -> Iterator[None]:
    """Give the error about a missing column what the profile reads as its hint."""
    try:
        yield
    except InputError as error:
        if profile not in WANTS or error.message.code != "formats.no_column_for":
            raise
        raise InputError(error.message, where=error.where, hint=WANTS[profile]) from None


def _with_statutes(measures: list[Measure], statutes: str | Path | None, *, is_default: bool) -> list[Measure]:
    """Return the metrics, by default with the one that needs a corpus of statutes; refuse it without a corpus."""
    is_there = any(measure.metric.name == STATUTE_KNOWN for measure in measures)
    if statutes is None and is_there:
        raise ConfigError(Message("law.no_corpus"), hint=Message("law.no_corpus_hint", option=Option("statutes")))
    if statutes is None or is_there or not is_default:
        return measures
    return [*measures, *parse_measures(STATUTE_KNOWN, default=(), kind="answers")]


def _read(mapping: Mapping[str, str] | None, system: str | None) -> str:
    """Return the columns of fields and the system that were chosen, for the signature."""
    chosen = {**(mapping or {}), **({"system": system} if system else {})}
    return "".join(f" {field}={value}" for field, value in sorted(chosen.items()))


def _spec(
    metrics: str | Sequence[str] | None,
    predictions: Any,
    profile: str,
    tokens: TokenUnit,
    *,
    language: str,
    strip: bool | None,
    statutes: str | Path | None,
) -> ScoringSpec:
    """Return the metrics and how they are computed; citations are stripped by default in our own profile only."""
    _check_language(language)
    measures = _measures(metrics, predictions, statutes, profile)
    own = profile == OWN_PROFILE
    bare = "references" in needed(measures) and (own if strip is None else strip)
    profile_of(profile, tokens)  # check the name
    by_default = metrics is None and (own or profile in AS_READ)
    return ScoringSpec(tuple(measures), profile, tokens, bare, by_default, corpus_file(statutes))


def corpus_file(statutes: str | Path | None) -> CorpusFile | None:
    """Return the corpus of statutes with its hash; it is read once more for each process, so no standard input."""
    if statutes is None:
        return None
    if read_once(statutes):
        raise InputError(Message("law.corpus_once"), where=str(statutes), hint=Message("law.corpus_once_hint"))
    return CorpusFile(str(statutes), read_records(statutes)[1])


def _check_language(language: str) -> None:
    if language != "auto":
        message = Message("metrics.language_not_auto", language=language)
        raise ConfigError(message, hint=Message("metrics.language_hint"))


def _wanted(spec: ScoringSpec, system: str | None, tags: Sequence[str], *, keep: bool) -> Wanted:
    """Return what is read of a source; contexts also where their citation marks are stripped."""
    fields, use = required_fields(spec.measures), context_use(spec.measures, keep=keep or spec.strip_citations)
    cited = "references" in fields and not spec.strip_citations
    return Wanted(fields, use, system, tuple(tags), uses_answerable(spec.measures), cited)


def _measures(
    metrics: str | Sequence[str] | None, predictions: Any, statutes: str | Path | None, profile: str
) -> list[Measure]:
    """Return the metrics by name, by default those of the profile.

    The error about an unknown one says if the file already has scores of this name.
    """
    try:
        measures = parse_measures(metrics, default=profile_of(profile).metrics or DEFAULT_ANSWERS, kind="answers")
    except UnknownName as error:
        names = split_names([metrics] if isinstance(metrics, str) else metrics or [])
        held = _scores_called(names, predictions) if isinstance(predictions, str | Path) else []
        if not held:
            raise
        scores = Message("metrics.scores_in_file_hint", names=", ".join(held), path=str(predictions))
        both = Message("metrics.two_hints", first=scores, second=error.hint) if error.hint else scores
        raise UnknownName(error.message, hint=both) from None
    check_packages(measures)
    return _with_statutes(measures, statutes, is_default=metrics is None)


def _scores_called(names: Iterable[str], path: str | Path) -> list[str]:
    """Return those of the names that scores in a file have; none if it cannot be read as a file of scores."""
    from steelyard.io.foreign.tables import load_scores

    if read_once(path):
        return []
    try:
        held = {folded(name): name for table in load_scores(path) for name in table.columns}
    except InputError:
        return []
    return [held[folded(name)] for name in names if folded(name) in held]


def evaluate_source(
    answers: Answers | AnswerStream,
    spec: ScoringSpec,
    *,
    name: str | None = None,
    engine: Engine | None = None,
    progress: Callable[[int], None] | None = None,
    keep: bool | Literal["questions"] = False,
    read: str = "",
) -> Table:
    """Return the Table of answers, which are scored batch by batch as they are read; `read` is for the signature."""
    kept = None if keep is False else _output if keep is True else _question
    by_rows = spec.is_default and spec.profile in AS_READ  # whose metrics the first rows decide
    ranged = None if engine is None or by_rows else ranged_answers(answers, spec, engine, kept)
    if ranged is not None:
        try:
            builder = _TableBuilder(spec.measures, progress)
            return _table(ranged, spec, builder.filled(ranged.scored()), ranged.outputs, name=name, read=read)
        except UnorderedAnswers:
            answers = ranged.source.unread()
    outputs: list[dict[str, Any]] = []
    batches = iter(_recorded(answers.batches(), outputs, kept) if kept else answers.batches())
    first = list(islice(batches, 1))
    if added := _added_metrics(spec, *first):
        spec = replace(spec, measures=(*spec.measures, *parse_measures(added, default=(), kind="answers")))
    scored = score_batches(chain(first, batches), spec, engine, name=answers.name)
    return _table(answers, spec, _TableBuilder(spec.measures, progress).filled(scored), outputs, name=name, read=read)


def _added_metrics(spec: ScoringSpec, rows: Sequence[AnswerRow] = ()) -> list[str]:
    """Return the metrics that the first rows have by default beside those of the profile."""
    if not spec.is_default:
        return []
    added = metrics_of_tasks(spec.profile, rows) if spec.profile in AS_READ else judged_metrics(rows)
    return [name for name in added if name not in map(str, spec.measures)]


def _table(
    answers: Answers | AnswerStream | RangedAnswers,
    spec: ScoringSpec,
    builder: "_TableBuilder",
    outputs: list[dict[str, Any]],
    *,
    name: str | None,
    read: str,
) -> Table:
    check_met(spec.measures, builder.met, answers.name)
    unjudged = spec.is_default and "contexts" in builder.met - needed(spec.measures)
    return Table(
        ids=builder.ids,
        columns=builder.columns(),
        kind="answers",
        name=name if name is not None else result_name(answers.name),
        signature=_signature(answers, spec, builder, read),
        tags=builder.all_tags(),
        outputs=outputs,
        failures=builder.failures,
        counts={**answers.counts, **({UNJUDGED: len(builder.ids)} if unjudged else {})},
    )


def _recorded(
    batches: Iterable[list[AnswerRow]], outputs: list[dict[str, Any]], kept: Callable[[AnswerRow], dict[str, Any]]
) -> Iterator[list[AnswerRow]]:
    """Yield the same batches; what is kept of each row is appended to `outputs`."""
    for rows in batches:
        outputs += map(kept, rows)
        yield rows


def _question(row: AnswerRow) -> dict[str, Any]:
    return {"question": row.question}


def _output(row: AnswerRow) -> dict[str, Any]:
    """Return the texts of a row, the ids of contexts, and those of references, with grades if any is not 1."""
    grades = row.reference_ids or {}
    contexts = {
        "contexts": _texts(row.contexts),
        "context_ids": list(row.retrieved_ids or ()),
        "reference_contexts": _texts(row.reference_contexts),
        "reference_context_ids": list(grades) if set(grades.values()) == {1} else dict(grades),
    }
    return {
        "question": row.question,
        "answer": row.prediction,
        "references": [list(group) for group in row.references],
        **{name: values for name, values in contexts.items() if values},
    }


def _texts(contexts: Contexts | None) -> list[str]:
    """Return the texts of contexts, "" for one without; none if no context has a text."""
    texts = [each.text for each in contexts or ()]
    return [text or "" for text in texts] if any(text is not None for text in texts) else []


class _ColumnBuilder:
    """The column of one metric, collected batch by batch."""

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        self._values: list[FloatArray] = []
        self._parts: dict[str, list[FloatArray]] = {}
        self._status: list[NDArray[np.integer]] = []
        self._notes: dict[int, Localized] = {}
        self._reasons: dict[Missing, int] = {why: code for code, why in enumerate(reasons_of(measure), 1)}
        self._rows = 0

    def add(self, batch: BatchColumn) -> None:
        """Append the column of a batch."""
        for part, values in batch.parts.items():
            pieces = self._parts.setdefault(part, [])
            if self._rows and not pieces:  # a part that earlier batches do not have
                pieces.append(np.full(self._rows, np.nan))
            pieces.append(values)
        codes = [0, *(self._reasons.setdefault(why, len(self._reasons) + 1) for why in batch.reasons)]
        is_same = codes == list(range(len(codes)))
        self._status.append(batch.status if is_same else np.array(codes, np.int32)[batch.status])
        self._values.append(batch.values)
        self._notes |= {self._rows + row: note for row, note in batch.notes.items()}
        self._rows += len(batch.values)

    def column(self, shared: dict[bytes, IntArray]) -> Column:
        """Return the whole column; metrics with the same status share one array, and the batches are released."""
        status = np.concatenate(self._status)
        key = sha256(status.astype(np.int32).tobytes()).digest()
        values, self._values = np.concatenate(self._values), []
        parts = {}
        for part in list(self._parts):
            scores = np.concatenate(self._parts.pop(part))
            parts[part] = np.append(scores, np.full(len(values) - len(scores), np.nan))
        metric = self._measure.metric
        return Column(
            values,
            shared.setdefault(key, status.astype(np.int64)),
            tuple(self._reasons),
            parts,
            self._notes,
            bounds=metric.bounds,
            summed=metric.summed,
            geometric=metric.geometric,
        )


class _TableBuilder:
    """The columns of a Table, collected batch by batch."""

    def __init__(self, measures: Sequence[Measure], progress: Callable[[int], None] | None) -> None:
        self._progress = progress
        self.ids: list[str] = []
        self.tags: dict[str, list[str]] = {}
        self.references = 0
        self.evidence = 0
        self.met: frozenset[str] = frozenset()
        self.stripped = False
        self.failures: dict[int, str] = {}
        self._columns = {str(measure): _ColumnBuilder(measure) for measure in measures}

    def filled(self, batches: Iterable[ScoredBatch]) -> "_TableBuilder":
        """Append all batches, and report the number of rows after each."""
        for batch in batches:
            self.add(batch)
            if self._progress is not None:
                self._progress(len(self.ids))
        return self

    def add(self, batch: ScoredBatch) -> None:
        """Append a batch."""
        for name, column in batch.tags.items():
            before = self.tags.setdefault(name, [])
            before += [""] * (len(self.ids) - len(before)) + column
        self.failures |= {len(self.ids) + row: why for row, why in batch.failures.items()}
        self.ids += batch.ids
        self.references += batch.references
        self.evidence += batch.evidence
        self.met |= batch.met
        self.stripped |= batch.stripped
        for metric, scored in batch.columns.items():
            self._columns[metric].add(scored)

    def columns(self) -> dict[str, Column]:
        """Return the columns by metric, with precision and recall as parts."""
        shared: dict[bytes, IntArray] = {}
        return {metric: builder.column(shared) for metric, builder in self._columns.items()}

    def all_tags(self) -> dict[str, list[str]]:
        """Return tags by name; "" if a row has none."""
        return {name: column + [""] * (len(self.ids) - len(column)) for name, column in self.tags.items()}


def _answers(
    predictions: Any, references: Any, mapping: Mapping[str, str] | None, ids: Any, wanted: Wanted
) -> Answers | AnswerStream:
    if isinstance(predictions, str | Path):
        if references is not None and not isinstance(references, str | Path):
            raise ConfigError(Message("metrics.references_not_file"))
        if ids is not None:
            raise ConfigError(Message("metrics.ids_of_file"), hint=Message("metrics.ids_of_file_hint"))
        return stream_answers(predictions, mapping=mapping, references=references, wanted=wanted)
    frame = frame_of(predictions) if references is None or not isinstance(predictions, Mapping) else None
    if frame is not None:
        if references is not None:
            raise ConfigError(Message("metrics.references_beside_frame"), hint=Message("metrics.one_frame_hint"))
        return answers_of_frame(frame, mapping=mapping, ids=ids, wanted=wanted)
    if references is None and isinstance(predictions, Iterable) and not hasattr(predictions, "__len__"):
        predictions = list(predictions)  # such as a streamed data set
    return _answers_of_values(predictions, references, mapping, ids, wanted)


def _answers_of_values(
    predictions: Any, references: Any, mapping: Mapping[str, str] | None, ids: Any, wanted: Wanted
) -> Answers:
    if references is None and _are_rows(predictions):
        return answers_of_rows(predictions, mapping=mapping, ids=ids, wanted=wanted)
    if references is None or isinstance(references, str | Path):
        raise ConfigError(Message("metrics.references_not_values"), hint=Message("metrics.values_hint"))
    if isinstance(predictions, Mapping):
        if not isinstance(references, Mapping):
            raise ConfigError(Message("metrics.references_not_mapping"))
        return answers_of([predictions.get(key) for key in references], list(references.values()), ids=list(references))
    if mapping:
        raise ConfigError(Message("metrics.mapping_of_values"), hint=Message("metrics.values_hint"))
    found = paired_ids(predictions, references) if ids is None else _values(ids)
    return answers_of(_values(predictions), _values(references), ids=found)


def _values(values: Any) -> Sequence[Any]:
    """Return the values of a sequence or a Series."""
    if is_series(values):
        return values_of(values)
    if not isinstance(values, Sequence) or isinstance(values, str | bytes):
        raise ConfigError(Message("metrics.answers_not_sequences"), hint=Message("metrics.values_hint"))
    return values


def _are_rows(predictions: Any) -> TypeGuard[Sequence[Mapping[str, Any]]]:
    is_sequence = isinstance(predictions, Sequence) and len(predictions) > 0
    return is_sequence and all(isinstance(row, Mapping) for row in predictions)


def _signature(
    answers: Answers | AnswerStream | RangedAnswers, spec: ScoringSpec, builder: _TableBuilder, read: str
) -> Signature:
    return Signature.of(
        {
            "kind": "answers",
            "profile": spec.profile,
            "tokens": spec.tokens if spec.profile == "steelyard" else "as the profile has it",
            **({"citations": "stripped"} if builder.stripped else {}),
            "references": "the best one counts",
            "reference set": f"{builder.references % (1 << 32):08x}",
            **({"reference contexts": f"{builder.evidence % (1 << 32):08x}"} if builder.evidence else {}),
            **({"statutes": f"sha256 {spec.statutes.digest[:16]}"} if spec.statutes else {}),
            "silence": "zero",
            **({"format": answers.format} if answers.format else {}),
            "predictions": f"sha256 {answers.digest[:16]}{read}",
            "steelyard": __version__,
        }
    )
