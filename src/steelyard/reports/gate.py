"""The blocks of a gate: the outcome, a table of the rules, regressions, and what else is to be known."""

import math
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from steelyard import __version__
from steelyard.i18n import Audience, Language, Message, Option, Words, words_of
from steelyard.registry.judged import judge_called
from steelyard.registry.kinds import best, is_lower_better
from steelyard.reports import cells
from steelyard.reports.blocks import (
    WARNING,
    Block,
    CheckCase,
    CheckStatus,
    CheckSuite,
    Fields,
    Headline,
    ItemList,
    Notes,
    TableBlock,
)
from steelyard.reports.calibration import corrected_json
from steelyard.reports.content import main_of
from steelyard.reports.sections.changes import changed_item
from steelyard.reports.sections.failures import failures
from steelyard.reports.sections.footnotes import questions_differ, repeats, units_line
from steelyard.reports.verdicts import documents_of, needed_units, sentence
from steelyard.stats.belief import UNCALIBRATED
from steelyard.stats.gate import Finding, Gate, GateOutcome, Regression
from steelyard.stats.rules import NoRegression, NotWorse, Relative, Rule, Threshold
from steelyard.stats.scopes import FEWEST_DOCUMENTS, cannot_tell
from steelyard.stats.summary import interval_list, known

MOST_MORE: Final = 1_000_000
"""More items than this are given as more than this."""
FOREIGN_SCORES: Final = "scores"
"""The kind of the scores of other tools."""
LISTED: Final = 50
"""So many regressions of a rule are listed in text; JSON has all."""
SIGNS: Final[dict[GateOutcome, str]] = {"met": "✅", "not met": "❌", "cannot tell": "⚠️", "advisory": "⚠️"}
_OUTCOMES: Final[dict[GateOutcome, str]] = {
    "met": "gate.met",
    "not met": "gate.not_met",
    "cannot tell": "gate.cannot_tell",
    "advisory": "calibration.advisory",
}
_UNCERTAIN: Final[dict[GateOutcome, str]] = {
    "met": "gate.met_unproven",
    "not met": "gate.not_met_unproven",
    "cannot tell": "gate.sample_too_small",
    "advisory": "calibration.advisory",
}

_OPEN: Final = {
    "items": ("gate.more_items", "gate.many_more_items"),
    "documents": ("gate.more_documents", "gate.many_more_documents"),
    "none": ("gate.never_settled",),
}
"""The codes of how many more units would decide, few and many; and that none would."""
_DECIDED: Final = {
    "items": ("gate.establish_items", "gate.establish_many_items"),
    "documents": ("gate.establish_documents", "gate.establish_many_documents"),
    "none": ("gate.never_established",),
}
"""The same of what would prove an outcome that the measured value decides."""


def gate_blocks(gate: Gate, language: Language = "en", audience: Audience = "command") -> list[Block]:
    """Return the blocks of a gate, in the order in which a reader needs them.

    The outcome with warnings about runs that were cut off, the rules, regressions, other warnings and signatures.
    """
    words = words_of(language, audience)
    signatures = [
        words.labelled(f"{words('report.signature')} {table.name}", str(table.signature)) for table in gate.tables
    ]
    has_units = gate.settings.units != "auto" or any(finding.others for finding in gate.findings)
    units = [units_line(gate.scope, gate.settings.units, words)] if has_units else []
    return [
        Headline(headline(gate, words), gate.passed, [*_failures(gate, words), *cut_off(gate, words)]),
        _table(gate, words),
        *(_regressions(gate, finding, words) for finding in gate.findings if finding.regressions),
        Notes([*warnings(gate, words), *repeats(gate.tables, gate.scope, words), *units, *signatures]),
        _suite(gate, words),
        Fields(partial(_fields, gate)),
    ]


def _failures(gate: Gate, words: Words) -> list[str]:
    """Return how many questions failed; every format has the sign of a warning before it."""
    return [f"{WARNING} {line}" for line in failures(gate.tables, words)]


def _fields(gate: Gate) -> dict[str, Any]:
    """Everything that was found; unknown numbers are None, and reasons are English."""
    words = words_of("en")
    return {
        "steelyard": __version__,
        "kind": gate.result.kind,
        "signature": str(gate.result.signature),
        "result": gate.result.name,
        "baseline": gate.baseline.name if gate.baseline else None,
        "alpha": gate.settings.alpha,
        "units": gate.settings.units,
        "scope": gate.scope,
        "passed": gate.passed,
        "warnings": [*_failures(gate, words), *cut_off(gate, words), *warnings(gate, words)],
        "findings": findings_json(gate),
    }


def findings_json(gate: Gate) -> list[dict[str, Any]]:
    """Return the outcome of each rule; unknown numbers are None."""
    return [_finding_json(gate, finding, words_of("en")) for finding in gate.findings]


def headline(gate: Gate, words: Words) -> str:
    """Return whether the gate is passed, and the names of the result and the baseline."""
    outcome = words("gate.passed") if gate.passed else words("gate.not_passed")
    against = f" {words('report.against')} {gate.baseline.name}" if gate.baseline else ""
    return words.labelled(outcome, f"{gate.result.name}{against}")


def outcome(finding: Finding, words: Words) -> str:
    """Return the outcome of a rule; its reason says what the sample does not establish."""
    return words(_OUTCOMES[finding.outcome])


def reason(finding: Finding, words: Words) -> str:
    """Return the reason of the outcome of a rule, in one line."""
    return words.joined("core.clauses", _reasons(finding, words))


def cut_off(gate: Gate, words: Words) -> Iterator[str]:
    """Yield a warning for each run that is incomplete, and what follows for the gate."""
    for table in gate.cut_off:
        written = words.labelled(table.name, words.labelled(words("gate.only_these_written"), f"{len(table):,}"))
        code = "gate.decided_anyway" if gate.settings.force else "gate.no_rule_met"
        yield words.joined("core.clauses", [written, words(code, option=Option("force"))])


def warnings(gate: Gate, words: Words) -> Iterator[str]:
    """Yield other warnings: defaults of a file, items without a score in a metric (or part) of the rules, sums …"""
    if gate.settings.from_file is not None:
        yield gate.settings.from_file.text(words.language)
    names = [finding.rule.target.name for finding in gate.findings]
    used = {metric for metric in gate.result.metrics if any(f"{name}.".startswith(f"{metric}.") for name in names)}
    for table in gate.tables:
        for metric in [metric for metric in table.metrics if metric in used]:
            missing = table.count("unscored", metric) + table.count("error", metric)
            if missing:
                line = words.labelled(words("gate.items_unscored"), f"{missing:,}")
                yield words.labelled(table.name, words.labelled(metric, line))
    for metric in [metric for metric in gate.result.sums if metric in used]:
        yield words("gate.mean_of_sum", metric=metric)
    if any(finding.advisory == UNCALIBRATED for finding in gate.findings):
        yield words("calibration.none_hint")
    for metric in _judged_elsewhere(gate):
        yield words("calibration.judged_elsewhere", metric=metric)
    if gate.settings_differ:
        yield words.labelled(words("report.settings_differ"), words.joined("core.listed", gate.settings_differ))
    if gate.questions_differ:
        yield questions_differ(gate.questions_differ, words)


def regression_lines(finding: Finding, words: Words) -> Iterator[str]:
    """Yield the first items that fell, and the number of the others."""
    for regression in finding.regressions[:LISTED]:
        yield words.labelled(regression.id, _regression(finding, regression, words))
    if len(finding.regressions) > LISTED:
        yield words("gate.and_more", n=f"{len(finding.regressions) - LISTED:,}")


def _rule(rule: Rule, words: Words) -> str:
    """Return a rule as it is written; one against falling in the language of the reader."""
    if not isinstance(rule, NoRegression):
        return str(rule)
    return words("gate.no_rise" if is_lower_better(rule.target.name) else "gate.no_fall", target=rule.target)


def _table(gate: Gate, words: Words) -> TableBlock:
    rows = [
        [SIGNS[finding.outcome], _rule(finding.rule, words), outcome(finding, words), reason(finding, words)]
        for finding in gate.findings
    ]
    headings = ["", words("gate.rule"), words("gate.verdict"), words("gate.why")]
    notes = list(_other_scopes(gate, words))
    if any(isinstance(each.rule, Relative) and each.outcome == "cannot tell" for each in gate.findings):
        notes.append(words("gate.by_interval"))
    return TableBlock(headings, rows, labels=4, notes=notes)


def _other_scopes(gate: Gate, words: Words) -> Iterator[str]:
    """For each rule what is found in the scope that does not decide."""
    for finding in gate.findings:
        for other in finding.others:
            decided = words.joined("core.clauses", _decision(other, words))
            line = sentence(other.scope, other.units, documents_of(finding), decided)
            yield words("core.labelled", label=_rule(finding.rule, words), message=line)


def _decision(finding: Finding, words: Words) -> Iterator[str]:
    """Yield the numbers and the outcome in a scope that does not decide, and what makes it uncertain."""
    if finding.few_documents:
        needed = None if finding.more_documents is None else finding.units + finding.more_documents
        message = needed_units(finding.scope, finding.units, needed=needed, least=FEWEST_DOCUMENTS)
        yield message.text(words.language)
        return
    if not math.isnan(finding.interval.low):
        has_baseline = isinstance(finding.rule, Relative | NotWorse)
        number = cells.signed(finding.difference) if has_baseline else cells.number(finding.value)
        decided = outcome(finding, words)
        yield words("scope.decision", number=number, interval=_interval(finding, words), outcome=decided)
    elif not _is_uncertain(finding):
        yield cannot_tell(finding.scope, finding.units).text(words.language)
    if _is_uncertain(finding):
        yield from _uncertainty(finding, words)


def _regressions(gate: Gate, finding: Finding, words: Words) -> ItemList:
    """Return the items that broke a rule about regressions, with their questions and the reasons of their scores."""
    title = words("gate.items_rose") if _may_not_rise(finding) else words("gate.items_fell")
    places = [(table, {item: row for row, item in enumerate(table.ids)}) for table in reversed(gate.tables)]
    name = finding.rule.target.name
    is_type = name.partition(".")[0] not in gate.result.columns
    metric = main_of(gate.result.kind, gate.result.metrics) if is_type else name
    items = [
        changed_item(
            each.id,
            _regression(finding, each, words),
            [(table, rows[each.id]) for table, rows in places if each.id in rows],
            metric,
            words,
        )
        for each in finding.regressions[:LISTED]
    ]
    more = len(finding.regressions) - LISTED
    rest = words("gate.and_more", n=f"{more:,}") if more > 0 else ""
    return ItemList(words.labelled(title, _rule(finding.rule, words)), items, more=rest)


def _suite(gate: Gate, words: Words) -> CheckSuite:
    """Return a test case per rule; an inconclusive rule that may pass is a skipped case."""
    properties = {
        "steelyard": __version__,
        "kind": gate.result.kind,
        "result": gate.result.name,
        "signature": str(gate.result.signature),
        "alpha": f"{gate.settings.alpha:g}",
        "units": gate.settings.units,
        "scope": gate.scope,
        "failed questions": str(len(gate.result.failures)),
    }
    if gate.baseline is not None:
        properties |= {"baseline": gate.baseline.name, "baseline signature": str(gate.baseline.signature)}
    return CheckSuite(
        f"steelyard gate: {gate.result.name}",
        f"steelyard.gate.{gate.result.kind}",
        properties,
        [_case(gate, finding, words) for finding in gate.findings],
        (*_failures(gate, words), *cut_off(gate, words), headline(gate, words), *warnings(gate, words)),
    )


def _case(gate: Gate, finding: Finding, words: Words) -> CheckCase:
    line = reason(finding, words)
    passed: CheckStatus = "skipped" if finding.outcome == "cannot tell" else "passed"
    return CheckCase(
        str(finding.rule),
        passed if gate.lets_pass(finding) else "failed",
        finding.outcome,
        line,
        words.labelled(outcome(finding, words), line),
        list(regression_lines(finding, words)),
    )


def _reasons(finding: Finding, words: Words) -> Iterator[str]:
    if finding.cut_off:
        yield words("gate.run_cut_off")
    if finding.failed:
        yield words("gate.too_many_failed", n=f"{finding.failed:,}", option=Option("allow_errors"))
    if finding.errors:
        yield words("gate.too_many_errors", n=f"{finding.errors:,}", option=Option("allow_errors"))
    if finding.n == 0:
        yield from _no_item(finding, words)
        return
    if finding.judge and not finding.is_accepted:
        yield from _judged(finding, words)
        return
    if finding.advisory is not None:
        yield finding.advisory.text(words.language)
        if not finding.is_accepted:
            return
    if isinstance(finding.rule, NoRegression):
        code = "gate.rose" if _may_not_rise(finding) else "gate.fell"
        yield words(code, fell=f"{len(finding.regressions):,}", n=f"{finding.n:,}")
        return
    measured = words.joined("core.clauses", _measured(finding, words))
    if finding.others:
        measured = sentence(finding.scope, finding.units, documents_of(finding), measured).text(words.language)
    yield measured
    if finding.unpaired:
        yield words.labelled(words("gate.items_one_side"), f"{finding.unpaired:,}")


def _measured(finding: Finding, words: Words) -> Iterator[str]:
    """Yield what was measured in the scope of a finding, and what makes it uncertain."""
    match finding.rule:
        case Threshold():
            value = " ".join(filter(None, (cells.number(finding.value), _interval(finding, words))))
            yield words.joined("core.comma", [f"{words('gate.measured')} {value}", _items(finding, words)])
        case Relative() | NotWorse():
            means = f"{cells.number(finding.value)} {words('report.against')} {cells.number(finding.baseline)}"
            yield f"{words('gate.measured')} {means}"
            difference = " ".join(filter(None, (cells.signed(finding.difference), _interval(finding, words))))
            yield words.joined("core.comma", [f"{words('report.difference')} {difference}", _items(finding, words)])
    if _is_uncertain(finding):
        yield from _uncertainty(finding, words)


def _judged_elsewhere(gate: Gate) -> list[str]:
    """Return the metrics of rules that a model of another tool has judged, and that have no calibration."""
    if gate.result.kind != FOREIGN_SCORES:
        return []
    names = dict.fromkeys(finding.rule.target.name for finding in gate.findings if not finding.judge)
    return [name for name in names if judge_called(name) is not None]


def _judged(finding: Finding, words: Words) -> Iterator[str]:
    """Yield what the judge says, and the corrected mean or difference, or why there is none that counts."""
    if finding.advisory is not None:
        yield finding.advisory.text(words.language)
    if finding.corrected is not None:
        corrected = finding.corrected
        has_baseline = isinstance(finding.rule, Relative | NotWorse)
        number = (cells.signed if has_baseline else cells.number)(corrected.estimate)
        method = words.name("method", corrected.method)
        name = words("calibration.corrected_difference" if has_baseline else "calibration.corrected")
        yield words.joined("core.comma", [f"{name} {number} {_interval(finding, words)}", method])
    yield words.joined("core.comma", [f"{words('calibration.judge_says')} {_raw(finding)}", _items(finding, words)])
    if finding.outcome == "cannot tell":
        yield words("calibration.more_labels")


def _raw(finding: Finding) -> str:
    is_threshold = isinstance(finding.rule, Threshold)
    return cells.number(finding.value) if is_threshold else cells.signed(finding.difference)


def _no_item(finding: Finding, words: Words) -> Iterator[str]:
    """Say that the rule is about no item; if a tag or value is unknown, the nearest known one."""
    if _may_not_rise(finding):
        yield words("gate.none_scored_0")
    elif isinstance(finding.rule, NoRegression):
        yield words("gate.none_scored_1")
    elif finding.items:
        yield words("gate.scored_of_items", n="0", items=f"{finding.items:,}")
    else:
        yield words("gate.no_item")
    if unknown := finding.unknown:
        yield words("gate.no_item_has", tag=unknown.tag, value=unknown.value)
        if unknown.hint is not None:
            yield unknown.hint.text(words.language)


def _may_not_rise(finding: Finding) -> bool:
    """Return whether the rule is about items of which less is better."""
    return isinstance(finding.rule, NoRegression) and is_lower_better(finding.rule.target.name)


def _is_uncertain(finding: Finding) -> bool:
    """Return whether the sample is too small to decide; a mean that is not the number of an equality needs no test."""
    return not finding.sure and not (_is_equality(finding) and finding.outcome == "not met")


def _is_equality(finding: Finding) -> bool:
    return isinstance(finding.rule, Threshold | Relative) and finding.rule.operator == "=="


def _uncertainty(finding: Finding, words: Words) -> Iterator[str]:
    """Say that the sample is too small to decide, and how large it would have to be."""
    if _is_equality(finding):
        yield words("gate.true_of_these")
        return
    if finding.units == 1:
        yield cannot_tell(finding.scope, finding.units).text(words.language)
        return
    yield words(_UNCERTAIN[finding.outcome])
    yield _remedy(finding, words)


def _remedy(finding: Finding, words: Words) -> str:
    """Return how many more units would decide, or prove what is decided: documents where items share them."""
    units = "none" if finding.more_items is None else "items"
    units = units if finding.more_documents is None else "documents"
    more = finding.more_documents or finding.more_items or 0
    codes = (_OPEN if finding.outcome == "cannot tell" else _DECIDED)[units]
    return words(codes[0] if more <= MOST_MORE else codes[1], n=f"{min(more, MOST_MORE):,}")


def _interval(finding: Finding, words: Words) -> str:
    """Return the interval with its level; empty if there is none."""
    if math.isnan(finding.interval.low):
        return ""
    return f"{cells.interval(finding.interval)} ({words('core.percent', n=f'{100 * finding.level:g}')})"


def _items(finding: Finding, words: Words) -> str:
    """Return the number of items with a score, and of how many if some have none."""
    if finding.n < finding.items:
        return words("gate.scored_of_items", n=f"{finding.n:,}", items=f"{finding.items:,}")
    return words("report.n_items", n=f"{finding.n:,}")


def _regression(finding: Finding, regression: Regression, words: Words) -> str:
    before = best(finding.rule.target.name)
    return words("gate.gone") if regression.now is None else f"{before:g} → {cells.number(regression.now)}"


def _finding_json(gate: Gate, finding: Finding, words: Words) -> dict[str, Any]:
    return {
        "rule": str(finding.rule),
        "verdict": finding.outcome,
        "passed": gate.lets_pass(finding),
        "sure": finding.sure,
        "more_items": finding.more_items,
        "more_documents": finding.more_documents,
        "n": finding.n,
        "unpaired": finding.unpaired,
        "value": known(finding.value),
        "baseline": known(finding.baseline),
        "diff": known(finding.difference),
        "interval": interval_list(finding.interval),
        "level": finding.level,
        "reason": reason(finding, words),
        "scope": finding.scope,
        "scopes": [_scope_json(each) for each in finding.scopes],
        "fell": [{"id": regression.id, "now": regression.now} for regression in finding.regressions],
        **({"judge": finding.judge, "advisory": _text(finding.advisory)} if finding.judge else {}),
        **({"corrected": corrected_json(finding.corrected)} if finding.corrected else {}),
    }


def _text(message: Message | None) -> str | None:
    return None if message is None else str(message)


def _scope_json(finding: Finding) -> dict[str, Any]:
    """Return a finding in one scope."""
    too_few = not finding.sure and (finding.units == 1 or finding.few_documents)
    return {
        "scope": finding.scope,
        "units": finding.units,
        "verdict": finding.outcome,
        "sure": finding.sure,
        "interval": interval_list(finding.interval),
        "more_items": finding.more_items,
        "more_documents": finding.more_documents,
        "reason": str(cannot_tell(finding.scope, finding.units)) if too_few else None,
    }
