"""Citation marks of RAG products in an answer, which cite contexts by position or by id.

RAGFlow writes [ID:0] (older: ##0$$) and counts from 0, FastGPT [24 hex digits](CITE), others [1], [1,2], [doc3] or
【1】 from 1 on, or the id of a context in brackets.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from steelyard.text.citations import names_in, places_of

CANDIDATE: Final = re.compile(
    r"##(?P<old>\d{1,4})\$\$"
    r"|[\[［【](?P<inner>[^\[\]［］【】\n]{1,80})[\]］】](?P<link>\([^()\n]{0,500}\))?"
)
"""What may be a mark, with the address that may follow it; `keys_of` says whether it is one."""
_RAGFLOW: Final = re.compile(r"ID\s*[:：]?\s*(\d{1,4})(?:\s*[,，、;；]\s*(?:ID\s*[:：]?\s*)?(\d{1,4}))*", re.IGNORECASE)
_FASTGPT: Final = re.compile(r"[0-9a-f]{24}", re.IGNORECASE)
_NUMBER: Final = re.compile(r"\d{1,4}")
# (1) is a mark where contexts are numbered, at the end of a clause and not as part of an article such as 5(1)
_PARENTHESES: Final = re.compile(
    r"(?<![\d条款项目])[(（](?P<number>\d{1,2})[)）](?=[ \t]*(?:[.。,，;；!！?？\n(（]|$))"
)

RAGFLOW: Final = "ragflow"
FASTGPT: Final = "fastgpt"
ID: Final = "id"
NUMBER: Final = "number"
"""Kinds of marks: by a position from 0, by an id of 24 digits, by another id, by a position from 1."""

Key = tuple[str, int | str]
"""The kind of a mark, and the position from 0 or the id that it names."""


class Mark(NamedTuple):
    """A mark in a text, or one of several between the same brackets; `key` is a position from 0, or an id."""

    start: int
    end: int
    kind: str
    key: int | str


def find_marks(text: str, ids: Sequence[str | None] = ()) -> list[Mark]:
    """Return the marks of a text in their order; `ids` has one entry per context, where the contexts are known.

    (1) is a mark only where there is such a context and no mark of another form.
    """
    known = frozenset(filter(None, ids))
    found = [
        Mark(match.start(), match.end(), *key) for match in CANDIDATE.finditer(text) for key in keys_of(match, known)
    ]
    return found or list(_in_parentheses(text, len(ids)))


def keys_of(match: re.Match[str], ids: frozenset[str] = frozenset()) -> list[Key]:
    """Return what a candidate names; nothing if it is no mark."""
    if match["old"]:
        return [(RAGFLOW, int(match["old"]))]
    inner = match["inner"].strip()
    if inner in ids:
        return [(ID, inner)]
    if _RAGFLOW.fullmatch(inner):
        return [(RAGFLOW, int(number)) for number in _NUMBER.findall(inner)]
    if _FASTGPT.fullmatch(inner):
        return [(FASTGPT, inner)]
    return [(ID, name) if name in ids else (NUMBER, int(name) - 1) for name in names_in(inner, ids)]


def without_marks(text: str, ids: Sequence[str | None] = ()) -> str:
    """Return a text without its marks and the blanks before them."""
    return _replaced(text, find_marks(text, ids))


def blanked(text: str, marks: Iterable[Mark]) -> str:
    """Return a text with blanks in place of these marks, so that positions stay."""
    return _replaced(text, marks, " ")


def without_citations(text: str, ids: Sequence[str | None]) -> str:
    """Return a text without the marks that cite its contexts, and without those that only products write.

    A number in brackets that names no context may be text.
    """
    marks, places = find_marks(text, ids), places_of(ids)
    plain = (mark for mark in marks if mark.kind in (ID, NUMBER))
    void = {mark.start for mark in plain if not 0 <= index_of(mark, places) < len(ids)}
    return _replaced(text, [mark for mark in marks if mark.start not in void])


def _replaced(text: str, marks: Iterable[Mark], blank: str = "") -> str:
    """Return a text with a blank for each character of the marks; where that is "", without the blanks before them."""
    pieces, at = [], 0
    for mark in marks:
        if mark.start >= at:  # else the second name between the same brackets
            before = text[at : mark.start]
            pieces += [before if blank else before.rstrip(" \t"), blank * (mark.end - mark.start)]
            at = mark.end
    return "".join([*pieces, text[at:]])


def cited(text: str, ids: Sequence[str | None], *, first: int = 1) -> list[int]:
    """Return the indices of the contexts that the marks of a text cite, each once, in the order of the text.

    `ids` has one entry per context; `first` is the number of the first context in marks such as [1].
    """
    places = places_of(ids)
    found = (index_of(mark, places, first) for mark in find_marks(text, ids))
    return list(dict.fromkeys(index for index in found if 0 <= index < len(ids)))


def index_of(mark: Mark, places: Mapping[str, int], first: int = 1) -> int:
    """Return the index that a mark names; -1 for an id that no context has."""
    if isinstance(mark.key, str):
        return places.get(mark.key, -1)
    if mark.kind == RAGFLOW and str(mark.key) in places:  # [ID:20] of a reply whose chunks have such names
        return places[str(mark.key)]
    return mark.key + 1 - first if mark.kind == NUMBER else mark.key


def _in_parentheses(text: str, contexts: int) -> Iterator[Mark]:
    for match in _PARENTHESES.finditer(text):
        if 0 < int(match["number"]) <= contexts:
            yield Mark(match.start(), match.end(), NUMBER, int(match["number"]) - 1)
