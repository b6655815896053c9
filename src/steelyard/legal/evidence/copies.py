"""What an answer has from its document: whether it is a dump, which words are its own, and whether it has content.

Content is a value, a name, a quotation, or a statement that the document makes. "好的。", "这是一个好问题" and a
repeated question have no content, although they invent nothing.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Final

from steelyard.legal.evidence.quotes import GRAM, WORD, Source, key_of, quote_key
from steelyard.legal.grounding.names import is_known_name, names
from steelyard.legal.reading import QUOTED, outline, without_quotes
from steelyard.legal.thresholds import (
    DUMP,
    EXAMINED,
    LATIN,
    MOST_OF_SENTENCE,
    PASSAGE,
    PER_EVIDENCE,
    SHARED_CHARACTERS,
    SHARED_WORDS,
    SHORTEST_QUOTE,
    WHOLE_DOCUMENT,
)
from steelyard.lexicon import lexicon
from steelyard.text.mentions import mentions
from steelyard.text.normalisation import normalise

NO_DUMP: Final = 5 * PASSAGE
"""The length up to which no answer is a dump; its key has at most twice as many characters."""


def is_dump(answer: str, source: Source, required_texts: Sequence[str]) -> bool:
    """Return whether the text of an answer is a copy of a large part of the document.

    A copy of nearly all of a short document is a dump too, unless the document is not much longer than what must be
    quoted.
    """
    if len(answer) <= NO_DUMP:
        return False
    required = sum(len(quote_key(text)) for text in required_texts)
    limit = max(int(WHOLE_DOCUMENT * len(source.key.text)), 2 * required, 10 * PASSAGE * _scale(source))
    most = min(max(DUMP * _scale(source), PER_EVIDENCE * required), limit)
    key = key_of(answer).text
    if len(key) <= most:
        return False
    # runs may be broken up on purpose: twice as much in runs of 8 characters is a copy too
    if _total(copied_runs(key, source, PASSAGE)) > most:
        return True
    return len(key) > 2 * most and _total(copied_runs(key, source, _shortest(source))) > 2 * most


def without_passages(answer: str, source: Source) -> str:
    """Drop the sentences that are the document's, if an answer has separate passages of it.

    What it quotes is no passage: the quotation says whose words they are.
    """
    sentences = [sentence.text for sentence in outline(answer).sentences]
    copied = [_copied_part(without_quotes(text), source) for text in sentences]
    if sum(map(bool, copied)) < 2 or sum(copied) < 2 * PASSAGE * _scale(source) or source.key.holds(answer):
        return answer
    return "。".join(text for text, length in zip(sentences, copied, strict=True) if not length)


def _copied_part(sentence: str, source: Source) -> int:
    """Return the number of characters that a sentence copies in one run, if that is a passage or most of it; else 0."""
    key = key_of(sentence).text
    longest = max(map(_length, copied_runs(key, source, _shortest(source))), default=0)
    return longest if longest >= min(PASSAGE * _scale(source), MOST_OF_SENTENCE * len(key)) else 0


def own_words(answer: str, source: Source) -> str:
    """Return the text of an answer with blanks for what it copies outside quotations.

    A run of `PASSAGE` characters (of Latin script, three times as many) that the document has is a copy. If two such
    lengths are copied, shorter runs and whole lines of the document are copies too: an answer assembled from lines of
    the document is not in the system's own words.
    """
    key = key_of(answer).text
    least = PASSAGE * _scale(source)
    runs: Sequence[tuple[int, int]] = copied_runs(key, source, _shortest(source))
    is_patchwork = _total(runs) >= 2 * least
    if not is_patchwork:
        runs = [run for run in runs if _length(run) >= least]
    if not runs:
        return answer
    positions = list(_located(key, answer))
    chars, outside = list(answer), without_quotes(answer)
    for start, end in ((positions[start], positions[end - 1] + 1) for start, end in runs):
        chars[start:end] = [" " if outside[at] == answer[at] else answer[at] for at in range(start, end)]
    blanked = "".join(chars)
    lines = blanked.split("\n") if is_patchwork else [blanked]
    return "\n".join(line for line in lines if not is_patchwork or not source.key.holds(line))


@lru_cache(maxsize=1 << 6)
def copied_runs(key: str, source: Source, least: int) -> tuple[tuple[int, int], ...]:
    """Return the longest runs of a key that the document contains, with at least this number of characters.

    The document is cut into blocks of half that length. A run contains at least one block, so every position of the
    key is looked up once, and matching blocks are extended to runs.
    """
    size = least // 2
    blocks, text = source.blocks(size), source.key.text
    runs: list[tuple[int, int]] = []
    floor = 0
    for at in range(len(key) - size + 1):
        if at < floor or (positions := blocks.get(key[at : at + size])) is None:
            continue
        start, end = max((_grown(key, at, text, position, size, floor) for position in positions), key=_length)
        if end - start >= least:
            runs.append((start, end))
            floor = end
    return tuple(runs)


def _grown(key: str, at: int, text: str, position: int, size: int, floor: int) -> tuple[int, int]:
    """Return the run of equal characters around a block that both texts contain."""
    start, end = at, at + size
    shift = position - at
    while start > floor and start + shift > 0 and key[start - 1] == text[start + shift - 1]:
        start -= 1
    while end < len(key) and end + shift < len(text) and key[end] == text[end + shift]:
        end += 1
    return start, end


def _length(run: tuple[int, int]) -> int:
    return run[1] - run[0]


def _total(runs: Sequence[tuple[int, int]]) -> int:
    return sum(map(_length, runs))


def _scale(source: Source) -> int:
    return LATIN if source.is_latin else 1


def _shortest(source: Source) -> int:
    return 2 * PASSAGE // 5 * _scale(source)


def _located(key: str, text: str) -> Iterator[int]:
    at = 0
    for char in key:
        while at < len(text) - 1 and text[at].lower() != char and not (text[at] == "," and not char.isprintable()):
            at += 1
        yield at
        at = min(at + 1, len(text) - 1)


_VALUES: Final = frozenset(("id", "phone", "card", "serial", "date", "time", "percent", "age", "money", "count"))
_WORDS: Final = lexicon("grounding")
_INTERROGATIVE: Final = re.compile(r"(?<![^。.!?！？；;\n])[^。.!?！？；;\n]*[?？]")  # from the stop before it


def has_content(answer: str, question: str, source: Source) -> bool:
    """Return whether the text of an answer has a value, a name, a quotation or a statement beyond the question."""
    text, asked = answer[:EXAMINED], normalise(question)
    return any(_new_values(text, asked)) or any(_quotations(text, asked, source)) or _states(text, asked, source)


def _new_values(text: str, question: str) -> Iterator[str]:
    """Yield values and names that the question does not have, whether or not the document has them."""
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
    new = words - asked - _WORDS.words("stock_words")
    if len(new) >= SHARED_WORDS:
        return True
    own, pieces = quote_key(question), _WORDS["stock"].split(text)
    shared = accumulate(_shared(piece, own, source) for piece in pieces)
    return any(count >= SHARED_CHARACTERS for count in shared) or _has_clause(pieces, own, source, is_worded=bool(new))


def _has_clause(pieces: Sequence[str], question: str, source: Source, *, is_worded: bool) -> bool:
    """Return whether a piece has a whole clause of the document that the question does not have.

    One in Latin letters must be longer, and the answer must have a word of the document (`is_worded`).
    """
    keys = "\n".join(key_of(piece).text for piece in pieces)
    for clause in source.clauses:
        is_latin = clause.isascii()
        least = LATIN * SHORTEST_QUOTE if is_latin else SHORTEST_QUOTE
        if len(clause) >= least and (is_worded or not is_latin) and clause in keys and clause not in question:
            return True
    return False


def _shared(piece: str, question: str, source: Source) -> int:
    """Return the number of non-Latin characters in runs that the document has and the question does not have."""
    key = key_of(piece).text
    held: set[int] = set()
    for at in range(len(key) - GRAM + 1):
        gram = key[at : at + GRAM]
        if gram in source.grams and gram not in question and not gram.isascii():
            held.update(range(at, at + GRAM))
    return len(held)
