"""Normalisations that other programs use for English answers, to the letter, so that their numbers can be repeated."""

import re
import string
from functools import lru_cache
from typing import Final

_ARTICLES: Final = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
_BLANK_PUNCTUATION: Final = str.maketrans(dict.fromkeys(string.punctuation + "‘’´`", " "))
_TRUTH: Final = {"True": "yes", "False": "no"}


@lru_cache(maxsize=1 << 14)
def squad_text(text: str) -> str:
    """As the SQuAD 1.1 script has it: lower case, ASCII punctuation deleted, articles blanked, blanks collapsed."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


@lru_cache(maxsize=1 << 14)
def ultrarag_text(text: str) -> str:
    """As UltraRAG has it: True and False are yes and no, punctuation becomes blanks, articles go."""
    plain = _TRUTH.get(text, text).replace("_", " ").lower().translate(_BLANK_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", plain).split())
