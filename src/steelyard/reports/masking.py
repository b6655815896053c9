"""Private passages hidden behind asterisks; a text keeps its length, so that places found before still fit."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from steelyard.documents.pages import Document
from steelyard.documents.sets import DocumentSet, missing_of
from steelyard.errors import Problem
from steelyard.i18n.masking import masked as masked_message
from steelyard.table import Column, Missing, Signature, Table
from steelyard.text.private import Private, private_passages

MASK: Final = "*"
_LEAST: Final = 6
"""Shorter passages are not looked for elsewhere: they may be anything."""
_WORDY: Final = ("house", "mail")
"""Nor are these: alone they are words like any other."""


def mask_text(text: str) -> str:
    """The text with its private passages hidden, but for the last digits; as long as before.

    >>> mask_text("电话13800138000，住文三路128号3幢501室，付42000元")
    '电话*******8000，住文三路***号*幢***室，付42000元'
    """
    return _hide(text, private_passages(text))


def mask_values(value: Any) -> Any:
    """The value with every text in it masked; keys stay, a whole number that is private becomes masked text.

    What is known as private from one text is hidden in all the others, where no words announce it.
    """
    texts = list(_texts(value))
    return _masked(value, _known(texts))


def mask_tables(tables: Sequence[Table]) -> list[Table]:
    """The tables of one report with every text masked; the scores stay.

    Ids, names and settings that differ still do: where masking makes two of them equal, the later one gets a number.
    An id becomes the same in all tables, so that items still pair.
    """
    rows = [[mask_values(_row_texts(table, row)) for row in range(len(table))] for table in tables]
    ids, names = _told_apart(_hidden_ids(tables, rows)), mask_apart(table.name for table in tables)
    signatures = _signatures([table.signature for table in tables])
    return [
        replace(
            _masked_table(table, masked),
            ids=[ids[identifier] for identifier in table.ids],
            name=names[table.name],
            signature=signature,
        )
        for table, masked, signature in zip(tables, rows, signatures, strict=True)
    ]


def mask_table(table: Table) -> Table:
    """The table with every text masked, as `mask_tables` has it."""
    return mask_tables([table])[0]


def mask_documents(documents: Mapping[str, Document]) -> DocumentSet:
    """The documents masked, by masked names; of two whose names become one neither is kept."""
    masked = [DocumentSet({mask_text(name): mask_document(document)}) for name, document in documents.items()]
    problems = [
        Problem(mask_text(each.where), masked_message(each.message, mask_text)) for each in missing_of(documents)
    ]
    return DocumentSet.of([*masked, DocumentSet(missing=tuple(problems))])


def mask_apart(texts: Iterable[str]) -> dict[str, str]:
    """Each text with how it is shown: masked, and with a number behind it where masking makes it equal to another.

    >>> mask_apart(["电话13800138000", "电话13900138000", "b"])
    {'电话13800138000': '电话*******8000', '电话13900138000': '电话*******8000-2', 'b': 'b'}
    """
    return _told_apart({text: mask_text(text) for text in texts})


def _masked_table(table: Table, masked: Sequence[Mapping[str, Any]]) -> Table:
    return replace(
        table,
        tags={name: [row["tags"][tag] for row in masked] for tag, name in mask_apart(table.tags).items()},
        columns={metric: _masked_column(metric, column, masked) for metric, column in table.columns.items()},
        outputs=[row["output"] for row in masked] if table.outputs else (),
        failures={row: masked[row]["failure"] for row in table.failures},
        benchmark=mask_text(table.benchmark),
    )


def _masked_column(metric: str, column: Column, masked: Sequence[Mapping[str, Any]]) -> Column:
    reasons = [Missing(reason.kind, mask_text(reason.reason)) for reason in column.reasons]
    return replace(column, reasons=reasons, notes={row: masked[row]["notes"][metric] for row in column.notes})


def _hidden_ids(tables: Sequence[Table], rows: Sequence[Sequence[Mapping[str, Any]]]) -> dict[str, str]:
    """Each id masked; where one row knows more of it to be private than another, all go by that one."""
    found: dict[str, str] = {}
    for table, masked in zip(tables, rows, strict=True):
        for identifier, row in zip(table.ids, masked, strict=True):
            found[identifier] = max(found.get(identifier, row["id"]), row["id"], key=lambda text: text.count(MASK))
    return found


def _told_apart(hidden: Mapping[str, str]) -> dict[str, str]:
    """Text → masked text, with a number behind it where another has it already; what needs no mask stays."""
    taken = {text for text, shown in hidden.items() if text == shown}
    times = Counter[str]()
    found: dict[str, str] = {}
    for text, shown in hidden.items():
        found[text] = shown
        while text != shown and found[text] in taken:
            times[shown] += 1
            found[text] = f"{shown}-{times[shown] + 1}"
        taken.add(found[text])
    return found


def _signatures(signatures: Sequence[Signature]) -> list[Signature]:
    """The signatures with their values masked; settings differ where they did."""
    values: dict[str, list[str]] = {}
    for key, value in (setting for signature in signatures for setting in signature.settings):
        values.setdefault(key, []).append(value)
    shown = {key: mask_apart(found) for key, found in values.items()}
    return [Signature(tuple((key, shown[key][value]) for key, value in each.settings)) for each in signatures]


def mask_document(document: Document) -> Document:
    """The document with its pages masked; its units still fit."""
    pages = tuple(replace(page, text=mask_text(page.text)) for page in document.pages)
    return replace(document, name=mask_text(document.name), pages=pages)


def _row_texts(table: Table, row: int) -> dict[str, Any]:
    return {
        "id": table.ids[row],
        "tags": {tag: values[row] for tag, values in table.tags.items()},
        "notes": table.notes(row),
        "output": table.outputs[row] if table.outputs else None,
        "failure": table.failures.get(row),
    }


def _hide(text: str, passages: Iterable[Private]) -> str:
    places = [place for passage in passages for place in passage.places]
    if not places:
        return text
    characters = list(text)
    for place in places:
        characters[place] = MASK
    return "".join(characters)


def _hidden_part(text: str, passage: Private) -> str:
    """The passage alone, as it is shown."""
    characters = list(text[passage.start : passage.end])
    for place in passage.places:
        characters[place - passage.start] = MASK
    return "".join(characters)


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for each in value.values():
                yield from _texts(each)
        case list() | tuple():
            for each in value:
                yield from _texts(each)


@dataclass(frozen=True, slots=True)
class _Known:
    """Private numbers with what is shown of each, which is as long; by their beginning, how long they may be."""

    shown: Mapping[str, str]
    lengths: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, shown: Mapping[str, str]) -> "_Known":
        lengths: dict[str, set[int]] = {}
        for whole in shown:
            lengths.setdefault(whole[:_LEAST], set()).add(len(whole))
        return cls(shown, {beginning: sorted(each) for beginning, each in lengths.items()})


def _known(texts: Iterable[str]) -> _Known:
    """Private numbers of these texts, as they stand there and without blanks and dashes, and what is shown of them."""
    found: dict[str, str] = {}
    for text in texts:
        for passage in private_passages(text):
            whole = text[passage.start : passage.end]
            if passage.kind not in _WORDY and len(passage.places) >= _LEAST:
                hidden = _hidden_part(text, passage)
                found[whole] = hidden
                found[_bare(whole)] = _bare(hidden)
    return _Known.of(found)


def _bare(text: str) -> str:
    return re.sub(r"[ ()+-]", "", text)


def _masked(value: Any, known: _Known) -> Any:
    match value:
        case str():
            return _mask_known(mask_text(value), known)
        case Mapping():
            return {key: _masked(each, known) for key, each in value.items()}
        case list() | tuple():
            return [_masked(each, known) for each in value]
        case int() if not isinstance(value, bool):
            shown = _masked(str(value), known)
            return value if shown == str(value) else shown
    return value


def _mask_known(text: str, known: _Known) -> str:
    """The text with all that is known hidden, also where one number overlaps another; in one pass over the text."""
    if not known.shown:
        return text
    characters = list(text)
    for start in range(len(text) - _LEAST + 1):
        for length in known.lengths.get(text[start : start + _LEAST], ()):
            for place, shown in enumerate(known.shown.get(text[start : start + length], ()), start):
                if shown == MASK:
                    characters[place] = MASK
    return "".join(characters)
