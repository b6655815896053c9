"""`python -m bench.clusters`: a Ray cluster of three nodes, one of which is killed in the middle of the work.

The nodes are raylets of this machine (`ray.cluster_utils.Cluster`), one processor each. The results file of a run of 7
million lines and of a million answers must be the same to the byte as that of one process, whatever was killed. Then
10,000 parts of nothing, to see what scheduling costs, and with `--efficiency` one worker against two.
"""

import argparse
import hashlib
import os
import resource
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from bench.answers import MILLION
from bench.collections import MSMARCO, prepare
from bench.markdown import render_grid
from bench.progress import report
from bench.texts import TextSet, write_rows
from steelyard import Table, evaluate_answers, evaluate_retrieval
from steelyard.engines.base import Engine, Part
from steelyard.engines.local import LocalEngine
from steelyard.engines.ray import RayEngine
from steelyard.io.results.lines import Footer, Header, Item, dump, items_of

NODES: Final = 3
RUN_PART: Final = 4 << 20
ROWS_PART: Final = 1 << 20
PARTS: Final = 10_000
PROSE: Final = TextSet("prose", 100_000, 80)
REPEATED: Final = 30  # a job of over a minute
STORE: Final = 200_000_000  # bytes of objects on a node

Job = Callable[[Engine | None], Table]


class Killing(RayEngine):
    """An engine that kills something after so many results, and counts what it gave."""

    def __init__(self, address: str, part_bytes: int, after: int, kill: Callable[[], None]) -> None:
        super().__init__(address, part_bytes=part_bytes)
        self.given = 0
        self._after = after
        self._kill = kill

    def map_in_order(self, task: Callable[[Any], Any], parts: Iterable[Part]) -> Generator[Any, None, None]:
        for result in super().map_in_order(task, parts):
            self.given += 1
            if self.given == self._after:
                self._kill()
            yield result


def retrieval(engine: Engine | None) -> Table:
    return evaluate_retrieval(MSMARCO.qrels_path, MSMARCO.run_path, engine=engine)


def answers(engine: Engine | None) -> Table:
    return evaluate_answers(MILLION.path, engine=engine)


JOBS: Final[dict[str, tuple[Job, int, int]]] = {
    f"run of {MSMARCO.lines:,} lines": (retrieval, RUN_PART, 20),
    f"{MILLION.rows:,} answers": (answers, ROWS_PART, 30),
}


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m bench.clusters", description=__doc__)
    parser.add_argument("--no-kills", action="store_true", help="only what scheduling costs")
    parser.add_argument("--efficiency", action="store_true", help="also time one worker against two")
    parser.add_argument("--times", type=int, default=1, help="how often a node is killed in each job (%(default)s)")
    arguments = parser.parse_args(argv)
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    rows: list[list[str]] = []
    if not arguments.no_kills:
        prepare(MSMARCO)
        write_rows(MILLION)
        rows = [row for name in JOBS for row in _killed(name, arguments.times)]
        print(render_grid(("job", "killed", "parts", "seconds", "equal"), rows), end="\n\n")
    print(render_grid(("parts of nothing", "seconds", "CPU s of the program", "it grew by"), _scheduled()), end="\n\n")
    if arguments.efficiency:
        print(render_grid(("engine", "workers", "seconds", "efficiency"), _efficiency()))
    return 0 if all(row[-1] == "yes" for row in rows) else 1


def _killed(name: str, times: int) -> Iterator[list[str]]:
    """A job in one process, on the cluster, and on the cluster with a node killed in the middle."""
    job, part_bytes, after = JOBS[name]
    report(f"{name}: one process")
    start = time.perf_counter()
    wanted = digest(job(None))
    yield [name, "(one process)", "1", f"{time.perf_counter() - start:.1f}", "yes"]
    for attempt in range(times + 1):
        what = "a node" if attempt else "nothing"
        report(f"{name}: {NODES} nodes, {what} is killed")
        with _Cluster() as cluster:
            kill = cluster.kill_one if attempt else cluster.leave
            engine = Killing(cluster.address, part_bytes, after + 3 * attempt, kill)
            start = time.perf_counter()
            found = digest(job(engine))
            seconds = time.perf_counter() - start
            engine.close()
        yield [name, what, str(engine.given), f"{seconds:.1f}", "yes" if found == wanted else "NO"]


class _Cluster:
    """Raylets of one processor each; the first is the head, which is never killed."""

    def __enter__(self) -> "_Cluster":
        from ray.cluster_utils import Cluster

        settings = {"num_cpus": 1, "object_store_memory": STORE}
        self._cluster = Cluster(initialize_head=True, head_node_args={**settings, "include_dashboard": False})
        self._others = [self._cluster.add_node(**settings) for _ in range(NODES - 1)]
        self._cluster.wait_for_nodes()
        self.address: str = self._cluster.address
        return self

    def __exit__(self, *_: object) -> None:
        self._cluster.shutdown()

    def kill_one(self) -> None:
        """Kill a raylet with its workers and its objects, without notice."""
        self._cluster.remove_node(self._others.pop(), allow_graceful=False)

    def leave(self) -> None:
        """Kill nothing."""


def digest(table: Table) -> str:
    """The SHA-256 of the results file of a table, but for the time in it."""
    found = hashlib.sha256()
    header: Header = replace(Header.of(table), created="")
    lines: tuple[Header | Item | Footer, ...] = (header, *items_of(table), Footer.of(table))
    for line in lines:
        found.update(dump(line.to_json()).encode())
    return found.hexdigest()


def nothing(number: int) -> int:
    """A task that costs nothing."""
    return number


def _scheduled() -> list[list[str]]:
    rows = []
    engines: list[tuple[str, Engine]] = [
        ("local, 2 processes", LocalEngine(2)),
        ("local, 100 processes", LocalEngine(100)),
        ("ray, 2 processors", RayEngine(workers=2)),
    ]
    for name, engine in engines:
        report(f"{PARTS:,} parts of nothing: {name}")
        first = next(engine.map_in_order(nothing, [Part("0", 0)]))
        before, start, cpu = _memory(), time.perf_counter(), time.process_time()
        parts = (Part(str(number), number) for number in range(PARTS))
        found, largest = first, before
        for number in engine.map_in_order(nothing, parts):
            found += number
            largest = max(largest, _memory()) if number % 100 == 0 else largest
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
        engine.close()
        assert found == PARTS * (PARTS - 1) // 2
        rows.append([name, f"{seconds:.2f}", f"{cpu:.2f}", f"{(largest - before) / 1e6:.1f} MB"])
    return rows


def _memory() -> int:
    """Bytes of this process in memory (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def _efficiency() -> list[list[str]]:
    """The time of a job on one worker and on two; that of two by half the time of one is the efficiency."""
    write_rows(PROSE)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        _repeated(PROSE.path, path, REPEATED)
        for name, make in (("local", LocalEngine), ("ray", lambda workers: RayEngine(workers=workers))):
            alone = 0.0
            for workers in (1, 2):
                engine: Engine = make(workers)
                start = time.perf_counter()
                evaluate_answers(path, engine=engine)
                seconds = time.perf_counter() - start
                engine.close()
                alone = alone or seconds
                report(f"{name}, {workers}: {seconds:.1f} s")
                rows.append([name, str(workers), f"{seconds:.1f}", f"{alone / seconds / workers:.2f}"])
    return rows


def _repeated(source: Path, target: Path, times: int) -> None:
    """The rows of a file several times, under other ids."""
    with target.open("w", encoding="utf-8") as file:
        for number in range(times):
            with source.open(encoding="utf-8") as rows:
                file.writelines(row.replace('{"id": ', f'{{"id": {number + 100}', 1) for row in rows)


if __name__ == "__main__":
    raise SystemExit(main())
