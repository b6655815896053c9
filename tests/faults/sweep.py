"""`python -m faults.sweep [-n POINTS] SCENARIO…`: let every call that touches files fail, one after another.

For each scenario and fault, the first run in which the n-th call fails is followed by one without faults; n grows until
the run ends without reaching it. Prints the points swept and those where something was lost; exit code 1 if any was.
"""

import argparse
import importlib
import json
import os
import random
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from faults.scenarios import SCENARIOS, Scenario, Step, model
from faults.seam import DEAD, FAULTS, Seam

from steelyard.errors import SteelyardError

VOLATILE: Final = re.compile(
    r'"(?:seconds|created|time)": ?("[^"]*"|[0-9.e-]+)|\d{4}-?\d\d-?\d\d[T _]\d\d:?\d\d(:?\d\d)?(?:Z|-\d)?'
)
"""What differs between runs: times."""
NOTICE: Final = re.compile("hint: |resume with: ")
_REPLY: Final = re.compile('{"(key|step)":')
LEFT_OVER: Final = re.compile(r"(?:.*/)?\..*\.part")
"""What a killed process may leave (see `steelyard.io.writing`); also a journal of a pipeline without a whole line."""


class Run(NamedTuple):
    """What a shell sees of a step; `point` is the call that failed, `calls` are all that were counted."""

    code: int
    out: str
    err: str
    point: str = ""
    calls: int = 0


class Sweep:
    """The runs of a scenario in a folder that is made anew for each."""

    def __init__(self, scenario: Scenario, scratch: Path) -> None:
        self.scenario, self.scratch = scenario, scratch
        self.folder, self.template, self.asked = (scratch / name for name in ("work", "template", "asked"))
        self.template.mkdir()
        scenario.prepare(self.template)
        self._fresh()
        self.whole = self.run(scenario.first)
        self.files = self._files()
        self.paid = self._paid()
        if self.whole.code:
            raise SystemExit(self.whole.err)

    def point(self, fault: str, at: int) -> tuple[Run, list[str]]:
        """Let one call fail; return the run and what is wrong with it, or with what followed."""
        self._fresh()
        old = self._files()
        done = self.run(self.scenario.first, fault, at)
        if not done.point:
            return done, []
        wrong = [*self._wrong_end(done), *self._torn(old)]
        recorded, paid = self._recorded(), self._paid()
        again = done
        if done.code:
            tried = (self.run(step) for step in self.scenario.again)
            again = next((run for run in tried if not run.code), None) or done
        if again.code:
            return done, [*wrong, f"cannot be run again: {self.run(self.scenario.again[0]).err}"]
        return done, [*wrong, *self._differences(done, again), *self._lost(recorded, paid)]

    def run(self, step: Step, fault: str = "once", at: int = 0) -> Run:
        """Run a step in a process of its own."""
        names = [self.scratch / name for name in ("out", "err", "calls")]
        if (child := os.fork()) == 0:
            for number, name in enumerate(names[:2], 1):
                os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
            os.chdir(self.folder)
            os.environ["ASKED"] = str(self.asked)
            os._exit(_in_child(step, Seam(self.folder, fault, at), names[2]))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out, err, calls = (name.read_text("utf-8", "replace") if name.exists() else "" for name in names)
        point = re.search("^POINT (.*)\n", err, re.MULTILINE)
        return Run(
            code, out, re.sub("^POINT .*\n", "", err, flags=re.MULTILINE), point[1] if point else "", int(calls or 0)
        )

    def _fresh(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.template, self.folder, symlinks=True)
        self.asked.unlink(missing_ok=True)
        self.asked.touch()

    def _files(self) -> dict[str, str]:
        """Return the files of the folder, without times; an index is only a copy of others."""
        paths = (path for path in self.folder.rglob("*") if path.is_file() and ".steelyard-index" not in path.name)
        return {
            _steady(str(path.relative_to(self.folder))): _steady(path.read_text("utf-8", "replace")) for path in paths
        }

    def _paid(self) -> list[str]:
        return self.asked.read_text().split("\n")[:-1]

    def _recorded(self) -> list[str]:
        """Return the whole lines of recorded files."""
        paths = self.folder.glob(self.scenario.recorded) if self.scenario.recorded else ()
        return [_steady(line) for path in paths for line in path.read_text("utf-8", "replace").split("\n")[:-1]]

    def _wrong_end(self, done: Run) -> Iterator[str]:
        known = _steady(self.whole.err)
        said = [line for line in done.err.splitlines() if not NOTICE.match(line) and _steady(line) not in known]
        if "Traceback" in done.err or done.code not in (0, 2, DEAD):
            yield f"exit code {done.code}: {done.err}"
        elif done.code == SteelyardError.exit_code and not _is_one_message(said):
            yield f"not one message: {done.err}"

    def _torn(self, old: dict[str, str]) -> Iterator[str]:
        now = self._files()
        for name in self.scenario.replaced:
            if now.get(name) not in (old.get(name), self.files[name]):
                yield f"{name} is neither the old nor the new file: {now.get(name, '')[:200]}"

    def _differences(self, done: Run, again: Run) -> Iterator[str]:
        now = self._files()
        for name in sorted(now.keys() | self.files.keys()):
            is_left = name not in self.files and (LEFT_OVER.fullmatch(name) or "\n" not in now[name])
            is_done = not done.code and name.endswith(".part")  # what could not be removed at the end
            if now.get(name) != self.files.get(name) and not (is_left or is_done):
                yield f"{name} differs after the second run: {now.get(name, 'missing')[:2000]}"
        if _steady(again.out) != _steady(self.whole.out):
            yield f"another output: {again.out}"

    def _lost(self, recorded: list[str], paid: list[str]) -> Iterator[str]:
        """Yield recorded lines that are gone, and more calls than those that were not recorded."""
        now, replies = self._recorded(), [line for line in recorded if _REPLY.match(line)]
        if now and (gone := [line for line in recorded if line not in now]):
            yield f"lines that were recorded are gone: {gone}"
        if self.scenario.paid and len(self._paid()) - len(paid) > len(self.paid) - len(replies):
            yield f"calls are made again: {paid}, {len(replies)} of them recorded, then {self._paid()}"


def _in_child(step: Step, seam: Seam, calls: Path) -> int:
    try:
        seam.install()
        code = step()
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 4
    seam.folder = "\0"
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    loaded = [name for name in sys.modules if name.startswith("steelyard.")]
    calls.write_text(str(seam.count))
    calls.with_name("loaded").write_text(json.dumps(loaded))
    return code


def _is_one_message(lines: Sequence[str]) -> bool:
    return len(lines) == 1 and not lines[0].startswith("output: Input")


def _steady(text: str) -> str:
    return VOLATILE.sub("TIME", text)


def sweep(name: str, most: int | None) -> int:
    """Sweep a scenario, or `most` points of it for each fault; print and return how many were lost."""
    lost = points = 0
    with tempfile.TemporaryDirectory() as scratch, model(Path(scratch, "asked")) as os.environ["MODEL"]:
        swept = Sweep(SCENARIOS[name], Path(scratch))
        for each in json.loads((Path(scratch) / "loaded").read_text()):
            importlib.import_module(each)
        for fault in FAULTS:
            numbers = range(1, swept.whole.calls + 1)
            for at in sorted(random.Random(42).sample(numbers, most)) if most else count(1):
                done, wrong = swept.point(fault, at)
                if not done.point:
                    break
                points += 1
                lost += bool(wrong)
                for text in wrong:
                    print(f"{name}: {fault} {at} ({done.point}): {text}")
                if os.environ.get("SHOW"):
                    print(fault, at, done.point, done.code, done.err)
    print(f"{name}: {swept.whole.calls} calls, {points} points swept, {lost} lost")
    return lost


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, metavar="POINTS", help="only so many points for each fault, drawn at random")
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", default=list(SCENARIOS))
    arguments = parser.parse_args()
    return 1 if sum(sweep(name, arguments.n) for name in arguments.scenarios) else 0


if __name__ == "__main__":
    sys.exit(main())
