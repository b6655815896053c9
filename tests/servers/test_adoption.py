"""Embeddings and indexes that UltraRAG has made: adopted when asked, after a check; damaged ones are refused."""

import json
import random
import shutil
import sys
from pathlib import Path

import bm25s
import faiss
import numpy as np
import pytest
from commands import run
from servers.retriever_calls import CORPUS, TERMS_HINT, VECTORS_HINT, call, fresh, ready, serving

from steelyard.errors import ConfigError, SteelyardError
from steelyard.pipelines.server import callbacks
from steelyard.search.artifacts import read_stamp

DIMENSIONS = 8
ADOPT = "hint: if UltraRAG created it from this corpus with this model, run with --adopt; "
ADOPT_VECTORS = ADOPT + VECTORS_HINT.removeprefix("hint: ")
ADOPT_TERMS = ADOPT + TERMS_HINT.removeprefix("hint: ")
TEXTS = [json.loads(line)["contents"] for line in Path(CORPUS).read_text(encoding="utf-8").splitlines()]
NAMES = [json.loads(line)["id"] for line in Path(CORPUS).read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("RETRIEVER_API_KEY", "RETRIEVER_ADOPT"):
        monkeypatch.delenv(name, raising=False)
    return fresh()


def vector(text):
    """What the stub of the embeddings endpoint gives for a text: not of length 1, as UltraRAG's are not."""
    return [float(1 + (hash_of(text) >> shift) % 7) for shift in range(0, DIMENSIONS * 3, 3)]


def hash_of(text):
    return int.from_bytes(text.encode()[:40].rjust(40), "big") % 999_999_937


def embeddings(path, headers, sent):
    return 200, {"data": [{"index": place, "embedding": vector(text)} for place, text in enumerate(sent["input"])]}


def make_embeddings(path, rows=TEXTS):
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, np.array([vector(text) for text in rows], dtype=np.float32))


def make_index(path, *, rows=TEXTS, shift=0):
    """An index as UltraRAG makes it: numbered, flat, of vectors as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    index = faiss.IndexIDMap2(faiss.IndexFlatIP(DIMENSIONS))
    index.add_with_ids(np.array([vector(text) for text in rows], dtype=np.float32), np.arange(len(rows)) + shift)
    faiss.write_index(index, str(path))


def make_terms(path, *, splitter=None, rows=TEXTS):
    """An index of terms as UltraRAG makes it, and what it finds."""
    tokenizer = bm25s.tokenization.Tokenizer(stopwords="en", **({"splitter": splitter} if splitter else {}))
    engine = bm25s.BM25(backend="numpy")
    engine.index(tokenizer.tokenize(rows, return_as="tuple", show_progress=False), show_progress=False)
    engine.save(path, corpus=None, show_progress=False)
    tokenizer.save_stopwords(path)
    tokenizer.save_vocab(path)

    def search(query):
        tokens = tokenizer.tokenize([query], return_as="tuple", update_vocab=False, show_progress=False)
        places, scores = engine.retrieve(tokens, k=5, show_progress=False)
        return {NAMES[place]: pytest.approx(score) for place, score in zip(places[0], scores[0], strict=True) if score}

    return search


def opened(server, url, **given):
    """The retriever with a model behind an endpoint."""
    configs = {"openai": {"model_name": "m", "base_url": f"{url}/v1"}, "bm25": {"save_path": "up/bm25"}}
    index = {"faiss": {"index_path": "up/index.index"}}
    given = {"backend": "openai", "backend_configs": configs, "index_backend_configs": index, **given}
    call(server, "retriever_init", corpus_path=CORPUS, **given)


def said(run):
    notices = []
    with callbacks(on_notice=lambda notice: notices.append(str(notice))):
        run()
    return notices


# vectors


def test_vectors_of_ultrarag_are_adopted_once_and_found_like_there(server):
    make_embeddings(Path("up/e.npy"))
    make_index(Path("up/index.index"))
    before = {path: path.read_bytes() for path in Path("up").iterdir()}
    with serving(embeddings) as url:
        opened(server, url)
        for tool in ("retriever_embed", "retriever_index"):
            with pytest.raises(ConfigError) as caught:
                call(server, tool, embedding_path="up/e.npy")
            assert (
                str(caught.value) == f"up/e.npy: there is no record of what this file was created from\n{ADOPT_VECTORS}"
            )
        opened(server, url, adopt=True)
        notices = said(lambda: call(server, "retriever_embed", embedding_path="up/e.npy"))
        notices += said(lambda: call(server, "retriever_index", embedding_path="up/e.npy"))
        assert notices == [
            f"adopted: up/{name} (40 passages, vectors of 8 dimensions); "
            "whether it was created from this corpus with this model cannot be checked"
            for name in ("e.npy", "index.index")
        ]
        opened(fresh_server := fresh(), url)  # not asked for again
        assert said(lambda: call(fresh_server, "retriever_index", embedding_path="up/e.npy")) == []
        found = call(fresh_server, "retriever_search", query_list=[TEXTS[3], "kiln"], top_k=4)
    assert {path: path.read_bytes() for path in before} == before
    index = faiss.read_index("up/index.index")
    for query, ids in zip([TEXTS[3], "kiln"], found["ret_ids"], strict=True):
        scores, _ = index.search(np.array([vector(query)], dtype=np.float32), 4)
        own = [float(np.dot(vector(query), vector(TEXTS[NAMES.index(each)]))) for each in ids]
        assert own == pytest.approx(scores[0].tolist())


def test_an_index_alone_is_adopted_by_the_search(server, monkeypatch):
    make_index(Path("up/index.index"))
    monkeypatch.setenv("RETRIEVER_ADOPT", "1")  # what --adopt sets
    with serving(embeddings) as url:
        opened(server, url)
        notices = said(lambda: call(server, "retriever_search", query_list=["kiln"]))
    assert len(notices) == 1
    assert read_stamp(Path("up/index.index"))["adopted"] == 1


def test_other_sizes_are_refused(server):
    make_embeddings(Path("up/e.npy"), TEXTS[1:])
    make_index(Path("up/index.index"), rows=TEXTS[1:])
    make_terms(Path("up/bm25"), rows=TEXTS[1:])
    with serving(embeddings) as url:
        opened(server, url, adopt=True)
        steps = {
            "up/e.npy": ("retriever_embed", {"embedding_path": "up/e.npy"}),
            "up/index.index": ("retriever_search", {"query_list": ["x"]}),
            "up/bm25": ("bm25_search", {"query_list": ["x"]}),
        }
        for path, (tool, given) in steps.items():
            with pytest.raises(ConfigError) as caught:
                call(server, tool, **given)
            message = "this has 39 passages, but the corpus has 40: it was made from other data"
            assert str(caught.value) == f"{path}: {message}\n{TERMS_HINT if tool == 'bm25_search' else VECTORS_HINT}"
            assert read_stamp(Path(path)) is None


def test_an_index_with_other_numbers_or_of_another_kind_is_refused(server):
    path = Path("up/index.index")
    other = faiss.IndexFlatL2(DIMENSIONS)
    other.add(np.ones((40, DIMENSIONS), dtype=np.float32))
    with serving(embeddings) as url:
        opened(server, url, adopt=True)
        make_index(path, shift=1)
        with pytest.raises(ConfigError, match="its passages are not numbered from 0"):
            call(server, "retriever_search", query_list=["x"])
        faiss.write_index(other, str(path))
        with pytest.raises(ConfigError, match="it is not a flat inner-product index"):
            call(server, "retriever_search", query_list=["x"])


def test_vectors_of_another_model_say_nothing_to_the_default_one(server):
    make_embeddings(Path("up/e.npy"))
    opened(server, "http://127.0.0.1:9", adopt=True, backend="latent")
    with pytest.raises(ConfigError) as caught:
        call(server, "retriever_embed", embedding_path="up/e.npy")
    assert str(caught.value) == (
        "up/e.npy: the backend latent cannot search vectors of another model\n"
        "hint: set backend and model_name_or_path to what UltraRAG used"
    )


# terms


@pytest.mark.parametrize(
    ("lang", "tokenizer", "splitter", "name"),
    [
        ("en", "auto", None, "regex"),
        ("zh", "default", None, "regex"),
        ("zh", "auto", lambda text: [each for each in text if each.strip()], "character"),  # where jieba is missing
        ("zh", "auto", lambda text: text.split(), "jieba"),
    ],
)
def test_terms_of_ultrarag_are_adopted_and_score_like_there(server, lang, tokenizer, splitter, name):
    expected = make_terms(Path("up/bm25"), splitter=splitter)
    configs = {"bm25": {"save_path": "up/bm25", "lang": lang, "tokenizer": tokenizer}}
    opened(server, "", backend="bm25", backend_configs=configs)
    with pytest.raises(ConfigError) as caught:
        call(server, "bm25_index")
    assert str(caught.value) == f"up/bm25: there is no record of what this file was created from\n{ADOPT_TERMS}"
    opened(server, "", backend="bm25", backend_configs=configs, adopt=True)
    notices = said(lambda: call(server, "bm25_index"))
    assert notices == [
        f"adopted: up/bm25 (40 passages, terms by {name}); "
        "whether it was created from this corpus with this model cannot be checked"
    ]
    again = fresh()
    opened(again, "", backend="bm25", backend_configs=configs)
    for query in ("Who owned the kiln in Osterby?", "运费一共多少钱"):
        found = call(again, "bm25_search", query_list=[query])
        scores = dict(zip(found["ret_ids"][0], found["ret_scores"][0], strict=True))
        if name != "jieba":
            assert scores == expected(query)
    call(again, "bm25_index", overwrite=True)  # and can be made anew
    assert "adopted" not in (read_stamp(Path("up/bm25")) or {"adopted": 1})


def test_terms_that_were_saved_by_the_backend_numba_are_adopted_without_it(server, monkeypatch):
    """UltraRAG takes numba where it is installed, and bm25s keeps that beside the index."""
    expected = make_terms(Path("up/bm25"))
    file = Path("up/bm25/params.index.json")
    saved = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**saved, "backend": "numba"}), encoding="utf-8")
    before = file.read_bytes()
    monkeypatch.setitem(sys.modules, "numba", None)
    opened(server, "", backend="bm25", adopt=True)
    query = "Who owned the kiln in Osterby?"
    found = call(server, "bm25_search", query_list=[query])
    assert dict(zip(found["ret_ids"][0], found["ret_scores"][0], strict=True)) == expected(query)
    assert file.read_bytes() == before


@pytest.mark.slow
def test_the_command_adopts(server, tmp_path):
    make_terms(Path("up/bm25"))
    (tmp_path / "p.yaml").write_text(
        "servers: {benchmark: servers/benchmark, retriever: servers/retriever}\n"
        "pipeline: [benchmark.get_data, retriever.retriever_init, retriever.bm25_index, retriever.bm25_search]\n",
        encoding="utf-8",
    )
    values = {
        "benchmark": {
            "benchmark": {
                "name": "nq",
                "path": str(Path(CORPUS).with_name("sample_nq_10.jsonl")),
                "key_map": {"q_ls": "question", "gt_ls": "golden_answers"},
            }
        },
        "retriever": {"corpus_path": CORPUS, "backend": "bm25", "backend_configs": {"bm25": {"save_path": "up/bm25"}}},
    }
    (tmp_path / "values.yaml").write_text(json.dumps(values), encoding="utf-8")
    command = ["run", "p.yaml", "--param", "values.yaml", "--lang", "en"]
    first = run(*command, cwd=tmp_path)
    assert first.returncode == 2
    assert ADOPT_TERMS in first.stderr
    second = run(*command, "--adopt", cwd=tmp_path)
    assert second.returncode == 0, second.stderr
    assert "adopted: up/bm25 (40 passages" in second.stderr
    assert read_stamp(Path("up/bm25"))["adopted"] == 1


# ids that stand for several passages


def test_repeated_ids_are_accepted_with_a_count(server, write):
    rows = [{"id": "a", "contents": "the kiln"}, {"id": "a", "contents": "the viola"}, {"id": 7, "contents": "a pump"}]
    path = write("corpus.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    notices = said(lambda: call(server, "retriever_init", corpus_path=str(path), backend="bm25"))
    assert notices == [f"{path}: 1 of 3 passages has the id of an earlier one"]
    call(server, "bm25_index")
    found = call(server, "bm25_search", query_list=["viola"], top_k=1)
    assert (found["ret_psg"], found["ret_ids"]) == ([["the viola"]], [["a"]])


# damage


@pytest.mark.slow
def test_damaged_files_are_one_message(server):
    ready(server)
    call(server, "bm25_index")
    shutil.copytree("output", "good")
    files = sorted(path for path in Path("good").rglob("*") if path.is_file() and "stamp" not in path.name)
    assert len(files) == 9
    chance, refused = random.Random(7), 0
    for number in range(9 * 10):
        file = files[number % len(files)]
        Path("output", file.relative_to("good")).write_bytes(damaged(file.read_bytes(), number // len(files), chance))
        run = make_vectors if "embedding" in file.parts else search_terms if "bm25" in file.parts else search_vectors
        refused += refuses(run)
        shutil.copy(file, Path("output", file.relative_to("good")))
    assert refused > 60


def damaged(content, how, chance):
    if how < 4:
        return [b"", content[:10], content[: len(content) // 2], content[:-1]][how]
    if how < 6:
        return bytes(chance.randrange(256) for _ in range(len(content) if how == 4 else 50))
    changed = bytearray(content)
    for _ in range(3):
        changed[chance.randrange(min(len(changed), 120))] = chance.randrange(256)
    return bytes(changed)


def search_vectors(server):
    call(server, "retriever_search", query_list=["kiln"])


def search_terms(server):
    call(server, "bm25_search", query_list=["kiln", "运费"])


def make_vectors(server):
    Path("output/index/index.faiss.stamp.json").unlink(missing_ok=True)
    try:
        call(server, "retriever_index", overwrite=True)
    finally:
        shutil.copytree("good/index", "output/index", dirs_exist_ok=True)


def refuses(run):
    again = fresh()
    call(again, "retriever_init", corpus_path=CORPUS)
    try:
        run(again)
    except SteelyardError:
        return 1
    return 0
