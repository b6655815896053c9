"""Checks of results files: labelled files of six tools, tampered copies of them, and what cannot be checked."""

import contextlib
import copy
import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
from commands import run

from steelyard.checks import tools
from steelyard.checks.findings import VECTORS, Value
from steelyard.checks.tools import check_file
from steelyard.errors import InputError, UnknownName
from steelyard.i18n import texts

DATA = Path(__file__).with_name("data")
LABELS = json.loads((DATA / "labels.json").read_text("utf-8"))
DEEPEVAL, PROMPTFOO, INSPECT = (
    DATA / name for name in ("deepeval/test_run.json", "promptfoo/results.json", "inspect/door.json")
)
FILLED = DATA.parents[2] / "data" / "promptfoo" / "results.json"
MTEB = DATA / "mteb" / "InventedLibrary.json"
TERMS = next((DATA / "lm_eval").glob("samples_invented_terms*"))


@pytest.mark.parametrize("name", LABELS)
def test_what_is_labelled_is_found_and_nothing_else(name):
    found = check_file(DATA / name)
    values = {(each.row, each.metric): each for each in found.values}
    left = {(each.row, each.metric) for each in found.left}
    labels = {(row, metric): label for row, each in LABELS[name].items() for metric, label in each.items()}
    assert {place for place, label in labels.items() if label == "none"} <= left
    assert {place for place, label in labels.items() if label != "none"} <= values.keys()
    assert {place for place, label in labels.items() if label not in ("right", "none")} == {
        (each.row, each.metric) for each in found.differing
    }
    for place, label in labels.items():
        if label not in ("right", "none", "wrong"):
            assert values[place].recomputed == (label if label is None else pytest.approx(label)), place


def test_labelled_rows_are_many():
    rows = {(name.partition("/")[0], row) for name, each in LABELS.items() for row in each if row}
    assert len(rows) >= 50
    assert len({tool for tool, _ in rows}) >= 5


def differing(path):
    return {(each.row, each.metric) for each in check_file(path).differing}


def changed(tmp_path, source, change):
    """Return the places that differ in a copy with a change, and did not differ before."""
    document = json.loads(source.read_text("utf-8"))
    before = copy.deepcopy(document)
    change(document)
    assert document != before or str(document) != str(before)
    path = tmp_path / source.name
    path.write_text(json.dumps(document), "utf-8")
    return differing(path) - differing(source)


def set_in(place, value):
    *way, last = place

    def change(document):
        for key in way:
            document = document[key]
        document[last] = value

    return change


def without(place):
    *way, last = place

    def change(document):
        for key in way:
            document = document[key]
        del document[last]

    return change


CASE = ("testCases", 1, "metricsData", 0)
RESULT = ("results", "results", 1)
METRIC = ("results", "scores")
SUBSET = "InventedLibrary/test/default"


@pytest.mark.parametrize(
    ("source", "change", "expected"),
    [
        (DEEPEVAL, set_in((*CASE, "score"), 1.0), ("late-fee", "Faithfulness")),
        (DEEPEVAL, set_in((*CASE, "success"), False), ("late-fee", "Faithfulness success")),
        (DEEPEVAL, set_in((*CASE, "threshold"), 0.7), ("late-fee", "Faithfulness success")),
        (DEEPEVAL, set_in(("testCases", 1, "success"), True), ("late-fee", "success")),
        (DEEPEVAL, without(("testCases", 9)), ("", "Exact Match fails")),
        (DEEPEVAL, without(("testCases", 8)), ("", "Faithfulness errors")),
        (DEEPEVAL, set_in(("testPassed",), 9), ("", "testPassed")),
        (DEEPEVAL, set_in(("metricsScores", 0, "scores", 0), 0.0), ("", "Faithfulness scores")),
        (DEEPEVAL, set_in(("testCases", 0, "actualOutput"), "Nothing."), ("loan-period", "Exact Match")),
        (PROMPTFOO, set_in((*RESULT, "score"), 0.76), ("1", "score")),
        (PROMPTFOO, set_in((*RESULT, "success"), True), ("1", "success")),
        (PROMPTFOO, set_in((*RESULT, "namedScores", "right"), 1), ("1", "right")),
        (PROMPTFOO, set_in((*RESULT, "response", "output"), "Nothing."), ("1", "assertion 2 contains")),
        (PROMPTFOO, set_in(("results", "results", 2, "testCase", "threshold"), 0.8), ("2", "success")),
        (PROMPTFOO, set_in(("results", "stats", "successes"), 10), ("", "successes")),
        (PROMPTFOO, set_in(("results", "prompts", 0, "metrics", "score"), 12), ("", "score")),
        (PROMPTFOO, without(RESULT), ("", "failures")),
        (FILLED, set_in(("results", "results", 0, "response", "output"), "Nothing."), ("0/0", "assertion 1 icontains")),
        (INSPECT, set_in((*METRIC, 0, "metrics", "mean", "value"), 0.2728), ("", "exact mean")),
        (INSPECT, set_in((*METRIC, 4, "metrics", "accuracy", "value"), 8 / 11), ("", "graded accuracy")),
        (INSPECT, set_in((*METRIC, 1, "metrics", "stderr", "value"), 0.13), ("", "f1 stderr")),
        (INSPECT, set_in((*METRIC, 4, "unscored_samples"), 0), ("", "graded unscored_samples")),
        (INSPECT, set_in(("samples", 2, "scores", "exact", "value"), "I"), ("colour", "exact")),
        (INSPECT, set_in(("samples", 6, "scores", "f1", "value"), 0.66), ("roof", "f1")),
        (INSPECT, set_in(("samples", 6, "scores", "includes", "value"), "C"), ("roof", "includes")),
        (INSPECT, set_in(("samples", 6, "scores", "match", "value"), "C"), ("roof", "match")),
        (INSPECT, without(("samples", 8)), ("", "completed_samples")),
        (MTEB, set_in(("scores", "test", 0, "main_score"), 0.8476), (SUBSET, "main_score")),
        (MTEB, set_in(("scores", "test", 0, "ndcg_at_5"), 1.0001), (SUBSET, "ndcg_at_5")),
    ],
)
def test_what_is_tampered_with_is_found(tmp_path, source, change, expected):
    assert expected in changed(tmp_path, source, change)


LOG = """Claims:
[
    "He said "yes" to it",
    "First line
Verdicts:
[
second line",
    "{}"
] 
 
Verdicts:
[
    {"verdict": "yes", "reason": "not \\"verdict\\": \\"no\\""},
    {"verdict": "no", "reason": null},
    {"verdict": "yes"}
]"""
"""Claims that read like other parts of a log, which has no escapes."""


def test_claims_do_not_confuse_the_reader_of_logs(tmp_path):
    assert changed(tmp_path, DEEPEVAL, set_in((*CASE, "verboseLogs"), LOG)) == set()
    short = LOG.replace(
        """,
    {"verdict": "yes"}""",
        "",
    )
    assert changed(tmp_path, DEEPEVAL, set_in((*CASE, "verboseLogs"), short)) == {("late-fee", "Faithfulness")}


def test_tampered_lists_of_ultrarag_are_found(tmp_path):
    source = DATA / "ultrarag" / "memory_invented.json"
    scores = (1, "memory", "memory_eval_res")
    assert changed(tmp_path, source, set_in((*scores, "avg_em"), 0.5)) == {("", "avg_em")}
    assert changed(tmp_path, source, set_in((*scores, "f1", 0), 0.5)) == {("0", "f1"), ("", "avg_f1")}
    dropped = changed(tmp_path, source, without((*scores, "f1", 11)))
    assert ("", "f1 rows") in dropped


@pytest.mark.parametrize(
    ("old", "new", "places"),
    [
        ('"exact_match": 1.0', '"exact_match": 0.0', {("0", "exact_match"), ("", "exact_match")}),
        ('"filtered_resps": ["21 days"]', '"filtered_resps": ["22 days"]', {("0", "exact_match")}),
    ],
)
def test_tampered_samples_are_found(tmp_path, old, new, places):
    for path in TERMS.parent.glob("*.json*"):
        text = path.read_text("utf-8")
        (tmp_path / path.name).write_text(text.replace(old, new, 1) if path == TERMS else text, "utf-8")
    assert places <= differing(tmp_path / TERMS.name)
    lines = TERMS.read_text("utf-8").splitlines(keepends=True)
    (tmp_path / TERMS.name).write_text("".join(lines[:-1]), "utf-8")
    assert {("", "sample_len"), ("", "exact_match")} <= differing(tmp_path / TERMS.name)


@pytest.mark.parametrize(
    ("old", "new"), [('"exact_match": 1.0', '"exact_match": 1e999'), ('"metrics": [', '"metrics": [NaN, ')]
)
def test_samples_with_infinite_numbers_are_written(tmp_path, old, new):
    path = tmp_path / TERMS.name
    path.write_text(TERMS.read_text("utf-8").replace(old, new, 1), "utf-8")
    done = run("check-scores", path, "--json", cwd=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    assert "Infinity" not in done.stdout
    json.loads(done.stdout)


def test_samples_without_results_beside_them_say_so(tmp_path):
    path = tmp_path / TERMS.name
    path.write_bytes(TERMS.read_bytes())
    found = check_file(path)
    assert not found.differing
    assert {each.why for each in found.left if not each.row} == {"no_results"}


def test_a_changed_cell_of_ragas_is_found(tmp_path):
    text = (DATA / "ragas" / "result.csv").read_text("utf-8")
    path = tmp_path / "result.csv"
    path.write_text(text.replace("0.7096774193548387", "0.8096774193548387"), "utf-8")
    assert ("2", "non_llm_string_similarity") in differing(path)
    path.write_text(text.replace("0.7096774193548387", "0.7097"), "utf-8")  # rounded
    assert ("2", "non_llm_string_similarity") not in differing(path)


@pytest.mark.parametrize(
    ("metric", "mean", "digits", "recomputed"),
    [
        ("exact_match", 0.375, 4, 0.375),
        ("exact_match", 0.38, 2, 0.375),
        ("exact_match", 0.38, 4, 0.375),
        ("id_based_context_precision", 0.6429, 4, None),
        ("id_based_context_precision", 0.5625, 4, 4.5 / 7),
    ],
)
def test_means_that_stand_elsewhere(metric, mean, digits, recomputed):
    found = check_file(DATA / "ragas" / "result.csv", {metric: (mean, digits)})
    (value,) = (each for each in found.values if each.metric == f"mean {metric}")
    assert value.recomputed == (recomputed if recomputed is None else pytest.approx(recomputed))
    assert value.differs == (recomputed is None or abs(mean - recomputed) > 0.5 * 0.1**digits + 1e-9)
    with pytest.raises(UnknownName):
        check_file(DATA / "ragas" / "result.csv", {"exact": (1.0, 1)})


@pytest.mark.parametrize(
    ("written", "recomputed", "differs"),
    [
        (0.6667, 2 / 3, False),
        (0.6666, 2 / 3, True),
        (0.67, 2 / 3, True),  # fewer than four digits are exact ones
        (2 / 3, 2 / 3 + 1e-12, False),
        (2 / 3, 2 / 3 + 1e-7, True),
        (1.0000000000000004, 1.0, False),
        (0.0, None, True),
        (math.inf, 1.0, True),
    ],
)
def test_numbers_are_compared_at_the_digits_that_are_written(written, recomputed, differs):
    assert Value("1", "m", written, recomputed, "mean").differs is differs


def test_epochs_of_a_sample_are_one_value():
    found = check_file(DATA.parents[1] / "io" / "foreign" / "data" / "inspect" / "log.json")
    values = {each.metric: each.recomputed for each in found.values}
    assert not found.differing
    assert (values["graded accuracy"], values["recall mean"]) == (0.5, 0.625)


def test_a_folder_of_mteb_is_checked():
    found = check_file(DATA.parents[1] / "io" / "foreign" / "data" / "retrieval" / "mteb")
    assert found.rows == 4
    assert not found.differing


def test_every_reason_has_a_text_and_every_text_is_a_reason():
    section = "check_reason_names."
    reasons = {code.removeprefix(section) for code in texts("en") if code.startswith(section)}
    sources = "".join(path.read_text("utf-8") for path in Path(tools.__file__).parent.glob("*.py"))
    assert VECTORS.keys() <= reasons
    assert {each.why for name in LABELS for each in check_file(DATA / name).findings} <= reasons
    assert {reason for reason in reasons if f'"{reason}"' not in sources} == set()


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("rows.jsonl", '{"id": 1, "question": "?", "prediction": "x"}\n', "checks.unknown_tool"),
        ("run.txt", "1 Q0 d 1 2.0 tag\n", "checks.no_check"),
        ("run.json", '{"testCases": [], "metricsScores": []}', "checks.nothing"),
        ("run.json", '{"testCases": [{"metricsData": 3}], "metricsScores": []}', "checks.wrong_shape"),
        (
            "t.json",
            '{"task_name": "T", "mteb_version": "2", "scores": {"test": [{"hf_subset": "d"}]}}',
            "checks.nothing",
        ),
        ("u.json", '{"em": [], "avg_em": "high"}', "checks.nothing"),
        ("r.jsonl", '{"user_input": "?", "response": "x", "retrieved_contexts": ["y"]}\n', "checks.nothing"),
    ],
)
def test_what_cannot_be_checked_is_refused(tmp_path, name, content, code):
    path = tmp_path / name
    path.write_text(content, "utf-8")
    with pytest.raises(InputError) as caught:
        check_file(path)
    assert caught.value.message.code == code
    assert str(caught.value.hint)


NODES: tuple[Any, ...] = (None, [], {}, "x", -1, [None], {"x": None}, math.nan, True)


def nodes(value, way=()):
    """The places in a document."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in pairs:
        yield (*way, key)
        yield from nodes(each, (*way, key))


@pytest.mark.parametrize("source", [DEEPEVAL, PROMPTFOO, INSPECT, MTEB, DATA / "ultrarag" / "memory_invented.json"])
def test_a_damaged_file_is_refused_or_checked(tmp_path, source):
    document = json.loads(source.read_text("utf-8"))
    places, draw = list(nodes(document)), random.Random(source.name)
    for place in draw.sample(places, min(len(places), 60)):
        copied = copy.deepcopy(document)
        set_in(place, draw.choice(NODES))(copied)
        path = tmp_path / source.name
        path.write_text(json.dumps(copied), "utf-8")
        with contextlib.suppress(InputError):
            assert check_file(path).values


def test_the_command(tmp_path):
    done = run("check-scores", DEEPEVAL, "--json", "-o", tmp_path / "found.xml", "-o", tmp_path / "found.html")
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert found["recomputed"] == 105
    assert {"row": "opening", "metric": "Faithfulness"}.items() <= found["differing"][0].items()
    assert 'failures="7"' in (tmp_path / "found.xml").read_text("utf-8")
    assert "interlibrary" in (tmp_path / "found.html").read_text("utf-8")
    assert run("check-scores", TERMS).returncode == 0
    assert run("check-scores", tmp_path / "none.json").returncode == 2
    chinese = run("check-scores", DATA / "ragas" / "result.csv", "--mean", "exact_match=0.42", "--lang", "zh")
    assert "平均值" in chinese.stdout
    assert run("check-scores", TERMS, "--mean", "exact_match").returncode == 2
