"""Content encodings of HTTP, decoded up to a limit: a few bytes can encode gigabytes."""

import zlib
from collections.abc import Callable
from io import BytesIO
from typing import Final

from steelyard.errors import BadValue
from steelyard.i18n import Message, as_message

ACCEPTED: Final = "gzip, deflate, zstd"
"""The value of Accept-Encoding: the encodings that `decode_bounded` knows."""

_MOST: Final = 4  # nested encodings
_MOST_MEMBERS: Final = 64  # of a gzip file; the rest of the file is copied for each
_WINDOW: Final = 8 << 20  # bytes of the window of a zstd stream, by RFC 9659


class TooLarge(ValueError):
    """More bytes than the limit allows."""


class BadEncoding(BadValue):
    """Bytes that cannot be decoded, or an unknown encoding."""


def decode_bounded(content: bytes, encodings: str, limit: int) -> bytes:
    """The content without the encodings of a Content-Encoding header; no step makes more than `limit` bytes."""
    if len(content) > limit:
        raise TooLarge
    names = [name.strip().lower() for name in encodings.split(",")]
    applied = [name for name in names if name not in ("", "identity")]
    if len(applied) > _MOST:
        raise BadEncoding(Message("net.too_many_encodings", count=len(applied)))
    for name in reversed(applied):
        decode = _DECODERS.get(name)
        if decode is None:
            raise BadEncoding(Message("net.encoding_not_requested", name=name[:20]))
        content = decode(content, limit)
    return content


def _gzip(content: bytes, limit: int) -> bytes:
    """All members of a gzip file."""
    decoded = bytearray()
    for _ in range(_MOST_MEMBERS):
        if not content:
            return bytes(decoded)
        content, piece = _inflated(content, limit - len(decoded), zlib.MAX_WBITS | 16)
        decoded += piece
    raise BadEncoding(Message("net.too_many_members", most=_MOST_MEMBERS))


def _deflate(content: bytes, limit: int) -> bytes:
    """A zlib stream, or a raw deflate stream, which some servers send under this name."""
    is_zlib = len(content) > 1 and content[0] & 15 == zlib.DEFLATED and int.from_bytes(content[:2]) % 31 == 0
    return _inflated(content, limit, zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS)[1] if content else b""


def _inflated(content: bytes, limit: int, window: int) -> tuple[bytes, bytes]:
    """The bytes after the stream, and the stream decompressed."""
    stream = zlib.decompressobj(window)
    try:
        decoded = stream.decompress(content, limit + 1)
    except zlib.error as error:
        raise BadEncoding(as_message(str(error))) from None
    if len(decoded) > limit:
        raise TooLarge
    if not stream.eof:
        raise BadEncoding(Message("net.compressed_data_ends_early"))
    return stream.unused_data, decoded


def _zstd(content: bytes, limit: int) -> bytes:
    import zstandard

    try:
        reader = zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(
            BytesIO(content), read_across_frames=True
        )
        decoded = reader.read(limit + 1)
    except zstandard.ZstdError as error:
        raise BadEncoding(as_message(str(error))) from None
    if len(decoded) > limit:
        raise TooLarge
    return decoded


_DECODERS: Final[dict[str, Callable[[bytes, int], bytes]]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "zstd": _zstd,
}
