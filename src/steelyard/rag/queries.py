"""What may be asked of a retriever: texts, and how many passages for each."""

from collections.abc import Sequence
from typing import Any

from steelyard.errors import ConfigError, InputError
from steelyard.i18n import Message


def checked_queries(queries: Any) -> list[str]:
    """The queries, each a text; one alone may stand for a list of one, and one that failed (None) asks for nothing."""
    if isinstance(queries, str):
        return [queries]
    if not isinstance(queries, Sequence):
        raise InputError(Message("rag.queries_list_texts_not", queries=queries))
    for place, query in enumerate(queries, 1):
        if not isinstance(query, str | None):
            raise InputError(Message("rag.query_text_not", place=place, query=query))
    return ["" if query is None else query for query in queries]


def from_one(value: Any, what: str, *, section: str = "") -> int:
    """An integer of at least 1; `what` is the name of the parameter, in the section of that name if there is one."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigError(Message("rag.whole_number_from_1_not", what=what, value=value), parameter=f"{section}{what}")
    return value
