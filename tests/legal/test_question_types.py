"""The table of question types, and what a type must define."""

import json
from typing import Any

import pytest

from steelyard.legal.benchmark.loading import load_benchmark
from steelyard.legal.benchmark.question_checks import benchmark_folder
from steelyard.legal.formulas import COMMON_PARTS, weighted_sum
from steelyard.legal.question_types import TYPES, part_labels, question_type, question_types, type_of_parts

FIELDS: dict[str, dict[str, Any]] = {
    "fact_exact": {"expected": {"amount_total": 42000}, "required_evidence": [{"page": 1, "must_include": "一共收了"}]},
    "evidence_set": {"required_evidence": [{"page": 1, "must_include": "一共收了", "is_critical": True}]},
    "conflict_gap": {"should_abstain": True, "required_quote": "号码我忘记了"},
}


def test_the_table_and_the_schema_have_the_same_types():
    schema = json.loads((benchmark_folder() / "schema.json").read_text(encoding="utf-8"))
    assert schema["$defs"]["type"]["enum"] == list(TYPES)
    assert {kind.type: kind for kind in question_types()} == {name: question_type(name) for name in TYPES}


@pytest.mark.parametrize("kind", question_types(), ids=lambda kind: kind.type)
def test_the_parts_of_an_item_tell_its_type(kind):
    assert type_of_parts([*kind.parts, *COMMON_PARTS]) is kind
    assert [other for other in question_types() if other.key_parts & kind.parts.keys()] == [kind]
    assert kind.open_part is None or kind.open_part in kind.key_parts
    assert kind.parts.items() <= part_labels().items()


@pytest.mark.parametrize("kind", question_types(), ids=lambda kind: kind.type)
def test_the_weights_of_a_type_add_up_to_one(kind):
    for parts in (kind.key_parts, kind.parts):
        weights = kind.weights(parts)
        assert weights.keys() <= kind.parts.keys()
        assert weighted_sum(weights, dict.fromkeys(weights, 1.0)) == pytest.approx(1.0)


def test_the_digest_of_a_benchmark_does_not_depend_on_names_in_the_code(tmp_path):
    """Results files hold the digest: if it changed, no run of an earlier version could be continued."""
    (tmp_path / "case.md").write_text("# 第1页\n\n答：一共收了42000元，号码我忘记了。\n", encoding="utf-8")
    for name, fields in FIELDS.items():
        question = {"id": name, "question": "一共收了多少钱？", **fields}
        content = {"benchmark_type": name, "document": "case.md", "questions": [question]}
        (tmp_path / f"{name}.json").write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    assert load_benchmark(tmp_path).digest[:16] == "7e6552ef9f19da38"
