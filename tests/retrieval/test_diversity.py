"""alpha-nDCG from judgments by subtopic."""

import pytest
from commands import run

import steelyard
from steelyard.errors import ConfigError, InputError

QRELS = """1 1 a 1
1 2 a 1
1 1 b 1
1 3 c 2
1 2 c 0
1 3 d 1
1 2 e 1
2 1 a 1
2 2 x -2
2 1 b 0
3 1 z 1
"""
RANKED = {"1": "bxacde", "2": "bxa", "3": "q"}
OF_PYNDEVAL = {
    "alpha_nDCG@3": [0.607442787465, 0.5, 0.0],
    "alpha_nDCG@10": [0.775818728676, 0.5, 0.0],
    "alpha_nDCG(alpha=0.9)@10": [0.743835897213, 0.5, 0.0],
    "alpha_nDCG(rel=2)@10": [0.430676558073, 0.0, 0.0],
}
"""The numbers that pyndeval 0.0.8 gives for the same judgments and ranking."""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text(QRELS)
    lines = [f"{q} Q0 {d} {n} {9 - n} t\n" for q, documents in RANKED.items() for n, d in enumerate(documents)]
    (tmp_path / "run").write_text("".join(lines))
    return tmp_path


def test_values_are_those_of_pyndeval(files):
    table = steelyard.evaluate_retrieval(files / "qrels", files / "run", list(OF_PYNDEVAL))
    for name, values in OF_PYNDEVAL.items():
        assert table.column(name).tolist() == pytest.approx(values, abs=1e-11), name


def test_without_a_cut_off_and_with_alpha_nought_it_counts_subtopics(files):
    table = steelyard.evaluate_retrieval(files / "qrels", files / "run", ["alpha_nDCG(alpha=0)", "alpha-nDCG"])
    assert table.metrics == ["alpha_nDCG(alpha=0)", "alpha_nDCG"]
    assert table.column("alpha_nDCG")[0] == pytest.approx(OF_PYNDEVAL["alpha_nDCG@10"][0])
    assert 0 < table.column("alpha_nDCG(alpha=0)")[0] < 1


def test_other_metrics_see_the_best_grade_of_a_document(files):
    table = steelyard.evaluate_retrieval(files / "qrels", files / "run", ["alpha_nDCG@10", "NumRel", "NumRel(rel=2)"])
    assert table.column("NumRel").tolist() == [5, 1, 1]
    assert table.column("NumRel(rel=2)").tolist() == [1, 0, 0]
    assert table.signature.get("judgments") == "by subtopic"
    plain = steelyard.evaluate_retrieval({"1": {"a": 1}}, {"1": {"a": 1.0}}, ["AP"])
    assert plain.signature.get("judgments") is None


def test_the_same_judgment_twice_is_an_error_with_its_lines(files):
    (files / "qrels").write_text(QRELS + "1 2 a 0\n")
    with pytest.raises(InputError, match=r"qrels:12: .*a.*2"):
        steelyard.evaluate_retrieval(files / "qrels", files / "run", ["alpha_nDCG@10"])


def test_judgments_without_subtopics_are_an_error():
    with pytest.raises(ConfigError, match=r"^alpha_nDCG needs judgments by subtopic\nhint: a TREC file"):
        steelyard.evaluate_retrieval({"1": {"a": 1}}, {"1": {"a": 1.0}}, ["alpha_nDCG@10"])


def test_alpha_is_a_share(files):
    done = run("retrieval", "qrels", "run", "-m", "alpha_nDCG(alpha=2)@10", cwd=files)
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, "alpha_nDCG: alpha must be between 0 and 1, not 2")
    assert run("retrieval", "qrels", "run", "-m", "alpha_nDCG@10", cwd=files).returncode == 0
