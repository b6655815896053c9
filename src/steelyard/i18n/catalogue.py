"""The catalogues: one JSON file per language, `section` → `name` → text with named placeholders.

A language is added by a file: `LANGUAGES` are the files that are there. What a catalogue lacks is shown in English.
"""

import json
import os
from collections.abc import Mapping
from functools import cache
from typing import Final

Language = str
"""The name of a catalogue without its extension."""

_FOLDER: Final = os.path.dirname(__file__)
_NAMES: Final = sorted(os.listdir(_FOLDER))
LANGUAGES: Final = ("en", *(name[:-5] for name in _NAMES if name.endswith(".json") and name != "en.json"))
"""English first, the others in the order of their names; a text in every language is a tuple in this order."""


@cache
def texts(language: Language) -> Mapping[str, str]:
    """Return the texts of a language by code (`section.name`).

    What it lacks is taken from English, but for its own name.
    """
    with open(os.path.join(_FOLDER, f"{language}.json"), encoding="utf-8") as file:
        sections = json.load(file)
    own = {f"{section}.{name}": words for section, names in sections.items() for name, words in names.items()}
    return own if language == "en" else {**texts("en"), "language.name": language, "language.tag": language, **own}


@cache
def codes(section: str) -> Mapping[str, str]:
    """Return the codes of a section by their English text, which is what results files have."""
    return {text: code for code, text in texts("en").items() if code.startswith(f"{section}.")}


def locale_language() -> Language:
    """Return the language of the locale (LC_ALL, LC_MESSAGES, LANG) if there is a catalogue for it, else English.

    It is the language of commands without --lang, of values that Python shows, and of notes on errors.
    """
    setting = next((os.environ[key] for key in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(key)), "")
    return next((language for language in LANGUAGES if setting.lower().startswith(language.lower())), "en")
