"""Rows of other tools as items: the systems of a file, and an id for each row of one of them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from steelyard.errors import InputError, UnknownName
from steelyard.i18n import Message
from steelyard.io.foreign import rows
from steelyard.io.records import Record, first_seen
from steelyard.table import REPEAT_TAG

AGAIN: Final = "counts.questions_again"
_LONGEST_ITEM: Final = 80
_LONGEST_NAME: Final = 100  # of a system


class SeveralSystems(InputError):
    """A file has the outputs of several systems, and none was named."""

    def __init__(self, systems: Sequence[str], where: str) -> None:
        message = Message("formats.several_systems", systems=", ".join(systems))
        super().__init__(message, where=where, hint=Message("formats.several_systems_hint"))
        self.systems = systems


class ItemColumns(NamedTuple):
    """The columns of the id, of the question and of the tags."""

    id: str = rows.ID
    question: str = rows.QUESTION
    tags: str = rows.TAGS


_OURS: Final = ItemColumns()


class RowIds:
    """Ids for the rows of a source that have none, given one by one: the same question has the same id in every file.

    A question that was there before gets a number: tools may write rows in another order each time, but rarely those
    of one question.
    """

    def __init__(self) -> None:
        self._times: dict[str, int] = {}
        self.again = 0
        """Rows whose question was there before."""

    def of(self, question: Any, row: int) -> str:
        """Return the question as an id; the number of the row where there is no question."""
        wanted = (_shortened(question) if isinstance(question, str) else "") or str(row)
        identifier = wanted
        self.again += wanted in self._times
        while identifier in self._times:
            self._times[wanted] += 1
            identifier = f"{wanted} ({self._times[wanted]})"
        self._times[identifier] = 1
        return identifier


def item_ids(records: Sequence[Record], columns: ItemColumns = _OURS) -> tuple[list[str], list[str]]:
    """Return the id of each row, and the item it belongs to: the two differ where an item is repeated."""
    items = list(_items(records, columns))
    times = Counter(items)
    ids: dict[str, Record] = {}
    for item, record in zip(items, records, strict=True):
        repeat = _repeat(record)
        identifier = f"{item}#{repeat}" if repeat is not None and times[item] > 1 else item
        if identifier in ids:
            message = Message("formats.duplicate_id", identifier=identifier, first=first_seen(ids[identifier].where))
            raise InputError(message, where=record.where, hint=Message("formats.repeat_hint"))
        ids[identifier] = record
    return list(ids), items


def questions_again(records: Iterable[Record]) -> int:
    """How many rows without an id have the question of an earlier row of the same repeat."""
    unnamed = (record for record in records if record.fields.get(rows.ID) is None)
    asked = Counter((_repeat(record), question) for record in unnamed if (question := record.fields.get(rows.QUESTION)))
    return sum(asked.values()) - len(asked)


def systems_of(records: Iterable[Record]) -> list[str]:
    """Return the names of the systems whose outputs these are, in order; "" for records that name none."""
    return list(dict.fromkeys(map(_system, records)))


def are_systems(values: Iterable[Any]) -> bool:
    """Whether all values of a column `system` are names; long texts are prompts."""
    texts = [str(value) for value in values if value is not None]
    return all(len(text) <= _LONGEST_NAME and "\n" not in text for text in texts)


def records_of(
    records: Iterator[Record], system: str | None, where: str, columns: ItemColumns = _OURS
) -> Iterable[Record]:
    """Return the records of one system, with ids for repeats; several systems are an error unless one is named.

    Records whose first has neither a system nor the number of a repeat are given as they are, one by one.
    """
    first = next(records, None)
    if first is None:
        return ()
    if system is None and not first.fields.keys() & {rows.SYSTEM, rows.REPEAT}:
        return chain((first,), records)
    found = [first, *records]
    if system is not None:
        found = of_system(found, system, where)
    elif len(systems := systems_of(found)) > 1:
        raise SeveralSystems(systems, where)
    return _identified(found, columns)


def of_system(records: Sequence[Record], system: str, where: str) -> list[Record]:
    """Return the records of the named system; a name that none of them has is an error."""
    systems = systems_of(records)
    if system not in systems:
        raise UnknownName.of(Message("words.system"), system, systems, where=where)
    return [record for record in records if _system(record) == system]


def _identified(records: Sequence[Record], columns: ItemColumns) -> Sequence[Record]:
    """Return the records; where items are repeated, each with its id, and the item as a tag."""
    ids, items = item_ids(records, columns)
    if len(set(items)) == len(items):
        return records
    named = zip(records, ids, items, strict=True)
    return [_repeated(record, identifier, item, columns) for record, identifier, item in named]


def _repeated(record: Record, identifier: str, item: str, columns: ItemColumns) -> Record:
    given = record.fields.get(columns.tags)
    tags = {**(given if isinstance(given, Mapping) else {}), REPEAT_TAG: item}
    return record._replace(fields={**record.fields, columns.id: identifier, columns.tags: tags})


def _items(records: Sequence[Record], columns: ItemColumns) -> Iterator[str]:
    """Yield the item of each row: its id, else its question, else its number; a repeat is the same item again."""
    ids: dict[str | None, RowIds] = {}
    for row, record in enumerate(records, 1):
        value = record.fields.get(columns.id)
        generated = ids.setdefault(_repeat(record), RowIds())
        yield generated.of(record.fields.get(columns.question), row) if value is None else str(rows.whole(value))


def _shortened(question: str) -> str:
    """Return a question as one line; a long one is cut, and its hash added."""
    line = " ".join(question.split())
    return line if len(line) <= _LONGEST_ITEM else f"{line[:_LONGEST_ITEM]}… {rows.text_id(line)}"


def _repeat(record: Record) -> str | None:
    value = rows.whole(record.fields.get(rows.REPEAT))
    return None if value in (None, "") else str(value)


def _system(record: Record) -> str:
    return str(record.fields.get(rows.SYSTEM) or "")
