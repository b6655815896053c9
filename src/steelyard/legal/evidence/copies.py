"""Copies from the document: whether an answer is a dump of it, and which words of an answer are its own."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from steelyard.legal.clauses import outline, without_quotes
from steelyard.legal.evidence.quotes import key_of
from steelyard.legal.evidence.sources import Source
from steelyard.legal.thresholds import DUMP, LATIN, MOST_OF_SENTENCE, PASSAGE, PER_EVIDENCE, WHOLE_DOCUMENT

NO_DUMP: Final = 5 * PASSAGE
"""The length up to which no answer is a dump; its key has at most twice as many characters."""


def is_dump(answer: str, source: Source, required: int) -> bool:
    """Whether the text of an answer is a copy of a large part of the document.

    `required` is the length of the required evidence. A copy of nearly all of a short document is a dump too, unless
    the document is not much longer than what must be quoted.
    """
    if len(answer) <= NO_DUMP:
        return False
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
    """The sentences of an answer that are not the document's, if it has separate passages of it; else the answer.

    What it quotes is no passage: the quotation says whose words they are.
    """
    sentences = [sentence.text for sentence in outline(answer).sentences]
    copied = [_copied_part(without_quotes(text), source) for text in sentences]
    if sum(map(bool, copied)) < 2 or sum(copied) < 2 * PASSAGE * _scale(source) or source.key.holds(answer):
        return answer
    return "。".join(text for text, length in zip(sentences, copied, strict=True) if not length)


def _copied_part(sentence: str, source: Source) -> int:
    """The number of characters that a sentence copies in one run, if that is a passage or most of it; else 0."""
    key = key_of(sentence).text
    longest = max(map(_length, copied_runs(key, source, _shortest(source))), default=0)
    return longest if longest >= min(PASSAGE * _scale(source), MOST_OF_SENTENCE * len(key)) else 0


def own_words(answer: str, source: Source) -> str:
    """The text of an answer with blanks for what it copies outside quotations.

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
    blanked = _blanked(answer, [(positions[start], positions[end - 1] + 1) for start, end in runs])
    lines = blanked.split("\n") if is_patchwork else [blanked]
    return "\n".join(line for line in lines if not is_patchwork or not source.key.holds(line))


def _blanked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """A text with these spans replaced by blanks, outside quotations."""
    chars, outside = list(text), without_quotes(text)
    for start, end in spans:
        chars[start:end] = [" " if outside[at] == text[at] else text[at] for at in range(start, end)]
    return "".join(chars)


@lru_cache(maxsize=1 << 6)
def copied_runs(key: str, source: Source, least: int) -> tuple[tuple[int, int], ...]:
    """The longest runs of a key that the document contains, with at least this number of characters.

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
    """The run of equal characters around a block that both texts contain."""
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
    """The length of the shortest runs that count as copied."""
    return 2 * PASSAGE // 5 * _scale(source)


def _located(key: str, text: str) -> Iterator[int]:
    """The position of each character of a key in its text."""
    at = 0
    for char in key:
        while at < len(text) - 1 and text[at].lower() != char and not (text[at] == "," and not char.isprintable()):
            at += 1
        yield at
        at = min(at + 1, len(text) - 1)
