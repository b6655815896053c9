"""`python -m bench.kills`: kill every command that writes, fill its disk, make it read-only; are the files whole?

After every kill -9 the older file must be whole, or the new one; a run that records as it goes is resumed, and loses
and doubles nothing. Half of the kills come at a random moment, half right after a file in the folder has changed.
Workers of engines, and programs that have workers, are killed by `python -m bench.engine_kills`.
"""

import argparse
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from bench.markdown import render_grid
from bench.processes import PROJECT
from bench.progress import report

DATA: Final = PROJECT / "data"
ASKED: Final = 40
SPACE: Final = 8_192
"""Bytes that a disk or a file may hold where it is to be too small."""
FATES: Final = ("old", "new", "resumed", "lost")
BENCH: Final = ("bench", "--system", "builtin:baseline", "--limit", str(ASKED), "-j", "2", "-o", "a.jsonl")


@dataclass(frozen=True)
class Job:
    """A command that writes `files`, and where it needs them, results `r.jsonl` and a `review.jsonl` beside them."""

    words: Sequence[str]
    files: Sequence[str]
    recording: bool = False
    prepare: Callable[[Path], None] = lambda folder: None
    options: Sequence[str] = field(default=())


def _written(name: str, words: Sequence[str]) -> Job:
    options = ("--overwrite",) if name.endswith(".jsonl") else ()
    return Job((*words, "-o", name, *options), (name,))


def _pipeline(folder: Path) -> None:
    """Write a project whose parameters lack a value, so that `build` writes them anew."""
    for name in ("data", "servers", "prompt"):
        if not (folder / name).exists():
            (folder / name).symlink_to(PROJECT / name)
    shutil.copytree(PROJECT / "examples", folder / "examples", dirs_exist_ok=True)
    path = folder / "examples" / "parameters" / "eval_trec_parameter.yaml"
    path.write_text("evaluation: {}\n", encoding="utf-8")


def _half(folder: Path) -> None:
    """Record half of a run."""
    lines = (folder / "whole.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "a.jsonl").write_bytes(b"".join(lines[: ASKED // 2]) + lines[ASKED // 2][:50])


RETRIEVAL: Final = ("retrieval", str(DATA / "qrels.txt"), str(DATA / "run_a.txt"), str(DATA / "run_b.txt"), "-q")
COMPARE: Final = ("compare", "r.jsonl", "r.jsonl", "-q")
GATE: Final = ("gate", "r.jsonl", "--require", "AP >= 0.1")
REPORT_SUFFIXES: Final = (".jsonl", ".html", ".md", ".tex", ".csv", ".json", ".svg", ".png")
JOBS: Final[dict[str, Job]] = {
    **{f"retrieval -o {suffix}": _written(f"a{suffix}", RETRIEVAL) for suffix in REPORT_SUFFIXES},
    "answers -o .jsonl": _written("a.jsonl", ("answers", str(DATA / "answers_a.jsonl"))),
    "answers -o .html": _written("a.html", ("answers", str(DATA / "answers_a.jsonl"))),
    **{f"compare -o {suffix}": _written(f"a{suffix}", COMPARE) for suffix in (".md", ".json", ".html", ".jsonl")},
    **{f"gate -o {suffix}": _written(f"a{suffix}", GATE) for suffix in (".xml", ".md", ".json")},
    **{f"report -o {suffix}": _written(f"a{suffix}", ("report", "r.jsonl")) for suffix in (".html", ".jsonl")},
    "sample": Job(("sample", "whole.jsonl", "-o", "a.html", "-o", "a.jsonl", "--overwrite"), ("a.html", "a.jsonl")),
    "agreement": _written("a.md", ("agreement", "whole.jsonl", "review.jsonl")),
    "bench": Job(BENCH, ("a.jsonl",), recording=True),
    "bench --resume": Job((*BENCH, "--resume"), ("a.jsonl",), recording=True, prepare=_half),
    "bench --overwrite": Job((*BENCH, "--overwrite"), ("a.jsonl",)),
    "build": Job(
        ("build", "examples/eval_trec.yaml"), ("examples/parameters/eval_trec_parameter.yaml",), prepare=_pipeline
    ),
    "run": Job(("run", "examples/evaluate_results.yaml"), ("output/memory.json",), prepare=_pipeline),
}


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m bench.kills", description=__doc__)
    parser.add_argument("-n", type=int, default=300, help="how many kills in all (%(default)s)")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--only", nargs="+", choices=JOBS, metavar="JOB")
    arguments = parser.parse_args(argv)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # disks are unmounted in any case
    dice = random.Random(arguments.seed)
    names = arguments.only or list(JOBS)
    with tempfile.TemporaryDirectory() as scratch:
        store = _store(Path(scratch) / "store")
        kills = [names[number % len(names)] for number in range(arguments.n)]
        fates = _killed(kills, store, Path(scratch) / "work", dice)
        troubles = _troubled(names, store, Path(scratch))
    print(render_grid(("command", "kills", *FATES, "left over"), _rows(fates)), end="\n\n")
    print(render_grid(("trouble", "commands", "old file whole", "lost", "exit 4"), troubles))
    lost = sum(found["lost"] for found in fates.values()) + sum(int(row[3]) + int(row[4]) for row in troubles)
    return 1 if lost else 0


def _rows(fates: dict[str, Counter[str]]) -> list[list[str]]:
    rows = [
        [name, str(found["kills"]), *(str(found[fate]) for fate in (*FATES, "left over"))]
        for name, found in fates.items()
    ]
    sums = [str(sum(int(row[column]) for row in rows)) for column in range(1, len(FATES) + 3)]
    return [*rows, ["all", *sums]]


def _steelyard(words: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "steelyard", *words]


def _run(words: Sequence[str], folder: Path, **settings: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(_steelyard(words), cwd=folder, capture_output=True, check=False, **settings)  # type: ignore[call-overload,no-any-return]


def _store(folder: Path) -> Path:
    """Return what the commands read: a retrieval result, a legal result, and a review that is filled in."""
    folder.mkdir()
    for words in (
        (*RETRIEVAL[:3], "-m", "AP,RR", "-o", "r.jsonl"),
        (*BENCH[:-1], "whole.jsonl"),
        ("sample", "whole.jsonl", "-n", "5", "-o", "review.jsonl"),
    ):
        if (done := _run(words, folder)).returncode:
            raise SystemExit(done.stderr.decode())
    review = folder / "review.jsonl"
    review.write_text(review.read_text("utf-8").replace('"agree": null', '"agree": true'), "utf-8")
    return folder


def _fresh(job: Job, store: Path, folder: Path) -> dict[str, bytes]:
    """Return a folder with older files, and what they hold."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(store, folder)
    return _filled(job, folder)


def _filled(job: Job, folder: Path) -> dict[str, bytes]:
    if not job.recording and job.words[0] != "run":
        for name in job.files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(b"old " * 5_000)
    job.prepare(folder)
    return {name: (folder / name).read_bytes() for name in job.files if (folder / name).exists()}


def _killed(kills: Sequence[str], store: Path, folder: Path, dice: random.Random) -> dict[str, Counter[str]]:
    fates: dict[str, Counter[str]] = {name: Counter() for name in dict.fromkeys(kills)}
    lengths = {name: _length(JOBS[name], store, folder) for name in fates}
    for number, name in enumerate(kills):
        old = _fresh(JOBS[name], store, folder)
        child = subprocess.Popen(
            _steelyard(JOBS[name].words), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        if number // len(fates) % 2:
            time.sleep(dice.uniform(0, lengths[name]))
        else:
            _wait_for_a_change(child, folder, dice)
        child.kill()
        child.wait()
        fate = _fate(JOBS[name], folder, old)
        fates[name].update(["kills", fate, *("left over" for _ in folder.rglob(".*.part"))])
        report(f"{number + 1}/{len(kills)} {name}: {fate}")
    return fates


def _length(job: Job, store: Path, folder: Path) -> float:
    """Return how long the command takes when nobody kills it; it must work."""
    _fresh(job, store, folder)
    start = time.perf_counter()
    done = _run(job.words, folder)
    if done.returncode:
        raise SystemExit(f"{job.words}: {done.stderr.decode()}")
    return time.perf_counter() - start


def _wait_for_a_change(child: subprocess.Popen[bytes], folder: Path, dice: random.Random) -> None:
    before = _listing(folder)
    while child.poll() is None and _listing(folder) == before:
        pass
    time.sleep(dice.choice((0, 0, 0.0005, 0.002, 0.01)))


def _listing(folder: Path) -> list[tuple[str, int]]:
    places = (folder, folder / "output", folder / "examples" / "parameters")
    entries = (entry for place in places if place.is_dir() for entry in os.scandir(place))
    found = []
    for entry in entries:
        with suppress(FileNotFoundError):
            found.append((entry.name, entry.stat().st_mtime_ns))
    return sorted(found)


def _fate(job: Job, folder: Path, old: dict[str, bytes]) -> str:
    """Return the state of the files: the old or the new one whole, a run that was resumed, or something was lost."""
    if job.words[0] == "run":
        snapshots = list((folder / "output").glob("memory_*.json")) if (folder / "output").is_dir() else []
        return "lost" if not all(map(_is_whole, snapshots)) else "new" if snapshots else "old"
    if job.recording:
        return _resumed(job, folder, old)
    now = {name: (folder / name).read_bytes() for name in job.files if (folder / name).exists()}
    if job.words[0] == "bench" and (folder / "a.jsonl.new").exists():
        whole = now == old and _resumed(job, folder, {}) == "resumed"
        return "resumed" if whole else "lost"
    fates = {"old" if now.get(name) == old.get(name) else _new(folder / name) for name in job.files}
    return "lost" if "lost" in fates else "new" if "new" in fates else "old"


def _new(path: Path) -> str:
    return "new" if path.exists() and _is_whole(path) else "lost"


def _resumed(job: Job, folder: Path, old: dict[str, bytes]) -> str:
    """Go on with what a killed run has recorded; nothing may be missing, doubled, or asked again."""
    path = folder / "a.jsonl"
    target = path.with_name("a.jsonl.new") if path.with_name("a.jsonl.new").exists() else path
    recorded = _ids(target)
    if not set(_ids_in(old.get("a.jsonl", b""))) <= set(recorded):
        return "lost"
    before = target.read_bytes()[: _whole_bytes(target)] if target.exists() else b""
    done = _run((*BENCH, "--resume"), folder)
    ids = _ids(path)
    kept = path.exists() and path.read_bytes().startswith(before)
    return "resumed" if done.returncode == 0 and kept and len(ids) == len(set(ids)) == ASKED else "lost"


def _whole_bytes(path: Path) -> int:
    return path.read_bytes().rfind(b"\n") + 1


def _ids(path: Path) -> list[str]:
    return _ids_in(path.read_bytes()) if path.exists() else []


def _ids_in(content: bytes) -> list[str]:
    lines = (json.loads(line) for line in content.split(b"\n")[:-1])
    return [line["id"] for line in lines if "id" in line]


def _is_whole(path: Path) -> bool:
    """Return whether a file of its kind has its end."""
    content, has_end = path.read_bytes(), _ENDS.get(path.suffix, _has_line_end)
    try:
        return not content.startswith(b"old ") and has_end(content)
    except (ValueError, ElementTree.ParseError):
        return False


def _has_line_end(content: bytes) -> bool:
    return content.endswith(b"\n")


def _has_last_line(content: bytes) -> bool:
    """Return whether a file of results has its footer; a file of reviews has none."""
    found = [json.loads(line) for line in content.split(b"\n")[:-1]]
    return content.endswith(b"\n") and ("footer" in found[-1] or "sampling" in found[-1])


_ENDS: Final[dict[str, Callable[[bytes], bool]]] = {
    ".json": lambda content: isinstance(json.loads(content), dict | list),
    ".xml": lambda content: len(ElementTree.fromstring(content)) > 0,
    ".svg": lambda content: len(ElementTree.fromstring(content)) > 0,
    ".jsonl": _has_last_line,
    ".png": lambda content: content.endswith(b"IEND\xaeB`\x82"),
    ".html": lambda content: content.rstrip().endswith(b"</html>"),
}


def _troubled(names: Sequence[str], store: Path, scratch: Path) -> list[list[str]]:
    """Return the same commands where files may not grow, on a full disk, and on one that may not be written to."""
    jobs = [name for name in names if not JOBS[name].recording and JOBS[name].words[0] not in ("run", "bench")]
    rows = [_trouble("files of at most 8 kB", jobs, store, scratch / "small", limit=SPACE)]
    for trouble, settings in (("full disk (tmpfs)", {"room": True}), ("read-only disk (tmpfs)", {"locked": True})):
        with _disk(scratch / "disk") as disk:
            if disk is None:
                report(f"{trouble}: left out, a tmpfs cannot be mounted here")
                continue
            rows.append(_trouble(trouble, jobs, store, disk, **settings))
    return rows


@contextmanager
def _disk(place: Path) -> Iterator[Path | None]:
    place.mkdir(exist_ok=True)
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)], capture_output=True, check=False
    )
    try:
        yield place if made.returncode == 0 else None
    finally:
        if made.returncode == 0:
            subprocess.run(["umount", str(place)], check=True)


def _trouble(
    trouble: str,
    jobs: Sequence[str],
    store: Path,
    disk: Path,
    *,
    limit: int = 0,
    room: bool = False,
    locked: bool = False,
) -> list[str]:
    found: Counter[str] = Counter()
    for name in jobs:
        folder = disk / "work"
        old = _fresh(JOBS[name], store, folder)
        if room:
            _fill(folder)
        if locked:
            subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)

        def restrict() -> None:
            if limit:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        done = _run(JOBS[name].words, folder, preexec_fn=restrict)
        now = {each: (folder / each).read_bytes() for each in JOBS[name].files}
        whole = all(now[each] == old[each] or _is_whole(folder / each) for each in now)
        honest = done.returncode == 2 or (now != old and done.returncode == 0)
        found.update(["old" if whole and honest else "lost", *(["bug"] if done.returncode == 4 else [])])
        if list(folder.rglob(".*.part")) or not (whole and honest):
            report(f"{trouble}: {name}: exit {done.returncode}: {done.stderr.decode()[:300]}")
        if locked:
            subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
    return [trouble, str(len(jobs)), *(str(found[each]) for each in ("old", "lost", "bug"))]


def _fill(folder: Path) -> None:
    """Leave no room."""
    with open(folder / "filler", "wb", buffering=0) as file:
        try:
            while file.write(b"\0" * 65_536) == 65_536:
                pass
            while file.write(b"\0"):
                pass
        except OSError:
            return


if __name__ == "__main__":
    sys.exit(main())
