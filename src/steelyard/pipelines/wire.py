"""Notices and errors of our servers as JSON, so that a client has them as values in any language.

An answer of MCP holds text for any client. Ours adds to `_meta` (of a prompt: to `data` of the error) the notices and
the error as codes with arguments. A client that does not know these fields reads the text.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from steelyard.errors import Problem, SteelyardError, SystemFailure
from steelyard.i18n import Localized, Message, as_message, from_json, to_json
from steelyard.pipelines.server import Notice

NOTICES: Final = "steelyard/notices"
ERROR: Final = "steelyard/error"
MAX_NOTICE: Final = 2000
"""Characters of a foreign notice that are kept."""


def notices_to_json(notices: Iterable[Notice]) -> dict[str, Any]:
    """The notices as a field of `_meta`; nothing if there are none."""
    entries = [{"text": str(notice), "message": to_json(notice)} for notice in notices]
    return {NOTICES: entries} if entries else {}


def notices_from_json(meta: object) -> list[Notice]:
    """The notices in `_meta` of an answer."""
    entries = meta.get(NOTICES) if isinstance(meta, Mapping) else None
    notices = (_notice(entry) for entry in entries) if isinstance(entries, list) else ()
    return [notice for notice in notices if notice is not None]


def error_to_json(error: SteelyardError) -> dict[str, Any]:
    """An error as a field of `_meta`."""
    problems = [[problem.where, to_json(problem.message)] for problem in error.problems]
    hint = None if error.hint is None else to_json(error.hint)
    return {ERROR: {"problems": problems, "hint": hint, "parameter": error.parameter}}


def error_from_json(meta: object) -> SystemFailure | None:
    """The error in `_meta` of an answer; None if there is none, or if it cannot be read."""
    fields = meta.get(ERROR) if isinstance(meta, Mapping) else None
    if not isinstance(fields, Mapping):
        return None
    entries = fields.get("problems")
    problems = [_problem(entry) for entry in entries] if isinstance(entries, list) else []
    known = [problem for problem in problems if problem is not None]
    if not known or len(known) < len(problems):
        return None
    parameter = fields.get("parameter")
    return SystemFailure(
        known[0].message,
        where=known[0].where or None,
        hint=from_json(fields.get("hint")),
        problems=known,
        parameter=parameter if isinstance(parameter, str) else None,
    )


def _notice(entry: object) -> Notice | None:
    text = entry.get("text") if isinstance(entry, Mapping) else entry  # an older server sends text alone
    message = from_json(entry.get("message")) if isinstance(entry, Mapping) else None
    if message is not None:
        return message
    return shorten(text, MAX_NOTICE) if isinstance(text, str) else None


def _problem(entry: object) -> Problem | None:
    match entry:
        case [str(where), message]:
            localized = from_json(message)
            return None if localized is None else Problem(where, _as_one_message(localized))
    return None


def _as_one_message(localized: Localized) -> Message:
    return localized if isinstance(localized, Message) else as_message(str(localized))


def shorten(text: str, most: int = 200) -> str:
    """The text, cut after `most` characters."""
    return text if len(text) <= most else f"{text[:most]}…"
