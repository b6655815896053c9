"""Whether an answer has content: a value, a name, a quotation, or a statement that the document makes.

"好的。", "这是一个好问题" and a repeated question have no content, although they invent nothing.
"""

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from steelyard.legal.clauses import QUOTED
from steelyard.legal.evidence.quotes import key_of, quote_key
from steelyard.legal.evidence.sources import GRAM, WORD, Source
from steelyard.legal.grounding.proper_names import is_known_name, names
from steelyard.legal.thresholds import EXAMINED, SHARED_CHARACTERS, SHARED_WORDS, SHORTEST_QUOTE
from steelyard.lexicon import lexicon
from steelyard.text.mentions import mentions
from steelyard.text.normalisation import normalise

_VALUES: Final = frozenset(("id", "phone", "card", "serial", "date", "time", "percent", "age", "money", "count"))
_WORDS: Final = lexicon("grounding")
_INTERROGATIVE: Final = re.compile(r"(?<![^。.!?！？；;\n])[^。.!?！？；;\n]*[?？]")  # from the stop before it


def has_content(answer: str, question: str, source: Source) -> bool:
    """Whether the text of an answer has a value, a name, a quotation or a statement beyond the question."""
    text, asked = answer[:EXAMINED], normalise(question)
    return any(_new_values(text, asked)) or any(_quotations(text, asked, source)) or _states(text, asked, source)


def _new_values(text: str, question: str) -> Iterator[str]:
    """Values and names that the question does not have, whether or not the document has them."""
    asked = {(value.kind, str(value.value)) for value in mentions(question)}
    for value in mentions(text):
        is_one = value.kind == "count" and (value.value is None or value.value <= 1)
        if value.kind in _VALUES and not is_one and (value.kind, str(value.value)) not in asked:
            yield value.text
    yield from (name for name, _ in names(text) if not is_known_name(name, question))


def _quotations(text: str, question: str, source: Source) -> Iterator[str]:
    for quote in QUOTED.finditer(text):
        words = quote[0][1:-1]
        is_asked = quote_key(words) in quote_key(question)
        if len(quote_key(words)) >= SHORTEST_QUOTE and not is_asked and source.key.holds(words):
            yield words


def _states(answer: str, question: str, source: Source) -> bool:
    text = _INTERROGATIVE.sub(" ", answer)
    asked = set(WORD.findall(question.lower()))
    words = {word for word in WORD.findall(text.lower()) if len(word) >= 4} & source.words
    if len(words - asked - _WORDS.words("stock_words")) >= SHARED_WORDS:
        return True
    own = quote_key(question)
    shared = accumulate(_shared(piece, own, source) for piece in _WORDS["stock"].split(text))
    return any(count >= SHARED_CHARACTERS for count in shared)


def _shared(piece: str, question: str, source: Source) -> int:
    """The number of non-Latin characters in runs that the document has and the question does not have."""
    key = key_of(piece).text
    held: set[int] = set()
    for at in range(len(key) - GRAM + 1):
        gram = key[at : at + GRAM]
        if gram in source.grams and gram not in question and not gram.isascii():
            held.update(range(at, at + GRAM))
    return len(held)
