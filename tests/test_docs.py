"""Documentation is checked like code: generated pages are fresh, examples run, links lead somewhere."""

import importlib.util
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("data/*.md"), *ROOT.glob("benchmark/*.md")]


COMMANDS = (
    *("demo", "retrieval", "answers", "bench", "validate", "metrics"),
    *("report", "compare", "gate", "view", "sample", "run", "serve"),
)


@pytest.fixture(scope="module")
def generate():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_pages_are_what_the_program_says(generate):
    assert (ROOT / "docs" / "metrics.md").read_text("utf-8") == generate.metrics_page(), "run `make docs`"
    assert (ROOT / "docs" / "profiles.md").read_text("utf-8") == generate.profiles_page(), "run `make docs`"
    assert (ROOT / "docs" / "legal-examples.md").read_text("utf-8") == generate.legal_page(), "run `make docs`"
    assert (ROOT / "docs" / "commands.md").read_text("utf-8") == generate.commands_page(), "run `make docs`"
    assert (ROOT / "docs" / "modules.md").read_text("utf-8") == generate.modules_page(), "run `make docs`"
    assert (ROOT / "docs" / "security.md").read_text("utf-8") == generate.security_page(), "run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_examples_run(page):
    for example in re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
        done = subprocess.run([sys.executable, "-c", example], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{example}\n{done.stderr}"


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_run(page, tmp_path):
    for line in re.findall(
        r"^\$? ?(steelyard (?:retrieval|answers|bench|validate|metrics|demo|run|compare|gate|report) .*)$",
        page.read_text("utf-8"),
        re.MULTILINE,
    ):
        words = [sys.executable, "-m", *shlex.split(line.replace("OUT/", f"{tmp_path}/"))]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{line}\n{done.stderr}"


def test_every_command_is_in_the_readme():
    for name in ("README.md", "README.zh.md"):
        text = (ROOT / name).read_text("utf-8")
        assert all(f"steelyard {command}" in text for command in COMMANDS), name
        assert text.count("\n") < 70, f"{name} is one screen"


def test_every_folder_is_in_the_tree_of_the_architecture():
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    folders = [path.parent for path in (ROOT / "src" / "steelyard").glob("*/__init__.py")]
    assert [folder.name for folder in folders if f"  {folder.name}/" not in text] == []


def test_every_module_has_a_description():
    assert "| |" not in (ROOT / "docs" / "modules.md").read_text("utf-8").replace("  ", " ")
