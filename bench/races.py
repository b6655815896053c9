"""Programs timed on one collection, turn by turn, after their numbers have been compared."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.collections import Collection, prepare
from bench.effort import Effort
from bench.measures import MEASURES
from bench.processes import Finished, ProcessFailed, run_python
from bench.progress import report

TOLERANCE: Final = 1e-9
READ_BYTES: Final = 1 << 20

Lap = Finished | ProcessFailed


@dataclass(frozen=True, slots=True)
class Contestant:
    """A program, the Python arguments that run it, how to find the means in what it prints, and its environment."""

    name: str
    arguments: tuple[str, ...]
    means: Callable[[str], list[float]]
    environment: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many of Steelyard's values were compared with pytrec_eval's, and the largest difference."""

    values: int
    largest: float


@dataclass(frozen=True, slots=True)
class Best:
    """The shortest time, the smallest peak, and the means."""

    seconds: float
    peak_bytes: int
    means: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Measurement:
    """A contestant's best of so many rounds; None if it failed."""

    contestant: Contestant
    rounds: int
    best: Best | None


@dataclass(frozen=True, slots=True)
class Race:
    """All that was measured on one collection; `read_seconds` is what reading the run's bytes takes by itself."""

    collection: Collection
    run_bytes: int
    read_seconds: float
    agreement: Agreement
    measurements: tuple[Measurement, ...]

    def best(self, contestant: Contestant) -> Best | None:
        """Return the best of one contestant, if it ran and came to the end."""
        return {found.contestant: found.best for found in self.measurements}.get(contestant)


def race(collection: Collection, rounds: Mapping[Contestant, int], effort: Effort) -> Race:
    """Compare the numbers, then time each contestant so many rounds, taking turns so that noise hits all alike."""
    prepare(collection)
    agreement = _agreement(collection)
    _read(collection.qrels_path)
    _read(collection.run_path)
    laps = _take_turns(collection, {found: min(most, effort.rounds) for found, most in rounds.items()})
    return Race(
        collection=collection,
        run_bytes=collection.run_path.stat().st_size,
        read_seconds=_read(collection.run_path),
        agreement=agreement,
        measurements=tuple(_measurement(contestant, laps[contestant]) for contestant in rounds),
    )


def warm_up(collection: Collection) -> None:
    """Run everyone once, untimed, so that compiled code which a program keeps on disk is there."""
    prepare(collection)
    for contestant in CONTESTANTS:
        _lap(contestant, collection)


def _agreement(collection: Collection) -> Agreement:
    arguments = ("-m", "bench.agreement", str(collection.qrels_path), str(collection.run_path))
    agreement = Agreement(**json.loads(run_python(arguments).output))
    report(
        f"{collection.name}: {agreement.values:,} values equal pytrec_eval's, largest difference {agreement.largest:g}"
    )
    return agreement


def _take_turns(collection: Collection, rounds: Mapping[Contestant, int]) -> dict[Contestant, list[Lap]]:
    laps: dict[Contestant, list[Lap]] = {contestant: [] for contestant in rounds}
    for turn in range(max(rounds.values())):
        for contestant in (found for found, most in rounds.items() if turn < most):
            laps[contestant].append(_lap(contestant, collection))
    return laps


def _lap(contestant: Contestant, collection: Collection) -> Lap:
    try:
        arguments = (*contestant.arguments, str(collection.qrels_path), str(collection.run_path))
        finished = run_python(arguments, dict(contestant.environment))
    except ProcessFailed as failure:
        report(f"{collection.name}: {contestant.name} failed: {failure}")
        return failure
    report(f"{collection.name}: {contestant.name} {finished.seconds:.2f} s, {finished.peak_bytes / 1e6:.0f} MB")
    return finished


def _measurement(contestant: Contestant, laps: list[Lap]) -> Measurement:
    """Return the best of all laps; a program that failed once has failed."""
    finished = [lap for lap in laps if isinstance(lap, Finished)]
    if len(finished) < len(laps):
        return Measurement(contestant, len(laps), None)
    best = Best(
        seconds=min(lap.seconds for lap in finished),
        peak_bytes=min(lap.peak_bytes for lap in finished),
        means=tuple(contestant.means(finished[0].output)),
    )
    return Measurement(contestant, len(laps), best)


def _read(path: Path) -> float:
    """Return seconds to read a file; afterwards it is in the page cache."""
    buffer = bytearray(READ_BYTES)
    start = time.perf_counter()
    with path.open("rb", buffering=0) as file:
        while file.readinto(buffer):
            pass
    return time.perf_counter() - start


def _printed_means(output: str) -> list[float]:
    return [float(mean) for mean in output.split()]


def _json_means(output: str) -> list[float]:
    metrics = json.loads(output)["results"][0]["metrics"]
    return [metrics[measure.steelyard]["mean"] for measure in MEASURES]


def _library(name: str) -> Contestant:
    return Contestant(name, ("-m", "bench.contestants", name), _printed_means)


STEELYARD: Final = _library("steelyard")
PURE: Final = Contestant("steelyard in pure Python", STEELYARD.arguments, _printed_means, (("STEELYARD_PURE", "1"),))
COMMAND_LINE: Final = Contestant("steelyard retrieval --json", ("-m", "steelyard", "retrieval", "--json"), _json_means)
PYTREC_EVAL: Final = _library("pytrec_eval")
IR_MEASURES: Final = _library("ir_measures")
RANX: Final = _library("ranx")
CONTESTANTS: Final = (STEELYARD, PURE, COMMAND_LINE, PYTREC_EVAL, IR_MEASURES, RANX)
