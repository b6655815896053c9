"""What is checked of the parameters of a run before its first step, so that no long step is made for nothing."""

from collections.abc import Iterator, Mapping
from typing import Any

from steelyard.errors import InputError, Problem, SteelyardError, nearest
from steelyard.i18n import Message
from steelyard.pipelines.homes import bundled_servers
from steelyard.pipelines.loading import Loaded, Parameters
from steelyard.pipelines.offers import read_parameters
from steelyard.pipelines.placing import placed
from steelyard.pipelines.plan import MEMORY, Bound, Call, calls
from steelyard.pipelines.renamed import WITHOUT_USE
from steelyard.pipelines.server import say


def check_parameters(loaded: Mapping[str, Loaded], parameters: Parameters) -> None:
    """Refuse what a parameter file says and no tool of the server knows: it would be left out without a word.

    What a server of UltraRAG knows and ours has no use for is left out, and said; so is what only ours knows where the
    project's runs: `build` may have written it for ours.
    """
    for (alias, name), where in parameters.places.items():
        known = _known(loaded[alias]) if alias in loaded else {name}
        if name in known:
            continue
        if _is_of_ours(loaded[alias], name):
            say(Problem(where, Message("pipelines.parameter_of_ours", name=f"{alias}.{name}")))
            continue
        if not _is_without_use(loaded[alias], name):
            raise _unknown(alias, name, known, where)
        say(Problem(where, Message("pipelines.without_use", name=f"{alias}.{name}")))


def refused_parameters(loaded: Mapping[str, Loaded], parameters: Parameters) -> Iterator[InputError]:
    """What `check_parameters` would raise, each in its turn."""
    for (alias, name), where in parameters.places.items():
        found = loaded.get(alias)
        if found is None or _is_of_ours(found, name) or _is_without_use(found, name) or name in _known(found):
            continue
        yield _unknown(alias, name, _known(found), where)


def _unknown(alias: str, name: str, known: set[str], where: str) -> InputError:
    return InputError(
        Message("metrics.no_parameter", name=alias, parameter=name), where=where, hint=nearest(name, sorted(known))
    )


def check_arguments(steps: tuple[Bound, ...], parameters: Parameters) -> None:
    """Refuse parameters that a tool of ours is known to refuse whatever the steps before it give."""
    for call in calls(steps):
        values = parameters.values[call.step.server]
        given = {argument: values.get(name[1:]) for argument, name in call.inputs.items() if name.startswith("$")}
        try:
            if call.tool.checks is not None:
                call.tool.checks(given)
        except SteelyardError as error:
            raise placed(error, call) from None


def check_templates(loaded: Mapping[str, Loaded], steps: tuple[Bound, ...], parameters: Parameters) -> None:
    """Refuse a template that a prompt of ours cannot read, or that does not use what the prompt gives."""
    for call, name in _templates(loaded, steps):
        values = parameters.values[call.step.server]
        try:
            _try_template(call, values, values.get(name), here=loaded[call.step.server].place is None)
        except SteelyardError as error:
            place = call.places.get(name, call.step.where)
            problem = Problem(error.where or "", error.message)
            message = Message("core.labelled", label=f"{call.step.server}.{name}", message=problem)
            raise type(error)(message, where=place, hint=error.hint) from None


def _try_template(call: Call, values: Mapping[str, Any], template: Any, *, here: bool) -> None:
    """Read a template, and fill it for no questions at all; only what is wrong with the template is raised."""
    from steelyard.rag.prompts import read_template

    if not isinstance(template, str):  # the prompt's own, or what the prompt itself complains of
        return
    path = read_template(template, root=bundled_servers().parent).path
    if not here:
        return
    try:
        call.tool.function(**{argument: _nothing(name, values) for argument, name in call.inputs.items()})
    except SteelyardError as error:
        if (error.where or "").startswith(path):
            raise


def _nothing(name: str, values: Mapping[str, Any]) -> Any:
    """A parameter as it is, a variable without rows, a history of one round without rows."""
    if name.startswith("$"):
        return values.get(name[1:])
    return [[]] if name.startswith(MEMORY) else []


def _templates(loaded: Mapping[str, Loaded], steps: tuple[Bound, ...]) -> Iterator[tuple[Call, str]]:
    for call in calls(steps):
        if call.tool.kind == "prompt" and loaded[call.step.server].home.bundled:
            named = (name for argument, name in call.inputs.items() if argument.endswith("template"))
            yield from ((call, name[1:]) for name in named if name.startswith("$"))


def _known(found: Loaded) -> set[str]:
    bindings = (tool.binding.inputs.values() for tool in found.tools.values())
    return {*found.home.defaults, *(each.removeprefix("$") for inputs in bindings for each in inputs)}


def _is_of_ours(found: Loaded, name: str) -> bool:
    """Whether our server, which does not run here, has a parameter of this name."""
    ours = found.home.counterpart
    file = ours / "parameter.yaml" if ours is not None else None
    return file is not None and file.is_file() and name in read_parameters(file)


def _is_without_use(found: Loaded, name: str) -> bool:
    folder = found.home.folder if found.home.bundled else None
    return folder is not None and name in WITHOUT_USE.get(folder.name, ())
