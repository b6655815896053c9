"""Many clients, slow ones, hostile ones: what they cost, and that the others do not notice."""

import gc
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx
import pytest
from platforms import posix
from web.folders import put, table
from web.serving import shown

from steelyard import limits
from steelyard.web import page_cache as pages
from steelyard.web.requests import BadRequest, Request, parse_request

MINUTE = 60


@pytest.fixture
def folder(tmp_path):
    for number in range(3):
        put(tmp_path / f"{number}.jsonl", table(f"run {number}"), age=number)
    return tmp_path


@pytest.fixture
def limited(monkeypatch):
    """Set a limit for the time of a test."""
    return lambda limit, value: monkeypatch.setattr(limit, "value", value)


class Gate:
    """Makes pages of reports when it is opened, and counts them."""

    def __init__(self):
        self.open, self.entered, self.made = threading.Event(), threading.Semaphore(0), []

    def __call__(self, report, language):
        self.made.append(report.tables[0].name)
        self.entered.release()
        assert self.open.wait(MINUTE)
        return shown(report, language)


@pytest.fixture
def gate():
    made = Gate()
    yield made
    made.open.set()


def connect(server):
    return socket.create_connection((server.access.host, server.server_port), timeout=MINUTE)


def raw(server, lines):
    """All that the server says to these bytes."""
    with connect(server) as connection:
        connection.sendall(lines)
        return connection.makefile("rb").read()


def get(server, path="", **settings):
    return httpx.get(server.address + path, trust_env=False, verify=False, timeout=MINUTE, **settings)


def result_paths(server):
    return [f"result/{entry.id}" for entry in server.viewer.listed().entries]


def version_6():
    """Whether this machine has a loopback address of IPv6."""
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


def until(condition):
    """Wait for what happens in another thread."""
    end = time.monotonic() + MINUTE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_giant_cookie_is_refused_and_nobody_waits_for_it(folder, served):
    with served(folder, token="T") as server, ThreadPoolExecutor(4) as clients:
        lines = b"GET / HTTP/1.1\r\nHost: localhost\r\nCookie: " + b"a" * 60_000 + b"\r\n\r\n"
        hostile = [clients.submit(raw, server, lines) for _ in range(4)]
        assert get(server, headers={"Authorization": "Bearer T"}).status_code == 200
        assert all(answer.result(MINUTE).startswith(b"HTTP/1.1 431 ") for answer in hostile)


@pytest.mark.parametrize("text", ["aa", "a=", "=;", " ;", "a;"])
def test_cookies_are_read_in_linear_time(text):
    assert len(Request("GET", "/", "", {"cookie": text * 1_500_000}).cookies()) <= 1


def test_cookies_of_several_headers_are_joined():
    request = parse_request(b"GET / HTTP/1.1\r\nCookie: a=1; b = x=y\r\ncookie: c=\r\nCookie: a=2;;d")
    assert request.cookies() == {"a": "2", "b": "x=y", "c": ""}


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET /" + b"a" * 9_000 + b" HTTP/1.1", 414),
        (b"GET / HTTP/1.1" + b"\r\na: b" * 101, 431),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost", 400),
        (b"GET / HTTP/1.1\r\nOrigin: a\r\norigin: a", 400),
        (b"GET / HTTP/1.1\r\na: b\r\n folded", 400),
        (b"GET / HTTP/1.1\r\na : b", 400),
        (b"GET / HTTP/1.1\r\n: b", 400),
        (b"GET / HTTP/1.1\r\na", 400),
        (b"GET / HTTP/1.1\r\na: b\x1b[2J", 400),
        (b"GET / HTTP/1.1\r\na: b\rSet-Cookie: c", 400),
        (b"GET / HTTP/1.1\r\na: b\nSet-Cookie: c", 400),
        (b"GET /\x1b[2J HTTP/1.1", 400),
        (b"GET /\x7f HTTP/1.1", 400),
        (b"GET /\rb HTTP/1.1", 400),
        (b"GET /\xe6\x96\x87 HTTP/1.1", 400),
        (b"GET / / HTTP/1.1", 400),
        (b"GET http://localhost/ HTTP/1.1", 400),
        (b"GET  / HTTP/1.1", 400),
        (b"GET /", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01", 400),
        (b"", 400),
        (b"GET / HTTP/2.0", 505),
    ],
)
def test_what_is_no_request_is_refused(head, status):
    with pytest.raises(BadRequest) as caught:
        parse_request(head)
    assert caught.value.status == status


def test_too_much_is_refused_with_the_reason(folder, served):
    with served(folder) as server:
        assert raw(server, b"GET /" + b"a" * 100_000).startswith(b"HTTP/1.1 414 ")
        many = raw(server, b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 20_000)
        assert many.startswith(b"HTTP/1.1 431 ")
        assert b"delete the cookies" in many
        assert get(server, headers={"Cookie": "other=" + "x" * 20_000}).status_code == 200


def test_a_body_is_read_over_and_the_answer_arrives(folder, served):
    with served(folder) as server:
        head = f"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {900_000}\r\n\r\n".encode()
        assert raw(server, head + b"x" * 900_000).startswith(b"HTTP/1.1 405 ")


def test_readers_of_one_result_share_one_page(folder, served, gate):
    with served(folder, render=gate) as server, ThreadPoolExecutor(16) as readers:
        path = result_paths(server)[0]
        answers = [readers.submit(get, server, path) for _ in range(16)]
        assert gate.entered.acquire(timeout=MINUTE)
        gate.open.set()
        assert {answer.result(MINUTE).text for answer in answers} == {get(server, path).text}
        assert gate.made == ["run 2"]


def test_a_page_is_kept_until_its_file_changes(folder, served, gate):
    gate.open.set()
    with served(folder, render=gate) as server:
        path = result_paths(server)[0]
        assert [get(server, path).text.split()[-2] for _ in range(3)] == ["2"] * 3
        put(folder / "2.jsonl", table("run 9"), age=2)  # as large as before, and as old
        assert get(server, path).text.split()[-2] == "9"
        assert "<html>zh run 9 " in get(server, path, headers={"Cookie": "steelyard-language=zh"}).text
        assert gate.made == ["run 2", "run 9", "run 9"]


def test_pages_that_are_kept_are_few(folder, served, gate, monkeypatch):
    gate.open.set()
    monkeypatch.setattr(pages, "KEPT_BYTES", 1)
    with served(folder, render=gate) as server:
        path = result_paths(server)[0]
        for _ in range(2):
            assert get(server, path).status_code == 200
            until(lambda: not server._connections and gc.collect() >= 0 and not server._pages._current)
    assert len(gate.made) == 2


def test_the_list_is_made_again_only_when_the_folder_changes(folder, served, monkeypatch):
    with served(folder) as server:
        first = get(server).text
        monkeypatch.setattr(type(server.viewer), "page", lambda *arguments: pytest.fail("made again"))
        assert get(server).text == first
        monkeypatch.undo()
        put(folder / "new.jsonl", table("run of today"), age=9)
        assert "run of today" in get(server).text


def test_what_another_viewer_of_the_folder_finds_is_shown(folder, served):
    with served(folder) as one, served(folder) as other:
        assert get(one).status_code == get(other).status_code == 200
        put(folder / "new.jsonl", table("run of today"), age=9)
        assert "run of today" in get(one).text
        assert "run of today" in get(other).text


def test_large_results_are_made_one_at_a_time_and_the_list_does_not_wait(folder, served, gate, monkeypatch):
    monkeypatch.setattr(pages, "LARGE", 0)
    with served(folder, render=gate) as server, ThreadPoolExecutor(3) as readers:
        answers = [readers.submit(get, server, path) for path in result_paths(server)]
        assert gate.entered.acquire(timeout=MINUTE)
        assert get(server).status_code == 200
        assert len(gate.made) == 1
        gate.open.set()
        assert [answer.result(MINUTE).status_code for answer in answers] == [200] * 3


def test_beyond_the_limit_of_pages_a_client_is_asked_to_come_again(folder, served, gate, limited):
    limited(limits.VIEW_WAITING, 1)
    with served(folder, render=gate) as server, ThreadPoolExecutor(1) as readers:
        first, second, _ = result_paths(server)
        answer = readers.submit(get, server, first)
        assert gate.entered.acquire(timeout=MINUTE)
        busy = get(server, second)
        assert (busy.status_code, busy.headers["retry-after"]) == (503, "2")
        assert "too many requests" in busy.text
        gate.open.set()
        assert answer.result(MINUTE).status_code == 200
        assert get(server, second).status_code == 200


def test_beyond_the_limit_of_clients_one_is_asked_to_come_again(folder, served, limited):
    limited(limits.VIEW_CONNECTIONS, 2)
    with served(folder) as server:
        with ExitStack() as clients:
            for number in range(2):
                clients.enter_context(connect(server))
                until(lambda number=number: len(server._connections) == number + 1)
            assert get(server).status_code == 503
        until(lambda: not server._connections)
        assert get(server).status_code == 200


def test_a_page_that_takes_too_long_is_finished_for_the_next_who_asks(folder, served, gate, limited):
    limited(limits.VIEW_PAGE_SECONDS, 0.05)
    with served(folder, render=gate) as server:
        path = result_paths(server)[0]
        assert get(server, path).status_code == 503
        limited(limits.VIEW_PAGE_SECONDS, MINUTE)
        gate.open.set()
        assert get(server, path).status_code == 200
    assert len(gate.made) == 1


def test_more_bytes_of_pages_than_allowed_are_not_held(folder, served, limited, gate):
    gate.open.set()
    limited(limits.VIEW_HELD_BYTES, 1)
    with served(folder, render=gate) as server:  # what is only kept is let go
        for path in result_paths(server):  # the page before may still be being sent
            until(lambda path=path: get(server, path).status_code == 200)


@pytest.mark.slow
def test_a_page_for_which_nobody_waits_any_more_is_not_made(folder, served, gate, monkeypatch):
    monkeypatch.setattr(pages, "LARGE", 0)
    with served(folder, render=gate) as server, ThreadPoolExecutor(1) as readers:
        first, second, _ = result_paths(server)
        answer = readers.submit(get, server, first)
        assert gate.entered.acquire(timeout=MINUTE)
        with connect(server) as leaver:
            leaver.sendall(f"GET /{second} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            until(lambda: len(server._pages._pending) == 2)
        until(lambda: len(server._pages._pending) == 1)
        gate.open.set()
        assert answer.result(MINUTE).status_code == 200
    assert gate.made == ["run 2"]


def test_a_client_that_closes_its_side_gets_its_page(folder, served):
    with served(folder) as server, connect(server) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        connection.shutdown(socket.SHUT_WR)
        answer = connection.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"run 2" in answer


def test_slow_requests_keep_no_thread_and_no_socket(folder, served, limited):
    with served(folder) as server, ExitStack() as clients:
        before = threading.active_count()
        slow = [clients.enter_context(connect(server)) for _ in range(40)]
        for connection in slow:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: local")
        until(lambda: len(server._connections) == 40)
        assert threading.active_count() <= before
        assert get(server).status_code == 200
        limited(limits.VIEW_HEAD_SECONDS, 0.1)
        with connect(server) as connection:
            connection.sendall(b"GET")
            assert connection.makefile("rb").read().startswith(b"HTTP/1.1 408 ")
    with served(folder) as server, ExitStack() as clients:
        slow = [clients.enter_context(connect(server)) for _ in range(40)]
        assert {connection.makefile("rb").read()[:12] for connection in slow} == {b"HTTP/1.1 408"}
        for connection in slow:
            connection.close()
        until(lambda: not server._connections)


def test_readers_who_do_not_read_keep_no_thread_and_no_socket(folder, served, limited):
    limited(limits.VIEW_SEND_SECONDS, 0.1)
    with served(folder, render=lambda report, language: "x" * 30_000_000) as server, ExitStack() as clients:
        path = result_paths(server)[0]
        before = threading.active_count()
        for _ in range(8):
            connection = clients.enter_context(connect(server))
            connection.sendall(f"GET /{path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        until(lambda: server._connections)
        until(lambda: not server._connections)
        until(lambda: threading.active_count() <= before)
        assert get(server).status_code == 200


def test_a_large_page_arrives_whole(folder, served):
    with served(folder, render=lambda report, language: "长" * 5_000_000) as server:
        page = get(server, result_paths(server)[0])
    assert page.content == "长".encode() * 5_000_000


@pytest.mark.slow
def test_sixty_four_clients_are_answered_while_others_leave(folder, served):
    def hostile(server, number):
        with connect(server) as connection:
            connection.sendall((b"GET / HT", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\0" * 5000)[number % 3])
            if number % 2:  # leave with a reset
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")

    def honest(server, number, together):
        together.wait(MINUTE)
        return [get(server, path).status_code for path in ("", "history", "nothing")]

    together = threading.Barrier(64)
    with served(folder) as server, ThreadPoolExecutor(80) as clients:
        answers = [clients.submit(honest, server, number, together) for number in range(64)]
        leaving = [clients.submit(hostile, server, number) for number in range(16)]
        assert [answer.result(MINUTE) for answer in answers] == [[200, 200, 404]] * 64
        assert all(each.result(MINUTE) is None for each in leaving)


def test_a_bug_is_told_to_the_reader_and_the_others_go_on(folder, served, caplog):
    def render(report, language):
        raise ZeroDivisionError("a bug")

    with served(folder, render=render) as server:
        page = get(server, result_paths(server)[0])
        assert (page.status_code, "a bug" in page.text) == (500, False)
        assert "Steelyard failed" in page.text
        assert get(server).status_code == 200
    assert "ZeroDivisionError: a bug" in caplog.text


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "::1"])
@pytest.mark.parametrize(
    "case",
    [
        ("{own}", None, 200),
        ("{own}", "http://{own}", 200),
        ("localhost", "http://LOCALHOST", 200),
        ("LOCALHOST", None, 200),
        ("evil.example", None, 403),
        ("localhost@evil.example", None, 403),
        ("evil.example@localhost", None, 403),
        ("{own}", "http://evil.example", 403),
        ("{own}", "null", 403),
        ("{own}", "http://localhost:1", 403),
        ("{own}", "file://{own}", 403),
        ("{own}", "", 403),
    ],
)
def test_host_and_origin_on_every_loopback_address(folder, served, host, case):
    name, origin, status = case
    if host == "::1" and not version_6():
        pytest.skip("no IPv6 here")
    with served(folder, host=host) as server:
        own = server.address.removeprefix("http://").rstrip("/")
        lines = [f"GET / HTTP/1.1\r\nHost: {name}", *([f"Origin: {origin}"] if origin is not None else []), "", ""]
        answer = raw(server, "\r\n".join(lines).format(own=own).encode())
    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
    assert (b"run 2" in answer) == (status == 200)


def test_beyond_loopback_a_page_of_another_site_is_refused_too(folder, served):
    with served(folder, host="0.0.0.0", token="T") as server:
        address = f"http://127.0.0.1:{server.server_port}/"
        for origin, status in (("http://evil.example", 403), (address.rstrip("/"), 200)):
            headers = {"Authorization": "Bearer T", "Origin": origin}
            assert httpx.get(address, headers=headers, trust_env=False).status_code == status


SLOW = """
import sys, time
from pathlib import Path
from steelyard.web.access import Access
from steelyard.web.index import Index
from steelyard.web.server import serve
from steelyard.web.viewer import Viewer

def render(report, language):
    sys.stderr.write("making\\n")
    sys.stderr.flush()
    time.sleep(3600)

index = Index(Path(sys.argv[1]))
index.refresh()
def started(address):
    sys.stderr.write(f"{address} {index.listing().entries[0].id}\\n")
    sys.stderr.flush()
serve(Viewer(index, render), Access("127.0.0.1"), 0, started)
index.close()
"""


@pytest.mark.slow
@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_whatever_it_is_at(folder, number):
    words = [sys.executable, "-c", SLOW, str(folder)]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=os.environ) as process, ExitStack() as clients:
        port, identifier = re.search(r":(\d+)/ (\w+)", process.stderr.readline()).groups()
        for lines in (b"GET / HT", f"GET /result/{identifier} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()):
            connection = clients.enter_context(socket.create_connection(("127.0.0.1", int(port)), timeout=MINUTE))
            connection.sendall(lines)
        assert process.stderr.readline() == "making\n"
        process.send_signal(number)
        assert (process.wait(timeout=MINUTE), process.stderr.read()) == (0, "")


@pytest.mark.slow
@posix
def test_whoever_comes_while_it_is_busy_is_let_in(folder):
    words = [sys.executable, "-m", "steelyard", "view", str(folder), "--port", "0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process, ExitStack() as clients:
        clients.callback(process.terminate)
        port = int(re.search(r":(\d+)/", process.stderr.readline())[1])
        process.send_signal(signal.SIGSTOP)
        try:
            here = ("127.0.0.1", port)
            waiting = [clients.enter_context(socket.create_connection(here, timeout=20)) for _ in range(64)]
        finally:
            process.send_signal(signal.SIGCONT)
        for connection in waiting:
            connection.sendall(b"GET /nothing HTTP/1.0\r\nHost: localhost\r\n\r\n")
        assert {connection.recv(12)[9:] for connection in waiting} == {b"404"}
