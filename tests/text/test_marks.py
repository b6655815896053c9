"""Marks of products are found, taken off, and lead to contexts by position or id."""

import pytest

from steelyard.text.marks import cited, find_marks, without_citations
from steelyard.text.reading import plain_text

HEX = ("67e517e74767063e882d6861", "507f1f77bcf86cd799439011")
IDS = ["a", "b", *HEX]


@pytest.mark.parametrize(
    ("text", "indices"),
    [
        ("押金为三万元[ID:0]。", [0]),
        ("押金为三万元 [ID: 1][ID:0]。", [1, 0]),
        ("押金为三万元【ID:1】。", [1]),
        ("押金为三万元[ID:0, ID:2]。", [0, 2]),
        ("The deposit is 30,000 ##0$$ ##3$$.", [0, 3]),
        (f"押金为三万元[{HEX[1]}](CITE)[{HEX[0]}](CITE)。", [3, 2]),
        (f"押金为三万元【{HEX[0]}】(QUOTE)。", [2]),
        ("押金为三万元[1]。", [0]),
        ("押金为三万元[1,2]。", [0, 1]),
        ("押金为三万元【2】。", [1]),
        ("The deposit is 30,000 [2](https://example.com/lease).", [1]),
        ("The deposit is 30,000 [b].", [1]),
    ],
)
def test_marks_cite_contexts_and_are_no_words(text: str, indices: list[int]) -> None:
    assert cited(text, IDS) == indices
    assert without_citations(text, IDS) in ("押金为三万元。", "The deposit is 30,000.")


def test_numbers_in_parentheses_are_marks_where_contexts_are_numbered_and_nothing_else_is_one():
    assert cited("押金三万元（1）。租期两年(2)。", [None, None]) == [0, 1]
    assert cited("押金三万元（1）。租期两年[2]。", [None, None]) == [1]
    assert cited("押金三万元（1）。租期两年(3)。", [None, None]) == []
    assert find_marks("押金三万元（1）。") == []


@pytest.mark.parametrize(
    "text",
    [
        "See Article 5(1).",
        "依照第五条（1）。",
        "(1) rent (2) deposit",
        "It was [in 2020].",
        "[2020]京01民终1号",
        "##heading",
        "The deposit is 30,000 (2).",
        "[link](https://example.com)",
    ],
)
def test_other_brackets_are_no_marks(text: str) -> None:
    assert find_marks(text, IDS) == []
    assert without_citations(text, IDS) == text


def test_a_position_outside_the_contexts_cites_nothing() -> None:
    assert cited("押金为三万元[ID:4][9]。", IDS) == []
    assert without_citations("押金为三万元[ID:4][9]。", IDS) == "押金为三万元[9]。"


def test_a_numbering_from_0() -> None:
    assert cited("三万元[0][1]。", IDS, first=0) == [0, 1]


def test_an_id_that_is_a_number_goes_before_the_position() -> None:
    assert cited("三万元[2]。", ["2", "1"]) == [0]


@pytest.mark.parametrize("mark", ["[ID:0]", "##0$$", f"[{HEX[0]}](CITE)", "[1]", "【1】", " [ID:0, ID:12]"])
def test_reading_takes_marks_off(mark: str) -> None:
    assert plain_text(f"一共42000元{mark}。2020年{mark}8月签。") == "一共42000元。2020年8月签。"
