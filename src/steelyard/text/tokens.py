"""Words, numbers and characters of a text in any script.

A number is one token however it is grouped (42,000 is 42000) and never part of another; words of spaced scripts are
whole; Chinese, Japanese and other unspaced scripts come as characters (atoms) or, for Chinese, as words. Punctuation
separates and is dropped, except where it carries meaning: signs and currency beside figures, C++ and C#.
"""

import re
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from typing import Final, Literal
from unicodedata import normalize

from steelyard.text.folding import fold
from steelyard.text.scripts import HAN, HANGUL, KANA, UNSPACED, has_kana, script_of

Unit = Literal["words", "chars"]
Split = Callable[[str], list[str]]

_DENSE: Final = f"{HAN}{KANA}{UNSPACED}"


def _lexeme(letter: str, alphanumeric: str, dense: str, sign: str) -> re.Pattern[str]:
    """Initials (U.S.), numbers, runs of scripts without blanks, words (with C++ and don't), and signs of figures."""
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
_LATIN_MARK: Final = re.compile(r"[-_.%]")
_LATIN: Final = re.compile(r"(?=.*[-_.%])[A-Za-z0-9.%_-]+")
_LATIN_PART: Final = re.compile(r"[a-zA-Z0-9]+(?:\.\d+)?%?|[^a-zA-Z0-9]+")
ARTICLES: Final = frozenset(("a", "A", "an", "An", "AN", "the", "The", "THE"))
_INNER_MARKS: Final = str.maketrans("", "", ".'’")
TRUTH: Final = {"true": "yes", "false": "no"}


def atoms(text: str) -> tuple[str, ...]:
    """The smallest units that may match: words, whole numbers, single characters of scripts without blanks.

    English articles are dropped where another word follows, so "A" and "vitamin A" keep their letter. A text of marks
    alone is its marks; nothing but blanks is nothing.
    """
    return _spell(text, dense=list, hangul=list)


def words(text: str) -> tuple[str, ...]:
    """The words of a text; Chinese is segmented, Japanese and the like are taken by characters."""
    if text.isascii():
        return atoms(text)
    return _spell(text, dense=list if has_kana(text) else segment, hangul=lambda run: [run])


def tokens(text: str, unit: Unit) -> tuple[str, ...]:
    """Words, or words and characters, as asked."""
    return words(text) if unit == "words" else atoms(text)


def segment(text: str) -> list[str]:
    """Words, blanks and marks of a text as jieba cuts it.

    rjieba has the dictionary and model of jieba, and only keeps together what jieba cuts at - _ . and % (2020-2022).
    """
    import rjieba

    cut: list[str] = rjieba.cut(text)
    if not _LATIN_MARK.search(text):
        return cut
    return [part for word in cut for part in (_LATIN_PART.findall(word) if _LATIN.fullmatch(word) else (word,))]


def covers(whole: Sequence[Hashable], part: Sequence[Hashable]) -> bool:
    """Whether all of `part` occurs in `whole`, in order and as often, with anything in between."""
    rest = iter(whole)
    return all(token in rest for token in part)


def _spell(text: str, *, dense: Split, hangul: Split) -> tuple[str, ...]:
    """The tokens that a text counts for; `dense` and `hangul` split what is written without blanks."""
    lexemes = _lexemes(text)
    if len(lexemes) == 1 and lexemes[0].lower() in TRUTH:
        return (TRUTH[lexemes[0].lower()],)
    found: list[str] = []
    for lexeme in _without_articles(lexemes):
        if lexeme.isascii():
            found.append(plain_token(lexeme))
        else:
            found += _spell_other(lexeme, dense, hangul)
    return tuple(found or fold(text).split())


@lru_cache(maxsize=1 << 13)  # both sides of a batch: a text is read for its characters and for its words
def _lexemes(text: str) -> list[str]:
    folded = fold(text if text.isascii() else normalize("NFC", text))  # é written as one character or as two
    return (_ASCII_LEXEME if folded.isascii() else _LEXEME).findall(folded)


def plain_lexemes(piece: str) -> list[str]:
    """The lexemes of an ASCII text; none reaches across a blank."""
    return _ASCII_LEXEME.findall(piece)


def plain_token(lexeme: str) -> str:
    """The one token that an ASCII lexeme counts for."""
    return lexeme.lower() if lexeme.isalpha() else _number(lexeme) if _is_number(lexeme) else _word(lexeme)


def _without_articles(lexemes: list[str]) -> list[str]:
    """The lexemes without English articles: one of the three, before another word, and "A" only at the beginning."""
    last = len(lexemes) - 1
    return [
        lexeme
        for place, lexeme in enumerate(lexemes)
        if lexeme not in ARTICLES
        or place == last
        or (lexeme == "A" and place > 0)
        or not (len(lexemes[place + 1]) > 1 and lexemes[place + 1][0].isalpha())
    ]


def _spell_other(lexeme: str, dense: Split, hangul: Split) -> list[str]:
    """Tokens of a lexeme that is not ASCII."""
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
    """A number in one way of writing: no grouping, no plus, no zeros that say nothing."""
    plain = raw.replace(",", "").removeprefix("+")
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    return plain
