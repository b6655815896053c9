"""Steelyard weighs RAG systems: rankings, answers, evidence, and whether a difference is real."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from steelyard.answers.evaluate import evaluate_answers
    from steelyard.api import compare, gate, report
    from steelyard.contexts.spans import evaluate_spans
    from steelyard.errors import (
        ConfigError,
        InputError,
        MissingExtra,
        SteelyardError,
        SystemFailure,
        UnknownName,
    )
    from steelyard.io.conversion import convert
    from steelyard.io.results import load, load_all
    from steelyard.legal.benchmark.runner import evaluate_legal
    from steelyard.net.retry import RetryableFailure
    from steelyard.pipelines.server import Server
    from steelyard.registry.kinds import lower_is_better
    from steelyard.registry.metrics import metric
    from steelyard.retrieval.evaluate import evaluate_retrieval
    from steelyard.retrieval.matching import Rankings
    from steelyard.systems.base import Ask, Reply, System
    from steelyard.table import Signature, Table

__version__ = "0.1.0"

# the module of each public name; nothing is imported before it is used
_MODULES = {
    "Ask": "systems.base",
    "ConfigError": "errors",
    "InputError": "errors",
    "MissingExtra": "errors",
    "Rankings": "retrieval.matching",
    "Reply": "systems.base",
    "RetryableFailure": "net.retry",
    "Server": "pipelines.server",
    "Signature": "table",
    "SteelyardError": "errors",
    "System": "systems.base",
    "SystemFailure": "errors",
    "Table": "table",
    "UnknownName": "errors",
    "compare": "api",
    "convert": "io.conversion",
    "evaluate_answers": "answers.evaluate",
    "evaluate_legal": "legal.benchmark.runner",
    "evaluate_retrieval": "retrieval.evaluate",
    "evaluate_spans": "contexts.spans",
    "gate": "api",
    "load": "io.results",
    "load_all": "io.results",
    "lower_is_better": "registry.kinds",
    "metric": "registry.metrics",
    "report": "api",
}

__all__ = [
    "Ask",
    "ConfigError",
    "InputError",
    "MissingExtra",
    "Rankings",
    "Reply",
    "RetryableFailure",
    "Server",
    "Signature",
    "SteelyardError",
    "System",
    "SystemFailure",
    "Table",
    "UnknownName",
    "__version__",
    "compare",
    "convert",
    "evaluate_answers",
    "evaluate_legal",
    "evaluate_retrieval",
    "evaluate_spans",
    "gate",
    "load",
    "load_all",
    "lower_is_better",
    "metric",
    "report",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'steelyard' has no attribute {name!r}")
    return getattr(import_module(f"steelyard.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
