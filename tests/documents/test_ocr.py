"""The JSON of OCR tools becomes pages with boxes; the records are invented, their faults are those of real ones."""

import json

import pytest

from steelyard.documents.pages import Document, read_document
from steelyard.errors import InputError

HEAD = "霁县公安局询问笔录"
CELLS = "<tr><td>日期</td><td>金额</td></tr><tr><td>三月五日</td><td>42000元</td></tr>"
TABLE = f"<html><body><table>{CELLS}</table></body></html>"
ROWS = "日期 | 金额\n三月五日 | 42000元"
BOX = [62, 480, 946, 904]
IMAGE = '<div style="text-align: center;"><img src="imgs/a.jpg" alt="Image" width="4%" /></div>'


def block(label, content):
    return {"block_label": label, "block_content": content, "block_bbox": BOX, "block_id": 0, "group_id": 0}


def paddle_page(*blocks):
    return {
        "prunedResult": {"model_settings": {}, "parsing_res_list": list(blocks), "layout_det_res": {"boxes": []}},
        "markdown": {"text": "…", "images": {}},
        "outputImages": None,
    }


PADDLE = [
    paddle_page(
        block("header_image", IMAGE),
        block("number", "12"),
        block("paragraph_title", "询问笔录"),
        block("text", "问：你收了多少钱？"),
        block("text", "答：一共四万二千元，"),
        block("number", "第 1 页 共 2 页"),
        block("footer", HEAD),
    ),
    paddle_page(block("text", "都是现金。"), block("image", IMAGE), block("table", TABLE), block("aside_text", "1\n2")),
]
MINERU = [
    {"type": "header", "text": HEAD, "bbox": BOX, "page_idx": 0},
    {"type": "text", "text": "询问笔录", "text_level": 1, "bbox": BOX, "page_idx": 0},
    {
        "type": "list",
        "sub_type": "text",
        "list_items": ["问：你收了多少钱？", "答：一共四万二千元，"],
        "bbox": BOX,
        "page_idx": 0,
    },
    {"type": "page_number", "text": "1", "bbox": BOX, "page_idx": 0},
    {"type": "text", "text": "都是现金。", "bbox": BOX, "page_idx": 1},
    {"type": "image", "img_path": "a.jpg", "image_caption": [], "image_footnote": [], "bbox": BOX, "page_idx": 1},
    {"type": "table", "img_path": "b.jpg", "table_caption": [], "table_body": TABLE, "bbox": BOX, "page_idx": 1},
]


def prov(page, start=0, end=0):
    box = {"l": 62.0, "t": 480.0, "r": 946.0, "b": 904.0, "coord_origin": "TOPLEFT"}
    return {"page_no": page, "bbox": box, "charspan": [start, end]}


def docling_text(number, text, *places, label="text", **more):
    given = {"self_ref": f"#/texts/{number}", "content_layer": "body", "label": label, "prov": list(places)}
    return {**given, "orig": text, "text": text, **more}


def cell(row, column, text):
    return {"start_row_offset_idx": row, "start_col_offset_idx": column, "text": text}


SPLIT = "答：一共四万二千元，都是现金。"
DOCLING = {
    "schema_name": "DoclingDocument",
    "version": "1.3.0",
    "pages": {"1": {"page_no": 1}, "2": {"page_no": 2}},
    "texts": [
        docling_text(0, HEAD, prov(1), label="page_header", content_layer="furniture"),
        docling_text(1, "询问笔录", prov(1), label="section_header"),
        docling_text(2, "问：你收了多少钱？", prov(1)),
        docling_text(3, SPLIT, prov(1, 0, 10), prov(2, 10, 15)),
    ],
    "tables": [
        {
            "label": "table",
            "prov": [prov(2)],
            "data": {
                "table_cells": [cell(0, 0, "日期"), cell(0, 1, "金额"), cell(1, 0, "三月五日"), cell(1, 1, "42000元")]
            },
        }
    ],
}
RAGFLOW = {
    "code": 0,
    "data": {
        "chunks": [
            {
                "id": "c1",
                "content": "询问笔录\n问：你收了多少钱？\n答：一共四万二千元，",
                "positions": [[1, 62, 946, 480, 904]],
            },
            {"id": "c2", "content": f"都是现金。{TABLE}", "positions": [[2, 62, 946, 480, 904]]},
        ],
        "total": 2,
    },
}
TAG = "@@{}\t62.0\t946.0\t480.0\t904.0##"
TAGGED = [
    {
        "content": f"询问笔录{TAG.format(1)}"
        f"问：你收了多少钱？\n答：一共四万二千元，{TAG.format(1)}都是现金。{TAG.format(2)}"
    },
    {"content": f"{TABLE}{TAG.format(2)}"},
]
FORMS = {
    "paddle": PADDLE,
    "paddle, as saved": [{"page_index": number, **page["prunedResult"]} for number, page in enumerate(PADDLE)],
    "paddle, of a service": {"errorCode": 0, "result": {"layoutParsingResults": PADDLE}},
    "mineru": MINERU,
    "docling": DOCLING,
    "docling, of a service": {"document": {"json_content": DOCLING}, "status": "success"},
    "ragflow": RAGFLOW,
    "ragflow, a list": RAGFLOW["data"]["chunks"],
    "ragflow with tags": TAGGED,
}


@pytest.fixture
def read(write):
    def read(content) -> Document:
        return read_document(write("d.json", json.dumps(content, ensure_ascii=False)))

    return read


@pytest.mark.parametrize("form", FORMS)
def test_forms(read, form):
    document = read(FORMS[form])
    assert {page.number: page.text for page in document.pages} == {
        1: "询问笔录\n问：你收了多少钱？\n答：一共四万二千元，",
        2: f"都是现金。\n{ROWS}",
    }
    assert [unit.kind for page in document.pages for unit in page.units] == ["header", "question", "answer", "answer"]
    assert document.is_paged
    assert document.warnings == ()


@pytest.mark.parametrize("form", FORMS)
def test_boxes_are_those_of_the_text_on_the_page(read, form):
    document = read(FORMS[form])
    for page in document.pages:
        assert page.blocks
        assert {block.box for block in page.blocks} == {(62, 480, 946, 904)}
        assert "\n".join(page.text[block.start : block.end] for block in page.blocks) == page.text


def test_a_page_alone_keeps_its_number(read):
    page = {"page_index": 6, "parsing_res_list": [block("text", "甲")]}
    assert [page.number for page in read(page).pages] == [7]


def test_a_page_without_text_is_a_page(read):
    document = read([*PADDLE, paddle_page(block("image", IMAGE))])
    assert [page.text for page in document.pages][2:] == [""]


def test_two_pages_of_one_number_are_named_both(write):
    pages = [{"page_index": 3, "parsing_res_list": [block("text", text)]} for text in "甲乙"]
    path = write("d.json", json.dumps(pages))
    with pytest.raises(InputError) as caught:
        read_document(path)
    assert str(caught.value) == f"{path}#/1: duplicate page 4 (first at {path}#/0)"


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "text", "text": "甲", "page_idx": -1}],
        [{"content": "甲", "positions": [[0, 1, 2, 3, 4]]}],
        {"texts": [{"text": "甲", "prov": [{"page_no": True}]}]},
    ],
)
def test_bad_page_numbers(write, content):
    path = write("d.json", json.dumps(content))
    with pytest.raises(InputError, match="the page number must be an integer of at least 1, not"):
        read_document(path)


@pytest.mark.parametrize(
    "content",
    [
        {"texts": [{"text": "甲", "prov": [{"page_no": 1, "charspan": 3}, {"page_no": 2, "charspan": 3}]}]},
        {"texts": [{"text": "甲", "prov": [{"page_no": 1, "bbox": 3}]}]},
        [{"content": "甲", "positions": [[[], 1]]}],
        [{"content": "甲", "positions": [[1, 2]]}],
        [{"content": "甲", "role": "user"}],
        [{"type": "text", "text": "甲", "page_idx": "x"}],
        [{"type": "text", "text": "甲"}],
    ],
)
def test_what_is_nearly_of_a_form_is_an_error_and_no_traceback(write, content):
    path = write("d.json", json.dumps(content))
    with pytest.raises(InputError, match="no document of a known form"):
        read_document(path)


def test_a_chunk_over_a_page_end_stands_on_both_pages(read):
    document = read(
        [{"content": "答：一共四万二千元，都是现金。", "positions": [[1, 0, 9, 700, 800], [2, 0, 9, 0, 80]]}]
    )
    assert {page.number: page.text for page in document.pages} == dict.fromkeys((1, 2), SPLIT)


def test_without_page_numbers_it_is_one_page_that_cannot_be_checked(read):
    document = read([{"content": "甲", "positions": [""]}, {"content": "乙", "positions": []}])
    assert [(page.number, page.text) for page in document.pages] == [(1, "甲\n乙")]
    assert not document.is_paged


def test_images_have_captions(read):
    old = {"type": "image", "img_caption": ["图一 收条"], "img_footnote": ["复印件"], "page_idx": 0}
    new = {"type": "image", "image_caption": ["图二 借条"], "image_footnote": ["原件"], "page_idx": 1}
    assert [page.text for page in read([old, new]).pages] == ["图一 收条\n复印件", "图二 借条\n原件"]


@pytest.mark.parametrize("label", [None, 3, [], "text"])
@pytest.mark.parametrize("content", [None, 3, [], "甲"])
def test_odd_blocks_are_no_traceback(read, label, content):
    page = {"parsing_res_list": [block(label, content), block("text", "乙")]}
    assert read(page).pages[0].text.endswith("乙")


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<table><tr><th>a</th><th colspan=2>b</th></tr>\n <tr><td>1</td></tr></table>", "a | b\n1"),
        ("金额<1000元，且>500元", "金额<1000元，且>500元"),
        ("甲<br/>乙", "甲\n乙"),
    ],
)
def test_markup(read, write, markup, text):
    assert read([paddle_page(block("text", markup))]).pages[0].text == text
    assert read_document(write("d.md", markup)).pages[0].text == text
