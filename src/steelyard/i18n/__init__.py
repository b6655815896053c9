"""Texts for people: a message is a code with arguments, and a catalogue per language holds the words.

The program decides on codes and arguments. Words are made at the edge: on the terminal, in a report, in an exception
that reaches a traceback. Text of others (the message of a server, the exception of a user's function) is an argument
and is never translated.
"""

from steelyard.i18n.catalogue import LANGUAGES, Language, codes, locale_language, texts
from steelyard.i18n.message import (
    FOREIGN,
    Audience,
    Joined,
    Localized,
    Message,
    Option,
    Words,
    as_message,
    code_of,
    translations,
    words_of,
)
from steelyard.i18n.stored import from_json, to_json, translations_from_json

__all__ = [
    "FOREIGN",
    "LANGUAGES",
    "Audience",
    "Joined",
    "Language",
    "Localized",
    "Message",
    "Option",
    "Words",
    "as_message",
    "code_of",
    "codes",
    "from_json",
    "locale_language",
    "texts",
    "to_json",
    "translations",
    "translations_from_json",
    "words_of",
]
