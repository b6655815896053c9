"""The command `ultrarag`: the client of UltraRAG if that is installed, else a second name of `steelyard`.

Both packages install a script of this name; the one that was installed last wins. Either script runs UltraRAG if it is
installed; `steelyard` is always this program.
"""

import sys
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution

NAME = "ultrarag"


def main() -> int:
    """Run the client of UltraRAG or this program and return the exit code."""
    client = _ultrarag_client()
    if client is None:
        from steelyard.cli import main as ours

        return ours()
    try:
        run = client.load()
    except (ImportError, AttributeError) as error:
        from steelyard.i18n import Message, locale_language

        broken = Message("cli.ultrarag_broken", error=error), Message("core.hint", hint=Message("cli.ultrarag_hint"))
        sys.stderr.write("".join(f"{line.text(locale_language())}\n" for line in broken))
        return 2
    return run() or 0


def _ultrarag_client() -> EntryPoint | None:
    """Return the console script of the distribution `ultrarag`."""
    try:
        scripts = distribution(NAME).entry_points.select(group="console_scripts", name=NAME)
    except PackageNotFoundError:
        return None
    return next(iter(scripts), None)
