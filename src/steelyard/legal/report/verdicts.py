"""The words of legal verdicts in the language of a report, from the messages that a results file stores.

A file of an earlier version stores none, and a changed one others: then the English texts of the file stand.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from steelyard.i18n import Language, Message, from_json
from steelyard.legal.question_types import part_labels
from steelyard.legal.report.results import METRIC
from steelyard.legal.wording import FIELD_LABELS, INVENTED, in_one_line
from steelyard.table import Table

Output = Mapping[str, Any]


@cache
def part_names(language: Language) -> dict[str, str]:
    """The names of parts and fields in a language."""
    return _names(labels(), language)


@cache
def kind_names(language: Language) -> dict[str, str]:
    """The names of kinds of invented values in a language."""
    return _names(INVENTED, language)


def reasons_in(language: Language, output: Output) -> dict[str, str]:
    """The reasons of a verdict by part."""
    written, stored = _verdict(output).get("reasons") or {}, _messages(output).get("reasons") or {}
    return {part: _text(language, stored.get(part), english) for part, english in written.items()}


def remarks_in(language: Language, output: Output) -> list[str]:
    """The remarks of a verdict."""
    written = [str(each) for each in _verdict(output).get("remarks") or ()]
    stored = _messages(output).get("remarks") or ()
    if len(stored) != len(written):
        return written
    return [_text(language, message, english) for message, english in zip(stored, written, strict=True)]


def note_in(language: Language, table: Table, row: int, metric: str = METRIC) -> str:
    """The note of an item: all reasons of its verdict in one line, or why there is none; "" where it has no note."""
    note = table.notes(row).get(metric, "")
    output = (table.outputs[row] if table.outputs else None) or {}
    messages = _messages(output) if metric == METRIC else {}
    if language == "en" or not messages:
        return note
    if "error" in messages:
        return _text(language, messages["error"], note)
    reasons = reasons_in(language, output)
    return in_one_line(reasons.items(), labels()).text(language) if reasons else note


def labels() -> dict[str, Message]:
    """The names of parts and fields."""
    return {**part_labels(), **FIELD_LABELS}


def _names(names: Mapping[str, Message], language: Language) -> dict[str, str]:
    return {name: message.text(language) for name, message in names.items()}


def _text(language: Language, stored: Any, english: str) -> str:
    message = None if language == "en" else from_json(stored)
    return english if message is None else message.text(language)


def _verdict(output: Output) -> Output:
    return output.get("verdict") or {}


def _messages(output: Output) -> Output:
    return _verdict(output).get("messages") or {}
