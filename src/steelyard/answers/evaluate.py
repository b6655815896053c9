"""Evaluation of answers against references: from a source of rows to a Table."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard import __version__
from steelyard.answers.metrics import DEFAULT_ANSWERS
from steelyard.answers.profiles import profile_of
from steelyard.answers.rows import AnswerRow
from steelyard.answers.scoring import ScoredBatch, ScoringSpec, reasons_of, score_batches
from steelyard.answers.sources import Answers, AnswerStream, answers_of, stream_answers
from steelyard.errors import ConfigError
from steelyard.i18n import Message
from steelyard.io.records import result_name
from steelyard.registry.metrics import Measure
from steelyard.registry.names import parse_measures
from steelyard.table import Column, FloatArray, IntArray, Signature, Table
from steelyard.text.tokens import TokenUnit


def evaluate_answers(
    predictions: str | Path | Sequence[Any],
    references: str | Path | Sequence[Any] | None = None,
    metrics: str | Sequence[str] | None = None,
    *,
    profile: str = "steelyard",
    tokens: TokenUnit = "words",
    language: str = "auto",
    mapping: Mapping[str, str] | None = None,
    ids: Sequence[str] | None = None,
    name: str | None = None,
    processes: int = 1,
    progress: Callable[[int], None] | None = None,
    keep: bool = False,
) -> Table:
    """Evaluate answers: one row per item, one column per metric.

    `predictions` and `references` are paths (one file may contain both) or sequences of texts. A missing prediction
    scores 0; an item without a reference is unscored; both are counted in `counts`. Long files are read and scored in
    batches, on `processes` processes; `progress` is called with the number of rows done. With `keep` the Table also
    contains the texts, for reports.
    """
    if language != "auto":
        raise ConfigError(
            Message("metrics.language_not_auto", language=language), hint=Message("metrics.language_hint")
        )
    measures = parse_measures(metrics, default=DEFAULT_ANSWERS, kind="answers")
    profile_of(profile, tokens)  # check the name
    answers = _answers(predictions, references, mapping, ids)
    spec = ScoringSpec(tuple(measures), profile, tokens)
    return evaluate_source(answers, spec, name=name, processes=processes, progress=progress, keep=keep)


def evaluate_source(
    answers: Answers | AnswerStream,
    spec: ScoringSpec,
    *,
    name: str | None = None,
    processes: int = 1,
    progress: Callable[[int], None] | None = None,
    keep: bool = False,
) -> Table:
    """The Table of answers, which are scored batch by batch as they are read."""
    builder = _TableBuilder()
    outputs: list[dict[str, Any]] = []
    batches = _recorded(answers.batches(), outputs) if keep else answers.batches()
    for batch in score_batches(batches, spec, processes):
        builder.add(batch)
        if progress is not None:
            progress(len(builder.ids))
    return Table(
        ids=builder.ids,
        columns=builder.columns(spec.measures),
        kind="answers",
        name=name if name is not None else result_name(answers.name),
        signature=_signature(answers, spec, builder.references),
        tags=builder.all_tags(),
        outputs=outputs,
        counts=dict(answers.counts),
    )


def _recorded(batches: Iterable[list[AnswerRow]], outputs: list[dict[str, Any]]) -> Iterator[list[AnswerRow]]:
    """The same batches; the texts that a report shows are appended to `outputs`."""
    for rows in batches:
        outputs += [
            {
                "question": row.question,
                "answer": row.prediction,
                "references": [list(group) for group in row.references],
            }
            for row in rows
        ]
        yield rows


class _TableBuilder:
    """The columns of a Table, collected batch by batch."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.tags: dict[str, list[str]] = {}
        self.status: dict[str, list[NDArray[np.int8]]] = {}
        self.scores: dict[str, dict[str, list[FloatArray]]] = {}
        self.references = 0

    def add(self, batch: ScoredBatch) -> None:
        """Append a batch."""
        for name, column in batch.tags.items():
            before = self.tags.setdefault(name, [])
            before += [""] * (len(self.ids) - len(before)) + column
        self.ids += batch.ids
        self.references += batch.references
        for metric, scores in batch.scores.items():
            self.status.setdefault(metric, []).append(batch.status[metric])
            for part, values in scores.items():
                self.scores.setdefault(metric, {}).setdefault(part, []).append(values)

    def columns(self, measures: Sequence[Measure]) -> dict[str, Column]:
        """The columns by metric, with precision and recall as parts; the batches of each are released in turn."""
        status = self._all_status()
        return {str(measure): self._column(measure, status[str(measure)]) for measure in measures}

    def _column(self, measure: Measure, status: IntArray) -> Column:
        pieces = self.scores[str(measure)]
        values = np.concatenate(pieces.pop("score"))
        parts = {part: np.concatenate(pieces.pop(part)) for part in list(pieces)}
        return Column(values, status, reasons_of(measure), parts, bounds=measure.metric.bounds)

    def _all_status(self) -> dict[str, IntArray]:
        """The status of each cell by metric; metrics with the same status share one array."""
        shared: dict[bytes, IntArray] = {}
        arrays = {}
        for metric, pieces in self.status.items():
            status = np.concatenate(pieces)
            arrays[metric] = shared.setdefault(sha256(status.tobytes()).digest(), status.astype(np.int64))
        return arrays

    def all_tags(self) -> dict[str, list[str]]:
        """Tags by name; "" if a row has none."""
        return {name: column + [""] * (len(self.ids) - len(column)) for name, column in self.tags.items()}


def _answers(
    predictions: str | Path | Sequence[Any],
    references: str | Path | Sequence[Any] | None,
    mapping: Mapping[str, str] | None,
    ids: Sequence[str] | None,
) -> Answers | AnswerStream:
    if isinstance(predictions, str | Path):
        if references is not None and not isinstance(references, str | Path):
            raise ConfigError(Message("metrics.references_not_file"))
        return stream_answers(predictions, mapping=mapping, references=references)
    if references is None or isinstance(references, str | Path):
        raise ConfigError(Message("metrics.references_not_values"))
    if isinstance(predictions, Mapping):
        if not isinstance(references, Mapping):
            raise ConfigError(Message("metrics.references_not_mapping"))
        return answers_of([predictions.get(key) for key in references], list(references.values()), ids=list(references))
    if not (isinstance(predictions, Sequence | np.ndarray) and isinstance(references, Sequence | np.ndarray)):
        raise ConfigError(Message("metrics.answers_not_sequences"))
    return answers_of(predictions, references, ids=ids)


def _signature(answers: Answers | AnswerStream, spec: ScoringSpec, references: int) -> Signature:
    return Signature.of(
        {
            "kind": "answers",
            "profile": spec.profile,
            "tokens": spec.tokens if spec.profile == "steelyard" else "as the profile has it",
            "references": "the best one counts",
            "reference set": f"{references % (1 << 32):08x}",
            "silence": "zero",
            "predictions": f"sha256 {answers.digest[:16]}",
            "steelyard": __version__,
        }
    )
