"""The pytest plugin, in real runs of pytest on small projects."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from steelyard.pytest_plugin import QuestionItem, RowItem, _items
from steelyard.resources import bundled

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]

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


EDGES = """
import pytest

ROWS = [{"id": "q1", "question": "Who?", "prediction": "Mr Vale", "references": ["Mr Vale"]}]


@pytest.mark.parametrize("name", ["a/b", "a:b", "a_b", "x" * 200, "y" + "x" * 200])
def test_parameters(steelyard, name):
    assert steelyard.answers(ROWS).meets("F1 >= 0.9", allow_inconclusive=True)


class TestClass:
    def test_twice(self, steelyard):
        old, new = steelyard.answers(ROWS), steelyard.answers(ROWS)
        assert steelyard.compare(old, new)[0].difference == 0
        with pytest.raises(AttributeError, match="'answer'"):
            steelyard.answer


@pytest.fixture(scope="module")
def shared(steelyard_run):
    return steelyard_run.answers(ROWS, name="shared")


def test_first(shared):
    assert shared.mean("F1") == 1


def test_second(shared):
    assert shared.mean("EM") == 1


def test_missing_file(steelyard):
    steelyard.answers("nowhere.jsonl")


def test_missing_baseline(shared):
    assert shared.meets("F1 not-worse-by 0.02", baseline="base.jsonl")


@pytest.fixture
def broken(steelyard):
    return steelyard.answers(ROWS, metrics="F7")


def test_broken(broken):
    pass
"""
FAILING = {"test_missing_file", "test_missing_baseline", "test_broken"}


@pytest.fixture(scope="module")
def edges(tmp_path_factory):
    folder = tmp_path_factory.mktemp("edges")
    (folder / "test_edges.py").write_text(EDGES, encoding="utf-8")
    return folder


def outcomes(path: Path) -> dict[str, bool]:
    cases = ElementTree.parse(path).iter("testcase")
    return {case.get("name", ""): case.find("failure") is None and case.find("error") is None for case in cases}


@pytest.mark.parametrize(
    "options", [("-W", "error"), ("-p", "no:cacheprovider"), ("-n", "2")], ids=["plain", "no cache", "xdist"]
)
def test_every_evaluation_has_a_file_of_its_own(edges, options):
    for folder in (".pytest_cache", ".steelyard"):
        shutil.rmtree(edges / folder, ignore_errors=True)
    (edges / "junit.xml").unlink(missing_ok=True)
    outcome = run(edges, "--junitxml=junit.xml", *options)
    assert {name for name, passed in outcomes(edges / "junit.xml").items() if not passed} == FAILING, outcome.stdout
    kept = edges / (".steelyard" if "no:cacheprovider" in options else ".pytest_cache/d/steelyard")
    shared = {path.name for path in kept.glob("session*.jsonl")}
    own = {path.name for path in kept.glob("*.jsonl")} - shared
    assert len(own) == 7
    assert len(shared) in ((1, 2) if "-n" in options else (1,))  # each worker that needs it
    assert {"test_edges.py.TestClass.test_twice-1.jsonl", "test_edges.py.TestClass.test_twice-2.jsonl"} <= own
    assert f"steelyard: {len(own | shared)} results files in {kept}" in outcome.stdout


def test_an_error_ends_in_the_test(edges):
    outcome = run(edges)
    assert "InputError: nowhere.jsonl: no such file" in outcome.stdout
    assert "UnknownName: no metric is called 'F7'" in outcome.stdout
    assert "evaluate.py" not in outcome.stdout
    assert "streams.py" in run(edges, "--full-trace", "-k", "missing_file").stdout


def test_two_results_of_one_name_have_their_own_properties(edges):
    run(edges, "--junitxml=junit.xml", "-k", "twice or shared or first")
    properties = {each.get("name") for each in ElementTree.parse(edges / "junit.xml").iter("property")}
    assert {"answers.F1", "answers-2.F1", "answers-2.results", "shared.F1", "shared.results"} <= properties


def test_the_folder_of_results_can_be_configured(edges):
    (edges / "pytest.ini").write_text("[pytest]\nsteelyard_results = artefacts\n", encoding="utf-8")
    outcome = run(edges, "-k", "first")
    (edges / "pytest.ini").unlink()
    assert f"steelyard: 1 results file in {edges / 'artefacts'}" in outcome.stdout
    assert (edges / "artefacts" / "session-1.jsonl").is_file()


@pytest.mark.parametrize(
    ("check", "passes"),
    [
        ("'Mr Vale'", True),
        ("'Mr'", False),
        ("'Mr', at_least=0.5", True),
        ("'He paid 42 pounds', 'Ungrounded', at_most=0, contexts=['He paid 42 pounds.']", True),
        ("'He paid 43 pounds', 'Ungrounded', at_most=0, contexts=['He paid 42 pounds.']", False),
    ],
)
def test_checks_of_an_item(tmp_path, check, passes):
    (tmp_path / "rows.jsonl").write_text(json.dumps(ROWS[0]) + "\n", encoding="utf-8")
    mark = "import pytest\n\n\n@pytest.mark.steelyard_items('rows.jsonl')\n"
    body = f"class TestItems:\n    def test_item(self, steelyard_item):\n        assert steelyard_item.check({check})\n"
    (tmp_path / "test_items.py").write_text(mark + body, encoding="utf-8")
    outcome = run(tmp_path, "-q")
    assert outcome.returncode == (0 if passes else 1), outcome.stdout


def test_a_check_is_in_the_language_of_the_locale(tmp_path, monkeypatch):
    (tmp_path / "rows.jsonl").write_text(json.dumps(ROWS[0]) + "\n", encoding="utf-8")
    item, row = (next(iter(_items(path))) for path in (bundled("benchmark"), tmp_path / "rows.jsonl"))
    assert isinstance(item, QuestionItem)
    assert isinstance(row, RowItem)
    shown = {}
    for locale in ("C", "zh_CN.UTF-8"):
        monkeypatch.setenv("LC_ALL", locale)
        shown[locale] = [repr(item.check("")), repr(row.check("Mr", "EM", at_least=0.5, at_most=1))]
    assert shown["C"][0].startswith("<failed: legal 0.0000, ")
    assert shown["C"][1] == "<failed: EM 0.0000; at least 0.5 and at most 1 is needed>"
    assert shown["zh_CN.UTF-8"][0].startswith("<未通过：legal 0.0000, ")
    assert "回答" in shown["zh_CN.UTF-8"][0]
    assert shown["zh_CN.UTF-8"][1] == "<未通过：EM 0.0000；要求至少 0.5和至多 1>"


BLOCK = re.compile(r"^`([\w.]+)`\n\n```\w+\n(.*?)^```", re.DOTALL | re.MULTILINE)
SHELL = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_project_of_the_page_passes_and_fails_as_it_should(language, tmp_path):
    text = (ROOT / "docs" / language / "guides" / "ci.md").read_text("utf-8")
    for name, content in BLOCK.findall(text):
        (tmp_path / name).write_text(content, encoding="utf-8")
    for line in SHELL.search(text)[1].splitlines():
        command, *arguments = shlex.split(line)
        if command == "cp":
            shutil.copy(*(tmp_path / each for each in arguments))
        else:
            outcome = run(tmp_path, *arguments)
            assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert "8 passed" in outcome.stdout
    assert "warning" not in outcome.stdout
    assert "test_answers" in (tmp_path / "junit.xml").read_text("utf-8")
    rows = tmp_path / "rows.jsonl"
    rows.write_text(re.sub('"prediction": "[^"]+"', '"prediction": "never 77"', rows.read_text("utf-8")), "utf-8")
    outcome = run(tmp_path, "--junitxml=junit.xml")
    failed = {name for name, passed in outcomes(tmp_path / "junit.xml").items() if not passed}
    assert failed == {"test_answers", "test_not_worse"}, outcome.stdout
    assert "F1 >= 0.8 (not met: 0.0000, n = 3)" in outcome.stdout
    assert "F1 not-worse-by 0.05 (" in outcome.stdout
