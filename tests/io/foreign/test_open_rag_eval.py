"""The CSV of answers of open-rag-eval: one row a passage."""

import json

from complaints import complaint
from foreign_files import DATA, fields_of


def test_rows_of_a_query_and_run_are_one_record():
    rows = fields_of("open_rag_eval.csv")
    assert [(row["id"], row["repeat"]) for row in rows] == [
        (f"q{query}", run) for query in range(1, 5) for run in (1, 2)
    ]
    assert rows[0]["prediction"] == "Within 14 days [1], by notice [1, 2]."  # it stands in the first row only
    assert rows[0]["contexts"] == [
        {"id": "1", "text": "Goods may be returned within 14 days."},
        {"id": "2", "text": 'A "notice", in writing,\nis needed.'},
    ]


def test_no_answer_is_an_empty_one_and_a_failure_is_an_error():
    rows = fields_of("open_rag_eval.csv")
    assert (rows[4]["prediction"], rows[4]["contexts"], "error" in rows[4]) == ("", [], False)
    assert (rows[6]["error"], "prediction" in rows[6]) == ("Runtime error: down", False)


def test_a_byte_order_mark(write):
    content = (DATA / "open_rag_eval.csv").read_bytes()
    assert fields_of(write("x.csv", b"\xef\xbb\xbf" + content)) == fields_of("open_rag_eval.csv")


def test_one_run_and_no_ids(write):
    text = "query,passage_id,passage,generated_answer\nq,[1],p,\nr,[1],p,x\nq,[2],s,a [2]\n"
    assert fields_of(write("x.csv", text)) == [
        {"question": "q", "prediction": "a [2]", "contexts": [{"id": "1", "text": "p"}, {"id": "2", "text": "s"}]},
        {"question": "r", "prediction": "x", "contexts": [{"id": "1", "text": "p"}]},
    ]


def test_a_malformed_file_gives_one_message(write):
    good = {"query": "q", "passage_id": "[1]", "passage": "p", "generated_answer": "a"}
    said = complaint(
        fields_of, write("x.jsonl", json.dumps(good) + "\n" + json.dumps({**good, "passage_id": None}) + "\n")
    )
    assert "x.jsonl:2: the field 'passage_id' must be text, a number, true or false, not null" in said
    said = complaint(fields_of, write("x.csv", "query,passage_id,passage,generated_answer\nq,[1],p\n"))
    assert "x.csv:2: 3 columns, the header has 4" in said
