"""The chapter about starting: what a user waits before anything happens."""

import tempfile
from pathlib import Path
from typing import Final

from bench.effort import Effort
from bench.markdown import render_grid
from bench.processes import run_python
from bench.progress import report

COMMANDS: Final = {
    "python -c pass": ("-c", "pass"),
    "python -c 'import steelyard'": ("-c", "import steelyard"),
    "python -m steelyard --help": ("-m", "steelyard", "--help"),
    "steelyard answers FILE --json": ("-m", "steelyard", "answers", "{answers}", "--json"),
    "steelyard compare OLD NEW": ("-m", "steelyard", "compare", "{results}", "{results}"),
}
ROWS: Final = '{"id": "1", "prediction": "the cat", "references": ["the cat sat"]}\n'


def render_startup(effort: Effort) -> str:
    """Time all commands and make the chapter."""
    best = _best_milliseconds(effort.starts)
    bare = best["python -c pass"]
    rows = [(f"`{shown}`", f"{time:.1f}", f"{time - bare:.1f}") for shown, time in best.items()]
    grid = render_grid(("command", "ms", "ms above bare Python"), rows)
    return "\n\n".join(["## Start-up", f"Fresh processes, the best of {effort.starts} each, taking turns.", grid])


def _best_milliseconds(starts: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        files = {"answers": f"{folder}/answers.jsonl", "results": f"{folder}/results.jsonl"}
        Path(files["answers"]).write_text(ROWS, encoding="utf-8")
        run_python(("-m", "steelyard", "answers", files["answers"], "-o", files["results"]))
        lines = {shown: [word.format(**files) for word in words] for shown, words in COMMANDS.items()}
        turns = [{shown: run_python(line).seconds * 1000 for shown, line in lines.items()} for _ in range(starts)]
    best = {shown: min(turn[shown] for turn in turns) for shown in COMMANDS}
    report("startup: " + ", ".join(f"{shown} {time:.1f} ms" for shown, time in best.items()))
    return best
