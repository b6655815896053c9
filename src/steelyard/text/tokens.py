"""Tokenization in any script: words, numbers and characters.

A number is one token in any grouping (42,000 is 42000). In scripts with blanks a token is a word; Chinese, Japanese and
other scripts without blanks are split into characters (atoms) or, for Chinese, into words. Punctuation is dropped,
except where it carries meaning: signs and currency beside numbers, C++ and C#.
"""

import re
from collections.abc import Callable, Hashable, Sequence
from itertools import accumulate, pairwise
from typing import Final, Literal
from unicodedata import normalize

from steelyard.text.normalisation import DENSE, EQUIVALENTS, HAN, HANGUL, KANA, UNSPACED, fold, has_kana

END: Final = "\0"
"""Between texts that are read together."""
_NOT_SPACED: Final = re.compile(f"[{END}{DENSE}{HANGUL}{''.join(map(chr, EQUIVALENTS))}]")


def are_spaced(texts: Sequence[str]) -> list[bool]:
    """Return which texts have no NUL and no letter (or its radical) of Hangul or a script without blanks."""
    return [END not in text if text.isascii() else _NOT_SPACED.search(text) is None for text in texts]


TokenUnit = Literal["words", "chars"]
Split = Callable[[str], list[str]]

_LETTER: Final = rf"[^\W\d_{DENSE}{HANGUL}]"
# initials (U.S.), numbers, runs of scripts without blanks, words (C++, don't), signs of numbers, the mark between texts
_LEXEME: Final = re.compile(
    rf"""\b(?:{_LETTER}\.){{2,}}
       | (?:(?<![\w.])[-+])?\d+(?:,\d{{3}})*(?:\.\d+)?
       | [{HAN}]+ | [{KANA}]+ | [{UNSPACED}]+ | [{HANGUL}]+
       | [^\W_{DENSE}{HANGUL}]+(?:['’]{_LETTER}+)*(?:\+\+|\#)?
       | [$€£¥₩₹%‰°{END}]""",
    re.VERBOSE,
)
DENSE_RUN: Final = re.compile(f"[{DENSE}]")
"""The beginning of a run of a script without blanks."""
RUN: Final = re.compile(f"[{DENSE}{HANGUL}]")
"""The same, or of Hangul, whose words are sentences of several."""
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_LATIN_MARK: Final = re.compile(r"[-_.%]")
_LATIN: Final = re.compile(r"[A-Za-z0-9.%_-]+")
_LATIN_PART: Final = re.compile(r"[a-zA-Z0-9]+(?:\.\d+)?%?|[^a-zA-Z0-9]+")
ARTICLES: Final = frozenset(("a", "A", "an", "An", "AN", "the", "The", "THE"))
_INNER_MARKS: Final = str.maketrans("", "", ".'’")
TRUTH: Final = {"true": "yes", "false": "no"}


def atoms(text: str, *, articles: bool = False) -> tuple[str, ...]:
    """Return the smallest tokens that can match: words, numbers, single characters of scripts without blanks.

    English articles are dropped before another word, so "A" and "vitamin A" keep their letter; with `articles` all are
    tokens. A text of punctuation only is split at blanks; a blank text has no tokens.
    """
    return _spell(text, RUN, list, articles=articles)


def words(text: str, *, articles: bool = False) -> tuple[str, ...]:
    """Return the words of a text; Chinese is segmented, Japanese and similar scripts are split into characters."""
    return _spell(text, DENSE_RUN, list if has_kana(text) else segment, articles=articles)


def tokens(text: str, unit: TokenUnit, *, articles: bool = False) -> tuple[str, ...]:
    """Return the `words` or the `atoms` of a text, by unit."""
    return (words if unit == "words" else atoms)(text, articles=articles)


def segment(text: str) -> list[str]:
    """Return words, blanks and punctuation of a text as jieba segments it.

    rjieba has the dictionary and model of jieba, but does not split at - _ . and % (2020-2022) as jieba does.
    """
    import rjieba

    try:
        cut: list[str] = rjieba.cut(text)
    except UnicodeEncodeError:  # a lone surrogate, which is a word of its own in jieba
        ends = accumulate(map(len, rjieba.cut(_SURROGATE.sub("\ufffd", text))), initial=0)
        cut = [text[start:end] for start, end in pairwise(ends)]
    if not _LATIN_MARK.search(text):
        return cut
    return [part for word in cut for part in (_LATIN_PART.findall(word) if _LATIN.fullmatch(word) else (word,))]


def covers(whole: Sequence[Hashable], part: Sequence[Hashable]) -> bool:
    """Return whether `part` is a subsequence of `whole`."""
    rest = iter(whole)
    return all(token in rest for token in part)


def _spell(text: str, run: re.Pattern[str], cut: Split, *, articles: bool) -> tuple[str, ...]:
    """Return the tokens of a text, in which lexemes that begin with `run` are cut further."""
    folded = fold(text if text.isascii() else normalize("NFC", text))  # é written as one character or as two
    lexemes = [lexeme for lexeme in marked_lexemes(folded) if lexeme != END]
    if len(lexemes) == 1 and lexemes[0].lower() in TRUTH:
        return (TRUTH[lexemes[0].lower()],)
    tokens: list[str] = []
    for lexeme in lexemes if articles else _without_articles(lexemes):
        tokens += cut(lexeme) if run.match(lexeme) else (token_or_run(lexeme),)
    return tuple(tokens or fold(text).split())


def marked_lexemes(folded: str) -> list[str]:
    """Return the lexemes of a folded text, and its NUL characters, in order; no lexeme spans a blank."""
    return _LEXEME.findall(folded)


def token_or_run(lexeme: str) -> str:
    """Return the token of a lexeme; a run of a script without blanks, or of Hangul, as it is."""
    if lexeme.isascii() and lexeme.isalpha():
        return lexeme.lower()
    if lexeme[-1].isdigit() and lexeme.lstrip("+-")[0].isdigit():
        return _number(lexeme)
    return lexeme if RUN.match(lexeme) else lexeme.translate(_INNER_MARKS).lower()


def _without_articles(lexemes: list[str]) -> list[str]:
    """Return the lexemes without English articles before another word; "A" is an article only at the beginning."""
    last = len(lexemes) - 1
    return [
        lexeme
        for index, lexeme in enumerate(lexemes)
        if lexeme not in ARTICLES
        or index == last
        or (lexeme == "A" and index > 0)
        or not (len(lexemes[index + 1]) > 1 and lexemes[index + 1][0].isalpha())
    ]


def _number(raw: str) -> str:
    """Return a number without grouping, plus sign and trailing zeros."""
    plain = raw.replace(",", "").removeprefix("+")
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    return plain
