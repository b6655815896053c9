"""Every bad input gets one message: file, line, what is wrong, what to do."""

import gzip

import pytest

import steelyard
from steelyard.errors import InputError

QRELS = "q1 0 d1 1\nq2 0 d2 1\n"
RUN = "q1 Q0 d1 1 2.5 t\nq2 Q0 d2 1 1.5 t\n"
RUN_HINT = "hint: a run line is: query Q0 document rank score tag"
QRELS_HINT = "hint: a qrels line is: query 0 document grade"
BINARY = "hint: a text file is required; convert UTF-16 with: iconv -f UTF-16 -t UTF-8"
CONVERT = "hint: convert it, for example: iconv -f GB18030 -t UTF-8"


def complaint(qrels, run, **settings) -> str:
    with pytest.raises(InputError) as caught:
        steelyard.evaluate_retrieval(qrels, run, ["AP"], **settings)
    return str(caught.value)


BAD_RUNS = {
    "a score that is no number": (
        "q1 Q0 d1 1 high t\n",
        "{path}:1: score is not a number: 'high'\n" + RUN_HINT,
    ),
    "two decimal points": (
        "q1 Q0 d1 1 1.23456789.0 t\nq1 Q0 d2 2 1 t\n",
        "{path}:1: score is not a number: '1.23456789.0'\n" + RUN_HINT,
    ),
    "a control character in an id": (
        b"q1 Q0 d\x1fx 1 0.9 t\nq1 Q0 d1 2 0.5 t\n",
        "{path}:1: a control character (0x1f) inside a line\n" + RUN_HINT,
    ),
    "bare carriage returns in lines that look regular": (
        "q1 Q0 d1 1 .9 t\rq1 Q0 d2 2 .5 t\rq2 Q0 d1 1 3 t",
        "{path}:1: a carriage return inside a line; lines must end in LF or CRLF\n" + RUN_HINT,
    ),
    "a score that is NaN": (
        "q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 NaN t\n",
        "{path}:2: score is not a number: 'NaN'\n" + RUN_HINT,
    ),
    "too few columns": (
        "# head\n\nq1 Q0 d1 1 2.5 t\nq1 d2 1.5\nq2\n",
        "{path}:4: 3 columns, at least 5 are required\n{path}:5: 1 column, at least 5 are required\n" + RUN_HINT,
    ),
    "a document twice in a query": (
        "q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\nq1 Q0 d1 3 0.5 t\n",
        "{path}:3: duplicate document 'd1' in this query (first on line 1)\nhint: list each document once per query",
    ),
    "a document twice in a query that is not judged": (
        "q1 Q0 d1 1 2.5 t\nq7 Q0 x 2 1.5 t\nq7 Q0 x 3 0.5 t\n",
        "{path}:3: duplicate document 'x' in this query (first on line 2)\nhint: list each document once per query",
    ),
    "a document twice, queries interleaved": (
        "q1 Q0 d1 1 2.5 t\nq2 Q0 d1 1 2.5 t\nq1 Q0 d1 2 1.5 t\n",
        "{path}:3: duplicate document 'd1' in this query (first on line 1)\nhint: list each document once per query",
    ),
    "an empty file": ("", "{path}: it contains no lines\n" + RUN_HINT),
    "a file of comments": ("# nothing\n\n", "{path}: it contains no lines\n" + RUN_HINT),
    "no common query": (
        "7 Q0 d1 1 2.5 t\n",
        "{path}: no query of the run is judged in {qrels}\n"
        "hint: the judgments begin with query 'q1'; do both files belong to the same test collection?",
    ),
    "GBK": (
        RUN.encode() + "q3 Q0 判决 1 1.0 t\n".encode("gbk"),
        "{path}:3: this is not UTF-8 text: byte 0xc5\n" + CONVERT,
    ),
    "UTF-16": (RUN.encode("utf-16"), "{path}:1: this is not UTF-8 text but UTF-16 or binary\n" + BINARY),
    "a NUL byte": (
        RUN.encode() + b"q3 Q0 d\0 1 1.0 t\n",
        "{path}:3: this is not UTF-8 text but UTF-16 or binary\n" + BINARY,
    ),
    "bare carriage returns": (
        "q1 Q0 d1 1 2.5 t\rq2 Q0 d2 1 1.5 t\r",
        "{path}:1: a carriage return inside a line; lines must end in LF or CRLF\n" + RUN_HINT,
    ),
}


@pytest.mark.parametrize("case", BAD_RUNS)
@pytest.mark.parametrize("threads", [1, 2])
def test_bad_runs(write, case, threads):
    content, expected = BAD_RUNS[case]
    qrels, run = write("qrels.txt", QRELS), write("run.txt", content)
    assert complaint(qrels, run, threads=threads) == expected.format(path=run, qrels=qrels)


BAD_QRELS = {
    "a grade that is no number": ("q1 0 d1 yes\n", "{path}:1: grade is not an integer: 'yes'\n" + QRELS_HINT),
    "a grade between grades": ("q1 0 d1 0.5\n", "{path}:1: grade is not an integer: '0.5'\n" + QRELS_HINT),
    "too few columns": ("q1 0 d1 1\nq1 d1 1\n", "{path}:2: 3 columns, at least 4 are required\n" + QRELS_HINT),
    "an empty file": ("", "{path}: it contains no judgments\n" + QRELS_HINT),
    "a run": (
        RUN,
        "{path}:1: 6 columns, 4 are required\n{path}:2: 6 columns, 4 are required\n"
        "hint: a qrels line is: query 0 document grade; judgments (QRELS) come before runs (RUN)",
    ),
    "a grade beyond what doubles tell apart": (
        "q1 0 d1 9007199254740993\n",
        "{path}:1: grade is not an integer: '9007199254740993'\n" + QRELS_HINT,
    ),
    "judged twice": (
        "q1 0 d1 1\nq2 0 d1 1\nq1 1 d1 0\n",
        "{path}:3: duplicate judgment of document 'd1' for this query (first on line 1)\n"
        "hint: keep one judgment per query and document",
    ),
    "GBK": ("q1 0 判决 1\n".encode("gbk"), "{path}:1: this is not UTF-8 text: byte 0xc5\n" + CONVERT),
}


@pytest.mark.parametrize("case", BAD_QRELS)
def test_bad_qrels(write, case):
    content, expected = BAD_QRELS[case]
    path = write("qrels.txt", content)
    assert complaint(path, write("run.txt", RUN)) == expected.format(path=path)


def test_the_first_twenty_problems_come_at_once(write):
    run = write("run.txt", "".join(f"q1 Q0 d{n} {n} x{n} t\n" for n in range(30)))
    lines = complaint(write("qrels.txt", QRELS), run).split("\n")
    assert lines[:20] == [f"{run}:{n + 1}: score is not a number: 'x{n}'" for n in range(20)]
    assert lines[20:] == ["(the first 20 problems; there may be more)", RUN_HINT]


def test_problems_far_into_a_file_have_their_line(write):
    good = "".join(f"q{q} Q0 d{n} {n} {1000 - n} tag\n" for q in range(200) for n in range(500))
    run = write("run.txt", good + "q999 Q0 d1 1 oops tag\n")
    assert complaint(write("qrels.txt", QRELS), run) == f"{run}:100001: score is not a number: 'oops'\n{RUN_HINT}"


def test_a_file_that_is_not_there(write, tmp_path):
    write("run_a.txt", RUN)
    path = tmp_path / "run_b.txt"
    assert complaint({"q1": {"d": 1}}, path) == f"{path}: no such file\nhint: did you mean '{tmp_path / 'run_a.txt'}'?"
    path = tmp_path / "nothing.txt"  # like run_a.txt only in its suffix
    assert complaint({"q1": {"d": 1}}, path) == f"{path}: no such file"
    assert complaint({"q1": {"d": 1}}, "nowhere/run") == "nowhere/run: no such file\nhint: there is no folder 'nowhere'"


def test_a_folder_in_place_of_a_run(tmp_path):
    assert complaint({"q1": {"d": 1}}, tmp_path) == f"{tmp_path}: a run must be a file, this is a folder"


def test_a_folder_without_judgments(tmp_path):
    expected = f"{tmp_path}: no judgments in this folder\nhint: a BEIR folder contains qrels/test.tsv"
    assert complaint(tmp_path, {"q1": {"d": 1.0}}) == expected


def test_a_torn_gzip_file(write):
    path = write("run.gz", gzip.compress(RUN.encode())[:-9])
    expected = "cannot be read: Compressed file ended before the end-of-stream marker was reached"
    assert complaint({"q1": {"d1": 1}}, path) == f"{path}: {expected}\nhint: is the file complete?"


def test_a_torn_zstandard_file(write):
    import zstandard

    whole = zstandard.compress("".join(f"q1 Q0 d{n} {n} {n / 7} t\n" for n in range(50_000)).encode())
    for share in (0.3, 0.6, 0.99):
        path = write("run.zst", whole[: int(len(whole) * share)])
        expected = "cannot be read: Compressed file ended before the end of its last frame"
        assert complaint({"q1": {"d1": 1}}, path) == f"{path}: {expected}\nhint: is the file complete?"


STRUCTURED = {
    "broken JSON": ("run.json", '{"q1": {"d1": 1.0,}}', "{path}:1: this is not JSON: "),
    "a key twice": ("run.json", '{"q1": {"d1": 1.0, "d1": 2.0}}', "{path}: duplicate key 'd1' in one object"),
    "NaN in JSON": ("run.json", '{"q1": {"d1": NaN}}', "{path}: NaN is not a valid JSON number"),
    "a score as text": ("run.json", '{"q1": {"d1": "high"}}', "{path}#/q1/d1: score is not a number: 'high'"),
    "true as a score": ("run.json", '{"q1": {"d1": true}}', "{path}#/q1/d1: score is not a number: True"),
    "not nested": ("run.json", '{"q1": 3}', "{path}#/q1: each query needs a mapping of documents"),
    "a number of thousands of digits": ("run.json", '{"q1": {"d1": ' + "9" * 5000 + "}}", "{path}: Exceeds the limit "),
    "full-width digits": ("run.json", '{"q1": {"d1": "１"}}', "{path}#/q1/d1: score is not a number: '１'"),
    "empty object": ("run.json", "{}", "{path}: it is empty"),
    "a line that is no object": (
        "run.jsonl",
        '{"query": "q1", "doc": "d", "score": 1}\n[1]\n',
        "{path}:2: an object with named fields is required, not [1]\nhint: each line of a .jsonl file is a JSON object",
    ),
    "a field that is missing": (
        "run.jsonl",
        '{"query": "q1", "doc": "d", "score": 1}\n{"query": "q1", "score": 1}\n',
        "{path}:2: the field 'doc' is missing",
    ),
    "no such column": (
        "run.csv",
        "query,doc,points\nq1,d1,1\n",
        "{path}: no column is called 'score' or 'sim'; columns: 'query', 'doc', 'points'\n"
        "hint: accepted names: score, sim, similarity; the file is read as .csv because of its name",
    ),
    "semicolons": (
        "run.csv",
        "query;doc;score\nq1;d1;1\n",
        "{path}:1: the columns are separated by semicolons\nhint: save it with commas",
    ),
    "several bad lines at once": (
        "run.jsonl",
        "{\n3\n",
        "{path}:1: this is not JSON: Expecting property name enclosed in double quotes (column 2)\n"
        "{path}:2: an object with named fields is required, not 3\nhint: each line of a .jsonl file is a JSON object",
    ),
    "brackets without end": ("run.json", "[" * 100_000, "{path}: this JSON is nested too deeply"),
    "a row that is too short": ("run.csv", "query,doc,score\nq1,d1\n", "{path}:2: 2 columns, the header has 3"),
    "an empty id": ("run.csv", "query,doc,score\n,d1,1\n", "{path}:2: query id must be text or an integer, not ''"),
    "two columns of one name": ("run.csv", "query,doc,doc,score\nq,a,b,1\n", "{path}:1: two columns are called 'doc'"),
    "a document twice": (
        "run.csv",
        "query,doc,score\nq1,d1,1\nq1,d1,2\n",
        "{path}:3: duplicate document 'd1' in this query (first on line 2)\nhint: list each document once per query",
    ),
    "tabs in a file of commas": (
        "run.csv",
        "query\tdoc\tscore\nq\ta\t1\n",
        "{path}:1: the columns are separated by tabs\nhint: rename the file to .tsv",
    ),
    "a binary run of ranx": (
        "run.lz4",
        "x",
        "{path}: files of the type .lz4 are not read\nhint: save a run of ranx as parquet or JSON:"
        ' run.save("run.parquet", kind="parquet")',
    ),
    "a table without rows": ("run.csv", "query,doc,score\n", "{path}: it contains no rows"),
    "not parquet": ("run.parquet", "PAR0", "{path}: this is not a parquet file: "),
}


@pytest.mark.parametrize("case", STRUCTURED)
def test_bad_files_with_names_in_them(write, case):
    name, content, expected = STRUCTURED[case]
    path = write(name, content)
    found = complaint({"q1": {"d1": 1}}, path)
    expected = expected.format(path=path)
    # the words after "this is not …: " are those of the library that read it
    assert found.startswith(expected) if expected.endswith((": ", " limit ")) else found == expected


PYTHON = {
    "a float as id": ([(1.0, "d", 1.0)], "run[0]: query id must be text or an integer, not 1.0"),
    "None as score": ({"q1": {"d1": None}}, "run#/q1/d1: score is not a number: None"),
    "NaN": ({"q1": {"d1": float("nan")}}, "run#/q1/d1: score is not a number: nan"),
    "columns of different length": (
        {"query": ["q1"], "doc": ["a", "b"], "score": [1.0]},
        "run: the columns differ in length: {'query': 1, 'doc': 2, 'score': 1}",
    ),
    "short rows": ([("q1", "d1")], "run[0]: a row must be (query, document, number), not ('q1', 'd1')"),
    "a document twice": (
        [("q1", "d1", 1.0), ("q1", "d1", 2.0)],
        "run[1]: duplicate document 'd1' in this query (first at run[0])\nhint: list each document once per query",
    ),
    "nothing": ({}, "run: it is empty"),
}


@pytest.mark.parametrize("case", PYTHON)
def test_bad_values_in_python(case):
    run, expected = PYTHON[case]
    assert complaint({"q1": {"d1": 1}}, run) == expected


def test_bad_judgments_in_python():
    for qrels, expected in (
        ({"q1": {"d1": 1e300}}, "qrels#/q1/d1: grade is not an integer: 1e+300"),
        ({"q1": {"d1": 1}, "q2": {}}, "qrels#/q2: no document is judged for this query\nhint: remove the query"),
        ({"q1": {"d\0": 1}}, "qrels#/q1/d\0: document id must be text or an integer, not 'd\\x00'"),
    ):
        assert complaint(qrels, {"q1": {"d1": 1.0}}) == expected


def test_scores_in_place_of_grades_are_answered_with_the_order_of_the_files():
    run = {"q1": {f"d{number}": number + 0.5 for number in range(30)}}
    assert complaint(run, {"q1": {"d1": 1}}).endswith("\nhint: judgments (QRELS) come before runs (RUN)")


def test_settings_that_make_no_sense():
    from steelyard.errors import ConfigError

    for settings, expected in (
        ({"depth": 2.5}, "the depth must be an integer of at least 1, not 2.5"),
        ({"relevance_level": 0}, "the relevance level must be an integer of at least 1, not 0"),
        ({"missing": "nought"}, "missing must be zero or skip, not 'nought'"),
        ({"trec_eval": 8}, "trec_eval must be 9 or 10, not 8"),
        ({"cutoffs": [2.5]}, "P: k must be an integer, not 2.5"),
    ):
        with pytest.raises(ConfigError) as caught:
            steelyard.evaluate_retrieval({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["P"], **settings)
        assert str(caught.value) == expected


def test_a_whole_number_is_not_a_run():
    with pytest.raises(TypeError, match="run must be a path, a mapping, columns, a data frame or rows, not int"):
        steelyard.evaluate_retrieval({"q1": {"d1": 1}}, 3)
