"""Recorded outputs judged by the workers of an engine: the same items; Ray and Dask, where they are installed."""

import json
import sys
from importlib.util import find_spec

import pytest
from commands import run, start
from tables import shown

import steelyard
from steelyard.cli import main
from steelyard.engines.base import Part, open_engine
from steelyard.engines.local import LocalEngine
from steelyard.errors import InputError, MissingExtra

has_ray = pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray: make extras")
has_dask = pytest.mark.skipif(find_spec("distributed") is None, reason="needs Dask: make extras")
CLUSTERS = [
    pytest.param("ray", marks=[has_ray, pytest.mark.slow]),
    pytest.param("dask", marks=[has_dask, pytest.mark.slow]),
]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    path = tmp_path_factory.mktemp("recorded") / "r.jsonl"
    assert main(["bench", "--system", "builtin:baseline", "--limit", "40", "-o", str(path)]) == 0
    return path


def items(path) -> list[dict]:
    """The items of a results file by id, without the seconds that asking took."""
    found = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for each in found:
        each.get("output", {}).pop("seconds", None)
    return sorted((each for each in found if "id" in each), key=lambda each: each["id"])


@pytest.mark.parametrize("engine", ["local", *CLUSTERS])
def test_items_do_not_depend_on_the_engine(recorded, tmp_path, capsys, engine):
    command = ["bench", "--system", f"replay:{recorded}", "--limit", "40"]
    for name, options in (("a", []), ("b", ["--engine", engine, "-j", "2"])):
        assert main([*command, *options, "-o", str(tmp_path / f"{name}.jsonl")]) == 0
    assert items(tmp_path / "a.jsonl") == items(tmp_path / "b.jsonl")
    assert len(items(tmp_path / "b.jsonl")) == 40


def test_a_run_with_an_engine_is_resumed(recorded, tmp_path):
    path = tmp_path / "a.jsonl"
    command = ["bench", "--system", f"replay:{recorded}", "--limit", "40", "-o", str(path), "--engine", "local"]
    assert main(command) == 0
    whole = items(path)
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:20]) + lines[20][:50], "utf-8")
    assert main([*command, "--resume"]) == 0
    assert items(path) == whole


def test_only_recorded_outputs(tmp_path, capsys):
    command = ["bench", "--system", "builtin:baseline", "-o", str(tmp_path / "a.jsonl"), "--engine", "local"]
    assert main(command) == 2
    assert "--engine judges recorded outputs, and baseline is asked by this process" in capsys.readouterr().err
    assert not (tmp_path / "a.jsonl").exists()


@pytest.mark.parametrize(("name", "package"), [("ray", "ray"), ("dask", "distributed")])
def test_an_engine_whose_package_is_not_installed(monkeypatch, name, package):
    monkeypatch.setitem(sys.modules, package, None)
    expected = rf"the {name.title()} engine needs the package {package}\nhint: .*steelyard\[{name}\]"
    with pytest.raises(MissingExtra, match=expected):
        open_engine(name)


@pytest.mark.parametrize(("name", "package"), [("ray", "ray"), ("dask", "distributed")])
@pytest.mark.parametrize("command", [("answers", "rows.jsonl"), ("retrieval", "qrels.json", "run.json")])
def test_an_engine_that_cannot_start_is_an_error_of_small_inputs_too(tmp_path, monkeypatch, command, name, package):
    monkeypatch.setitem(sys.modules, package, None)
    (tmp_path / "rows.jsonl").write_text('{"id": "1", "prediction": "a", "references": ["a"]}\n', "utf-8")
    (tmp_path / "qrels.json").write_text('{"q": {"d": 1}}', "utf-8")
    (tmp_path / "run.json").write_text('{"q": {"d": 0.5}}', "utf-8")
    done = run(*command, "--engine", name, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"the {name.title()} engine needs the package {package}\n")


@pytest.mark.parametrize("name", CLUSTERS)
def test_a_cluster_on_this_machine(tmp_path, name):
    engine = open_engine(name, workers=2)
    engine.part_bytes = 1
    try:
        assert list(engine.map_in_order(abs, (Part(str(n), -n) for n in range(50)))) == list(range(50))
        results = engine.map_in_order(float, (Part(str(n), "x" if n == 7 else str(n)) for n in range(50)))
        assert [next(results) for _ in range(7)] == list(range(7))
        with pytest.raises(ValueError, match="could not convert"):
            next(results)
        path = tmp_path / "rows.jsonl"
        row = {"prediction": "the cat", "references": ["a cat"]}
        path.write_text("".join(json.dumps({"id": number, **row}) + "\n" for number in range(5_000)))
        assert shown(steelyard.evaluate_answers(path, engine=engine)) == shown(steelyard.evaluate_answers(path))
        path.write_text(path.read_text() * 2)
        messages = []
        for each in (engine, LocalEngine(2), None):
            with pytest.raises(InputError) as caught:
                steelyard.evaluate_answers(path, engine=each)
            messages.append(str(caught.value))
        assert len(set(messages)) == 1
    finally:
        engine.close()


KILLING = """
import os, pathlib, signal, numpy, ray, steelyard

@steelyard.metric("Lasting", kind="answers")
def lasting(pairs, profile):
    done = pathlib.Path("{done}")
    if ray.is_initialized() and ray.get_runtime_context().get_node_id() == "{node}" and not done.exists():
        done.touch()
        os.kill(os.getppid(), signal.SIGKILL)
    return numpy.ones(len(list(pairs.rows())))
"""
"""A metric that kills the node on which it is computed, once."""


@has_ray
@pytest.mark.slow
def test_what_ray_says_about_a_lost_node_is_not_part_of_the_output(tmp_path):
    from ray.cluster_utils import Cluster

    path, done = tmp_path / "rows.jsonl", tmp_path / "done"
    row = {"prediction": "the cat", "references": ["a cat"]}
    path.write_text("".join(json.dumps({"id": number, **row}) + "\n" for number in range(100_000)))
    command = ["answers", path, "-m", "F1,Lasting", "--metrics-from", "killing", "--json"]
    settings = {"num_cpus": 1, "object_store_memory": 100_000_000}
    cluster = Cluster(initialize_head=True, head_node_args={**settings, "include_dashboard": False})
    try:
        node = cluster.add_node(**settings)
        cluster.wait_for_nodes()
        (tmp_path / "killing.py").write_text(KILLING.format(node=node.node_id, done=done))
        found = start(*command, "--engine", "ray", "--address", cluster.address, cwd=tmp_path)
    finally:
        cluster.shutdown()
    assert (found.returncode, done.exists(), "raylet" in found.stderr) == (0, True, True), found.stderr
    assert found.stdout == start(*command, cwd=tmp_path).stdout
