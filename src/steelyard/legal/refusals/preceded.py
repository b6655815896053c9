"""The text before a refusal: whether it already gives the asked item."""

import re

from steelyard.legal.refusals import question_words, words
from steelyard.legal.refusals.clauses import EXPOSITION, LONG, Abstention, Refusal, values_in
from steelyard.legal.refusals.cues import VALUE_KINDS, shared_terms, terms_of, topic_of, without_quotes


def given_before(refusal: Refusal, before: float, after: float) -> Abstention | None:
    """The verdict if the text before the refusal gives the asked item; else None."""
    first = refusal.refusing[0]
    says_it = before >= 12 or (refusal.asked.whether and words.YES_NO.match(refusal.pieces[0].text))
    if says_it and all(words.ADVICE.search(refusal.pieces[at].text) for at in refusal.refusing):
        return refusal.answered()
    if refusal.direct() or (refusal.pieces[first].level == 3 and before < 20):
        return None
    if refusal.level == 3 and before >= 40 and refusal.norms() > 1:
        return refusal.answered(uncertain=True)
    if _gives_value_before(refusal, first) or _is_about_another(refusal) or _says_yes_or_no(refusal, first):
        return refusal.answered()
    if _is_side_detail(refusal, first):
        return refusal.answered(uncertain=refusal.asked.kind in ("person", "place"))
    if refusal.asked.open and not refusal.asked.why and before >= LONG / 2 and refusal.norms():
        return refusal.answered()
    if before + after < LONG:
        return None
    names_item = any(refusal.names_asked(at) for at in refusal.refusing)
    if refusal.asked.open and not (names_item and refusal.pieces[first].level >= 2 and before < EXPOSITION):
        return refusal.answered(follows=True)
    if not names_item:
        return refusal.answered()
    return refusal.refused(uncertain=before >= 2 * EXPOSITION or _spoke_of_item(refusal, first))


def _is_side_detail(refusal: Refusal, first: int) -> bool:
    """Whether the refusal is about another topic than the question, which is answered before it."""
    piece, kind = refusal.pieces[first], refusal.asked.kind
    is_one = refusal.level < 3 and refusal.refusing[-1] == first and "conflict" not in piece.kinds
    if (
        not refusal.asked.text
        or not is_one
        or refusal.asked.why
        or kind in ("date", "phone", "count")
        or refusal.names_kind(first)
    ):
        return False
    asked, before = terms_of(refusal.asked.text) - question_words.STOP_WORDS, terms_of(refusal.text[: piece.start])
    topic = topic_of(refusal.context(first))
    was_spoken_of = (
        asked & before
        or any(pattern.search(piece.text) for pattern in (words.EXACT, words.PARTY))
        or words.PRONOUN.match(refusal.text)
    )
    return bool(was_spoken_of) and len(topic - asked) >= 1 and not topic & asked - before


def _says_yes_or_no(refusal: Refusal, first: int) -> bool:
    """Whether a yes/no question is answered before the refusing clause."""
    piece = refusal.pieces[first]
    if not refusal.asked.whether or piece.level == 3 or re.search("是否|whether|能否", piece.text):
        return False
    return piece.sentence > 0 or (first > 0 and words.YES_NO.match(refusal.pieces[0].text) is not None)


def _spoke_of_item(refusal: Refusal, first: int) -> bool:
    before = shared_terms(refusal.text[: refusal.pieces[first].start], refusal.asked.text)
    return (
        not refusal.names_kind(first)
        and before >= 4
        and before > shared_terms(refusal.context(first), refusal.asked.text)
    )


def _is_about_another(refusal: Refusal) -> bool:
    """Whether only other things are unknown, after the asked item was given: 其他不清楚."""
    others = {piece.sentence for piece in refusal.pieces if words.OTHERWISE.match(piece.text)}
    others |= {piece.sentence for piece in refusal.pieces if words.THE_REST.search(piece.text)}
    if any(refusal.pieces[at].sentence not in others for at in refusal.refusing):
        return False
    return not any(shared_terms(refusal.sentence(at)[2:], refusal.asked.text) for at in refusal.refusing)


def _gives_value_before(refusal: Refusal, first: int) -> bool:
    """Whether there is one exact value of the asked kind before the refusal, which is not about that kind."""
    kind, start = refusal.asked.kind, refusal.pieces[first].start
    is_plain = refusal.level < 3 and not any("conflict" in refusal.pieces[at].kinds for at in refusal.refusing)
    if kind not in VALUE_KINDS or not is_plain or refusal.names_kind(first):
        return False
    given = values_in(without_quotes(refusal.text[:start]), kind)
    if not all(value.is_exact and not value.approx for value in given):
        return False
    new = (
        (terms_of(refusal.context(first)) & terms_of(refusal.asked.text))
        - terms_of(refusal.text[:start])
        - question_words.STOP_WORDS
    )
    return len({str(value.value) for value in given}) == 1 and not new
