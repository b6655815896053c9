"""The table of question types, and what a type must define."""

import json
from typing import Any

import pytest

from steelyard.legal.benchmark.loading import load_benchmark
from steelyard.legal.formulas import COMMON_PARTS, weighted_sum
from steelyard.legal.question_types import (
    TYPES,
    part_labels,
    question_of,
    question_schema,
    question_type,
    question_types,
    type_of_parts,
)

FIELDS: dict[str, dict[str, Any]] = {
    "fact_exact": {"expected": {"amount_total": 42000}, "required_evidence": [{"page": 1, "must_include": "一共收了"}]},
    "evidence_set": {"required_evidence": [{"page": 1, "must_include": "一共收了", "is_critical": True}]},
    "conflict_gap": {"should_abstain": True, "required_quote": "号码我忘记了"},
}


def test_the_table_has_every_type():
    assert {kind.type: kind for kind in question_types()} == {name: question_type(name) for name in TYPES}


class Read(dict):
    """Fields that record which of them are read."""

    def __init__(self, fields, names, place=""):
        super().__init__(fields)
        self.names, self.place = names, place

    def get(self, key, default=None):
        self.names.add(f"{self.place}{key}")
        value = super().get(key, default)
        return Read(value, self.names, f"{self.place}{key}.") if isinstance(value, dict) else value

    def __getitem__(self, key):
        return self.get(key)


@pytest.mark.parametrize("kind", question_types(), ids=lambda kind: kind.type)
def test_a_type_reads_only_fields_that_the_schema_has(kind):
    names = set()
    fields = {"id": "q", "question": "?", "type": kind.type, "scoring": {}, **FIELDS[kind.type]}
    question_of(Read(fields, names))
    definitions = question_schema()["$defs"]
    own = kind.schema["properties"].get("expected", {}).get("properties", {})
    known = set(definitions["question"]["properties"]) | {
        f"scoring.{name}" for name in definitions["scoring"]["properties"]
    }
    assert names <= known | {f"expected.{name}" for name in own} | {"metadata.difficulty", "metadata.category"}


@pytest.mark.parametrize("kind", question_types(), ids=lambda kind: kind.type)
def test_the_parts_of_an_item_tell_its_type(kind):
    assert type_of_parts([*kind.parts, *COMMON_PARTS]) is kind
    assert [other for other in question_types() if other.key_parts & set(kind.parts)] == [kind]
    assert kind.open_part is None or kind.open_part in kind.key_parts
    assert set(kind.parts) <= part_labels().keys()


@pytest.mark.parametrize("kind", question_types(), ids=lambda kind: kind.type)
def test_the_weights_of_a_type_add_up_to_one(kind):
    for parts in (kind.key_parts, kind.parts):
        weights = kind.weights(parts)
        assert weights.keys() <= set(kind.parts)
        assert weighted_sum(weights, dict.fromkeys(weights, 1.0)) == pytest.approx(1.0)


def test_the_digest_of_a_benchmark_does_not_depend_on_names_in_the_code(tmp_path):
    """Results files hold the digest: if it changed, no run of an earlier version could be continued."""
    (tmp_path / "case.md").write_text("# 第1页\n\n答：一共收了42000元，号码我忘记了。\n", encoding="utf-8")
    for name, fields in FIELDS.items():
        question = {"id": name, "question": "一共收了多少钱？", **fields}
        content = {"benchmark_type": name, "document": "case.md", "questions": [question]}
        (tmp_path / f"{name}.json").write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    assert load_benchmark(tmp_path).digest[:16] == "7e6552ef9f19da38"
