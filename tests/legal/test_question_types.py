"""The table of question types, and what a type must define."""

import json
import sys
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from steelyard.errors import InputError
from steelyard.legal import question_types as question_types_module
from steelyard.legal.benchmark import question_checks
from steelyard.legal.benchmark.loading import load_benchmark
from steelyard.legal.benchmark.questions import read_question_file
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
from steelyard.legal.question_types.evidence import EvidenceQuestion

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
    names: set[str] = set()
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


@dataclass(frozen=True, slots=True)
class OrderQuestion(EvidenceQuestion):
    """A type of question that somebody adds: one class and one line of the table."""

    type: ClassVar = "event_order"
    schema: ClassVar = {"required": ["order"], "properties": {"order": {"type": "array", "minItems": 2}}}
    key_parts: ClassVar = frozenset(("order",))


@pytest.fixture
def new_type(monkeypatch):
    monkeypatch.setitem(question_types_module.TYPES, "event_order", "added.OrderQuestion")
    monkeypatch.setitem(sys.modules, f"{question_types_module.__name__}.added", sys.modules[__name__])
    caches = [question_schema, question_types, question_type, part_labels, question_checks._validator]
    for each in caches:
        each.cache_clear()
    yield
    monkeypatch.undo()
    for each in caches:
        each.cache_clear()


@pytest.mark.parametrize("typed", [False, True])
def test_a_type_that_is_added_is_in_the_schema(tmp_path, new_type, typed):
    question = {"id": "q", "question": "？", "order": ["签约", "付款"], **({"type": "event_order"} if typed else {})}
    content = {"benchmark_type": "fact_exact" if typed else "event_order", "document": "d.md", "questions": [question]}
    path = tmp_path / "q.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    assert read_question_file(path).questions[0].fields["order"] == ["签约", "付款"]
    question["order"] = ["签约"]
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match="/questions/0/order: at least 2 entries are required"):
        read_question_file(path)
    del question["order"]
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match="the field 'order' is missing"):
        read_question_file(path)
