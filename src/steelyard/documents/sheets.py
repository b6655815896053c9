"""Pages as they lie in a file, before their margins are cut, and the decoding of text files."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from steelyard.errors import InputError, Problem
from steelyard.i18n import Message
from steelyard.io.streams import BINARY, BINARY_HINT, decode, encoding_problem
from steelyard.text.normalisation import unified

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, in the units of the OCR tool."""
_USUAL = frozenset("的一是不了在有我他这年月日人问答，。、：；？（）“”《》")
_NO_PAGES: Final = ("formats.no_page_marks", "formats.no_page_breaks")
"""Codes of the warnings that nothing in a file says where its pages end."""


class Block(NamedTuple):
    """A block of an OCR tool: `start` and `end` are offsets into its page's text."""

    start: int
    end: int
    box: Box


class Sheet(NamedTuple):
    """A page as it is read: `where` is its place in the file."""

    where: str
    number: int
    text: str
    blocks: Sequence[Block] = ()


def lack_pages(warnings: Iterable[Problem]) -> bool:
    """Return whether nothing in a file says where its pages end."""
    return any(warning.message.code in _NO_PAGES for warning in warnings)


def decoded(content: bytes, name: str) -> str:
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


def clean(text: str, *, strip: bool = True) -> str:
    """Return the text with one kind of line end, ideographs in place of radicals, and without blanks around it."""
    text = unified(text).replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
    return text.strip() if strip else text
