"""Verdicts on answers: refusals, those that rules could not decide, who decided, and what reviewers corrected."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from steelyard.i18n import Words
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Cell, Fields, Row, TableBlock
from steelyard.reports.content import BOARD, PAIR, Report
from steelyard.reports.sections import section
from steelyard.stats.outcomes import METRIC as ATTRIBUTED
from steelyard.stats.review import (
    REVIEWED,
    UNCERTAIN,
    Coverage,
    after_correction,
    decided_by,
    risk_coverage,
    uncertain_flags,
)
from steelyard.stats.summary import known
from steelyard.table import FloatArray, Table

_METRIC: Final = "Refusal"


class Counts(NamedTuple):
    """Questions by whether they have an answer, and whether they were refused."""

    over_refused: int
    answered: int
    refused: int
    missed: int

    @property
    def over_refusal(self) -> float:
        """The share of answerable questions that were refused."""
        return _share(self.over_refused, self.answered)

    @property
    def false_answer(self) -> float:
        """The share of unanswerable questions that were answered."""
        return _share(self.missed, self.refused)


@section(35, "one", *BOARD, of_each=True)
def blocks(report: Report, words: Words) -> Iterator[Block]:
    """Yield a table of two by two for each result with the two parts of `Refusal`."""
    for index, table in enumerate(report.tables):
        if counts := refusal_counts(table):
            yield refusals_table([counts], words, words.labelled(table.name, _METRIC))
            yield Fields(partial(dict, refusals=counts._asdict()), index)


@section(35, *PAIR)
def pair_refusals(report: Report, words: Words) -> Iterator[Block]:
    """Yield one table of both results; where only one of them has the parts, its own."""
    before, after = map(refusal_counts, report.paired)
    for block in blocks(report, words):
        if not (before and after and isinstance(block, TableBlock)):
            yield block
    if before and after:
        yield refusals_table([before, after], words)


def refusal_counts(table: Table) -> Counts | None:
    """Return the counts of a result; None if it does not say which questions have an answer."""
    parts = table.columns[_METRIC].parts if _METRIC in table.columns else {}
    if not {"over_refusal", "missed_refusal"} <= parts.keys():
        return None
    return counts_of(parts["over_refusal"], parts["missed_refusal"])


def counts_of(over: FloatArray, missed: FloatArray) -> Counts:
    """Return the counts from two columns: 1 for a wrong refusal, and for a missing one; 0 for a right answer."""
    values = ((over, 1), (over, 0), (missed, 0), (missed, 1))
    return Counts(*(int(np.count_nonzero(column == value)) for column, value in values))


def _share(some: int, others: int) -> float:
    return some / (some + others) if some + others else math.nan


def refusals_table(
    results: Sequence[Counts],
    words: Words,
    title: str = "",
    *,
    refused: str = "report.refused",
    rows: Sequence[Row] = (),
) -> TableBlock:
    """Return questions with and without an answer: how many were answered and refused, and the share of errors.

    Of two results each cell has both, before → after. `refused` is the code of the heading; further `rows` follow.
    """
    sides = (
        ("report.answerable", [(each.answered, each.over_refused, each.over_refusal) for each in results]),
        ("report.not_answerable", [(each.missed, each.refused, each.false_answer) for each in results]),
    )
    counted = [
        [
            words(code),
            " → ".join(f"{answered:,}" for answered, _, _ in side),
            " → ".join(f"{refused:,}" for _, refused, _ in side),
            " → ".join(cells.percent(rate, words) for _, _, rate in side),
        ]
        for code, side in sides
    ]
    headings = ["", *map(words, ("report.answered", refused, "report.wrong_rate"))]
    if len(results) > 1:
        return TableBlock(headings, [*counted, *rows], words("report.refusals_before_after"), "refusals_compared")
    return TableBlock(headings, [*counted, *rows], title, "refusals")


_ANSWERS: Final = "answers"


class Doubts(NamedTuple):
    """The uncertain verdicts of a metric among its items, and the bounds of its mean."""

    undecided: int
    items: int
    mean: float
    low: float
    high: float


@section(36, of_each=True)
def uncertain(report: Report, words: Words) -> Iterator[Block]:
    """Yield a table for each result with uncertain verdicts."""
    answers = [(index, table) for index, table in enumerate(report.tables) if table.kind == _ANSWERS]
    known = {index: by_metric for index, table in answers if (by_metric := doubts(table))}
    for index, by_metric in known.items():
        named = {words.name("metric", metric): each for metric, each in by_metric.items()}
        yield uncertain_table("report.metric", named, report.tables[index].name, words)
    for index, by_metric in known.items():
        fields = {UNCERTAIN: {metric: each._asdict() for metric, each in by_metric.items()}}
        yield Fields(partial(dict, fields), index)


def doubts(table: Table) -> dict[str, Doubts]:
    """Return the metrics of a result that have uncertain verdicts; outcomes have a table of their own."""
    found = {}
    for metric in [metric for metric in table.columns if metric != ATTRIBUTED]:
        flags, scores = uncertain_flags(table, metric), table.column(metric)
        if flags is not None and flags.any():
            ends = [float(np.nanmean(np.where(flags, end, scores))) for end in (0.0, 1.0)]
            found[metric] = Doubts(int(flags.sum()), len(table.scored(metric)), table.mean(metric), *ends)
    return found


def uncertain_table(label: str, found: Mapping[str, Doubts], name: str, words: Words) -> TableBlock:
    """Return a row for each metric, or type of questions, with its uncertain verdicts and the bounds of its mean."""
    rows: list[Row] = [
        [
            key,
            f"{each.undecided:,} / {each.items:,} ({cells.percent(each.undecided / each.items, words)})",
            *map(cells.number, each[2:]),
        ]
        for key, each in found.items()
    ]
    codes = (label, "report.uncertain_items", "report.mean", "report.lowest_mean", "report.highest_mean")
    return TableBlock([*map(words, codes)], rows, words.labelled(name, words("report.uncertain_items")), "uncertain")


_NAMES: Final = {
    "rules": "review.by_rules",
    "judge": "review.by_judge",
    "person": "review.by_person",
    UNCERTAIN: "review.undecided",
}
_WITHOUT: Final = {"": "report.all", UNCERTAIN: "review.without_uncertain", "partial": "review.without_partial"}


def _decided_metric(report: Report) -> str:
    """Return the metric of the headline, or the first that a judge or a person has reviewed."""
    reviewed = (
        metric for table in report.tables for metric, parts in table.parts.items() if parts.keys() & REVIEWED.values()
    )
    return next(reviewed, report.main)


@section(39)
def decided(report: Report, words: Words) -> Iterator[Block]:
    """Yield a row for each result that says which verdicts are uncertain, and a table for each that has reviews."""
    metric = _decided_metric(report)
    flagged = [index for index, table in enumerate(report.tables) if UNCERTAIN in table.parts.get(metric, {})]
    decided = {index: counts for index in flagged if (counts := decided_by(report.tables[index], metric))}
    if not decided:
        return
    rows: list[Row] = []
    for index, counts in decided.items():
        shares = {name: cells.percent(count / sum(counts.values()), words) for name, count in counts.items()}
        counted = (f"{counts[name]:,} ({shares[name]})" if counts[name] else "0" for name in _NAMES)
        rows.append([report.tables[index].name, *counted])
    headings = [words("report.system"), *map(words, _NAMES.values())]
    if len(rows) == 1:  # a row for each who decided: no table has one row
        name = report.tables[next(iter(decided))].name
        headings, rows = [headings[0], name], [*zip(headings[1:], rows[0][1:], strict=True)]
    yield TableBlock(headings, rows, words("review.decided_by"), role="decided")
    for index, counts in decided.items():
        table = report.tables[index]
        curve = risk_coverage(table, metric)
        if curve:
            yield _curve(table, curve, words)
        points = [{**point._asdict(), "error": known(point.error)} for point in curve]
        fields = {"decided_by": counts, **({"risk_coverage": points} if points else {})}
        yield Fields(partial(dict, fields), index)


@section(41)
def corrected(report: Report, words: Words) -> Iterator[Block]:
    """Yield the mean after correction beside the judge's, for each result of which a reviewer corrected scores."""
    rows: list[Row] = []
    for index, table in enumerate(report.tables):
        found = {metric: made for metric in table.metrics if (made := after_correction(table, metric))}
        after = {metric: of.summary(units=report.scope).metrics[metric] for metric, (of, _) in found.items()}
        for metric, (_, items) in found.items():
            before = report.summaries[index].metrics[metric]
            means = map(cells.mean, (before, after[metric]))
            rows.append([table.name, words.name("metric", metric), *means, f"{items:,} / {before.scored:,}"])
        if found:
            corrections = {name: {"items": found[name][1], **mean.as_dict()} for name, mean in after.items()}
            yield Fields(partial(dict, corrections=corrections), index)
    if rows:
        codes = ("report.system", "report.metric", "review.judge_mean", "review.corrected_mean", "review.corrected")
        by_model = any(
            REVIEWED["judge"] in table.parts.get(name, {}) for table in report.tables for name in table.metrics
        )
        codes_of_notes = ["review.corrections_not_compared", *(["review.corrections_by_model"] if by_model else [])]
        notes = [words(code) for code in codes_of_notes]
        title = words("review.corrections")
        yield TableBlock([*map(words, codes)], rows, title, "decided", labels=2, notes=notes)


def _curve(table: Table, curve: list[Coverage], words: Words) -> TableBlock:
    """Return the share of verdicts that are kept against the share of wrong ones among them."""
    rows: list[Row] = [
        [
            words(_WITHOUT[point.without]),
            Cell(cells.percent(point.share, words), share=point.share),
            f"{point.reviewed:,}",
            Cell(cells.percent(point.error, words), share=point.error if point.error == point.error else None),
        ]
        for point in curve
    ]
    codes = ("review.verdicts_kept", "review.coverage", "review.reviewed", "review.error_rate")
    title = words.labelled(table.name, words("review.risk_coverage"))
    return TableBlock([*map(words, codes)], rows, title, role="coverage")
