"""`steelyard judge calibrate`, and what `gate`, `compare` and `report` make of its file."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import run

from bench.judge_server import KEY, says, serving, verdict

RIGHT = 0.75
LABELS = (np.random.default_rng(5).random(160) < RIGHT).astype(int).tolist()


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def number_in(body: dict[str, Any]) -> int:
    return int(body["messages"][-1]["content"].partition("Question ")[2].partition("?")[0])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a judged result, whose judge errs on every tenth answer, and with its rows."""
    place = tmp_path_factory.mktemp("judged")
    rows = [
        {"id": f"q{n}", "question": f"Question {n}?", "answer": f"A {n}.", "references": ["R."], "human": label}
        for n, label in enumerate(LABELS)
    ]
    write(place / "rows.jsonl", rows)

    write(place / "worse.rows.jsonl", [{**row, "answer": "No."} if n % 3 == 0 else row for n, row in enumerate(rows)])

    def script(body, seen):
        n = number_in(body)
        is_right = bool(LABELS[n]) and "No." not in body["messages"][-1]["content"]
        return verdict("same" if is_right != (n % 10 == 0) else "different")

    with serving(script) as server:
        for rows_file, out in (("rows.jsonl", "judged.jsonl"), ("worse.rows.jsonl", "worse.jsonl")):
            words = ("judge", "run", "same", rows_file, "--model", server.model, "-o", out, "--tags", "human")
            done = run(*words, cwd=place, OPENAI_API_KEY=KEY)
            assert done.returncode == 0, done.stderr
    return place


def calibrated(folder, *words, code=0):
    done = run("judge", "calibrate", *words, "--json", cwd=folder)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout) if not code else done.stderr


def review(folder, name, *options):
    """Draw a sample, and judge it as the labels say."""
    done = run("sample", "judged.jsonl", "-o", name, "--overwrite", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]
    for line in lines:
        line.update(agree=line["verdict"] == LABELS[int(line["id"][1:])], reviewer="A person")
    write(folder / name, lines)


def test_a_review_of_a_random_sample_corrects_by_ppi(folder):
    review(folder, "review.jsonl", "-n", "80")
    found = calibrated(folder, "judged.jsonl", "review.jsonl", "-o", "c.json", "--overwrite")
    assert (found["design"], found["found"]["n"]) == ("random", 80)
    corrected = found["judged"]["corrected"]
    assert corrected["method"] == "ppi++"
    assert corrected["ci95"][0] < np.mean(LABELS) < corrected["ci95"][1]
    assert found["judged"]["counts"] is True
    assert json.loads((folder / "c.json").read_text("utf-8")) == found


def test_a_review_of_uncertain_or_chosen_verdicts_corrects_nothing(folder):
    review(folder, "doubtful.jsonl", "-n", "80", "--by", "doubtful")
    found = calibrated(folder, "judged.jsonl", "doubtful.jsonl")
    assert (found["design"], found["judged"]["corrected"]) == ("selected", None)


def test_a_column_of_labels(folder):
    found = calibrated(folder, "judged.jsonl", "--label", "human")
    labels, disagree = np.array(LABELS), np.arange(160) % 10 == 0
    assert found["found"]["people_mean"] == pytest.approx(labels.mean())
    assert found["found"]["agreement"] == pytest.approx(1 - disagree.mean())
    assert found["found"]["sensitivity"] == [int((labels[~disagree] == 1).sum()), int(labels.sum())]
    assert found["judge"]["hash"]


def test_labels_in_another_file_are_joined_by_id(folder):
    rows = [{"id": f"q{n}", "human": "right" if LABELS[n % 160] else "wrong"} for n in (*range(20, 140), 999)]
    write(folder / "labels.jsonl", rows)
    found = calibrated(folder, "judged.jsonl", "labels.jsonl", "--label", "human")
    assert (found["found"]["n"], found["design"]) == (120, "elsewhere")
    assert found["judged"]["corrected"]["method"] == "rogan-gladen"
    found = calibrated(folder, "judged.jsonl", "labels.jsonl", "--label", "human", "--random")
    assert found["judged"]["corrected"]["method"] == "ppi++"


ROWS = [{"id": str(n), "label": LABELS[n], "verdict": LABELS[n], "topic": n // 4, "system": n % 4} for n in range(160)]


def test_two_columns_of_any_rows_with_the_order_of_systems(tmp_path):
    rows = [{**row, "verdict": None if n == 7 else row["verdict"]} for n, row in enumerate(ROWS)]
    write(tmp_path / "rows.jsonl", rows)
    words = ("rows.jsonl", "-m", "verdict", "--label", "label", "--topics", "topic", "--systems", "system")
    found = calibrated(tmp_path, *words)["found"]
    assert (found["kappa"]["value"], found["rho2"], found["unknown"]) == (1.0, 1.0, 1)
    assert (found["systems"]["tau"], found["systems"]["same_best"]) == (1.0, True)


def test_labels_of_several_people(tmp_path):
    generator = np.random.default_rng(2)
    rows = [
        {**row, **{f"p{k}": row["label"] if generator.random() < 0.9 else 1 - row["label"] for k in range(3)}}
        for row in ROWS
    ]
    write(tmp_path / "rows.jsonl", rows)
    found = calibrated(tmp_path, "rows.jsonl", "-m", "verdict", *(f"--label=p{k}" for k in range(3)))["found"]
    assert found["alt_test"]["passes"] is True
    assert 0 < found["between_people"]["alpha"] < 1


def test_words_need_to_be_told(tmp_path):
    rows = [{"id": str(n), "label": "good" if n % 2 else "bad", "verdict": "good"} for n in range(8)]
    write(tmp_path / "rows.jsonl", rows)
    error = calibrated(tmp_path, "rows.jsonl", "-m", "verdict", "--label", "label", code=2)
    assert "rows.jsonl:1" in error
    assert "--positive" in error
    found = calibrated(tmp_path, "rows.jsonl", "-m", "verdict", "--label", "label", "--positive", "good")
    assert found["found"]["refused"] == "uninformative"


@pytest.mark.parametrize(("policy", "n", "mean"), [("left_out", 120, 1.0), ("against", 160, 0.75)])
def test_unknown_is_left_out_or_counts_against(tmp_path, policy, n, mean):
    rows = [{"id": str(k), "label": int(k % 4 != 1), "verdict": "unknown" if k % 4 == 3 else 1} for k in range(159)]
    write(tmp_path / "rows.jsonl", [*rows, {"id": "last", "label": 0, "verdict": 0}])
    found = calibrated(tmp_path, "rows.jsonl", "-m", "verdict", "--label", "label", "--unknown", policy)["found"]
    assert (found["n"], found["unknown"]) == (n + (policy == "left_out"), 0 if policy == "against" else 39)
    assert found["judge_mean"] == pytest.approx(mean, abs=0.01)


def test_two_files_of_qrels_and_runs(tmp_path):
    generator = np.random.default_rng(4)
    pairs = [(f"t{topic}", f"d{document}") for topic in range(12) for document in range(20)]
    grades = {pair: int(generator.integers(0, 4)) for pair in pairs}
    seen = {pair: grade if generator.random() < 0.8 else 3 - grade for pair, grade in grades.items()}
    for name, found in (("people.txt", grades), ("judge.txt", seen)):
        lines = "".join(f"{topic} 0 {document} {grade}\n" for (topic, document), grade in found.items())
        (tmp_path / name).write_text(lines, "utf-8")
    for number, noise in enumerate((1.5, 4.0, 20.0)):
        scores = {pair: grade + noise * generator.random() for pair, grade in grades.items()}
        lines = "".join(f"{topic} Q0 {document} 1 {score} r\n" for (topic, document), score in scores.items())
        (tmp_path / f"run{number}.txt").write_text(lines, "utf-8")
    runs = [f"--run=run{number}.txt" for number in range(3)]
    found = calibrated(tmp_path, "judge.txt", "people.txt", *runs)["found"]
    assert found["n"] == 240
    assert found["threshold"] == 2.0
    assert found["kappa_unweighted"]["value"] < 1
    assert found["systems"]["tau"] == 1.0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("judged.jsonl",), "--label COLUMN"),
        (("judged.jsonl", "--label", "humen"), "human"),
        (("rows.jsonl", "--label", "human"), "-m COLUMN"),
        (("judged.jsonl", "absent.jsonl"), "absent.jsonl"),
        (("judged.jsonl", "rows.jsonl"), "--label COLUMN"),
        (("judged.jsonl", "--label", "human", "-m", "Correct"), "SameMeaning"),
        (("rows.jsonl", "-m", "human", "--label", "human"), "not a label of people"),
        (("judged.jsonl", "--label", "SameMeaning"), "not a label of people"),
        (("judged.jsonl", "--label", "reviewer"), "--tags reviewer"),
        (("judged.jsonl", "--label", "human", "-m", "SameMeaning,Correct"), "one metric"),
        (("judged.jsonl", "--label", "human", "--positive", "yess"), "yess"),
        (("judged.jsonl", "--label", "human", "--systems", "human"), "--topics"),
    ],
)
def test_what_is_missing_is_said(folder, words, said):
    done = run("judge", "calibrate", *words, cwd=folder)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_of_labels_without_a_line_is_said_to_have_no_rows(folder):
    (folder / "empty.jsonl").write_text("", "utf-8")
    said = calibrated(folder, "judged.jsonl", "empty.jsonl", "--label", "human", code=2)
    assert said.startswith("empty.jsonl: it contains no rows")


def test_a_sample_that_nobody_has_judged_says_what_to_write(folder):
    done = run("sample", "judged.jsonl", "-o", "open.jsonl", "-n", "5", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert '"agree": true' in calibrated(folder, "judged.jsonl", "open.jsonl", code=2)


def test_a_review_of_another_result_is_refused(folder):
    review(folder, "review2.jsonl", "-n", "20")
    done = run("judge", "calibrate", "worse.jsonl", "review2.jsonl", cwd=folder)
    assert done.returncode == 2
    assert "review2.jsonl" in done.stderr


@pytest.fixture(scope="module")
def calibration(folder):
    calibrated(folder, "judged.jsonl", "--label", "human", "-o", "whole.json", "--overwrite")
    return "whole.json"


@pytest.mark.parametrize(
    ("rule", "given", "code"),
    [
        ("SameMeaning >= 0.1", False, 1),
        ("SameMeaning >= 0.1", True, 0),
        ("SameMeaning >= 0.99", True, 1),
        ("SameMeaning >= 0.75", True, 1),  # people may say less
    ],
)
def test_the_gate_needs_a_calibration(folder, calibration, rule, given, code):
    options = ("--calibration", calibration) if given else ()
    done = run("gate", "judged.jsonl", "--require", rule, *options, "--json", cwd=folder)
    assert done.returncode == code, done.stderr
    (finding,) = json.loads(done.stdout)["findings"]
    assert (finding["verdict"] == "advisory") is not given
    assert "corrected" in finding if given else finding["advisory"]


def test_every_output_of_an_accepted_rule_says_that_the_judge_is_not_calibrated(folder):
    words = ("gate", "judged.jsonl", "--require", "SameMeaning >= 0.1", "--accept-advisory")
    done = run(*words, "-o", "gate.md", "-o", "gate.xml", "-o", "gate.json", cwd=folder)
    assert done.returncode == 0, done.stderr
    texts = [done.stdout, *((folder / f"gate.{suffix}").read_text("utf-8") for suffix in ("md", "xml", "json"))]
    assert ["not calibrated" in text for text in texts] == [True] * 4
    (finding,) = json.loads(texts[-1])["findings"]
    assert (finding["verdict"], finding["passed"]) == ("met", True)


def test_the_gate_says_what_to_do(folder):
    done = run("gate", "judged.jsonl", "--require", "SameMeaning >= 0.1", cwd=folder)
    assert "advisory" in done.stdout
    assert "judge calibrate" in done.stdout


@pytest.mark.parametrize("suffix", ["md", "html", "json", "csv", "tex", "xml"])
def test_a_report_shows_what_may_be_believed(folder, calibration, suffix):
    path = folder / f"report.{suffix}"
    command: tuple[object, ...] = ("report", "judged.jsonl", "--calibration", calibration, "-o", path, "--overwrite")
    if suffix == "xml":
        command = ("gate", "judged.jsonl", "--require", "SameMeaning >= 0.1", "--calibration", calibration, "-o", path)
    done = run(*command, cwd=folder)
    assert done.returncode == 0, done.stderr
    text = path.read_text("utf-8")
    if suffix == "json":
        (judged,) = json.loads(text)["results"][0]["judged"]
        assert judged["counts"] is True
    elif suffix in ("md", "html", "xml"):
        assert "corrected mean" in text


def test_a_comparison_is_corrected_too(folder, calibration):
    done = run("compare", "judged.jsonl", "worse.jsonl", "--calibration", calibration, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    (difference,) = found["corrected_differences"]
    assert (difference["metric"], difference["method"]) == ("SameMeaning", "rogan-gladen")
    (raw,) = found["comparisons"]
    assert difference["mean"] < raw["diff"] < 0  # the judge's errors hide a part of it
    truth = -np.mean([bool(LABELS[n]) for n in range(160)][::3]) / 3
    assert difference["ci95"][0] < truth < difference["ci95"][1]


def test_an_uncalibrated_report_says_so(folder):
    done = run("report", "judged.jsonl", "-o", "plain.md", "--overwrite", cwd=folder)
    assert done.returncode == 0
    assert "not calibrated" in (folder / "plain.md").read_text("utf-8")


def test_ids_that_two_rows_have_are_refused_unless_systems_tell_them_apart(tmp_path):
    rows = [{**row, "id": f"t{row['topic']}"} for row in ROWS]
    write(tmp_path / "rows.jsonl", rows)
    words = ("rows.jsonl", "-m", "verdict", "--label", "label")
    error = calibrated(tmp_path, *words, code=2)
    assert "rows.jsonl:2" in error
    assert "rows.jsonl:1" in error
    found = calibrated(tmp_path, *words, "--systems", "system", "--topics", "topic")
    assert (found["found"]["n"], found["found"]["systems"]["tau"]) == (160, 1.0)


def test_rows_without_ids_are_not_joined(tmp_path):
    write(tmp_path / "rows.jsonl", [{"verdict": 1}, {"verdict": 0}])
    write(tmp_path / "labels.jsonl", [{"label": 1}, {"label": 0}])
    error = calibrated(tmp_path, "rows.jsonl", "labels.jsonl", "-m", "verdict", "--label", "label", code=2)
    assert "id" in error


@pytest.mark.parametrize(
    ("change", "design"),
    [
        (lambda n, line: line, "random"),
        (lambda n, line: {**line, "agree": None} if n > 30 else line, "selected"),  # the reviewer has stopped
        (lambda n, line: {**line, "agree": None, "unsure": True} if n > 38 else line, "random"),  # one of forty
        (lambda n, line: line if n < 20 else None, "selected"),  # somebody has removed lines
        (lambda n, line: {**line, "sampling": {**line["sampling"], "drawn": 1, "of": 2 if n else 50}}, "selected"),
    ],
)
def test_a_sample_must_be_even_and_decided_to_be_random(folder, change, design):
    review(folder, "part.jsonl", "-n", "40")
    lines = [json.loads(line) for line in (folder / "part.jsonl").read_text("utf-8").splitlines()]
    write(folder / "part.jsonl", [found for n, line in enumerate(lines) if (found := change(n, line))])
    assert calibrated(folder, "judged.jsonl", "part.jsonl")["design"] == design


def test_a_tie_between_people_is_their_mean(tmp_path):
    rows = [{"id": str(n), "a": n % 2, "b": n % 2 if n > 9 else 1 - n % 2, "verdict": n % 2} for n in range(80)]
    write(tmp_path / "rows.jsonl", rows)
    found = calibrated(tmp_path, "rows.jsonl", "-m", "verdict", "--label", "a", "--label", "b")
    assert found["found"]["n"] == 80
    assert found["labels"][:10] == [0.5] * 10


@pytest.mark.parametrize(("positive", "mean"), [("3", 0.25), ("2,3", 0.5), ("none", 0.0)])
def test_positive_values_may_be_numbers_and_the_word_none(tmp_path, positive, mean):
    rows = [{"id": str(n), "label": n % 4, "verdict": (n + (n % 7 == 0)) % 4} for n in range(80)]
    if positive == "none":
        rows = [{"id": str(n), "label": "none" if n % 2 else "some", "verdict": "none"} for n in range(40)]
        mean = 0.5
    write(tmp_path / "rows.jsonl", rows)
    found = calibrated(tmp_path, "rows.jsonl", "-m", "verdict", "--label", "label", "--positive", positive)
    assert found["found"]["people_mean"] == mean


def test_infinity_is_no_label(tmp_path):
    write(tmp_path / "rows.jsonl", [{"id": "a", "label": "inf", "verdict": 1}])
    assert "rows.jsonl:1" in calibrated(tmp_path, "rows.jsonl", "-m", "verdict", "--label", "label", code=2)


def test_nothing_but_unknown_verdicts_is_said(tmp_path):
    write(tmp_path / "rows.jsonl", [{"id": str(n), "label": 1, "verdict": "unknown"} for n in range(4)])
    words = ("rows.jsonl", "-m", "verdict", "--label", "label", "--unknown", "against")
    assert "Traceback" not in calibrated(tmp_path, *words, code=2)


def test_a_review_has_one_metric_and_only_items_of_its_result(folder):
    review(folder, "other.jsonl", "-n", "10")
    assert "SameMeaning" in calibrated(folder, "judged.jsonl", "other.jsonl", "-m", "Nonsense", code=2)
    lines = (folder / "other.jsonl").read_text("utf-8").replace('"id": "q', '"id": "x', 1)
    (folder / "other.jsonl").write_text(lines, "utf-8")
    assert "other.jsonl:1" in calibrated(folder, "judged.jsonl", "other.jsonl", code=2)


def test_a_review_by_a_model_does_not_take_the_place_of_a_persons(folder):
    review(folder, "mixed.jsonl", "-n", "40")
    lines = [json.loads(line) for line in (folder / "mixed.jsonl").read_text("utf-8").splitlines()]
    by_model = [{**line, "reviewer": "judge:same", "agree": True, "time": "2026-01-01"} for line in lines]
    write(folder / "mixed.jsonl", [*lines, *by_model])
    assert calibrated(folder, "judged.jsonl", "mixed.jsonl")["found"]["n"] == 40


def test_a_rejected_verdict_of_two_kinds_is_the_other_one_even_where_some_items_have_none(folder):
    lines = [json.loads(line) for line in (folder / "judged.jsonl").read_text("utf-8").splitlines()]
    lines[5].update(scores={"SameMeaning": None}, unscored={"SameMeaning": "unreadable"})
    write(folder / "torn.jsonl", lines)
    done = run("sample", "torn.jsonl", "-n", "100", "-o", "torn.review.jsonl", "--overwrite", cwd=folder)
    assert done.returncode == 0, done.stderr
    drawn = [json.loads(line) for line in (folder / "torn.review.jsonl").read_text("utf-8").splitlines()]
    for line in drawn:
        line.update(agree=line["verdict"] == LABELS[int(line["id"][1:])], reviewer="A person")
    write(folder / "torn.review.jsonl", drawn)
    found = calibrated(folder, "torn.jsonl", "torn.review.jsonl")["found"]
    assert (found["n"], found["agreement"] < 1) == (100, True)


def test_a_rejected_share_without_the_right_score_is_asked_for(folder):
    lines = [json.loads(line) for line in (folder / "judged.jsonl").read_text("utf-8").splitlines()]
    for line in lines[1:-1]:
        line["scores"]["SameMeaning"] *= 0.75
    write(folder / "shares.jsonl", lines)
    run("sample", "shares.jsonl", "-n", "40", "-o", "shares.review.jsonl", "--overwrite", cwd=folder)
    drawn = [json.loads(line) for line in (folder / "shares.review.jsonl").read_text("utf-8").splitlines()]
    write(folder / "shares.review.jsonl", [{**line, "agree": number > 0} for number, line in enumerate(drawn)])
    assert '"score": 0.5' in calibrated(folder, "shares.jsonl", "shares.review.jsonl", code=2)


def test_rows_without_ids_are_joined_as_their_results_were_read(folder):
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text("utf-8").splitlines()]
    write(folder / "no_ids.jsonl", [{name: value for name, value in row.items() if name != "id"} for row in rows])
    with serving(lambda body, seen: verdict("same" if LABELS[number_in(body)] else "different")) as server:
        done = run("judge", "run", "same", "no_ids.jsonl", "--model", server.model, "-o", "no.jsonl", cwd=folder)
        assert done.returncode == 0, done.stderr
    found = calibrated(folder, "no.jsonl", "no_ids.jsonl", "--label", "human")["found"]
    assert (found["n"], found["agreement"]) == (160, 1.0)
    some = [{"question": row["question"], "human": row["human"]} for row in reversed(rows[20:70])]
    write(folder / "some.jsonl", some)
    assert calibrated(folder, "no.jsonl", "some.jsonl", "--label", "human")["found"]["agreement"] == 1.0
    error = calibrated(folder, "no.jsonl", "no_ids.jsonl", "--label", "humn", code=2)
    assert "'humn'" in error
    assert "human" in error


@pytest.mark.parametrize("positive", ["false", "False"])
def test_truth_values_may_be_named_as_positive(tmp_path, positive):
    rows = [{"id": str(n), "label": "false" if n % 2 else "true", "verdict": not n % 2} for n in range(40)]
    write(tmp_path / "rows.jsonl", rows)
    found = calibrated(tmp_path, "rows.jsonl", "-m", "verdict", "--label", "label", "--positive", positive)["found"]
    assert (found["kappa"]["value"], found["people_mean"]) == (1.0, 0.5)


def test_unknown_against_a_judge_that_says_only_yes(tmp_path):
    rows = [{"id": str(n), "label": n % 2, "verdict": 1 if n % 2 else "unknown"} for n in range(80)]
    write(tmp_path / "rows.jsonl", rows)
    words = ("rows.jsonl", "-m", "verdict", "--label", "label", "--unknown", "against")
    assert calibrated(tmp_path, *words)["found"]["kappa"]["value"] == 1.0


@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl", "tsv", "parquet", "items.csv"])
def test_a_judged_metric_keeps_its_judge_in_files_without_a_signature(folder, calibration, suffix):
    words = ("report", "judged.jsonl", "-q", "-o") if suffix == "items.csv" else ("convert", "judged.jsonl")
    done = run(*words, f"plain.{suffix}", cwd=folder)
    assert done.returncode == 0, done.stderr
    for given, code in (((), 1), (("--calibration", calibration), 0)):
        gate = run("gate", f"plain.{suffix}", "--require", "SameMeaning >= 0.1", *given, "--json", cwd=folder)
        assert gate.returncode == code, gate.stdout + gate.stderr
        (finding,) = json.loads(gate.stdout)["findings"]
        assert finding["verdict"] == ("met" if given else "advisory")
    error = calibrated(folder, "judged.jsonl", f"plain.{suffix}", "--label", "SameMeaning", code=2)
    assert "not a label of people" in error


def test_a_calibration_of_another_judge_is_named(folder, calibration):
    content = json.loads((folder / calibration).read_text("utf-8"))
    content["judge"] |= {"hash": "f" * 16, "model": "another"}
    (folder / "other.json").write_text(json.dumps(content), "utf-8")
    words = ("judged.jsonl", "--require", "SameMeaning >= 0.1", "--calibration", "other.json")
    done = run("gate", *words, cwd=folder)
    assert (done.returncode, "(another)" in done.stdout) == (1, True), done.stdout


def test_what_is_no_calibration_is_said(folder):
    done = run("gate", "judged.jsonl", "--require", "SameMeaning >= 0.1", "--calibration", "judged.jsonl", cwd=folder)
    assert (done.returncode, "judge calibrate" in done.stderr) == (2, True), done.stderr


def claims_server(facts):
    """A judge that calls nine of ten supported claims supported, and one of five others too."""

    def script(body, seen):
        text = body["messages"][-1]["content"]
        if "[[claims" not in text:
            return says(json.dumps({"claims": re.findall(r"Fact \d+ holds\.", text)}))
        numbers = [int(number) for number in re.findall(r"Fact (\d+) holds", text.partition("[[claims")[2])]
        given = [number % 10 != 3 if facts[number] else number % 5 == 0 for number in numbers]
        verdicts = [
            {"claim": at, "quote": f"All facts {numbers[0]}", "verdict": "supported" if yes else "not_found"}
            for at, yes in enumerate(given, 1)
        ]
        return says(json.dumps({"verdicts": verdicts}))

    return serving(script)


def test_labels_of_claims_correct_the_faithfulness_of_other_results(tmp_path):
    generator = np.random.default_rng(11)
    facts = (generator.random(600) < 0.7).tolist()
    groups = [range(at, at + 1 + at // 3 % 3) for at in range(0, 597, 3)]
    rows = [
        {
            "id": f"q{n}",
            "question": "?",
            "answer": " ".join(f"Fact {k} holds." for k in group),
            "contexts": [f"All facts {group[0]}"],
        }
        for n, group in enumerate(groups)
    ]
    write(tmp_path / "old.rows.jsonl", rows[:100])
    write(tmp_path / "new.rows.jsonl", rows[100:])
    with claims_server(facts) as server:
        for name in ("old", "new"):
            words = ("judge", "run", "claims", f"{name}.rows.jsonl", "--model", server.model, "-o", f"{name}.jsonl")
            assert run(*words, cwd=tmp_path).returncode == 0
    assert run("judge", "claims", "old.jsonl", "-o", "claims.jsonl", cwd=tmp_path).returncode == 0
    assert run("sample", "claims.jsonl", "-n", "150", "-o", "review.jsonl", cwd=tmp_path).returncode == 0
    drawn = [json.loads(line) for line in (tmp_path / "review.jsonl").read_text("utf-8").splitlines()]
    claims = {
        item["id"]: item["output"]["answer"]
        for item in map(json.loads, (tmp_path / "claims.jsonl").read_text("utf-8").splitlines()[1:-1])
    }
    for line in drawn:
        truth = facts[int(re.findall(r"\d+", claims[line["id"]])[0])]
        line.update(agree=line["verdict"] == truth, reviewer="A person")
    write(tmp_path / "review.jsonl", drawn)
    found = calibrated(tmp_path, "claims.jsonl", "review.jsonl", "-o", "c.json")
    assert (found["found"]["n"], found["judged"]["counts"]) == (150, True)
    rule = ("--require", "Faithfulness >= 0.5", "--calibration", "c.json")
    (finding,) = json.loads(run("gate", "new.jsonl", *rule, "--json", cwd=tmp_path).stdout)["findings"]
    people = np.mean([np.mean([facts[k] for k in group]) for group in groups[100:]])
    assert (finding["verdict"], finding["corrected"]["method"]) == ("met", "rogan-gladen")
    low, high = finding["corrected"]["ci95"]
    assert low < people < high
    assert run("judge", "claims", "review.jsonl", "-o", "x.jsonl", cwd=tmp_path).returncode == 2
