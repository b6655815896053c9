"""`python -m bench.view_load`: many clients of `steelyard view`, a part of them hostile, and what the others notice.

Honest clients open the list, results, comparisons and the history, and wait a little between pages. Hostile ones send
giant cookies, send their request byte by byte, send half of it, leave while a page is sent, or do not read it.
With `--readers N` instead N clients read one large result at the same time, for the peak of memory. With `--index N`
the first index of N results with 8,500 items each is timed, by headers and footers and from every line.
"""

import argparse
import asyncio
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bench.processes import PROJECT, run_python

BAD: Final = (ConnectionResetError, BrokenPipeError, ConnectionRefusedError)
RESULTS: Final = 20
COMPARED: Final = 3
SIGNATURE: Final = "kind:answers|questions:0000|run:{}"


@dataclass
class Tally:
    """What the honest clients saw: seconds of each page by its kind, statuses, resets and other failures."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    statuses: Counter[int] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    hostile: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Target:
    """The viewer that is asked: its port, its process, and the ids of its results."""

    port: int
    pid: int
    ids: Sequence[str]

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port)

    def resident(self) -> dict[str, float]:
        """Megabytes in memory now and at the peak, threads and open files."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        found = {name: number_in(rf"{name}:\s+(\d+)", status) for name in ("VmRSS", "VmHWM", "Threads")}
        files = len(os.listdir(f"/proc/{self.pid}/fd"))
        return {
            "MB": found["VmRSS"] / 1024,
            "peak MB": found["VmHWM"] / 1024,
            "threads": found["Threads"],
            "files": files,
        }


def write_result(path: Path, name: str, items: int, characters: int, seed: int) -> None:
    """Write a results file with random Chinese texts, which do not compress."""
    draw = random.Random(seed)
    letters = [chr(code) for code in range(0x4E00, 0x6E00)]
    scores = [draw.random() for _ in range(items)]
    head = {"kind": "answers", "name": name, "signature": SIGNATURE.format(name), "metrics": ["F1"]}
    with path.open("w", encoding="utf-8") as file:
        file.write(json.dumps(head) + "\n")
        for number, score in enumerate(scores):
            text = "".join(draw.choices(letters, k=characters))
            output = {"question": text[:50], "answer": text[50:]}
            line = {"id": f"q{number}", "scores": {"F1": score}, "output": output}
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
        footer = {"items": items, "means": {"F1": statistics.fmean(scores)}}
        file.write(json.dumps({"footer": footer}) + "\n")


def number_in(pattern: str, text: str) -> int:
    found = re.search(pattern, text)
    if found is None:
        raise ValueError(f"no {pattern} in {text[:200]!r}")
    return int(found[1])


def request_of(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


async def read_page(target: Target, path: str) -> tuple[int, bytes]:
    """Return the status and body of a page; a page that is cut off is an error."""
    reader, writer = await target.connect()
    try:
        writer.write(request_of(path))
        head = await reader.readuntil(b"\r\n\r\n")
        length = number_in(r"Content-Length: (\d+)", head.decode())
        return int(head.split()[1]), await reader.readexactly(length)
    finally:
        writer.close()


def paths_of(target: Target) -> dict[str, list[str]]:
    """Return what honest clients open, by kind."""
    pairs = [f"/compare/{one}/{two}" for one in target.ids[:COMPARED] for two in target.ids[:COMPARED]]
    results = [f"/result/{each}" for each in target.ids]
    return {"list": ["/"], "result": results, "compare": pairs, "history": ["/history"]}


async def honest(target: Target, tally: Tally, until: float, seed: int) -> None:
    draw = random.Random(seed)
    while time.monotonic() < until:
        kind = draw.choices(("list", "result", "compare", "history"), (45, 45, 5, 5))[0]
        path = draw.choice(paths_of(target)[kind])
        start = time.perf_counter()
        try:
            status, _ = await read_page(target, path)
            tally.statuses[status] += 1
            tally.seconds.setdefault(kind, []).append(time.perf_counter() - start)
        except BAD as error:
            tally.failures[f"reset: {type(error).__name__}"] += 1
        except (OSError, asyncio.IncompleteReadError, ValueError) as error:
            tally.failures[type(error).__name__] += 1
        await asyncio.sleep(draw.uniform(0, 2))


async def giant_cookie(target: Target) -> None:
    reader, writer = await target.connect()
    writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nCookie: " + b"a" * 60_000 + b"\r\n\r\n")
    await reader.read(1000)
    writer.close()


async def drip(target: Target) -> None:
    reader, writer = await target.connect()
    for byte in request_of("/?" + "a" * 200):
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(0.2)
    await reader.read(1000)
    writer.close()


async def half(target: Target) -> None:
    _, writer = await target.connect()
    writer.write(request_of("/")[:30])
    await asyncio.sleep(random.uniform(0, 20))
    writer.close()


async def leave(target: Target) -> None:
    reader, writer = await target.connect()
    writer.write(request_of(f"/result/{target.ids[0]}"))
    await reader.read(random.choice((1, 10_000)))
    writer.transport.abort()


async def not_reading(target: Target) -> None:
    _, writer = await target.connect()
    writer.write(request_of(f"/result/{random.choice(target.ids)}"))
    await asyncio.sleep(random.uniform(0, 40))
    writer.close()


HOSTILE: Final[Sequence[Callable[[Target], Awaitable[None]]]] = (giant_cookie, drip, half, leave, not_reading)


async def hostile(target: Target, tally: Tally, until: float, number: int) -> None:
    while time.monotonic() < until:
        act = HOSTILE[number % len(HOSTILE)]
        try:
            await asyncio.wait_for(act(target), max(until - time.monotonic(), 0.01))
            tally.hostile[act.__name__] += 1
        except (OSError, TimeoutError):
            tally.hostile[f"{act.__name__}, cut off"] += 1


def quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


async def load(target: Target, arguments: argparse.Namespace) -> None:
    start = time.perf_counter()
    for path in (path for paths in paths_of(target).values() for path in paths if not arguments.cold):
        await read_page(target, path)
    print(f"every page once: {time.perf_counter() - start:.1f} s")
    tally, until = Tally(), time.monotonic() + 60 * arguments.minutes
    begin, bad = target.resident(), round(arguments.clients * arguments.hostile)
    tasks = [hostile(target, tally, until, number) for number in range(bad)]
    tasks += [honest(target, tally, until, number) for number in range(arguments.clients - bad)]
    await asyncio.gather(*tasks)
    every = [seconds for each in tally.seconds.values() for seconds in each]
    for kind, seconds in [*sorted(tally.seconds.items()), ("all", every)]:
        shown = " ".join(f"p{share:g} {1000 * quantile(seconds, share / 100):.0f} ms" for share in (50, 90, 99, 100))
        print(f"{kind:8} {len(seconds):7} pages, {shown}")
    print("statuses", dict(tally.statuses), "failures", dict(tally.failures) or "none")
    print("hostile ", dict(tally.hostile))
    await asyncio.sleep(3)
    print("at start", {name: round(value) for name, value in begin.items()})
    print("at end  ", {name: round(value) for name, value in target.resident().items()})


async def readers(target: Target, arguments: argparse.Namespace) -> None:
    begin, start = target.resident(), time.perf_counter()
    pages = await asyncio.gather(*(read_page(target, f"/result/{target.ids[0]}") for _ in range(arguments.readers)))
    print({status: len(content) for status, content in pages}, f"{time.perf_counter() - start:.1f} s")
    print("at start", {name: round(value) for name, value in begin.items()})
    print("at end  ", {name: round(value) for name, value in target.resident().items()})


INDEX: Final = """
import pathlib, sys, time
from steelyard.web.index import Index
start = time.process_time()
index = Index(pathlib.Path(sys.argv[1]))
index.refresh()
print(f"{len(index.listing().entries)} results, CPU {time.process_time() - start:.2f} s")
"""


def first_index(results: int) -> None:
    """Measure the seconds of CPU of an index of files that this program wrote, with and without their summaries."""
    from bench.page import table

    with tempfile.TemporaryDirectory() as place:
        for number in range(results):
            table(8_500, f"run {number}", 0.0).save(Path(place) / f"{number}.jsonl")
        print("by footers:", run_python(["-c", INDEX, place]).output, end="")
        for path in Path(place).glob("*.jsonl"):
            path.write_bytes(path.read_bytes().replace(b'"summary": {', b'"omitted": {'))
        print("every line:", run_python(["-c", INDEX, place]).output, end="")


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.view_load", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--hostile", type=float, default=0.1, help="the share of clients that are hostile")
    parser.add_argument("--cold", action="store_true", help="do not open every page once before")
    parser.add_argument("--readers", type=int, default=0, help="so many read one large result at the same time")
    parser.add_argument("--large", type=float, default=44, metavar="MB", help="size of that result")
    parser.add_argument("--index", type=int, default=0, metavar="N", help="time the first index of so many results")
    arguments = parser.parse_args(argv)
    if arguments.index:
        first_index(arguments.index)
        return
    with tempfile.TemporaryDirectory() as place:
        if arguments.readers:
            write_result(Path(place) / "large.jsonl", "large", int(arguments.large * 1e6 / 4_500), 1_470, seed=0)
        else:
            for number in range(RESULTS):
                write_result(Path(place) / f"{number}.jsonl", f"run {number}", 50, 300, seed=number)
            write_result(Path(place) / "middle.jsonl", "middle", 2_000, 1_000, seed=RESULTS)
        words = [sys.executable, "-m", "steelyard.cli", "view", place, "--port", "0", "--lang", "en"]
        environment = {**os.environ, "PYTHONPATH": str(PROJECT / "src")}
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment) as process:
            assert process.stderr is not None
            try:
                port = number_in(r":(\d+)/$", process.stderr.readline().strip())
                asyncio.run(measure(Target(port, process.pid, []), arguments))
            finally:
                start = time.perf_counter()
                process.terminate()
                print(f"SIGTERM: exit {process.wait()} after {time.perf_counter() - start:.2f} s")
                print(process.stderr.read(), end="")


async def measure(target: Target, arguments: argparse.Namespace) -> None:
    _, page = await read_page(target, "/")
    ids = list(dict.fromkeys(re.findall(r'"id": ?"([0-9a-f]{16})"', page.decode())))
    await (readers if arguments.readers else load)(Target(target.port, target.pid, ids), arguments)


if __name__ == "__main__":
    main()
