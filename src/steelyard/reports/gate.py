"""What the gate found, for the terminal, for a pull request and for programs."""

import json
import math
from collections.abc import Iterator
from typing import Any, Final

from steelyard import __version__
from steelyard.i18n import Language, Words, words_of
from steelyard.reports import cells
from steelyard.reports.grids import Grid, console_grid, markdown, markdown_grid
from steelyard.stats.direction import best, is_lower_better
from steelyard.stats.gate import Finding, Gate, GateOutcome, Regression
from steelyard.stats.rules import NoRegression, NotWorse, Relative, Threshold
from steelyard.stats.summary import interval_list, known
from steelyard.text.visible import visible

MOST_MORE: Final = 1_000_000
"""More items than this are said to be more than this: nobody will ask them."""
LISTED: Final = 50
"""So many items that fell are named in text; JSON has all."""
MET, BROKEN, UNSURE = "✅", "❌", "⚠️"
_VERDICTS: Final[dict[GateOutcome, str]] = {
    "met": "gate.met",
    "not met": "gate.not_met",
    "cannot tell": "gate.cannot_tell",
}
_DOUBTS: Final[dict[GateOutcome, str]] = {
    "met": "gate.met_unproven",
    "not met": "gate.not_met_unproven",
    "cannot tell": "gate.sample_too_small",
}


def render_console(gate: Gate, *, language: Language = "en", colour: bool = False) -> str:
    """That a run was cut off; one line a rule, the items that fell below it, and what is to be known of the results."""
    words = words_of(language)
    lines = [*map(visible, cut_off(gate, words))]
    lines += console_grid(_grid(gate, words, title=headline(gate, words)), colour=colour)
    for finding in gate.findings:
        lines += [f"  {visible(line)}" for line in fallen(finding, words)]
    lines += map(visible, warnings(gate, words))
    lines += [visible(f"{words('report.signature')} {table.name}: {table.signature}") for table in gate.tables]
    return "\n".join(lines) + "\n"


def render_markdown(gate: Gate, *, language: Language = "en") -> str:
    """A summary for a pull request: a table of the rules, the items that fell, and what is to be known."""
    words = words_of(language)
    mark = MET if gate.passed else BROKEN
    blocks = [f"## {mark} {markdown(headline(gate, words))}"]
    blocks += [*(f"**{markdown(line)}**" for line in cut_off(gate, words)), markdown_grid(_grid(gate, words))]
    for finding in gate.findings:
        if finding.regressions:
            items = "\n".join(f"- {markdown(line)}" for line in fallen(finding, words))
            title = words("gate.items_rose") if _may_not_rise(finding) else words("gate.items_fell")
            blocks += [f"### {title}: {markdown(str(finding.rule))}", items]
    notes = [*warnings(gate, words), *(f"{words('report.signature')} {t.name}: {t.signature}" for t in gate.tables)]
    blocks.append("\n".join(f"- {markdown(note)}" for note in notes))
    return "\n\n".join(blocks) + "\n"


def render_json(gate: Gate) -> str:
    """Everything that was found, indented; reasons are English."""
    return json.dumps(as_json(gate), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def as_json(gate: Gate) -> dict[str, Any]:
    """Everything that was found; unknown numbers are None."""
    words = words_of("en")
    return {
        "steelyard": __version__,
        "kind": gate.result.kind,
        "signature": str(gate.result.signature),
        "result": gate.result.name,
        "baseline": gate.baseline.name if gate.baseline else None,
        "alpha": gate.settings.alpha,
        "passed": gate.passed,
        "warnings": [*cut_off(gate, words), *warnings(gate, words)],
        "findings": findings_json(gate),
    }


def findings_json(gate: Gate) -> list[dict[str, Any]]:
    """What each rule came to; unknown numbers are None."""
    return [_finding_json(gate, finding, words_of("en")) for finding in gate.findings]


def headline(gate: Gate, words: Words) -> str:
    """Whether it passed, and what was held against what."""
    said = words("gate.passed") if gate.passed else words("gate.not_passed")
    against = f" {words('report.against')} {gate.baseline.name}" if gate.baseline else ""
    return f"{said}: {gate.result.name}{against}"


def verdict(finding: Finding, words: Words) -> str:
    """The verdict, and where the sample does not settle it, that it is uncertain."""
    doubtful = _is_doubtful(finding) and finding.outcome != "cannot tell"
    said = words(_VERDICTS[finding.outcome])
    return f"{said} ({words('gate.uncertain')})" if doubtful else said


def reason(finding: Finding, words: Words) -> str:
    """Why the rule came out as it did, in one line."""
    return "; ".join(_reasons(finding, words))


def cut_off(gate: Gate, words: Words) -> Iterator[str]:
    """That a run is not whole, which is said first, and what that does to the gate."""
    for table in gate.cut_off:
        said = f"{table.name}: {words('gate.only_these_written')}: {len(table):,}"
        waived = words("gate.decided_anyway")
        yield f"{said}; {waived if gate.settings.force else words('gate.no_rule_met')}"


def warnings(gate: Gate, words: Words) -> Iterator[str]:
    """What else is to be known before the findings are believed."""
    for table in gate.tables:
        if table.failures:
            yield f"{table.name}: {words('gate.failures_counted_0')}: {len(table.failures):,}"
        for metric in table.metrics:
            missing = table.count("unscored", metric) + table.count("error", metric)
            if missing:
                yield f"{table.name}: {metric}: {words('gate.items_unscored')}: {missing:,}"
    if gate.settings_differ:
        yield f"{words('report.settings_differ')}: {', '.join(gate.settings_differ)}"


def fallen(finding: Finding, words: Words) -> Iterator[str]:
    """The items that fell, as far as they are named, and how many more there are."""
    for fall in finding.regressions[:LISTED]:
        yield f"{fall.id}: {_fall(finding, fall, words)}"
    if len(finding.regressions) > LISTED:
        yield words("gate.and_more", n=f"{len(finding.regressions) - LISTED:,}")


def _grid(gate: Gate, words: Words, *, title: str = "") -> Grid:
    rows = [
        [_sign(finding), str(finding.rule), verdict(finding, words), reason(finding, words)]
        for finding in gate.findings
    ]
    return Grid(["", words("gate.rule"), words("gate.verdict"), words("gate.why")], rows, title, texts=4)


def _sign(finding: Finding) -> str:
    return {"met": MET, "not met": BROKEN, "cannot tell": UNSURE}[finding.outcome]


def _reasons(finding: Finding, words: Words) -> Iterator[str]:
    if finding.cut_off:
        yield words("gate.run_cut_off")
    if finding.n == 0:
        yield from _nothing(finding, words)
        return
    match finding.rule:
        case NoRegression():
            yield _fall_count(finding, words)
            return
        case Threshold():
            value = f"{cells.number(finding.value)} {_interval(finding)}"
            yield f"{words('gate.measured')} {value}, {_items(finding, words)}"
        case Relative() | NotWorse():
            means = f"{cells.number(finding.value)} {words('report.against')} {cells.number(finding.baseline)}"
            yield f"{words('gate.measured')} {means}"
            difference = f"{cells.signed(finding.difference)} {_interval(finding)}"
            yield f"{words('report.difference')} {difference}, {_items(finding, words)}"
    if finding.unpaired:
        yield f"{words('gate.items_one_side')}: {finding.unpaired:,}"
    if _is_doubtful(finding):
        yield from _doubt(finding, words)


def _nothing(finding: Finding, words: Words) -> Iterator[str]:
    """That there is no item, and where that may be a slip of the pen, what may have been meant."""
    if _may_not_rise(finding):
        yield words("gate.none_scored_0")
    elif isinstance(finding.rule, NoRegression):
        yield words("gate.none_scored_1")
    else:
        yield words("gate.no_item")
    if unknown := finding.unknown:
        yield words("gate.no_item_has", tag=unknown.tag, value=unknown.value)
        if unknown.nearest is not None:
            yield words("gate.did_you_mean", name=repr(unknown.nearest))


def _fall_count(finding: Finding, words: Words) -> str:
    code = "gate.rose" if _may_not_rise(finding) else "gate.fell"
    return words(code, fell=f"{len(finding.regressions):,}", n=f"{finding.n:,}")


def _may_not_rise(finding: Finding) -> bool:
    """Whether the rule is about items of which less is better."""
    return isinstance(finding.rule, NoRegression) and is_lower_better(finding.rule.target.name)


def _is_doubtful(finding: Finding) -> bool:
    """Whether the sample does not settle it; that a mean is not the number asked for is plain."""
    return not finding.sure and not (_is_equality(finding) and finding.outcome == "not met")


def _is_equality(finding: Finding) -> bool:
    return isinstance(finding.rule, Threshold | Relative) and finding.rule.operator == "=="


def _doubt(finding: Finding, words: Words) -> Iterator[str]:
    """That the sample does not settle it, and what would."""
    if _is_equality(finding):
        yield words("gate.true_of_these")
        return
    yield words(_DOUBTS[finding.outcome])
    yield _remedy(finding, words)


def _remedy(finding: Finding, words: Words) -> str:
    """How many more would settle it: documents, where further items of the same ones would not help."""
    match finding:
        case Finding(more_documents=int(more)):
            few, many = "gate.more_documents", "gate.many_more_documents"
        case Finding(more_items=int(more)):
            few, many = "gate.more_items", "gate.many_more_items"
        case _:
            return words("gate.never_settled")
    return words(few if more <= MOST_MORE else many, n=f"{min(more, MOST_MORE):,}")


def _interval(finding: Finding) -> str:
    if math.isnan(finding.interval.low):
        return cells.DASH
    return f"{cells.interval(finding.interval)} ({100 * finding.level:g} %)"


def _items(finding: Finding, words: Words) -> str:
    return f"{finding.n:,} {words('report.items')}"


def _fall(finding: Finding, fall: Regression, words: Words) -> str:
    before = best(finding.rule.target.name)
    return words("gate.gone") if fall.now is None else f"{before:g} → {cells.number(fall.now)}"


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
        "fell": [{"id": fall.id, "now": fall.now} for fall in finding.regressions],
    }
