"""What is said about a mistake, for tests of readers."""

from collections.abc import Callable
from typing import Any

import pytest
from recording import record

from steelyard.errors import InputError, SteelyardError


def complaint(read: Callable[..., Any], *values: Any, kind: type[SteelyardError] = InputError, **settings: Any) -> str:
    """The text of the error that a call ends with, which is of exactly this kind."""
    with pytest.raises(SteelyardError) as caught:
        read(*values, **settings)
    assert type(caught.value) is kind
    record(str(caught.value))
    return str(caught.value)
