"""Masking of private data with asterisks; a text keeps its length, so that offsets into it stay valid."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from steelyard.documents.pages import Document, DocumentSet, missing_of
from steelyard.errors import Problem
from steelyard.i18n import from_json, to_json, translations
from steelyard.i18n.masking import masked as masked_message
from steelyard.table import Column, Missing, Note, Signature, Table
from steelyard.text.private import Private, private_passages

MASK: Final = "*"
_LEAST: Final = 6
"""Shorter passages are not searched for in other texts: they may be anything."""
_WORDY: Final = ("house", "mail")
"""Kinds of passages that are not searched for either: alone they are common words."""


def mask_text(text: str) -> str:
    """Return the text with its private passages masked, except the last digits; its length is the same.

    >>> mask_text("电话13800138000，住文三路128号3幢501室，付42000元")
    '电话*******8000，住文三路***号*幢***室，付42000元'
    """
    return _mask_passages(text, private_passages(text))


def mask_values(value: Any) -> Any:
    """Return the value with every text in it masked; keys stay, a whole number that is private becomes masked text.

    A number that is private in one text is masked in all others, even if nothing there marks it as private.
    """
    texts = list(_texts(value))
    return _masked(value, _known(texts))


def mask_tables(tables: Sequence[Table]) -> list[Table]:
    """Return the tables of one report with every text masked; the scores stay.

    Ids, names and settings that differ still do: if masking makes two of them equal, the later one gets a number.
    An id is masked in the same way in all tables, so that items still pair.
    """
    rows = [[mask_values(_row_texts(table, row)) for row in range(len(table))] for table in tables]
    ids, names = _numbered(_masked_ids(tables, rows)), mask_apart(table.name for table in tables)
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
    """Return the table with every text masked, as in `mask_tables`."""
    return mask_tables([table])[0]


def mask_documents(documents: Mapping[str, Document]) -> DocumentSet:
    """Return the documents masked, by masked names; two documents whose masked names are equal are both left out."""
    masked = [DocumentSet({mask_text(name): mask_document(document)}) for name, document in documents.items()]
    problems = [
        Problem(mask_text(problem.where), masked_message(problem.message, mask_text))
        for problem in missing_of(documents)
    ]
    return DocumentSet.of([*masked, DocumentSet(missing=tuple(problems))])


def mask_apart(texts: Iterable[str]) -> dict[str, str]:
    """Text → masked text, with a number after it if masking makes it equal to another.

    >>> mask_apart(["电话13800138000", "电话13900138000", "b"])
    {'电话13800138000': '电话*******8000', '电话13900138000': '电话*******8000-2', 'b': 'b'}
    """
    return _numbered({text: mask_text(text) for text in texts})


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
    reasons = [Missing(reason.kind, masked_message(reason.reason, mask_text)) for reason in column.reasons]
    notes = {row: _masked_note(masked[row]["notes"][metric]) for row in column.notes}
    return replace(column, reasons=reasons, notes=notes)


def _masked_note(note: Mapping[str, Any]) -> Note:
    """Return the message of a note with its arguments masked; its text where words beside them are private too."""
    message = from_json(note["message"])
    is_masked = message is not None and all(mask_text(text) == text for text in translations(message))
    return message if message is not None and is_masked else note["text"]


def _masked_ids(tables: Sequence[Table], rows: Sequence[Sequence[Mapping[str, Any]]]) -> dict[str, str]:
    """Return each id masked; if rows mask it differently, the one with most masked characters counts."""
    ids: dict[str, str] = {}
    for table, masked in zip(tables, rows, strict=True):
        for identifier, row in zip(table.ids, masked, strict=True):
            ids[identifier] = max(ids.get(identifier, row["id"]), row["id"], key=lambda text: text.count(MASK))
    return ids


def _numbered(masked: Mapping[str, str]) -> dict[str, str]:
    """Text → masked text, with a number after it if another text has the same; texts without a mask stay."""
    taken = {text for text, mask in masked.items() if text == mask}
    times = Counter[str]()
    names: dict[str, str] = {}
    for text, mask in masked.items():
        names[text] = mask
        while text != mask and names[text] in taken:
            times[mask] += 1
            names[text] = f"{mask}-{times[mask] + 1}"
        taken.add(names[text])
    return names


def _signatures(signatures: Sequence[Signature]) -> list[Signature]:
    """Return the signatures with their values masked; values that differ still do."""
    values: dict[str, list[str]] = {}
    for key, value in (setting for signature in signatures for setting in signature.settings):
        values.setdefault(key, []).append(value)
    masked = {key: mask_apart(texts) for key, texts in values.items()}
    return [
        Signature(tuple((key, masked[key][value]) for key, value in signature.settings)) for signature in signatures
    ]


def mask_document(document: Document) -> Document:
    """Return the document with its pages masked; the offsets of its units stay valid."""
    pages = tuple(replace(page, text=mask_text(page.text)) for page in document.pages)
    return replace(document, name=mask_text(document.name), pages=pages)


def _row_texts(table: Table, row: int) -> dict[str, Any]:
    return {
        "id": table.ids[row],
        "tags": {tag: values[row] for tag, values in table.tags.items()},
        "notes": {
            metric: {"text": str(column.notes[row]), "message": to_json(column.notes[row])}
            for metric, column in table.columns.items()
            if row in column.notes
        },
        "output": table.outputs[row] if table.outputs else None,
        "failure": table.failures.get(row),
    }


def _mask_passages(text: str, passages: Iterable[Private]) -> str:
    places = [place for passage in passages for place in passage.places]
    if not places:
        return text
    characters = list(text)
    for place in places:
        characters[place] = MASK
    return "".join(characters)


def _masked_passage(text: str, passage: Private) -> str:
    """Return the text of a passage, masked; the work does not grow with the text around it."""
    characters = list(text[passage.start : passage.end])
    for place in passage.places:
        characters[place - passage.start] = MASK
    return "".join(characters)


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for entry in value.values():
                yield from _texts(entry)
        case list() | tuple():
            for entry in value:
                yield from _texts(entry)


@dataclass(frozen=True, slots=True)
class _Known:
    """Private numbers with their masked form, which is as long; and their lengths by their first characters."""

    masked: Mapping[str, str]
    lengths: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, masked: Mapping[str, str]) -> "_Known":
        lengths: dict[str, set[int]] = {}
        for number in masked:
            lengths.setdefault(number[:_LEAST], set()).add(len(number))
        return cls(masked, {prefix: sorted(of_prefix) for prefix, of_prefix in lengths.items()})


def _known(texts: Iterable[str]) -> _Known:
    """Return the private numbers of these texts, as written and without blanks and dashes, with their masked forms."""
    masked: dict[str, str] = {}
    for text in texts:
        for passage in private_passages(text):
            number = text[passage.start : passage.end]
            if passage.kind not in _WORDY and len(passage.places) >= _LEAST:
                mask = _masked_passage(text, passage)
                masked[number] = mask
                masked[_bare(number)] = _bare(mask)
    return _Known.of(masked)


def _bare(text: str) -> str:
    return re.sub(r"[ ()+-]", "", text)


def _masked(value: Any, known: _Known) -> Any:
    match value:
        case str():
            return _mask_known(mask_text(value), known)
        case Mapping():
            return {key: _masked(entry, known) for key, entry in value.items()}
        case list() | tuple():
            return [_masked(entry, known) for entry in value]
        case int() if not isinstance(value, bool):
            text = _masked(str(value), known)
            return value if text == str(value) else text
    return value


def _mask_known(text: str, known: _Known) -> str:
    """Return the text with all known numbers masked, also where one overlaps another; in one pass over the text."""
    if not known.masked:
        return text
    characters = list(text)
    for start in range(len(text) - _LEAST + 1):
        for length in known.lengths.get(text[start : start + _LEAST], ()):
            for place, character in enumerate(known.masked.get(text[start : start + length], ()), start):
                if character == MASK:
                    characters[place] = MASK
    return "".join(characters)
