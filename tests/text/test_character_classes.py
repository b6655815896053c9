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
from steelyard.text import alternatives, normalisation, reading
from steelyard.text import character_classes as classes
from steelyard.text.character_classes import CLASSES

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
def test_the_kernel_finds_the_classes_that_numpy_finds():
    table = classes._table(CLASSES._declared)
    for text in texts(1):
        assert kernel().find_classes(table.tobytes(), text) == classes._find(table, text) == CLASSES.of(text)
        for bits in (classes.DIGIT, classes.LETTER | classes.QUOTATION, (1 << 64) - 1, 0):
            assert kernel().find_members(table.tobytes(), text, bits) == classes._find_members(table, text, bits)


@pytest.mark.skipif(kernel() is None, reason="the compiled kernel is not built")
def test_the_kernel_finds_the_openings_that_numpy_finds():
    tables = alternatives.Alternatives("没有|[x-z]a|b|9")._tables
    for text in (*texts(2), "没有" * 300, "xa", "x", "没", "b没"):
        assert kernel().find_openings(tables, text) == alternatives._find_openings(tables, text)


@pytest.mark.skipif(kernel() is None, reason="the compiled kernel is not built")
def test_the_kernel_refuses_tables_of_another_size():
    with pytest.raises(ValueError, match="empty"):
        kernel().find_classes(b"", "a")
    with pytest.raises(ValueError, match="empty"):
        kernel().find_members(b"", "a", 1)
    with pytest.raises(ValueError, match="size"):
        kernel().find_openings(b"\0" * 100, "a")
    with pytest.raises(TypeError):
        kernel().find_classes(b"\0" * 16, b"a")


def test_a_class_has_its_characters_and_ranges_only():
    bit = CLASSES.declare("xa-c\u4e00")
    assert [char for char in PLANE if CLASSES.of(char) & bit] == ["a", "b", "c", "x", "\u4e00"]
    assert not CLASSES.of("\U0001f600") & bit
    other = CLASSES.declare("\U00020000")
    assert CLASSES.of("\U0001f600") & other  # one of another plane stands for all of them
    assert CLASSES.of("") == 0


def test_there_are_not_more_classes_than_bits(monkeypatch):
    monkeypatch.setattr(CLASSES, "_declared", ["x"] * 64)
    with pytest.raises(ValueError, match="64"):
        CLASSES.declare("y")


@pytest.mark.parametrize(
    ("bit", "pattern"),
    [
        (classes.DIGIT, re.compile(r"\d")),
        (classes.LETTER, re.compile("[a-z]", re.IGNORECASE)),
        (classes.QUOTATION, re.compile('[“‘「『"《]')),
    ],
    ids=["digits", "letters", "quotations"],
)
def test_no_character_of_a_pattern_is_missed(bit, pattern):
    assert [char for char in EVERY if pattern.match(char) and not CLASSES.of(char) & bit] == []


def test_what_has_no_capital_is_its_own_lower_case():
    assert [char for char in EVERY if char.lower() != char and not CLASSES.of(char) & classes.CAPITAL] == []


def test_known_letters_are_compared_as_all_letters():
    for char in PLANE:
        if not CLASSES.of(char) & quotes._OTHER_LETTER:
            assert bool(quotes._DROPPED.match(char)) is bool(quotes._DROPPED_PLAIN.match(char)), hex(ord(char))


def test_characters_that_are_simplified_have_the_class():
    bit, convert = normalisation._convertible(), opencc.OpenCC("t2s").convert
    others = [char for char in PLANE if not CLASSES.of(char) & bit]
    assert convert("\n".join(others)) == "\n".join(others)


def test_words_in_which_a_character_is_simplified_have_the_class(tmp_path):
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
    assert [word for word in listed if convert(word) != word and not CLASSES.of(word) & bit] == []


def test_places_are_those_of_the_characters_of_a_class():
    assert CLASSES.places("a1 b22", classes.DIGIT) == [1, 4, 5]
    assert CLASSES.places("", classes.DIGIT) == []


@pytest.mark.parametrize("text", ["12年3月", "١٢", "共٣笔、4笔", "无"])
def test_other_digits_than_those_of_ascii_are_found_too(text):
    of = classes.by_digits(lambda digits: f"[{digits}]+")
    assert of(text).findall(text) == re.findall(r"\d+", text)


def test_what_was_found_before_a_declaration_is_not_kept_for_the_new_class():
    before = CLASSES.of
    assert before("\u2c7e") is not None
    bit = CLASSES.declare("\u2c7e")
    assert not before("\u2c7e") & bit
    assert CLASSES.of("\u2c7e") & bit


def test_the_first_text_of_a_process_is_simplified():
    program = "from steelyard.text.normalisation import simplified; print(simplified(chr(0x5F35)) == chr(0x5F20))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_threads_that_begin_together_declare_a_class_once():
    program = """
import threading
import steelyard.legal
from steelyard.text.character_classes import CLASSES
from steelyard.text.normalisation import normalise
declared, together, found = len(CLASSES._declared), threading.Barrier(40), []
def work():
    together.wait()
    found.append(normalise(chr(0x7B54) + chr(0x8986)))
threads = [threading.Thread(target=work) for _ in range(40)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
print(len(found), set(map(ascii, found)), len(CLASSES._declared) - declared)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "40 {\"'\\\\u7b54\\\\u590d'\"} 1\n"


def test_a_character_of_another_plane_is_no_markup():
    for text in ("𠮷某说明见 https://example.com/a/2020 网页", "𠮷某»你好›", "合计1{,}000元𠮷"):
        assert reading.plain_text(text) == text
    assert reading.plain_text("见 https://example.com/a 😀") == "见   "
