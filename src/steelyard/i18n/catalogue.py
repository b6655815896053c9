"""The catalogues: one JSON file per language, `section` → `name` → text with named placeholders."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final, Literal

Language = Literal["en", "zh"]
LANGUAGES: Final = ("en", "zh")


@cache
def texts(language: str) -> Mapping[str, str]:
    """The texts of a language by code (`section.name`); what it lacks is taken from English."""
    text = files("steelyard.i18n").joinpath(f"{language}.json").read_text(encoding="utf-8")
    own = {f"{section}.{name}": words for section, names in json.loads(text).items() for name, words in names.items()}
    return own if language == "en" else {**texts("en"), **own}
