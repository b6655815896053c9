"""Replies of servers and programs: the JSON value of their bytes, or a failure that says what they are instead."""

from typing import Any, Final

from steelyard import limits
from steelyard.errors import InputError, SteelyardError, SystemFailure
from steelyard.i18n import Message
from steelyard.io.records import parse_json

SYSTEM: Final = Message("words.the_system")
MODEL: Final = Message("words.the_model")
IT: Final = Message("words.it")
"""Who sent a reply, as messages name it."""

HTML_HINT: Final = Message("net.api_address_hint")

SHOWN: Final = 60
"""Characters of a bad reply that a message shows."""

_SHOWN_OF_ERROR: Final = 200  # characters of the message in {"error": {"message": …}}


def decode_reply(content: bytes, party: Message = SYSTEM) -> Any:
    """The JSON value of a reply; `party` is who sent it."""
    text = _text(content).strip()
    if not text:
        raise SystemFailure(Message("net.empty_body", party=party))
    if text.startswith("<"):
        raise SystemFailure(Message("net.html", party=party, text=excerpt(text)), hint=HTML_HINT)
    try:
        return parse_json(text, "")
    except InputError as error:
        raise SystemFailure(Message("net.cannot_read", message=error.message, first=excerpt(text))) from None


def error_text(content: bytes) -> Message | str:
    """The explanation in a reply with an error status: the message of an OpenAI error object, or the first words."""
    text = content.decode("utf-8", "replace")
    try:
        value = parse_json(text, "")
    except InputError:
        value = None
    match value:
        case {"error": {"message": str(message)}} if message.strip():
            return excerpt(message, _SHOWN_OF_ERROR)
    return excerpt(text) or Message("words.an_empty_body")


def check_size(size: int, limit: limits.Limit = limits.REPLY_BYTES) -> None:
    """Raise a failure when a reply has more bytes than the limit allows."""
    if size > limit.value:
        raise too_large(limit)


def too_large(limit: limits.Limit) -> SteelyardError:
    """The failure of a system whose reply is above the limit."""
    return limit.exceeded(Message("words.the_size_of_the_reply"), error=SystemFailure)


def excerpt(text: str, longest: int = SHOWN) -> str:
    """The first characters of a text, on one line."""
    line = " ".join(text[: longest * 4].split())
    return line if len(line) <= longest else f"{line[:longest]}…"


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = f"0x{content[error.start]:02x}"
    if _is_gbk(content):
        raise SystemFailure(Message("net.not_utf8_but_gbk", byte=byte))
    raise SystemFailure(Message("net.not_utf8", byte=byte))


def _is_gbk(content: bytes) -> bool:
    try:
        content.decode("gb18030")
    except UnicodeDecodeError:
        return False
    return b"\0" not in content
