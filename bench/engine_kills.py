"""`python -m bench.engine_kills`: kill -9 a worker, or the program, at random moments; is anything lost or doubled?

A command whose worker is killed must print the same as one that was left alone. A command that is killed itself must
leave no worker behind, and with --resume write the same results file as one that was left alone.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from bench.markdown import render_grid
from bench.progress import report
from bench.texts import TextSet, write_rows

ROWS: Final = TextSet("killed", 12_000, 30)
WAIT: Final = 30.0  # seconds in which workers must have ended
TIMES: Final = ("seconds", "seconds_median", "seconds_p95", "created")


JOBS: Final = {
    "answers": ("answers", "rows.jsonl", "-j", "2"),
    "retrieval": ("retrieval", "qrels", "run.gz", "--engine", "local", "-j", "2"),
    "bench": ("bench", "--system", "replay:recorded.jsonl", "--engine", "local", "-j", "2"),
}


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m bench.engine_kills", description=__doc__)
    parser.add_argument("-n", type=int, default=100, help="kills of workers, and of programs (%(default)s each)")
    parser.add_argument("--only", choices=JOBS)
    parser.add_argument("--seed", type=int, default=42)
    arguments = parser.parse_args(argv)
    dice = random.Random(arguments.seed)
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        store = Path(scratch)
        _prepare(store)
        wanted = {name: _reference(name, store) for name in JOBS}
        for what, kill in (("worker", _worker_killed), ("program", _program_killed)):
            found: dict[str, Counter[str]] = {name: Counter() for name in JOBS}
            for number in range(arguments.n):
                name = arguments.only or list(JOBS)[number % len(JOBS)]
                fate = kill(name, store, wanted[name], dice)
                found[name].update(["kills", fate])
                report(f"{what} {number + 1}/{arguments.n} {name}: {fate}")
            rows += [[what, name, *(str(each[fate]) for fate in ("kills", *FATES))] for name, each in found.items()]
    print(render_grid(("killed", "command", "kills", *FATES), rows))
    return 1 if any(int(row[-1]) for row in rows) else 0


FATES: Final = ("same", "resumed", "ended before", "lost")
Reference = tuple[float, float, str, list[str]]


def _prepare(folder: Path) -> None:
    """Write rows, a compressed run that this process reads and sends in pieces, and recorded outputs."""
    import gzip

    write_rows(ROWS)
    shutil.copy(ROWS.path, folder / "rows.jsonl")
    queries = range(1_500)
    (folder / "qrels").write_text("".join(f"q{query} 0 d{query % 50} 1\n" for query in queries))
    lines = (f"q{q} Q0 d{d} {d + 1} {100 - d}.5 tag\n" for q in queries for d in range(100))
    (folder / "run.gz").write_bytes(gzip.compress("".join(lines).encode(), 1))
    _run(("bench", "--system", "builtin:baseline", "-o", "recorded.jsonl"), folder)


def _steelyard(words: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "steelyard", *words]


def _run(words: Sequence[str], folder: Path) -> str:
    done = subprocess.run(_steelyard(words), cwd=folder, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{words}: {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


def _reference(name: str, folder: Path) -> Reference:
    """Return how long a command and its workers take when nobody kills anything, what it prints, and its items."""
    words = (*JOBS[name], "--json", "-o", "whole.jsonl", "--overwrite")
    start, seen = time.perf_counter(), []
    with subprocess.Popen(_steelyard(words), cwd=folder, stdout=subprocess.PIPE, text=True) as program:
        while program.poll() is None:
            seen += [time.perf_counter()] if _children(program.pid) else []
        seconds, life = time.perf_counter() - start, seen[-1] - seen[0]
        printed = program.communicate()[0]
    report(f"{name}: {seconds:.1f} s, workers live {life:.1f} s")
    return seconds, life, _timeless(printed), _items(folder / "whole.jsonl")


def _timeless(text: str) -> str:
    return json.dumps(_without_times(json.loads(text)), sort_keys=True)


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_times(each) for name, each in value.items() if name not in TIMES}
    return [_without_times(each) for each in value] if isinstance(value, list) else value


def _items(path: Path) -> list[str]:
    """Return the items of a results file; those of a run that records as it goes may be in another order."""
    lines = [_timeless(line) for line in path.read_text("utf-8").splitlines()]
    return sorted(line for line in lines if '"id"' in line)


def _children(pid: int) -> list[int]:
    found = []
    for entry in os.scandir("/proc"):
        with suppress(OSError, ValueError):
            if int(Path(entry.path, "stat").read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(entry.name))
    return found


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _clean(folder: Path) -> None:
    """Remove what an earlier command has left; one that was killed at its very end leaves its parts."""
    (folder / "a.jsonl").unlink(missing_ok=True)
    shutil.rmtree(folder / "a.jsonl.parts", ignore_errors=True)


def _worker_killed(name: str, folder: Path, wanted: Reference, dice: random.Random) -> str:
    """Kill a worker a random time after it was started; the command must not differ."""
    _, life, printed, items = wanted
    _clean(folder)
    words = (*JOBS[name], "--json", "-o", "a.jsonl")
    program = subprocess.Popen(_steelyard(words), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while program.poll() is None and not (workers := _children(program.pid)):
        time.sleep(0.001)
    time.sleep(dice.uniform(0, life))
    workers = _children(program.pid) if program.poll() is None else []
    for pid in dice.sample(workers, min(1, len(workers))):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    output, errors = program.communicate()
    if program.returncode or _timeless(output.decode()) != printed or _items(folder / "a.jsonl") != items:
        report(errors.decode()[-500:])
        return "lost"
    return "same" if workers else "ended before"


def _program_killed(name: str, folder: Path, wanted: Reference, dice: random.Random) -> str:
    """Kill the program at a random moment, or right after a part was kept; then resume it."""
    length, _, printed, items = wanted
    _clean(folder)
    words = (*JOBS[name], "--json", "-o", "a.jsonl")
    program = subprocess.Popen(_steelyard(words), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if dice.random() < 0.5:
        time.sleep(dice.uniform(0, length))
    else:
        kept = dice.randrange(4)
        while program.poll() is None and _kept(folder) <= kept:
            time.sleep(0.0005)
    workers = _children(program.pid)
    ended = program.poll() is not None
    program.kill()
    end = time.monotonic() + WAIT
    try:
        program.communicate(timeout=WAIT)  # workers have the pipe too
    except subprocess.TimeoutExpired:
        report(f"the output of the program is not closed; its workers: {workers}")
        return "lost"
    while any(map(_is_alive, workers)):
        if time.monotonic() > end:
            report(f"workers are left: {workers}")
            return "lost"
        time.sleep(0.01)
    if ended or (name != "bench" and (folder / "a.jsonl").exists()):
        return "ended before" if _items(folder / "a.jsonl") == items else "lost"
    output = _run((*words, "--resume"), folder)
    found = _timeless(output) == printed, _items(folder / "a.jsonl") == items, (folder / "a.jsonl.parts").exists()
    if found != (True, True, False):
        report(f"the same output, the same items, parts left: {found}")
    return "resumed" if found == (True, True, False) else "lost"


def _kept(folder: Path) -> int:
    """Return parts or items that the program has kept."""
    path = folder / "a.jsonl"
    items = path.read_bytes().count(b"\n") // 17 if path.exists() else 0
    return items + len(list((folder / "a.jsonl.parts").glob("*.part")))


if __name__ == "__main__":
    sys.exit(main())
