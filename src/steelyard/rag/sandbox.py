"""The sandbox of prompt templates: what can make something large of something small is checked before it is made."""

import math
import re
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from jinja2.runtime import Context
from jinja2.sandbox import SandboxedEnvironment
from jinja2.utils import Namespace

from steelyard import limits
from steelyard.i18n import Message

_ALLOWANCE: Final = 100  # times the limit: few results are as large as the product of what they are made from
_WIDTH: Final = re.compile(r"\d{7}")  # in a format


class Sandbox(SandboxedEnvironment):
    """The environment of a template: the product of the sizes of what a function or operator is given is limited."""

    intercepted_binops = frozenset(("*", "**", "%"))

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.filters = {name: _checked(name, function) for name, function in self.filters.items()}
        self.globals["namespace"] = _Names

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Return the result of an operator; the time of a power grows with the square of its exponent."""
        _check(left, right, right if operator == "**" else 1, is_format=operator == "%")
        return super().call_binop(context, operator, left, right)

    def call(self, context: Context, obj: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the result of a function or method."""
        owner = getattr(getattr(obj, "__wrapped__", obj), "__self__", "")
        _check(owner, *args, *kwargs.values(), is_format=getattr(obj, "__name__", "") == "format")
        return super().call(context, obj, *args, **kwargs)


class _Names(Namespace):
    def __setitem__(self, name: str, value: Any) -> None:  # what a loop collects
        _check(value, _ALLOWANCE)
        super().__setitem__(name, value)


def _checked(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        _check(*args[hasattr(function, "jinja_pass_arg") :], *kwargs.values(), is_format=name == "format")
        return function(*args, **kwargs)

    return checked


def _check(*values: Any, is_format: bool = False) -> None:
    product = math.prod(max(1, _size(value)) for value in values)
    if product > _ALLOWANCE * limits.PROMPT_CHARACTERS.value or (is_format and _WIDTH.search(str(values[0]))):
        raise limits.PROMPT_CHARACTERS.exceeded(Message("words.the_size_of_a_prompt"))


def _size(value: Any) -> int:
    if isinstance(value, list | tuple):
        return sum(len(member) if isinstance(member, str) else 1 for member in value)
    return abs(value) if isinstance(value, int) else len(value) if isinstance(value, str) else 1
