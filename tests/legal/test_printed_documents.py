"""A transcript that Chromium printed to PDF is judged like the text that it shows."""

import json
import shutil
import subprocess

import pytest

import steelyard
from steelyard.documents.pages import read_document
from steelyard.legal.benchmark.checks import lint
from steelyard.legal.benchmark.questions import find_document, read_benchmark
from steelyard.text.normalisation import EQUIVALENTS, unified

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
LINES = [
    "询问笔录",
    "问：你一共收了多少人民币？",
    "答：二月一日高某用车送来金额42000元，",
    "我们在门口见面。",
    "被询问人签名：高立",
]
QUOTED = "二月一日高某用车送来金额42000元"
QUESTIONS = {
    "benchmark_type": "fact_exact",
    "questions": [
        {
            "id": "q1",
            "question": "一共收了多少？",
            "expected": {"amount_total": 42000},
            "required_evidence": [{"page": 1, "must_include": QUOTED, "speaker": "answer"}],
            "scoring": {"citation_required": True},
        }
    ],
}


RADICALS = str.maketrans({ideograph: chr(code) for code, ideograph in EQUIVALENTS.items()})


@pytest.fixture(scope="module", params=["transcript.pdf", "transcript.md"])
def document(request, tmp_path_factory):
    """A transcript that Chromium has printed, or a text with the same characters, and a question beside it."""
    folder = tmp_path_factory.mktemp("printed")
    path = folder / request.param
    if path.suffix == ".pdf":
        print_to(path)
    else:
        path.write_text("\n".join(LINES).translate(RADICALS), "utf-8")
    (folder / "q.json").write_text(json.dumps({**QUESTIONS, "document": path.name}, ensure_ascii=False), "utf-8")
    return path


def print_to(path):
    pytest.importorskip("pypdf")
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    if not (
        shutil.which("fc-list") and subprocess.run(["fc-list", ":lang=zh"], capture_output=True, check=True).stdout
    ):
        pytest.skip("no Chinese font on this machine (Debian: apt-get install fonts-noto-cjk)")
    page = path.with_suffix(".html")
    page.write_text("<!doctype html><meta charset=utf-8>" + "".join(f"<p>{line}</p>" for line in LINES), "utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
    flags += [f"--user-data-dir={path.parent / 'profile'}", f"--print-to-pdf={path}"]
    subprocess.run([CHROMIUM, *flags, page.as_uri()], check=True, capture_output=True, timeout=120)


def test_the_text_is_that_of_the_page(document):
    read = read_document(document)
    assert "".join(unified(read.text).split()) == "".join(LINES)
    assert [unit.kind for unit in read.pages[0].units] == ["header", "question", "answer", "line"]


def test_evidence_is_found_in_it(document):
    (file,) = read_benchmark(document.parent)
    assert lint(file, read_document(find_document(file, document.parent))) == []


@pytest.mark.parametrize("is_copied", [False, True])
def test_a_citation_counts_as_it_is_typed_or_copied(document, is_copied):
    (page,) = read_document(document).pages
    copied = page.text[page.units[2].start : page.units[2].end]
    record = {"answer": "一共42000元。", "citations": [{"page": 1, "text": copied if is_copied else QUOTED}]}
    assert steelyard.evaluate_legal(lambda question: record, document.parent).mean("legal") == 1.0
