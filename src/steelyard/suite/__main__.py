"""`python -m steelyard.suite --program "…" [VECTOR …]`: check a program with the standard library alone."""

import argparse
import json
import sys

from steelyard.errors import SteelyardError
from steelyard.suite.outcomes import check_program, outcome_json
from steelyard.suite.programs import PROGRAM_HINT, Program
from steelyard.suite.vectors import chosen_vectors, read_vectors
from steelyard.systems.process import parse_command


def main() -> int:
    """Print a line of JSON for each fault, and the counts; 1 if there is a fault."""
    parser = argparse.ArgumentParser("python -m steelyard.suite", description=__doc__)
    parser.add_argument("vectors", nargs="*", metavar="VECTOR")
    parser.add_argument("--program", required=True)
    arguments = parser.parse_args()
    vectors = chosen_vectors(read_vectors(), arguments.vectors)
    with Program(parse_command(arguments.program, PROGRAM_HINT)) as program:
        run = check_program(program, vectors)
    by_id = {vector.id: vector for vector in vectors}
    for outcome in run.of("fault"):
        sys.stdout.write(json.dumps(outcome_json(outcome, by_id[outcome.id]), ensure_ascii=False) + "\n")
    counts = ", ".join(f"{kind} {count}" for kind, count in run.counts().items())
    sys.stdout.write(f"{run.about.name} {run.about.version}: {counts}\n")
    return 1 if run.of("fault") else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SteelyardError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(error.exit_code)
