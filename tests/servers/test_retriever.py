"""The retriever server: found again after a restart, never from a stale index, and with rows that were not set."""

import json
import subprocess
import sys

import numpy as np
import pytest
from servers.retriever_calls import CORPUS, PARAMETERS, PROGRAM, ROOT, TERMS_HINT, VECTORS_HINT, call, fresh, ready

from steelyard.errors import ConfigError, InputError, UnknownName
from steelyard.pipelines.server import callbacks, matches_type


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RETRIEVER_API_KEY", raising=False)
    return fresh()


def test_bindings_are_those_of_upstream():
    tools = fresh().app.tools
    bound = {name: tool.binding.resolve(PARAMETERS) for name, tool in tools.items()}
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
    notices = []
    with callbacks(on_progress=lambda done, total: notices.append((done, total))):
        ready(server)
        call(server, "bm25_index")
    assert notices == [(40, 40), (40, 40)]
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


@pytest.mark.slow
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
        assert first.startswith(f"{path}: this file was made from other data: corpus ")
        assert first.endswith("; passages 40, now 1")
        assert hint == (TERMS_HINT if tool.startswith("bm25") else VECTORS_HINT)
    call(server, "retriever_embed", overwrite=True)
    with pytest.raises(ConfigError, match=r"^output/index/index.faiss: this file was made from other data: corpus "):
        call(server, "retriever_index")
    call(server, "retriever_index", overwrite=True)
    assert call(server, "retriever_search", query_list=["something"])["ret_ids"] == [["1"]]


def test_embeddings_that_changed_are_noticed(server, tmp_path):
    ready(server)
    path = tmp_path / "output" / "embedding" / "embedding.npy"
    stamp = path.with_name("embedding.npy.stamp.json")
    np.save(path, np.ones((3, 2), dtype=np.float32))
    with pytest.raises(ConfigError, match="these embeddings do not match their metadata"):
        call(server, "retriever_index", overwrite=True)
    path.write_bytes(b"torn")
    with pytest.raises(ConfigError, match="these embeddings cannot be read: "):
        call(server, "retriever_index", overwrite=True)
    stamp.unlink()
    with pytest.raises(ConfigError, match="there is no record of what this file was created from"):
        call(server, "retriever_index")


@pytest.mark.parametrize(
    ("tool", "given", "message"),
    [
        ("retriever_search", {"query_list": ["x"]}, "no corpus is open\nhint: run retriever_init first"),
        ("retriever_batch_search", {"batch_query_list": []}, "no corpus is open\nhint: run retriever_init first"),
        ("bm25_index", {}, "no corpus is open\nhint: run retriever_init first"),
        ("retriever_embed", {}, "no corpus is open\nhint: run retriever_init first"),
        ("retriever_embed", {"is_multimodal": True}, "is_multimodal is not supported\nhint: set is_multimodal: false"),
        ("retriever_init", {"is_multimodal": True}, "is_multimodal is not supported\nhint: set is_multimodal: false"),
        ("retriever_init", {"is_demo": True}, "is_demo is not supported\nhint: set is_demo: false"),
        ("retriever_init", {"backend": "latnt"}, "no backend is called 'latnt'\nhint: did you mean 'latent'?"),
        (
            "retriever_init",
            {"backend": "infinity"},
            "infinity is not supported as backend\n"
            "hint: use sentence_transformers, or call it as an endpoint with the backend openai",
        ),
        ("retriever_init", {"index_backend": "milvus"}, "milvus is not supported as index_backend\nhint: use faiss"),
        ("retriever_init", {"index_backend": "hnsw"}, "no index_backend is called 'hnsw'\nhint: known: faiss"),
        ("retriever_init", {"batch_size": 0}, "batch_size must be an integer of at least 1, not 0"),
        (
            "retriever_init",
            {"backend_configs": {"bm25": "x"}},
            "the settings of bm25 must be a mapping, not str",
        ),
        (
            "retriever_init",
            {"backend": "sentence_transformers"},
            "model_name_or_path is missing\nhint: for example openbmb/MiniCPM-Embedding-Light",
        ),
        (
            "retriever_init",
            {"backend": "openai", "backend_configs": {}},
            "backend_configs.openai: model_name is missing",
        ),
        (
            "retriever_init",
            {"backend": "openai", "backend_configs": {"openai": {"model_name": "m", "base_url": "file:///x"}}},
            "backend_configs.openai: not a valid address: file:///x\nhint: for example http://localhost:8000/v1",
        ),
        (
            "retriever_save_run",
            {"ret_ids": [], "ret_scores": [], "run_path": ""},
            "run_path must be the path of a file, not ''",
        ),
        (
            "retriever_deploy_search",
            {"retriever_url": "ftp://x", "query_list": []},
            "not a valid address: ftp://x\nhint: for example http://127.0.0.1:64501",
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
    assert str(caught.value) == f"top_k must be an integer of at least 1, not {top_k!r}"


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
        with pytest.raises(InputError) as refused:
            call(server, "bm25_search", query_list=queries)
        assert str(refused.value) == message


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


def test_a_query_that_failed_finds_nothing(server):
    call(server, "retriever_init", corpus_path=str(ROOT / "data" / "corpus_example.jsonl"))
    call(server, "bm25_index")
    found = call(server, "bm25_search", query_list=[None, "x"])
    assert (found["ret_psg"][0], len(found["ret_psg"])) == ([], 2)


def test_lists_of_queries_that_were_not_set_find_nothing(server):
    call(server, "retriever_init", corpus_path=CORPUS, backend="bm25")
    call(server, "bm25_index")
    found = call(server, "retriever_batch_search", batch_query_list=[None, ["kiln", None]], top_k=1)["ret_psg_ls"]
    assert (found[0], len(found[1][0]), found[1][1]) == ([], 1, [])


def test_rows_that_were_not_set_are_not_in_a_run(server, tmp_path):
    path = tmp_path / "run.txt"
    given = {"ret_ids": [None, ["a"]], "ret_scores": [None, [1.5]], "run_path": str(path), "query_ids": [1, "x"]}
    call(server, "retriever_save_run", **given)
    assert path.read_text(encoding="utf-8") == "x Q0 a 1 1.5 steelyard\n"


@pytest.mark.parametrize(
    ("tool", "argument", "value"),
    [
        ("retriever_search", "query_list", [None, "x"]),
        ("bm25_search", "query_list", [None, "x"]),
        ("retriever_deploy_search", "query_list", [None, "x"]),
        ("retriever_batch_search", "batch_query_list", [None, [None, "x"]]),
        ("retriever_save_run", "ret_ids", [None, ["x"]]),
        ("retriever_save_run", "ret_scores", [None, [1, 0.5]]),
        ("retriever_save_run", "query_ids", [1, "x"]),
    ],
)
def test_null_rows_are_what_the_signatures_take(server, tool, argument, value):
    assert matches_type(value, server.app.tools[tool], argument)
