"""Every command and every piece of code of the pages runs, and prints what the page says, in both languages."""

import contextlib
import importlib.util
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
from commands import ROOT, run
from foreign_files import values_of

import steelyard
from steelyard.io.conversion import convert

spec = importlib.util.spec_from_file_location("examples", ROOT / "docs" / "examples.py")
EXAMPLES = importlib.util.module_from_spec(spec)
spec.loader.exec_module(EXAMPLES)

OTHER_PACKAGES = ("ranx", "pytrec_eval")
CODE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ALL_IN_ONE = "import sys; [exec(text, {'__name__': '__main__', '__file__': 'example'}) for text in sys.argv[1:]]"


def commands_of(page: Path) -> list[str]:
    return re.findall(r"^(?:\$ )?(steelyard .*)$", page.read_text("utf-8"), re.MULTILINE)


def of_the_other_language(page: Path) -> Path:
    if page.parent == ROOT:
        return ROOT / ("README.md" if page.name == "README.zh.md" else "README.zh.md")
    language, *rest = page.relative_to(ROOT / "docs").parts
    return Path(ROOT, "docs", "zh" if language == "en" else "en", *rest)


def is_run(page: Path) -> bool:
    """Whether a page has commands; of a translation, only one whose outputs are shown or whose commands are others."""
    if not commands_of(page):
        return False
    is_first = EXAMPLES.language(page)["LANG"].startswith("en")
    shows_outputs = "```console" in page.read_text("utf-8")
    return is_first or shows_outputs or commands_of(page) != commands_of(of_the_other_language(page))


def _run(words: list[str], folder: Path, environment: dict[str, str]) -> tuple[int, str, str]:
    done = run(*words, cwd=folder, **environment)
    return done.returncode, done.stdout, done.stderr


def pages(chosen):
    return pytest.mark.parametrize("page", chosen, ids=lambda page: str(page.relative_to(ROOT)))


@pytest.mark.slow
@pages([page for page in EXAMPLES.PAGES if is_run(page)])
def test_commands_run_and_print_what_the_page_says(page, tmp_path):
    EXAMPLES.prepare(tmp_path)
    text = page.read_text("utf-8")
    now = EXAMPLES.console(text, _run, tmp_path, EXAMPLES.language(page))
    assert now == text, "run `python docs/examples.py`"


@pages([page for page in EXAMPLES.PAGES if EXAMPLES.code_blocks(page.read_text("utf-8"))])
@pytest.mark.filterwarnings("ignore:.*unsafe cast", "ignore:unclosed file:ResourceWarning")  # of ranx
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_code_prints_what_the_page_says(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    for code, text in EXAMPLES.code_blocks(page.read_text("utf-8")):
        needed = [name for name in OTHER_PACKAGES if re.search(rf"^(?:import|from) {name}\b", code, re.MULTILINE)]
        if all(importlib.util.find_spec(name) for name in needed):
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(code, {"__name__": "__main__"})
            assert printed.getvalue() == text


def code_without_output(page: Path) -> tuple[str, ...]:
    text = page.read_text("utf-8")
    shown = [code for code, _ in EXAMPLES.code_blocks(text)]
    return tuple(code for code in CODE.findall(text) if code not in shown)


WITH_CODE = {codes: page for page in reversed(EXAMPLES.PAGES) if (codes := code_without_output(page))}
"""Of two pages with the same code, a page and its translation, the first."""


@pytest.mark.slow
@pages(sorted(WITH_CODE.values()))
def test_code_runs(page):
    command = [sys.executable, "-c", ALL_IN_ONE, *code_without_output(page)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pages([page for page in EXAMPLES.PAGES if "```console" in page.read_text("utf-8")])
def test_both_languages_have_the_same_commands(page):
    shown = [
        re.findall(r"^\$ .*", each.read_text("utf-8"), re.MULTILINE) for each in (page, of_the_other_language(page))
    ]
    assert shown[0] == shown[1]


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
