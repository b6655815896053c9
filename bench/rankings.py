"""The chapters about rankings: each collection, growing size, and what could be reached."""

from collections.abc import Mapping, Sequence
from typing import Final

from bench.collections import GRADED, LONG_SCORES, MANY, MSMARCO, TIED, Collection
from bench.markdown import render_grid, show_ratio, show_seconds
from bench.measures import MEASURES
from bench.races import (
    COMMAND_LINE,
    IR_MEASURES,
    PYTREC_EVAL,
    RANX,
    STEELYARD,
    TOLERANCE,
    Best,
    Contestant,
    Measurement,
    Race,
)

EVERYONE: Final = {STEELYARD: 3, COMMAND_LINE: 3, PYTREC_EVAL: 3, IR_MEASURES: 3, RANX: 3}
SLOW_ONES_ONCE: Final = {**EVERYONE, IR_MEASURES: 1, RANX: 1}
PAIR: Final = {STEELYARD: 3, PYTREC_EVAL: 1}
ALONE: Final = {STEELYARD: 3}
ROUNDS: Final[Mapping[Collection, Mapping[Contestant, int]]] = {
    MSMARCO: SLOW_ONES_ONCE,
    GRADED: EVERYONE,
    MANY: SLOW_ONES_ONCE,
    LONG_SCORES: SLOW_ONES_ONCE,
    TIED: SLOW_ONES_ONCE,
}

# seconds, vectorised machine code on two threads, measured once on another machine
LIMITS: Final = {MSMARCO.name: 0.23, MANY.name: 0.71}
NOTHING: Final = "–"

RANKINGS: Final = f"""## Rankings

From two files to every query's value and the mean of {len(MEASURES)} measures: RR, AP, and R, nDCG and P at 1, 5, 10,
20, 50 and 100. Every run is a fresh process, so starting Python and importing libraries count. The time is wall clock,
the best of so many rounds; within a round the programs take turns. The files are in the page cache, and each program
has run once before, so that compiled code which it keeps on disk is there. Libraries read files in the plain way their
documentation shows; `steelyard retrieval --json` prints means with intervals instead of holding every value.
*Same means* counts the means that equal pytrec_eval's to {TOLERANCE:g}."""

SCALE: Final = """## Growing

The same kind of collection at growing size; a time for each line that stays the same means that time grows with the
file and with nothing else."""

FLOOR: Final = """## How far this is from the floor

Nothing that reads the run can be faster than reading its bytes. *Reading alone* copies the run from the page cache,
a megabyte at a time, and looks at nothing. *Limit* is the best time found with vectorised machine code on two threads;
it was measured once, on another machine, so it shows the order of magnitude only."""


def render_rankings(races: Sequence[Race]) -> str:
    """One table for each collection."""
    return "\n\n".join([RANKINGS, *map(_render_race, races)])


def render_scale(races: Sequence[Race], *, note: str) -> str:
    """All sizes in one table."""
    rows = [_scale_row(found, measurement) for found in races for measurement in found.measurements]
    header = ("lines", "program", "seconds", "ns a line", "million lines/s", "peak MB")
    agreed = " ".join(_agreement(found) for found in races)
    return "\n\n".join(filter(None, [SCALE, note, render_grid(header, rows), agreed]))


def render_floor(races: Sequence[Race]) -> str:
    """Steelyard beside the time that reading takes, and beside the best that was found."""
    header = ("collection", "run, MB", "reading alone, s", "limit, s", "Steelyard, s", "times the limit")
    rows = [_floor_row(found, best) for found in races if (best := found.best(STEELYARD))]
    return f"{FLOOR}\n\n{render_grid(header, rows)}"


def _render_race(found: Race) -> str:
    collection = found.collection
    title = f"### {collection.name}: {collection.queries:,} queries × {collection.depth:,} documents"
    size = f"{collection.description[0].upper()}{collection.description[1:]}; {_size(found)}. {_agreement(found)}"
    header = ("program", "seconds", "× faster than pytrec_eval", "million lines/s", "peak MB", "same means", "rounds")
    rows = [_race_row(found, measurement) for measurement in found.measurements]
    return f"{title}\n\n{size}\n\n{render_grid(header, rows)}"


def _size(found: Race) -> str:
    return f"{found.collection.lines / 1e6:.3g} million lines, {found.run_bytes / 1e6:,.0f} MB"


def _agreement(found: Race) -> str:
    return (
        f"{found.collection.name}: {found.agreement.values:,} per-query values were compared with pytrec_eval's before"
        f" timing; the largest difference is {found.agreement.largest:.1g}."
    )


def _race_row(found: Race, measurement: Measurement) -> tuple[str, ...]:
    name, best, peer = measurement.contestant.name, measurement.best, found.best(PYTREC_EVAL)
    if best is None:
        return (name, "failed", *[NOTHING] * 4, str(measurement.rounds))
    return (
        name,
        show_seconds(best.seconds),
        show_ratio(peer.seconds / best.seconds) if peer else NOTHING,
        _speed(found, best),
        _megabytes(best),
        _same_means(best, peer) if peer else NOTHING,
        str(measurement.rounds),
    )


def _scale_row(found: Race, measurement: Measurement) -> tuple[str, ...]:
    lines, name, best = f"{found.collection.lines:,}", measurement.contestant.name, measurement.best
    if best is None:
        return (lines, name, "failed", *[NOTHING] * 3)
    nanoseconds = f"{best.seconds / found.collection.lines * 1e9:,.0f}"
    return (lines, name, show_seconds(best.seconds), nanoseconds, _speed(found, best), _megabytes(best))


def _floor_row(found: Race, best: Best) -> tuple[str, ...]:
    limit = LIMITS.get(found.collection.name)
    return (
        found.collection.name,
        f"{found.run_bytes / 1e6:,.0f}",
        show_seconds(found.read_seconds),
        show_seconds(limit) if limit else NOTHING,
        show_seconds(best.seconds),
        show_ratio(best.seconds / limit) if limit else NOTHING,
    )


def _speed(found: Race, best: Best) -> str:
    return f"{found.collection.lines / best.seconds / 1e6:.2f}"


def _megabytes(best: Best) -> str:
    return f"{best.peak_bytes / 1e6:,.0f}"


def _same_means(best: Best, peer: Best) -> str:
    same = sum(abs(ours - theirs) <= TOLERANCE for ours, theirs in zip(best.means, peer.means, strict=True))
    return f"{same} of {len(peer.means)}"
