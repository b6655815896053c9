"""Terms by which a text is found: words in any script, English ones stemmed, Chinese ones also by characters.

A Chinese word may be segmented differently in a question and in a passage. So its characters and pairs of characters
are terms too: nDCG@10 of BM25 rises from 0.466 to 0.517 on the 309 questions of LeCoQA, and falls from 0.760 to 0.746
on 40 of RGB. Full width, traditional characters, case and composed accents make no difference.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Final, Literal

from steelyard.errors import UnknownName
from steelyard.i18n import Message
from steelyard.progress import ProgressCallback
from steelyard.text.normalisation import fold, simplified, unified
from steelyard.text.scripts import HAN
from steelyard.text.stemming import stem
from steelyard.text.tokens import TRUTH, atoms, words

Way = Literal["all", "words", "characters"]
WAYS: Final[dict[str, Way]] = {
    "auto": "all",
    "default": "all",
    "regex": "all",
    "jieba": "words",
    "character": "characters",
    "char": "characters",
}
"""The tokenizers of UltraRAG, and which Chinese terms each gives: all, words, or characters."""

LANGUAGES: Final = (
    *("auto", "en", "english"),
    *("zh", "zh-cn", "zh-hans", "zh-hant", "zh-tw", "cn", "chinese"),
)
"""The accepted names of languages; the terms depend on the script of a text only."""

# Lucene's list of English stop words without no and not, and question words
STOP_WORDS: Final = frozenset(
    (
        *("a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "of", "on"),
        *("or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with"),
        *("do", "does", "did", "how", "what", "when", "where", "which", "who", "why"),
    )
)
_BATCH: Final = 256  # texts between two calls of the progress callback
_HAN_RUN: Final = re.compile(f"[{HAN}]+")
_SURROGATES: Final = re.compile("[\ud800-\udfff]")


def way_of(tokenizer: str, language: str) -> Way:
    """The kind of terms for two settings of UltraRAG."""
    if str(language).lower() not in LANGUAGES:
        raise UnknownName.of(Message("words.language"), str(language), LANGUAGES)
    if str(tokenizer).lower() not in WAYS:
        raise UnknownName.of(Message("words.tokenizer"), str(tokenizer), WAYS)
    return WAYS[str(tokenizer).lower()]


def terms(text: str, way: Way = "all") -> list[str]:
    """The terms of a text, with repetitions; an empty list for a text without letters and digits.

    >>> terms("The contracts of 張三")
    ['contract', '张三', '张', '三', '张三']
    """
    plain = simplified(unified(_SURROGATES.sub(" ", text)))
    words_of = list(_word_terms(plain, way))
    return words_of if way != "all" or plain.isascii() else [*words_of, *_han_terms(plain)]


def all_terms(text: str) -> list[str]:
    """The terms of a text with stop words and punctuation, and without unifying variants of characters."""
    return [*_han_terms(text), *(stem(word) if word.isascii() else word for word in words(text))]


def _han_terms(text: str) -> Iterator[str]:
    """The Chinese characters of a text, then the pairs of neighbouring ones."""
    runs = _HAN_RUN.findall(fold(text))
    yield from "".join(runs)
    yield from (first + second for run in runs for first, second in pairwise(run))


def terms_of_all(texts: Sequence[str], way: Way, progress: ProgressCallback) -> list[list[str]]:
    """The terms of each text; `progress` is called for every 256 texts."""
    rows: list[list[str]] = []
    for start in range(0, len(texts), _BATCH):
        rows += map(partial(terms, way=way), texts[start : start + _BATCH])
        progress(len(rows), len(texts))
    return rows


def _word_terms(text: str, way: Way) -> Iterator[str]:
    if text.strip().lower() in TRUTH:  # `words` reads it as a truth value
        yield text.strip().lower()
        return
    for word in atoms(text) if way == "characters" else words(text):
        if word not in STOP_WORDS and any(map(str.isalnum, word)):
            yield stem(word) if word.isascii() and word.isalpha() else word
