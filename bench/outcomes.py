"""What became of mutated inputs: how often each outcome came about, and which of them are failures."""

import argparse
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final

from steelyard.errors import SteelyardError

_FAILURE: Final = "FAILURE"


def read_options(description: str, inputs: str) -> argparse.Namespace:
    """Return how many inputs (`n`) of which `seed`, as the command line says."""
    parser = argparse.ArgumentParser(description=description.partition("\n")[0])
    parser.add_argument("-n", type=int, default=20_000, help=f"how many {inputs} (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the mutations (%(default)s)")
    return parser.parse_args()


def outcome_of(attempt: Callable[[], object], before: Counter[str], success: str = "fine") -> str:
    """`success`, refused, or a failure with the exception's name; the first of its kind is printed."""
    try:
        attempt()
    except SteelyardError:
        return "refused"
    except Exception as error:
        name = _failure_of(error)
        if not any(name in seen for seen in before):
            traceback.print_exc()
        return name
    return success


def print_outcomes(outcomes: Counter[str]) -> int:
    """Print how often each came about; the exit code is 1 if there is a failure."""
    for outcome, count in outcomes.most_common():
        sys.stdout.write(f"{count:8,}  {outcome}\n")
    return 1 if any(_FAILURE in outcome for outcome in outcomes) else 0


def _failure_of(error: BaseException) -> str:
    """Return the exception and where it came from, so that failures of one cause count together."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{_FAILURE} {type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}"
