"""Outcomes of legal answers and causes of wrong ones: answers to an invented document, labelled by hand and judged."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rendering import as_json, render_console, render_latex, render_markdown

from steelyard.legal.benchmark.questions import benchmark_folder, load_benchmark
from steelyard.legal.benchmark.runner import evaluate_legal, judge_answers
from steelyard.legal.report.attribution import hallucinated, outcomes
from steelyard.legal.report.items import shown_points
from steelyard.legal.report.page import LegalPage
from steelyard.reports.content import Report
from steelyard.reports.render.html.report_html import render_html
from steelyard.stats.outcomes import CAUSES, OUTCOMES, PARTS
from steelyard.table import Column

ZH = "第1页\n甲方应支付违约金6000元，质量不符的减价2000元。\n仓库位于东区，货款为30000元。\n车牌号我忘记了。\n"
ZH_FACT, ZH_OTHER = "甲方应支付违约金6000元，质量不符的减价2000元", "仓库位于东区，货款为30000元"
EN_FACT, EN_OTHER = "Liability is capped at $5,000, and at $900 for delay", "The rent is $1,250 a month"
EN = f"Page 1\n{EN_FACT}.\n{EN_OTHER}.\nI forgot the plate number.\n"
QUESTIONS = {
    "zh": ("违约金是多少元？", 6000, "违约金6000元", "车牌号是多少？", "车牌号我忘记了"),
    "en": (
        *("What is the cap on liability, in dollars?", 5000, "capped at $5,000"),
        *("What is the plate number?", "I forgot the plate number"),
    ),
}
"""The question for a fact, its answer, its passage, the question about a gap, and its quotation."""


@pytest.fixture
def folder(tmp_path):
    """A benchmark of a fact and a gap in both languages."""
    for name, text in (("zh", ZH), ("en", EN)):
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
        question, total, words, about, quote = QUESTIONS[name]
        passages = [{"page": 1, "must_include": words}]
        questions: dict[str, dict[str, Any]] = {
            "fact_exact": {"question": question, "expected": {"amount_total": total}, "required_evidence": passages},
            "conflict_gap": {"question": about, "should_abstain": True, "required_quote": quote},
        }
        for kind, fields in questions.items():
            identified = [{"id": f"{name}-{'fact' if kind == 'fact_exact' else 'gap'}", **fields}]
            file = {"benchmark_type": kind, "document": f"{name}.md", "questions": identified}
            (tmp_path / f"{name}.{kind}.json").write_text(json.dumps(file, ensure_ascii=False), encoding="utf-8")
    return tmp_path


def attributed(folder, record, identifier, **others):
    """The outcome and the cause of one answer; `others` are other records of the result."""
    table = judge_answers({identifier: record, **others}, folder).table
    column = outcomes(table)
    assert (column.values == (table.column("legal") == 1)).all()
    columns = {**column.parts, **dict(zip(OUTCOMES[1:], (column.parts[part] for part in PARTS), strict=True))}
    columns[OUTCOMES[0]] = column.values
    known = [[name for name in names if name in columns] for names in (OUTCOMES, CAUSES)]
    return tuple(next((name for name in names if columns[name][0] == 1), "") for names in known)


def cited(text):
    return [{"page": 1, "text": text}]


@pytest.mark.parametrize(
    ("identifier", "record", "expected"),
    [
        ("zh-fact", {"answer": "6000元", "citations": cited(ZH_FACT)}, ("accurate", "")),
        ("zh-fact", {"answer": "6000元", "citations": cited(ZH_OTHER)}, ("incomplete", "")),
        ("zh-fact", {"answer": "8800元", "contexts": [ZH_FACT]}, ("hallucinated", "invented")),
        ("zh-fact", {"amount_total": 8800, "contexts": [ZH_FACT]}, ("hallucinated", "invented")),
        ("zh-fact", {"answer": "30000元", "contexts": [ZH_OTHER]}, ("wrong", "not_retrieved")),
        ("zh-fact", {"answer": "材料未载明。", "contexts": [ZH_OTHER]}, ("incomplete", "not_retrieved")),
        ("zh-fact", {"answer": "材料未载明。", "contexts": [ZH_FACT]}, ("incomplete", "not_used")),
        ("zh-fact", {"answer": "30000元", "contexts": [ZH_FACT, ZH_OTHER]}, ("wrong", "not_used")),
        ("zh-fact", {"answer": "2000元", "contexts": [ZH_FACT, ZH_OTHER]}, ("wrong", "misread")),
        ("zh-fact", {"answer": "2000元", "citations": cited(ZH_FACT)}, ("wrong", "misread")),
        ("zh-fact", {"answer": "30000元", "citations": cited(ZH_OTHER)}, ("wrong", "retrieval_unknown")),
        ("zh-gap", {"answer": "忘记了，材料原话为“车牌号我忘记了”，无法确定。", "contexts": [ZH]}, ("accurate", "")),
        ("zh-gap", {"answer": "车牌号是云A33333。", "contexts": [ZH]}, ("hallucinated", "invented")),
        ("en-fact", {"answer": "$5,000", "citations": cited(EN_FACT)}, ("accurate", "")),
        ("en-fact", {"answer": "$5,000", "citations": cited(EN_OTHER)}, ("incomplete", "")),
        ("en-fact", {"answer": "$7,777", "contexts": [EN_FACT]}, ("hallucinated", "invented")),
        ("en-fact", {"answer": "$1,250", "contexts": [EN_OTHER]}, ("wrong", "not_retrieved")),
        ("en-fact", {"answer": "The document does not state it.", "contexts": [EN_FACT]}, ("incomplete", "not_used")),
        ("en-fact", {"answer": "$1,250", "contexts": [EN_FACT, EN_OTHER]}, ("wrong", "not_used")),
        ("en-fact", {"answer": "$900", "contexts": [EN_FACT]}, ("wrong", "misread")),
        ("en-fact", {"answer": "$1,250", "citations": cited(EN_OTHER)}, ("wrong", "retrieval_unknown")),
        ("en-gap", {"answer": "It is not stated: “I forgot the plate number”.", "contexts": [EN]}, ("accurate", "")),
    ],
)
def test_answers_labelled_by_hand(folder, identifier, record, expected):
    assert attributed(folder, record, identifier) == expected


POINTS = {
    "question": "甲方应承担什么责任？",
    "reference_answer": "甲方构成违约，应当支付违约金六千元。",
    "points": [
        {"text": "构成违约", "points": 2, "conclusion": True, "forbidden": ["不构成违约"]},
        {"text": "支付违约金", "points": 1, "forbidden": ["支付滞纳金"]},
    ],
}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("甲方构成违约，应当支付违约金。", ("accurate", "")),
        ("甲方构成违约，应当支付违约金。" + "本题涉及合同当事人之间的权利和义务，" * 3, ("incomplete", "")),
        ("甲方构成违约。", ("incomplete", "retrieval_unknown")),
        ("甲方应当承担责任。", ("undecided", "")),
        ("甲方不构成违约，应当支付违约金。", ("wrong", "retrieval_unknown")),
        ("甲方构成违约，应当支付滞纳金。", ("wrong", "retrieval_unknown")),
        ("判决没有写甲方的责任。", ("undecided", "")),
    ],
)
def test_missed_points_are_incomplete_and_others_wrong(folder, answer, expected):
    file = {"benchmark_type": "key_points", "document": "zh.md", "questions": [{"id": "zh-points", **POINTS}]}
    (folder / "zh.key_points.json").write_text(json.dumps(file, ensure_ascii=False), encoding="utf-8")
    assert attributed(folder, {"answer": answer, "contexts": [ZH_OTHER]}, "zh-points") == expected


NOWHERE = "双方一致同意违约金由丙方代为支付并计息"


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"answer": "6000元", "citations": [*cited(ZH_FACT), *cited(NOWHERE)]}, "accurate"),
        ({"answer": "6000元", "citations": cited(NOWHERE)}, "hallucinated"),
        ({"answer": "6000元，另付定金5000元", "citations": cited(ZH_OTHER)}, "hallucinated"),
    ],
)
def test_what_stands_nowhere_is_hallucinated_only_below_full_score(folder, record, expected):
    assert attributed(folder, record, "zh-fact") == (expected, "")


def test_an_answer_to_a_gap_without_an_invention_is_wrong(folder):
    assert attributed(folder, {"answer": "车牌号是6000。", "contexts": [ZH]}, "zh-gap")[0] == "wrong"


def test_without_passages_there_are_outcomes_and_no_causes(folder):
    table = judge_answers({"zh-fact": {"answer": "30000元"}}, folder).table
    found = as_json(Report([table]))["results"][0]["attribution"]
    assert (found["outcomes"]["wrong"]["count"], found["causes"]) == (1, {})


def test_one_figure_of_hallucination_everywhere(baseline):
    """The table of outcomes, JSON, the tile of the page and the share that is compared."""
    result = as_json(Report([baseline]))["results"][0]
    share = result["attribution"]["outcomes"]["hallucinated"]["share"]
    assert 0 < share == result["legal"]["hallucination_rate"]
    tile = next(each for each in LegalPage().tiles(baseline) if each.title == "answer_part_names.hallucinated")
    assert tile.lines[0].value[0] == f"{100 * share:.1f} %"
    page = render_html(Report([baseline]))
    assert "stands nowhere in the documents" in page
    assert "stands nowhere in the sources" in page
    assert hallucinated(baseline).mean() == share


def test_an_item_without_contexts_retrieved_nothing_if_the_system_returns_them_elsewhere(folder):
    other = {"zh-gap": {"answer": "不详", "contexts": [ZH]}}
    assert attributed(folder, {"answer": "30000元"}, "zh-fact", **other) == ("wrong", "not_retrieved")


@pytest.fixture(scope="module")
def baseline():
    return evaluate_legal("builtin:baseline")


def test_every_format_shows_the_section_of_the_baseline(baseline):
    report = Report([baseline])
    found = as_json(report)["results"][0]["attribution"]
    assert sum(each["count"] for each in found["outcomes"].values()) == found["answers"] == len(baseline)
    assert sum(each["count"] for each in found["causes"].values()) == found["wrong"]
    assert [scope["scope"] for scope in found["causes"]["misread"]["scopes"]] == ["items", "documents"]
    for language, words in (("en", "used and misread"), ("zh", "使用了证据但理解有误")):
        for render in (render_console, render_markdown, render_latex, render_html):
            assert words in render(report, language=language).replace(r"\allowbreak{}", "").lower()


def test_the_oracle_is_accurate_and_silence_is_incomplete():
    benchmark = load_benchmark(benchmark_folder())
    keys = {q.about.question: q.gold_record(benchmark.documents[q.about.document]) for q in benchmark.questions}
    assert (outcomes(evaluate_legal(keys.__getitem__)).values == 1).all()
    silent = outcomes(evaluate_legal(lambda question: {"answer": "", "contexts": ["x"]}))
    assert (silent.parts["incomplete"] == 1).all()
    assert np.nansum(silent.parts["misread"]) == 0


def test_a_file_without_parts_says_nothing(baseline):
    bare = replace(baseline, columns={"legal": Column(baseline.column("legal"))})
    assert np.isnan(outcomes(bare).values).all()
    assert "attribution" not in as_json(Report([bare]))["results"][0]


def test_the_item_of_keyed_points_shows_its_key():
    point = {
        "text": "构成违约",
        "points": 2.0,
        "conclusion": True,
        "aliases": ["违反合同"],
        "forbidden": ["不构成违约"],
    }
    english, chinese = shown_points([point, {"text": "支付违约金", "points": 1.0}], "甲方构成违约。")
    assert english.splitlines() == [
        "构成违约 (2); conclusion; or: 违反合同; void by: 不构成违约",
        "支付违约金 (1)",
        "reference answer: 甲方构成违约。",
    ]
    assert chinese.startswith("构成违约 (2)；结论；或：违反合同；禁止的写法：不构成违约\n")


def test_keyed_points_have_no_values_to_cite(folder):
    file = {"benchmark_type": "key_points", "document": "zh.md", "questions": [{"id": "zh-points", **POINTS}]}
    (folder / "zh.key_points.json").write_text(json.dumps(file, ensure_ascii=False), encoding="utf-8")
    record = {"answer": "甲方构成违约，应当支付违约金6000元。", "citations": cited(ZH_FACT)}
    table = judge_answers({"zh-points": record}, folder).table
    assert np.isnan(table.columns["legal"].parts.get("value_cited", np.full(1, np.nan))[0])
