"""BEIR, MTEB and LegalBench-RAG: collections, results, spans of characters."""

import json
import shutil

import pytest
from complaints import complaint
from foreign_files import DATA, fields_of, title_of

from steelyard.io.foreign import beir, legalbench_rag
from steelyard.io.foreign.formats import format_called, not_carried

FOLDER = DATA / "retrieval"
TESTS, RESULTS = FOLDER / "legalbench-rag-tests.json", FOLDER / "legalbench-rag-results.json"
REAL = DATA.parents[4] / "shared" / "data" / "real" / "legalbench_rag"


def test_a_folder_of_beir_has_questions_with_references():
    assert title_of(FOLDER / "beir") == "BEIR"
    first, second, third = fields_of(FOLDER / "beir")
    assert (first["id"], first["question"]) == ("q1", "When was the lease signed?")
    assert first["reference_context_ids"] == ["d1"]
    assert first["reference_contexts"][0]["text"] == "This lease was signed on 3 May 2021."
    assert [(each["id"], each.get("grade", 1)) for each in second["reference_contexts"]] == [("d2", 1), ("d3", 2)]
    assert "reference_contexts" not in third


def test_documents_that_no_query_refers_to_are_counted():
    first = fields_of(FOLDER / "beir")[0]
    assert first["extra"]["beir"]["documents_without_query"] == 1
    assert "beir.documents_without_query" in set(not_carried(first, format_called("ragas")))


def test_a_folder_of_beir_is_written_with_its_relevant_documents(tmp_path):
    beir.write(fields_of(FOLDER / "beir"), tmp_path)
    texts = {each["_id"]: each["text"] for each in _objects(FOLDER / "beir" / "queries.jsonl")}
    assert {each["_id"]: each["text"] for each in _objects(tmp_path / "queries.jsonl")} == texts
    written, given = ((folder / "qrels" / "test.tsv").read_text() for folder in (tmp_path, FOLDER / "beir"))
    assert sorted(written.splitlines()) == sorted(line for line in given.splitlines() if not line.endswith("\t0"))


def test_rows_of_others_become_a_folder_of_beir(tmp_path):
    row = {"id": "q", "question": "Q", "contexts": ["found"], "reference_contexts": [{"id": "d", "text": "gold"}]}
    beir.write([row], tmp_path / "new")
    assert (tmp_path / "new" / "qrels" / "test.tsv").read_text() == "query-id\tcorpus-id\tscore\nq\td\t1\n"
    assert [each["text"] for each in _objects(tmp_path / "new" / "corpus.jsonl")] == ["gold", "found"]
    assert fields_of(tmp_path / "new")[0]["reference_contexts"] == [{"id": "d", "title": "", "text": "gold"}]


def test_a_folder_of_results_of_mteb_has_a_system_for_each_model():
    assert title_of(FOLDER / "mteb") == "MTEB"
    found = fields_of(FOLDER / "mteb")
    assert {each["system"] for each in found} == {"example/small@1", "example/large@7"}
    assert {each["id"] for each in found} == {
        "LegalSummarization/test/default",
        "LegalBenchConsumerContractsQA/test/default",
    }


def test_a_result_of_mteb_has_its_numbers_and_says_that_they_are_rounded():
    (found,) = fields_of(FOLDER / "mteb" / "example__small" / "1" / "LegalSummarization.json")
    assert found["scores"]["ndcg_at_10"] == 0.237965
    assert found["notes"] == {"main_score": "rounded to 6 digits by MTEB"}
    assert found["tags"] == {"task": "LegalSummarization", "split": "test", "subset": "default"}
    assert "system" not in found
    assert found["extra"]["mteb"]["languages"] == ["eng-Latn"]


def test_gold_spans_are_reference_contexts():
    assert title_of(TESTS) == title_of(RESULTS) == "LegalBench-RAG"
    first, second, third = fields_of(TESTS)
    assert first["reference_contexts"] == [
        {
            "document": "leases/shop one.txt",
            "span": [0, 52],
            "text": "This lease was signed on 3 May 2021 by both parties.",
        }
    ]
    assert (first["tags"], len(second["reference_contexts"]), third["question"]) == (
        {"set": "leases"},
        2,
        "信息何时归还?",
    )


def test_results_have_the_retrieved_spans_scores_and_weights():
    first, second, third = fields_of(RESULTS)
    assert first["contexts"][0] == {
        "document": "leases/shop one.txt",
        "span": [0, 60],
        "score": 0.9,
        "text": first["contexts"][0]["text"],
    }
    assert first["scores"]["recall"] > 1, "overlapping spans are counted twice there"
    assert (second["scores"], third["contexts"]) == ({"precision": 0.0, "recall": 0.0}, [])
    assert third["extra"]["legalbench-rag"]["weight"] == 1.0


def test_tests_of_legalbench_rag_are_written_as_they_were(tmp_path):
    legalbench_rag.write(fields_of(TESTS), tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text()) == json.loads(TESTS.read_text())


@pytest.mark.skipif(not REAL.is_dir(), reason="the data of LegalBench-RAG is not here")
def test_the_published_questions_are_read_whole():
    questions = fields_of(REAL / "privacy_qa.tests.jsonl")
    retrieved = {each["id"]: each["contexts"] for each in fields_of(REAL / "privacy_qa.retrieved.bm25-500char.jsonl")}
    documents = {each["id"]: each["contents"] for each in _objects(REAL / "privacy_qa.docs.jsonl")}
    assert (len(questions), sum(len(each["reference_contexts"]) for each in questions)) == (194, 453)
    for question in questions:
        assert retrieved[question["id"]]
        for gold in question["reference_contexts"]:
            start, end = gold["span"]
            assert documents[gold["document"]][start:end] == gold["text"]


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("corpus.jsonl", '{"_id": "d1", "text": 5}\n', "corpus.jsonl:1: the field 'text' must be text, not 5"),
        ("queries.jsonl", '{"text": "Q"}\n', "queries.jsonl:1: the field '_id' is missing"),
        ("queries.jsonl", '{"_id": "q1", "text": "Q"}\n', "the query 'q2' is not in queries.jsonl"),
        ("qrels/test.tsv", "query-id\tcorpus-id\tgrade\nq1\td1\t1\n", "test.tsv:2: the field 'score' is missing"),
        ("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\tx\n", "test.tsv:2: the field 'score' must be a number"),
    ],
)
def test_what_is_wrong_with_a_folder_of_beir_is_one_message(name, change, message, tmp_path):
    folder = shutil.copytree(FOLDER / "beir", tmp_path / "beir")
    (folder / name).write_text(change)
    assert message in complaint(fields_of, folder)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"tests": [{"query": "Q", "snippets": [{"file_path": "a", "span": [5, 2]}]}]}, "span' must be two integers"),
        ({"tests": [{"query": "Q", "snippets": [{"span": [1, 2]}]}]}, "'tests[0].snippets[0].file_path' is missing"),
        ({"qa_result_list": [{"qa_gt": {}}]}, "'qa_result_list[0].retrieved_snippets' is missing"),
        ({"task_name": "t", "mteb_version": "2", "scores": {"test": {}}}, "'scores.test' must be a list"),
    ],
)
def test_what_is_wrong_with_a_document_is_one_message(content, message, tmp_path):
    file = tmp_path / "x.json"
    file.write_text(json.dumps(content))
    said = complaint(fields_of, file)
    assert said.startswith(f"{file}: ")
    assert message in said


def _objects(path):
    return [json.loads(line) for line in path.read_text().splitlines()]
