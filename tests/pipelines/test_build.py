"""What `build` writes, what it starts from, and that `run` reads the same."""

import json
import shutil
from pathlib import Path

import pytest

from steelyard.cli import main
from steelyard.io.yamls import read_yaml
from steelyard.pipelines.build import insert_entries

ROOT = Path(__file__).parents[2]
TOY = """
from steelyard.pipelines.server import Server

app = Server("toy", __file__)


@app.tool("benchmark->q_ls")
def load(benchmark):
    return {name: [field] for name, field in benchmark["key_map"].items()}


@app.tool("mark,count->out")
def say_it(mark, count=1):
    return {"out": mark * count}


@app.tool("p_ls->out")
def use(p_ls):
    return {"out": p_ls}
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A project with one server, which is the current folder."""
    (tmp_path / "servers" / "toy" / "src").mkdir(parents=True)
    (tmp_path / "servers" / "toy" / "src" / "toy.py").write_text(TOY)
    (tmp_path / "servers" / "toy" / "parameter.yaml").write_text(
        "mark: '!'\ncount: 1\nbenchmark: {key_map: {q_ls: q}}\n"
    )
    (tmp_path / "p.yaml").write_text("servers:\n  toy: servers/toy\npipeline:\n- toy.say_it\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def last(capsys):
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("folder", ["parameter", "parameters"])
def test_edited_parameters_survive_build_in_either_folder(here, capsys, folder):
    edited = here / folder / "p_parameter.yaml"
    edited.parent.mkdir()
    edited.write_text("# mine\ntoy:\n  mark: '?'   # a question\n\n# the end\n")
    assert main(["build", "p.yaml"]) == 0
    assert edited.read_text() == "# mine\ntoy:\n  mark: '?'   # a question\n  count: 1\n\n# the end\n"
    err = capsys.readouterr().err
    assert f"written: {folder}/p_parameter.yaml\n" in err
    assert "added: toy.count; unchanged: 1\n" in err
    assert sorted(path.name for path in here.glob("parameter*")) == [folder]
    assert main(["run", "p.yaml", "--json"]) == 0
    assert last(capsys) == {"out": "?"}


def test_of_two_parameter_files_build_and_run_take_the_same_and_say_so(here, capsys):
    for folder, mark in (("parameter", "a"), ("parameters", "b")):
        (here / folder).mkdir()
        (here / folder / "p_parameter.yaml").write_text(f"toy:\n  mark: {mark}\n")
    notice = "parameter/p_parameter.yaml is ignored: the parameters are read from parameters/p_parameter.yaml\n"
    assert main(["build", "p.yaml"]) == 0
    assert notice in capsys.readouterr().err
    assert (here / "parameter" / "p_parameter.yaml").read_text() == "toy:\n  mark: a\n"
    assert main(["run", "p.yaml", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out) == {"out": "b"}
    assert notice in err


def test_a_new_file_is_written_to_the_folder_that_is_there(here):
    (here / "parameter").mkdir()
    assert main(["build", "p.yaml"]) == 0
    assert read_yaml(here / "parameter" / "p_parameter.yaml").plain() == {"toy": {"mark": "!", "count": 1}}
    assert not (here / "parameters").exists()


def test_a_file_that_cannot_be_added_to_is_kept_beside(here, capsys):
    (here / "parameters").mkdir()
    file = here / "parameters" / "p_parameter.yaml"
    for name, text, mark in (
        ("p_parameter.yaml.old", "toy: {mark: '?'}  # mine\n", "?"),
        ("p_parameter.yaml.old1", "# toy: to be filled in\n", "!"),
    ):
        file.write_text(text)
        assert main(["build", "p.yaml"]) == 0
        assert read_yaml(file).plain() == {"toy": {"mark": mark, "count": 1}}
        assert file.with_name(name).read_text() == text
        assert f"previous file kept as: parameters/{name}\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("a:\n  x: 1\nb:\n  y: 2", "a:\n  x: 1\n  z: 3\nb:\n  y: 2\n"),
        ("a:\n  x:\n  - 1\n  - 2\n# about b\nb:\n  y: 2\n", "a:\n  x:\n  - 1\n  - 2\n  z: 3\n# about b\nb:\n  y: 2\n"),
        ("a:\n    x: |\n      one\n\nb:\n    y: 2\n", "a:\n    x: |\n      one\n\n    z: 3\nb:\n    y: 2\n"),
        ("b:\n  y: 2\n", "b:\n  y: 2\na:\n  z: 3\n"),
        ("a:\n  x:\n", "a:\n  x:\n  z: 3\n"),
        ("a: {}\n", None),
        ("{a: {x: 1}}\n", None),
        ("a: &k\n  x: 1\nb: *k\n", None),
    ],
)
def test_entries_are_added_as_text_or_not_at_all(text, changed):
    assert insert_entries(text, {"a": {"z": 3}}) == changed


STEPS = "servers:\n  toy: servers/toy\npipeline:\n- toy.load\n- toy.use\n"


@pytest.mark.parametrize("server", ["toy", "benchmark"])
def test_build_writes_the_file_in_which_a_variable_is_named_and_run_insists(here, capsys, server):
    steps = STEPS
    if server == "benchmark":  # one of ours, which says itself what its key_map publishes
        steps = STEPS.replace("- toy.load", "- benchmark.get_data").replace(
            "servers:", "servers:\n  benchmark: servers/benchmark"
        )
        (here / "data.jsonl").write_text('{"q": "q", "f": "field"}\n')
        defaults = "benchmark:\n  benchmark:\n    path: data.jsonl\n    key_map:\n      q_ls: q\n"
        (here / "parameters").mkdir()
        (here / "parameters" / "p_parameter.yaml").write_text(defaults)
    (here / "p.yaml").write_text(steps)
    assert main(["build", "p.yaml"]) == 0
    file = "parameters/p_parameter.yaml"
    lines = Path(file).read_text().splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "q_ls" in text)
    location = f"p.yaml:{steps.splitlines().index('- toy.use') + 1}"
    error = f"{location}: no step before toy.use provides 'p_ls'\n"
    hint = f"hint: define it in key_map of {server}.benchmark, at {file}:{line} (p_ls: FIELD)\n"
    assert capsys.readouterr().err.endswith(error + hint)
    assert main(["run", "p.yaml"]) == 2
    assert capsys.readouterr().err == error + hint
    lines.insert(line, lines[line - 1].replace("q_ls: q", "p_ls: f"))
    Path(file).write_text("\n".join(lines))
    assert main(["build", "p.yaml"]) == 0
    assert "p_ls" in Path("server/p_server.yaml").read_text()
    assert main(["run", "p.yaml", "--json"]) == 0
    assert last(capsys)["out"] == (["f"] if server == "toy" else ["field"])


def test_without_a_parameter_file_the_hint_says_who_writes_it(here, capsys):
    (here / "p.yaml").write_text(STEPS)
    assert main(["run", "p.yaml"]) == 2
    assert "in the parameter file that steelyard build writes\n" in capsys.readouterr().err


def test_what_no_key_map_can_name_is_still_an_error_of_build(here, capsys):
    (here / "p.yaml").write_text("servers:\n  toy: servers/toy\npipeline:\n- toy.use\n")
    assert main(["build", "p.yaml"]) == 2
    assert not (here / "parameters").exists()


def test_without_a_profile_the_numbers_are_upstreams_and_the_output_says_so(here, capsys):
    (here / "data.jsonl").write_text('{"q": "1", "gold": ["1972"], "answer": "the 1972"}\n' * 2)
    (here / "p.yaml").write_text(
        "servers:\n  benchmark: servers/benchmark\n  evaluation: servers/evaluation\n"
        "pipeline:\n- benchmark.get_data\n- evaluation.evaluate\n"
    )
    (here / "parameter").mkdir()
    file = here / "parameter" / "p_parameter.yaml"
    written = (
        "benchmark:\n  benchmark:\n    path: data.jsonl\n    key_map: {q_ls: q, gt_ls: gold, pred_ls: answer}\n"
        "evaluation:\n  metrics: [em]\n  save_path: output/r.json\n"
    )
    file.write_text(written)
    assert main(["run", "p.yaml"]) == 0
    assert "\nprofile  ultrarag\n" in capsys.readouterr().out
    (saved,) = (here / "output").glob("r_*.json")
    assert json.loads(saved.read_text())["profile"] == "ultrarag"
    assert main(["build", "p.yaml"]) == 0
    assert file.read_text() == written + "  profile: ultrarag\n"
    file.write_text(written + "  profile: steelyard\n")
    assert main(["run", "p.yaml", "--json"]) == 0
    assert last(capsys)["eval_res"]["profile"] == "steelyard"


def test_older_names_of_parameters_are_read_as_those_of_today(here, capsys):
    (here / "p.yaml").write_text(
        "servers:\n  generation: servers/generation\npipeline:\n- generation.generation_init\n"
    )
    (here / "parameter").mkdir()
    file = here / "parameter" / "p_parameter.yaml"
    file.write_text(
        "generation:  # 0.2.1\n  backend: extractive\n  image_tag: null\n"
        "  sampling_params:\n    temperature: 0.5\n    chat_template_kwargs: {enable_thinking: true}\n"
    )
    notice = (
        "parameter/p_parameter.yaml:5: sampling_params.chat_template_kwargs is now called "
        "extra_params.chat_template_kwargs\n"
    )
    assert main(["run", "p.yaml"]) == 0
    err = capsys.readouterr().err
    assert notice in err
    assert "generation.image_tag is ignored: a parameter of UltraRAG that has no effect here\n" in err
    assert main(["build", "p.yaml"]) == 0
    assert notice in capsys.readouterr().err
    built = read_yaml(file).plain()["generation"]
    assert built["sampling_params"] == {"temperature": 0.5}
    assert built["extra_params"] == {"chat_template_kwargs": {"enable_thinking": True}}
    assert "# 0.2.1" in file.with_name("p_parameter.yaml.old").read_text()
    assert main(["run", "p.yaml"]) == 0
    assert "is now called" not in capsys.readouterr().err


def test_a_model_named_as_in_0_2_0_is_not_replaced_by_the_default_backend(here, capsys):
    (here / "p.yaml").write_text(
        "servers:\n  generation: servers/generation\npipeline:\n- generation.generation_init\n"
    )
    (here / "parameter").mkdir()
    file = here / "parameter" / "p_parameter.yaml"
    file.write_text("generation:\n  model_name: my-model\n  base_url: http://127.0.0.1:9/v1\n")
    assert main(["build", "p.yaml"]) == 0
    assert "model_name is now called backend_configs.openai.model_name, backend: openai\n" in capsys.readouterr().err
    built = read_yaml(file).plain()["generation"]
    assert built["backend"] == "openai"
    assert built["backend_configs"]["openai"]["model_name"] == "my-model"
    assert built["backend_configs"]["openai"]["base_url"] == "http://127.0.0.1:9/v1"


def test_templates_are_tried_before_the_first_step(here, capsys):
    (here / "p.yaml").write_text(
        "servers:\n  benchmark: servers/benchmark\n  prompt: servers/prompt\n"
        "pipeline:\n- benchmark.get_data\n- prompt.qa_boxed\n"
    )
    shutil.copytree(ROOT / "prompt", here / "prompt")
    (here / "data").mkdir()
    shutil.copy(ROOT / "data" / "sample_nq_10.jsonl", here / "data")
    (here / "parameters").mkdir()
    file = here / "parameters" / "p_parameter.yaml"
    (here / "prompt" / "torn.jinja").write_text("{{ question \n")
    (here / "prompt" / "other.jinja").write_text("{{ question }} {{ documents }}\n")
    for template, message in (
        ("qa_boxd", "there is no such template"),
        ("torn", "the template cannot be read"),
        ("other", "the template uses 'documents', which qa_boxed does not provide"),
    ):
        file.write_text(f"prompt:\n  template: prompt/{template}.jinja\n")
        assert main(["run", "p.yaml"]) == 2
        err = capsys.readouterr().err
        assert err.startswith(f"parameters/p_parameter.yaml:2: prompt.template: prompt/{template}.jinja")
        assert message in err
        assert not (here / "output").exists()
    file.write_text("prompt:\n  template: prompt/qa_boxed.jinja\n")
    assert main(["run", "p.yaml"]) == 0
