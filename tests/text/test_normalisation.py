import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.answers.profiles import profile_of
from steelyard.text.normalisation import (
    EQUIVALENTS,
    fold,
    fold_with_offsets,
    normalise,
    normalise_with_offsets,
    script_of,
    unified,
)
from steelyard.text.private import private_passages

PAIRS = {
    "４２０００元": "42000元",
    "Ｐａｒｉｓ": "Paris",
    "￥５": "¥5",
    "a　b\u00a0c": "a b c",
    "1—2–3": "1-2-3",
    "号\u200b码\ufeff": "号码",
    "42000②": "42000",
    "42000²": "42000",
    "二○二○年": "二〇二〇年",
    "二O二O年": "二〇二〇年",
    "½": "½",
    "㎡": "㎡",
    "⼆○⼆○年⼋⽉": "二〇二〇年八月",
    "⾦额４２０００元": "金额42000元",
}
TEXTS = st.text(st.one_of(st.characters(), st.sampled_from("".join(map(chr, EQUIVALENTS)) + "０②○年\u200b")))


@pytest.mark.parametrize("text", PAIRS)
def test_one_way_of_writing(text):
    assert fold(text) == PAIRS[text]


@given(TEXTS)
def test_folding_again_changes_nothing(text):
    assert fold(fold(text)) == fold(text)


def test_letters_that_patterns_take_for_others_are_those():
    text = "\u0130stanbul, \u0131s\u0131k, \u017fix \u212aelvin"
    assert normalise(text) == "Istanbul, isik, six Kelvin"
    assert len(normalise(text).lower()) == len(text)


@pytest.mark.slow
@given(TEXTS)
def test_every_folded_character_knows_where_it_stood(text):
    folded = fold_with_offsets(text)
    assert folded.text == fold(text)
    assert len(folded.offsets) == len(folded.text) + 1
    for place, char in enumerate(folded.text):
        original = text[folded.offsets[place]]
        assert fold(original) == char or char == "〇"
    start, end = folded.original_span(0, len(folded.text))
    assert fold(text[start:end]) == folded.text or "〇" in folded.text


def test_a_span_leads_back_to_the_original():
    folded = fold_with_offsets("共\u200b４２０００元")
    start = folded.text.index("42000")
    first, last = folded.original_span(start, start + 5)
    assert "共\u200b４２０００元"[first:last] == "４２０００"


# radicals and strokes


def test_kangxi_radicals_are_those_of_nfkc():
    kangxi = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0x2F00, 0x2FD6)}
    assert {code: EQUIVALENTS[code] for code in kangxi} == kangxi


def test_the_property_agrees_with_every_compatibility_mapping():
    for code, ideograph in EQUIVALENTS.items():
        assert unicodedata.normalize("NFKC", chr(code)) in (chr(code), ideograph)
        assert script_of(ideograph) == "han"
        assert fold(ideograph) == ideograph


def test_how_many_characters_have_an_equivalent():
    blocks = {
        "supplement": sum(0x2E80 <= code <= 0x2EFF for code in EQUIVALENTS),
        "kangxi": sum(0x2F00 <= code <= 0x2FDF for code in EQUIVALENTS),
        "strokes": sum(0x31C0 <= code <= 0x31EF for code in EQUIVALENTS),
    }
    assert blocks == {"supplement": 114, "kangxi": 214, "strokes": 20}
    assert len(EQUIVALENTS) == 348
    assert [code for code in (0x2E80, 0x2E9A, 0x2EF4, 0x31C7, 0x31E2) if code in EQUIVALENTS] == []


# by hand, beside the names of the characters
SUPPLEMENT = {
    "CJK RADICAL CLIFF": "厂",
    "CJK RADICAL SNOUT TWO": "\U0002b739",
    "CJK RADICAL SUN": "日",
    "CJK RADICAL MOTHER": "母",
    "CJK RADICAL CIVILIAN": "民",
    "CJK RADICAL JADE": "王",
    "CJK RADICAL WEST TWO": "西",
    "CJK RADICAL C-SIMPLIFIED SEE": "见",
    "CJK RADICAL C-SIMPLIFIED CART": "车",
    "CJK RADICAL WALK TWO": "辶",
    "CJK RADICAL C-SIMPLIFIED LONG": "长",
    "CJK RADICAL C-SIMPLIFIED GATE": "门",
    "CJK RADICAL C-SIMPLIFIED LEAF": "页",
    "CJK RADICAL C-SIMPLIFIED HORSE": "马",
    "CJK RADICAL SIMPLIFIED YELLOW": "黄",
    "CJK RADICAL C-SIMPLIFIED TURTLE": "龟",
    "CJK STROKE HZG": "\U000200cc",
    "CJK STROKE H": "一",
    "CJK STROKE HZZZG": "\U0002010e",
}


@pytest.mark.parametrize("name", SUPPLEMENT)
def test_radicals_and_strokes_without_a_compatibility_mapping(name):
    assert unified(unicodedata.lookup(name)) == SUPPLEMENT[name]


@given(TEXTS)
def test_unified_text_has_its_characters_in_the_same_places(text):
    assert len(unified(text)) == len(text)
    assert fold(unified(text)) == fold(text)


def test_legal_comparison_reads_radicals_and_finds_the_original():
    printed = "2020年8⽉30⽇，⾼某⼈⺠币４２０００元"
    assert normalise(printed) == normalise("2020年8月30日，高某人民币42000元")
    found = normalise_with_offsets(printed)
    start = found.text.index("人民币")
    first, last = found.original_span(start, start + 3)
    assert printed[first:last] == "⼈⺠币"


def test_traditional_radicals_are_simplified_as_well():
    assert normalise("⾞⾺") == normalise("車馬") == "车马"


def test_private_numbers_written_with_radicals_are_found():
    assert [each.kind for each in private_passages("住朝阳路⼗⼋号")] == ["house"]
    assert [each.kind for each in private_passages("住朝阳路十八号")] == ["house"]


@pytest.mark.parametrize("reading", ["matching", "bag", "rouge"])
def test_our_own_profile_reads_radicals(reading):
    tokens = getattr(profile_of("steelyard"), reading).tokens
    assert tokens("⽉租⾦五千元") == tokens("月租金五千元")


@pytest.mark.parametrize(
    ("profile", "reading"),
    [
        ("ultrarag", "matching"),
        ("ultrarag-2026-09", "matching"),
        ("squad", "matching"),
        ("rouge-chinese", "rouge"),
        ("rouge-jieba", "rouge"),
    ],
)
def test_profiles_of_other_programs_read_what_is_written(profile, reading):
    tokens = getattr(profile_of(profile), reading).tokens
    assert "".join(tokens("⽉租⾦")) == "⽉租⾦"


SCRIPTS = {
    "han": "京〇𠀀",
    "kana": "のカー",
    "hangul": "서",
    "unspaced": "ก",
    "spaced": "aЖع",
}


@pytest.mark.parametrize(("script", "char"), [(script, char) for script, chars in SCRIPTS.items() for char in chars])
def test_scripts(script, char):
    assert script_of(char) == script


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("中 \n文", "中文"),
        ("中 \n\n文", "中 \n\n文"),
        ("中 5", "中5"),
        ("5 \t 中", "5中"),
        ("5 6", "5 6"),
        ("a 中", "a 中"),
        ("中\n a", "中\n a"),
        ("5\n 中", "5中"),
    ],
)
def test_blanks_inside_chinese(text, expected):
    assert normalise(text) == expected
