"""What a server over HTTP does with clients that ask too much, too slowly, or leave; and how it ends."""

import contextlib
import itertools
import json
import re
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import httpx
import pytest
from pipelines.served import DEADLINE, SERVE, TOKEN, serving, written_server
from platforms import linux, posix

from steelyard.cli import main
from steelyard.cli.pipelines import limits_of
from steelyard.pipelines.http_limits import MEGABYTE, Limits
from steelyard.pipelines.serve import CallRunner
from steelyard.text.visible import printable

pytestmark = pytest.mark.slow

PROGRAM = """
import time
from pathlib import Path
from steelyard.pipelines.server import Server, progress

app = Server("busy", __file__)


@app.tool("path,steps->done")
def count(path: str, steps: int = 100000) -> dict[str, int]:
    "Count in a file until somebody says stop."
    try:
        for step in range(steps):
            Path(path).write_text(str(step))
            progress(step, steps)
            time.sleep(0.02)
    except BaseException as error:
        Path(path + ".end").write_text(type(error).__name__)
        raise
    return {"done": steps}


@app.tool("path->done")
def deaf(path: str) -> dict[str, int]:
    "Work for ten minutes, and never say how far."
    Path(path).write_text("begun")
    time.sleep(600)
    return {"done": 1}


@app.tool("text->size")
def size(text: str) -> dict[str, int]:
    "How long a text is."
    return {"size": len(text)}


if __name__ == "__main__":
    app.run()
"""


@pytest.fixture(scope="module")
def busy(tmp_path_factory):
    """The folder of a server whose tools take their time."""
    return written_server(tmp_path_factory.mktemp("busy"), "busy", PROGRAM)


@pytest.fixture(scope="module")
def narrow(busy):
    """A server with small limits."""
    words = [
        "--max-body",
        "1",
        "--max-calls",
        "1",
        "--max-sessions",
        "3",
        "--read-timeout",
        "1",
        "--call-timeout",
        "60",
    ]
    with serving(busy, "--http", "127.0.0.2:0", *words) as served:
        yield served


class Peer:
    """A client of the protocol as of 2025, request by request."""

    def __init__(self, address):
        self.address = address
        self.http = httpx.Client(timeout=DEADLINE, headers={"Accept": "application/json, text/event-stream"})
        self._numbers = itertools.count(1)
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
        opened = self.post("initialize", about)
        self.session = opened.headers["mcp-session-id"]
        self.http.headers["Mcp-Session-Id"] = self.session
        self.http.post(address, json={"jsonrpc": "2.0", "method": "notifications/initialized"})

    def message(self, method, parameters):
        return {"jsonrpc": "2.0", "id": next(self._numbers), "method": method, "params": parameters}

    def post(self, method, parameters):
        return self.http.post(self.address, json=self.message(method, parameters))

    def call(self, tool, **arguments):
        return result_of(self.post("tools/call", {"name": tool, "arguments": arguments}))

    def left(self, tool, **arguments):
        """Begin a call, and give what ends its connection."""
        stream = self.http.stream(
            "POST", self.address, json=self.message("tools/call", {"name": tool, "arguments": arguments})
        )
        stream.__enter__()
        return lambda: stream.__exit__(None, None, None)


def result_of(answer):
    assert answer.status_code == 200, answer.text
    data = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: {")]
    return json.loads(data[-1])["result"]


@contextlib.contextmanager
def peer_of(address):
    peer = Peer(address)
    try:
        yield peer
    finally:
        peer.http.close()


def until(condition):
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


# --- who may ask ---


@pytest.mark.parametrize("host", ["127.0.0.2", "[::1]", "localhost"])
def test_a_foreign_host_or_origin_is_refused_on_every_address_of_this_machine(host):
    hello = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    with serving("sayhello", "--http", f"{host}:0") as served, httpx.Client() as http:
        port = served.address.removesuffix("/mcp").rpartition(":")[2]

        def status(**headers):
            accepted = {"Accept": "application/json, text/event-stream", **headers}
            return http.post(served.address, headers=accepted, json=hello).status_code

        good = status()
        assert good not in (403, 421)
        assert status(Host="evil.example") == 421
        assert status(Host=f"evil.example:{port}") == 421
        assert status(Host="127.0.0.1.evil.example") == 421
        assert status(Host=f"127.0.0.1:{port}") == good
        assert status(Origin="https://evil.example") == 403
        assert status(Origin="null") == 403
        assert status(Origin="http://localhost:3000") == good


def test_a_port_of_many_digits_is_no_port(capsys):
    assert main(["serve", "sayhello", "--http", f"127.0.0.1:{'9' * 5000}"]) == 2
    assert capsys.readouterr().err.startswith("--http: an address must be HOST:PORT, not '127.0.0.1:999")


@pytest.mark.parametrize("host", ["a" * 300, "a\0b", "ä" * 70 + ".example"], ids=["long", "NUL", "no IDNA"])
def test_a_host_that_is_none_is_one_message(capsys, host):
    assert main(["serve", "sayhello", "--http", f"{host}:0", "--token", TOKEN]) == 2
    assert capsys.readouterr().err.startswith(f"--http: cannot listen on {printable(host)}:0: ")


def test_the_help_says_the_defaults(capsys):
    from steelyard.cli.parser import build_parser

    limits, calls = limits_of(build_parser().parse_args(["serve", "x"]))
    assert (limits, calls) == (Limits(), CallRunner())
    with pytest.raises(SystemExit):
        main(["serve", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    for option, value in {
        "call-timeout S": calls.timeout,
        "max-calls N": calls.max_calls,
        "max-body MB": limits.max_body // MEGABYTE,
        "max-sessions N": limits.max_sessions,
        "session-timeout S": limits.session_timeout,
        "read-timeout S": limits.read_timeout,
    }.items():
        assert f"({value:g})" in shown.partition(f"--{option} ")[2].partition(" --")[0]


# --- how much ---


def test_a_body_over_the_limit_is_refused_and_the_next_one_taken(narrow):
    text = "x" * (MEGABYTE + 1)
    with peer_of(narrow.address) as peer:
        refused = peer.post("tools/call", {"name": "size", "arguments": {"text": text}})
        assert (refused.status_code, refused.text) == (413, "the body must not exceed 1 MB (--max-body)\n")
        # without a Content-Length
        pieces = (text[:1000].encode() for _ in range(1200))
        refused = peer.http.post(narrow.address, content=pieces)
        assert (refused.status_code, refused.text) == (413, "the body must not exceed 1 MB (--max-body)\n")
        assert peer.call("size", text=text[: MEGABYTE // 2])["structuredContent"] == {"size": MEGABYTE // 2}


def test_for_a_new_session_the_longest_idle_one_is_ended(narrow):
    peers = [Peer(narrow.address) for _ in range(3)]
    assert peers[0].call("size", text="a")["structuredContent"] == {"size": 1}
    peers += [Peer(narrow.address) for _ in range(2)]
    try:
        codes = [peer.post("ping", {}).status_code for peer in peers]
        assert codes == [200, 404, 404, 200, 200]
    finally:
        for peer in peers:
            peer.http.close()


def test_a_session_that_is_idle_is_released(busy):
    with (
        serving(busy, "--http", "127.0.0.1:0", "--session-timeout", "0.3") as served,
        peer_of(served.address) as peer,
    ):
        time.sleep(0.6)
        until(lambda: peer.post("ping", {}).status_code == 404 or time.sleep(0.6))


def resident(process):
    """Megabytes of memory that a process has."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


@linux
def test_an_idle_session_does_not_keep_its_last_request(busy):
    words = [str(number) for number in range(400_000)]  # some 30 MB when they are read
    with serving(busy, "--http", "127.0.0.1:0") as served, contextlib.ExitStack() as peers:
        for _ in range(16):
            peer = peers.enter_context(peer_of(served.address))
            assert peer.post("tools/call", {"name": "none", "arguments": {"words": words}}).status_code == 200
        assert resident(served.process) < 350  # with all 16 of them it is above 500


# --- how long ---


def test_the_call_of_a_client_that_has_left_is_stopped_and_its_place_free(narrow, tmp_path):
    path = tmp_path / "count"
    with peer_of(narrow.address) as peer:
        leave = peer.left("count", path=str(path))
        until(path.exists)
        leave()
        # there is one slot only
        assert peer.call("size", text="ab")["structuredContent"] == {"size": 2}
        assert Path(f"{path}.end").read_text() == "CallCancelled"


def test_without_any_option_the_call_of_a_client_that_has_left_is_stopped(busy, tmp_path):
    path = tmp_path / "count"
    with serving(busy, "--http", "127.0.0.1:0") as served, peer_of(served.address) as peer:
        leave = peer.left("count", path=str(path), steps=3000)
        until(path.exists)
        leave()
        until(Path(f"{path}.end").exists)


def test_a_call_that_its_client_takes_back_is_stopped(narrow, tmp_path):
    path = tmp_path / "count"
    with peer_of(narrow.address) as peer:
        asked = peer.message("tools/call", {"name": "count", "arguments": {"path": str(path)}})
        calling = threading.Thread(target=lambda: httpx.post(narrow.address, json=asked, headers=peer.http.headers))
        calling.start()
        until(path.exists)
        parameters = {"requestId": asked["id"], "reason": "enough"}
        peer.http.post(
            narrow.address, json={"jsonrpc": "2.0", "method": "notifications/cancelled", "params": parameters}
        )
        until(Path(f"{path}.end").exists)
        calling.join(DEADLINE)


def test_a_call_beyond_its_time_is_an_error_and_the_server_lives_on(busy, tmp_path):
    path = tmp_path / "count"
    with (
        serving(busy, "--http", "127.0.0.1:0", "--call-timeout", "0.5", "--max-calls", "1") as served,
        peer_of(served.address) as peer,
    ):
        result = peer.call("count", path=str(path))
        assert result["isError"] is True
        assert result["content"][0]["text"] == (
            "count was stopped after 0.5 seconds\n"
            "hint: the limit is raised by: steelyard serve … --call-timeout SECONDS"
        )
        until(Path(f"{path}.end").exists)
        assert peer.call("size", text="ab")["structuredContent"] == {"size": 2}


DRIPS = {
    "nothing": b"",
    "a header": b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.2\r\nX: ",
    "the second request": b"GET /none HTTP/1.1\r\nHost: 127.0.0.2\r\n\r\nGET",
}


@pytest.mark.parametrize("begin", DRIPS.values(), ids=DRIPS)
def test_headers_that_drip_in_do_not_keep_a_connection(narrow, begin):
    host, port = narrow.address.removeprefix("http://").removesuffix("/mcp").split(":")
    with socket.create_connection((host, int(port)), timeout=DEADLINE) as connection:
        connection.sendall(begin)
        connection.settimeout(0.1)
        deadline = time.monotonic() + DEADLINE
        while True:
            assert time.monotonic() < deadline, "the server still listens"
            try:
                if connection.recv(1000) == b"":
                    return
            except TimeoutError:
                pass
            except ConnectionError:
                return
            with contextlib.suppress(ConnectionError):
                connection.sendall(b"x" if begin else b"")  # never as many as a header may have


def test_a_body_that_does_not_come_is_not_waited_for(narrow):
    host, port = narrow.address.removeprefix("http://").removesuffix("/mcp").split(":")
    with socket.create_connection((host, int(port)), timeout=DEADLINE) as connection:
        connection.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nabc")
        assert connection.recv(1000).startswith(b"HTTP/1.1 408 ")


# --- how it ends ---


@posix
@pytest.mark.parametrize("tool", ["count", "deaf"])
def test_sigterm_ends_a_server_in_the_middle_of_a_call(busy, tmp_path, tool):
    path = tmp_path / "begun"
    with serving(busy, "--http", "127.0.0.1:0") as served, peer_of(served.address) as peer:
        leave = peer.left(tool, path=str(path))
        until(path.exists)
        served.process.terminate()
        assert served.process.wait(DEADLINE) == -signal.SIGTERM
        with contextlib.suppress(httpx.HTTPError):
            leave()


@posix
def test_sigterm_ends_a_server_over_pipes():
    process = subprocess.Popen([*SERVE, "sayhello"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
        asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}
        process.stdin.write(f"{json.dumps(asked)}\n".encode())
        process.stdin.flush()
        assert process.stdout.readline()
        process.terminate()
        assert process.wait(DEADLINE) == -signal.SIGTERM
