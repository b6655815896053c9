"""`python:module:attribute`: an object with `.query(question)`, a class of such objects, or a function."""

import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

from steelyard.errors import ConfigError, SteelyardError, SystemFailure, UnknownName, nearest
from steelyard.i18n import Message
from steelyard.systems.records import Ask, Reply, reply_of

TARGET_HINT = Message("systems.system_method_query_question_function")


class PythonSystem:
    """A system in this process; what its code raises is a failure of the system."""

    def __init__(self, target: Any, name: str = "") -> None:
        """`target` is the object, the function, or a class that is made an object without arguments."""
        self.name = name or getattr(target, "__name__", type(target).__name__)
        self._query = _query_of(_call(target) if isinstance(target, type) else target)

    def ask(self, ask: Ask) -> Reply:
        """Ask once."""
        value = _call(self._query, ask.question)
        if inspect.iscoroutine(value):
            value.close()
            raise SystemFailure(Message("systems.system_returned_coroutine_query_not"))
        return reply_of(value)

    def close(self) -> None:
        """Nothing is ours to close."""


def open_python(target: str, folder: Path | None) -> PythonSystem:
    """The system that `module:attribute` names; the module may lie in `folder`."""
    module, _, attribute = target.partition(":")
    if not (module and attribute):
        raise ConfigError(Message("systems.python_system_python_module_attribute", target=target))
    # it stays there: a system may import its neighbours as late as in its first answer
    if folder is not None and str(folder) not in sys.path:
        sys.path.append(str(folder))
    return PythonSystem(_attribute(_imported(module), module, attribute), target)


def _imported(module: str) -> Any:
    importlib.invalidate_caches()
    try:
        found = importlib.util.find_spec(module.partition(".")[0])
    except ValueError:
        found = None
    if found is None:
        hint = Message("metrics.module_looked_folder_pythonpath")
        raise UnknownName(Message("metrics.no_module_called", module=module), hint=hint)
    return _call(importlib.import_module, module)


def _attribute(module: Any, name: str, path: str) -> Any:
    try:
        return reduce(getattr, path.split("."), module)
    except AttributeError:
        known = [each for each in vars(module) if not each.startswith("_")]
        raise UnknownName(Message("systems.module_lacks", name=name, path=path), hint=nearest(path, known)) from None


def _query_of(target: Any) -> Callable[[str], Any]:
    query = getattr(target, "query", target)
    if not callable(query):
        raise ConfigError(Message("systems.type_is_no_system", name=type(target).__name__), hint=TARGET_HINT)
    return query  # type: ignore[no-any-return]  # whatever it takes and returns


def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Foreign code: it may raise anything, and may want to end the program."""
    try:
        return function(*arguments)
    except SteelyardError:
        raise
    except (Exception, SystemExit) as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(frame.filename).name}:{frame.lineno}"
        said = " ".join(str(error).split())
        raise SystemFailure(
            Message("systems.system_raised", name=type(error).__name__, said=said), where=where
        ) from error
