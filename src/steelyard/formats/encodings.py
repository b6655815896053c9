"""Bodies of HTTP replies, decoded piece by piece and cut at a limit while they are decoded.

A few kilobytes may decode to gigabytes, so a decoder is never given more room than is left. Encodings that were not
asked for, and one inside another, are refused.
"""

import zlib
from collections.abc import Callable
from typing import Any, Final

ACCEPTED: Final = "gzip, deflate, zstd"
"""The encodings that requests ask for (Accept-Encoding)."""
_ROOM: Final = 1 << 16
_LARGEST_WINDOW: Final = 8 << 20  # bytes; what RFC 9659 allows zstd over HTTP


class BodyTooLarge(Exception):
    """A body with more bytes than are allowed."""


class BadEncoding(Exception):
    """A body that cannot be decoded, or whose encoding is not accepted; says why."""


class Body:
    """The decoded bytes of a reply, no more of them than `largest`."""

    def __init__(self, encoding: str, largest: int) -> None:
        """`encoding` is what the header Content-Encoding says; nothing and "identity" stand for plain bytes."""
        self._content = bytearray()
        self._largest = largest
        self._decoder = _decoder(encoding, self._take)

    @property
    def content(self) -> bytes:
        """All that was decoded so far."""
        return bytes(self._content)

    def add(self, piece: bytes) -> None:
        """Decode a piece of the reply; BodyTooLarge as soon as there is too much, BadEncoding where it is damaged."""
        if piece:
            self._decoder(piece)

    def _take(self, piece: bytes) -> int:
        if len(self._content) + len(piece) > self._largest:
            raise BodyTooLarge
        self._content += piece
        return len(piece)


Take = Callable[[bytes], int]


def _decoder(encoding: str, take: Take) -> Callable[[bytes], object]:
    match encoding.strip().lower():
        case "" | "identity":
            return take
        case "gzip" | "x-gzip":
            return _Inflater(zlib.MAX_WBITS | 16, take).add
        case "deflate":
            return _Inflater(0, take).add
        case "zstd":
            return _zstd(take)
    if "," in encoding:
        raise BadEncoding(f"it is encoded more than once ({encoding[:60]!r})")
    raise BadEncoding(f"it is encoded as {encoding[:60]!r}, which was not asked for")


class _Inflater:
    """gzip, or deflate with and without its header (`window` 0)."""

    def __init__(self, window: int, take: Take) -> None:
        self._take = take
        self._inflate = zlib.decompressobj(window) if window else None

    def add(self, piece: bytes) -> None:
        if self._inflate is None:
            self._inflate = zlib.decompressobj(zlib.MAX_WBITS if _has_header(piece) else -zlib.MAX_WBITS)
        try:
            while piece and not self._inflate.eof:
                self._take(self._inflate.decompress(piece, _ROOM))
                piece = self._inflate.unconsumed_tail
        except zlib.error as error:
            raise BadEncoding(str(error)) from None


def _has_header(piece: bytes) -> bool:
    """Whether the first bytes are a zlib header."""
    return piece[0] & 0x0F == 8 and (len(piece) < 2 or (piece[0] << 8 | piece[1]) % 31 == 0)


def _zstd(take: Take) -> Callable[[bytes], object]:
    import zstandard

    class Sink:
        """What the decoder writes to, at most a block at a time."""

        def write(self, piece: bytes) -> int:
            return take(piece)

    sink: Any = Sink()
    writer = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW).stream_writer(
        sink, write_size=_ROOM, closefd=False
    )

    def add(piece: bytes) -> None:
        try:
            writer.write(piece)
        except zstandard.ZstdError as error:
            raise BadEncoding(str(error)) from None

    return add
