"""Patterns tried only where an alternative may begin find what the whole pattern finds."""

import random
import re
from itertools import pairwise

import pytest

from steelyard.legal.evidence import content
from steelyard.legal.facts import clauses, polarity, polarity_words
from steelyard.legal.grounding import chinese_places
from steelyard.legal.refusals import abstention, chinese, english, words
from steelyard.native import kernel
from steelyard.text import alternatives, mentions, numerals, reading
from steelyard.text.alternatives import Alternatives

PATTERNS = {
    "corrected": clauses._CORRECTED,
    "doubted": clauses._DOUBTED,
    "taken back": clauses._TAKEN_BACK,
    "concluded": clauses._CONCLUSION,
    "cues": chinese.CUES_ZH,
    "suspect": abstention._SUSPECT,
    **{f"English cues {at}": pattern for at, (pattern, _) in enumerate(english._CUES_EN)},
    "places": chinese_places._END,
    "signs": polarity_words.SCAN_ZH,
    "yes or no asked": polarity._ASKS,
    "yes or no announced": polarity._MAY_ANNOUNCE,
    "disclaimer": reading._DISCLAIMER,
    "final": reading.FINAL,
    "may announce": reading._MAY_ANNOUNCE,
    "offered": clauses.ALTERNATIVE,
    "referral": words.REFERRAL,
    "inference": words.INFERENCE_WORDS,
    "conflict": words.CONFLICT,
    "stock phrases": content._STOCK,
    "announced numbers": mentions._ANNOUNCED,
    "once and twice": mentions._OFTEN,
    "words of numbers": numerals._HAS_WORD,
}
TEXT = (
    "甲方没有说明，我们无法确定合同的内容。更正为五万元；因此答案是：不详。\n结论：无\n"
    "I am not sure, maybe it may be WRONG. For reference only.\n"
)


@pytest.fixture(params=["kernel", "numpy"])
def by(request, monkeypatch):
    """A pattern that is searched by the kernel, or without it."""
    if request.param == "kernel" and kernel() is None:
        pytest.skip("the compiled kernel is not built")
    if request.param == "numpy":
        monkeypatch.setattr(alternatives, "kernel", lambda: None)
    return lambda pattern: Alternatives(pattern._alternatives, pattern._flags, lead=pattern._lead)


def whole(pattern: Alternatives) -> re.Pattern[str]:
    return re.compile(pattern.pattern, pattern._flags)


def found(matches) -> list[tuple[tuple[int, int], str | None]]:
    return [(match.span(), match.lastgroup) for match in matches]


def written(pattern: Alternatives, chance: random.Random) -> str:
    """A text of words of the pattern, of its characters, and of others."""
    words = re.findall(r"[\u4e00-\u9fff]+|[A-Za-z' ]+", pattern.pattern)
    pieces = [
        chance.choice((chance.choice(words), chance.choice(TEXT), chance.choice("，。 \n不没有是"))) for _ in range(120)
    ]
    return "".join(pieces)


@pytest.mark.parametrize("name", PATTERNS)
def test_the_matches_are_those_of_the_whole_pattern(name, by):
    pattern, chance = by(PATTERNS[name]), random.Random(name)
    plain = whole(pattern)
    for text in (TEXT * 3, *(written(pattern, chance) for _ in range(60))):
        expected = found(plain.finditer(text))
        assert found(pattern.finditer(text)) == expected
        first = pattern.search(text)
        assert (found([first]) if first else []) == expected[:1]
        assert pattern.found_in(text) is bool(expected)
        assert pattern.sub("#", text) == plain.sub("#", text)
        assert pattern.split(text) == plain.sub("\0", text).split("\0")
        assert pattern.may_match(text) or not expected


def in_scripts(text: str) -> tuple[str, ...]:
    """The text, its ASCII characters, and the others."""
    return text, "".join(filter(str.isascii, text)), re.sub("[A-Za-z]", "", text)


@pytest.mark.parametrize("name", PATTERNS)
def test_the_matches_in_short_texts_are_those_of_the_whole_pattern(name, by):
    pattern, chance = by(PATTERNS[name]), random.Random(name)
    plain = whole(pattern)
    for text in (written(pattern, chance)[: chance.randrange(80)] for _ in range(60)):
        for short in in_scripts(text):
            assert found(pattern.finditer(short)) == found(plain.finditer(short))
            assert pattern.found_in(short) is (plain.search(short) is not None)


@pytest.mark.parametrize("name", PATTERNS)
def test_where_none_may_match_no_part_of_the_text_does(name, by):
    pattern, chance = by(PATTERNS[name]), random.Random(name)
    plain = whole(pattern)
    for _ in range(300):
        text = "".join(chance.choices(TEXT + "的一了在人", k=12))
        start, end = sorted(chance.choices(range(13), k=2))
        assert pattern.may_match(text) or plain.search(text[start:end]) is None


@pytest.mark.parametrize("words", ["cannot|can't|could|declin(?:e|ing)|do|c|(?:not|can) be|cart", "a+b|ab|a", "x"])
def test_alternatives_by_their_first_letter_match_as_in_their_order(words):
    grouped, chance = re.compile(alternatives.by_first_letter(words), re.IGNORECASE), random.Random(words)
    plain = re.compile(words, re.IGNORECASE)
    for _ in range(300):
        text = "".join(
            chance.choice(("a", "b", "c", "x", " be", "CAN", "not", "can't", "declin", "e")) for _ in range(9)
        )
        assert found(grouped.finditer(text)) == found(plain.finditer(text))


@pytest.mark.parametrize("word", ["\u017fee", "\u212aNOW", "\u0130nfer", "\u0131NFER", "See", "kNow"])
def test_alternatives_by_their_first_letter_match_all_letters_that_equal_it(word):
    words = "see|say|know|infer|identify"
    assert re.fullmatch(words, word, re.IGNORECASE)
    assert re.fullmatch(alternatives.by_first_letter(words), word, re.IGNORECASE)


@pytest.mark.parametrize("name", PATTERNS)
def test_no_match_is_empty(name):
    assert not any(match[0] == "" for match in whole(PATTERNS[name]).finditer(TEXT))


def test_of_several_alternatives_at_one_position_the_first_matches():
    pattern = Alternatives("(?P<long>abc|b)|(?P<short>ab|c+)|[xyz](?=a)")
    text = "-" * 100 + "xabcabab bcccc"
    assert found(pattern.finditer(text)) == found(whole(pattern).finditer(text))
    assert all(one.end() <= two.start() for one, two in pairwise(pattern.finditer(text)))


def test_letters_that_equal_others_where_the_case_is_ignored():
    pattern = Alternatives("ask|kiss", re.IGNORECASE)
    for word in ("a\u017fk", "as\u212a", "\u212ai\u017fs", "K\u0131SS", "K\u0130ss"):
        text = "-" * 100 + word
        assert found(pattern.finditer(text)) == found(whole(pattern).finditer(text)), word


def test_without_the_parser_of_python_the_whole_pattern_is_searched(monkeypatch):
    def missing(name: str):
        raise ImportError(name)

    monkeypatch.setattr(alternatives, "import_module", missing)
    monkeypatch.setattr(alternatives, "_openings", alternatives._openings.__wrapped__)
    pattern = Alternatives("没有|(?:无法|不能)确定")
    for text in ("-" * 100 + "无法确定没有", "无法确定没有"):
        assert [match[0] for match in pattern.finditer(text)] == ["无法确定", "没有"]
    assert "" in pattern._by_first


@pytest.mark.parametrize(
    ("part", "openings"),
    [
        ("没有", {"没有"}),
        ("没有?", {"没", "没有"}),
        (r"\bNo(?:t|ne)", {"no"}),
        ("(?<!不)(?:AB?|[xy])(?=z)", {"a", "ab", "x", "y"}),
        ("a?b+c|(?:de)*f", {"ab", "b", "de", "f"}),
        (r"(?:^|\n)[ \t]*答案", {"\n ", "\n\t", "\n答", " ", "\t", "答案"}),
        (r"\w{2,6}n't|x", {"", "x"}),
        ("[^a]b", {""}),
        ("a[^a]", {"a"}),
        ("[a-c]{2}", {"a", "b", "c"}),
    ],
)
def test_how_matches_begin(part, openings):
    assert alternatives._openings(part, re.IGNORECASE) == openings


def test_alternatives_are_cut_at_the_top_only():
    assert list(alternatives._split(r"a|(?:b|c)|[|()\]|]|\||(?P<n>d|(?:e|f))|(?P<m>g)h")) == [
        ("", "a"),
        ("", "(?:b|c)"),
        ("", r"[|()\]|]"),
        ("", r"\|"),
        ("(?P<n>", "d"),
        ("(?P<n>", "(?:e|f)"),
        ("", "(?P<m>g)h"),
    ]
