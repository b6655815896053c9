"""What Steelyard computes of the answers."""

from collections.abc import Callable, Mapping
from typing import Any, Final

FUNCTIONS: Final[Mapping[str, Callable[[Any], Any]]] = {}
