"""What a server over HTTP keeps of clients that have left or are idle: counted in the server itself, on both majors."""

import contextlib

import httpx
import pytest
from pipelines.served import NEEDS_SIDE, serving, under, written_server
from pipelines.test_limits import Peer, peer_of, until

PROGRAM = """
import gc
import time
from pathlib import Path
from steelyard.pipelines.server import Server, progress

app = Server("counting", __file__)


@app.tool("size,words->numbers")
def numbers(size: int, words: list[str] | None = None) -> dict[str, list[float]]:
    "So many numbers."
    return {"numbers": [0.5 + number for number in range(size)]}


@app.tool("path->done")
def wait(path: str) -> dict[str, int]:
    "Work until somebody says stop."
    Path(path).write_text("begun")
    for step in range(100000):
        progress(step, 100000)
        time.sleep(0.01)
    return {"done": 1}


@app.tool("size->lists,sessions")
def held(size: int) -> dict[str, int]:
    "How many lists of that size, and how many sessions, are in the memory of this server."
    gc.collect()
    objects = gc.get_objects()
    transports = [transport for transport in objects if type(transport).__name__ == "StreamableHTTPServerTransport"]
    return {
        "lists": sum(type(value) is list and len(value) == size for value in objects),
        "sessions": sum(not transport.is_terminated for transport in transports),
    }


if __name__ == "__main__":
    app.run()
"""
SIZE = 43_210
MAJORS = [pytest.param(1, marks=NEEDS_SIDE), 2]


@pytest.fixture(scope="module")
def counting(tmp_path_factory):
    """The folder of a server that counts what it holds."""
    return written_server(tmp_path_factory.mktemp("counting"), "counting", PROGRAM)


def held(peer):
    return peer.call("held", size=SIZE)["structuredContent"]


@pytest.mark.parametrize("major", MAJORS)
def test_idle_sessions_keep_neither_their_last_request_nor_their_last_answer(counting, major):
    with (
        serving(counting, "--http", "127.0.0.1:0", environment=under(major)) as served,
        contextlib.ExitStack() as peers,
    ):
        clients = [peers.enter_context(peer_of(served.address)) for _ in range(10)]
        for client in clients[:5]:
            assert len(client.call("numbers", size=SIZE)["structuredContent"]["numbers"]) == SIZE
        for client in clients[5:]:
            client.call("numbers", size=1, words=["x"] * SIZE)
        with peer_of(served.address) as observer:
            until(lambda: held(observer)["lists"] == 0)
            assert held(observer)["sessions"] == 11
        # and they still work
        assert [client.post("ping", {}).status_code for client in clients] == [200] * 10


@pytest.mark.parametrize("major", MAJORS)
def test_sessions_that_clients_left_without_an_answer_are_ended(counting, major, tmp_path):
    short = {**under(major), "STEELYARD_SERVE_UNUSED_SECONDS": "1e-9"}
    with serving(counting, "--http", "127.0.0.1:0", environment=short) as served, peer_of(served.address) as patient:
        assert patient.call("numbers", size=2)["structuredContent"] == {"numbers": [0.5, 1.5]}
        for number in range(3):
            with peer_of(served.address) as impatient:
                path = tmp_path / str(number)
                leave = impatient.left("wait", path=str(path))
                until(path.exists)
                leave()
        for _ in range(12):
            with contextlib.suppress(httpx.HTTPError):
                Peer(served.address).http.close()
        until(lambda: opened(served.address) == 404)
        until(lambda: held(patient)["sessions"] <= 2)
        assert patient.post("ping", {}).status_code == 200


def opened(address):
    """Open a session and then a second one: what the first is answered."""
    with peer_of(address) as first, peer_of(address):
        return first.post("ping", {}).status_code
