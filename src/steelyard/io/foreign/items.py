"""Rows of other tools as items: the systems of a file, and an id for each row of one of them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from steelyard.errors import InputError, UnknownName
from steelyard.i18n import Message
from steelyard.io.foreign import rows
from steelyard.io.records import Record, first_seen
from steelyard.table import REPEAT_TAG

_LONGEST_ITEM: Final = 80


class SeveralSystems(InputError):
    """A file has the outputs of several systems, and none was named."""

    def __init__(self, systems: Sequence[str], where: str) -> None:
        message = Message("formats.several_systems", systems=", ".join(systems))
        super().__init__(message, where=where, hint=Message("formats.several_systems_hint"))
        self.systems = systems


def item_ids(records: Sequence[Record]) -> tuple[list[str], list[str]]:
    """The id of each row, and the item it belongs to: the two differ where an item is repeated."""
    items = _by_question(records) or [_item(record, row) for row, record in enumerate(records, 1)]
    times = Counter(items)
    ids: dict[str, Record] = {}
    for item, record in zip(items, records, strict=True):
        repeat = record.fields.get(rows.REPEAT)
        identifier = f"{item}#{repeat}" if repeat is not None and times[item] > 1 else item
        if identifier in ids:
            message = Message("formats.duplicate_id", identifier=identifier, first=first_seen(ids[identifier].where))
            raise InputError(message, where=record.where, hint=Message("formats.repeat_hint"))
        ids[identifier] = record
    return list(ids), items


def systems_of(records: Iterable[Record]) -> list[str]:
    """The names of the systems whose outputs these are, in order; "" for records that name none."""
    return list(dict.fromkeys(map(_system, records)))


def records_of(records: Iterator[Record], system: str | None, where: str) -> Iterable[Record]:
    """The records of one system, with ids; a file with several systems is an error unless one is named.

    Records whose first has neither a system nor the number of a repeat are given as they are, one by one.
    """
    first = next(records, None)
    if first is None:
        return ()
    if system is None and not first.fields.keys() & {rows.SYSTEM, rows.REPEAT}:
        return chain((first,), records)
    found = [first, *records]
    systems = systems_of(found)
    if system is None and len(systems) > 1:
        raise SeveralSystems(systems, where)
    if system is not None and system not in systems:
        raise UnknownName.of(Message("words.system"), system, systems, where=where)
    return list(_identified([record for record in found if system is None or _system(record) == system]))


def _identified(records: Sequence[Record]) -> Iterator[Record]:
    ids, items = item_ids(records)
    is_repeated = len(set(items)) < len(items)
    for record, identifier, item in zip(records, ids, items, strict=True):
        tags = {**(record.fields.get(rows.TAGS) or {}), **({REPEAT_TAG: item} if is_repeated else {})}
        fields = {**record.fields, rows.ID: identifier, **({rows.TAGS: tags} if tags else {})}
        yield record._replace(fields=fields)


def _by_question(records: Sequence[Record]) -> list[str]:
    """The questions of rows without ids, since tools may write rows in another order each time.

    There are none if a row has an id or no question, or if a question is there twice and not as a repeat.
    """
    if any(record.fields.get(rows.ID) is not None for record in records):
        return []
    asked = [(record.fields.get(rows.QUESTION), record.fields.get(rows.REPEAT)) for record in records]
    found = [(_shortened(question), repeat) for question, repeat in asked if isinstance(question, str) and question]
    return [question for question, _ in found] if len(set(found)) == len(records) else []


def _shortened(question: str) -> str:
    """A question as one line; a long one is cut, and its hash added."""
    line = " ".join(question.split())
    return line if len(line) <= _LONGEST_ITEM else f"{line[:_LONGEST_ITEM]}… {rows.text_id(question)}"


def _item(record: Record, row: int) -> str:
    value = record.fields.get(rows.ID)
    return str(row) if value is None else str(value)


def _system(record: Record) -> str:
    return str(record.fields.get(rows.SYSTEM) or "")
