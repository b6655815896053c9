"""DOCX documents: text in order, pages where breaks are recorded, and one message for each file that is unusable."""

import io
import random
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard import limits
from steelyard.documents import docx
from steelyard.documents.pages import Document, read_document
from steelyard.errors import InputError, SteelyardError

OFFICE = "http://schemas.openxmlformats.org"
W = f"{OFFICE}/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
BREAK = '<w:br w:type="page"/>'
RENDERED = "<w:lastRenderedPageBreak/>"
ONE_PAGE = "it has no recorded page breaks, so it is read as one page; save it in Word, or as PDF, to record them"
WHOLE_HINT = "\nhint: is the file complete?"
RESAVE_HINT = "\nhint: open it in Word and save it as .docx again"


def run(*parts: str) -> str:
    """A run: text, or elements as they are written."""
    return "<w:r>" + "".join(part if part.startswith("<") else f"<w:t>{part}</w:t>" for part in parts) + "</w:r>"


def p(*parts: str, properties: str = "") -> str:
    return f"<w:p>{f'<w:pPr>{properties}</w:pPr>' if properties else ''}{run(*parts) if parts else ''}</w:p>"


def table(*rows: list[str]) -> str:
    """A table; a cell is the paragraphs in it."""
    return "<w:tbl>" + "".join(f"<w:tr>{''.join(f'<w:tc>{c}</w:tc>' for c in row)}</w:tr>" for row in rows) + "</w:tbl>"


def section(kind: str = "") -> str:
    return f"<w:sectPr>{f'<w:type w:val={kind!r}/>' if kind else ''}</w:sectPr>"


def part(tag: str, *content: str, namespace: str = W) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?><w:{tag} xmlns:w="{namespace}">{"".join(content)}</w:{tag}>'


def relations(**targets: str) -> str:
    lines = "".join(
        f'<Relationship Id="{kind}" Type="{OFFICE}/officeDocument/2006/relationships/{kind.replace("_", "-")}" '
        f'Target="{target}"/>'
        for kind, target in targets.items()
    )
    return f'<Relationships xmlns="{OFFICE}/package/2006/relationships">{lines}</Relationships>'


def packed(**parts: str | bytes) -> bytes:
    """A zip file of these parts."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in parts.items():
            archive.writestr(path, content)
    return file.getvalue()


def word(*body: str, **more: str | bytes) -> bytes:
    """A DOCX file with this body."""
    main = part("document", "<w:body>", *body, "</w:body>")
    return packed(**{"_rels/.rels": relations(officeDocument="word/document.xml"), "word/document.xml": main, **more})


@pytest.fixture
def read(write):
    def read(content: bytes, name: str = "d.docx") -> Document:
        return read_document(write(name, content))

    return read


@pytest.fixture
def pages(read):
    """The text of each page of a document with this body."""

    def pages(*body: str, **more: str | bytes) -> list[str]:
        document = read(word(*body, **more))
        assert [page.number for page in document.pages] == list(range(1, len(document.pages) + 1))
        return [page.text for page in document.pages]

    return pages


@pytest.fixture
def warnings(read):
    def warnings(*body: str, **more: str | bytes) -> list[str]:
        return [str(problem.message) for problem in read(word(*body, **more)).warnings]

    return warnings


@pytest.fixture
def complaint(write):
    def complaint(content: bytes, name: str = "d.docx") -> str:
        path = write(name, content)
        with pytest.raises(InputError) as caught:
            read_document(path)
        chinese = caught.value.text("zh")
        assert all(
            line != other for line, other in zip(str(caught.value).split("\n"), chinese.split("\n"), strict=True)
        )
        return str(caught.value).replace(str(path), name)

    return complaint


# text


def test_a_transcript(read):
    document = read(
        word(
            p("询问笔录"),
            p("问：你收了", "多少钱？"),
            p("答：一共四万二千元，"),
            p(RENDERED, "分两次给的。"),
            p("被询问人签名：霍听澜"),
        ),
        "笔录.docx",
    )
    assert document.name == "笔录.docx"
    assert len(document.digest) == 64
    assert document.warnings == ()
    units = [
        (page.number, unit.kind, page.text[unit.start : unit.end]) for page in document.pages for unit in page.units
    ]
    assert units == [
        (1, "header", "询问笔录"),
        (1, "question", "问：你收了多少钱？"),
        (1, "answer", "答：一共四万二千元，"),
        (2, "answer", "分两次给的。"),
        (2, "line", "被询问人签名：霍听澜"),
    ]


def test_a_document_is_known_by_its_first_bytes_too(read):
    assert read(word(p("甲")), "d").text == read(word(p("甲")), "D.DOCX").text == "甲"


def test_what_stands_within_a_line(pages):
    line = p(
        "甲", "<w:tab/>", "乙", "<w:br/>", "丙", "<w:noBreakHyphen/>", "丁", "<w:cr/>", "戊", '<w:br w:type="column"/>'
    )
    assert pages(line, p(), p(" 己 &amp; 庚　")) == ["甲\t乙\n丙-丁\n戊\n\n\n 己 & 庚"]


def test_tab_stops_are_no_tabs(pages):
    assert pages(p("甲", properties='<w:tabs><w:tab w:val="left" w:pos="420"/></w:tabs>')) == ["甲"]


def test_links_fields_controls_and_insertions_are_text(pages):
    linked = f'<w:p><w:hyperlink w:anchor="x">{run("链接")}</w:hyperlink><w:ins w:id="1">{run("插入")}</w:ins></w:p>'
    control = f"<w:sdt><w:sdtPr><w:text/></w:sdtPr><w:sdtContent>{p('控件')}</w:sdtContent></w:sdt>"
    simple = f'<w:p><w:fldSimple w:instr="DATE">{run("2020年")}</w:fldSimple></w:p>'
    code = p('<w:fldChar w:fldCharType="begin"/>', "<w:instrText>PAGE</w:instrText>", "3")
    assert pages(linked, control, simple, code) == ["链接插入\n控件\n2020年\n3"]


def test_what_was_deleted_or_moved_or_is_a_reading_is_no_text(pages):
    deleted = '<w:del w:id="1"><w:r><w:delText>删</w:delText></w:r></w:del>'
    moved = f'<w:moveFrom w:id="2">{run("移", BREAK)}</w:moveFrom>'
    ruby = f"<w:r><w:ruby><w:rt>{run('zhāng')}</w:rt><w:rubyBase>{run('张')}</w:rubyBase></w:ruby></w:r>"
    before = '<w:pPrChange w:id="3"><w:pPr><w:pageBreakBefore/></w:pPr></w:pPrChange>'
    assert pages(f"<w:p>{run('甲')}{deleted}{moved}{ruby}</w:p>", p("乙", properties=before)) == ["甲张\n乙"]


def test_tables_are_rows_of_cells(pages):
    rows = table([p("项目"), p("金额")], [p("首付"), p("42000元")], [p("合计"), p()], [p("甲") + p("乙"), p("丙")])
    assert pages(p("附表"), rows, p("完")) == ["附表\n项目\t金额\n首付\t42000元\n合计\n甲\n乙\t丙\n完"]


def test_a_table_within_a_table(pages):
    inner = table([p("内一"), p("内二")])
    assert pages(table([p("外") + inner + p(), p("右")])) == ["外\n内一\t内二\n\t右"]


def test_a_transcript_in_a_cell(read):
    document = read(word(table([p("询问笔录")], [p("问：谁？") + p("答：他。") + p(RENDERED, "是他。")])))
    kinds = [[unit.kind for unit in page.units] for page in document.pages]
    assert kinds == [["header", "question", "answer"], ["answer"]]


def test_text_boxes_come_after_their_paragraph_and_once(pages):
    box = f"<w:txbxContent>{p('框内一')}{p('框内二')}</w:txbxContent>"
    both = (
        '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        f"<mc:Choice><w:drawing>{box}</w:drawing></mc:Choice><mc:Fallback><w:pict>{box}</w:pict></mc:Fallback>"
        "</mc:AlternateContent>"
    )
    assert pages(p("前", both, "后"), p("下")) == ["前后\n框内一\n框内二\n下"]


def test_notes_stand_under_their_page(pages):
    body = [
        p("甲", '<w:footnoteReference w:id="2"/>', "乙"),
        p(RENDERED, "丙", '<w:footnoteReference w:id="3"/>', '<w:endnoteReference w:id="2"/>'),
        p("丁", '<w:footnoteReference w:id="9"/>'),
    ]
    notes = part(
        "footnotes",
        '<w:footnote w:type="separator" w:id="-1"><w:p/></w:footnote>',
        f'<w:footnote w:id="2">{p("<w:footnoteRef/>", "注一")}</w:footnote>',
        f'<w:footnote w:id="3">{p("注二") + p("第二段")}</w:footnote>',
    )
    ends = part("endnotes", f'<w:endnote w:id="2">{p("尾注")}</w:endnote>')
    related = relations(footnotes="footnotes.xml", endnotes="/word/endnotes.xml")
    more = {"word/_rels/document.xml.rels": related, "word/footnotes.xml": notes, "word/endnotes.xml": ends}
    assert pages(*body, **more) == ["甲乙\n注一", "丙\n丁\n注二\n第二段\n尾注"]


def test_other_names_and_the_strict_form(read):
    content = packed(
        **{
            "_rels/.rels": relations(officeDocument="/word/document2.xml"),
            "word/document2.xml": part("document", "<w:body>", p("甲", BREAK, "乙"), "</w:body>", namespace=STRICT),
        }
    )
    assert [page.text for page in read(content).pages] == ["甲", "乙"]


# pages


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ((p("甲"), p("乙")), ["甲\n乙"]),
        ((p("甲", BREAK, "乙"),), ["甲", "乙"]),
        ((p("甲", RENDERED, "乙"),), ["甲", "乙"]),
        ((p("甲"), p(BREAK), p("乙")), ["甲", "乙"]),
        ((p("甲"), p(BREAK), p(RENDERED, "乙")), ["甲", "乙"]),
        ((p("甲", BREAK, RENDERED, "乙"),), ["甲", "乙"]),
        ((p("甲"), p(BREAK, RENDERED, BREAK), p(RENDERED, "乙")), ["甲", "", "乙"]),
        ((p("甲"), p(RENDERED, BREAK), p(RENDERED, "乙")), ["甲", "", "乙"]),
        ((p("甲"), p("乙", properties="<w:pageBreakBefore/>")), ["甲", "乙"]),
        ((p("甲"), p(RENDERED, "乙", properties="<w:pageBreakBefore/>")), ["甲", "乙"]),
        ((p("甲"), p("乙", properties='<w:pageBreakBefore w:val="0"/>')), ["甲\n乙"]),
        ((p("甲", properties="<w:pageBreakBefore/>"), p(RENDERED, "乙")), ["甲", "乙"]),
        ((p("甲"), p(BREAK), p("乙", properties="<w:pageBreakBefore/>")), ["甲", "乙"]),
        ((p("<w:drawing/>"), p(RENDERED, "乙")), ["", "乙"]),
        ((p("甲", properties=section()), p(RENDERED, "乙"), section()), ["甲", "乙"]),
        ((p("甲", properties=section("continuous")), p("乙"), section("oddPage")), ["甲", "乙"]),
        ((p("甲", properties=section()), p("乙"), section("continuous")), ["甲\n乙"]),
        ((p("甲", properties=section()), p("乙", properties="<w:pageBreakBefore/>"), section()), ["甲", "乙"]),
        ((p("甲"), section()), ["甲"]),
    ],
)
def test_page_breaks(pages, body, expected):
    assert pages(*body) == expected


def test_the_cells_of_a_row_break_together(pages):
    broken = table([p("甲一") + p(RENDERED, "甲二"), p("乙一") + p(RENDERED, "乙二"), p("丙")])
    assert pages(broken, p("完")) == ["甲一\n乙一\n丙", "甲二\t乙二\n完"]


@pytest.mark.parametrize("second", [p("乙"), p(RENDERED, "乙")])
def test_a_row_that_begins_a_page(pages, second):
    assert pages(p("上"), table([p(RENDERED, "甲"), second]), p("完")) == ["上", "甲\t乙\n完"]


def test_a_row_over_three_pages(pages):
    cell = p("一") + p(RENDERED, "二") + p(RENDERED, "三")
    assert pages(table([p("头"), cell], [p("下"), p("行")])) == ["头\t一", "二", "三\n下\t行"]


# warnings


def app(pages: object) -> dict[str, str]:
    properties = (
        f'<Properties xmlns="{OFFICE}/officeDocument/2006/extended-properties"><Pages>{pages}</Pages></Properties>'
    )
    return {"docProps/app.xml": properties}


def test_a_document_without_breaks_is_one_page_and_says_so(read, write):
    document = read(word(p("甲"), p("乙")))
    (problem,) = document.warnings
    assert (problem.where, str(problem.message)) == (str(write("d.docx", word(p("甲"), p("乙")))), ONE_PAGE)


def test_a_count_of_pages_that_differs(warnings):
    body = [p("甲"), p(BREAK), p("乙")]
    assert warnings(*body, **app(2)) == warnings(*body, **app("many")) == warnings(*body) == []
    assert warnings(*body, **app(3)) == ["it has 2 recorded pages, but 3 were counted when it was saved"]


def test_automatic_numbers(warnings):
    numbered = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{}"/></w:numPr>'
    body = [p("甲", properties=numbered.format(2)), p(BREAK, "乙", properties=numbered.format(0))]
    message = "automatic numbering is not read (paragraphs: 1); save the document as PDF to keep it"
    assert warnings(*body) == [message]


@pytest.mark.parametrize("counts", [(1, 0, 0), (2, 3, 0), (2, 2, 5)])
def test_warnings_have_a_chinese_form(counts):
    for message in docx._warnings(*counts):
        assert message.text("zh") != str(message)


# files that cannot be read


def test_old_and_encrypted_files(complaint):
    old = "this is Word's old format (.doc)\nhint: save it as .docx or PDF"
    assert complaint(OLE, "d.doc") == f"d.doc: {old}"
    assert complaint(OLE) == f"d.docx: {old}"
    assert complaint(OLE, "d.wps") == f"d.wps: {old}"
    assert complaint(rb"{\rtf1 text}", "d.doc") == f"d.doc: {old}"
    encrypted = OLE + "EncryptedPackage".encode("utf-16-le")
    password = "this document is protected by a password\nhint: remove the password in Word and save it again"
    assert complaint(encrypted) == f"d.docx: {password}"
    assert complaint(encrypted, "d.doc") == f"d.doc: {password}"


def test_an_encrypted_part(complaint):
    content = bytearray(word(p("甲")))
    start = content.index(b"PK\x01\x02", content.index(b"PK\x01\x02") + 1)  # the second entry of the directory
    content[start + 8] |= 1
    assert complaint(bytes(content)).startswith("d.docx: this document is protected by a password\n")


BAD = {
    "nothing": (b"", "this DOCX file cannot be read: File is not a zip file" + WHOLE_HINT),
    "text": (b"text", "this DOCX file cannot be read: File is not a zip file" + WHOLE_HINT),
    "the first half": (word(p("甲"))[:200], "this DOCX file cannot be read: File is not a zip file" + WHOLE_HINT),
    "another zip file": (
        packed(**{"a.txt": "a"}),
        "it contains no Word document (word/document.xml)" + RESAVE_HINT,
    ),
    "a spreadsheet": (
        packed(**{"_rels/.rels": relations(officeDocument="xl/workbook.xml"), "xl/workbook.xml": "<workbook/>"}),
        "it contains no Word document (word/document.xml)" + RESAVE_HINT,
    ),
    "broken XML": (
        packed(**{"word/document.xml": "<a><b></a>"}),
        "this DOCX file cannot be read: word/document.xml: mismatched tag: line 1, column 8" + WHOLE_HINT,
    ),
    "no XML": (
        packed(**{"word/document.xml": ""}),
        "this DOCX file cannot be read: word/document.xml: no element found: line 1, column 0" + WHOLE_HINT,
    ),
    "an entity bomb": (
        packed(
            **{
                "word/document.xml": '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
                f'<w:document xmlns:w="{W}"><w:p><w:r><w:t>&b;</w:t></w:r></w:p></w:document>'
            }
        ),
        "word/document.xml in it has a document type declaration" + RESAVE_HINT,
    ),
    "an entity from elsewhere": (
        packed(**{"_rels/.rels": '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "word/document.xml": "<a/>"}),
        "_rels/.rels in it has a document type declaration" + RESAVE_HINT,
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files(complaint, case):
    content, message = BAD[case]
    assert complaint(content) == f"d.docx: {message}"


def test_no_text(write):
    with pytest.raises(InputError, match="it contains no text"):
        read_document(write("d.docx", word(p(), p("<w:drawing/>"))))


def test_a_part_too_large(complaint, monkeypatch):
    monkeypatch.setattr(limits.PART_BYTES, "value", 1 << 20)
    bomb = word(p("a" * (1 << 20)))
    assert len(bomb) < 1 << 13
    message = "word/document.xml is above the limit of 1,048,576\nhint: to raise the limit, set STEELYARD_PART_BYTES"
    assert complaint(bomb) == f"d.docx: {message}"


def test_a_part_whose_declared_size_is_wrong(complaint, monkeypatch):
    monkeypatch.setattr(limits.PART_BYTES, "value", 1 << 20)
    content = bytearray(word(p("a" * (1 << 21))))
    directory = content.rindex(b"PK\x01\x02")
    content[directory + 24 : directory + 28] = (1000).to_bytes(4, "little")
    assert complaint(bytes(content)).startswith("d.docx: ")


def test_a_compression_that_word_does_not_use(complaint):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("word/document.xml", part("document", p("甲")))
    message = "this DOCX file cannot be read: compression method 14"
    assert complaint(file.getvalue()) == f"d.docx: {message}{WHOLE_HINT}"


def test_a_deeply_nested_document(pages):
    depth = 20_000
    assert pages("<w:sdt>" * depth + p("甲") + "</w:sdt>" * depth) == ["甲"]


SAMPLE = word(
    p("甲", BREAK, RENDERED, "乙", '<w:footnoteReference w:id="2"/>'),
    table([p("丙"), p(RENDERED, "丁")]),
    section(),
    **{
        "word/_rels/document.xml.rels": relations(footnotes="footnotes.xml"),
        "word/footnotes.xml": part("footnotes", f'<w:footnote w:id="2">{p("注")}</w:footnote>'),
    },
)


@given(st.integers(0, 2**32))
def test_no_damage_gives_a_traceback(tmp_path_factory, seed):
    generator = random.Random(seed)
    content = bytearray(SAMPLE)
    for _ in range(generator.randint(1, 6)):
        at = generator.randrange(len(content))
        content[at : at + generator.choice([0, 1, 1, 8, 60])] = generator.randbytes(generator.choice([0, 1, 1, 4, 8]))
    path = tmp_path_factory.mktemp("fuzz") / "d.docx"
    path.write_bytes(content)
    assert str(path) in outcome(path)


def outcome(path) -> str:
    """Return the error about a file; its path if nothing is wrong with it."""
    try:
        return str(path) if read_document(path).text.strip() else ""
    except SteelyardError as error:
        return str(error)


ELEMENTS = [
    "p",
    "r",
    "t",
    "tbl",
    "tr",
    "tc",
    "pPr",
    "sectPr",
    "br",
    "txbxContent",
    "del",
    "footnote",
    "type",
    "drawing",
]
TREES = st.recursive(
    st.sampled_from(["甲", "", RENDERED, BREAK, '<w:footnoteReference w:id="1"/>', "<w:pageBreakBefore/>"]),
    lambda inner: st.tuples(st.sampled_from(ELEMENTS), st.lists(inner, max_size=4)).map(
        lambda node: f"<w:{node[0]}>{''.join(node[1])}</w:{node[0]}>"
    ),
    max_leaves=30,
)


@given(TREES)
def test_any_order_of_elements_is_read_or_refused(tree):
    assert docx.read_docx(word(p("头"), tree, p("尾")), "d.docx").pages
