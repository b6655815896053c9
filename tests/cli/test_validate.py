"""`steelyard validate` as a person runs it: every problem with its place, errors first, an exit code."""

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from steelyard.cli import main

TRANSCRIPT = "=== 第1页 共1页 ===\n问：你一共收了多少？\n答：一共收了42000元。\n"
FACT = {
    "id": "fact_001",
    "question": "一共收了多少？",
    "expected": {"amount_total": 42000},
    "required_evidence": [{"page": 1, "must_include": "一共收了42000元", "speaker": "answer"}],
}


def read_line(name, pages, characters, blank="0 pages") -> str:
    """The line about a document that was read."""
    return f"{name}: {pages}, {characters}, 0 % unreadable, {blank} without text, 0 questions without an answer\n"


READ = read_line("d.md", "1 page", "24 characters")
READ_ZH = "d.md：1 页，24 个字符，0% 无法辨认，0 页没有文字，0 处有问无答\n"


def file_of(*questions, **more) -> dict:
    return {"benchmark_type": "fact_exact", "document": "d.md", "questions": list(questions), **more}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Write a benchmark folder and go there."""

    def folder(**files) -> Path:
        monkeypatch.chdir(tmp_path)
        for name, content in {"d.md": TRANSCRIPT, **files}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            text = json.dumps(content, ensure_ascii=False, indent=1) if isinstance(content, dict) else content
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path

    return folder


@pytest.fixture
def validate(capsys):
    """Run the command in this process: exit code and output."""

    def validate(*arguments) -> tuple[int, str]:
        language = [] if "--lang" in arguments else ["--lang", "en"]
        code = main(["validate", *map(str, arguments), *language])
        printed = capsys.readouterr()
        assert printed.err == ""
        return code, printed.out

    return validate


def test_a_sound_folder(folder, validate):
    path = folder(**{"questions/a.json": file_of(FACT), "questions/b.json": file_of({**FACT, "id": "fact_002"})})
    assert validate(path) == (0, READ + "3 files, 2 questions: 0 errors, 0 warnings\n")
    assert validate(path, "--lang", "zh") == (0, READ_ZH + "文件 3 个，题目 2 道：错误 0 个，警告 0 个\n")


def test_one_file_of_questions(folder, validate):
    folder(**{"questions/a.json": file_of(FACT), "b.json": file_of(FACT)})
    assert validate("questions/a.json") == (0, READ + "2 files, 1 question: 0 errors, 0 warnings\n")
    assert validate("b.json") == (0, READ + "2 files, 1 question: 0 errors, 0 warnings\n")


def test_documents(folder, validate):
    folder(**{"p.json": '{"pages": [{"page": 1, "text": "甲"}]}', "bad.md": "--- page 0 ---\n甲"})
    other = read_line("p.json", "1 page", "1 character")
    assert validate("d.md", "p.json") == (0, f"{READ}{other}2 files, 0 questions: 0 errors, 0 warnings\n")
    assert validate("d.md", "bad.md") == (
        2,
        "bad.md:1: the page number must be an integer of at least 1, not '0'\n"
        f"{READ}2 files, 0 questions: 1 error, 0 warnings\n",
    )


FAULTY = file_of(
    {**FACT, "required_evidence": [{"page": 1, "must_include": "一共收下42000元"}]},
    {**FACT, "id": "fact_002", "expected": {"amount_total": 42000}, "question": "是不是收了42000元？"},
)
WARNINGS = [
    (
        "a.json:14",
        "/questions/0/required_evidence/0/must_include: it is neither on page 1 nor on another page of d.md",
    ),
    ("a.json:22", "/questions/1/expected/amount_total: the question already contains it"),
]


def test_warnings_alone_are_no_failure_unless_strict(folder, validate):
    folder(**{"a.json": FAULTY})
    printed = "".join(f"{where}: warning: {message}\n" for where, message in WARNINGS)
    printed += f"{READ}2 files, 2 questions: 0 errors, 2 warnings\n"
    assert validate("a.json") == (0, printed)
    assert validate("a.json", "--strict") == (2, printed)


def test_errors_come_first(folder, validate):
    folder(**{"a.json": FAULTY, "b.json": file_of({**FACT, "id": "x", "expected": {"date": "2020-13-01"}})})
    code, printed = validate("a.json", "b.json", "none.txt")
    assert code == 2
    assert printed.split("\n")[:2] == [
        "b.json:9: /questions/0/expected/date: '2020-13-01' is not a date (YYYY-MM-DD)",
        "none.txt: no such file",
    ]
    uncounted = "the questions of invalid files are not counted:\n"
    assert printed.endswith(f"{READ}{uncounted}3 files, 2 questions: 2 errors, 2 warnings\n")


def test_json(folder, validate):
    folder(**{"a.json": FAULTY, "b.json": "{"})
    code, printed = validate("a.json", "b.json", "--json")
    assert code == 2
    broken = "this is not JSON: Expecting property name enclosed in double quotes (column 2)"
    assert json.loads(printed) == {
        "problems": [{"where": "b.json:1", "message": broken, "level": "error"}]
        + [{"where": where, "message": message, "level": "warning"} for where, message in WARNINGS],
        "files": 3,
        "questions": 2,
        "documents": [
            {
                "name": "d.md",
                "is_paged": True,
                "page_count": 1,
                "characters": 24,
                "unreadable": 0,
                "pages_without_text": [],
                "questions_without_answer": 0,
            }
        ],
    }


def test_figures_of_a_document(folder, validate):
    pages = ["问：谁？\n问：你认识他", "", "吗？\n答：认\ufffd识\ue000。\n问：还有呢？"]
    text = json.dumps({"pages": [{"page": number, "text": page} for number, page in enumerate(pages, 3)]})
    folder(**{"p.json": text, "d.md": "甲\n乙"})
    code, printed = validate("p.json", "d.md")
    assert code == 0
    assert printed.split("\n")[1:3] == [
        "p.json: 3 pages, 28 characters, 7.1 % unreadable, 1 page without text, 2 questions without an answer",
        "d.md: no pages, 3 characters, 0 % unreadable, 0 pages without text, 0 questions without an answer",
    ]
    figures = json.loads(validate("p.json", "--json")[1])["documents"][0]
    assert figures["pages_without_text"] == [4]
    assert figures["unreadable"] == pytest.approx(2 / 28)


def test_a_folder_tells_everything_at_once(folder, validate):
    path = folder(
        **{
            "questions/a.json": file_of(FACT),
            "questions/b.json": file_of(FACT, document="d.txt") | {"document": "e.md"},
            "questions/c.json": file_of({"id": "c"}),
        }
    )
    code, printed = validate(path)
    assert code == 2
    assert printed.replace(f"{path}/", "") == (
        "questions/c.json:5: /questions/0: the field 'question' is missing\n"
        "questions/c.json:5: /questions/0: the field 'expected' is missing\n"
        "questions/b.json:6: duplicate id 'fact_001' (first at questions/a.json:6)\n"
        "questions/b.json:3: there is no document 'e.md'\n"
        "hint: did you mean 'd.md'?\n"
        f"{READ}the questions of invalid files are not counted:\n"
        "4 files, 2 questions: 4 errors, 0 warnings\n"
    )


def test_a_bad_document_is_told_once(folder, validate):
    path = folder(**{"d.md": "", "questions/a.json": file_of(FACT), "questions/b.json": file_of({**FACT, "id": "b"})})
    assert validate(path) == (2, f"{path}/d.md: it contains no text\n3 files, 2 questions: 1 error, 0 warnings\n")


def test_what_is_neither(folder, validate):
    path = folder(**{"run.trec": "q Q0 d 1 1 t", "empty/x.txt": ""})
    code, printed = validate("run.trec", path / "empty", "--lang", "zh")
    assert (code, printed) == (
        2,
        "run.trec: 这既不是题目文件，也不是文档\n提示：题目文件为 .json；文档为 .json、.md、.txt、.docx 或 .pdf\n"
        f"{path / 'empty'}: 其中没有题目\n提示：评测集文件夹中应有 questions/*.json，或直接存放题目文件\n"
        "文件 1 个，题目 0 道：错误 2 个，警告 0 个\n",
    )


def test_chinese_warnings(folder, validate):
    folder(**{"a.json": FAULTY})
    assert validate("a.json", "--lang", "zh") == (
        0,
        "a.json:14: 警告：/questions/0/required_evidence/0/must_include：该原文不在第 1 页，也不在 d.md 的其他页\n"
        "a.json:22: 警告：/questions/1/expected/amount_total：题目中已包含答案\n"
        f"{READ_ZH}文件 2 个，题目 2 道：错误 0 个，警告 2 个\n",
    )


# documents that are shown

SHOWN = """=== 第1页 共2页 ===
询问笔录
问：你一共收了多少？
答：一共收了42000元，
分两次。
=== 第2页 共2页 ===
被询问人签名：霍听澜
"""


def docx(*paragraphs: str) -> bytes:
    body = "".join(f"<w:p><w:r>{paragraph}</w:r></w:p>" for paragraph in paragraphs)
    namespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{namespace}"><w:body>{body}</w:body></w:document>')
    return file.getvalue()


WORD = docx("<w:t>问：谁？</w:t>", "<w:t>答：他。</w:t><w:br w:type='page'/><w:t>是他。</w:t>")
WARNED = "it has no recorded page breaks, so it is read as one page; save it in Word, or as PDF, to record them"


def test_show(folder, validate):
    folder(**{"d.md": SHOWN})
    assert validate("--show", "d.md") == (
        0,
        "d.md: page 1, 34 characters\n"
        "header    询问笔录\n"
        "question  问：你一共收了多少？\n"
        "answer    答：一共收了42000元，\n"
        "          分两次。\n"
        "\n"
        "d.md: page 2, 10 characters\n"
        "line      被询问人签名：霍听澜\n"
        "\n"
        f"{read_line('d.md', '2 pages', '44 characters')}"
        "1 file, 0 questions: 0 errors, 0 warnings\n",
    )
    assert validate("--show", "d.md", "--lang", "zh") == (
        0,
        "d.md：第 1 页，34 个字符\n"
        "首部  询问笔录\n"
        "问话  问：你一共收了多少？\n"
        "答话  答：一共收了42000元，\n"
        "      分两次。\n"
        "\n"
        "d.md：第 2 页，10 个字符\n"
        "单行  被询问人签名：霍听澜\n"
        "\n"
        "d.md：2 页，44 个字符，0% 无法辨认，0 页没有文字，0 处有问无答\n"
        "文件 1 个，题目 0 道：错误 0 个，警告 0 个\n",
    )


def test_show_every_kind(folder, validate):
    pages = '{"pages": [{"page": 3, "text": "甲"}, {"page": 4, "text": ""}]}'
    folder(**{"p.json": pages, "a.txt": "甲\f乙", "w.docx": WORD})
    code, printed = validate("--show", "p.json", "a.txt", "w.docx")
    assert code == 0
    assert printed == (
        "p.json: page 3, 1 character\nline      甲\n\n"
        "p.json: page 4, 0 characters\n(no text)\n\n"
        "a.txt: page 1, 1 character\nline      甲\n\n"
        "a.txt: page 2, 1 character\nline      乙\n\n"
        "w.docx: page 1, 9 characters\nquestion  问：谁？\nanswer    答：他。\n\n"
        "w.docx: page 2, 3 characters\nanswer    是他。\n\n"
        + read_line("p.json", "2 pages", "1 character", "1 page")
        + read_line("a.txt", "2 pages", "2 characters")
        + read_line("w.docx", "2 pages", "12 characters")
        + "3 files, 0 questions: 0 errors, 0 warnings\n"
    )


def test_show_as_json(folder, validate):
    folder(**{"w.docx": WORD})
    code, printed = validate("--show", "w.docx", "--json")
    assert code == 0
    (document,) = json.loads(printed)["documents"]
    assert document["name"] == "w.docx"
    assert document["pages"][1] == {
        "page": 2,
        "characters": 3,
        "units": [{"kind": "answer", "start": 0, "end": 3}],
        "text": "是他。",
    }


def test_what_cannot_be_shown(folder, validate):
    path = folder(
        **{"q.json": file_of(FACT), "run.trec": "q Q0 d 1 1 t", "old.doc": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"}
    )
    hint = "hint: a document is .json (with pages), .md, .txt, .docx or .pdf\n"
    for name in (path, "q.json", "run.trec"):
        code, printed = validate("--show", name)
        assert code == 2
        assert printed.startswith(f"{name}: only documents can be shown\n{hint}")
    assert validate("--show", "q.json", "--lang", "zh")[1].startswith(
        "q.json: 只能显示文档的内容\n提示：文档为 .json（带 pages）"
    )
    assert validate("--show", "none.docx")[1].startswith("none.docx: no such file\n")
    old = "old.doc: this is Word's old format (.doc)\nhint: save it as .docx or PDF\n"
    assert validate("--show", "old.doc") == (2, f"{old}1 file, 0 questions: 1 error, 0 warnings\n")
    assert validate("old.doc") == (2, f"{old}1 file, 0 questions: 1 error, 0 warnings\n")


def test_nothing_that_is_shown_commands_the_terminal(folder, validate):
    folder(**{"d.txt": "甲\x1b[2J\u9a6c\x9b\t乙"})
    assert validate("--show", "d.txt")[1].startswith("d.txt: page 1, 9 characters\nline      甲\\x1b[2J马\\x9b\t乙\n")


def test_warnings_about_a_document(folder, validate):
    path = folder(**{"d.docx": docx(TRANSCRIPT.split("\n")[2].join(("<w:t>", "</w:t>")))})
    fact = {**FACT, "required_evidence": [{"page": 1, "must_include": "一共收了42000元"}]}
    folder(**{"questions/a.json": file_of(fact) | {"document": "d.docx"}})
    assert validate(path) == (
        0,
        f"{path}/d.docx: warning: {WARNED}\n"
        f"{read_line('d.docx', 'no pages', '13 characters')}2 files, 1 question: 0 errors, 1 warning\n",
    )
    assert validate("d.docx", "--strict", "--lang", "zh") == (
        2,
        "d.docx: 警告：其中没有分页记录，因此按一页读取；用 Word 重新保存，或另存为 PDF，即可记录分页\n"
        "d.docx：没有页码，13 个字符，0% 无法辨认，0 页没有文字，0 处有问无答\n"
        "文件 1 个，题目 0 道：错误 0 个，警告 1 个\n",
    )


@pytest.mark.slow
def test_as_a_process(folder):
    path = folder(**{"questions/a.json": file_of(FACT)})
    settings = {key: value for key, value in os.environ.items() if key not in ("LANG", "LC_ALL", "LC_MESSAGES")}
    words = [sys.executable, "-W", "error", "-m", "steelyard", "validate", str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=settings)
    assert (done.returncode, done.stdout, done.stderr) == (0, READ + "2 files, 1 question: 0 errors, 0 warnings\n", "")
