"""Backends and settings of backends in the parameters of a run, checked before its first step and by `build`."""

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.errors import Problem, SteelyardError
from steelyard.i18n import Message
from steelyard.pipelines.loading import Loaded, Parameters
from steelyard.pipelines.plan import Bound, Call, calls
from steelyard.pipelines.server import say


def check_settings(loaded: Mapping[str, Loaded], steps: tuple[Bound, ...], parameters: Parameters) -> None:
    """Refuse backends and settings of backends that a server of ours does not know.

    Those of UltraRAG that have no use here are said, if they are not as UltraRAG's server has them by itself.
    """
    from steelyard.rag.choices import CHECKS

    for call in calls(steps):
        home, values = loaded[call.step.server].home, parameters.values[call.step.server]
        check = CHECKS.get((home.folder.name, call.tool.name)) if home.bundled and home.folder is not None else None
        for finding in check(_arguments(call, values)) if check is not None else ():
            names = (call.inputs[finding.path[0]].removeprefix("$"), *finding.path[1:])
            where = _place(parameters, call.step.server, names) or call.step.where
            if finding.error is not None:
                raise _placed(finding.error, call, where)
            if _below(home.defaults, names) != _below(values, names):
                name = ".".join((call.step.server, *names))
                say(Problem(where, Message("pipelines.without_use", name=name)))


def _arguments(call: Call, values: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call that parameters give."""
    given = ((argument, name[1:]) for argument, name in call.inputs.items() if name.startswith("$"))
    return {argument: values[name] for argument, name in given if name in values}


def _place(parameters: Parameters, alias: str, names: Sequence[str]) -> str | None:
    """Where the file says a value below a parameter, or as much of the way to it as it says."""
    found, place = parameters.sections.get(alias), parameters.places.get((alias, names[0]))
    for name in names:
        inside = found.value if found is not None else None
        found = inside.get(name) if isinstance(inside, Mapping) else None
        place = found.where if found is not None else place
    return place


def _placed(error: SteelyardError, call: Call, where: str) -> SteelyardError:
    problem = Problem(error.where or "", error.message)
    return type(error)(Message("core.labelled", label=call.step.name, message=problem), where=where, hint=error.hint)


def _below(values: Any, names: Sequence[str]) -> Any:
    for name in names:
        values = values.get(name) if isinstance(values, Mapping) else None
    return values
