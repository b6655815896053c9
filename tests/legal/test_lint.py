"""Lint finds what is wrong with questions beside their document, and says nothing of sound ones."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.documents.pages import read_document
from steelyard.errors import InputError
from steelyard.legal.benchmark.checks import lint
from steelyard.legal.benchmark.questions import (
    benchmark_folder,
    check_pages,
    find_document,
    read_benchmark,
    read_question_file,
)

TRANSCRIPT = """=== 第1页 共3页 ===
询问笔录（第1次）
被询问人：霍听澜　联系方式：13000000052
问：你是否收了邬远舟的装修款42000元？
答：收了，一共42000元，给了两次。
=== 第2页 共3页 ===
问：给了“阿铁”几次工钱？
答：前后给过两次，第二次给了多少我忘了。
问：还给过谁？
答：没有给过别人，前后给过两次而已。
=== 第3页 共3页 ===
问：到底几次？
答：应该是三次，刚才可能说少了。
被询问人签名：霍听澜
"""
CONTRACT = "第一条　租金每月54,000元。\n第二条　租赁期限为三年。\n"

FACT = {"id": "q", "type": "fact_exact", "question": "一共收了多少？", "expected": {"amount_total": 42000}}
GAP = {"id": "q", "type": "conflict_gap", "question": "第二次给了多少工钱？", "should_abstain": True}


def evidence(page, must_include, **more):
    return {
        **FACT,
        "expected": {"boolean_answer": True},
        "required_evidence": [{"page": page, "must_include": must_include, **more}],
    }


@pytest.fixture
def warnings(write):
    """What lint says of a question beside a document, without the file's name."""

    def warnings(question, document=TRANSCRIPT) -> list[str]:
        content = {"benchmark_type": "fact_exact", "document": "d.md", "questions": [question]}
        file = read_question_file(write("q.json", json.dumps(content, ensure_ascii=False)))
        found = lint(file, read_document(write("d.md", document)))
        assert all(problem.where == f"{file.path}:1" for problem in found)
        assert all(str(problem.message).startswith("/questions/0/") for problem in found)
        return [str(problem.message).removeprefix("/questions/0") for problem in found]

    return warnings


SOUND = {
    "an answer": evidence(1, "收了，一共42000元", section="qa_pair", speaker="answer"),
    "a question": evidence(1, "你是否收了邬远舟的装修款", section="qa_pair", speaker="question"),
    "a header": evidence(1, "联系方式：13000000052", section="header"),
    "another width and punctuation": evidence(1, "一共４２０００元 给了两次", speaker="answer"),
    "a question with its answer": evidence(3, "到底几次？\n答：应该是三次", section="qa_pair"),
    "a signature": evidence(3, "被询问人签名：霍听澜"),
    "a quotation": {**GAP, "required_quote": "第二次给了多少我忘了", "evidence_location": {"page": 2}},
    "a quotation with gaps": {**GAP, "required_quote": "前后给过两次...我忘了……应该是三次"},
    "another quotation": {**GAP, "required_quote": "应该是三次", "additional_quotes": ["刚才可能说少了"]},
    "a conflict": {
        **GAP,
        "conflicting_evidence": [
            {"page": 2, "must_include": "前后给过两次，第二次", "speaker": "answer"},
            {"page": 3, "must_include": "应该是三次", "section": "qa_pair"},
        ],
    },
    "an amount in other words": {**evidence(1, "收了，一共42000元"), "expected": {"amount_total": 42000.0}},
    "an alias in the evidence": {
        **evidence(3, "被询问人签名：霍听澜"),
        "expected": {"entity": "霍某"},
        "aliases": ["霍听澜"],
    },
    "an amount that follows from two passages": {
        **FACT,
        "required_evidence": [
            {"page": 1, "must_include": "收了，一共42000元"},
            {"page": 2, "must_include": "第二次给了多少我忘了"},
        ],
        "expected": {"amount_total": 21000},
    },
    "a control with its answer": {**GAP, "should_abstain": False, "expected": {"boolean_answer": True}},
    "a control with a quotation": {**GAP, "should_abstain": False, "required_quote": "应该是三次"},
    "a check of an amount": {**GAP, "scoring": {"hallucination_check": "must_not_provide_exact_amount"}},
    "a check of details": {**GAP, "scoring": {"hallucination_check": "must_not_invent_details"}},
    "a check of a conflict": {**GAP, "scoring": {"hallucination_check": "must_report_conflict"}},
    "another amount in the question": {**FACT, "question": "除了18000元，一共收了多少？"},
    "an ordinal in the question": {**FACT, "question": "第2次之后一共给了几次？", "expected": {"count": 2}},
    "another date in the question": {
        **FACT,
        "question": "2020年6月3日签的协议何时完工？",
        "expected": {"date": "2020-10-15"},
    },
}


@pytest.mark.parametrize("case", SOUND)
def test_nothing_is_said_of_sound_questions(warnings, case):
    assert warnings(SOUND[case]) == []


E1 = "/required_evidence/0"
OPEN = ": a control question without expected fields and without required_quote: any statement counts as an answer"
FAULTY = {
    "a page that is not there": (evidence(9, "一共42000元"), [E1 + "/page: it is not on page 9 but on page 1"]),
    "a page that is not there, with words that are nowhere": (
        evidence(9, "一共52000元"),
        [E1 + "/page: there is no page 9 in d.md"],
    ),
    "another page": (
        evidence(2, "一共42000元"),
        [E1 + "/page: it is not on page 2 but on page 1"],
    ),
    "no page": (
        evidence(2, "一共52000元"),
        [E1 + "/must_include: it is neither on page 2 nor on another page of d.md"],
    ),
    "a short passage": (
        evidence(1, "两次。"),
        [E1 + "/must_include: only 2 characters count in the comparison; fewer than 4 can match by chance"],
    ),
    "a passage of no characters": (
        evidence(1, "？？？？？"),
        [E1 + "/must_include: only 0 characters count in the comparison; fewer than 4 can match by chance"],
    ),
    "a passage that comes again": (
        evidence(2, "前后给过两次", speaker="answer"),
        [E1 + "/must_include: it occurs 2 times on page 2"],
    ),
    "the wrong speaker": (
        evidence(1, "你是否收了邬远舟的装修款", speaker="answer"),
        [E1 + "/speaker: it is in a question, not in an answer"],
    ),
    "a header that nobody says": (
        evidence(1, "13000000052", section="qa_pair", speaker="answer"),
        [
            E1 + "/speaker: it is in the header, not in an answer",
            E1 + "/section: it is in the header, not in a question or an answer",
        ],
    ),
    "an answer that is no header": (
        evidence(3, "应该是三次", section="header"),
        [E1 + "/section: it is in an answer, not in the header"],
    ),
    "a signature that nobody says": (
        evidence(3, "被询问人签名：霍听澜", speaker="answer"),
        [E1 + "/speaker: it is in a separate line, not in an answer"],
    ),
    "an answer with its question": (
        evidence(3, "到底几次？答：应该是三次", speaker="answer"),
        [E1 + "/speaker: it is in several units, not in an answer"],
    ),
    "a quotation that is not there": (
        {**GAP, "required_quote": "第三次给了多少...我忘了", "additional_quotes": ["我忘了", "我记得"]},
        [
            "/required_quote: '第三次给了多少' is not in d.md",
            "/additional_quotes/1: '我记得' is not in d.md",
        ],
    ),
    "a quotation in another order": (
        {**GAP, "required_quote": "应该是三次……前后给过两次"},
        ["/required_quote: its pieces are in another order in d.md"],
    ),
    "a quotation from another page": (
        {**GAP, "required_quote": "应该是三次", "evidence_location": {"page": 2}},
        ["/evidence_location/page: it is not on page 2 but on page 3"],
    ),
    "places that are not there": (
        {**GAP, "evidence_location": {"page": 7}, "additional_evidence": [{"page": 8}]},
        [
            "/evidence_location/page: there is no page 7 in d.md",
            "/additional_evidence/0/page: there is no page 8 in d.md",
        ],
    ),
    "a conflict that is not there": (
        {
            **GAP,
            "conflicting_evidence": [
                {"page": 3, "must_include": "应该是四次"},
                {"page": 3, "must_include": "应该是三次", "speaker": "question"},
            ],
        },
        [
            "/conflicting_evidence/0/must_include: it is neither on page 3 nor on another page of d.md",
            "/conflicting_evidence/1/speaker: it is in an answer, not in a question",
        ],
    ),
    "a check that nobody knows": (
        {**GAP, "scoring": {"hallucination_check": "must_not_speculate_reasons"}},
        [
            "/scoring/hallucination_check: 'must_not_speculate_reasons' is in free words: "
            "the general check is made instead (1 question)"
        ],
    ),
    "a control without an answer": (
        {**GAP, "should_abstain": False},
        ["/should_abstain" + OPEN],
    ),
    "a control that says so in its key, without an answer": (
        {**{key: GAP[key] for key in ("id", "type", "question")}, "expected": {"should_abstain": False}},
        ["/expected/should_abstain" + OPEN],
    ),
    "an amount that is told": (
        {**FACT, "question": "他是否收了四万二千元？"},
        ["/expected/amount_total: the question already contains it"],
    ),
    "an amount that is not in the evidence": (
        {**evidence(1, "收了，一共42000元"), "expected": {"amount_total": 24000}},
        ["/expected/amount_total: the expected value is not in the listed evidence"],
    ),
    "a name that is not in the evidence": (
        {**evidence(1, "收了，一共42000元"), "expected": {"entity": "邬远舟"}},
        ["/expected/entity: the expected value is not in the listed evidence"],
    ),
    "a date that is told": (
        {**FACT, "question": "2020年6月3日签的是什么？", "expected": {"date": "2020-06-03"}},
        ["/expected/date: the question already contains it"],
    ),
    "a count that is told": (
        {**FACT, "question": "他给了两次工钱，是几次？", "expected": {"count": 2}},
        ["/expected/count: the question already contains it"],
    ),
    "a name that is told": (
        {**FACT, "question": "霍听澜的全名是什么？", "expected": {"entity": "霍听澜", "text_answer": "霍听澜"}},
        [
            "/expected/entity: the question already contains it",
            "/expected/text_answer: the question already contains it",
        ],
    ),
}


@pytest.mark.parametrize("case", FAULTY)
def test_faulty_questions(warnings, case):
    question, messages = FAULTY[case]
    assert warnings(question) == messages


def test_a_document_of_lines_has_no_speakers(warnings):
    assert warnings(evidence(1, "租金每月54,000元", speaker="answer"), CONTRACT) == [
        E1 + "/speaker: it is in a separate line, not in an answer"
    ]
    assert warnings(evidence(1, "54,000元。\n第二条"), CONTRACT) == []


def test_a_question_that_needs_a_page_without_text_is_refused(write):
    """A scanned page of a PDF is read without text; a question whose words are on no other page cannot be judged."""
    places = {"evidence_location": {"page": 2}, "additional_evidence": [{"page": 1}]}
    questions = [evidence(1, "一共42000元"), {**GAP, "id": "g", **places}, {**evidence(2, "一共42000元"), "id": "e"}]
    content = {"benchmark_type": "fact_exact", "document": "d.json", "questions": questions}
    file = read_question_file(write("q.json", json.dumps(content, ensure_ascii=False)))
    pages = [{"page": 1, "text": "一共42000元"}, {"page": 2, "text": ""}]
    document = read_document(write("d.json", json.dumps({"pages": pages}, ensure_ascii=False)))
    with pytest.raises(InputError) as caught:
        check_pages(file, document)
    assert [str(problem.message) for problem in caught.value.problems] == [
        "/questions/1/evidence_location/page: page 2 has no text, and the question needs it",
    ]
    assert "OCR" in str(caught.value.hint)


def test_a_warning_has_the_line_of_its_value(write):
    content = {"benchmark_type": "fact_exact", "document": "d.md", "questions": [evidence(9, "一共42000元")]}
    text = json.dumps(content, ensure_ascii=False, indent=2)
    file = read_question_file(write("q.json", text))
    (problem,) = lint(file, read_document(write("d.md", TRANSCRIPT)))
    assert '"page": 9' in text.split("\n")[int(problem.where.rpartition(":")[2]) - 1]


def test_the_case_beside_the_project_is_sound(real):
    folder = real.parent / "legal_zh" / "case"
    for file in read_benchmark(folder):
        assert lint(file, read_document(find_document(file, folder))) == []


def test_the_bundled_benchmark_is_sound():
    folder = benchmark_folder()
    for file in read_benchmark(folder):
        assert lint(file, read_document(find_document(file, folder))) == []


@given(st.text(min_size=1).filter(str.strip), st.text(min_size=1).filter(str.strip), st.text())
def test_any_words_can_be_looked_for(tmp_path_factory, passage, quote, page):
    folder = tmp_path_factory.mktemp("lint")
    question = {**evidence(1, passage, speaker="answer"), "required_quote": quote, "question": passage}
    question["expected"] = {"entity": quote}
    content = {"benchmark_type": "fact_exact", "document": "d.json", "questions": [question]}
    (folder / "q.json").write_text(json.dumps(content), "utf-8")
    (folder / "d.json").write_text(json.dumps({"pages": [{"page": 1, "text": page + "甲"}]}), "utf-8")
    try:
        file = read_question_file(folder / "q.json")
    except InputError:  # a quotation of blanks, or of the question
        return
    lint(file, read_document(folder / "d.json"))
