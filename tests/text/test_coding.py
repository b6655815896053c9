"""Many texts at once come to what they come to one by one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from steelyard.answers.profiles import profile_of
from steelyard.text.coding import Codes, Encoder, Pieces, is_plain

PROFILES = ["steelyard", "ultrarag", "squad", "rouge-score", "rouge-score-stemmed", "rouge-jieba", "rouge-chinese"]
# fmt: off
PIECES = [
    "the", "The", "THE", "a", "A", "an", "An", "true", "True", "FALSE", "yes", "U.S.", "I.B.M", "don't", "C++", "C#",
    "-5", "42,000", "1,2345", "+3", "3.10", "$5", "5%", "x_y", "(the)", "the,", "running", "generously", "a.b.c", "--",
    "!!!", "_", "'", ".", "'the'", "O'Neil's", "ooo",
]
# fmt: on
pieces = st.sampled_from(PIECES) | st.text(st.characters(max_codepoint=127, exclude_characters="\0"), max_size=6)
blanks = st.sampled_from([" ", "  ", "\n", "\t", "\x1c", "\r\n", ""])
plain = st.lists(st.tuples(pieces, blanks), max_size=6).map(lambda parts: "".join(map("".join, parts)))


def readings(name):
    profile = profile_of(name)
    return {profile.matching, profile.bag, profile.rouge}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROFILES)
@given(texts=st.lists(plain, min_size=1, max_size=8))
@examples(60)
def test_plain_texts_read_together_equal_texts_read_alone(name, texts):
    for reading in readings(name):
        together, alone = reading.codes(texts, plain=True), reading.codes(texts, plain=False)
        assert together.lengths.tolist() == alone.lengths.tolist()
        assert together.values.tolist() == alone.values.tolist()


def test_a_text_is_plain_without_foreign_letters_and_without_the_mark_between_texts():
    assert is_plain("Plain, 42!")
    assert is_plain("")
    assert not is_plain("café")
    assert not is_plain("a\0b")


def test_codes_are_taken_and_joined():
    reading = Encoder(str.split, Pieces(str.split))
    codes = reading.codes(["a b", "", "b", "c a a"], plain=True)
    assert (codes.values.tolist(), codes.lengths.tolist()) == ([0, 1, 1, 2, 0, 0], [2, 0, 1, 3])
    taken = codes.take(codes.lengths.argsort()[::-1])
    assert (taken.values.tolist(), taken.lengths.tolist()) == ([2, 0, 0, 0, 1, 1], [3, 2, 1, 0])
    joined = Codes.joined((taken, codes))
    assert joined.lengths.tolist() == [3, 2, 1, 0, 2, 0, 1, 3]


def test_a_large_vocabulary_is_forgotten_between_batches(monkeypatch):
    monkeypatch.setattr("steelyard.text.coding._MOST_PIECES", 3)
    reading = Encoder(str.split, Pieces(str.split))
    for _ in range(3):
        codes = reading.codes(["a b c d", "d a"], plain=True)
        assert codes.values.tolist() == [0, 1, 2, 3, 3, 0]
