import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.text.tokens import atoms, covers, words

ATOMS = {
    "北京。": ["北", "京"],
    "一共42,000元": ["一", "共", "42000", "元"],
    "１９７２年": ["1972", "年"],
    "4.50": ["4.5"],
    "C++, C# and C": ["c++", "c#", "and", "c"],
    "$5": ["$", "5"],
    "5%": ["5", "%"],
    "-5": ["-5"],
    "2020-08-30": ["2020", "08", "30"],
    "3 14": ["3", "14"],
    "the cat": ["cat"],
    "A": ["a"],
    "The": ["the"],
    "vitamin A": ["vitamin", "a"],
    "vitamin A deficiency": ["vitamin", "a", "deficiency"],
    "A vitamin": ["vitamin"],
    "U.S.": ["us"],
    "don't": ["dont"],
    "don’t": ["dont"],
    "True.": ["yes"],
    "True story": ["true", "story"],
    "서울": ["서", "울"],
    "東京へ": ["東", "京", "へ"],
    "Москва": ["москва"],
    "!!!": ["!!!"],
    "   ": [],
    "": [],
}


@pytest.mark.parametrize("text", ATOMS)
def test_atoms(text):
    assert list(atoms(text)) == ATOMS[text]


def test_words_of_chinese_are_segmented_and_those_of_others_whole():
    assert words("中国的首都是北京") == ("中国", "的", "首都", "是", "北京")
    assert words("서울특별시") == ("서울특별시",)
    assert words("東京タワーは") == tuple("東京タワーは")
    assert words("GPT-4在2023年发布") == ("gpt", "4", "在", "2023", "年", "发布")


@given(st.text(min_size=1).filter(str.strip))
def test_nothing_that_is_there_reads_as_nothing(text):
    from steelyard.text.normalisation import fold

    if fold(text).strip():
        assert atoms(text)
        assert words(text)


def test_covering_minds_order_and_number():
    assert covers(["new", "big", "york"], ["new", "york"])
    assert not covers(["new", "york"], ["new", "york", "new", "york"])
    assert not covers(["c", "b", "a"], ["a", "b", "c"])
