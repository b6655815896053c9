"""The files around the code: workflows, hooks, templates, and the procedure of a release name what exists."""

import importlib.util
import re
import shlex
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import yaml

import steelyard

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
OF_THE_RUNNER = {"check/bin/python", "check/bin/steelyard", "echo", "gh", "make", "npm", "pipx", "test"}
PINNED = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+")


def read(path):
    return yaml.safe_load(path.read_text("utf-8"))


def steps(path):
    return [step for job in read(path)["jobs"].values() for step in job["steps"]]


def exists(command):
    """Whether a line of a step can be run: a module of an installed package, a file, a target of make, a program."""
    words = shlex.split(command)
    match words:
        case ["python", "-m", module, *_]:
            return importlib.util.find_spec(module) is not None
        case ["python", script, *_]:
            return (ROOT / script).is_file()
        case ["make", target]:
            return f"\n{target}:" in (ROOT / "Makefile").read_text("utf-8")
    return words[0] in OF_THE_RUNNER or any(entry_points(group="console_scripts", name=words[0]))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_name_commands_and_files_that_exist(path):
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    assert {"name", "jobs"} <= workflow.keys()
    assert True in workflow  # `on` is a truth value in YAML 1.1
    lines = [line for step in steps(path) for line in step.get("run", "").splitlines()]
    assert lines
    assert [line for line in lines if not exists(line)] == []
    named = re.findall(r"(?:-r|--prefix) (\S+)", "\n".join(lines))
    assert [each for each in named if not (ROOT / each).exists()] == []


@pytest.mark.parametrize("path", [*WORKFLOWS, ROOT / "action.yml"], ids=lambda path: path.name)
def test_actions_of_others_are_pinned(path):
    """By the id of a commit, since tags can be moved; the version is a comment."""
    used = re.findall(r"uses: *(.*)", path.read_text("utf-8"))
    assert used
    assert [each for each in used if not PINNED.fullmatch(each)] == []
    assert len(set(used)) == len({each.partition("@")[0] for each in used})  # one version of each


def test_the_versions_that_are_tested_are_those_that_are_declared():
    tested = read(ROOT / ".github" / "workflows" / "test.yml")["jobs"]["test"]["strategy"]["matrix"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    declared = [each.rsplit(" ", 1)[1] for each in project["classifiers"] if "Python :: 3." in each]
    assert tested["python"] == declared == ["3.11", "3.12", "3.13", "3.14"]
    assert project["requires-python"] == ">=3.11"


def test_hooks_run_programs_that_exist():
    hooks = [hook for each in read(ROOT / ".pre-commit-config.yaml")["repos"] for hook in each["hooks"]]
    assert {"ruff", "ruff-format", "mypy"} <= {hook["id"] for hook in hooks}
    assert all(exists(hook["entry"]) for hook in hooks)


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_forms_of_issues(path):
    form = read(path)
    if path.name == "config.yml":
        return
    assert form["name"]
    assert form["description"]
    names = [each["id"] for each in form["body"]]
    assert len(set(names)) == len(names)
    assert all(each["attributes"]["label"] for each in form["body"])


def test_the_citation_has_what_the_format_requires():
    citation = read(ROOT / "CITATION.cff")
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert "version" not in citation  # it stands in one place


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "SECURITY.md"])
def test_pages_name_files_that_exist(page):
    text = (ROOT / page).read_text("utf-8")
    named = re.findall(r"`((?:src|tests|docs|servers|data|benchmark)/[\w./-]*)`", text)
    named += [each for each in re.findall(r"\]\(([^)#]+)", text) if "://" not in each]
    assert named
    assert [each for each in named if not (ROOT / each).exists()] == []


def test_targets_of_make_that_the_pages_name_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    targets = {word for line in re.findall(r"`make ([a-z ]+)`", text) for word in line.split()}
    assert {"check", "test", "quick", "coverage"} <= targets
    assert [each for each in targets if not exists(f"make {each}")] == []


@pytest.fixture(scope="module")
def notes():
    spec = importlib.util.spec_from_file_location("release_notes", ROOT / "docs" / "release_notes.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.notes


CHANGELOG = "# Changelog\n\n## 0.3.0 (2031-02-03)\n\n- new\n\n### Scores\n\n- F1\n\n## 0.2.0 (unreleased)\n\n- old\n"


def test_the_notes_of_a_release_are_its_section(notes):
    assert notes(CHANGELOG, "v0.3.0", "0.3.0") == "- new\n\n### Scores\n\n- F1\n"


@pytest.mark.parametrize(
    ("tag", "version", "message"),
    [
        ("v0.3.1", "0.3.0", "the tag is v0.3.1, but the version of the package is 0.3.0"),
        ("v0.2.0", "0.2.0", "CHANGELOG.md calls 0.2.0 unreleased: write the date in its place"),
        ("v0.4.0", "0.4.0", "CHANGELOG.md has no section 0.4.0"),
    ],
)
def test_a_release_whose_parts_disagree_is_refused(notes, tag, version, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        notes(CHANGELOG, tag, version)


def test_the_changelog_has_a_section_for_the_version_of_the_package():
    assert f"\n## {steelyard.__version__} (" in (ROOT / "CHANGELOG.md").read_text("utf-8")
