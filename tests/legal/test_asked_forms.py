"""Questions that are repeated inside a statement are found where the whole pattern finds them."""

import random

from steelyard.legal.facts import polarity_clauses

PIECES = (*"是否有无没不可以能会看情况而定的,。 ", "是否", "有没有", "不可否认", "可不可以", "whether", " or not", "w")


def test_repeated_questions_are_those_of_the_pattern():
    chance, changed = random.Random(1), 0
    for _ in range(20_000):
        text = "".join(chance.choices(PIECES, k=chance.randrange(14)))
        expected = polarity_clauses._ASKED_FORM.sub("", text)
        assert polarity_clauses._without_asked_forms(text) == expected, text
        changed += expected != text
    assert changed > 5_000
