"""Members of a zip archive within limits; members compressed with zstandard too, which zipfile reads from 3.14 on."""

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Final, cast
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from steelyard import limits
from steelyard.errors import InputError, os_reason
from steelyard.i18n import Message
from steelyard.io.addresses import Address
from steelyard.io.records import parse_json
from steelyard.io.streams import decode, open_stream

_ZSTANDARD: Final = (93, 20)  # the method of zstandard, and its number before 2020
_LOCAL: Final = struct.Struct("<26xHH")  # the part of a member's own header that gives the lengths after it
_PIECE: Final = 1 << 16
_DAMAGE: Final = (
    *(BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError),
    *(ArithmeticError, AssertionError, AttributeError, LookupError, TypeError),
)


@dataclass(slots=True)
class Archive:
    """An open archive: its members by name; of several with one name the last one counts."""

    name: str
    file: ZipFile
    members: dict[str, ZipInfo]
    _read: int = field(default=0)

    def json(self, member: str) -> Any:
        """Return the JSON value of a member; as other tools write it."""
        place = f"{self.name}#/{member}"
        return parse_json(decode(self._content(self.members[member], place), place), place, lenient=True)

    def _content(self, member: ZipInfo, place: str) -> bytes:
        with _whole(place):
            content = b"".join(self._pieces(member, place))
            if zlib.crc32(content) != member.CRC:
                raise BadZipFile("CRC-32")
        return content

    def _pieces(self, member: ZipInfo, place: str) -> Iterator[bytes]:
        """Yield the content as it is decompressed, whatever size the directory gives."""
        size = 0
        for piece in self._decompressed(member):
            size += len(piece)
            self._read += len(piece)
            limits.FILE_BYTES.check(size, Message("words.the_content_of_this_file"), error=InputError, where=place)
            limits.ARCHIVE_BYTES.check(
                self._read, Message("words.the_content_of_this_file"), error=InputError, where=self.name
            )
            yield piece

    def _decompressed(self, member: ZipInfo) -> Iterator[bytes]:
        if member.compress_type in (ZIP_STORED, ZIP_DEFLATED):
            with self.file.open(member) as file:
                while piece := file.read(_PIECE):
                    yield piece
            return
        if member.compress_type not in _ZSTANDARD or member.flag_bits & 1:
            raise BadZipFile(f"compression method {member.compress_type}")
        import zstandard

        packed = self._packed(member)
        try:
            with zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as reader:
                while piece := reader.read(_PIECE):
                    yield piece
        except zstandard.ZstdError as error:
            raise BadZipFile(str(error)) from None

    def _packed(self, member: ZipInfo) -> bytes:
        """Return the compressed bytes of a member."""
        file = cast(BinaryIO, self.file.fp)
        file.seek(member.header_offset)
        name, extra = _LOCAL.unpack(file.read(_LOCAL.size))
        file.seek(name + extra, 1)
        return file.read(member.compress_size)


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """Open an archive; one that cannot be read is an error."""
    with _whole(str(path)):
        file = ZipFile(_downloaded(path) if isinstance(path, Address) else path)
    with file:
        count = len(file.infolist())
        limits.ARCHIVE_MEMBERS.check(count, Message("words.the_number_of_parts"), error=InputError, where=str(path))
        yield Archive(str(path), file, {each.filename: each for each in file.infolist()})


def _downloaded(address: Address) -> BytesIO:
    """Return the content of an object: members of an archive are found from its end."""
    return BytesIO(open_stream(address).read_all(limits.RANKING_BYTES))


@contextmanager
def _whole(place: str) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except _DAMAGE as error:
        hint = Message("formats.file_complete_hint")
        raise InputError(Message("formats.cannot_read", strerror=os_reason(error)), where=place, hint=hint) from None
