"""Formats that can be written: what they have a place for comes back."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from complaints import complaint
from foreign_files import carried, fields_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steelyard.errors import ConfigError
from steelyard.io.conversion import convert
from steelyard.io.foreign.formats import format_called, not_carried

SAME_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=12)
PASSAGES = st.lists(TEXT.filter(lambda text: not text.startswith("deepeval_source=")), max_size=3)
IDS = st.lists(TEXT | st.integers(-9, 999), max_size=3)
VALUE = st.recursive(
    st.booleans() | st.integers(-99, 10**20) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def some_of(**members: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with some of these members."""
    return st.fixed_dictionaries({}, optional=members)


OTHERS = some_of(**dict.fromkeys(["faithfulness", "f1", "note", "f1_reason", "Unnamed: 0", "x y"], VALUE))
SCORES = some_of(**dict.fromkeys(["f1", "x y"], st.floats(0, 1) | st.none())).filter(bool)
MESSAGE = st.fixed_dictionaries({"content": TEXT, "type": st.sampled_from(["human", "ai", "tool"])})
RAGAS = st.builds(
    lambda needed, known, others: {**others, **known, **needed},
    st.fixed_dictionaries({"user_input": TEXT | st.lists(MESSAGE, min_size=1, max_size=3), "reference": TEXT}),
    some_of(
        response=TEXT,
        retrieved_contexts=PASSAGES,
        reference_contexts=PASSAGES,
        retrieved_context_ids=IDS,
        reference_context_ids=IDS,
        multi_responses=PASSAGES,
        rubrics=st.dictionaries(TEXT, TEXT, max_size=2),
        references=st.lists(TEXT, max_size=3),
        id=TEXT | st.integers(0, 99),
    ),
    OTHERS,
)
DEEPEVAL = st.builds(
    lambda needed, known: {**known, **needed},
    st.fixed_dictionaries({"input": TEXT, "expected_output": TEXT}),
    some_of(
        actual_output=TEXT,
        retrieval_context=PASSAGES,
        context=PASSAGES,
        name=TEXT,
        tools_called=st.lists(st.dictionaries(TEXT, VALUE, max_size=2), max_size=2),
        token_cost=st.floats(0, 1),
        additional_metadata=some_of(id=VALUE, references=VALUE, repeat=VALUE, a=VALUE),
        custom_column_key_values=st.dictionaries(TEXT, TEXT, max_size=2),
    ),
)
FLASHRAG = st.builds(
    lambda needed, known: {**known, **needed},
    st.fixed_dictionaries({"question": TEXT, "golden_answers": st.lists(TEXT | st.integers(0, 9), max_size=3)}),
    some_of(
        id=TEXT | st.integers(0, 99),
        metadata=st.dictionaries(TEXT, VALUE, max_size=2),
        choices=PASSAGES,
        output=some_of(
            pred=TEXT,
            prompt=TEXT,
            metric_score=st.dictionaries(TEXT, st.floats(0, 1)),
            retrieval_result=st.lists(st.fixed_dictionaries({"id": TEXT, "contents": TEXT}), max_size=2),
        ),
    ),
)


def rewritten(rows: list[Mapping[str, Any]], name: str, folder: Path, suffix: str = ".jsonl") -> tuple[Path, Path]:
    """A file with these rows, and the one that is written from what is read of it."""
    source, target = folder / "source.jsonl", folder / f"target{suffix}"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    content = json.loads(json.dumps(fields_of(source, name), allow_nan=False))
    format_called(name).write(content, target)  # type: ignore[attr-defined]
    return source, target


@pytest.mark.parametrize(("name", "row"), [("ragas", RAGAS), ("deepeval", DEEPEVAL), ("flashrag", FLASHRAG)])
@SAME_FOLDER
@given(data=st.data())
def test_rows_of_a_format_come_back(name, row, data, tmp_path):
    rows = data.draw(st.lists(row, min_size=1, max_size=3))
    source, target = rewritten(rows, name, tmp_path)
    assert carried(fields_of(target, name), name) == carried(fields_of(source, name), name)


OURS = some_of(
    id=TEXT.filter(bool) | st.integers(0, 99),
    prediction=TEXT,
    references=st.lists(TEXT, min_size=1, max_size=3),
    contexts=PASSAGES,
    reference_contexts=PASSAGES,
    retrieved_context_ids=st.lists(TEXT, min_size=1, max_size=3),
    reference_context_ids=st.lists(TEXT, min_size=1, max_size=3),
    tags=some_of(area=TEXT, level=TEXT).filter(bool),
    system=TEXT,
    repeat=st.integers(1, 9),
    scores=SCORES,
    error=TEXT,
)


@SAME_FOLDER
@pytest.mark.parametrize("name", ["ragas", "deepeval", "flashrag"])
@given(row=OURS, question=TEXT)
def test_what_a_format_carries_comes_back(name, row, question, tmp_path):
    target, each = tmp_path / "target.jsonl", format_called(name)
    ours = {"question": question, **row}
    each.write([ours], target)  # type: ignore[attr-defined]
    lost = set(not_carried(ours, each))
    (again,) = fields_of(target, name)
    again.pop("unscored", None)
    again.pop("extra", None)
    expected = {field: value for field, value in ours.items() if field not in lost}
    assert again | {"references": again.get("references") or None} == expected | {
        "references": expected.get("references")
    }


WORDS = TEXT.filter(lambda text: text.strip() == text != "")
IN_CELLS = st.builds(
    lambda needed, known: {**needed, **known},
    st.fixed_dictionaries({"question": WORDS, "references": st.lists(WORDS, min_size=1, max_size=1)}),
    some_of(
        contexts=st.lists(WORDS.filter(lambda text: "|" not in text), min_size=1, max_size=3),
        reference_contexts=st.lists(WORDS.filter(lambda text: "|" not in text), min_size=1, max_size=3),
        prediction=WORDS,
    ),
)


@SAME_FOLDER
@pytest.mark.parametrize("name", ["ragas", "deepeval"])
@given(rows=st.lists(IN_CELLS, min_size=1, max_size=3))
def test_cells_come_back(name, rows, tmp_path):
    format_called(name).write(rows, tmp_path / "x.csv")  # type: ignore[attr-defined]
    again = [
        {field: value for field, value in row.items() if value != ""} for row in fields_of(tmp_path / "x.csv", name)
    ]
    assert again == rows


ROW = {"question": "q", "prediction": "a\tb", "references": ["c"], "contexts": ["p, r", "s"]}


@pytest.mark.parametrize("name", ["ragas", "deepeval"])
@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".csv", ".tsv", ".JSONL"])
def test_the_suffix_says_how_rows_are_written(name, suffix, tmp_path):
    path = tmp_path / f"x{suffix}"
    format_called(name).write([ROW], path)  # type: ignore[attr-defined]
    assert fields_of(path) == [ROW]


@pytest.mark.parametrize("name", ["ragas", "deepeval", "flashrag"])
@pytest.mark.parametrize("suffix", [".xlsx", ".jsonl.gz", ""])
def test_a_file_that_cannot_be_written_is_refused(name, suffix, tmp_path):
    path = tmp_path / f"x{suffix}"
    message = complaint(format_called(name).write, [ROW], path, kind=ConfigError)  # type: ignore[attr-defined]
    assert str(path) in message
    assert ".jsonl" in message
    assert not path.exists()


@pytest.mark.parametrize("name", ["ragas", "deepeval"])
def test_a_context_that_is_no_list_is_one_context(tmp_path, name):
    row = {"id": "1", "question": "q", "prediction": "a", "references": ["b"], "contexts": 5}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row), "utf-8")
    convert(tmp_path / "rows.jsonl", tmp_path / "out.json", write_as=name)
    assert '"5"' in (tmp_path / "out.json").read_text("utf-8")
