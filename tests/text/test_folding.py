import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.text.folding import fold, fold_with_offsets
from steelyard.text.scripts import script_of

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
}


@pytest.mark.parametrize("text", PAIRS)
def test_one_way_of_writing(text):
    assert fold(text) == PAIRS[text]


@given(st.text())
def test_folding_again_changes_nothing(text):
    assert fold(fold(text)) == fold(text)


@given(st.text())
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
