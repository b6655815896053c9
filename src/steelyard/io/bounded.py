"""Content encodings of HTTP, undone up to a limit: a few bytes can stand for gigabytes."""

import zlib
from collections.abc import Callable
from io import BytesIO
from typing import Final

ACCEPTED: Final = "gzip, deflate, zstd"
"""What a request may ask for: the encodings that `decode_bounded` undoes."""

_MOST: Final = 4  # encodings, one upon the other
_MOST_MEMBERS: Final = 64  # of a gzip file; each is copied with all that follows it
_WINDOW: Final = 8 << 20  # bytes that a zstd stream may refer back to, as RFC 9659 has it for HTTP


class TooLarge(ValueError):
    """More bytes than the limit allows."""


class BadEncoding(ValueError):
    """Bytes that are not what their encoding says, or an encoding that is not known."""


def decode_bounded(content: bytes, encodings: str, limit: int) -> bytes:
    """What was sent, with each encoding of a Content-Encoding header undone, the last one first.

    Not more than `limit` bytes are made at any step.
    """
    if len(content) > limit:
        raise TooLarge
    names = [name.strip().lower() for name in encodings.split(",")]
    applied = [name for name in names if name not in ("", "identity")]
    if len(applied) > _MOST:
        raise BadEncoding(f"{len(applied)} encodings, one upon the other")
    for name in reversed(applied):
        decode = _DECODERS.get(name)
        if decode is None:
            raise BadEncoding(f"encoding {name[:20]!r}, which was not asked for")
        content = decode(content, limit)
    return content


def _gzip(content: bytes, limit: int) -> bytes:
    """All members of a gzip file."""
    found = bytearray()
    for _ in range(_MOST_MEMBERS):
        if not content:
            return bytes(found)
        content, piece = _inflated(content, limit - len(found), zlib.MAX_WBITS | 16)
        found += piece
    raise BadEncoding(f"more than {_MOST_MEMBERS} gzip members")


def _deflate(content: bytes, limit: int) -> bytes:
    """A zlib stream, or the raw one that some servers send under this name."""
    is_zlib = len(content) > 1 and content[0] & 15 == zlib.DEFLATED and int.from_bytes(content[:2]) % 31 == 0
    return _inflated(content, limit, zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS)[1] if content else b""


def _inflated(content: bytes, limit: int, window: int) -> tuple[bytes, bytes]:
    """What follows the stream, and the stream decompressed."""
    stream = zlib.decompressobj(window)
    try:
        found = stream.decompress(content, limit + 1)
    except zlib.error as error:
        raise BadEncoding(str(error)) from None
    if len(found) > limit:
        raise TooLarge
    if not stream.eof:
        raise BadEncoding("the compressed data end too early")
    return stream.unused_data, found


def _zstd(content: bytes, limit: int) -> bytes:
    import zstandard

    try:
        reader = zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(
            BytesIO(content), read_across_frames=True
        )
        found = reader.read(limit + 1)
    except zstandard.ZstdError as error:
        raise BadEncoding(str(error)) from None
    if len(found) > limit:
        raise TooLarge
    return found


_DECODERS: Final[dict[str, Callable[[bytes, int], bytes]]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "zstd": _zstd,
}
