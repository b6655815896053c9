"""Answers against references: from rows to a Table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from steelyard import __version__
from steelyard.errors import ConfigError, InputError
from steelyard.formats.answers import AnswerRow, Answers, answers_of, read_answers
from steelyard.formats.sources import result_name
from steelyard.metrics.answers import DEFAULT_ANSWERS
from steelyard.metrics.names import parse_measures
from steelyard.metrics.profiles import Profile, profile_of
from steelyard.metrics.registry import Measure
from steelyard.metrics.rouge import Overlap
from steelyard.table import FloatArray, Gap, IntArray, Signature, Table
from steelyard.text.tokens import Unit

NO_REFERENCE = Gap("unscored", "there is no reference")


def evaluate_answers(
    predictions: str | Path | Sequence[Any],
    references: str | Path | Sequence[Any] | None = None,
    metrics: str | Sequence[str] | None = None,
    *,
    profile: str = "steelyard",
    tokens: Unit = "words",
    language: str = "auto",
    mapping: Mapping[str, str] | None = None,
    ids: Sequence[str] | None = None,
    name: str | None = None,
) -> Table:
    """Weigh answers: one row per item, one column per metric.

    `predictions` and `references` are paths (one file may hold both) or sequences of texts. A missing prediction is
    silence and scores 0; a missing reference leaves the item unscored; both are in `counts`.
    """
    if language != "auto":
        raise ConfigError(f"language must be auto, not {language!r}", hint="the script of each text decides")
    measures = parse_measures(metrics, default=DEFAULT_ANSWERS, kind="answers")
    return weigh_answers(
        _answers(predictions, references, mapping, ids), measures, profile_of(profile, tokens), tokens=tokens, name=name
    )


def weigh_answers(
    answers: Answers, measures: Sequence[Measure], profile: Profile, *, tokens: Unit, name: str | None = None
) -> Table:
    """The Table of rows that have been read."""
    if not answers.rows:
        raise InputError("there is nothing in it", where=answers.name)
    # row by row, so that each text is read once for all metrics
    by_row = [[_score(measure, row, profile) for measure in measures] for row in answers.rows]
    scored = {str(measure): list(scores) for measure, scores in zip(measures, zip(*by_row, strict=True), strict=True)}
    return Table(
        ids=[row.id for row in answers.rows],
        columns={metric: _column(scores) for metric, scores in scored.items()},
        kind="answers",
        name=name if name is not None else result_name(answers.name),
        signature=_signature(answers, profile, tokens),
        gaps=(NO_REFERENCE,),
        status=dict.fromkeys(scored, _status(answers.rows)),
        tags=_tags(answers.rows),
        parts={metric: parts for metric, scores in scored.items() if (parts := _parts(scores))},
        counts=answers.counts,
        bounds={str(measure): measure.metric.bounds for measure in measures},
    )


def _answers(
    predictions: str | Path | Sequence[Any],
    references: str | Path | Sequence[Any] | None,
    mapping: Mapping[str, str] | None,
    ids: Sequence[str] | None,
) -> Answers:
    if isinstance(predictions, str | Path):
        if references is not None and not isinstance(references, str | Path):
            raise ConfigError("predictions are a file, so references must be one too")
        return read_answers(predictions, mapping=mapping, references=references)
    if references is None or isinstance(references, str | Path):
        raise ConfigError("predictions are values, so references must be values too")
    return answers_of(predictions, references, ids=ids)


def _score(measure: Measure, row: AnswerRow, profile: Profile) -> Overlap | float | None:
    """The score of a row: None without a reference, 0 for silence."""
    if not row.references:
        return None
    if row.prediction is None:
        return 0.0
    found: Overlap | float = measure.metric.compute(row.prediction, row.references, profile, **measure.settings())
    return found


def _column(scores: Sequence[Overlap | float | None]) -> FloatArray:
    return np.array([np.nan if s is None else s.f1 if isinstance(s, Overlap) else s for s in scores], np.float64)


def _parts(scores: Sequence[Overlap | float | None]) -> dict[str, FloatArray]:
    """Precision and recall, where the metric has them."""
    if not any(isinstance(score, Overlap) for score in scores):
        return {}
    return {
        "precision": np.array([s.precision if isinstance(s, Overlap) else s for s in scores], np.float64),
        "recall": np.array([s.recall if isinstance(s, Overlap) else s for s in scores], np.float64),
    }


def _status(rows: Sequence[AnswerRow]) -> IntArray:
    return np.array([0 if row.references else 1 for row in rows], np.int64)


def _tags(rows: Sequence[AnswerRow]) -> dict[str, list[str]]:
    names = dict.fromkeys(name for row in rows for name in row.tags)
    return {name: [row.tags.get(name, "") for row in rows] for name in names}


def _signature(answers: Answers, profile: Profile, tokens: Unit) -> Signature:
    return Signature.of(
        {
            "kind": "answers",
            "profile": profile.name,
            "tokens": tokens if profile.name == "steelyard" else "as the profile has it",
            "references": "the best one counts",
            "silence": "zero",
            "predictions": f"sha256 {answers.digest[:16]}",
            "steelyard": __version__,
        }
    )
