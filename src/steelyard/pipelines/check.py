"""Checks of the parameters of a run before its first step, so that a mistake is found before a long step."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, Problem, SteelyardError, nearest
from steelyard.i18n import Message
from steelyard.pipelines.load import LoadedServer, Parameters
from steelyard.pipelines.locate import bundled_servers
from steelyard.pipelines.manifest import read_parameters
from steelyard.pipelines.plan import HISTORY_PREFIXES, Bound, Call, error_at, iter_calls
from steelyard.pipelines.server import notify
from steelyard.pipelines.ultrarag import UNUSED_PARAMETERS


def check_parameters(servers: Mapping[str, LoadedServer], parameters: Parameters) -> None:
    """Raise an error for a parameter in the file that no tool of its server knows.

    A parameter of UltraRAG's server that ours does not use is ignored with a notice, and so is a parameter of our
    server if the project's server runs: `build` may have written it for ours.
    """
    for (alias, name), where in parameters.locations.items():
        if alias not in servers or name in _known_names(servers[alias]):
            continue
        if _is_of_bundled_server(servers[alias], name):
            notify(Problem(where, Message("pipelines.parameter_of_bundled", name=f"{alias}.{name}")))
        elif _is_unused(servers[alias], name):
            notify(Problem(where, Message("pipelines.parameter_unused", name=f"{alias}.{name}")))
        else:
            raise _unknown_parameter(servers[alias], name, where)


def unknown_parameters(servers: Mapping[str, LoadedServer], parameters: Parameters) -> Iterator[InputError]:
    """Yield every error that `check_parameters` could raise."""
    for (alias, name), where in parameters.locations.items():
        server = servers.get(alias)
        if server is None or name in _known_names(server):
            continue
        if not _is_of_bundled_server(server, name) and not _is_unused(server, name):
            yield _unknown_parameter(server, name, where)


def check_settings(servers: Mapping[str, LoadedServer], steps: tuple[Bound, ...], parameters: Parameters) -> None:
    """Raise an error for a backend, or a setting of a backend, that a bundled server does not know.

    A setting of UltraRAG that has no effect here is ignored, with a notice if it differs from UltraRAG's default.
    """
    from steelyard.rag.settings import CHECKS

    for call in iter_calls(steps):
        location, values = servers[call.step.server].location, parameters.values[call.step.server]
        is_bundled = location.is_bundled and location.folder is not None
        check = CHECKS.get((location.folder.name, call.tool.name)) if is_bundled and location.folder else None
        for finding in check(_given_arguments(call, values)) if check is not None else ():
            names = (call.inputs[finding.path[0]].removeprefix("$"), *finding.path[1:])
            where = _location(parameters, call.step.server, names) or call.step.where
            if finding.error is not None:
                raise _labelled(finding.error, call, where)
            if _value_at(location.defaults, names) != _value_at(values, names):
                name = ".".join((call.step.server, *names))
                notify(Problem(where, Message("pipelines.parameter_unused", name=name)))


def check_arguments(steps: tuple[Bound, ...], parameters: Parameters) -> None:
    """Raise an error for parameters that a tool would refuse for any input, as its `checks` says."""
    for call in iter_calls(steps):
        values = parameters.values[call.step.server]
        given = {argument: values.get(name[1:]) for argument, name in call.inputs.items() if name.startswith("$")}
        try:
            if call.tool.checks is not None:
                call.tool.checks(given)
        except SteelyardError as error:
            raise error_at(error, call) from None


def check_templates(servers: Mapping[str, LoadedServer], steps: tuple[Bound, ...], parameters: Parameters) -> None:
    """Raise an error for a template that a bundled prompt cannot read, or that does not use what the prompt fills in.

    A notice says if a bundled template is used although the project has a folder of that name.
    """
    notified: set[str] = set()
    for call, name in _template_parameters(servers, steps):
        values = parameters.values[call.step.server]
        where = call.locations.get(name, call.step.where)
        try:
            in_process = servers[call.step.server].endpoint is None
            _check_template(call, values, values.get(name), in_process=in_process)
        except SteelyardError as error:
            problem = Problem(error.where or "", error.message)
            message = Message("core.labelled", label=f"{call.step.server}.{name}", message=problem)
            raise type(error)(message, where=where, hint=error.hint) from None
        if _is_bundled_template(values.get(name)) and where not in notified:
            notify(Problem(where, Message("pipelines.bundled_template", path=values[name])))
            notified.add(where)


def _unknown_parameter(server: LoadedServer, name: str, where: str) -> InputError:
    """Return the error about an unknown parameter; the hint names parameters that have an effect, and no variables."""
    known = sorted(parameter for parameter in _parameter_names(server) if not _is_unused(server, parameter))
    message = Message("metrics.no_parameter", name=server.location.alias, parameter=name)
    return InputError(message, where=where, hint=nearest(name, known))


def _check_template(call: Call, values: Mapping[str, Any], template: Any, *, in_process: bool) -> None:
    """Read a template and fill it for an empty list of questions; raise only errors about the template."""
    from steelyard.rag.prompts import read_template

    if not isinstance(template, str):  # the default of the prompt, or an error that the prompt raises itself
        return
    path = read_template(template, root=bundled_servers().parent).path
    if not in_process:
        return
    try:
        call.tool.function(**{argument: _empty_value(name, values) for argument, name in call.inputs.items()})
    except SteelyardError as error:
        where = error.where or ""
        if where == path or where.startswith(f"{path}:"):
            raise


def _is_bundled_template(template: Any) -> bool:
    """Return whether a bundled template is used, although the project has a folder of that name."""
    path = Path(template) if isinstance(template, str) else None
    return path is not None and path.parent.is_dir() and not path.is_file()


def _empty_value(name: str, values: Mapping[str, Any]) -> Any:
    """Return the value of a parameter, no rows for a variable, one round without rows for a history."""
    if name.startswith("$"):
        return values.get(name[1:])
    return [[]] if name.startswith(HISTORY_PREFIXES) else []


def _template_parameters(servers: Mapping[str, LoadedServer], steps: tuple[Bound, ...]) -> Iterator[tuple[Call, str]]:
    for call in iter_calls(steps):
        if call.tool.kind == "prompt" and servers[call.step.server].location.is_bundled:
            names = (name for argument, name in call.inputs.items() if argument.endswith("template"))
            yield from ((call, name[1:]) for name in names if name.startswith("$"))


def _known_names(server: LoadedServer) -> set[str]:
    """Return the parameters of a server and the variables of its tools, for which a file may give a value, too."""
    return {*_parameter_names(server), *(name.removeprefix("$") for name in _input_names(server))}


def _parameter_names(server: LoadedServer) -> set[str]:
    return {*server.location.defaults, *(name[1:] for name in _input_names(server) if name.startswith("$"))}


def _input_names(server: LoadedServer) -> Iterator[str]:
    return (name for tool in server.tools.values() for name in tool.binding.inputs.values())


def _is_of_bundled_server(server: LoadedServer, name: str) -> bool:
    """Return whether the bundled counterpart of a server, which does not run here, has a parameter of this name."""
    folder = server.location.counterpart
    return folder is not None and name in read_parameters(folder / "parameter.yaml")


def _is_unused(server: LoadedServer, name: str) -> bool:
    folder = server.location.folder if server.location.is_bundled else None
    return folder is not None and name in UNUSED_PARAMETERS.get(folder.name, ())


def _given_arguments(call: Call, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call that are parameters with a value."""
    given = ((argument, name[1:]) for argument, name in call.inputs.items() if name.startswith("$"))
    return {argument: values[name] for argument, name in given if name in values}


def _location(parameters: Parameters, alias: str, names: Sequence[str]) -> str | None:
    """Return the file location of a value below a parameter, or of the deepest section on the way to it."""
    source, location = parameters.sources.get(alias), parameters.locations.get((alias, names[0]))
    for name in names:
        fields = source.value if source is not None else None
        source = fields.get(name) if isinstance(fields, Mapping) else None
        location = source.where if source is not None else location
    return location


def _labelled(error: SteelyardError, call: Call, where: str) -> SteelyardError:
    problem = Problem(error.where or "", error.message)
    return type(error)(Message("core.labelled", label=call.step.name, message=problem), where=where, hint=error.hint)


def _value_at(values: Any, names: Sequence[str]) -> Any:
    for name in names:
        values = values.get(name) if isinstance(values, Mapping) else None
    return values
