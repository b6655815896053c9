"""Addresses, and objects read over HTTP from a server on this machine."""

import gzip
import json
import pickle
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from commands import ROOT, run, start

import steelyard
from steelyard.errors import ConfigError, InputError, MissingExtra
from steelyard.io.addresses import Address, addressed, file_name, path_of
from steelyard.io.records import format_suffix, result_name
from steelyard.io.streams import is_file, is_folder, open_stream, read_once

DATA = ROOT / "data"
CLOUD = '"aiohttp>=3.10" "fsspec>=2024.10" "s3fs>=2024.10"'
SECRET = "hush0123456789"
LONG_RUN = b"".join(b"q%d Q0 document 1 1.0 tag\n" % number for number in range(300_000))


class _Handler(BaseHTTPRequestHandler):
    """Files of `data`; every other name is a way to fail."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        name = self.path.partition("?")[0].strip("/")
        self.asked.append(self.path)
        if name in ("401", "403", "503"):
            self.send_error(int(name))
        elif name in ("203", "206"):  # the first lines of a run
            self._send(b"".join((DATA / "run_a.txt").read_bytes().splitlines(keepends=True)[:3]), status=int(name))
        elif name == "cut.txt":
            self._send(LONG_RUN, missing=1000)
        elif name.endswith(".gz") and (DATA / name[:-3]).is_file():
            self._send(gzip.compress((DATA / name[:-3]).read_bytes()))
        elif (DATA / name).is_file():
            self._send((DATA / name).read_bytes())
        else:
            self.send_error(404)

    def _send(self, content: bytes, missing: int = 0, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content) + missing))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_addresses_are_known_by_their_scheme():
    assert isinstance(addressed("s3://bucket/run.txt"), Address)
    assert addressed("S3://bucket/run.txt") == Address("s3://bucket/run.txt")
    for local in ("run.txt", "s3", "s3:run.txt", "-", "ftp://host/run.txt", "C:/run.txt", "s3://"):
        assert addressed(local) == local
    assert path_of("run.txt") == Path("run.txt")


def test_a_path_never_leads_to_the_network():
    """Names in files, such as the document of a question, become paths."""
    path = Path("http://127.0.0.1:1/x")
    assert addressed(path) is path
    assert not is_file(path)
    with pytest.raises(InputError, match="no such file") as caught:
        open_stream(path)
    assert "give the address as text" in str(caught.value)


def test_an_address_is_a_path():
    address = Address("https://host/a/run%20b.tsv.gz?sig=a/b.txt#top")
    assert (address.name, address.suffix, address.stem) == ("run b.tsv.gz", ".gz", "run b.tsv")
    assert format_suffix(address) == format_suffix(address.url) == ".tsv"
    assert file_name("s3://bucket/a//run.txt") == "run.txt"
    assert result_name("s3://bucket/a/bm25.run.gz") == result_name("bm25.run.gz")
    assert Address("s3://bucket/a/x").with_name("y").url == "s3://bucket/a/y"
    assert pickle.loads(pickle.dumps(address)).url == address.url
    assert (is_file(address), is_folder(address), read_once(address)) == (True, False, False)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (f"https://u:{SECRET}@host/x.txt", "https://***@host/x.txt"),
        (f"https://host/x.txt?X-Amz-Signature={SECRET}&v=1", "https://host/x.txt?X-Amz-Signature=***&v=***"),
        (f"s3://key:{SECRET}@bucket/x", "s3://***@bucket/x"),
        ("abfs://files@account.dfs.core.windows.net/x", "abfs://files@account.dfs.core.windows.net/x"),
        (f"abfs://u:{SECRET}@account/x", "abfs://***@account/x"),
    ],
)
def test_secrets_of_addresses_are_not_shown(url, shown):
    assert str(Address(url)) == shown
    assert SECRET not in repr(Address(url)) + f"{Address(url)}"
    assert Address(url).url == url


@pytest.mark.parametrize(
    "reply",
    [
        b"Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n5\r\nq1 Q0\r\nzz\r\n",
        b"Content-Length: abc\r\n\r\nq1 Q0 d1 1 1 t\n",
        b"no header\r\n\r\n",
    ],
)
def test_a_malformed_reply_is_called_so(reply):
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(b"HTTP/1.1 200 OK\r\n" + reply)

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/run.txt"
        done = run("retrieval", DATA / "qrels.txt", url, "--lang", "en")
        thread.join()
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, f"{url}: the reply of the server is malformed")


def test_values_and_digests_over_http_are_those_of_the_files(site):
    local = run("retrieval", "qrels.txt", "run_a.txt", "run_b.txt", "--json", cwd=DATA)
    over = run("retrieval", *(f"{site}/{name}" for name in ("qrels.txt", "run_a.txt.gz", "run_b.txt")), "--json")
    assert over == local
    assert local.returncode == 0
    answers = [run("answers", name, "--json", cwd=DATA) for name in ("answers_a.jsonl", f"{site}/answers_a.jsonl")]
    assert answers[0] == answers[1]
    assert answers[0].returncode == 0


def test_python_takes_addresses(site):
    from_site = steelyard.evaluate_retrieval(f"{site}/qrels.txt", f"{site}/run_a.txt?token={SECRET}")
    local = steelyard.evaluate_retrieval(DATA / "qrels.txt", DATA / "run_a.txt")
    assert from_site.signature == local.signature
    assert str(from_site.summary()) == str(local.summary())
    assert from_site.name == local.name == "run_a"


def test_a_file_is_requested_once_and_read_in_pieces(site):
    _Handler.asked.clear()
    stream = open_stream(f"{site}/run_a.txt")
    pieces = list(iter(lambda: stream.read(1000), b""))
    assert max(map(len, pieces)) == 1000
    assert b"".join(pieces) == (DATA / "run_a.txt").read_bytes()
    assert _Handler.asked == ["/run_a.txt"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nothing.txt", "no such object"),
        ("401", "access was denied"),
        ("403", "access was denied"),
        ("503", "the server answered with status 503"),
        ("206", "the server answered with status 206"),
        ("203", "the server answered with status 203"),
    ],
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_failures_over_http_are_one_message(site, name, said, lang):
    url = f"{site.replace('//', f'//user:{SECRET}@')}/{name}?sig={SECRET}"
    done = run("retrieval", DATA / "qrels.txt", url, "--lang", lang)
    assert done.returncode == 2
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 2
    assert SECRET not in done.stderr
    assert lines[0].startswith(f"{site.replace('//', '//***@')}/{name}?sig=***: ")
    if lang == "en":
        assert said in lines[0]
        assert lines[1].startswith("hint: ")


def test_a_connection_that_ends_early_is_an_error_with_its_place(site):
    done = run("retrieval", DATA / "qrels.txt", f"{site}/cut.txt")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 2
    said = rf"{site}/cut.txt: the connection was lost after ([0-9,]+) bytes: ClientPayloadError"
    found = re.match(said, done.stderr)
    assert found
    assert 0 < int(found[1].replace(",", "")) <= len(LONG_RUN)


def test_a_server_that_does_not_answer_is_an_error():
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    with pytest.raises(InputError, match=r"http://\*\*\*@127.0.0.1:1/x: the store could not be reached: Connection"):
        open_stream(f"http://u:{SECRET}@127.0.0.1:1/x")


def test_a_host_without_an_address_is_an_error():
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    with pytest.raises(InputError, match=r"//no-such-host.invalid/x: the store could not be reached: no such host"):
        open_stream("http://no-such-host.invalid/x")


def test_http_is_not_written(site, tmp_path):
    table = steelyard.evaluate_retrieval(DATA / "qrels.txt", DATA / "run_a.txt")
    with pytest.raises(ConfigError, match="can be read, but not written"):
        table.save(f"{site}/results.jsonl")
    done = run("retrieval", DATA / "qrels.txt", DATA / "run_a.txt", "-o", f"{site}/r.jsonl", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert not list(tmp_path.iterdir())


def test_a_file_over_http_that_has_no_results_is_named(site):
    with pytest.raises(InputError, match=rf"{site}/answers_a.jsonl\?sig=\*\*\*") as caught:
        steelyard.load(f"{site}/answers_a.jsonl?sig={SECRET}")
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "package", "line"),
    [
        ("gs://bucket/x", "gcsfs", f'pip install {CLOUD} "gcsfs" (the extra steelyard[cloud])'),
        ("az://files/x", "adlfs", f'pip install {CLOUD} "adlfs" (the extra steelyard[cloud])'),
    ],
)
def test_a_missing_package_is_named_with_its_install_line(url, package, line):
    pytest.importorskip("fsspec")
    with pytest.raises(MissingExtra) as caught:
        open_stream(url)
    assert str(caught.value).splitlines() == [
        f"reading and writing {url[:2]}:// addresses needs the package {package}",
        f"hint: {line}",
    ]


def test_without_the_extra_nothing_is_computed(tmp_path):
    (tmp_path / "fsspec.py").write_text("raise ModuleNotFoundError('no fsspec', name='fsspec')\n")
    path = {"PYTHONPATH": f"{tmp_path}:{ROOT / 'src'}"}
    for words in (("s3://bucket/run.txt",), (DATA / "run_a.txt", "-o", "s3://bucket/r.jsonl")):
        done = start("retrieval", DATA / "qrels.txt", *words, **path)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.splitlines() == [
            "reading and writing s3:// addresses needs the package fsspec",
            f"hint: pip install {CLOUD} (the extra steelyard[cloud])",
        ]


def test_local_commands_do_not_load_fsspec():
    code = (
        "import sys, steelyard.cli as c; c.main(sys.argv[1:]); print('fsspec' in sys.modules, 'aiohttp' in sys.modules)"
    )
    words = ["retrieval", str(DATA / "qrels.txt"), str(DATA / "run_a.txt"), "--json"]
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    text, _, last = done.stdout.rstrip().rpartition("\n")
    assert last == "False False"
    assert json.loads(text)


def test_an_engine_gives_the_same_for_an_address(site):
    line = ("retrieval", f"{site}/qrels.txt", f"{site}/run_a.txt", "--json")
    assert run(*line, "--engine", "local", "-j", "2").stdout == run(*line).stdout != ""
