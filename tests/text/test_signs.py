"""Classes of characters that a text has: by the kernel as by numpy, and none of their characters is missed."""

import random
import re
import subprocess
import sys
from pathlib import Path

import opencc
import pytest

from steelyard.legal.evidence import quotes
from steelyard.native import kernel
from steelyard.text import alternatives, normalisation, signs

PLANE = [chr(point) for point in range(1 << 16)]
EVERY = [chr(point) for point in range(sys.maxunicode + 1)]


def texts(seed: int):
    """Texts of all lengths, with surrogates and characters of other planes."""
    chance = random.Random(seed)
    points = (*range(0x20, 0x7F), 0x4E00, 0x9FFF, 0xD800, 0xDFFF, 0xFFFF, 0x10000, 0x1F600, 0x2A6D6, 0x10FFFF)
    for length in (0, 1, 2, 511, 512, 513, 2_000, *(chance.randrange(80) for _ in range(300))):
        common = [*points, *(chance.randrange(0x11000) for _ in range(20))]
        yield "".join(map(chr, chance.choices(common, k=length)))


@pytest.mark.skipif(kernel() is None, reason="the compiled kernel is not built")
def test_the_kernel_finds_the_signs_that_numpy_finds():
    table = signs._table()
    for text in texts(1):
        assert kernel().find_signs(table.tobytes(), text) == signs._find(table, text) == signs.signs(text)
        for bits in (signs.DIGIT, signs.LETTER | signs.QUOTATION, (1 << 64) - 1, 0):
            assert kernel().find_signed(table.tobytes(), text, bits) == signs._find_signed(table, text, bits)


@pytest.mark.skipif(kernel() is None, reason="the compiled kernel is not built")
def test_the_kernel_finds_the_openings_that_numpy_finds():
    tables = alternatives.Alternatives("没有|[x-z]a|b|9")._tables
    for text in (*texts(2), "没有" * 300, "xa", "x", "没", "b没"):
        assert kernel().find_openings(tables, text) == alternatives._find_openings(tables, text)


@pytest.mark.skipif(kernel() is None, reason="the compiled kernel is not built")
def test_the_kernel_refuses_tables_of_another_size():
    with pytest.raises(ValueError, match="empty"):
        kernel().find_signs(b"", "a")
    with pytest.raises(ValueError, match="empty"):
        kernel().find_signed(b"", "a", 1)
    with pytest.raises(ValueError, match="size"):
        kernel().find_openings(b"\0" * 100, "a")
    with pytest.raises(TypeError):
        kernel().find_signs(b"\0" * 16, b"a")


def test_a_class_has_its_characters_and_ranges_only():
    bit = signs.sign("xa-c\u4e00")
    assert [char for char in PLANE if signs.signs(char) & bit] == ["a", "b", "c", "x", "\u4e00"]
    assert not signs.signs("\U0001f600") & bit
    other = signs.sign("\U00020000")
    assert signs.signs("\U0001f600") & other  # one of another plane stands for all of them
    assert signs.signs("") == 0


def test_there_are_not_more_classes_than_bits(monkeypatch):
    monkeypatch.setattr(signs, "_classes", ["x"] * 64)
    with pytest.raises(ValueError, match="64"):
        signs.sign("y")


@pytest.mark.parametrize(
    ("bit", "pattern"),
    [
        (signs.DIGIT, re.compile(r"\d")),
        (signs.LETTER, re.compile("[a-z]", re.IGNORECASE)),
        (signs.QUOTATION, re.compile('[“‘「『"《]')),
    ],
    ids=["digits", "letters", "quotations"],
)
def test_no_character_of_a_pattern_is_missed(bit, pattern):
    assert [char for char in EVERY if pattern.match(char) and not signs.signs(char) & bit] == []


def test_what_has_no_capital_is_its_own_lower_case():
    assert [char for char in EVERY if char.lower() != char and not signs.signs(char) & signs.CAPITAL] == []


def test_known_letters_are_compared_as_all_letters():
    for char in PLANE:
        if not signs.signs(char) & quotes._OTHER_LETTER:
            assert bool(quotes._DROPPED.match(char)) is bool(quotes._DROPPED_PLAIN.match(char)), hex(ord(char))


def test_characters_that_are_simplified_have_the_sign():
    bit, convert = normalisation._convertible(), opencc.OpenCC("t2s").convert
    unsigned = [char for char in PLANE if not signs.signs(char) & bit]
    assert convert("\n".join(unsigned)) == "\n".join(unsigned)


def test_words_in_which_a_character_is_simplified_have_the_sign(tmp_path):
    folder = Path(opencc.__file__).parent / "clib"
    program, words = folder / "bin" / "opencc_dict", folder / "share" / "opencc" / "TSPhrases.ocd2"
    if not (program.is_file() and words.is_file()):
        pytest.skip("opencc came without its dictionary program")
    target = tmp_path / "words.txt"
    command = [str(program), "-i", str(words), "-f", "ocd2", "-o", str(target), "-t", "text"]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("the dictionary program of opencc does not run here")
    bit, convert = normalisation._convertible(), opencc.OpenCC("t2s").convert
    listed = [line.split("\t")[0] for line in target.read_text(encoding="utf-8").splitlines() if line.strip()]
    assert len(listed) > 100
    assert [word for word in listed if convert(word) != word and not signs.signs(word) & bit] == []


def test_places_are_those_of_the_characters_of_a_class():
    assert signs.places("a1 b22", signs.DIGIT) == [1, 4, 5]
    assert signs.places("", signs.DIGIT) == []


@pytest.mark.parametrize("text", ["12年3月", "١٢", "共٣笔、4笔", "无"])
def test_other_digits_than_those_of_ascii_are_found_too(text):
    of = signs.by_digits(lambda digits: f"[{digits}]+")
    assert of(text).findall(text) == re.findall(r"\d+", text)
