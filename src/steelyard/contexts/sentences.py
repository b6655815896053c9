"""Sentences of a text, and the inline citations of an answer with the sentences that they belong to."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from steelyard.text.citations import MARK, Mark, index_of, names_in, places_of
from steelyard.text.citations import marks as marks_of
from steelyard.text.reading import without_thinking

_END: Final = re.compile(r"[。！？!?；;\n]+|\.(?=\s|$)")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|No|Nos|Art|Sec|Fig|vs|v|Inc|Ltd|Co|Corp|St|Jr|Sr|al|cf|etc|pp?|e\.g|i\.e)|\b[A-Z])$"
)
_LONGEST_QUOTED: Final = 400  # characters of a quotation; a longer one is not closed
_RAW_SEPARATOR: Final = re.compile(r"[,;、&，；]|\band\b|和")  # between names, in a text that is not normalised


@dataclass(slots=True)
class CitedSentence:
    """A sentence without its citations; `cited` are indices of contexts, `void` citations that name none."""

    text: str
    cited: dict[int, None] = field(default_factory=dict)
    void: set[str] = field(default_factory=set)


def sentences(text: str) -> list[str]:
    """The sentences of a text; a quotation is not divided."""
    return [piece for start, end in _bounds(text) if (piece := text[start:end].strip())]


def cited_sentences(answer: str, ids: Sequence[str | None]) -> list[CitedSentence]:
    """The sentences of an answer with the contexts that they cite; `ids` are those of the contexts.

    A citation after the end of a sentence belongs to it. One at the beginning of a line that goes on is an entry of a
    list of sources, and not a citation.
    """
    text = without_thinking(answer)
    places = places_of(ids)
    marks = list(marks_of(text, frozenset(places)))
    bare = _without(text, marks)
    bounds = [(start, end) for start, end in _bounds(bare) if bare[start:end].strip()]
    found = [CitedSentence(bare[start:end].strip()) for start, end in bounds]
    firsts = [end - len(bare[start:end].lstrip()) for start, end in bounds]
    for mark in marks:
        if (at := _sentence_of(mark, bare, firsts)) is not None:
            _cite(found[at], mark, places, len(ids))
    return found


def citations_in(answer: str, ids: Sequence[str | None]) -> Iterator[tuple[int, int, int | None]]:
    """The citations of an answer: where each stands, and the index of the context that it names, None if it names none.

    Of several names in one pair of brackets each is a citation of its own; a range is one, of its first context. In a
    list of sources only names of contexts are citations.
    """
    before = len(answer) - len(without_thinking(answer))
    places = places_of(ids)
    for match in MARK.finditer(answer, before):
        parts = [] if match[1].strip() in places else list(_parts(match[1]))
        if len(parts) < 2:
            found = [(match.start(), match.end(), names_in(match[1].strip(), frozenset(places)))]
        else:
            at = match.start(1)
            found = [(at + start, at + end, names_in(match[1][start:end], frozenset(places))) for start, end in parts]
        if all(names for *_, names in found):
            is_entry = _is_entry(answer, match.start(), match.end())
            for start, end, names in found:
                index = next((at for name in names if (at := index_of(name, places, len(ids))) >= 0), None)
                if index is not None or not is_entry:
                    yield start, end, index


def _parts(inner: str) -> Iterator[tuple[int, int]]:
    """The spans of the names between separators, without blanks."""
    at = 0
    for separator in (*_RAW_SEPARATOR.finditer(inner), None):
        start, end = at, separator.start() if separator else len(inner)
        at = separator.end() if separator else end
        yield start + len(inner[start:end]) - len(inner[start:end].lstrip()), start + len(inner[start:end].rstrip())


def _bounds(text: str) -> Iterator[tuple[int, int]]:
    start = at = opened = 0
    for end in _END.finditer(text):
        opened += text.count("“", at, end.start()) - text.count("”", at, end.start())
        at = end.end()
        is_quoted = opened > 0 and end.start() - start < _LONGEST_QUOTED
        if is_quoted or (end[0] == "." and _ABBREVIATION.search(text, max(start, end.start() - 8), end.start())):
            continue
        yield start, at
        start, opened = at, 0
    if start < len(text):
        yield start, len(text)


def _without(text: str, marks: Sequence[Mark]) -> str:
    """The text with blanks in place of the marks, so that positions stay."""
    pieces, at = [], 0
    for mark in marks:
        pieces += [text[at : mark.start], " " * (mark.end - mark.start)]
        at = mark.end
    return "".join([*pieces, text[at:]])


def _is_entry(text: str, start: int, end: int) -> bool:
    """Whether a mark begins a line that goes on, as in a list of sources."""
    line, stop = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    return not text[line:start].strip() and bool(text[end : stop if stop >= 0 else len(text)].strip())


def _sentence_of(mark: Mark, bare: str, firsts: Sequence[int]) -> int | None:
    """The index of the sentence that a mark belongs to, whose first letter stands before it; None if it is none."""
    if _is_entry(bare, mark.start, mark.end):
        return None
    at = bisect_left(firsts, mark.start) - 1
    return at if at >= 0 else None


def _cite(sentence: CitedSentence, mark: Mark, places: dict[str, int], contexts: int) -> None:
    for name in mark.names:
        index = index_of(name, places, contexts)
        if index >= 0:
            sentence.cited[index] = None
        else:
            sentence.void.add(name)
