"""An embeddings endpoint: its settings are those of any interface, bad replies are refused, the key is never shown."""

import numpy as np
import pytest
from rag.chat_stub import Handler, Stub, serving

from steelyard import ConfigError, SystemFailure, UnknownName
from steelyard.net.secrets import public_address
from steelyard.rag.embedding import Endpoint
from steelyard.rag.settings import EndpointSettings, endpoint_settings
from steelyard.search.vectors import check_vectors

KEY = "sk-secret-123"
WHERE = "backend_configs.openai"
NOTHING = "the reply has no embedding with its index for each text"


@pytest.fixture
def stub(monkeypatch):
    """An endpoint that gives `script["reply"]`, whatever is asked."""
    monkeypatch.setattr(Handler, "do_POST", lambda self: self.send(*self.server.script["reply"]))
    with serving() as server:
        yield server


def settings(**config):
    return endpoint_settings(EndpointSettings, {"model_name": "m", "api_key": KEY, **config}, where=WHERE)


def embed(stub: Stub, reply, *, texts=("x", "y"), **config):
    stub.script = {"reply": reply}
    endpoint = Endpoint(settings(**{"base_url": stub.url, "retries": 0, **config}), batch_size=8)
    return endpoint.embed_passages(texts, lambda done, total: None)


def data(*embeddings):
    return 200, {}, {"data": [{"index": place, "embedding": each} for place, each in enumerate(embeddings)]}


@pytest.mark.slow
def test_embeddings_come_as_numbers(stub):
    found = embed(stub, data([1, 2.5], [0.5, 3]))
    assert (found.dtype, found.tolist()) == (np.float32, [[1.0, 2.5], [0.5, 3.0]])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (
            (200, {}, b"{"),
            "the embeddings endpoint failed: the reply cannot be read: this is not JSON: "
            "Expecting property name enclosed in double quotes (column 2); it begins with '{'",
        ),
        ((200, {}, b"\xff"), "the embeddings endpoint failed: the reply is not UTF-8 text: byte 0xff"),
        (
            (200, {"content-type": "text/html"}, b"<html>"),
            "the embeddings endpoint failed: the model answered with HTML: <html>\n"
            "hint: is this the address of the API, or of a web page?",
        ),
        ((200, {}, {}), NOTHING),
        ((200, {}, {"data": None}), NOTHING),
        ((200, {}, {"data": [None, None]}), NOTHING),
        ((200, {}, {"data": [{"embedding": [1.0]}] * 2}), NOTHING),
        (data(None, None), NOTHING),
        (data([1.0], "AAAA"), NOTHING),
        ((200, {}, {"data": []}), "the reply has 0 embeddings for 2 texts"),
        (data([1.0], [{}]), "the embeddings are not numbers"),
        (data([1.0], ["x"]), "the embeddings are not numbers"),
        (data([1.0], [[1.0]]), "the embeddings are not numbers"),
        (data([], [1.0]), "the embeddings are of different lengths"),
    ],
)
def test_what_is_no_embedding_is_a_failure_of_the_system(stub, reply, message):
    with pytest.raises(SystemFailure) as caught:
        embed(stub, reply)
    assert str(caught.value) == f"{stub.url}: {message}"


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([[], []], "the model returned vectors without dimensions"),
        ([[1.0], [None]], "the model returned vectors with numbers that are not finite"),
    ],
)
def test_vectors_that_cannot_be_searched_are_refused(stub, vectors, message):
    found = embed(stub, data(*vectors))
    with pytest.raises(SystemFailure) as caught:
        check_vectors(found)
    assert str(caught.value) == message


def test_a_key_that_the_endpoint_sends_back_is_not_shown(stub):
    reply = f"wrong: Bearer {KEY} is unknown"
    with pytest.raises(SystemFailure) as caught:
        embed(stub, (401, {}, {"error": {"message": reply}}))
    assert str(caught.value).splitlines()[0] == (
        f"{stub.url}: the embeddings endpoint failed: the model answered with status 401: wrong: *** is unknown"
    )
    assert str(caught.value.hint).endswith("RETRIEVER_API_KEY")


def test_an_endpoint_that_cannot_be_reached(stub):
    with pytest.raises(SystemFailure) as caught:
        embed(stub, None, base_url="http://user:word@127.0.0.1:9/v1")
    head = "http://127.0.0.1:9/v1: the embeddings endpoint failed: the model cannot be reached: "
    assert str(caught.value).startswith(head)
    assert "word" not in str(caught.value)
    assert public_address("https://user:word@host:1/v1?x=1") == "https://host:1/v1"


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"model_name": ""}, "model_name is missing"),
        ({"retries": "x"}, "retries must be an integer of at least 0, not 'x'"),
        ({"retries": -1}, "retries must be an integer of at least 0, not -1"),
        ({"concurrency": 0}, "concurrency must be an integer of at least 1, not 0"),
        ({"timeout": True}, "timeout must be a number of at least 0, not True"),
        (
            {"concurrency": 1_000_000},
            "concurrency is above the limit of 1,024 (1,000,000)\nhint: to raise the limit, set STEELYARD_CONCURRENCY",
        ),
        (
            {"retries": 10**30},
            "retries is above the limit of 100 (about 1e30)\nhint: to raise the limit, set STEELYARD_RETRIES",
        ),
        ({"api_key": 7}, "api_key must be text, not int"),
        ({"api_key": "sk-\nx"}, "the key has characters that HTTP does not allow"),
        ({"base_url": "file:///x"}, "not a valid address: file:///x\nhint: for example http://localhost:8000/v1"),
        (
            {"base_url": "http://u:key@[::1/v1"},
            "not a valid address: [::1/v1\nhint: for example http://localhost:8000/v1",
        ),
        ({"retires": 3}, "no setting is called 'retires'\nhint: did you mean 'retries'?"),
        (
            {"zzz": 1},
            "no setting is called 'zzz'\nhint: known: model_name, base_url, concurrency, retries, timeout, api_key",
        ),
    ],
)
def test_bad_settings_are_refused(config, message):
    with pytest.raises((ConfigError, UnknownName)) as caught:
        settings(**config)
    assert str(caught.value) == f"{WHERE}: {message}"


def test_the_key_is_no_part_of_what_is_printed():
    assert KEY not in repr(settings())
