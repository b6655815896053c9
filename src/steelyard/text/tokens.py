"""Tokenization in any script: words, numbers and characters.

A number is one token in any grouping (42,000 is 42000). In scripts with blanks a token is a word; Chinese, Japanese and
other scripts without blanks are split into characters (atoms) or, for Chinese, into words. Punctuation is dropped,
except where it carries meaning: signs and currency beside numbers, C++ and C#.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal
from unicodedata import normalize

from steelyard.text.normalisation import fold
from steelyard.text.scripts import HAN, HANGUL, KANA, UNSPACED, has_kana, script_of

TokenUnit = Literal["words", "chars"]
Split = Callable[[str], list[str]]

_DENSE: Final = f"{HAN}{KANA}{UNSPACED}"


def _lexeme(letter: str, alphanumeric: str, dense: str, sign: str) -> re.Pattern[str]:
    """The pattern of initials (U.S.), numbers, runs of scripts without blanks, words (C++, don't), and number signs."""
    return re.compile(
        rf"""\b(?:{letter}\.){{2,}}
           | (?:(?<![\w.])[-+])?\d+(?:,\d{{3}})*(?:\.\d+)?
           {dense}
           | {alphanumeric}+(?:['’]{letter}+)*(?:\+\+|\#)?
           | [{sign}]""",
        re.VERBOSE,
    )


_ASCII_LEXEME: Final = _lexeme("[A-Za-z]", "[A-Za-z0-9]", "", "$%")
_LEXEME: Final = _lexeme(
    rf"[^\W\d_{_DENSE}{HANGUL}]",
    rf"[^\W_{_DENSE}{HANGUL}]",
    f"| [{HAN}]+ | [{KANA}]+ | [{UNSPACED}]+ | [{HANGUL}]+",
    "$€£¥₩₹%‰°",
)
# the same with NUL as a lexeme, which separates texts that are read together
_MARKED_ASCII_LEXEME: Final = re.compile(_ASCII_LEXEME.pattern + r"|\0", re.VERBOSE)
_MARKED_LEXEME: Final = re.compile(_LEXEME.pattern + r"|\0", re.VERBOSE)
_DENSE_FIRST: Final = re.compile(f"[{_DENSE}{HANGUL}]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_LATIN_MARK: Final = re.compile(r"[-_.%]")
_LATIN: Final = re.compile(r"(?=.*[-_.%])[A-Za-z0-9.%_-]+")
_LATIN_PART: Final = re.compile(r"[a-zA-Z0-9]+(?:\.\d+)?%?|[^a-zA-Z0-9]+")
ARTICLES: Final = frozenset(("a", "A", "an", "An", "AN", "the", "The", "THE"))
_INNER_MARKS: Final = str.maketrans("", "", ".'’")
TRUTH: Final = {"true": "yes", "false": "no"}


def atoms(text: str) -> tuple[str, ...]:
    """The smallest tokens that can match: words, numbers, single characters of scripts without blanks.

    English articles are dropped before another word, so "A" and "vitamin A" keep their letter. A text of punctuation
    only is split at blanks; a blank text has no tokens.
    """
    return _spell(text, dense=list, hangul=list)


def words(text: str) -> tuple[str, ...]:
    """The words of a text; Chinese is segmented, Japanese and similar scripts are split into characters."""
    if text.isascii():
        return atoms(text)
    return _spell(text, dense=list if has_kana(text) else segment, hangul=lambda run: [run])


def tokens(text: str, unit: TokenUnit) -> tuple[str, ...]:
    """The `words` or the `atoms` of a text, by unit."""
    return words(text) if unit == "words" else atoms(text)


def segment(text: str) -> list[str]:
    """Words, blanks and punctuation of a text as jieba segments it.

    rjieba has the dictionary and model of jieba, but does not split at - _ . and % (2020-2022) as jieba does.
    """
    import rjieba

    try:
        cut: list[str] = rjieba.cut(text)
    except UnicodeEncodeError:  # a lone surrogate, which is a word of its own in jieba
        lengths = map(len, rjieba.cut(_SURROGATE.sub("\ufffd", text)))
        cut = [text[end - length : end] for length, end in _with_ends(lengths)]
    if not _LATIN_MARK.search(text):
        return cut
    return [part for word in cut for part in (_LATIN_PART.findall(word) if _LATIN.fullmatch(word) else (word,))]


def _with_ends(lengths: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Each length with the sum up to it."""
    end = 0
    for length in lengths:
        end += length
        yield length, end


def covers(whole: Sequence[Hashable], part: Sequence[Hashable]) -> bool:
    """Whether `part` is a subsequence of `whole`."""
    rest = iter(whole)
    return all(token in rest for token in part)


def _spell(text: str, *, dense: Split, hangul: Split) -> tuple[str, ...]:
    """The tokens of a text; `dense` and `hangul` split runs that have no blanks."""
    lexemes = _lexemes(text)
    if len(lexemes) == 1 and lexemes[0].lower() in TRUTH:
        return (TRUTH[lexemes[0].lower()],)
    tokens: list[str] = []
    for lexeme in _without_articles(lexemes):
        if lexeme.isascii():
            tokens.append(plain_token(lexeme))
        else:
            tokens += _spell_other(lexeme, dense, hangul)
    return tuple(tokens or fold(text).split())


@lru_cache(maxsize=1 << 13)  # both sides of a batch: a text is split into characters and into words
def _lexemes(text: str) -> list[str]:
    folded = fold(text if text.isascii() else normalize("NFC", text))  # é written as one character or as two
    return (_ASCII_LEXEME if folded.isascii() else _LEXEME).findall(folded)


def marked_lexemes(folded: str) -> list[str]:
    """The lexemes of a folded text, and its NUL characters, in order; no lexeme spans a blank."""
    return (_MARKED_ASCII_LEXEME if folded.isascii() else _MARKED_LEXEME).findall(folded)


def plain_token(lexeme: str) -> str:
    """The token of an ASCII lexeme."""
    return lexeme.lower() if lexeme.isalpha() else _number(lexeme) if _is_number(lexeme) else _word(lexeme)


def token_or_run(lexeme: str) -> str:
    """The token of a lexeme; a run of a script without blanks, or of Hangul, as it is."""
    if lexeme.isascii():
        return plain_token(lexeme)
    if _is_number(lexeme):
        return _number(lexeme)
    return lexeme if _DENSE_FIRST.match(lexeme) else _word(lexeme)


def _without_articles(lexemes: list[str]) -> list[str]:
    """The lexemes without English articles before another word; "A" is an article only at the beginning."""
    last = len(lexemes) - 1
    return [
        lexeme
        for index, lexeme in enumerate(lexemes)
        if lexeme not in ARTICLES
        or index == last
        or (lexeme == "A" and index > 0)
        or not (len(lexemes[index + 1]) > 1 and lexemes[index + 1][0].isalpha())
    ]


def _spell_other(lexeme: str, dense: Split, hangul: Split) -> list[str]:
    """The tokens of a lexeme that is not ASCII."""
    if _is_number(lexeme):
        return [_number(lexeme)]
    match script_of(lexeme[0]):
        case "han" | "kana" | "unspaced":
            return dense(lexeme)
        case "hangul":
            return hangul(lexeme)
    return [_word(lexeme)]


def _is_number(lexeme: str) -> bool:
    return lexeme[-1].isdigit() and lexeme.lstrip("+-")[0].isdigit()


def _word(lexeme: str) -> str:
    return lexeme.translate(_INNER_MARKS).lower()


def _number(raw: str) -> str:
    """A number without grouping, plus sign and trailing zeros."""
    plain = raw.replace(",", "").removeprefix("+")
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    return plain
