"""`python -m bench.conformance [TARGET …]`: run the suite with each target, installed in an environment of its own.

Environments are kept in output/conformance. What came out is written to conformance/results, from which `make docs`
makes the page; a target that cannot be installed or started is there with the reason.
"""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from steelyard.errors import SteelyardError
from steelyard.suite.outcomes import check_program
from steelyard.suite.programs import Program
from steelyard.suite.report import run_json
from steelyard.suite.targets import OURS, Target, read_targets
from steelyard.suite.vectors import Vector, read_vectors, suite_folder

ENVIRONMENTS: Final = Path("output/conformance").absolute()
RESULTS: Final = suite_folder() / "results"


def main() -> None:
    wanted = sys.argv[1:]
    targets, vectors = read_targets(), read_vectors()
    RESULTS.mkdir(exist_ok=True)
    for name in wanted or targets:
        found = {"date": f"{datetime.now(UTC):%Y-%m-%d}", "packages": targets[name].packages}
        found |= outcome(targets[name], vectors)
        text = json.dumps(found, ensure_ascii=False, indent=1) + "\n"
        (RESULTS / f"{name}.json").write_text(text, encoding="utf-8", newline="\n")
        print(name, found.get("counts") or found["failed"], flush=True)


def outcome(target: Target, vectors: list[Vector]) -> dict[str, Any]:
    """Run a target; of what is right or not claimed there is the count alone."""
    try:
        with Program(command(target)) as program:
            found = run_json(check_program(program, vectors), {vector.id: vector for vector in vectors})
    except SteelyardError as error:
        return {"failed": str(error.message)}
    except subprocess.CalledProcessError:
        return {"failed": "its packages cannot be installed"}
    return {**found, "outcomes": [each for each in found["outcomes"] if each["kind"] in {"fault", "convention"}]}


def command(target: Target) -> list[str]:
    """Return the words that start a target, whose packages are installed if they are not."""
    folder = ENVIRONMENTS / target.name
    ready = folder / "ready"
    if target.name == OURS:
        return target.command(sys.executable)
    python = folder / "bin" / "python"
    if not ready.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _install(target, folder, python)
        ready.touch()
    os.environ["NODE_PATH"] = str(folder / "node_modules")
    return target.command(str(python))


def _install(target: Target, folder: Path, python: Path) -> None:
    if target.is_node:
        words = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder)]
    else:
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        words = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*words, *target.packages], check=True)


if __name__ == "__main__":
    main()
