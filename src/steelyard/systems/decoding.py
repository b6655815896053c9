"""Bytes that a system sent, as the value they stand for; what they are instead, if they are no JSON."""

from typing import Any, Final

from steelyard import limits
from steelyard.errors import InputError, SystemFailure
from steelyard.i18n import Message
from steelyard.io.records import parse_json

HTML_HINT = Message("systems.address_interface_page_people")

SHOWN: Final = 60
"""Characters of a bad reply that a message shows."""


def decode_reply(content: bytes) -> Any:
    """The JSON value in a reply of a system."""
    text = _text(content).strip()
    if not text:
        raise SystemFailure(Message("systems.system_answered_empty_body"))
    if text.startswith("<"):
        raise SystemFailure(Message("systems.system_answered_html", text=beginning(text)), hint=HTML_HINT)
    try:
        return parse_json(text, "")
    except InputError as error:
        first = beginning(text)
        raise SystemFailure(Message("systems.reply_cannot_read_begins", message=error.message, first=first)) from None


def check_size(size: int) -> None:
    """Refuse a reply of so many bytes, or of more."""
    if size > limits.REPLY_BYTES.value:
        raise too_large()


def too_large() -> SystemFailure:
    """The failure of a system whose reply is above the limit."""
    megabytes = limits.REPLY_BYTES.value / (1 << 20)
    return SystemFailure(Message("systems.reply_larger_than_mb", megabytes=megabytes), hint=limits.REPLY_BYTES.hint)


def beginning(text: str) -> str:
    """The first characters of a text, on one line."""
    line = " ".join(text[: SHOWN * 4].split())
    return line if len(line) <= SHOWN else f"{line[:SHOWN]}…"


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = f"0x{content[error.start]:02x}"
    if _is_gbk(content):
        raise SystemFailure(Message("systems.reply_looks_like_gbk", byte=byte))
    raise SystemFailure(Message("systems.reply_not_utf_8_text", byte=byte))


def _is_gbk(content: bytes) -> bool:
    try:
        content.decode("gb18030")
    except UnicodeDecodeError:
        return False
    return b"\0" not in content
