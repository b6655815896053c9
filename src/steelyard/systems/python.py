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
from steelyard.systems.base import Ask, NothingOpen, Reply, SystemSettings, reply_of

TARGET_HINT = Message("systems.python_target_hint")


class PythonSystem(NothingOpen):
    """A system in this process; an exception of its code is a failure of the system."""

    def __init__(self, target: Any, name: str = "") -> None:
        """Take an object with `.query`, a function, or a class that is called without arguments."""
        self.name = name or getattr(target, "__name__", type(target).__name__)
        system = _call(target) if isinstance(target, type) else target
        self._query: Callable[[str], Any] = getattr(system, "query", system)
        if not callable(self._query):
            raise ConfigError(Message("systems.python_not_callable", name=type(system).__name__), hint=TARGET_HINT)

    def ask(self, ask: Ask) -> Reply:
        """Ask once."""
        value = _call(self._query, ask.question)
        if inspect.iscoroutine(value):
            value.close()
            raise SystemFailure(Message("systems.python_coroutine"))
        return reply_of(value)


def open_python(target: str, settings: SystemSettings) -> PythonSystem:
    """Open the system of `module:attribute`; the module may be in the folder of the settings."""
    module, _, attribute = target.partition(":")
    if not (module and attribute):
        raise ConfigError(Message("systems.python_spec", target=target))
    # not removed again: a system may import other modules of the folder when it answers
    if settings.folder is not None and str(settings.folder) not in sys.path:
        sys.path.append(str(settings.folder))
    return PythonSystem(_attribute(_imported(module), module, attribute), target)


def _imported(module: str) -> Any:
    importlib.invalidate_caches()
    try:
        spec = importlib.util.find_spec(module.partition(".")[0])
    except ValueError:
        spec = None
    if spec is None:
        raise UnknownName(Message("metrics.no_module_called", module=module), hint=Message("metrics.module_hint"))
    return _call(importlib.import_module, module)


def _attribute(module: Any, name: str, path: str) -> Any:
    try:
        return reduce(getattr, path.split("."), module)
    except AttributeError:
        public = {name: value for name, value in vars(module).items() if not name.startswith("_")}
        known = [name for name, value in public.items() if callable(value) or hasattr(type(value), "query")]
        hint = nearest(path, known) if known else None
        raise UnknownName(Message("systems.python_no_attribute", name=name, path=path), hint=hint) from None


def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call foreign code, which may raise anything and may try to end the program."""
    try:
        return function(*arguments)
    except SteelyardError:
        raise
    except (Exception, SystemExit) as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(frame.filename).name}:{frame.lineno}"
        text = " ".join(str(error).split())
        message = Message("systems.python_raised", name=type(error).__name__, text=text)
        raise SystemFailure(message, where=where) from error
