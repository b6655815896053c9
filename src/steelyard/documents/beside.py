"""The JSON of an OCR tool beside a text without pages gives it pages; lines of a text file are found on any pages."""

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Final

from steelyard import limits
from steelyard.documents.margins import NumberedLine
from steelyard.documents.ocr import known_sheets, text_of_markup
from steelyard.documents.sheets import NO_PAGES, Sheet, decoded
from steelyard.errors import InputError, Problem
from steelyard.i18n import Message
from steelyard.io.addresses import Address, addressed
from steelyard.io.located import SourceMap, located_json
from steelyard.io.streams import is_file, open_stream
from steelyard.text.normalisation import Folded

_ENDINGS: Final = (".json", "_content_list.json", "_res.json")
"""What stands in place of `.md`: MinerU and PP-StructureV3 have endings of their own."""
_QUESTIONS: Final = frozenset({"benchmark_type", "questions"})
_RUN: Final = 6
"""Characters that two texts share by more than chance."""
_MOST: Final = 0.2
"""The share of other characters above which it is another document.

Two readings of one document that differ in every tenth character reach .1 to .2. Two documents differ in .9 and more,
even records of one form, which share their instructions and questions (the bundled documents, in pairs).
"""
_SEARCHED: Final = 40
"""The next line of the text is looked for so far ahead in the pages, in its own lengths."""
_TAIL = re.compile(r"[^\w\n]*")
# pictures in Markdown, and commands of LaTeX, of which one side may have more
_UNCOMPARED = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)|\\[A-Za-z]+")


def read_beside(path: str | Path, text: str, warnings: list[Problem]) -> tuple[list[Sheet], str] | None:
    """Return the pages in the OCR file beside a text without pages, and the digest of that file.

    The warning that there are no pages is taken back. A file of questions is left alone; other JSON of an unknown form
    is a warning.
    """
    for other in ocr_files(path):
        with closing(open_stream(other)) as stream:
            content = stream.read_all(limits.DOCUMENT_BYTES)
        name, found = stream.name, list[Problem]()
        try:
            read, source_map = located_json(decoded(content, name), name)
        except InputError:
            read, source_map = None, SourceMap(name, {})
        sheets = known_sheets(read, source_map, found)
        if sheets is None:
            if not (isinstance(read, dict) and read.keys() & _QUESTIONS):
                warnings.append(Problem(name, Message("formats.unknown_json_beside", name=Path(path).name)))
        elif not any(warning.message.code in NO_PAGES for warning in found):
            found += _difference(text, sheets, Path(path).name, name)
            warnings[:] = [warning for warning in warnings if warning.message.code not in NO_PAGES] + found
            return sheets, stream.digest()
    return None


def file_lines(text: str, pages: Sequence[str]) -> list[tuple[NumberedLine, ...]]:
    """Return where the lines of a text file stand on its pages, by their numbers in the file.

    They are looked for in their order by their letters and digits: pages may be those of another file, and have no
    margins. A line may run over a page end.
    """
    key, places = "", list[tuple[int, int]]()
    for index, page in enumerate(pages):
        compared, offsets = _compared(page)
        key += compared
        places += [(index, offset) for offset in offsets]
    lines: list[list[NumberedLine]] = [[] for _ in pages]
    at = 0
    for number, line in enumerate(text.split("\n"), 1):
        sought = _compared(text_of_markup(line))[0]
        found = key.find(sought, at, at + _SEARCHED * len(sought)) if sought else -1
        if found >= 0:
            at = found + len(sought)
            for index, group in groupby(places[found:at], key=itemgetter(0)):
                offsets = [offset for _, offset in group]
                end = _TAIL.match(pages[index], offsets[-1] + 1)
                lines[index].append(NumberedLine(number, offsets[0], end.end() if end else 0))
    return list(map(tuple, lines))


def ocr_files(path: str | Path) -> Iterator[Path]:
    """Yield the JSON files beside a file, by its stem; a link to another folder is none of them."""
    if isinstance(addressed(path), Address) or not is_file(path):
        return
    base = Path(path)
    for ending in _ENDINGS:
        other = base.with_name(base.stem + ending)
        if is_file(other) and other.resolve().parent == base.resolve().parent:
            yield other


def _difference(text: str, sheets: Sequence[Sheet], own: str, name: str) -> list[Problem]:
    """Return a warning if the texts differ; if they differ much, they are of two documents."""
    one, other = _compared(text_of_markup(text))[0], _compared("\n".join(sheet.text for sheet in sheets))[0]
    if one == other:
        return []
    lone, total = max(_alone(one, other), _alone(other, one)), max(len(one), len(other))
    message = Message("formats.ocr_text_differs", name=own, lone=lone, total=total, share=f"{100 * lone / total:.3g}")
    if lone > _MOST * total:
        raise InputError(message, where=name, hint=Message("formats.other_document_hint"))
    return [Problem(name, message)]


def _alone(one: str, other: str) -> int:
    """Return how many characters of a text stand in no run that the other has too."""
    runs = {other[at : at + _RUN] for at in range(len(other))}
    shared = {at for at in range(len(one)) if one[at : at + _RUN] in runs}
    return sum(shared.isdisjoint(range(at - _RUN + 1, at + 1)) for at in range(len(one)))


def _compared(text: str) -> tuple[str, list[int]]:
    """Return the letters, ideographs and digits of a text, and their offsets."""
    folded = Folded(text, range(len(text) + 1)).replaced(_UNCOMPARED, "")
    kept = [(char, offset) for char, offset in zip(folded.text, folded.offsets, strict=False) if char.isalnum()]
    return "".join(char for char, _ in kept), [offset for _, offset in kept]
