"""The viewer over HTTP: pages, who may see them, and what no address reaches."""

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time

import httpx
import pytest
from platforms import posix
from web.folders import put, table

from steelyard.errors import ConfigError
from steelyard.web.access import Access, is_loopback
from steelyard.web.rendering import OPEN, report_pages
from steelyard.web.server import HEADERS, ViewServer

TOKEN = "a long random text 随机"
SECRET = "the secret of the outside"


@pytest.fixture
def folder(tmp_path):
    """Two runs that compare, one that does not, a broken file; a secret beside the folder."""
    (tmp_path / "secret.jsonl").write_text(SECRET)
    place = tmp_path / "results"
    put(place / "old.jsonl", table("old run"))
    put(place / "new.jsonl", table("new run", scores=(1.0, 1.0, 1.0, 0.5)), age=1)
    put(place / "other.jsonl", table("other questions", questions="1111"), age=2)
    (place / "broken.jsonl").write_text("{broken\n")
    return place


@pytest.fixture
def server(folder, served):
    with served(folder) as running:
        yield running


@pytest.fixture
def get(server):
    def ask(path, **settings):
        return httpx.get(server.address.rstrip("/") + path, trust_env=False, **settings)

    return ask


def ids(server):
    return {entry.name: entry.id for entry in server.viewer.listed().entries}


def raw(server, lines, *, answer=2000):
    """What the server says to these bytes."""
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=5) as connection:
        connection.sendall(lines)
        return connection.makefile("rb").read(answer)


def test_the_list(get):
    page = get("/")
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert all(
        name in page.text for name in ("old run", "new run", "other questions", "broken.jsonl:1: this is not JSON")
    )
    assert page.text.index("other questions") < page.text.index("new run") < page.text.index("old run")


def test_a_result_is_the_page_of_its_report(get, server):
    page = get(f"/result/{ids(server)['old run']}")
    assert page.status_code == 200
    assert page.text == "<html>en old run 0</html>"


def test_the_page_of_a_report_has_a_way_back(folder, served):
    with served(folder, render=report_pages(folder, OPEN)) as server:
        page = server.viewer.page(f"/result/{ids(server)['old run']}", "en").html
    assert '<header class="top"><nav class="ways" aria-label=' in page
    assert '<a href="/"><span data-en="all results"' in page
    assert '<a href="/history"><span data-en="history"' in page


def test_two_results_compared(get, server):
    known = ids(server)
    page = get(f"/compare/{known['old run']}/{known['new run']}")
    assert page.status_code == 200
    assert page.text.endswith("en old run new run 2</html>")


def test_a_result_beside_itself_has_two_names(get, server):
    known = ids(server)["old run"]
    assert get(f"/compare/{known}/{known}").text.endswith("en old run old run-2 2</html>")


def test_what_does_not_compare_says_why(get, server):
    known = ids(server)
    page = get(f"/compare/{known['old run']}/{known['other questions']}")
    assert page.status_code == 409
    message = "other questions and old run are not comparable, their settings differ: questions (1111 ≠ 0000)"
    assert message in page.text


def test_a_result_that_broke_since_says_why(get, server, folder):
    known = ids(server)["old run"]
    (folder / "old.jsonl").write_text("{broken\n")
    page = get(f"/result/{known}")
    assert page.status_code == 409
    assert "old.jsonl:1: this is not JSON" in page.text
    assert str(folder) not in page.text


@pytest.mark.slow
def test_history(get, server):
    page = get("/history")
    (series,) = set(re.findall(r'href="(/history/[0-9a-f]{16})"', page.text))
    runs = get(series).text
    assert "old run" in runs
    assert "new run" in runs
    assert "other questions" not in runs
    assert get("/history/" + "0" * 16).status_code == 404


def test_without_somebody_to_draw_there_is_still_the_table(folder, served):
    from steelyard.errors import MissingExtra

    def draw(points, language):
        raise MissingExtra.of("vl-convert-python", "plots", purpose="drawing plots")

    with served(folder, draw=draw) as server:
        series = next(entry.series for entry in server.viewer.listed().entries if entry.name == "old run")
        page = httpx.get(f"{server.address}history/{series}", trust_env=False)
    assert page.status_code == 200
    assert "0.6250" in page.text
    assert "<svg" not in page.text


def test_points_of_a_trend_go_from_the_oldest_to_the_latest(folder, served):
    drawn = []
    with served(folder, draw=lambda points, language: drawn.append(points) or "<svg></svg>") as server:
        series = next(entry.series for entry in server.viewer.listed().entries if entry.name == "old run")
        page = httpx.get(f"{server.address}history/{series}", trust_env=False)
    assert "<svg></svg>" in page.text
    assert [[point["mean"] for point in points] for points in drawn] == [[0.625, 0.875], [0.625, 0.875]]
    assert all(point["low"] < point["mean"] < point["high"] for points in drawn for point in points)


def test_the_language_is_that_of_the_cookie(get):
    assert '<html lang="en">' in get("/").text
    page = get("/", headers={"Cookie": "steelyard-language=zh"})
    assert '<html lang="zh-CN">' in page.text
    assert "不是合法的 JSON" in page.text
    assert '<html lang="en">' in get("/", headers={"Cookie": "steelyard-language=<script>"}).text


@pytest.mark.parametrize("path", ["/", "/history", "/nothing", "/result/" + "0" * 16])
def test_every_answer_says_what_browsers_may_do(get, path):
    headers = get(path).headers
    assert {name: headers[name] for name in HEADERS} == HEADERS
    assert headers["server"].strip() == "steelyard"


def test_the_page_allows_its_own_scripts_only(get):
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', get("/").text)[1]
    assert policy.startswith("default-src &#39;none&#39;; script-src &#39;sha256-")
    assert "unsafe" not in policy


def test_head_has_the_headers_of_get_and_no_body(get, server):
    head = httpx.head(server.address, trust_env=False)
    assert head.status_code == 200
    assert head.content == b""
    assert head.headers["content-length"] == str(len(get("/").content))


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "get"])
def test_nothing_but_get_and_head(server, method):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=5)
    connection.request(method, "/", body=b"x" if method == "POST" else None)
    answer = connection.getresponse()
    assert (answer.status, answer.getheader("Allow")) == (405, "GET, HEAD")
    assert answer.getheader("X-Content-Type-Options") == "nosniff"
    connection.close()


def test_what_is_not_there_is_said_on_a_page(get):
    page = get("/nothing")
    assert page.status_code == 404
    assert "There is no such page, or the result no longer exists." in page.text
    assert 'data-zh="没有这个页面，或者结果已不存在。"' in page.text


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.jsonl",
        "/result/../../secret.jsonl",
        "/result/..%2f..%2fsecret.jsonl",
        "/result/%2e%2e/%2e%2e/secret.jsonl",
        "/result/..%252fsecret.jsonl",
        "/result/..\\secret.jsonl",
        "/result/..%5csecret.jsonl",
        "/result/%c0%ae%c0%ae/secret.jsonl",
        "//etc/passwd",
        "/etc/passwd",
        "/result//etc/passwd",
        "/result/%2fetc%2fpasswd",
        "/result/old.jsonl",
        "/old.jsonl",
        "/.steelyard-index.sqlite",
        "/result/old%00.jsonl",
        "/result/0000000000000000%00",
        "/result/0000000000000000/",
        "/result/0000000000000000%0a",
        "/result/' OR 1=1 --",
        "/compare/../..",
        "/result/?id=../../secret.jsonl",
        "file:///etc/passwd",
        "http://elsewhere/etc/passwd",
        "*",
    ],
)
def test_no_address_reaches_a_file(server, path):
    answer = raw(server, f"GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode(), answer=100_000)
    assert re.match(rb"HTTP/1\.1 (404|400) ", answer), answer[:60]
    assert SECRET.encode() not in answer
    assert b"root:" not in answer


@pytest.mark.parametrize(
    "line", [b"GET /\0 HTTP/1.0", b"GET /result/\0\0 HTTP/1.0", b"GET /\xff\xfe HTTP/1.0", b"GET / HTTP/9", b"\0"]
)
def test_noise_is_answered_and_the_server_lives_on(server, get, line):
    answer = raw(server, line + b"\r\nHost: localhost\r\n\r\n")
    assert re.match(rb"(HTTP/1\.1 (400|404|505)|<!doctype)", answer), answer[:60]
    assert get("/").status_code == 200


def test_a_reader_who_goes_away_does_no_harm(server, get, capfd):
    with socket.create_connection(("127.0.0.1", server.server_port)) as connection:
        connection.sendall(b"GET / HT")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # go with a reset
    assert get("/").status_code == 200
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "localhost.evil.example", "10.0.0.1", "", "[::1", "[x]"]
)
def test_a_foreign_name_for_this_machine_is_refused(server, host):
    answer = raw(server, f"GET / HTTP/1.0\r\nHost: {host}\r\n\r\n".encode(), answer=100_000)
    assert answer.startswith(b"HTTP/1.1 403 ")
    assert b"old run" not in answer


@pytest.mark.parametrize("host", ["localhost", "localhost:9999", "127.0.0.1", "127.0.0.1:1", "[::1]:8765"])
def test_names_of_this_machine_are_fine(server, host):
    assert raw(server, f"GET / HTTP/1.0\r\nHost: {host}\r\n\r\n".encode()).startswith(b"HTTP/1.1 200 ")


def test_no_host_is_no_name_of_this_machine(server):
    assert raw(server, b"GET / HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 403 ")


@pytest.fixture
def guarded(folder, served):
    with served(folder, token=TOKEN) as running:
        yield running


def test_without_the_token_nothing_is_shown(guarded):
    for path in (
        "",
        "history",
        f"result/{ids(guarded)['old run']}",
        "?token=wrong",
        "?token=",
        f"?token={TOKEN}&token=x",
    ):
        page = httpx.get(guarded.address + path, trust_env=False)
        assert page.status_code == 401
        assert page.headers["www-authenticate"] == "Bearer"
        assert "old run" not in page.text


def test_the_token_is_brought_once_and_a_cookie_stays(guarded):
    with httpx.Client(trust_env=False) as client:
        first = client.get(guarded.address + "history", params={"token": TOKEN})
        assert (first.status_code, first.headers["location"]) == (303, "/history")
        cookie = first.headers["set-cookie"]
        assert cookie.startswith(f"steelyard-{guarded.server_port}=")
        assert cookie.endswith("; HttpOnly; SameSite=Strict; Path=/")
        assert "random" not in cookie
        assert client.get(guarded.address).status_code == 200
    assert httpx.get(guarded.address, cookies={guarded.session_cookie: "guess"}, trust_env=False).status_code == 401


def test_the_way_on_from_a_token_stays_here(guarded):
    query = str(httpx.QueryParams(token=TOKEN))
    for path in ("//evil.example/", "/\\evil.example", "///evil.example"):
        lines = f"GET {path}?{query} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode()
        found = re.search(rb"Location: (.*)\r\n", raw(guarded, lines))
        assert found is None or re.match(rb"/[^/\\]|/$", found[1]), found


def test_the_token_as_a_header(guarded):
    def ask(value):
        return httpx.get(guarded.address, headers={"Authorization": value.encode()}, trust_env=False).status_code

    assert ask(f"Bearer {TOKEN}") == ask(f"bearer {TOKEN}") == 200
    assert ask("Bearer wrong") == ask(f"Basic {TOKEN}") == ask("Bearer") == 401


def test_elsewhere_a_token_is_needed():
    with pytest.raises(ConfigError) as caught:
        Access("0.0.0.0")
    assert str(caught.value).startswith("--host: 0.0.0.0 can be reached from other machines: a token is needed\nhint: ")
    assert Access("0.0.0.0", "T").is_own_host("any.example")
    assert not Access("0.0.0.0", "T").is_authorized("", None)


@pytest.mark.parametrize(
    ("host", "is_here"),
    [
        ("127.0.0.1", 1),
        ("127.9.9.9", 1),
        ("::1", 1),
        ("localhost", 1),
        ("0.0.0.0", 0),
        ("::", 0),
        ("10.1.1.1", 0),
        ("box", 0),
        ("", 0),
    ],
)
def test_loopback(host, is_here):
    assert is_loopback(host) == bool(is_here)


def test_a_port_that_is_taken_says_so(server, folder):
    with pytest.raises(ConfigError) as caught:
        ViewServer(server.viewer, Access("127.0.0.1"), server.server_port)
    message = f"--port: cannot listen on 127.0.0.1, port {server.server_port}: Address already in use"
    assert str(caught.value).startswith(message)
    with pytest.raises(ConfigError, match="port 70000: "):
        ViewServer(server.viewer, Access("127.0.0.1"), 70000)


def test_hostile_names_are_text(tmp_path, served):
    name = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    put(tmp_path / "<img src=x onerror=alert(3)>.jsonl", table(name), table(name + "2", kind="<b>kind"))
    (tmp_path / "<u>broken.jsonl").write_text("{<s>\n")
    with served(tmp_path) as server:
        pages = [httpx.get(server.address + path, trust_env=False).text for path in ("", "history")]
        pages += [server.viewer.page(f"/history/{entry.series}", "en").html for entry in server.viewer.listed().entries]
    for page in pages:
        assert not re.search(r"<img|<script>alert|<u>|<b>|<s>", page)


def test_the_token_is_not_in_the_words_for_the_rule():
    assert TOKEN not in repr(Access("0.0.0.0", TOKEN))


@posix
@pytest.mark.slow
def test_the_command_serves_until_interrupted(folder):
    words = [sys.executable, "-m", "steelyard", "view", str(folder), "--port", "0", "--lang", "zh"]
    environment = {name: value for name, value in os.environ.items() if name != "STEELYARD_TOKEN"}
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment) as process:
        line = process.stderr.readline()
        serving = re.fullmatch(rf"{re.escape(str(folder))} 的结果：(http://127\.0\.0\.1:\d+/)\n", line)
        assert serving
        page = httpx.get(serving[1], trust_env=False)
        assert '<html lang="zh-CN">' in page.text
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert (process.wait(timeout=10), process.stderr.read()) == (0, "")
