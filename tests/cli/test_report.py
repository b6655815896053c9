"""`steelyard report` finds the documents of results, or says on its page why not."""

import json
import re
import shutil
from contextlib import chdir
from pathlib import Path

import pytest

from steelyard.cli import main
from steelyard.legal.benchmark import questions as module
from steelyard.legal.benchmark.questions import benchmark_folder

NOT_SHOWN = "documents are not shown: "


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a benchmark, a document of which has a number in its name, and a result that names it `cases`."""
    place = tmp_path_factory.mktemp("here")
    (place / "cases" / "questions").mkdir(parents=True)
    source = benchmark_folder()
    for path in source.glob("questions/contract.fact_exact.json"):
        text = path.read_text("utf-8").replace("contract.md", "电话13800138000.md")
        (place / "cases" / "questions" / path.name).write_text(text, encoding="utf-8")
    shutil.copy(source / "documents" / "contract.md", place / "cases" / "电话13800138000.md")
    with chdir(place):
        assert main(["bench", "cases", "--system", "builtin:baseline", "-o", "old.jsonl"]) == 0
    return place


@pytest.fixture
def here(made, tmp_path):
    shutil.copytree(made, tmp_path / "here")
    (tmp_path / "elsewhere").mkdir()
    return tmp_path / "here"


def page_of(*words):
    """The page, and its data."""
    assert main(["report", *map(str, words), "-o", "page.html", "--lang", "en"]) == 0
    page = Path("page.html").read_text("utf-8")
    return page, json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


def test_documents_are_found_from_another_folder(here):
    with chdir(here.parent / "elsewhere"):
        for result in (here / "old.jsonl", "../here/old.jsonl"):
            page, held = page_of(result)
            assert list(held["documents"]) == ["电话13800138000.md"]
            assert NOT_SHOWN not in page


def test_masked_documents_are_still_found_by_their_items(here):
    with chdir(here):
        page, held = page_of("old.jsonl", "--mask")
    assert list(held["documents"]) == held["tags"]["document"]["values"] == ["电话*******8000.md"]
    assert "13800138000" not in page


@pytest.mark.slow
def test_two_results_with_a_document_of_one_name_show_neither(here):
    there = here.parent / "there"
    shutil.copytree(here, there)
    with chdir(here.parent / "elsewhere"):
        assert list(page_of(here / "old.jsonl", there / "old.jsonl")[1]["documents"]) == ["电话13800138000.md"]
        (there / "cases" / "电话13800138000.md").write_text("=== 第1页 ===\n另一份。\n", encoding="utf-8")
        page, held = page_of(here / "old.jsonl", there / "old.jsonl")
    assert held["documents"] == {}
    assert f"{NOT_SHOWN}电话13800138000.md: two different documents have this name; neither is shown" in page
    assert "文档未显示：电话13800138000.md：有两份不同的文档同名，均未显示" in page


def test_the_page_says_why_a_document_is_not_there(here):
    with chdir(here):
        (here / "cases" / "电话13800138000.md").write_bytes(b"\0\xff")
        page, held = page_of("old.jsonl")
        assert held["documents"] == {}
        assert f"{NOT_SHOWN}cases/电话13800138000.md:1: " in page
        shutil.rmtree("cases")
        assert f"{NOT_SHOWN}cases: there is no such folder" in page_of("old.jsonl")[0]
        result = Path("old.jsonl")
        result.write_text(result.read_text("utf-8").replace('"benchmark": "cases"', r'"benchmark": "\u0000"'), "utf-8")
        assert f"{NOT_SHOWN}\ufffd: " in page_of("old.jsonl")[0]


def test_a_folder_that_the_user_names_must_hold_some(here, capsys):
    with chdir(here):
        (here / "cases" / "电话13800138000.md").unlink()
        assert main(["report", "old.jsonl", "--benchmark", "cases", "-o", "page.html", "--lang", "en"]) == 2
    error = capsys.readouterr().err
    assert "there is no document '电话13800138000.md'" in error
    assert error.endswith("hint: --benchmark must be the folder of the questions\n")


def test_a_folder_that_is_called_like_the_bundled_benchmark(here):
    with chdir(here):
        Path("cases").rename(module.BUNDLED)
        assert list(page_of("old.jsonl", "--benchmark", module.BUNDLED)[1]["documents"]) == ["电话13800138000.md"]


@pytest.mark.parametrize("name", ["{here}/cases", "../here/cases"])
def test_a_results_file_chooses_no_folder_of_the_machine(here, name, capsys):
    other = here.parent / "elsewhere" / "evil.jsonl"
    text = (here / "old.jsonl").read_text("utf-8")
    other.write_text(text.replace('"benchmark": "cases"', f'"benchmark": "{name.format(here=here)}"'), "utf-8")
    secret = "该合同的页面"
    with (here / "cases" / "电话13800138000.md").open("a", encoding="utf-8") as document:
        document.write(secret)
    with chdir(other.parent):
        page, held = page_of("evil.jsonl")
        assert held["documents"] == {}
        assert f"{module.OUTSIDE}" in page
        assert main(["compare", "evil.jsonl", "evil.jsonl", "-o", "both.html"]) == 0
        assert main(["sample", "evil.jsonl", "-n", "5", "-o", "sample.html", "--lang", "en"]) == 0
        assert f"{module.OUTSIDE}" in capsys.readouterr().err
        assert not any(secret in Path(file).read_text("utf-8") for file in ("page.html", "both.html", "sample.html"))
        assert secret in page_of("evil.jsonl", "--benchmark", here / "cases")[0]


def test_a_page_of_a_resumed_run_shows_the_documents_of_the_benchmark_that_was_named(here, tmp_path):
    shutil.copytree(here / "cases", tmp_path / "other")
    (tmp_path / "other" / "电话13800138000.md").write_text("=== 第1页 ===\n另一份。\n", encoding="utf-8")
    with chdir(here):
        text = Path("old.jsonl").read_text("utf-8").replace('"benchmark": "cases"', f'"benchmark": "{tmp_path}/other"')
        Path("old.jsonl").write_text(text, encoding="utf-8")
        words = ("bench", "cases", "--system", "builtin:baseline", "--resume", "-o", "old.jsonl", "-o", "page.html")
        assert main([*words]) == 0
        assert "另一份" not in Path("page.html").read_text("utf-8")
