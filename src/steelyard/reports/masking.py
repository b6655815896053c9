"""Private passages hidden behind asterisks; a text keeps its length, so that places found before still fit."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from steelyard.formats.documents import Document
from steelyard.table import Gap, Table
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


def mask_table(table: Table) -> Table:
    """The table with every text masked but its ids; the scores stay."""
    rows = [_row_texts(table, row) for row in range(len(table))]
    masked = [mask_values(row) for row in rows]
    return replace(
        table,
        name=mask_text(table.name),
        tags={tag: [row["tags"][tag] for row in masked] for tag in table.tags},
        notes={metric: {row: masked[row]["notes"][metric] for row in notes} for metric, notes in table.notes.items()},
        outputs=[row["output"] for row in masked] if table.outputs else (),
        failures={row: masked[row]["failure"] for row in table.failures},
        gaps=[Gap(gap.kind, mask_text(gap.reason)) for gap in table.gaps],
    )


def mask_document(document: Document) -> Document:
    """The document with its pages masked; its units still fit."""
    pages = tuple(replace(page, text=mask_text(page.text)) for page in document.pages)
    return replace(document, name=mask_text(document.name), pages=pages)


def _row_texts(table: Table, row: int) -> dict[str, Any]:
    return {
        "tags": {tag: values[row] for tag, values in table.tags.items()},
        "notes": {metric: notes[row] for metric, notes in table.notes.items() if row in notes},
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


def _known(texts: Iterable[str]) -> Mapping[str, str]:
    """Private numbers of these texts, as they stand there and without blanks and dashes, and what is shown of them."""
    found: dict[str, str] = {}
    for text in texts:
        for passage in private_passages(text):
            whole = text[passage.start : passage.end]
            if passage.kind not in _WORDY and len(passage.places) >= _LEAST:
                hidden = _hide(text, [passage])[passage.start : passage.end]
                found[whole] = hidden
                found[_bare(whole)] = _bare(hidden)
    return found


def _bare(text: str) -> str:
    return re.sub(r"[ ()+-]", "", text)


def _masked(value: Any, known: Mapping[str, str]) -> Any:
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


def _mask_known(text: str, known: Mapping[str, str]) -> str:
    for whole, hidden in known.items():
        text = text.replace(whole, hidden)
    return text
