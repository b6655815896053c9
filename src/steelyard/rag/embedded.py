"""The embedded generator: answers a prompt with words of the documents in it, without a model or a network.

It reads prompts whose parts have headings (`Documents:`, `Question:`, `Options:`, or 资料, 问题, 选项) and returns the
sentence that shares most with the question, or its date, number, name or place if the question asks for one. With it
every pipeline runs anywhere, and it is a lower bound for real systems.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from steelyard.search.extractive import Evidence, sentences, span
from steelyard.text.normalisation import has_han

_DOCUMENTS: Final = re.compile(
    r"^[ \t]*(?:documents|passages|notes|context|资料|文档|笔记)[ \t]*[:：]", re.MULTILINE | re.I
)
_QUESTION: Final = re.compile(r"^[ \t]*(?:question|问题)[ \t]*[:：]", re.MULTILINE | re.I)
_OPTIONS: Final = re.compile(r"^[ \t]*(?:options|choices|选项)[ \t]*[:：]", re.MULTILINE | re.I)
_OPTION: Final = re.compile(r"^[ \t]*([A-Z])[ \t]*[:：.)、][ \t]*(.+)$", re.MULTILINE)

UNKNOWN: Final = ("我不知道。", "I do not know.")
"""The answers to a question in Chinese and in another language of which the documents say nothing."""
_NO_BOX: Final = str.maketrans("", "", "{}\\")


@dataclass(frozen=True, slots=True)
class PromptParts:
    """The parts of a prompt; `instructions` is the text outside of the other parts."""

    question: str
    documents: str
    options: Mapping[str, str]
    instructions: str


def read_prompt(prompt: str) -> PromptParts:
    """Return the parts by their headings; the last question heading counts, and the question ends at a blank line."""
    heading = max(_QUESTION.finditer(prompt), key=re.Match.start, default=None)
    if heading is None:
        return PromptParts(prompt.strip(), "", {}, prompt)
    before, after = prompt[: heading.start()], prompt[heading.end() :].strip()
    question, _, rest = after.partition("\n\n")
    first, documents = _cut(before, _DOCUMENTS)
    rest, later = (rest, "") if documents else _cut(rest, _DOCUMENTS)
    instructions, options = _cut(rest, _OPTIONS)
    return PromptParts(question.strip(), documents or later, dict(_OPTION.findall(options)), first + instructions)


def answer(prompt: str) -> str:
    """Return the answer to a prompt in the form that its instructions ask for.

    "I do not know." if no sentence is relevant.
    """
    parts = read_prompt(prompt)
    return _form_of(parts.instructions)(parts, Evidence(parts.question, sentences(parts.documents)))


def _boxed(parts: PromptParts, evidence: Evidence) -> str:
    if parts.options:
        letter = max(parts.options, key=lambda letter: evidence.support(parts.options[letter]))
        known = evidence.support(parts.options[letter]) > 0
        return rf"\boxed{{{letter}}}" if known else _unknown(parts.question)
    if not evidence.relevant:
        return _unknown(parts.question)
    sentence, text = span(parts.question, evidence.relevant)
    return rf"{sentence} \boxed{{{text.translate(_NO_BOX)}}}"


def _chained(parts: PromptParts, evidence: Evidence) -> str:
    if not evidence.sure:
        return _plain(parts, evidence)
    sentence, text = span(parts.question, evidence.relevant)
    return f"{sentence} So the answer is: {text}"


def _searching(parts: PromptParts, evidence: Evidence) -> str:
    return "The documents suffice." if evidence.sure else f"<search>{parts.question}</search>"


def _query(parts: PromptParts, evidence: Evidence) -> str:
    return " ".join((parts.question, *evidence.relevant[:1]))


def _plain(parts: PromptParts, evidence: Evidence) -> str:
    return evidence.relevant[0] if evidence.relevant else _unknown(parts.question)


Form = Callable[[PromptParts, Evidence], str]
# words of the instructions, and the form of answer that they ask for; the first that occurs decides
_FORMS: Final[tuple[tuple[str, Form], ...]] = (
    (r"\boxed", _boxed),
    ("so the answer is", _chained),
    ("<search>", _searching),
    ("search query", _query),
)


def _form_of(instructions: str) -> Form:
    text = instructions.lower()
    return next((form for words, form in _FORMS if words in text), _plain)


def _unknown(question: str) -> str:
    # without a box: a text in a box would be evaluated as an answer
    return UNKNOWN[0] if has_han(question) else UNKNOWN[1]


def _cut(text: str, heading: re.Pattern[str]) -> tuple[str, str]:
    """Return the text before a heading and the text after it."""
    match = heading.search(text)
    return (text[: match.start()], text[match.end() :]) if match else (text, "")
