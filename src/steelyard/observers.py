"""Observers of outcomes; nothing is imported here, so that the pytest plugin costs nothing where it is not used."""

from contextvars import ContextVar
from typing import Any

FAILED_GATES: ContextVar[list[Any] | None] = ContextVar("FAILED_GATES", default=None)
"""Gates that did not pass, in the order in which they were asked; collected while it is set to a list."""
