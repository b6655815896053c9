"""Masking of keys, passwords and private data in the arguments of messages."""

from collections.abc import Callable
from typing import Any, Final

from steelyard.i18n.catalogue import LANGUAGES
from steelyard.i18n.message import Localized, Message, as_message

Change = Callable[[str], str]
_PLAIN: Final = (int, float, type(None))


def with_texts(message: Message, change: Change) -> Message:
    """Return the message with every text among its arguments changed; messages among them keep being messages."""
    return Message(message.code, **{name: _changed(value, change) for name, value in message.args.items()})


def masked(message: Message, mask: Change) -> Message:
    """Return the message with every text among its arguments masked.

    Where that does not do, because words of the message and an argument together are to be masked, it becomes foreign.
    """
    changed = with_texts(message, mask)
    texts = [changed.text(language) for language in LANGUAGES]
    return changed if all(mask(text) == text for text in texts) else as_message(mask(str(message)))


def _changed(value: Any, change: Change) -> Any:
    """Keep what is neither a text nor a message, such as an exception, as long as its text stays the same."""
    if isinstance(value, Message):
        return with_texts(value, change)
    if isinstance(value, _PLAIN):
        return value
    texts = [value.text(language) for language in LANGUAGES] if isinstance(value, Localized) else [str(value)]
    return value if all(change(text) == text for text in texts) else change(str(value))
