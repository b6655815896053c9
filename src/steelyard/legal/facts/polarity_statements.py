"""Statements of a text: its clauses with their signs (negations, opposites, hedges, conclusions …)."""

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from steelyard.legal.thresholds import CASE_REACH
from steelyard.lexicon import lexicon
from steelyard.text.scripts import has_han

WORDS: Final = lexicon("polarity")
_SCANNED: Final = (
    "idiom", "stop", "comma", "contrast", "without", "turn", "aside", "condition", "case", "depends", "both", "hedge",
    "claim", "finding", "conclusion", "rule", "mostly", "vacuous", "rhetoric", "opposites", "refuse", "negation",
    "modal", "prefix",
)  # fmt: skip
"""The classes of words that are looked for in one pass; at one place the earlier counts."""
_MARKS: Final = " ()[]-*>“”\"'、—→✅❌✔✘√×~.·"
_CARRIED: Final = frozenset(("claim", "finding", "conclusion", "rule", "mostly"))
_OPENS_CLAUSE: Final = frozenset(("contrast", "without", "turn", "aside", "condition"))


@dataclass(slots=True)
class Statement:
    """A clause with its position and its signs."""

    text: str
    sentence: int
    start: int = 0
    is_asked: bool = False
    signs: frozenset[str] = frozenset()
    sides: list[tuple[int, str]] = field(default_factory=list)
    negators: list[tuple[int, str]] = field(default_factory=list)
    prefixed: list[str] = field(default_factory=list)
    idioms: list[str] = field(default_factory=list)


def statements_of(text: str) -> list[Statement]:
    """The statements of a text without the questions that it repeats; a rhetorical question is a statement."""
    statements = scan(WORDS["asked_again"].sub("", text.lower()))
    return [statement for statement in statements if not statement.is_asked or "rhetoric" in statement.signs]


def scan(text: str) -> list[Statement]:
    """The clauses of a text in lower case, with their signs, in one pass."""
    state = _Scan(text)
    for token in _pattern("zh" if has_han(text) else "en").finditer(text):
        state.take(token.lastgroup or "", token)
    state.end_clause(len(text), len(text))
    return state.statements


@cache
def _pattern(language: str) -> re.Pattern[str]:
    """The pattern of all scanned words of a language, grouped by class; opposites and modals have their own groups."""
    groups: dict[str, list[str]] = {name: [] for name in _SCANNED}
    for name, entry in WORDS.entries():
        if name in groups and language in entry:
            groups[name].append(WORDS.entry_source(entry))
    sources = {name: "|".join(entries) for name, entries in groups.items() if entries}
    return re.compile("|".join(text if "(?P<" in text else f"(?P<{name}>{text})" for name, text in sources.items()))


class _Scan:
    """The state of a scan: the clause that is open, and the signs that hold until its sentence ends."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.statements: list[Statement] = []
        self.start = 0
        self.sentence = 0
        self.first_of_sentence = 0
        self.carried: frozenset[str] = frozenset()
        self.open = Statement("", 0)

    def take(self, kind: str, token: re.Match[str]) -> None:
        """Add one token to the open clause."""
        if kind == "comma":
            self.close(token.start(), token.end())
        elif kind == "stop":
            self.end_sentence(token)
        elif kind in ("negation", "refuse"):
            end = token.end() + (2 if kind == "negation" and token[0] != "n't" else 0)
            self.open.negators.append((token.start(), self.text[token.start() : end]))
        elif kind[1] == "_":
            self.open.sides.append((token.start(), kind))
            self.open.signs |= {"denies"} if kind == "r_agree" else frozenset()
        elif kind == "prefix":
            self.open.prefixed.append(self.text[token.end() : token.end() + 4])
        elif kind == "idiom":
            self.open.idioms.append(token[0])
        else:
            self.mark(kind, token)

    def mark(self, kind: str, token: re.Match[str]) -> None:
        """Add a sign to the clause; words such as 但 and because begin a new clause."""
        if kind in _OPENS_CLAUSE:
            self.close(token.start(), token.start())
        if kind in ("contrast", "without"):
            self.open.negators.append((token.start(), token[0]))
        if kind in ("turn", "finding"):
            self.carried -= {"claim"}
            self.open.signs -= {"claim"}
        if kind in _CARRIED:
            self.carried |= {kind}
        if kind == "case":
            before = self.text[max(self.start, token.start() - CASE_REACH) : token.start()]
            if token[0] == "的" and re.search("[是属为很]", before):
                return
            kind = "condition"
        self.open.signs |= {kind}

    def close(self, end: int, next_start: int) -> None:
        """End the open clause, and open the next."""
        self.open = Statement("", self.sentence, signs=self.end_clause(end, next_start))

    def end_clause(self, end: int, next_start: int) -> frozenset[str]:
        """End the open clause; the signs of the next, which after a condition has the sign `given`."""
        text = self.text[self.start : end].strip(_MARKS)
        start, self.start = self.start, next_start
        if not any(map(str.isalnum, text)):
            self.carried |= self.open.signs & _CARRIED
            return self.carried | (self.open.signs & {"turn"})
        self.open.text = text
        self.open.start = self.text.index(text, start)
        self.statements.append(self.open)
        if "condition" in self.open.signs:
            self.carried |= {"given"}
        return self.carried

    def end_sentence(self, token: re.Match[str]) -> None:
        """End the sentence; the clauses of one with a question mark are questions."""
        self.end_clause(token.start(), token.end())
        statements = self.statements[self.first_of_sentence :]
        if token[0] in "?？":
            for statement in statements:
                statement.is_asked = True
        self.first_of_sentence = len(self.statements)
        self.sentence += 1
        self.carried = frozenset()
        self.open = Statement("", self.sentence)
