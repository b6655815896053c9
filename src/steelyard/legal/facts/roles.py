"""What a value is said of: its role (collected, owed, interest; signed, born), its period and its item.

Words for a rate by the day, the month or the year are a period; 第三年, "the third year" and 2021年 are items.
"""

import re
from functools import lru_cache
from typing import Final

from steelyard.lexicon import lexicon
from steelyard.text.numerals import value_of

_WORDS: Final = lexicon("facts")
SUM_ROLES: Final = ("owed", "interest", "principal", "deposit", "penalty", "wage", "rent", "fee", "price")
"""Roles that only sums have."""
DATE_ROLES: Final = (
    "signed", "effective", "born", "begun", "ended", "reported", "delivered", "arrested", "registered"
)  # fmt: skip
"""Roles that only days have; all others may be said of both."""
_ROLES: Final = ("owed", "returned", *SUM_ROLES[1:7], "compensation", "fee", "price", "loan", *DATE_ROLES, "collected")
_ROLE: Final = re.compile("|".join(f"(?P<{name}>{_WORDS.source(name)})" for name in _ROLES), re.IGNORECASE)
_ALIKE: Final = ({"loan", "collected"}, {"delivered", "collected"})
"""Roles of which one is said of the other: who lends or hands over gives."""
_ENDS: Final = frozenset(("begun", "ended"))
"""Roles that anything can have: a beginning and an end."""
_FIRST: Final = (frozenset(("interest", "principal")), frozenset(("owed", "returned")))
"""Roles that are asked for even if others are named: 还欠多少工资 asks what is owed."""
GENERIC: Final = frozenset(("collected", "loan", "compensation"))
"""Roles that every part of a sum and the whole have; who pays a deposit pays."""
_PERIODS: Final = ("daily", "monthly", "yearly")
_NUMERAL: Final = re.compile("[一二三四五六七八九十]{1,3}")


@lru_cache(maxsize=1 << 12)
def roles(text: str, kind: str = "") -> frozenset[str]:
    """The roles that words of a text name, without those that a value of this kind cannot have."""
    impossible = () if not kind else SUM_ROLES if kind == "date" else DATE_ROLES
    return frozenset(str(match.lastgroup) for match in _ROLE.finditer(text)).difference(impossible)


def asked_roles(question: str, kind: str = "") -> frozenset[str]:
    """The roles that a question asks about; payment only if no other is named."""
    names = roles(question)
    first = next((names & first for first in _FIRST if names & first), None)
    return (first or names - {"collected"} or names) & roles(question, kind)


def contradicts(asked: frozenset[str], stated: frozenset[str]) -> bool:
    """Whether the stated roles are different from the asked ones."""
    if not asked or not stated or (asked <= _ENDS and not stated & _ENDS):
        return False
    if stated == {"collected"} and not asked & _FIRST[1]:
        return False
    return not (asked & stated or any(asked & alike and stated & alike for alike in _ALIKE))


def periods(text: str) -> frozenset[str]:
    """The periods for which words of a text state a rate."""
    return frozenset(name for name in _PERIODS if _WORDS[name].search(text))


def items(text: str) -> frozenset[str]:
    """The years, instalments and other numbered items that a text names, with numerals in figures."""
    found = (match[0].lower() for match in _WORDS["item"].finditer(text))
    return frozenset(_NUMERAL.sub(lambda numeral: str(value_of(numeral[0]) or numeral[0]), item) for item in found)


def caps(text: str) -> frozenset[str]:
    """Whether words of a text make a value an upper limit, as an aspect of it."""
    return frozenset(("cap",)) if _WORDS["cap"].search(text) else frozenset()
