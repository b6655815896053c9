"""Steelyard weighs RAG systems: rankings, answers, evidence, and whether a difference is real."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from steelyard.answers.evaluate import evaluate_answers
    from steelyard.errors import (
        ConfigError,
        InputError,
        MissingExtra,
        SteelyardError,
        SystemFailure,
        UnknownName,
    )
    from steelyard.io.results import load, load_all
    from steelyard.legal.benchmark.runner import evaluate_legal
    from steelyard.registry.metrics import metric
    from steelyard.retrieval.evaluate import evaluate_retrieval
    from steelyard.stats.compare import compare
    from steelyard.table import Signature, Table

__version__ = "0.1.0"

# the module of each public name; nothing is imported before it is used
_MODULES = {
    "ConfigError": "errors",
    "InputError": "errors",
    "MissingExtra": "errors",
    "Signature": "table",
    "SteelyardError": "errors",
    "SystemFailure": "errors",
    "Table": "table",
    "UnknownName": "errors",
    "compare": "stats.compare",
    "evaluate_answers": "answers.evaluate",
    "evaluate_legal": "legal.benchmark.runner",
    "evaluate_retrieval": "retrieval.evaluate",
    "load": "io.results",
    "load_all": "io.results",
    "metric": "registry.metrics",
}

__all__ = [
    "ConfigError",
    "InputError",
    "MissingExtra",
    "Signature",
    "SteelyardError",
    "SystemFailure",
    "Table",
    "UnknownName",
    "__version__",
    "compare",
    "evaluate_answers",
    "evaluate_legal",
    "evaluate_retrieval",
    "load",
    "load_all",
    "metric",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'steelyard' has no attribute {name!r}")
    return getattr(import_module(f"steelyard.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
