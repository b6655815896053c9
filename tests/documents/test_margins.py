"""Line numbers, page marks, running heads and feet are no text; amounts, dates and lists are. Records are invented."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.documents.margins import without_margins
from steelyard.documents.pages import read_document

RECORD = [
    [
        "询问笔录",
        "被询问人：霍听澜",
        "问：你一共收了多少钱？",
        "答：一共四万二千元，其中",
        "3000 元是现金，",
        "2023 年给的。",
    ],
    ["问：其余的呢？", "答：转账，分", "12 次给的。", "问：退了吗？", "答：没有退。"],
]


def numbered(pages, written="{:>3} {}", first=1, restart=False):
    """Number the lines of pages at the left; the numbers go on over a page end, or start again."""
    result, number = [], first
    for page in pages:
        number = first if restart else number
        result.append("\n".join(written.format(number + at, line) for at, line in enumerate(page)))
        number += len(page)
    return result


def texts(pages):
    return [page.text.text.strip() for page in without_margins(pages)]


@pytest.mark.parametrize("written", ["{:>3} {}", "{}\t{}", "{}　　{}", "  {:<5}{}"])
@pytest.mark.parametrize("first", [1, 105])
@pytest.mark.parametrize("restart", [False, True])
def test_a_column_of_line_numbers(written, first, restart):
    pages = numbered(RECORD, written, first, restart)
    trimmed = without_margins(pages)
    assert [page.text.text.split("\n") for page in trimmed] == RECORD
    for page, before, lines in zip(trimmed, pages, RECORD, strict=True):
        assert [before[line.start : line.end] for line in page.lines] == lines
    begin = first if restart else first + len(RECORD[0])
    assert [line.number for line in trimmed[1].lines] == list(range(begin, begin + 5))


def test_numbers_start_again_in_a_text_without_pages():
    page = "\n".join(numbered(RECORD * 3, restart=True))
    assert texts([page]) == ["\n".join(line for lines in RECORD * 3 for line in lines)]


def test_a_short_last_page_is_numbered_too():
    pages = [*RECORD, ["以上属实。"]]
    assert texts(numbered(pages))[2] == "以上属实。"


def test_a_deposition():
    page = "DEPOSITION OF JANE ROE\n" + "\n".join(
        f"{at:>4}      {line}"
        for at, line in enumerate(
            ["Q.  Did you pay?", "A.  Yes.  In", "     2023, twice.", "Q.  When?", "A.  In May."], 7
        )
    )
    assert texts([page]) == [
        "DEPOSITION OF JANE ROE\nQ.  Did you pay?\nA.  Yes.  In\n2023, twice.\nQ.  When?\nA.  In May."
    ]


@pytest.mark.parametrize(
    "page",
    [
        "1. 甲\n2. 乙\n3. 丙\n4. 丁\n5. 戊\n6. 己",
        "1、甲\n2、乙\n3、丙\n4、丁\n5、戊\n6、己",
        "(1) 甲\n(2) 乙\n(3) 丙\n(4) 丁\n(5) 戊",
        "1 甲\n2 乙\n3 丙",
        "付款清单：\n" + "\n".join(f"{at} 甲方应当在收到通知之日起\n三日内支付第{at}笔款项" for at in range(1, 8)),
        "\n".join(f"{month} 月 {month}00 元" for month in range(1, 13)),
        "\n".join(f"{month}月{month}00元" for month in range(1, 13)),
        "\n".join(f"{day} March 2023 paid $500" for day in range(1, 9)),
        "\n".join(f"{year} annual fee" for year in range(2015, 2024)),
        "收到现金\n3000 元，又收到\n5000 元，后来退了\n8000 元。",
        "42000\n43000\n甲\n乙",
    ],
)
def test_amounts_dates_and_lists_are_text(page):
    (trimmed,) = without_margins([page])
    assert trimmed.text.text == page
    assert not trimmed.lines


def test_running_heads_feet_and_page_numbers():
    head, foot = "霁县公安局询问笔录　第 {} 页 共 3 页", "案号：（2023）霁公字第 7 号"
    bodies = ["问：收了多少？\n答：一共四万二千元，", "都是现金。\n问：退了吗？", "答：没有退。\n问：还有吗？"]
    pages = [f"{head.format(at)}\n{body}\n{foot}\n- {at} -" for at, body in enumerate(bodies, 1)]
    assert texts(pages) == [f"{head.format(1)}\n{bodies[0]}", bodies[1], f"{bodies[2]}\n{foot}"]


@pytest.mark.parametrize("mark", ["第{}页 共3页", "第 {} 页", "— 第{}页，共3页 —", "Page {} of 3"])
def test_marks_of_pages_are_no_text(mark):
    assert texts([f"{mark.format(1)}\n甲", f"乙\n{mark.format(2)}", f"丙\n{mark.format(3)}\n丁"]) == [
        "甲",
        "乙",
        "丙\n丁",
    ]


@pytest.mark.parametrize(
    "pages",
    [
        ["收到 3000 元\n甲", "收到 5000 元\n乙"],
        ["甲\n本页合计 3000 元", "乙\n本页合计 5000 元", "丙\n本页合计 7500 元"],
        ["问：还有吗？\n甲", "问：还有吗？\n乙", "问：还有吗？\n丙"],
        ["甲\n被询问人签名：霍听澜", "乙\n被询问人签名：霍听澜"],
        ["以上属实。", "以上属实。", "以上属实。"],
        ["同一行\n甲", "另一行\n乙", "又一行\n丙"],
    ],
)
def test_repeated_speech_and_amounts_are_text(pages):
    assert texts(pages) == pages


def test_a_numbered_record_with_heads_reads_as_one_without(write):
    """What judges read is the same: pages, units, and where the lines are."""
    plain = "\n".join(f"第{at}页 共2页\n" + "\n".join(page) for at, page in enumerate(RECORD, 1))
    pages = [f"霁县公安局询问笔录\n{page}" for page in numbered(RECORD)]
    marked = "\n".join(f"第{at}页 共2页\n{page}" for at, page in enumerate(pages, 1))
    bare, full = (read_document(write(name, text)) for name, text in (("a.md", plain), ("b.md", marked)))
    assert full.pages[1] == bare.pages[1]
    assert full.pages[0].text == "霁县公安局询问笔录\n" + bare.pages[0].text
    assert full.lines(4, 6) == [(1, full.pages[0].text.index("答："), len(full.pages[0].text))]
    assert full.lines(6, 7) == [(1, full.pages[0].text.index("2023"), len(full.pages[0].text)), (2, 0, 7)]
    assert [line for page in bare.pages for line in page.lines] == [*range(2, 8), *range(9, 14)]


def test_lines_are_counted_where_nothing_numbers_them(write):
    document = read_document(
        write("d.json", '{"pages": [{"page": 3, "text": "甲\\n\\n乙"}, {"page": 4, "text": "丙"}]}')
    )
    assert [page.lines for page in document.pages] == [{1: (0, 1), 3: (3, 4)}, {1: (0, 1)}]
    assert document.lines(1, 1) == [(3, 0, 1), (4, 0, 1)]
    assert document.lines(1, 3, page=3) == [(3, 0, 4)]
    assert document.pages[0].lines_of(3, 4) == (3, 3)
    assert document.pages[0].lines_of(1, 3) is None


PIECES = st.sampled_from(["1 ", "2 ", "12", "3000 元", "\n", "　", "甲", "。", "问：", "第1页", "Q. ", "-"])


@given(st.lists(st.lists(PIECES, max_size=20).map("".join), max_size=4))
def test_offsets_are_those_of_the_characters(pages):
    for page, trimmed in zip(pages, without_margins(pages), strict=True):
        assert trimmed.text.text == "".join(page[at] for at in trimmed.text.offsets[:-1])
        assert all(0 <= line.start <= line.end <= len(page) for line in trimmed.lines)
