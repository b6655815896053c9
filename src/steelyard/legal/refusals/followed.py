"""The text after a refusal: whether it supplies the asked item after all."""

from itertools import islice

from steelyard.legal.refusals import words
from steelyard.legal.refusals.clauses import EXPOSITION, LONG, Abstention, Refusal, states_value, values_in
from steelyard.legal.refusals.cues import VALUE_KINDS, Clause, shared_terms, without_quotes
from steelyard.text.mentions import Mention


def supplied_after(refusal: Refusal, before: float, after: float) -> Abstention | None:
    """The verdict if the text after the refusal decides it; None if it does not supply the asked item."""
    first, level = refusal.refusing[0], refusal.level
    turned, closes = _turn(refusal, first), _closes_with_refusal(refusal)
    if _is_modest(refusal) and after >= 12:
        return refusal.answered(follows=True)
    if _is_forbidden(refusal):
        return None
    following = refusal.pieces[first + 1].text if first + 1 < len(refusal.pieces) else ""
    if "约定" in refusal.pieces[first].word and words.CONSEQUENT.match(following):
        return refusal.answered(follows=True)
    if not closes and (_concludes(refusal) or (turned is not None and _turn_supplies(refusal, turned, level))):
        return refusal.answered(follows=True)
    if closes and _lacks_value(refusal):
        return None
    if refusal.pieces[first].sentence and before >= 20 and after >= LONG / 2 and _is_remark(refusal):
        return refusal.answered()
    if closes or any(refusal.pieces[at].sentence for at in refusal.direct()):
        return None
    if refusal.asked.open and after >= _needed(refusal, level, turned):
        return refusal.answered(follows=True, uncertain=level == 3 and after < 2 * EXPOSITION)
    if after >= EXPOSITION and refusal.norms() >= 3:
        return refusal.answered(follows=True, uncertain=level == 3)
    if level == 1 and after >= LONG:
        return refusal.answered()
    if turned is not None and after >= 0.8 * EXPOSITION and refusal.norms() > 1:
        return refusal.answered(follows=True, uncertain=True)
    return None


def _is_modest(refusal: Refusal) -> bool:
    """Whether the refusal is only a remark about the speaker: as an AI I have no favourite, but here is one."""
    if (
        any(not _is_of_self(refusal, at) for at in refusal.refusing)
        or refusal.pieces[refusal.refusing[-1]].sentence > 0
    ):
        return False
    rest = refusal.text[refusal.pieces[refusal.refusing[-1]].end :]
    return words.DELIVERS.match(rest) is not None


def _is_of_self(refusal: Refusal, at: int) -> bool:
    return refusal.pieces[at].kinds <= {"self"} or words.MODESTY.search(refusal.pieces[at].text) is not None


def _is_forbidden(refusal: Refusal) -> bool:
    """Whether a request is refused as unlawful; the text after it is the explanation."""
    first = refusal.pieces[refusal.refusing[0]]
    if first.level < 3 or first.sentence > 1:
        return False
    opening = refusal.text[: first.end + 160]
    return words.UNLAWFUL.search(opening) is not None and words.REQUEST.search(refusal.asked.text) is not None


def _lacks_value(refusal: Refusal) -> bool:
    """Whether a value is asked for, and none of its kind is stated."""
    if refusal.asked.kind not in VALUE_KINDS:
        return False
    kinds = ("date", "time") if refusal.asked.kind == "date" else (refusal.asked.kind,)
    return not any(values_in(refusal.text, kind) for kind in kinds)


def _is_remark(refusal: Refusal) -> bool:
    """Whether the refusal is not about the asked item, or is a concession: while I cannot say how many."""
    if refusal.direct():
        return False
    return all(
        words.ALTHOUGH.match(refusal.pieces[at].text.strip()) or not refusal.names_asked(at) for at in refusal.refusing
    )


def _concludes(refusal: Refusal) -> bool:
    """Whether there is a conclusion after the last refusing clause: therefore, operating activities did."""
    for at in range(refusal.refusing[-1] + 1, len(refusal.pieces)):
        piece = refusal.pieces[at]
        opens = piece.sentence != refusal.pieces[at - 1].sentence
        if opens and words.CONCLUSION.match(piece.text):
            is_mark = len(piece.text) < 14 and at + 1 < len(refusal.pieces)
            stated = refusal.pieces[at + 1] if is_mark else piece
            return stated.weight >= 8 and not words.DENIAL.search(stated.text)
    return False


def _needed(refusal: Refusal, level: int, turned: int | None) -> float:
    """The weight that the text after a refusal needs to answer an open question."""
    if level < 3:
        return 40.0
    moral = sum(1 for piece in refusal.pieces[:12] if words.MORAL.search(piece.text))
    has_offer = turned is not None and words.OFFER.search(refusal.text, turned, turned + 60)
    if (moral >= 2 or has_offer) and refusal.norms() < 4:
        return 10 * EXPOSITION
    return 0.6 * EXPOSITION if turned is not None else EXPOSITION


def _closes_with_refusal(refusal: Refusal) -> bool:
    """Whether the refusal is repeated at the end, after all that is stated."""
    last = refusal.refusing[-1]
    rest = sum(piece.weight for piece in refusal.pieces[last + 1 :])
    if last == refusal.refusing[0] or rest >= 12 or refusal.pieces[last].level < 2:
        return False
    return refusal.pieces[last].level == 3 or len(refusal.pieces) < 16 or refusal.names_asked(last)


def _turn(refusal: Refusal, first: int) -> int | None:
    """The index of a word like 但 or 估计 that turns from the refusal to a statement; or None."""
    piece = refusal.pieces[first]
    concession = words.ALTHOUGH.match(piece.text.strip())
    first = max(
        at
        for at in refusal.refusing
        if at == first or (refusal.pieces[at].sentence == piece.sentence and refusal.pieces[at].level > 1)
    )
    for at in range(first, len(refusal.pieces)):
        following = refusal.pieces[at]
        index = following.start
        if at == first:
            turn = _inner_turn(refusal, following)
            if turn is None:
                continue
            return turn
        if following.level:
            continue
        if concession and following.weight:
            return index
        is_near = following.sentence - piece.sentence < 2
        is_turn = is_near and words.ADVERSATIVE.match(following.text.strip()) and _next_weighs(refusal, at)
        if is_turn or (following.weight and words.INFERENCE.search(following.text)):
            return index
    return None


def _inner_turn(refusal: Refusal, piece: Clause) -> int | None:
    """The index of a turn inside the refusing clause: not stated but probably X; or None."""
    end = piece.start + piece.text.find(piece.word) + len(piece.word) if piece.word in piece.text else piece.end
    rest = refusal.text[end : piece.end]
    turn = words.ADVERSATIVE.search(rest) or words.INFERENCE.search(rest)
    if turn is None or words.has_cue(rest[turn.end() :]):
        return None
    return end + turn.start() if rest[turn.end() :].strip() else None


def _next_weighs(refusal: Refusal, at: int) -> bool:
    """Whether the sentence of the turn, or the one after it, states something."""
    until = refusal.pieces[at].sentence + 1
    following = islice(refusal.pieces, at, at + 9)
    return any(piece.weight > 0 for piece in following if piece.sentence <= until)


def _turn_supplies(refusal: Refusal, index: int, level: int) -> bool:
    """Whether the text after the turn supplies the asked item."""
    rest = refusal.text[index:]
    own = without_quotes(rest)
    if own != rest and words.REFERS.search(own) and not states_value(own):
        return False
    if refusal.asked.kind in VALUE_KINDS:
        given = values_in(own, refusal.asked.kind) or _figures(refusal, own)
        is_loose = words.YEARS.search(refusal.asked.text) or refusal.asked.kind != "date"
        return any(is_loose or value.is_exact for value in given) or (
            level == 1 and bool(words.INFERENCE.search(own[:40]))
        )
    if words.REFERRAL.search(own[:120]):
        return False
    if words.INFERENCE.search(own[:60]):
        return True
    if refusal.asked.whether and words.REPORTED_YES.search(own[:80]):
        return True
    if words.DENIAL.search(own[:40]):
        return False
    return (level < 3 and len(refusal.refusing) < 3) or _goes_on(refusal, index)


def _figures(refusal: Refusal, text: str) -> list[Mention]:
    """All figures, if a question asks 多少 or how many without a unit."""
    if refusal.asked.kind == "date" and words.YEARS.search(refusal.asked.text):
        return [value for value in values_in(text, "number") if 1500 <= (value.value or 0) <= 2100]
    if refusal.asked.kind != "count" or words.MEASURED.search(refusal.asked.text):
        return []
    return [value for kind in ("count", "number", "money", "percent") for value in values_in(text, kind)]


def _goes_on(refusal: Refusal, index: int) -> bool:
    """Whether the sentence of the refusal itself goes on to the asked item: I am no doctor, but aspirin …"""
    first = refusal.pieces[refusal.refusing[0]]
    piece = next((piece for piece in refusal.pieces if piece.start <= index < piece.end), first)
    is_same = piece.sentence == first.sentence and piece is not first
    return is_same and piece.weight >= 8 and not words.OFFER.search(piece.text) and _speaks_of_it(refusal, piece)


def _speaks_of_it(refusal: Refusal, piece: Clause) -> bool:
    return shared_terms(piece.text, refusal.asked.text) >= 2 or bool(
        words.MODEST.search(refusal.pieces[refusal.refusing[0]].text)
    )
