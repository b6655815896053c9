"""Documents as pages: JSON, text or Markdown with page marks, DOCX, PDF with a text layer; and sets of documents."""

import logging
import re
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, Final, NamedTuple

from steelyard import limits
from steelyard.documents.docx import DAMAGE, OLE, ZIP, old_format, read_docx
from steelyard.documents.units import Unit, cut_units
from steelyard.errors import MOST_PROBLEMS, InputError, MissingExtra, Problem
from steelyard.i18n import Message
from steelyard.io.located import SourceMap, located_json
from steelyard.io.records import format_suffix
from steelyard.io.streams import BINARY, BINARY_HINT, decode, encoding_problem, open_stream
from steelyard.signals import DeadlineExceeded, deadline
from steelyard.text.normalisation import Folded, unified, without_ocr_marks

DOCUMENT_KINDS = (".md", ".markdown", ".txt", ".text", ".json", ".docx", ".pdf")
OLD_KINDS = (".doc",)
"""Documents that are known and refused, with a way to convert them."""
PAGES_HINT = Message("formats.json_document_hint")
SCANNED_HINT = Message("formats.ocr_hint")
MARKS_HINT = Message("formats.page_marks_hint")

_PDF = b"%PDF-"
_NUMBER = "[0-9０-９]{1,9}"
_RULES = " \t\u3000\u00a0=＝-－—–_*#~<>!|【】[]()（）·"  # what may stand around a page mark on its line
_LONGEST_MARK = 60
# 第1页 共4页 · 第１页 · 第 1 頁，共 2 頁 · page 3 of 4; 第 页 共 页 is a mark whose number is missing
_MARK = re.compile(
    r"第\s*(?P<counted>[^\s第页頁]{0,9})\s*[页頁]\s*[,，、/／|·]?\s*共\s*[^\s共页頁]{0,9}\s*[页頁]"
    rf"|第\s*(?P<chinese>{_NUMBER})\s*[页頁]"
    rf"|page\s*(?P<english>{_NUMBER})(?:\s*(?:of|/)\s*{_NUMBER})?",
    re.IGNORECASE,
)
_RULED_MARK = re.compile(r"\s*(?:--|==)[-=\s]*page\s*(?P<ruled>[^\s=-]{0,9})\s*(?:--|==)[-=\s]*", re.IGNORECASE)
_USUAL = frozenset("的一是不了在有我他这年月日人问答，。、：；？（）“”《》")
NO_PAGES: Final = ("formats.no_page_marks", "formats.no_page_breaks")
"""Codes of the warnings that nothing in a file says where its pages end."""
TWO_TEXTS: Final = Message("formats.two_documents_of_one_name")


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its number as it is cited, its text, and the units that cover the text."""

    number: int
    text: str
    units: tuple[Unit, ...]


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


class _Sheet(NamedTuple):
    """A page as it is read: `where` is its place in the file."""

    where: str
    number: int
    text: str


def read_document(path: str | Path) -> Document:
    """Return the pages of a document, by its suffix; PDF and DOCX are also known by their first bytes."""
    with closing(open_stream(path)) as stream:
        content = stream.read_all(limits.DOCUMENT_BYTES)
    warnings: list[Problem] = []
    sheets = list(_sheets(content, stream.name, format_suffix(path), warnings))
    if not any(sheet.text for sheet in sheets):
        raise InputError(
            Message("formats.no_text"), where=stream.name, hint=SCANNED_HINT if content.startswith(_PDF) else None
        )
    _check_numbers(sheets)
    units = cut_units([sheet.text for sheet in sheets])
    pages = tuple(Page(sheet.number, sheet.text, cut) for sheet, cut in zip(sheets, units, strict=True))
    is_paged = not any(warning.message.code in NO_PAGES for warning in warnings)
    return Document(Path(stream.name).name, pages, stream.digest(), tuple(warnings), is_paged)


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
    kind, warnings = format_suffix(path), list[Problem]()
    if kind in (".pdf", ".docx", *OLD_KINDS) or content.startswith((_PDF, ZIP, OLE)):
        sheets = _sheets(content, stream.name, kind, warnings)
        text = "\n\n".join(sheet.text for sheet in sheets if sheet.text)
        return text, tuple(warnings) if content.startswith(_PDF) else ()
    return unified(_decoded(content, stream.name)), ()


def _sheets(content: bytes, name: str, kind: str, warnings: list[Problem]) -> Iterable[_Sheet]:
    if kind == ".pdf" or content.startswith(_PDF):
        return _pdf_sheets(content, name, warnings)
    if kind in OLD_KINDS or content.startswith(OLE):
        raise old_format(content, name)
    if kind == ".docx" or content.startswith(ZIP):
        pages, messages = read_docx(content, name)
        warnings += [Problem(name, message) for message in messages]
        return [_Sheet(f"{name}#page={number}", number, _clean(text)) for number, text in enumerate(pages, 1)]
    text = _decoded(content, name)
    return _json_sheets(text, name) if kind == ".json" else _text_sheets(text, name, warnings)


def _check_numbers(sheets: Sequence[_Sheet]) -> None:
    first: dict[int, str] = {}
    problems = []
    for sheet in sheets:
        if sheet.number in first:
            message = Message("formats.duplicate_page", number=sheet.number, first=first[sheet.number])
            problems.append(Problem(sheet.where, message))
        first.setdefault(sheet.number, sheet.where)
    if problems:
        raise InputError.of(problems)


def _decoded(content: bytes, name: str) -> str:
    """Decode UTF-8, or GB18030 if what it gives is Chinese."""
    problem = encoding_problem(content)
    if problem is None:
        return decode(content, name)
    line, message = problem
    if message.code == BINARY:
        raise InputError(message, where=f"{name}:{line + 1}", hint=BINARY_HINT)
    try:
        text = content.decode("gb18030")
    except UnicodeDecodeError:
        text = ""
    if not _is_chinese(text):
        raise InputError(
            Message("formats.unknown_encoding", byte=message.args["byte"]),
            where=f"{name}:{line + 1}",
            hint=Message("formats.save_utf8_hint"),
        )
    return text


def _is_chinese(text: str) -> bool:
    """Return whether it reads like Chinese: bytes of another encoding make characters too, but rare ones, or kana."""
    foreign = "".join(char for char in text if not char.isascii())
    in_gb2312 = len(foreign.encode("gb2312", errors="ignore")) // 2
    usual = sum(char in _USUAL for char in foreign)
    kana = sum("\u3040" <= char <= "\u30ff" for char in foreign)
    return 2 * in_gb2312 > len(foreign) and 20 * usual > len(foreign) > 20 * kana


def _json_sheets(text: str, name: str) -> list[_Sheet]:
    if not text.strip():
        raise InputError(Message("formats.empty_file"), where=name)
    content, source_map = located_json(text, name)
    pages = content.get("pages") if isinstance(content, dict) else None
    if not isinstance(pages, list):
        raise InputError(Message("formats.no_pages"), where=name, hint=PAGES_HINT)
    sheets: list[_Sheet] = []
    problems: list[Problem] = []
    for index, page in enumerate(pages):
        read = _json_sheet(page, source_map, index)
        if isinstance(read, Problem):
            problems.append(read)
        else:
            sheets.append(read)
    if problems:
        raise InputError.of(problems[:MOST_PROBLEMS], hint=PAGES_HINT)
    return sheets


def _json_sheet(page: Any, source_map: SourceMap, index: int) -> _Sheet | Problem:
    where = source_map.location(f"/pages/{index}")
    if not isinstance(page, dict):
        return Problem(where, Message("formats.page_not_object"))
    for key in ("page", "text"):
        if key not in page:
            return Problem(where, Message("formats.field_missing", key=key))
    number, text = page["page"], page["text"]
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        message = Message("formats.invalid_page_number", number=number)
        return Problem(source_map.location(f"/pages/{index}/page"), message)
    if not isinstance(text, str):
        message = Message("formats.page_text_not_text", number=number)
        return Problem(source_map.location(f"/pages/{index}/text"), message)
    return _Sheet(where, number, _clean(text))


def _text_sheets(text: str, name: str, warnings: list[Problem]) -> list[_Sheet]:
    lines = _clean(text, strip=False).split("\n")
    marks = [(at, number) for at, line in enumerate(lines) if (number := _mark(line, f"{name}:{at + 1}"))]
    if marks:
        return _marked_sheets(lines, marks, name)
    pages = text.removesuffix("\f").split("\f")
    if len(pages) == 1:
        warnings.append(Problem(name, Message("formats.no_page_marks")))
    return [_Sheet(name, number, _clean(page)) for number, page in enumerate(pages, 1)]


def _marked_sheets(lines: Sequence[str], marks: Sequence[tuple[int, int]], name: str) -> list[_Sheet]:
    """Return pages under their marks, or above them if text stands above the mark of page 1 and none under the last.

    A first page may do without a mark when the next has number 2.
    """
    (first, number), (last, _) = marks[0], marks[-1]
    before, after = _clean("\n".join(lines[:first])), _clean("\n".join(lines[last + 1 :]))
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
        _Sheet(f"{name}:{max(at, 0) + 1}", number, _clean("\n".join(lines[start + 1 : end])))
        for (at, number), start, end in zip(marks, starts, ends, strict=True)
    ]


def _mark(line: str, where: str) -> int | None:
    """Return the page number, if the line is a page mark."""
    if len(line) > _LONGEST_MARK:
        return None
    mark = _MARK.fullmatch(line.strip(_RULES)) or _RULED_MARK.fullmatch(line)
    if mark is None:
        return None
    number = mark[mark.lastgroup or 0]
    if not re.fullmatch(_NUMBER, number) or int(number) < 1:
        raise InputError(Message("formats.invalid_page_number", number=number), where=where)
    return int(number)


def _clean(text: str, *, strip: bool = True) -> str:
    """Return the text with one kind of line end and ideographs in place of radicals.

    If it is stripped, also without blanks around it and without the marks of OCR, behind which a speaker would not be
    seen. Lines are counted before that.
    """
    text = unified(text).replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
    return without_ocr_marks(Folded(text, range(len(text) + 1))).text.strip() if strip else text


def _pdf_sheets(content: bytes, name: str, warnings: list[Problem]) -> list[_Sheet]:
    """Return the pages of a PDF, within the limit of time: a small file can have very much to read."""
    try:
        with deadline(limits.DOCUMENT_SECONDS.value):
            return list(_pdf_pages(content, name, warnings))
    except DeadlineExceeded:
        what = Message("words.the_seconds_of_reading")
        raise limits.DOCUMENT_SECONDS.exceeded(what, error=InputError, where=name) from None


def _pdf_pages(content: bytes, name: str, warnings: list[Problem]) -> Iterator[_Sheet]:
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
            text = _clean(page.extract_text())
            if not text:  # a scan; a question that needs it is refused (`check_pages`)
                warnings.append(Problem(where, Message("formats.page_without_text")))
            lost = text.count("\0") + text.count("\ufffd")
            if lost:  # a font does not say which characters its glyphs are
                warnings.append(Problem(where, Message("formats.unreadable_characters", lost=lost, text=len(text))))
            yield _Sheet(where, number, text)
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
