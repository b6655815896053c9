"""`-o FILE.eval`: trec_eval's own output, and what it cannot hold."""

import pytest
from commands import run

import steelyard
from steelyard.errors import ConfigError

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 2\nq3 0 c 1\n"
RUN = "# made by hand\nq1 Q0 a 1 2.0 my-tag\nq1 Q0 b 2 1.0 my-tag\nq2 Q0 x 1 1.0 my-tag\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    return tmp_path


def lines(path):
    return [line.split("\t") for line in path.read_text().splitlines()]


def test_the_means_of_the_official_measures(files):
    assert run("retrieval", "qrels", "run", "-m", "official", "-o", "x.eval", cwd=files).returncode == 0
    rows = lines(files / "x.eval")
    assert rows[:6] == [
        ["runid                 ", "all", "my-tag"],
        ["num_q                 ", "all", "3"],
        ["num_ret               ", "all", "3"],
        ["num_rel               ", "all", "3"],
        ["num_rel_ret           ", "all", "1"],
        ["map                   ", "all", "0.3333"],
    ]
    assert rows[6] == ["gm_map                ", "all", "0.0005"]
    assert len(rows) == 30


def test_measures_are_in_the_order_of_trec_eval_and_others_follow(files):
    names = "ERR@5,P_10,P_5,map,ndcg_exp@3,ndcg_cut_5,AP(rel=2)"
    run("retrieval", "qrels", "run", "-m", names, "-o", "x.eval", cwd=files)
    expected = ["map", "P_5", "P_10", "ndcg_cut_5", "ERR@5", "nDCGexp@3", "AP(rel=2)"]
    assert [row[0].strip() for row in lines(files / "x.eval")] == expected


@pytest.mark.parametrize(("version", "queries"), [(9, ["q1", "q2"]), (10, ["q1", "q2", "q3"])])
def test_each_query_before_the_means(files, version, queries):
    options = ["-m", "official", "-q", "--trec-eval", version, "-o", "x.eval"]
    run("retrieval", "qrels", "run", *options, cwd=files)
    rows = lines(files / "x.eval")
    assert list(dict.fromkeys(row[1] for row in rows)) == [*queries, "all"]
    assert [row[1] for row in rows if row[0].startswith("gm_map")] == ["all"]
    assert [row[2] for row in rows if row[0].startswith("recip_rank") and row[1] == "q1"] == ["1.0000"]


def test_a_results_file_in_trec_eval_s_format(files):
    run("retrieval", "qrels", "run", "-m", "official", "-o", "r.jsonl", "-o", "a.eval", cwd=files)
    assert run("report", "r.jsonl", "-o", "b.eval", cwd=files).returncode == 0
    assert lines(files / "b.eval")[1:] == lines(files / "a.eval")[1:]
    assert lines(files / "b.eval")[0][2] == "run"
    steelyard.load(files / "r.jsonl").report(files / "c.eval")
    assert (files / "c.eval").read_text() == (files / "b.eval").read_text()


def test_a_run_that_is_no_trec_file_has_the_name_of_the_file(files):
    (files / "my.json").write_text('{"q1": {"a": 1.0}}')
    run("retrieval", "qrels", "my.json", "-m", "official", "-o", "x.eval", cwd=files)
    assert lines(files / "x.eval")[0][2] == "my"


def test_an_id_cannot_break_the_lines(files):
    table = steelyard.evaluate_retrieval({"q\n1": {"a": 1}}, {"q\n1": {"a": 1.0}}, ["map"])
    from steelyard.reports.content import Report
    from steelyard.reports.render.values import render_trec_eval

    assert render_trec_eval(Report([table], per_item=True)).splitlines()[0] == "map                   \tq_1\t1.0000"


def test_several_runs_are_refused_before_any_work(files):
    (files / "other").write_text(RUN)
    done = run("retrieval", "qrels", "run", "other", "-o", "x.eval", "-o", "y.csv", cwd=files)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("trec_eval's format holds one ranking\nhint: ")
    assert not (files / "y.csv").exists()


def test_answers_are_refused(files):
    (files / "p.jsonl").write_text('{"prediction": "a", "references": ["a"]}\n')
    done = run("answers", "p.jsonl", "-o", "x.eval", cwd=files)
    assert done.returncode == 2
    assert "x.eval" in done.stderr
    with pytest.raises(ConfigError):
        steelyard.evaluate_answers(["a"], ["a"]).report(files / "x.eval")
    run("answers", "p.jsonl", "-o", "r.jsonl", cwd=files)
    done = run("report", "r.jsonl", "-o", "x.eval", cwd=files)
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, "trec_eval's format holds one ranking")
