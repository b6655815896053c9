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
    for fault in _unknown_names(servers, parameters):
        if isinstance(fault, InputError):
            raise fault
        notify(fault)


def unknown_parameters(servers: Mapping[str, LoadedServer], parameters: Parameters) -> list[InputError]:
    """Return every error that `check_parameters` could raise."""
    return [fault for fault in _unknown_names(servers, parameters) if isinstance(fault, InputError)]


def check_settings(servers: Mapping[str, LoadedServer], steps: tuple[Bound, ...]) -> None:
    """Raise an error for a backend, or a setting of a backend, that a bundled server does not know.

    A setting of UltraRAG that has no effect here is ignored, with a notice if it differs from UltraRAG's default.
    """
    from steelyard.rag.settings import CHECKS

    for call in iter_calls(steps):
        location, alias = servers[call.step.server].location, call.step.server
        check = CHECKS.get((location.folder.name, call.tool.name)) if location.is_bundled and location.folder else None
        for finding in check(call.given) if check is not None else ():
            if isinstance(finding, SteelyardError):
                raise error_at(finding, call)
            names = (call.parameter_names[finding[0]], *finding[1:])
            if _value_at(location.defaults, names) != _value_at(call.parameters.values[alias], names):
                where = call.parameters.location(alias, names) or call.step.where
                notify(Problem(where, Message("pipelines.parameter_unused", name=".".join((alias, *names)))))


def check_arguments(steps: tuple[Bound, ...]) -> None:
    """Raise an error for parameters that a tool would refuse for any input, as its `checks` says."""
    for call in iter_calls(steps):
        try:
            if call.tool.checks is not None:
                call.tool.checks(call.given)
        except SteelyardError as error:
            raise error_at(error, call) from None


def check_templates(servers: Mapping[str, LoadedServer], steps: tuple[Bound, ...]) -> None:
    """Raise an error for a template that a bundled prompt cannot read, or that does not use what the prompt fills in.

    A notice says if a bundled template is used although the project has a folder of that name.
    """
    notified: set[str] = set()
    for call, name in _template_parameters(servers, steps):
        alias, template = call.step.server, call.parameters.values[call.step.server].get(name)
        where = call.parameters.location(alias, (name,)) or call.step.where
        try:
            _check_template(call, template, in_process=servers[alias].endpoint is None)
        except SteelyardError as error:
            problem = Problem(error.where or "", error.message)
            message = Message("core.labelled", label=f"{alias}.{name}", message=problem)
            raise type(error)(message, where=where, hint=error.hint) from None
        if _is_bundled_template(template) and where not in notified:
            notify(Problem(where, Message("pipelines.bundled_template", path=template)))
            notified.add(where)


def _unknown_names(servers: Mapping[str, LoadedServer], parameters: Parameters) -> Iterator[InputError | Problem]:
    """Yield the error, or the notice, about every parameter in the file that no tool of its server knows."""
    for (alias, name), where in parameters.locations.items():
        server, full_name = servers.get(alias), f"{alias}.{name}"
        if server is None or name in _known_names(server):
            continue
        if _is_of_bundled_server(server, name):
            yield Problem(where, Message("pipelines.parameter_of_bundled", name=full_name))
        elif _is_unused(server, name):
            yield Problem(where, Message("pipelines.parameter_unused", name=full_name))
        else:
            yield _unknown_parameter(server, name, where)


def _unknown_parameter(server: LoadedServer, name: str, where: str) -> InputError:
    """Return the error about an unknown parameter; the hint names parameters that have an effect, and no variables."""
    known = sorted(parameter for parameter in _parameter_names(server) if not _is_unused(server, parameter))
    message = Message("metrics.no_parameter", name=server.location.alias, parameter=name)
    return InputError(message, where=where, hint=nearest(name, known))


def _check_template(call: Call, template: Any, *, in_process: bool) -> None:
    """Read a template and fill it for an empty list of questions; raise only errors about the template."""
    from steelyard.rag.prompts import read_template

    if not isinstance(template, str):  # the default of the prompt, or an error that the prompt raises itself
        return
    path = read_template(template, root=bundled_servers().parent).path
    if not in_process:
        return
    try:
        call.tool.function(**{argument: _empty_value(name) for argument, name in call.inputs.items()} | call.given)
    except SteelyardError as error:
        where = error.where or ""
        if where == path or where.startswith(f"{path}:"):
            raise


def _is_bundled_template(template: Any) -> bool:
    """Return whether a bundled template is used, although the project has a folder of that name."""
    path = Path(template) if isinstance(template, str) else None
    return path is not None and path.parent.is_dir() and not path.is_file()


def _empty_value(name: str) -> list[Any]:
    """Return no rows for a variable, one round without rows for a history."""
    return [[]] if name.startswith(HISTORY_PREFIXES) else []


def _template_parameters(servers: Mapping[str, LoadedServer], steps: tuple[Bound, ...]) -> Iterator[tuple[Call, str]]:
    for call in iter_calls(steps):
        if call.tool.kind == "prompt" and servers[call.step.server].location.is_bundled:
            yield from (
                (call, name) for argument, name in call.parameter_names.items() if argument.endswith("template")
            )


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


def _value_at(values: Any, names: Sequence[str]) -> Any:
    for name in names:
        values = values.get(name) if isinstance(values, Mapping) else None
    return values
