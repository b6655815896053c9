"""Systems in this process."""

import sys

import pytest

from steelyard.errors import ConfigError, SystemFailure, UnknownName
from steelyard.systems.base import Ask, SystemSettings
from steelyard.systems.python import PythonSystem, open_python

MODULE = """
class Rag:
    def query(self, question):
        return {"answer": question[::-1]}

class Broken:
    def __init__(self):
        raise OSError("no index")

system = Rag()
number = 3

def echo(question):
    return "echo " + question

async def later(question):
    return question

def fail(question):
    return {}["missing"]

def leave(question):
    raise SystemExit(2)

def neighbour(question):
    import stalls_neighbour
    return stalls_neighbour.WORD
"""


@pytest.fixture
def folder(write, monkeypatch):
    write("stalls.py", MODULE)
    write("stalls_broken.py", "import stalls_that_is_not_there\n")
    folder = write("stalls_neighbour.py", "WORD = 'here'\n").parent
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield folder
    for name in [name for name in sys.modules if name.startswith("stalls")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("target", "answer"),
    [
        ("stalls:Rag", "ba"),
        ("stalls:system", "ba"),
        ("stalls:system.query", "ba"),
        ("stalls:echo", "echo ab"),
        ("stalls:neighbour", "here"),
    ],
)
def test_objects_classes_and_functions(folder, target, answer):
    system = open_python(target, SystemSettings(folder=folder))
    assert system.name == target
    assert system.ask(Ask("a", "ab")).record["answer"] == answer
    system.close()


@pytest.mark.parametrize(
    ("target", "message", "where"),
    [
        ("stalls:fail", "the system raised KeyError: 'missing'", "stalls.py:20"),
        ("stalls:leave", "the system raised SystemExit: 2", "stalls.py:23"),
        ("stalls:later", "the system returned a coroutine; its query must not be async", None),
    ],
)
def test_what_its_code_raises_is_a_failure(folder, target, message, where):
    system = open_python(target, SystemSettings(folder=folder))
    with pytest.raises(SystemFailure) as caught:
        system.ask(Ask("a", "ab"))
    assert (str(caught.value.message), caught.value.where) == (message, where)


def test_what_its_code_raises_while_opening(folder):
    with pytest.raises(SystemFailure, match=r"^stalls.py:8: the system raised OSError: no index$"):
        open_python("stalls:Broken", SystemSettings(folder=folder))
    with pytest.raises(SystemFailure, match=r"raised ModuleNotFoundError: No module named 'stalls_that_is_not_there'$"):
        open_python("stalls_broken:x", SystemSettings(folder=folder))


def test_a_system_may_raise_errors_of_this_package():
    def refuse(question):
        raise SystemFailure("the index is empty")

    with pytest.raises(SystemFailure, match=r"^the index is empty$"):
        PythonSystem(refuse).ask(Ask("a", "?"))


@pytest.mark.parametrize(
    ("target", "error", "message"),
    [
        ("stalls", ConfigError, "a Python system must be python:module:attribute, not 'stalls'"),
        ("stalls:", ConfigError, "a Python system must be python:module:attribute, not 'stalls:'"),
        ("stalls:number", ConfigError, "a int is not a system"),
        ("stalls_none:x", UnknownName, "no module is called 'stalls_none'"),
        (".stalls:x", UnknownName, "no module is called '.stalls'"),
        ("stalls:Rga", UnknownName, "the module 'stalls' has no 'Rga'"),
    ],
)
def test_bad_targets(folder, target, error, message):
    with pytest.raises(error) as caught:
        open_python(target, SystemSettings(folder=folder))
    assert str(caught.value.message) == message


def test_a_target_that_is_nearly_right(folder):
    with pytest.raises(UnknownName) as caught:
        open_python("stalls:Rga", SystemSettings(folder=folder))
    assert str(caught.value.hint) == "did you mean 'Rag'?"


def test_only_what_can_answer_is_offered(folder):
    (folder / "stalls_few.py").write_text("import re\nNUMBER = 3\ndef answer(question):\n    return question\n")
    with pytest.raises(UnknownName) as caught:
        open_python("stalls_few:nothing", SystemSettings(folder=folder))
    assert str(caught.value.hint) == "known: answer"
    (folder / "stalls_bare.py").write_text("import re\n")
    with pytest.raises(UnknownName) as caught:
        open_python("stalls_bare:nothing", SystemSettings(folder=folder))
    assert caught.value.hint is None


def test_names():
    class Rag:
        def query(self, question):
            return question

    assert PythonSystem(Rag()).name == "Rag"
    assert PythonSystem(Rag).name == "Rag"
    assert PythonSystem(len).name == "len"
