"""Faults of UltraRAG 0.3.0.2 that its users met, numbered as in the list made by running it: here they are none.

E: answers, I: rankings, P: significance, B: data. Those of pipelines (C) are in tests/pipelines, those of prompts and
generation (S) in test_prompt.py, test_generation_server.py and test_custom.py.
"""

import json
from pathlib import Path

import pytest

from steelyard.errors import InputError
from steelyard.pipelines.load import load_program

ROOT = Path(__file__).parents[2]
EVALUATION = load_program(ROOT / "servers" / "evaluation" / "src" / "evaluation.py", name="faults_evaluation").tools
BENCHMARK = load_program(ROOT / "servers" / "benchmark" / "src" / "benchmark.py", name="faults_benchmark").tools
EIGHT = ("acc", "em", "stringem", "coverem", "f1", "rouge-1", "rouge-2", "rouge-l")


def scores(reference, prediction):
    found = EVALUATION["evaluate"].function([prediction], [[reference]], profile="steelyard")["eval_res"]
    return {name: found[name][0] for name in EIGHT}


@pytest.mark.parametrize(
    ("reference", "prediction"),
    [
        ("北京", "北京"),
        ("北京", "北京。"),
        ("１９７２年", "1972年"),
        ("Paris", "Ｐａｒｉｓ"),
        ("“北京”", "北京"),
        ("Москва", "москва"),
        ("القاهرة", "القاهرة"),
        ("A", "A"),
        ("True", "True."),
        ("U.S.", "US"),
    ],
)
def test_e1_e2_e5_the_same_answer_is_right_in_any_script(reference, prediction):
    assert set(scores(reference, prediction).values()) == {1.0}


def test_e1_words_of_unspaced_scripts_overlap():
    found = scores("北京", "中国的首都是北京")
    assert (found["acc"], found["em"], found["coverem"]) == (1.0, 0.0, 1.0)
    assert 0 < found["f1"] < 1
    assert 0 < found["rouge-l"] < 1


@pytest.mark.parametrize(
    ("reference", "prediction"),
    [
        ("A", "B"),  # E2: the letter A is no article here
        ("A", ""),
        ("", "x"),  # E3: a reference of nothing is found nowhere
        ("!!!", "x"),
        ("The The", "x"),
        ("one", "none of them"),  # E4: within a word is not within a text
        ("1", "In 2017 there were 10"),
        ("2017", "12017"),
        ("C++", "C"),  # E5: signs that mean something
        ("-5", "5"),
        ("3.14", "3 14"),
    ],
)
def test_e2_to_e5_what_is_wrong_earns_nothing(reference, prediction):
    assert set(scores(reference, prediction).values()) == {0.0}


def test_e5_e6_what_is_only_part_of_an_answer_does_not_cover_it():
    for reference, prediction in (("$5", "5%"), ("vitamin A", "vitamin"), ("new york new york", "new york")):
        found = scores(reference, prediction)
        assert (found["acc"], found["em"], found["coverem"]) == (0.0, 0.0, 0.0)
    assert scores("a b c", "c b a")["coverem"] == 0.0


def test_e8_nothing_to_weigh_is_an_error():
    with pytest.raises(InputError, match="it contains no rows"):
        EVALUATION["evaluate"].function([], [])


def test_e11_one_odd_item_stops_nothing():
    weigh = EVALUATION["evaluate"].function
    assert weigh([None, 5, "Paris"], [["x"], [5], "Paris"], "em")["eval_res"]["em"] == [0.0, 1.0, 1.0]


def test_e14_a_result_says_what_made_it(tmp_path):
    path = tmp_path / "result.json"
    found = EVALUATION["evaluate"].function(["x"], [["x"]], ["em"], str(path))["eval_res"]
    assert "profile:ultrarag" in found["signature"]
    assert found["profile"] == "ultrarag"
    assert "predictions:sha256 " in found["signature"]
    low, high = found["ci95"]["em"]
    assert 0 < low < high == 1
    (saved,) = tmp_path.glob("result_*.json")
    assert json.loads(saved.read_text()) == found


def trec(tmp_path, qrels, run, *metrics):
    (tmp_path / "qrels").write_bytes(qrels if isinstance(qrels, bytes) else qrels.encode())
    (tmp_path / "run").write_bytes(run if isinstance(run, bytes) else run.encode())
    weigh = EVALUATION["evaluate_trec"].function
    return weigh(str(tmp_path / "run"), str(tmp_path / "qrels"), list(metrics) or ["map"])["eval_res"]


QRELS, RUN = "1 0 a 1\n2 0 b 1\n", "1 Q0 a 1 2.0 x\n2 Q0 b 1 2.0 x\n"


def test_i2_a_run_without_tags_is_read_and_counted(tmp_path):
    found = trec(tmp_path, QRELS, "1 Q0 a 1 2.0\n2 Q0 b 1 2.0\n")
    assert (found["map"], found["counts"]["lines without a run tag"]) == (1.0, 2)


def test_i3_judgments_of_three_columns_and_a_byte_order_mark_are_read(tmp_path):
    beir = "query-id\tcorpus-id\tscore\n1\ta\t1\n2\tb\t1\n"
    (tmp_path / "test.tsv").write_text(beir)
    (tmp_path / "run").write_text(RUN)
    weigh = EVALUATION["evaluate_trec"].function
    assert weigh(str(tmp_path / "run"), str(tmp_path / "test.tsv"), ["map"])["eval_res"]["map"] == 1.0
    assert trec(tmp_path, b"\xef\xbb\xbf" + QRELS.encode(), b"\xef\xbb\xbf" + RUN.encode())["map"] == 1.0


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        (QRELS, "", "run: it contains no lines"),  # I3
        (QRELS, "9 Q0 a 1 2.0 x\n", "no query"),  # I3: nothing in common
        ("1 0 a abc\n", RUN, "qrels:1: "),  # I4: a grade is a number
        (QRELS, "1 Q0 a 1 n/a x\n", "run:1: score is not a number"),  # I6
        (QRELS, "1 Q0 a 1 nan x\n", "run:1: "),
        (QRELS, "1 Q0 a 1 2 x\n1 Q0 a 2 1 x\n", "run:2: duplicate document 'a' in this query (first on line 1)"),  # I7
        ("1 0 a 1\n1 0 a 0\n", RUN, "qrels:2: duplicate judgment of document 'a' for this query (first on line 1)"),
        (b"1 0 a 1\n" + "1 0 文 1\n".encode("gbk"), RUN, "qrels:2: this is not UTF-8 text"),  # I10
    ],
)
def test_i3_to_i10_what_cannot_be_read_is_named(tmp_path, qrels, run, message):
    with pytest.raises(InputError) as caught:
        trec(tmp_path, qrels, run)
    assert message in str(caught.value)


def test_i4_a_grade_of_nothing_is_not_relevant(tmp_path):
    assert trec(tmp_path, "1 0 a 0.0\n1 0 b 1\n", "1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n")["map"] == 0.5


def test_i9_ranks_that_contradict_scores_are_counted(tmp_path):
    found = trec(tmp_path, QRELS, "1 Q0 a 2 2.0 x\n1 Q0 c 1 1.0 x\n2 Q0 b 1 2.0 x\n")
    assert found["counts"]["queries whose rank column disagrees with their scores"] == 1


def compared(tmp_path, better, worse, *metrics):
    qrels = "".join(f"{query} 0 d{document} 1\n" for query in range(len(better)) for document in range(10))
    for name, shares in (("new", better), ("old", worse)):
        lines = [
            f"{query} Q0 {'d' if document < round(10 * share) else 'x'}{document} 1 {20 - document} t\n"
            for query, share in enumerate(shares)
            for document in range(10)
        ]
        (tmp_path / name).write_text("".join(lines))
    (tmp_path / "q").write_text(qrels)
    weigh = EVALUATION["evaluate_trec_pvalue"].function
    found = weigh(str(tmp_path / "new"), str(tmp_path / "old"), str(tmp_path / "q"), list(metrics), [10, 100])
    return found["eval_res"]


def test_p2_twenty_queries_that_are_all_better_have_the_exact_p(tmp_path):
    found = compared(tmp_path, [1.0] * 20, [0.5] * 20, "precision")
    assert found["P@10"]["p_value"] == pytest.approx(2 / 2**20)


def test_p3_ties_of_tenths_are_ties(tmp_path):
    differences = [0.2, 0.4, -0.1, 0.2, -0.1, 0.4, 0.2, 0.3]
    found = compared(tmp_path, [0.5 + each for each in differences], [0.5] * 8, "precision")
    assert found["P@10"]["p_value"] == pytest.approx(0.0546875)
    assert not found["P@10"]["significant"]


def test_p7_proportional_differences_have_one_p(tmp_path):
    found = compared(tmp_path, [0.7, 0.2, 0.9, 0.4, 0.5], [0.3, 0.3, 0.3, 0.3, 0.3], "precision")
    assert found["P@10"]["p_value"] == found["P@100"]["p_value"]


def test_b4_a_parquet_file_with_lists_is_read(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "rows.parquet"
    parquet.write_table(pyarrow.table({"question": ["a", "b"], "golden": [["x", "y"], ["z"]]}), path)
    settings = {"path": str(path), "key_map": {"q_ls": "question", "gt_ls": "golden"}}
    assert BENCHMARK["get_data"].function(settings) == {"q_ls": ["a", "b"], "gt_ls": [["x", "y"], ["z"]]}


@pytest.mark.parametrize("address", ["s3://bucket/run.txt", "http://127.0.0.1:9/run.txt"])
def test_addresses_are_no_paths_of_servers(address):
    """A client must not use the network or the credentials of a server."""
    with pytest.raises(InputError, match="no such file"):
        EVALUATION["evaluate_trec"].function(address, address)
