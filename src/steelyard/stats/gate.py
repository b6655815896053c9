"""The release gate: each rule is met, not met, inconclusive at this sample size, or advisory.

A threshold (`>= 0.95`) is compared with the measured mean, because a release rule must be decidable; the finding also
says whether the sample is conclusive. A baseline is compared by the interval of the paired difference: `>= baseline` is
met by a measured difference of 0 or more, not met by one that is significantly below, and inconclusive in between;
`> baseline` and `not-worse-by` must be proven by the interval. An incomplete run meets no rule: the missing items might
be the ones that fail. A share of outcomes of which too many are undecided (`stats.outcomes`) is inconclusive.

A rule on a metric that a model has judged is decided by the interval of the mean that is corrected for the errors of
the judge, as `not-worse-by` is. Without a calibration of this judge that allows that, it is advisory, and never passes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from steelyard.errors import ConfigError, UnknownName
from steelyard.i18n import Message, Option
from steelyard.registry.kinds import COSTS, best, gain
from steelyard.registry.names import callable_names
from steelyard.stats.belief import NO_CALIBRATIONS, UNCALIBRATED, Calibrations
from steelyard.stats.calibration import CLAIM
from steelyard.stats.compare import difference_bounds
from steelyard.stats.corrected import Corrected
from steelyard.stats.intervals import Interval
from steelyard.stats.outcomes import has_no_point
from steelyard.stats.pairing import check_comparable, pair, paired_questions, settings_that_differ
from steelyard.stats.power import SLACK, DecisionSample
from steelyard.stats.review import is_review_part
from steelyard.stats.rules import NoRegression, NotWorse, Operator, Relative, Rule, Target, Threshold, needs_baseline
from steelyard.stats.scopes import FEWEST_DOCUMENTS, Scope, Units, clusters_of, scope_of, scopes_of
from steelyard.stats.selection import UnknownValue, part_names, select, tagged_rows, unknown_value
from steelyard.stats.summary import known
from steelyard.table import Table, mean

GateOutcome = Literal["met", "not met", "cannot tell", "advisory"]

TYPE_TAG = "type"
REQUIRE_HINT = Message("stats.require_hint", option=Option("require", rule="F1 >= 0.8"))
BASELINE_HINT = Message("stats.baseline_hint", option=Option("baseline"))
_UNKNOWN = Interval(float("nan"), float("nan"), "none")


@dataclass(frozen=True, slots=True)
class GateSettings:
    """The level, whether inconclusive rules pass, and whether to decide on incomplete or unlike results.

    `allow_errors` is the share of items that may have failed, or have an error in place of a score. `units` says which
    scope decides (`scopes`). `calibrations` are those of judges; with `accept_advisory` a metric of a judge without one
    decides all the same. `from_file` says which options a file of defaults has set.
    """

    alpha: float = 0.05
    allow_inconclusive: bool = False
    force: bool = False
    allow_errors: float = 0.0
    units: Units = "auto"
    calibrations: Calibrations = NO_CALIBRATIONS
    from_file: Message | None = None
    accept_advisory: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 0.5:
            raise ConfigError(Message("stats.invalid_alpha", alpha=self.alpha))


@dataclass(frozen=True, slots=True)
class Regression:
    """An item that had the best score in the baseline and has a lower one now; None if it is unscored or missing."""

    id: str
    now: float | None


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of a rule on `n` scored items of all `items` that it is about.

    `interval`, at `level`, is that of the mean, or of the difference if there is a baseline. `sure` is true if the
    sample is conclusive; if not, `more_items` are estimated to make it so, or `more_documents` if items share documents
    (None: no number would). `unpaired` counts items that are scored in only one of the two results. `regressions` are
    the items that break a rule against falling. `cut_off` is true if the rule is not met because a run is incomplete.
    `unknown` is the value of a tag that no item has. `errors` counts items that have an error in place of a score, and
    `failed` those on which the system failed, if there are so many that the rule is not met. The finding is that of the
    `scope` that decides, in which `units` vary; `others` is the same in the other scope, if there is one.
    """

    rule: Rule
    outcome: GateOutcome
    n: int = 0
    items: int = 0
    value: float = float("nan")
    baseline: float = float("nan")
    interval: Interval = _UNKNOWN
    level: float = 0.95
    sure: bool = True
    more_items: int | None = None
    more_documents: int | None = None
    unpaired: int = 0
    regressions: tuple[Regression, ...] = ()
    cut_off: bool = False
    unknown: UnknownValue | None = None
    errors: int = 0
    failed: int = 0
    scope: Scope = "items"
    units: int = 0
    others: tuple["Finding", ...] = ()
    judge: str = ""
    corrected: Corrected | None = None
    advisory: Message | None = None

    @property
    def is_accepted(self) -> bool:
        """Whether a judge without a calibration has decided."""
        return bool(self.judge) and self.advisory is not None and self.outcome != "advisory"

    @property
    def few_documents(self) -> bool:
        """Whether documents are the units, and there are too few of them for a test."""
        return self.scope == "documents" and self.units < FEWEST_DOCUMENTS

    @property
    def scopes(self) -> "tuple[Finding, ...]":
        """The finding in each scope: items, then documents."""
        return tuple(sorted((self, *self.others), key=lambda each: each.scope == "documents"))

    @property
    def difference(self) -> float:
        """The mean minus that of the baseline; NaN without one."""
        return self.value - self.baseline


@dataclass(frozen=True, slots=True)
class Gate:
    """The findings about a result, and whether it passes."""

    result: Table
    baseline: Table | None
    findings: tuple[Finding, ...]
    settings: GateSettings

    @property
    def passed(self) -> bool:
        """Whether every rule passes."""
        return all(self.lets_pass(finding) for finding in self.findings)

    @property
    def scope(self) -> Scope:
        """The scope that decides."""
        return scope_of(self.settings.units, *self.tables)

    @property
    def settings_differ(self) -> tuple[str, ...]:
        """The settings in which result and baseline differ."""
        return () if self.baseline is None else settings_that_differ(self.result, self.baseline)

    @property
    def questions_differ(self) -> tuple[tuple[str, str], ...]:
        """The questions of items that have another one in the baseline."""
        return () if self.baseline is None else paired_questions(self.result, self.baseline).differing

    @property
    def tables(self) -> tuple[Table, ...]:
        """The result, and the baseline if there is one."""
        return _tables(self.result, self.baseline)

    @property
    def cut_off(self) -> tuple[Table, ...]:
        """The tables whose run is incomplete."""
        return tuple(table for table in self.tables if not table.complete)

    def lets_pass(self, finding: Finding) -> bool:
        """Return whether a finding passes: its rule is met, or it is inconclusive and that is allowed."""
        return finding.outcome == "met" or (finding.outcome == "cannot tell" and self.settings.allow_inconclusive)


def decide(
    rules: Sequence[Rule],
    result: Table,
    baseline: Table | None = None,
    settings: GateSettings = GateSettings(),
) -> Gate:
    """Decide rules on a result; a rule over no rows is not met, and an empty list of rules is an error.

    If a run is incomplete, no rule is met, unless `force` is set.
    """
    check_rules(rules, has_baseline=baseline is not None)
    _refuse_geometric(rules, result)
    if baseline is not None and not settings.force:
        check_comparable(result, baseline)
    scope = scope_of(settings.units, *_tables(result, baseline))
    decided = (_decide_in_scopes(rule, result, baseline, settings, scope) for rule in rules)
    findings = tuple(_without_errors(finding, result, settings.allow_errors) for finding in decided)
    if len(result.failures) > settings.allow_errors * len(result):
        findings = tuple(replace(_unmet(finding), failed=len(result.failures)) for finding in findings)
    gate = Gate(result, baseline, findings, settings)
    if not gate.cut_off or settings.force:
        return gate
    return replace(gate, findings=tuple(replace(_unmet(finding), cut_off=True) for finding in findings))


def check_rules(rules: Sequence[Rule], *, has_baseline: bool) -> None:
    """Raise an error for mistakes that can be found before there is a result."""
    if not rules:
        raise ConfigError(Message("stats.no_rule_given"), hint=REQUIRE_HINT)
    relative = [rule for rule in rules if needs_baseline(rule)]
    if relative and not has_baseline:
        raise ConfigError(Message("stats.rule_needs_baseline", needing=relative[0]), hint=BASELINE_HINT)


def _refuse_geometric(rules: Sequence[Rule], result: Table) -> None:
    """Raise an error for a rule on a geometric mean: samples are judged by arithmetic means of their items."""
    for rule in rules:
        if rule.target.name in result.geometric:
            message = Message("stats.geometric_rule", rule=rule, metric=rule.target.name)
            raise ConfigError(message, hint=Message("stats.geometric_rule_hint"))


def _without_errors(finding: Finding, result: Table, allowed: float) -> Finding:
    """Return the finding, not met if too many items of the rule have an error in place of a score."""
    if isinstance(finding.rule, NoRegression) or finding.n == 0:
        return finding
    chosen = select(result, finding.rule.target)
    errors = chosen.count("error", finding.rule.target.name)
    if errors <= allowed * len(chosen):
        return finding
    return replace(_unmet(finding), errors=errors)


def _unmet(finding: Finding) -> Finding:
    """Return the finding as not met in any scope."""
    others = tuple(map(_unmet, finding.others))
    return replace(finding, outcome="not met", sure=True, more_items=None, more_documents=None, others=others)


def _decide_in_scopes(
    rule: Rule, result: Table, baseline: Table | None, settings: GateSettings, scope: Scope
) -> Finding:
    """Return the finding in the scope that decides, with that in the other.

    Regressions are single items and have none; nor have judged metrics.
    """
    alpha = settings.alpha
    finding = _decide(rule, result, baseline, alpha, scope)
    name = _column(rule, result, baseline)
    if finding.n and is_review_part(name, result.columns):
        return replace(_unmet(finding), outcome="advisory", advisory=Message("calibration.review_part"))
    if finding.n and any(_has_no_point(name, rule, table) for table in _tables(result, baseline)):
        return _undecided(finding)
    if finding.n and (metric := settings.calibrations.judged(name, *_tables(result, baseline))) is not None:
        return _decide_judged(finding, metric, result, baseline, settings)
    if isinstance(rule, NoRegression) or finding.n == 0:
        return replace(finding, scope=scope)
    others = tuple(each for each in scopes_of(scope, *_tables(result, baseline)) if each != scope)
    found = (_decide(rule, result, baseline, alpha, each) for each in others)
    return replace(finding, others=tuple(_with_few_documents(each) if each.few_documents else each for each in found))


def _has_no_point(name: str, rule: Rule, table: Table) -> bool:
    """Return whether too many of the answers that a rule is about are undecided."""
    return has_no_point(table.take(tagged_rows(table, rule.target)), name)


def _undecided(finding: Finding) -> Finding:
    """Return the finding without its numbers: no point value, so nothing is decided."""
    unknown = replace(finding, value=math.nan, baseline=math.nan, interval=_UNKNOWN, regressions=())
    reason = Message("stats.mostly_undecided")
    return replace(unknown, outcome="cannot tell", sure=False, more_items=None, more_documents=None, advisory=reason)


def _tables(result: Table, baseline: Table | None) -> tuple[Table, ...]:
    return (result,) if baseline is None else (result, baseline)


def _column(rule: Rule, result: Table, baseline: Table | None) -> str:
    """Return the column or part that a rule is about; a type of question is about that of the only metric."""
    if isinstance(rule, NoRegression) and baseline is not None:
        return _regression_target(rule.target, result, baseline).name
    return rule.target.name


def _with_few_documents(finding: Finding) -> Finding:
    """Return the finding about other documents as `compare` has it: so few of them cannot tell."""
    more = max(finding.more_documents or 0, FEWEST_DOCUMENTS - finding.units)
    return replace(finding, outcome="cannot tell", sure=False, more_documents=more)


def _decide(rule: Rule, result: Table, baseline: Table | None, alpha: float, scope: Scope) -> Finding:
    match rule, baseline:
        case Threshold(), _:
            return _decide_threshold(rule, result, alpha, scope)
        case Relative(), Table():
            return _decide_relative(rule, result, baseline, alpha, scope)
        case NotWorse(), Table():
            return _decide_not_worse(rule, result, baseline, alpha, scope)
        case NoRegression(), Table():
            return _decide_no_regression(rule, result, baseline)
    raise ValueError(f"{rule} without a baseline")


def _decide_threshold(rule: Threshold, result: Table, alpha: float, scope: Scope) -> Finding:
    chosen = select(result, rule.target)
    scored = ~np.isnan(chosen.column(rule.target.name))
    if not scored.any():
        return Finding(rule, "not met", items=len(chosen), unknown=unknown_value(result, rule.target))
    clusters = clusters_of(chosen, scope)
    values = chosen.scored(rule.target.name)
    sample = DecisionSample(
        values,
        chosen.bounds(rule.target.name),
        None if clusters is None else clusters[scored],
        documents=scope == "documents",
    )
    value, interval = mean(values), sample.interval(1 - alpha)
    met = _holds(value, rule.operator, rule.value)
    sure = _is_conclusive(interval, rule.operator, rule.value, met) or (
        not met and rule.operator not in (">", "<") and (rule.value in sample.bounds)
    )
    outcome: GateOutcome = "met" if met else "not met"
    measured = Finding(rule, outcome, len(sample), len(chosen), value)
    finding = replace(measured, interval=interval, level=1 - alpha, sure=sure, scope=scope, units=sample.all_units)
    return finding if rule.operator == "==" else _with_more(finding, sample, rule.value, alpha=alpha)


def _decide_relative(rule: Relative, result: Table, baseline: Table, alpha: float, scope: Scope) -> Finding:
    finding, sample = _paired(rule, result, baseline, scope, level=1 - alpha)
    if not len(sample):
        return finding
    outcome, sure = _relative_outcome(finding, rule)
    finding = replace(finding, outcome=outcome, sure=sure)
    return finding if rule.operator == "==" else _with_more(finding, sample, rule.offset, alpha=alpha)


def _relative_outcome(finding: Finding, rule: Relative) -> tuple[GateOutcome, bool]:
    """Return the outcome, and whether it is conclusive.

    `>=` and `<=` are met by the measured difference, and not met only if the interval proves it; `>` and `<` are met
    only if the interval proves it.
    """
    met = _holds(finding.difference, rule.operator, rule.offset)
    conclusive = _is_conclusive(finding.interval, rule.operator, rule.offset, met)
    match rule.operator, met:
        case "==", _:
            return "met" if met else "not met", conclusive
        case ((">=" | "<="), False):
            return ("not met", True) if conclusive else ("cannot tell", False)
        case ((">" | "<"), True):
            return ("met", True) if conclusive else ("cannot tell", False)
    return "met" if met else "not met", conclusive


def _decide_not_worse(rule: NotWorse, result: Table, baseline: Table, alpha: float, scope: Scope) -> Finding:
    """Non-inferiority, one-sided at alpha: the two-sided interval at 1 - 2 alpha."""
    finding, sample = _paired(rule, result, baseline, scope, level=1 - 2 * alpha)
    if not len(sample):
        return finding
    low, high = sorted(gain(rule.target.name, end) for end in (finding.interval.low, finding.interval.high))
    if low > -rule.margin:
        return replace(finding, outcome="met")
    if high < -rule.margin:
        return replace(finding, outcome="not met")
    inconclusive = replace(finding, outcome="cannot tell", sure=False)
    return _with_more(inconclusive, sample, gain(rule.target.name, -rule.margin), alpha=2 * alpha)


def _decide_no_regression(rule: NoRegression, result: Table, baseline: Table) -> Finding:
    """Items that are missing, or not scored any more, are regressions too."""
    target = _regression_target(rule.target, result, baseline)
    before, now = select(baseline, target), select(result, Target(target.name))
    scores = dict(zip(now.ids, now.column(target.name).tolist(), strict=True))
    full = [item for item, score in zip(before.ids, before.column(target.name), strict=True) if _is_best(target, score)]
    fallen = [
        Regression(item, known(scores.get(item, math.nan))) for item in full if not _is_best(target, scores.get(item))
    ]
    unknown = None if full else unknown_value(baseline, target)
    outcome: GateOutcome = "not met" if fallen or not full else "met"
    return Finding(rule, outcome, n=len(full), regressions=tuple(fallen), unknown=unknown)


def _decide_judged(
    finding: Finding, metric: str, result: Table, baseline: Table | None, settings: GateSettings
) -> Finding:
    """Return the finding about a judged metric, by the interval of the corrected mean or difference.

    Without a calibration it is as that of any metric, where this is accepted.
    """
    if settings.accept_advisory and settings.calibrations.of(result, metric) is None:
        judge = str(settings.calibrations.judge_of(result, metric))
        return replace(finding, judge=judge, advisory=UNCALIBRATED)
    found = _corrected_value(finding, metric, result, baseline, settings)
    named = str(settings.calibrations.judge_of(result, metric))
    judged = replace(finding, judge=named, others=(), more_items=None, more_documents=None, regressions=())
    if isinstance(found, Message):
        return replace(judged, outcome="advisory", sure=True, advisory=found)
    outcome = _proven(finding.rule, found.interval)
    return replace(judged, outcome=outcome, sure=outcome != "cannot tell", corrected=found, interval=found.interval)


def _corrected_value(
    finding: Finding, metric: str, result: Table, baseline: Table | None, settings: GateSettings
) -> Corrected | Message:
    """Return the corrected mean or difference that decides a rule, or why there is none that counts."""
    rule, given = finding.rule, settings.calibrations
    if isinstance(rule, NoRegression) or rule.target.name != metric:
        return Message("calibration.not_a_mean")
    if result.signature.get("unit") == CLAIM:
        return Message("calibration.only_claims")
    level = 1 - 2 * settings.alpha if isinstance(rule, NotWorse) else 1 - settings.alpha
    chosen = select(result, rule.target)
    belief = given.belief(result, metric, finding.scope, chosen=chosen, level=level)
    if belief.advisory is not None or belief.corrected is None:
        return belief.advisory or UNCALIBRATED
    if isinstance(rule, Threshold) or baseline is None:
        return belief.corrected
    parts = chosen, select(baseline, rule.target)
    earlier = given.belief(baseline, metric, finding.scope, chosen=parts[1], level=level)
    if earlier.advisory is not None:
        return earlier.advisory
    return given.difference(result, baseline, metric, finding.scope, chosen=parts, level=level)


def _proven(rule: Rule, interval: Interval) -> GateOutcome:
    """Return the outcome of a rule that must be proven: met or not met only if the whole interval says so."""
    ends = interval.low, interval.high
    match rule:
        case NotWorse():
            gains = [gain(rule.target.name, end) for end in ends]
            holds = [end > -rule.margin for end in gains]
        case Threshold() | Relative():
            line = rule.value if isinstance(rule, Threshold) else rule.offset
            holds = [_holds(end, rule.operator, line) for end in ends]
            if rule.operator == "==" and ends[0] <= line <= ends[1]:
                return "cannot tell"
        case NoRegression():
            return "cannot tell"
    if math.isnan(interval.low) or any(holds) != all(holds):
        return "cannot tell"
    return "met" if all(holds) else "not met"


def _is_best(target: Target, score: float | None) -> bool:
    """Return whether a score is 1, or 0 if less is better."""
    return score is not None and gain(target.name, score) >= gain(target.name, best(target.name)) - SLACK


def _regression_target(target: Target, result: Table, baseline: Table) -> Target:
    """Return the target of the rule: a metric, a part of one, or a type of question on the only metric."""
    if target.tags or target.name in (*baseline.columns, *part_names(baseline)):
        return target
    types = dict.fromkeys(value for table in (baseline, result) for value in table.tags.get(TYPE_TAG, ()))
    if target.name not in types:
        known = [*callable_names(baseline.columns), *types, *part_names(baseline)]
        raise UnknownName.of(Message("words.metric_or_question_type"), target.name, known)
    metrics = [metric for metric in baseline.metrics if metric not in COSTS]
    if len(metrics) > 1:
        message = Message("stats.type_of_several_metrics", name=target.name, names=", ".join(metrics))
        raise ConfigError(message, hint=Message("stats.no_fall_hint", name=target.name))
    return Target(metrics[0], ((TYPE_TAG, target.name),))


def _paired(
    rule: Relative | NotWorse, result: Table, baseline: Table, scope: Scope, *, level: float
) -> tuple[Finding, DecisionSample]:
    """Return the difference on items that are scored in both, with a preliminary outcome of not met."""
    name = rule.target.name
    new, old = select(result, rule.target), select(baseline, rule.target)
    unknown = unknown_value(result, rule.target) or unknown_value(baseline, rule.target)
    bounds = difference_bounds(new, old, name)
    empty = DecisionSample(np.empty(0), bounds, paired=True, documents=scope == "documents")
    if set(new.ids).isdisjoint(old.ids):
        return Finding(rule, "not met", unknown=unknown), empty
    rows = pair(new, old, scope)
    differences = rows.differences(name, ties=True)
    both = ~np.isnan(differences)
    if not both.any():
        return Finding(rule, "not met", items=len(rows.new), unknown=unknown), empty
    clusters = None if rows.clusters is None else rows.clusters[both]
    sample = replace(empty, values=differences[both], clusters=clusters)
    finding = Finding(
        rule,
        "not met",
        n=len(sample),
        items=len(rows.new),
        value=mean(new.column(name)[rows.new][both]),
        baseline=mean(old.column(name)[rows.old][both]),
        interval=sample.interval(level),
        level=level,
        unpaired=len(new.scored(name)) + len(old.scored(name)) - 2 * len(sample),
        scope=scope,
        units=sample.all_units,
    )
    return finding, sample


def _holds(value: float, operator: Operator, threshold: float) -> bool:
    """Return whether the comparison holds; values closer to the threshold than a rounding error are equal to it."""
    equal = abs(value - threshold) <= SLACK
    match operator:
        case ">=":
            return equal or value > threshold
        case "<=":
            return equal or value < threshold
        case ">":
            return not equal and value > threshold
        case "<":
            return not equal and value < threshold
        case "==":
            return equal


def _is_conclusive(interval: Interval, operator: Operator, threshold: float, met: bool) -> bool:
    """Return whether the whole interval agrees with the measured value; no sample can prove equality."""
    if math.isnan(interval.low):
        return False
    if operator == "==":
        return not met and not interval.low - SLACK <= threshold <= interval.high + SLACK
    return all(_holds(end, operator, threshold) is met for end in (interval.low, interval.high))


def _with_more(finding: Finding, sample: DecisionSample, threshold: float, *, alpha: float) -> Finding:
    """Return the finding, with the number of further documents or items needed if it is inconclusive."""
    needed = None if finding.sure else sample.units_needed(threshold, alpha=alpha)
    if needed is None:
        return finding
    more = max(needed - sample.units, 1)
    return replace(finding, more_documents=more) if sample.by_document else replace(finding, more_items=more)
