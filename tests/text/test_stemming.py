"""Stems are nltk's: golden pairs always, a large built vocabulary where nltk is installed."""

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.text.stemming import stem

# nltk 3.10.4, PorterStemmer().stem(word)
GOLDEN = """
running:run quickly:quickli dogs:dog flies:fli dies:die died:die dying:die flied:fli skies:sky sky:sky news:news
innings:inning proceed:proceed generously:gener generous:gener caresses:caress ponies:poni ties:tie caress:caress
cats:cat feed:feed agreed:agre plastered:plaster bled:bled motoring:motor sing:sing conflated:conflat troubled:troubl
sized:size hopping:hop tanned:tan falling:fall hissing:hiss fizzed:fizz failing:fail filing:file happy:happi
enjoy:enjoy spy:spi by:by relational:relat conditional:condit rational:ration valency:valenc digitizer:digit
conformably:conform radically:radic differently:differ vilely:vile analogously:analog vietnamization:vietnam
operator:oper feudalism:feudal decisiveness:decis hopefulness:hope callousness:callous formality:formal
sensitivity:sensit sensibility:sensibl geology:geolog logy:logi hopefully:hope nationally:nation triplicate:triplic
formative:form formalize:formal electricity:electr electrical:electr hopeful:hope goodness:good revival:reviv
allowance:allow inference:infer airliner:airlin gyroscopic:gyroscop adjustable:adjust defensible:defens irritant:irrit
replacement:replac adjustment:adjust dependent:depend adoption:adopt communism:commun activate:activ
angularity:angular effective:effect bowdlerize:bowdler probate:probat rate:rate cease:ceas controlling:control
roll:roll owed:owe syzygy:syzygi toy:toy iding:ide U:u As:as 1990s:1990 3d:3d
"""
ENDINGS = """
s ss sses ies ied eed ed ing y ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness
fulness ousness aliti iviti biliti fulli logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant
ement ment ent ion sion tion ou ism ate iti ous ive ize e ll at bl iz
"""
built_words = st.builds(
    lambda start, endings: start + "".join(endings),
    st.text("aeiouyylszwxbtdnAY5é", max_size=6),
    st.lists(st.sampled_from(ENDINGS.split()), max_size=3),
)


@pytest.mark.parametrize(("word", "expected"), [pair.split(":") for pair in GOLDEN.split()])
def test_golden_stems(word, expected):
    assert stem(word) == expected


@given(built_words)
def test_case_does_not_matter(word):
    assert stem(word.upper()) == stem(word.upper().lower())


@given(built_words)
def test_a_stem_is_no_longer_than_its_word_and_of_a_word_never_empty(word):
    assert len(stem(word)) <= len(word)
    assert bool(stem(word)) == bool(word)


@pytest.mark.filterwarnings("ignore")
@given(built_words)
def test_equal_to_nltk_on_built_words(word):
    assert stem(word) == porter().stem(word)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_equal_to_nltk_on_many_words():
    nltk_stem = porter().stem
    words = words_of_source_files() | random_words(50_000)
    assert len(words) > 50_000
    assert [word for word in words if stem(word) != nltk_stem(word)] == []


def porter():
    return pytest.importorskip("nltk.stem.porter").PorterStemmer()


def words_of_source_files():
    root = Path(__file__).parents[2]
    files = [
        path for kind in ("*.md", "*.py") for place in ("src", "tests", "docs") for path in (root / place).rglob(kind)
    ]
    return {word for path in files for word in re.findall("[A-Za-z0-9]+", path.read_text(encoding="utf-8"))}


def random_words(count):
    choose = random.Random(20)
    endings = ENDINGS.split()
    words: set[str] = set()
    while len(words) < count:
        start = "".join(choose.choices("abcdefghijklmnopqrstuvwxyzaeiouy0", k=choose.randint(1, 7)))
        words.add(start + "".join(choose.choices(endings, k=choose.randint(0, 2))))
    return words
