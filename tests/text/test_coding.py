"""Many texts at once come to what they come to one by one."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from platforms import compiled
from properties import examples

from steelyard import evaluate_answers
from steelyard.answers.profiles import profile_of
from steelyard.native import kernel
from steelyard.text import coding
from steelyard.text.coding import Codes, Encoder, PieceEncoder, Pieces
from steelyard.text.normalisation import fold
from steelyard.text.tokens import are_spaced, atoms, segment, words

PROFILES = [
    *("steelyard", "ultrarag", "ultrarag-2026-09", "squad"),
    *("rouge-score", "rouge-score-stemmed", "rouge-jieba", "rouge-chinese"),
]
# fmt: off
PIECES = [
    "the", "The", "THE", "a", "A", "an", "An", "true", "True", "FALSE", "yes", "U.S.", "I.B.M", "don't", "C++", "C#",
    "-5", "42,000", "1,2345", "+3", "3.10", "$5", "5%", "x_y", "(the)", "the,", "running", "generously", "a.b.c", "--",
    "!!!", "_", "'", ".", "'the'", "O'Neil's", "ooo",
]
SPACED = [
    "don’t", "“the", "a—the", "—", "…", "café", "cafe\u0301", "naïve", "straße", "ſtop", "İstanbul", "ısı", "ΑΣ", "Σ",
    "ΣΙΣΥΦΟΣ", "Москва", "и\u0306", "שָׁלוֹם", "مرحبا", "हिन्दी", "४२", "😀", "👩\u200d👧", "zero\u200bwidth", "so\u00adft",
    "\ufeffa", "\u202ethe", "\u0301", "\ud800", "ｔｈｅ", "ＴＲＵＥ", "４２", "42000②", "€5", "½",
    "\u212a", "ﬁ", "ｶﾀ", "=\u0338",
]
OTHERS = [
    "中国的首都是北京", "二○二三年", "一九oo年", "⽉⾦⺠", "GPT-4在2023年发布", "the中国", "A中", "東京タワーへ",
    "か\u3099", "서울특별시", "\u1109\u1165", "ภาษาไทย", "ខ្មែរ", "々〇", "𠀀𠀁", "豈", "，", "U.S.与", "50%的",
]
# fmt: on
BLANKS = [" ", "  ", "\n", "\t", "\x1c", "\r\n", "", "\x85", "\xa0", "\u3000", "\u2000", "\u2028", "\u200b"]
blanks = st.sampled_from(BLANKS)
pieces = st.sampled_from(PIECES + SPACED) | st.text(st.characters(exclude_characters="\0"), max_size=6)


def joined(parts):
    return st.lists(st.tuples(parts, blanks), max_size=6).map(lambda pairs: "".join(map("".join, pairs)))


spaced = joined(pieces).filter(lambda text: are_spaced([text])[0])
others = joined(pieces | st.sampled_from(OTHERS))


def readings(name):
    profile = profile_of(name)
    return {profile.matching, profile.bag, profile.rouge}


def renumbered(codes):
    """The numbers in the order in which they first occur."""
    order = {value: number for number, value in enumerate(dict.fromkeys(codes.values.tolist()))}
    return [order[value] for value in codes.values.tolist()]


def tokens_alone(reading, texts):
    tokens = [reading.tokens(text) for text in texts]
    order: dict[str, int] = {}
    return [order.setdefault(token, len(order)) for text in tokens for token in text], list(map(len, tokens))


@pytest.mark.slow
@pytest.mark.parametrize("name", PROFILES)
@given(texts=st.lists(spaced, min_size=1, max_size=8))
@examples(60)
def test_texts_with_blanks_read_together_equal_texts_read_alone(name, texts):
    for reading in readings(name):
        together = reading.codes(texts, spaced=True)
        assert (renumbered(together), together.lengths.tolist()) == tokens_alone(reading, texts)


@pytest.mark.slow
@pytest.mark.parametrize("name", PROFILES)
@given(texts=st.lists(others, min_size=1, max_size=8))
@examples(60)
def test_texts_in_any_script_read_together_equal_texts_read_alone(name, texts):
    for reading in readings(name):
        for some in (texts, texts[::-1]):  # the second time all pieces are known
            together = reading.codes(some, spaced=False)
            assert (renumbered(together), together.lengths.tolist()) == tokens_alone(reading, some)


@given(spaced)
def test_words_of_texts_with_blanks_are_their_atoms(text):
    assert words(text) == atoms(text)


def test_texts_have_blanks_between_words_unless_their_script_has_none():
    texts = ["Plain, 42!", "", "café — “ça”", "Москва", "😀", "北京", "⽉", "が", "서울", "ไทย", "a\0b", "ｶﾀ", "\ud800"]
    expected = [True, True, True, True, True, False, False, False, False, False, False, True, True]
    assert are_spaced(texts) == expected
    assert [are_spaced([text])[0] for text in texts] == expected
    assert are_spaced([]) == []


def test_pieces_fold_and_compose_as_whole_texts_do():
    for blank in (chr(point) for point in range(0x3001) if chr(point).isspace()):
        for piece in (*SPACED, *OTHERS):
            whole = unicodedata.normalize("NFC", f"a{blank}{piece}{blank}e")
            parts = (unicodedata.normalize("NFC", part) for part in ("a", piece, "e"))
            assert fold(whole).split() == " ".join(map(fold, parts)).split()


def test_a_lone_surrogate_is_a_word():
    assert segment("中国\ud800人\udfff") == ["中国", "\ud800", "人", "\udfff"]


def test_texts_with_the_mark_between_texts_are_read_alone():
    reading = profile_of("steelyard").matching
    assert renumbered(reading.codes(["a\0b", "b"], spaced=False)) == [0, 1, 1]


def test_a_text_with_that_mark_does_not_change_how_the_others_are_read():
    answers, references = ["北京市朝阳区人民法院", ""], [["北京市朝阳区人民法院 こんにちは世界"], ["\0"]]
    alone = evaluate_answers(answers[:1], references[:1], ["F1"]).column("F1")
    assert evaluate_answers(answers, references, ["F1"]).column("F1").tolist() == [*alone, 0.0]


def test_codes_are_taken_and_joined():
    reading = Encoder(str.split, PieceEncoder(Pieces(), str.split))
    codes = reading.codes(["a b", "", "b", "c a a"], spaced=True)
    assert (codes.values.tolist(), codes.lengths.tolist()) == ([0, 1, 1, 2, 0, 0], [2, 0, 1, 3])
    taken = codes.take(codes.lengths.argsort()[::-1])
    assert (taken.values.tolist(), taken.lengths.tolist()) == ([2, 0, 0, 0, 1, 1], [3, 2, 1, 0])
    joined = Codes.joined((taken, codes))
    assert joined.lengths.tolist() == [3, 2, 1, 0, 2, 0, 1, 3]


def test_a_large_vocabulary_is_forgotten_between_batches(monkeypatch):
    monkeypatch.setattr("steelyard.text.coding._MOST_PIECES", 3)
    reading = Encoder(str.split, PieceEncoder(Pieces(), str.split))
    for _ in range(3):
        codes = reading.codes(["a b c d", "d a"], spaced=True)
        assert codes.values.tolist() == [0, 1, 2, 3, 3, 0]


def numbered_both_ways(batches):
    """The numbers and names of pieces, with and without the compiled kernel."""
    found = []
    for native in (kernel(), None):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(coding, "kernel", lambda native=native: native)
            table = Pieces()
            found.append(([table.numbers(batch).tolist() for batch in batches], table.names, table.generation))
    return found


@compiled
@given(st.lists(st.lists(others | st.text(st.characters(exclude_characters="\0")), max_size=6), max_size=4))
def test_the_kernel_numbers_pieces_as_python_does(batches):
    compiled_way, plain_way = numbered_both_ways(batches)
    assert compiled_way == plain_way


@compiled
def test_the_kernel_cuts_at_every_blank_and_at_nothing_else():
    characters = "".join(map(chr, range(1, sys.maxunicode + 1)))
    texts = [f"x{characters[start : start + 64]}y" for start in range(0, len(characters), 64)]
    spread = ["x".join(text) for text in texts]
    compiled_way, plain_way = numbered_both_ways([texts, spread, texts])
    assert compiled_way == plain_way


@compiled
def test_the_kernel_numbers_many_pieces_and_long_ones(monkeypatch):
    monkeypatch.setattr(coding, "_MOST_PIECES", 50_000)
    batches = [
        [" ".join("p" * (n % 40) + str(n) for n in range(first, first + 20_000))] for first in range(0, 90_000, 9_000)
    ]
    compiled_way, plain_way = numbered_both_ways([*batches, ["x" * 3_000_000, "x" * 3_000_000 + "y"], ["z"]])
    assert compiled_way == plain_way
    assert compiled_way[2] > 2


@compiled
def test_the_kernel_refuses_tables_that_are_none():
    native = kernel()
    assert native is not None
    table = native.new_pieces(7)
    assert native.number_pieces(table, b"", 0) == (b"", b"")
    for known in (-1, 3):
        with pytest.raises(ValueError, match="more pieces"):
            native.number_pieces(table, b"a b", known)
    with pytest.raises(ValueError, match="PyCapsule"):
        native.number_pieces(None, b"a b", 0)
