"""`python -m faults.sweep [-n POINTS] [SCENARIO…]`: let every call that touches files fail, one after another.

For each scenario and fault, a run in which the n-th call fails is followed by one without faults; n grows until the run
ends without reaching it. Prints the points that were swept and how many were lost; exit code 1 if any was.
"""

import argparse
import importlib
import os
import random
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from faults.scenarios import CONTROL, OLD, SCENARIOS, Scenario, Step, model, prepare
from faults.seam import DEAD, FAULTS, Seam

VOLATILE: Final = re.compile(
    r'"(?:seconds|created|time)": ?("[^"]*"|[0-9.e-]+)|time="[0-9.]+"'
    r"|\d{4}-?\d\d-?\d\d[T _]\d\d:?\d\d(:?\d\d)?(?:Z|-\d)?"
)
"""What differs between runs: times."""
LEFT_OVER: Final = re.compile(r"(?:.*/)?\..*\.part")
"""What a killed process may leave: see `steelyard.io.writing`."""
_POINT: Final = re.compile("^POINT (.*)\n", re.MULTILINE)
_NOTICE: Final = re.compile("hint: |resume with: ")
_NAMELESS: Final = re.compile("output: Input|a file: (?!Input/output error)")
_REPLY: Final = re.compile('{"(key|step)":')


class Run(NamedTuple):
    """What a shell sees of a step, and the call that failed."""

    code: int
    out: str
    err: str
    point: str = ""


class Sweep:
    """The runs of a scenario in a folder that is made anew for each."""

    def __init__(self, scenario: Scenario, scratch: Path) -> None:
        self.scenario, self.scratch = scenario, scratch
        self.folder, self.calls = scratch / "work", scratch / "calls"
        self._fresh()
        self.whole = self.run(scenario.first)
        if self.whole.code:
            raise SystemExit(self.whole.err)
        self.files, self.asked = self._files(), self._asked()
        self.size = int((scratch / "count").read_text())
        for name in (scratch / "loaded").read_text().split():
            importlib.import_module(name)  # once for all runs

    def point(self, fault: str, at: int) -> tuple[str, list[str]]:
        """Let one call fail; return which one, and what is wrong with the run or with what followed."""
        self._fresh()
        done = self.run(self.scenario.first, fault, at)
        if not done.point:
            return "", []
        wrong = [*self._wrong_end(done), *self._torn()]
        recorded, asked = self._recorded(), self._asked()
        tried = (self.run(step) for step in self.scenario.again)
        again = next((run for run in tried if not run.code), None) if done.code else done
        if again is None:
            return done.point, [*wrong, f"cannot be run again: {self.run(self.scenario.again[0]).err}"]
        return done.point, [*wrong, *self._differences(done, again), *self._lost(recorded, asked)]

    def run(self, step: Step, fault: str = "once", at: int = 0) -> Run:
        """Run a step in a process of its own."""
        if (child := os.fork()) == 0:
            for number, name in enumerate(("out", "err"), 1):
                os.dup2(os.open(self.scratch / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
            os.chdir(self.folder)
            os.environ["CALLS"] = str(self.calls)
            os._exit(_in_child(step, Seam(self.folder, fault, at), self.scratch))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out, err = ((self.scratch / name).read_text("utf-8", "replace") for name in ("out", "err"))
        return Run(code, out, _POINT.sub("", err), point[1] if (point := _POINT.search(err)) else "")

    def _fresh(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.scratch / "template", self.folder)
        for name in self.scenario.replaced:
            (self.folder / name).write_text(OLD)
        self.calls.write_text("")

    def _files(self) -> dict[str, str]:
        """Return the files of the folder, without times; the index of a viewer is only a copy of others."""
        paths = [path for path in self.folder.rglob("*") if path.is_file() and ".steelyard-index" not in path.name]
        return {_steady(str(path.relative_to(self.folder))): _steady(path.read_bytes()) for path in paths}

    def _asked(self) -> int:
        return self.calls.read_text().count("\n")

    def _recorded(self) -> list[str]:
        """Return the whole lines of recorded files."""
        paths = self.folder.glob(self.scenario.recorded or "nothing")
        return [_steady(line) for path in paths for line in path.read_bytes().split(b"\n")[:-1]]

    def _wrong_end(self, done: Run) -> Iterator[str]:
        known = _steady(self.whole.err)
        said = [line for line in done.err.splitlines() if not _NOTICE.match(line) and _steady(line) not in known]
        if "Traceback" in done.err or done.code not in (0, 2, DEAD):
            yield f"exit code {done.code}: {done.err}"
        elif done.code == 2 and (len(said) != 1 or _NAMELESS.match(said[0])):
            yield f"not one message with a place: {done.err}"

    def _torn(self) -> Iterator[str]:
        now = self._files()
        for name in self.scenario.replaced:
            if now.get(name) not in (OLD, self.files[name]):
                yield f"{name} is neither the old nor the new file: {now.get(name, '')[:200]}"

    def _differences(self, done: Run, again: Run) -> Iterator[str]:
        now = self._files()
        for name in sorted(now.keys() | self.files.keys()):
            is_empty = name.endswith(".jsonl") and "\n" not in now.get(name, "\n")  # a journal never begun
            is_part = not done.code and name.endswith(".part")  # what could not be removed at the end
            is_left = name not in self.files and (LEFT_OVER.fullmatch(name) or is_empty or is_part)
            if now.get(name) != self.files.get(name) and not is_left:
                yield f"{name} differs after the second run: {now.get(name, 'missing')[:2000]}"
        if _steady(again.out) != _steady(self.whole.out):
            yield f"another output: {again.out}"

    def _lost(self, recorded: list[str], asked: int) -> Iterator[str]:
        now, replies = self._recorded(), sum(bool(_REPLY.match(line)) for line in recorded)
        if now and (gone := [line for line in recorded if line not in now]):
            yield f"lines that were recorded are gone: {gone}"
        if self._asked() - asked > self.asked - replies:
            yield f"{self._asked() - asked} calls although {replies} of {self.asked} replies were recorded"


def _in_child(step: Step, seam: Seam, scratch: Path) -> int:
    seam.install()
    try:
        code = step()
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 4
    sys.stdout.flush()
    sys.stderr.flush()
    (scratch / "count").write_text(str(seam.count))
    (scratch / "loaded").write_text(" ".join(name for name in sys.modules if name.startswith("steelyard.")))
    return code


def _steady(text: str | bytes) -> str:
    return VOLATILE.sub("TIME", text if isinstance(text, str) else text.decode("utf-8", "replace"))


def sweep(name: str, scratch: Path, most: int | None) -> int:
    """Sweep a scenario, or `most` points of it for each fault, drawn at random; print and return how many were lost."""
    swept = Sweep({**SCENARIOS, **CONTROL}[name], scratch)
    lost = points = 0
    for fault in FAULTS:
        drawn = random.Random(f"{name} {fault}").sample(range(1, swept.size + 1), min(most or 0, swept.size))
        for at in drawn or count(1):
            point, wrong = swept.point(fault, at)
            if not point:
                break
            points, lost = points + 1, lost + bool(wrong)
            for text in wrong:
                sys.stdout.write(f"{name}: {fault} {at} ({point}): {text}\n")
    sys.stdout.write(f"{name}: {swept.size} calls, {points} points swept, {lost} lost\n")
    sys.stdout.flush()
    return lost


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, metavar="POINTS", help="only so many points for each fault")
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", default=list(SCENARIOS))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, model(Path(name, "calls")) as os.environ["MODEL"]:
        prepare(Path(name, "template"))
        return 1 if sum(sweep(each, Path(name), arguments.n) for each in arguments.scenarios) else 0


if __name__ == "__main__":
    sys.exit(main())
