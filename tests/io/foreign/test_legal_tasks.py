"""JuDGE and CAIL 2025: files of predictions and of references of one shape."""

import json

import pytest
from complaints import complaint
from foreign_files import DATA, fields_of

import steelyard
from steelyard.errors import InputError


def test_a_judgment_is_a_prediction():
    first, second = fields_of("judge.jsonl")
    assert first.keys() == second.keys() == {"id", "prediction"}
    assert first["prediction"].startswith("云溪县人民法院 刑事判决书")


def test_numbers_and_articles_are_one_prediction_and_the_rest_is_kept():
    first, second = fields_of("cail2025.jsonl")
    assert json.loads(second["prediction"]) == {
        "numerical_answer": [6, 200],
        "article_answer": ["《中华人民共和国道路交通安全法》第九十条"],
    }
    assert (first["id"], first["question"][:4], first["tags"]) == (0, "在外务工", {"type": "误工费"})
    assert first["extra"] == {"cail2025": {"reasoning_content": "80,000/365×5=1,095.89元。"}}


@pytest.mark.parametrize("name", ["judge.jsonl", "cail2025.jsonl"])
def test_a_file_is_compared_with_one_of_the_same_shape_and_has_no_references_of_its_own(name):
    table = steelyard.evaluate_answers(DATA / name, DATA / name, "EM")
    assert table.column("EM").tolist() == [1.0, 1.0]
    with pytest.raises(InputError, match="references"):
        steelyard.evaluate_answers(DATA / name, metrics="EM")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": 1, "document": ["a"]}', "x.jsonl:1: the field 'document' must be text, not a list"),
        ('{"id": 1, "numerical_answer": 6, "article_answer": []}', "x.jsonl:1: the field 'numerical_answer' must be"),
    ],
)
def test_a_malformed_row_gives_one_message(write, text, message):
    assert message in complaint(fields_of, write("x.jsonl", text))
