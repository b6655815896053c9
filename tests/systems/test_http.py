"""Systems over HTTP: requests, replies and failures."""

import gzip
import socket
import socketserver
import subprocess
import sys
import threading
import time
import zlib
from contextlib import suppress
from email.utils import formatdate
from typing import Any

import pytest
import zstandard
from platforms import linux
from systems.server import Answer

from steelyard.errors import ConfigError, SystemFailure
from steelyard.net.retry import RetryableFailure
from steelyard.net.secrets import public_address
from steelyard.systems.ask import AskSettings, ask_all
from steelyard.systems.base import Ask, SystemSettings
from steelyard.systems.http import HttpSystem

ASK = Ask("fact_001", "一共收了多少？", "transcript.md")


def reply_to(url, **settings):
    return HttpSystem(url, SystemSettings(**settings)).ask(ASK)


def failure_of(url, **settings):
    with pytest.raises(SystemFailure) as caught:
        reply_to(url, **settings)
    return caught.value


def test_a_question_and_its_reply(serve):
    server = serve(Answer({"answer": "42000元", "citations": [{"page": 2, "text": "共42000元"}]}))
    reply = reply_to(f"{server.url}/ask?x=1", headers={"X-Tenant": "a"})
    assert reply.record == {"answer": "42000元", "citations": [{"page": 2, "text": "共42000元"}], "evidence": []}
    ((path, headers, body),) = server.requests
    assert path == "/ask?x=1"
    assert body == {"id": "fact_001", "question": "一共收了多少？", "document": "transcript.md"}
    assert headers["Content-Type"] == "application/json"
    assert headers["X-Tenant"] == "a"


def test_the_key_of_a_chat_model_goes_nowhere_else(serve):
    server = serve(Answer({"answer": "x"}))
    reply_to(server.url, key="sk-secret")
    assert "sk-secret" not in str(server.requests)


def test_text_alone_a_mark_at_the_head_and_compression(serve):
    assert reply_to(serve(Answer("是的")).url).record["answer"] == "是的"
    assert reply_to(serve(Answer(b'\xef\xbb\xbf{"answer": "x"}')).url).record["answer"] == "x"
    packed = Answer(gzip.compress(b'{"answer": "x"}', mtime=0), headers={"Content-Encoding": "gzip"})
    assert reply_to(serve(packed).url).record["answer"] == "x"


def test_the_environment_is_not_read(serve, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert reply_to(serve(Answer({"answer": "x"})).url).record["answer"] == "x"


def test_a_request_of_another_shape(serve):
    server = serve(Answer({"answer": "x"}))
    template = '{"inputs": [{"q": "问：{question}"}], "user": "{id}", "file": "{document}", "n": 3, "{question}": null}'
    system = HttpSystem(server.url, SystemSettings(request=template))
    system.ask(Ask("a", 'say "hi"\n{id} {document} \\', "b.md"))
    assert server.bodies == [
        {"inputs": [{"q": '问：say "hi"\n{id} {document} \\'}], "user": "a", "file": "b.md", "n": 3, "{question}": None}
    ]


@pytest.mark.parametrize(
    ("template", "body"),
    [
        ("/data/answer", {"data": {"answer": "x"}}),
        ("data.answer", {"data": {"answer": "x"}}),
        ("/data", {"data": {"answer": "x", "other": 1}}),
        ("choices[0].text", {"choices": [{"text": "x"}]}),
        ("$.choices.0.text", {"choices": [{"text": "x"}]}),
        ("/a~1b/c~0d", {"a/b": {"c~d": "x"}}),
        ("answer=/data/answer,citations=/data/sources", {"data": {"answer": "x"}}),
    ],
)
def test_a_reply_of_another_shape(serve, template, body):
    assert reply_to(serve(Answer(body)).url, response=template).record["answer"] == "x"


def test_several_paths_in_a_reply(serve):
    body = {"data": {"reply": "x", "refs": [{"page": 1, "text": "甲"}], "answer": "not this"}, "evidence": 5}
    record = reply_to(serve(Answer(body)).url, response="answer=/data/reply, citations=data.refs").record
    assert record == {"answer": "x", "citations": [{"page": 1, "text": "甲"}], "evidence": []}


def test_a_path_without_a_value(serve):
    failure = failure_of(serve(Answer({"code": 0, "data": {"text": "x"}})).url, response="/data/answer")
    assert str(failure.message) == "the reply has nothing at /data/answer; it has: 'text'"
    failure = failure_of(serve(Answer({"data": []})).url, response="answer=data.0.text")
    assert str(failure.message) == "the reply has nothing at /data/0/text; it has: list"


def test_a_reply_without_an_answer_names_the_option_that_says_where_it_is(serve):
    failure = failure_of(serve(Answer({"data": {"text": "x"}})).url)
    assert str(failure.message) == (
        "the reply has no answer; its fields are: 'data'; say where the answer is, for example --response /data/answer"
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"request": "{question}"}, "the request template cannot be read: this is not JSON:"),
        ({"request": '{"q": "question"}'}, "no text of the request template contains {question}"),
        ({"response": "answer="}, "a response template must be FIELD=PATH, not 'answer='"),
        ({"response": "answer=/a,b"}, "a response template must be FIELD=PATH, not 'b'"),
        ({"response": "citation=/a"}, "no field is called 'citation'"),
        ({"headers": {"X": "a\nb"}}, "the header 'X' has characters that HTTP does not allow"),
        ({"headers": {"X": "密钥"}}, "the header 'X' has characters that HTTP does not allow"),
    ],
)
def test_templates_and_headers_are_checked_before_anything_is_asked(settings, message):
    with pytest.raises(ConfigError) as caught:
        HttpSystem("http://127.0.0.1:9/", SystemSettings(**settings))
    assert str(caught.value.message).startswith(message)
    if "request" in settings:
        assert str(caught.value.hint) == 'for example {"query": "{question}"}'


PAGE = (
    b"<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head><body>nginx is not amused today</body></html>"
)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "the system answered with an empty body"),
        (b" \n", "the system answered with an empty body"),
        (
            PAGE,
            "the system answered with HTML: <!DOCTYPE html> <html><head><title>502 Bad Gateway</title></…",
        ),
        ('{"answer": "四万二千"}'.encode("gbk"), "the reply is not UTF-8 text: byte 0xcb; it looks like GBK"),
        (b'{"answer": "\xff\xfe"}', "the reply is not UTF-8 text: byte 0xff"),
        (
            b'{"answer": "x", "score": NaN}',
            "the reply cannot be read: NaN is not a valid JSON number; "
            """it begins with '{"answer": "x", "score": NaN}'""",
        ),
        (
            b'{"answer": "x", "amount_total": -Infinity}',
            "the reply cannot be read: -Infinity is not a valid JSON number; "
            """it begins with '{"answer": "x", "amount_total": -Infinity}'""",
        ),
        (b"OK", "the reply cannot be read: this is not JSON: Expecting value (column 1); it begins with 'OK'"),
        (b'[{"answer": "x"}]', "the reply must be text or an object, not [{'answer': 'x'}]"),
        (b'{"answer": "' + b"x" * (8 << 20) + b'"}', "the size of the reply is above the limit of 4,194,304"),
    ],
)
def test_bad_replies_are_final(serve, body, message):
    failure = failure_of(serve(Answer(body)).url)
    assert str(failure.message) == message
    assert not isinstance(failure, RetryableFailure)


@pytest.mark.parametrize(
    ("status", "again"),
    [(400, False), (401, False), (404, False), (302, False), (408, True), (409, True), (429, True), (500, True)],
)
def test_statuses(serve, status, again):
    failure = failure_of(serve(Answer(b'{"error": "quota"}', status=status)).url)
    assert str(failure.message) == f"the system answered with status {status}: " + '{"error": "quota"}'
    assert isinstance(failure, RetryableFailure) is again


def test_a_status_with_an_empty_body(serve):
    assert (
        str(failure_of(serve(Answer(b"", status=502)).url).message)
        == "the system answered with status 502: an empty body"
    )


def test_a_redirect_is_not_followed(serve):
    failure = failure_of(serve(Answer(b"", status=307, headers={"Location": "http://me:pw@elsewhere/x?key=1"})).url)
    assert str(failure.message) == (
        "the system cannot be reached: it redirects to http://elsewhere/x, which is not followed; "
        "use that address if you trust it"
    )
    assert not isinstance(failure, RetryableFailure)


def test_the_message_of_an_error_object(serve):
    body = {"error": {"message": "the model m does not exist, " + "x" * 250, "type": "not_found"}}
    failure = failure_of(serve(Answer(body, status=404)).url)
    assert str(failure.message) == "the system answered with status 404: the model m does not exist, " + "x" * 172 + "…"


@pytest.mark.parametrize(
    ("wish", "low", "high"), [("7", 7, 7), ("1.5", 1.5, 1.5), ("\xa0" * 25 + "5 ", 5, 5), (60, 30, 60), (-60, 0, 0)]
)
def test_retry_after(serve, wish, low, high):
    header = wish if isinstance(wish, str) else formatdate(time.time() + wish, usegmt=True)
    failure = failure_of(serve(Answer(b"", status=429, headers={"Retry-After": header})).url)
    assert low <= failure.retry_after <= high


@pytest.mark.parametrize("header", [{}, {"Retry-After": "soon"}])
def test_no_retry_after(serve, header):
    assert failure_of(serve(Answer(b"", status=503, headers=header)).url).retry_after is None


def test_a_slow_system_is_tried_again(serve):
    failure = failure_of(serve(Answer({"answer": "x"}, slow=True)).url, timeout=0.05)
    assert str(failure.message) == "no reply within 0.05 s"
    assert isinstance(failure, RetryableFailure)


def test_the_timeout_holds_for_the_whole_reply(serve):
    drops = Answer({"answer": "x" * 500}, pause=0.01)
    assert str(failure_of(serve(drops).url, timeout=0.1).message) == "no reply within 0.1 s"


def test_a_system_that_is_not_there_is_tried_again():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/"
    failure = failure_of(url)
    assert str(failure.message).startswith("the system cannot be reached: ")
    assert isinstance(failure, RetryableFailure)


def test_a_reply_that_cannot_be_decompressed(serve):
    failure = failure_of(serve(Answer(b"not gzip", headers={"Content-Encoding": "gzip"})).url)
    assert str(failure.message).startswith("the reply cannot be decompressed: ")


def test_the_name_of_a_system_keeps_secrets():
    assert public_address("https://me:secret@host:8000/ask?token=secret#x") == "https://host:8000/ask"


def zstd_bomb(size):
    packer = zstandard.ZstdCompressor(level=3).compressobj()
    piece = bytes(1 << 24)
    return b"".join([*(packer.compress(piece) for _ in range(size // len(piece))), packer.flush()])


def bombs():
    gzipped = gzip.compress(bytes(1 << 26))
    return {
        "gzip": gzipped,
        "deflate": zlib.compress(bytes(1 << 26)),
        "zstd": zstd_bomb(1 << 31),
        "gzip, gzip": gzip.compress(gzipped, mtime=0),
        "gzip, zstd": zstandard.compress(gzipped),
    }


WITHIN = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
from steelyard.systems.http import HttpSystem
from steelyard.systems.base import Ask
from steelyard.systems.base import SystemSettings
for url in sys.argv[1:]:
    try:
        HttpSystem(url, SystemSettings()).ask(Ask("a", "b"))
    except Exception as error:
        print(type(error).__name__, error.args[0])
"""


@linux
@pytest.mark.slow
def test_decoding_of_replies_stops_at_the_limit(serve):
    servers = [
        serve(Answer(content, headers={"Content-Encoding": encoding})).url for encoding, content in bombs().items()
    ]
    done = subprocess.run([sys.executable, "-c", WITHIN, *servers], capture_output=True, text=True, check=False)
    refused = "SystemFailure the size of the reply is above the limit of 4,194,304"
    assert done.stdout.splitlines() == [refused] * len(servers), done.stderr


@pytest.mark.parametrize(
    ("encoding", "content", "why"),
    [
        ("br", b"x", "encoding 'br', which was not requested"),
        ("gzip", b"x" * 20, "Error -3 while decompressing data: incorrect header check"),
        ("gzip", gzip.compress(b'{"answer": "x"}', mtime=0)[:-9], "the compressed data are incomplete"),
        ("gzip", gzip.compress(b"", mtime=0) * 150_000, "more than 64 gzip members"),
        ("zstd", b"x" * 20, None),
        (", ".join(["gzip"] * 9), b"x", "9 nested encodings"),
    ],
)
def test_encodings_that_cannot_be_read(serve, encoding, content, why):
    failure = failure_of(serve(Answer(content, headers={"Content-Encoding": encoding})).url)
    assert str(failure.message).startswith("the reply cannot be decompressed: " + (why or ""))
    assert not isinstance(failure, RetryableFailure)


def test_only_encodings_that_can_be_read_are_asked_for(serve):
    server = serve(Answer({"answer": "x"}))
    reply_to(server.url)
    assert server.requests[0][1]["Accept-Encoding"] == "gzip, deflate, zstd"


class Dripping(socketserver.BaseRequestHandler):
    """Sends the head of a reply a byte at a time, and never ends."""

    server: Any

    def handle(self):
        self.server.open.add(self.request)
        with suppress(OSError):
            self.request.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
            while not self.server.released.wait(0.01):
                self.request.sendall(b"x")
        self.server.open.discard(self.request)


@pytest.fixture
def dripping():
    server: Any = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Dripping)
    server.daemon_threads, server.released, server.open = True, threading.Event(), set()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.released.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.slow
def test_slow_headers_keep_no_thread_and_no_connection(dripping):
    url = f"http://127.0.0.1:{dripping.server_address[1]}/"
    assert str(failure_of(url, timeout=0.1).message) == "no reply within 0.1 s"
    before = threading.active_count() - len(dripping.open)
    system = HttpSystem(url, SystemSettings(timeout=0.1))
    found = list(ask_all(system, [Ask(f"q{n}", "?") for n in range(60)], AskSettings(timeout=0.1, retries=0)))
    assert {str(answer.message) for _, answer in found} == {"no reply within 0.1 s"}
    for _ in range(1000):
        if not dripping.open and threading.active_count() <= before:
            break
        time.sleep(0.01)
    assert not dripping.open
    assert threading.active_count() <= before
