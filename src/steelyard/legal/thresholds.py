"""Numbers that decide verdicts, each with its reason; lengths are in characters."""

from typing import Final

# ----- yes and no

LONGEST_READ: Final = 24_000
"""Of a longer answer half of this is read at its beginning and half at its end, where answers and conclusions are."""
ENOUGH_ECHO: Final = 8
"""The echo (2 for a pair of characters or a stem, 1 for a character) of a clause about the predicate: three words."""
TOPIC_ECHO: Final = 4
"""The echo that is enough beside a verdict or a modal of the question."""
RIVAL_ECHO: Final = 4
"""A clause whose echo is smaller by this than that of the best is not its rival: it repeats a word or two less."""
THESIS_SHARE: Final = 0.7
"""The share of the predicate that the deciding clause of several sentences repeats; two words of three are less."""
NEAR_NEGATION: Final = 3
"""A negation so near a verdict governs it: 不属于, 并非属于."""
SHORT_CLAUSE: Final = 4
"""A clause so short that shares one character with the predicate answers: 签了."""
CASE_REACH: Final = 12
"""Text before 的， in which 是 or 属于 makes it the end of a statement, not of a condition."""
NEXT_QUESTION: Final = 200
"""Text after a heading 问题： that may be the question itself, repeated."""
