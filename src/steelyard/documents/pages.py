"""Documents as pages: JSON, text or Markdown with page marks, DOCX, PDF with a text layer; and sets of documents.

JSON is a list of pages, or the output of an OCR tool, which also gives the Markdown beside it its pages.
"""

import logging
import re
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Final, TypeVar

from steelyard import limits
from steelyard.documents.beside import file_lines, read_beside
from steelyard.documents.docx import DAMAGE, OLE, ZIP, old_format, read_docx
from steelyard.documents.margins import NumberedLine, page_mark, without_margins
from steelyard.documents.ocr import json_sheets
from steelyard.documents.sheets import Block, Sheet, clean, decoded, lack_pages
from steelyard.documents.units import Unit, cut_units
from steelyard.errors import InputError, MissingExtra, Problem
from steelyard.i18n import Message
from steelyard.io.records import format_suffix
from steelyard.io.streams import open_stream
from steelyard.signals import DeadlineExceeded, deadline
from steelyard.text.normalisation import Folded, unified, without_ocr_marks

TEXT_KINDS = (".md", ".markdown", ".txt", ".text")
DOCUMENT_KINDS = (*TEXT_KINDS, ".json", ".docx", ".pdf")
OLD_KINDS = (".doc",)
"""Documents that are known and refused, with a way to convert them."""
SCANNED_HINT = Message("formats.ocr_hint")
MARKS_HINT = Message("formats.page_marks_hint")

Span = TypeVar("Span", Block, NumberedLine)

_PDF = b"%PDF-"
_EDGES = re.compile(r"\A\s+|(?<!\s)\s+\Z")
"""Blanks around a text."""
_NUMBER: Final = "[0-9０-９]{1,9}"
TWO_TEXTS: Final = Message("formats.two_documents_of_one_name")


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its number as it is cited, its text, and the units that cover the text.

    Line numbers, page marks, running heads and feet are not in the text. `blocks` are those of an OCR tool, with their
    boxes. `lines` are where the lines start and end in the text, by the number that `lines` of a question refers to:
    the number printed at the left margin, if there is a column of them; else that of the line in the text file, also
    where a file of an OCR tool beside it gives the pages (a line that runs over a page end is on both); else, as in PDF
    and JSON, that of the line on the page.
    """

    number: int
    text: str
    units: tuple[Unit, ...]
    blocks: tuple[Block, ...] = field(default=(), compare=False)
    lines: Mapping[int, tuple[int, int]] = field(default_factory=dict, compare=False)

    def lines_of(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the numbers of the first and the last line that a passage of the text touches."""
        touched = [number for number, (first, last) in self.lines.items() if first < end and start < last]
        return (min(touched), max(touched)) if touched else None


@dataclass(frozen=True, slots=True)
class Document:
    """A document: the name of its file, its pages in the order of the file, the SHA-256 of the file's content.

    `warnings` are what may be wrong with its pages. Without `is_paged`, nothing says where pages end: the whole text
    stands in one Page, whose number means nothing, and no page number can be checked. `beside` are the further
    documents of a benchmark. With `is_missing` there is no file: the text is what the questions quote of it.
    """

    name: str
    pages: tuple[Page, ...]
    digest: str
    warnings: tuple[Problem, ...] = ()
    is_paged: bool = True
    beside: tuple["Document", ...] = ()
    is_missing: bool = False

    @property
    def text(self) -> str:
        """All pages, one under the other."""
        return "\n".join(page.text for page in self.pages)

    def page(self, number: int) -> Page | None:
        """Return the page of this number, if there is one."""
        return next((page for page in self.pages if page.number == number), None)

    def lines(self, first: int, last: int, page: int | None = None) -> list[tuple[int, int, int]]:
        """Return where these lines stand (see `Page.lines`), as the page, the start and the end in its text.

        Where numbers start again on each page, all pages that have such lines are returned, unless `page` is given.
        """
        found = []
        for each in self.pages:
            spans = [span for number, span in each.lines.items() if first <= number <= last]
            if spans and page in (None, each.number):
                found.append((each.number, spans[0][0], spans[-1][1]))
        return found


def read_document(path: str | Path) -> Document:
    """Return the pages of a document, by its suffix; PDF and DOCX are also known by their first bytes."""
    with closing(open_stream(path)) as stream:
        content = stream.read_all(limits.DOCUMENT_BYTES)
    warnings: list[Problem] = []
    kind, digest = _kind_of(path, content), stream.digest()
    sheets = list(_sheets(content, stream.name, kind, warnings))
    text = clean(decoded(content, stream.name), strip=False) if kind in TEXT_KINDS else ""
    beside = read_beside(path, text, warnings) if text and lack_pages(warnings) else None
    if beside:
        sheets, other = beside
        digest = sha256(f"{digest} {other}".encode()).hexdigest()
    _check_numbers(sheets)
    trimmed = without_margins([sheet.text for sheet in sheets])
    folded = [without_ocr_marks(page.text).replaced(_EDGES, "") for page in trimmed]
    texts = [page.text for page in folded]
    if not any(texts):
        hint = SCANNED_HINT if kind == ".pdf" else None
        raise InputError(Message("formats.no_text"), where=stream.name, hint=hint)
    lines = [_moved(page.lines, inner) for page, inner in zip(trimmed, folded, strict=True)]
    if not any(lines):
        lines = file_lines(text, texts) if text else [file_lines(each, [each])[0] for each in texts]
    pages = []
    for sheet, inner, units, numbered in zip(sheets, folded, cut_units(texts), lines, strict=True):
        spans = {line.number: (line.start, line.end) for line in numbered}
        pages.append(Page(sheet.number, inner.text, units, tuple(_moved(sheet.blocks, inner)), spans))
    return Document(Path(stream.name).name, tuple(pages), digest, tuple(warnings), not lack_pages(warnings))


def _moved(spans: Iterable[Span], text: Folded) -> list[Span]:
    """Return where these spans of a page as it was are in its text, without those that were margins or marks."""
    found = []
    for span in spans:
        start, end = bisect_left(text.offsets, span.start), bisect_left(text.offsets, span.end)
        if start < end:
            found.append(span._replace(start=start, end=end))
    return found


def quoted_document(name: str, quoted: Iterable[str]) -> Document:
    """Return what is known of a document without a file: the passages that its questions quote."""
    text = "\n".join(dict.fromkeys(quoted))
    page = Page(1, text, cut_units([text])[0])
    return Document(name, (page,), digest="", is_paged=False, is_missing=True)


def read_text(path: str | Path) -> tuple[str, tuple[Problem, ...]]:
    """Return the text of a document without its pages, and what may be wrong with it; page marks are not looked for.

    Where the pages of a DOCX file end does not matter. Between pages stands an empty line.
    """
    with closing(open_stream(path)) as stream:
        content = stream.read_all(limits.DOCUMENT_BYTES)
    kind, warnings = _kind_of(path, content), list[Problem]()
    if kind in (".pdf", ".docx", *OLD_KINDS):
        sheets = _sheets(content, stream.name, kind, warnings)
        text = "\n\n".join(sheet.text for sheet in sheets if sheet.text)
        return text, tuple(warnings) if kind == ".pdf" else ()
    return unified(decoded(content, stream.name)), ()


def _kind_of(path: str | Path, content: bytes) -> str:
    """Return the suffix of a file, or that of PDF and Word if its first bytes are of these."""
    for start, kind in ((_PDF, ".pdf"), (OLE, ".doc"), (ZIP, ".docx")):
        if content.startswith(start):
            return kind
    return format_suffix(path)


def _sheets(content: bytes, name: str, kind: str, warnings: list[Problem]) -> Iterable[Sheet]:
    if kind == ".pdf":
        return _pdf_sheets(content, name, warnings)
    if kind in OLD_KINDS:
        raise old_format(content, name)
    if kind == ".docx":
        pages, messages = read_docx(content, name)
        warnings += [Problem(name, message) for message in messages]
        return [Sheet(f"{name}#page={number}", number, clean(text)) for number, text in enumerate(pages, 1)]
    text = decoded(content, name)
    return json_sheets(text, name, warnings) if kind == ".json" else _text_sheets(text, name, warnings)


def _check_numbers(sheets: Sequence[Sheet]) -> None:
    first: dict[int, str] = {}
    problems = []
    for sheet in sheets:
        if sheet.number in first:
            message = Message("formats.duplicate_page", number=sheet.number, first=first[sheet.number])
            problems.append(Problem(sheet.where, message))
        else:
            first[sheet.number] = sheet.where
    if problems:
        raise InputError.of(problems)


def _text_sheets(text: str, name: str, warnings: list[Problem]) -> list[Sheet]:
    lines = clean(text, strip=False).split("\n")
    marks = [(at, number) for at, line in enumerate(lines) if (number := _mark(line, f"{name}:{at + 1}"))]
    if marks:
        return _marked_sheets(lines, marks, name)
    pages = text.removesuffix("\f").split("\f")
    if len(pages) == 1:
        warnings.append(Problem(name, Message("formats.no_page_marks")))
    return [Sheet(name, number, clean(page)) for number, page in enumerate(pages, 1)]


def _marked_sheets(lines: Sequence[str], marks: Sequence[tuple[int, int]], name: str) -> list[Sheet]:
    """Return pages under their marks, or above them if text stands above the mark of page 1 and none under the last.

    A first page may do without a mark when the next has number 2.
    """
    (first, number), (last, _) = marks[0], marks[-1]
    before, after = clean("\n".join(lines[:first])), clean("\n".join(lines[last + 1 :]))
    if before and number == 2:
        marks = [(-1, 1), *marks]
    elif before and (number > 2 or after):
        raise InputError(
            Message("formats.text_above_page_mark", number=number), where=f"{name}:{first + 1}", hint=MARKS_HINT
        )
    starts = [at for at, _ in marks]
    ends = [*starts[1:], len(lines)]
    if before and number == 1:
        starts, ends = [-1, *starts[:-1]], starts
    return [
        Sheet(f"{name}:{max(at, 0) + 1}", number, clean("\n".join(lines[start + 1 : end])))
        for (at, number), start, end in zip(marks, starts, ends, strict=True)
    ]


def _mark(line: str, where: str) -> int | None:
    """Return the page number, if the line is a page mark."""
    mark = page_mark(line)
    if mark is None:
        return None
    number = mark[mark.lastgroup or 0]
    if not re.fullmatch(_NUMBER, number) or int(number) < 1:
        raise InputError(Message("formats.invalid_page_number", number=number), where=where)
    return int(number)


def _pdf_sheets(content: bytes, name: str, warnings: list[Problem]) -> list[Sheet]:
    """Return the pages of a PDF, within the limit of time: a small file can have very much to read."""
    try:
        with deadline(limits.DOCUMENT_SECONDS.value):
            return list(_pdf_pages(content, name, warnings))
    except DeadlineExceeded:
        what = Message("words.the_seconds_of_reading")
        raise limits.DOCUMENT_SECONDS.exceeded(what, error=InputError, where=name) from None


def _pdf_pages(content: bytes, name: str, warnings: list[Problem]) -> Iterator[Sheet]:
    end = time.monotonic() + limits.DOCUMENT_SECONDS.value  # of a thread that nothing interrupts
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError:
        raise MissingExtra.of("pypdf", "pdf", purpose=Message("words.reading_pdf_documents")) from None
    logging.getLogger("pypdf").addHandler(logging.NullHandler())  # its warnings are not for the console
    where = name
    try:
        for number, page in enumerate(PdfReader(BytesIO(content)).pages, 1):
            where = f"{name}#page={number}"
            text = clean(page.extract_text())
            if not text:  # a scan; a question that needs it is refused (`check_pages`)
                warnings.append(Problem(where, Message("formats.page_without_text")))
            lost = text.count("\0") + text.count("\ufffd")
            if lost:  # a font does not say which characters its glyphs are
                warnings.append(Problem(where, Message("formats.unreadable_characters", lost=lost, text=len(text))))
            yield Sheet(where, number, text)
            if time.monotonic() > end:
                raise DeadlineExceeded
    except (PyPdfError, *DAMAGE) as error:
        raise InputError(Message("formats.pdf_unreadable", value=error or type(error).__name__), where=where) from None


@dataclass(frozen=True, slots=True, eq=False)
class DocumentSet(Mapping[str, Document]):
    """The documents that were found, by name; `missing` says where others were looked for, and what is wrong there."""

    found: Mapping[str, Document] = field(default_factory=dict)
    missing: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, sets: Iterable["DocumentSet"]) -> "DocumentSet":
        """Unite sets; a name with two texts is left out, since items of one would be shown the other."""
        given = list(sets)
        texts: dict[str, dict[str, Document]] = defaultdict(dict)
        for documents in given:
            for name, document in documents.found.items():
                texts[name].setdefault(document.digest, document)
        missing = [problem for documents in given for problem in documents.missing]
        missing += [Problem(name, TWO_TEXTS) for name, versions in texts.items() if len(versions) > 1]
        single = {name: next(iter(versions.values())) for name, versions in texts.items() if len(versions) == 1}
        return cls(single, tuple(dict.fromkeys(missing)))

    def __getitem__(self, name: str) -> Document:
        return self.found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)


def missing_of(documents: Mapping[str, Document]) -> tuple[Problem, ...]:
    """Return what is known of documents that are not among these."""
    return documents.missing if isinstance(documents, DocumentSet) else ()
