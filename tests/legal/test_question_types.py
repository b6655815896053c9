"""The types of questions, what a type must define, and what happens where that is forgotten."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from steelyard.cli import main
from steelyard.errors import InputError
from steelyard.i18n import LANGUAGES, Message, catalogue
from steelyard.legal import question_types as question_types_module
from steelyard.legal.benchmark import checks
from steelyard.legal.benchmark.questions import load_benchmark, read_question_file
from steelyard.legal.model import COMMON_PARTS, Draft, Question, weighted_sum
from steelyard.legal.question_types import (
    part_labels,
    question_of,
    question_schema,
    question_types,
    type_of_parts,
    types_by_name,
)
from steelyard.legal.question_types.evidence import EvidenceQuestion

ROOT = Path(__file__).parents[2]

FIELDS: dict[str, dict[str, Any]] = {
    "fact_exact": {"expected": {"amount_total": 42000}, "required_evidence": [{"page": 1, "must_include": "一共收了"}]},
    "evidence_set": {"required_evidence": [{"page": 1, "must_include": "一共收了", "is_critical": True}]},
    "conflict_gap": {"should_abstain": True, "required_quote": "号码我忘记了"},
}


def example(kind: type[Question]) -> dict[str, Any]:
    """Fields of a question of a type: those above, or what its schema requires."""
    required = kind.schema.get("required", ())
    return FIELDS.get(kind.type) or {name: sample(kind.schema["properties"].get(name, {})) for name in required}


def sample(schema: dict[str, Any]) -> Any:
    match schema.get("type"):
        case "array":
            return [sample(schema.get("items", {}))] * schema.get("minItems", 1)
        case "object":
            return {name: sample(schema["properties"][name]) for name in schema.get("required", ())}
    return {"integer": 1, "number": 1, "boolean": True}.get(str(schema.get("type")), "text")


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
    fields = {"id": "q", "question": "?", "type": kind.type, "scoring": {}, **example(kind)}
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


ATTRIBUTES = ("type", "schema", "parts", "key_parts")


def forgotten(kind: type[Question]) -> Iterator[str]:
    """Name each place that whoever adds a type has forgotten."""
    missing = [name for name in ATTRIBUTES if not hasattr(kind, name)]
    yield from missing
    yield from sorted(kind.__abstractmethods__)
    labels = [*(f"parts.{part}" for part in getattr(kind, "parts", ())), f"type_values.{getattr(kind, 'type', '')}"]
    yield from (f"{code} in {language}" for language in LANGUAGES for code in labels if code not in texts(language))
    if not missing and not kind.key_parts <= set(kind.parts):
        yield "key_parts in parts"
    if "type" not in missing and types_by_name().get(kind.type) is not kind:
        yield "its own name"


def texts(language: str) -> set[str]:
    sections = json.loads((ROOT / "src" / "steelyard" / "i18n" / f"{language}.json").read_text("utf-8"))
    return {f"{section}.{name}" for section, entries in sections.items() for name in entries}


@pytest.mark.parametrize("kind", question_types(), ids=lambda kind: kind.type)
def test_nothing_of_a_type_is_forgotten(kind):
    assert list(forgotten(kind)) == []


def test_the_schema_in_the_benchmark_is_that_of_the_types():
    written = json.loads((ROOT / "benchmark" / "schema.json").read_text("utf-8"))
    assert written == question_schema(), "run make docs"


# A type that somebody adds.


@dataclass(frozen=True, slots=True)
class OrderQuestion(EvidenceQuestion):
    """A question for events in their order, in one module and with no other place than the catalogues."""

    order: ClassVar = 100
    type: ClassVar = "event_order"
    schema: ClassVar = {"required": ["order"], "properties": {"order": {"type": "array", "minItems": 2}}}
    parts: ClassVar = ("order_right",)
    key_parts: ClassVar = frozenset(("order_right",))

    @classmethod
    def weights(cls, parts):
        return {"order_right": 1.0}

    @classmethod
    def counted(cls, parts, score, reached):
        return parts

    def judge(self, case):
        return Draft({"order_right": 1.0}, {"order_right": Message("legal.nothing_said")}, 1.0)


@pytest.fixture
def new_type(monkeypatch, tmp_path):
    """A registry and catalogues with the type, as if its module and its labels were there."""
    caches = [question_schema, types_by_name, part_labels, checks._validator]
    for each in caches:
        each.cache_clear()
    folder = tmp_path / "added_types"
    folder.mkdir()
    source = f"from {__name__} import OrderQuestion as Added\nOrderQuestion = Added\nAdded.__module__ = __name__\n"
    (folder / "event_order.py").write_text(source, encoding="utf-8")
    monkeypatch.setattr(question_types_module, "__path__", [*question_types_module.__path__, str(folder)])
    yield
    monkeypatch.undo()
    sys.modules.pop(f"{question_types_module.__name__}.event_order", None)
    for each in caches:
        each.cache_clear()


@pytest.fixture
def labelled(monkeypatch):
    for language in LANGUAGES:
        own = catalogue.texts(language)
        monkeypatch.setitem(own, "parts.order_right", "order_right")
        monkeypatch.setitem(own, "type_values.event_order", "order of events")


def without(name: str) -> type[Question]:
    """The type without one of its attributes or methods."""
    members = {key: value for key, value in vars(OrderQuestion).items() if key not in (name, "__dict__", "__slots__")}
    inherited = {key: getattr(EvidenceQuestion, key) for key in ("parse", "expected_output", "gold_record")}
    members = {**{key: value for key, value in inherited.items() if key != name}, **members}
    return type("Forgetful", (Question,), members)


@pytest.mark.parametrize("name", [*ATTRIBUTES, "parse", "weights", "judge", "expected_output", "gold_record"])
def test_a_part_of_a_type_that_is_forgotten_is_named(name):
    assert name in list(forgotten(without(name)))


def test_labels_that_are_forgotten_are_named(new_type):
    wanted = [
        f"{code} in {language}" for language in LANGUAGES for code in ("parts.order_right", "type_values.event_order")
    ]
    assert list(forgotten(types_by_name()["event_order"])) == wanted


def test_a_name_that_another_type_has_is_named(new_type, monkeypatch):
    kind = types_by_name()["event_order"]
    monkeypatch.setattr(kind, "type", "fact_exact")
    assert "its own name" in list(forgotten(kind))


def test_a_schema_that_is_not_written_again_is_named(new_type):
    with pytest.raises(AssertionError, match="make docs"):
        test_the_schema_in_the_benchmark_is_that_of_the_types()


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


@pytest.mark.parametrize("order", [["签约", "付款"], ["签约"], None])
@pytest.mark.usefixtures("new_type", "labelled")
def test_a_benchmark_of_an_added_type_is_checked_and_run(tmp_path, capsys, monkeypatch, order):
    """A question without the field of its type is an input error (2), never an error of the program (4)."""
    folder = tmp_path / "case"
    folder.mkdir()
    (folder / "d.md").write_text("# 第1页\n\n答：先签约，后付款。\n", encoding="utf-8")
    question = {"id": "q", "question": "先后如何？", **({} if order is None else {"order": order})}
    content = {"benchmark_type": "event_order", "document": "d.md", "questions": [question]}
    (folder / "q.json").write_text(json.dumps(content), encoding="utf-8")
    is_sound = order is not None and len(order) > 1
    monkeypatch.chdir(tmp_path)
    assert main(["validate", "case"]) == (0 if is_sound else 2)
    bench = ["bench", "case", "--system", "builtin:baseline", "-o", "r.jsonl", "--lang", "zh"]
    assert main(bench) == (0 if is_sound else 2)
    output = capsys.readouterr()
    assert ("order_right" in output.out) is is_sound, output.err
