"""Text as the legal judges read it: folded, in simplified characters, without blanks that say nothing.

Places are kept, so that a report can show the original.
"""

import re
from functools import lru_cache
from typing import Final

from steelyard.text.folding import Folded, fold, fold_with_offsets
from steelyard.text.scripts import HAN
from steelyard.text.variants import simplified

# blanks and single line breaks inside Chinese, or between a digit and Chinese, are noise
_CHINESE: Final = f"{HAN}。，、；：？！“”‘’（）《》【】"
_NOISE: Final = re.compile(
    rf"(?<=[{_CHINESE}])[ \t]*\n?[ \t]*(?=[{_CHINESE}\d])|(?<=\d)[ \t]*\n?[ \t]*(?=[{_CHINESE}])"
)


@lru_cache(maxsize=1 << 12)
def normal(text: str) -> str:
    """The text in one way of writing."""
    folded = simplified(fold(text))
    return folded if folded.isascii() else _NOISE.sub("", folded)


def normal_with_offsets(text: str) -> Folded:
    """The same, with the way back to the original."""
    folded = fold_with_offsets(text)
    plain = simplified(folded.text)
    kept: list[int] = []
    end = 0
    for noise in _NOISE.finditer(plain):
        kept += range(end, noise.start())
        end = noise.end()
    kept += range(end, len(plain))
    return Folded("".join(plain[at] for at in kept), (*(folded.offsets[at] for at in kept), len(text)))
