"""Characters that decide how texts are tokenized together."""

import re
from collections.abc import Sequence
from typing import Final

from steelyard.text.normalisation import EQUIVALENTS
from steelyard.text.scripts import DENSE, HANGUL

END: Final = "\0"
"""Between texts that are read together."""
_NOT_SPACED: Final = re.compile(f"[{END}{DENSE}{HANGUL}{''.join(map(chr, EQUIVALENTS))}]")


def are_spaced(texts: Sequence[str]) -> list[bool]:
    """Which texts have no NUL, and no letter of a script without blanks or of Hangul, or a radical that becomes one."""
    return [END not in text if text.isascii() else _NOT_SPACED.search(text) is None for text in texts]
