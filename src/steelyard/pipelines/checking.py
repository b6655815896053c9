"""What is checked of the parameters of a run before its first step, so that no long step is made for nothing."""

from collections.abc import Iterator, Mapping

from steelyard.errors import InputError, SteelyardError, nearest
from steelyard.pipelines.homes import bundled_servers
from steelyard.pipelines.loading import Loaded, Parameters
from steelyard.pipelines.plan import Bound, Call, calls
from steelyard.pipelines.renamed import WITHOUT_USE
from steelyard.pipelines.server import say


def check_parameters(loaded: Mapping[str, Loaded], parameters: Parameters) -> None:
    """Refuse what a parameter file says and no tool of the server knows: it would be left out without a word.

    What a server of UltraRAG knows and ours has no use for is left out, and said.
    """
    for (alias, name), where in parameters.places.items():
        known = _known(loaded[alias]) if alias in loaded else {name}
        if name in known:
            continue
        if not _is_without_use(loaded[alias], name):
            raise InputError(f"{alias} has no parameter {name!r}", where=where, hint=nearest(name, sorted(known)))
        say(f"{where}: {alias}.{name} is left out: a parameter of UltraRAG that has no use here")


def check_templates(loaded: Mapping[str, Loaded], steps: tuple[Bound, ...], parameters: Parameters) -> None:
    """Read every template that a parameter names for a prompt of ours; the first that cannot be read is an error."""
    from steelyard.rag.prompts import read_template

    for call, name in _templates(loaded, steps):
        value = parameters.values[call.step.server].get(name)
        if not isinstance(value, str):
            continue
        try:
            read_template(value, root=bundled_servers().parent)
        except SteelyardError as error:
            place = call.places.get(name, call.step.where)
            said = f"{error.where}: {error.message}" if error.where else error.message
            raise type(error)(f"{call.step.server}.{name}: {said}", where=place, hint=error.hint) from None


def _templates(loaded: Mapping[str, Loaded], steps: tuple[Bound, ...]) -> Iterator[tuple[Call, str]]:
    for call in calls(steps):
        if call.tool.kind == "prompt" and loaded[call.step.server].home.bundled:
            named = (name for argument, name in call.inputs.items() if argument.endswith("template"))
            yield from ((call, name[1:]) for name in named if name.startswith("$"))


def _known(found: Loaded) -> set[str]:
    bindings = (tool.binding.inputs.values() for tool in found.tools.values())
    return {*found.home.defaults, *(each.removeprefix("$") for inputs in bindings for each in inputs)}


def _is_without_use(found: Loaded, name: str) -> bool:
    folder = found.home.folder if found.home.bundled else None
    return folder is not None and name in WITHOUT_USE.get(folder.name, ())
