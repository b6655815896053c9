"""Patterns that are tried only where a match may begin, and what must occur for a kind of number: no match is lost."""

import random

import pytest

from steelyard.legal.grounding import english_names
from steelyard.text import dates, mentions, reading

FINDERS = {
    "cards": (mentions._cards, mentions._CARD),
    "names": (english_names._sequences, english_names._SEQUENCE),
    "phones": (mentions._phones, mentions._PHONE),
    "times": (mentions._times, mentions._TIME),
    "shares": (mentions._percents, mentions._PERCENT),
    "ordinals": (mentions._ordinals, mentions._ORDINAL),
    "numbers of lists": (reading._list_numbers, reading._LIST_NUMBER),
    "numbers in lines": (reading._inline_numbers, reading._INLINE_NUMBER),
}
PIECES = (
    *"0123456789",
    *"一二三十百千万〇年月日号时点分岁第次条笔半刻许整息率之卡账尾末牌",
    *"：:；;。，,、.．()（）[]§%‰‱+- \t\n\0",
    "凌晨", "早上", "当晚", "下午", "分之", "月息二分", "年息3厘", "利率1分", "三", "12", "30", "2020", "138 0013 8000",
    "0755-1234567", "110101 19900307 7512", "6222 0212 3456 7890", "555-0100", "pm", "a.m.", "P.M", " per cent", "no.",
    "No. 123", "page 3", "Section 4.2", "ſection 5", "pp. 12-14", "3rd", "21st", "1)", "(2)", "（3）", "4、", "5. ",
    " aged 30", " old", " ending in 1234", "尾号", "案号", "车牌号", "(2020)民初12号", "京A12345",
    " twice", "俩", "A", "z", "August", " may 5", "3rd of Mar. 2020", "Mr. Smith", "O'Neil", "日",
)  # fmt: skip
KINDS = [number for number in range(len(mentions._FINDERS)) if number not in (2, 3)]
"""Without card numbers and announced numbers, for which more must occur than their patterns ask for."""


NAMED_DAYS = [form for gate, form in dates._FORMS if gate in dates._BEGINS]


@pytest.mark.parametrize("number", range(len(NAMED_DAYS)))
def test_days_with_the_name_of_a_month_are_those_of_the_pattern(number):
    form = NAMED_DAYS[number]
    gate = next(gate for gate, other in dates._FORMS if other is form)
    months, days, years = ("may", "Sept", "ſep", "OCT.", "march"), ("4", "31st", "5th", "٣"), ("2020", "1999", "20")
    gaps = (" ", " ", " ", ", ", " of ", "-")
    chance, found = random.Random(number), 0
    for _ in range(4_000):
        parts = [chance.choice(kind) for kind in chance.choices((months, days, years), k=chance.randrange(2, 6))]
        text = "".join(part + chance.choice(gaps) for part in parts)
        expected = [match.span() for match in form.finditer(text)]
        assert [match.span() for match in dates._matches(gate, form, text)] == expected, text
        found += len(expected)
    assert found > 50


PROSE = "的" * 300
"""With so much of it before and after them, the characters with which a match may begin are rare."""


def texts(seed: str, pieces=PIECES, count: int = 4_000):
    chance = random.Random(seed)
    made = ["".join(chance.choices(pieces, k=chance.randrange(1, 14))) for _ in range(count)]
    return [*made, *(f"{PROSE}{text}{PROSE}" for text in made[: count // 4])]


@pytest.mark.parametrize("name", FINDERS)
def test_the_matches_are_those_of_the_pattern(name):
    find, pattern = FINDERS[name]
    found = 0
    for text in (*texts(name), *texts(name, (*PIECES, "٣", "۵5", "１２"))):
        expected = [match.span() for match in pattern.finditer(text)]
        assert [match.span() for match in find(text)] == expected, text
        found += len(expected)
    assert found > 50


@pytest.mark.parametrize("number", KINDS)
def test_a_kind_is_looked_for_wherever_it_occurs(number):
    may_occur, has, find = mentions._FINDERS[number]
    found = 0
    for text in texts(str(number)):
        if list(find(text)):
            found += 1
            assert may_occur(mentions._contents(text)), text
            assert has(text), text
    assert found > 20
