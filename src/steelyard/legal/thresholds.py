"""Numbers that decide verdicts, each with its reason; lengths are in characters."""

from typing import Final

# ----- grounding

LONGEST_STEM: Final = 16
"""Text before the suffix of a Chinese place or organisation that may be its name."""
LONG_TITLE: Final = 6
"""Title of a statute that is enough, whatever stands before it in the other text."""
LONGEST_SURE_CORE: Final = 8
"""Name before a suffix that only names have (有限公司), without the words for its trade."""
LONGEST_CORE: Final = 4
"""Name before a suffix that is also a noun (公司): more is a piece of a sentence."""
LONGEST_AREA: Final = 6
"""Name of a town, a village or a street with its suffix."""
NEAR_AMOUNTS: Final = 8
"""Amounts on each side of a value from which it may follow."""
NEAR_COUNTS: Final = 3
"""Counts on each side of a value that may be factors of it."""
NEAR_MOMENTS: Final = 4
"""Dates or clock times on each side of a value between which it may be the time."""
ADDENDS: Final = 48
"""Addends of a sum in a row: a year of four payments a month."""
CLAUSE_REACH: Final = 14
"""Text on each side of a value that says what it is (total, rest, share); three times as much in Latin script."""
FIGURES_OF_SHARES: Final = 18
"""Figures of a document whose ratios are tried; more have a ratio near any percentage."""
DAYS_OF_SPANS: Final = 12
"""Days of a document between which spans are tried; more have a span of nearly any length."""
PERIODS: Final = 6
"""Periods of a document that are added to its days."""
ROUNDED_CENTS: Final = 50
"""Difference in cents between an amount and a percentage of another that is rounding."""
ROUGH_MEASURE: Final = 40
"""A measure in another unit may differ from the exact one by this fraction (1/40): 8 km for 5 miles."""
ROUGH_DIGITS: Final = 3
"""Digits of a measure that may be rounded so; one with more is as exact as its last digit."""
ROUGH_MINUTES: Final = 20
"""A stated duration may differ from the exact one by this fraction (1/20)."""
SMALL: Final = 1000
"""A smaller number without a unit is a claim only in full, and known if the document has it in any form."""
SMALL_FIELD: Final = 100
"""The same in a record, whose keys say what a number is."""
LONGEST_LIST: Final = 20
"""Items of a list that an answer counts."""
FEW_TIMES: Final = 4
"""Occurrences that an answer may count by the amounts of a document that counts none."""
HALF: Final = 0.5
"""Difference from a percentage of the document of one that is said to be about it."""
WORDS_OF_TERM: Final = 3
"""Words of a quotation that is rather a term; the document need not have them in a row."""
NEAREST: Final = 64
"""Amounts of a document near an approximate one that are compared with it."""

# ----- evidence

PASSAGE: Final = 20
"""The length from which a match in a document is a passage and not a coincidence."""
LATIN: Final = 3
"""The number of Latin characters that correspond to one Chinese character."""
DUMP: Final = 600
"""The most copied Chinese characters of an answer that is not a dump: two passages of maximum length."""
PER_EVIDENCE: Final = 4
"""The most copied characters for each character of the required evidence."""
WHOLE_DOCUMENT: Final = 0.9
"""The share of a document whose copy is a dump, however short the document is."""
SHARED_CHARACTERS: Final = 6
"""Characters that an answer must share with the document beyond the question, in runs of three or more.

Two words of two characters are shared by chance ("这是一个" is in many transcripts); the shortest real statements
(坏了半个月没有修, 联系不上货源) have six or more.
"""
SHARED_WORDS: Final = 3
"""The same for words of four or more Latin letters: one or two are shared by chance."""
SHORTEST_QUOTE: Final = 4
"""The least number of characters of a quotation; fewer are a word."""
EXAMINED: Final = 2000
"""The number of characters of an answer that are examined for content."""
