"""Many clients on a server for some minutes, a tenth of them hostile: latencies, resets, and the server's memory.

    python -m bench.load serve --clients 64 --minutes 5
    python -m bench.load view --clients 64 --minutes 5 --folder results/

It starts `steelyard serve evaluation --http` or `steelyard view` in a process of its own. Honest clients ask, read and
ask again; hostile ones send headers that drip, bodies that stop, bodies that are too large or nested too deep, sessions
that nobody uses, calls that nobody waits for, foreign hosts and long cookies, and leave. It prints one JSON object:
requests and errors of honest clients, connections that were reset, p50, p99 and the largest latency in milliseconds,
and the resident memory of the server at the start (after a short warming up), at its peak and at the end.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

ACCEPT = {"Accept": "application/json, text/event-stream"}
START_SECONDS = 60.0
WARM_SECONDS = 5.0
PATIENCE_SECONDS = 60.0


@dataclass
class Tally:
    """What honest clients saw."""

    seconds: list[float] = field(default_factory=list)
    errors: dict[str, int] = field(default_factory=dict)
    attacks: int = 0

    def wrong(self, what: str) -> None:
        """Count an error."""
        self.errors[what] = self.errors.get(what, 0) + 1


@dataclass(frozen=True)
class Target:
    """Where a server is, and what is asked of it."""

    kind: str
    address: str
    host: str
    port: int


def main() -> None:
    """Run one campaign and print what it found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["serve", "view"])
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--hostile", type=float, default=0.1, help="share of the clients (%(default)s)")
    parser.add_argument("--folder", default=".", help="what the viewer shows")
    parser.add_argument("--seed", type=int, default=42)
    arguments = parser.parse_args()
    with started(arguments.kind, arguments.folder) as (process, target):
        found = asyncio.run(campaign(arguments, process.pid, target))
    print(json.dumps(found, indent=2))


@contextlib.contextmanager
def started(kind: str, folder: str) -> "Iterator[tuple[subprocess.Popen[bytes], Target]]":
    """Run a server in a process of its own; SIGTERM ends it."""
    words = ["serve", "evaluation", "--http", "127.0.0.1:0"] if kind == "serve" else ["view", folder, "--port", "0"]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as told:
        command = [sys.executable, "-m", "steelyard.cli", *words]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=told, stderr=told)
        try:
            yield process, address_of(kind, process, told)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(START_SECONDS)


def address_of(kind: str, process: "subprocess.Popen[bytes]", told: Any) -> Target:
    """Return the address that a server prints when it is ready."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        told.seek(0)
        found = re.search(r"http://([\d.]+):(\d+)\S*", told.read())
        if found:
            return Target(kind, found[0], found[1], int(found[2]))
        time.sleep(0.05)
    told.seek(0)
    raise SystemExit(f"the server did not start: {told.read()}")


async def campaign(arguments: argparse.Namespace, pid: int, target: Target) -> dict[str, Any]:
    """Return all clients until time is over, and the memory of the server beside them."""
    tally, chance = Tally(), random.Random(arguments.seed)
    hostile = round(arguments.clients * arguments.hostile)
    ending = time.monotonic() + WARM_SECONDS + 60 * arguments.minutes
    honest = serve_client if target.kind == "serve" else view_client
    clients: list[Awaitable[None]] = [attacker(target, tally, chance, ending) for _ in range(hostile)]
    clients += [honest(target, tally, ending) for _ in range(arguments.clients - hostile)]
    memory: list[int] = []
    await asyncio.gather(watched(pid, memory, ending), *clients)
    await asyncio.sleep(WARM_SECONDS)
    return summary(tally, [*memory, resident(pid)], arguments.clients - hostile, hostile)


def summary(tally: Tally, memory: list[int], honest: int, hostile: int) -> dict[str, Any]:
    """Return the numbers that are printed."""
    ordered = sorted(tally.seconds) or [float("nan")]
    at = {share: ordered[min(len(ordered) - 1, int(share * len(ordered)))] for share in (0.5, 0.99)}
    return {
        "honest": honest,
        "hostile": hostile,
        "requests": len(tally.seconds),
        "attacks": tally.attacks,
        "resets": sum(count for name, count in tally.errors.items() if name in RESETS),
        "errors": tally.errors,
        "ms": {"p50": round(1e3 * at[0.5], 1), "p99": round(1e3 * at[0.99], 1), "max": round(1e3 * ordered[-1], 1)},
        "MB": {"start": memory[0] >> 20, "peak": max(memory) >> 20, "end": memory[-1] >> 20},
    }


RESETS = ("ConnectError", "ReadError", "WriteError", "RemoteProtocolError", "ConnectTimeout", "ReadTimeout")


async def watched(pid: int, memory: list[int], ending: float) -> None:
    """Note the memory of the server every second."""
    await asyncio.sleep(WARM_SECONDS)
    while time.monotonic() < ending:
        memory.append(resident(pid))
        await asyncio.sleep(1)


def resident(pid: int) -> int:
    """Return bytes of memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


# --- honest clients ---


async def timed(tally: Tally, asked: Callable[[], Awaitable[Any]], expected: Callable[[Any], bool]) -> Any:
    """Return one request: its time, or what went wrong."""
    import httpx

    began = time.perf_counter()
    try:
        answer = await asked()
    except httpx.HTTPError as error:
        tally.wrong(type(error).__name__)
        return None
    tally.seconds.append(time.perf_counter() - began)
    if not expected(answer):
        tally.wrong(f"HTTP {answer.status_code}")
    return answer


async def view_client(target: Target, tally: Tally, ending: float) -> None:
    """Load the first page, and what it leads to."""
    import httpx

    async with httpx.AsyncClient(timeout=PATIENCE_SECONDS, follow_redirects=True) as http:
        pages = [target.address]
        while time.monotonic() < ending:
            for page in list(pages):
                answer = await timed(tally, partial(http.get, page), lambda found: found.status_code == 200)
                if answer is not None and len(pages) == 1:
                    links = re.findall(r'href="([^"#]+)"', answer.text)
                    pages += [str(answer.url.join(link)) for link in links if "://" not in link][:10]
                await asyncio.sleep(0.05)


async def serve_client(target: Target, tally: Tally, ending: float) -> None:
    """Open a session, evaluate some answers, and close it, over and over."""
    import httpx

    while time.monotonic() < ending:
        async with httpx.AsyncClient(timeout=PATIENCE_SECONDS, headers=ACCEPT) as http:
            post = http_post(http, target)
            opened = await timed(tally, partial(post, "initialize", HELLO), fine)
            if opened is None or "mcp-session-id" not in opened.headers:
                await asyncio.sleep(0.2)
                continue
            http.headers["Mcp-Session-Id"] = opened.headers["mcp-session-id"]
            await http.post(target.address, json={"jsonrpc": "2.0", "method": "notifications/initialized"})
            for _ in range(20):
                await timed(tally, partial(post, "tools/call", EVALUATE), evaluated)
                await asyncio.sleep(0.02)
                if time.monotonic() > ending:
                    break
            with contextlib.suppress(httpx.HTTPError):
                await http.delete(target.address)


HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "load", "version": "1"}}
ANSWERS = {
    "pred_ls": ["Paris", "被告应退还押金"] * 20,
    "gt_ls": [["Paris"], ["退还押金"]] * 20,
    "metrics": ["em", "f1"],
}
EVALUATE = {"name": "evaluate", "arguments": ANSWERS}


def fine(answer: Any) -> bool:
    """Return whether a request was answered."""
    return bool(answer.status_code == 200)


def evaluated(answer: Any) -> bool:
    """Return whether a call gave numbers."""
    return fine(answer) and "avg_em" in answer.text


def http_post(http: Any, target: Target) -> Callable[[str, dict[str, Any]], Awaitable[Any]]:
    """Return what sends a request of MCP."""

    async def post(method: str, parameters: dict[str, Any]) -> Any:
        return await http.post(target.address, json={"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters})

    return post


# --- hostile clients ---


async def attacker(target: Target, tally: Tally, chance: random.Random, ending: float) -> None:
    """Send one bad request after the other, each on a connection of its own."""
    while time.monotonic() < ending:
        tally.attacks += 1
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
            reader, writer = await asyncio.open_connection(target.host, target.port)
            try:
                async with asyncio.timeout(PATIENCE_SECONDS):
                    await chance.choice(ATTACKS)(target, reader, writer)
            finally:
                writer.transport.abort() if chance.random() < 0.5 else writer.close()
        await asyncio.sleep(0.05)


def request(target: Target, body: bytes = b"", *, length: int | None = None, extra: str = "", host: str = "") -> bytes:
    """Return the bytes of a request."""
    path = "/mcp" if target.kind == "serve" else "/"
    head = f"{'POST' if target.kind == 'serve' else 'GET'} {path} HTTP/1.1\r\nHost: {host or target.host}\r\n"
    head += "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"
    return f"{head}{extra}Content-Length: {len(body) if length is None else length}\r\n\r\n".encode() + body


async def drip(target: Target, reader: Any, writer: Any) -> None:
    """Send headers, byte by byte, for some seconds."""
    for byte in request(target)[:100]:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(0.05)


async def silence(target: Target, reader: Any, writer: Any) -> None:
    """Open a connection, and send nothing."""
    await asyncio.sleep(5)


async def half(target: Target, reader: Any, writer: Any) -> None:
    """Send a body that stops in the middle."""
    writer.write(request(target, b"{" * 1000, length=1_000_000))
    await writer.drain()
    await asyncio.sleep(2)


async def large(target: Target, reader: Any, writer: Any) -> None:
    """Eight megabytes of text that is no message."""
    writer.write(request(target, b"x" * 8_000_000))
    await writer.drain()
    await reader.read(1000)


async def too_large(target: Target, reader: Any, writer: Any) -> None:
    """More than anybody takes, said before."""
    writer.write(request(target, b"x" * 100_000, length=10**12))
    await writer.drain()


async def deep(target: Target, reader: Any, writer: Any) -> None:
    """JSON nested a hundred thousand deep."""
    writer.write(request(target, b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": ' + b"[" * 100_000))
    await writer.drain()
    await reader.read(1000)


async def unused(target: Target, reader: Any, writer: Any) -> None:
    """Open a session that nobody uses."""
    writer.write(request(target, message("initialize", HELLO)))
    await writer.drain()
    await reader.read(1000)


async def deserted(target: Target, reader: Any, writer: Any) -> None:
    """Make a long call that nobody waits for."""
    writer.write(request(target, message("initialize", HELLO)))
    found = re.search(rb"mcp-session-id: (\w+)", await reader.read(1000))
    session = f"Mcp-Session-Id: {found[1].decode()}\r\n" if found else ""
    arguments = {"pred_ls": ["被告应退还押金" * 50] * 2000, "gt_ls": [["退还押金" * 50]] * 2000}
    call = message("tools/call", {"name": "evaluate", "arguments": arguments})
    _, second = await asyncio.open_connection(target.host, target.port)
    second.write(request(target, call, extra=session))
    await second.drain()
    await asyncio.sleep(0.3)
    second.transport.abort()


async def foreign(target: Target, reader: Any, writer: Any) -> None:
    """Name a host that is not this machine."""
    writer.write(request(target, message("ping", {}), host="evil.example", extra="Origin: https://evil.example\r\n"))
    await writer.drain()
    await reader.read(1000)


async def cookie(target: Target, reader: Any, writer: Any) -> None:
    """Send a cookie of sixty thousand characters."""
    writer.write(request(target, extra=f"Cookie: {'a=;' * 20_000}\r\n"))
    await writer.drain()
    await reader.read(1000)


def message(method: str, parameters: dict[str, Any]) -> bytes:
    """Return a request of MCP."""
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}).encode()


ATTACKS = [drip, silence, half, large, too_large, deep, unused, deserted, foreign, cookie]


if __name__ == "__main__":
    main()
