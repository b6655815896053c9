"""Entry points of installed packages: good and broken ones of each group, with the commands that load them."""

import os
import subprocess
import sys

import numpy as np
import pytest
from commands import run, start
from tables import table_of

from steelyard.i18n import Message
from steelyard.io.results import load
from steelyard.registry.entry_points import EntryPointGroup
from steelyard.registry.kinds import gain, is_directed, register_all
from steelyard.registry.metrics import REGISTRY

SYSTEM = """
from steelyard.systems.base import Reply


class System:
    def __init__(self, rest, settings):
        self.name = rest

    def ask(self, ask):
        return Reply({"answer": "42"})

    def close(self):
        pass


number = 3
"""
FORMAT = """
from steelyard.io.records import Record


def rows(stream):
    yield Record(stream.name, 1, {"id": "1", "prediction": "Paris", "reference": "Paris"})


number = 3
"""
KIND = """
from steelyard.registry.kinds import Kind

MINE = Kind("mine", "the judge of this test")
number = 3
"""
METRICS = """
import numpy as np
from steelyard.registry.metrics import metric


@metric("Twos", bounds=(0, 2))
def twos(rankings):
    "Two for every query."
    return np.full(len(rankings.queries), 2.0)


number = 3
"""
CLASH = """
from steelyard.registry.metrics import metric


@metric("RR")
def other(rankings):
    "Another reciprocal rank."
"""


@pytest.fixture
def command(write, tmp_path):
    """The words of a command that needs the entry point of a group."""
    qrels, ranking = write("qrels.txt", "q 0 a 1\n"), write("run.txt", "q Q0 a 1 1.0 x\n")
    rows, results = write("answers.rows", "?"), tmp_path / "r.jsonl"
    table_of(ids=["a"], columns={"fluency": np.ones(1)}, kind="mine").save(results)
    words = {
        "steelyard.systems": ("bench", "--system", "mine:x", "--limit", "1", "-o", tmp_path / "new.jsonl"),
        "steelyard.formats": ("answers", rows, "-m", "EM"),
        "steelyard.kinds": ("report", results, "--json"),
        "steelyard.metrics": ("retrieval", qrels, ranking, "-m", "RR"),
    }
    return lambda group: (*words[group], "--lang", "en")


NAMES = {"steelyard.systems": "mine", "steelyard.formats": ".rows", "steelyard.kinds": "mine", "steelyard.metrics": "m"}
GOOD = {
    "steelyard.systems": (SYSTEM, ":System"),
    "steelyard.formats": (FORMAT, ":rows"),
    "steelyard.kinds": (KIND, ":MINE"),
    "steelyard.metrics": (METRICS, ""),
}
EXPECTED = {
    "steelyard.systems": "a function that opens a system",
    "steelyard.formats": "a function that reads the rows of a file",
    "steelyard.kinds": "a Kind",
    "steelyard.metrics": "a module or a function",
}
each_group = pytest.mark.parametrize("group", NAMES)


@pytest.fixture(autouse=True)
def _registry():
    register_all()
    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


@each_group
def test_a_good_entry_point_is_used(group, install, command):
    source, attribute = GOOD[group]
    install("good-package", {group: f"{NAMES[group]} = good{attribute}"}, good=source)
    done = run(*command(group))
    assert done.returncode == 0, done.stderr
    assert group != "steelyard.metrics" or "Twos" in REGISTRY


BROKEN = {
    "raise KeyError('x')": "KeyError: 'x'",
    "import nothing_of_this_name": "ModuleNotFoundError: No module named 'nothing_of_this_name'",
    "raise SystemExit": "SystemExit",
    "def": "SyntaxError: invalid syntax (broken.py, line 1)",
    "": "AttributeError: module 'broken' has no attribute 'missing'",
}


@each_group
@pytest.mark.parametrize("source", BROKEN)
def test_an_entry_point_that_cannot_be_loaded_is_an_error_with_its_package(group, source, install, command):
    name = NAMES[group]
    install("broken-package", {group: f"{name} = broken:missing"}, broken=source)
    done = run(*command(group))
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        f"the entry point {name!r} (broken:missing) in the group {group} of the package broken-package cannot be"
        f" loaded: {BROKEN[source]}\n"
        "hint: update or reinstall the package broken-package, or run: pip uninstall broken-package\n"
    )


@each_group
def test_an_entry_point_of_the_wrong_type(group, install, command):
    name = NAMES[group]
    install("broken-package", {group: f"{name} = broken:number"}, broken=GOOD[group][0])
    done = run(*command(group))
    assert done.returncode == 2
    assert done.stderr == (
        f"the entry point {name!r} (broken:number) in the group {group} of the package broken-package must be"
        f" {EXPECTED[group]}, not an object of the type int\n"
        "hint: update or reinstall the package broken-package, or run: pip uninstall broken-package\n"
    )


@pytest.mark.parametrize("group", ["steelyard.systems", "steelyard.formats", "steelyard.kinds"])
def test_two_packages_with_one_name(group, install, command):
    name, (source, attribute) = NAMES[group], GOOD[group]
    install("package-a", {group: f"{name} = one{attribute}"}, one=source)
    install("package-b", {group: f"{name} = two{attribute}"}, two=source)
    done = run(*command(group))
    assert done.returncode == 2
    assert done.stderr == (
        f"two installed packages have the entry point {name!r} in the group {group}\n"
        "hint: uninstall one of these packages: package-a, package-b\n"
    )
    assert not {"one", "two"} & sys.modules.keys()


def test_a_metric_with_the_name_of_another(install, command):
    group = "steelyard.metrics"
    install("package-a", {group: "mine = clash"}, clash=CLASH)
    done = start(*command(group), PYTHONPATH=os.pathsep.join(sys.path))  # a process that has imported no metric before
    assert done.returncode == 2
    assert done.stderr == (
        f"the entry point 'mine' (clash) in the group {group} of the package package-a cannot be loaded: two metrics"
        " are called 'RR'\n"
        "hint: update or reinstall the package package-a, or run: pip uninstall package-a\n"
    )


def test_metadata_that_cannot_be_read(install, command):
    install("package-a", {"steelyard.formats": "a line without a value"})
    done = run(*command("steelyard.formats"))
    assert done.returncode == 2
    assert done.stderr.startswith("the entry points of the package package-a cannot be read: ")
    assert done.stderr.endswith("hint: update or reinstall the package package-a, or run: pip uninstall package-a\n")


def test_metadata_of_packages_that_add_nothing_is_not_read(install, command):
    install("package-a", {"some.group": "a line without a value"})
    assert "package-a" not in run(*command("steelyard.formats")).stderr


HELP = """
import sys
from steelyard.cli import main
try:
    main(["--help"])
except SystemExit:
    sys.exit("importlib.metadata" in sys.modules)
"""


def test_help_lists_no_packages():
    assert subprocess.run([sys.executable, "-c", HELP], stdout=subprocess.DEVNULL, check=False).returncode == 0


def test_a_package_that_is_installed_later_is_found(tmp_path, monkeypatch):
    """In a notebook, another group was asked for before."""
    monkeypatch.syspath_prepend(tmp_path / "packages")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "packages").mkdir()
    assert EntryPointGroup("steelyard.asked_before", Message("words.system"), bool).names() == []
    folder = tmp_path / "packages" / "later-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: later\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[steelyard.asked_after]\nlater = os:getcwd\n")
    os.utime(folder.parent, ns=(1, 1))  # whatever the resolution of its time
    assert EntryPointGroup("steelyard.asked_after", Message("words.system"), bool).names() == ["later"]


def test_an_installed_kind_says_of_which_columns_less_is_better(install, tmp_path):
    source = (
        'from steelyard.registry.kinds import Kind\nMINE = Kind("mine", lower_is_better={"latency"}, undirected={"n"})'
    )
    install("kind-package", {"steelyard.kinds": "mine = kind:MINE"}, kind=source)
    path = tmp_path / "results.jsonl"
    table_of(["q1", "q2"], {"latency": np.ones(2), "n": np.zeros(2)}, kind="mine", name="a").save(path)
    load(path)
    assert gain("latency", 0.5) == -0.5
    assert not is_directed("n")
