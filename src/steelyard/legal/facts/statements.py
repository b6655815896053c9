"""What an answer says of its values: which it asserts, denies, corrects, doubts, totals, or offers as alternatives.

Every judge of a field is given a `Case` and returns a `FieldVerdict`.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import Final, NamedTuple

from steelyard.i18n import Localized, Message
from steelyard.legal import thresholds
from steelyard.legal.model import LOOSE, FactRules, named
from steelyard.legal.reading import clause_of, outline, without_quotes
from steelyard.lexicon import lexicon
from steelyard.text.mentions import Mention, mentions
from steelyard.text.normalisation import HAN


class Case(NamedTuple):
    """A question with the rules of its facts; the answer, its announced final part, and the currency of the record."""

    question: str
    rules: FactRules
    answer: str = ""
    final: str = ""
    currency: str = ""


@dataclass(frozen=True, slots=True)
class FieldVerdict:
    """Whether a field is right, the reason, and flags that do not change the score (`approx_added`, `approx_dropped`).

    `uncertain`: the rules cannot decide, and `correct` is the best guess. `names_another`: the answer gives the asked
    role to somebody else. `unsettled`: the rules deny because they found too little, or too much.
    """

    correct: bool
    why: Localized
    flags: tuple[Message, ...] = ()
    uncertain: bool = False
    names_another: bool = False
    unsettled: bool = False

    @property
    def reason(self) -> str:
        """The reason, in English."""
        return str(self.why)


def right_value(value: Mention, known: Iterable[Mention], rules: FactRules) -> FieldVerdict:
    """Return the verdict on a right value; `known` are the same values in the source.

    With 约 it is correct and flagged if the source does not say so, and wrong if that is strictly judged.
    """
    is_source_approximate = any(each.approx for each in known)
    if value.approx and not is_source_approximate and rules.numeric_exact:
        is_strict = rules.approx_policy == "strict"
        why = Message("legal.only_approximate" if is_strict else "legal.says_about", text=value.text)
        return FieldVerdict(not is_strict, why, (Message("legal.approx_added"),))
    flags = (Message("legal.approx_dropped"),) if is_source_approximate and not value.approx else ()
    return FieldVerdict(True, Message("legal.answer_says", value=value.text), flags)


def inexact(value: Mention, otherwise: str = "no number") -> Message:
    """Return the reason why a value is not exact."""
    return Message("legal.not_exact", text=value.text, why=named(LOOSE, value.loose or otherwise))


_WORDS: Final = lexicon("facts")
_SHARED: Final = lexicon("shared")
_COMMON_WORDS: Final = _WORDS.words("common_words")
_COMMON_CHARACTERS: Final = _WORDS.words("common_characters")
_SEPARATORS: Final = re.compile(r"[、,;，；/|\n]+")
_GROUP_COMMA: Final = re.compile(r",(?<=\d,)(?=\d{3})")
_FIGURE: Final = re.compile(r"\s{0,2}第?[\d一二两三四五六七八九十]")


def without_stated_bounds(answer: str, source: str) -> str:
    """Return the answer without the words of a bound that the source has beside the same value: up to 10."""
    stated = {value.value: value for value in reversed(mentions(source)) if value.loose == "bound"}
    for value in reversed(mentions(answer)) if stated else ():
        same = stated.get(value.value) if value.loose == "bound" and value.value is not None else None
        if same:
            before = _shared(answer[: value.start][: -thresholds.BOUND_WORDS - 1 : -1], source[: same.start][::-1])
            after = _shared(answer[value.end : value.end + thresholds.BOUND_WORDS], source[same.end :])
            answer = f"{answer[: value.start - before]} {answer[value.start : value.end]} {answer[value.end + after :]}"
    return answer


def _shared(one: str, other: str) -> int:
    """Return how many characters two texts begin with in common, in any case."""
    pairs = zip(one.lower(), other[: len(one)].lower(), strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


def doubt(text: str) -> str:
    """Return the words outside quotations by which an answer expresses doubt, or ""."""
    match = _SHARED["doubt"].search(without_quotes(text))
    return match[0] if match else ""


def retraction(text: str) -> str:
    """Return the words by which an answer retracts itself, or "": "or maybe not"."""
    match = _WORDS["retraction"].search(without_quotes(text))
    return match[0] if match else ""


def is_bare_list(text: str) -> bool:
    """Return whether a text only lists many values or names and states nothing about them."""
    pieces = list_pieces(text)
    if len(pieces) < thresholds.SHORTEST_LIST:
        return False
    statements = sum(
        len(piece) > thresholds.LIST_PIECE or _WORDS["predicate"].search(piece) is not None for piece in pieces
    )
    return statements <= len(pieces) // thresholds.STATED_ITEMS


def list_pieces(text: str) -> list[str]:
    """Return the pieces of a text between the separators of a list."""
    return [piece for piece in _SEPARATORS.split(_GROUP_COMMA.sub("", text)) if piece.strip()]


def doubt_about(text: str, values: Sequence[Mention]) -> str:
    """Return the words of doubt in the sentences of these values, or in the sentence after one."""
    sentences = outline(text).sentences
    for sentence in dict.fromkeys(sentences.at(value.start) for value in values):
        if word := doubt(sentence.text):
            return word
        if match := _WORDS["self_doubt"].search(sentences.after(sentence)):
            return match[0]
    return ""


def asserted_values(text: str, values: Sequence[Mention]) -> list[Mention]:
    """Return the values that the text asserts: not denied, not corrected, and not in brackets beside others."""
    standing = [value for value in values if not is_denied_at(text, value.start, value.end)]
    if len(standing) < 2:
        return standing
    standing = _after_correction(text, standing)
    structure = outline(text)
    return [value for value in standing if not structure.is_bracketed(value.start, value.end)] or standing


def is_denied_at(text: str, start: int, end: int) -> bool:
    """Return whether a negator of its clause governs what is there."""
    first = max(clause_of(text, start).start, start - thresholds.DENIAL_REACH)
    return bool(_WORDS["denied_before"].search(text[first:start]) or _WORDS["denied_after"].match(text, end))


def _after_correction(text: str, values: Sequence[Mention]) -> list[Mention]:
    if standard := _WORDS["standard"].search(text):
        inside = [value for value in values if standard.start() <= value.start < standard.end()]
        if inside:
            return inside
    return after_last(_SHARED["correction"], text, values) or list(values)


def after_last(words: re.Pattern[str], text: str, values: Sequence[Mention]) -> list[Mention]:
    """Return the values after the last of these words that is followed by any."""
    marks = [mark.end() for mark in words.finditer(text) if values and mark.end() <= values[-1].start]
    return [value for value in values if marks and value.start >= marks[-1]]


def are_alternatives(text: str, values: Sequence[Mention]) -> bool:
    """Return whether the text offers different values to choose from."""
    starts, ends = [value.start for value in values], [value.end for value in values]
    for word in _SHARED["alternative"].finditer(text):
        before, after = bisect_right(ends, word.start()) - 1, bisect_left(starts, word.end())
        if (
            before < 0
            or word.start() - ends[before] > thresholds.ALTERNATIVE_REACH
            or _WORDS["same_again"].match(text, word.end())
        ):
            continue
        if after < len(values) and starts[after] - word.end() <= thresholds.ALTERNATIVE_REACH:
            if values[after].value != values[before].value:
                return True
        elif _FIGURE.match(text, word.end()):
            return True
    return False


def totalled(text: str, values: Sequence[Mention]) -> list[Mention]:
    """Return the values that are announced as a total."""
    ends = [0, *(mention.end for mention in mentions(text))]
    totals = []
    for value in values:
        last = ends[bisect_right(ends, value.start) - 1]
        start = max(clause_of(text, value.start).start, last, value.start - thresholds.TOTAL_REACH)
        if _SHARED["total"].search(text, start, value.start) or _WORDS["total_after"].match(text, value.end):
            totals.append(value)
    return totals


def found_by_court(question: str, text: str, values: Sequence[Mention]) -> Sequence[Mention]:
    """Return the values that are not only claimed, if others were found and the question asks for no claim."""
    clauses = [clause_of(text, value.start).text for value in values]
    is_finding = {clause: _SHARED["finding"].search(clause) is not None for clause in set(clauses)}
    is_claim_asked = _SHARED["claim"].search(question)
    if is_claim_asked or (not any(is_finding.values()) and not _SHARED["correction"].search(text)):
        return values
    stated = [
        value
        for value, clause in zip(values, clauses, strict=True)
        if is_finding[clause] or not _SHARED["claim"].search(clause)
    ]
    return stated or values


def terms_of(text: str) -> frozenset[str]:
    """Return the words that say what a text is about: stems of English words, pairs of Chinese characters."""
    words = set(re.findall("[a-z]{3,}", text.lower())) - _COMMON_WORDS
    pairs = {one + two for run in re.findall(f"[{HAN}]{{2,}}", text) for one, two in pairwise(run)}
    return frozenset(word[:5] for word in words) | {pair for pair in pairs if not _COMMON_CHARACTERS & set(pair)}
