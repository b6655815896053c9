"""Kinds of results: what is particular to each, and where the code for it is.

An evaluator registers its kind here, so that results files and reports need not know any kind by name. Locations are
modules, imported only when a result of that kind is checked or shown. A distribution adds a kind by an entry point in
the group `steelyard.kinds`: its name is the kind, and it points to a `Kind`.
"""

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from types import ModuleType
from typing import Final

GROUP: Final = "steelyard.kinds"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of result; `metric` is the metric that every result of the kind has, if there is one.

    `checks` is the module that checks lines of a results file of this kind beyond what holds for all, and `report`
    the module that makes the sections of a report that only this kind has. A kind without one has nothing to add.
    """

    name: str
    metric: str | None = None
    checks: str | None = None
    report: str | None = None

    def load_checks(self) -> ModuleType | None:
        """The module `checks`, imported."""
        return import_module(self.checks) if self.checks else None

    def load_report(self) -> ModuleType | None:
        """The module `report`, imported."""
        return import_module(self.report) if self.report else None


BUILT_IN: Final = (
    Kind("retrieval"),
    Kind("answers"),
    Kind("legal", metric="legal"),
)


@cache
def kind_of(name: str) -> Kind:
    """The kind of this name; one that nobody registered has nothing particular."""
    known = {kind.name: kind for kind in BUILT_IN}
    return known.get(name) or _installed(name) or Kind(name)


def _installed(name: str) -> Kind | None:
    found: list[Kind] = [point.load() for point in entry_points(group=GROUP, name=name)]
    return found[0] if found else None
