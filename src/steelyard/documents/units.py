"""Units of a transcript: header, questions and answers with their speakers; other documents are cut into lines."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["header", "question", "answer", "line"]

_SPEAKERS: Final[dict[str, Kind]] = {"问": "question", "問": "question", "答": "answer", "Q": "question", "A": "answer"}

_BLANKS = r"[^\S\n]*"
_LEAD = r"^(?:[^\S\n]|[>*_\-])*"  # Markdown may stand before a mark: **问：**, > 答：
# within a line, only after the end of a sentence: 我问：… is a speaker who reports
_CHINESE = re.compile(rf"(?:{_LEAD}|(?<=[。？！；…”’?!;]){_BLANKS})(?P<speaker>[问問答]){_BLANKS}[:：]", re.MULTILINE)
_CHINESE_LINE = re.compile(rf"{_LEAD}[问問答]{_BLANKS}[:：]", re.MULTILINE)
_ENGLISH = re.compile(rf"{_LEAD}(?P<speaker>[QA]){_BLANKS}(?:[:：]|\.(?=\s|$))", re.MULTILINE)
# what is signed under a page, and what counsel and the reporter put in, is neither question nor answer
_ASIDE = re.compile(
    rf"^{_BLANKS}(?:"
    r"(?:被?[讯询]问人|记录[人员]|侦查员|侦查人员|办案民警|见证人|翻译人员)[^\n:：，。]{0,10}[:：]"
    r"|[^\n:：，。]{0,12}签[名字][^\n:：，。]{0,10}[:：]"
    r"|(?:MR|MS|MRS|DR)\. [A-Z][A-Z'’-]*:|(?:[A-Z]+-)?EXAMINATION\b|(?:Read and s|S)igned:|\([A-Z][^\n]*\)$"
    r")",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A passage of one kind: `start` and `end` are offsets into its page's text, the mark 问： or 答： included."""

    kind: Kind
    start: int
    end: int


def cut_units(texts: Sequence[str]) -> list[tuple[Unit, ...]]:
    """Return the units of each page; they cover every character that is not blank.

    What stands before the first question is the header; a page that begins within an answer goes on with it.
    Signatures and what counsel puts in are lines. A text without questions and answers is all lines.
    """
    marks = _marks(texts)
    if marks is None:
        return [tuple(_lines(text, 0, len(text))) for text in texts]
    cut = []
    speaker: Kind = "header"
    for text in texts:
        turns: list[tuple[int, Kind]] = [(0, speaker)]
        turns += [(mark.start(), _SPEAKERS[mark["speaker"]]) for mark in marks.finditer(text)]
        cut.append(tuple(_turns(text, turns)))
        speaker = turns[-1][1]
    return cut


def begins_unit(line: str) -> bool:
    """Return whether a line is a question, an answer or a signature, or put in by counsel or the reporter."""
    return any(begin.match(line) for begin in (_CHINESE_LINE, _ENGLISH, _ASIDE))


def _marks(texts: Sequence[str]) -> re.Pattern[str] | None:
    """Return what begins a question or an answer in these texts, if they are a transcript."""
    if any(_CHINESE_LINE.search(text) for text in texts):
        return _CHINESE
    speakers = [mark["speaker"] for text in texts for mark in _ENGLISH.finditer(text)]
    # "A. Smith" and "A. First" begin lines too; without a question before them they are no answers
    return _ENGLISH if speakers[:1] == ["Q"] and "A" in speakers else None


def _turns(text: str, turns: Sequence[tuple[int, Kind]]) -> Iterator[Unit]:
    ends = [start for start, _ in turns[1:]] + [len(text)]
    for (start, kind), end in zip(turns, ends, strict=True):
        aside = None if kind == "header" else _ASIDE.search(text, start, end)
        turn_end = aside.start() if aside else end
        yield from _trimmed(text, kind, start, turn_end)
        yield from _lines(text, turn_end, end)


def _lines(text: str, start: int, end: int) -> Iterator[Unit]:
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        yield from _trimmed(text, "line", start, stop)
        start = stop + 1


def _trimmed(text: str, kind: Kind, start: int, end: int) -> Iterator[Unit]:
    """Yield the unit without the blanks at its ends; none if there is nothing else."""
    piece = text[start:end]
    if not piece.isspace() and piece:
        yield Unit(kind, start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip()))
