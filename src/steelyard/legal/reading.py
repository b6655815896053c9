"""An answer as the judges read it: its markup off, in one way of writing, its lines apart."""

from dataclasses import dataclass
from functools import lru_cache

from steelyard.text.folding import Folded
from steelyard.text.normal import normal, normal_with_offsets
from steelyard.text.reading import LONGEST_ANSWER, final_part, is_silent, plain_text, plain_text_with_offsets

__all__ = ["LONGEST_ANSWER", "Reading", "read", "read_with_offsets"]


@dataclass(frozen=True, slots=True)
class Reading:
    """A normal text with its lines apart, and what it announces as its final answer ("" if it announces none)."""

    text: str
    final: str = ""

    @property
    def is_silent(self) -> bool:
        """Whether nothing is said: no letter, digit or ideograph."""
        return is_silent(self.text)


@lru_cache(maxsize=1 << 12)
def read(answer: str) -> Reading:
    """The answer as every judge reads it; one longer than the limit is not read."""
    if len(answer) > LONGEST_ANSWER:
        return Reading("")
    plain = plain_text(answer)
    text = _normal_lines(plain)
    return Reading(text, final_part(text))


def read_with_offsets(answer: str) -> Folded:
    """The text of `read`, with the way back to the original."""
    if len(answer) > LONGEST_ANSWER:
        return Folded("", (0,))
    plain = plain_text_with_offsets(answer)
    text: list[str] = []
    offsets: list[int] = []
    at = 0
    for line in plain.text.split("\n"):
        folded = normal_with_offsets(line)
        if folded.text.strip():
            text.append(folded.text)
            offsets += [plain.offsets[at + place] for place in folded.offsets]
        at += len(line) + 1
    return Folded("\n".join(text), (*offsets[:-1], len(answer)) if offsets else (len(answer),))


def _normal_lines(plain: str) -> str:
    if "\n" not in plain:
        return normal(plain)
    return "\n".join(line for each in plain.split("\n") if (line := normal(each)).strip())
