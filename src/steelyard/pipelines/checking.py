"""What is checked of the parameters of a run before its first step, so that no long step is made for nothing."""

from collections.abc import Iterator, Mapping
from pathlib import Path
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
            raise _unknown(loaded[alias], name, where)
        say(f"{where}: {alias}.{name} is left out: a parameter of UltraRAG that has no use here")


def refused_parameters(loaded: Mapping[str, Loaded], parameters: Parameters) -> Iterator[InputError]:
    """What `check_parameters` would raise, each in its turn."""
    for (alias, name), where in parameters.places.items():
        found = loaded.get(alias)
        if found is None or _is_of_ours(found, name) or _is_without_use(found, name) or name in _known(found):
            continue
        yield _unknown(found, name, where)


def _unknown(found: Loaded, name: str, where: str) -> InputError:
    """The error about a parameter; the hint names parameters that can be set, neither variables nor what has no use."""
    known = sorted(each for each in _parameters(found) if not _is_without_use(found, each))
    return InputError(
        Message("metrics.no_parameter", name=found.home.alias, parameter=name), where=where, hint=nearest(name, known)
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
    """Refuse a template that a prompt of ours cannot read, or that does not use what the prompt gives.

    That one of ours is used, in a project with templates of its own, is said once.
    """
    told: set[str] = set()
    for call, name in _templates(loaded, steps):
        values = parameters.values[call.step.server]
        place = call.places.get(name, call.step.where)
        try:
            _try_template(call, values, values.get(name), here=loaded[call.step.server].place is None)
        except SteelyardError as error:
            said = f"{error.where}: {error.message}" if error.where else error.message
            raise type(error)(f"{call.step.server}.{name}: {said}", where=place, hint=error.hint) from None
        if _is_borrowed(values.get(name)) and place not in told:
            say(f"{place}: {values[name]} is a template of steelyard: the project has none of this name")
            told.add(place)


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


def _is_borrowed(template: Any) -> bool:
    """Whether a template is one of ours, though the project has a folder of that name."""
    path = Path(template) if isinstance(template, str) else None
    return path is not None and path.parent.is_dir() and not path.is_file()


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
    """Parameters, and variables of its tools: for these a file may give a value, too."""
    return {*_parameters(found), *(each.removeprefix("$") for each in _inputs(found))}


def _parameters(found: Loaded) -> set[str]:
    return {*found.home.defaults, *(each[1:] for each in _inputs(found) if each.startswith("$"))}


def _inputs(found: Loaded) -> Iterator[str]:
    return (name for tool in found.tools.values() for name in tool.binding.inputs.values())


def _is_of_ours(found: Loaded, name: str) -> bool:
    """Whether our server, which does not run here, has a parameter of this name."""
    ours = found.home.counterpart
    file = ours / "parameter.yaml" if ours is not None else None
    return file is not None and file.is_file() and name in read_parameters(file)


def _is_without_use(found: Loaded, name: str) -> bool:
    folder = found.home.folder if found.home.bundled else None
    return folder is not None and name in WITHOUT_USE.get(folder.name, ())
