"""Chunks: those of UltraRAG's chunkers, and laws that hold for every text."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.errors import ConfigError, InputError, UnknownName
from steelyard.rag.corpus import ChunkSettings, chunk_settings, chunker, reflowed, split_at

GOLDEN = json.loads(Path(__file__).with_name("chunks.json").read_text(encoding="utf-8"))
TEXTS = st.text(st.sampled_from("ab甲乙 .!?。！？；，\n\r-“”(),"), max_size=200)
SIZES = st.integers(1, 40)


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: " ".join(map(str, case["settings"].values()))[:40])
def test_chunks_are_those_of_ultrarag(case):
    assert chunker(ChunkSettings(**case["settings"]))(GOLDEN["texts"][case["text"]]) == case["chunks"]


def test_chinese_is_cut_at_the_end_of_sentences():
    text = "甲方应当在三十日内付款。逾期的，每日支付违约金！货物不合格怎么办？由乙方更换。" * 3
    for backend in ("sentence", "recursive"):
        chunks = chunker(ChunkSettings(backend, chunk_size=30, chunk_overlap=0, min_characters_per_chunk=12))(text)
        assert "".join(chunks) == text
        assert {chunk[-1] for chunk in chunks} <= set("。！？")
        assert max(map(len, chunks)) <= 30


def test_a_quotation_mark_stays_with_its_sentence():
    text = "他说：“货已经到了。”她问：“钱呢？”他没有回答。"
    chunks = chunker(ChunkSettings("recursive", chunk_size=11, min_characters_per_chunk=3))(text)
    assert chunks == ["他说：“货已经到了。”", "她问：“钱呢？”", "他没有回答。"]


@given(TEXTS, SIZES, st.sampled_from(("character", "word")))
def test_nothing_is_lost_where_nothing_overlaps(text, size, tokenizer):
    for backend in ("token", "sentence", "recursive"):
        settings = ChunkSettings(backend, tokenizer, size, chunk_overlap=0)
        joined = (" " if (backend, tokenizer) == ("token", "word") else "").join(chunker(settings)(text))
        if (backend, tokenizer) != ("recursive", "word"):  # words are cut without the blank between two chunks
            assert joined == text


@given(TEXTS, SIZES)
def test_no_chunk_is_too_long_where_everything_may_be_cut(text, size):
    for backend in ("token", "recursive"):
        assert all(
            len(chunk) <= size for chunk in chunker(ChunkSettings(backend, chunk_size=size, chunk_overlap=0))(text)
        )


@given(TEXTS, SIZES, st.integers(0, 39))
def test_an_overlap_repeats_what_stands_there(text, size, overlap):
    for backend in ("token", "sentence"):
        settings = ChunkSettings(backend, chunk_size=size, chunk_overlap=min(overlap, size - 1))
        chunks, place = chunker(settings)(text), 0
        for chunk in chunks:
            place = text.find(chunk, max(0, place - size))
            assert place >= 0
        assert not chunks or text.endswith(chunks[-1])


def test_work_grows_with_the_text_alone():
    text = "甲。" * 40_000 + "a" * 100_000 + " ." * 40_000
    for backend in ("token", "sentence", "recursive"):
        assert len(chunker(ChunkSettings(backend, chunk_size=100, chunk_overlap=20))(text)) < 10_000


def test_a_lone_surrogate_is_a_character():
    assert split_at("a\ud800.b", ["."], 1) == ["a\ud800.", "b"]


def test_settings_as_the_parameter_file_says_them():
    config = {"chunk_overlap": 50, "delim": "['.', '。', '\\n']", "min_sentences_per_chunk": 2}
    settings = chunk_settings("sentence", "character", 512, config)
    assert (settings.delimiters, settings.chunk_overlap, settings.min_sentences_per_chunk) == ((".", "。", "\n"), 50, 2)
    assert chunk_settings("token", "word", 8, {}).chunk_overlap == 2  # 64 by default, which is no smaller than a chunk


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("x", "character", 9, {}), "no chunk_backend is called 'x'\nhint: known: token, sentence, recursive"),
        (("token", "character", 0, {}), "chunk_size must be an integer of at least 1, not 0"),
        (
            ("token", "character", 9, {"chunk_overlap": -1}),
            "chunk_overlap must be an integer of at least 0, not -1",
        ),
        (
            ("sentence", "character", 9, {"min_sentences_per_chunk": "x"}),
            "min_sentences_per_chunk must be an integer of at least 1, not 'x'",
        ),
        (
            ("sentence", "character", 9, {"delim": "['.', ''"}),
            "delim must be a list of texts, not \"['.', ''\"\n"
            "hint: for example ['.', '!', '?', '。', '！', '？', '\\n']",
        ),
    ],
)
def test_bad_settings_are_refused(given, message):
    with pytest.raises((ConfigError, UnknownName, InputError)) as caught:
        chunk_settings(*given)
    assert str(caught.value) == message


def test_an_unknown_tokenizer():
    for name in ("no_such_encoding", "", 7):
        with pytest.raises((ConfigError, UnknownName)):
            chunker(ChunkSettings(tokenizer=name))


# paragraphs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("one\ntwo", "one two"),
        ("peat-\nbricks", "peatbricks"),
        ("第一条\u3000付款。\r\n逾期的，\r\n\r\n违约金。", "第一条 付款。 逾期的， 违约金。"),
        ("完。\n\n\n\n另起一段", "完。\n\n另起一段"),
        ("It goes on\n\nhere!\n\nAnd anew", "It goes on here!\n\nAnd anew"),
        ("cut in-\n\ntwo", "cut intwo"),
        ("list\n\n- item", "list\n\n- item"),
    ],
)
def test_lines_and_paragraphs_are_joined(text, expected):
    assert reflowed(text) == expected


def test_joining_grows_with_the_text_alone():
    assert len(reflowed("word word\n\n" * 50_000)) == 500_000 - 1
    assert len(reflowed("word word\n" * 50_000)) == 500_000 - 1
    assert reflowed("-\n" * 20_000)
