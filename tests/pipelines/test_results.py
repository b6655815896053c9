"""Evaluating steps of pipelines leave results files, which are compared, gated and viewed."""

import json
import shutil
from pathlib import Path

import httpx
import pytest
from web.serving import serving

import steelyard
from steelyard.cli import main
from steelyard.io.results import load_all
from steelyard.io.yamls import read_yaml
from steelyard.pipelines.load import load_program
from steelyard.pipelines.manifest import write_manifest

ROOT = Path(__file__).parents[2]
SERVERS = "servers:\n  benchmark: servers/benchmark\n  evaluation: servers/evaluation\n"
STEPS = "pipeline:\n- benchmark.get_data\n- evaluation.evaluate\n"
PARAMETERS = """benchmark:
  benchmark:
    path: {name}_answers.jsonl
    key_map: {{id_ls: id, q_ls: q, gt_ls: gold, pred_ls: answer, ret_psg: found}}
evaluation:
  metrics: [em, f1]
  save_path: output/{name}.json
"""
WORDS = [f"word{number}" for number in range(30)]


def pipeline(name, answers, steps=STEPS, **changed):
    """A pipeline that evaluates given answers, each about a word of the list."""
    rows = [
        {"id": f"q{row}", "q": f"Which word is {row}?", "gold": [word], "answer": answer, "found": [f"It is {word}."]}
        | changed
        for row, (word, answer) in enumerate(zip(WORDS, answers, strict=True))
    ]
    Path(f"{name}_answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    Path(f"{name}.yaml").write_text(SERVERS + steps, encoding="utf-8")
    Path("parameters").mkdir(exist_ok=True)
    Path("parameters", f"{name}_parameter.yaml").write_text(PARAMETERS.format(name=name), encoding="utf-8")
    return f"{name}.yaml"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def two(here):
    """The results files of two pipelines; the old one knows two words."""
    assert main(["run", pipeline("old", [*WORDS[:2], *(["stone"] * 28)])]) == 0
    assert main(["run", pipeline("new", WORDS)]) == 0
    (old,), (new,) = here.glob("output/old_*.jsonl"), here.glob("output/new_*.jsonl")
    return str(old), str(new)


def test_a_step_leaves_a_results_file_beside_its_json(two, capsys):
    old = Path(two[0])
    saved = json.loads(old.with_suffix(".json").read_text(encoding="utf-8"))
    table = steelyard.load(old)
    assert [table.column("EM").tolist(), table.column("F1").tolist()] == [saved["em"], saved["f1"]]
    assert (table.mean("EM"), str(table.signature)) == (saved["avg_em"], saved["signature"])
    assert table.signature.get("profile") == "ultrarag"
    assert (table.name, table.ids[:2], table.complete) == (old.stem, ["q0", "q1"], True)
    assert table.outputs[2] == {
        "question": "Which word is 2?",
        "answer": "stone",
        "references": [["word2"]],
        "contexts": ["It is word2."],
    }


def test_two_pipelines_are_compared_gated_and_viewed(two, here, capsys):
    assert main(["compare", *two, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["comparisons"]
    assert [(each["metric"], each["n"], each["significant"]) for each in found] == [("EM", 30, True), ("F1", 30, True)]
    assert found[0]["diff"] == pytest.approx(28 / 30)
    assert main(["gate", two[1], "--baseline", two[0], "--require", "EM > baseline", "--require", "F1 >= 0.8"]) == 0
    assert main(["gate", two[0], "--baseline", two[1], "--require", "EM >= baseline"]) == 1
    assert main(["report", *two, "-o", "page.html"]) == 0
    assert "Which word is 2?" in Path("page.html").read_text(encoding="utf-8")
    assert main(["sample", two[0], "-n", "3", "-o", "review.html"]) == 0
    with serving(here / "output") as server:
        entries = server.viewer.listed().entries
        page = httpx.get(server.address, trust_env=False).text
    assert all(Path(path).stem in page for path in two)
    assert not {entry.path for entry in entries} & {str(Path(path).with_suffix(".json").name) for path in two}


def test_the_line_that_names_the_file(two, here, capsys):
    capsys.readouterr()
    assert main(["run", "new.yaml", "--json"]) == 0
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert [line.partition("_")[0] for line in lines[:2]] == ["saved: output/new", "results: output/new"]
    assert list(json.loads(out)["eval_res"]) == [
        "em",
        "f1",
        "avg_em",
        "avg_f1",
        "profile",
        "ci95",
        "counts",
        "signature",
    ]


def test_a_step_in_a_loop_leaves_a_file_each_time(here):
    loop = "pipeline:\n- benchmark.get_data\n- loop:\n    times: 3\n    steps:\n    - evaluation.evaluate\n"
    assert main(["run", pipeline("loop", WORDS, loop)]) == 0
    files = sorted(here.glob("output/loop_*.json*"))
    assert len(files) == 6
    assert {path.stem for path in files if path.suffix == ".json"} == {path.stem for path in files[1::2]}
    assert all(steelyard.load(path).mean("EM") == 1 for path in here.glob("output/loop_*.jsonl"))


def test_a_resumed_run_keeps_the_file_of_a_finished_step(here, capsys):
    shutil.copytree(ROOT / "data", "data")
    steps = STEPS + "- evaluation.evaluate_trec\n"
    pipeline("two", WORDS, steps)
    text = Path("parameters/two_parameter.yaml").read_text(encoding="utf-8")
    bad = text + "  qrels_path: data/none.txt\n  run_path: data/run_a.txt\n  ir_metrics: [map]\n  ks: [10]\n"
    Path("parameters/two_parameter.yaml").write_text(bad, encoding="utf-8")
    assert main(["run", "two.yaml"]) == 2
    (before,) = here.glob("output/two_*.jsonl")
    Path("parameters/two_parameter.yaml").write_text(bad.replace("none.txt", "qrels.txt"), encoding="utf-8")
    assert main(["run", "two.yaml", "--resume"]) == 0
    after = sorted(here.glob("output/two_*.jsonl"))
    assert len(after) == 2
    assert before in after
    assert sorted(steelyard.load(path).kind for path in after) == ["answers", "retrieval"]


def test_the_json_of_a_step_is_its_results_file(two, capsys):
    old, new = two
    as_json = Path(new).with_suffix(".json")
    (table,), (expected,) = load_all(as_json), load_all(new)
    assert (table.kind, table.ids, table.signature) == (expected.kind, expected.ids, expected.signature)
    assert main(["gate", str(as_json), "--baseline", old, "--require", "f1 not-worse-by 0.1"]) == 0
    assert main(["compare", str(as_json), new]) == 0
    capsys.readouterr()


def test_json_of_another_evaluation_is_not_the_results_file_beside_it(two):
    saved = Path(two[1]).with_suffix(".json")
    text = saved.read_text(encoding="utf-8").replace("profile:ultrarag", "profile:steelyard")
    saved.write_text(text, encoding="utf-8")
    assert [table.kind for table in load_all(saved)] == ["scores"]


def test_json_without_its_results_file_is_compared_under_its_profile(two, capsys):
    old, new = (Path(path).with_suffix(".json") for path in two)
    alone = [shutil.copy(old, "old.json"), "new.json"]
    text = new.read_text(encoding="utf-8").replace('"profile": "ultrarag"', '"profile": "steelyard"')
    Path("new.json").write_text(text, encoding="utf-8")
    assert main(["compare", *alone]) == 2
    assert "their settings differ: profile (steelyard ≠ –)" in capsys.readouterr().err
    assert main(["compare", "old.json", two[0]]) == 2
    assert "a results file (.jsonl) is compared with results files" in capsys.readouterr().err


@pytest.mark.slow
def test_isolated_servers_leave_the_same_file(two, here):
    assert main(["run", "new.yaml", "--isolated"]) == 0
    files = sorted(here.glob("output/new_*.jsonl"))
    assert len(files) == 2
    lines = [path.read_text(encoding="utf-8").splitlines() for path in files]
    assert lines[0][1:] == lines[1][1:]


def test_of_several_questions_of_a_loop_the_first_is_kept(here):
    for name in ("data", "prompt", "examples"):
        shutil.copytree(ROOT / name, name)
    assert main(["run", "examples/ircot.yaml"]) == 0
    (results,) = here.glob("output/evaluate_results_*.jsonl")
    (snapshot,) = here.glob("output/memory_*.json")
    steps = json.loads(snapshot.read_text(encoding="utf-8"))
    values = [step["memory"]["memory_q_ls"] for step in steps if "memory_q_ls" in step["memory"]]
    assert values[-1] != values[0]
    assert [output["question"] for output in steelyard.load(results).outputs] == values[0]


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ({"ids": ["a"]}, "ids has 1 entry for 2 answers; the results file is without it"),
        ({"ids": ["a", "a"]}, "an id is missing or occurs twice; the items of the results file are numbered"),
        ({"questions": [["x", "y", "z"]]}, "questions has 3 entries for 2 answers; the results file is without it"),
    ],
)
def test_lists_that_do_not_belong_to_the_answers_are_left_out(here, lists, message):
    from servers.test_servers import evaluation

    from steelyard.pipelines.server import callbacks

    notices = []
    with callbacks(on_notice=lambda notice: notices.append(str(notice))):
        evaluation.evaluate(["a", "b"], [["a"], ["b"]], ["em"], "output/r.json", **lists)
    assert any(notice.startswith(message) for notice in notices)
    (results,) = here.glob("output/*.jsonl")
    table = steelyard.load(results)
    assert (table.ids, table.mean("EM")) == (["1", "2"], 1.0)


def test_runs_and_their_comparison(here, capsys):
    for folder in ("examples", "data"):
        shutil.copytree(ROOT / folder, folder)
    assert main(["run", "examples/eval_trec_pvalue.yaml"]) == 0
    heads = ["metric", "A_mean", "B_mean", "Diff(A-B)", "p_value", "significant"]
    assert capsys.readouterr().out.split()[: len(heads)] == heads
    (results,) = here.glob("output/*.jsonl")
    old, new = steelyard.load_all(results)
    assert (old.name, new.name) == ("run_b", "run_a")
    saved = json.loads(results.with_suffix(".json").read_text(encoding="utf-8"))
    (found,) = steelyard.compare(old, new, metrics="AP")
    assert (saved["map"]["A_mean"], saved["map"]["diff"]) == (new.mean("AP"), found.difference)
    assert main(["compare", str(results)]) == 0


def test_answers_to_a_legal_benchmark(here):
    for folder in ("examples", "data"):
        shutil.copytree(ROOT / folder, folder)
    assert main(["run", "examples/legal.yaml"]) == 0
    (results,) = here.glob("output/legal_results_*.jsonl")
    saved = json.loads(results.with_suffix(".json").read_text(encoding="utf-8"))
    table = steelyard.load(results, strict=True)
    assert (table.kind, table.ids, table.column("legal").tolist()) == ("legal", saved["ids"], saved["legal"])
    assert table.mean("legal") == pytest.approx(saved["avg_legal"])
    assert [table.notes(row)["legal"] for row in range(len(table))] == saved["reasons"]
    assert main(["report", str(results), "-o", "page.html"]) == 0


def _manifest(here, server, *edits, parameters=None):
    """The manifest that a copy of a server writes for UltraRAG, after edits of its program as (old, new)."""
    folder = here / "servers" / server
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "servers" / server, folder, ignore=shutil.ignore_patterns("server.yaml"))
    program = folder / "src" / f"{server}.py"
    for old, new in edits:
        text = program.read_text(encoding="utf-8")
        assert old in text
        program.write_text(text.replace(old, new), encoding="utf-8")
    if parameters:
        (folder / "parameter.yaml").write_text(parameters, encoding="utf-8")
    write_manifest(load_program(program), {"parameter_file": str(folder / "parameter.yaml")})
    return read_yaml(folder / "server.yaml").plain()


OURS_ALONE = {"evaluation": "profile", "prompt": "escape", "retriever": "adopt"}


@pytest.mark.parametrize("server", OURS_ALONE)
def test_a_manifest_for_ultrarag_has_only_variables_that_must_exist(here, server):
    written = _manifest(here, server)
    names = {
        name for group in ("tools", "prompts") for tool in written[group].values() for name in tool["input"].values()
    }
    assert names
    assert f"${OURS_ALONE[server]}" not in names
    assert server == "prompt" or "memory_q_ls" not in names


def test_a_parameter_that_ultrarag_lacks_is_in_the_manifest_if_it_is_set(here):
    parameters = (ROOT / "servers" / "retriever" / "parameter.yaml").read_text(encoding="utf-8")
    written = _manifest(here, "retriever", parameters=parameters.replace("adopt: false", "adopt: true"))
    assert written["tools"]["retriever_init"]["input"]["adopt"] == "$adopt"


DECLARED = '@app.tool(output="benchmark->q_ls,gt_ls", publishes=_published, checks=_check)'
SEED = '@app.tool(output="benchmark->q_ls,gt_ls,pred_ls")'


@pytest.mark.parametrize("edit", [(DECLARED, SEED), ('gt_ls"', 'gt_ls,pred_ls"'), None])
def test_the_output_of_a_tool_is_edited_as_in_ultrarag(here, edit):
    written = _manifest(here, "benchmark", *([edit] if edit else []))
    assert written["tools"]["get_data"]["output"] == ["q_ls", "gt_ls", *(["pred_ls"] if edit else [])]


@pytest.mark.slow
def test_an_edited_output_is_read_from_the_data(here, capsys):
    _manifest(here, "benchmark", (DECLARED, SEED))
    (here / "p.yaml").write_text(
        "servers: {benchmark: servers/benchmark, evaluation: servers/evaluation}\n"
        "pipeline: [benchmark.get_data, evaluation.evaluate]\n",
        encoding="utf-8",
    )
    (here / "rows.jsonl").write_text('{"q": "1?", "gold": ["b"], "answer": "b"}\n', encoding="utf-8")
    assert main(["build", "p.yaml"]) == 0
    (file,) = here.glob("parameter*/p_parameter.yaml")
    text = file.read_text(encoding="utf-8").replace("data/sample_nq_10.jsonl", "rows.jsonl")
    text = text.replace("q_ls: question", "q_ls: q").replace("gt_ls: golden_answers", "gt_ls: gold")
    file.write_text(text, encoding="utf-8")
    assert main(["run", "p.yaml"]) != 0
    assert "pred_ls" in capsys.readouterr().err
    file.write_text(text.replace("gt_ls: gold", "gt_ls: gold\n      pred_ls: answer"), encoding="utf-8")
    assert main(["run", "p.yaml", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["eval_res"]["em"] == [1.0]


def test_an_answer_that_is_null_or_cannot_be_read_is_a_failure(here):
    from servers.test_servers import evaluation

    names = [question["id"] for question in _questions()[:3]]
    evaluation.evaluate_legal(names, [None, {"nothing": 1}, "不清楚。"], save_path="output/legal.json")
    (results,) = here.glob("output/*.jsonl")
    table = steelyard.load(results, strict=True)
    assert list(table.failures) == [0, 1]
    assert table.failures[0] == "the answer is null"
    assert (table.ids, table.complete) == (names, True)


def _questions():
    lines = (ROOT / "data" / "legal_answers.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_half_of_a_character_is_replaced_in_the_results_file(here):
    from servers.test_servers import evaluation

    evaluation.evaluate(["a\ud800"], [["a"]], ["em"], "output/r.json", contexts=[["x\ud800"]])
    (results,) = here.glob("output/*.jsonl")
    (output,) = steelyard.load(results).outputs
    assert (output["answer"], output["contexts"]) == ("a\ufffd", ["x\ufffd"])
