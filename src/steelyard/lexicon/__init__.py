"""Words as data: the files beside this module, each with classes of words in Chinese and English.

A class is a list of entries, and a text has the class if any entry matches. An entry has a pattern of `re` under its
language (`zh`, `en`, or `any`) or `words` separated by blanks; `yes`, an example that it matches; `no`, one that it
does not match; and `origin`, where it comes from. Case is ignored. `«class»` in a pattern is the pattern of that class,
and `«file.class»` that of another file.

    [[doubt]]
    zh = '记不[清得]|也许|好像'
    yes = "好像是三万元"
    no = "是三万元"
    origin = "rule S4"
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Final

LANGUAGES: Final = ("zh", "en", "any")
_REFERENCE: Final = re.compile(r"«(?:(\w+)\.)?(\w+)»")
_Entry = Mapping[str, str]


class Lexicon(dict[str, re.Pattern[str]]):
    """The classes of one file; `lexicon[name]` is the compiled pattern of a class."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self._words: dict[str, frozenset[str]] = {}
        self._entries: dict[str, list[_Entry]] = tomllib.loads(
            files(__name__).joinpath(f"{name}.toml").read_text("utf-8")
        )

    def __missing__(self, name: str) -> re.Pattern[str]:
        self[name] = pattern = re.compile(self.source(name), re.IGNORECASE)
        return pattern

    def source(self, name: str, language: str = "") -> str:
        """Return the pattern of a class as text; with `language` that of its entries alone."""
        entries = (entry for entry in self._entries[name] if not language or language in entry)
        return "|".join(map(self.entry_source, entries))

    def words(self, name: str) -> frozenset[str]:
        """Return the words of a class that lists words."""
        if name not in self._words:
            self._words[name] = frozenset(word for entry in self._entries[name] for word in entry["words"].split())
        return self._words[name]

    def entries(self) -> Iterator[tuple[str, _Entry]]:
        """Return all entries, each with the name of its class."""
        return ((name, entry) for name, entries in self._entries.items() for entry in entries)

    def entry_source(self, entry: _Entry) -> str:
        """Return the pattern of one entry, with the classes that it refers to."""
        if "words" in entry:
            return "|".join(map(re.escape, sorted(entry["words"].split(), key=len, reverse=True)))
        pattern = next(entry[language] for language in LANGUAGES if language in entry)
        return _REFERENCE.sub(self._referred, pattern)

    def _referred(self, reference: re.Match[str]) -> str:
        owner = lexicon(reference[1]) if reference[1] else self
        return f"(?:{owner.source(reference[2])})"


@cache
def lexicon(name: str) -> Lexicon:
    """Return the lexicon in the file of this name."""
    return Lexicon(name)
