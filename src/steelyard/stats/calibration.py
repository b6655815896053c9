"""How far the verdicts of a judge may be believed: they are compared with labels of people on the same items.

A calibration belongs to one judge (by its hash) and one metric. It says how well the two agree, whether the judge is
worth anything, and what the mean of people would be: by PPI++ if the labels are a random sample of the very result,
else by Rogan and Gladen from sensitivity and specificity. Without one, a judged mean is advisory.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal, get_args

import numpy as np

from steelyard import __version__
from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.io.records import parse_json_file
from steelyard.io.shapes import NUMBER, TEXT, Fields, ListOf, MapOf, Plain, check_shape, is_number
from steelyard.io.streams import read_text
from steelyard.stats.agreement import (
    Kappa,
    alpha_interval,
    clopper_pearson,
    cohen_kappa,
    gwet_ac1,
    kappa_of,
    krippendorff_alpha,
)
from steelyard.stats.alt_test import AltTest, alt_test
from steelyard.stats.corrected import labels_saved
from steelyard.stats.distributions import TIE_TOLERANCE
from steelyard.stats.intervals import Interval, standard_error
from steelyard.stats.ranks import SystemAgreement
from steelyard.stats.summary import interval_list, known
from steelyard.table import Flags, FloatArray, IntArray, Table

Design = Literal["random", "selected", "elsewhere"]
"""How the labelled items were chosen: at random from the verdicts of a result, by some rule from them, or elsewhere."""
Shares = tuple[int, int]
"""So many verdicts that agree, of so many labels."""
CLAIM: Final = "claim"
"""The unit of a result and a calibration whose items are single claims of answers."""

LEAST_KAPPA: Final = 0.4
"""The interval of kappa must lie above this for a judged metric to count in a gate."""
FEWEST_LABELS: Final = 30
"""With fewer labels a judged metric does not count in a gate: intervals of kappa are not to be trusted."""
MOST_GRADES: Final = 11
_TIED: Final = 0.5
_FEWEST: Final = 2
_NONE: Final = Interval(math.nan, math.nan, "none")


@dataclass(frozen=True, slots=True)
class JudgeName:
    """A judge with its hash and its model; the hash is "" if the verdicts were recorded elsewhere."""

    name: str
    hash: str = ""
    model: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.name, self.hash, f"({self.model})" if self.model else "")))


@dataclass(frozen=True, eq=False)
class Calibration:
    """Labels and verdicts of the same items, by id; `unknown` has the labels of items without a verdict.

    `result` is the digest of the column that the verdicts are of. `people` has the labels of each person (a row), NaN
    where there is none. `clusters` are the documents or topics of the items, or the answers of claims. From `threshold`
    on items are right. `unit` says whether the items are claims.
    """

    judge: JudgeName
    metric: str
    ids: Sequence[str]
    labels: FloatArray
    verdicts: FloatArray
    design: Design = "elsewhere"
    result: str = ""
    unknown: Mapping[str, float] = field(default_factory=dict)
    people: FloatArray | None = None
    clusters: IntArray | None = None
    threshold: float | None = None
    systems: SystemAgreement | None = None
    unit: str = ""

    def __len__(self) -> int:
        return len(self.ids)

    def labels_of(self, ids: Sequence[str]) -> FloatArray:
        """Return the labels of items, NaN for those that have none; the verdict of an item may be missing."""
        by_id = {**dict(zip(self.ids, self.labels.tolist(), strict=True)), **self.unknown}
        return np.array([by_id.get(name, math.nan) for name in ids])

    @property
    def unknown_mean(self) -> float:
        """The mean of the labels of items without a verdict."""
        return math.fsum(self.unknown.values()) / len(self.unknown) if self.unknown else math.nan

    @cached_property
    def values(self) -> FloatArray:
        """The different labels and verdicts, in order."""
        return np.unique(np.concatenate([self.labels, self.verdicts]))

    @property
    def is_binary(self) -> bool:
        """Whether labels and verdicts are 0 or 1, but for labels on which people are divided evenly."""
        return {*self.labels[~self.tied].tolist(), *self.verdicts.tolist()} <= {0.0, 1.0}

    @property
    def is_of_whole(self) -> bool:
        """Whether labels say yes or no of an answer whose verdict is a share, such as that of its claims."""
        within = bool(((self.verdicts >= 0) & (self.verdicts <= 1)).all())
        return within and not self.is_binary and {*self.labels.tolist()} <= {0.0, 1.0}

    @property
    def tied(self) -> Flags:
        """The items that as many people call right as wrong; they count for neither."""
        return np.zeros(len(self), np.bool_) if self.people is None else self.labels == _TIED

    @property
    def is_graded(self) -> bool:
        """Whether labels and verdicts are few whole numbers, or few values at all; scores are many."""
        return len(self.values) <= MOST_GRADES

    @cached_property
    def kappa(self) -> Kappa:
        """Cohen's kappa, with quadratic weights where there are more than two values."""
        return kappa_of(self.labels, self.verdicts, clusters=self.clusters)

    @cached_property
    def least_kappa(self) -> float:
        """The lower bound of kappa; where all agree, from the exact bound on the share of units that do."""
        if not math.isclose(self.kappa.value, 1.0):
            return self.kappa.interval.low
        units = len(self) if self.clusters is None else len(np.unique(self.clusters))
        shares = np.unique(self.labels, return_counts=True)[1] / len(self)
        by_chance = float((shares * shares).sum())
        return 1 - (1 - clopper_pearson(units, units).low) / (1 - by_chance)

    @property
    def agreement(self) -> float:
        """The share of equal labels and verdicts."""
        return float(np.mean(self.labels == self.verdicts))

    @property
    def constant(self) -> float:
        """The share of items with the most frequent label: what a judge agrees on that always says that."""
        return float(np.unique(self.labels, return_counts=True)[1].max() / len(self))

    @property
    def saved(self) -> float:
        """The largest share of labels that the judge can save (rho²)."""
        return labels_saved(self.labels, self.verdicts)

    @property
    def line(self) -> float | None:
        """From what value on items are right, for sensitivity and specificity; None for scores."""
        if self.threshold is not None:
            return self.threshold
        return 1.0 if self.is_binary else None

    @property
    def sensitivity(self) -> Shares:
        """How many right items the judge calls right, of how many."""
        return self._agreeing(right=True)

    @property
    def specificity(self) -> Shares:
        """How many wrong items the judge calls wrong, of how many."""
        return self._agreeing(right=False)

    def _agreeing(self, *, right: bool) -> Shares:
        agrees, _ = self._of_kind(right=right)
        return int(agrees.sum()), len(agrees)

    def _of_kind(self, *, right: bool) -> tuple[Flags, IntArray | None]:
        """Return whether the judge agrees on right items, or on wrong ones, and their clusters."""
        if self.line is None:
            return np.zeros(0, np.bool_), None
        chosen = ((self.labels >= self.line) == right) & ~self.tied
        clusters = None if self.clusters is None else self.clusters[chosen]
        return ((self.verdicts >= self.line) == right)[chosen], clusters

    def rate(self, *, right: bool) -> tuple[float, float]:
        """Return sensitivity or specificity as k of n independent items; fewer where items share a cluster."""
        agrees, clusters = self._of_kind(right=right)
        size, share = len(agrees), float(agrees.mean()) if len(agrees) else 0.0
        if clusters is None or size < _FEWEST:
            return share * size, float(size)
        units, alone = len(np.unique(clusters)), share * (1 - share) / size
        effect = size / units if not alone else standard_error(agrees.astype(np.float64), clusters) ** 2 / alone
        independent = size / max(effect, 1.0)
        return share * independent, independent

    @cached_property
    def refusal(self) -> Message | None:
        """Why nothing may be corrected by these verdicts, or None."""
        if len(self) < _FEWEST:
            return Message("calibration.too_few", n=len(self))
        (hits, right), (rejected, wrong) = self.sensitivity, self.specificity
        if self.is_binary and not (right and wrong):
            return Message("calibration.one_label")
        if self.is_binary and (both := hits / right + rejected / wrong) <= 1:
            return Message("calibration.uninformative", both=f"{both:.3f}")
        if not self.least_kappa > TIE_TOLERANCE:
            return Message("calibration.kappa_not_above_0")
        return None

    def advisory(self, floor: float) -> Message | None:
        """Return why the metric does not count in a gate with this floor of kappa, or None."""
        if self.refusal is not None:
            return self.refusal
        if len(self) < FEWEST_LABELS:
            return Message("calibration.few_labels", n=len(self), least=FEWEST_LABELS)
        if not self.least_kappa > floor:
            return Message("calibration.kappa_too_low", low=f"{self.least_kappa:.2f}", floor=f"{floor:g}")
        return None

    def is_about(self, table: Table, metric: str) -> bool:
        """Return whether the verdicts are by the judge of a column."""
        return metric == self.metric and self.judge.hash == table.judges.get(metric, "")

    def is_sample_of(self, table: Table) -> bool:
        """Return whether the labels are a random sample of the verdicts of this very result."""
        return self.design == "random" and self.result == column_digest(table, self.metric)

    @cached_property
    def alt_test(self) -> AltTest | None:
        """The alternative annotator test, where two people or more gave labels."""
        if self.people is None or len(self.people) < 2:
            return None
        return alt_test(self.verdicts, self.people, metric="accuracy" if self.is_graded else "rmse")

    @cached_property
    def between_people(self) -> tuple[float, Interval] | None:
        """Krippendorff's alpha of the people, where several gave labels."""
        if self.people is None or len(self.people) < 2:
            return None
        return krippendorff_alpha(self.people, level=self._level), self._alpha_interval(self.people)

    @cached_property
    def alpha(self) -> tuple[float, Interval]:
        """Krippendorff's alpha of labels and verdicts."""
        ratings = np.vstack([self.labels, self.verdicts])
        return krippendorff_alpha(ratings, level=self._level), self._alpha_interval(ratings)

    def _alpha_interval(self, ratings: FloatArray) -> Interval:
        """Return the interval of alpha; none for items that share documents, over which it is not computed."""
        return _NONE if self.clusters is not None else alpha_interval(ratings, level=self._level)

    @property
    def _level(self) -> Literal["nominal", "interval"]:
        return "nominal" if self.is_binary else "interval"

    @cached_property
    def ac1(self) -> Kappa | None:
        """Gwet's AC1; None for scores."""
        return self._of_items(gwet_ac1(self._table)) if self.is_graded and len(self.values) > 1 else None

    @cached_property
    def exact_kappa(self) -> Kappa | None:
        """Kappa without weights, of grades."""
        return self._of_items(cohen_kappa(self._table)) if self.is_graded and len(self.values) > 2 else None

    def _of_items(self, kappa: Kappa) -> Kappa:
        """Return a coefficient, without its interval for items that share documents."""
        return kappa if self.clusters is None else Kappa(kappa.value, _NONE)

    @property
    def _table(self) -> FloatArray:
        size = len(self.values)
        places = np.searchsorted(self.values, self.labels) * size + np.searchsorted(self.values, self.verdicts)
        return np.bincount(places, minlength=size**2).reshape(size, size).astype(np.float64)

    def as_dict(self) -> dict[str, Any]:
        """Return the content of a calibration file: what was found, and every label, from which it is found again."""
        return {
            "steelyard": __version__,
            "kind": "calibration",
            "judge": {"name": self.judge.name, "hash": self.judge.hash, "model": self.judge.model},
            "metric": self.metric,
            "design": self.design,
            "result": self.result,
            "threshold": self.threshold,
            "unit": self.unit,
            "found": self.figures(),
            "ids": list(self.ids),
            "labels": self.labels.tolist(),
            "verdicts": self.verdicts.tolist(),
            "clusters": None if self.clusters is None else self.clusters.tolist(),
            "unknown": dict(self.unknown),
            "people": None if self.people is None else [[known(each) for each in row] for row in self.people.tolist()],
        }

    def figures(self) -> dict[str, Any]:
        """Return what was found; unknown numbers are None."""
        return {
            "n": len(self),
            "kappa": {**_kappa_dict(self.kappa), "lower": known(self.least_kappa)},
            "kappa_unweighted": _kappa_dict(self.exact_kappa) if self.exact_kappa else None,
            "alpha": {"value": known(self.alpha[0]), "ci95": interval_list(self.alpha[1])},
            "ac1": _kappa_dict(self.ac1) if self.ac1 else None,
            "agreement": self.agreement,
            "constant_guess": self.constant,
            "people_mean": float(self.labels.mean()),
            "judge_mean": float(self.verdicts.mean()),
            "sensitivity": list(self.sensitivity) if self.line is not None else None,
            "specificity": list(self.specificity) if self.line is not None else None,
            "threshold": self.line,
            "rho2": known(self.saved),
            "unknown": len(self.unknown),
            "unknown_people_mean": known(self.unknown_mean),
            "refused": None if self.refusal is None else self.refusal.code.partition(".")[2],
            "alt_test": _alt_dict(self.alt_test) if self.alt_test else None,
            "between_people": None
            if self.between_people is None
            else {"alpha": known(self.between_people[0]), "ci95": interval_list(self.between_people[1])},
            "systems": None if self.systems is None else _systems_dict(self.systems),
        }


def column_digest(table: Table, metric: str) -> str:
    """Return a digest of the scores of a metric by item, and of the settings of the result."""
    lines = sorted(f"{name} {score!r}" for name, score in zip(table.ids, table.column(metric).tolist(), strict=True))
    return sha256("\n".join([str(table.signature), *lines]).encode("utf-8", "surrogatepass")).hexdigest()[:16]


_LABEL: Final = Plain(Message("words.a_number"), lambda value: value is None or is_number(value))
_SHAPE: Final = Fields(
    {
        "kind": Plain(Message("calibration.kind"), lambda value: value == "calibration"),
        "judge": Fields({"name": TEXT, "hash": TEXT, "model": TEXT}, frozenset(("name", "hash", "model"))),
        "metric": TEXT,
        "design": Plain(Message("calibration.design"), lambda value: value in get_args(Design)),
        "result": TEXT,
        "threshold": NUMBER,
        "unit": TEXT,
        "ids": ListOf(TEXT),
        "labels": ListOf(NUMBER),
        "verdicts": ListOf(NUMBER),
        "clusters": ListOf(Plain(Message("words.an_integer"), lambda value: type(value) is int and abs(value) < 2**62)),
        "unknown": MapOf(NUMBER),
        "people": ListOf(ListOf(_LABEL)),
    },
    frozenset(("kind", "judge", "metric", "design", "result", "ids", "labels", "verdicts", "unknown")),
)


def read_calibration(path: str | Path) -> Calibration:
    """Read a calibration file."""
    hint = Message("calibration.file_hint")
    text = read_text(path)[0]
    try:
        content = parse_json_file(text, str(path))
    except InputError as error:
        raise InputError(Message("calibration.not_one"), where=error.where, hint=hint) from None
    if not isinstance(content, dict) or content.get("kind") != "calibration":
        raise InputError(Message("calibration.not_one"), where=str(path), hint=hint)
    check_shape(content, _SHAPE, "", str(path))
    size, people, clusters = len(content["ids"]), content.get("people"), content.get("clusters")
    columns = [content["labels"], content["verdicts"], *(people or ()), *([clusters] if clusters is not None else ())]
    if not size or len({*content["ids"]}) < size or any(len(column) != size for column in columns):
        raise InputError(Message("calibration.not_whole"), where=str(path), hint=hint)
    judge = JudgeName(**{name: content["judge"][name] for name in ("name", "hash", "model")})
    return Calibration(
        judge,
        content["metric"],
        content["ids"],
        np.array(content["labels"], np.float64),
        np.array(content["verdicts"], np.float64),
        content["design"],
        content["result"],
        content["unknown"],
        people=np.array(people, np.float64) if people else None,
        clusters=None if clusters is None else np.array(clusters, np.int64),
        threshold=content.get("threshold"),
        unit=content.get("unit") or "",
    )


def _kappa_dict(kappa: Kappa) -> dict[str, Any]:
    return {"value": known(kappa.value), "ci95": interval_list(kappa.interval)}


def _alt_dict(test: AltTest) -> dict[str, Any]:
    return {"winning_rate": known(test.winning_rate), "advantage": known(test.advantage), "passes": test.passes}


def _systems_dict(found: SystemAgreement) -> dict[str, Any]:
    return {
        "tau": known(found.tau),
        "tau_ci95": interval_list(found.tau_interval),
        "tau_ap": known(found.tau_ap),
        "tau_ap_ci95": interval_list(found.tau_ap_interval),
        "same_best": found.top,
    }
