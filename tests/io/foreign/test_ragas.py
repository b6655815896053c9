"""RAGAS: what is read, and what is written."""

import csv
import json
import math
from typing import Any

import pytest
from complaints import complaint
from foreign_files import carried, fields_of, through_ours, values_of

from steelyard.io.foreign import ragas
from steelyard.io.results import load

PAIRS = [{"user_input": "q1", "response": "a"}, {"user_input": "q2", "response": "b"}]


def lines(*rows: object) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@pytest.mark.parametrize("name", ["ragas01_dataset.jsonl", "ragas01_result.csv", "ragas_result.json"])
@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
def test_older_names_are_written_as_those_of_today(name, suffix, tmp_path):
    again = through_ours(name, "ragas", tmp_path / f"again{suffix}")
    assert carried(fields_of(again), "ragas") == carried(fields_of(name), "ragas")
    assert "user_input" in values_of(again)[0]


def test_a_row_of_a_dataset():
    first, second, third = fields_of("ragas_dataset.jsonl")
    assert first["question"] == "Within how many days may a buyer return goods?"
    assert first["prediction"] == "Within 14 days."
    assert first["references"] == ["14 days"]
    assert first["contexts"][1] == 'The seller\'s "terms" | apply, as of 2024.'
    assert first["reference_contexts"] == ["Goods may be returned within 14 days."]
    assert (first["retrieved_context_ids"], first["reference_context_ids"]) == (["d1", "d7"], ["d1"])
    assert set(first["extra"]["ragas"]) == {
        "multi_responses",
        "rubrics",
        "persona_name",
        "query_style",
        "query_length",
    }
    assert "id" not in first
    assert "reference_contexts" not in second  # a field without a value is left out
    assert (third["prediction"], third["contexts"]) == ("", [])


def test_numbers_and_texts_as_ids_of_contexts_are_the_same():
    second = fields_of("ragas_dataset.jsonl")[1]
    assert (second["retrieved_context_ids"], second["reference_context_ids"]) == (["3"], ["3", "4"])


def test_lists_in_csv_are_as_python_writes_them():
    rows = fields_of("ragas_dataset.csv")
    assert rows == fields_of("ragas_dataset.jsonl")


def test_an_array_of_numpy_in_csv_is_a_list_of_its_texts():
    first, second, third = fields_of("ragas01_result.csv")
    assert first["contexts"] == [
        "Goods may be returned within 14 days.",
        'The seller\'s "terms" apply, as of 2024.',
        "第三条",
    ]
    assert third["contexts"] == ["Nothing.", "Nothing more."]
    assert "faithfulness" not in second["scores"]


def test_names_of_version_0_1():
    first = fields_of("ragas01_dataset.jsonl")[0]
    assert first["prediction"] == "Within 14 days."
    assert first["references"] == ["14 days", "two weeks"]


def test_a_conversation_is_asked_its_last_question():
    first, second = fields_of("ragas_multi_turn.jsonl")
    assert (first["question"], first["prediction"]) == ("And who pays the freight?", "The buyer.")
    assert len(first["extra"]["ragas"]["user_input"]) == 6
    assert second["question"] == "Hello"
    assert "prediction" not in second
    assert fields_of("ragas_multi_turn.csv") == [first, second]


def test_an_experiment_has_scores():
    for name in ("ragas_experiment.jsonl", "ragas_experiment.csv"):
        rows = {row["question"]: row for row in fields_of(name)}
        unmeasured = rows["Is there a warranty?"]
        assert unmeasured["scores"] == {"correct": 0.0, "relevancy": None}
        assert unmeasured["unscored"] == {"relevancy": "NaN"}
        assert rows["谁承担运费？"]["scores"] == {"correct": 1.0, "relevancy": 0.25}
        assert rows["谁承担运费？"]["notes"]["correct"] in ("found", 'it\'s "there"')
        assert set(unmeasured["extra"]["ragas"]) >= {"grade"}


@pytest.mark.parametrize("name", ["ragas_result.csv", "ragas_result.json", "ragas_result.parquet"])
def test_a_result_of_pandas_has_scores(name):
    assert [row.get("scores", {}).get("faithfulness") for row in fields_of(name)] == [0.5, None, 0.5]


def test_columns_that_are_no_scores(write):
    text = "Unnamed: 0,user_input,response,query_length,episode_done,f1\n0,q,a,12,True,0.5\n"
    (row,) = fields_of(write("x.csv", text))
    assert row["scores"] == {"f1": 0.5}
    assert row["extra"]["ragas"] == {"Unnamed: 0": 0, "query_length": 12, "episode_done": "True"}


@pytest.mark.parametrize("cell", ["[" * 150 + "]" * 150, "[" * 100_000 + "]" * 100_000, "{1}", "[b'x']", "[Infinity]"])
def test_a_cell_that_is_no_json_is_text(write, cell):
    (row,) = fields_of(write("x.csv", f"user_input,response,rubrics\nq,a,{cell}\n"))
    assert row["extra"]["ragas"] == {"rubrics": cell}


def test_a_backslash_in_a_list_is_read_as_python_reads_it(write):
    (row,) = fields_of(write("x.csv", "user_input,response,retrieved_contexts\nq,a,\"['\\d', 'e']\"\n"))
    assert row["contexts"] == ["\\d", "e"]


def test_nan_in_place_of_a_text_is_a_missing_text(write):
    (row,) = fields_of(write("x.jsonl", '{"user_input": "q", "response": "a", "reference": NaN, "f": NaN}\n'))
    assert row == {"question": "q", "prediction": "a", "scores": {"f": None}, "unscored": {"f": "NaN"}}


def test_csv_has_the_columns_of_later_rows(tmp_path):
    rows: list[dict[str, Any]] = [
        {"question": "q1", "prediction": "a"},
        {"question": "q2", "references": ["b"], "scores": {"f": 0.5}},
    ]
    ragas.write(rows, tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(newline="", encoding="utf-8") as file:
        header, *_ = csv.reader(file)
    assert header == ["user_input", "response", "reference", "f"]
    assert fields_of(tmp_path / "x.csv") == [rows[0], {**rows[1], "prediction": ""}]


def test_contexts_with_ids_are_written_as_texts_beside_ids(tmp_path):
    row = {"question": "q", "contexts": [{"id": 7, "text": "p"}, {"id": "x", "text": "r"}], "references": ["a", "b"]}
    ragas.write([row], tmp_path / "x.jsonl")
    assert json.loads((tmp_path / "x.jsonl").read_text()) == {
        "user_input": "q",
        "retrieved_contexts": ["p", "r"],
        "retrieved_context_ids": ["7", "x"],
        "reference": "a",
        "references": ["a", "b"],
    }


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "x.jsonl",
            lines(PAIRS[0], {"user_input": "q", "response": "a", "retrieved_contexts": "p"}),
            "x.jsonl:2: the field 'retrieved_contexts' must be a list, not 'p'",
        ),
        (
            "x.jsonl",
            lines({"user_input": [{"content": "q", "type": 1}], "reference": "a"}),
            "x.jsonl:1: the field 'user_input[0].type' must be text, not 1",
        ),
        (
            "x.jsonl",
            lines({"user_input": ["q"], "reference": "a"}),
            "x.jsonl:1: the field 'user_input[0]' must be an object, not 'q'",
        ),
        (
            "x.csv",
            "user_input,response,retrieved_contexts\nq,a,['p'\n",
            "x.csv:2: the field 'retrieved_contexts' must be a list, not \"['p'\"",
        ),
        (
            "x.json",
            json.dumps([*PAIRS, {"user_input": "q", "response": {"text": "a"}}]),
            "x.json#/2: the field 'response' must be text, not an object",
        ),
        (
            "x.jsonl",
            lines({"user_input": "q", "response": "a", "reference_context_ids": [1.5]}),
            "x.jsonl:1: the field 'reference_context_ids[0]' must be a number or text, not 1.5",
        ),
    ],
)
def test_a_malformed_file_gives_one_message(write, name, text, message):
    said = complaint(fields_of, write(name, text))
    assert message in said
    assert len(said.splitlines()) == 2
    assert "hint: read as RAGAS" in said


def test_plain_values_of_metadata_are_tags(write):
    row = {"user_input": "q", "response": "a", "metadata": {"topic": "rent", "page": 3, "deep": {"x": [1]}}}
    (fields,) = fields_of(write("rows.jsonl", lines(row)))
    assert fields["tags"] == {"topic": "rent", "page": "3"}
    assert fields["extra"]["ragas"]["metadata"] == row["metadata"]


@pytest.mark.parametrize("cell", ["1_0", "٣", "0x1", "1e999"])
def test_a_score_is_written_in_plain_digits(cell, tmp_path):
    (tmp_path / "scores.csv").write_text(f"user_input,response,faithfulness\nq1,a,{cell}\nq2,b,0.5\n", "utf-8")
    assert load(tmp_path / "scores.csv").column("faithfulness").tolist() == pytest.approx([math.nan, 0.5], nan_ok=True)
