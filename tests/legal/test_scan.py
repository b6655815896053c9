"""A record as OCR leaves it: the invented one of data/scan, in the layouts in which people keep such records."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commands import run

import steelyard
from steelyard.documents.pages import quoted_document, read_document
from steelyard.io.outputs import record_of
from steelyard.legal.benchmark.questions import load_benchmark, read_question_file
from steelyard.legal.evidence.citations import Citation, shortened
from steelyard.legal.question_types import question_of
from steelyard.legal.report.items import _find
from steelyard.legal.score import judge

SCAN = Path(__file__).parents[2] / "data" / "scan"
QUESTIONS = {
    raw.fields["question"]: raw.fields
    for path in sorted((SCAN / "questions").glob("*.json"))
    for raw in read_question_file(path).questions
}
FOUND_NEAR, MISSING, BESIDE = "beside the benchmark", "nowhere", "in documents"
LAYOUTS = (FOUND_NEAR, MISSING, BESIDE)


@pytest.fixture(params=LAYOUTS)
def folder(request, tmp_path):
    bench = tmp_path / "bench"
    shutil.copytree(SCAN / "questions", bench / "questions")
    target = {FOUND_NEAR: tmp_path / "samples", BESIDE: bench / "documents"}.get(request.param)
    if target is not None:
        target.mkdir()
        shutil.copy(SCAN / "documents" / "record.md", target)
    return bench


def places(fields):
    if "required_quote" in fields:
        return [{"page": fields["evidence_location"]["page"], "text": fields["required_quote"]}]
    return [{"page": each["page"], "text": each["must_include"]} for each in fields["required_evidence"]]


def in_prose(question):
    """What a perfect system says in sentences, with the places as the question files name them."""
    fields = QUESTIONS[question]
    expected, cited = fields.get("expected", {}), places(fields)
    if "required_quote" in fields:
        return {"answer": f"材料未显示该信息，笔录原话是“{fields['required_quote']}”", "citations": cited}
    said = [f"共计{expected['amount_total']}元"] if "amount_total" in expected else []
    said += [f"日期为{expected['date']}"] if "date" in expected else []
    said += [f"{part['description']}{part['amount']}元" for part in expected.get("amount_breakdown", ())]
    said += ["没有认罪"] if expected.get("boolean_answer") is False else [expected.get("text_answer", "")]
    said += [expected.get("entity", ""), *expected.get("key_points", ())]
    return {"answer": "根据笔录，" + "，".join(filter(None, said)) + "。", "citations": cited}


def in_fields(question):
    """The same in the typed fields of the seed's own runner: one citation, the rest as evidence, no sentence."""
    fields = QUESTIONS[question]
    expected, cited = fields.get("expected", {}), places(fields)
    names = {
        "amount_total": "amount",
        "date": "date",
        "boolean_answer": "boolean",
        "text_answer": "text",
        "entity": "text",
    }
    typed = {name: expected[key] for key, name in names.items() if key in expected}
    parts = {"amount_breakdown": expected["amount_breakdown"]} if "amount_breakdown" in expected else {}
    refusal = {"abstained": True, "answer": fields["required_quote"]} if "required_quote" in fields else {}
    return {**typed, **parts, **refusal, "citation": cited[0], "evidence": cited}


@pytest.mark.parametrize("system", [in_prose, in_fields])
def test_a_perfect_system_has_everything(folder, system):
    table = steelyard.evaluate_legal(system, folder)
    lost = {item: table.notes(row)["legal"] for row, item in enumerate(table.ids) if table.column("legal")[row] < 1}
    assert lost == {}


@pytest.mark.parametrize(
    "invention",
    [
        "是他姐姐的车。",
        "因为她当时很生气。",
        "电话是13812340000。",
        "店名叫晚枫小吃店。",
        "是2022年12月8日去的。",
        "真名叫蒲大海。",
    ],
)
def test_what_is_invented_for_a_gap_earns_nothing(folder, invention):
    table = steelyard.evaluate_legal(lambda question: {"answer": invention}, folder, types="conflict_gap")
    assert table.column("legal").tolist() == [0.0] * len(table)


def test_a_citation_by_page_alone_earns_nothing_where_there_are_no_pages(tmp_path):
    (tmp_path / "alone" / "record").mkdir(parents=True)  # deeper than where other tests look for theirs
    record = read_document(shutil.copy(SCAN / "documents" / "record.md", tmp_path / "alone" / "record"))
    fields = QUESTIONS["瞿晚枫一共给了桑以宁多少钱？"]
    assert not record.is_paged
    verdict = judge(question_of(fields), {"answer": "36000元。", "citations": [{"page": 2}]}, record)
    assert verdict.score == 0.7
    assert "cites no words" in verdict.reason


def test_what_is_said_once_of_a_run(folder):
    counts = steelyard.evaluate_legal(in_prose, folder).counts
    missing = not list(folder.parent.rglob("record.md"))
    assert counts == {"counts.documents_missing" if missing else "counts.pages_not_checked": 1}


def test_a_missing_document_marks_what_it_concerns(tmp_path):
    shutil.copytree(SCAN / "questions", tmp_path / "bench" / "questions")
    benchmark = load_benchmark(tmp_path / "bench")
    verdict = judge(benchmark.by_id["conflict_gap_002"], {"answer": "材料未显示。"}, benchmark.documents["record.md"])
    assert verdict.reasons["no_hallucination"].endswith("inventions were not looked for")
    assert verdict.parts["no_hallucination"] == 1.0


def test_two_documents_of_one_name_are_an_error_that_names_both(tmp_path):
    bench = tmp_path / "bench"
    shutil.copytree(SCAN / "questions", bench / "questions")
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "record.md").write_text(name, encoding="utf-8")
    with pytest.raises(steelyard.InputError) as caught:
        load_benchmark(bench)
    assert f"{tmp_path / 'a' / 'record.md'} and {tmp_path / 'b' / 'record.md'}" in str(caught.value)
    (tmp_path / "b" / "record.md").write_text("a", encoding="utf-8")
    assert load_benchmark(bench).documents["record.md"].text == "a"


# ----- pages


@pytest.fixture
def paged(tmp_path):
    """The benchmark with the record as pages, which begin and end where those of the scan do."""
    bench = tmp_path / "bench"
    shutil.copytree(SCAN / "questions", bench / "questions")
    blocks = [
        page["prunedResult"]["parsing_res_list"]
        for page in json.loads((SCAN / "documents/record.json").read_text("utf-8"))
    ]
    texts = ["\n\n".join(each["block_content"] for each in page if each["block_label"] == "text") for page in blocks]
    pages = [{"page": number, "text": text} for number, text in enumerate(texts, 1)]
    (bench / "record.json").write_text(json.dumps({"pages": pages}, ensure_ascii=False), encoding="utf-8")
    for path in (bench / "questions").glob("*.json"):
        path.write_text(path.read_text("utf-8").replace("record.md", "record.json"), encoding="utf-8")
    return bench


def test_words_count_where_they_stand_and_where_the_question_says(paged):
    benchmark = load_benchmark(paged)
    document, question = benchmark.documents["record.json"], benchmark.by_id["fact_001"]
    words = "36000元都是办理入园名额的钱"

    def cited(page, text=words):
        return judge(question, {"answer": "36000元。", "citations": [{"page": page, "text": text}]}, document)

    assert [cited(page).score for page in (1, 2, 3)] == [1.0, 1.0, 0.7]  # the question says 1, they stand on 2
    assert "the passage is on page 2" in cited(3).reason
    assert cited(2, "36000元都是办理入园名额的钱款").flags  # not the words of the document
    assert benchmark.corrected == 20


def test_a_passage_over_the_end_of_a_page_stands_on_both(paged):
    benchmark = load_benchmark(paged)
    fields = {
        **QUESTIONS["桑以宁是哪年哪月哪日到派出所的？"],
        "expected": {"date": "2022-08-29"},
        "question": "哪一天告诉瞿晚枫办不成的？",
    }
    fields["required_evidence"] = [{"page": 3, "must_include": "告诉我名额没有了，我当天就告诉瞿晚枫办不成了"}]
    document = benchmark.documents["record.json"]
    for page, score in ((2, 1.0), (3, 1.0), (4, 0.7)):
        cited = {"page": page, "text": "“老蒲”告诉我名额没有了，我当天就告诉瞿晚枫办不成了，并且答应退钱。"}
        verdict = judge(question_of(fields), {"answer": "2022年8月29日。", "citations": [cited]}, document)
        assert verdict.score == pytest.approx(score), page


def test_fix_writes_the_right_pages_and_nothing_else(paged):
    files = {path: path.read_bytes() for path in sorted((paged / "questions").glob("*.json"))}
    warned = run("validate", str(paged))
    assert warned.stdout.count("but on page") == 20
    shown = run("validate", str(paged), "--fix", "--dry-run")
    assert shown.stdout.count('\n+          "page": ') + shown.stdout.count('\n+        "page": ') == 20
    assert {path: path.read_bytes() for path in files} == files
    run("validate", str(paged), "--fix")
    assert load_benchmark(paged).corrected == 0
    assert "but on" not in run("validate", str(paged)).stdout

    def without_places(content):
        return re.sub(rb'"page": \d+|"lines": "[-0-9]+"', b"", content)

    rest = {path: without_places(content) for path, content in files.items()}
    assert {path: without_places(path.read_bytes()) for path in files} == rest


def lines_in(folder):
    content = json.loads((folder / "questions/conflict_gap.json").read_text("utf-8"))
    return [question["evidence_location"]["lines"] for question in content["questions"]]


RIGHT_LINES = ["45-47", "55", "55", "85", "89", "77", "81"]
"""The lines of record.md with the required quotations, as `grep -n` finds them."""


@pytest.mark.parametrize("name", ["record.md", "record.json"])
def test_fix_writes_the_lines_of_the_text_file(tmp_path, name):
    shutil.copytree(SCAN, tmp_path / "scan")
    if name == "record.md":  # without pages
        (tmp_path / "scan/documents/record.json").unlink()
    warned = run("validate", str(tmp_path / "scan")).stdout
    for number, lines in enumerate(RIGHT_LINES):
        assert f"/{number}/evidence_location/lines: it is not on line 1-2 but on line {lines}\n" in warned
    run("validate", str(tmp_path / "scan"), "--fix", "--dry-run")
    assert lines_in(tmp_path / "scan") == ["1-2"] * 7
    run("validate", str(tmp_path / "scan"), "--fix")
    assert lines_in(tmp_path / "scan") == RIGHT_LINES
    assert "but on" not in run("validate", str(tmp_path / "scan")).stdout


@pytest.fixture
def fixed_place(write):
    """Fix the place of one quotation in a record, whose lines are numbered at the left on each page."""

    def fixed_place(page, lines, quote):
        pages = [["问：付了没有？", "答：付了。", "问：付给谁？", "答：不记得了。", "问：还有吗？"]] * 2
        pages[1] = [*pages[1][:3], "答：不记得了，", "对，不记得了。"]
        texts = ["\n".join(f"{at} {line}" for at, line in enumerate(each, 1)) for each in pages]
        write("d.md", "".join(f"第{number}页 共2页\n{text}\n" for number, text in enumerate(texts, 1)))
        place = {"page": page, "lines": lines}
        question = {"id": "q", "question": "付给谁？", "should_abstain": True}
        question |= {"required_quote": quote, "evidence_location": place}
        content = {"benchmark_type": "conflict_gap", "document": "d.md", "questions": [question]}
        path = write("q.json", json.dumps(content, ensure_ascii=False))
        shown = run("validate", str(path), "--fix").stdout
        return json.loads(Path(path).read_text("utf-8"))["questions"][0]["evidence_location"], shown

    return fixed_place


@pytest.mark.parametrize(
    ("page", "lines", "quote", "right"),
    [
        (1, "2", "答：付了", {"page": 1, "lines": "2"}),
        (2, "5", "答：付了", {"page": 2, "lines": "2"}),
        (2, "1，4-9", "问：付给谁", {"page": 2, "lines": "3"}),
        (2, "1,2-3", "问：付给谁", {"page": 2, "lines": "1,2-3"}),
        (2, "1", "还有吗", {"page": 1, "lines": "5"}),
        (2, "1", "不记得了，对", {"page": 2, "lines": "4-5"}),
    ],
)
def test_lines_are_the_printed_numbers_on_the_right_page(fixed_place, page, lines, quote, right):
    assert fixed_place(page, lines.replace("，", ","), quote)[0] == right


def test_words_on_several_lines_are_left_and_named(fixed_place):
    place, shown = fixed_place(2, "1", "不记得了")
    assert place == {"page": 2, "lines": "1"}
    assert "/evidence_location/lines: it is not on line 1 but on line 4, 5\n" in shown
    place, shown = fixed_place(2, "5", "不记得了")
    assert "but on line" not in shown


def test_what_stands_on_several_pages_is_left_and_named(write):
    pages = "".join(
        f"=== 第{number}页 共4页 ===\n{text}\n" for number, text in enumerate(["甲", "款项已付", "乙", "款项已付"], 1)
    )
    write("d.md", pages)
    question = {"id": "q", "question": "付了没有？", "expected": {"boolean_answer": True}}
    place = {"page": 1, "must_include": "款项已付"}
    content = {
        "benchmark_type": "fact_exact",
        "document": "d.md",
        "questions": [{**question, "required_evidence": [place]}],
    }
    path = write("q.json", json.dumps(content, ensure_ascii=False))
    shown = run("validate", str(path), "--fix")
    assert "it is not on page 1 but on page 2, 4" in shown.stdout
    assert json.loads(Path(path).read_text("utf-8")) == content


def test_dry_run_is_of_fix():
    assert run("validate", str(SCAN), "--dry-run").stderr.startswith("--dry-run shows what --fix would write")


# ----- refusals beside the words of the record


def gap(question, quote, answer):
    fields = {"id": "g", "type": "conflict_gap", "question": question, "should_abstain": True, "required_quote": quote}
    record = quoted_document("d.md", [f"问：{question}\n答：{quote}"])
    return judge(question_of(fields), {"answer": answer}, replace(record, is_missing=False))


@pytest.mark.parametrize(
    "answer",
    ["号码记不得了。”她的号码为18200000321。", "号码记不得了”，她的电话号码是18200000321。"],
)
def test_a_value_beside_a_quoted_refusal_is_no_refusal(answer):
    verdict = gap("她的电话号码是多少？", "号码记不得了", f"他说“{answer}")
    assert (verdict.parts["correct_abstention"], verdict.parts["no_hallucination"]) == (0.0, 0.0)
    assert verdict.parts["uncertain"] == 1.0


def test_a_guess_in_a_quotation_is_the_records():
    answer = "店名和具体地址笔录都没有写，只说了一个大概的范围：“大概是甲县一家茶馆。”"
    assert gap("他们是在哪家茶馆见面的？请提供店名和具体地址。", "大概是甲县一家茶馆", answer).score == 1.0


# ----- chunks of products


def test_a_cited_chunk_counts_on_the_pages_that_it_touches(paged):
    document = load_benchmark(paged).documents["record.json"]
    text = document.text
    at = text.index("告诉我名额没有了") - 60
    chunk = text[at : at + 140]
    fields: Any = {
        "id": "f",
        "type": "fact_exact",
        "question": "哪一天告诉瞿晚枫办不成的？",
        "expected": {"date": "2022-08-29"},
    }
    fields["required_evidence"] = [{"page": 3, "must_include": "我当天就告诉瞿晚枫办不成了"}]
    answer = "2022年8月29日[ID:0]。"
    for page in ({"page": 2}, {"page": [2, 3]}, {}):
        record = record_of({"answer": answer, "contexts": [{"id": "a", "text": chunk, **page}]})
        assert judge(question_of(fields), record, document).score == 1.0, page
    elsewhere = record_of({"answer": answer, "contexts": [{"id": "a", "text": chunk, "page": 4}]})
    assert judge(question_of(fields), elsewhere, document).score == 0.7


def test_a_chunk_that_is_cut_in_a_number_is_no_invention(paged):
    document = load_benchmark(paged).documents["record.json"]
    end = document.text.index("12000元") + 2
    cited = {"page": 3, "text": document.text[end - 80 : end]}
    fields = {**QUESTIONS["桑以宁实际退还了多少钱给瞿晚枫？"]}
    verdict = judge(question_of(fields), {"answer": "15000元。", "citations": [cited]}, document)
    assert verdict.flags == ()


def test_a_cited_chunk_may_be_longer_than_a_passage_that_a_system_selects(paged):
    document = load_benchmark(paged).documents["record.json"]
    at = document.text.index("2022年9月12日我退了她现金") - 300
    chunk = document.text[at : at + 500]
    question = question_of({**QUESTIONS["桑以宁实际退还了多少钱给瞿晚枫？"]})
    record = record_of({"answer": "一共15000元[ID:0]。", "contexts": [chunk, *["别的片段。"] * 3]})
    assert judge(question, record, document).score == 1.0
    own = {"answer": "一共15000元。", "citations": [{"page": 3, "text": chunk}]}
    assert judge(question, own, document).score == 0.7
    whole = [document.text[n : n + 1000] for n in range(0, len(document.text), 1000)]
    everything = {
        "answer": "一共15000元。" + "".join(f"[ID:{n}]" for n in range(20)),
        "contexts": ["无关" * 500] * 2 + whole,
    }
    assert judge(question, record_of(everything), document).parts["citation_correctness"] == 0.0


def test_a_reason_never_cuts_a_number():
    words = "2022年7月3日她在茶楼里给了我现金20000元，又给了16000元"
    assert shortened(words) == "2022年7月3日她在茶楼里给了我现金20000…"
    assert shortened("现金20000元") == "现金20000元"


@pytest.mark.parametrize("pages", [(2,), (3,), (2, 3), ()])
def test_a_passage_over_the_end_of_a_page_is_marked_on_both(paged, pages):
    document = load_benchmark(paged).documents["record.json"]
    spans = _find(Citation(pages, "“老蒲”告诉我名额没有了，我当天就告诉瞿晚枫办不成了"), document)
    assert [page for page, *_ in spans] == [2, 3]


@pytest.mark.parametrize(
    ("question", "quote", "answer"),
    [
        ("船主是谁？", "船是谁的，老周没有告诉我", "抱歉，我不确定，但船主是他的舅舅。"),
        ("“老六”的本名是什么？", "“老六”的本名：不详", "“老六”的本名：不详。他叫黄国强。"),
        ("老周的住址是什么？", "老周住哪里我不清楚", "他说“老周住哪里我不清楚”，老周的住址是甲县乙镇丙路6号。"),
    ],
)
def test_who_or_where_beside_a_refusal_is_no_refusal(question, quote, answer):
    verdict = gap(question, quote, answer)
    assert (verdict.parts["correct_abstention"], verdict.parts["no_hallucination"]) == (0.0, 0.0)
