"""Documents are read as pages, every page as units, and nothing of either is lost."""

import json
import random
import sys
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from steelyard import limits
from steelyard.documents.pages import Document, read_document
from steelyard.documents.units import cut_units
from steelyard.errors import InputError, MissingExtra, SteelyardError
from steelyard.io.located import located_json, pointer_to

TRANSCRIPT = """=== 第1页 共2页 ===
询问笔录（第1次）
被询问人：霍听澜
问：你收了多少钱？
答：一共四万二千元，
分两次给的。
=== 第2页 共2页 ===
都是现金。
问：退了吗？
答：没有退。
被询问人签名：霍听澜
"""
PAGES_HINT = "\nhint: a JSON document has a list 'pages' of objects with page and text"
MARKS_HINT = "\nhint: put every page mark above its page, or every page mark below its page"


@pytest.fixture
def read(write):
    """The document in a file of this content."""

    def read(content: str | bytes, name: str = "d.md") -> Document:
        return read_document(write(name, content))

    return read


@pytest.fixture
def complaint(write):
    """Return the error about a file of this content, without its folder."""

    def complaint(content: str | bytes, name: str = "d.md", kind=InputError) -> str:
        path = write(name, content)
        with pytest.raises(SteelyardError) as caught:
            read_document(path)
        assert type(caught.value) is kind
        return str(caught.value).replace(str(path), name)

    return complaint


def texts(document) -> dict[int, str]:
    return {page.number: page.text for page in document.pages}


def units(document) -> list[tuple[int, str, str]]:
    return [
        (page.number, unit.kind, page.text[unit.start : unit.end]) for page in document.pages for unit in page.units
    ]


def pages_json(*pages) -> str:
    return json.dumps({"pages": [{"page": number, "text": text} for number, text in pages]}, ensure_ascii=False)


def test_a_transcript(read):
    document = read(TRANSCRIPT, "笔录.md")
    assert document.name == "笔录.md"
    assert len(document.digest) == 64
    assert [page.number for page in document.pages] == [1, 2]
    assert units(document) == [
        (1, "header", "询问笔录（第1次）\n被询问人：霍听澜"),
        (1, "question", "问：你收了多少钱？"),
        (1, "answer", "答：一共四万二千元，\n分两次给的。"),
        (2, "answer", "都是现金。"),
        (2, "question", "问：退了吗？"),
        (2, "answer", "答：没有退。"),
        (2, "line", "被询问人签名：霍听澜"),
    ]
    assert document.page(2).text.startswith("都是现金。")
    assert document.page(3) is None
    assert document.text == document.page(1).text + "\n" + document.page(2).text


def test_json_and_marked_text_are_one_document(read):
    marked = read(TRANSCRIPT)
    assert read(pages_json(*texts(marked).items()), "d.json").pages == marked.pages


def test_the_case_beside_the_project(real):
    folder = real.parent / "legal_zh" / "case"
    document = read_document(folder / "transcript.md")
    assert document.pages == read_document(folder / "pages.json").pages
    kinds = [[unit.kind for unit in page.units] for page in document.pages]
    assert kinds == [
        ["header"] + ["question", "answer"] * 4,
        ["question", "answer"] * 6,
        ["question", "answer"] * 5,
        ["question", "answer"] * 4 + ["line"],
    ]


@pytest.mark.parametrize(
    "mark",
    [
        "=== 第{}页 共4页 ===",
        "第 {} 页 共 4 页",
        "第{}页，共4页",
        "第{}页/共4页",
        "－－ 第　{}　页　共　４　页 －－",
        "【第{}页】",
        "## 第{}页",
        "--- page {} ---",
        "---page {}---",
        "===== PAGE {} OF 4 =====",
        "Page {} of 4",
        "<!-- page {} -->",
        "   第{}页 共4页   ",
    ],
)
@pytest.mark.parametrize("digits", ["0123456789", "０１２３４５６７８９"])
def test_page_marks(read, mark, digits):
    def written(number):
        return mark.format(str(number).translate(str.maketrans("0123456789", digits)))

    above = f"{written(3)}\n甲\n{written(12)}\r\n乙\r\n丙\n"
    assert texts(read(above)) == {3: "甲", 12: "乙\n丙"}
    below = f"甲\n{written(1)}\n乙\n{written(2)}\n"
    assert texts(read(below)) == {1: "甲", 2: "乙"}
    between = f"甲\n{written(2)}\n乙\n"
    assert texts(read(between)) == {1: "甲", 2: "乙"}


@pytest.mark.parametrize(
    "line", ["见第3页", "第3页有他的签名", "page 3 says so", "-----", "第三页", "共4页", "homepage 3"]
)
def test_what_is_no_page_mark(read, line):
    assert texts(read(f"甲\n{line}\n乙")) == {1: f"甲\n{line}\n乙"}


def test_form_feeds_part_pages_where_there_are_no_marks(read):
    assert texts(read("甲\f乙\n\f\f丁\f")) == {1: "甲", 2: "乙", 3: "", 4: "丁"}
    assert texts(read("--- page 1 ---\n甲\f乙\n--- page 2 ---\n\f丙")) == {1: "甲\n乙", 2: "丙"}


def test_a_text_without_marks_is_one_page(read):
    document = read("第一条　租金\n\n  每月一日付。  \n", "contract.txt")
    assert units(document) == [(1, "line", "第一条　租金"), (1, "line", "每月一日付。")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "gbk"])
@pytest.mark.parametrize("name", ["d.md", "d.json"])
def test_encodings(read, encoding, name):
    content = TRANSCRIPT if name == "d.md" else pages_json(*texts(read(TRANSCRIPT)).items())
    assert read(content.encode(encoding), name).pages == read(TRANSCRIPT).pages


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("café élan, où êtes-vous", "latin-1"),
        ("被告人於八月三十日承諾退款，但至今未退。我不知道他在哪裡。", "big5"),
        ("これは日本語の文章です。被告は、金を返さなかった。", "euc-jp"),
        ("これは日本語の文章です。被告は、金を返さなかった。", "shift-jis"),
        ("이것은 한국어 문장입니다. 피고인은 돈을 갚지 않았다.", "euc-kr"),
    ],
)
def test_other_encodings_are_refused(complaint, text, encoding):
    content = text.encode(encoding)
    byte = next(byte for byte in content if byte > 127)
    assert complaint(b"first\n" + content) == (
        f"d.md:2: this is neither UTF-8 nor GB18030 text: byte 0x{byte:02x}\nhint: save it as UTF-8"
    )


BAD = {
    "nothing": ("d.md", "", "d.md: it contains no text"),
    "blanks": ("d.txt", " \n\f\n", "d.txt: it contains no text"),
    "marks alone": ("d.md", "=== 第1页 共1页 ===\n", "d.md: it contains no text"),
    "an empty JSON file": ("d.json", " \n", "d.json: it is empty"),
    "no JSON": ("d.json", '{"pages": [}', "d.json:1: this is not JSON: Expecting value (column 12)"),
    "a list": ("d.json", "[]", "d.json: it contains no pages" + PAGES_HINT),
    "pages that are no list": ("d.json", '{"pages": 3}', "d.json: it contains no pages" + PAGES_HINT),
    "no pages": ("d.json", '{"pages": []}', "d.json: it contains no text"),
    "empty pages": ("d.json", '{"pages": [{"page": 1, "text": " "}]}', "d.json: it contains no text"),
    "a binary file": (
        "d.txt",
        b"MZ\x03\x04\0",
        "d.txt:1: this is not UTF-8 text but UTF-16 or binary\n"
        "hint: a text file is required; convert UTF-16 with: iconv -f UTF-16 -t UTF-8",
    ),
    "a page twice": (
        "d.md",
        "--- page 1 ---\na\n--- page 2 ---\nb\n--- page 1 ---\nc\n",
        "d.md:5: duplicate page 1 (first at d.md:1)",
    ),
    "a page twice in JSON": (
        "d.json",
        '{"pages": [\n{"page": 7, "text": "a"},\n{"page": 7, "text": "b"}\n]}',
        "d.json:3: duplicate page 7 (first at d.json:2)",
    ),
    "a mark whose number is missing": (
        "d.md",
        "甲\n第 页 共 页\n",
        "d.md:2: the page number must be an integer of at least 1, not ''",
    ),
    "a page number in words": (
        "d.md",
        "第 二 页 共 三 页\n甲",
        "d.md:1: the page number must be an integer of at least 1, not '二'",
    ),
    "a page number that is no number": (
        "d.md",
        "a\n--- page x ---\nb",
        "d.md:2: the page number must be an integer of at least 1, not 'x'",
    ),
    "page 0": ("d.md", "--- page 0 ---\nb", "d.md:1: the page number must be an integer of at least 1, not '0'"),
    "text on both sides": (
        "d.md",
        "甲\n--- page 1 ---\n乙\n--- page 2 ---\n丙",
        "d.md:2: there is text above the mark of page 1" + MARKS_HINT,
    ),
    "text above a later page": (
        "d.md",
        "甲\n--- page 5 ---\n乙",
        "d.md:2: there is text above the mark of page 5" + MARKS_HINT,
    ),
    "pages of all kinds": (
        "d.json",
        '{"pages": [\n 3,\n {"text": "a"},\n {"page": 1},\n {"page": 1.5, "text": "a"},\n'
        ' {"page": true, "text": "a"},\n {"page": "2", "text": "a"},\n {"page": -1, "text": "a"},\n'
        ' {"page": 2,\n  "text": null}]}',
        "d.json:2: a page must be an object with page and text\n"
        "d.json:3: the field 'page' is missing\n"
        "d.json:4: the field 'text' is missing\n"
        "d.json:5: the page number must be an integer of at least 1, not 1.5\n"
        "d.json:6: the page number must be an integer of at least 1, not True\n"
        "d.json:7: the page number must be an integer of at least 1, not '2'\n"
        "d.json:8: the page number must be an integer of at least 1, not -1\n"
        "d.json:10: the field text of page 2 must be text" + PAGES_HINT,
    ),
    "half a character": (
        "d.json",
        '{"pages": [{"page": 1,\n"text": "\\ud83d"}]}',
        "d.json:2: '\\ud83d' is a lone surrogate (half of a character)",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_documents(complaint, case):
    name, content, message = BAD[case]
    assert complaint(content, name) == message


def test_at_most_twenty_bad_pages_are_reported(complaint):
    message = complaint(json.dumps({"pages": [{"page": 0, "text": ""}] * 30}), "d.json")
    assert message.count("must be an integer") == 20
    assert "(the first 20 problems; there may be more)" in message


def test_a_missing_document(tmp_path):
    (tmp_path / "transcript.md").write_text("a")
    with pytest.raises(InputError) as caught:
        read_document(tmp_path / "transkript.md")
    hint = f"did you mean {str(tmp_path / 'transcript.md')!r}?"
    assert str(caught.value) == f"{tmp_path / 'transkript.md'}: no such file\nhint: {hint}"


# units


def kinds(*pages) -> list[list[tuple[str, str]]]:
    return [
        [(unit.kind, text[unit.start : unit.end]) for unit in cut]
        for text, cut in zip(pages, cut_units(pages), strict=True)
    ]


def test_the_header_may_fill_pages():
    assert kinds("权利义务告知书\n一、如实陈述", "笔录\n\n问：姓名？\n答：甲") == [
        [("header", "权利义务告知书\n一、如实陈述")],
        [("header", "笔录"), ("question", "问：姓名？"), ("answer", "答：甲")],
    ]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("问：", "答："),
        ("问:", "答:"),
        ("　　问 ：", "  答　："),
        ("問：", "答："),
        ("**问：**", "**答：**"),
        ("> 问：", "> 答："),
    ],
)
def test_marks_of_speakers(question, answer):
    assert kinds(f"{question}谁？\n{answer}他") == [
        [("question", f"{question}谁？".strip()), ("answer", f"{answer}他".strip())]
    ]


@pytest.mark.parametrize(
    ("question", "answer"), [("Q:", "A:"), ("Q.", "A."), ("  12   Q. ", " 13   A.  "), ("**Q:**", "**A:**")]
)
def test_english_transcripts(question, answer):
    text = f"DEPOSITION OF JANE ROE\n{question} Did you pay?\n{answer} Yes.\nTwice."
    assert [kind for kind, _ in kinds(text)[0]] == ["header", "question", "answer"]
    assert kinds(text)[0][2][1].endswith("Yes.\nTwice.")


def test_what_counsel_puts_in_is_nobodys_answer():
    text = (
        "Q. Why?\nMS. FREECE: Objection.\nA. I forget.\n(Recess taken.)\nEXAMINATION BY MR. POE\nQ. When?\nA. In May."
    )
    assert [kind for kind, _ in kinds(text)[0]] == ["question", "line", "answer", "line", "line", "question", "answer"]


@pytest.mark.parametrize("text", ["A. Smith signed.\nQ. Jones did not.", "A. First\nB. Second", "Q. Jones signed."])
def test_initials_and_lists_are_no_transcript(text):
    assert {kind for kind, _ in kinds(text)[0]} == {"line"}


def test_turns_within_a_line():
    assert kinds("问：姓名？答：甲。问：年龄？ 答：三十。他当时问：“去哪？”我答：“回家。”") == [
        [
            ("question", "问：姓名？"),
            ("answer", "答：甲。"),
            ("question", "问：年龄？"),
            ("answer", "答：三十。他当时问：“去哪？”我答：“回家。”"),
        ]
    ]


def test_a_page_goes_on_with_the_speaker_over_signatures():
    pages = ("问：说说经过。\n答：那天，\n被讯问人（签名、捺指印）：甲\n2020年8月30日", "我去了他家。\n侦查员签名：乙")
    assert kinds(*pages) == [
        [
            ("question", "问：说说经过。"),
            ("answer", "答：那天，"),
            ("line", "被讯问人（签名、捺指印）：甲"),
            ("line", "2020年8月30日"),
        ],
        [("answer", "我去了他家。"), ("line", "侦查员签名：乙")],
    ]


PIECES = st.sampled_from(
    ["问：", "答:", "Q. ", "A: ", "\n", "　", "甲", "。", "？", "签名：", "=== 第1页 共2页 ===", "\f", "-"]
)
PROSE = st.lists(st.one_of(PIECES, st.text(max_size=3)), max_size=30).map("".join)


@given(st.lists(PROSE, max_size=4))
def test_units_cover_every_character_once(pages):
    for text, cut in zip(pages, cut_units(pages), strict=True):
        covered = [place for unit in cut for place in range(unit.start, unit.end)]
        assert len(covered) == len(set(covered))
        assert covered == sorted(covered)
        assert all(char.isspace() for place, char in enumerate(text) if place not in set(covered))
        assert all(not text[unit.start].isspace() and not text[unit.end - 1].isspace() for unit in cut)


@pytest.mark.slow
@given(PROSE)
def test_long_lines_do_not_take_long(text):
    cut_units([text * 200, "-" * 20_000 + "\n" + " " * 20_000 + "x", "问" * 20_000, "签" * 20_000])


@pytest.mark.slow
@given(st.binary(max_size=300) | PROSE.map(str.encode), st.sampled_from([".md", ".json", ".txt"]))
@example(b"\xef\xbb\xbf", ".md")
@example(b"[" * 100_000, ".json")
@example(b'{"pages":[' + b"[" * 100_000, ".json")
@example(b'{"pages":[{"page":' + b"1" * 5000 + b',"text":"a"}]}', ".json")
@example(b'{"a":1,null:2,"b":3}', ".json")
def test_no_content_gives_a_traceback(tmp_path_factory, content, suffix):
    path = tmp_path_factory.mktemp("fuzz") / f"d{suffix}"
    path.write_bytes(content)
    found = outcome(path)
    assert str(path) in str(found) if isinstance(found, SteelyardError) else found.text.strip()


def outcome(path) -> Document | SteelyardError:
    try:
        return read_document(path)
    except SteelyardError as error:
        return error


# JSON with its lines


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=20,
    ),
    st.sampled_from([None, 0, 1]),
    st.booleans(),
)
def test_every_value_has_its_line(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    found, source_map = located_json(text, "x")
    assert found == value
    pointers = list(walk(value))
    assert set(source_map.lines) == set(pointers)
    if indent is not None and value not in ([], {}):
        rows = text.split("\n")
        for pointer, inner in pointers_with_values(value):
            written = json.dumps(inner, ensure_ascii=ascii_only)[:1] if isinstance(inner, list | dict) else None
            line = rows[source_map.line(pointer) - 1]
            assert (written or json.dumps(inner, ensure_ascii=ascii_only)) in line


def pointers_with_values(value, *keys):
    yield pointer_to(*keys), value
    members = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    for key, inner in members:
        yield from pointers_with_values(inner, *keys, key)


def walk(value):
    return [pointer for pointer, _ in pointers_with_values(value)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1,\n"a": 2}', "x:2: duplicate key 'a' in one object"),
        ("[1,\n\nNaN]", "x:3: NaN is not a valid JSON number"),
        ("[-Infinity]", "x:1: -Infinity is not a valid JSON number"),
        ("[1,\n1e999]", "x:2: the number 1e999 is too large"),
        ("[" + "9" * 400 + ".5]", "x:1: the number 99999999999999999999… is too large"),
        ('["\\udead"]', "x:1: '\\udead' is a lone surrogate (half of a character)"),
        ("[1 2]", "x:1: this is not JSON: Expecting ',' delimiter (column 4)"),
        ("]", "x:1: this is not JSON: Expecting value (column 1)"),
        ("[" * 100_000, "x: this JSON is nested too deeply"),
    ],
)
def test_bad_json_is_reported_with_its_line(text, message):
    with pytest.raises(InputError) as caught:
        located_json(text, "x")
    assert str(caught.value) == message


def test_a_place_that_is_not_there_is_that_of_the_value_around_it():
    _, source_map = located_json('{"a": {\n"b": 1}}', "x")
    assert [source_map.location(pointer) for pointer in ("/a/b", "/a/c/d", "/z", "")] == ["x:2", "x:1", "x:1", "x:1"]


# PDF


def pdf(*pages: bytes) -> bytes:
    """A PDF of these pages, each the bytes of one line in GBK."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type0 /BaseFont /SimSun /Encoding /GBK-EUC-H /DescendantFonts "
        b"[<< /Type /Font /Subtype /CIDFontType2 /BaseFont /SimSun "
        b"/CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> >>] >>",
    ]
    for number, text in enumerate(pages):
        shown = b" ".join(b"<" + line.hex().encode() + b"> Tj T*" for line in text.split(b"\n")) if text else b""
        stream = b"BT /F1 12 Tf 14 TL 72 700 Td " + shown + b" ET"
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode(),
            b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream),
        ]
    return numbered_objects(*objects)


def numbered_objects(*objects: bytes) -> bytes:
    """A PDF of these objects, the first of which is the catalogue."""
    content, offsets = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(content))
        content += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    tail = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(content))
    return content + head + table + tail


PDF = pdf("问：多少？\n答：一共四万二千元，".encode("gbk"), "都是现金。".encode("gbk"))


@pytest.fixture
def needs_pypdf():
    pytest.importorskip("pypdf")


@pytest.mark.usefixtures("needs_pypdf")
@pytest.mark.parametrize("name", ["d.pdf", "D.PDF", "scan"])
def test_a_pdf_with_text(read, name):
    assert units(read(PDF, name)) == [
        (1, "question", "问：多少？"),
        (1, "answer", "答：一共四万二千元，"),
        (2, "answer", "都是现金。"),
    ]


RADICALS = "问：⼈⺠币多少？\n答：⼆⽉⼀⽇收了⾦额42000元。\n被询问⼈签名：⾼⽴"


def printed_pdf(text: str) -> bytes:
    """A PDF of one page as browsers print it: glyphs by number, and a table of the characters that they are."""
    numbers = {char: number for number, char in enumerate(dict.fromkeys(text), 1)}
    shown = " ".join(f"<{''.join(f'{numbers[char]:04x}' for char in line)}> Tj T*" for line in text.split("\n"))
    named = "\n".join(f"<{number:04x}> <{char.encode('utf-16-be').hex()}>" for char, number in numbers.items())
    table = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n"
        "1 begincodespacerange <0000> <ffff> endcodespacerange\n"
        f"{len(numbers)} beginbfchar\n{named}\nendbfchar\nendcmap end end"
    )
    streams = f"BT /F1 12 Tf 14 TL 72 700 Td {shown} ET", table
    return numbered_objects(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        b"<< /Type /Font /Subtype /Type0 /BaseFont /Noto /Encoding /Identity-H /ToUnicode 6 0 R /DescendantFonts "
        b"[<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Noto "
        b"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>] >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R "
        b"/Resources << /Font << /F1 3 0 R >> >> >>",
        *(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream".encode() for stream in streams),
    )


@pytest.mark.usefixtures("needs_pypdf")
def test_a_pdf_with_radicals_is_read_as_ideographs(read):
    """A model that is given the text, and a person who searches it, find 人民币."""
    document = read(printed_pdf(RADICALS), "d.pdf")
    assert document.text == "问：人民币多少？\n答：二月一日收了金额42000元。\n被询问人签名：高立"
    assert [unit.kind for unit in document.pages[0].units] == ["question", "answer", "line"]
    assert document.warnings == ()


@pytest.mark.usefixtures("needs_pypdf")
def test_a_pdf_whose_font_does_not_say_what_it_shows(read):
    (problem,) = read(printed_pdf("甲\0\0乙"), "d.pdf").warnings
    assert problem.where.endswith("d.pdf#page=1")
    assert str(problem.message) == "2 of 4 characters cannot be read; is the font embedded in the PDF?"
    assert problem.message.text("zh") == "4 个字符中有 2 个无法读取；PDF 是否嵌入了字体？"


def test_page_marks_with_radicals(read):
    assert texts(read("第1⻚ 共2⻚\n甲\n第2⻚ 共2⻚\n乙")) == {1: "甲", 2: "乙"}


@pytest.mark.parametrize("mark", ["第{}頁", "第 {} 頁，共 2 頁", "— 第{}頁 共2頁 —"])
def test_page_marks_in_traditional_characters(read, mark):
    assert texts(read(f"{mark.format(1)}\n甲\n{mark.format(2)}\n乙")) == {1: "甲", 2: "乙"}


@pytest.mark.usefixtures("needs_pypdf")
def test_a_scanned_page_is_a_warning(read):
    document = read(pdf(b"text", b""), "d.pdf")
    assert texts(document) == {1: "text", 2: ""}
    (problem,) = document.warnings
    assert problem.where.endswith("d.pdf#page=2")
    assert str(problem.message) == "this page has no text"


def test_a_text_without_page_marks_is_one_page_with_a_warning(read):
    assert [str(problem.message) for problem in read("甲\n乙").warnings] == [
        "nothing in it says where its pages end: pages are not checked"
    ]
    assert read("第1页\n甲").warnings == read("甲\f乙").warnings == ()


def test_a_running_head_is_no_part_of_an_answer(read):
    head = "霁县公安局询问笔录（第{}页）"
    pages = [
        f"{head.format(1)}\n问：多少？\n答：一共四万二千元，",
        f"{head.format(2)}\n都是现金。",
        f"{head.format(3)}\n答：是。",
    ]
    assert units(read("\f".join(pages)))[3:] == [
        (2, "line", head.format(2)),
        (2, "answer", "都是现金。"),
        (3, "line", head.format(3)),
        (3, "answer", "答：是。"),
    ]


@pytest.mark.usefixtures("needs_pypdf")
def test_bad_pdfs(complaint):
    assert complaint(pdf(b"", b""), "d.pdf") == (
        "d.pdf: it contains no text\nhint: a scanned page needs text recognition (OCR) first"
    )
    assert complaint(b"%PDF-1.7\n", "d.pdf").startswith("d.pdf: this PDF cannot be read: ")
    assert complaint(b"", "d.pdf").startswith("d.pdf: this PDF cannot be read: ")
    assert complaint(PDF[:300], "d.pdf").startswith("d.pdf: this PDF cannot be read: ")


@pytest.mark.usefixtures("needs_pypdf")
@given(st.integers(0, 2**32))
def test_no_damage_to_a_pdf_gives_a_traceback(tmp_path_factory, seed):
    generator = random.Random(seed)
    content = bytearray(PDF)
    for _ in range(generator.randint(1, 6)):
        at = generator.randrange(len(content))
        content[at : at + generator.choice([0, 1, 1, 8, 60])] = generator.choice(
            [b"", b"0", b"/", b"<<", b">>", b"[", b"99999 0 R", b"3 0 R", b"-1", b"\0"]
        )
    path = tmp_path_factory.mktemp("fuzz") / "d.pdf"
    path.write_bytes(content)
    found = outcome(path)
    assert isinstance(found, Document) or str(path) in str(found)


@pytest.mark.slow
@pytest.mark.usefixtures("needs_pypdf")
@pytest.mark.parametrize("in_thread", [False, True])
def test_the_time_of_reading_a_pdf_is_bounded(complaint, monkeypatch, in_thread):
    """400 pages that share one stream, which takes 0.1 s: a file of a few kB."""
    content = zlib.compress(b"BT /F1 12 Tf " + b"(abcdefgh) Tj " * 2_500 + b"ET")
    kids = b" ".join(b"%d 0 R" % number for number in range(5, 405))
    page = b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
    long = numbered_objects(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%b] /Count 400 >>" % kids,
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%b\nendstream" % (len(content), content),
        *[page] * 400,
    )
    monkeypatch.setattr(limits.DOCUMENT_SECONDS, "value", 0.5)
    begun = time.monotonic()
    with ThreadPoolExecutor() as threads:
        message = threads.submit(complaint, long, "d.pdf").result() if in_thread else complaint(long, "d.pdf")
    assert message == (
        "d.pdf: the number of seconds that reading takes is above the limit of 0.5\n"
        "hint: to raise the limit, set STEELYARD_DOCUMENT_SECONDS"
    )
    assert time.monotonic() - begun < 5


def test_a_pdf_without_pypdf(complaint, monkeypatch):
    monkeypatch.setitem(sys.modules, "pypdf", None)
    assert complaint(PDF, "d.pdf", MissingExtra) == (
        'reading PDF documents needs the package pypdf\nhint: pip install "pypdf>=6" (the extra steelyard[pdf])'
    )
