"""What is taken out of the text of a model: sentences, boxed answers, answers after set words, search queries."""

import re
from typing import Final

_BOX: Final = r"\boxed{"
_TEXT: Final = r"\text{"
# a Latin full stop ends a sentence only before a blank: 3.14 is one number
_SENTENCE: Final = re.compile(r"[^\n]+?(?:[。！？]+[”’」』）]*|[.!?]+[\"”’)]*(?=\s|$)|$)", re.MULTILINE)
_FINAL_ANSWER: Final = re.compile(r"so the answer is[\s:：]*([^\n]*)", re.IGNORECASE)
_TAGGED: Final = re.compile(r"<answer>(.*?)(?:</answer>|\Z)", re.DOTALL)
# a query ends at its closing tag, or where a model that stops at the tag has stopped
_QUERIES: Final = {
    "search": re.compile(r"<search>(.*?)(?:</search>|\Z)", re.DOTALL),
    "begin_of_query": re.compile(r"<\|begin_of_query\|>(.*?)(?:<\|end_of_query\|>|\Z)", re.DOTALL),
}


def sentences(text: str) -> list[str]:
    """The sentences of a text; the end of a line is the end of a sentence too."""
    return [found for match in _SENTENCE.finditer(text) if (found := match[0].strip())]


def first_sentence(answer: str) -> str:
    """The first sentence of an answer; without an end mark, its first line."""
    return next(iter(sentences(answer)), "")


def boxed(answer: str) -> str:
    r"""What stands in the last closed \boxed{…} of an answer; without one, the whole answer."""
    start = answer.rfind(_BOX)
    while start >= 0:
        content = _inside(answer, start + len(_BOX))
        if content is not None:
            return _unwrapped(content.strip())
        start = answer.rfind(_BOX, 0, start)
    return answer.strip()


def final_answer(answer: str) -> str:
    """What follows "so the answer is" on its line; without these words, the whole answer."""
    match = _FINAL_ANSWER.search(answer)
    return (match[1] if match else answer).strip()


def tagged_answer(answer: str) -> str:
    """What stands in the first <answer>…</answer>; without one, the whole answer."""
    match = _TAGGED.search(answer)
    return (match[1] if match else answer).strip()


def search_query(answer: str, tag: str) -> str:
    """The last query in these tags ("search" or "begin_of_query"); "" where there is none."""
    found = _QUERIES[tag].findall(answer)
    return found[-1].strip() if found else ""


def _inside(text: str, start: int) -> str | None:
    r"""What stands from `start` to the brace that closes it, or None; \{ and \} are characters, not braces."""
    depth = 1
    for brace in re.finditer(r"\\.|[{}]", text[start:], re.DOTALL):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return text[start : start + brace.start()]
    return None


def _unwrapped(content: str) -> str:
    r"""The inside of \text{…} where that is all there is."""
    if not content.startswith(_TEXT):
        return content
    inside = _inside(content, len(_TEXT))
    return inside.strip() if inside is not None and len(inside) + len(_TEXT) + 1 == len(content) else content
