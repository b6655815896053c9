"""Which server runs: the project's, ours in its location, or the one that an edited server file names."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from steelyard.cli import main
from steelyard.io.yamls import Located, read_yaml
from steelyard.pipelines.import_check import missing_modules
from steelyard.pipelines.locate import locate_server
from steelyard.pipelines.manifest import write_manifest
from steelyard.pipelines.server import Server
from steelyard.pipelines.ultrarag import rename_parameters

ROOT = Path(__file__).parents[2]
FOREIGN = """
import json
import no_such_module_anywhere
from neither_this_one.server import Thing
try:
    import optional_module
except ImportError:
    pass


def later():
    import also_optional
"""
TREC = "servers:\n  evaluation: servers/evaluation\npipeline:\n- evaluation.evaluate_trec\n"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with a server of another make, whose libraries are not installed."""
    folder = tmp_path / "servers" / "evaluation"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "evaluation.py").write_text(FOREIGN)
    (folder / "parameter.yaml").write_text("ks: [3]\nqrels_path: data/qrels.txt\nnobody_knows: 1\n")
    shutil.copytree(ROOT / "data", tmp_path / "data")
    (tmp_path / "p.yaml").write_text(TREC)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_modules_are_looked_for_and_nothing_is_run(tmp_path):
    (tmp_path / "beside.py").write_text("import nor_this_one\nraise SystemExit('this is executed')\n")
    (tmp_path / "program.py").write_text(FOREIGN + "import beside\nimport steelyard_unknown, os.path\n")
    (tmp_path / "torn.py").write_text("import (\n")
    programs = {name: str(tmp_path / f"{name}.py") for name in ("program", "torn")}
    assert missing_modules(programs, sys.executable) == {
        "program": ["neither_this_one", "no_such_module_anywhere", "nor_this_one", "steelyard_unknown"],
        "torn": [],
    }
    assert missing_modules(programs, str(tmp_path / "no-python")) == {}


@pytest.mark.slow
def test_a_server_that_cannot_be_imported_gives_way_to_ours_with_one_notice(project, capsys):
    assert main(["run", "p.yaml", "--json"]) == 0
    out, err = capsys.readouterr()
    assert [key for key in json.loads(out)["eval_res"] if key.startswith("P@")] == ["P@3"]
    notice = (
        "servers of steelyard replace those of the project: evaluation; "
        "not installed: neither_this_one, no_such_module_anywhere\n"
    )
    assert err.count("servers of steelyard") == err.count(notice) == 1
    assert main(["build", "p.yaml"]) == 0
    assert notice in capsys.readouterr().err
    assert read_yaml("parameters/p_parameter.yaml").plain()["evaluation"]["ks"] == [3]
    assert main(["run", "p.yaml", "--json"]) == 0
    out, err = capsys.readouterr()
    assert [key for key in json.loads(out)["eval_res"] if key.startswith("P@")] == ["P@3"]
    assert err.startswith(notice)


OWN = "servers/evaluation/src/evaluation.py"


@pytest.mark.slow
@pytest.mark.parametrize("choice", ["auto", "ours"])
def test_the_server_file_names_the_projects_program_and_what_it_takes(project, capsys, choice):
    (project / OWN).write_text(FOREIGN + "def evaluate_trec(run_path, qrels_path, metrics, ks): ...\n")
    assert main(["build", "p.yaml", "--servers", choice]) == 0
    written = read_yaml("server/p_server.yaml").plain()["evaluation"]
    assert (written["path"], written["parameter"]) == (OWN, "servers/evaluation/parameter.yaml")
    assert list(written["tools"]["evaluate_trec"]["input"]) == ["run_path", "qrels_path", "metrics", "ks"]
    capsys.readouterr()
    assert main(["build", "p.yaml", "--servers", choice]) == 0
    assert "the program of" not in capsys.readouterr().err
    for other in ("auto", "ours"):
        assert main(["run", "p.yaml", "--json", "--servers", other]) == 0
        assert "P@3" in json.loads(capsys.readouterr().out)["eval_res"]
    assert list(project.glob("output/evaluate_results_*"))  # save_path is an argument of ours, not of the project's
    assert main(["run", "p.yaml", "--servers", "project"]) == 3


def test_a_server_that_the_project_lacks_is_named_as_the_project_would_name_it(project):
    shutil.rmtree(project / "servers")
    assert main(["build", "p.yaml"]) == 0
    written = read_yaml("server/p_server.yaml").plain()["evaluation"]
    assert (written["path"], written["parameter"]) == (OWN, "servers/evaluation/parameter.yaml")
    assert main(["run", "p.yaml"]) == 0


@pytest.mark.parametrize("there", [True, False])
def test_a_program_of_any_installation_in_an_older_server_file_is_ours(project, capsys, there):
    installed = project / "venv" / "steelyard"
    if there:
        shutil.copytree(ROOT / "servers" / "evaluation", installed / "servers" / "evaluation")
        (installed / "pipelines").mkdir()
        (installed / "pipelines" / "server.py").touch()
    assert main(["build", "p.yaml"]) == 0
    file = project / "server" / "p_server.yaml"
    file.write_text(file.read_text().replace(f"path: {OWN}", f"path: {installed}/{OWN}"))
    capsys.readouterr()
    assert main(["run", "p.yaml", "--json"]) == 0
    out, err = capsys.readouterr()
    assert "P@3" in json.loads(out)["eval_res"]
    assert err.startswith("servers of steelyard replace those of the project")
    assert "the program of" not in err
    assert main(["run", "p.yaml", "--servers", "project"]) == 3
    assert "No module named 'no_such_module_anywhere'" in capsys.readouterr().err


def test_the_projects_server_is_run_or_fails_where_that_is_chosen(project, capsys):
    for command in ("build", "run"):
        assert main([command, "p.yaml", "--servers", "project"]) == 3
        err = capsys.readouterr().err
        assert "No module named 'no_such_module_anywhere'" in err
        assert err.endswith("or use the server of steelyard: --servers ours\n")
    (project / "p.yaml").write_text(TREC.replace("servers/evaluation", "servers/router"))
    assert main(["run", "p.yaml", "--servers", "project"]) == 2
    assert "there is no server at 'servers/router'" in capsys.readouterr().err


def test_ours_can_be_chosen_where_the_projects_would_run(project, capsys):
    (project / "servers" / "evaluation" / "src" / "evaluation.py").write_text(
        "from steelyard.pipelines.server import Server\napp = Server('evaluation', __file__)\n"
        "@app.tool('->eval_res')\ndef evaluate_trec():\n    return {'eval_res': 'mine'}\n"
    )
    for choice, mine in (("auto", True), ("project", True), ("ours", False)):
        assert main(["run", "p.yaml", "--json", "--servers", choice]) == 0
        out, err = capsys.readouterr()
        assert (json.loads(out)["eval_res"] == "mine") is mine
        assert "servers of steelyard" not in err


def test_a_server_file_of_upstream_keeps_what_only_ours_takes(project, capsys):
    """The profile is no argument of UltraRAG's `evaluate`, whose server file does not name it."""
    (project / "answers.jsonl").write_text('{"q": "？", "gold": ["北京"], "answer": "北京。"}\n')
    (project / "p.yaml").write_text(
        "servers:\n  benchmark: servers/benchmark\n  evaluation: servers/evaluation\n"
        "pipeline:\n- benchmark.get_data\n- evaluation.evaluate\n"
    )
    (project / "server").mkdir()
    (project / "server" / "p_server.yaml").write_text(
        "evaluation:\n  tools:\n    evaluate:\n      input: {pred_ls: pred_ls, gt_ls: gt_ls, metrics: $metrics, "
        "save_path: $save_path, no_argument_of_ours: gt_ls}\n      output: [eval_res]\n"
        "  parameter: servers/evaluation/parameter.yaml\n  path: servers/evaluation/src/evaluation.py\n"
    )
    (project / "parameter").mkdir()
    (project / "parameter" / "p_parameter.yaml").write_text(
        "benchmark:\n  benchmark:\n    path: answers.jsonl\n    key_map: {q_ls: q, gt_ls: gold, pred_ls: answer}\n"
        "evaluation: {metrics: [em], save_path: null, profile: steelyard}\n"
    )
    assert main(["run", "p.yaml", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["eval_res"]["em"] == [1.0]


TOY = """
from steelyard.pipelines.server import Server

app = Server("toy", __file__)


@app.tool("word->out")
def tell(word):
    return {"out": "NAME " + word}


if __name__ == "__main__":
    app.run()
"""


@pytest.fixture
def toys(tmp_path, monkeypatch):
    """Two servers of one make."""
    for name in ("one", "two"):
        (tmp_path / "servers" / name / "src").mkdir(parents=True)
        (tmp_path / "servers" / name / "src" / f"{name}.py").write_text(TOY.replace("NAME", name))
        (tmp_path / "servers" / name / "parameter.yaml").write_text(f"word: of {name}\n")
    (tmp_path / "p.yaml").write_text("servers:\n  toy: servers/one\npipeline:\n- toy.tell\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_path_of_an_edited_server_file_is_obeyed(toys, capsys):
    assert main(["build", "p.yaml"]) == 0
    shutil.rmtree(toys / "parameters")
    file = toys / "server" / "p_server.yaml"
    text = file.read_text()
    assert main(["run", "p.yaml", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out) == {"out": "one of one"}
    assert "the program of" not in err
    file.write_text(text.replace("servers/one", "servers/two").replace("one.py", "two.py"))
    assert main(["run", "p.yaml", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out) == {"out": "two of two"}
    line = next(number for number, content in enumerate(text.splitlines(), 1) if "path:" in content)
    location = f"server/p_server.yaml:{line}"
    assert f"{location}: the program of toy is servers/two/src/two.py, not servers/one/src/one.py\n" in err
    assert main(["build", "p.yaml"]) == 0
    moved = "the program of toy was servers/two/src/two.py; it is now servers/one/src/one.py\n"
    assert f"{location}: {moved}" in capsys.readouterr().err
    for missing in ("servers/three/src/three.py", "three.py"):
        file.write_text(text.replace("servers/one/src/one.py", missing))
        assert main(["run", "p.yaml"]) == 2
        assert capsys.readouterr().err.startswith(f"{location}: there is no program {missing!r}\n")


def test_headers_of_one_host_are_not_sent_to_another_that_the_server_file_names(toys):
    named = Located({"path": Located("http://a.test/mcp", ""), "headers": Located({"X": Located("1", "")}, "")}, "")
    for address, headers in (("http://a.test/other", {"X": "1"}), ("http://b.test/mcp", {})):
        home = locate_server("toy", named, {}, Located({"path": Located(address, "s:1")}, "s"))
        assert (home.address, home.headers) == (address, headers)


@pytest.mark.parametrize("program", ["copy.py", "one.py"])
def test_a_renamed_copy_of_a_server_finds_its_program_by_the_folder(toys, capsys, program):
    shutil.copytree(toys / "servers" / "one", toys / "servers" / "copy")
    (toys / "servers" / "copy" / "src" / "one.py").rename(toys / "servers" / "copy" / "src" / program)
    write_manifest(Server("one"), {"parameter_file": "servers/copy/parameter.yaml"})
    assert read_yaml("servers/copy/server.yaml").plain()["path"] == f"servers/copy/src/{program}"
    (toys / "p.yaml").write_text("servers:\n  toy: servers/copy\npipeline:\n- toy.tell\n")
    assert main(["build", "p.yaml"]) == 0
    assert main(["run", "p.yaml", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"out": "one of one"}


DEFAULTS = {"backend": "latent", "index_backend_configs": {"faiss": {"index_path": "a", "more": 1}}, "extra_params": {}}


@pytest.mark.parametrize(
    ("folder", "given", "values"),
    [
        ("retriever", {"top_k": 3}, {"top_k": 3}),
        (
            "retriever",
            {"index_path": "b", "retriever_path": "m"},
            {
                "index_backend_configs": {"faiss": {"index_path": "b", "more": 1}},
                "model_name_or_path": "m",
                "backend": "sentence_transformers",
            },
        ),
        (
            "retriever",
            {"use_openai": True, "retriever_path": "m", "openai_model": "o"},
            {"model_name_or_path": "m", "backend": "openai", "backend_configs": {"openai": {"model_name": "o"}}},
        ),
        ("retriever", {"retriever_path": "m", "backend": "bm25"}, {"model_name_or_path": "m", "backend": "bm25"}),
        (
            "generation",
            {"sampling_params": {"extra_body": {"top_k": 1}}, "extra_params": {"top_k": 2}},
            {"sampling_params": {}, "extra_params": {"top_k": 2}},
        ),
        ("generation", {"sampling_params": None}, {"sampling_params": None}),
        ("toy", {"model_name": "m"}, {"model_name": "m"}),
    ],
)
def test_older_names_give_way_to_what_is_said_under_the_new_ones(folder, given, values):
    assert rename_parameters(folder, given, DEFAULTS)[0] == values


def test_ours_is_not_proposed_for_a_tool_that_it_lacks(project, capsys):
    (project / "servers" / "retriever" / "src").mkdir(parents=True)
    (project / "servers" / "retriever" / "src" / "retriever.py").write_text(FOREIGN)
    (project / "p.yaml").write_text(
        "servers:\n  retriever: servers/retriever\npipeline:\n- retriever.retriever_websearch\n"
    )
    for choice, code in (("auto", 2), ("project", 3)):
        assert main(["run", "p.yaml", "--servers", choice]) == code
        err = capsys.readouterr().err
        assert "hint: activate UltraRAG's environment (its python first on the PATH)" in err
        assert "--servers ours" not in err
