"""`steelyard gate`, `bench --require` and the action: exit codes and what is printed where."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import commands
import numpy as np
import pytest
import yaml
from platforms import posix
from rendering import as_json
from reports.marked import mark_uncertain, unmark
from tables import table_of

from steelyard.cli import main
from steelyard.cli.gate import read_rules
from steelyard.io.results import load
from steelyard.stats.gate import decide
from steelyard.stats.rules import NoRegression, Target, Threshold, parse_rule
from steelyard.table import Signature

ROOT = Path(__file__).parents[2]


def saved(folder, name, values, **fields):
    types = ["fact_exact"] * (len(values) // 2) + ["conflict_gap"] * (len(values) - len(values) // 2)
    fields = {"signature": Signature.of({"missing": "zero", "system": name}), "tags": {"type": types}, **fields}
    ids = [f"q{n}" for n in range(len(values))]
    parts = {"legal": {"no_hallucination": np.where(np.arange(len(values)) % 2, 1.0, np.nan)}}
    path = folder / f"{name}.jsonl"
    columns = {"legal": np.array(values, float)}
    bounds = {"legal": (0.0, 1.0)}
    table_of(ids=ids, columns=columns, kind="judged", name=name, parts=parts, bounds=bounds, **fields).save(path)
    return path


@pytest.fixture
def files(tmp_path):
    """An earlier result, and one in which a fact fell."""
    old = saved(tmp_path, "old", [1.0] * 20 + [0.6] * 20)
    new = saved(tmp_path, "new", [1.0] * 19 + [0.7] + [0.8] * 20)
    return old, new


CODES = [
    (("--require", "legal >= 0.8"), 0),
    (("--require", "legal >= 0.95"), 1),
    (("--require", "legal >= 0.8", "--require", "legal[type=conflict_gap] >= 0.9"), 1),
    (("--require", "legal.no_hallucination == 1"), 0),
    (("--require", "legal >= baseline", "--baseline", "old.jsonl"), 0),
    (("--no-fall", "fact_exact", "--baseline", "old.jsonl"), 1),
    (("--no-fall", "conflict_gap", "--baseline", "old.jsonl"), 1),  # none of them ever had a 1: nothing is guarded
    (("--require", "legal[type=fact_exact] not-worse-by 0.02", "--baseline", "old.jsonl"), 1),
    (("--require", "legal[type=fact_exact] not-worse-by 0.02", "--baseline", "old.jsonl", "--allow-inconclusive"), 0),
    (("--require", "legal[type=fact_exact] not-worse-by 0.02", "--baseline", "old.jsonl", "--allow-unsure"), 0),
    (("--require", "legal[type=nothing] >= 0"), 1),
    (("--require", "legal >= baseline"), 2),
    (("--require", "leagl >= 1"), 2),
    (("--require", "nonsense"), 2),
    ((), 2),
]


@pytest.mark.parametrize(("words", "code"), CODES)
def test_exit_codes(words, code, files, run, monkeypatch):
    monkeypatch.chdir(files[0].parent)
    assert run("gate", "new.jsonl", *words)[0] == code


def test_one_of_several_systems_is_selected(run, monkeypatch):
    monkeypatch.chdir(ROOT / "data" / "promptfoo")
    rule = ("--require", "Correct >= 0.8")
    code, _, err = run("gate", "results.json", *rule)
    assert (code, err.splitlines()[0]) == (2, "results.json: it contains 2 results: v1, v2")
    assert "--system" in err
    assert run("gate", "results.json", "--system", "v1", *rule)[0] == 1
    baseline = ("--baseline-system", "v1")
    code, out, _ = run("gate", "results.json", "--system", "v2", *baseline, *rule)
    failed = "⚠ v1: 1 of 10 items could not be scored (API call error: request timed out)"
    assert (code, out.splitlines()[:2]) == (0, [failed, "the gate is passed: v2 against v1"])


def test_what_is_printed(files, run):
    old, new = files
    code, out, err = run("gate", new, "--baseline", old, "--no-fall", "fact_exact", "--require", "legal >= 0.8")
    assert (code, err) == (1, "")
    lines = out.splitlines()
    assert lines[0] == "the gate is not passed: new against old"
    assert re.match(r"✅ +legal >= 0\.8 +met +measured 0\.8925 \[0\.8\d+, 0\.9\d+\] \(95 %\), 40 items$", lines[2])
    assert lines[3].endswith("not met  1 of 20 items that scored 1 fell")
    assert lines[4:6] == ["items that fell: no item of fact_exact may fall from 1", "  q19  1 → 0.7000"]


def test_files_and_json(files, tmp_path, run):
    old, new = files
    outputs = [tmp_path / name for name in ("gate.xml", "gate.md", "gate.json")]
    words = [word for path in outputs for word in ("-o", path)]
    code, out, err = run("gate", new, "--baseline", old, "--no-fall", "fact_exact", "--json", *words)
    assert (code, err) == (1, "")
    found = json.loads(out)
    assert found == json.loads(outputs[2].read_text("utf-8"))
    assert list(found) == [
        *("steelyard", "kind", "signature", "result", "baseline", "alpha", "units", "scope", "passed", "warnings"),
        "findings",
    ]
    (finding,) = found["findings"]
    assert (finding["verdict"], finding["n"], finding["fell"]) == ("not met", 20, [{"id": "q19", "now": 0.7}])
    assert ElementTree.parse(outputs[0]).getroot().get("failures") == "1"
    assert "q19" in outputs[1].read_text("utf-8")


def test_metrics_in_anybodys_spelling(tmp_path, run):
    path = tmp_path / "run.jsonl"
    table_of(ids=["a"], columns={"nDCG@10": np.ones(1)}, kind="retrieval", name="run").save(path)
    code, out, _ = run("gate", path, "--require", "ndcg_cut_10 >= 0.5")
    assert (code, "nDCG@10 >= 0.5" in out) == (0, True)


def test_a_run_that_was_cut_off_is_said(files, run):
    old, new = files
    lines = new.read_text("utf-8").splitlines(keepends=True)
    new.write_text("".join(lines[:31]), "utf-8")
    code, out, _ = run("gate", new, "--require", "legal >= 0.8")
    assert (code, out.startswith("new: the run was cut off; only these items were written: 30; no rule")) == (1, True)
    assert run("gate", old, "--baseline", new, "--require", "legal >= 0.5")[0] == 1
    assert run("gate", new, "--require", "legal >= 0.8", "--force")[0] == 0
    assert run("gate", new, "--require", "legal >= 0.8", "--anyway")[0] == 0  # the old spelling
    code, out, _ = run("gate", new, "--require", "legal >= 0.8", "--json")
    assert (code, json.loads(out)["passed"], json.loads(out)["findings"][0]["verdict"]) == (1, False, "not met")


MISTAKES = {
    "no rule": ((), "no rule is given\nhint: for example --require 'F1 >= 0.8'\n"),
    "no baseline": (
        ("--no-fall", "fact_exact"),
        "this rule needs a baseline: no item of fact_exact may fall from 1\n"
        "hint: specify an earlier result with: steelyard gate RESULT --baseline OLD\n",
    ),
    "no such metric": (
        ("--require", "leagl >= 1"),
        "new: no metric is called 'leagl'\nhint: did you mean 'legal'?\n",
    ),
    "no such part": (
        ("--require", "legal.no_halucination == 1"),
        "new: no metric is called 'legal.no_halucination'\nhint: did you mean 'legal.no_hallucination'?\n",
    ),
    "no such tag": (
        ("--require", "legal[typ=fact_exact] >= 1"),
        "new: no tag is called 'typ'\nhint: did you mean 'type'?\n",
    ),
    "no such format": (
        ("--require", "legal >= 0.8", "-o", "gate.html"),
        "gate.html: no report format has the extension '.html'\nhint: known: .xml, .md, .json\n",
    ),
    "bad level": (("--require", "legal >= 0.8", "--alpha", "0.6"), "alpha must be between 0 and 0.5, not 0.6\n"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name, files, run):
    words, message = MISTAKES[name]
    assert run("gate", files[1], *words) == (2, "", message)


def test_a_type_is_taken_as_it_is_written():
    assert read_rules(["F1 >= 0.8"], ["fact > other", "gap[1]"]) == [
        Threshold(Target("F1"), ">=", 0.8),
        NoRegression(Target("fact > other")),
        NoRegression(Target("gap[1]")),
    ]


def test_a_baseline_of_other_questions_is_refused_unless_told(tmp_path, run):
    old = saved(tmp_path, "old", [1.0] * 4, signature=Signature.of({"questions": "sha256 1"}))
    new = saved(tmp_path, "new", [1.0] * 4, signature=Signature.of({"questions": "sha256 2"}))
    code, out, err = run("gate", new, "--baseline", old, "--no-fall", "fact_exact")
    assert (code, out) == (2, "")
    assert err.startswith("new and old are not comparable, their settings differ: questions (sha256 2 ≠ sha256 1)\n")
    code, out, _ = run("gate", new, "--baseline", old, "--no-fall", "fact_exact", "--force")
    assert (code, "settings differ: questions\n" in out) == (0, True)


def test_results_of_one_name_are_called_as_their_files(files, tmp_path, run):
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(files[1].read_bytes())
    words = ("--require", "legal >= baseline", "--baseline")
    assert "against copy\n" in run("gate", files[1], *words, copy)[1]
    assert "new against new-2\n" in run("gate", files[1], *words, files[1])[1]


@posix
def test_an_output_does_not_overwrite_an_input(files, tmp_path, run):
    link = tmp_path / "gate.json"
    link.symlink_to(files[0])
    code, _, err = run("gate", files[1], "--baseline", files[0], "--no-fall", "fact_exact", "-o", link)
    assert (code, "this is one of the inputs; it would be overwritten" in err) == (2, True)


def test_chinese(files, run):
    old, new = files
    _, out, _ = run("gate", new, "--baseline", old, "--no-fall", "fact_exact", "--lang", "zh")
    assert out.startswith("未通过门禁：new 对比 old\n")
    assert "原得 1 分的 20 个条目中有 1 个下降" in out
    assert run("gate", new, "--no-fall", "fact_exact", "--lang", "zh")[2] == (
        "这条规则需要基线：no item of fact_exact may fall from 1\n"
        "提示：请指定较早的结果：steelyard gate RESULT --baseline OLD\n"
    )
    assert run("gate", new, "--require", "F1 >= x", "--lang", "zh")[2].startswith(
        "'F1 >= x'：'x' 不是数字\n提示：例如："
    )


def bench(folder, *words):
    return commands.run("bench", "--system", "builtin:baseline", "--type", "conflict_gap", *words, cwd=folder)


@pytest.mark.slow
def test_bench_with_rules(tmp_path):
    done = bench(tmp_path, "-o", "r.jsonl", "--require", "legal.no_hallucination >= 0.5", "--require", "legal == 1")
    assert done.returncode == 1
    assert "the gate is not passed: baseline" in done.stdout
    assert len(load(tmp_path / "r.jsonl")) == 48
    done = bench(tmp_path, "-o", "s.jsonl", "--require", "legal[type=conflict_gap] >= 0.1", "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert (found["kind"], [each["rule"] for each in found["gate"]]) == ("legal", ["legal[type=conflict_gap] >= 0.1"])
    alone = as_json(decide([parse_rule("legal[type=conflict_gap] >= 0.1")], load(tmp_path / "s.jsonl")))["findings"]
    assert [(list(each), each["verdict"], each["reason"]) for each in found["gate"]] == [
        (list(each), each["verdict"], each["reason"]) for each in alone
    ]
    assert "\n\nthe gate is passed: baseline\n" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("legal >= baseline", "this rule needs a baseline: legal >= baseline\n"),
        ("legal[typ=x] >= 1", "no tag is called 'typ'\nhint: did you mean 'type'?\n"),
        ("legal.no_halucination == 1", "no metric is called 'legal.no_halucination'\nhint: did you mean"),
        ("F1", "not a valid rule: 'F1'\n"),
    ],
)
def test_bench_refuses_a_rule_before_anything_is_asked(rule, message, tmp_path):
    done = bench(tmp_path, "-o", "r.jsonl", "--require", rule)
    assert (done.returncode, done.stdout, done.stderr.startswith(message)) == (2, "", True), done.stderr
    assert not (tmp_path / "r.jsonl").exists()


ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


def test_the_action_is_a_composite_one_that_passes_inputs_by_environment():
    assert ACTION["runs"]["using"] == "composite"
    assert {"result", "baseline", "require", "python-version"} <= set(ACTION["inputs"])
    for step in ACTION["runs"]["steps"]:
        assert ("uses" in step) != ("run" in step)
        assert "run" not in step or (step["shell"] == "bash" and "${{" not in step["run"])  # nothing is injected
    used = set(re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text("utf-8")))
    assert used == set(ACTION["inputs"])


def act(folder, programs=Path(sys.executable).parent, **inputs):
    """Run the deciding step as GitHub does: bash, its environment, files for the summary and the outputs."""
    (step,) = (step for step in ACTION["runs"]["steps"] if step.get("id") == "gate")
    given = {name: spec.get("default", "") for name, spec in ACTION["inputs"].items()} | inputs
    filled = {key: given[re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value)[1]] for key, value in step["env"].items()}
    environment = {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONUTF8": "1",
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "GITHUB_OUTPUT": str(folder / "output"),
        "TMPDIR": str(folder),
        **filled,
    }
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_action_installs_with_no_module_of_the_workspace():
    install = next(step["run"] for step in ACTION["runs"]["steps"] if step.get("name") == "Install Steelyard")
    assert install.startswith("python -I -m pip install ")


def test_the_action_decides_and_writes_the_summary(files, tmp_path):
    require = "legal >= 0.8\n\n  \nno item of fact_exact may fall from 1\nlegal[type=fact_exact] >= $(touch hacked)0\n"
    done = act(tmp_path, result="new.jsonl", baseline="old.jsonl", require=require)
    assert (done.returncode, (tmp_path / "hacked").exists()) == (2, False)
    require = "legal >= 0.8\n\nno item of fact_exact may fall from 1\n"
    done = act(tmp_path, result="new.jsonl", baseline="old.jsonl", require=require)
    assert done.returncode == 1, done.stderr
    assert (tmp_path / "summary.md").read_text("utf-8").startswith("## ❌ the gate is not passed")
    *_, junit, page = (line.partition("=")[2] for line in (tmp_path / "output").read_text("utf-8").splitlines())
    assert ElementTree.parse(junit).getroot().get("tests") == "2"
    assert Path(page).read_text("utf-8").startswith("<!doctype html>")
    (kept,) = (step["with"]["path"].split() for step in ACTION["runs"]["steps"] if "upload" in step.get("uses", ""))
    assert kept == ["${{", "steps.gate.outputs.junit", "}}", "${{", "steps.gate.outputs.page", "}}"]


@pytest.mark.slow
def test_the_action_passes_what_passes(files, tmp_path):
    done = act(tmp_path, result="new.jsonl", require="legal >= 0.8", options="--alpha 0.1 --allow-inconclusive")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "summary.md").read_text("utf-8").startswith("## ✅")


@pytest.mark.slow
@posix
@pytest.mark.parametrize(
    ("options", "passed"),
    [
        ("--alpha 0.1", ["--alpha", "0.1"]),
        (
            "--alpha 0.1 --allow-inconclusive\n\n  --lang zh\n",
            ["--alpha", "0.1", "--allow-inconclusive", "--lang", "zh"],
        ),
        ("""--no-fall 'fact exact' --require "F1 >= 1" """, ["--no-fall", "fact exact", "--require", "F1 >= 1"]),
        ("--no-fall $(touch hacked);`touch hacked` *", ["--no-fall", "$(touch", "hacked);`touch", "hacked`", "*"]),
        (" \n ", []),
        ("", []),
    ],
)
def test_the_options_of_the_action_are_split_as_a_shell_would(options, passed, tmp_path):
    """A program of the same name in front of the path writes down what it was given, and a file of findings."""
    program = (
        f"#!/bin/sh\nprintf '%s\\n' \"$@\" > '{tmp_path}/given'\n"
        + 'for word; do case "$word" in *.xml) : > "$word"; esac; done'
    )
    (tmp_path / "steelyard").write_text(program, "utf-8")
    (tmp_path / "steelyard").chmod(0o755)
    done = act(tmp_path, result="new.jsonl", require="F1 >= 0", options=options, programs=tmp_path)
    assert done.returncode == 0, done.stderr
    given = (tmp_path / "given").read_text("utf-8").splitlines()
    assert given[:2] == ["gate", "--require=F1 >= 0"]
    assert given[2:-6] == passed
    assert given[-2:] == ["--", "new.jsonl"]
    assert not (tmp_path / "hacked").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["--help", "-h", "--json", "-o"])
def test_the_action_takes_no_name_of_a_file_for_an_option(files, name, tmp_path):
    (tmp_path / name).write_bytes((tmp_path / "new.jsonl").read_bytes())
    assert act(tmp_path, result=name, require="legal >= 0.999").returncode == 1
    assert act(tmp_path, result="new.jsonl", baseline=name, require="legal > baseline").returncode == 1


@pytest.mark.slow
def test_the_action_fails_without_a_verdict(files, tmp_path):
    done = act(tmp_path, result="new.jsonl", require="legal >= 0", options="--help")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (2, "::error::the gate gave no verdict")


@pytest.mark.slow
def test_options_with_an_open_quote_are_wrong_input(files, tmp_path):
    assert act(tmp_path, result="new.jsonl", require="legal >= 0.8", options="--no-fall 'x").returncode == 2


def test_the_snippets_are_yaml_and_name_real_inputs():
    text = (ROOT / "docs" / "en" / "guides" / "ci.md").read_text("utf-8")
    github, gitlab = (yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL))
    assert set(github["jobs"]["gate"]["steps"][-1]["with"]) <= set(ACTION["inputs"])
    assert gitlab["gate"]["artifacts"]["reports"] == {"junit": "gate.xml"}
    assert all(f"| `{name}` |" in text for name in ACTION["inputs"])


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """Three results of the baseline system: without the part, with few and with many uncertain verdicts."""
    folder = tmp_path_factory.mktemp("judged")
    assert main(["bench", "--system", "builtin:baseline", "-o", str(folder / "run.jsonl"), "--lang", "en"]) == 0
    few, many = (lambda item, kind: item.endswith("3"), lambda item, kind: kind == "fact_exact")
    mark_uncertain(folder / "run.jsonl", folder / "few.jsonl", few)
    mark_uncertain(folder / "run.jsonl", folder / "many.jsonl", many)
    unmark(folder / "run.jsonl", folder / "without.jsonl")
    return folder


@pytest.mark.slow
def test_a_rule_about_what_is_uncertain(run, judged):
    share = load(judged / "few.jsonl").parts["legal"]["uncertain"].mean()
    code, out, _ = run("gate", judged / "few.jsonl", "--require", "legal.uncertain <= 0.2", "--lang", "en")
    assert (code, f"measured {share:.4f} [" in out) == (0, True)
    code, out, _ = run("gate", judged / "many.jsonl", "--require", "legal.uncertain <= 0.1", "--lang", "en")
    assert (code, "❌  legal.uncertain <= 0.1  not met" in out) == (1, True)


def test_more_of_what_is_uncertain_is_worse(run, judged):
    rules = ("--require", "legal.uncertain not-worse-by 0.05", "--no-fall", "legal.uncertain", "--lang", "en")
    code, out, _ = run("gate", judged / "many.jsonl", "--baseline", judged / "few.jsonl", *rules)
    assert code == 1
    assert re.search(r"❌  legal.uncertain not-worse-by 0.05 +not met", out)
    assert re.search(
        r"❌  no item of legal.uncertain may rise from 0 +not met +\d+ of \d+ items that scored 0 rose", out
    )
    assert "contract_fact_001  0 → 1.0000" in out
    code, out, _ = run("gate", judged / "few.jsonl", "--baseline", judged / "many.jsonl", *rules[:2], "--lang", "zh")
    assert (code, "达标" in out) == (0, True)


def test_findings_about_what_rose_in_every_format(run, judged, tmp_path):
    words = ("--baseline", judged / "few.jsonl", "--no-fall", "legal.uncertain", "--lang", "zh")
    outputs = [tmp_path / name for name in ("gate.md", "gate.xml", "gate.json")]
    run("gate", judged / "many.jsonl", *words, *(word for path in outputs for word in ("-o", path)))
    text, xml, found = (path.read_text("utf-8") for path in outputs)
    assert "### 上升的条目：legal.uncertain 的条目不得从 0 上升" in text
    assert re.search(r"原得 0 分的 \d+ 个条目中有 \d+ 个上升", xml)
    assert {"id": "contract_fact_001", "now": 1.0} in json.loads(found)["findings"][0]["fell"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_unknown_part_and_a_result_without_it(run, judged, language):
    rule = ("--require", "legal.uncertan <= 0.1", "--lang", language)
    code, out, err = run("gate", judged / "few.jsonl", *rule)
    assert (code, out) == (2, "")
    assert "'legal.uncertain'" in err
    code, _, err = run("gate", judged / "without.jsonl", "--require", "legal.uncertain <= 0.1", "--lang", language)
    assert (code, "replay:RESULT" in err) == (2, True)


def test_bench_knows_the_part_before_it_asks(run, tmp_path):
    words = ("bench", "--system", "builtin:baseline", "--lang", "en", "-o", tmp_path / "r.jsonl")
    code, _, err = run(*words, "--require", "legal.uncertan <= 0.1")
    assert (code, err) == (2, "no metric is called 'legal.uncertan'\nhint: did you mean 'legal.uncertain'?\n")
    assert not (tmp_path / "r.jsonl").exists()


def test_compare_says_that_an_increase_is_worse(run, judged):
    words = ("compare", judged / "few.jsonl", judged / "many.jsonl", "-m", "legal.uncertain", "--test", "t")
    _, out, _ = run(*words, "--json")
    found = json.loads(out)
    (one,) = found["comparisons"]
    assert one["diff"] > 0
    assert one["losses"] > one["wins"]
    assert len(found["changes"][0]["worse"]) == one["losses"]
    _, out, _ = run(*words, "--lang", "en")
    assert re.search(r"legal\.uncertain +0\.\d+ +0\.\d+ +\+0\.\d+ ▼", out)
    assert re.search(r"\d+ better · \d+ worse · \d+ same \(legal.uncertain\)", out)
