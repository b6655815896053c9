"""The formulas, and that no trick earns what it should not."""

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.documents.pages import read_document
from steelyard.i18n import as_message
from steelyard.io.outputs import record_of
from steelyard.legal import FactVerdict, Stance, contains_quote, judge, judge_fact, question_of
from steelyard.legal.benchmark.questions import benchmark_folder, load_benchmark, read_question_file
from steelyard.legal.facts.statements import FieldVerdict

BUNDLED = load_benchmark(benchmark_folder())


@pytest.mark.parametrize("question", BUNDLED.questions, ids=lambda question: question.about.id)
def test_the_key_scores_one_and_silence_nought(question):
    document = BUNDLED.documents[question.about.document]
    assert judge(question, question.gold_record(document), document).score == 1.0
    assert judge(question, {}, document).score == 0.0
    assert judge(question, {"answer": "   ", "citations": [], "evidence": []}, document).score == 0.0


@pytest.mark.parametrize("mark", ["[ID:0]", "##0$$", "[67e517e74767063e882d6861](CITE)", "[1]", "【1】"])
def test_marks_are_no_words_of_an_answer_and_cite_contexts(mark):
    facts = (each for each in BUNDLED.questions if "amount_total" in getattr(each, "expected", ()))
    question = next(each for each in facts if len(each.evidence) == 1)
    document = BUNDLED.documents[question.about.document]
    (cited,) = question.gold_record(document)["citations"]
    contexts = [{**cited, "id": "67e517e74767063e882d6861"}, "其他"]
    answer = f"共{question.expected_output()['answer']['amount_total']}元"
    record = record_of({"answer": f"{answer}{mark}。", "contexts": contexts})
    assert judge(question, record, document).score == 1
    uncited = judge(question, record_of({"answer": answer, "contexts": contexts}), document)
    assert uncited.parts["citation_correctness"] == 0  # what was retrieved is not cited


def test_the_bundled_benchmark_is_as_large_as_promised():
    kinds = [question.about.type for question in BUNDLED.questions]
    assert (kinds.count("fact_exact"), kinds.count("evidence_set"), kinds.count("conflict_gap")) == (83, 22, 48)
    fields = {key for question in BUNDLED.questions for key in getattr(question, "expected", ())}
    assert fields >= {
        "amount_total", "amount_breakdown", "date", "date_range", "count", "text_answer", "boolean_answer", "entity"
    }  # fmt: skip
    assert {question.about.tags["difficulty"] for question in BUNDLED.questions} == {"easy", "medium", "hard"}
    assert all(len(document.pages) >= 5 for document in BUNDLED.documents.values())
    assert all("虚构" in document.text or "invented" in document.text for document in BUNDLED.documents.values())


def amended(question, stored):
    """What is stored was scored before who does not abstain where he must earned nothing for no_hallucination."""
    earns = (
        getattr(question, "should_abstain", False) and not stored["correct_abstention"] and stored["no_hallucination"]
    )
    return {**stored, "no_hallucination": False, "score": stored["score"] - 0.4} if earns else dict(stored)


@pytest.mark.parametrize("document_name", ["transcript.md", "pages.json"])
def test_the_stored_case(legal_lines, document_name):
    case = legal_lines / "case"
    document = read_document(case / document_name)
    stored = json.loads((case / "scores.json").read_text("utf-8"))
    compared = 0
    for path in sorted((case / "questions").glob("*.json")):
        file = read_question_file(path)
        for raw in file.questions:
            question = question_of(raw.fields, document=file.document, criteria=file.criteria)
            for system, found in stored.items():
                answers = json.loads((case / "outputs" / f"{system}.json").read_text("utf-8"))["answers"]
                record: dict[str, Any] = next((each for each in answers if each["id"] == question.about.id), {})
                expected = amended(question, found["scores"][question.about.id])
                verdict = judge(question, record, document)
                assert verdict.score == pytest.approx(expected.pop("score"), abs=1e-9)
                for part, value in expected.items():
                    assert verdict.parts.get(part, 0.0) == pytest.approx(float(value), abs=5e-5)  # stored to 4 digits
                compared += 1
    assert compared == 64


DOCUMENT = """=== 第1页 共2页 ===
问：你一共收了多少钱？
答：一共收了42000元，是2020年6月5日收的。
问：他的电话是多少？
答：号码我忘记了。
=== 第2页 共2页 ===
问：你去过几次？
答：去过两次。
问：到底几次？
答：应该是三次，刚才说错了。
"""


def small_document():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "d.md"
        path.write_text(DOCUMENT, encoding="utf-8")
        return read_document(path)


SMALL = small_document()


@pytest.fixture
def document(write):
    return read_document(write("d.md", DOCUMENT))


FIELDS_OF_FACT = {
    "id": "f",
    "type": "fact_exact",
    "question": "他一共收了多少钱？",
    "expected": {"amount_total": 42000},
    "required_evidence": [
        {"page": 1, "must_include": "一共收了42000元", "speaker": "answer", "section": "qa_pair", "is_critical": True}
    ],
    "scoring": {"citation_required": True},
}


def fact(**scoring):
    return question_of({**FIELDS_OF_FACT, "scoring": {"citation_required": True, **scoring}})


def evidence(**scoring):
    return question_of(
        {
            "id": "e",
            "type": "evidence_set",
            "question": "去过几次有哪些说法？",
            "expected": {"evidence_count_min": 2, "key_points": ["两次", "三次"]},
            "required_evidence": [
                {"page": 2, "must_include": "去过两次", "is_critical": True},
                {"page": 2, "must_include": "应该是三次", "is_critical": True},
            ],
            "scoring": {"evidence_recall_min": 1.0, "evidence_precision_min": 0.7, **scoring},
        }
    )


def gap(**fields):
    return question_of(
        {
            "id": "g",
            "type": "conflict_gap",
            "question": "他的电话是多少？",
            "should_abstain": True,
            "required_quote": "号码我忘记了",
            "scoring": {"hallucination_check": "must_not_provide_phone"},
            **fields,
        }
    )


def test_a_value_that_is_invented_and_forbidden_is_found_once(document):
    found = judge(gap(), {"answer": "他的电话是13800001234。"}, document).invented
    assert [(value.text, value.kind) for value in found] == [("13800001234", "forbidden phone")]


RIGHT = {"page": 1, "text": "答：一共收了42000元，是2020年6月5日收的。"}


@pytest.mark.parametrize(
    "answer", ["x", "苹果", "今天天气很好。", "42000元", "Paris", "I cannot help with that.", "Error: overloaded"]
)
@pytest.mark.parametrize("question", ["邰问樵是否表示认罪认罚？", "Did he sign the receipt?", "他愿意退款吗？"])
def test_whatever_is_said_is_not_yes(answer, question):
    for value in (True, False):
        assert not judge_fact({"boolean_answer": value}, answer, question=question).correct


def test_a_fact_with_its_citation(document):
    assert judge(fact(), {"answer": "42000元", "citations": [RIGHT]}, document).score == 1.0
    assert judge(fact(), {"answer": "42000元"}, document).score == pytest.approx(0.7)
    assert judge(fact(), {"answer": "24000元", "citations": [RIGHT]}, document).score == pytest.approx(0.3)
    assert judge(fact(citation_required=False), {"answer": "42000元"}, document).score == 1.0


def test_a_citation_may_have_any_value_as_its_section(document):
    for name in (1, True, 1.0, ["header"], {"a": 1}, "header", "1"):
        verdict = judge(fact(), {"answer": "42000元", "citations": [{**RIGHT, "section": name}]}, document)
        assert verdict.reasons["citation_correctness"].endswith(f"cited as in {name}")
    assert judge(fact(), {"answer": "42000元", "citations": [{**RIGHT, "section": None}]}, document).score == 1.0


@pytest.mark.parametrize(
    ("citation", "why"),
    [
        ({"page": 2, "text": RIGHT["text"]}, "cites page 2, the passage is on page 1"),
        ({"page": 2, "text": "去过两次"}, "does not cite page 1"),
        ({"page": 1, "text": "一共收了42000元现金"}, "the cited text is not on that page"),
        ({"page": 1, "text": "是2020年6月5日收的"}, "does not include '一共收了42000元'"),
        ({"page": 1, "text": RIGHT["text"], "speaker": "question"}, "cited as the question"),
        ({"page": 1, "text": RIGHT["text"], "section": "header"}, "cited as in header"),
        ({"page": "1-3", "text": RIGHT["text"]}, "cites no page, the passage is on page 1"),
        ({"page": True, "text": RIGHT["text"]}, "cites no page, the passage is on page 1"),
        (RIGHT["text"], "cites no page, the passage is on page 1"),
        ({**RIGHT, "document": "other.md"}, "cites another document, 'other.md'"),
        ({"page": 1, "text": ""}, "does not include '一共收了42000元'"),
    ],
)
def test_a_wrong_citation_earns_nothing(document, citation, why):
    verdict = judge(fact(), {"answer": "42000元", "citations": [citation]}, document)
    assert verdict.parts["citation_correctness"] == 0.0
    assert why in verdict.reasons["citation_correctness"]


def test_the_whole_document_earns_nothing(write):
    long = DOCUMENT.replace(
        "答：号码我忘记了。", "答：号码我忘记了。" + "".join(f"\n问：第{n}件事？\n答：没有印象{n}。" for n in range(99))
    )
    document = read_document(write("long.md", long))
    pages = [{"page": page.number, "text": page.text} for page in document.pages]
    record = {"answer": document.text, "citations": pages, "evidence": pages}
    assert judge(fact(), record, document).score == 0.0
    found = judge(evidence(), {"answer": document.text, "evidence": pages[:1]}, document)
    assert found.score == pytest.approx(0.2)  # a snippet that exists, and nothing else
    dumped = judge(gap(), {"answer": document.text}, document)
    assert (dumped.score, dumped.abstained) == (0.0, False)
    assert "copies_document: the answer is a copy of the document" in dumped.remarks
    assert judge(fact(), {"answer": "", "amount_total": 42000, "text_answer": document.text}, document).score == 0.0


def test_repeated_snippets_count_once(document):
    snippets = [{"page": 2, "text": "答：去过两次。"}] * 9 + [{"page": 2, "text": "答：应该是三次，刚才说错了。"}]
    verdict = judge(evidence(), {"evidence": snippets}, document)
    assert (verdict.parts["recall"], verdict.parts["precision"], verdict.score) == (1.0, 1.0, 1.0)
    padded = [*snippets, *({"page": 1, "text": text} for text in ("号码我忘记了", "你一共收了多少钱"))]
    assert judge(evidence(), {"evidence": padded}, document).parts["precision"] == 0.5


def test_a_refusal_is_judged_by_its_words_and_not_by_its_flag(document):
    refusing = {"answer": "材料未载明，他说“号码我忘记了”。"}
    assert judge(gap(), refusing, document).score == 1.0
    inventing = {"answer": "号码是13000000045。", "abstained": True}
    assert judge(gap(), inventing, document).score == 0.0
    then_answering = {"answer": "材料未载明，不过应该是13000000045，他说“号码我忘记了”。", "abstained": True}
    assert judge(gap(), then_answering, document).score == pytest.approx(0.2)


def test_over_refusal_loses(document):
    answerable = gap(question="他一共收了多少钱？", should_abstain=False, required_quote="一共收了42000元", scoring={})
    assert judge(answerable, {"answer": "一共收了42000元。"}, document).score == 1.0
    assert judge(answerable, {"answer": "材料未载明。"}, document).score == pytest.approx(0.4)


def conflict(**fields):
    sides = [{"page": 2, "must_include": "去过两次"}, {"page": 2, "must_include": "应该是三次"}]
    return gap(
        question="他到底去过几次？",
        conflicting_evidence=sides,
        scoring={"hallucination_check": "must_report_conflict"},
        **fields,
    )


def test_a_conflict_must_be_surfaced_with_both_sides(document):
    question = conflict(required_quote=None)
    both = "前后矛盾，无法确定：一处说“去过两次”，另一处说“应该是三次”。"
    assert judge(question, {"answer": both}, document).score == 1.0
    one = judge(question, {"answer": "前后矛盾，无法确定，他说“去过两次”。"}, document)
    assert (one.parts["conflict_surfaced"], one.score) == (0.0, pytest.approx(0.8))
    cited = {
        "answer": "前后矛盾，无法确定。",
        "citations": [{"page": 2, "text": "答：去过两次。"}, {"page": 2, "text": "应该是三次"}],
    }
    assert judge(question, cited, document).score == 1.0
    assert judge(conflict(required_quote="去过两次"), {"answer": both}, document).parts["conflict_surfaced"] == 1.0
    other = judge(question, {**cited, "answer": "两处陈述存在冲突，无法确定。"}, document)
    assert other.parts["conflict_surfaced"] == 1.0


def test_a_quotation_stands_in_the_answer_or_in_a_citation(document):
    question = gap()
    cited = [{"page": 1, "text": "答：号码我忘记了。"}]
    assert judge(question, {"answer": "材料未载明。", "citations": cited}, document).parts["quote_included"] == 1.0
    invented = [{"page": 1, "text": "他说号码我忘记了，是吧"}]
    for answer, citations in (("材料未载明。", []), ("材料未载明。", invented), ("好的。", cited), ("", cited)):
        found = judge(question, {"answer": answer, "citations": citations}, document)
        assert found.parts["quote_included"] == 0.0, (answer, citations)


def test_without_a_quotation_the_rest_is_scaled(document):
    question = gap(required_quote=None)
    assert judge(question, {"answer": "材料未载明。"}, document).score == 1.0
    assert judge(question, {"answer": "是13000000045。"}, document).score == 0.0


def test_penalties_fail_a_question_and_leave_its_score(document):
    answer = {"answer": "材料未载明，他说“号码我忘记了”，他住在青岚省映山县。"}
    for level, penalised, passed in (("high", 0.2, 0.0), ("medium", 0.4, 0.0), ("low", 0.6, 0.0), (0.8, 0.2, 0.0)):
        verdict = judge(gap(hallucination_penalty=level), answer, document)
        assert (verdict.score, verdict.parts["passed"]) == (pytest.approx(0.6), passed)
        assert verdict.parts["penalised_score"] == pytest.approx(penalised)


def test_what_is_reported_beside_the_score(document):
    cited = judge(fact(), {"answer": "42000元，2020年6月5日收的", "citations": [RIGHT]}, document)
    assert cited.parts["value_cited"] == 1.0
    other = judge(fact(), {"answer": "42000元", "citations": [{"page": 2, "text": "去过两次"}]}, document)
    assert other.parts["value_cited"] == 0.0
    approximate = judge(fact(), {"answer": "大约42000元"}, document)
    assert (approximate.parts["exact_match"], approximate.remarks) == (1.0, ("approx_added",))
    assert judge(fact(approx_policy="strict"), {"answer": "大约42000元"}, document).parts["exact_match"] == 0.0
    sums = judge(fact(), {"answer": "现金30000元，转账13000元，共计42000元"}, document)
    assert sums.remarks == ("parts_do_not_add_up: 43000 is not 42000元",)
    invented = judge(fact(), {"answer": "42000元", "citations": [{"page": 1, "text": "从来没有说过的话"}]}, document)
    assert invented.remarks == ("invented_citation: 从来没有说过的话",)


@pytest.mark.parametrize(
    "answer", ["", "。", "……", "？！", "---", "“”", "👍", "他一共收了多少钱？", "他一共收了多少钱"]
)
def test_silence_earns_nothing_and_fields_speak(document, answer):
    said = {"answer": answer, "citations": [RIGHT]}
    assert judge(fact(), said, document).score == 0.0
    assert judge(fact(), {**said, "amount_total": 42000}, document).score == 1.0
    assert judge(gap(question="他一共收了多少钱？"), {"answer": answer}, document).score == 0.0
    assert judge(evidence(), {"answer": answer}, document).score == 0.0


def test_an_answer_that_is_too_long_is_not_read(document):
    limited = replace(fact(), about=replace(fact().about, longest=20))
    assert judge(limited, {"answer": "42000元", "citations": [RIGHT]}, document).score == 1.0
    long = judge(limited, {"answer": "42000元" + "。" * 20, "citations": [RIGHT], "amount_total": 42000}, document)
    assert (long.score, long.remarks) == (0.0, ("answer_too_long: more than 20 characters",))
    assert long.reasons == {"exact_match": "longer than 20 characters"}
    assert set(long.parts) >= {"exact_match", "citation_correctness", "passed", "uncertain"}
    for question in (fact(), evidence(), gap()):
        found = judge(question, {"answer": "号" * 100_001, "citations": [RIGHT], "evidence": [RIGHT]}, document)
        assert (found.score, found.remarks) == (0.0, ("answer_too_long: more than 100000 characters",))


def control(**fields):
    return gap(question="他一共收了多少钱？", should_abstain=False, required_quote=None, scoring={}, **fields)


@pytest.mark.parametrize(
    ("answer", "parts"),
    [
        ("42000元。", (1.0, 1.0)),
        ("一共收了42000元，是2020年6月5日收的。", (1.0, 1.0)),
        ("两次。", (0.0, 1.0)),  # a value of the document, and not the one that was asked for
        ("2020年6月5日。", (0.0, 1.0)),
        ("材料未载明。", (0.0, 1.0)),
        ("24000元。", (0.0, 0.0)),
        ("好的。", (0.0, 0.0)),
        ("这是一个好问题，我很乐意回答。", (0.0, 0.0)),
        ("他一共收了多少钱？", (0.0, 0.0)),
        ("关于他一共收了多少钱，材料中有说明。", (0.0, 0.0)),
    ],
)
def test_a_control_must_be_answered(document, answer, parts):
    found = judge(control(expected={"amount_total": 42000}), {"answer": answer}, document)
    assert (found.parts["correct_abstention"], found.parts["no_hallucination"]) == parts, found.reason


def test_a_control_without_a_key_is_answered_by_any_statement_of_the_document(document):
    assert judge(control(), {"answer": "是2020年6月5日收的。"}, document).score == 1.0
    assert judge(control(), {"answer": "好的。"}, document).score == 0.0
    typed = judge(control(expected={"amount_total": 42000}), {"answer": "", "amount_total": 42000}, document)
    assert typed.score == 1.0
    assert judge(control(expected={"amount_total": 42000}), {"answer": "", "amount_total": 1}, document).score == 0.0


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("请人吃饭了。", 1.0),
        ("用于请人吃饭。", 0.6),
        ("他说请人吃饭了。", 1.0),
        ("42000元用于请人吃饭。", 0.6),
        ("用于购买房屋。", 0.0),
        ("好的，我知道了。", 0.0),
        ("42000元做什么用了？", 0.0),
    ],
)
def test_a_short_true_statement_has_content(write, answer, score):
    """One that the document makes as a clause; the quotation counts in the citation beside it."""
    document = read_document(write("short.md", "第1页\n问：钱做什么用了？\n答：请人吃饭了，没有买房。\n"))
    question = gap(
        question="42000元做什么用了？", should_abstain=False, required_quote="请人吃饭了", evidence=[], scoring={}
    )
    record = {"answer": answer, "citations": [{"page": 1, "text": "请人吃饭了"}]}
    assert judge(question, record, document).score == pytest.approx(score)


def test_a_control_is_also_answered_by_its_quotation_but_not_by_a_hedge(document):
    question = gap(
        question="他去过几次？",
        should_abstain=False,
        required_quote="应该是三次，刚才说错了",
        expected={"count": 3},
        scoring={},
    )
    assert judge(question, {"answer": "他说“应该是三次，刚才说错了”。"}, document).score == 1.0
    hedged = judge(question, {"answer": "说不准，也许是“应该是三次，刚才说错了”。"}, document)
    assert hedged.parts["correct_abstention"] == 0.0


def test_the_budget_of_citations(document):
    others = [{"page": 2, "text": text} for text in ("去过两次", "应该是三次", "刚才说错了", "你去过几次", "到底几次")]
    late = {"answer": "42000元", "citations": [*others, RIGHT]}
    verdict = judge(fact(), late, document)
    assert verdict.score == pytest.approx(0.7)
    assert "citations_over_budget: 6 are given, 5 are read" in verdict.remarks
    early = judge(fact(), {**late, "citations": [RIGHT, *others]}, document)
    assert early.score == 1.0
    wide = question_of(FIELDS_OF_FACT, criteria={"max_citations": 6})
    assert judge(wide, late, document).score == 1.0
    snippets = [*({"page": 1, "text": f"{text}"} for text in "一共收了元"), *others[:2]]
    narrow = replace(evidence(), about=replace(evidence().about, citations=5))
    found = judge(narrow, {"evidence": snippets}, document)
    assert (found.parts["recall"], found.parts["precision"]) == (0.0, 0.0)
    assert "citations_over_budget: 7 are given, 5 are read" in found.remarks
    assert judge(evidence(), {"evidence": snippets}, document).parts["precision"] == pytest.approx(2 / 7)


@pytest.mark.parametrize(
    ("name", "is_right"),
    [
        ("d.md", True),
        ("D.MD", True),
        ("/data/cases/d.md", True),
        ("C:\\cases\\d.md", True),
        ("d.pdf", True),
        ("d", True),
        ("https://host/files/d.md?page=2#x", True),
        ("第1页", True),
        ("qa_pair", True),
        ("询问笔录", True),
        ("chunk 12", True),
        ("", True),
        ("e.md", False),
        ("/data/d/e.md", False),
        ("d2.pdf", False),
        ("dd.md", False),
    ],
)
def test_a_citation_of_another_document_earns_nothing(document, name, is_right):
    cited = {**RIGHT, "document": name}
    verdict = judge(fact(), {"answer": "42000元", "citations": [cited]}, document)
    assert verdict.score == pytest.approx(1.0 if is_right else 0.7)
    assert (f"wrong_document: {name}" in verdict.remarks) is not is_right
    found = judge(evidence(), {"evidence": [{"page": 2, "text": "去过两次", "document": name}]}, document)
    assert found.parts["citation_provided"] == float(is_right)


@pytest.mark.parametrize(
    ("given", "reason"),
    [([], "nothing is cited"), ([{"page": 1, "text": "去过两次"}], "no snippet is on the page it cites")],
)
def test_no_citation_is_told_from_citations_of_other_pages(document, given, reason):
    found = judge(evidence(), {"answer": "去过两次。", "evidence": given}, document)
    assert str(found.reasons["citation_provided"]) == reason


def test_citations_without_a_page_give_only_what_needs_none(document):
    assert judge(fact(), {"answer": "42000元", "citations": [RIGHT["text"]]}, document).score == pytest.approx(0.7)
    plain = ["答：去过两次。", "应该是三次"]
    assert judge(evidence(), {"evidence": plain}, document).score == 0.0
    found = judge(conflict(required_quote=None), {"answer": "前后矛盾，无法确定。", "citations": plain}, document)
    assert found.parts["conflict_surfaced"] == 1.0
    invented = ["答：去过两次。", "应该是三次，我保证"]
    found = judge(conflict(required_quote=None), {"answer": "前后矛盾，无法确定。", "citations": invented}, document)
    assert found.parts["conflict_surfaced"] == 0.0


def test_lines_glued_with_gaps_are_as_long_as_what_they_skip(write):
    filler = "".join(f"问：第{n}件事？\n答：没有印象{n}。\n" for n in range(60))
    document = read_document(write("d.md", f"答：去过两次。\n{filler}答：应该是三次。\n"))
    question = question_of(
        {
            "id": "e",
            "type": "evidence_set",
            "question": "几次？",
            "required_evidence": [{"page": 1, "must_include": "去过两次"}, {"page": 1, "must_include": "应该是三次"}],
        }
    )
    glued = judge(question, {"evidence": [{"page": 1, "text": "去过两次……应该是三次"}]}, document)
    assert (glued.parts["recall"], glued.parts["citation_provided"]) == (0.0, 1.0)
    apart = [{"page": 1, "text": "去过两次"}, {"page": 1, "text": "应该是三次"}]
    assert judge(question, {"evidence": apart}, document).score == 1.0


def test_a_set_of_evidence_passes_only_with_both_thresholds(document):
    both = [{"page": 2, "text": "去过两次"}, {"page": 2, "text": "应该是三次"}]
    padded = [*both, *({"page": 1, "text": text} for text in ("号码我忘记了", "你一共收了多少钱"))]
    low = replace(evidence(), about=replace(evidence().about, passing=0.5))
    assert judge(low, {"evidence": both}, document).parts["passed"] == 1.0
    failed = judge(low, {"evidence": padded}, document)
    assert (failed.score, failed.parts["passed"]) == (pytest.approx(0.7), 0.0)


LONG = "问：钱用到哪里去了？\n答：具体请了谁吃饭、每一顿花了多少钱、是在哪一家饭店吃的，时间太久我都忘记了。"


def test_words_of_refusal_that_are_copied_are_the_documents(write):
    document = read_document(write("d.md", DOCUMENT.replace("=== 第2页", f"{LONG}\n=== 第2页")))
    question = gap(question="钱用到哪里去了？", required_quote=None, scoring={})
    copied = judge(question, {"answer": LONG.partition("答：")[2]}, document)
    assert (copied.parts["correct_abstention"], copied.parts["no_hallucination"]) == (0.0, 0.0)
    assert copied.reasons["correct_abstention"] == "the abstention is copied from the document"
    for answer in (f"他说“{LONG.partition('答：')[2]}”", f"材料未载明。{LONG.partition('答：')[2]}", "他忘记了。"):
        assert judge(question, {"answer": answer}, document).parts["correct_abstention"] == 1.0, answer


def test_a_fact_that_is_refused_is_not_given_by_a_quotation(document):
    refused = judge(fact(), {"answer": "材料未载明，原文为“一共收了42000元”。", "citations": [RIGHT]}, document)
    assert (refused.score, refused.reasons["exact_match"]) == (pytest.approx(0.3), "the answer says '未载明'")
    for answer in ("原文为“一共收了42000元”。", "42000元，原文为“一共收了42000元”，其他材料未载明。"):
        assert judge(fact(), {"answer": answer, "citations": [RIGHT]}, document).score == 1.0, answer


def test_what_rules_cannot_decide_is_said(document, monkeypatch):
    money = control(expected={"amount_total": 42000})
    for question, answer in ((fact(), "42000元"), (evidence(), "42000元"), (gap(), "13912345678"), (money, "42000元")):
        verdict = judge(question, {"answer": answer, "evidence": [RIGHT]}, document)
        assert (verdict.parts["uncertain"], verdict.uncertain, "uncertain" in verdict.reasons) == (0.0, False, False)
        assert judge(question, {}, document).parts["uncertain"] == 0.0
    unsure = FieldVerdict(True, as_message("the answer says 42000元"), uncertain=True)
    found = FactVerdict(True, 1.0, as_message("amount_total: the answer says 42000元"), {"amount_total": unsure})
    monkeypatch.setattr("steelyard.legal.score.judge_fact", lambda *_, **__: found)
    for question in (fact(), control(expected={"amount_total": 42000})):
        verdict = judge(question, {"answer": "42000元"}, document)
        assert (verdict.parts["uncertain"], verdict.uncertain) == (1.0, True)
        assert verdict.reasons["uncertain"] == "amount_total: the answer says 42000元"
    refusal = Stance("refuses", as_message("the answer says '未载明'"), abstains=True, uncertain=True)
    monkeypatch.setattr("steelyard.legal.score.stance", lambda *_, **__: refusal)
    assert judge(gap(), {"answer": "未载明"}, document).reasons["uncertain"] == "the answer says '未载明'"


@pytest.mark.parametrize(
    ("text", "quote", "stands"),
    [
        ("一共42000元", "2000元", False),
        ("一共42,000元", "000元", False),
        ("还欠42000元，另有2000元", "2000元", True),  # the second place counts
        ("第2，2000元是押金", "2000元", True),
        ("四万二千元", "二千元", False),
        ("统共，二千元", "二千元", True),
        ("I did not know", "know", True),
        ("It is unknown", "know", False),
        ("It is unknown, I know", "know", True),
        ("Mr. Umberly's yard", "Umberly", True),
        ("Tern-9 paint", "Tern", True),
        ("Tern-92 paint", "Tern-9", False),
        ("3.5元", "5元", False),
        ("he could not reach the supplier at all", "ould not reach the supplier at a", True),  # cut by length
        ("甲……乙", "……", False),
        ("先说甲乙丙丁，后说子丑寅卯", "甲乙丙丁…子丑寅卯", True),
        ("先说甲乙丙丁，后说子丑寅卯", "子丑寅卯…甲乙丙丁", False),
    ],
)
def test_where_a_quotation_stands(text, quote, stands):
    assert contains_quote(text, quote) is stands


words = st.text(st.sampled_from("材料未载明矛盾去过两次应该是三42000元年月日“”，。但 x"), max_size=40)
pages = st.one_of(
    st.integers(-1, 9), st.none(), st.booleans(), st.floats(allow_nan=False), words, st.lists(st.integers(0, 3))
)
citations = st.lists(st.one_of(words, st.fixed_dictionaries({"page": pages, "text": words | st.none()})), max_size=4)
values = st.one_of(st.none(), words, st.integers(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False))
records = st.fixed_dictionaries(
    {},
    optional={
        "answer": words,
        "citations": citations,
        "evidence": citations,
        "amount_total": values,
        "abstained": values,
    },
)


@given(records)
def test_any_record_scores_between_nought_and_one(record):
    for question in (fact(), fact(partial_credit=True), evidence(), gap(), conflict(required_quote=None)):
        verdict = judge(question, record, SMALL)
        assert 0.0 <= verdict.score <= 1.0
        assert all(0.0 <= value <= 1.0 for value in verdict.parts.values())


def test_an_answer_of_too_many_figures_is_not_read(document):
    verdict = judge(fact(), {"answer": "42000元 " * 2001, "citations": [RIGHT]}, document)
    assert (verdict.score, verdict.reasons["exact_match"]) == (0.0, "more than 2000 figures")
    assert "answer_too_long: more than 2000 figures" in verdict.remarks
