"""The formulas, and that no trick earns what it should not."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.formats.documents import read_document
from steelyard.formats.question_checks import benchmark_folder
from steelyard.formats.questions import read_question_file
from steelyard.legal import judge, judge_fact, question_of
from steelyard.legal.oracle import gold_record
from steelyard.pipelines.benchmark import load_benchmark

BUNDLED = load_benchmark(benchmark_folder())


@pytest.mark.parametrize("question", BUNDLED.questions, ids=lambda question: question.about.id)
def test_the_key_scores_one_and_silence_nought(question):
    document = BUNDLED.documents[question.about.document]
    assert judge(question, gold_record(question, document), document).score == 1.0
    assert judge(question, {}, document).score == 0.0
    assert judge(question, {"answer": "   ", "citations": [], "evidence": []}, document).score == 0.0


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
                record = next((each for each in answers if each["id"] == question.about.id), {})
                expected = found["scores"][question.about.id]
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


def fact(**scoring):
    return question_of(
        {
            "id": "f",
            "type": "fact_exact",
            "question": "他一共收了多少钱？",
            "expected": {"amount_total": 42000},
            "required_evidence": [
                {
                    "page": 1,
                    "must_include": "一共收了42000元",
                    "speaker": "answer",
                    "section": "qa_pair",
                    "is_critical": True,
                }
            ],
            "scoring": {"citation_required": True, **scoring},
        }
    )


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


@pytest.mark.parametrize(
    ("citation", "why"),
    [
        ({"page": 2, "text": RIGHT["text"]}, "cites page 2, the passage is on page 1"),
        ({"page": 2, "text": "去过两次"}, "not page 1"),
        ({"page": 1, "text": "一共收了42000元现金"}, "the words are not on that page"),
        ({"page": 1, "text": "是2020年6月5日收的"}, "does not include '一共收了42000元'"),
        ({"page": 1, "text": RIGHT["text"], "speaker": "question"}, "said to be the question"),
        ({"page": 1, "text": RIGHT["text"], "section": "header"}, "said to be in header"),
        ({"page": "1-3", "text": RIGHT["text"]}, "names no page, the passage is on page 1"),
        ({"page": True, "text": RIGHT["text"]}, "names no page, the passage is on page 1"),
        (RIGHT["text"], "names no page, the passage is on page 1"),
        ({**RIGHT, "document": "other.md"}, "names another document, 'other.md'"),
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
    assert judge(gap(), {"answer": document.text}, document).parts["correct_abstention"] in (0.0, 1.0)


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
