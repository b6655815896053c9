"""Is the difference between two systems real? Paired by item, corrected as a family, with what could be detected."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from steelyard import limits
from steelyard.errors import ConfigError, UnknownName, nearest
from steelyard.i18n import Message
from steelyard.stats.correction import Correction, adjust
from steelyard.stats.direction import gain
from steelyard.stats.intervals import Interval, mean_interval
from steelyard.stats.paired import PairedResult, Test, paired_tests
from steelyard.stats.pairing import Pairs, pair
from steelyard.stats.power import effect_size, smallest_detectable, smallest_p
from steelyard.stats.selection import part_names
from steelyard.stats.summary import interval_list, known
from steelyard.table import Flags, FloatArray, Table, mean

# settings on which two tables that are compared may well differ
OWN_SETTINGS = ("run", "predictions", "system", "steelyard")

ANYWAY_HINT = Message("stats.measure_both_alike_compare_them")


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
            raise UnknownName.of(Message("words.test"), self.test, get_args(Test))
        if self.correction not in get_args(Correction):
            raise UnknownName.of(Message("words.correction"), self.correction, get_args(Correction))
        if self.resamples < 1 or not 0 < self.alpha < 1:
            raise ConfigError(Message("stats.resamples_least_1_alpha_lie"))
        limits.RESAMPLES.check(self.resamples, Message("words.the_number_of_resamples"))


@dataclass(frozen=True, slots=True)
class Comparison:
    """System `a` (the newer) against `b` on one metric; `difference` is a - b over the `n` items scored in both.

    `unpaired` counts items that are scored in only one of the two, `wins` and `losses` those on which a is the better
    or the worse. What varies are `units`: the items, or the documents (`by_document`) where items share them. The test
    cannot give a p below `smallest_p`, nor the family one below `smallest_p_adjusted`; None where units set no bound.
    `smallest_detectable` is the difference that this many would have shown in four of five repetitions, and NaN where
    the comparison is hopeless.
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
    units: int
    by_document: bool
    smallest_p: float | None
    smallest_p_adjusted: float | None
    settings_differ: tuple[str, ...] = ()

    @property
    def gain(self) -> float:
        """The difference with the sign turned, where less is better, so that above 0 means that a is better."""
        return gain(self.metric, self.difference)

    @property
    def hopeless(self) -> bool:
        """Whether no difference whatever could have been significant: too few units, or draws, for the family."""
        return self.smallest_p_adjusted is not None and self.smallest_p_adjusted >= self.settings.alpha

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
            "units": self.units,
            "smallest_p": self.smallest_p,
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
    return _as_family([found for table in new for found in _compare_pair(table, old, settings, metrics)], settings)


def compare_pairs(
    tables: Sequence[Table], settings: ComparisonSettings, *, metrics: Sequence[str] | None = None
) -> list[Comparison]:
    """Compare every two tables, the later named with the earlier; all p-values of all pairs are one family."""
    pairs = [(new, old) for place, new in enumerate(tables) for old in tables[:place]]
    return _as_family([found for new, old in pairs for found in _compare_pair(new, old, settings, metrics)], settings)


def compare_by(
    new: Sequence[Table],
    old: Table,
    tag: str,
    settings: ComparisonSettings,
    *,
    metrics: Sequence[str] | None = None,
) -> dict[str, list[Comparison]]:
    """Compare within each value of a tag; all p-values of all values are one family.

    An item has the tag that the old table gives it, and where that has none, the first new one that does.
    """
    labelled = [
        (value, found)
        for value, items in _items_by_value([old, *new], tag).items()
        for each in new
        for found in _compare_within(each, old, items, settings, metrics)
    ]
    found = _as_family([comparison for _, comparison in labelled], settings)
    groups: dict[str, list[Comparison]] = {}
    for (value, _), comparison in zip(labelled, found, strict=True):
        groups.setdefault(value, []).append(comparison)
    return groups


def check_comparable(new: Table, old: Table) -> None:
    """Refuse two tables whose numbers do not mean the same; `compare` itself only says so in `settings_differ`."""
    _check_same_kind(new, old)
    names = settings_that_differ(new, old)
    if names:
        said = ", ".join(f"{name} ({_said(new, name)} ≠ {_said(old, name)})" for name in names)
        raise ConfigError(
            Message("stats.do_not_compare_their_settings", name=new.name, name_2=old.name, said=said), hint=ANYWAY_HINT
        )


def settings_that_differ(new: Table, old: Table) -> tuple[str, ...]:
    """The settings apart from the system itself in which two results are not alike."""
    return tuple(new.signature.differences(old.signature, apart_from=OWN_SETTINGS))


def _said(table: Table, setting: str) -> str:
    return table.signature.get(setting) or "–"


def _as_family(found: Sequence[Comparison], settings: ComparisonSettings) -> list[Comparison]:
    adjusted = adjust([comparison.p_value for comparison in found], settings.correction)
    # an adjusted p falls with every p of its family, so it is smallest where all of them are
    least = adjust([np.nan if each.smallest_p is None else each.smallest_p for each in found], settings.correction)
    return [_corrected(comparison, *both) for comparison, *both in zip(found, adjusted, least, strict=True)]


def _corrected(comparison: Comparison, p_adjusted: float, smallest: float) -> Comparison:
    bound = None if comparison.smallest_p is None else smallest
    found = replace(comparison, p_adjusted=p_adjusted, smallest_p_adjusted=bound)
    return replace(found, smallest_detectable=np.nan) if found.hopeless else found


def _items_by_value(tables: Sequence[Table], tag: str) -> dict[str, set[str]]:
    """The items that have each value of the tag, in order of appearance."""
    known = dict.fromkeys(name for table in tables for name in table.tags)
    if tag not in known:
        hint = nearest(tag, known) if known else Message("reports.items_result_no_tags")
        raise UnknownName(Message("reports.no_tag_called", tag=tag), where=tables[0].name, hint=hint)
    value_of: dict[str, str] = {}
    for table in tables:
        for item, value in zip(table.ids, table.tags.get(tag, [""] * len(table)), strict=True):
            value_of[item] = value_of.get(item) or value
    groups: dict[str, set[str]] = {}
    for item, value in value_of.items():
        groups.setdefault(value, set()).add(item)
    return groups


def _compare_within(
    new: Table, old: Table, items: set[str], settings: ComparisonSettings, metrics: Sequence[str] | None
) -> list[Comparison]:
    """Compare on these items only; nothing where none of them is in both."""
    if items.isdisjoint(set(new.ids) & set(old.ids)):
        return []
    new, old = (
        table.take(np.array([row for row, item in enumerate(table.ids) if item in items])) for table in (new, old)
    )
    return _compare_pair(new, old, settings, metrics)


def _compare_pair(
    new: Table, old: Table, settings: ComparisonSettings, metrics: Sequence[str] | None
) -> list[Comparison]:
    _check_same_kind(new, old)
    names = _common_metrics(new, old, metrics)
    if not names:
        return []
    rows = pair(new, old)
    # Wilcoxon's ranks are those of R, which does not see ties behind rounding; its published values depend on that
    differences = np.column_stack([rows.differences(metric, ties=settings.test != "wilcoxon") for metric in names])
    units = rows.by_cluster(differences)
    results = paired_tests(units, test=settings.test, resamples=settings.resamples, seed=settings.seed)
    return [
        _compare_metric(rows, metric, differences[:, place], results[place], settings)
        for place, metric in enumerate(names)
    ]


def _possible(rows: Pairs, metric: str, kept: FloatArray, both: Flags) -> Interval:
    """The interval of a mean difference, as far as the metric can differ."""
    found = mean_interval(kept, method="widened t", clusters=None if rows.clusters is None else rows.clusters[both])
    low, high = rows.tables[0].bounds(metric)
    return replace(found, low=max(found.low, low - high), high=min(found.high, high - low))


def _compare_metric(
    rows: Pairs, metric: str, differences: FloatArray, result: PairedResult, settings: ComparisonSettings
) -> Comparison:
    a, b = rows.tables
    both = ~np.isnan(differences)
    kept = differences[both]
    gains = gain(metric, 1.0) * kept
    units = rows.by_cluster(differences[:, np.newaxis])[:, 0]
    units = units[~np.isnan(units)]
    least = smallest_p(settings.test, len(units), resamples=result.resamples)
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
        wins=int(np.count_nonzero(gains > 0)),
        losses=int(np.count_nonzero(gains < 0)),
        units=len(units),
        by_document=rows.clusters is not None,
        smallest_p=least,
        smallest_p_adjusted=least,
        settings_differ=settings_that_differ(a, b),
    )


def _common_metrics(new: Table, old: Table, wanted: Sequence[str] | None) -> list[str]:
    """Metrics of both tables; counts are compared only when asked for, so that they do not swell the family."""
    common = [metric for metric in new.metrics if metric in old.columns]
    for metric in wanted or ():
        if metric not in common:
            parts = [part for part in part_names(new) if part in part_names(old)]
            raise UnknownName(
                Message("stats.no_metric_both_called", metric=metric), hint=nearest(metric, [*common, *parts])
            )
    if not common:
        raise ConfigError(
            Message("stats.no_metric_common", name=new.name, name_2=old.name),
            hint=Message(
                "stats.has_has",
                name=new.name,
                names=", ".join(new.metrics),
                name_2=old.name,
                names_2=", ".join(old.metrics),
            ),
        )
    return list(wanted) if wanted is not None else [metric for metric in common if metric not in new.sums]


def _check_same_kind(new: Table, old: Table) -> None:
    if new.kind != old.kind:
        raise ConfigError(
            Message("stats.result_result_they_do_not", name=new.name, kind=new.kind, name_2=old.name, kind_2=old.kind)
        )
