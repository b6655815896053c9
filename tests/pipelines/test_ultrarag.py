"""What UltraRAG has and we have not is refused in one message, by build and by run, before anything starts."""

from pathlib import Path

import pytest

from bench.ultrarag import OURS, run_one
from bench.ultrarag_project import Shipped
from steelyard.cli import main
from steelyard.pipelines.load import load_program
from steelyard.pipelines.ultrarag import MISSING_TOOLS

SERVERS = Path(__file__).parents[2] / "servers"
HINT = "hint: activate UltraRAG's environment (its python first on the PATH)"


def written(tmp_path, server, tool):
    path = tmp_path / "p.yaml"
    text = f"servers:\n  s: servers/{server}\n  sayhello: servers/sayhello\n"
    path.write_text(f"{text}pipeline:\n- sayhello.greet\n- s.{tool}\n", encoding="utf-8")
    return path


TOOLS = {
    "retriever_websearch": ("retriever", "it searches the web"),
    "multimodal_generate": ("generation", "it works on images"),
    "qa_with_memory": ("prompt", "it stores memories of users"),
}


@pytest.mark.parametrize("command", ["build", "run"])
@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_of_ultrarag_alone(command, tool, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    server, reason = TOOLS[tool]
    assert main([command, str(written(tmp_path, server, tool))]) == 2
    output = capsys.readouterr()
    assert f"p.yaml:6: UltraRAG has the tool s.{tool}; Steelyard does not provide it: {reason}\n{HINT}" in output.err
    assert "Hello" not in output.out + output.err
    assert [path.name for path in tmp_path.iterdir()] == ["p.yaml"]


@pytest.mark.parametrize("command", ["build", "run"])
def test_a_server_of_ultrarag_alone(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([command, str(written(tmp_path, "memory", "get_global_memory"))]) == 2
    error = capsys.readouterr().err
    assert (
        "p.yaml:2: UltraRAG has the server memory; Steelyard does not provide it: it stores memories of users" in error
    )
    assert HINT in error


def test_a_server_of_ultrarag_whose_packages_are_not_installed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "servers" / "memory" / "src" / "memory.py"
    program.parent.mkdir(parents=True)
    program.write_text("open('started', 'w').close()\nimport a_package_that_is_not_there\n", encoding="utf-8")
    assert main(["run", str(written(tmp_path, "memory", "get_global_memory"))]) == 2
    error = capsys.readouterr().err
    assert (
        "p.yaml:6: UltraRAG has the server memory; Steelyard does not provide it: it stores memories of users" in error
    )
    assert not (tmp_path / "started").exists()


def test_in_chinese(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["run", str(written(tmp_path, "retriever", "retriever_websearch")), "--lang", "zh"]) == 2
    assert "UltraRAG 有工具 s.retriever_websearch，Steelyard 未提供：它进行网页搜索" in capsys.readouterr().err


def test_nothing_is_called_unavailable_that_is_there():
    offered = {path.parents[1].name: load_program(path).tools for path in SERVERS.glob("*/src/*.py")}
    for server, tools in MISSING_TOOLS.items():
        assert not set(tools) & set(offered.get(server, ()))


REFUSED = {
    "memory": "servers:\n  memory: servers/memory\npipeline:\n- memory.save_memory\n",
    "web": "servers:\n  retriever: servers/retriever\npipeline:\n- retriever.retriever_websearch\n",
    "milvus_index": "servers:\n  retriever: servers/retriever\npipeline:\n- retriever.retriever_init\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", REFUSED)
def test_the_table_of_pipelines_says_which_are_refused(name, tmp_path):
    pipeline = Shipped("demos", name)
    (tmp_path / "examples" / "demos").mkdir(parents=True)
    (tmp_path / pipeline.path).write_text(REFUSED[name], encoding="utf-8")
    outcome = run_one(tmp_path, pipeline, OURS, "http://127.0.0.1:9")
    assert outcome.state == "refused"


@pytest.mark.slow
def test_the_table_of_pipelines_says_which_fail(tmp_path):
    pipeline = Shipped("demos", "misspelt")
    (tmp_path / "examples" / "demos").mkdir(parents=True)
    (tmp_path / pipeline.path).write_text(
        "servers:\n  sayhello: servers/sayhello\npipeline:\n- sayhello.greets\n", encoding="utf-8"
    )
    assert run_one(tmp_path, pipeline, OURS, "http://127.0.0.1:9").state == "fails"
