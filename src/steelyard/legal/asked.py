"""What a question asks for: the kind of item, its form, and the words that it shares with a text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from steelyard.lexicon import lexicon
from steelyard.text.normalisation import normalise

WORDS: Final = lexicon("refusal")
VALUE_KINDS: Final = ("date", "phone", "money", "count")
_KINDS: Final = (*VALUE_KINDS, "person", "place")
_MOST_MATCHES: Final = 20
_BEFORE_HOW_MANY: Final = 12
"""Characters before 多少 in which the word for its kind stands: 金额是多少."""
_LONGEST_TERMS: Final = 2_000
_TERM: Final = re.compile("[\u4e00-\u9fff]+|[a-z]{4,}")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: the kind of item that it asks for, and forms to which refusing words are an answer.

    `speech` asks what somebody said, `knowing` what somebody knows, `open` for an explanation or a list.
    """

    text: str
    kind: str
    whether: bool
    why: bool
    speech: bool
    knowing: bool
    open: bool


@lru_cache(maxsize=1 << 10)
def asked_for(question: str) -> Asked:
    """What a question asks for."""
    text = normalise(question)
    kind, why = _last_kind(text), _has("why", text)
    whether = _has("whether", WORDS["polite"].sub("", text))
    is_open = why or (kind not in VALUE_KINDS and not whether and (not kind or _has("open", text)))
    return Asked(text, kind, whether, why, _has("speech", text), _has("knowing", text), is_open)


def _has(name: str, text: str) -> bool:
    return WORDS[name].search(text) is not None


def _last_kind(text: str) -> str:
    """The kind of item that a question asks for last; 多少 has the kind before it, what and which have none."""
    found = [
        (match.start() - (_BEFORE_HOW_MANY if match[0] == "多少" else 0), kind)
        for kind in _KINDS
        for match in islice(WORDS[f"asked_{kind}"].finditer(text), _MOST_MATCHES)
    ]
    return max(found)[1] if found else "thing" if _has("asked_thing", text) else ""


def names_kind(text: str, kind: str) -> bool:
    """Whether a text has a word for a kind of item: 日期, phone."""
    return kind != "" and _has(f"names_{kind}", text)


def shared_terms(text: str, question: str) -> int:
    """The number of words or pairs of Chinese characters that a text shares with a question."""
    return len(content_terms(text) & terms_of(question))


def content_terms(text: str) -> frozenset[str]:
    """The terms of a text that say something of its topic."""
    return terms_of(text) - WORDS.words("stop")


@lru_cache(maxsize=1 << 8)
def terms_of(text: str) -> frozenset[str]:
    """English words by their first six letters, and pairs of Chinese characters."""
    return frozenset(_iterate_terms(text.lower()[:_LONGEST_TERMS]))


def _iterate_terms(text: str) -> Iterator[str]:
    for run in _TERM.finditer(text):
        if run[0].isascii():
            yield run[0][:6]
        else:
            yield from (run[0][at : at + 2] for at in range(len(run[0]) - 1))
