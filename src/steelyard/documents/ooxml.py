"""Office Open XML packages: parts of XML in a zip file, read within limits; any other file is one error."""

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from posixpath import dirname, join, normpath
from typing import ClassVar, Final
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
"""What a damaged zip file raises."""

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


def old_format(content: bytes, name: str) -> InputError:
    """What is wrong with a document of Word's old format, or an encrypted one."""
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
        """Read a part with a handler; whether there is such a part."""
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
        """The parts that a part names, by their kind; the package itself is the part ""."""
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
        """Called by the parser."""
        tag = _short(name)
        if self._skipped or tag in self.left_out:
            self._skipped += 1
        else:
            self.begin(tag, {key.rpartition("}")[2]: value for key, value in attributes.items()})

    def end(self, name: str) -> None:
        """Called by the parser."""
        if self._skipped:
            self._skipped -= 1
        else:
            self.finish(_short(name))

    def text(self, text: str) -> None:
        """Called by the parser."""
        if not self._skipped:
            self.write(text)

    def begin(self, tag: str, attributes: Attributes) -> None:
        """An element begins."""

    def finish(self, tag: str) -> None:
        """An element ends."""

    def write(self, text: str) -> None:
        """Text of the element that began last and did not end."""


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
