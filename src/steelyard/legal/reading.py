"""The text of an answer as the judges read it: without markup, normalised, with its lines, clauses and sentences."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import attrgetter, itemgetter
from typing import Final, NamedTuple

from steelyard.io.outputs import record_in
from steelyard.text.mentions import mentions
from steelyard.text.normalisation import Folded, normalise_with_offsets
from steelyard.text.reading import LONGEST_ANSWER, final_part, is_silent, plain_text_with_offsets
from steelyard.text.values import CHINESE

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
    """Return whether an answer has more characters or figures than the judges read."""
    if len(answer) > longest:
        return True
    return len(answer) > MOST_FIGURES and sum(1 for _ in _FIGURE.finditer(answer)) > MOST_FIGURES


def answer_in(text: str) -> str:
    """Return the answer in a JSON record that a model wrote, bare or fenced; any other text unchanged."""
    if "{" not in text:
        return text
    answer = record_in(text).get("answer")
    return answer if isinstance(answer, str) and answer else text


@lru_cache(maxsize=1 << 12)
def read(answer: str) -> Reading:
    """Return the reading of an answer; empty if it is too long."""
    text = read_with_offsets(answer).text
    return Reading(text, final_part(text))


@lru_cache(maxsize=1 << 4)
def read_with_offsets(answer: str) -> Folded:
    """Return the text of `read` with offsets into the original; cached, because it is needed for many values."""
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


QUOTED: Final = re.compile(
    '“(?:[^“”]|“[^“”]{0,80}”){0,400}”|「[^」]{0,400}」|『[^』]{0,400}』|"[^"]{0,400}"|《[^》]{0,80}》'
)
"""A quotation, or the title of a work."""
# a comma or a point inside a number does not end a clause
_STOP: Final = re.compile(r"[,。;!?！？；\n.](?:(?<![,.])|(?<=,)(?:(?!\d{3}(?!\d))|(?<!\d,))|(?<=\.)(?=\s|$))")
_BRACKETED: Final = re.compile(r"\([^()\n]{0,400}\)|\[[^\[\]\n]{0,400}\]|【[^】\n]{0,400}】|《[^》\n]{0,80}》")
_CACHED_TEXTS: Final = 1 << 10


class Clause(NamedTuple):
    """A piece of a text between two stops, with the number of its sentence."""

    start: int
    end: int
    text: str
    sentence: int


class Pieces(list[Clause]):
    """The pieces of a text between stops, without empty ones, found by index in logarithmic time."""

    def __init__(self, text: str, stops: Sequence[int], sentences: "Pieces | None" = None) -> None:
        spans = zip([0, *[at + 1 for at in stops]], [*stops, len(text)], strict=True)
        for start, end in ((start, end) for start, end in spans if start < end):
            sentence = len(self) if sentences is None else sentences.number(start)
            self.append(Clause(start, end, text[start:end], sentence))
        self._text = text

    def number(self, index: int) -> int:
        """Return the number of the piece at an index of the text, or of the last before it; -1 if there is none."""
        return bisect_right(self, index, key=attrgetter("start")) - 1

    def at(self, index: int) -> Clause:
        """Return the piece at an index of the text, or the last before it; the text if there is none."""
        number = self.number(index)
        return self[number] if number >= 0 else Clause(0, len(self._text), self._text, 0)

    def after(self, piece: Clause) -> str:
        """Return the text of the next piece, or ""."""
        number = self.number(piece.start) + 1
        return self[number].text if number < len(self) else ""


class Outline:
    """The clauses, sentences and brackets of a text. A comma inside a date or a number is not a stop."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _stops(self) -> list[int]:
        values = (value for value in mentions(self.text) if value.end - value.start > 3)
        inside = {at for value in values for at in range(value.start + 1, value.end)}
        return [at for stop in _STOP.finditer(self.text) if (at := stop.start()) not in inside]

    @cached_property
    def sentences(self) -> Pieces:
        """The sentences of the text: their stops are those of clauses except commas."""
        return Pieces(self.text, [at for at in self._stops if self.text[at] != ","])

    @cached_property
    def clauses(self) -> Pieces:
        return Pieces(self.text, self._stops, self.sentences)

    @cached_property
    def _brackets(self) -> list[tuple[int, int]]:
        return [match.span() for match in _BRACKETED.finditer(self.text)]

    def is_bracketed(self, start: int, end: int) -> bool:
        at = bisect_right(self._brackets, start, key=itemgetter(0)) - 1
        return at >= 0 and self._brackets[at][0] < start and end < self._brackets[at][1]


@lru_cache(maxsize=_CACHED_TEXTS)
def outline(text: str) -> Outline:
    """Return the outline of a normalised text."""
    return Outline(text)


def clause_of(text: str, index: int) -> Clause:
    """Return the clause at an index."""
    return outline(text).clauses.at(index)


def without_quotes(text: str, filler: str = " ") -> str:
    """Return the text with every character of a quotation replaced by the filler."""
    return QUOTED.sub(lambda quote: filler * len(quote[0]), text)
