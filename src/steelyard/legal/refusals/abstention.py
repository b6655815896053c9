"""Detecting refusals: the asked item is declared absent, unknown or contradictory, and not supplied after all.

An answer is read clause by clause. A clause refuses (with a strength), supplies nothing (apology, referral, description
of the system itself), or states something. The verdict follows from the question, from the position of the refusing
clauses, and from what the others state.
"""

import re
from dataclasses import replace
from functools import lru_cache
from typing import Final

from steelyard.i18n import Message
from steelyard.legal.reading import answer_in, read
from steelyard.legal.refusals import words
from steelyard.legal.refusals.clauses import LONG, Abstention, Refusal
from steelyard.legal.refusals.cues import Asked, asked_for, assign_weights, marked_clauses, split_clauses
from steelyard.legal.refusals.followed import supplied_after
from steelyard.legal.refusals.preceded import given_before

__all__ = ["Abstention", "detect_abstention"]

_LEAST_STATED: Final = 4
"""The least weight of a statement; less is a phrase such as 他说."""
_ASKING_AGAIN: Final = re.compile(r"\s*(?:什么|多少|谁|哪|否|如何|怎)")


@lru_cache(maxsize=1 << 12)
def detect_abstention(answer: str, *, question: str = "") -> Abstention:
    """Whether the answer declares the asked item absent or unknown, and does not supply it after all."""
    reading = read(answer_in(answer))
    if reading.is_silent:
        return Abstention(False, Message("legal.nothing_said"))
    text = reading.text
    asked = asked_for(question)
    if reading.final and not _ASKING_AGAIN.match(reading.final) and len(reading.final) < len(text):
        return _of_final(text, reading.final, asked)
    return _decide(text, asked)


_NOTHING_REFUSES: Final = Abstention(False, Message("legal.nothing_refuses"))


def _of_final(text: str, final: str, asked: Asked) -> Abstention:
    """The verdict on an announced final answer, unless the announcement itself is refused: 无法给出答案."""
    full_text, announced = _decide(text, asked), _decide(final, asked)
    index = text.rfind(final)
    if words.OTHERS_RESULT.search(words.FINAL_LEAD.sub("", text[max(0, index - 40) : index])):
        return full_text
    lead = split_clauses(text[max(0, index - 60) : index])[-1:]
    is_refused = any(words.has_cue(piece.text) for piece in lead)
    return full_text if is_refused and full_text.abstains else announced


@lru_cache(maxsize=1 << 10)
def _decide(text: str, asked: Asked) -> Abstention:
    """The verdict on a text; cached, because the judge of yes and no asks for it too."""
    bare = text.strip(" []【】()\"'“”")
    if null := words.JSON_NULL.match(text):
        return Abstention(True, Message("legal.answer_says_words", word=null[1]))
    if words.NONE.fullmatch(bare):
        return Abstention(False, Message("legal.said_of_something_else", word=bare), not asked.whether)
    if words.NULL.fullmatch(bare):
        is_answer = words.ZERO.fullmatch(bare) and (asked.whether or (asked.kind == "count" and "号" not in asked.text))
        return Abstention(not is_answer, Message("legal.answer_says_words", word=bare))
    pieces = marked_clauses(text, asked)
    refusing = [at for at, piece in enumerate(pieces) if piece.level]
    if not refusing:
        return _NOTHING_REFUSES
    assign_weights(pieces, text)
    return _verdict(Refusal(text, pieces, refusing, asked))


def _verdict(refusal: Refusal) -> Abstention:
    """The verdict on an answer with refusing clauses."""
    strong = [at for at in refusal.refusing if refusal.pieces[at].kinds != {"vague"}]
    stated = sum(piece.weight for piece in refusal.pieces)
    if not strong:
        return refusal.answered() if stated >= 25 else refusal.refused()
    refusal = replace(refusal, refusing=strong)
    if _is_ground(refusal) or _is_conceded(refusal):
        return refusal.answered()
    if _follows_from_self(refusal):
        return refusal.answered(uncertain=True)
    first = refusal.refusing[0]
    before = sum(piece.weight for piece in refusal.pieces[:first])
    after = stated - before
    if after and (supplied := supplied_after(refusal, before, after)):
        return supplied
    is_apart = refusal.asked.whether or refusal.pieces[first].sentence > refusal.pieces[0].sentence
    if (before >= _LEAST_STATED or (before and is_apart)) and (given := given_before(refusal, before, after)):
        return given
    return refusal.refused(uncertain=refusal.level < 3 and before >= 20 and after >= LONG)


def _is_ground(refusal: Refusal) -> bool:
    """Whether the refusing words are the reason for a statement: 因证据不足,不起诉."""
    for at in refusal.refusing:
        piece = refusal.pieces[at]
        follows = at + 1 < len(refusal.pieces) and refusal.pieces[at + 1].weight > 5
        if piece.level == 3 or not (words.GROUND.match(piece.text) and follows):
            return False
    return True


def _is_conceded(refusal: Refusal) -> bool:
    """Whether all refusing clauses are concessions: about 13 billion, though not exactly known."""
    return all(
        refusal.pieces[at].level < 3 and at and words.ALTHOUGH.match(refusal.pieces[at].text.strip())
        for at in refusal.refusing
    ) and bool(refusal.pieces[refusal.refusing[0] - 1].weight)


def _follows_from_self(refusal: Refusal) -> bool:
    """Whether the question is answered from the nature of the speaker: 我没有情感,所以不会焦虑."""
    if any(refusal.pieces[at].kinds != {"self"} for at in refusal.refusing):
        return False
    first = refusal.refusing[0]
    following = refusal.pieces[first + 1] if first + 1 < len(refusal.pieces) else refusal.pieces[first]
    return words.CONSEQUENCE.search(following.text) is not None
