"""Every example of the pages "Coming from …" prints what the page says, in both languages."""

import contextlib
import importlib.util
import io
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from commands import ROOT, run
from foreign_files import values_of

import steelyard
from steelyard.io.conversion import convert


def _load_examples() -> Any:
    spec = importlib.util.spec_from_file_location("examples", ROOT / "docs" / "examples.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXAMPLES = _load_examples()
TOOLS = ("ragas", "deepeval", "promptfoo", "inspect", "ranx", "pytrec-eval", "ultrarag")
OTHER_PACKAGES = ("ranx", "pytrec_eval")
each_page = pytest.mark.parametrize("page", EXAMPLES.PAGES, ids=lambda page: page.name)


def _run(words: list[str], folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    done = run(*words, cwd=folder, **environment)
    return done.returncode, done.stdout + done.stderr


def test_every_tool_has_a_page_in_both_languages():
    names = {f"from-{tool}{end}" for tool in TOOLS for end in (".md", ".zh.md")}
    assert {page.name for page in EXAMPLES.PAGES} == names


@each_page
def test_commands_print_what_the_page_says(page, tmp_path):
    shutil.copytree(ROOT / "data", tmp_path / "data")
    text = page.read_text("utf-8")
    now = EXAMPLES.console(text, _run, tmp_path, EXAMPLES.language(page))
    assert now == text, "run `python docs/examples.py`"


@each_page
@pytest.mark.filterwarnings("ignore:.*unsafe cast", "ignore:unclosed file:ResourceWarning")  # of ranx
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_code_prints_what_the_page_says(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    for code, text in EXAMPLES.code_blocks(page.read_text("utf-8")):
        for package in OTHER_PACKAGES:
            if re.search(rf"^(?:import|from) {package}\b", code, re.MULTILINE):
                pytest.importorskip(package, reason=f"{package} is not installed")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, {"__name__": "__main__"})
        assert printed.getvalue() == text


@each_page
def test_a_page_has_no_code_that_is_not_run(page):
    text = page.read_text("utf-8")
    assert text.count("```python") == len(EXAMPLES.code_blocks(text))
    assert text.count("\n") <= 112


@pytest.mark.parametrize(("source", "name"), [("ragas/v2.jsonl", "ragas"), ("deepeval/v2_goldens.json", "deepeval")])
def test_files_come_back_as_they_were(source, name, tmp_path):
    path = ROOT / "data" / source
    convert(path, tmp_path / "rows.jsonl")
    convert(tmp_path / "rows.jsonl", tmp_path / path.name, write_as=name)
    assert values_of(tmp_path / path.name) == values_of(path)


OF_RANX = {
    **{"ndcg@10": 0.6526704080906194, "map": 0.5634973233201237, "mrr": 0.8854166666666666},
    **{"recall@10": 0.7061904761904761, "precision@5": 0.515, "hit_rate@5": 0.975},
    **{"r-precision": 0.5090178571428572, "bpref": 0.6896756306689342, "precision@5-l2": 0.35},
}


def test_values_are_those_of_ranx():
    """The numbers that ranx 0.3.21 gives for the same files."""
    table = steelyard.evaluate_retrieval(ROOT / "data/ranx/qrels.json", ROOT / "data/ranx/run.json", list(OF_RANX))
    assert {name: table.mean(name) for name in OF_RANX} == pytest.approx(OF_RANX, abs=1e-12)


@pytest.mark.parametrize("tool", TOOLS)
def test_both_languages_have_the_same_commands(tool):
    english, chinese = ((ROOT / "docs" / f"from-{tool}{end}").read_text("utf-8") for end in (".md", ".zh.md"))
    assert re.findall(r"^\$ .*", english, re.MULTILINE) == re.findall(r"^\$ .*", chinese, re.MULTILINE)
