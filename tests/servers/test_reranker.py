"""The reranker server: without a model, by an endpoint, and what is refused."""

import importlib.util
import sys
import types
from pathlib import Path

import pytest
from platforms import posix
from servers.retriever_calls import serving

from steelyard.cli import main
from steelyard.errors import ConfigError, InputError, MissingExtra, SystemFailure, UnknownName
from steelyard.io.yamls import read_yaml
from steelyard.rag.reranking import Lexical, RerankerSettings, open_reranker, rerank

ROOT = Path(__file__).parents[2]
PARAMETERS = read_yaml(ROOT / "servers" / "reranker" / "parameter.yaml").plain()
PASSAGES = [
    "The weather was fine.",
    "甲方应当支付违约金。",
    "The kiln in Osterby was built in 1912.",
    "Kilns burn peat.",
]


@pytest.fixture
def server(monkeypatch):
    monkeypatch.delenv("RERANKER_API_KEY", raising=False)
    program = ROOT / "servers" / "reranker" / "src" / "reranker.py"
    spec = importlib.util.spec_from_file_location("server_reranker", program)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def openai(url, **more):
    return {"openai": {"model_name": "m", "base_url": url, "retries": 0, **more}}


def test_bindings_are_those_of_upstream(server):
    bound = {name: tool.binding.resolve(PARAMETERS) for name, tool in server.app.tools.items()}
    assert list(bound) == ["reranker_init", "reranker_rerank"]
    assert bound["reranker_init"].inputs == {
        name: f"${name}" for name in ("model_name_or_path", "backend_configs", "batch_size", "gpu_ids", "backend")
    }
    assert bound["reranker_init"].outputs == ()
    assert bound["reranker_rerank"].inputs == {
        "query_list": "q_ls",
        "passages_list": "ret_psg",
        "top_k": "$top_k",
        "query_instruction": "$query_instruction",
    }
    assert bound["reranker_rerank"].outputs == ("rerank_psg",)


def test_without_a_model(server):
    server.reranker_init()
    queries = ["When was the kiln in Osterby built?", "违约金怎么支付", "nothing in common", None, "kiln"]
    found = server.reranker_rerank(queries, [PASSAGES] * 4 + [None], 2, "kiln: ")
    assert found["rerank_psg"] == [
        [PASSAGES[2], PASSAGES[3]],
        [PASSAGES[1], PASSAGES[0]],
        PASSAGES[:2],
        PASSAGES[:2],
        [],
    ]


def test_the_order_depends_on_the_query_and_its_passages_alone():
    def order(queries):
        return rerank(Lexical(), queries, [PASSAGES] * len(queries), top_k=9, instruction="", progress=lambda *_: None)

    assert order(["kiln", "违约金"]) == [order(["kiln"])[0], order(["违约金"])[0]]
    assert sorted(order(["kiln"])[0]) == sorted(PASSAGES)


@posix
def test_a_pipeline_of_ultrarag_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").symlink_to(ROOT / "data")
    (tmp_path / "corpus_rerank.yaml").write_text(
        "servers:\n  benchmark: servers/benchmark\n  retriever: servers/retriever\n  reranker: servers/reranker\n"
        "pipeline:\n- benchmark.get_data\n- retriever.retriever_init\n- retriever.retriever_embed\n"
        "- retriever.retriever_index\n- retriever.retriever_search\n- reranker.reranker_init\n"
        "- reranker.reranker_rerank\n",
        encoding="utf-8",
    )
    assert main(["run", "corpus_rerank.yaml", "--lang", "en"]) == 0


@pytest.mark.parametrize(
    ("path", "asked"),
    [("", "/rerank"), ("/", "/rerank"), ("/v1", "/v1/rerank"), ("/v2/rerank", "/v2/rerank"), ("/x", "/x")],
)
def test_an_endpoint(server, monkeypatch, path, asked):
    requests = []

    def answer(place, headers, sent):
        requests.append((place, headers["Authorization"], sent))
        rows = [{"index": place, "relevance_score": len(text)} for place, text in enumerate(sent["documents"])]
        return 200, {"results": rows}

    monkeypatch.setenv("RERANKER_API_KEY", "sk-1")
    with serving(answer) as url:
        monkeypatch.setenv("RERANKER_BASE_URL", url)
        server.reranker_init(backend="openai", backend_configs=openai(f"{url}{path}"))
        found = server.reranker_rerank(["q", "", "p"], [["a", "bbb", "cc"], ["x"], []], 2, "find: ")
    assert found == {"rerank_psg": [["bbb", "cc"], ["x"], []]}
    sent = {"model": "m", "query": "find: q", "documents": ["a", "bbb", "cc"], "top_n": 2}
    assert requests == [(asked, "Bearer sk-1", sent)]


@pytest.mark.parametrize(
    "reply",
    [
        {"results": [{"document": {"text": "b"}}, {"document": "a"}]},
        {"results": [{"index": 1}, {"index": 0}]},
        {"data": [{"index": 0, "relevance_score": 0.1}, {"index": 1, "relevance_score": 0.2}]},
        [{"index": 0, "score": -3}, {"index": 1, "score": -1}],
    ],
)
def test_replies_of_several_servers(server, reply):
    with serving(lambda *_: (200, reply)) as url:
        server.reranker_init(backend="openai", backend_configs=openai(url))
        assert server.reranker_rerank(["q"], [["a", "b"]])["rerank_psg"] == [["b", "a"]]


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ((401, {"error": "sk-1"}), 'it answered with status 401: {"error": "***"}'),
        (
            (200, b"<html>"),
            "it answered with HTML: <html>; is this the address of the API, or of a web page?",
        ),
        ((200, {}), "the reply has no list of results"),
        ((200, {"results": []}), "the reply has no list of results"),
        ((200, {"results": ["a"]}), "the reply has no list of results"),
        ((200, {"results": [{"index": 2}]}), "a result has no index of a passage"),
        ((200, {"results": [{"index": True}]}), "a result has no index of a passage"),
        ((200, {"results": [{"index": 0}, {"index": 0}]}), "a result has no index of a passage"),
    ],
)
def test_an_endpoint_that_fails(server, reply, why):
    with serving(lambda *_: reply) as url:
        configs = openai(url.replace("//", "//user:word@"), api_key="sk-1")
        server.reranker_init(backend="openai", backend_configs=configs)
        with pytest.raises(SystemFailure) as caught:
            server.reranker_rerank(["q"], [["a", "b"]])
    assert str(caught.value) == f"the reranker at {url}/rerank failed: {why}"


@pytest.mark.slow
def test_what_may_pass_is_asked_again(server):
    replies = [(503, {}), (200, {"results": [{"index": 1}]})]
    with serving(lambda *_: replies.pop(0)) as url:
        server.reranker_init(backend="openai", backend_configs=openai(url, retries=1))
        assert server.reranker_rerank(["q"], [["a", "b"]])["rerank_psg"] == [["b"]]


def test_a_local_model(server, monkeypatch):
    made = []

    class CrossEncoder:
        def __init__(self, name, **settings):
            made.append((name, settings))

        def rank(self, query, documents, *, top_k, batch_size, show_progress_bar):
            order = sorted(range(len(documents)), key=lambda place: -len(documents[place]))
            return [{"corpus_id": place, "score": 0.0} for place in order[:top_k]]

    library = types.SimpleNamespace(CrossEncoder=CrossEncoder)
    monkeypatch.setitem(sys.modules, "sentence_transformers", library)
    configs = {"sentence_transformers": {"device": "cuda", "trust_remote_code": True}}
    server.reranker_init("some/model", configs, 4, 0, "sentence_transformers")
    assert server.reranker_rerank(["q"], [["a", "ccc", "bb"]], 2)["rerank_psg"] == [["ccc", "bb"]]
    assert made == [("some/model", {"device": "cuda:0", "trust_remote_code": True})]


def test_what_is_refused(server, monkeypatch):
    with pytest.raises(ConfigError, match=r"^no reranker is open\nhint: run reranker_init first$"):
        server.reranker_rerank(["q"], [["a"]])
    with pytest.raises(ConfigError, match=r"^infinity is not supported as backend\nhint: use sentence_transformers"):
        server.reranker_init(backend="infinity")
    with pytest.raises(UnknownName, match=r"^no backend is called 'lexicl'\nhint: did you mean 'lexical'\?"):
        server.reranker_init(backend="lexicl")
    with pytest.raises(ConfigError, match=r"^model_name_or_path is missing\nhint: for example "):
        server.reranker_init(backend="sentence_transformers")
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtra, match=r"^reranking with a local model needs the package sentence-transformers"):
        open_reranker(RerankerSettings("sentence_transformers", "m"))
    server.reranker_init()
    with pytest.raises(InputError, match=r"^2 queries, 1 list of passages$"):
        server.reranker_rerank(["q", "p"], [["a"]])
    with pytest.raises(InputError, match=r"^the passages of query 1 must be a list of texts$"):
        server.reranker_rerank(["q"], [[7]])
    with pytest.raises(ConfigError, match=r"^top_k must be an integer of at least 1, not 0$"):
        server.reranker_rerank(["q"], [["a"]], 0)
