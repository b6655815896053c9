"""What to believe of a judged column: what the judge says, what people say, and the mean corrected for its errors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np

from steelyard.i18n import Message
from steelyard.stats.calibration import CLAIM, LEAST_KAPPA, Calibration, JudgeName, column_digest
from steelyard.stats.corrected import (
    Corrected,
    NotInformative,
    ppi_difference,
    ppi_mean,
    rogan_gladen_difference,
    rogan_gladen_mean,
)
from steelyard.stats.intervals import Interval, mean_interval
from steelyard.stats.pairing import pair
from steelyard.stats.scopes import Scope, clusters_of
from steelyard.stats.summary import interval_list, known
from steelyard.table import Bounds, Column, Flags, FloatArray, IntArray, Table, mean

UNCALIBRATED: Final = Message("calibration.none")
RANGE: Final = "range"
"""The policy by which a rule must hold whether unknown verdicts count for the answers or against them."""
LEFT_OUT: Final = "left_out"
"""The policy by which unknown verdicts do not count."""
MOST_UNDECIDED: Final = 0.05
"""The share of items without a verdict up to which a metric may count in a gate, if people have not labelled them."""
_SELECTED: Final = Message("calibration.selected")
_NO_COMMON_LABELS: Final = Message("calibration.no_common_labels")


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean with its interval, over so many items."""

    value: float
    interval: Interval
    n: int

    @classmethod
    def of(cls, values: FloatArray, clusters: IntArray | None, level: float) -> "Mean":
        """Return the mean of values."""
        return cls(mean(values), mean_interval(values, clusters=clusters, level=level), len(values))

    def as_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {"mean": known(self.value), "ci95": interval_list(self.interval), "n": self.n}


class Unknown(NamedTuple):
    """Items of which the judge could not tell something, and the mean if all of that counts against them, or for them.

    `policy` says what it counts.
    """

    items: int
    low: float
    high: float
    policy: str

    @classmethod
    def of(cls, table: Table, metric: str) -> "Unknown | None":
        """Return what is unknown in a column; None if nothing is."""
        parts = table.parts.get(metric, {})
        if not {"unknown", "low", "high"} <= parts.keys():
            return None
        low, high = (mean(values[~np.isnan(values)]) for values in (parts["low"], parts["high"]))
        return cls(int((parts["unknown"] > 0).sum()), low, high, table.signature.get("unknown") or "")


@dataclass(frozen=True, slots=True)
class Belief:
    """What is known of a judged column, in one scope.

    `people` are the labels, where they are a random sample of this result. Where `corrected` is missing, `why` says
    what it lacks; `advisory` says why the metric does not count in a gate. `without` counts items without a verdict.
    """

    metric: str
    judge: JudgeName
    raw: Mean
    without: int = 0
    unknown: Unknown | None = None
    calibration: Calibration | None = None
    people: Mean | None = None
    corrected: Corrected | None = None
    why: Message | None = None
    advisory: Message | None = None


class Calibrations:
    """The calibrations that a command is given, and the kappa from which a judged metric counts in a gate."""

    def __init__(self, given: Sequence[Calibration] = (), least_kappa: float = LEAST_KAPPA) -> None:
        self.given = given
        self.least_kappa = least_kappa

    def judged(self, name: str, *tables: Table) -> str | None:
        """Return the judged metric of a table that a name means, or a part of; None if no model has judged it."""
        for table in tables:
            metrics = [metric for metric in table.columns if name == metric or name.startswith(f"{metric}.")]
            for metric in metrics:
                if metric in table.judges or any(each.is_about(table, metric) for each in self.given):
                    return metric
        return None

    def judge_of(self, table: Table, metric: str) -> JudgeName:
        """Return the judge of a column."""
        setting = table.signature.get
        return JudgeName(setting("judge") or "", table.judges.get(metric, ""), setting("model") or "")

    def of(self, table: Table, metric: str) -> Calibration | None:
        """Return the calibration of a column: that of this very result, else the last of its judge."""
        found = [each for each in self.given if each.is_about(table, metric)]
        digest = column_digest(table, metric) if found else ""
        return next((each for each in found if each.result == digest), found[-1] if found else None)

    def belief(
        self, table: Table, metric: str, scope: Scope = "items", *, chosen: Table | None = None, level: float = 0.95
    ) -> Belief:
        """Return what is known of a column, or of the chosen items of it."""
        calibration, part = self.of(table, metric), table if chosen is None else chosen
        verdicts = _Verdicts.of(part, metric, scope, calibration, whole=table)
        raw = verdicts.raw(level)
        found = Belief(metric, self.judge_of(table, metric), raw, len(part) - raw.n, Unknown.of(part, metric))
        if calibration is None:
            why = self._uncalibrated(table, metric)
            return replace(found, why=why, advisory=why)
        found = replace(found, calibration=calibration, people=verdicts.people(level))
        ends = _ends_of(part, metric)
        parts = [
            _Verdicts.of(each, metric, scope, calibration, whole=table) for each in (ends if ends.is_open else ends[:1])
        ]
        corrected = _hull([_corrected(calibration, each, level) for each in parts])
        if isinstance(corrected, Message):
            return replace(found, why=corrected, advisory=calibration.advisory(self.least_kappa) or corrected)
        undecided = verdicts.undecided / len(part)
        share = Message("calibration.undecided", share=f"{100 * undecided:.0f}", most=f"{100 * MOST_UNDECIDED:.0f}")
        advisory = calibration.advisory(self.least_kappa) or (share if undecided > MOST_UNDECIDED else None)
        return replace(found, corrected=corrected, advisory=advisory)

    def _uncalibrated(self, table: Table, metric: str) -> Message:
        """Return why a column has no calibration: none is given, or only those of other judges."""
        others = [each.judge for each in self.given if each.metric == metric]
        if not others:
            return UNCALIBRATED
        judge = self.judge_of(table, metric)
        return Message("calibration.of_other_judge", given=str(others[-1]), judge=str(judge))

    def difference(
        self,
        new: Table,
        old: Table,
        metric: str,
        scope: Scope = "items",
        *,
        chosen: tuple[Table, Table] | None = None,
        level: float = 0.95,
    ) -> Corrected | Message:
        """Return the difference of two results of one judge on the items of both, new minus old, or what it lacks.

        `chosen` are the items of both that it is about.
        """
        first, second = self.of(new, metric), self.of(old, metric)
        if first is None or second is None:
            return UNCALIBRATED
        if first.judge.hash != second.judge.hash:
            return Message("calibration.other_judge")
        if refusal := first.refusal or second.refusal:
            return refusal
        is_labelled = first.is_sample_of(new) and second.is_sample_of(old)
        newer, older = (_ends_of(part, metric) for part in chosen or (new, old))
        pairs = [(newer.given, older.given)]
        if newer.is_open or older.is_open:
            pairs += [(newer.low, older.high), (newer.high, older.low)]
        found = []
        for one, other in pairs:
            rows = pair(one, other, scope)
            both = ~np.isnan(rows.differences(metric, ties=True))
            kept = np.ones_like(both) if is_labelled else both
            verdicts = _Verdicts.of(one.take(rows.new[kept]), metric, scope, first, whole=new, has_all=is_labelled)
            others = _Verdicts.of(other.take(rows.old[kept]), metric, scope, second, whole=old, has_all=is_labelled)
            found.append(_difference(first, verdicts, others, level))
        return _hull(found)


NO_CALIBRATIONS: Final = Calibrations()


@dataclass(frozen=True, slots=True, eq=False)
class _Verdicts:
    """The scores of items, their labels (NaN for none), if these are a sample of them, and their clusters.

    Items without a verdict are among them where people have labelled some of these too; their score is NaN.
    """

    scores: FloatArray
    labels: FloatArray | None
    clusters: IntArray | None
    bounds: Bounds
    undecided: float

    @classmethod
    def of(
        cls,
        table: Table,
        metric: str,
        scope: Scope,
        calibration: Calibration | None,
        *,
        whole: Table,
        has_all: bool = False,
    ) -> "_Verdicts":
        scores, clusters, labels = table.column(metric), clusters_of(table, scope), None
        if calibration is not None and calibration.is_sample_of(whole):
            labels = calibration.labels_of(table.ids)
        has_all |= labels is not None and bool((~np.isnan(labels) & np.isnan(scores)).any())
        kept = np.ones(len(scores), np.bool_) if has_all else ~np.isnan(scores)
        known = [values[~np.isnan(values)] for values in (scores, *(() if labels is None else (labels,)))]
        given = table.bounds(metric)
        seen = np.concatenate(known)
        bounds = given if np.isfinite(given).all() else (float(seen.min(initial=0.0)), float(seen.max(initial=0.0)))
        return cls(
            scores[kept],
            None if labels is None else labels[kept],
            None if clusters is None else clusters[kept],
            bounds,
            float((~kept).sum()) if labels is not None else _undecided(table, metric),
        )

    @property
    def has_labels(self) -> Flags:
        """Which items have a label."""
        return np.zeros(len(self.scores), np.bool_) if self.labels is None else ~np.isnan(self.labels)

    @property
    def imputed(self) -> FloatArray:
        """The scores, with their mean in the place of those that are missing."""
        lost = np.isnan(self.scores)
        return np.where(lost, mean(self.scores[~lost]), self.scores) if lost.any() else self.scores

    def raw(self, level: float) -> Mean:
        """Return the mean of the verdicts."""
        scored = ~np.isnan(self.scores)
        return Mean.of(self.scores[scored], _chosen(self.clusters, scored), level)

    def people(self, level: float) -> Mean | None:
        """Return the mean of the labels, if there are some."""
        has = self.has_labels
        if self.labels is None or not has.any():
            return None
        return Mean.of(self.labels[has], _chosen(self.clusters, has), level)


def _chosen(clusters: IntArray | None, rows: Flags) -> IntArray | None:
    return None if clusters is None else clusters[rows]


def _split(clusters: IntArray | None, rows: Flags) -> tuple[IntArray, IntArray] | None:
    return None if clusters is None else (clusters[rows], clusters[~rows])


def _undecided(table: Table, metric: str) -> float:
    """Return how many items have no verdict; of one on several claims, the share of these without one.

    By the policy RANGE these are counted in both ways, and are not undecided.
    """
    scores, unknown = table.column(metric), Unknown.of(table, metric)
    if unknown is None:
        return float(np.isnan(scores).sum())
    low, share = (table.parts[metric][part] for part in ("low", "unknown"))
    if unknown.policy != LEFT_OUT:
        return float((np.isnan(scores) & np.isnan(low)).sum())
    return float(np.where(np.isnan(scores), 1.0, np.nan_to_num(share)).sum())


class _Ends(NamedTuple):
    """A table, and by the policy RANGE with unknown verdicts as the lowest and as the highest scores."""

    given: Table
    low: Table
    high: Table

    @property
    def is_open(self) -> bool:
        return self.low is not self.given


def _ends_of(table: Table, metric: str) -> _Ends:
    unknown = Unknown.of(table, metric)
    if unknown is None or unknown.policy != RANGE:
        return _Ends(table, table, table)
    column = table.columns[metric]
    low, high = (_at_end(column, column.parts[end]) for end in ("low", "high"))
    return _Ends(table, *(replace(table, columns={**table.columns, metric: each}) for each in (low, high)))


def _at_end(column: Column, end: FloatArray) -> Column:
    values = np.where(np.isnan(end), column.values, end)
    return replace(column, values=values, status=None if column.status is None else column.status * np.isnan(values))


def _hull(found: Sequence[Corrected | Message]) -> Corrected | Message:
    """Return the first of some corrected values with an interval that contains those of all, or why one is missing."""
    known = [each for each in found if isinstance(each, Corrected)]
    if len(known) < len(found):
        return next(each for each in found if isinstance(each, Message))
    first, *others = known
    if first.method == "rogan-gladen" and not first.interval.low < first.interval.high:
        return Message("calibration.inconsistent")
    ends = [end for each in others for end in (each.interval.low, each.interval.high, each.estimate)]
    low, high = (float(of([first.interval.low, first.interval.high, *ends])) for of in (np.nanmin, np.nanmax))
    return replace(first, interval=Interval(low, high, first.interval.method)) if others else first


def _corrected(calibration: Calibration, verdicts: _Verdicts, level: float) -> Corrected | Message:
    """Return the corrected mean, or why there is none."""
    if calibration.refusal is not None:
        return calibration.refusal
    if verdicts.labels is None:
        return _by_rates(calibration, rogan_gladen_mean, verdicts.scores, verdicts.clusters, level)
    has, scores = verdicts.has_labels, verdicts.imputed
    if not has.any():
        return Message("calibration.too_few", n=0)
    parts = verdicts.labels[has], scores[has], scores[~has]
    return ppi_mean(*parts, level=level, clusters=_split(verdicts.clusters, has), bounds=verdicts.bounds)


def _difference(calibration: Calibration, new: _Verdicts, old: _Verdicts, level: float) -> Corrected | Message:
    if new.labels is None or old.labels is None:
        differences = new.scores - old.scores
        return _by_rates(calibration, rogan_gladen_difference, differences, new.clusters, level)
    has = new.has_labels & old.has_labels
    if not has.any():
        return _NO_COMMON_LABELS
    newer, older = new.imputed, old.imputed
    return ppi_difference(
        (new.labels[has], old.labels[has]),
        (newer[has], older[has]),
        (newer[~has], older[~has]),
        level=level,
        clusters=_split(new.clusters, has),
        bounds=new.bounds,
    )


def _by_rates(
    calibration: Calibration,
    correct: Callable[..., Corrected],
    values: FloatArray,
    clusters: IntArray | None,
    level: float,
) -> Corrected | Message:
    """Correct by sensitivity and specificity, which need labels that were not chosen by the verdicts.

    Verdicts must be of the two kinds that were calibrated; the mean of several (claims) is corrected as they are.
    """
    if not calibration.judge.hash:
        return Message("calibration.unknown_judge")
    if calibration.design == "selected":
        return _SELECTED
    of_claims = calibration.unit == CLAIM
    if not calibration.is_binary or not (of_claims or set(np.abs(values).tolist()) <= {0.0, 1.0}):
        return Message("calibration.graded")
    rates = {"sensitivity": calibration.rate(right=True), "specificity": calibration.rate(right=False)}
    try:
        return correct(values, **rates, clusters=clusters, level=level)
    except NotInformative:
        return Message("calibration.kappa_not_above_0")
