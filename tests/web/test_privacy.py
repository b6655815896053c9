"""What the viewer hides, and which documents it shows."""

import json
import re

import pytest
from web.folders import put, table

from steelyard.web.rendering import MASKED, OPEN, report_pages


def test_private_numbers_are_masked_everywhere(tmp_path, served):
    phone = "13800138000"
    put(tmp_path / f"电话{phone}.jsonl", table(f"电话{phone}"), table(f"run of 电话{phone}"))
    (tmp_path / f"手机{phone}.jsonl").write_text("{\n")

    def render(report, language):
        return " ".join(table.name for table in report.tables)

    with served(tmp_path, privacy=MASKED, render=render) as server:
        entries = server.viewer.listed().entries
        places = ["/", "/history", f"/history/{entries[0].series}", f"/result/{entries[0].id}"]
        places.append(f"/compare/{entries[0].id}/{entries[1].id}")
        pages = [server.viewer.page(place, "en") for place in places]
    assert [page.status for page in pages] == [200] * 5
    assert not any(phone in page.html for page in pages)
    assert all("*8000" in page.html for page in pages)


def test_no_broken_file_hides_another(tmp_path, served):
    for phone in ("13800138000", "13900138000"):
        (tmp_path / f"手机{phone}.jsonl").write_text("{\n")
    with served(tmp_path, privacy=MASKED) as server:
        listed, page = server.viewer.listed(), server.viewer.page("/", "en").html
    assert [path for path, _ in listed.broken] == ["手机*******8000.jsonl"] * 2
    assert page.partition('class="broken"')[2].count("<code") == 2


def test_two_results_of_which_only_private_numbers_differ_still_compare(tmp_path, served):
    ids = ["13800138000", "13900138000", "c", "d"]
    put(tmp_path / "old.jsonl", table("电话13800138000", ids=ids))
    put(tmp_path / "new.jsonl", table("电话13900138000", ids=ids[::-1]), age=1)
    seen = []
    with served(tmp_path, privacy=MASKED, render=lambda report, language: seen.append(report) or "") as server:
        new, old = server.viewer.listed().entries
        assert server.viewer.page(f"/compare/{old.id}/{new.id}", "en").status == 200
    assert [found.name for found in seen[0].tables] == ["电话*******8000", "电话*******8000-2"]
    assert seen[0].comparisons[0].n == 4
    assert seen[0].tables[0].ids == seen[0].tables[1].ids[::-1]


def legal_result(place, benchmark):
    """A result about a document, whose name holds a number, with one citation."""
    evidence = [{"page": 1, "text": "甲方应付款"}]
    output = {"question": "?", "answer": "!", "citations": evidence}
    tags = {"document": ["电话13800138000.md"]}
    made = table(kind="legal", scores=(1.0,), metrics=("legal",), tags=tags, outputs=[output], benchmark=benchmark)
    return put(place / "result.jsonl", made)


def benchmark_at(place):
    (place / "questions").mkdir(parents=True)
    question = {
        "id": "q",
        "type": "evidence_set",
        "question": "?",
        "required_evidence": [{"page": 1, "must_include": "甲方"}],
    }
    content = {"benchmark_type": "evidence_set", "document": "电话13800138000.md", "questions": [question]}
    (place / "questions" / "a.json").write_text(json.dumps(content), encoding="utf-8")
    (place / "电话13800138000.md").write_text("=== 第1页 ===\n甲方应付款。\n", encoding="utf-8")


def page_of(folder, served, privacy):
    with served(folder, privacy=privacy, render=report_pages(folder, privacy)) as server:
        page = server.viewer.page(f"/result/{server.viewer.listed().entries[0].id}", "en").html
    return page, json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


def test_documents_come_from_the_folder_masked_or_not(tmp_path, served):
    benchmark_at(tmp_path / "benchmark")
    legal_result(tmp_path, "benchmark")
    page, held = page_of(tmp_path, served, OPEN)
    assert list(held["documents"]) == ["电话13800138000.md"]
    assert "documents are not shown" not in page.split('id="data"')[0]
    page, held = page_of(tmp_path, served, MASKED)
    assert held["documents"] == {"电话*******8000.md": {"1": "甲方应付款。"}}
    assert "13800138000" not in page


@pytest.mark.parametrize("privacy", [OPEN, MASKED], ids=["open", "masked"])
def test_a_page_says_why_a_document_is_not_there(tmp_path, served, privacy):
    folder = tmp_path / "results"
    benchmark_at(tmp_path / "benchmark")
    legal_result(folder, str(tmp_path / "benchmark"))
    page, held = page_of(folder, served, privacy)
    assert held["documents"] == {}
    why = "benchmark: is outside the folder whose results are shown"
    assert f"documents are not shown: {privacy.text(str(tmp_path))}/{why}" in page
    assert "benchmark：不在所查看结果的文件夹内" in page
    legal_result(folder, "no\0where")
    assert "documents are not shown: no\ufffdwhere: " in page_of(folder, served, privacy)[0]
    legal_result(folder, "gone")
    assert "documents are not shown: gone: there is no such folder" in page_of(folder, served, privacy)[0]
