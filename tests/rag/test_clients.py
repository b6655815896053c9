"""Clients of models: no redirect is followed, and a reply is read and decoded up to a limit."""

import gzip
import json
import zlib

import pytest
import zstandard
from rag.chat_stub import completion, serving

from steelyard import SystemFailure, limits
from steelyard.rag.embedding import Endpoint
from steelyard.rag.generation import generate, open_generator, single_turns
from steelyard.rag.reranking import RerankerSettings, open_reranker, rerank
from steelyard.rag.retrieval import search_remote
from steelyard.rag.settings import EndpointSettings

KEY = "sk-secret-123"


def zstd(content):
    return zstandard.ZstdCompressor().compress(content)


ENCODERS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "zstd": zstd,
    "gzip, zstd": lambda content: zstd(gzip.compress(content)),
    "zstd, deflate": lambda content: zlib.compress(zstd(content)),
}


def silent(done, total):
    pass


def chat(url):
    config = {"model_name": "m", "base_url": url, "retries": 2, "base_delay": 0, "api_key": KEY}
    generator = open_generator("openai", configs={"openai": config})
    return generate(generator, single_turns(["secret text", "p"], ""))


def embed(url):
    settings = EndpointSettings("m", url, KEY, retries=0)
    return Endpoint(settings, batch_size=8).embed_passages(["secret text"], silent).tolist()


def reranked(url):
    config = {"model_name": "m", "base_url": url, "api_key": KEY, "retries": 0}
    opened = open_reranker(RerankerSettings("openai", backend_configs={"openai": config}))
    return rerank(opened, ["secret text"], [["a", "b"]], top_k=2, instruction="", progress=silent)


def search(url):
    return search_remote(url.removesuffix("/v1"), ["secret text"], top_k=2, instruction="")


CLIENTS = {"chat": chat, "embed": embed, "rerank": reranked, "search": search}
REPLIES = {
    "chat": completion("fine"),
    "embed": {"data": [{"index": 0, "embedding": [1.0, 2.0]}]},
    "rerank": {"results": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.1}]},
    "search": {"ret_psg": [["a"]]},
}
VALUES = {"chat": (["fine"] * 2, [None] * 2), "embed": [[1.0, 2.0]], "rerank": [["b", "a"]], "search": [["a"]]}


@pytest.fixture
def stubs(monkeypatch):
    """Two servers that give `script["reply"]`, whatever is asked, and remember the paths."""
    from rag.chat_stub import Handler

    def do_post(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.server.requests.append((self.path, dict(self.headers)))
        self.send(*self.server.script["reply"])

    monkeypatch.setattr(Handler, "do_POST", do_post)
    with serving() as first, serving() as second:
        yield first, second


@pytest.mark.slow
@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("status", [301, 307, 308])
def test_no_redirect_is_followed(stubs, name, status):
    here, elsewhere = stubs
    here.script = {"reply": (status, {"location": f"{elsewhere.url}/x".replace("//", "//user:word@")}, b"")}
    elsewhere.script = {"reply": (200, {}, REPLIES[name])}
    with pytest.raises(SystemFailure) as caught:
        CLIENTS[name](here.url)
    assert f"it redirects to {elsewhere.url}/x, which is not followed" in str(caught.value)
    assert elsewhere.requests == []
    assert len(here.requests) == (2 if name == "chat" else 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("encoding", ENCODERS)
def test_every_encoding_is_read(stubs, name, encoding):
    content = ENCODERS[encoding](json.dumps(REPLIES[name]).encode())
    stubs[0].script = {"reply": (200, {"content-encoding": encoding}, content)}
    assert CLIENTS[name](stubs[0].url) == VALUES[name]
    sent = {key.lower(): value for key, value in stubs[0].requests[0][1].items()}
    assert sent["accept-encoding"] == "gzip, deflate, zstd"


@pytest.mark.slow
@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("encoding", ["", *ENCODERS])
def test_a_reply_beyond_the_limit_is_a_failure_with_the_way_to_raise_it(stubs, name, encoding, monkeypatch):
    limit = limits.REPLY_BYTES if name == "chat" else limits.MODEL_REPLY_BYTES
    monkeypatch.setattr(limit, "value", 100_000)
    content = json.dumps({"x": "y" * 200_000}).encode()
    encoded = ENCODERS.get(encoding, bytes)(content)
    stubs[0].script = {"reply": (200, {"content-encoding": encoding}, encoded)}
    with pytest.raises(SystemFailure) as caught:
        CLIENTS[name](stubs[0].url)
    assert "the size of the reply is above the limit of 100,000" in str(caught.value)
    assert f"to raise the limit, set STEELYARD_{limit.name}" in str(caught.value)
    assert len(stubs[0].requests) == (2 if name == "chat" else 1)  # asking again would not help


@pytest.mark.slow
@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize(
    ("headers", "content"),
    [
        ({"content-encoding": "br"}, b"xx"),
        ({"content-encoding": "gzip"}, b"no gzip"),
        ({"content-encoding": "zstd"}, b"no zstd"),
        ({"content-encoding": ", ".join(["gzip"] * 9)}, b""),
        ({}, b"[" * 100_000),
        ({}, b'{"x": ' + b"1" * 5000 + b"}"),
        ({}, b"\xff\xfe"),
        ({}, b"[1e400, NaN]"),
    ],
)
def test_a_reply_that_cannot_be_read_is_a_failure_of_the_system(stubs, name, headers, content):
    stubs[0].script = {"reply": (200, headers, content)}
    with pytest.raises(SystemFailure):
        CLIENTS[name](stubs[0].url)


def test_scores_of_any_size_rank(stubs):
    rows = [{"index": 0, "relevance_score": 10**400}, {"index": 1, "relevance_score": 2}]
    stubs[0].script = {"reply": (200, {}, {"results": rows})}
    assert reranked(stubs[0].url) == [["b", "a"]]
