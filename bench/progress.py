"""How far the benchmark is, said on standard error."""

import sys


def report(message: str) -> None:
    """Print one line for whoever is waiting."""
    print(message, file=sys.stderr, flush=True)
