"""What may be asked of a retriever: texts, and how many passages for each."""

from collections.abc import Sequence
from typing import Any

from steelyard.errors import ConfigError, InputError


def checked_queries(queries: Any) -> list[str]:
    """The queries, each a text; one alone may stand for a list of one, and one that failed (None) asks for nothing."""
    if isinstance(queries, str):
        return [queries]
    if not isinstance(queries, Sequence):
        raise InputError(f"queries must be a list of texts, not {queries!r}")
    for place, query in enumerate(queries, 1):
        if not isinstance(query, str | None):
            raise InputError(f"query {place} must be text, not {query!r}")
    return ["" if query is None else query for query in queries]


def from_one(value: Any, what: str) -> int:
    """A whole number from 1 on."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigError(f"{what} must be a whole number from 1 on, not {value!r}")
    return value
