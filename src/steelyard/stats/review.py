"""Spot checks of verdicts: which metric gives verdicts, what passes, and a sample for a person to read."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from steelyard.errors import ConfigError, InputError, UnknownName
from steelyard.i18n import Message
from steelyard.io.reviews import CHOSEN, Judgement, Sampling, digest_of
from steelyard.stats.selection import AGAIN_HINT, require_tag
from steelyard.table import Flags, FloatArray, Table

UNCERTAIN: Final = "uncertain"
CERTAIN: Final = "certain"
"""The two strata of `--by uncertain`; all of the first are read before any of the second."""
DOUBTFUL: Final = "doubtful"
PASSED: Final = "passed"
"""The part in which results record whether a verdict is a pass."""
PASSING: Final = 0.5
"""The lowest score that passes, for results that do not record what passes."""
NEAR: Final = 0.15
"""The largest distance of a score from the lowest one that passes to be near the threshold."""
DOUBTS: Final = {"near the threshold": 4.0, "partial credit": 3.0, "remarks": 2.0, "clear": 1.0}
"""Kinds of verdicts, the most doubtful first, with their weights in a sample."""
REVIEWED: Final = {"judge": "agreed_judge", "person": "agreed_person"}
"""Who reviews a verdict, and the part that says whether they agree with it."""
CORRECTED: Final = "corrected"
"""The part with the score that a reviewer gave instead; that of a part `p` is `corrected_p`."""


@dataclass(frozen=True, slots=True)
class SampleSize:
    """How many verdicts to read: a number, or a percentage of all of them."""

    number: float
    percent: bool = False

    def of(self, population: int) -> int:
        """Return the number of verdicts of a population; at least one, at most all."""
        count = math.ceil(round(population * self.number / 100, 9)) if self.percent else int(self.number)
        return max(1, min(count, population))


@dataclass(frozen=True, slots=True)
class SampleSettings:
    """`by` is a tag, "uncertain", "doubtful", or None for no strata; `metric` is the metric whose verdicts are read."""

    size: SampleSize
    by: str | None = None
    seed: int = 42
    metric: str | None = None


class Coverage(NamedTuple):
    """The verdicts that are left `without` the doubtful ones: their share, and the share of wrong ones among them.

    `error` is NaN where nothing of some kind was reviewed.
    """

    without: str
    share: float
    reviewed: int
    error: float


@dataclass(frozen=True, slots=True)
class Stratum:
    """Items that are sampled together; an item of importance 2 is drawn twice as often as one of importance 1."""

    name: str
    rows: tuple[int, ...]
    importance: float = 1.0


@dataclass(frozen=True, slots=True)
class Drawn:
    """The sample of a stratum; each of its `population` items was drawn with probability `len(rows) / population`."""

    name: str
    rows: tuple[int, ...]
    population: int


def draw(strata: Sequence[Stratum], count: int, *, seed: int = 42) -> list[Drawn]:
    """Draw `count` items, in proportion to the strata and at least one of each; rows are in order."""
    sizes = allocate([len(stratum.rows) for stratum in strata], [stratum.importance for stratum in strata], count)
    return _drawn(strata, sizes, seed)


def draw_in_turn(strata: Sequence[Stratum], count: int, *, seed: int = 42) -> list[Drawn]:
    """Draw `count` items from the strata in turn: all of the first, then of the next; empty samples are left out."""
    left, sizes = count, []
    for stratum in strata:
        sizes.append(min(left, len(stratum.rows)))
        left -= sizes[-1]
    return [sample for sample in _drawn(strata, sizes, seed) if sample.rows]


def _drawn(strata: Sequence[Stratum], sizes: Sequence[int], seed: int) -> list[Drawn]:
    generator = np.random.default_rng(seed)
    drawn = []
    for stratum, size in zip(strata, sizes, strict=True):
        chosen = generator.permutation(len(stratum.rows))[:size].tolist()
        drawn.append(Drawn(stratum.name, tuple(sorted(stratum.rows[index] for index in chosen)), len(stratum.rows)))
    return drawn


def allocate(sizes: Sequence[int], importances: Sequence[float], count: int) -> list[int]:
    """Return the sample size of each stratum: in proportion to size times importance, 1 or more, at most its size.

    Each stratum gets one; each further item goes to the stratum that is furthest behind its share.
    """
    if not len(sizes) <= count <= sum(sizes):
        raise ValueError(f"{count} items of {len(sizes)} strata that hold {sum(sizes)}")
    shares = np.array(sizes, np.float64) * np.array(importances, np.float64)
    shares *= count / shares.sum()
    drawn = np.ones(len(sizes), np.int64)
    for _ in range(count - len(sizes)):
        behind = np.where(drawn < np.array(sizes), (drawn + 0.5) / shares, np.inf)
        drawn[int(np.argmin(behind))] += 1
    return [int(size) for size in drawn]


def with_reviews(table: Table, judgements: Sequence[Judgement]) -> Table:
    """Return the table with parts of the reviewed metric: whether a judge or a person agrees, and what they corrected.

    The scores stay as they are. Parts of earlier reviews stay too, but for the verdicts that these judge again.
    """
    metric = verdict_metric(table, judgements[0].metric)
    rows = {identifier: row for row, identifier in enumerate(table.ids)}
    column = table.columns[metric]
    parts = {part: values.copy() for part, values in column.parts.items()}
    for judgement in judgements:
        if judgement.id in rows and judgement.is_decided:
            outdated = {part: math.nan for part in parts if part.startswith(CORRECTED)}
            for part, value in {**outdated, **_review_parts(judgement)}.items():
                parts.setdefault(part, np.full(len(table), np.nan))[rows[judgement.id]] = value
    return replace(table, columns={**table.columns, metric: replace(column, parts=parts)})


def _review_parts(judgement: Judgement) -> dict[str, float]:
    """Return the parts that a judgement gives its item."""
    by = "judge" if judgement.is_by_model else "person"
    return {
        REVIEWED[by]: float(bool(judgement.agree)),
        **({CHOSEN: 1.0} if judgement.sampling.by == CHOSEN else {}),
        **({} if judgement.score is None else {CORRECTED: judgement.score}),
        **{f"{CORRECTED}_{part}": value for part, value in judgement.parts.items()},
    }


def is_review_part(name: str, columns: Collection[str]) -> bool:
    """Return whether a name is that of a part in which a review is recorded, which is no score of the result."""
    metric, _, part = name.rpartition(".")
    return metric in columns and (part in (*REVIEWED.values(), CHOSEN) or part.startswith(CORRECTED))


def after_correction(table: Table, metric: str) -> tuple[Table, int] | None:
    """Return the table with corrected scores in the place of the judge's, and how many; None if none was corrected."""
    column = table.columns[metric]
    corrected = column.parts.get(CORRECTED)
    if corrected is None:
        return None
    rows = ~np.isnan(corrected) & ~np.isnan(column.values)
    values = np.where(rows, corrected, column.values)
    return replace(table, columns={metric: replace(column, values=values)}), int(rows.sum())


def decided_by(table: Table, metric: str) -> dict[str, int]:
    """Return the number of verdicts that rules, a judge or a person decided, and of those that are still uncertain.

    Empty if the result does not record which are uncertain.
    """
    flags = uncertain_flags(table, metric)
    rows = [] if flags is None else reviewable(table, metric)
    if flags is None or not rows:
        return {}
    judge, person = (~np.isnan(_part(table, metric, part))[rows] for part in REVIEWED.values())
    counts = {"judge": judge & ~person, "person": person, UNCERTAIN: flags[rows] & ~judge & ~person}
    found = {name: int(column.sum()) for name, column in counts.items()}
    return {"rules": len(rows) - sum(found.values()), **found}


def risk_coverage(table: Table, metric: str) -> list[Coverage]:
    """Errors by coverage: of all verdicts, without the uncertain ones, and without those of partial credit as well.

    The errors of each kind of verdicts count by the number of all verdicts of that kind, so that a sample in which one
    kind is more frequent gives the same curve. Verdicts that a reviewer chose are no sample and do not count. Empty if
    nothing was reviewed.
    """
    flags = uncertain_flags(table, metric)
    rows = [] if flags is None else reviewable(table, metric)
    judge, person = (_part(table, metric, part)[rows] for part in REVIEWED.values())
    agreed = np.where(np.isnan(person), judge, person)
    agreed[_part(table, metric, CHOSEN)[rows] == 1] = math.nan
    if flags is None or np.isnan(agreed).all():
        return []
    scores = table.column(metric)[rows]
    kinds = np.where(flags[rows], 0, np.where((scores > 0) & (scores < 1), 1, 2))
    sizes = [int((kinds == kind).sum()) for kind in range(3)]
    heard = [agreed[(kinds == kind) & ~np.isnan(agreed)] for kind in range(3)]
    wrong = [size * float(1 - each.mean()) if len(each) else math.nan for size, each in zip(sizes, heard, strict=True)]
    curve = []
    for first, without in enumerate(("", UNCERTAIN, "partial")):
        kept = [kind for kind in range(first, 3) if sizes[kind]]
        if kept and (first == 0 or sizes[first - 1]):
            total, reviewed = sum(sizes[kind] for kind in kept), sum(len(heard[kind]) for kind in kept)
            curve.append(Coverage(without, total / len(rows), reviewed, sum(wrong[kind] for kind in kept) / total))
    return curve


def _part(table: Table, metric: str, part: str) -> FloatArray:
    return table.parts.get(metric, {}).get(part, np.full(len(table), np.nan))


def take_sample(table: Table, settings: SampleSettings) -> list[Judgement]:
    """Return a judgement without an opinion for each sampled verdict, stratum by stratum."""
    metric = verdict_metric(table, settings.metric)
    rows = reviewable(table, metric)
    if not rows:
        raise InputError(Message("reports.nothing_to_review"), where=table.name)
    count = settings.size.of(len(rows))
    result = digest_of(table)
    return [
        Judgement(
            *(table.ids[row], float(table.column(metric)[row]), None, False, "", "", metric, result),
            sampling=Sampling(
                settings.seed, settings.by, count, len(rows), drawn.name, len(drawn.rows), drawn.population
            ),
        )
        for drawn in _draw(table, metric, rows, count, settings)
        for row in drawn.rows
    ]


def uncertain_rows(table: Table, metric: str) -> list[int]:
    """Return the rows of uncertain verdicts; raises InputError if the result does not record which they are."""
    flags = uncertain_flags(table, metric)
    if flags is None:
        hint = Message("reports.uncertain_not_recorded_hint", again=AGAIN_HINT)
        raise InputError(Message("reports.uncertain_not_recorded"), where=table.name, hint=hint)
    return [row for row in reviewable(table, metric) if flags[row]]


def uncertain_flags(table: Table, metric: str) -> Flags | None:
    """For each row whether the verdict is uncertain; None if the result does not record it."""
    column = table.parts.get(metric, {}).get(UNCERTAIN)
    return None if column is None or np.isnan(column).all() else column == 1


def verdict_metric(table: Table, name: str | None = None) -> str:
    """Return the metric whose scores are verdicts, between 0 and 1: the named one, else the first."""
    metric = name or table.metrics[0]
    if metric not in table.columns:
        raise UnknownName.of(Message("words.metric"), metric, table.metrics, where=table.name)
    scores = table.scored(metric)
    if len(scores) and not (scores.min() >= 0 and scores.max() <= 1):
        hint = Message("reports.other_metric_hint")
        raise ConfigError(Message("reports.no_verdicts", metric=metric), hint=hint)
    return metric


def reviewable(table: Table, metric: str) -> list[int]:
    """Return the rows that have a verdict: those with a score, unless the system failed."""
    scored = ~np.isnan(table.column(metric))
    return [row for row in np.flatnonzero(scored).tolist() if row not in table.failures]


def passed(table: Table, metric: str) -> Flags:
    """For each row whether the verdict is a pass: as the result records it, else by a score of at least 0.5."""
    recorded = table.parts.get(metric, {}).get(PASSED)
    return table.column(metric) >= PASSING if recorded is None else recorded == 1


def _draw(table: Table, metric: str, rows: Sequence[int], count: int, settings: SampleSettings) -> list[Drawn]:
    if settings.by == UNCERTAIN:
        first = uncertain_rows(table, metric)
        rest = sorted(set(rows) - set(first))
        return draw_in_turn(
            [Stratum(UNCERTAIN, tuple(first)), Stratum(CERTAIN, tuple(rest))], count, seed=settings.seed
        )
    strata = _strata(table, metric, rows, settings.by)
    if count < len(strata):
        message = Message("reports.sample_too_small", count=count, strata=len(strata), by=settings.by)
        raise ConfigError(message, hint=Message("reports.sample_size_hint", strata=len(strata)))
    return draw(strata, count, seed=settings.seed)


def _strata(table: Table, metric: str, rows: Sequence[int], by: str | None) -> list[Stratum]:
    if by is None:
        return [Stratum("", tuple(rows))]
    if by == DOUBTFUL:
        return _strata_by(_doubts(table, metric), rows, DOUBTS)
    require_tag(by, [*table.tags, UNCERTAIN, DOUBTFUL], table.name)
    values = table.tags[by]
    return _strata_by(values, rows, dict.fromkeys((values[row] for row in rows), 1.0))


def _strata_by(labels: Sequence[str], rows: Sequence[int], importances: Mapping[str, float]) -> list[Stratum]:
    members: dict[str, list[int]] = {name: [] for name in importances}
    for row in rows:
        members[labels[row]].append(row)
    return [Stratum(name, tuple(stratum), importances[name]) for name, stratum in members.items() if stratum]


def _doubts(table: Table, metric: str) -> list[str]:
    """Return the kind of each verdict, of those in `DOUBTS`."""
    column, passes = table.column(metric), passed(table, metric)
    kinds = np.array(table.tags.get("type", [""] * len(table)))
    lowest = {kind: min(column[passes & (kinds == kind)], default=PASSING) for kind in dict.fromkeys(kinds.tolist())}
    return [
        _doubt(float(column[row]), float(lowest[kinds[row]]), has_remarks=_has_remarks(table, row))
        for row in range(len(table))
    ]


def _doubt(score: float, threshold: float, *, has_remarks: bool) -> str:
    is_partial = 0 < score < 1
    if is_partial and abs(score - threshold) <= NEAR:
        return "near the threshold"
    if is_partial:
        return "partial credit"
    return "remarks" if has_remarks else "clear"


def _has_remarks(table: Table, row: int) -> bool:
    output = (table.outputs[row] if table.outputs else None) or {}
    verdict = output.get("verdict")  # of another kind of results it may be anything
    return isinstance(verdict, Mapping) and bool(verdict.get("remarks"))
