"""Backends and settings of retriever, reranker and corpus are checked before the first step, and by build."""

from pathlib import Path

import pytest

from steelyard.cli import main

CORPUS = Path(__file__).parents[2] / "data" / "corpus_example.jsonl"
QUESTIONS = CORPUS.with_name("sample_nq_10.jsonl")
BENCHMARK = f"""benchmark:
  benchmark: {{name: nq, path: {QUESTIONS}, key_map: {{q_ls: question, gt_ls: golden_answers}}}}
"""
TOOLS = {"retriever": "retriever_init", "reranker": "reranker_init", "corpus": "chunk_documents"}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("RETRIEVER_API_KEY", "RETRIEVER_ADOPT"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "parameters").mkdir()
    return tmp_path


def write(here, server, parameters, tool=""):
    """A pipeline of two steps, the second of this server; its parameters begin in line 4 of their file."""
    steps = f"[benchmark.get_data, {server}.{tool or TOOLS[server]}]"
    servers = f"{{benchmark: servers/benchmark, {server}: servers/{server}}}"
    (here / "p.yaml").write_text(f"servers: {servers}\npipeline: {steps}\n", encoding="utf-8")
    file = here / "parameters" / "p_parameter.yaml"
    file.write_text(f"{BENCHMARK}{server}:\n{parameters}", encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("server", "parameters", "line", "message"),
    [
        (
            "retriever",
            "  backend: openai\n  index_backend: milvus\n",
            5,
            "milvus is not supported as index_backend\nhint: use faiss",
        ),
        (
            "retriever",
            "  index_backend: faiss\n  backend: infinity\n",
            5,
            "infinity is not supported as backend\n"
            "hint: use sentence_transformers, or call it as an endpoint with the backend openai",
        ),
        (
            "retriever",
            "  index_backend_configs:\n    faiss:\n      index_use_gpu: true\n      index_pth: x\n",
            7,
            "index_backend_configs.faiss: no setting is called 'index_pth'\nhint: did you mean 'index_path'?",
        ),
        (
            "retriever",
            "  backend_configs:\n    bm25: {save_pth: x}\n",
            5,
            "backend_configs.bm25: no setting is called 'save_pth'\nhint: did you mean 'save_path'?",
        ),
        (
            "retriever",
            "  backend: sentence_transformers\n  backend_configs:\n    sentence_transformers:\n"
            "      sentence_transformers_encode:\n        q_promt_name: query\n",
            8,
            "backend_configs.sentence_transformers.sentence_transformers_encode: "
            "no setting is called 'q_promt_name'\nhint: did you mean 'q_prompt_name'?",
        ),
        (
            "retriever",
            "  backend: latent\n  backend_configs:\n    openai: {modle_name: x}\n",  # of a backend that is not used
            6,
            "backend_configs.openai: no setting is called 'modle_name'\nhint: did you mean 'model_name'?",
        ),
        (
            "retriever",
            "  backend_configs:\n    openai: {zzz: x}\n",
            5,
            "backend_configs.openai: no setting is called 'zzz'\n"
            "hint: known: model_name, base_url, api_key, concurrency, retries, timeout",
        ),
        (
            "retriever",
            "  backend_configs:\n    opnai: {model_name: x}\n",
            5,
            "backend_configs: no backend is called 'opnai'\nhint: did you mean 'openai'?",
        ),
        (
            "retriever",
            "  backend_configs:\n    bm25:\n      lang: en\n      tokenizer: jeiba\n",
            7,
            "no tokenizer is called 'jeiba'\nhint: did you mean 'jieba'?",
        ),
        ("retriever", "  batch_size: 0\n", 4, "batch_size must be an integer of at least 1, not 0"),
        ("retriever", "  is_multimodal: true\n", 4, "is_multimodal is not supported\nhint: set is_multimodal: false"),
        ("corpus", "  chunk_size: -1\n", 4, "chunk_size must be an integer of at least 1, not -1"),
        (
            "reranker",
            "  backend: Infinity\n",
            4,
            "infinity is not supported as backend\n"
            "hint: use sentence_transformers, or call it as an endpoint with the backend openai",
        ),
        (
            "reranker",
            "  backend: openai\n  backend_configs:\n    openai: {model_name: m, base_uri: x}\n",
            6,
            "backend_configs.openai: no setting is called 'base_uri'\nhint: did you mean 'base_url'?",
        ),
        (
            "corpus",
            "  chunk_size: 9\n  tokenizer_or_token_counter: charcter\n",
            5,
            "no tokenizer is called 'charcter'\nhint: did you mean 'character'?",
        ),
        (
            "corpus",
            "  chunk_backend: sentence\n  chunk_backend_configs:\n    sentence:\n      chunk_overlp: 3\n",
            7,
            "chunk_backend_configs.sentence: no setting is called 'chunk_overlp'\nhint: did you mean 'chunk_overlap'?",
        ),
        (
            "corpus",
            "  chunk_backend: sentnce\n",
            4,
            "no chunk_backend is called 'sentnce'\nhint: did you mean 'sentence'?",
        ),
    ],
)
def test_what_is_not_known_is_refused_before_the_first_step_and_by_build(  # noqa: PLR0917
    here, capsys, server, parameters, line, message
):
    file = write(here, server, parameters)
    before = file.read_bytes()
    for command in ("run", "build"):
        assert main([command, "p.yaml", "--lang", "en"]) == 2
        err = capsys.readouterr().err
        assert f"parameters/p_parameter.yaml:{line}: {server}.{TOOLS[server]}: {message}\n" in err
        assert "snapshot" not in err
    assert file.read_bytes() == before
    assert not (here / "output").exists()


def test_settings_of_ultrarag_without_use_are_told(here, capsys):
    """As UltraRAG's parameter file has them; those of backends that are not chosen are nobody's business."""
    write(
        here,
        "retriever",
        f"  corpus_path: {CORPUS}\n  backend: latent\n  backend_configs:\n"
        "    infinity: {bettertransformer: false, pooling_method: auto}\n"
        "    sentence_transformers: {sentence_transformers_encode: {encode_chunk_size: 256}}\n"
        "  index_backend_configs:\n    faiss:\n      index_use_gpu: true\n      index_chunk_size: 10000\n"
        "      index_path: x.index\n    milvus: {uri: x, token: null}\n",
    )
    assert main(["run", "p.yaml", "--lang", "en"]) == 0
    notices = [line for line in capsys.readouterr().err.splitlines() if "is ignored" in line]
    assert notices == [
        f"parameters/p_parameter.yaml:{line}: retriever.index_backend_configs.faiss.{name} is ignored: "
        "a parameter of UltraRAG that has no effect here"
        for line, name in ((11, "index_use_gpu"), (12, "index_chunk_size"))
    ]
    write(
        here,
        "retriever",
        f"  corpus_path: {CORPUS}\n  backend: bm25\n  index_backend_configs: {{faiss: {{index_use_gpu: true}}}}\n",
    )
    assert main(["run", "p.yaml", "--lang", "en"]) == 0
    assert "left out" not in capsys.readouterr().err


def test_settings_as_the_server_of_the_checkout_has_them_are_not_told(here, capsys):
    """UltraRAG's own parameter.yaml has settings without use: whoever leaves them as they are gets no notice."""
    folder = here / "servers" / "retriever"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "retriever.py").write_text("import a_package_that_is_not_there\n", encoding="utf-8")
    values = f"corpus_path: {CORPUS}\nbackend: latent\nindex_backend_configs: {{faiss: {{index_use_gpu: true}}}}\n"
    (folder / "parameter.yaml").write_text(values, encoding="utf-8")
    for size, notified in (("", False), (", index_chunk_size: 7", True)):
        write(here, "retriever", f"  index_backend_configs: {{faiss: {{index_use_gpu: true{size}}}}}\n")
        assert main(["run", "p.yaml", "--servers", "ours", "--lang", "en"]) == 0
        error = capsys.readouterr().err
        assert "index_use_gpu" not in error
        assert ("faiss.index_chunk_size is ignored" in error) is notified


def test_how_many_passages_are_wanted_is_checked_before_the_first_step(here, capsys):
    write(here, "retriever", f"  corpus_path: {CORPUS}\n  top_k: 0\n", tool="bm25_search")
    assert main(["run", "p.yaml", "--lang", "en"]) == 2
    err = capsys.readouterr().err
    assert "p_parameter.yaml:5: retriever.bm25_search: top_k must be an integer of at least 1, not 0\n" in err
    assert not (here / "output").exists()


def test_chunks_without_documents_name_the_tool_that_makes_them(here, capsys):
    write(here, "corpus", "  raw_chunk_path: corpora/text.jsonl\n")
    assert main(["run", "p.yaml", "--lang", "en"]) == 2
    hint = "hint: run build_text_corpus first, or set raw_chunk_path to a file of documents"
    assert f"corpora/text.jsonl: no such file\n{hint}\n" in capsys.readouterr().err


def test_a_backend_that_no_step_opens_is_not_refused(here, capsys):
    write(here, "retriever", "  index_backend: milvus\n  retriever_url: 'ftp://x'\n", tool="retriever_deploy_search")
    assert main(["run", "p.yaml", "--lang", "en"]) == 2
    assert "not a valid address: ftp://x" in capsys.readouterr().err
