"""`python -m bench.clusters`: a cluster of three nodes, one of which is killed in the middle of the work.

The nodes are on this machine, one processor each: raylets of Ray (`ray.cluster_utils.Cluster`), or with `--engine dask`
workers of Dask, which are started again. The results file of a run of 7 million lines and of a million answers must be
the same to the byte as that of one process, whatever was killed. Then 10,000 parts of nothing, to see what scheduling
costs, and with `--efficiency` one worker against two.
"""

import argparse
import hashlib
import os
import resource
import signal
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from bench.answers import MILLION
from bench.collections import MSMARCO, prepare
from bench.markdown import render_grid
from bench.progress import report
from bench.texts import TextSet, write_rows
from steelyard import Table, evaluate_answers, evaluate_retrieval
from steelyard.engines.base import Engine, Part, open_engine
from steelyard.io.results.lines import Footer, Header, Item, dump, items_of

NODES: Final = 3
RUN_PART: Final = 4 << 20
ROWS_PART: Final = 1 << 20
PARTS: Final = 10_000
PROSE: Final = TextSet("prose", 100_000, 80)
REPEATED: Final = 30  # a job of over a minute
STORE: Final = 200_000_000  # bytes of objects on a node

Job = Callable[[Engine | None], Table]


class Killing:
    """An engine that kills something after so many results, and counts what it gave."""

    def __init__(self, engine: Engine, part_bytes: int, after: int, kill: Callable[[], None]) -> None:
        self.part_bytes: int | None = part_bytes
        self.given = 0
        self._engine = engine
        self._after = after
        self._kill = kill

    def map_in_order(self, task: Callable[[Any], Any], parts: Iterable[Part]) -> Generator[Any, None, None]:
        for result in self._engine.map_in_order(task, parts):
            self.given += 1
            if self.given == self._after:
                self._kill()
            yield result

    def close(self) -> None:
        self._engine.close()


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
    parser.add_argument("--engine", choices=CLUSTERS, default="ray")
    parser.add_argument("--no-kills", action="store_true", help="only what scheduling costs")
    parser.add_argument("--efficiency", action="store_true", help="also time one worker against two")
    parser.add_argument("--times", type=int, default=1, help="how often a node is killed in each job (%(default)s)")
    arguments = parser.parse_args(argv)
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    rows: list[list[str]] = []
    if not arguments.no_kills:
        prepare(MSMARCO)
        write_rows(MILLION)
        rows = [row for name in JOBS for row in _killed(name, arguments.engine, arguments.times)]
        print(render_grid(("job", "killed", "parts", "seconds", "equal"), rows), end="\n\n")
    heads = ("parts of nothing", "seconds", "CPU s of the program", "it grew by")
    print(render_grid(heads, _scheduled(arguments.engine)), end="\n\n")
    if arguments.efficiency:
        print(render_grid(("engine", "workers", "seconds", "efficiency"), _efficiency(arguments.engine)))
    return 0 if all(row[-1] == "yes" for row in rows) else 1


def _killed(name: str, software: str, times: int) -> Iterator[list[str]]:
    """Yield a job in one process, on the cluster, and on the cluster with a node killed in the middle."""
    job, part_bytes, after = JOBS[name]
    report(f"{name}: one process")
    start = time.perf_counter()
    wanted = digest(job(None))
    yield [name, "(one process)", "1", f"{time.perf_counter() - start:.1f}", "yes"]
    for attempt in range(times + 1):
        what = "a node" if attempt else "nothing"
        report(f"{name}: {NODES} nodes, {what} is killed")
        with CLUSTERS[software]() as cluster:
            kill = cluster.kill_one if attempt else cluster.leave
            engine = Killing(open_engine(software, address=cluster.address), part_bytes, after + 3 * attempt, kill)
            start = time.perf_counter()
            found = digest(job(engine))
            seconds = time.perf_counter() - start
            engine.close()
        yield [name, what, str(engine.given), f"{seconds:.1f}", "yes" if found == wanted else "NO"]


class _RayCluster:
    """Raylets of one processor each; the first is the head, which is never killed."""

    def __enter__(self) -> "_RayCluster":
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


class _DaskCluster:
    """Workers of one thread each, with the scheduler in this process."""

    def __enter__(self) -> "_DaskCluster":
        from distributed import LocalCluster

        self._cluster = LocalCluster(
            n_workers=NODES,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
            scheduler_kwargs={"dashboard": False},
        )
        self.address: str = self._cluster.scheduler_address
        return self

    def __exit__(self, *_: object) -> None:
        self._cluster.close()

    def kill_one(self) -> None:
        """Kill a worker with what it has, without notice."""
        os.kill(self._cluster.workers[0].pid, signal.SIGKILL)

    def leave(self) -> None:
        """Kill nothing."""


CLUSTERS: Final[dict[str, type[_RayCluster | _DaskCluster]]] = {"ray": _RayCluster, "dask": _DaskCluster}


def digest(table: Table) -> str:
    """Return the SHA-256 of the results file of a table, but for the time in it."""
    found = hashlib.sha256()
    header: Header = replace(Header.of(table), created="")
    lines: tuple[Header | Item | Footer, ...] = (header, *items_of(table), Footer.of(table))
    for line in lines:
        found.update(dump(line.to_line()).encode())
    return found.hexdigest()


def nothing(number: int) -> int:
    """Return a task that costs nothing."""
    return number


def _scheduled(software: str) -> list[list[str]]:
    rows = []
    for name, workers in (("local", 2), ("local", 100), (software, 2)):
        report(f"{PARTS:,} parts of nothing: {name}, {workers} processes")
        engine = open_engine(name, workers=workers)
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
        rows.append(
            [f"{name}, {workers} processes", f"{seconds:.2f}", f"{cpu:.2f}", f"{(largest - before) / 1e6:.1f} MB"]
        )
    return rows


def _memory() -> int:
    """Return bytes of this process in memory (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def _efficiency(software: str) -> list[list[str]]:
    """Return the time of a job on one worker and on two; that of two by half the time of one is the efficiency."""
    write_rows(PROSE)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        _repeated(PROSE.path, path, REPEATED)
        for name in ("local", software):
            alone = 0.0
            for workers in (1, 2):
                start = time.perf_counter()
                with closing(open_engine(name, workers=workers)) as engine:
                    evaluate_answers(path, engine=engine)
                    seconds = time.perf_counter() - start
                alone = alone or seconds
                report(f"{name}, {workers}: {seconds:.1f} s")
                rows.append([name, str(workers), f"{seconds:.1f}", f"{alone / seconds / workers:.2f}"])
    return rows


def _repeated(source: Path, target: Path, times: int) -> None:
    """Repeat the rows of a file under other ids."""
    with target.open("w", encoding="utf-8") as file:
        for number in range(times):
            with source.open(encoding="utf-8") as rows:
                file.writelines(row.replace('{"id": ', f'{{"id": {number + 100}', 1) for row in rows)


if __name__ == "__main__":
    raise SystemExit(main())
