"""The column of one metric over a batch of rows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from steelyard.answers.batch import AnswerBatch, CorpusFile
from steelyard.answers.needs import NEEDS, NO_PREDICTION
from steelyard.answers.profiles import Profile
from steelyard.answers.rouge import Overlaps
from steelyard.answers.rows import AnswerRow
from steelyard.i18n import Localized, Message, as_message
from steelyard.registry.kinds import is_lower_better
from steelyard.registry.metrics import Measure, MetricFailure, Scored, column_of, computed
from steelyard.table import Flags, FloatArray, IntArray, Missing
from steelyard.text.marks import without_citations
from steelyard.text.tokens import are_spaced

if TYPE_CHECKING:
    from steelyard.retrieval.matching import Rankings

Paired = Sequence[tuple[IntArray, AnswerBatch]]
AnswerIn = Callable[[str, str], str]
_USUAL = frozenset(("prediction", "references"))
_BRACKETS = ("[", "【", "［", "##")  # with which citation marks begin


@dataclass(frozen=True, slots=True)
class BatchColumn:
    """The scores of a metric in some rows: values, parts, notes by row, and why rows have no score.

    `status` is 0, or 1 + the index of the reason in `reasons`; the first reasons are those of `reasons_of`.
    """

    values: FloatArray
    parts: Mapping[str, FloatArray]
    notes: Mapping[int, Localized]
    status: NDArray[np.integer]
    reasons: tuple[Missing, ...]


class PreparedRows:
    """Rows with what several metrics need of them: which needs they meet, and the batches of those that meet some."""

    def __init__(
        self,
        rows: Sequence[AnswerRow],
        *,
        strip_citations: bool = False,
        answer_in: AnswerIn | None = None,
        statutes: CorpusFile | None = None,
    ) -> None:
        """Metrics that compare with references read answers as `answer_in` finds them in outputs.

        With `strip_citations` they read them without their citation marks. `statutes` is the corpus of statutes.
        """
        self.rows = rows
        self._statutes = statutes
        found = rows if answer_in is None else [_found(row, answer_in) for row in rows]
        self._bare = [_bare(row) for row in found] if strip_citations else found
        self._met: dict[str, Flags] = {}
        self._batches: dict[frozenset[str], Paired] = {}

    def has(self, need: str) -> Flags:
        """Return which rows meet a need."""
        if need not in self._met:
            met = (
                [row.prediction is not None for row in self.rows]
                if need == "prediction"
                else list(map(NEEDS[need].is_met, self.rows))
            )
            self._met[need] = np.array(met, np.bool_)
        return self._met[need]

    def batches(self, needs: frozenset[str]) -> Paired:
        """Return the rows that meet all these needs, with their indices."""
        if needs not in self._batches:
            chosen = np.logical_and.reduce([np.ones(len(self.rows), np.bool_), *map(self.has, needs)])
            rows = self._bare if "references" in needs else self.rows
            indices = np.flatnonzero(chosen).tolist()
            batches = _batches(rows, self.rows, indices, split=needs == _USUAL, statutes=self._statutes)
            self._batches[needs] = list(batches)
        return self._batches[needs]


def reasons_of(measure: Measure) -> tuple[Missing, ...]:
    """Return why cells of a metric may have no number, apart from reasons that the metric itself gives for rows."""
    lacking = [need.lacking for name, need in NEEDS.items() if name in measure.metric.needs]
    if _is_unscored_when_silent(measure):
        lacking.append(NO_PREDICTION)
    return (*lacking, *([Missing("unscored", measure.metric.unscored)] if measure.metric.unscored else ()))


def batch_column(measure: Measure, prepared: PreparedRows, profile: Profile) -> BatchColumn:
    """Return the column of a metric; a row without a prediction scores 0, or nothing where less is better."""
    status = _lacking(measure, prepared)
    blank = np.where(status > 0, np.nan, 0.0)
    values, parts = blank.copy(), dict[str, FloatArray]()
    notes, reasons = dict[int, Localized](), dict[int, Message | str]()
    for indices, pairs in prepared.batches(measure.metric.needs):
        scored = _computed(measure, pairs, profile)
        values[indices] = scored.values
        for part, scores in scored.parts.items():
            parts.setdefault(part, _blank_part(measure, part, blank))[indices] = scores
        notes |= {int(indices[row]): _message(note) for row, note in scored.notes.items()}
        reasons |= {int(indices[row]): why for row, why in scored.reasons.items()}
    return BatchColumn(values, parts, notes, *_explained(measure, values, status, reasons))


def _explained(
    measure: Measure, values: FloatArray, status: NDArray[np.int8], own: Mapping[int, Message | str]
) -> tuple[NDArray[np.integer], tuple[Missing, ...]]:
    """Return the status of each row with the reasons that the metric gave."""
    usual = reasons_of(measure)
    status = np.where((status == 0) & np.isnan(values), np.int8(len(usual)), status)
    if not own:
        return status, usual
    more = {why: len(usual) + number for number, why in enumerate(dict.fromkeys(own.values()), 1)}
    codes = status.astype(np.int32)
    codes[list(own)] = [more[why] for why in own.values()]
    return codes, (*usual, *(Missing("unscored", why) for why in more))


def _lacking(measure: Measure, prepared: PreparedRows) -> NDArray[np.int8]:
    """Return for each row 1 + the index of the first reason why it cannot be scored; 0 for others."""
    status = np.zeros(len(prepared.rows), np.int8)
    names = [name for name in NEEDS if name in measure.metric.needs]
    for code, name in enumerate(names, 1):
        status[(status == 0) & ~prepared.has(name)] = code
    if _is_unscored_when_silent(measure):
        status[(status == 0) & ~prepared.has("prediction")] = len(names) + 1
    return status


def _is_unscored_when_silent(measure: Measure) -> bool:
    return "prediction" in measure.metric.needs and is_lower_better(measure.name)


def _blank_part(measure: Measure, part: str, blank: FloatArray) -> FloatArray:
    return np.full(len(blank), np.nan) if is_lower_better(f"{measure.name}.{part}") else blank.copy()


def _message(note: Localized | str) -> Localized:
    return as_message(note) if isinstance(note, str) else note


def _computed(measure: Measure, pairs: AnswerBatch, profile: Profile) -> Scored:
    """Return what a metric gives for a batch, checked."""
    if measure.metric.kind == "retrieval":
        result = computed(measure.metric, rankings_of(pairs.of), **measure.settings())
    else:
        result = _of_answers(measure, pairs, profile)
    if isinstance(result, Overlaps):
        parts = {"score": result.f1, "precision": result.precision, "recall": result.recall}
        checked = {part: column_of(values, measure, len(pairs.answers)) for part, values in parts.items()}
        return Scored(checked.pop("score"), checked)
    if not isinstance(result, Scored):
        return Scored(column_of(result, measure, len(pairs.answers)))
    values = _with_gaps(result.values, measure, len(pairs.answers), list(result.reasons))
    parts = {
        part: scores if part in measure.metric.counts else _with_gaps(scores, measure, len(pairs.answers))
        for part, scores in result.parts.items()
    }
    return Scored(values, parts, result.notes, result.reasons)


def _of_answers(measure: Measure, pairs: AnswerBatch, profile: Profile) -> Any:
    """Return what a metric gives for a batch; its own error names the first row that alone brings it about."""
    try:
        return computed(measure.metric, pairs, profile, **measure.settings())
    except MetricFailure as failure:
        for row, each in zip(pairs.of, pairs.single(), strict=False):
            try:
                computed(measure.metric, each, profile, **measure.settings())
            except MetricFailure as found:
                raise MetricFailure(measure.metric, found.error, row.id) from found.error
        raise failure


def _with_gaps(values: FloatArray, measure: Measure, rows: int, gaps: Sequence[int] | None = None) -> FloatArray:
    """Return the values, checked except for the gaps, which are NaN; by default all that are NaN."""
    filled = np.array(values, np.float64)
    missing = np.flatnonzero(np.isnan(filled)) if gaps is None else np.array(gaps, np.int64)
    filled[missing] = np.clip(0.0, *measure.metric.bounds)
    column = column_of(filled, measure, rows)
    column[missing] = np.nan
    return column


def rankings_of(rows: Sequence[AnswerRow]) -> "Rankings":
    """Return the rankings of rows with ids, one query each; an id retrieved again counts at its first place."""
    from steelyard.retrieval.matching import Rankings

    hits: list[tuple[int, int, int]] = []
    judged: list[tuple[int, int]] = []
    retrieved = []
    for query, row in enumerate(rows):
        ranks = {name: rank for rank, name in enumerate(dict.fromkeys(row.retrieved_ids or ()), 1)}
        grades = row.reference_ids or {}
        hits += sorted((query, ranks[name], grade) for name, grade in grades.items() if name in ranks)
        judged += [(query, grade) for grade in sorted(grades.values(), reverse=True)]
        retrieved.append(len(ranks))
    found = np.array(hits, np.int64).reshape(-1, 3).T
    known = np.array(judged, np.int64).reshape(-1, 2).T
    return Rankings(len(rows), found[0], found[1], found[2], np.array(retrieved, np.int64), known[0], known[1])


def _found(row: AnswerRow, answer_in: AnswerIn) -> AnswerRow:
    """Return the row with the answer that is in its output."""
    return row._replace(prediction=answer_in(row.prediction, row.question)) if row.prediction else row


def _bare(row: AnswerRow) -> AnswerRow:
    """Return the row without the citation marks of its answer."""
    if not row.prediction or not any(bracket in row.prediction for bracket in _BRACKETS):
        return row
    return row._replace(prediction=without_citations(row.prediction, [each.id for each in row.contexts or ()]))


def _batches(
    rows: Sequence[AnswerRow],
    originals: Sequence[AnswerRow],
    chosen: list[int],
    *,
    split: bool,
    statutes: CorpusFile | None,
) -> Iterator[tuple[IntArray, AnswerBatch]]:
    """Yield the chosen rows; with `split` those in scripts with blanks between words, and the others."""
    is_spaced = np.array(are_spaced([_whole_text(rows[index]) for index in chosen]) if split else [False] * len(chosen))
    for spaced in (True, False):
        indices = np.array(chosen, np.int64)[is_spaced == spaced]
        if len(indices):
            of = originals if len(indices) == len(rows) else [originals[index] for index in indices.tolist()]
            answers = [rows[index].prediction or "" for index in indices.tolist()]
            yield indices, AnswerBatch(answers, [row.references for row in of], spaced=spaced, of=of, statutes=statutes)


def _whole_text(row: AnswerRow) -> str:
    """Return the answer and all references, in one text."""
    return "".join((row.prediction or "", *chain.from_iterable(row.references)))
