"""`python -m bench`: time Steelyard beside its peers and write docs/performance.md."""

import argparse
import shutil
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Final

from bench.collections import FOLDER, GRADED, MSMARCO, TENFOLD, TENTH, Collection, remove
from bench.effort import FULL, QUICK, Effort
from bench.machine import render_machine
from bench.permutation import render_permutation
from bench.processes import PROJECT
from bench.progress import report
from bench.races import Race, race, warm_up
from bench.rankings import ALONE, PAIR, ROUNDS, render_floor, render_rankings, render_scale
from bench.startup import render_startup

DOCUMENT: Final = PROJECT / "docs" / "performance.md"
SPACE: Final = 6_000_000_000  # bytes of disk that must be free before 2.6 GB are written

HEAD: Final = """# Performance

Made by `{command}` on {today}; do not edit. Times vary from machine to machine and with whatever else is running:
what counts are the ratios within a table."""
SCALE_NOTE: Final = "The largest of the series, 70 million lines, is timed with `python -m bench --scale` only."
SPACE_NOTE: Final = "The largest of the series, 70 million lines, was left out: there was too little disk."


def main(argv: Sequence[str] | None = None) -> None:
    arguments = _parser().parse_args(argv)
    chapters = [_head(arguments.scale), *_chapters(arguments)]
    if destination := _destination(arguments):
        destination.write_text("\n\n".join(chapters) + "\n", encoding="utf-8")
        report(f"written: {destination}")


def _chapters(arguments: argparse.Namespace) -> Iterator[str]:
    """Each chapter, printed as soon as it is there."""
    effort = QUICK if arguments.quick else FULL
    races = _races(arguments.only, effort)
    makers: dict[str, Callable[[], str]] = {
        "rankings": lambda: render_rankings(races),
    }
    for name, make in makers.items():
        chapter = make()
        print(chapter, end="\n\n", flush=True)
        yield chapter
