"""Citation marks in an answer, which cite contexts by position or by id.

RAGFlow writes [ID:0] (older: ##0$$) and counts from 0, FastGPT [24 hex digits](CITE), others [1], [1,2], [1-3], [doc3],
【2】 or ［２］ from 1 on, or the id of a context in brackets; (1) where nothing else is a mark.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from steelyard.lexicon import lexicon
from steelyard.text.normalisation import normalise

CANDIDATE: Final = re.compile(
    r"##(?P<old>\d{1,3})\$\$|[\[［【](?P<inner>[^\[\]［］【】\n]{1,80})[\]］】](?:\([^()\n]{0,500}\))?"
)
"""What may be a mark, with the address that may follow it; `marks_of` says whether it is one."""
_PARENTHESISED: Final = re.compile(
    r"(?<=[^\s\d条款项目章节])[(（](?P<inner>\d{1,2})[)）](?=\s*(?:[。.,，；;!?！？\n]|\Z))"
)
_WITH_BLANKS: Final = re.compile(rf"(?<![ \t])[ \t]*(?:{CANDIDATE.pattern})")
_NAME: Final = re.compile(r"(?=\S)(?:(?!\s*(?:[,;、&，；和]|\band\b|$)).)+")  # between separators
_WHOLE: Final = re.compile(r".+")
_HEX: Final = re.compile(r"[0-9a-f]{24}", re.IGNORECASE)
_OF_PRODUCT: Final = re.compile(rf"\s*(?:##|.\s*(?:ID\s*[:：]?\s*\d|{_HEX.pattern}\b))", re.IGNORECASE)
_NOUN: Final = rf"(?:\^|(?:ID|{lexicon('reading').source('source')})[\s.:#_-]*)?"
_NUMBERS: Final = re.compile(
    rf"{_NOUN}(?P<low>\d{{1,3}})(?:\s*[-–—~至]\s*{_NOUN}(?P<high>\d{{1,3}})|[†:].*)?", re.IGNORECASE
)
_WIDEST: Final = 100  # positions in a range


class Mark(NamedTuple):
    """A name in brackets: the span of these, its own (theirs if it is alone), and the index of its context."""

    start: int
    end: int
    span: tuple[int, int]
    name: str
    context: int | None


def find_marks(text: str, ids: Sequence[str | None] = (), first: int = 1) -> list[Mark]:
    """Return the marks of a text in their order; `ids` has one entry per context, where the contexts are known.

    `first` is the number of the first context in marks such as [1]. Numbers in parentheses at the end of a clause are
    marks if there are no others, and each names a context.
    """
    found = [mark for match in CANDIDATE.finditer(text) for mark in marks_of(match, ids, first)]
    if found or not ids:
        return found
    numbered = [mark for match in _PARENTHESISED.finditer(text) for mark in marks_of(match, ids, first)]
    return [] if None in [mark.context for mark in numbered] else numbered


def marks_of(match: re.Match[str], ids: Sequence[str | None] = (), first: int = 1) -> list[Mark]:
    """Return the names in a candidate, a range as several; nothing if one of them cannot be that of a context."""
    form = match.lastgroup or ""
    brackets, inside = match.span(), match.span(form)
    if _OF_PRODUCT.match(match[0]):
        first = 0
    pattern = _WHOLE if match[form].strip() in ids else _NAME
    marks = []
    for name in pattern.finditer(match.string, *inside):
        found = _indices(name[0].strip(), ids, first)
        if not found:
            return []
        span = brackets if name.span() == inside else name.span()
        marks += [Mark(*brackets, span, *each) for each in found.items()]
    return marks


def _indices(name: str, ids: Sequence[str | None], first: int) -> dict[str, int | None]:
    """Return the index of the context for each id or number that a name stands for, None where there is none."""
    if name in ids:
        return {name: ids.index(name)}
    if _HEX.fullmatch(name):
        return {name: None}
    numbers = _NUMBERS.fullmatch(normalise(name))
    if not numbers:
        return {}
    low = int(numbers["low"])
    high = int(numbers["high"] or low)
    found: dict[str, int | None] = {}
    for number in range(low, min(high, low + _WIDEST) + 1):
        name = str(number)
        at = ids.index(name) if name in ids else number - first
        found[name] = at if 0 <= at < len(ids) else None
    return found


def cited(text: str, ids: Sequence[str | None], first: int = 1) -> list[int]:
    """Return the indices of the contexts that the marks of a text cite, each once, in the order of the text."""
    found = dict.fromkeys(mark.context for mark in find_marks(text, ids, first))
    return [index for index in found if index is not None]


def blanked(text: str, ids: Sequence[str | None] = ()) -> str:
    """Return a text with blanks in place of its marks, so that positions stay."""
    characters = list(text)
    for mark in find_marks(text, ids):
        characters[mark.start : mark.end] = " " * (mark.end - mark.start)
    return "".join(characters)


def without_citations(text: str, ids: Sequence[str | None]) -> str:
    """Return a text without the marks that cite its contexts, and without those that only products write.

    A number in brackets that names no context may be text.
    """

    def put(match: re.Match[str]) -> str:
        indices = [mark.context for mark in marks_of(match, ids)]
        is_mark = None not in indices or _OF_PRODUCT.match(match[0])
        return "" if indices and is_mark else match[0]

    return _WITH_BLANKS.sub(put, text)
