"""The figures that a page of a legal result shows first, counted again from the items."""

import numpy as np
import pytest

import steelyard
from steelyard.legal.report.items import PLAIN, Library, shown_value, unit_of
from steelyard.legal.report.page import LegalPage, type_groups
from steelyard.legal.report.results import weighted_parts

ANSWERS = ("材料未显示该信息。", "他给了王某八千元，电话13800138000。", "", "是，一共42000元。")


@pytest.fixture(scope="module")
def table():
    """Answers of four kinds, by the length of the question: refusals, inventions, nothing, values."""
    return steelyard.evaluate_legal(lambda question: ANSWERS[len(question) % 4])


def lines(tiles):
    return {(tile.title, line.label): line for tile in tiles for line in tile.lines}


def test_the_tiles_are_counted_from_the_items(table):
    verdicts = [output["verdict"] for output in table.outputs]
    gaps = [of for of in verdicts if isinstance(of.get("abstained"), bool)]
    should = [of for of in gaps if of["should_abstain"]]
    others = [of for of in gaps if not of["should_abstain"]]
    wrong = sum(not of["abstained"] for of in should), sum(of["abstained"] for of in others)
    shown = lines(LegalPage().tiles(table))
    passed = np.array(table.parts["legal"]["passed"])
    assert shown["report.passed_questions", ""].counted == f"{passed.sum():.0f} / {len(table)}"
    errors = "report.abstention_errors"
    assert shown[errors, "report.answered_unanswerable"].counted == f"{wrong[0]} / {len(should)}"
    assert shown[errors, "report.refused_answerable"].counted == f"{wrong[1]} / {len(others)}"
    share = f"{100 * wrong[0] / len(should):.1f}"
    assert shown[errors, "report.answered_unanswerable"].value == (f"{share} %", f"{share}%")
    invented = shown["answer_part_names.hallucinated", ""]
    assert invented.bad
    assert invented.gauge[0] <= invented.gauge[1] <= invented.gauge[2]


def test_a_result_without_gaps_has_no_tile_for_them(table):
    facts = table.take(np.flatnonzero(np.array(table.tags["type"]) == "fact_exact"))
    titles = [tile.title for tile in LegalPage().tiles(facts)]
    assert titles == ["report.passed_questions", "answer_part_names.hallucinated", "report.citations_correct"]


def test_weights_make_up_every_score(table):
    for row, parts in enumerate(weighted_parts(table)):
        assert sum(weight for weight, _ in parts.values()) == pytest.approx(1)
        assert sum(weight * value for weight, value in parts.values()) == pytest.approx(table.column("legal")[row])


def test_parts_of_a_type_have_their_weights_and_the_others_none(table):
    groups = type_groups(table)
    names = ["conflict_gap", "evidence_set", "fact_exact", "key_points"]
    assert list(groups) == [f"type_values.{name}" for name in names]
    facts = groups["type_values.fact_exact"]
    assert [(row.code, row.weight) for row in facts if row.form == "part"] == [
        ("part_names.exact_match", "0.7"),
        ("part_names.citation_correctness", "0.3"),
    ]
    assert groups["type_values.conflict_gap"][1].weight == "0.4–0.5"
    others = [row for rows in groups.values() for row in rows if row.form == "extra"]
    assert all(row.weight == "" for row in others)
    assert "part_names.passed" in [row.code for row in facts if row.form == "extra"]


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [
        ("amount_total", 1745000, "1,745,000 元"),
        ("amount_total", 42.5, "42.5 元"),
        ("amount_total", "many", "many"),
        (
            "amount_breakdown",
            [{"amount": 31540, "description": "7月"}, {"amount": 4500}],
            "31,540 元 (7月)\n4,500 元",
        ),
        ("amount_breakdown", "none", "none"),
        ("date", "2022-05-29", "2022-05-29"),
        ("date_range", {"start": "2022-06-01", "end": "2022-06-15"}, "2022-06-01 – 2022-06-15"),
        ("date_range", {"start": "2022-06-01"}, '{"start": "2022-06-01"}'),
        ("count", 1234, "1,234"),
        ("boolean_answer", True, ("yes", "是")),
        ("boolean_answer", "yes", "yes"),
        ("text_answer", "7719", "7719"),
    ],
)
def test_values_have_separators_and_units(field, value, shown):
    assert shown_value(field, value, "{} 元") == shown


@pytest.mark.parametrize(
    ("passages", "unit"),
    [
        (["每月租金为50,400元;设备使用费不变"], "{} 元"),
        (["设备使用费为每月一万二千元"], "{} 元"),
        (["The total is $54,750"], "${}"),
        (["元旦放假"], PLAIN),
        (["$5 或 5元"], PLAIN),
        ([], PLAIN),
    ],
)
def test_the_unit_of_an_amount_is_that_of_its_passages(passages, unit):
    assert unit_of(passages) == unit


def test_only_a_citation_of_a_required_passage_is_right():
    from steelyard.documents.pages import Document, Page

    document = Document("a.md", (Page(1, "甲方支付押金。另有约定。", ()), Page(2, "乙方提供冷藏车5台。", ())), "")
    required = [{"page": 2, "text": "乙方提供冷藏车5台", "speaker": None}]
    cited = [
        {"page": 2, "text": "乙方提供冷藏车5台。"},
        {"page": 1, "text": "甲方支付押金。"},
        {"page": 1, "text": "乙方提供冷藏车5台。"},
        {"page": 2, "text": "没有这句话"},
    ]
    library = Library({"a.md": document})
    assert [each["right"] for each in library.located(cited, "a.md", required)] == [True, False, False, False]
    assert all("right" not in each for each in library.located(cited, "a.md", []))
    assert all("right" not in each for each in library.located(cited, "b.md", required))
    odd = [{"page": 2, "text": "乙方提供冷藏车5台", "speaker": ["x"]}, {"page": "2"}, 7]
    assert library.located(cited, "a.md", odd)[0]["right"]
