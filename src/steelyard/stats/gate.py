"""May it ship? Each rule is met, not met, or cannot be told at this sample size; only what is met opens the gate.

A number (`>= 0.95`) is held against the mean as measured, since a release rule must be decidable; beside it stands
whether the sample could tell. A baseline is held against the interval of the paired difference: `>= baseline` is met by
a measured difference of 0 or more, not met by one that is significantly below, and cannot be told in between;
`> baseline` and `not-worse-by` are claims that the interval must prove. A run that was cut off meets no rule: the items
that are missing might be the ones that fail.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from steelyard.errors import ConfigError, UnknownName
from steelyard.i18n import Message
from steelyard.stats.compare import check_comparable, settings_that_differ
from steelyard.stats.direction import best, gain
from steelyard.stats.evidence import SLACK, Sample
from steelyard.stats.intervals import Interval
from steelyard.stats.pairing import pair
from steelyard.stats.rules import NoFall, NotWorse, Operator, Relative, Rule, Target, Threshold, needs_baseline
from steelyard.stats.selection import UnknownValue, part_names, select, unknown_value
from steelyard.stats.summary import clusters_of
from steelyard.table import Table, mean

Verdict = Literal["met", "not met", "cannot tell"]

TYPE_TAG = "type"
BASELINE_HINT = Message("stats.earlier_result_named_steelyard_gate")
_UNKNOWN = Interval(float("nan"), float("nan"), "none")


@dataclass(frozen=True, slots=True)
class GateSettings:
    """How strict the gate is: the level, whether the undecided may pass, and whether results that are unlike, or were
    cut off, are decided on."""

    alpha: float = 0.05
    allow_unsure: bool = False
    anyway: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 0.5:
            raise ConfigError(Message("stats.alpha_lie_between_0_0", alpha=self.alpha))


@dataclass(frozen=True, slots=True)
class Fall:
    """An item that had the best score in the baseline and has not now; None where it has none, or is not there."""

    id: str
    now: float | None


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule came to on `n` items.

    `interval`, at `level`, is that of the mean, or of the difference where there is a baseline. `sure` says that the
    sample settles it; where it does not, `more_items` are reckoned to, or `more_documents` where items share them
    (None: no number would). `unpaired` counts items that only one of the two has, `fell` those that a rule about
    falling is broken by. `cut_off` says that the rule is not met because a run is not whole, `unknown` is the value
    of a tag that no item has.
    """

    rule: Rule
    verdict: Verdict
    n: int = 0
    value: float = float("nan")
    baseline: float = float("nan")
    interval: Interval = _UNKNOWN
    level: float = 0.95
    sure: bool = True
    more_items: int | None = None
    more_documents: int | None = None
    unpaired: int = 0
    fell: tuple[Fall, ...] = ()
    cut_off: bool = False
    unknown: UnknownValue | None = None

    @property
    def difference(self) -> float:
        """The mean minus that of the baseline; NaN without one."""
        return self.value - self.baseline


@dataclass(frozen=True, slots=True)
class Gate:
    """All findings about a result, and whether it may pass."""

    result: Table
    baseline: Table | None
    findings: tuple[Finding, ...]
    settings: GateSettings

    @property
    def passed(self) -> bool:
        """Whether every rule lets it pass."""
        return all(self.lets_pass(finding) for finding in self.findings)

    @property
    def settings_differ(self) -> tuple[str, ...]:
        """The settings in which result and baseline are not alike, where they are compared all the same."""
        return () if self.baseline is None else settings_that_differ(self.result, self.baseline)

    @property
    def tables(self) -> tuple[Table, ...]:
        """The result, and the baseline where there is one."""
        return (self.result,) if self.baseline is None else (self.result, self.baseline)

    @property
    def cut_off(self) -> tuple[Table, ...]:
        """Those of the tables whose run was cut off."""
        return tuple(table for table in self.tables if not table.complete)

    def lets_pass(self, finding: Finding) -> bool:
        """Whether a finding is no obstacle: nothing unproven passes, unless that is allowed."""
        return finding.verdict == "met" or (finding.verdict == "cannot tell" and self.settings.allow_unsure)


def decide(
    rules: Sequence[Rule],
    result: Table,
    baseline: Table | None = None,
    settings: GateSettings = GateSettings(),  # noqa: B008 - frozen
) -> Gate:
    """Hold a result against rules; a rule over no rows is not met, and no rules at all are an error.

    Where a run was cut off, none is met, unless that is waived.
    """
    check_rules(rules, has_baseline=baseline is not None)
    if baseline is not None and not settings.anyway:
        check_comparable(result, baseline)
    findings = tuple(_decide(rule, result, baseline, settings.alpha) for rule in rules)
    gate = Gate(result, baseline, findings, settings)
    return replace(gate, findings=tuple(map(_unmet, findings))) if gate.cut_off and not settings.anyway else gate


def check_rules(rules: Sequence[Rule], *, has_baseline: bool) -> None:
    """Refuse what can be seen to be wrong before there is a result."""
    if not rules:
        raise ConfigError(Message("stats.no_rule_decide"), hint=Message("stats.example_require_f1_0_8"))
    needing = [rule for rule in rules if needs_baseline(rule)]
    if needing and not has_baseline:
        raise ConfigError(Message("stats.rule_needs_baseline", needing=needing[0]), hint=BASELINE_HINT)


def _unmet(finding: Finding) -> Finding:
    return replace(finding, verdict="not met", sure=True, more_items=None, more_documents=None, cut_off=True)


def _decide(rule: Rule, result: Table, baseline: Table | None, alpha: float) -> Finding:
    match rule, baseline:
        case Threshold(), _:
            return _decide_threshold(rule, result, alpha)
        case Relative(), Table():
            return _decide_relative(rule, result, baseline, alpha)
        case NotWorse(), Table():
            return _decide_not_worse(rule, result, baseline, alpha)
        case NoFall(), Table():
            return _decide_no_fall(rule, result, baseline)
    raise ValueError(f"{rule} without a baseline")


def _decide_threshold(rule: Threshold, result: Table, alpha: float) -> Finding:
    chosen = select(result, rule.target)
    scored = ~np.isnan(chosen.column(rule.target.name))
    if not scored.any():
        return Finding(rule, "not met", unknown=unknown_value(result, rule.target))
    clusters = clusters_of(chosen)
    values = chosen.scored(rule.target.name)
    sample = Sample(values, _ends(chosen, rule.target), None if clusters is None else clusters[scored])
    value, interval = mean(values), sample.interval(1 - alpha)
    met = _holds(value, rule.operator, rule.value)
    sure = _is_settled(interval, rule.operator, rule.value, met) or _is_short_of_the_end(
        sample, rule.operator, rule.value, met
    )
    verdict: Verdict = "met" if met else "not met"
    found = Finding(rule, verdict, n=len(sample), value=value, interval=interval, level=1 - alpha, sure=sure)
    return found if rule.operator == "==" else _with_more(found, sample, rule.value, alpha=alpha)


def _decide_relative(rule: Relative, result: Table, baseline: Table, alpha: float) -> Finding:
    found, sample = _paired(rule, result, baseline, level=1 - alpha)
    if not len(sample):
        return found
    verdict, sure = _relative_verdict(found, rule)
    found = replace(found, verdict=verdict, sure=sure)
    return found if rule.operator == "==" else _with_more(found, sample, rule.offset, alpha=alpha)


def _relative_verdict(found: Finding, rule: Relative) -> tuple[Verdict, bool]:
    """Guards (>=, <=) ask for the measured difference and are broken by proof; claims (>, <) ask for proof."""
    met = _holds(found.difference, rule.operator, rule.offset)
    settled = _is_settled(found.interval, rule.operator, rule.offset, met)
    match rule.operator, met:
        case "==", _:
            return "met" if met else "not met", settled
        case ((">=" | "<="), False):
            return ("not met", True) if settled else ("cannot tell", False)
        case ((">" | "<"), True):
            return ("met", True) if settled else ("cannot tell", False)
    return "met" if met else "not met", settled


def _decide_not_worse(rule: NotWorse, result: Table, baseline: Table, alpha: float) -> Finding:
    """One-sided at alpha, which is the two-sided interval at 1 - 2 alpha."""
    found, sample = _paired(rule, result, baseline, level=1 - 2 * alpha)
    if not len(sample):
        return found
    low, high = sorted(gain(rule.target.name, end) for end in (found.interval.low, found.interval.high))
    if low > -rule.margin:
        return replace(found, verdict="met")
    if high < -rule.margin:
        return replace(found, verdict="not met")
    unsure = replace(found, verdict="cannot tell", sure=False)
    return _with_more(unsure, sample, gain(rule.target.name, -rule.margin), alpha=2 * alpha)


def _decide_no_fall(rule: NoFall, result: Table, baseline: Table) -> Finding:
    """Items that are gone, or are not scored any more, have fallen too."""
    target = _fallible(rule.target, result, baseline)
    before, now = select(baseline, target), select(result, Target(target.name))
    scores = dict(zip(now.ids, now.column(target.name).tolist(), strict=True))
    full = [item for item, score in zip(before.ids, before.column(target.name), strict=True) if _is_best(target, score)]
    fell = [Fall(item, _known(scores.get(item))) for item in full if not _is_best(target, scores.get(item))]
    unknown = None if full else unknown_value(baseline, target)
    return Finding(rule, "not met" if fell or not full else "met", n=len(full), fell=tuple(fell), unknown=unknown)


def _is_best(target: Target, score: float | None) -> bool:
    """Whether a score is 1, or 0 where less is better."""
    return score is not None and gain(target.name, score) >= gain(target.name, best(target.name)) - SLACK


def _fallible(target: Target, result: Table, baseline: Table) -> Target:
    """What may not fall: a metric or a part of one as it is written, or a type of question on the only metric."""
    if target.tags or target.name in (*baseline.columns, *part_names(baseline)):
        return target
    types = dict.fromkeys(value for table in (baseline, result) for value in table.tags.get(TYPE_TAG, ()))
    if target.name not in types:
        raise UnknownName.of(
            Message("words.metric_or_type_of_question"), target.name, [*baseline.columns, *types, *part_names(baseline)]
        )
    if len(baseline.metrics) > 1:
        message = Message("stats.type_question_several_metrics", name=target.name, names=", ".join(baseline.metrics))
        raise ConfigError(message, hint=Message("stats.write_no_item_metric_type", name=target.name))
    return Target(baseline.metrics[0], ((TYPE_TAG, target.name),))


def _paired(rule: Relative | NotWorse, result: Table, baseline: Table, *, level: float) -> tuple[Finding, Sample]:
    """The difference on items that have a score in both, for a verdict to be put on; without such items, not met."""
    name = rule.target.name
    new, old = select(result, rule.target), select(baseline, rule.target)
    low, high = _ends(new, rule.target)
    unknown = unknown_value(result, rule.target) or unknown_value(baseline, rule.target)
    nothing = Finding(rule, "not met", unknown=unknown), Sample(np.empty(0), (low - high, high - low), paired=True)
    if set(new.ids).isdisjoint(old.ids):
        return nothing
    rows = pair(new, old)
    differences = rows.differences(name, ties=True)
    both = ~np.isnan(differences)
    if not both.any():
        return nothing
    clusters = None if rows.clusters is None else rows.clusters[both]
    sample = Sample(differences[both], (low - high, high - low), clusters, paired=True)
    found = Finding(
        rule,
        "not met",
        n=len(sample),
        value=mean(new.column(name)[rows.new][both]),
        baseline=mean(old.column(name)[rows.old][both]),
        interval=sample.interval(level),
        level=level,
        unpaired=len(new.scored(name)) + len(old.scored(name)) - 2 * len(sample),
    )
    return found, sample


def _ends(table: Table, target: Target) -> tuple[float, float]:
    return table.bounds(target.name)


def _holds(value: float, operator: Operator, line: float) -> bool:
    """Whether the number stands so to the line; what is nearer than a rounding lies on it."""
    on_line = abs(value - line) <= SLACK
    match operator:
        case ">=":
            return on_line or value > line
        case "<=":
            return on_line or value < line
        case ">":
            return not on_line and value > line
        case "<":
            return not on_line and value < line
        case "==":
            return on_line


def _is_settled(interval: Interval, operator: Operator, line: float, met: bool) -> bool:
    """Whether all of the interval says the same as the number measured; that it is equal, no sample can prove."""
    if math.isnan(interval.low):
        return False
    if operator == "==":
        return not met and not interval.low - SLACK <= line <= interval.high + SLACK
    return all(_holds(end, operator, line) is met for end in (interval.low, interval.high))


def _is_short_of_the_end(sample: Sample, operator: Operator, line: float, met: bool) -> bool:
    """Whether the line is the best that there is: one item that is less settles it."""
    return not met and operator not in (">", "<") and line in sample.ends


def _with_more(found: Finding, sample: Sample, line: float, *, alpha: float) -> Finding:
    """The finding, and where it is not sure, how many more documents or items would tell the mean from the line."""
    needed = None if found.sure else sample.units_needed(line, alpha=alpha)
    if needed is None:
        return found
    more = max(needed - sample.units, 1)
    return replace(found, more_documents=more) if sample.by_document else replace(found, more_items=more)


def _known(score: float | None) -> float | None:
    return None if score is None or np.isnan(score) else score
