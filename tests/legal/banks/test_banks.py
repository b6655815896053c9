"""Banks of questions in Markdown, Excel, CSV and JSONL become benchmarks. All persons and cases are invented."""

import csv
import json
import shutil

import commands
import pytest

from steelyard import limits
from steelyard.legal.benchmark.questions import load_benchmark
from steelyard.legal.score import judge

PAGES = """=== 第1页 共3页 ===
讯问笔录（虚构）
被讯问人：顾长风，汉族，1981年03月07日出生，身份证号码110101198103070012
联系方式 13900000017
问：你是否认罪认罚？
答：不，我没有骗人。

=== 第2页 共3页 ===
问：你收了多少钱？
答：我一共收取了杜若兰的 36000 元。2021年4月2日她通过现金方式给了我20000元，2021年4月9日她通过微信转账了16000元给我。
问：钱用在哪里？
答：用于请客送礼，具体请了谁我都忘记了。

=== 第3页 共3页 ===
问：退了多少？
答：我分3次退款，一共退还了 9000 元。她的外号叫“小灯”，全名我说不清楚。
"""

FACTS = """# 事实型题目

本文件包含基于虚构笔录的题目。

---

## 1. 总金额

**问题**：顾长风总共收取了多少钱？

**答案**：36000元（20000元现金 + 16000元微信）

**位置**：`@@2\t38\t553\t317\t439##`
**证据原文**：`我一共收取了杜若兰的 36000 元`

---

## 2. 出生日期

**问题**：顾长风的出生日期是什么？

**答案**：1981年03月07日

**位置**：第1页，第3行
**证据原文**：`1981年03月07日出生`、`顾长风，汉族`（需从上下文推断）

---

## 3. 退款次数

**问题**：顾长风分几次退款？

**答案**：3次

**位置**：第3页
**证据原文**：`我分3次退款`

---

## 4. 是否认罪

**问题**：顾长风是否认罪认罚？

**答案**：否

**证据原文**：`不，我没有骗人`

---

## 5. 姓名

**问题**：付款人是谁？

**答案**：杜若兰

**证据原文**：`收取了杜若兰的 36000 元`

---

## 6. 现金时间和金额

**问题**：顾长风哪天收取现金，收了多少钱？

**答案**：2021年4月2日，20000元

**证据原文**：`2021年4月2日她通过现金方式给了我20000元`

---

## 7. 外号

**问题**：付款人的真实姓名叫什么？

**答案**：不详

**证据原文**：`她的外号叫“小灯”，全名我说不清楚`

---

## 题目统计

| 类型 | 数量 |
|------|------|
| **合计** | **7** |
"""

UNKNOWN = "'{}' is no known heading and is not read; known: 问题, 答案, 证据原文, 位置, 页码, 说明, 类型, "
INCOMPLETE = "left out: the question or the answer is missing"
AS_TEXT = "written as text: the answer is not one amount, day, count, name, or yes or no"
LONG = "被讯问人：顾长风，男，汉族，1981年03月07日出生...联系方式 13900000017"
SETS = """# 证据集合型题目

---

## 1. 收款明细

**问题**：顾长风通过哪些方式收款？

**答案**：
1. **现金**：20000元
   - 2021年4月2日
2. **微信转账**：16000元

**位置**：`@@2\t38\t551\t220\t510##`、`@@2\t38\t546\t518\t573##`
**证据原文**：
- `2021年4月2日她通过现金方式给了我20000元`
- `2021年4月9日她通过微信转账了16000元给我`

---

## 2. 个人信息

**问题**：顾长风的个人信息有哪些？

**答案**：
顾长风，汉族
身份证号码110101198103070012

**位置**：第1页
**证据原文**：`LONG`

---

## 3. 银行流水

**问题**：银行流水能证明什么？

**答案**：
1. 转账一次

**位置**：无
**证据原文**：无
""".replace("LONG", LONG)

GAPS = """# 冲突缺口型题目

---

## 1. 用途

**问题**：36000元具体用于何处？

**答案**：材料未显示具体细节

**位置**：第2页，12-13行
**证据原文**：`具体请了谁我都忘记了`
**说明**：只说请客送礼

---

## 2. 证人

**问题**：在场的证人是谁？

**答案**：材料未显示

**位置**：无
**证据原文**：无

---

## 验证说明

1. **不应产生幻觉**：系统应当回答“材料未显示”
"""


@pytest.fixture
def bank(tmp_path):
    """A bank in three Markdown files, with its record beside it."""
    folder = tmp_path / "bank"
    folder.mkdir()
    for name, text in (("01-事实型题目", FACTS), ("02-证据集合型题目", SETS), ("03-冲突缺口型题目", GAPS)):
        (folder / f"{name}.md").write_text(text, "utf-8")
    example = "```markdown\n## 1. 标题\n\n**问题**：问题？\n\n**答案**：答案\n```\n"
    (folder / "README.md").write_text(f"# 题库（虚构）\n\n{example}", "utf-8")
    (folder / "原始数据").mkdir()
    (folder / "原始数据" / "record.md").write_text(PAGES, "utf-8")
    return folder


def new(tmp_path, *words, code=0):
    done = commands.run("new", "case", *words, cwd=tmp_path)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout if code == 0 else done.stderr


def questions(tmp_path):
    """The questions of the benchmark by id, each with its type, after all checks of the benchmark."""
    checked = commands.run("validate", "case", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout
    found = load_benchmark(tmp_path / "case")
    for question in found.questions:
        document = found.documents[question.about.document]
        verdict = judge(question, question.gold_record(document), document)
        assert (verdict.score, verdict.invented) == (1.0, ()), question.about.id
    paths = sorted((tmp_path / "case" / "questions").glob("*.json"))
    contents = [json.loads(path.read_text("utf-8")) for path in paths]
    return {
        fields["id"]: fields | {"type": content["benchmark_type"]}
        for content in contents
        for fields in content["questions"]
    }


def test_a_bank_in_markdown(tmp_path, bank):
    shown = new(tmp_path, "--from", "bank")
    found = questions(tmp_path)
    assert {name: fields["type"] for name, fields in found.items()} == {
        **dict.fromkeys([f"fact_exact_{number:03}" for number in range(1, 7)], "fact_exact"),
        **dict.fromkeys(["evidence_set_001", "evidence_set_002"], "evidence_set"),
        **dict.fromkeys(["conflict_gap_007", "conflict_gap_001", "conflict_gap_002"], "conflict_gap"),
    }
    assert [found[f"fact_exact_{number:03}"]["expected"] for number in range(1, 7)] == [
        {"amount_total": 36000},
        {"date": "1981-03-07"},
        {"count": 3},
        {"boolean_answer": False, "text_answer": "否"},
        {"entity": "杜若兰"},
        {"text_answer": "2021年4月2日，20000元"},
    ]
    assert found["fact_exact_001"]["required_evidence"] == [
        {"page": 2, "must_include": "我一共收取了杜若兰的 36000 元"}
    ]
    assert [place["page"] for place in found["fact_exact_002"]["required_evidence"]] == [1, 1]
    assert found["evidence_set_001"]["expected"]["key_points"] == [
        "现金：20000元\n   - 2021年4月2日",
        "微信转账：16000元",
    ]
    gap = found["conflict_gap_001"]
    assert (gap["should_abstain"], gap["evidence_location"], gap["required_quote"], gap["metadata"]) == (
        *(True, {"page": 2}, "具体请了谁我都忘记了", {"notes": "只说请客送礼"}),
    )
    assert "required_quote" not in found["conflict_gap_002"]
    facts, sets = "bank/01-事实型题目.md", "bank/02-证据集合型题目.md"
    assert shown.split("\n\n")[1].splitlines() == [
        f"{facts}:{FACTS.splitlines().index('## 6. 现金时间和金额') + 1}: {AS_TEXT}",
        f"{sets}:21: not in record.md, or too long to be cited: '被讯问人：顾长风，男，汉族，1981年03月07日出生'",
        f"{sets}:34: left out: no passage of it stands in the document, and an evidence set asks for passages",
        "questions/record_fact_exact.json: 6 questions",
        "questions/record_conflict_gap.json: 3 questions",
        "questions/record_evidence_set.json: 2 questions",
    ]


def test_words_that_the_author_left_out_part_a_passage(tmp_path, bank):
    new(tmp_path, "--from", "bank")
    places = questions(tmp_path)["evidence_set_002"]["required_evidence"]
    assert [place["must_include"] for place in places] == ["联系方式 13900000017"]


COLUMNS = ("编号", "题型", "问题", "答案", "证据原文", "页码", "出题人")
ROWS = [
    ("a1", "事实型", "顾长风总共收取了多少钱？", 36000, "我一共收取了杜若兰的 36000 元", 2, "甲"),
    (
        "a2",
        None,
        "顾长风通过哪些方式收款？",
        "1. 现金\n2. 微信",
        "现金方式给了我20000元\n微信转账了16000元给我",
        2,
        "甲",
    ),
    ("a3", None, "在场的证人是谁？", "材料未显示", None, None, "甲"),
    (None, None, None, "没有问题", None, None, "甲"),
]
EXPECTED = {"a1": "fact_exact", "a2": "evidence_set", "a3": "conflict_gap"}


def write_workbook(path, sheets):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)


def write_rows(path, kind):
    if kind == "xlsx":
        return write_workbook(path, {"题库": [COLUMNS, *ROWS]})
    if kind == "csv":
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            return csv.writer(file).writerows([COLUMNS, *ROWS])
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in ROWS]
    rows[1]["答案"], rows[1]["证据原文"] = (str(value).split("\n") for value in ROWS[1][3:5])
    return path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


@pytest.mark.parametrize("kind", ["xlsx", "csv", "jsonl"])
def test_a_bank_as_a_table(tmp_path, kind):
    (tmp_path / "文档").mkdir()
    (tmp_path / "文档" / "record.txt").write_text(PAGES, "utf-8")
    write_rows(tmp_path / f"bank.{kind}", kind)
    shown = new(tmp_path, "--from", f"bank.{kind}", "--documents", "文档")
    found = questions(tmp_path)
    assert {name: fields["type"] for name, fields in found.items()} == EXPECTED
    assert found["a1"]["expected"] == {"amount_total": 36000}
    assert [place["page"] for place in found["a2"]["required_evidence"]] == [2, 2]
    assert found["a2"]["expected"]["key_points"][1].endswith("微信")
    assert shown.count("'出题人' is no known heading and is not read; ") == 1
    assert shown.count(INCOMPLETE) == 1
    assert (shown.count(": 1 question\n"), shown.count("written as text")) == (3, 0)


def test_a_sheet_names_the_type_of_its_questions(tmp_path):
    columns = ("question", "answer", "evidence")
    fact = ("How much did Ada Moss pay?", "Ada Moss paid it.", "Ada Moss paid 300 pounds")
    sets = ("What did Ada Moss pay?", "300 pounds", "Ada Moss paid 300 pounds")
    write_workbook(tmp_path / "bank.xlsx", {"facts": [columns, fact], "evidence": [columns, sets], "empty": []})
    (tmp_path / "record.md").write_text("Ada Moss paid 300 pounds in May (invented).\n", "utf-8")
    shown = new(tmp_path, "--from", "bank.xlsx")
    assert {fields["type"] for fields in questions(tmp_path).values()} == {"fact_exact", "evidence_set"}
    assert "bank.xlsx#facts:2: written as text" in shown


def test_two_cases_in_folders_of_their_own(tmp_path, bank):
    """Each with its record, of the same name; questions without a passage are about the record of their folder."""
    for name in ("甲案", "乙案"):
        folder = tmp_path / "all" / name
        folder.parent.mkdir(exist_ok=True)
        shutil.copytree(bank, folder)
    second = tmp_path / "all" / "乙案" / "原始数据" / "record.md"
    second.write_text(PAGES.replace("第2页 共3页 ===", "第2页 共3页 ===\n另案（虚构）。"), "utf-8")
    new(tmp_path, "--from", "all")
    found = questions(tmp_path)
    assert len(found) == 22
    about = {question.about.id: question.about.document for question in load_benchmark(tmp_path / "case").questions}
    assert about["conflict_gap_002"] != about["conflict_gap_002-2"]


# ----- wrong inputs


def write_bank(tmp_path, text, document="杜若兰付了300元（虚构）。\n"):
    (tmp_path / "bank.md").write_text(text, "utf-8")
    if document:
        (tmp_path / "record.md").write_text(document, "utf-8")


GOOD = "## 1. 付款\n\n**问题**：谁付了钱？\n\n**答案**：杜若兰\n\n**证据原文**：`杜若兰付了300元`\n"


def test_one_odd_section_does_not_refuse_a_bank(tmp_path):
    odd = "\n---\n\n## 2. 金额\n\n**问体**：付了多少？\n\n---\n\n## 3. 金额\n\n"
    odd += "**问题**：付了多少钱？\n\n**答按**：300元\n"
    write_bank(tmp_path, GOOD + odd)
    lines = new(tmp_path, "--from", "bank.md").split("\n\n")[1].splitlines()
    assert [line.partition("编号")[0] for line in lines] == [
        f"bank.md:11: {UNKNOWN.format('问体')}",
        f"bank.md:17: {UNKNOWN.format('答按')}",
        f"bank.md:17: {INCOMPLETE}",
        "questions/record_fact_exact.json: 1 question",
    ]
    assert questions(tmp_path)["fact_exact_001"]["expected"] == {"entity": "杜若兰"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--from", "absent.md"), "absent.md: no such file"),
        (("--from", "record.docx"), "record.docx: no question is found"),
        (("--from", "record.md"), "record.md: no question is found"),
        (("--from", "bad.xlsx"), "bad.xlsx: this is not an .xlsx file that can be read"),
        (("--from", "bank.md", "--documents", "empty"), "empty: there is no document for these questions"),
        (("--from", "bank.md", "--documents", "absent"), "absent: there is no such folder"),
        (("--from", "empty"), "empty: no question is found"),
        (("--documents", "empty"), "--documents needs --from"),
    ],
)
def test_what_is_no_bank_is_refused_and_nothing_is_written(tmp_path, words, message):
    write_bank(tmp_path, GOOD)
    (tmp_path / "empty").mkdir()
    for name in ("record.docx", "bad.xlsx"):
        (tmp_path / name).write_text("no archive", "utf-8")
    assert message in new(tmp_path, *words, code=2)
    assert not (tmp_path / "case").exists()


def test_a_bank_of_which_nothing_can_be_written_is_refused_with_the_reasons(tmp_path):
    write_bank(tmp_path, "## 1. 付款\n\n**问题**：谁付了钱？\n")
    assert f"bank.md:1: {INCOMPLETE}" in new(tmp_path, "--from", "bank.md", code=2)
    assert not (tmp_path / "case").exists()


def test_a_folder_with_content_is_refused(tmp_path):
    write_bank(tmp_path, GOOD)
    (tmp_path / "case").mkdir()
    (tmp_path / "case" / "mine.txt").write_text("x", "utf-8")
    assert "the folder is not empty" in new(tmp_path, "--from", "bank.md", code=2)


def test_a_document_that_cannot_be_read_is_named(tmp_path):
    write_bank(tmp_path, GOOD)
    (tmp_path / "blocks.json").write_text('{"x": 1}', "utf-8")
    assert "blocks.json: this JSON is no document of a known form\n" in new(tmp_path, "--from", "bank.md")


def test_without_its_package_xlsx_is_refused_with_the_install_line(tmp_path, monkeypatch):
    (tmp_path / "bank.xlsx").write_text("", "utf-8")
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    assert "steelyard[xlsx]" in new(tmp_path, "--from", "bank.xlsx", code=2)


# ----- types and values


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("酒精浓度是多少？", "202mg/100ml", {"text_answer": "202mg/100ml"}),
        (
            "借款期限是什么时候？",
            "2021年4月2日至2021年5月2日",
            {"date_range": {"start": "2021-04-02", "end": "2021-05-02"}},
        ),
        ("案发时间是什么时候？", "2021年4月2日00时", {"text_answer": "2021年4月2日00时"}),
        ("一共付了多少钱？", "4.5万元", {"amount_total": 45000}),
        ("一共付了多少钱？", "共计人民币36000.5元。", {"amount_total": 36000.5}),
        ("他是否认识付款人？", "是，二人是同学", {"boolean_answer": True, "text_answer": "是，二人是同学"}),
        ("讯问人是谁？", "杜若兰、顾长风", {"entity": "杜若兰、顾长风"}),
        ("在哪里付的钱？", "青石县长街12号", {"entity": "青石县长街12号"}),
        ("他是否有前科？", "无", {"boolean_answer": False, "text_answer": "无"}),
        ("联系电话是多少？", "13900000017", {"text_answer": "13900000017"}),
    ],
)
def test_values_are_typed_where_they_are_sure(tmp_path, question, answer, expected):
    write_bank(tmp_path, f"## 1. 题\n\n**问题**：{question}\n\n**答案**：{answer}\n")
    shown = new(tmp_path, "--from", "bank.md")
    assert questions(tmp_path)["fact_exact_001"]["expected"] == expected
    assert ("written as text" in shown) == (expected.keys() == {"text_answer"})


@pytest.mark.parametrize(
    "answer",
    [
        "材料未显示",
        "材料未显示具体细节",
        "不详",
        "不明确，他只说“忘记了”",
        "未提及",
        "无法确定",
        "Not stated in the record",
    ],
)
def test_an_answer_that_there_is_none_is_a_gap(tmp_path, answer):
    write_bank(tmp_path, f"## 1. 题\n\n**问题**：谁是证人？\n\n**答案**：{answer}\n")
    new(tmp_path, "--from", "bank.md")
    assert questions(tmp_path)["conflict_gap_001"]["should_abstain"] is True


def test_an_answer_among_gaps_is_a_control(tmp_path):
    write_bank(tmp_path, "")
    (tmp_path / "bank.md").rename(tmp_path / "03-冲突缺口型题目.md").write_text(GOOD, "utf-8")
    shown = new(tmp_path, "--from", "03-冲突缺口型题目.md")
    gap = questions(tmp_path)["conflict_gap_001"]
    assert (gap["should_abstain"], gap["expected"]) == (False, {"entity": "杜若兰"})
    assert "written as a control" in shown


def test_of_several_pages_the_named_one_is_taken(tmp_path):
    pages = "".join(f"=== 第{page}页 共3页 ===\n杜若兰付了300元（虚构）。\n" for page in (1, 2, 3))
    write_bank(tmp_path, GOOD + "\n**位置**：`@@2\t1\t2\t3\t4##`\n", pages)
    new(tmp_path, "--from", "bank.md")
    assert questions(tmp_path)["fact_exact_001"]["required_evidence"][0]["page"] == 2


def test_a_workbook_is_no_larger_than_the_limit(tmp_path, monkeypatch):
    write_workbook(tmp_path / "bank.xlsx", {"a": [("question", "answer")]})
    monkeypatch.setattr(limits.FILE_BYTES, "value", 1000)
    assert "STEELYARD_FILE_BYTES" in new(tmp_path, "--from", "bank.xlsx", code=2)


def test_without_pages_the_named_page_stays(tmp_path):
    write_bank(tmp_path, GOOD + "\n**位置**：第3页，12-13行\n")
    new(tmp_path, "--from", "bank.md")
    assert questions(tmp_path)["fact_exact_001"]["required_evidence"] == [
        {"page": 3, "must_include": "杜若兰付了300元"}
    ]


def test_another_bank_beside_it_is_no_document(tmp_path, bank):
    new(tmp_path, "--from", "bank/03-冲突缺口型题目.md")
    assert {question.about.document for question in load_benchmark(tmp_path / "case").questions} == {"record.md"}


def test_files_of_chinese_windows_are_read(tmp_path):
    write_bank(tmp_path, "")
    (tmp_path / "bank.md").write_bytes(GOOD.replace("\n", "\r\n").encode("gb18030"))
    (tmp_path / "record.md").write_bytes("杜若兰付了300元，他说的是在长街的店里（虚构）。\r\n".encode("gb18030"))
    new(tmp_path, "--from", "bank.md")
    assert questions(tmp_path)["fact_exact_001"]["expected"] == {"entity": "杜若兰"}


@pytest.mark.parametrize("ending", [".json", "_content_list.json"])
def test_the_ocr_file_beside_a_document_is_copied_and_gives_it_pages(tmp_path, ending):
    texts = ["杜若兰是会计（虚构）。", "杜若兰付了300元，他说的是在长街的店里。"]
    write_bank(tmp_path, GOOD, "\n\n".join(texts))
    blocks = [{"type": "text", "page_idx": page, "text": text} for page, text in enumerate(texts)]
    (tmp_path / f"record{ending}").write_text(json.dumps(blocks, ensure_ascii=False), "utf-8")
    new(tmp_path, "--from", "bank.md")
    assert questions(tmp_path)["fact_exact_001"]["required_evidence"][0]["page"] == 2
    (document,) = load_benchmark(tmp_path / "case").documents.values()
    assert (document.name, document.is_paged) == ("record.md", True)
    assert {path.name for path in (tmp_path / "case" / "documents").iterdir()} == {"record.md", f"record{ending}"}
