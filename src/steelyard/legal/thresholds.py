"""Numbers that decide a verdict, each with its reason. Lengths are in characters unless said."""

from typing import Final

# ----- refusals: cues

SPEAKER: Final = 3  # the strongest refusal: the speaker declines, or says that it cannot know
THE_SOURCE: Final = 2  # the source, or nobody in particular, does not say
SOMEBODY: Final = 1  # a person of the case does not know, or a thing is unknown: often content
MOST_CUES: Final = 400  # the most matches of one pattern of refusal in an answer; it bounds the time of hostile texts
CUE_CONTEXT: Final = 60  # how far the words beside a cue count; a long sentence has about as many
LONG_CLAUSE: Final = 200  # what is beyond this distance in a clause without stops has nothing to do with a cue
PREMISE_CUE: Final = 12
PREMISE_TERMS: Final = 4  # a denial so long, with so many terms of the question, corrects its premise
LATIN_WEIGHT: Final = 0.4  # the weight of a letter; a Chinese character weighs 1, and says about as much as half a word

# ----- refusals: what is stated beside them, by weight

LEAST_STATED: Final = 4.0  # less is a phrase such as 他说
PHRASE: Final = 5.0  # a clause of more says something of its own: 不起诉决定
ANSWERED: Final = 8.0  # the least clause that can be an answer after a turn or a conclusion
BRIEF: Final = 12.0  # a short sentence
STATED: Final = 20.0  # a full sentence
VAGUE_STATED: Final = 25.0  # what is stated beside a request for clarification from which on the answer counts
LONG_ANSWER: Final = 40.0  # two full sentences: enough to be an answer by themselves
LONG: Final = 60.0  # from here on an answer is long: a paragraph
FULL_ANSWER: Final = 3  # sentences or lines that answer, whatever a general sentence at the end says
EXPOSITION: Final = 150.0  # from here on an open question counts as answered even after a refusal by the speaker
TURNED: Final = 90.0  # the same after a refusal by the speaker and a turn to the matter
TREATISE: Final = 300.0  # text before a refusal of the asked item from which on it is doubtful that the answer refuses
TURN_SENTENCES: Final = 2  # a turn from a refusal is in its sentence or the next
TURN_CLAUSES: Final = 9  # clauses from a turn on of which one must state something
MORAL_CLAUSES: Final = 12  # clauses at the beginning of an answer that are searched for moral reproach
BRIEF_CONCLUSION: Final = 14  # a clause below this length after 因此 is only the mark of a conclusion
SHORT_REFUSAL: Final = 16  # clauses; in a shorter answer a refusal at its end closes it
LONGEST_UNDECIDED: Final = 300  # in a longer answer words such as 争议 are about more than the asked item
LONGEST_VALUE_SEARCH: Final = 4_000  # values of a longer text are looked for at its beginning and end

# ----- facts

BOUND_WORDS: Final = 24  # text beside a value that may be the words of a bound ("up to", 最多不超过)
DENIAL_REACH: Final = 40  # text before a value in which a denial governs it; a longer distance has another object
ALTERNATIVE_REACH: Final = 12  # distance of "or" from the values that it offers: room for a unit and a noun
TOTAL_REACH: Final = 60  # text before a value that may announce it as a total
ROLE_REACH: Final = 80  # text on each side of a value that is searched for its role
SHORTEST_LIST: Final = 6  # values that make a bare list; fewer may be an answer with its parts
LIST_PIECE: Final = 40  # length from which a piece between separators is a statement and no item of a list
OPERANDS: Final = 40  # operands of an equation that are read
CENT: Final = "0.01"  # tolerance of the result of an equation
ROUNDED: Final = 200  # an approximate result may differ from the exact one by this fraction (1/200)
EQUATION_REACH: Final = 400  # text before a result that is searched for its equation
RESTATEMENT: Final = 80  # length of brackets that may restate a sum in words or in another unit
LONGEST_FIGURE: Final = 60  # characters of an expected text that may be one number with its unit
YEARS: Final = (1500, 2100)  # bare numbers that are taken for years where other counts are stated
NAME_REACH: Final = 24  # text before a name in which a denial, an alternative or a list governs it
OCCURRENCES: Final = 64  # occurrences of a name that are examined
PARAPHRASE: Final = 0.2
"""Share of the words of an expected text that an answer must have to be perhaps a paraphrase of it (A25).

On open labels of others it holds 55 % of the false denials with 28 % of all denials.
"""
EXPLANATION: Final = 6  # terms that make an expected text an explanation: other figures beside it are no rivals of it
SHORT_ANSWER: Final = 24
"""Length up to which an answer to the question for a person is a name, if also none that the rules know."""
PERIODS_IN_PERIOD: Final = (7, 12, 24, 30, 52, 360, 365)
"""Factors by which a rate for one period is converted to another: days, months and weeks in a year, and so on."""
CONVERSION: Final = "0.015"  # relative error of a conversion that is right: it may be rounded
WORKING: Final = 150
"""Length from which an answer without a value, or with several and no conclusion, may say it in words (A25)."""

# ----- yes and no

LONGEST_READ: Final = 24_000
"""Of a longer answer half of this is read at its beginning and half at its end, where answers and conclusions are."""
ENOUGH_ECHO: Final = 8
"""The echo (2 for a pair of characters or a stem, 1 for a character) of a clause about the predicate: three words."""
TOPIC_ECHO: Final = 4  # the echo that is enough beside a verdict or a modal of the question
RIVAL_ECHO: Final = 4
"""A clause whose echo is smaller by this than that of the best is not its rival: it repeats a word or two less."""
THESIS_SHARE: Final = 0.7
"""The share of the predicate that the deciding clause of several sentences repeats; two words of three are less."""
NEGATED_WORDS: Final = 6  # English words from a negator on that it governs: "not have the right to" terminate
NEAR_NEGATION: Final = 3  # a negation so near a verdict governs it: 不属于, 并非属于
SHORT_CLAUSE: Final = 4  # a clause so short that shares one character with the predicate answers: 签了
CASE_REACH: Final = 12  # text before 的， in which 是 or 属于 makes it the end of a statement, not of a condition
NEXT_QUESTION: Final = 200  # text after a heading 问题： that may be the question itself, repeated

# ----- grounding

LONGEST_STEM: Final = 16  # text before the suffix of a Chinese place or organisation that may be its name
LONGEST_RANGE: Final = 100  # articles from first to last that are read as all between them
LONG_TITLE: Final = 6  # title of a statute that is enough, whatever stands before it in the other text
LONGEST_SURE_CORE: Final = 8  # name before a suffix that only names have (有限公司), without the words for its trade
LONGEST_CORE: Final = 4  # name before a suffix that is also a noun (公司): more is a piece of a sentence
LONGEST_AREA: Final = 6  # name of a town, a village or a street with its suffix
NEAR_AMOUNTS: Final = 8  # amounts on each side of a value from which it may follow
NEAR_COUNTS: Final = 3  # counts on each side of a value that may be factors of it
NEAR_MOMENTS: Final = 4  # dates or clock times on each side of a value between which it may be the time
ADDENDS: Final = 48  # addends of a sum in a row: a year of four payments a month
CLAUSE_REACH: Final = 14
"""Text on each side of a value that says what it is (total, rest, share); three times as much in Latin script."""
FIGURES_OF_SHARES: Final = 18  # figures of a document whose ratios are tried; more have a ratio near any percentage
DAYS_OF_SPANS: Final = 12  # days of a document between which spans are tried; more have a span of nearly any length
PERIODS: Final = 6  # periods of a document that are added to its days
ROUNDED_CENTS: Final = 50  # difference in cents between an amount and a percentage of another that is rounding
ROUGH_MEASURE: Final = 40
"""A measure in another unit may differ from the exact one by this fraction (1/40): 8 km for 5 miles."""
ROUGH_DIGITS: Final = 3  # digits of a measure that may be rounded so; one with more is as exact as its last digit
ROUGH_MINUTES: Final = 20  # a stated duration may differ from the exact one by this fraction (1/20)
SMALL: Final = 1000
"""A smaller number without a unit is a claim only in full, and known if the document has it in any form."""
SMALL_FIELD: Final = 100  # the same in a record, whose keys say what a number is
LONGEST_LIST: Final = 20  # items of a list that an answer counts
FEW_TIMES: Final = 4  # occurrences that an answer may count by the amounts of a document that counts none
HALF: Final = 0.5  # difference from a percentage of the document of one that is said to be about it
WORDS_OF_TERM: Final = 3  # words of a quotation that is rather a term; the document need not have them in a row
NEAREST: Final = 64  # amounts of a document near an approximate one that are compared with it

# ----- evidence

PASSAGE: Final = 20  # the length from which a match in a document is a passage and not a coincidence
CHUNK: Final = 3 * PASSAGE  # the length from which on it may begin or end inside a number, as retrieved chunks do
LATIN: Final = 3  # the number of Latin characters that correspond to one Chinese character
DUMP: Final = 600  # the most copied Chinese characters of an answer that is not a dump: two passages of maximum length
PER_EVIDENCE: Final = 4  # the most copied characters for each character of the required evidence
MOST_OF_SENTENCE: Final = 0.6  # the share of a sentence that a single copied run is if the sentence is the document's
WHOLE_DOCUMENT: Final = 0.9  # the share of a document whose copy is a dump, however short the document is
SHARED_CHARACTERS: Final = 6
"""Characters that an answer must share with the document beyond the question, in runs of three or more.

Two words of two characters are shared by chance ("这是一个" is in many transcripts); the shortest real statements
(坏了半个月没有修, 联系不上货源) have six or more.
"""
SHARED_WORDS: Final = 3  # the same for words of four or more Latin letters: one or two are shared by chance
SHORTEST_QUOTE: Final = 4  # the least number of characters of a quotation; fewer are a word
EXAMINED: Final = 2000  # the number of characters of an answer that are examined for content
NAME_CONTEXT: Final = 60  # text on each side of a name that is read: a list, a rank or an owner beside it
SURPLUS: Final = 16  # text by which an answer that is a name may be longer than it: a title and a full stop
ANSWERING: Final = 2
"""Terms of the question that make a clause the answering one, or one clause clearly more so than another."""
STATED_ITEMS: Final = 10  # a list states something if more than one piece in this number does

# ----- keyed points

LOOSE_FORM: Final = 4  # characters, or twice the words, from which on a form may be meant by words that are apart
LISTED_FORMS: Final = 3  # forms of one point, each a clause of its own, that are a list of its forms
LOOSE_SPAN: Final = 2  # so many times its length a form may span with the words in between
SHORT_FORM: Final = 2  # English words of a form that a negation before another verb does not deny
UNKNOWN_REACH: Final = 60  # text after a conditional point that may say that the condition is not known to be met
SILENT_LENGTH: Final = 40  # compared characters of a Chinese answer from which on it may give points in other words
SILENT_WORDS: Final = 15  # the same for the words of an English answer
SCATTERED: Final = 0.75  # the share of the tokens of a form that make a sentence perhaps the point in other words
