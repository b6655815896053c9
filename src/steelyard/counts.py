"""Counts of an evaluation by code; results files and JSON have the English text of a code.

A count that an older or a newer version wrote, and that has no code here, keeps its text as its name.
"""

from collections.abc import Mapping
from typing import Final

from steelyard.i18n import codes, texts

SECTION: Final = "counts."
ALWAYS_SHOWN: Final = frozenset(("counts.queries_missing", "counts.predictions_missing"))
"""Counts that are said even where they are 0."""


def with_texts(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts as they are written: by the English text of their code."""
    return {texts("en").get(name, name) if name.startswith(SECTION) else name: n for name, n in counts.items()}


def with_codes(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts as they were written, by their codes."""
    return {code_of(text): n for text, n in counts.items()}


def code_of(text: str) -> str:
    """The code of a count that is written so; a text that is not ours is itself."""
    return codes("counts").get(text, text)
