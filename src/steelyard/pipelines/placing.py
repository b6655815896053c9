"""Where the error of a tool belongs: the line of the parameter that it speaks of, else that of the step."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from steelyard.errors import Problem, SteelyardError
from steelyard.i18n import FOREIGN, Joined, Localized, Message, as_message
from steelyard.io.yamls import Located
from steelyard.pipelines.plan import Call


def placed(error: SteelyardError, call: Call) -> SteelyardError:
    """The error of a tool, told with the place of the parameter that it speaks of, or of the step.

    Of a file that is named by a parameter, the place is that of a text which the problem quotes (a field), if there is.
    """
    first = error.problems[0]
    file, quoted = _of_file(first, call), _of_quoted(first, call)
    found = _in_section(first, call) or (file and (quoted or file)) or _first_named(call.places, str(first.message))
    place = found or quoted or call.step.where
    where = "" if first.where in (call.step.where, call.step.server) else first.where
    problems = Joined("core.lines", [Problem(where, _untitled(first.message, call)), *error.problems[1:]])
    message = Message("core.labelled", label=call.step.name, message=problems)
    return type(error)(message, where=place, hint=_hint(error, first))


def _untitled(message: Message, call: Call) -> Message:
    """The message of a server elsewhere without the name of its tool, which the step names already."""
    if message.code != FOREIGN:
        return message
    return as_message(message.args["text"].removeprefix(f"{call.tool.name}: "))


def _hint(error: SteelyardError, problem: Problem) -> Localized | None:
    """The hint of an error; of a missing path that would be found from a folder above, that folder."""
    path = Path(problem.where) if problem.where else None
    if path is None or path.is_absolute() or _is_there(path):
        return error.hint
    above = next((folder for folder in Path.cwd().parents if _is_there(folder / path)), None)
    if above is None:
        return error.hint
    return Message("pipelines.paths_taken_from_current_folder", value=os.path.relpath(above), path=path)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # no path at all
        return False


def _in_section(problem: Problem, call: Call) -> str | None:
    """The place of a setting below a parameter, where the problem names the section by its path with dots."""
    head, *rest = problem.where.split(".")
    section = call.located.get(head)
    for name in rest:
        fields = section.value if section is not None else None
        section = fields.get(name) if isinstance(fields, Mapping) else None
    if section is None or not isinstance(section.value, Mapping):
        return None
    named = {str(name): found.where for name, found in section.value.items()}
    return _first_named(named, str(problem.message)) or section.where


def _of_file(problem: Problem, call: Call) -> str | None:
    """The place of the parameter that names the file which the problem is about."""
    for leaf in _texts(call):
        if problem.where == leaf.value or problem.where.startswith((f"{leaf.value}:", f"{leaf.value}/")):
            return leaf.where
    return None


def _of_quoted(problem: Problem, call: Call) -> str | None:
    """The place of a text among the parameters that the problem quotes."""
    message = str(problem.message)
    return next((leaf.where for leaf in _texts(call) if repr(leaf.value) in message), None)


def _first_named(places: Mapping[str, str], message: str) -> str | None:
    """The place of the name that stands first in a message."""
    found = ((re.search(rf"\b{re.escape(name)}\b", message), place) for name, place in places.items())
    starts = [(match.start(), place) for match, place in found if match]
    return min(starts)[1] if starts else None


def _texts(call: Call) -> Iterator[Located]:
    return (leaf for located in call.located.values() for leaf in _leaves(located))


def _leaves(located: Located) -> Iterator[Located]:
    """The texts in a value, at any depth."""
    if isinstance(located.value, Mapping):
        for each in located.value.values():
            yield from _leaves(each)
    elif isinstance(located.value, list):
        for each in located.value:
            yield from _leaves(each)
    elif isinstance(located.value, str) and located.value:
        yield located
