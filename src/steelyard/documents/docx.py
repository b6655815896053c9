"""DOCX documents: paragraphs, tables, text boxes and notes in order, and the page breaks that the file records.

A page break is set by hand (`w:br`, `w:pageBreakBefore`, a new section), or it is where Word broke the page when it
saved the file (`w:lastRenderedPageBreak`). Headers, footers, comments, deleted text and automatic numbers are not read.
A file is a package of Office Open XML: parts of XML in a zip file, read within limits; any other file is one error.
"""

import re
import struct
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO
from posixpath import dirname, join, normpath
from typing import ClassVar, Final, Literal, NamedTuple
from xml.parsers import expat
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from steelyard import limits
from steelyard.errors import InputError
from steelyard.i18n import Message

OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""The first bytes of Word's old format, and of an encrypted document of the new one."""
ZIP: Final = b"PK\x03\x04"
WHOLE_HINT = Message("formats.file_complete_hint")
RESAVE_HINT = Message("formats.save_docx_again_hint")

DAMAGE: Final = (
    *(BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError),
    *(ArithmeticError, AssertionError, AttributeError, LookupError, TypeError),
)
"""What a damaged zip file raises, and a damaged PDF makes pypdf raise beside its own errors."""

_ENCRYPTED: Final = "EncryptedPackage".encode("utf-16-le")
_PREFIXES: Final = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w:",
    "http://purl.oclc.org/ooxml/wordprocessingml/main": "w:",
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "m:",
    "http://purl.oclc.org/ooxml/officeDocument/math": "m:",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc:",
    "http://schemas.openxmlformats.org/officeDocument/2006/extended-properties": "app:",
    "http://purl.oclc.org/ooxml/officeDocument/extendedProperties": "app:",
    "http://schemas.openxmlformats.org/package/2006/relationships": "rel:",
}

Attributes = Mapping[str, str]
# what was deleted or moved away, properties before a change, readings above characters, and the copy for old programs
_LEFT_OUT: Final = frozenset(
    ("w:del", "w:moveFrom", "w:rt", "mc:Fallback", "w:pPrChange", "w:rPrChange", "w:sectPrChange", "w:tblPrChange")
)
_WRITTEN: Final = {"w:tab": "\t", "w:ptab": "\t", "w:cr": "\n", "w:noBreakHyphen": "-"}
_PICTURES: Final = ("w:drawing", "w:pict", "w:object")
_ENTRY: Final = b"PK\x01\x02"  # begins the entry of a part in the directory of a zip file
_SAME_PAGE: Final = ("continuous", "nextColumn")
Kind = Literal["break", "before", "rendered", "section", "picture", "footnote", "endnote", "row", "cell", "row end"]


def old_format(content: bytes, name: str) -> InputError:
    """Return what is wrong with a document of Word's old format, or an encrypted one."""
    if _ENCRYPTED in content:
        hint = Message("formats.remove_password_hint")
        return InputError(Message("formats.password_protected"), where=name, hint=hint)
    return InputError(Message("formats.old_word_format"), where=name, hint=Message("formats.save_docx_or_pdf_hint"))


@dataclass(frozen=True, slots=True)
class Package:
    """The parts of a DOCX file: compressed XML, each within a limit, none with a document type declaration."""

    archive: ZipFile
    name: str

    def parse(self, path: str, handler: "Handler") -> bool:
        """Read a part with a handler; return whether there is such a part."""
        if path not in self.archive.NameToInfo:
            return False
        content = self._content(path)
        parser = expat.ParserCreate(namespace_separator="}")
        parser.buffer_text = True
        parser.StartElementHandler = handler.start
        parser.EndElementHandler = handler.end
        parser.CharacterDataHandler = handler.text
        parser.StartDoctypeDeclHandler = lambda *_: self._refuse(path)
        try:
            parser.Parse(content, True)
        except expat.ExpatError as error:
            message = Message("formats.docx_unreadable", value=f"{path}: {error}")
            raise InputError(message, where=self.name, hint=WHOLE_HINT) from None
        return True

    def related(self, path: str) -> dict[str, str]:
        """Return the parts that a part names, by their kind; the package itself is the part ""."""
        relations = _Relations()
        folder = dirname(path)
        self.parse(join(folder, "_rels", f"{path.removeprefix(folder).lstrip('/')}.rels"), relations)
        return {kind: normpath(join("/", folder, target)).lstrip("/") for kind, target in relations.targets.items()}

    def _content(self, path: str) -> bytes:
        part = self.archive.getinfo(path)
        if part.flag_bits & 1:
            raise old_format(_ENCRYPTED, self.name)
        if part.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise BadZipFile(f"compression method {part.compress_type}")
        largest = int(limits.PART_BYTES.value)
        with self.archive.open(part) as file:
            content = file.read(largest + 1)  # what is there, whatever the directory says
        if len(content) > largest:
            raise limits.PART_BYTES.exceeded(path, error=InputError, where=self.name)
        return content

    def _refuse(self, path: str) -> None:
        raise InputError(Message("formats.document_type_declaration", path=path), where=self.name, hint=RESAVE_HINT)


class Handler:
    """Receives the elements of a part, with short names (`w:p`), except those in `left_out` and what is in them."""

    left_out: ClassVar[frozenset[str]] = frozenset()

    def __init__(self) -> None:
        self._skipped = 0

    def start(self, name: str, attributes: Attributes) -> None:
        """Begin an element, for the parser."""
        tag = _short(name)
        if self._skipped or tag in self.left_out:
            self._skipped += 1
        else:
            self.begin(tag, {key.rpartition("}")[2]: value for key, value in attributes.items()})

    def end(self, name: str) -> None:
        """End an element, for the parser."""
        if self._skipped:
            self._skipped -= 1
        else:
            self.finish(_short(name))

    def text(self, text: str) -> None:
        """Add text, for the parser."""
        if not self._skipped:
            self.write(text)

    def begin(self, tag: str, attributes: Attributes) -> None:
        """Receive the begin of an element."""

    def finish(self, tag: str) -> None:
        """Receive the end of an element."""

    def write(self, text: str) -> None:
        """Receive text of the element that began last and did not end."""


def _short(name: str) -> str:
    namespace, _, local = name.rpartition("}")
    return _PREFIXES.get(namespace, "?:") + local


class _Relations(Handler):
    def __init__(self) -> None:
        super().__init__()
        self.targets: dict[str, str] = {}

    def begin(self, tag: str, attributes: Attributes) -> None:
        if tag == "rel:Relationship" and attributes.get("TargetMode") != "External":
            self.targets.setdefault(attributes.get("Type", "").rpartition("/")[2], attributes.get("Target", ""))


class Docx(NamedTuple):
    """The text of each page, and what a reader should know about the pages."""

    pages: tuple[str, ...]
    warnings: tuple[Message, ...]


class _Mark(NamedTuple):
    """What stands between pieces of text; `value` is the type of a section that ends here, or the id of a note."""

    kind: Kind
    value: str = ""


_Piece = str | _Mark


def read_docx(content: bytes, name: str) -> Docx:
    """Return the pages of a DOCX file; one that cannot be read is an error."""
    if content.startswith(OLE):
        raise old_format(content, name)
    what = Message("words.the_number_of_parts")
    limits.PACKAGE_PARTS.check(content.count(_ENTRY), what, error=InputError, where=name)
    try:
        with ZipFile(BytesIO(content)) as archive:
            return _read(Package(archive, name))
    except DAMAGE as error:
        message = Message("formats.docx_unreadable", value=error or type(error).__name__)
        raise InputError(message, where=name, hint=WHOLE_HINT) from None


class _PageCount(Handler):
    """How many pages the program that saved the file counted; 0 if it does not say."""

    def __init__(self) -> None:
        super().__init__()
        self.pages = 0
        self._inside = False

    def begin(self, tag: str, attributes: Attributes) -> None:
        self._inside = tag == "app:Pages"

    def write(self, text: str) -> None:
        if self._inside:
            with suppress(ValueError):
                self.pages = int(text)


class _Text(Handler):
    """Collects the pieces of the body, or those of each note."""

    left_out = _LEFT_OUT

    def __init__(self) -> None:
        super().__init__()
        self.root = ""
        self.pieces: list[_Piece] = []
        self.notes: dict[str, str] = {}
        self.numbered = 0
        self._note = ""
        self._in_text = self._in_properties = False
        self._section = self._ending = ""
        self._around: list[list[_Piece]] = []  # what was collected where a text box begins
        self._boxes: list[_Piece] = []

    def begin(self, tag: str, attributes: Attributes) -> None:
        self.root = self.root or tag
        self._in_text = tag in ("w:t", "m:t")
        if self._section or self._in_properties or tag in ("w:pPr", "w:sectPr"):
            self._begin_property(tag, attributes)
        elif tag in _WRITTEN:
            self.pieces.append(_WRITTEN[tag])
        else:
            self._begin_content(tag, attributes)

    def _begin_property(self, tag: str, attributes: Attributes) -> None:
        value = attributes.get("val", "true")
        match tag:
            case "w:pPr":
                self._in_properties = True
            case "w:pageBreakBefore" if value not in ("0", "false", "off"):
                self.pieces.append(_Mark("before"))
            case "w:numId" if value != "0":
                self.numbered += 1
            case "w:sectPr":
                self._section = "nextPage"
            case "w:type" if self._section:
                self._section = value

    def _begin_content(self, tag: str, attributes: Attributes) -> None:
        match tag:
            case "w:br":
                self.pieces.append(_Mark("break") if attributes.get("type") == "page" else "\n")
            case "w:lastRenderedPageBreak":
                self.pieces.append(_Mark("rendered"))
            case "w:footnoteReference":
                self.pieces.append(_Mark("footnote", attributes.get("id", "")))
            case "w:endnoteReference":
                self.pieces.append(_Mark("endnote", attributes.get("id", "")))
            case "w:footnote" | "w:endnote":
                self._note, self.pieces = attributes.get("id", ""), []
            case "w:txbxContent":
                self._around.append(self.pieces)
                self.pieces = []
            case "w:tr":
                self.pieces.append(_Mark("row"))
            case "w:tc":
                self.pieces.append(_Mark("cell"))
            case _ if tag in _PICTURES:
                self.pieces.append(_Mark("picture"))

    def write(self, text: str) -> None:
        if self._in_text:
            self.pieces.append(text)

    def finish(self, tag: str) -> None:
        self._in_text = False
        match tag:
            case "w:pPr":
                self._in_properties = False
            case "w:sectPr":
                self._end_section()
            case "w:p":
                self._end_paragraph()
            case "w:txbxContent" if self._around:
                self._boxes += [piece for piece in self.pieces if isinstance(piece, str)]
                self.pieces = self._around.pop()
            case "w:tc":
                self._replace_end("\n", "\t")
            case "w:tr":
                self._replace_end("\t", "\n")
                self.pieces.append(_Mark("row end"))
            case "w:footnote" | "w:endnote":
                self.notes[self._note] = _plain(self.pieces)

    def _end_section(self) -> None:
        """End a section: with the paragraph whose property it is; the last one, with the body."""
        if self._in_properties:
            self._ending = self._section
        else:
            self.pieces.append(_Mark("section", self._section))
        self._section = ""

    def _end_paragraph(self) -> None:
        self.pieces.append("\n")
        if not self._around:
            self.pieces += self._boxes
            self._boxes = []
        if self._ending:
            self.pieces.append(_Mark("section", self._ending))
            self._ending = ""

    def _replace_end(self, old: str, new: str) -> None:
        if self.pieces and self.pieces[-1] == old:
            self.pieces.pop()
        self.pieces.append(new)


@dataclass(slots=True)
class _Row:
    """A row of a table: the page where it begins, and the last one that it reaches."""

    start: int
    last: int
    is_empty: bool = True
    cells: int = 0


@dataclass(slots=True)
class _Page:
    pieces: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    is_empty: bool = True

    def end_line(self) -> None:
        """End the last line, if it goes on."""
        if self.pieces[-1:] == ["\t"]:
            self.pieces.pop()
        if self.pieces and self.pieces[-1] != "\n":
            self.pieces.append("\n")


class _Layout:
    """Puts pieces on pages. The cells of a row begin on the same page, and each of them records its breaks."""

    def __init__(self, footnotes: Mapping[str, str], endnotes: Mapping[str, str]) -> None:
        self.pages = [_Page()]
        self.end: list[str] = []
        self._at = 0
        self._is_fresh = True  # no text since the last break, or since the cell began
        self._rows: list[_Row] = []
        self._footnotes, self._endnotes = footnotes, endnotes

    def add(self, piece: _Piece, *, starts_page: bool = False) -> None:
        """Put a piece on its page; `starts_page` if it ends a section and the next one begins on a new page."""
        if isinstance(piece, str):
            self.pages[self._at].pieces.append(piece)
            self._fill(not piece.isspace())
            return
        match piece.kind:
            case "section" if starts_page:
                self._turn()
            case "break":
                self._turn()
            case "before" | "rendered" if not self._is_fresh:
                self._turn()
            case "picture":
                self._fill(True)
            case "footnote":
                self.pages[self._at].notes.append(self._footnotes.get(piece.value, ""))
            case "endnote":
                self.end.append(self._endnotes.get(piece.value, ""))
            case "row" | "cell" | "row end":
                self._table(piece.kind)

    def _fill(self, filled: bool) -> None:
        if filled:
            self._is_fresh = self.pages[self._at].is_empty = False
            for row in self._rows:
                row.is_empty = False

    def _turn(self) -> None:
        self.pages[self._at].end_line()
        self._at += 1
        if self._at == len(self.pages):
            self.pages.append(_Page())
        self._is_fresh = True
        for row in self._rows:
            row.last = max(row.last, self._at)
            row.start = self._at if row.is_empty else row.start

    def _table(self, kind: str) -> None:
        if kind == "row":
            self._rows.append(_Row(self._at, self._at))
        elif self._rows and kind == "row end":
            row = self._rows.pop()
            for page in self.pages[row.start : row.last + 1]:
                page.end_line()
            self._at, self._is_fresh = row.last, self.pages[row.last].is_empty
        elif self._rows:
            row = self._rows[-1]
            if row.cells:
                self._at, self._is_fresh = row.start, True
            row.cells += 1


def _read(package: Package) -> Docx:
    main = package.related("").get("officeDocument", "")
    main = main if main in package.archive.NameToInfo else "word/document.xml"
    body = _Text()
    if not package.parse(main, body) or body.root != "w:document":
        raise InputError(Message("formats.no_word_document"), where=package.name, hint=RESAVE_HINT)
    related = package.related(main)
    footnotes, endnotes, count = _Text(), _Text(), _PageCount()
    package.parse(related.get("footnotes", ""), footnotes)
    package.parse(related.get("endnotes", ""), endnotes)
    package.parse(package.related("").get("extended-properties", "docProps/app.xml"), count)
    pages = _pages(body.pieces, footnotes.notes, endnotes.notes)
    return Docx(pages, tuple(_warnings(len(pages), count.pages, body.numbered)))


def _pages(pieces: Sequence[_Piece], footnotes: Mapping[str, str], endnotes: Mapping[str, str]) -> tuple[str, ...]:
    """Return the text of each page, with its footnotes under it; endnotes are on the last."""
    layout = _Layout(footnotes, endnotes)
    sections = [piece.value for piece in pieces if isinstance(piece, _Mark) and piece.kind == "section"]
    following = iter([*sections[1:], _SAME_PAGE[0]])
    for piece in pieces:
        is_section = isinstance(piece, _Mark) and piece.kind == "section"
        layout.add(piece, starts_page=is_section and next(following) not in _SAME_PAGE)
    layout.pages[-1].notes += layout.end
    return tuple("\n".join(filter(None, (_plain(page.pieces), *page.notes))) for page in layout.pages)


def _plain(pieces: Sequence[_Piece]) -> str:
    text = "".join(piece for piece in pieces if isinstance(piece, str))
    return re.sub(r"[ \t]+\n", "\n", text).strip()


def _warnings(pages: int, counted: int, numbered: int) -> list[Message]:
    warnings = []
    if pages == 1:
        warnings.append(Message("formats.no_page_breaks"))
    elif counted > 1 and counted != pages:
        warnings.append(Message("formats.page_count_differs", pages=pages, counted=counted))
    if numbered:
        warnings.append(Message("formats.numbering_not_read", numbered=numbered))
    return warnings
