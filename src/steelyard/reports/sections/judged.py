"""The section about metrics that a model has judged: what may be believed of them."""

from collections.abc import Iterator, Sequence
from functools import partial

from steelyard.i18n import Message, Words
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Fields, Note, NoteRole, Notes
from steelyard.reports.calibration import belief_block, belief_json, corrected_json
from steelyard.reports.content import Report
from steelyard.reports.sections import section
from steelyard.stats.belief import Belief
from steelyard.stats.corrected import Corrected


@section(25)
def judged(report: Report, words: Words) -> Iterator[Block]:
    """Yield a table for each calibrated metric of each result, and say which judged metrics are not calibrated."""
    given = report.calibrations
    for index, table in enumerate(report.tables):
        beliefs = [given.belief(table, name, report.scope) for name in table.metrics if given.judged(name, table)]
        name = table.name if len(report.tables) > 1 else ""
        lines = [(role, words.labelled(name, line) if name else line) for role, line in _lines(beliefs, words)]
        yield Notes([Note(line, role, named=True) for role, line in lines])
        yield from (belief_block(name, each, words) for each in beliefs if each.calibration or each.unknown)
        if beliefs:
            yield Fields(partial(dict, judged=[belief_json(each) for each in beliefs]), index)
    yield from _differences(report, words)


def _lines(beliefs: Sequence[Belief], words: Words) -> Iterator[tuple[NoteRole, str]]:
    """Yield what readers of the means must know: which are not calibrated, and what the others are when corrected."""
    plain = [each for each in beliefs if each.calibration is None]
    if plain:
        metrics = words.joined("core.listed", [words.name("metric", each.metric) for each in plain])
        yield "alert", words("calibration.uncalibrated", metrics=metrics, judge=str(plain[0].judge))
    for each in beliefs:
        if each.corrected is not None:
            means = {"judge": cells.number(each.raw.value), "people": cells.number(each.corrected.estimate)}
            name, interval = words.name("metric", each.metric), cells.interval(each.corrected.interval)
            line = words("calibration.in_short", metric=name, interval=interval, **means)
            if each.advisory is None:
                yield "finding", line
            else:
                yield "alert", words.joined("core.clauses", [line, words("calibration.but_advisory")])


def _differences(report: Report, words: Words) -> Iterator[Block]:
    """Yield how each result differs from the first after correction."""
    given, (old, *others) = report.calibrations, report.tables
    lines: list[Note] = []
    found = []
    for new in others if given.given else ():
        for metric in (name for name in new.metrics if given.judged(name, new) and name in old.columns):
            corrected = given.difference(new, old, metric, report.scope)
            why = next(filter(None, (given.belief(each, metric, report.scope).advisory for each in (new, old))), None)
            subject = f"{new.name} – {old.name}, {words.name('metric', metric)}"
            role: NoteRole = "alert" if why or isinstance(corrected, Message) else "finding"
            lines.append(Note(words.labelled(subject, _difference(corrected, why, words)), role, named=True))
            if isinstance(corrected, Corrected):
                found.append({"a": new.name, "b": old.name, "metric": metric, **corrected_json(corrected)})
    if lines:
        yield Notes([words("calibration.differences"), *lines])
    if found:
        yield Fields(partial(dict, corrected_differences=found))


def _difference(found: Corrected | Message, why: Message | None, words: Words) -> str:
    """Return a corrected difference, and why it is advisory if it is."""
    if isinstance(found, Message):
        return found.text(words.language)
    line = f"{cells.signed(found.estimate)} {cells.interval(found.interval)}"
    return line if why is None else words.joined("core.clauses", [line, words("calibration.but_advisory")])
