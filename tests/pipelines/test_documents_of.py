"""The documents of the benchmark that a result names: found, or with the reason why not; never an error."""

import os
import shutil
from contextlib import chdir
from pathlib import Path

import pytest
from platforms import posix

from steelyard.documents.pages import TWO_TEXTS, DocumentSet
from steelyard.errors import MissingExtra, Problem
from steelyard.legal.benchmark import questions as module
from steelyard.legal.benchmark.questions import NO_PATH, OUTSIDE, benchmark_folder, documents_of


@pytest.fixture
def folder(tmp_path):
    """A benchmark of one's own beside the bundled one."""
    place = tmp_path / "here" / "benchmark"
    shutil.copytree(benchmark_folder(), place, ignore=shutil.ignore_patterns("*.py"))
    return place


def test_the_bundled_one_is_always_there(tmp_path):
    found = documents_of("bundled", within=tmp_path)
    assert (len(found), found.missing) == (4, ())
    assert "contract.md" in found


def test_a_result_without_a_benchmark_misses_nothing():
    found = documents_of("")
    assert (dict(found), found.missing) == ({}, ())


def missing(benchmark, **where):
    found = documents_of(str(benchmark), **where)
    assert dict(found) == {}
    return [str(problem) for problem in found.missing]


def test_why_there_are_none(tmp_path):
    assert missing(tmp_path / "gone") == [f"{tmp_path}/gone: there is no such folder"]
    assert missing(tmp_path) == [f"{tmp_path}: it contains no questions"]
    (tmp_path / "file").write_text("")
    assert missing(tmp_path / "file") == [f"{tmp_path}/file: there is no such folder"]
    (tmp_path / "questions").mkdir()
    (tmp_path / "questions" / "a.json").write_text("{")
    assert missing(tmp_path)[0].startswith(f"{tmp_path}/questions/a.json:1: this is not JSON: ")


def test_a_name_that_is_no_path():
    assert missing("a\0b\x1b[2J") in (
        [f"a\ufffdb\ufffd[2J: {NO_PATH}"],
        ["a\ufffdb\ufffd[2J: there is no such folder"],  # as later Pythons have it
    )
    assert missing("x" * 5000) in (
        [f"{'x' * 200}…: cannot be read: File name too long"],
        [f"{'x' * 200}…: there is no such folder"],  # as later Pythons have it
    )
    assert missing("\udce4")[0].startswith("\ufffd: ")


def test_a_broken_document_does_not_take_the_others_with_it(folder):
    (folder / "documents" / "contract.md").write_bytes(b"\x00\xff\x00")
    found = documents_of(str(folder))
    assert (len(found), len(found.missing)) == (3, 1)
    assert str(found.missing[0]).startswith(f"{folder}/documents/contract.md:1: ")
    (folder / "documents" / "contract.md").unlink()
    found = documents_of(str(folder))
    assert (len(found), [str(each.message) for each in found.missing]) == (3, ["there is no document 'contract.md'"])


def test_questions_with_faults_have_documents_all_the_same(folder):
    path = folder / "questions" / "contract.fact_exact.json"
    path.write_text('{"document": "contract.md", "benchmark_type": "no such type", "questions": [1]}')
    found = documents_of(str(folder))
    assert (len(found), found.missing) == (4, ())


def test_where_a_document_is_named(folder):
    path = folder / "questions" / "z.json"
    path.write_text('{"questions": [{"document": "a.md"}],\n "benchmark_type": "fact_exact",\n "document": "gone.md"}')
    found = documents_of(str(folder))
    assert (len(found), [str(each) for each in found.missing]) == (4, [f"{path}:3: there is no document 'gone.md'"])


@pytest.mark.parametrize("content", ["[]", "1", '{"questions": []}', '{"document": 1}', '{"document": " "}'])
def test_a_question_file_that_names_no_document(folder, content):
    path = folder / "questions" / "z.json"
    path.write_text(content)
    (problem,) = missing(folder)
    assert problem.startswith(f"{path}:1: ")


def test_a_package_that_is_absent(folder, monkeypatch):
    def absent(path):
        raise MissingExtra.of("pypdf", "pdf", purpose="reading PDF documents")

    monkeypatch.setattr(module, "read_document", absent)
    assert f"{folder}/contract.md: reading PDF documents needs the package pypdf" in missing(folder)


def test_a_relative_folder_is_looked_for_here_and_then_beside_the_result(folder, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with chdir(folder.parent):
        assert len(documents_of("benchmark")) == 4
    with chdir(elsewhere):
        assert len(documents_of("benchmark", beside=folder.parent)) == 4
        assert len(documents_of(".", beside=folder)) == 4, "this folder is one, but has no questions"
        assert missing("benchmark") == ["benchmark: there is no such folder"]
        assert missing("no", beside=Path("../here")) == [
            "no: there is no such folder",
            "../here/no: there is no such folder",
        ]


def test_what_lies_outside_is_not_read(folder, tmp_path):
    outside = tmp_path / "outside"
    shutil.copytree(folder, outside)
    inside = folder.parent
    assert len(documents_of(str(folder), within=inside)) == 4
    assert missing(outside, within=inside) == [f"{outside}: {OUTSIDE}"]
    assert missing(tmp_path / "gone", within=inside) == [f"{tmp_path}/gone: {OUTSIDE}"], "there or not"
    with chdir(tmp_path):
        assert missing("outside", within=inside, beside=inside) == [
            f"outside: {OUTSIDE}",
            f"{inside}/outside: there is no such folder",
        ]


def test_a_results_file_chooses_no_folder_of_the_machine(folder, tmp_path):
    results = tmp_path / "results"
    results.mkdir()
    assert len(documents_of(str(folder))) == 4, "the user has named it"
    assert len(documents_of(str(folder), beside=folder.parent)) == 4
    with chdir(results):
        assert missing(folder, beside=Path()) == [f"{folder}: {OUTSIDE}"]
        assert missing("../here/benchmark", beside=Path()) == [f"../here/benchmark: {OUTSIDE}"]
        assert len(documents_of("benchmark", beside=folder.parent)) == 4
    with chdir(folder.parent):
        assert len(documents_of("benchmark", beside=results)) == 4, "as bench has written it"
        assert missing(folder, beside=results) == [f"{folder}: {OUTSIDE}"], "here, but by its whole path"


@posix
def test_links_that_lead_outside_are_not_followed(folder, tmp_path):
    inside, outside = folder.parent, tmp_path / "outside"
    shutil.copytree(folder, outside)
    document = folder / "documents" / "contract.md"
    document.unlink()
    document.symlink_to(outside / "documents" / "contract.md")
    found = documents_of(str(folder), within=inside)
    assert len(found) == 3
    assert [str(each.message) for each in found.missing] == [
        "this document is outside the benchmark folder: 'contract.md'"
    ]
    assert len(documents_of(str(folder), within=inside, also=outside)) == 4
    secret = tmp_path / "secret.json"
    secret.write_text('{"questions": [], "questions": "the secret"}')
    link = folder / "questions" / "link.json"
    os.symlink(secret, link)
    assert missing(folder, within=inside) == [f"{link}: {OUTSIDE}"]


def test_a_name_with_two_texts_is_left_out(folder):
    first = documents_of(str(folder))
    (folder / "documents" / "contract.md").write_text("=== 第1页 ===\n另一份合同。\n", encoding="utf-8")
    both = DocumentSet.of([first, documents_of(str(folder)), first])
    assert (len(both), "contract.md" in both) == (3, False)
    assert both.missing == (Problem("contract.md", TWO_TEXTS),)
    assert dict(DocumentSet.of([first, first])) == dict(first)
