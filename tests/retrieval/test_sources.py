"""The same judgments and run in every form give the same scores."""

import gzip
import io
import json
import subprocess
import sys

import numpy as np
import pandas
import pytest
import zstandard

import steelyard

QRELS = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d2": 1, "文书-9": 1}, "q10": {"d7": -1, "d1": 1}}
RUN = {"q1": {"d3": 3.5, "d9": 3.5, "d1": 1.0}, "q2": {"文书-9": 2.0, "d1": 2.0, "d2": -1.5}}
METRICS = ["AP", "nDCG@2", "P@1", "bpref"]

QRELS_TEXT = "".join(f"{q} 0 {d} {g}\n" for q, docs in QRELS.items() for d, g in docs.items())
RUN_TEXT = "".join(f"{q} Q0 {d} {n} {s} tag\n" for q, docs in RUN.items() for n, (d, s) in enumerate(docs.items(), 1))
ROWS = [{"query": q, "doc": d, "score": s} for q, docs in RUN.items() for d, s in docs.items()]
GRADES = [{"query-id": q, "corpus-id": d, "score": g} for q, docs in QRELS.items() for d, g in docs.items()]


def scores(qrels, run):
    table = steelyard.evaluate_retrieval(qrels, run, METRICS)
    return {item: [table.column(m)[row] for m in METRICS] for row, item in enumerate(table.ids)}


EXPECTED = scores(QRELS, RUN)


def test_the_values_are_those_worked_out_by_hand():
    # q1: d9 before d3 (tie, greater id first), then d1: relevant at ranks 2 and 3
    assert EXPECTED["q1"][0] == pytest.approx((1 / 2 + 2 / 3) / 2)
    # q2: 文书-9 and d1 tie at 2.0; 文 is the greater byte, so it stands first; d2 last
    assert EXPECTED["q2"][0] == pytest.approx((1 + 2 / 3) / 2)
    assert EXPECTED["q10"] == [0, 0, 0, 0]


TEXT_FORMS = {
    "plain": RUN_TEXT,
    "tabs and runs of blanks": RUN_TEXT.replace(" ", " \t  "),
    "leading and trailing blanks": "".join(f"  {line} \t\n" for line in RUN_TEXT.splitlines()),
    "crlf": RUN_TEXT.replace("\n", "\r\n"),
    "byte-order mark": "\ufeff" + RUN_TEXT,
    "comments and blank lines": "# made by hand\n\n" + RUN_TEXT.replace("\n", "\n\n# six words that are a comment\n"),
    "no last newline": RUN_TEXT.rstrip("\n"),
    "five columns": RUN_TEXT.replace(" tag\n", "\n"),
    "seven columns": RUN_TEXT.replace(" tag\n", " tag extra\n"),
    "exponents": RUN_TEXT.replace("3.5", "35e-1").replace("-1.5", "-15E-1"),
    "interleaved queries": "".join(sorted(RUN_TEXT.splitlines(True), key=lambda line: line.split()[2])),
}


@pytest.mark.parametrize("form", TEXT_FORMS)
def test_text_forms_of_a_run(write, form):
    assert scores(write("qrels.txt", QRELS_TEXT), write("run.txt", TEXT_FORMS[form])) == EXPECTED


@pytest.mark.parametrize("form", ["tabs", "crlf", "byte-order mark", "comments"])
def test_text_forms_of_judgments(write, form):
    text = {
        "tabs": QRELS_TEXT.replace(" ", "\t"),
        "crlf": QRELS_TEXT.replace("\n", "\r\n"),
        "byte-order mark": "\ufeff" + QRELS_TEXT,
        "comments": "# judged by nobody\n" + QRELS_TEXT,
    }[form]
    assert scores(write("qrels", text), RUN) == EXPECTED


def test_compressed_files(write):
    qrels = write("qrels.gz", gzip.compress(QRELS_TEXT.encode()))
    run = write("run.trec.zst", zstandard.compress(RUN_TEXT.encode()))
    assert scores(qrels, run) == EXPECTED


def test_compression_is_recognised_whatever_the_name(write):
    assert scores(write("qrels.txt", gzip.compress(QRELS_TEXT.encode())), RUN) == EXPECTED


def test_two_zstandard_frames_are_one_file(write):
    half = len(RUN_TEXT) // 2
    frames = zstandard.compress(RUN_TEXT.encode()[:half]) + zstandard.compress(RUN_TEXT.encode()[half:])
    assert scores(QRELS, write("run.zst", frames)) == EXPECTED


@pytest.mark.slow
@pytest.mark.parametrize("text", [RUN_TEXT, TEXT_FORMS["interleaved queries"]])
def test_standard_input(write, text):
    qrels = write("qrels.txt", QRELS_TEXT)
    command = [sys.executable, "-m", "steelyard", "retrieval", str(qrels), "-", "-m", ",".join(METRICS), "--json", "-q"]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    found = json.loads(done.stdout)["results"][0]
    assert found["name"] == "stdin"
    assert {item["id"]: list(item["scores"].values()) for item in found["per_item"]} == EXPECTED


def csv_text(rows, separator=","):
    lines = [separator.join(rows[0]), *(separator.join(map(str, row.values())) for row in rows)]
    return "\n".join(lines) + "\n"


def parquet_bytes(rows):
    output = io.BytesIO()
    pandas.DataFrame(rows).to_parquet(output)
    return output.getvalue()


FILE_FORMS = {
    ".json": lambda nested, rows: json.dumps(nested),
    ".list.json": lambda nested, rows: json.dumps(rows),
    ".jsonl": lambda nested, rows: "\n".join(map(json.dumps, rows)),
    ".csv": lambda nested, rows: csv_text(rows),
    ".tsv": lambda nested, rows: csv_text(rows, "\t"),
    ".parquet": lambda nested, rows: parquet_bytes(rows),
    ".json.gz": lambda nested, rows: gzip.compress(json.dumps(nested).encode()),
}


@pytest.mark.parametrize("suffix", FILE_FORMS)
def test_files_with_names_in_them(write, suffix):
    qrels = write(f"qrels{suffix}", FILE_FORMS[suffix](QRELS, GRADES))
    run = write(f"run{suffix}", FILE_FORMS[suffix](RUN, ROWS))
    assert scores(qrels, run) == EXPECTED


def test_a_trec_file_may_be_called_tsv(write):
    assert scores(write("q.tsv", QRELS_TEXT), write("r.tsv", RUN_TEXT.replace(" ", "\t"))) == EXPECTED


def test_a_beir_folder(write, tmp_path):
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    (folder / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    (folder / "qrels" / "test.tsv").write_text(csv_text(GRADES, "\t"), encoding="utf-8")
    assert scores(folder, RUN) == EXPECTED


def structured():
    rows = [(row["query"], row["doc"], row["score"]) for row in ROWS]
    return np.array(rows, dtype=[("qid", "U9"), ("docno", "U9"), ("score", "f8")])


PYTHON_FORMS = {
    "columns": {
        "query_id": [r["query"] for r in ROWS],
        "docid": [r["doc"] for r in ROWS],
        "sim": [r["score"] for r in ROWS],
    },
    "arrays": {
        "q_id": np.array([r["query"] for r in ROWS]),
        "doc_id": np.array([r["doc"] for r in ROWS]),
        "score": np.array([r["score"] for r in ROWS]),
    },
    "structured array": structured(),
    "three arrays": tuple(np.array([row[key] for row in ROWS]) for key in ("query", "doc", "score")),
    "data frame": pandas.DataFrame(ROWS),
    "rows with names": ROWS,
    "rows": [(r["query"], r["doc"], r["score"]) for r in reversed(ROWS)],
}


@pytest.mark.parametrize("form", PYTHON_FORMS)
def test_values_in_python(form):
    assert scores(QRELS, PYTHON_FORMS[form]) == EXPECTED
    assert scores(pandas.DataFrame(GRADES), PYTHON_FORMS[form]) == EXPECTED


def test_numbers_are_good_ids():
    table = steelyard.evaluate_retrieval({1: {10: 1}}, [(1, 10, 0.5)], ["AP"])
    assert (list(table.ids), table.mean("AP")) == (["1"], 1.0)


def test_ranks_that_contradict_scores_across_a_tie_are_counted():
    run = "q1 Q0 z 5 2 t\nq1 Q0 a 1 2 t\nq1 Q0 b 3 1 t\n"
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run")
        path.write_text(run)
        counts = steelyard.evaluate_retrieval({"q1": {"a": 1}}, path, ["AP"]).counts
    assert counts["counts.queries_disordered"] == 1
    assert counts["counts.queries_tied"] == 1


def test_scores_too_large_for_32_bits_are_infinite_and_tie():
    table = steelyard.evaluate_retrieval({"q": {"a": 1}}, {"q": {"a": 2e39, "b": 1e39}}, ["RR"])
    assert table.mean("RR") == 0.5


def test_what_is_odd_is_counted(write):
    run = write(
        "run.txt",
        "# a run\nq1 Q0 d3 1 1.0\nq1 Q0 d1 2 5.0 tag\nq9 Q0 d1 1 1.0 tag more\nq2 Q0 d2 2 1.5 t\nq2 Q0 d1 1 1.5 t\n",
    )
    qrels = write("qrels.txt", "# judged by hand\n" + QRELS_TEXT)
    counts = steelyard.evaluate_retrieval(qrels, run, ["AP"]).counts
    assert counts == {
        "counts.judged_queries": 3,
        "counts.queries_missing": 1,
        "counts.queries_without_relevant": 0,
        "counts.queries_without_hit": 0,
        "counts.queries_unjudged": 1,
        "counts.run_lines": 5,
        "counts.queries_tied": 1,
        "counts.queries_disordered": 1,
        "counts.lines_without_tag": 1,
        "counts.lines_too_wide": 1,
        "counts.run_comments": 1,
        "counts.judgment_comments": 1,
    }
