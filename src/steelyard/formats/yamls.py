"""YAML with places: every value knows its line, a key said twice is an error, and nothing but data is read."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.errors import InputError
from steelyard.formats.streams import read_text


@dataclass(frozen=True, slots=True)
class Located:
    """A value of a YAML file with its place; lists hold Located values, mappings plain keys and Located values."""

    value: Any
    where: str

    def plain(self) -> Any:
        """The value without places."""
        if isinstance(self.value, Mapping):
            return {key: found.plain() for key, found in self.value.items()}
        if isinstance(self.value, list):
            return [found.plain() for found in self.value]
        return self.value


def read_yaml(path: str | Path) -> Located:
    """The one document of a YAML file; None where it is empty."""
    import yaml

    text, stream = read_text(path)
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        return Located(None, stream.name) if node is None else _located(node, stream.name, 0)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InputError(f"this is not YAML: {error.problem}", where=f"{stream.name}:{line}") from None
    except yaml.YAMLError as error:
        raise InputError(f"this is not YAML: {str(error).splitlines()[0]}", where=stream.name) from None


def dump_yaml(content: Any) -> str:
    """Block style, keys in their order, characters as they are."""
    import yaml

    return str(yaml.safe_dump(content, sort_keys=False, allow_unicode=True, default_flow_style=False, width=10_000))


def _located(node: Any, name: str, depth: int) -> Located:
    import yaml

    where = f"{name}:{node.start_mark.line + 1}"
    if depth > 100:
        raise InputError("this YAML is nested too deeply", where=where)
    if isinstance(node, yaml.MappingNode):
        return Located(dict(_entries(node, name, depth)), where)
    if isinstance(node, yaml.SequenceNode):
        return Located([_located(child, name, depth + 1) for child in node.value], where)
    try:
        return Located(yaml.SafeLoader("").construct_object(node), where)
    except (yaml.YAMLError, ValueError) as error:
        raise InputError(f"this value cannot be read: {str(error).splitlines()[0]}", where=where) from None


def _entries(node: Any, name: str, depth: int) -> Iterator[tuple[str, Located]]:
    first: dict[str, int] = {}
    for key_node, value_node in node.value:
        key, line = str(key_node.value), key_node.start_mark.line + 1
        if key in first:
            message = f"the key {key!r} appears again (first on line {first[key]})"
            raise InputError(message, where=f"{name}:{line}")
        first[key] = line
        yield key, _located(value_node, name, depth + 1)
