"""Clauses of a text with their signs (negators, hedges, conclusions …), for yes/no questions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from steelyard.legal.facts.polarity_words import SCAN_EN, SCAN_ZH
from steelyard.text.scripts import HAN

IS_HAN: Final = re.compile(f"[{HAN}]")
# a question that is repeated inside a statement: 关于是否承认借款
_ASKED_FORM: Final = re.compile(
    r"(?:是否(?!定的)|能否|(?<!不)可否|会否|有无|有没有|是不是|(?P<v>[\u4e00-\u9fff])[不没](?P=v)|"
    r"可不可以)(?:(?!取决于|要看|需看|应看|视情|看情况|而定)[^,，。;；!?！？:：\n])*"
    r"|\bwhether\b(?! or not\b)[^,.;!?\n]*"
)
_MARKS: Final = " ()[]-*>“”\"'、—→✅❌✔✘√×~.·"
_CARRIED: Final = frozenset(("claim", "court", "conclude", "rule", "mostly"))
_CONCLUDES: Final = frozenset(("conclude",))
_OPENS_CLAUSE: Final = frozenset(("contrast", "turn", "aside"))
_DENIAL: Final = re.compile("否认|矢口否认|den(?:y|ie)")
_HEADING: Final = re.compile(
    r"(?:最终)?结论|总结|小结|答案|conclusion|final answer|holding|bottom line|short answer|summary"
)
_SUFFIX: Final = re.compile(r"的话|(?:情况|情形|前提|条件)下|[时后]$")


@dataclass(slots=True)
class Clause:
    """A clause with its position and its signs."""

    text: str
    sentence: int
    start: int = 0
    is_asked: bool = False
    signs: frozenset[str] = frozenset()
    sides: Sequence[tuple[int, str]] = ()
    negators: Sequence[tuple[int, str]] = ()
    prefixed: Sequence[str] = ()
    idioms: Sequence[str] = ()

    @property
    def is_plain(self) -> bool:
        """Whether the clause has no sign of any kind."""
        return not (self.signs or self.negators or self.sides or self.idioms or self.prefixed)


def clauses_of(text: str) -> list[Clause]:
    """The clauses of a text without the questions that it repeats; a rhetorical question is a statement."""
    clauses = scan(_ASKED_FORM.sub("", text.lower()))
    return [clause for clause in clauses if not clause.is_asked or "rhetoric" in clause.signs]


def scan(text: str) -> list[Clause]:
    """The clauses of a text in lower case, with their signs, in one pass."""
    state = _Scan(text)
    for token in (SCAN_ZH if IS_HAN.search(text) else SCAN_EN).finditer(text):
        state.take(token.lastgroup or "", token)
    state.end_clause(len(text), len(text))
    return state.clauses


class _Scan:
    """The state of a scan: the clause that is open, and the signs that hold until its sentence ends."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.clauses: list[Clause] = []
        self.start = 0
        self.sentence = 0
        self.first_of_sentence = 0
        self.carried: frozenset[str] = frozenset()
        self.open = Clause("", 0)

    def take(self, kind: str, token: re.Match[str]) -> None:
        """Add one token to the open clause."""
        if kind == "comma":
            self.close(token.start(), token.end())
        elif kind == "stop":
            self.end_sentence(token)
        elif kind in ("not", "short", "refuse", "lean_not"):
            self.negate(kind, token)
        elif kind[1] == "_":
            self.open.sides = _added(self.open.sides, (token.start(), kind))
        elif kind == "prefix":
            self.open.prefixed = _added(self.open.prefixed, self.text[token.end() : token.end() + 4])
        elif kind == "idiom":
            self.open.idioms = _added(self.open.idioms, token[0])
        else:
            self.mark(kind, token)

    def negate(self, kind: str, token: re.Match[str]) -> None:
        """Add a negator to the clause."""
        end = token.end() + (2 if kind == "not" else 0)
        self.open.negators = _added(self.open.negators, (token.start(), self.text[token.start() : end]))
        if kind in ("refuse", "lean_not"):
            self.open.signs |= {"refuse" if kind == "refuse" else "lean"}
        if _DENIAL.match(token[0]):
            self.open.signs |= {"denial"}

    def mark(self, kind: str, token: re.Match[str]) -> None:
        """Add a sign to the clause; words such as 但 and because begin a new clause."""
        if kind in _OPENS_CLAUSE or (kind == "condition" and not _SUFFIX.match(token[0])):
            self.close(token.start(), token.start())
        if kind == "contrast":
            self.open.negators = _added(self.open.negators, (token.start(), token[0]))
        if kind in ("turn", "court"):
            self.carried -= {"claim"}
            self.open.signs -= {"claim"}
        if kind in _CARRIED:
            self.carried |= {kind}
        if kind == "of":
            kind = (
                "condition"
                if not re.search("[是属为很]", self.text[max(self.start, token.start() - 12) : token.start()])
                else "idiom"
            )
        self.open.signs |= {kind}

    def close(self, end: int, next_start: int) -> None:
        """End the open clause, and open the next."""
        self.open = Clause("", self.sentence, signs=self.end_clause(end, next_start))

    def end_clause(self, end: int, next_start: int) -> frozenset[str]:
        """End the open clause; the signs of the next, which after a condition has the sign `given`."""
        text = self.text[self.start : end].strip(_MARKS)
        start, self.start = self.start, next_start
        if not any(map(str.isalnum, text)):
            self.carried |= self.open.signs & _CARRIED
            return self.carried | (self.open.signs & {"turn"})
        self.open.text = text
        self.open.start = self.text.index(text, start)
        self.clauses.append(self.open)
        if "condition" in self.open.signs:
            self.carried |= {"given"}
        return self.carried

    def end_sentence(self, token: re.Match[str]) -> None:
        """End the sentence; the clauses of one with a question mark are questions."""
        self.end_clause(token.start(), token.end())
        clauses = self.clauses[self.first_of_sentence :]
        if token[0] in "?？":
            for clause in clauses:
                clause.is_asked = True
        is_heading = len(clauses) == 1 and _HEADING.fullmatch(clauses[0].text) is not None
        self.first_of_sentence = len(self.clauses)
        self.sentence += 1
        self.carried = _CONCLUDES if is_heading else frozenset()
        self.open = Clause("", self.sentence, signs=self.carried)


_Item = TypeVar("_Item")


def _added(items: Sequence[_Item], item: _Item) -> Sequence[_Item]:
    """The items with one more, in the same list if there is one already."""
    if isinstance(items, list):
        items.append(item)
        return items
    return [item]
