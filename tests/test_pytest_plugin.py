"""The pytest plugin, in real runs of pytest on small projects."""

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from steelyard.resources import bundled

ROWS = [
    {"id": "q1", "question": "Who paid?", "prediction": "Mr Vale", "references": ["Mr Vale"]},
    {"id": "q2", "question": "How much?", "prediction": "42 pounds", "references": ["42 pounds"]},
]
TESTS = """
import pytest


def test_good(steelyard):
    assert steelyard.answers("rows.jsonl").meets("F1 >= 0.9")


def test_bad(steelyard):
    assert steelyard.answers("rows.jsonl").meets("F1 >= 0.9", "EM >= 1.5")


def test_ranking(steelyard):
    assert steelyard.retrieval({"q": {"d": 1}}, {"q": {"d": 0.5}}).mean("RR") == 1


@pytest.mark.steelyard_items("rows.jsonl")
def test_item(steelyard_item):
    assert steelyard_item.check("Mr Vale")
"""


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:randomly", "-p", "no:cov", *plugin(), *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)


def plugin() -> list[str]:
    """The option that loads the plugin where the installed package does not register it."""
    from importlib.metadata import entry_points

    registered = {point.value for point in entry_points(group="pytest11")}
    return [] if "steelyard.pytest_plugin" in registered else ["-p", "steelyard.pytest_plugin"]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    (folder / "test_rag.py").write_text(TESTS, encoding="utf-8")
    outcome = run(folder, "--junitxml=junit.xml", "--steelyard-results=kept")
    return folder, outcome


def test_tests_pass_and_fail_as_they_should(project):
    folder, outcome = project
    assert outcome.returncode == 1, outcome.stdout + outcome.stderr
    cases = {case.get("name"): case for case in ElementTree.parse(folder / "junit.xml").iter("testcase")}
    failed = {name for name, case in cases.items() if case.find("failure") is not None}
    assert failed == {"test_bad", "test_item[q2]"}
    assert cases.keys() == {"test_good", "test_bad", "test_ranking", "test_item[q1]", "test_item[q2]"}


def test_a_failure_shows_what_the_gate_found(project):
    _, outcome = project
    assert "steelyard gate" in outcome.stdout
    assert "EM >= 1.5 (not met: 1.0000, n = 2)" in outcome.stdout
    assert "failed: F1 0.0000" in outcome.stdout


def test_means_are_properties_and_results_are_kept(project):
    folder, outcome = project
    (good,) = ElementTree.parse(folder / "junit.xml").findall(".//testcase[@name='test_good']")
    properties = {each.get("name"): each.get("value") for each in good.iter("property")}
    assert properties["rows.F1"] == "1.0"
    assert Path(folder / properties["rows.results"]).is_file()
    assert "results files in kept" in outcome.stdout


def test_questions_of_a_benchmark_are_tests(tmp_path):
    questions = bundled("benchmark")
    (tmp_path / "test_law.py").write_text(
        "import pytest\n\n\n"
        f"@pytest.mark.steelyard_items({str(questions)!r})\n"
        "def test_question(steelyard_item):\n"
        "    assert steelyard_item.question\n"
        "    assert not steelyard_item.check('')\n",
        encoding="utf-8",
    )
    outcome = run(tmp_path, "-q")
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


@pytest.mark.parametrize(
    ("mark", "message"), [("'nowhere.jsonl'", "no such file"), ("", "needs the path"), ("'.'", "questions")]
)
def test_a_wrong_path_is_one_message(tmp_path, mark, message):
    (tmp_path / "test_rag.py").write_text(
        f"import pytest\n\n\n@pytest.mark.steelyard_items({mark})\ndef test_item(steelyard_item):\n    pass\n",
        encoding="utf-8",
    )
    outcome = run(tmp_path)
    assert outcome.returncode != 0
    assert message in outcome.stdout + outcome.stderr
    assert "Traceback" not in outcome.stdout + outcome.stderr


def test_the_plugin_imports_nothing_until_it_is_used(tmp_path):
    (tmp_path / "test_other.py").write_text(
        "import sys\n\n\ndef test_other():\n    assert {'steelyard.api', 'numpy'}.isdisjoint(sys.modules)\n",
        encoding="utf-8",
    )
    outcome = run(tmp_path)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
