"""Documentation is checked like code: generated pages are fresh, examples run, links lead somewhere."""

import ast
import contextlib
import importlib.util
import io
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import ROOT, run

PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("data/*.md"), *ROOT.glob("benchmark/*.md")]


COMMANDS = (
    *("demo", "retrieval", "answers", "bench", "new", "validate", "metrics"),
    *("report", "compare", "gate", "view", "sample", "run", "serve"),
)


@pytest.fixture(scope="module")
def generate():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_pages_are_what_the_program_says(generate):
    for language, suffix in generate.SUFFIXES.items():
        metrics, commands = (ROOT / "docs" / f"{name}{suffix}" for name in ("metrics", "commands"))
        assert metrics.read_text("utf-8") == generate.metrics_page(language), "run `make docs`"
        assert commands.read_text("utf-8") == generate.commands_page(language), "run `make docs`"
        assert not [mark for mark in ("%%", "%(", "==SUPPRESS==") if mark in generate.commands_page(language)]
    assert (ROOT / "docs" / "profiles.md").read_text("utf-8") == generate.profiles_page(), "run `make docs`"
    assert (ROOT / "docs" / "legal-examples.md").read_text("utf-8") == generate.legal_page(), "run `make docs`"
    assert (ROOT / "docs" / "modules.md").read_text("utf-8") == generate.modules_page(), "run `make docs`"
    assert (ROOT / "docs" / "security.md").read_text("utf-8") == generate.security_page(), "run `make docs`"
    assert generate.SCHEMA.read_text("utf-8") == generate.schema_file(), "run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


PACKAGE = ROOT / "src" / "steelyard"
FOLDERS = "|".join(sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py")))
MODULE = re.compile(r"(?<![\w/.<{-])((?:[\w.-]+/)*[\w-]+\.py)\b")
IN_THE_PACKAGE = re.compile(rf"`((?:{FOLDERS})/[\w./-]*)`")
CREATED_BY_READERS = {"wordcount.py", "test_items.py", "test_rag.py"}
ENTRY_POINTS = {"steelyard.formats", "steelyard.kinds", "steelyard.metrics", "steelyard.systems"}
ABOUT_TODAY = [page for page in PAGES if page.name != "CHANGELOG.md"]


def names_a_file(name):
    """Whether a page may call a file or folder so: by its path from one of the usual roots, or by its own name."""
    roots = (ROOT, PACKAGE, ROOT / "tests", *ROOT.glob("servers/*"))
    if "/" in name or (ROOT / name).exists():
        return any((root / name).exists() for root in roots)
    return any(next(root.rglob(name), None) for root in (ROOT / "src", ROOT / "tests", ROOT / "servers", ROOT / "docs"))


@pytest.mark.parametrize("page", ABOUT_TODAY, ids=lambda page: str(page.relative_to(ROOT)))
def test_modules_and_folders_that_pages_name_exist(page):
    text = page.read_text("utf-8")
    names = {name for name in MODULE.findall(text) if name.rpartition("/")[2] not in CREATED_BY_READERS}
    assert [name for name in sorted(names | set(IN_THE_PACKAGE.findall(text))) if not names_a_file(name)] == []


@pytest.mark.parametrize("page", ABOUT_TODAY, ids=lambda page: str(page.relative_to(ROOT)))
def test_names_of_the_package_that_pages_use_exist(page):
    text = page.read_text("utf-8").replace("steelyard.toml", "")  # a file
    for name in sorted(set(re.findall(r"\bsteelyard(?:\.[A-Za-z_]\w*)+", text)) - ENTRY_POINTS):
        assert pkgutil.resolve_name(name) is not None, name


COMMAND = r"^\$? ?steelyard ((?:retrieval|answers|bench|validate|metrics|demo|run|compare|gate|report) .*)$"
EXAMPLE = re.compile(r"```python\n(.*?)```", re.DOTALL)


def pages_with(pattern: re.Pattern[str]) -> list[Path]:
    """The pages in which something is found; of two that have the same (a translation), one.

    The pages "Coming from …" have their own tests, of what is printed too.
    """
    pages = [page for page in PAGES if not page.name.startswith("from-")]
    found = {tuple(pattern.findall(page.read_text("utf-8"))): page for page in pages}
    return [page for matches, page in found.items() if matches]


WITH_COMMANDS = pages_with(re.compile(COMMAND, re.MULTILINE))
WITH_EXAMPLES = pages_with(EXAMPLE)
ALL_IN_ONE = "import sys; [exec(text, {'__name__': '__main__', '__file__': 'example'}) for text in sys.argv[1:]]"


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_examples_run(page):
    command = [sys.executable, "-c", ALL_IN_ONE, *EXAMPLE.findall(page.read_text("utf-8"))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_the_example_of_the_readme_compares_the_better_run_with_the_worse_one(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    (example,) = EXAMPLE.findall((ROOT / name).read_text("utf-8"))
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(example, names)
    rows = ast.literal_eval(printed.getvalue())
    assert [metric for metric, _, _ in rows] == list(names["new"].metrics)
    for metric, difference, _ in rows:
        assert difference == pytest.approx(names["new"].mean(metric) - names["old"].mean(metric)), metric
        assert difference > 0, metric


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_run(page, tmp_path):
    for line in re.findall(COMMAND, page.read_text("utf-8"), re.MULTILINE):
        done = run(*shlex.split(line.replace("OUT/", f"{tmp_path}/")))
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


def test_ci_installs_a_fixed_version_from_the_repository():
    for page in ABOUT_TODAY:
        assert not re.search(r"pip install \"?steelyard\"?(?![\[\w ])", page.read_text("utf-8")), page.name
    installs = re.findall("pip install (.*)", (ROOT / "docs" / "ci.md").read_text("utf-8"))
    assert len(installs) >= 2
    assert all(line.startswith('"steelyard @ git+https://HOST/OWNER/steelyard@v') for line in installs)


ONE_LANGUAGE = [
    page for page in ROOT.glob("docs/*.md") if not page.name.endswith(".zh.md") and page.name != "statistics.md"
]


@pytest.mark.parametrize("page", ONE_LANGUAGE, ids=lambda page: page.name)
def test_a_page_in_chinese_is_a_page_of_its_own(page):
    headings = re.findall(r"^#+ .*$", page.read_text("utf-8"), re.MULTILINE)
    assert not [heading for heading in headings if re.search("[\u4e00-\u9fff]", heading)]
    chinese = page.with_name(f"{page.stem}.zh.md")
    overview = (ROOT / "README.zh.md").read_text("utf-8")
    assert not chinese.exists() or f"docs/{chinese.name}" in overview
