"""Numbers that decide a verdict, each with its reason. Lengths are in characters unless said."""

from typing import Final

# ----- refusals: cues

SPEAKER: Final = 3
"""The strongest refusal: the speaker declines, or says that it cannot know."""
THE_SOURCE: Final = 2
"""The source, or nobody in particular, does not say."""
SOMEBODY: Final = 1
"""A person of the case does not know, or a thing is unknown: often content."""
MOST_CUES: Final = 400
"""The most matches of one pattern of refusal in an answer; it bounds the time of hostile texts."""
CUE_CONTEXT: Final = 60
"""How far the words beside a cue count; a long sentence has about as many."""
IDIOM_CONTEXT: Final = 8
"""How far from a cue an idiom may begin that contains it."""
LONG_CLAUSE: Final = 200
"""What is beyond this distance in a clause without stops has nothing to do with a cue."""
PREMISE_CUE: Final = 12
PREMISE_TERMS: Final = 4
"""A denial so long, with so many terms of the question, corrects its premise."""
LATIN_WEIGHT: Final = 0.4
"""The weight of a letter; a Chinese character weighs 1, and says about as much as half a word."""

# ----- refusals: what is stated beside them, by weight

LEAST_STATED: Final = 4.0
"""Less is a phrase such as 他说."""
PHRASE: Final = 5.0
"""A clause of more says something of its own: 不起诉决定."""
ANSWERED: Final = 8.0
"""The least clause that can be an answer after a turn or a conclusion."""
BRIEF: Final = 12.0
"""A short sentence."""
STATED: Final = 20.0
"""A full sentence."""
VAGUE_STATED: Final = 25.0
"""What is stated beside a request for clarification from which on the answer counts."""
LONG_ANSWER: Final = 40.0
"""Two full sentences: enough to be an answer by themselves."""
LONG: Final = 60.0
"""From here on an answer is long: a paragraph."""
EXPOSITION: Final = 150.0
"""From here on an open question counts as answered even after a refusal by the speaker."""
BRIEF_CONCLUSION: Final = 14
"""A clause below this length after 因此 is only the mark of a conclusion."""
SHORT_ANSWER: Final = 16
"""Clauses; in a shorter answer a refusal at its end closes it."""
LONGEST_VALUE_SEARCH: Final = 4_000
"""Values of a longer text are looked for at its beginning and end."""
