"""Lines in columns, as qrels and runs of TREC have them, grouped by query."""

import math
from collections.abc import Iterable
from pathlib import Path

from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.shapes import wrong_shape
from steelyard.io.writing import write_whole

Line = list[str]


def grouped(container: Container, width: int, value: tuple[int, str], title: str) -> dict[str, tuple[int, list[Line]]]:
    """Return the number of the first line of each query, and its lines without the query.

    `value` is a column of numbers.
    """
    found: dict[str, tuple[int, list[Line]]] = {}
    for number, columns in container.lines():
        if len(columns) != width:
            message = Message("formats.columns_wrong", found=len(columns), wanted=width)
            raise InputError(message, where=f"{container.name}:{number}", hint=rows.read_as(title))
        number_of(columns[value[0]], f"{container.name}:{number}", value[1])
        found.setdefault(columns[0], (number, []))[1].append(columns[1:])
    return found


def number_of(text: str, where: str, column: str) -> float:
    """Return the number in a column."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise wrong_shape(column, Message("words.a_number"), text, where)
    return found


def write_columns(lines: Iterable[Iterable[object]], path: Path) -> None:
    """Write lines of columns; an id with blanks is an error."""
    write_whole(path, "".join(_joined(line, path) for line in lines))


def _joined(line: Iterable[object], path: Path) -> str:
    columns = [str(column) for column in line]
    wrong = next((column for column in columns if len(column.split()) != 1), None)
    if wrong is not None:
        hint = Message("formats.id_with_blanks_hint")
        raise InputError(Message("formats.id_with_blanks", identifier=wrong), where=str(path), hint=hint)
    return f"{' '.join(columns)}\n"
