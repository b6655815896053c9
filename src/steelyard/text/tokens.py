"""Words, numbers and characters of a text in any script.

A number is one token however it is grouped (42,000 is 42000) and never part of another; words of spaced scripts are
whole; Chinese, Japanese and other unspaced scripts come as characters (atoms) or, for Chinese, as words. Punctuation
separates and is dropped, except where it carries meaning: signs and currency beside figures, C++ and C#.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal

from steelyard.text.folding import fold
from steelyard.text.scripts import HAN, HANGUL, KANA, UNSPACED, has_kana

Unit = Literal["words", "chars"]

_NUMBER: Final = r"(?:(?<![\w.])[-+])?\d+(?:,\d{3})*(?:\.\d+)?"
_LEXEME: Final = re.compile(
    rf"""(?P<initials>\b(?:[^\W\d_{HAN}{KANA}{HANGUL}]\.){{2,}})
       | (?P<number>{_NUMBER})
       | (?P<dense>[{HAN}]+|[{KANA}]+|[{UNSPACED}]+)
       | (?P<hangul>[{HANGUL}]+)
       | (?P<word>[^\W_{HAN}{KANA}{HANGUL}{UNSPACED}]+(?:['’][^\W\d_{HAN}{KANA}{HANGUL}{UNSPACED}]+)*(?:\+\+|\#)?)
       | (?P<sign>[$€£¥₩₹%‰°])""",
    re.VERBOSE,
)
_LATIN: Final = re.compile(r"(?=.*[-_.%])[A-Za-z0-9.%_-]+")
_LATIN_PART: Final = re.compile(r"[a-zA-Z0-9]+(?:\.\d+)?%?|[^a-zA-Z0-9]+")
_ARTICLES: Final = ("a", "an", "the")
_TRUTH: Final = {"true": "yes", "false": "no"}


@lru_cache(maxsize=1 << 14)
def atoms(text: str) -> tuple[str, ...]:
    """The smallest units that may match: words, whole numbers, single characters of scripts without blanks.

    English articles are dropped where another word follows, so "A" and "vitamin A" keep their letter. A text of marks
    alone is its marks; nothing but blanks is nothing.
    """
    found = tuple(_spell(list(_lexemes(text)), dense=list))
    return found or tuple(fold(text).split())


@lru_cache(maxsize=1 << 14)
def words(text: str) -> tuple[str, ...]:
    """The words of a text; Chinese is segmented, Japanese and the like are taken by characters."""
    japanese = has_kana(text)
    found = tuple(_spell(list(_lexemes(text)), dense=list if japanese else segment, whole_hangul=True))
    return found or tuple(fold(text).split())


def tokens(text: str, unit: Unit) -> tuple[str, ...]:
    """Words, or words and characters, as asked."""
    return words(text) if unit == "words" else atoms(text)


def segment(text: str) -> list[str]:
    """Words, blanks and marks of a text as jieba cuts it.

    rjieba has the dictionary and model of jieba, and only keeps together what jieba cuts at - _ . and % (2020-2022).
    """
    import rjieba

    cut = rjieba.cut(text)
    return [part for word in cut for part in (_LATIN_PART.findall(word) if _LATIN.fullmatch(word) else (word,))]


def contains(whole: Sequence[str], part: Sequence[str]) -> bool:
    """Whether `part` stands in `whole` without a gap; an empty part stands nowhere."""
    if not part or len(part) > len(whole):
        return False
    first, size = part[0], len(part)
    return any(
        whole[start] == first and tuple(whole[start : start + size]) == tuple(part)
        for start in range(len(whole) - size + 1)
    )


def covers(whole: Sequence[str], part: Sequence[str]) -> bool:
    """Whether all of `part` occurs in `whole`, in order and as often, with anything in between."""
    rest = iter(whole)
    return bool(part) and all(token in rest for token in part)


def _lexemes(text: str) -> Iterator[tuple[str, str]]:
    for found in _LEXEME.finditer(fold(text)):
        yield found.lastgroup or "word", found.group()


def _spell(
    lexemes: list[tuple[str, str]], *, dense: Callable[[str], list[str]], whole_hangul: bool = False
) -> Iterator[str]:
    """Each lexeme as the tokens it counts for; `dense` splits what is written without blanks."""
    truth = len(lexemes) == 1 and lexemes[0][1].lower() in _TRUTH
    for place, (kind, raw) in enumerate(lexemes):
        match kind:
            case "number":
                yield _number(raw)
            case "dense":
                yield from dense(raw)
            case "hangul":
                yield from [raw] if whole_hangul else list(raw)
            case "initials":
                yield raw.replace(".", "").lower()
            case _ if truth:
                yield _TRUTH[raw.lower()]
            case _ if not _is_article(lexemes, place):
                yield raw.replace("'", "").replace("’", "").lower()


def _is_article(lexemes: list[tuple[str, str]], place: int) -> bool:
    """Whether a word is an article: one of the three, before another word, and "A" only at the very beginning."""
    raw = lexemes[place][1]
    if raw.lower() not in _ARTICLES or place + 1 == len(lexemes):
        return False
    kind, following = lexemes[place + 1]
    capital = raw == "A" and place > 0
    return kind == "word" and len(following) > 1 and not capital


def _number(raw: str) -> str:
    """A number in one way of writing: no grouping, no plus, no zeros that say nothing."""
    plain = raw.replace(",", "").removeprefix("+")
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    return plain
