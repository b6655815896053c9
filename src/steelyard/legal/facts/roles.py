"""Roles of sums and days: collected, returned, still owed, interest; signed, effective, born."""

import re
from functools import lru_cache
from typing import Final

from steelyard.lexicon import lexicon

SUM_ROLES: Final = ("owed", "interest", "principal", "deposit", "penalty", "wage", "rent", "fee", "price")
"""Roles that only sums have."""
DATE_ROLES: Final = (
    "signed", "effective", "born", "begun", "ended", "reported", "delivered", "arrested", "registered"
)  # fmt: skip
"""Roles that only days have; all others may be said of both."""
_ROLES: Final = ("owed", "returned", *SUM_ROLES[1:7], "compensation", "fee", "price", "loan", *DATE_ROLES, "collected")
_PATTERN: Final = re.compile("|".join(f"(?P<{name}>{lexicon('facts').source(name)})" for name in _ROLES), re.IGNORECASE)
_ALIKE: Final = ({"loan", "collected"}, {"delivered", "collected"})
"""Roles of which one is said of the other: who lends or hands over gives."""
_ENDS: Final = frozenset(("begun", "ended"))
"""Roles that anything can have: a beginning and an end."""
_FIRST: Final = frozenset(("owed", "returned"))
"""Roles that are asked for even if others are named: 还欠多少工资 asks what is owed."""


@lru_cache(maxsize=1 << 12)
def roles(text: str, kind: str = "") -> frozenset[str]:
    """The roles that words of a text name, without those that a value of this kind cannot have."""
    impossible = () if not kind else SUM_ROLES if kind == "date" else DATE_ROLES
    return frozenset(str(match.lastgroup) for match in _PATTERN.finditer(text)).difference(impossible)


def asked_roles(question: str, kind: str = "") -> frozenset[str]:
    """The roles that a question asks about: still owed and returned first, payment only if no other is named."""
    names = roles(question)
    return (names & _FIRST or names - {"collected"} or names) & roles(question, kind)


def contradicts(asked: frozenset[str], stated: frozenset[str]) -> bool:
    """Whether the stated roles are different from the asked ones."""
    if not asked or not stated or (asked <= _ENDS and not stated & _ENDS):
        return False
    return not (asked & stated or any(asked & alike and stated & alike for alike in _ALIKE))
