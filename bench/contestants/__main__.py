"""One contestant in a process of its own: `python -m bench.contestants NAME QRELS RUN` prints the means."""

import sys
from importlib import import_module

from bench.contestants import Outcome


def main(name: str, qrels_path: str, run_path: str) -> None:
    outcome: Outcome = import_module(f"bench.contestants.{name}").evaluate(qrels_path, run_path)
    print(*map(repr, outcome.means))


main(*sys.argv[1:])
