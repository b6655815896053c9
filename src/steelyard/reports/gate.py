"""What the gate found, for the terminal, for a pull request and for programs."""

import json
import math
from collections.abc import Iterator
from typing import Any, Final

from steelyard import __version__
from steelyard.formats.results import UNFINISHED
from steelyard.reports import cells
from steelyard.reports.grids import Grid, console_grid, markdown, markdown_grid
from steelyard.reports.words import Language, Words, words_of
from steelyard.stats.gate import Fall, Finding, Gate
from steelyard.stats.rules import NoFall, NotWorse, Relative, Threshold
from steelyard.stats.summary import interval_list, known
from steelyard.table import Table

LISTED: Final = 50
"""So many items that fell are named in text; JSON has all."""
MET, BROKEN, UNSURE = "✅", "❌", "⚠️"


def render_console(gate: Gate, *, language: Language = "en", colour: bool = False) -> str:
    """One line a rule, the items that fell below it, then what is to be known of the results."""
    words = words_of(language)
    lines = console_grid(_grid(gate, words, title=headline(gate, words)), colour=colour)
    for finding in gate.findings:
        lines += [f"  {line}" for line in fallen(finding, words)]
    lines += list(warnings(gate, words))
    lines += [f"{words('signature')} {table.name}: {table.signature}" for table in _tables(gate)]
    return "\n".join(lines) + "\n"


def render_markdown(gate: Gate, *, language: Language = "en") -> str:
    """A summary for a pull request: a table of the rules, the items that fell, and what is to be known."""
    words = words_of(language)
    mark = MET if gate.passed else BROKEN
    blocks = [f"## {mark} {markdown(headline(gate, words))}", markdown_grid(_grid(gate, words))]
    for finding in gate.findings:
        if finding.fell:
            items = "\n".join(f"- {markdown(line)}" for line in fallen(finding, words))
            blocks += [f"### {words('items that fell')}: {markdown(str(finding.rule))}", items]
    notes = [*warnings(gate, words), *(f"{words('signature')} {t.name}: {t.signature}" for t in _tables(gate))]
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
        "warnings": list(warnings(gate, words)),
        "findings": [_finding_json(gate, finding, words) for finding in gate.findings],
    }


def headline(gate: Gate, words: Words) -> str:
    """Whether it passed, and what was held against what."""
    said = words("the gate is passed") if gate.passed else words("the gate is not passed")
    against = f" {words('against')} {gate.baseline.name}" if gate.baseline else ""
    return f"{said}: {gate.result.name}{against}"


def verdict(finding: Finding, words: Words) -> str:
    """The verdict, and where the sample does not settle it, that it is uncertain."""
    doubtful = not finding.sure and finding.verdict != "cannot tell"
    return f"{words(finding.verdict)} ({words('uncertain')})" if doubtful else words(finding.verdict)


def reason(finding: Finding, words: Words) -> str:
    """Why the rule came out as it did, in one line."""
    return "; ".join(_reasons(finding, words))


def warnings(gate: Gate, words: Words) -> Iterator[str]:
    """What is to be known before the findings are believed."""
    for table in _tables(gate):
        if UNFINISHED in table.counts:
            yield f"{table.name}: {words('the run was cut off; only these items were written')}: {len(table):,}"
        if table.failures:
            yield f"{table.name}: {words('the system failed, counted as 0')}: {len(table.failures):,}"
        for metric in table.metrics:
            missing = table.count("unscored", metric) + table.count("error", metric)
            if missing:
                yield f"{table.name}: {metric}: {words('items without a score, left out')}: {missing:,}"
    if gate.settings_differ:
        yield f"{words('settings differ')}: {', '.join(gate.settings_differ)}"


def fallen(finding: Finding, words: Words) -> Iterator[str]:
    """The items that fell, as far as they are named, and how many more there are."""
    for fall in finding.fell[:LISTED]:
        yield f"{fall.id}: {_fall(fall, words)}"
    if len(finding.fell) > LISTED:
        yield words("and {n} more").format(n=f"{len(finding.fell) - LISTED:,}")


def _grid(gate: Gate, words: Words, *, title: str = "") -> Grid:
    rows = [
        [_sign(finding), str(finding.rule), verdict(finding, words), reason(finding, words)]
        for finding in gate.findings
    ]
    return Grid(["", words("rule"), words("verdict"), words("why")], rows, title, texts=4)


def _tables(gate: Gate) -> list[Table]:
    return [gate.result] if gate.baseline is None else [gate.result, gate.baseline]


def _sign(finding: Finding) -> str:
    return {"met": MET, "not met": BROKEN, "cannot tell": UNSURE}[finding.verdict]


def _reasons(finding: Finding, words: Words) -> Iterator[str]:
    if finding.n == 0:
        yield _nothing(finding, words)
        return
    match finding.rule:
        case NoFall():
            yield _fall_count(finding, words)
            return
        case Threshold():
            yield f"{words('measured')} {cells.number(finding.value)} {_interval(finding)}, {_items(finding, words)}"
        case Relative() | NotWorse():
            means = f"{cells.number(finding.value)} {words('against')} {cells.number(finding.baseline)}"
            yield f"{words('measured')} {means}"
            difference = f"{cells.signed(finding.difference)} {_interval(finding)}"
            yield f"{words('difference')} {difference}, {_items(finding, words)}"
    if finding.unpaired:
        yield f"{words('items scored on one side only')}: {finding.unpaired:,}"
    if not finding.sure:
        yield from _doubt(finding, words)


def _nothing(finding: Finding, words: Words) -> str:
    if isinstance(finding.rule, NoFall):
        return words("no such item scored 1 in the baseline, so nothing is guarded")
    return words("no item to decide it on")


def _fall_count(finding: Finding, words: Words) -> str:
    return words("{fell} of {n} items that scored 1 fell").format(fell=f"{len(finding.fell):,}", n=f"{finding.n:,}")


def _doubt(finding: Finding, words: Words) -> Iterator[str]:
    """That the sample does not settle it, and what would."""
    if isinstance(finding.rule, Threshold | Relative) and finding.rule.operator == "==":
        yield words("true of these items; no sample proves it of others")
        return
    yield words("cannot tell at this sample size")
    if finding.more_items is None:
        yield words("no number of items like these would settle it")
    else:
        yield words("about {n} more items would settle it").format(n=f"{finding.more_items:,}")


def _interval(finding: Finding) -> str:
    if math.isnan(finding.interval.low):
        return cells.DASH
    return f"{cells.interval(finding.interval)} ({100 * finding.level:g} %)"


def _items(finding: Finding, words: Words) -> str:
    return f"{finding.n:,} {words('items')}"


def _fall(fall: Fall, words: Words) -> str:
    return words("not there any more") if fall.now is None else f"1 → {cells.number(fall.now)}"


def _finding_json(gate: Gate, finding: Finding, words: Words) -> dict[str, Any]:
    return {
        "rule": str(finding.rule),
        "verdict": finding.verdict,
        "passed": gate.lets_pass(finding),
        "sure": finding.sure,
        "more_items": finding.more_items,
        "n": finding.n,
        "unpaired": finding.unpaired,
        "value": known(finding.value),
        "baseline": known(finding.baseline),
        "diff": known(finding.difference),
        "interval": interval_list(finding.interval),
        "level": finding.level,
        "reason": reason(finding, words),
        "fell": [{"id": fall.id, "now": fall.now} for fall in finding.fell],
    }
