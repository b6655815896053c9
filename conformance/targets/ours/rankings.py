"""What Steelyard computes of the rankings."""

from collections.abc import Callable, Mapping
from typing import Any, Final

FUNCTIONS: Final[Mapping[str, Callable[[Any], Any]]] = {}
