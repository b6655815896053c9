"""Is the difference between two systems real? Paired by item, corrected as a family, with what could be detected."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from steelyard.errors import ConfigError, InputError, UnknownName, nearest
from steelyard.stats.correction import Correction, adjust
from steelyard.stats.intervals import Interval, mean_interval
from steelyard.stats.paired import PairedResult, Test, paired_tests
from steelyard.stats.power import effect_size, smallest_detectable
from steelyard.stats.summary import clusters_of, interval_list, known
from steelyard.table import Flags, FloatArray, IntArray, Table, mean

# of a score's sixteen digits so many are trusted in a difference
_DIGITS = 14

# settings on which two tables that are compared may well differ
_OWN_SETTINGS = ("run", "predictions", "system", "steelyard")


@dataclass(frozen=True, slots=True)
class ComparisonSettings:
    """How differences are tested: the test, its randomness, the correction of the family, the level."""

    test: Test = "permutation"
    resamples: int = 10_000
    seed: int = 42
    correction: Correction = "holm"
    alpha: float = 0.05

    def __post_init__(self) -> None:
        if self.test not in get_args(Test):
            raise UnknownName.of("test", self.test, get_args(Test))
        if self.correction not in get_args(Correction):
            raise UnknownName.of("correction", self.correction, get_args(Correction))
        if self.resamples < 1 or not 0 < self.alpha < 1:
            raise ConfigError("resamples must be at least 1 and alpha must lie between 0 and 1")


@dataclass(frozen=True, slots=True)
class Comparison:
    """System `a` (the newer) against `b` on one metric; `difference` is a - b over the `n` items scored in both.

    `unpaired` counts items that are scored in only one of the two, `wins` and `losses` those on which a is the better
    or the worse. `smallest_detectable` is the difference that this
    many items would have shown in four of five repetitions.
    """

    a: str
    b: str
    metric: str
    n: int
    unpaired: int
    a_mean: float
    b_mean: float
    difference: float
    interval: Interval
    result: PairedResult
    p_adjusted: float
    settings: ComparisonSettings
    effect_size: float
    smallest_detectable: float
    wins: int
    losses: int
    settings_differ: tuple[str, ...] = ()

    @property
    def p_value(self) -> float:
        """The p-value before correction."""
        return self.result.p_value

    @property
    def significant(self) -> bool:
        """Whether the corrected p-value is below alpha."""
        return bool(self.p_adjusted < self.settings.alpha)

    def as_dict(self) -> dict[str, Any]:
        """As one entry of `comparisons` in JSON output."""
        return {
            "a": self.a,
            "b": self.b,
            "metric": self.metric,
            "n": self.n,
            "unpaired": self.unpaired,
            "a_mean": known(self.a_mean),
            "b_mean": known(self.b_mean),
            "diff": known(self.difference),
            "ci95": interval_list(self.interval),
            "test": self.result.test,
            "exact": self.result.exact,
            "resamples": self.result.resamples,
            "seed": self.settings.seed,
            "p_value": known(self.p_value),
            "p_adjusted": known(self.p_adjusted),
            "correction": self.settings.correction,
            "alpha": self.settings.alpha,
            "significant": self.significant,
            "effect_size": known(self.effect_size),
            "smallest_detectable": known(self.smallest_detectable),
            "wins": self.wins,
            "losses": self.losses,
            "ties": self.n - self.wins - self.losses,
            "settings_differ": list(self.settings_differ),
        }


def compare(
    new: Table,
    old: Table,
    *,
    metrics: Sequence[str] | None = None,
    test: Test = "permutation",
    resamples: int = 10_000,
    seed: int = 42,
    correction: Correction = "holm",
    alpha: float = 0.05,
) -> list[Comparison]:
    """Compare two tables metric by metric; the p-values are corrected as one family."""
    settings = ComparisonSettings(test, resamples, seed, correction, alpha)
    return compare_all([new], old, settings, metrics=metrics)


def compare_all(
    new: Sequence[Table],
    old: Table,
    settings: ComparisonSettings = ComparisonSettings(),  # noqa: B008 - frozen
    *,
    metrics: Sequence[str] | None = None,
) -> list[Comparison]:
    """Compare each new table with the old one; all p-values of all of them are one family."""
    found = [comparison for table in new for comparison in _compare_pair(table, old, settings, metrics)]
    adjusted = adjust([comparison.p_value for comparison in found], settings.correction)
    return [replace(comparison, p_adjusted=p) for comparison, p in zip(found, adjusted, strict=True)]


def _compare_pair(
    new: Table, old: Table, settings: ComparisonSettings, metrics: Sequence[str] | None
) -> list[Comparison]:
    _check_same_kind(new, old)
    names = _common_metrics(new, old, metrics)
    if not names:
        return []
    rows = _pair(new, old)
    # Wilcoxon's ranks are those of R, which does not see ties behind rounding; its published values depend on that
    differences = np.column_stack([rows.differences(metric, ties=settings.test != "wilcoxon") for metric in names])
    units = rows.by_cluster(differences)
    results = paired_tests(units, test=settings.test, resamples=settings.resamples, seed=settings.seed)
    return [
        _compare_metric(rows, metric, differences[:, place], results[place], settings)
        for place, metric in enumerate(names)
    ]


def _possible(rows: "_Pairs", metric: str, kept: FloatArray, both: Flags) -> Interval:
    """The interval of a mean difference, as far as the metric can differ."""
    found = mean_interval(kept, method="t", clusters=None if rows.clusters is None else rows.clusters[both])
    low, high = rows.tables[0].bounds.get(metric, (-np.inf, np.inf))
    return replace(found, low=max(found.low, low - high), high=min(found.high, high - low))


def _compare_metric(
    rows: "_Pairs", metric: str, differences: FloatArray, result: PairedResult, settings: ComparisonSettings
) -> Comparison:
    a, b = rows.tables
    both = ~np.isnan(differences)
    kept = differences[both]
    units = rows.by_cluster(differences[:, np.newaxis])[:, 0]
    units = units[~np.isnan(units)]
    a_mean, b_mean = mean(a.column(metric)[rows.new][both]), mean(b.column(metric)[rows.old][both])
    return Comparison(
        a=a.name,
        b=b.name,
        metric=metric,
        n=len(kept),
        unpaired=len(a.scored(metric)) + len(b.scored(metric)) - 2 * len(kept),
        a_mean=a_mean,
        b_mean=b_mean,
        difference=a_mean - b_mean,
        interval=_possible(rows, metric, kept, both),
        result=result,
        p_adjusted=result.p_value,
        settings=settings,
        effect_size=effect_size(kept),
        # units are sums over clusters; their mean is that of the items times the size of a cluster
        smallest_detectable=smallest_detectable(units, alpha=settings.alpha) * len(units) / max(len(kept), 1),
        wins=int(np.count_nonzero(kept > 0)),
        losses=int(np.count_nonzero(kept < 0)),
        settings_differ=tuple(a.signature.differences(b.signature, apart_from=_OWN_SETTINGS)),
    )


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Rows of the two tables that belong to one item, in the order of ids, and the clusters that items share."""

    tables: tuple[Table, Table]
    new: IntArray
    old: IntArray
    clusters: IntArray | None

    def differences(self, metric: str, *, ties: bool) -> FloatArray:
        """New minus old; what is only rounding is 0, and with `ties` 0.3 - 0.2 and 0.1 are one difference too."""
        new, old = (table.column(metric)[rows] for table, rows in zip(self.tables, (self.new, self.old), strict=True))
        found = new - old
        largest = float(np.nanmax(np.abs((new, old)), initial=0.0))
        if largest == 0:
            return found
        rounded = np.round(found, _DIGITS - math.ceil(math.log10(largest)))
        return rounded if ties else np.where(rounded == 0, 0.0, found)

    def by_cluster(self, differences: FloatArray) -> FloatArray:
        """Differences of items that share a document, summed up: what varies is then the document."""
        if self.clusters is None:
            return differences
        sums = np.zeros((int(self.clusters.max()) + 1, differences.shape[1]))
        there = np.zeros_like(sums)
        np.add.at(sums, self.clusters, np.nan_to_num(differences))
        np.add.at(there, self.clusters, ~np.isnan(differences))
        return np.where(there > 0, sums, np.nan)


def _pair(new: Table, old: Table) -> _Pairs:
    place = {item: row for row, item in enumerate(old.ids)}
    pairs = [(row, place[item]) for row, item in enumerate(new.ids) if item in place]
    if not pairs:
        raise InputError(f"no item is in both {new.name} and {old.name}", hint="items are paired by their id")
    pairs.sort(key=lambda rows: new.ids[rows[0]])
    rows = np.array(pairs)
    clusters = clusters_of(new)
    return _Pairs((new, old), rows[:, 0], rows[:, 1], None if clusters is None else clusters[rows[:, 0]])


def _common_metrics(new: Table, old: Table, wanted: Sequence[str] | None) -> list[str]:
    """Metrics of both tables; counts are compared only when asked for, so that they do not swell the family."""
    common = [metric for metric in new.metrics if metric in old.columns]
    for metric in wanted or ():
        if metric not in common:
            raise UnknownName(f"no metric of both is called {metric!r}", hint=nearest(metric, common))
    if not common:
        raise ConfigError(
            f"{new.name} and {old.name} have no metric in common",
            hint=f"{new.name} has {', '.join(new.metrics)}; {old.name} has {', '.join(old.metrics)}",
        )
    return list(wanted) if wanted is not None else [metric for metric in common if metric not in new.sums]


def _check_same_kind(new: Table, old: Table) -> None:
    if new.kind != old.kind:
        raise ConfigError(f"{new.name} is a {new.kind} result and {old.name} a {old.kind} result; they do not compare")
