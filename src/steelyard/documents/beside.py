"""The JSON of an OCR tool beside a text without pages gives it pages; lines of a text file are found on any pages."""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Final

from steelyard import limits
from steelyard.documents.margins import NumberedLine
from steelyard.documents.ocr import json_sheets
from steelyard.documents.sheets import Sheet, decoded, lack_pages
from steelyard.errors import InputError, Problem
from steelyard.i18n import Message
from steelyard.io.addresses import Address, addressed
from steelyard.io.streams import is_file, open_stream
from steelyard.text.normalisation import Folded

_MOST: Final = 0.2
"""The share of other pairs of characters above which it is another document.

Two readings of one document that differ in every tenth character reach .2. Two documents differ in .6 and more, even
records of one form, which share their instructions and questions (the bundled documents, in pairs).
"""
_SEARCHED: Final = 40
"""The next line of the text is looked for so far ahead in the pages, in its own lengths."""
# pictures in Markdown, tags of HTML and commands of LaTeX, of which one side may have more; all but letters and digits
_UNCOMPARED = re.compile(r"!\[[^\]\n]{0,300}\]\([^)\n]{0,600}\)|<[^<>\n]{0,300}>|\\[A-Za-z]+|[\W_]")


def read_beside(path: str | Path, text: str, warnings: list[Problem]) -> tuple[list[Sheet], str] | None:
    """Return the pages in the OCR file beside a text without pages, and the digest of that file.

    The warning that there are no pages is taken back. JSON that gives no pages is a warning.
    """
    for other in ocr_files(path):
        with closing(open_stream(other)) as stream:
            content = stream.read_all(limits.DOCUMENT_BYTES)
        name, found = stream.name, list[Problem]()
        try:
            sheets = json_sheets(decoded(content, name), name, found)
        except InputError as error:
            message = Message("formats.no_pages_beside", name=Path(path).name, problem=error.problems[0].message)
            warnings.append(Problem(name, message))
            continue
        if lack_pages(found):
            continue
        found += _difference(text, sheets, Path(path).name, name)
        warnings[:] = found
        return sheets, stream.digest()
    return None


def ocr_files(path: str | Path) -> list[Path]:
    """Return the JSON files beside a file, by its stem; a link to another folder is none of them."""
    if isinstance(addressed(path), Address):
        return []
    base = Path(path)
    others = [base.with_name(base.stem + ending) for ending in (".json", "_content_list.json")]
    return [other for other in others if is_file(other) and other.resolve().parent == base.resolve().parent]


def _difference(text: str, sheets: Sequence[Sheet], own: str, name: str) -> list[Problem]:
    """Return a warning if the texts differ; if they differ much, they are of two documents."""
    one = Counter(pairwise(_letters(text).text))
    other = Counter(pairwise(_letters("\n".join(sheet.text for sheet in sheets)).text))
    lone = max((one - other).total(), (other - one).total())
    if not lone:
        return []
    total = max(one.total(), other.total())
    message = Message("formats.ocr_text_differs", name=own, lone=lone, total=total, share=f"{100 * lone / total:.3g}")
    if lone > _MOST * total:
        raise InputError(message, where=name, hint=Message("formats.other_document_hint"))
    return [Problem(name, message)]


def file_lines(text: str, pages: Sequence[str]) -> list[list[NumberedLine]]:
    """Return where the lines of a text stand on its pages, by their numbers from 1.

    They are looked for in their order by their letters and digits: pages may be those of another file, and have no
    margins. A line may run over a page end.
    """
    joined = _letters("\n".join(pages))
    begins = list(accumulate((len(page) + 1 for page in pages), initial=0))
    lines: list[list[NumberedLine]] = [[] for _ in pages]
    at = 0
    for number, line in enumerate(text.split("\n"), 1):
        sought = _letters(line).text
        found = joined.text.find(sought, at, at + _SEARCHED * len(sought))
        if not sought or found < 0:
            continue
        at = found + len(sought)
        start, end = joined.original_span(found, at)
        for index in range(bisect(begins, start) - 1, bisect(begins, end - 1)):
            begin = begins[index]
            lines[index].append(NumberedLine(number, max(start - begin, 0), min(end - begin, len(pages[index]))))
    return lines


def _letters(text: str) -> Folded:
    """Return the letters, ideographs and digits of a text."""
    return Folded(text, range(len(text) + 1)).replaced(_UNCOMPARED, "")
