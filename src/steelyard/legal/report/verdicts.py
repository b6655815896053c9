"""The reasons and remarks of legal verdicts in a language, from the messages that a results file stores.

Without stored messages, as in files of earlier versions, the English texts of the file are used.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from steelyard.i18n import LANGUAGES, Language, Message, codes, translations_from_json
from steelyard.legal.model import FIELD_LABELS, METRIC, in_one_line
from steelyard.legal.report.results import output_of
from steelyard.table import Table

Output = Mapping[str, Any]
_FOR_PEOPLE: Final = {
    f"{stored}.{code.partition('.')[2]}": code
    for stored, shown in (("parts", "part_names"), ("legal", "remarks"))
    for code in codes(shown).values()
}
"""The codes of texts with names for programs, as results files have them, by those of the same in words."""
_NAMES: Final = {name: Message(f"part_names.{name}") for name in FIELD_LABELS}
"""The names of parts and fields as people read them."""
_AMOUNTS: Final = ("parts.amount_total", "parts.amount_breakdown")
_WHOLE: Final = re.compile(r"[0-9]{4,15}")


def reasons_in(language: Language, output: Output) -> dict[str, str]:
    """Return the reasons of a verdict by part."""
    index = LANGUAGES.index(language)
    return {part: texts[index] for part, texts in translated_reasons(output).items()}


def translated_reasons(output: Output) -> dict[str, tuple[str, ...]]:
    """Return the reasons of a verdict by part, each in every language."""
    written, stored = _verdict(output).get("reasons") or {}, _messages(output).get("reasons") or {}
    return {part: _texts(stored.get(part), english) for part, english in written.items()}


def translated_remarks(output: Output) -> list[tuple[str, ...]]:
    """Return the remarks of a verdict, each in every language."""
    written = [str(remark) for remark in _verdict(output).get("remarks") or ()]
    stored = _messages(output).get("remarks") or ()
    if len(stored) != len(written):
        stored = [None] * len(written)
    return [_texts(message, english) for message, english in zip(stored, written, strict=True)]


def note_in(language: Language, table: Table, row: int, metric: str = METRIC) -> str:
    """Return the note of an item: all reasons of its verdict in one line, or the error; "" if it has no note."""
    note = table.note(metric, row, language)
    output = output_of(table, row)
    messages = _messages(output) if metric == METRIC else {}
    if not messages:
        return note
    if "error" in messages:
        return _texts(messages["error"], note)[LANGUAGES.index(language)]
    reasons = reasons_in(language, output)
    return in_one_line(reasons.items(), _NAMES).text(language) if reasons else note


def _texts(stored: Any, english: str) -> tuple[str, ...]:
    """Return a stored message in every language; without one, the English text for all of them."""
    return translations_from_json(_worded(stored)) or (english,) * len(LANGUAGES)


def _worded(stored: Any) -> Any:
    """Return a stored message with the codes of words where its own text has names for programs (`approx_added`)."""
    match stored:
        case ["core.labelled", {"label": [str(label)], "message": message}] if label in _AMOUNTS:
            labelled = {"label": [_FOR_PEOPLE.get(label, label)], "message": _separated(_worded(message))}
            return ["core.labelled", labelled]
        case [str(code), *rest]:
            return [_FOR_PEOPLE.get(code, code), *map(_worded, rest)]
        case list():
            return [*map(_worded, stored)]
        case dict():
            return {name: _worded(value) for name, value in stored.items()}
    return stored


def _separated(stored: Any) -> Any:
    """Return a stored message about an amount with separators in the numbers among its arguments."""
    match stored:
        case [str(code), {"expected": str(number), **others}] if _WHOLE.fullmatch(number):
            return [code, {**others, "expected": f"{int(number):,}"}]
    return stored


def _verdict(output: Output) -> Output:
    return output.get("verdict") or {}


def _messages(output: Output) -> Output:
    return _verdict(output).get("messages") or {}
