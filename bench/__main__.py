"""`python -m bench`: time Steelyard beside its peers and write explanation/performance.md."""

import argparse
import shutil
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Final

from bench.collections import GRADED, MSMARCO, TENFOLD, TENTH, remove
from bench.effort import FULL, QUICK, Effort
from bench.machine import render_machine
from bench.markdown import render_paragraph
from bench.memory import render_memory
from bench.pages import pages_of, with_lower_headings, write_part
from bench.permutation import render_permutation
from bench.processes import PROJECT
from bench.races import Race, race, warm_up
from bench.rankings import ALONE, PAIR, ROUNDS, render_floor, render_rankings, render_scale
from bench.startup import render_startup

PART: Final = "rankings"
TITLE: Final = "## Rankings, tests and start-up"
NAMES: Final = (*(collection.name for collection in ROUNDS), "scale", "memory", "permutation", "startup")
SPACE: Final = 6_000_000_000  # bytes of disk that must be free before the 2.6 GB of the largest run are written

HEAD: Final = """
Made by `{command}` on {today}; do not edit. Times vary from machine to machine and with whatever else is running; what
counts are the ratios within a table."""
NOT_ASKED: Final = "Seventy million lines are timed by `python -m bench --scale` only."
NO_SPACE: Final = "Seventy million lines were left out: too little disk is free."


def main(argv: Sequence[str] | None = None) -> None:
    arguments = _parser().parse_args(argv)
    chapters = []
    for chapter in _chapters(arguments):
        chapters.append(with_lower_headings(chapter))
        print(chapters[-1], end="\n\n", flush=True)
    for page in _pages(arguments):
        write_part(page, PART, "\n\n".join([TITLE, *chapters]))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m bench", description="Time Steelyard beside its peers.")
    parser.add_argument("--quick", action="store_true", help="tiny collections, one round: see that everything runs")
    parser.add_argument("--scale", action="store_true", help="time 70 million lines too (2.6 GB on disk for a while)")
    parser.add_argument("--only", nargs="+", choices=NAMES, metavar="NAME", help=f"some of: {', '.join(NAMES)}")
    parser.add_argument(
        "--write", type=Path, metavar="FILE", help="a page with marks (explanation/performance.md if all is timed)"
    )
    return parser


def _pages(arguments: argparse.Namespace) -> list[Path]:
    """Return where to write: never part of the numbers over all of them, unless told to."""
    if arguments.write:
        return [Path(arguments.write)]
    return [] if arguments.quick or arguments.only else pages_of("explanation/performance.md")


def _chapters(arguments: argparse.Namespace) -> Iterator[str]:
    effort = QUICK if arguments.quick else FULL
    wanted = arguments.only or NAMES
    yield _head(arguments)
    races = _races(wanted, effort)
    if races:
        yield render_rankings(races)
        yield render_floor(races)
    if "scale" in wanted:
        yield _scale(effort, largest=arguments.scale)
    if "memory" in wanted:
        yield render_memory(effort)
    if "permutation" in wanted:
        yield render_permutation(effort)
    if "startup" in wanted:
        yield render_startup(effort)


def _head(arguments: argparse.Namespace) -> str:
    origin = HEAD.format(command=_command(arguments), today=date.today().isoformat())
    return "\n\n".join([render_paragraph(origin), render_paragraph(render_machine())])


def _command(arguments: argparse.Namespace) -> str:
    flags = [flag for flag in ("quick", "scale") if getattr(arguments, flag)]
    words = [*(f"--{flag}" for flag in flags), *(["--only", *arguments.only] if arguments.only else [])]
    return " ".join(["python -m bench", *words]) if words else "make bench"


def _races(wanted: Sequence[str], effort: Effort) -> list[Race]:
    chosen = {collection: rounds for collection, rounds in ROUNDS.items() if collection.name in wanted}
    if chosen:
        warm_up(QUICK.sized(GRADED))
    return [race(effort.sized(collection), rounds, effort) for collection, rounds in chosen.items()]


def _scale(effort: Effort, *, largest: bool) -> str:
    races = [race(effort.sized(collection), PAIR, effort) for collection in (TENTH, MSMARCO)]
    if not largest:
        return render_scale(races, note=NOT_ASKED)
    if shutil.disk_usage(PROJECT).free < SPACE:
        return render_scale(races, note=NO_SPACE)
    collection = effort.sized(TENFOLD)
    try:
        return render_scale([*races, race(collection, ALONE, effort)], note="")
    finally:
        remove(collection)


if __name__ == "__main__":
    main()
