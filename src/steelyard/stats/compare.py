"""Comparison of two systems, paired by item: estimate, significance test corrected for the family, and power."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from steelyard import limits
from steelyard.errors import ConfigError, UnknownName, nearest
from steelyard.i18n import Message
from steelyard.registry.kinds import directed_parts, family_of, gain, is_directed
from steelyard.stats.correction import Correction, adjust
from steelyard.stats.distributions import deviation
from steelyard.stats.intervals import Interval, mean_interval, standard_error
from steelyard.stats.outcomes import has_no_point
from steelyard.stats.paired import PairedResult, TestName, paired_tests
from steelyard.stats.pairing import PairedRows, check_same_kind, pair, paired_questions, settings_that_differ
from steelyard.stats.power import at_level, effect_size, least_units, smallest_detectable, smallest_p, units_to_detect
from steelyard.stats.resampling import RESAMPLES, with_enough_resamples
from steelyard.stats.scopes import Scope, Units, cannot_tell, scope_of, scopes_of
from steelyard.stats.selection import items_by_value, part_names, rows_of, share_items, with_directed_parts
from steelyard.stats.summary import interval_list, known
from steelyard.table import Bounds, FloatArray, Table, exponential, mean

Family = Literal["all", "metric"]
"""What is corrected together: the tests of all metrics, or those of each metric apart."""


@dataclass(frozen=True, slots=True)
class ComparisonSettings:
    """How differences are tested: the test, its resamples and seed, the correction of the family, the level.

    Without a number of `resamples` there are as many as the family needs (`resampling`). `units` says which scope
    decides (`scopes`).
    """

    test: TestName = "permutation"
    resamples: int | None = None
    seed: int = 42
    correction: Correction = "holm"
    alpha: float = 0.05
    units: Units = "auto"
    family: Family = "all"

    def __post_init__(self) -> None:
        if self.test not in get_args(TestName):
            raise UnknownName.of(Message("words.test"), self.test, get_args(TestName))
        if self.correction not in get_args(Correction):
            raise UnknownName.of(Message("words.correction"), self.correction, get_args(Correction))
        if self.units not in get_args(Units):
            raise UnknownName.of(Message("words.units"), self.units, get_args(Units))
        if self.family not in get_args(Family):
            raise UnknownName.of(Message("words.family"), self.family, get_args(Family))
        resamples = RESAMPLES if self.resamples is None else self.resamples
        if resamples < 1 or not 0 < self.alpha < 1:
            raise ConfigError(Message("stats.invalid_bootstrap"))
        limits.RESAMPLES.check(resamples, Message("words.the_number_of_resamples"))

    def tests_of(self, tests: int) -> int:
        """Return by how many tests a p-value of a family of so many is multiplied at most."""
        return 1 if self.correction == "none" else tests


@dataclass(frozen=True, slots=True)
class Comparison:
    """System `a` (the newer) against `b` on one metric, over the `n` items that are scored in both.

    Estimate: `difference` is a - b, with its 95 % `interval`. `unpaired` counts items that are scored in only one of
    the two, `wins` and `losses` those on which a is better or worse. `effect_size` is Cohen's d_z.

    Test: `p_value`, and `p_adjusted` for the family of tests. The test cannot give a p-value below `smallest_p`, nor
    the family one below `smallest_p_adjusted`; both are None if the number of units sets no bound. `resamples` is the
    number of draws if the p-value is sampled.

    Power: the `units` that vary are the items, or the documents. `smallest_detectable` is the difference that this many
    units detect with a power of 0.8, at the level of one test of the family; NaN if the test is underpowered, or if the
    differences of two units or more are `all_equal`: their standard error is 0. `spread` is the standard deviation of
    what a unit adds to the difference. With fewer than `least` units the test cannot be significant in its family;
    about `needed` would detect the measured difference, None if it is significant, that is unknown, or no number would.
    Differences of geometric means are those of logarithms, taken back as differences from `base`.

    `settings_differ` names the settings in which the two results are not alike; `questions_differ` has the questions,
    new and old, of paired items that have not the same question in both. The scores of a `judged` metric are verdicts
    of a model: the test says nothing of what people would find. Interval, test and power are those of the `scope` that
    decides; `others` is the same comparison in the other scope, if there is one.
    """

    a: str
    b: str
    metric: str
    settings: ComparisonSettings
    n: int
    unpaired: int
    a_mean: float
    b_mean: float
    difference: float
    interval: Interval
    effect_size: float
    wins: int
    losses: int
    p_value: float
    p_adjusted: float
    exact: bool
    resamples: int | None
    smallest_p: float | None
    smallest_p_adjusted: float | None
    units: int
    smallest_detectable: float = np.nan
    all_equal: bool = False
    spread: float = np.nan
    least: int = 2
    needed: int | None = None
    base: float | None = None
    settings_differ: tuple[str, ...] = ()
    questions_differ: tuple[tuple[str, str], ...] = ()
    scope: Scope = "items"
    others: tuple["Comparison", ...] = ()
    judged: bool = False

    @property
    def scopes(self) -> "tuple[Comparison, ...]":
        """The comparison in each scope: items, then documents."""
        return tuple(sorted((self, *self.others), key=lambda each: each.scope == "documents"))

    @property
    def ties(self) -> int:
        """The number of items on which the two are equal."""
        return self.n - self.wins - self.losses

    @property
    def gain(self) -> float:
        """The difference, negated if less is better: above 0 means that a is better."""
        return gain(self.metric, self.difference)

    @property
    def significant(self) -> bool:
        """Whether the corrected p-value is below alpha."""
        return bool(self.p_adjusted < self.settings.alpha)

    @property
    def underpowered(self) -> bool:
        """Whether no difference could have been significant: too few units, or resamples, for the family."""
        return self.smallest_p_adjusted is not None and self.smallest_p_adjusted >= self.settings.alpha

    @property
    def lacks_resamples(self) -> bool:
        """Whether the number of resamples alone rules out that the test is significant in its family."""
        return self.underpowered and self.resamples is not None

    @property
    def disagrees(self) -> bool:
        """Whether the interval excludes 0 and the test does not reject, or the reverse."""
        excludes = self.interval.low > 0 or self.interval.high < 0
        return not (self.cannot_tell or self.underpowered) and excludes is not self.significant

    @property
    def cannot_tell(self) -> bool:
        """Whether no difference could have been significant with this number of units."""
        return self.units < 2 or (self.underpowered and not self.resamples)

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
            "test": self.settings.test,
            "exact": self.exact,
            "resamples": self.resamples,
            "seed": self.settings.seed,
            "p_value": known(self.p_value),
            "p_adjusted": known(self.p_adjusted),
            "correction": self.settings.correction,
            "family": self.settings.family,
            "alpha": self.settings.alpha,
            "significant": self.significant,
            "effect_size": known(self.effect_size),
            "smallest_detectable": known(self.smallest_detectable),
            "needed": self.needed,
            "wins": self.wins,
            "losses": self.losses,
            "ties": self.ties,
            "units": self.units,
            "smallest_p": self.smallest_p,
            "settings_differ": list(self.settings_differ),
            "scope": self.scope,
            "scopes": [each.scope_dict() for each in self.scopes],
            **({"judged": True} if self.judged else {}),
        }

    def scope_dict(self) -> dict[str, Any]:
        """As one entry of `scopes` in JSON output; numbers that one unit cannot give are None."""
        several = self.units > 1
        return {
            "scope": self.scope,
            "units": self.units,
            "ci95": interval_list(self.interval),
            "p_value": known(self.p_value) if several else None,
            "p_adjusted": known(self.p_adjusted) if several else None,
            "significant": self.significant,
            "smallest_detectable": known(self.smallest_detectable),
            "smallest_p": self.smallest_p,
            "needed": self.needed,
            "reason": str(cannot_tell(self.scope, self.units)) if self.cannot_tell else None,
        }


_Tested = tuple[tuple[Table, Table], Comparison]  # two tables, and how they compare on one metric


def compare_all(
    new: Sequence[Table],
    old: Table,
    settings: ComparisonSettings = ComparisonSettings(),
    *,
    metrics: Sequence[str] | None = None,
) -> list[Comparison]:
    """Compare each new table with the old one (new minus old); all p-values of a scope form one family.

    Where the metrics are not named, a metric without a direction is compared by its parts that have one.
    """
    old, *new = with_directed_parts([old, *new])
    return _in_scopes([(table, old) for table in new], [old, *new], settings, metrics)


def compare_pairs(
    tables: Sequence[Table], settings: ComparisonSettings, *, metrics: Sequence[str] | None = None
) -> list[Comparison]:
    """Compare every two tables, the later with the earlier; all p-values of all pairs form one family."""
    pairs = [(new, old) for index, new in enumerate(tables) for old in tables[:index]]
    return _in_scopes(pairs, tables, settings, metrics)


def compare_each(
    pairs: Sequence[tuple[Table, Table]],
    whole: Sequence[Table],
    settings: ComparisonSettings,
    *,
    metrics: Sequence[str] | None = None,
) -> list[list[Comparison]]:
    """Compare the first table of each pair with the second; all p-values of a scope form one family.

    The pairs are parts of the tables `whole`, which say what scope decides.
    """
    compared = iter(_in_scopes(pairs, whole, settings, metrics))
    return [[next(compared) for _ in _common_metrics(new, old, metrics)] for new, old in pairs]


def compare_by(
    new: Sequence[Table],
    old: Table,
    tag: str,
    settings: ComparisonSettings,
    *,
    metrics: Sequence[str] | None = None,
) -> dict[str, list[Comparison]]:
    """Compare within each value of a tag; all p-values of all values form one family.

    The tag of an item is that of the old table, or if it has none, that of the first new table that has one. The scope
    that decides is that of the whole tables.
    """
    within = [
        (value, rows_of(items, table), rows_of(items, old))
        for value, items in items_by_value([old, *new], tag).items()
        for table in new
        if share_items(table, old, items)
    ]
    compared = compare_each([(table, base) for _, table, base in within], [old, *new], settings, metrics=metrics)
    groups: dict[str, list[Comparison]] = {}
    for (value, *_), comparisons in zip(within, compared, strict=True):
        groups.setdefault(value, []).extend(comparisons)
    return groups


def difference_bounds(new: Table, old: Table, metric: str) -> Bounds:
    """Return the least and the greatest difference of a metric, as far as both tables declare its bounds."""
    (new_low, new_high), (old_low, old_high) = new.bounds(metric), old.bounds(metric)
    return new_low - old_high, new_high - old_low


def _in_scopes(
    pairs: Sequence[tuple[Table, Table]],
    whole: Sequence[Table],
    settings: ComparisonSettings,
    metrics: Sequence[str] | None,
) -> list[Comparison]:
    """Return the comparisons in the scope that decides, each with that of the other scope; every scope is a family."""
    if not pairs:
        return []
    scope = scope_of(settings.units, *whole)
    families = {each: _family(pairs, settings, metrics, each) for each in scopes_of(scope, *whole)}
    others = [family for each, family in families.items() if each != scope]
    return [replace(decided, others=tuple(rest)) for decided, *rest in zip(families[scope], *others, strict=True)]


def _family(
    pairs: Sequence[tuple[Table, Table]],
    settings: ComparisonSettings,
    metrics: Sequence[str] | None,
    scope: Scope,
) -> list[Comparison]:
    """Compare the pairs in one scope, with p-values corrected within each family (`family_of`)."""
    found = [(pair, each) for pair in pairs for each in _compare_pair(*pair, settings, metrics, scope)]
    by_metric, kind = settings.family == "metric", pairs[0][0].kind
    families = [each.metric if by_metric else family_of(kind, each.metric) for _, each in found]
    members: dict[str, list[_Tested]] = {}
    for name, member in zip(families, found, strict=True):
        members.setdefault(name, []).append(member)
    adjusted = {name: iter(_adjusted(_sampled(family, settings), settings)) for name, family in members.items()}
    return [next(adjusted[name]) for name in families]


def _sampled(family: Sequence[_Tested], settings: ComparisonSettings) -> list[Comparison]:
    """Return the comparisons of one family with as many resamples as it needs, unless their number is given."""
    comparisons = [comparison for _, comparison in family]
    if settings.resamples is not None or settings.test != "permutation":
        return comparisons
    tests = settings.tests_of(len(family))
    return with_enough_resamples(comparisons, tests, settings.alpha, partial(_units_of, family))


def _units_of(family: Sequence[_Tested], index: int) -> FloatArray:
    """Return the differences of the units that one comparison of a family tests."""
    (new, old), comparison = family[index]
    rows = pair(new.on_log_scale(), old.on_log_scale(), comparison.scope)
    return rows.by_cluster(rows.differences(comparison.metric, ties=True)[:, np.newaxis])[:, 0]


def _adjusted(comparisons: Sequence[Comparison], settings: ComparisonSettings) -> list[Comparison]:
    """Return the comparisons of one family with corrected p-values."""
    adjusted = adjust([comparison.p_value for comparison in comparisons], settings.correction)
    # an adjusted p falls with every p of its family, so it is smallest if all of them are
    bounds = [np.nan if comparison.smallest_p is None else comparison.smallest_p for comparison in comparisons]
    smallest = adjust(bounds, settings.correction)
    least = least_units(settings.test, settings.correction, len(comparisons), alpha=settings.alpha)
    return [
        _corrected(comparison, *pair, least=least, family=len(comparisons))
        for comparison, *pair in zip(comparisons, adjusted, smallest, strict=True)
    ]


def _corrected(comparison: Comparison, p_adjusted: float, smallest: float, *, least: int, family: int) -> Comparison:
    bound = None if comparison.smallest_p is None else smallest
    found = replace(comparison, p_adjusted=p_adjusted, smallest_p_adjusted=bound, least=least)
    alpha = comparison.settings.alpha
    level = alpha / comparison.settings.tests_of(family)
    needed = units_to_detect(comparison.spread, comparison.difference, least=least, alpha=level)
    detectable = np.nan if found.underpowered else _detectable_at(level, comparison)
    return replace(found, needed=None if found.significant else needed, smallest_detectable=detectable)


def _detectable_at(level: float, comparison: Comparison) -> float:
    """Return the detectable difference at the level of one test, from that at the level of the family."""
    detectable, base, alpha = comparison.smallest_detectable, comparison.base, comparison.settings.alpha
    if base is None:
        return at_level(detectable, comparison.units, alpha=alpha, level=level)
    logarithm = float(np.log1p(detectable / base)) if base else np.nan
    return base * (exponential(at_level(logarithm, comparison.units, alpha=alpha, level=level)) - 1)


def _compare_pair(
    new: Table, old: Table, settings: ComparisonSettings, metrics: Sequence[str] | None, scope: Scope
) -> list[Comparison]:
    """Compare two tables on each metric in one scope, without correction."""
    check_same_kind(new, old)
    names = _common_metrics(new, old, metrics)
    if not names:
        return []
    geometric = {*new.geometric, *old.geometric}
    rows = pair(new.on_log_scale(), old.on_log_scale(), scope)
    # Wilcoxon's ranks are those of R, which does not see ties behind rounding; its published values depend on that
    differences = np.column_stack([rows.differences(metric, ties=settings.test != "wilcoxon") for metric in names])
    units = rows.by_cluster(differences)
    results = paired_tests(units, test=settings.test, resamples=settings.resamples or RESAMPLES, seed=settings.seed)
    compared = [
        _compare_metric(rows, metric, differences[:, index], results[index], settings)
        for index, metric in enumerate(names)
    ]
    compared = [_from_log_scale(each) if each.metric in geometric else each for each in compared]
    differing, judges = paired_questions(new, old).differing, {*new.judges, *old.judges}
    return [replace(each, questions_differ=differing, judged=each.metric in judges) for each in compared]


def _from_log_scale(logs: Comparison) -> Comparison:
    """Return the comparison of geometric means: the ratio of the two, as a difference from the mean of b."""
    new, old = exponential(logs.a_mean), exponential(logs.b_mean)
    low, high = (old * (exponential(end) - 1) for end in (logs.interval.low, logs.interval.high))
    return replace(
        logs,
        a_mean=new,
        b_mean=old,
        difference=new - old,
        interval=Interval(low, high, f"geometric {logs.interval.method}"),
        smallest_detectable=old * (exponential(logs.smallest_detectable) - 1),
        spread=old * logs.spread,
        base=old,
    )


def _compare_metric(
    rows: PairedRows, metric: str, differences: FloatArray, result: PairedResult, settings: ComparisonSettings
) -> Comparison:
    """Compare two tables on one metric, without correction."""
    a, b = rows.tables
    both = ~np.isnan(differences)
    paired = differences[both]
    gains = gain(metric, 1.0) * paired
    clusters = None if rows.clusters is None else rows.clusters[both]
    a_mean, b_mean = mean(a.column(metric)[rows.new][both]), mean(b.column(metric)[rows.old][both])
    units = rows.by_cluster(differences[:, np.newaxis])[:, 0]
    units = units[~np.isnan(units)]
    smallest = smallest_p(settings.test, len(units), resamples=result.resamples)
    compared = Comparison(
        *(a.name, b.name, metric, settings),
        n=len(paired),
        unpaired=len(a.scored(metric)) + len(b.scored(metric)) - 2 * len(paired),
        a_mean=a_mean,
        b_mean=b_mean,
        difference=a_mean - b_mean,
        interval=mean_interval(paired, method="widened t", clusters=clusters).within(difference_bounds(a, b, metric)),
        effect_size=effect_size(paired),
        wins=int(np.count_nonzero(gains > 0)),
        losses=int(np.count_nonzero(gains < 0)),
        p_value=result.p_value,
        p_adjusted=result.p_value,
        exact=result.exact,
        resamples=result.resamples,
        smallest_p=smallest,
        smallest_p_adjusted=smallest,
        units=len(units),
        settings_differ=settings_that_differ(a, b),
        scope=rows.scope,
    )
    return _with_power(compared, units, standard_error(paired, clusters))


def _with_power(comparison: Comparison, units: FloatArray, error: float) -> Comparison:
    """Add what the units could detect, at the level of the whole family."""
    # units are sums over clusters; their mean is that of the items times the size of a cluster
    detectable = smallest_detectable(units, alpha=comparison.settings.alpha) * len(units) / max(comparison.n, 1)
    spread = error * float(np.sqrt(len(units)))
    return replace(comparison, smallest_detectable=detectable, all_equal=deviation(units) == 0, spread=spread)


def _common_metrics(new: Table, old: Table, wanted: Sequence[str] | None) -> list[str]:
    """Return the metrics of both tables; counts are compared only on request, so that they do not enlarge the family.

    A metric without a direction is left out where its parts, which have one, are columns, and a share of outcomes
    without a value where there is any other metric.
    """
    common = [metric for metric in new.metrics if metric in old.columns]
    for metric in wanted or ():
        if metric not in common:
            parts = [part for part in part_names(new) if part in part_names(old)]
            raise UnknownName(
                Message("stats.no_common_metric_called", metric=metric), hint=nearest(metric, [*common, *parts])
            )
    if not common:
        raise ConfigError(
            Message("stats.no_common_metric", new=new.name, old=old.name),
            hint=Message(
                "stats.metrics_of_each",
                new=new.name,
                new_metrics=", ".join(new.metrics),
                old=old.name,
                old_metrics=", ".join(old.metrics),
            ),
        )
    if wanted is not None:
        return list(wanted)
    replaced = [metric for metric in common if not is_directed(metric) and set(directed_parts(metric)) & set(common)]
    found = [metric for metric in common if metric not in (*new.sums, *replaced)]
    return [metric for metric in found if not (has_no_point(new, metric) or has_no_point(old, metric))] or found
