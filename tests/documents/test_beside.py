"""An OCR file beside a Markdown without page marks gives it pages. The records are invented."""

import json

import pytest

from steelyard.documents.pages import read_document
from steelyard.errors import InputError

FIRST = ["询问笔录", "问：你收了多少钱？", "答：一共四万二千元，是霍听澜在霁县汽车站当面交给我的，"]
SECOND = ["都是现金。后来我把其中三千元还给了他的弟弟。", "问：退了吗？", "答：没有退，钱已经用来付了房租和药费。"]
MARKDOWN = "\n\n".join(["# " + FIRST[0], *FIRST[1:], "![](imgs/seal.jpg)", *SECOND]) + "\n"


def mineru(first=FIRST, second=SECOND):
    pages = enumerate((first, second))
    return [{"type": "text", "text": text, "bbox": [1, 2, 3, 4], "page_idx": at} for at, page in pages for text in page]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "output.md").write_text(MARKDOWN, "utf-8")
    return tmp_path


def put(folder, content, name="output.json"):
    (folder / name).write_text(json.dumps(content, ensure_ascii=False), "utf-8")
    return read_document(folder / "output.md")


@pytest.mark.parametrize("name", ["output.json", "output_content_list.json"])
def test_the_text_gets_pages(folder, name):
    alone = read_document(folder / "output.md")
    assert not alone.is_paged
    document = put(folder, mineru(), name)
    assert document.name == "output.md"
    assert [page.text for page in document.pages] == ["\n".join(FIRST), "\n".join(SECOND)]
    assert document.is_paged
    assert document.warnings == ()
    assert [len(page.blocks) for page in document.pages] == [3, 3]


def test_the_digest_is_that_of_both_files(folder):
    alone = read_document(folder / "output.md").digest
    one, other = put(folder, mineru()).digest, put(folder, mineru(second=[*SECOND, ""])).digest
    (folder / "output.md").write_text(MARKDOWN + "\n", "utf-8")
    assert len({alone, one, other, read_document(folder / "output.md").digest}) == 4


def test_a_list_of_pages_is_a_known_form(folder):
    pages = [{"page": number, "text": "\n".join(page)} for number, page in enumerate((FIRST, SECOND), 4)]
    assert [page.number for page in put(folder, {"pages": pages}).pages] == [4, 5]


def test_lines_are_those_of_the_text_file(folder):
    document = put(folder, mineru())
    rows = MARKDOWN.split("\n")
    found = {number: page.text[slice(*span)] for page in document.pages for number, span in page.lines.items()}
    assert list(found) == [1, 3, 5, 9, 11, 13]
    assert all(rows[number - 1].lstrip("# ").startswith(text) for number, text in found.items())
    assert document.lines(9, 12) == [(2, 0, len(SECOND[0] + SECOND[1]))]  # to the last letter
    assert document.pages[1].lines_of(3, 4) == (9, 9)


def test_a_line_over_a_page_end_is_on_both_pages(folder):
    (folder / "output.md").write_text("\n\n".join([*FIRST[:2], FIRST[2] + SECOND[0], *SECOND[1:]]), "utf-8")
    document = put(folder, mineru())
    assert [list(page.lines) for page in document.pages] == [[1, 3, 5], [5, 7, 9]]
    assert [page for page, *_ in document.lines(5, 5)] == [1, 2]


def test_what_differs_is_a_warning(folder):
    document = put(folder, mineru(second=[SECOND[0].replace("三千", "八千"), *SECOND[1:]]))
    (problem,) = document.warnings
    assert problem.where == str(folder / "output.json")
    assert str(problem.message) == "2 of 74 pairs of adjacent characters (2.7 %) differ from those in output.md"
    assert "八千" in document.text


def test_other_text_is_that_of_another_document(folder):
    other = [
        "租赁合同",
        "甲方将位于霁县东街的门面一间出租给乙方使用，租期三年，",
        "每月租金一千二百元，押金三千元，于签字当日付清。",
    ]
    with pytest.raises(InputError) as caught:
        put(folder, mineru(other, other))
    assert str(caught.value).startswith(
        f"{folder / 'output.json'}: 95 of 99 pairs of adjacent characters (96 %) differ"
    )
    assert "if it is of another document, rename it" in str(caught.value)


@pytest.mark.parametrize("content", [{"title": "x"}, [], "not JSON", {"pages": 3}])
def test_other_json_is_one_warning(folder, content):
    document = put(folder, content)
    if content == "not JSON":
        (folder / "output.json").write_text("{", "utf-8")
        document = read_document(folder / "output.md")
    assert not document.is_paged
    problem = document.warnings[-1]
    assert problem.where == str(folder / "output.json")
    message = str(problem.message)
    assert message.startswith("it is beside output.md, but gives it no pages: this ")
    assert message.endswith("; if it is something else, rename it")
    assert len(document.warnings) == 2


def test_bad_pages_are_an_error(folder):
    texts = "\n".join(FIRST), "\n".join(SECOND)
    blocks = [[{"block_label": "text", "block_content": text}] for text in texts]
    pages = [{"page_index": 0, "parsing_res_list": page} for page in blocks]
    with pytest.raises(InputError, match=r"output\.json#/1: duplicate page 1"):
        put(folder, pages)


def test_a_text_with_marks_is_left_alone(folder):
    put(folder, mineru())
    (folder / "output.md").write_text("第1页\n甲\n第2页\n乙\n", "utf-8")
    assert [page.text for page in read_document(folder / "output.md").pages] == ["甲", "乙"]


def test_a_link_to_another_folder_is_not_followed(folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "secret.json"
    outside.write_text(json.dumps(mineru()), "utf-8")
    (folder / "output.json").symlink_to(outside)
    assert not read_document(folder / "output.md").is_paged
