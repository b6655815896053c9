"""The parts of retrieval: terms, BM25, latent vectors and the exact index."""

import json
import math
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from steelyard.errors import ConfigError, InputError, SystemFailure, UnknownName
from steelyard.rag.indexes import Corpus, make_lexical, open_lexical, read_corpus
from steelyard.search.terms import best, terms, way_of
from steelyard.search.vectors import (
    LATENT,
    SKETCH,
    directions,
    fit_latent,
    load_latent,
    normalised,
    open_dense,
    search_dense,
    tfidf,
    write_dense,
)
from steelyard.search.vectors import Row as MatrixRow

ROOT = Path(__file__).parents[2]
SENTENCES = (
    "被告的住所地为临溪县南桥镇。",
    "The keys of the warehouse are returned.",
    "員工請假應當提前一週申請。",
    "42,000 yuan",
)


def quiet(done, total):
    pass


def corpus(*texts):
    return Corpus("here", tuple(f"d{n}" for n in range(len(texts))), tuple(texts), "digest")


def lexical(path, *texts, way="all"):
    found = corpus(*texts)
    make_lexical(found, path, way=way, overwrite=False, progress=quiet)
    return open_lexical(found, path, way=way)


# corpus


def test_both_kinds_of_rows_are_read(write):
    upstream = read_corpus(
        write("a.jsonl", '{"id": 7, "contents": "甲"}\n\n{"id": "b", "contents": "乙", "title": "x"}\n')
    )
    assert (upstream.ids, upstream.texts) == (("7", "b"), ("甲", "乙"))
    beir = read_corpus(
        write("b.jsonl", '{"_id": "1", "title": "T", "text": "x"}\n{"_id": "2", "title": "", "text": "y"}\n')
    )
    assert (beir.ids, beir.texts) == (("1", "2"), ("T\nx", "y"))
    assert len(read_corpus(write("c.csv", "id,contents\n1,x\n2,y\n"))) == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "{}: the corpus has no passages"),
        ('{"id": "1", "contents": "x"}\n{"id": "2", "contents": " "}', "{}:2: this passage has no text"),
        ('{"id": "1", "contents": null, "text": "x"}', "{}:1: this passage has no text"),
        ('{"id": "1", "content": "x"}', "{}:1: this passage has no text"),
        ('{"contents": "x"}', "{}:1: this passage has no id"),
        ('{"id": true, "contents": "x"}', "{}:1: this passage has no id"),
    ],
)
def test_a_bad_corpus_is_refused(content, message, write):
    path = write("corpus.jsonl", content)
    with pytest.raises(InputError) as caught:
        read_corpus(path)
    hint = "\nhint: a passage must be an object with id and contents, or with _id, title and text"
    assert str(caught.value) == message.format(path) + hint


def test_an_id_may_stand_for_several_passages(write):
    rows = '{"id": "1", "contents": "x"}\n\n{"id": 1, "contents": "y"}\n{"id": "2", "contents": "x"}\n'
    corpus = read_corpus(write("corpus.jsonl", rows))
    assert (corpus.ids, corpus.texts, corpus.repeated) == (("1", "1", "2"), ("x", "y", "x"), 1)


# terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The contracts of the tenants", ["contract", "tenant"]),
        ("ＡＢＣ公司", ["abc", "公司", "公", "司", "公司"]),
        ("員工", ["员工", "员", "工", "员工"]),
        ("42,000元", ["42000", "元", "元"]),
        ("C++ and U.S.", ["c++", "us"]),
        ("true", ["true"]),
        ("What is it?", []),
        ("？！……", []),
        ("\ud800", []),
        ("", []),
    ],
)
def test_terms_of_texts(text, expected):
    assert terms(text) == expected


def test_tokenizers_of_ultrarag_choose_the_terms():
    assert terms("被告住所地", way_of("jieba", "zh-TW")) == ["被告", "住所地"]
    assert terms("住所地 warehouses", way_of("char", "chinese")) == ["住", "所", "地", "warehous"]
    assert {way_of(name, "en") for name in ("auto", "default", "regex")} == {"all"}
    with pytest.raises(UnknownName, match=r"^no tokenizer is called 'jeiba'\nhint: did you mean 'jieba'\?$"):
        way_of("jeiba", "zh")
    with pytest.raises(UnknownName, match=r"^no language is called 'tlh'\nhint: known: auto, en, "):
        way_of("auto", "tlh")


# BM25


def plain_bm25(query, texts, k1=1.5, b=0.75):
    """Lucene's formula, read from Kamphuis and others (2020), written without any library."""
    counts = [Counter(terms(text)) for text in texts]
    mean = sum(count.total() for count in counts) / len(counts)
    scores = [0.0] * len(texts)
    for term in terms(query):
        having = sum(term in count for count in counts)
        idf = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
        for place, count in enumerate(counts):
            scores[place] += idf * count[term] / (count[term] + k1 * (1 - b + b * count.total() / mean))
    return scores


@pytest.mark.parametrize("query", ["住所地", "the warehouse keys and warehouse", "申请 42000 yuan", "被告 keys"])
def test_scores_are_those_of_the_formula(query, tmp_path):
    found = lexical(tmp_path / "index", *SENTENCES).search(query, 10)
    expected = plain_bm25(query, SENTENCES)
    assert dict(zip(found.indices, found.scores, strict=True)) == pytest.approx(
        {place: score for place, score in enumerate(expected) if score > 0}, rel=1e-5
    )
    assert list(found.indices) == sorted(found.indices, key=lambda place: -expected[place])


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("被告的住所地在哪里", 0),
        ("被告的住所地在哪裡？", 0),
        ("员工请假要提前多久", 2),
        ("請假申請", 2),
        ("ｗａｒｅｈｏｕｓｅ　ｋｅｙ", 1),
        ("return of the key 仓库", 1),
        ("４２０００ ＹＵＡＮ", 3),
    ],
)
@pytest.mark.parametrize("way", ["all", "words", "characters"])
def test_chinese_traditional_and_full_width_queries(query, place, way, tmp_path):
    assert lexical(tmp_path / "index", *SENTENCES, way=way).search(query, 1).indices == [place]


def test_ties_are_in_the_order_of_the_corpus(tmp_path):
    index = lexical(tmp_path / "index", "x", "apple", "apple pie", "apple", "apple")
    assert list(index.search("apple", 10).indices) == [1, 3, 4, 2]
    assert list(index.search("apple", 2).indices) == [1, 3]
    assert list(best(np.array([0, 2, 1, 2, 2], dtype=np.float32), 2).indices) == [1, 3]


def test_passages_and_queries_without_terms(tmp_path):
    index = lexical(tmp_path / "index", "…", "the", "!")
    assert index.search("anything", 5).indices == index.search("", 5).indices == ()


def test_an_index_that_is_broken_is_named(tmp_path):
    path = tmp_path / "index"
    lexical(path, *SENTENCES)
    (path / "vocab.index.json").write_text("{", encoding="utf-8")
    with pytest.raises(
        ConfigError,
        match=r"index: this index cannot be read: .*\nhint: to make it again, run a pipeline with bm25_index ",
    ):
        open_lexical(corpus(*SENTENCES), path, way="all")


def test_a_folder_of_other_things_is_never_replaced(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(
        ConfigError, match=rf"^{re.escape(str(tmp_path))}: this is not an index, so it is not overwritten$"
    ):
        make_lexical(corpus("x"), tmp_path, way="all", overwrite=True, progress=quiet)
    assert (tmp_path / "thesis.txt").read_text(encoding="utf-8") == "years of work"


# latent vectors


def passages():
    lines = (ROOT / "data" / "corpus_example.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["contents"] for line in lines]


def test_a_passage_is_its_own_best_match():
    texts = passages()
    model, vectors = fit_latent(texts, seed=42, progress=quiet)
    again = model.embed([terms(text) for text in texts])
    assert np.abs(again - vectors).max() < 1e-6
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert (again @ vectors.T).argmax(axis=1).tolist() == list(range(len(texts)))


def test_terms_that_occur_together_have_similar_vectors(monkeypatch):
    monkeypatch.setattr("steelyard.search.vectors.LATENT", 2)  # with as many as passages, nothing is brought together
    texts = [
        "car engine",
        "car engine wheel",
        "automobile engine wheel",
        "automobile wheel",
        "bread oven",
        "bread flour oven",
    ]
    model, vectors = fit_latent(texts, seed=42, progress=quiet)
    (query,) = model.embed([terms("car")])
    scores = vectors @ query
    assert scores[3] > max(scores[4], scores[5])  # it has not the word, but its company


@pytest.mark.parametrize("texts", [["one passage"], ["…"], ["a b", "a b"], ["x", "", "完全不同"]])
def test_small_and_empty_corpora(texts):
    model, vectors = fit_latent(texts, seed=42, progress=quiet)
    assert vectors.shape == (len(texts), model.dimensions)
    assert SKETCH <= model.dimensions <= SKETCH + len(texts) < SKETCH + LATENT
    assert np.isfinite(vectors).all()
    for text, vector in zip(texts, vectors, strict=True):
        assert np.linalg.norm(vector) == pytest.approx(1 if terms(text) else 0, abs=1e-5)


def test_directions_are_those_of_the_full_decomposition():
    generator = np.random.default_rng(1)
    dense = (generator.random((60, 40)) * (generator.random((60, 40)) < 0.3)).astype(np.float32)
    rows = [MatrixRow(np.flatnonzero(row), row[np.flatnonzero(row)]) for row in dense]
    found = directions(rows, 40, 5, seed=3)
    exact = np.linalg.svd(dense)[2][:5]
    assert np.abs(found.T @ found - np.eye(5)).max() < 1e-4
    assert np.linalg.norm(exact @ found) == pytest.approx(math.sqrt(5), abs=0.01)  # the same space


def test_the_length_of_a_passage_does_not_change_its_weight():
    places, rare = {"x": 0, "y": 1}, np.array([1.0, 3.0], dtype=np.float32)
    row = tfidf(["y", "x", "x", "unknown"], places, rare)
    assert row.columns.tolist() == [0, 1]
    twice = 1 + math.log(2)
    assert row.weights == pytest.approx(np.array([twice, 3.0]) / math.hypot(twice, 3.0))


def test_a_model_is_saved_and_read(tmp_path):
    model, _ = fit_latent(SENTENCES, seed=7, progress=quiet)
    model.save(tmp_path / "model.npz")
    again = load_latent(tmp_path / "model.npz")
    row = [terms("被告 keys")]
    assert np.array_equal(again.embed(row), model.embed(row))
    (tmp_path / "bad.npz").write_bytes(b"no")
    with pytest.raises(ConfigError, match="this model cannot be read: "):
        load_latent(tmp_path / "bad.npz")


@pytest.mark.slow
def test_another_process_gives_the_same_vectors():
    program = (
        "import sys, json, hashlib; from steelyard.search.vectors import fit_latent;"
        "texts = json.load(sys.stdin); vectors = fit_latent(texts, seed=42, progress=lambda a, b: None)[1];"
        "print(hashlib.sha256(vectors.tobytes()).hexdigest())"
    )
    texts = json.dumps(passages())
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            input=texts,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


@examples(40)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=6), st.text(max_size=20))
def test_any_texts_can_be_embedded(texts, query):
    model, vectors = fit_latent(texts, seed=1, progress=quiet)
    assert vectors.shape == (len(texts), model.dimensions)
    assert np.isfinite(model.embed([terms(query)])).all()


@examples(15)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=6), st.text(max_size=20), st.integers(1, 8))
def test_any_texts_can_be_searched(tmp_path_factory, texts, query, top_k):
    found = lexical(tmp_path_factory.mktemp("bm25") / "index", *texts).search(query, top_k)
    assert len(found.indices) == len(found.scores) <= min(top_k, len(texts))
    assert sorted(found.scores, reverse=True) == list(found.scores)


# the exact index


@pytest.fixture
def many(tmp_path):
    vectors = np.random.default_rng(5).standard_normal((500, 24)).astype(np.float32)
    vectors[100:140] = vectors[7]  # forty equals
    write_dense(vectors, tmp_path / "index.faiss")
    return vectors, open_dense(tmp_path / "index.faiss", {"passages": 500, "dimensions": 24})


def test_the_mapped_index_equals_brute_force(many):
    vectors, index = many
    queries = np.random.default_rng(6).standard_normal((45, 24)).astype(np.float32)
    queries[3] = vectors[7]
    products = normalised(queries).astype(np.float64) @ normalised(vectors).T.astype(np.float64)
    for top_k in (1, 10, 30, 500, 900):
        for row, found in zip(products, search_dense(index, queries, top_k), strict=True):
            assert len(found.indices) == min(top_k, 500)
            assert found.scores == pytest.approx(np.sort(row)[::-1][:top_k], abs=1e-6)
            assert row[found.indices] == pytest.approx(found.scores, abs=1e-6)


def test_ties_at_the_cutoff_are_in_order(many):
    vectors, index = many
    units = normalised(vectors)
    (found,) = search_dense(index, units[7:8] + 1.2 * units[300:301], 5)
    assert found.indices == [300, 7, 100, 101, 102]  # the best stands behind the equals, and pushes some of them out


def test_scores_do_not_depend_on_the_batch(many, tmp_path):
    generator = np.random.default_rng(8)
    write_dense(generator.standard_normal((4000, 512)).astype(np.float32), tmp_path / "wide.faiss")
    wide = open_dense(tmp_path / "wide.faiss", {"passages": 4000, "dimensions": 512})
    queries = generator.standard_normal((50, 512)).astype(np.float32)
    assert search_dense(wide, queries, 10) == [search_dense(wide, query[None], 10)[0] for query in queries]
    _, index = many
    assert search_dense(index, np.zeros((2, 24), dtype=np.float32), 3) == [((), ()), ((), ())]


def test_bad_vectors_and_indexes_are_refused(many, tmp_path):
    _, index = many
    with pytest.raises(ConfigError, match=r"^queries have 3 dimensions, the index has 24\n"):
        search_dense(index, np.ones((1, 3), dtype=np.float32), 1)
    with pytest.raises(SystemFailure, match=r"^the model returned vectors with numbers that are not finite$"):
        normalised(np.array([[math.nan]], dtype=np.float32))
    with pytest.raises(ConfigError, match="this index does not match its metadata"):
        open_dense(tmp_path / "index.faiss", {"passages": 499, "dimensions": 24})
    (tmp_path / "bad.faiss").write_bytes(b"12345678")
    with pytest.raises(ConfigError, match=r"bad.faiss: this index cannot be read: "):
        open_dense(tmp_path / "bad.faiss", {})
