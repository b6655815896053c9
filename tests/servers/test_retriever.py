"""The retriever server: found again after a restart, never from a stale index, and over a real socket."""

import contextlib
import importlib.util
import json
import subprocess
import sys
import threading
import types
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from steelyard.errors import ConfigError, InputError, MissingExtra, SystemFailure, UnknownName
from steelyard.formats.yamls import read_yaml
from steelyard.pipelines.server import telling

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "servers" / "retriever" / "src" / "retriever.py"
PARAMETERS = read_yaml(ROOT / "servers" / "retriever" / "parameter.yaml").plain()
CORPUS = str(ROOT / "data" / "corpus_example.jsonl")
HINT = "hint: set overwrite: true to make it anew"


def fresh():
    """A server of its own, as a new process has it."""
    spec = importlib.util.spec_from_file_location("server_retriever", PROGRAM)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RETRIEVER_API_KEY", raising=False)
    return fresh()


def call(server, tool, **given):
    """Call a tool as a pipeline does: its parameters from the file, the rest as given."""
    inputs = server.app.tools[tool].binding.against(PARAMETERS).inputs
    known = {name: PARAMETERS[source[1:]] for name, source in inputs.items() if source.startswith("$")}
    return server.app.tools[tool].function(**{**known, **given})


def ready(server, **given):
    call(server, "retriever_init", **{"corpus_path": CORPUS, **given})
    call(server, "retriever_embed")
    call(server, "retriever_index")


@contextlib.contextmanager
def serving(answer):
    """A server on a free port; `answer` gives status and body for the path, the headers and what was sent."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, body = answer(self.path, self.headers, sent)
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments):
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    thread = threading.Thread(target=http.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_port}"
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


def test_bindings_are_those_of_upstream():
    tools = fresh().app.tools
    bound = {name: tool.binding.against(PARAMETERS) for name, tool in tools.items()}
    assert list(bound) == [
        "retriever_init",
        "retriever_embed",
        "retriever_index",
        "retriever_search",
        "retriever_batch_search",
        "bm25_index",
        "bm25_search",
        "retriever_deploy_search",
        "retriever_save_run",
    ]
    for name in ("retriever_init", "retriever_embed", "retriever_index", "bm25_index"):
        assert bound[name].inputs == {argument: f"${argument}" for argument in bound[name].inputs}
        assert bound[name].outputs == ()
    assert bound["retriever_search"].inputs == {
        "query_list": "q_ls",
        "top_k": "$top_k",
        "query_instruction": "$query_instruction",
        "collection_name": "$collection_name",
    }
    assert bound["retriever_search"].outputs == bound["bm25_search"].outputs == ("ret_psg", "ret_ids", "ret_scores")
    assert bound["retriever_batch_search"].outputs == ("ret_psg_ls",)
    assert bound["retriever_batch_search"].inputs["batch_query_list"] == "batch_query_list"
    assert list(bound["retriever_deploy_search"].inputs.values()) == [
        "$retriever_url",
        "q_ls",
        "$top_k",
        "$query_instruction",
    ]
    assert list(bound["retriever_save_run"].inputs.values()) == ["ret_ids", "ret_scores", "$run_path", "$query_ids"]


@pytest.mark.parametrize("search", ["retriever_search", "bm25_search"])
def test_the_sample_questions_find_their_answers(server, search):
    heard = []
    with telling(lambda done, total: heard.append((done, total))):
        ready(server)
        call(server, "bm25_index")
    assert heard == [(40, 40), (40, 40)]
    lines = (ROOT / "data" / "sample_nq_10.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    found = call(server, search, query_list=[row["question"] for row in rows])
    for row, passages in zip(rows, found["ret_psg"], strict=True):
        assert any(answer.lower() in passages[0].lower() for answer in row["golden_answers"])
    queries = [
        "被告的住所地在哪里",
        "運費一共多少錢",
        "员工请假要提前多久申请",
        "ｗａｒｒａｎｔｙ ｏｆ ｐｕｍｐｓ",
        " ",
        "",
        "???",
    ]
    found = call(server, search, query_list=queries, top_k=1)
    assert found["ret_ids"] == [["zh-02"], ["zh-03"], ["zh-14"], ["en-19"], [], [], []]
    assert [len(scores) for scores in found["ret_scores"]] == [1, 1, 1, 1, 0, 0, 0]
    assert "住所地为临溪县南桥镇" in found["ret_psg"][0][0]


def test_all_are_found_where_more_are_wanted(server):
    ready(server)
    found = call(server, "retriever_search", query_list="瓷砖的损失", top_k=1000)
    assert len(set(found["ret_ids"][0])) == len(found["ret_psg"][0]) == len(found["ret_scores"][0]) == 40
    assert found["ret_scores"][0] == sorted(found["ret_scores"][0], reverse=True)


def test_lists_of_queries(server):
    ready(server)
    one = call(server, "retriever_search", query_list=["kiln", "Osterby"], top_k=2)["ret_psg"]
    batch = call(server, "retriever_batch_search", batch_query_list=[["kiln", "Osterby"], [], ["Osterby"]], top_k=2)
    assert batch == {"ret_psg_ls": [one, [], one[1:]]}


def test_a_restart_needs_no_embedding(server, tmp_path):
    ready(server)
    call(server, "bm25_index")
    expected = [
        call(server, name, query_list=["被告的住所地"], top_k=3) for name in ("retriever_search", "bm25_search")
    ]
    (tmp_path / "output" / "embedding").rename(tmp_path / "gone")  # the index stands alone
    program = (
        "import importlib.util, json, sys\n"
        f"spec = importlib.util.spec_from_file_location('retriever', {str(PROGRAM)!r})\n"
        "module = importlib.util.module_from_spec(spec); spec.loader.exec_module(module)\n"
        f"module.retriever_init(corpus_path={CORPUS!r})\n"
        "print(json.dumps([search(['被告的住所地'], 3) for search in (module.retriever_search, module.bm25_search)]))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert json.loads(done.stdout) == expected


def test_what_is_there_is_used_again(server, tmp_path):
    ready(server)
    call(server, "bm25_index")
    files = [path for path in (tmp_path / "output").rglob("*") if path.is_file()]
    before = {path: path.stat().st_mtime_ns for path in files}
    again = fresh()
    ready(again)
    call(again, "bm25_index")
    assert {path: path.stat().st_mtime_ns for path in files} == before
    call(again, "retriever_embed", overwrite=True)
    call(again, "retriever_index", overwrite=True)
    call(again, "bm25_index", overwrite=True)
    assert all(path.stat().st_mtime_ns > before[path] for path in files)
    assert call(again, "bm25_search", query_list=["viola"], top_k=1)["ret_ids"] == [["en-08"]]


def test_stale_files_are_refused(server, write):
    ready(server)
    call(server, "bm25_index")
    other = write("other.jsonl", '{"id": "1", "contents": "something else"}\n')
    call(server, "retriever_init", corpus_path=str(other))
    steps = {
        "retriever_embed": ({}, "output/embedding/embedding.npy"),
        "retriever_index": ({}, "output/embedding/embedding.npy"),
        "retriever_search": ({"query_list": ["x"]}, "output/index/index.faiss"),
        "bm25_index": ({}, "output/index/bm25"),
        "bm25_search": ({"query_list": ["x"]}, "output/index/bm25"),
    }
    for tool, (given, path) in steps.items():
        with pytest.raises(ConfigError) as caught:
            call(server, tool, **given)
        first, hint = str(caught.value).split("\n")
        assert first.startswith(f"{path}: this was made from something else: corpus ")
        assert first.endswith("; passages 40, now 1")
        assert hint == HINT
    call(server, "retriever_embed", overwrite=True)
    with pytest.raises(ConfigError, match=r"^output/index/index.faiss: this was made from something else: corpus "):
        call(server, "retriever_index")
    call(server, "retriever_index", overwrite=True)
    assert call(server, "retriever_search", query_list=["something"])["ret_ids"] == [["1"]]


def test_embeddings_that_changed_are_noticed(server, tmp_path):
    ready(server)
    path = tmp_path / "output" / "embedding" / "embedding.npy"
    stamp = path.with_name("embedding.npy.stamp.json")
    np.save(path, np.ones((3, 2), dtype=np.float32))
    with pytest.raises(ConfigError, match="these embeddings are not those that their stamp describes"):
        call(server, "retriever_index", overwrite=True)
    path.write_bytes(b"torn")
    with pytest.raises(ConfigError, match="these embeddings cannot be read: "):
        call(server, "retriever_index", overwrite=True)
    stamp.unlink()
    with pytest.raises(ConfigError, match="nothing says what this was made from"):
        call(server, "retriever_index")


@pytest.mark.parametrize(
    ("tool", "given", "message"),
    [
        ("retriever_search", {"query_list": ["x"]}, "no corpus is open\nhint: run retriever_init first"),
        ("retriever_batch_search", {"batch_query_list": []}, "no corpus is open\nhint: run retriever_init first"),
        ("bm25_index", {}, "no corpus is open\nhint: run retriever_init first"),
        ("retriever_embed", {}, "no corpus is open\nhint: run retriever_init first"),
        ("retriever_embed", {"is_multimodal": True}, "is_multimodal is not offered\nhint: set is_multimodal: false"),
        ("retriever_init", {"is_multimodal": True}, "is_multimodal is not offered\nhint: set is_multimodal: false"),
        ("retriever_init", {"is_demo": True}, "is_demo is not offered\nhint: set is_demo: false"),
        ("retriever_init", {"backend": "latnt"}, "no backend is called 'latnt'\nhint: did you mean 'latent'?"),
        (
            "retriever_init",
            {"backend": "infinity"},
            "infinity is not offered as backend\n"
            "hint: use sentence_transformers, or an endpoint of it by the backend openai",
        ),
        ("retriever_init", {"index_backend": "milvus"}, "milvus is not offered as index backend\nhint: use faiss"),
        ("retriever_init", {"index_backend": "hnsw"}, "no index backend is called 'hnsw'\nhint: known: faiss"),
        ("retriever_init", {"batch_size": 0}, "batch_size must be a whole number from 1 on, not 0"),
        (
            "retriever_init",
            {"backend_configs": {"bm25": "x"}},
            "the settings of bm25 are a mapping, not 'x'",
        ),
        (
            "retriever_init",
            {"backend": "sentence_transformers"},
            "model_name_or_path is missing\nhint: for example openbmb/MiniCPM-Embedding-Light",
        ),
        (
            "retriever_init",
            {"backend": "openai", "backend_configs": {}},
            "model_name of the openai backend is missing\nhint: for example text-embedding-3-small",
        ),
        (
            "retriever_init",
            {"backend": "openai", "backend_configs": {"openai": {"model_name": "m", "base_url": "file:///x"}}},
            "base_url must begin with http:// or https://, not 'file:///x'",
        ),
        ("retriever_save_run", {"ret_ids": [], "ret_scores": [], "run_path": ""}, "run_path must name a file, not ''"),
        (
            "retriever_deploy_search",
            {"retriever_url": "ftp://x", "query_list": []},
            "this is no address: ftp://x\nhint: for example http://127.0.0.1:64501",
        ),
    ],
)
def test_bad_calls_are_refused(server, tool, given, message):
    defaults = {"corpus_path": CORPUS} if tool == "retriever_init" else {}
    with pytest.raises((ConfigError, UnknownName)) as caught:
        call(server, tool, **{**defaults, **given})
    assert str(caught.value) == message


@pytest.mark.parametrize("top_k", [0, -1, 2.5, True, "5"])
@pytest.mark.parametrize("search", ["retriever_search", "bm25_search"])
def test_a_bad_number_of_passages_is_refused(server, search, top_k):
    call(server, "retriever_init", corpus_path=CORPUS)
    with pytest.raises(ConfigError) as caught:
        call(server, search, query_list=["x"], top_k=top_k)
    assert str(caught.value) == f"top_k must be a whole number from 1 on, not {top_k!r}"


def test_steps_that_were_left_out_are_named(server):
    call(server, "retriever_init", corpus_path=CORPUS)
    expected = {
        "retriever_search": "output/index/index.faiss: there is no index\n"
        "hint: run retriever_embed and retriever_index first",
        "bm25_search": "output/index/bm25: there is no index\nhint: run bm25_index first",
    }
    for tool, message in expected.items():
        with pytest.raises(ConfigError) as caught:
            call(server, tool, query_list=["x"])
        assert str(caught.value) == message
    with pytest.raises(ConfigError) as caught:
        call(server, "retriever_index")
    assert (
        str(caught.value) == "output/embedding/embedding.npy: there are no embeddings\nhint: run retriever_embed first"
    )
    with pytest.raises(ConfigError, match=r"^embedding_path must end in .npy, not 'x.bin'$"):
        call(server, "retriever_embed", embedding_path="x.bin")
    for queries, message in (
        (["x", 3], "query 2 must be text, not 3"),
        (7, "queries must be a list of texts, not 7"),
    ):
        with pytest.raises(InputError) as caught:
            call(server, "bm25_search", query_list=queries)
        assert str(caught.value) == message


def test_the_backend_bm25(server):
    call(server, "retriever_init", corpus_path=CORPUS, backend="bm25")
    call(server, "bm25_index")
    found = call(server, "retriever_search", query_list=["被告的住所地在哪里"], top_k=3)
    assert found == call(server, "bm25_search", query_list=["被告的住所地在哪里"], top_k=3)
    assert found["ret_ids"][0][0] == "zh-02"
    for tool in ("retriever_embed", "retriever_index"):
        with pytest.raises(ConfigError) as caught:
            call(server, tool)
        assert str(caught.value) == "the backend bm25 has no embeddings\nhint: run bm25_index instead"


def test_a_pipeline_can_make_a_run(server, tmp_path):
    ready(server)
    found = call(server, "retriever_search", query_list=["viola", "", "heron"], top_k=2)
    call(server, "retriever_save_run", ret_ids=found["ret_ids"], ret_scores=found["ret_scores"])
    lines = [line.split() for line in (tmp_path / "output" / "run.txt").read_text(encoding="utf-8").splitlines()]
    assert [(line[0], line[2]) for line in lines if line[3] == "1"] == [("q1", "en-08"), ("q3", "en-09")]


def vector(text):
    return [1.0 + text.count("a"), 1.0 + text.count("b"), float(len(text))]


def endpoint(url, **more):
    return {"openai": {"model_name": "tiny", "base_url": f"{url}/v1", "concurrency": 3, "retries": 2, **more}}


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
    with pytest.raises(ConfigError, match="this was made from something else: model tiny, now other"):
        call(server, "retriever_search", query_list=["a"])


@pytest.mark.parametrize(
    ("status", "rows", "message"),
    [
        (401, None, "the embeddings endpoint failed: Error code: 401"),
        (200, [[1.0]], "1 embeddings came back for 2 texts"),
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
    assert caught.value.message.startswith(message)
    assert caught.value.where == f"{url}/v1"
    assert not Path("output").exists()


def test_a_local_model(server, monkeypatch):
    made = {}

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
        ConfigError, match=r"index.faiss: this was made from something else: embeddings \w{12}, now \w{12}\n"
    ):
        call(server, "retriever_index")


def test_a_local_model_that_is_not_installed(server, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    call(server, "retriever_init", corpus_path=CORPUS, backend="sentence_transformers", model_name_or_path="m")
    with pytest.raises(MissingExtra) as caught:
        call(server, "retriever_embed")
    assert str(caught.value) == (
        'embedding by a local model needs the package sentence-transformers\nhint: pip install "steelyard[models]"'
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
        ((500, {}), "status 500"),
        ((200, b"<html>"), "the reply is not JSON"),
        ((200, {"ret_psg": ["a"]}), "the reply has no ret_psg with a list of texts for each query"),
        ((200, []), "the reply has no ret_psg with a list of texts for each query"),
        ((200, {"ret_psg": [["a"], ["b"]]}), "2 lists of passages came back for 1 queries"),
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


def test_a_query_that_failed_finds_nothing(server):
    call(server, "retriever_init", corpus_path=str(ROOT / "data" / "corpus_example.jsonl"))
    call(server, "bm25_index")
    found = call(server, "bm25_search", query_list=[None, "x"])
    assert (found["ret_psg"][0], len(found["ret_psg"])) == ([], 2)
