"""YAML with the line of every value; a repeated key is an error, and only plain data is read."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from steelyard import limits
from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.io.streams import read_text

ALIAS_HINT: Final = Message("formats.yaml_aliases_hint")
TOO_DEEP: Final = Message("formats.yaml_too_deep")

_DEEPEST: Final = 100
_LONGEST_NUMBER: Final = 1000
_NUMBERS: Final = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
# raised by PyYAML for a value that does not match its tag, beside its own errors
_BAD_VALUE: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class Located:
    """A value of a YAML file with its location; lists hold Located values, mappings plain keys and Located values."""

    value: Any
    where: str

    def plain(self) -> Any:
        """Return the value without locations."""
        if isinstance(self.value, Mapping):
            return {key: found.plain() for key, found in self.value.items()}
        if isinstance(self.value, list):
            return [found.plain() for found in self.value]
        return self.value


def located(value: Any, where: str) -> Located:
    """Return a plain value with one location for all of it."""
    if isinstance(value, Mapping):
        return Located({str(key): located(each, where) for key, each in value.items()}, where)
    if isinstance(value, list | tuple):
        return Located([located(each, where) for each in value], where)
    return Located(value, where)


def read_yaml(path: str | Path) -> Located:
    """Return the one document of a YAML file; None where it is empty."""
    import yaml

    text, stream = read_text(path, limits.YAML_BYTES)
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        return Located(None, stream.name) if node is None else _Reading(stream.name).located(node, 0)
    except RecursionError:
        raise InputError(TOO_DEEP, where=stream.name) from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InputError(Message("formats.not_yaml", problem=error.problem), where=f"{stream.name}:{line}") from None
    except yaml.YAMLError as error:
        raise InputError(Message("formats.not_yaml", problem=str(error).splitlines()[0]), where=stream.name) from None
    except (ValueError, OverflowError) as error:  # \UFFFFFFFF, or a version of thousands of digits
        raise InputError(Message("formats.not_yaml", problem=error), where=stream.name) from None


def dump_yaml(content: Any) -> str:
    """Block style, keys in their order, characters as they are."""
    import yaml

    return str(yaml.safe_dump(content, sort_keys=False, allow_unicode=True, default_flow_style=False, width=10_000))


class _Reading:
    """Converts nodes to values and counts them; an alias counts like a copy of its node."""

    def __init__(self, name: str) -> None:
        import yaml

        self._name = name
        self._yaml = yaml
        self._loader = yaml.SafeLoader("")
        self._values = 0

    def located(self, node: Any, depth: int) -> Located:
        """Return the value of a node and of what is in it."""
        where = self._place(node)
        self._values += 1
        if self._values > limits.YAML_VALUES.value:
            error = limits.YAML_VALUES.exceeded(Message("words.the_number_of_values"), error=InputError, where=where)
            raise InputError(error.message, where=where, hint=ALIAS_HINT)
        if depth > _DEEPEST:
            raise InputError(TOO_DEEP, where=where)
        if isinstance(node, self._yaml.MappingNode):
            return Located(dict(self._entries(node, depth)), where)
        if isinstance(node, self._yaml.SequenceNode):
            return Located([self.located(child, depth + 1) for child in node.value], where)
        return Located(self._scalar(node, where), where)

    def _entries(self, node: Any, depth: int) -> Iterator[tuple[str, Located]]:
        first: dict[str, int] = {}
        for key_node, value_node in node.value:
            where, line = self._place(key_node), key_node.start_mark.line + 1
            if not isinstance(key_node, self._yaml.ScalarNode):
                raise InputError(Message("formats.key_not_text"), where=where)
            key = str(key_node.value)
            if key in first:
                raise InputError(Message("formats.duplicate_key_on_line", key=key, first=first[key]), where=where)
            first[key] = line
            yield key, self.located(value_node, depth + 1)

    def _scalar(self, node: Any, where: str) -> Any:
        if node.tag in _NUMBERS and len(node.value) > _LONGEST_NUMBER:
            raise InputError(Message("formats.too_many_digits", longest_number=_LONGEST_NUMBER), where=where)
        if "\0" in node.value:
            raise InputError(Message("formats.value_with_nul"), where=where)
        try:
            return self._loader.construct_object(node)
        except (self._yaml.YAMLError, *_BAD_VALUE) as error:
            words = str(error).splitlines() or [type(error).__name__]
            raise InputError(Message("formats.value_unreadable", words=words[0]), where=where) from None

    def _place(self, node: Any) -> str:
        return f"{self._name}:{node.start_mark.line + 1}"
