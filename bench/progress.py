"""How far the benchmark is, said on standard error."""

import sys


def report(message: str) -> None:
    """One line for whoever is waiting."""
    print(message, file=sys.stderr, flush=True)
