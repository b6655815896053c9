"""Texts built to hurt: every judge reads them in time that grows with their length and no faster.

Nothing is timed: a judgement whose time grows with the square of the length would not end before the deadline.
"""

import sys

import pytest

from bench.growth import PATTERNS, hostile, scorers, written
from steelyard.io.outputs import record_of
from steelyard.legal import contains_quote, find_invented, judge_fact, reading
from steelyard.legal.evidence.citations import citations_of
from steelyard.signals import deadline

pytestmark = pytest.mark.slow

MINUTES = 120
CHOSEN = (
    "ones", "sums", "numerals", "groups", "long equation", "alternatives", "dates", "refusals", "English refusals",
    "no stops", "not not", "不不", "whether", "names", "English names", "brackets", "quotation marks",
    "straight quotes", "newlines", "blanks", "commas", "markup", "thinking", "fences", "table rules", "dollar signs",
    "conclusions",
)  # fmt: skip


COUNTED = (
    "ones", "sums", "digits", "numerals", "groups", "alternatives", "dates", "refusals", "no stops", "names",
    "English names", "brackets", "quotation marks", "newlines", "prose", "copies", "not but", "equations",
)  # fmt: skip
TEXTS = {
    "prose": "双方对违约责任另有约定，借款人应当承担相应的责任。",
    "copies": "被询问人：我收到了四万二千元，后来退还了一部分。",
    "not but": "不是三万元，而是五万元。",
}


@pytest.fixture(scope="module")
def scored():
    return scorers()


@pytest.mark.parametrize("pattern", CHOSEN)
def test_answers(pattern, scored):
    text = hostile(PATTERNS[pattern], 8_000)
    with deadline(MINUTES):
        for name in ("fact_exact: answer", "conflict_gap: answer"):
            scored[name](text)


@pytest.mark.parametrize("name", ["fact_exact: answer", "conflict_gap: answer", "evidence_set: answer"])
@pytest.mark.parametrize("pattern", COUNTED)
def test_four_times_the_text_takes_four_times_the_calls(pattern, name, scored, monkeypatch):
    monkeypatch.setattr(reading, "MOST_FIGURES", 1_000_000)
    piece = TEXTS.get(pattern) or PATTERNS[pattern]
    scored[name](hostile(piece, 400))
    few, many = (calls(scored[name], hostile(piece, size)) for size in (2_000, 8_000))
    assert many < 5 * few + 2_000


def calls(judge, text: str) -> int:
    """The number of calls of functions, those in C included."""
    count = 0

    def seen(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(seen)
    try:
        judge(text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("pattern", ["ones", "sums in words"])
def test_lists_of_sums(pattern):
    text = hostile(PATTERNS[pattern], 3_900)
    expected = {"amount_breakdown": [{"amount": 3, "description": "甲"}, {"amount": 4, "description": "乙"}]}
    with deadline(MINUTES):
        judge_fact(expected, text, question="分别是多少？")


def test_pages_of_blanks():
    blanks = " " * 2_000_000
    for page in (blanks, f"{blanks}x", f"p{blanks}3{blanks}-", "9" * 2_000_000):
        with deadline(MINUTES):
            record = record_of({"answer": "x", "citations": [{"page": page, "text": "y"}]})
            citations_of(record["citations"])
    assert record_of({"answer": "x", "citations": [{"page": f"第 {blanks}3 页"}]})["citations"][0]["page"] == 3


def test_a_fenced_reply_of_newlines():
    for text in ("```json\n" + "\n" * 1_000_000, "```" + "\n" * 1_000_000 + "```", "```\n{" + "\n" * 1_000_000 + "}"):
        with deadline(MINUTES):
            record_of(text)


def test_names_of_documents_with_many_endings():
    with deadline(MINUTES):
        citations_of([{"page": 1, "text": "x", "document": "a" + ".md" * 200_000}])


def test_documents():
    for pattern in ("sums", "quotation marks", "names"):
        text = hostile(PATTERNS[pattern], 100_000)
        with deadline(MINUTES):
            find_invented("他收了42000元。", text, question="收了多少？")
            contains_quote(text, "号码我忘记了")
    with deadline(MINUTES):
        written("第 " * 100_000)
