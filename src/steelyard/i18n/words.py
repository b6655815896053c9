"""Words by code, in the language of a report."""

from typing import Any

from steelyard.i18n.catalogue import LANGUAGES, Language, texts
from steelyard.i18n.message import Localized, Message


class Words:
    """The texts of a language: `words("report.mean")`, with arguments where a text has places for them."""

    __slots__ = ("language",)

    def __init__(self, language: Language) -> None:
        self.language = language

    def __call__(self, code: str, /, **args: Any) -> str:
        """The text of a code."""
        return Message(code, **args).text(self.language)

    def named(self, name: str) -> str:
        """The text of a code; a name that is not ours, such as that of a tag, is itself."""
        return texts(self.language).get(name, name)


def words_of(language: Language) -> Words:
    """The words of a language."""
    return Words(language)


def translations(text: Localized) -> tuple[str, ...]:
    """The text in every language, in the order of `LANGUAGES`."""
    return tuple(text.text(language) for language in LANGUAGES)
