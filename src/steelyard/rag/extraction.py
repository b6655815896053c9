"""Extraction from the output of a model: first sentences, boxed and tagged answers, search queries."""

import re
from typing import Final

from steelyard.search.extractive import sentences

_BOX: Final = r"\boxed{"
_TEXT: Final = r"\text{"
_MOST_BRACKETS: Final = 4  # brackets around an answer
_NO_QUERY: Final = "There is no query."
_O1_QUERY: Final = ("<|begin_search_query|>", "<|end_search_query|>")
_INFORMATION: Final = "**Final Information**"
_FINAL_ANSWER: Final = re.compile(r"so the answer is[\s:：]*([^\n]*)", re.IGNORECASE)
_TAGGED: Final = re.compile(r"<answer>(.*?)(?:</answer>|\Z)", re.DOTALL)
# a query ends at the next tag, or at the end of an output that was stopped there
_QUERIES: Final = {
    "search": re.compile(r"<search>([^<]*)"),
    "begin_of_query": re.compile(r"<\|begin_of_query\|>([^<]*)"),
}


def first_sentence(answer: str) -> str:
    """Return the first sentence of an answer; without an end mark, its first line."""
    return next(iter(sentences(answer)), "")


def boxed(answer: str) -> str:
    r"""Return the content of the last closed \boxed{…} of an answer; without one, the whole answer."""
    start = answer.rfind(_BOX)
    while start >= 0:
        content = _inside(answer, start + len(_BOX))
        if content is not None:
            return _unwrapped(content.strip())
        start = answer.rfind(_BOX, 0, start)
    return answer.strip()


def final_answer(answer: str) -> str:
    """Return the text after "so the answer is" on its line; without these words, the whole answer."""
    match = _FINAL_ANSWER.search(answer)
    return (match[1] if match else answer).strip()


def tagged_answer(answer: str) -> str:
    """Return the content of the first <answer>…</answer>; without one, the whole answer."""
    match = _TAGGED.search(answer)
    return (match[1] if match else answer).strip()


def search_question(answer: str, tag: str) -> str:
    """Return the last query in these tags (search, begin_of_query) as a question; without one, "There is no query."."""
    queries = _QUERIES[tag].findall(answer)
    if not queries:
        return _NO_QUERY
    query = queries[-1].strip()
    return query if query.endswith("?") else f"{query}?"


def o1_query(answer: str) -> str:
    """Return the last closed query between the marks of Search-o1, on one line and without quotation marks, or ""."""
    opening, closing = _O1_QUERY
    pieces = answer.split(opening)[1:]
    closed = (piece.partition(closing) for piece in reversed(pieces))
    query = next((query for query, end, _ in closed if end), "")
    return " ".join(query.split()).strip(" \"'")


def o1_reasoning(answer: str) -> str:
    """Return the text before the first query of Search-o1; without one, the whole answer."""
    return answer.partition(_O1_QUERY[0])[0].strip()


def o1_information(answer: str) -> str:
    """Return an answer from the line **Final Information** on; "" if it has none."""
    _, heading, rest = answer.partition(_INFORMATION)
    return f"{_INFORMATION}\n{rest.strip()}" if heading else ""


def _inside(text: str, start: int) -> str | None:
    r"""Return the text from `start` to the closing brace, or None; \{ and \} do not count as braces."""
    depth = 1
    for brace in re.finditer(r"\\.|[{}]", text[start:], re.DOTALL):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return text[start : start + brace.start()]
    return None


def _unwrapped(content: str) -> str:
    r"""Return the content without signs around all of it: $…$, \(…\), \text{…}, (…)."""
    content = content.strip("$").strip() if len(content) > 1 and content[0] == content[-1] == "$" else content
    if content.startswith(r"\(") and content.endswith(r"\)"):
        content = content[2:-2].strip()
    if content.startswith(_TEXT):
        inside = _inside(content, len(_TEXT))
        content = inside.strip() if inside is not None and len(inside) + len(_TEXT) + 1 == len(content) else content
    for _ in range(_MOST_BRACKETS):
        if content.startswith("(") and _closing(content) == len(content) - 1:
            content = content[1:-1].strip()
    return content


def _closing(text: str) -> int | None:
    """Return the index of the bracket that closes the first one of a text."""
    depth = 0
    for bracket in re.finditer(r"[()]", text):
        depth += 1 if bracket[0] == "(" else -1
        if depth == 0:
            return bracket.start()
    return None
