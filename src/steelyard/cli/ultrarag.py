"""The command `ultrarag`: UltraRAG's own where that is installed, a second name of `steelyard` where it is not.

Both packages bring a script of this name, and the one that was installed last has written it. Whichever it was, whoever
has UltraRAG gets UltraRAG; `steelyard` is always ours.
"""

import sys
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution

NAME = "ultrarag"
BROKEN = "UltraRAG is installed, and its client cannot be imported: {}\nhint: steelyard runs the same pipelines\n"


def main() -> int:
    """Run UltraRAG's client or ours; its exit code."""
    theirs = _theirs()
    if theirs is None:
        from steelyard.cli import main as ours

        return ours()
    try:
        run = theirs.load()
    except (ImportError, AttributeError) as error:
        sys.stderr.write(BROKEN.format(error))
        return 2
    return run() or 0


def _theirs() -> EntryPoint | None:
    """The console script of the distribution `ultrarag`."""
    try:
        scripts = distribution(NAME).entry_points.select(group="console_scripts", name=NAME)
    except PackageNotFoundError:
        return None
    return next(iter(scripts), None)
