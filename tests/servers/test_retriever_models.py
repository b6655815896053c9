"""The retriever server with models: behind an endpoint, on this machine, or in a retriever elsewhere."""

import json
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from servers.retriever_calls import CORPUS, call, fresh, ready, serving

from steelyard.errors import ConfigError, MissingExtra, SystemFailure
from steelyard.pipelines.server import callbacks


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RETRIEVER_API_KEY", raising=False)
    return fresh()


def vector(text):
    return [1.0 + text.count("a"), 1.0 + text.count("b"), float(len(text))]


def endpoint(url, **more):
    return {"openai": {"model_name": "tiny", "base_url": f"{url}/v1", "concurrency": 3, "retries": 2, **more}}


@pytest.mark.slow
def test_an_embeddings_endpoint(server, write, monkeypatch):
    asked, keys = [], set()

    def answer(path, headers, sent):
        asked.append(sent["input"])
        keys.add(headers["Authorization"])
        if len(asked) == 1:
            return 500, {"error": {"message": "not yet"}}
        rows = [{"object": "embedding", "index": n, "embedding": vector(text)} for n, text in enumerate(sent["input"])]
        return 200, {"object": "list", "model": sent["model"], "data": rows[::-1], "usage": {}}

    monkeypatch.setenv("RETRIEVER_API_KEY", "secret")
    rows = "".join(json.dumps({"id": str(n), "contents": "a" * n + "b" * (7 - n)}) + "\n" for n in range(7))
    corpus = str(write("corpus.jsonl", rows))
    with serving(answer) as url:
        monkeypatch.setenv("RETRIEVER_BASE_URL", url)
        ready(server, corpus_path=corpus, backend="openai", backend_configs=endpoint(url), batch_size=2)
        assert sorted(len(texts) for texts in asked) in ([1, 2, 2, 2, 2], [1, 1, 2, 2, 2])  # one of them twice
        found = call(server, "retriever_search", query_list=["a" * 5, ""], top_k=2, query_instruction="bb")
        assert found["ret_ids"] == [["5", "6"], []]
        assert asked[-1] == ["bbaaaaa"]
    assert keys == {"Bearer secret"}
    assert np.load("output/embedding/embedding.npy").tolist() == [vector("a" * n + "b" * (7 - n)) for n in range(7)]
    call(
        server,
        "retriever_init",
        corpus_path=corpus,
        backend="openai",
        backend_configs=endpoint(url, model_name="other"),
    )
    with pytest.raises(ConfigError, match=r"this file was made from other data: model tiny, now other\n"):
        call(server, "retriever_search", query_list=["a"])


def test_the_same_model_at_another_address_is_a_notice(server):
    def answer(path, headers, sent):
        return 200, {"data": [{"index": n, "embedding": vector(text)} for n, text in enumerate(sent["input"])]}

    def search(url):
        again, notices = fresh(), []
        with callbacks(on_notice=lambda notice: notices.append(str(notice))):
            call(again, "retriever_init", corpus_path=CORPUS, backend="openai", backend_configs=endpoint(url))
            call(again, "retriever_search", query_list=["a"])
        return notices

    with serving(answer) as first, serving(answer) as second:
        ready(server, corpus_path=CORPUS, backend="openai", backend_configs=endpoint(first))
        assert search(first) == []
        moved = [f"output/index/index.faiss: made by tiny at {first}/v1; the endpoint is now {second}/v1"]
        assert search(second) == moved
        for path in Path("output").rglob("*.stamp.json"):  # as earlier versions wrote it
            stamp = json.loads(path.read_text(encoding="utf-8"))
            stamp["model"] = f"tiny at {stamp.pop('address')}"
            path.write_text(json.dumps(stamp), encoding="utf-8")
        assert search(first) == []
        assert search(second) == moved
        call(server, "retriever_index")


@pytest.mark.parametrize(
    ("status", "rows", "message"),
    [
        (
            401,
            None,
            "the embeddings endpoint failed: the model answered with status 401: "
            '{"object": "list", "model": "m", "data": [], "usage": {}}',
        ),
        (200, [[1.0]], "the reply has 1 embedding for 2 texts"),
        (200, [[1.0], [1.0, 2.0]], "the embeddings are of different lengths"),
    ],
)
def test_an_endpoint_that_fails(server, write, status, rows, message):
    def answer(path, headers, sent):
        found = [{"object": "embedding", "index": n, "embedding": row} for n, row in enumerate(rows or [])]
        return status, {"object": "list", "model": "m", "data": found, "usage": {}}

    corpus = str(write("corpus.jsonl", '{"id": "1", "contents": "x"}\n{"id": "2", "contents": "y"}\n'))
    with serving(answer) as url:
        call(server, "retriever_init", corpus_path=corpus, backend="openai", backend_configs=endpoint(url, retries=0))
        with pytest.raises(SystemFailure) as caught:
            call(server, "retriever_embed")
    assert str(caught.value.message) == message
    assert caught.value.where == f"{url}/v1"
    assert not Path("output").exists()


def test_embeddings_without_dimensions_are_not_kept(server, write):
    reply = {"object": "list", "model": "m", "data": [{"object": "embedding", "index": 0, "embedding": []}]}
    corpus = str(write("corpus.jsonl", '{"id": "1", "contents": "x"}\n'))
    with serving(lambda path, headers, sent: (200, reply)) as url:
        call(server, "retriever_init", corpus_path=corpus, backend="openai", backend_configs=endpoint(url))
        with pytest.raises(SystemFailure, match=r"^the model returned vectors without dimensions$"):
            call(server, "retriever_embed")
    assert not Path("output").exists()


def test_a_local_model(server, monkeypatch):
    made: dict[str, Any] = {}

    class SentenceTransformer:
        def __init__(self, name, **settings):
            made.update(name=name, **settings)

        def encode_document(self, texts, **settings):
            made["document"] = settings
            return np.array([vector(text) for text in texts])

        def encode_query(self, texts, **settings):
            made["query"] = texts
            return np.array([vector(text) for text in texts])

    module = types.SimpleNamespace(SentenceTransformer=SentenceTransformer)
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    configs = {"sentence_transformers": {"sentence_transformers_encode": {"psg_prompt_name": "passage"}}}
    given = {"backend": "sentence_transformers", "model_name_or_path": "some/model", "backend_configs": configs}
    ready(server, **given, gpu_ids="0, 1")
    found = call(server, "retriever_search", query_list=["abba"], query_instruction="q: ")
    assert len(found["ret_ids"][0]) == 5
    assert made == {
        "name": "some/model",
        "trust_remote_code": False,
        "device": "cuda:0",
        "document": {
            "batch_size": 16,
            "show_progress_bar": False,
            "prompt_name": "passage",
            "device": ["cuda:0", "cuda:1"],
        },
        "query": ["q: abba"],
    }


def test_an_index_of_earlier_embeddings_is_refused(server, monkeypatch):
    class SentenceTransformer:
        def __init__(self, name, **settings):
            self.scale = next(scales)

        def encode_document(self, texts, **settings):
            return np.array([[1.0, self.scale * len(text)] for text in texts])

    scales = iter((1, 2))
    module = types.SimpleNamespace(SentenceTransformer=SentenceTransformer)
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    given = {"corpus_path": CORPUS, "backend": "sentence_transformers", "model_name_or_path": "some/model"}
    ready(server, **given)
    call(server, "retriever_init", **given)  # the weights behind the name have changed
    call(server, "retriever_embed", overwrite=True)
    with pytest.raises(
        ConfigError, match=r"index.faiss: this file was made from other data: embeddings \w{12}, now \w{12}\n"
    ):
        call(server, "retriever_index")


def test_a_local_model_that_is_not_installed(server, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    call(server, "retriever_init", corpus_path=CORPUS, backend="sentence_transformers", model_name_or_path="m")
    with pytest.raises(MissingExtra) as caught:
        call(server, "retriever_embed")
    assert str(caught.value) == (
        "embedding with a local model needs the package sentence-transformers\n"
        'hint: pip install "sentence-transformers>=5" "transformers>=4.56" (the extra steelyard[models])'
    )


def test_a_retriever_elsewhere(server):
    asked = []

    def answer(path, headers, sent):
        asked.append((path, sent))
        return 200, {"ret_psg": [[text.upper()] for text in sent["query_list"]]}

    with serving(answer) as url:
        for address in (url, f"{url}/", f"{url}/search"):
            found = call(server, "retriever_deploy_search", retriever_url=address, query_list=["a", "b"], top_k=2)
            assert found == {"ret_psg": [["A"], ["B"]]}
    assert asked == [("/search", {"query_list": ["a", "b"], "top_k": 2, "query_instruction": ""})] * 3


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ((500, {}), "it answered with status 500: {}"),
        (
            (200, b"<html>"),
            "it answered with HTML: <html>; is this the address of the API, or of a web page?",
        ),
        ((200, {"ret_psg": ["a"]}), "the reply has no ret_psg with a list of texts for each query"),
        ((200, []), "the reply has no ret_psg with a list of texts for each query"),
        ((200, {"ret_psg": [["a"], ["b"]]}), "the reply has 2 lists of passages for 1 query"),
    ],
)
def test_a_retriever_elsewhere_that_fails(server, reply, why):
    with serving(lambda path, headers, sent: reply) as url:
        secret = url.replace("//", "//user:word@")
        with pytest.raises(SystemFailure) as caught:
            call(server, "retriever_deploy_search", retriever_url=secret, query_list=["a"])
    assert str(caught.value) == f"the retriever at {url}/search failed: {why}"
    with pytest.raises(SystemFailure, match=rf"^the retriever at {url}/search failed: .*Connection refused"):
        call(server, "retriever_deploy_search", retriever_url=url, query_list=["a"])


def test_queries_that_say_nothing_are_not_sent_elsewhere(server):
    asked = []

    def answer(path, headers, sent):
        asked.append(sent["query_list"])
        return 200, {"ret_psg": [[text.upper()] for text in sent["query_list"]]}

    with serving(answer) as url:
        found = call(server, "retriever_deploy_search", retriever_url=url, query_list=[None, "a", " "])
        assert found == {"ret_psg": [[], ["A"], []]}
        assert call(server, "retriever_deploy_search", retriever_url=url, query_list=[None]) == {"ret_psg": [[]]}
    assert asked == [["a"]]
