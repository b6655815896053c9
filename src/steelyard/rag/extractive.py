"""The embedded generator: no model, no network; it answers with words of the documents in the prompt.

It reads prompts whose parts have headings (`Documents:`, `Question:`, `Options:`, or 资料, 问题, 选项) and gives the
sentence that shares most with the question, cut down to a date, a number, a name or a place if that is what is asked
for. It is a stand-in that lets a pipeline run anywhere, and a floor for the systems that are weighed.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from steelyard.rag.extraction import sentences
from steelyard.rag.terms import terms
from steelyard.text.mentions import mentions
from steelyard.text.normalisation import normalise
from steelyard.text.numerals import numerals
from steelyard.text.scripts import HAN, has_han
from steelyard.text.tokens import atoms

_DOCUMENTS: Final = re.compile(
    r"^[ \t]*(?:documents|passages|notes|context|资料|文档|笔记)[ \t]*[:：]", re.MULTILINE | re.I
)
_QUESTION: Final = re.compile(r"^[ \t]*(?:question|问题)[ \t]*[:：]", re.MULTILINE | re.I)
_OPTIONS: Final = re.compile(r"^[ \t]*(?:options|choices|选项)[ \t]*[:：]", re.MULTILINE | re.I)
_OPTION: Final = re.compile(r"^[ \t]*([A-Z])[ \t]*[:：.)、][ \t]*(.+)$", re.MULTILINE)

_LEAST: Final = 0.3  # the share of the question that a sentence must cover to be about it at all
_SURE: Final = 0.5  # … and to settle it
_NEAR: Final = 3  # so many sentences are searched for what is asked, each at least half as good as the best
_HAN_CHARACTER: Final = re.compile(f"[{HAN}]")
_NO_BOX: Final = str.maketrans("", "", "{}\\")

_WHEN: Final = re.compile(
    r"\b(?:when|what (?:year|date|day|time)|which (?:year|date|day))\b|何时|什么时候|哪一?[年月天日]|日期", re.I
)
_MANY: Final = re.compile(r"\bhow (?:many|much|often|old|long|far|tall|high)\b|多少|几[^乎何]", re.I)
_WHO: Final = re.compile(r"\bwho(?:m|se)?\b|谁|哪位|何人", re.I)
_WHERE: Final = re.compile(r"\bwhere\b|哪里|哪儿|何处|什么地方|在哪", re.I)
_YEAR: Final = re.compile(r"(?<!\d)[12]\d{3}(?!\d)年?")
_NUMBERS: Final = ("count", "money", "percent", "age", "number")  # a bare number last: it may be part of a name
# a run of capitalised words, with the small words that names hold together with
_NAME: Final = re.compile(r"[^\W\d_a-z][\w'’.-]*(?:\s+(?:(?:of|the|de|van|von|la|le)\s+)*[^\W\d_a-z][\w'’.-]*)*")
_PLACE: Final = re.compile(rf"\b(?:in|at|near|on|to|from)\s+(?:the\s+)?({_NAME.pattern})")
_PLACE_ZH: Final = re.compile(r"(?:位于|坐落在|坐落于|在|于)([^\W的]{2,})")
_PARTICLES: Final = frozenset("的了是由在于为被把和与及等也都就而他她它这那位叫名")  # what Chinese names stand between


@dataclass(frozen=True, slots=True)
class Asked:
    """The parts of a prompt; what is neither question nor documents is instructions."""

    question: str
    documents: str
    options: Mapping[str, str]
    instructions: str


def read_prompt(prompt: str) -> Asked:
    """The parts by their headings; the last question counts, and it ends at a blank line."""
    heading = max(_QUESTION.finditer(prompt), key=re.Match.start, default=None)
    if heading is None:
        return Asked(prompt.strip(), "", {}, prompt)
    before, after = prompt[: heading.start()], prompt[heading.end() :].strip()
    question, _, rest = after.partition("\n\n")
    first, documents = _cut(before, _DOCUMENTS)
    rest, later = (rest, "") if documents else _cut(rest, _DOCUMENTS)
    instructions, options = _cut(rest, _OPTIONS)
    return Asked(question.strip(), documents or later, dict(_OPTION.findall(options)), first + instructions)


def answer(prompt: str) -> str:
    """The answer to a prompt, in the form that its instructions ask for; without documents, that it is not known."""
    asked = read_prompt(prompt)
    return _form_of(asked.instructions)(asked, Evidence(asked.question, sentences(asked.documents)))


class Evidence:
    """Sentences weighed against a question: terms count more, the fewer sentences have them."""

    def __init__(self, question: str, found: Sequence[str]) -> None:
        self._sentences = found
        self._terms = [frozenset(terms(sentence)) for sentence in found]
        self._spread = Counter(term for sentence in self._terms for term in sentence)
        self._shares = self._covered(frozenset(terms(question)))

    @cached_property
    def near(self) -> list[str]:
        """The sentences that say enough of the question, the best first; of equals, the first."""
        order = sorted(range(len(self._sentences)), key=lambda place: -self._shares[place])[:_NEAR]
        least = max(_LEAST, self._shares[order[0]] / 2) if order else _LEAST
        return [self._sentences[place] for place in order if self._shares[place] >= least]

    @property
    def sure(self) -> bool:
        """Whether a sentence settles the question."""
        return max(self._shares, default=0.0) >= _SURE

    def support(self, option: str) -> float:
        """How well a sentence that is near the question holds the terms of an option."""
        held = self._covered(frozenset(terms(option)))
        return max((share * (1 + near) for share, near in zip(held, self._shares, strict=True)), default=0.0)

    def _covered(self, wanted: frozenset[str]) -> list[float]:
        """The share of the wanted terms that each sentence has, by their rarity."""
        rarity = {term: math.log(1 + (len(self._sentences) + 1) / (self._spread[term] + 0.5)) for term in wanted}
        whole = math.fsum(rarity.values()) or 1.0
        return [math.fsum(rarity[term] for term in wanted & has) / whole for has in self._terms]


def span(question: str, near: Sequence[str]) -> tuple[str, str]:
    """The sentence that answers, and its date, number, name or place if that is asked for; else all of it."""
    known = frozenset(atoms(question))
    find = next((find for asks, find in _FINDERS if asks.search(question)), None)
    for sentence in near if find else ():
        if find and (found := find(sentence, known)):
            return sentence, found
    return near[0], near[0].rstrip("。！？.!? ")


def _boxed(asked: Asked, evidence: Evidence) -> str:
    if asked.options:
        letter = max(asked.options, key=lambda letter: evidence.support(asked.options[letter]))
        known = evidence.support(asked.options[letter]) > 0
        return rf"\boxed{{{letter}}}" if known else _unknown(asked.question)
    if not evidence.near:
        return _unknown(asked.question)
    sentence, found = span(asked.question, evidence.near)
    return rf"{sentence} \boxed{{{found.translate(_NO_BOX)}}}"


def _chained(asked: Asked, evidence: Evidence) -> str:
    if not evidence.sure:
        return _plain(asked, evidence)
    sentence, found = span(asked.question, evidence.near)
    return f"{sentence} So the answer is: {found}"


def _searching(asked: Asked, evidence: Evidence) -> str:
    return "The documents suffice." if evidence.sure else f"<search>{asked.question}</search>"


def _query(asked: Asked, evidence: Evidence) -> str:
    return " ".join((asked.question, *evidence.near[:1]))


def _plain(asked: Asked, evidence: Evidence) -> str:
    return evidence.near[0] if evidence.near else _unknown(asked.question)


Form = Callable[[Asked, Evidence], str]
# what instructions say of the form of an answer, and how it is given; the first that fits
_FORMS: Final[tuple[tuple[str, Form], ...]] = (
    (r"\boxed", _boxed),
    ("so the answer is", _chained),
    ("<search>", _searching),
    ("search query", _query),
)


def _form_of(instructions: str) -> Form:
    said = instructions.lower()
    return next((form for mark, form in _FORMS if mark in said), _plain)


def _unknown(question: str) -> str:
    # no box: whatever stood in one would be weighed as an answer
    return "我不知道。" if has_han(question) else "I do not know."


def _cut(text: str, heading: re.Pattern[str]) -> tuple[str, str]:
    """What stands before a heading and what after it."""
    found = heading.search(text)
    return (text[: found.start()], text[found.end() :]) if found else (text, "")


def _new(text: str, known: frozenset[str]) -> bool:
    """Whether a text says more than the question does."""
    return not known.issuperset(atoms(text))


def _date(sentence: str, known: frozenset[str]) -> str:
    dates = [each.text for each in mentions(normalise(sentence)) if each.kind == "date"]
    return _first_new((*dates, *_YEAR.findall(sentence)), known)


def _number(sentence: str, known: frozenset[str]) -> str:
    found = [each for each in mentions(normalise(sentence)) if each.kind in _NUMBERS and _new(each.text, known)]
    if not found:
        return ""
    first = min(found, key=lambda each: each.kind == _NUMBERS[-1])
    bare = numerals(first.text) if first.kind == "count" and first.text.isascii() else []
    return bare[0].text if bare else first.text


def _place(sentence: str, known: frozenset[str]) -> str:
    pattern = _PLACE_ZH if has_han(sentence) else _PLACE
    return _first_new(pattern.findall(_undated(sentence)), known)


def _name(sentence: str, known: frozenset[str]) -> str:
    """English: capitalised words, the first of a sentence only with others. Chinese: 2 to 4 characters added."""
    plain = _undated(sentence)
    if has_han(sentence):
        told = known | _PARTICLES
        added = "".join(each if _HAN_CHARACTER.match(each) and each not in told else " " for each in plain)
        return next((run for run in added.split() if 2 <= len(run) <= 4), "")
    return _first_new((match[0] for match in _NAME.finditer(plain) if match.start() > 0 or " " in match[0]), known)


def _undated(sentence: str) -> str:
    """The sentence with marks in place of dates: June is no name, and what happened in 1958 is no place."""
    plain = normalise(sentence)
    for each in mentions(plain):
        if each.kind == "date":
            plain = plain.replace(each.text, "#" * len(each.text))
    return plain


def _first_new(found: Iterable[str], known: frozenset[str]) -> str:
    """The first that says more than the question does, without the mark that ends a sentence."""
    return next((each.rstrip(".,'’") for each in found if _new(each, known)), "")


_FINDERS: Final = ((_WHEN, _date), (_MANY, _number), (_WHERE, _place), (_WHO, _name))
