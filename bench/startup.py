"""The chapter about starting: what a user waits before anything happens."""

from typing import Final

from bench.effort import Effort
from bench.markdown import render_grid
from bench.processes import run_python
from bench.progress import report

COMMANDS: Final = {
    "python -c pass": ("-c", "pass"),
    "python -c 'import steelyard'": ("-c", "import steelyard"),
    "python -m steelyard --help": ("-m", "steelyard", "--help"),
}


def render_startup(effort: Effort) -> str:
    """Time all commands and make the chapter."""
    best = _best_milliseconds(effort.starts)
    bare = best["python -c pass"]
    rows = [(f"`{shown}`", f"{time:.1f}", f"{time - bare:.1f}") for shown, time in best.items()]
    grid = render_grid(("command", "ms", "ms above bare Python"), rows)
    return "\n\n".join(["## Starting", f"Fresh processes, the best of {effort.starts} each, taking turns.", grid])


def _best_milliseconds(starts: int) -> dict[str, float]:
    turns = [
        {shown: run_python(arguments).seconds * 1000 for shown, arguments in COMMANDS.items()} for _ in range(starts)
    ]
    best = {shown: min(turn[shown] for turn in turns) for shown in COMMANDS}
    report("startup: " + ", ".join(f"{shown} {time:.1f} ms" for shown, time in best.items()))
    return best
