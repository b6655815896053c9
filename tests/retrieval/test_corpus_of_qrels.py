"""Qrels checked against a corpus: judged documents that it lacks, and queries that cannot be won."""

import json

import pytest

import steelyard
from steelyard.cli import main
from steelyard.retrieval.reading.texts import absent_documents, unwinnable

QRELS = {"1": {"d1": 1, "d2": 0}, "2": {"d3": 1, "d4": 2}, "3": {"d1": 1, "d5": 1}, "4": {"d6": 0}}
RUN = {"1": {"d1": 2.0}, "2": {"d1": 1.0}, "3": {"d9": 1.0}}
# corpus; judged documents that it lacks; queries of which it has no relevant document, at level 1 and 2
CASES = [
    (["d1", "d2", "d3", "d4", "d5", "d6"], [], [], []),
    (["d1", "d9"], ["d2", "d3", "d4", "d5", "d6"], ["2"], ["2"]),
    (["d1", "d3"], ["d2", "d4", "d5", "d6"], [], ["2"]),
    (["d4"], ["d1", "d2", "d3", "d5", "d6"], ["1", "3"], []),
    (["x"], ["d1", "d2", "d3", "d4", "d5", "d6"], ["1", "2", "3"], ["2"]),
]


@pytest.mark.parametrize(("corpus", "absent", "lost", "lost_at_2"), CASES)
@pytest.mark.parametrize("is_file", [True, False])
def test_known_answers(tmp_path, corpus, absent, lost, lost_at_2, is_file):  # noqa: PLR0917 - the columns of a case
    path = tmp_path / "corpus.jsonl"
    path.write_text("\n".join(json.dumps({"_id": id_, "text": f"text of {id_}"}) for id_ in corpus), "utf-8")
    docs = path if is_file else {id_: f"text of {id_}" for id_ in corpus}
    for level, expected in ((1, lost), (2, lost_at_2)):
        table = steelyard.evaluate_retrieval(QRELS, RUN, ["AP"], docs=docs, relevance_level=level)
        assert (sorted(absent_documents(table)), unwinnable(table, level)) == (absent, expected)
        assert table.counts["counts.documents_absent"] == len(absent)
        assert table.counts["counts.queries_unwinnable"] == len(expected)


def test_texts_are_kept_of_shown_documents_only_and_scores_stay():
    table = steelyard.evaluate_retrieval(QRELS, RUN, ["AP"], docs={"d1": "one", "d2": "two"})
    assert table.outputs[0]["texts"] == {"d1": ["", "one"]}
    assert table.column("AP").tolist() == steelyard.evaluate_retrieval(QRELS, RUN, ["AP"]).column("AP").tolist()
    assert "counts.documents_absent" not in steelyard.evaluate_retrieval(QRELS, RUN, ["AP"], keep=True).counts


def test_the_command_counts_warns_and_lists(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, content in (("qrels.json", QRELS), ("run.json", RUN)):
        (tmp_path / name).write_text(json.dumps(content), "utf-8")
    (tmp_path / "corpus.tsv").write_text("d1\tone\nd9\tnine\n", "utf-8")
    command = ["retrieval", "qrels.json", "run.json", "-m", "AP", "--docs", "corpus.tsv"]
    assert main([*command, "-o", "results.jsonl"]) == 0
    shown = capsys.readouterr()
    assert "⚠ run: judged documents that the corpus lacks 5" in shown.out
    assert "⚠ run: queries that cannot be won (the corpus lacks every relevant document) 1" in shown.out
    assert "5 judged documents are not in corpus.tsv: d2, d3, d4, d5, d6\n" in shown.err
    assert "1 query cannot be won, because no relevant document is in corpus.tsv: 2\n" in shown.err
    assert steelyard.load("results.jsonl").outputs[1]["absent"] == [["d3", 1], ["d4", 2]]
    (tmp_path / "corpus.tsv").write_text("".join(f"d{n}\ttext\n" for n in range(1, 10)), "utf-8")
    assert main(command) == 0
    shown = capsys.readouterr()
    assert ("corpus lacks" in shown.out, shown.err) == (False, "")
