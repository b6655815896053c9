"""TREC: runs, qrels, answers with citations, nuggets, judgments of UMBRELA."""

import json

import pytest
from complaints import complaint
from foreign_files import DATA, fields_of, title_of

from steelyard.io.foreign import trec_qrels, trec_run

TREC = DATA / "trec"
TITLES = {
    "nuggets.jsonl": "nuggets of TREC RAG",
    "umbrela.jsonl": "UMBRELA",
    "umbrela-0.0.7.jsonl": "UMBRELA",
    "trec-rag-2024.jsonl": "TREC RAG",
    "trec-rag-2025.jsonl": "TREC RAG",
    "run.txt": "TREC run",
    "qrels.txt": "TREC qrels",
}


@pytest.mark.parametrize("name", TITLES)
def test_each_file_is_recognised(name):
    assert title_of(TREC / name) == TITLES[name]


def test_citations_are_written_into_the_text_before_the_mark_that_ends_a_sentence():
    first, second = fields_of(TREC / "trec-rag-2024.jsonl")
    assert first["prediction"] == "It was signed on 3 May 2021 [1][2]. Both parties were present."
    assert (first["id"], first["system"], first["question"]) == ("t1", "run-a", "When was the lease signed?")
    assert second["prediction"] == "See item [2] of the annex."
    assert second["extra"]["trec-rag"]["answer"][0]["citations"] == [0]


def test_repeated_references_are_removed_before_they_are_counted():
    first = fields_of(TREC / "trec-rag-2024.jsonl")[0]
    assert first["retrieved_context_ids"] == ["lease#1", "lease#3"]
    assert first["extra"]["trec-rag"]["references"] == ["lease#1", "lease#1", "lease#3"]


def test_citations_can_be_ids():
    (found,) = fields_of(TREC / "trec-rag-2025.jsonl")
    assert found["prediction"] == "It was signed on 3 May 2021 [1]. The tenant pays [2][1]"
    assert (found["id"], found["system"]) == ("2", "run-b")
    assert found["extra"]["trec-rag"]["metadata"]["team_id"] == "team"


@pytest.mark.parametrize("citation", [2, -1, "lease#9", 1.5, True])
def test_a_citation_of_nothing_is_an_error(citation, tmp_path):
    file = tmp_path / "run.jsonl"
    row = {"topic_id": 1, "references": ["a", "b"], "answer": [{"text": "S.", "citations": [citation]}]}
    file.write_text(json.dumps(row) + "\n")
    assert complaint(fields_of, file).startswith(f"{file}:1: the citation {citation!r} is not among the 2 references")


def test_nuggets_have_the_scores_of_nuggetizer():
    first, failed, okay_only = fields_of(TREC / "nuggets.jsonl")
    assert first["scores"] == {"strict_vital": 0.5, "vital": 0.75, "strict_all": 1 / 3, "all": 0.5}
    assert (first["id"], first["system"], first["prediction"]) == ("t1", "run-a", "It was signed on 3 May 2021.")
    assert failed["scores"] == dict.fromkeys(("strict_vital", "vital", "strict_all", "all"))
    assert failed["errors"] == dict.fromkeys(failed["scores"], "1 of 3 nuggets failed")
    assert okay_only["scores"] == {"strict_vital": None, "vital": None, "strict_all": 0.5, "all": 0.5}
    assert okay_only["unscored"] == dict.fromkeys(("strict_vital", "vital"), "no vital nugget")


def test_nuggets_without_assignments_have_no_scores(tmp_path):
    file = tmp_path / "nuggets.jsonl"
    file.write_text('{"qid": "t", "query": "Q", "nuggets": [{"text": "n", "importance": "vital"}]}\n')
    (found,) = fields_of(file)
    assert "scores" not in found
    assert found["extra"]["nuggets"]["nuggets"] == [{"text": "n", "importance": "vital"}]


def test_an_unknown_importance_leaves_the_vital_scores_open(tmp_path):
    file = tmp_path / "nuggets.jsonl"
    nuggets = [
        {"text": "n", "importance": "vital", "assignment": "support"},
        {"text": "m", "importance": "failed", "assignment": "not_support"},
    ]
    file.write_text(json.dumps({"qid": "t", "nuggets": nuggets}) + "\n")
    (found,) = fields_of(file)
    assert found["scores"] == {"strict_vital": None, "vital": None, "strict_all": 0.5, "all": 0.5}


def test_a_judgment_that_was_not_parsed_is_an_error():
    good, zero, unparsed = fields_of(TREC / "umbrela.jsonl")
    assert (good["scores"], zero["scores"]) == ({"UMBRELA": 3.0}, {"UMBRELA": 0.0})
    assert unparsed["scores"] == {"UMBRELA": None}
    assert unparsed["errors"] == {"UMBRELA": "the reply could not be parsed: I cannot say."}
    old = fields_of(TREC / "umbrela-0.0.7.jsonl")
    assert [each["id"] for each in old] == [good["id"], zero["id"], unparsed["id"]]
    assert len({each["id"] for each in old}) == 3


def test_a_run_is_ranked_as_trec_eval_ranks_it():
    first, second = fields_of(TREC / "run.txt")
    assert (first["id"], first["retrieved_context_ids"]) == ("q1", ["d1", "d2"])
    assert second["retrieved_context_ids"] == ["d9", "d3", "d10"]


def test_qrels_are_references():
    first, second, third = fields_of(TREC / "qrels.txt")
    assert (first["reference_context_ids"], second["reference_context_ids"]) == (["d1"], ["d3", "d10"])
    assert "reference_context_ids" not in third


def test_judgments_keep_their_grades(tmp_path):
    (tmp_path / "qrels.txt").write_text("q 0 a 2\nq 0 b 1\nq 0 c 0\n")
    (found,) = fields_of(tmp_path / "qrels.txt")
    assert (found["reference_context_ids"], found["extra"]) == (["a", "b"], {"trec-qrels": {"not_relevant": ["c"]}})
    trec_qrels.write([found], tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_text() == "q 0 a 2\nq 0 b 1\n"


def test_rows_become_a_run_and_qrels(tmp_path):
    contexts = [{"id": "d1", "score": 0.5, "text": "a"}, "a text", {"id": "d1", "text": "again"}]
    row = {"id": "q1", "system": "my system", "contexts": contexts, "reference_context_ids": ["d1", "d7"]}
    trec_run.write([row], tmp_path / "run.txt")
    assert (tmp_path / "run.txt").read_text().splitlines() == [
        "q1 Q0 d1 1 2.0 my_system",
        "q1 Q0 734194ede5b063e6 2 1.0 my_system",
    ]
    trec_qrels.write([row], tmp_path / "qrels.txt")
    assert (tmp_path / "qrels.txt").read_text() == "q1 0 d1 1\nq1 0 d7 1\n"


def test_scores_of_contexts_are_kept_where_they_fall(tmp_path):
    contexts = [{"id": "a", "score": 3}, {"id": "b", "score": 1.5}]
    trec_run.write([{"id": "q", "contexts": contexts}], tmp_path / "run.txt")
    assert (tmp_path / "run.txt").read_text() == "q Q0 a 1 3 steelyard\nq Q0 b 2 1.5 steelyard\n"


def test_a_text_of_four_words_is_no_qrels(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("four words of text\n")
    assert "this is not JSON" in complaint(fields_of, file)


def test_an_id_with_blanks_is_refused(tmp_path):
    row = {"id": "q 1", "retrieved_context_ids": ["d"]}
    assert "run.txt: an id with blanks" in complaint(trec_run.write, [row], tmp_path / "run.txt")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("run.txt", "q Q0 d 1 2.0 t\nq Q0 d 1 2.0\n", ":2: 5 columns instead of 6"),
        ("run.txt", "q Q0 d 1 2 t\nq Q0 e 1 high t\n", ":2: the field 'score' must be a number, not 'high'"),
        ("run.txt", "q Q0 d 1 2 t\nq Q0 e 1 nan t\n", ":2: the field 'score' must be a number, not 'nan'"),
        ("qrels.txt", "q 0 d 1\nq 0 d\n", ":2: 3 columns instead of 4"),
        ("qrels.txt", "q 0 e 1\nq 0 d yes\n", ":2: the field 'grade' must be a number, not 'yes'"),
        ("n.jsonl", '{"qid": "t", "nuggets": [{"text": 1}]}\n', ":1: the field 'nuggets[0].text' must be text"),
        ("n.jsonl", '{"qid": "t", "nuggets": [{"text": "n", "assignment": "maybe"}]}\n', "must be one of support"),
        ("u.jsonl", '{"query": "q", "passage": "p", "judgment": "3"}\n', ":1: the field 'judgment' must be a number"),
        ("r.jsonl", '{"topic_id": 1, "references": [], "answer": [{"t": 1}]}\n', ":1: the field 'answer[0].text'"),
    ],
)
def test_what_is_wrong_is_one_message_with_its_line(name, content, message, tmp_path):
    file = tmp_path / name
    file.write_text(content)
    said = complaint(fields_of, file)
    assert said.startswith(f"{file}:")
    assert message in said
