"""Numbers that decide verdicts, each with its reason; lengths are in characters."""

from typing import Final

# ----- facts

BOUND_WORDS: Final = 24
"""Text beside a value that may be the words of a bound ("up to", 最多不超过)."""
DENIAL_REACH: Final = 40
"""Text before a value in which a denial governs it; a longer distance has another object."""
ALTERNATIVE_REACH: Final = 12
"""Distance of "or" from the values that it offers: room for a unit and a noun."""
TOTAL_REACH: Final = 60
"""Text before a value that may announce it as a total."""
ROLE_REACH: Final = 80
"""Text on each side of a value that is searched for its role."""
SHORTEST_LIST: Final = 6
"""Values that make a bare list; fewer may be an answer with its parts."""
LIST_PIECE: Final = 40
"""Length from which a piece between separators is a statement and no item of a list."""
OPERANDS: Final = 40
"""Operands of an equation that are read."""
CENT: Final = "0.01"
"""Tolerance of the result of an equation."""
ROUNDED: Final = 200
"""An approximate result may differ from the exact one by this fraction (1/200)."""
EQUATION_REACH: Final = 400
"""Text before a result that is searched for its equation."""
RESTATEMENT: Final = 80
"""Length of brackets that may restate a sum in words or in another unit."""
YEARS: Final = (1500, 2100)
"""Bare numbers that are taken for years where other counts are stated."""
NAME_REACH: Final = 24
"""Text before a name in which a denial, an alternative or a list governs it."""
OCCURRENCES: Final = 64
"""Occurrences of a name that are examined."""
PARAPHRASE: Final = 0.2
"""Share of the words of an expected text that an answer must have to be perhaps a paraphrase of it (A25).

On open labels of others it holds 55 % of the false denials with 28 % of all denials.
"""
EXPLANATION: Final = 6
"""Terms that make an expected text an explanation: other figures beside it are no rivals of it."""
SHORT_ANSWER: Final = 24
"""Length up to which an answer to the question for a person is a name, if also none that the rules know."""
PERIODS_IN_PERIOD: Final = (7, 12, 24, 30, 52, 360, 365)
"""Factors by which a rate for one period is converted to another: days, months and weeks in a year, and so on."""
CONVERSION: Final = "0.015"
"""Relative error of a conversion that is right: it may be rounded."""
WORKING: Final = 150
"""Length from which an answer without a value, or with several and no conclusion, may say it in words (A25)."""
NAME_CONTEXT: Final = 60
"""Text on each side of a name that is read: a list, a rank or an owner beside it."""
SURPLUS: Final = 16
"""Text by which an answer that is a name may be longer than it: a title and a full stop."""
ANSWERING: Final = 2
"""Terms of the question that make a clause the answering one, or one clause clearly more so than another."""
STATED_ITEMS: Final = 10
"""A list states something if more than one piece in this number does."""
