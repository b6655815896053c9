"""Defaults of options in a file: the nearest counts, the command line counts before it, and no file runs code."""

import json

import numpy as np
import pytest
from commands import ROOT, run
from tables import make_table

DATA = ROOT / "data"
RUN = ("retrieval", DATA / "qrels.txt", DATA / "run_a.txt", "--json")


def metrics(done):
    assert (done.returncode, done.stderr) == (0, "")
    return list(json.loads(done.stdout)["results"][0]["metrics"])


def written(folder, text, name="pyproject.toml"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, "utf-8")


def test_the_nearest_file_counts(tmp_path):
    written(tmp_path, '[project]\nname = "x"\n[tool.steelyard.retrieval]\nmetric = ["AP", "nDCG@5"]\n')
    written(tmp_path / "a" / "b", '[project]\nname = "without settings"\n')
    assert metrics(run(*RUN, cwd=tmp_path / "a" / "b")) == ["AP", "nDCG@5"]
    written(tmp_path / "a", 'retrieval.metric = "RR"\n', "steelyard.toml")
    assert metrics(run(*RUN, cwd=tmp_path / "a" / "b")) == ["RR"]
    written(tmp_path / "a", "", "steelyard.toml")
    assert len(metrics(run(*RUN, cwd=tmp_path / "a" / "b"))) > 10


def test_the_command_line_counts_before_the_file(tmp_path):
    written(
        tmp_path, '[tool.steelyard]\nquiet = true\n[tool.steelyard.retrieval]\nmetric = ["P", "RR"]\ncutoffs = [1, 2]\n'
    )
    assert metrics(run(*RUN, cwd=tmp_path)) == ["P@1", "P@2", "RR"]
    assert metrics(run(*RUN, "-m", "P", "-m", "AP", "-k", "3", cwd=tmp_path)) == ["P@3", "AP"]
    assert run(*RUN, "--metric", "AP", "--verbose", cwd=tmp_path).stderr != ""
    assert run("--verbose", *RUN, cwd=tmp_path).stderr != ""


def test_a_command_counts_before_all_commands_and_the_signature_has_the_values(tmp_path):
    written(tmp_path, 'lang = "zh"\nseed = 1\nalpha = 0.2\nretrieval = {alpha = 0.1, depth = 7}\n', "steelyard.toml")
    two = ("retrieval", DATA / "qrels.txt", DATA / "run_a.txt", DATA / "run_b.txt", "-m", "AP")
    done = run(*two, cwd=tmp_path)
    assert "|depth:7|" in done.stdout
    assert "种子 1" in done.stdout
    english = run(*two, "--lang", "en", cwd=tmp_path).stdout
    assert "seed 1 · " in english
    assert " · at 0.1\n" in english
    assert run("--lang", "en", *two, cwd=tmp_path).stdout == english


def test_verbose_prints_what_was_taken(tmp_path):
    written(tmp_path, "[tool.steelyard]\nalpha = 0.01\n")
    line = f"defaults of {tmp_path / 'pyproject.toml'}: alpha = 0.01\n"
    assert line in run(*RUN, "--verbose", cwd=tmp_path).stderr


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("alhpa = 1", "{}: a file cannot set 'alhpa'", "did you mean 'alpha'?"),
        ("[retrieval]\nmetrik = 'AP'", "{}: a file cannot set 'metrik'", "did you mean 'metric'?"),
        ("[retrieval]\nprofile = 'squad'", "{}: a file cannot set 'profile'", "metric, cutoffs, missing, "),
        ("[retreival]\nalpha = 1", "{}: a file cannot set 'retreival'", "did you mean 'retrieval'?"),
        ("alpha = 7", "{}: alpha: must be between 0 and 1, not 7", None),
        ("lang = 'fr'", "{}: lang: invalid choice: 'fr' (choose from", None),
        ("quiet = 'yes'", "{}: quiet: true or false", None),
        ("alpha = ", "{}: this is not TOML: ", None),
    ],
)
def test_what_cannot_be_read_is_an_error_with_the_file(tmp_path, text, message, hint):
    written(tmp_path, text + "\n", "steelyard.toml")
    done = run(*RUN, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(message.format(tmp_path / "steelyard.toml"))
    assert hint is None or hint in done.stderr
    assert run("--version", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (RUN, 'metrics-from = ["evil"]'),
        (RUN, 'output = ["r.jsonl"]'),
        (RUN, 'engine = "ray"\naddress = "ray://elsewhere:1"'),
        (("bench", "--system", "builtin:baseline"), 'system = "command:touch asked"'),
        (("bench", "--system", "builtin:baseline"), 'header = ["a: b"]'),
        (("run", "p.yaml"), 'servers = "project"'),
        (("view",), 'host = "0.0.0.0"'),
    ],
)
def test_no_file_runs_code_sends_or_writes(tmp_path, command, text):
    written(tmp_path, text + "\n", "steelyard.toml")
    (tmp_path / "evil.py").write_text("open('asked', 'w')\n")
    done = run(*command, cwd=tmp_path)
    name = text.partition(" ")[0]
    told = f"{tmp_path / 'steelyard.toml'}: a file cannot set {name!r}\n"
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(told)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["evil.py", "steelyard.toml"]


@pytest.fixture
def fallen(tmp_path):
    """A command that compares a run in which everything fell with the one before."""
    for name, value in (("old", 1.0), ("new", 0.0)):
        made = make_table(name, {"EM": np.full(20, value)}, [f"q{n}" for n in range(20)], kind="answers")
        made.save(tmp_path / f"{name}.jsonl")
    return ("gate", "new.jsonl", "--baseline", "old.jsonl", "--require", "EM not-worse-by 0.05")


@pytest.mark.parametrize("name", ["EM", "F1", "Refusal", "legal", "legal.uncertain", "nDCG@10", "Faithfulness"])
def test_no_file_turns_a_metric_round(tmp_path, fallen, name):
    written(tmp_path, f'lower-is-better = ["latency", "{name}"]\n', "steelyard.toml")
    done = run(*fallen, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{tmp_path / 'steelyard.toml'}: {name!r} is a metric whose direction is known" in done.stderr


def test_a_gate_says_what_a_file_has_set(tmp_path, fallen):
    written(tmp_path, 'lower-is-better = ["latency"]\nalpha = 0.4\nunits = "items"\nseed = 3\n', "steelyard.toml")
    done = run(*fallen, "--units=auto", cwd=tmp_path)
    line = f"defaults of {tmp_path / 'steelyard.toml'}: lower-is-better = ['latency'], alpha = 0.4"
    assert (done.returncode, line in done.stdout, "seed = 3" in done.stdout) == (1, True, False), done.stderr
    assert line in json.loads(run(*fallen, "--units=auto", "--json", cwd=tmp_path).stdout)["warnings"]
    assert "defaults of" not in run(*fallen, "--alpha=0.1", "--units=auto", "--lower-is-better=x", cwd=tmp_path).stdout
