"""One script for Chinese: traditional characters as simplified ones, for comparison only.

Both sides of a comparison are converted, never one: opencc turns 乾某 into 干某 in simplified text too.
"""

import re
from functools import cache, lru_cache
from typing import Any

_HALF = re.compile("[\ud800-\udfff]")


@lru_cache(maxsize=1 << 10)
def simplified(text: str) -> str:
    """The text in simplified characters; as long as it was, so that places stay places."""
    if text.isascii():
        return text
    text = _HALF.sub("\ufffd", text)  # half a character cannot be converted, and equals nothing
    converted: str = _converter().convert(text)
    if len(converted) == len(text):
        return converted
    return "".join(char if len(each := _converter().convert(char)) != 1 else each for char in text)


@cache
def _converter() -> Any:
    import opencc

    return opencc.OpenCC("t2s")
