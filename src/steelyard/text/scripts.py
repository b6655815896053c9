"""The script of a character, as far as tokenization needs it: where words end."""

import re
from typing import Final, Literal

Script = Literal["han", "kana", "hangul", "unspaced", "spaced"]

# blocks of Unicode 16; extensions of Han up to J lie in the supplementary planes
HAN: Final = "\u3005\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
KANA: Final = "\u3031-\u3035\u303b\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
HANGUL: Final = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"
# Thai, Lao, Tibetan, Myanmar, Khmer: no blanks between words
UNSPACED: Final = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ec6\u0ec8-\u0ece\u0f40-\u0fbc\u1000-\u103f\u1780-\u17d3"
DENSE: Final = f"{HAN}{KANA}{UNSPACED}"
"""All scripts without blanks between words."""

_BY_SCRIPT: Final[dict[Script, re.Pattern[str]]] = {
    "han": re.compile(f"[{HAN}]"),
    "kana": re.compile(f"[{KANA}]"),
    "hangul": re.compile(f"[{HANGUL}]"),
    "unspaced": re.compile(f"[{UNSPACED}]"),
}


def script_of(char: str) -> Script:
    """The script of a character; scripts with blanks between words are `spaced`."""
    return next((script for script, pattern in _BY_SCRIPT.items() if pattern.match(char)), "spaced")


def has_han(text: str) -> bool:
    """Whether the text contains a Chinese character."""
    return _BY_SCRIPT["han"].search(text) is not None


def has_kana(text: str) -> bool:
    """Whether the text contains a Japanese kana character."""
    return _BY_SCRIPT["kana"].search(text) is not None
