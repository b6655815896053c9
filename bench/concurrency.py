"""`python -m bench.concurrency [QUESTIONS]`: what a question costs at different -j, against a quick local server.

The server answers at once, so what is measured is Steelyard's own cost: wall time and CPU time of this process per
question, and the most threads that ran.
"""

import argparse
import asyncio
import multiprocessing
import resource
import sys
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Final

LEVELS: Final = (1, 8, 32, 256)
BODY: Final = b'{"answer": "42000\xe5\x85\x83", "citations": [{"page": 1, "text": "42000"}]}'
REPLY: Final = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(BODY)
    + BODY
)
FILES: Final = 4096


def serve(told: Connection) -> None:
    """Answer every request at once, until the process is ended."""
    asyncio.run(_serve(told))


async def _serve(told: Connection) -> None:
    server = await asyncio.start_server(_answer, "127.0.0.1", 0, backlog=1024)
    told.send(server.sockets[0].getsockname()[1])
    await server.serve_forever()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        size = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(size)
        writer.write(REPLY)
        await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


def measure(url: str, questions: int, level: int) -> tuple[float, float, int]:
    """Return seconds per question, CPU seconds per question, and the most threads."""
    from steelyard.systems.ask import AskSettings, ask_all
    from steelyard.systems.base import Ask, Reply, SystemSettings
    from steelyard.systems.http import HttpSystem

    asks: Iterator[Ask] = (Ask(f"q{number}", "一共收了多少？", "d.md") for number in range(questions))
    start, used, most = time.perf_counter(), time.process_time(), 0
    settings = AskSettings(concurrency=level, timeout=30)
    for number, (_, answer) in enumerate(ask_all(HttpSystem(url, SystemSettings(timeout=30)), asks, settings)):
        if not isinstance(answer, Reply):
            raise SystemExit(f"a question failed: {answer.message}")
        if number % 64 == 0:
            most = max(most, threading.active_count())
    return (time.perf_counter() - start) / questions, (time.process_time() - used) / questions, most


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", nargs="?", type=int, default=20_000)
    parser.add_argument("-j", type=int, action="append", help="levels of concurrency (1, 8, 32 and 256)")
    arguments = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{ours.recv()}/ask"
    measure(url, 200, 8)
    sys.stdout.write(f"{arguments.questions} questions\n   -j   ms each   CPU ms each   threads\n")
    for level in arguments.j or LEVELS:
        wall, used, most = measure(url, arguments.questions, level)
        sys.stdout.write(f"{level:5} {wall * 1000:9.3f} {used * 1000:13.3f} {most:9}\n")
        sys.stdout.flush()
    server.terminate()
    server.join()


if __name__ == "__main__":
    main()
