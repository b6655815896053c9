"""The text of an answer as the judges read it: without markup, normalised, line by line."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from steelyard.io.outputs import record_in
from steelyard.text.normalisation import Folded, normalise_with_offsets
from steelyard.text.numerals import CHINESE
from steelyard.text.reading import LONGEST_ANSWER, final_part, is_silent, plain_text_with_offsets

__all__ = ["LONGEST_ANSWER", "MOST_FIGURES", "Reading", "answer_in", "is_too_long", "read", "read_with_offsets"]

MOST_FIGURES: Final = 2_000
"""The maximum number of figures in an answer; one with more is not judged."""
_FIGURE: Final = re.compile(rf"[0-9０-９]+|[{CHINESE}]+")


@dataclass(frozen=True, slots=True)
class Reading:
    """A normalised text with its lines, and its announced final answer ("" if there is none)."""

    text: str
    final: str = ""

    @property
    def is_silent(self) -> bool:
        """Whether there is no letter, digit or ideograph."""
        return is_silent(self.text)


def is_too_long(answer: str, longest: int = LONGEST_ANSWER) -> bool:
    """Whether an answer has more characters or figures than the judges read."""
    if len(answer) > longest:
        return True
    return len(answer) > MOST_FIGURES and sum(1 for _ in _FIGURE.finditer(answer)) > MOST_FIGURES


def answer_in(text: str) -> str:
    """The answer in a JSON record that a model wrote, bare or fenced; any other text unchanged."""
    if "{" not in text:
        return text
    answer = record_in(text).get("answer")
    return answer if isinstance(answer, str) and answer else text


@lru_cache(maxsize=1 << 12)
def read(answer: str) -> Reading:
    """The reading of an answer; empty if it is too long."""
    text = read_with_offsets(answer).text
    return Reading(text, final_part(text))


@lru_cache(maxsize=1 << 4)
def read_with_offsets(answer: str) -> Folded:
    """The text of `read` with offsets into the original; cached, because it is needed for many values."""
    if is_too_long(answer):
        return Folded("", (0,))
    plain = plain_text_with_offsets(answer)
    lines: list[str] = []
    offsets: list[int] = []
    at = 0
    for line in plain.text.split("\n"):
        folded = normalise_with_offsets(line)
        if folded.text.strip():
            lines.append(folded.text)
            offsets += [plain.offsets[at + offset] for offset in folded.offsets]
        at += len(line) + 1
    return Folded("\n".join(lines), (*offsets[:-1], len(answer)))
