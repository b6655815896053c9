"""The chapters about rankings: each collection, growing size, and what could be reached."""

from collections.abc import Mapping, Sequence
from typing import Final

from bench.collections import DOUBLES, GRADED, INTERLEAVED, MANY, MSMARCO, SHUFFLED, TIED, TIES, Collection
from bench.markdown import NOTHING, render_grid, render_paragraph, show_ratio, show_seconds
from bench.measures import MEASURES
from bench.races import (
    COMMAND_LINE,
    IR_MEASURES,
    PURE,
    PYTREC_EVAL,
    RANX,
    STEELYARD,
    TOLERANCE,
    Best,
    Contestant,
    Measurement,
    Race,
)

EVERYONE: Final = {STEELYARD: 3, PURE: 3, COMMAND_LINE: 3, PYTREC_EVAL: 3, IR_MEASURES: 3, RANX: 3}
SLOW_ONES_ONCE: Final = {**EVERYONE, IR_MEASURES: 1, RANX: 1}
UNSORTED: Final = {STEELYARD: 3, PURE: 3, COMMAND_LINE: 3, PYTREC_EVAL: 3}
PAIR: Final = {STEELYARD: 3, PYTREC_EVAL: 1}
ALONE: Final = {STEELYARD: 3}
ROUNDS: Final[Mapping[Collection, Mapping[Contestant, int]]] = {
    MSMARCO: SLOW_ONES_ONCE,
    GRADED: EVERYONE,
    MANY: SLOW_ONES_ONCE,
    DOUBLES: SLOW_ONES_ONCE,
    TIED: SLOW_ONES_ONCE,
    TIES: SLOW_ONES_ONCE,
    INTERLEAVED: UNSORTED,
    SHUFFLED: UNSORTED,
}

# seconds, by vectorised machine code on two threads, measured once on another machine
LIMITS: Final = {MSMARCO: 0.23, GRADED: 0.11, MANY: 0.71}

RANKINGS: Final = f"""
From two files to every query's value and the mean of {len(MEASURES)} measures: RR, AP, and R, nDCG and P at 1, 5, 10,
20, 50 and 100. Every run is a fresh process, so starting Python and importing libraries count. Seconds are wall clock,
the best of the number of rounds in the last column; within a round the programs take turns. The files are in the page
cache, and each program has run once before, so that compiled code which it keeps on disk is there. Libraries read the
files in the plain way that their documentation shows. *In pure Python* is without the compiled kernel. `steelyard
retrieval --json` prints means with intervals, and not every value. *Same means* counts the means that equal
pytrec_eval's to {TOLERANCE:g}; the smallest peak of all rounds is shown."""

SCALE: Final = """
The same kind of collection in several sizes. Of the smallest, most of the time is start-up. Nanoseconds a line that do
not rise with the size mean that time is linear in the number of lines."""

ORDERS: Final = """
The same number of lines in three orders: by query (msmarco), by rank and shuffled. Ratios are to the seconds that the
same program takes for lines by query."""

FLOOR: Final = """
No evaluation can be faster than reading the bytes of the run. *Reading alone* copies the run from the page cache, a
megabyte at a time. *Limit* is the best time that was reached with vectorised machine code on two threads; it was
measured on another machine, so it shows the order of magnitude only."""


def render_rankings(races: Sequence[Race]) -> str:
    """Return one table for each collection, and one for the order of lines."""
    return "\n\n".join(["## Rankings", render_paragraph(RANKINGS), *map(_render_race, races), *_render_orders(races)])


def render_scale(races: Sequence[Race], *, note: str) -> str:
    """Return all sizes in one table."""
    header = ("program", "lines", "seconds", "ns a line", "million lines/s", "peak MB", "rounds")
    rows = [_scale_row(found, measurement) for found in races for measurement in found.measurements]
    text = render_paragraph(f"{SCALE} {_agreement(races)} {note}")
    return "\n\n".join(["## Larger files", text, render_grid(header, rows)])


def render_floor(races: Sequence[Race]) -> str:
    """Steelyard beside the time that reading takes, and beside the best that was found."""
    header = ("collection", "run, MB", "reading alone, s", "limit, s", "Steelyard, s", "times reading", "times limit")
    rows = [_floor_row(found, best) for found in races if (best := found.best(STEELYARD))]
    return "\n\n".join(["## Distance from the lower bound", render_paragraph(FLOOR), render_grid(header, rows)])


def _render_race(found: Race) -> str:
    collection = found.collection
    size = f"{collection.lines / 1e6:.3g} million lines, {found.run_bytes / 1e6:,.0f} MB"
    header = (
        "program",
        "seconds",
        "times as fast as pytrec_eval",
        "million lines/s",
        "peak MB",
        "same means",
        "rounds",
    )
    return "\n\n".join(
        [
            f"### {collection.name}: {collection.queries:,} queries of {collection.depth:,} documents",
            render_paragraph(f"{collection.description}; {size}. {_agreement([found])}"),
            render_grid(header, [_race_row(found, measurement) for measurement in found.measurements]),
        ]
    )


def _render_orders(races: Sequence[Race]) -> list[str]:
    """Return how much longer each program takes for lines in another order; nothing if not all orders were timed."""
    by_name = {found.collection.name: found for found in races}
    orders = [by_name.get(collection.name) for collection in (MSMARCO, INTERLEAVED, SHUFFLED)]
    found = [order for order in orders if order is not None]
    if len(found) < len(orders):
        return []
    header = ("program", "by query, s", "interleaved, s", "times by query", "shuffled, s", "times by query")
    rows = [_order_row(contestant, found) for contestant in UNSORTED]
    return ["### Order of the lines", render_paragraph(ORDERS), render_grid(header, rows)]


def _order_row(contestant: Contestant, races: Sequence[Race]) -> tuple[str, ...]:
    by_query, *others = (found.best(contestant) for found in races)
    cells = [show_seconds(by_query.seconds) if by_query else NOTHING]
    for other in others:
        cells.append(show_seconds(other.seconds) if other else NOTHING)
        cells.append(show_ratio(other.seconds / by_query.seconds) if other and by_query else NOTHING)
    return (contestant.name, *cells)


def _agreement(races: Sequence[Race]) -> str:
    values = " + ".join(f"{found.agreement.values:,}" for found in races)
    largest = max(found.agreement.largest for found in races)
    return (
        f"Before timing, {values} per-query values were compared with pytrec_eval's: largest difference {largest:.1g}."
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
    name, lines, best = measurement.contestant.name, found.collection.lines, measurement.best
    if best is None:
        return (name, f"{lines:,}", "failed", *[NOTHING] * 3, str(measurement.rounds))
    return (
        name,
        f"{lines:,}",
        show_seconds(best.seconds),
        f"{best.seconds / lines * 1e9:,.0f}",
        _speed(found, best),
        _megabytes(best),
        str(measurement.rounds),
    )


def _floor_row(found: Race, best: Best) -> tuple[str, ...]:
    limit = LIMITS.get(found.collection)
    return (
        found.collection.name,
        f"{found.run_bytes / 1e6:,.0f}",
        show_seconds(found.read_seconds),
        show_seconds(limit) if limit else NOTHING,
        show_seconds(best.seconds),
        show_ratio(best.seconds / found.read_seconds),
        show_ratio(best.seconds / limit) if limit else NOTHING,
    )


def _speed(found: Race, best: Best) -> str:
    return f"{found.collection.lines / best.seconds / 1e6:.2f}"


def _megabytes(best: Best) -> str:
    return f"{best.peak_bytes / 1e6:,.0f}"


def _same_means(best: Best, peer: Best) -> str:
    same = sum(abs(ours - theirs) <= TOLERANCE for ours, theirs in zip(best.means, peer.means, strict=True))
    return f"{same} of {len(peer.means)}"
