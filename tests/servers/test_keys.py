"""The keys of servers go to addresses that the operator named, whatever a client or a pipeline names."""

import importlib.util
import os
from pathlib import Path

import commands
import pytest
from pipelines.served import serving as serving_mcp
from servers.retriever_calls import CORPUS, serving

from steelyard.pipelines.client import Endpoint, ServerPool
from steelyard.pipelines.server import callbacks

SERVERS = Path(__file__).parents[2] / "servers"
VARIABLES = {"generation": "LLM_API_KEY", "retriever": "RETRIEVER_API_KEY", "reranker": "RERANKER_API_KEY"}
KEY = "sk-planted-0123456789"


@pytest.fixture(autouse=True)
def environment(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in VARIABLES.values():
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.replace("_API_KEY", "_BASE_URL"), raising=False)


@pytest.fixture
def listener():
    """An endpoint of chat, embeddings and reranking that notes the key of every request."""
    keys = []

    def answer(path, headers, sent):
        keys.append(headers.get("Authorization"))
        rows = [{"index": place, "embedding": [1.0, 2.0]} for place, _ in enumerate(sent.get("input", []))]
        ranks = [{"index": place, "relevance_score": 1.0} for place, _ in enumerate(sent.get("documents", []))]
        return 200, {"choices": [{"message": {"content": "hi"}}], "data": rows, "results": ranks}

    with serving(answer) as url:
        yield f"{url}/v1", keys


def used(name, url, **more):
    """The notices of a server that is told this address and used."""
    program = SERVERS / name / "src" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"server_{name}", program)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    configs = {"openai": {"base_url": url, "model_name": "m", "api_key": "", **more}}
    notices = []
    with callbacks(on_notice=lambda notice: notices.append(str(notice))):
        match name:
            case "generation":
                module.generation_init(backend="openai", backend_configs=configs)
                module.generate(["hi"])
            case "retriever":
                module.retriever_init(corpus_path=CORPUS, backend="openai", backend_configs=configs)
                module.retriever_embed(overwrite=True)
            case "reranker":
                module.reranker_init(backend="openai", backend_configs=configs)
                module.reranker_rerank(["q"], [["a", "b"]])
    return notices


@pytest.mark.parametrize("name", VARIABLES)
def test_a_client_does_not_choose_who_gets_the_key(name, listener, monkeypatch):
    (url, keys), variable = listener, VARIABLES[name]
    address = variable.replace("_API_KEY", "_BASE_URL")
    monkeypatch.setenv(variable, KEY)
    for other in ("", "http://127.0.0.1:1/v1", url.replace("http:", "https:"), url.replace("127.0.0.1", "127.0.0.2")):
        monkeypatch.setenv(address, other)
        assert used(name, url) == [
            f"{variable} is not sent to {url}, because a client or a pipeline has named this address: "
            f"to allow it, set {address} to it where {variable} is set, or give api_key in backend_configs"
        ]
    assert set(keys) == {None}
    keys.clear()
    monkeypatch.setenv(address, url)
    assert used(name, url) == []
    assert set(keys) == {f"Bearer {KEY}"}
    assert used(name, url, api_key="sk-of-the-client") == []
    assert keys[-1] == "Bearer sk-of-the-client"


def test_a_placeholder_stays_where_the_key_does_not_go(listener, monkeypatch):
    url, keys = listener
    monkeypatch.setenv("LLM_API_KEY", KEY)
    used("generation", url, api_key="abc")
    assert keys == ["Bearer abc"]


def test_a_proxy_of_the_client_does_not_read_the_key(listener, monkeypatch):
    url, keys = listener
    monkeypatch.setenv("LLM_API_KEY", KEY)
    monkeypatch.setenv("LLM_BASE_URL", "http://models.invalid/v1")
    used("generation", "http://models.invalid/v1", proxy=url.removesuffix("/v1"))
    assert keys == [None]


@pytest.mark.slow
def test_a_client_over_http(listener):
    url, keys = listener
    known = {**os.environ, "LLM_API_KEY": KEY}
    with (
        serving_mcp("generation", "--http", "127.0.0.1:0", environment=known) as served,
        ServerPool({}, timeout=30) as pool,
    ):
        pool.start([Endpoint("far", "here", address=served.address)])
        configs = {"openai": {"base_url": url, "model_name": "m", "api_key": ""}}
        pool.call_tool("far", "generation_init", {"backend": "openai", "backend_configs": configs})
        assert pool.call_tool("far", "generate", {"prompt_ls": ["hi"]})["ans_ls"] == ["hi"]
    assert keys == [None]


def test_a_foreign_pipeline_and_its_env_file(listener, tmp_path):
    url, keys = listener
    (tmp_path / "rows.jsonl").write_text('{"question": "hi", "golden_answers": ["a"]}\n')
    (tmp_path / "p.yaml").write_text(
        "servers: {benchmark: servers/benchmark, generation: servers/generation}\n"
        "pipeline:\n- benchmark.get_data\n- generation.generation_init\n"
        "- generation.generate:\n    input: {prompt_ls: q_ls}\n"
    )
    (tmp_path / "parameters").mkdir()
    (tmp_path / "parameters" / "p_parameter.yaml").write_text(
        "benchmark: {benchmark: {name: x, path: rows.jsonl, key_map: {q_ls: question, gt_ls: golden_answers}}}\n"
        f"generation: {{backend: openai, backend_configs: {{openai: {{model_name: m, base_url: '{url}'}}}}}}\n"
    )

    def run(env_file, **environment):
        (tmp_path / ".env").write_text(env_file)
        done = commands.run("run", "p.yaml", cwd=tmp_path, **environment)
        assert done.returncode == 0, done.stderr
        return keys[-1]

    assert run(f"LLM_BASE_URL={url}\n", LLM_API_KEY=KEY) is None
    assert run(f"LLM_API_KEY={KEY}\n", LLM_BASE_URL="http://127.0.0.1:1") is None
    assert run(f"LLM_API_KEY={KEY}\nLLM_BASE_URL={url}\n") == f"Bearer {KEY}"
