"""The RAG examples run as they are: no key, no network, no model; and a prompt that fails stays a failure."""

import json
import shutil
from pathlib import Path

import pytest
from rag.chat_stub import failure, serving

from steelyard.cli import main
from steelyard.io.yamls import read_yaml

ROOT = Path(__file__).parents[2]
EXAMPLES = (
    *("rag_full", "vanilla_rag", "bm25_search", "rag_loop", "rag_branch", "ircot", "iterretgen", "multiple_choice"),
)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A copy of what the examples name."""
    for name in ("data", "servers", "examples", "prompt"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "server.yaml"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def steps(here):
    (snapshot,) = here.glob("output/memory_*.json")
    return json.loads(snapshot.read_text(encoding="utf-8"))


def result(here):
    (saved,) = here.glob("output/evaluate_results_*.json")
    return json.loads(saved.read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_c17_an_example_runs_out_of_the_box(name, here):
    assert main(["run", f"examples/{name}.yaml"]) == 0
    assert result(here)["avg_em"] >= 0.5


def test_the_seed_prints_rag_full_as_it_is():
    seed = ROOT.parent / "shared" / "seeds" / "ultrarag-evaluation.md"
    if not seed.is_file():
        pytest.skip("the seed is not beside this checkout")
    assert (ROOT / "examples" / "rag_full.yaml").read_text(encoding="utf-8").strip() in seed.read_text(encoding="utf-8")


def test_only_what_is_not_settled_goes_round_again(here):
    assert main(["run", "examples/ircot.yaml"]) == 0
    searched = [step["memory"]["memory_q_ls"] for step in steps(here) if step["step"] == "custom.ircot_get_first_sent"]
    questions = steps(here)[0]["memory"]["memory_q_ls"]
    again = [question for question, thought in zip(questions, searched[0], strict=True) if question != thought]
    assert 0 < len(again) < len(questions)


@pytest.mark.slow
def test_s4_a_failed_generation_is_no_answer(here):
    with serving() as stub:
        parameters = read_yaml(here / "examples/parameters/rag_full_parameter.yaml").plain()
        config = {"model_name": "m", "base_url": stub.url, "retries": 0}
        parameters["generation"] = {"backend": "openai", "backend_configs": {"openai": config}}
        (here / "p.yaml").write_text(json.dumps(parameters), encoding="utf-8")
        stub.reply = lambda prompt: failure(400, "too long") if "Pellworth" in prompt[-60:] else r"\boxed{1874}"
        assert main(["run", "examples/rag_full.yaml", "--param", "p.yaml"]) == 0
    found = {step["step"]: step["memory"] for step in steps(here)}
    assert found["generation.generate"]["memory_ans_ls"][:2] == [None, r"\boxed{1874}"]
    reason = "the model answered with status 400: too long"
    assert found["generation.generate"]["memory_ans_errors"][:2] == [reason, None]
    assert found["custom.output_extract_from_boxed"]["memory_pred_ls"][:2] == [None, "1874"]
