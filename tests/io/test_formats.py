"""Formats of rows that installed distributions add."""

import pytest

import steelyard
from steelyard.io.records import read_records

PLUGIN = """
from steelyard import limits
from steelyard.io.records import Record


def rows(stream):
    for number, line in enumerate(stream.read_all(limits.FILE_BYTES).decode().splitlines(), 1):
        yield Record(stream.name, number, dict(pair.split("=") for pair in line.split(";")))
"""


@pytest.fixture
def distribution(install):
    """An installed distribution with a reader of `.rows` files, and one that claims `.csv`."""
    points = ".rows = row_format:rows\n.csv = row_format:rows"
    install("row-format", {"steelyard.formats": points}, row_format=PLUGIN)


def test_a_format_of_an_installed_package(distribution, write):
    qrels = write("qrels.rows", "query_id=q;doc_id=a;relevance=1\nquery_id=q;doc_id=b;relevance=0\n")
    run = write("run.csv", "query_id,doc_id,score\nq,b,2\nq,a,1\n")
    assert steelyard.evaluate_retrieval(qrels, run, ["RR"]).mean("RR") == 0.5
    answers = write("answers.rows", "id=1;prediction=Paris;reference=Paris\n")
    assert steelyard.evaluate_answers(answers, metrics=["EM"]).mean("EM") == 1.0


def test_a_format_of_this_package_is_not_replaced(distribution, write):
    records, _ = read_records(write("x.csv", "a,b\n1,2\n"))
    assert [record.fields for record in records] == [{"a": "1", "b": "2"}]
