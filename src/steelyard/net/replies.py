"""Replies of servers and programs: their bytes decompressed up to a limit, and the JSON value of these.

A reply that has no such value raises a failure that says what it is instead.
"""

import zlib
from collections.abc import Callable
from io import BytesIO
from typing import Any, Final

from steelyard import limits
from steelyard.errors import BadValue, InputError, SteelyardError, SystemFailure, cut
from steelyard.i18n import Message, as_message
from steelyard.io.records import json_or_text, parse_json

SYSTEM: Final = Message("words.the_system")
MODEL: Final = Message("words.the_model")
IT: Final = Message("words.it")
"""Who sent a reply, as messages name it."""

HTML_HINT: Final = Message("net.api_address_hint")

SHOWN: Final = 60
"""Characters of a bad reply that a message shows."""

ACCEPTED: Final = "gzip, deflate, zstd"
"""The value of Accept-Encoding: the encodings that `decode_bounded` knows."""

_SHOWN_OF_ERROR: Final = 200  # characters of the message in {"error": {"message": …}}
_MOST_ENCODINGS: Final = 4  # nested
_MOST_MEMBERS: Final = 64  # of a gzip file; the rest of the file is copied for each
_WINDOW: Final = 8 << 20  # bytes of the window of a zstd stream, by RFC 9659


def decode_reply(content: bytes, party: Message = SYSTEM) -> Any:
    """Return the JSON value of a reply; `party` is who sent it."""
    try:
        text = content.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        code = "net.not_utf8_but_gbk" if _is_gbk(content) else "net.not_utf8"
        raise SystemFailure(Message(code, byte=f"0x{content[error.start]:02x}")) from None
    if not text:
        raise SystemFailure(Message("net.empty_body", party=party))
    if text.startswith("<"):
        raise SystemFailure(Message("net.html", party=party, text=excerpt(text)), hint=HTML_HINT)
    try:
        return parse_json(text, "")
    except InputError as error:
        raise SystemFailure(Message("net.cannot_read", message=error.message, first=excerpt(text))) from None


def error_text(content: bytes) -> Message | str:
    """Return the explanation in a reply with an error status: its message, as OpenAI or products write it, or the
    first words."""
    text = content.decode("utf-8", "replace")
    match json_or_text(text):
        case {"error": {"message": str(message)}} | {"message": str(message)} | {"detail": str(message)} if (
            message.strip()
        ):
            return excerpt(message, _SHOWN_OF_ERROR)
    return excerpt(text) or Message("words.an_empty_body")


def check_size(size: int, limit: limits.Limit = limits.REPLY_BYTES) -> None:
    """Raise a failure when a reply has more bytes than the limit allows."""
    if size > limit.value:
        raise too_large(limit)


def too_large(limit: limits.Limit) -> SteelyardError:
    """Return the failure of a system whose reply is above the limit."""
    return limit.exceeded(Message("words.the_size_of_the_reply"), error=SystemFailure)


def excerpt(text: str, longest: int = SHOWN) -> str:
    """Return the first characters of a text, on one line."""
    return cut(" ".join(text[: longest * 4].split()), longest)


def _is_gbk(content: bytes) -> bool:
    try:
        content.decode("gb18030")
    except UnicodeDecodeError:
        return False
    return b"\0" not in content


class TooLarge(ValueError):
    """More bytes than the limit allows."""


class BadEncoding(BadValue):
    """Bytes that cannot be decoded, or an unknown encoding."""


def decode_bounded(content: bytes, encodings: str, limit: int) -> bytes:
    """Undo the encodings of a Content-Encoding header: a few bytes can encode gigabytes, so up to `limit` bytes."""
    if len(content) > limit:
        raise TooLarge
    names = [name.strip().lower() for name in encodings.split(",")]
    applied = [name for name in names if name not in ("", "identity")]
    if len(applied) > _MOST_ENCODINGS:
        raise BadEncoding(Message("net.too_many_encodings", count=len(applied)))
    for name in reversed(applied):
        decode = _DECODERS.get(name)
        if decode is None:
            raise BadEncoding(Message("net.encoding_not_requested", name=name[:20]))
        content = decode(content, limit)
    return content


def _gzip(content: bytes, limit: int) -> bytes:
    """Decompress all members of a gzip file."""
    decoded = bytearray()
    for _ in range(_MOST_MEMBERS):
        if not content:
            return bytes(decoded)
        content, piece = _inflated(content, limit - len(decoded), zlib.MAX_WBITS | 16)
        decoded += piece
    raise BadEncoding(Message("net.too_many_members", most=_MOST_MEMBERS))


def _deflate(content: bytes, limit: int) -> bytes:
    """Decompress a zlib stream, or a raw deflate stream, which some servers send under this name."""
    is_zlib = len(content) > 1 and content[0] & 15 == zlib.DEFLATED and int.from_bytes(content[:2]) % 31 == 0
    return _inflated(content, limit, zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS)[1] if content else b""


def _inflated(content: bytes, limit: int, window: int) -> tuple[bytes, bytes]:
    """Return the bytes after the stream, and the stream decompressed."""
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
