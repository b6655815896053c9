"""Whether an answer refuses: the item is declared absent, unknown or contradictory, and not supplied after all.

An answer is read clause by clause. A clause refuses (with a strength), supplies nothing (apology, referral, description
of the system itself), or states something. The verdict follows from what is asked, from where the refusing clauses
stand, and from what the others state.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from steelyard.legal import refusal_words as words
from steelyard.legal.reading import read
from steelyard.legal.refusal_cues import (
    VALUE_KINDS,
    Asked,
    Clause,
    asked_for,
    mark_refusals,
    shared_terms,
    split_clauses,
    terms_of,
    topic_of,
    weigh,
    without_quotes,
)
from steelyard.text.mentions import Mention, mentions

_LONGEST_VALUE_SEARCH: Final = 4000
_SAID: Final = 4
"""The weight below which nothing is stated: 他说."""
_LONG: Final = 60.0
"""Weight of stated text from which an answer is long; a Chinese character weighs 1, a Latin letter 0.4."""
_EXPOSITION: Final = 150.0
"""Weight of stated text from which an open question counts as answered even after a refusal by the speaker."""
_SUSPECT: Final = re.compile(
    r"[不无未没难缺暂抱歉憾矛忘待空拒超请您你]|n't|\bn(?:o|ot|one|either|owhere|obody|othing|ull|il|an|ever)\b|"
    r"n/a|cannot"
    r"|un[a-z]|sorry|apolog|lack|insuffic|impossib|declin|refus|silent|omit|absent|missing|conflict|contradict|"
    r"inconsist"
    r"|discrepan|disagree|forg[eo]t|fail|fiction|ficti|clarif|could you|can you|please|beyond|outside|regret|"
    r"difficult"
    r"|need|hard to|tb[ad]|hello|made up|hypothet|mystery|inconclus|redact|withheld|obscur|blacked|illegib|"
    r"indetermin|limited|incomplete|without|non-?exist",
    re.IGNORECASE,
)
_ASKING_AGAIN: Final = re.compile(r"\s*(?:什么|多少|谁|哪|否|如何|怎)")


@dataclass(frozen=True, slots=True)
class Abstention:
    """Whether an answer abstains, and the words that say so; `uncertain` where rules cannot decide."""

    abstains: bool
    reason: str
    uncertain: bool = False


@lru_cache(maxsize=1 << 12)
def detect_abstention(answer: str, *, question: str = "") -> Abstention:
    """Whether the answer declares the asked item absent or unknown, and does not supply it after all."""
    reading = read(answer)
    if reading.is_silent:
        return Abstention(False, "nothing is said")
    text = reading.text
    if not _SUSPECT.search(text):
        return _NOTHING_REFUSES
    asked = asked_for(question)
    if reading.final and not _ASKING_AGAIN.match(reading.final) and len(reading.final) < len(text):
        return _of_final(text, reading.final, asked)
    return _decide(text, asked)


_NOTHING_REFUSES: Final = Abstention(False, "nothing in the answer declares the item absent or unknown")


def _of_final(text: str, final: str, asked: Asked) -> Abstention:
    """An announced answer decides, unless the announcement itself is refused: 无法给出答案."""
    whole, announced = _decide(text, asked), _decide(final, asked)
    place = text.rfind(final)
    if words.OTHERS_RESULT.search(words.FINAL_LEAD.sub("", text[max(0, place - 40) : place])):
        return whole
    lead = split_clauses(text[max(0, place - 60) : place])[-1:]
    is_refused = any(words.has_cue(piece.text) for piece in lead)
    return whole if is_refused and whole.abstains else announced


def _decide(text: str, asked: Asked) -> Abstention:
    bare = text.strip(" []【】()\"'“”")
    if null := words.JSON_NULL.match(text):
        return Abstention(True, f"the answer says {null[1]!r}")
    if words.NONE.fullmatch(bare):
        return Abstention(False, f"{bare!r} is said of something else", not asked.whether)
    if words.NULL.fullmatch(bare):
        is_answer = words.ZERO.fullmatch(bare) and (asked.whether or (asked.kind == "count" and "号" not in asked.text))
        return Abstention(not is_answer, f"the answer says {bare!r}")
    pieces = split_clauses(text)
    mark_refusals(pieces, text, asked)
    refusing = [at for at, piece in enumerate(pieces) if piece.level]
    if not refusing:
        return _NOTHING_REFUSES
    weigh(pieces, text)
    return _Judge(text, pieces, refusing, asked).verdict()


@dataclass(slots=True)
class _Judge:
    """The decision on an answer with at least one refusing clause."""

    text: str
    pieces: list[Clause]
    refusing: list[int]
    asked: Asked

    @property
    def _level(self) -> int:
        return max(self.pieces[at].level for at in self.refusing)

    def _direct(self) -> list[int]:
        """The clauses that refuse the question itself: 无法回答这个问题."""
        return [at for at in self.refusing if self.pieces[at].level >= 2 and words.DIRECT.search(self.pieces[at].text)]

    def verdict(self) -> Abstention:
        """Whether the refusal stands."""
        strong = [at for at in self.refusing if self.pieces[at].kinds != {"vague"}]
        stated = sum(piece.weight for piece in self.pieces)
        if not strong:
            return self._answered() if stated >= 25 else self._refused()
        self.refusing = strong
        if self._is_ground() or self._is_conceded():
            return self._answered()
        if self._follows_from_self():
            return self._answered(uncertain=True)
        first = self.refusing[0]
        before = sum(piece.weight for piece in self.pieces[:first])
        after = stated - before
        if after and (supplied := self._supplied_after(before, after)):
            return supplied
        if (before >= _SAID or (before and self.asked.whether)) and (given := self._given_before(before, after)):
            return given
        return self._refused(uncertain=self._level < 3 and before >= 20 and after >= _LONG)

    def _refused(self, *, uncertain: bool = False) -> Abstention:
        piece = self.pieces[self.refusing[0]]
        return Abstention(True, f"the answer says {piece.word[:60]!r}", uncertain)

    def _answered(self, *, uncertain: bool = False, follows: bool = False) -> Abstention:
        piece = self.pieces[self.refusing[0]]
        word = piece.word[:60]
        if follows:
            return Abstention(False, f"after {word!r} the answer goes on: {self._stated_after()[:40]}", uncertain)
        return Abstention(False, f"{word!r} is said of something else", uncertain)

    def _stated_after(self) -> str:
        following = islice(self.pieces, self.refusing[0] + 1, None)
        stated = next((piece.start for piece in following if piece.weight), self.pieces[self.refusing[0]].end)
        return self.text[stated : stated + 80].strip()

    def _is_ground(self) -> bool:
        """因证据不足,不起诉: the refusing words are the ground of what is stated."""
        for at in self.refusing:
            piece = self.pieces[at]
            follows = at + 1 < len(self.pieces) and self.pieces[at + 1].weight > 5
            if piece.level == 3 or not (words.GROUND.match(piece.text) and follows):
                return False
        return True

    def _is_conceded(self) -> bool:
        """Whether all that is refused is a concession to what is stated: about 13 billion, though not exactly known."""
        return all(
            self.pieces[at].level < 3 and at and words.ALTHOUGH.match(self.pieces[at].text.strip())
            for at in self.refusing
        ) and bool(self.pieces[self.refusing[0] - 1].weight)

    def _follows_from_self(self) -> bool:
        """我没有情感,所以不会焦虑: the question is answered from what the speaker is."""
        if any(self.pieces[at].kinds != {"self"} for at in self.refusing):
            return False
        first = self.refusing[0]
        following = self.pieces[first + 1] if first + 1 < len(self.pieces) else self.pieces[first]
        return words.CONSEQUENCE.search(following.text) is not None

    # --- what follows the refusal

    def _supplied_after(self, before: float, after: float) -> Abstention | None:
        """The verdict where something is stated after the refusal; None where that is not the asked item."""
        first, level = self.refusing[0], self._level
        turned, closes = self._turn(first), self._closes_with_refusal()
        if self._is_modest() and after >= 12:
            return self._answered(follows=True)
        if self._is_forbidden():
            return None
        following = self.pieces[first + 1].text if first + 1 < len(self.pieces) else ""
        if "约定" in self.pieces[first].word and words.CONSEQUENT.match(following):
            return self._answered(follows=True)
        if not closes and (self._concludes() or (turned is not None and self._turn_supplies(turned, level))):
            return self._answered(follows=True)
        if closes and self._lacks_value():
            return None
        if self.pieces[first].sentence and before >= 20 and after >= _LONG / 2 and self._is_remark():
            return self._answered()
        if closes or any(self.pieces[at].sentence for at in self._direct()):
            return None
        if self.asked.open and after >= self._needed(level, turned):
            return self._answered(follows=True, uncertain=level == 3 and after < 2 * _EXPOSITION)
        if after >= _EXPOSITION and self._norms() >= 3:
            return self._answered(follows=True, uncertain=level == 3)
        if level == 1 and after >= _LONG:
            return self._answered()
        if turned is not None and after >= 0.8 * _EXPOSITION and self._norms() > 1:
            return self._answered(follows=True, uncertain=True)
        return None

    def _is_modest(self) -> bool:
        """As an AI I have no favourite, but here is one: what the speaker is, said before what was asked for."""
        if any(not self._is_of_self(at) for at in self.refusing) or self.pieces[self.refusing[-1]].sentence > 0:
            return False
        rest = self.text[self.pieces[self.refusing[-1]].end :]
        return words.DELIVERS.match(rest) is not None

    def _is_of_self(self, at: int) -> bool:
        return self.pieces[at].kinds <= {"self"} or words.MODESTY.search(self.pieces[at].text) is not None

    def _is_forbidden(self) -> bool:
        """A request refused as unlawful: what follows is why, and what the law says of it."""
        first = self.pieces[self.refusing[0]]
        if first.level < 3 or first.sentence > 1:
            return False
        opening = self.text[: first.end + 160]
        return words.UNLAWFUL.search(opening) is not None and words.REQUEST.search(self.asked.text) is not None

    def _lacks_value(self) -> bool:
        """Whether a value is asked for, and none of its kind is stated."""
        if self.asked.kind not in VALUE_KINDS:
            return False
        kinds = ("date", "time") if self.asked.kind == "date" else (self.asked.kind,)
        return not any(_values(self.text, kind) for kind in kinds)

    def _is_remark(self) -> bool:
        """Whether what is refused is not the asked item, or is conceded: while I cannot say how many."""
        if self._direct():
            return False
        return all(
            words.ALTHOUGH.match(self.pieces[at].text.strip()) or not self._names_asked(at) for at in self.refusing
        )

    def _concludes(self) -> bool:
        """Whether a conclusion stands after the last refusing clause: therefore, operating activities did."""
        for at in range(self.refusing[-1] + 1, len(self.pieces)):
            piece = self.pieces[at]
            opens = piece.sentence != self.pieces[at - 1].sentence
            if opens and words.CONCLUSION.match(piece.text):
                is_mark = len(piece.text) < 14 and at + 1 < len(self.pieces)
                said = self.pieces[at + 1] if is_mark else piece
                return said.weight >= 8 and not words.DENIAL.search(said.text)
        return False

    def _needed(self, level: int, turned: int | None) -> float:
        """How much must be stated after a refusal to answer an open question."""
        if level < 3:
            return 40.0
        moral = sum(1 for piece in self.pieces[:12] if words.MORAL.search(piece.text))
        offers = turned is not None and words.OFFER.search(self.text, turned, turned + 60)
        if (moral >= 2 or offers) and self._norms() < 4:
            return 10 * _EXPOSITION
        return 0.6 * _EXPOSITION if turned is not None else _EXPOSITION

    def _norms(self) -> int:
        return sum(1 for piece in self.pieces if piece.weight and words.NORM.search(piece.text))

    def _closes_with_refusal(self) -> bool:
        """Whether the refusal is repeated at the end, after all that is stated."""
        last = self.refusing[-1]
        rest = sum(piece.weight for piece in self.pieces[last + 1 :])
        if last == self.refusing[0] or rest >= 12 or self.pieces[last].level < 2:
            return False
        return self.pieces[last].level == 3 or len(self.pieces) < 16 or self._names_asked(last)

    def _turn(self, first: int) -> int | None:
        """Where a word like 但 or 估计 turns from the refusal to a statement."""
        piece = self.pieces[first]
        concession = words.ALTHOUGH.match(piece.text.strip())
        first = max(
            at
            for at in self.refusing
            if at == first or (self.pieces[at].sentence == piece.sentence and self.pieces[at].level > 1)
        )
        for at in range(first, len(self.pieces)):
            following = self.pieces[at]
            place = following.start
            if at == first:
                turn = self._inner_turn(following)
                if turn is None:
                    continue
                return turn
            if following.level:
                continue
            if concession and following.weight:
                return place
            is_near = following.sentence - piece.sentence < 2
            is_turn = is_near and words.ADVERSATIVE.match(following.text.strip()) and self._next_weighs(at)
            if is_turn or (following.weight and words.INFERENCE.search(following.text)):
                return place
        return None

    def _inner_turn(self, piece: Clause) -> int | None:
        """The turn inside the refusing clause itself: not stated but probably X."""
        end = piece.start + piece.text.find(piece.word) + len(piece.word) if piece.word in piece.text else piece.end
        rest = self.text[end : piece.end]
        turn = words.ADVERSATIVE.search(rest) or words.INFERENCE.search(rest)
        if turn is None or words.has_cue(rest[turn.end() :]):
            return None
        return end + turn.start() if rest[turn.end() :].strip() else None

    def _next_weighs(self, at: int) -> bool:
        """Whether the sentence of the turn, or the one after it, states something."""
        until = self.pieces[at].sentence + 1
        following = islice(self.pieces, at, at + 9)
        return any(piece.weight > 0 for piece in following if piece.sentence <= until)

    def _turn_supplies(self, place: int, level: int) -> bool:
        """Whether what stands after the turn is the asked item."""
        rest = self.text[place:]
        own = without_quotes(rest)
        if own != rest and words.REFERS.search(own) and not _states_value(own):
            return False
        if self.asked.kind in VALUE_KINDS:
            given = _values(own, self.asked.kind) or self._figures(own)
            is_loose = words.YEARS.search(self.asked.text) or self.asked.kind != "date"
            return any(is_loose or value.is_exact for value in given) or (
                level == 1 and bool(words.INFERENCE.search(own[:40]))
            )
        if words.REFERRAL.search(own[:120]):
            return False
        if words.INFERENCE.search(own[:60]):
            return True
        if self.asked.whether and words.REPORTED_YES.search(own[:80]):
            return True
        if words.DENIAL.search(own[:40]):
            return False
        return (level < 3 and len(self.refusing) < 3) or self._goes_on(place)

    def _figures(self, text: str) -> list[Mention]:
        """Any figures, where a question asks 多少 or how many and does not say of what kind."""
        if self.asked.kind != "count" or words.MEASURED.search(self.asked.text):
            return []
        return [value for kind in ("count", "number", "money", "percent") for value in _values(text, kind)]

    def _goes_on(self, place: int) -> bool:
        """Whether the sentence of the refusal itself goes on to the asked item: I am no doctor, but aspirin …"""
        first = self.pieces[self.refusing[0]]
        piece = next((piece for piece in self.pieces if piece.start <= place < piece.end), first)
        is_same = piece.sentence == first.sentence and piece is not first
        return is_same and piece.weight >= 8 and not words.OFFER.search(piece.text) and self._speaks_of_it(piece)

    def _speaks_of_it(self, piece: Clause) -> bool:
        return shared_terms(piece.text, self.asked.text) >= 2 or bool(
            words.MODEST.search(self.pieces[self.refusing[0]].text)
        )

    # --- what precedes it

    def _given_before(self, before: float, after: float) -> Abstention | None:
        """The verdict where something was stated before the refusal; None where that is only a known part."""
        first = self.refusing[0]
        says_it = before >= 12 or (self.asked.whether and words.YES_NO.match(self.pieces[0].text))
        if says_it and all(words.ADVICE.search(self.pieces[at].text) for at in self.refusing):
            return self._answered()
        if self._direct() or (self.pieces[first].level == 3 and before < 20):
            return None
        if self._level == 3 and before >= 40 and self._norms() > 1:
            return self._answered(uncertain=True)
        if self._gives_value_before(first) or self._is_about_another(first) or self._says_yes_or_no(first):
            return self._answered()
        if self._is_side_detail(first):
            return self._answered(uncertain=self.asked.kind in ("person", "place"))
        if self.asked.open and not self.asked.why and before >= _LONG / 2 and self._norms():
            return self._answered()
        if before + after < _LONG:
            return None
        names_item = any(self._names_asked(at) for at in self.refusing)
        if self.asked.open and not (names_item and self.pieces[first].level >= 2 and before < _EXPOSITION):
            return self._answered(follows=True)
        if not names_item:
            return self._answered()
        return self._refused(uncertain=before >= 2 * _EXPOSITION or self._spoke_of_item(first))

    def _is_side_detail(self, first: int) -> bool:
        """Whether the refusal is of another topic than the question, of which a statement stands before it."""
        piece, kind = self.pieces[first], self.asked.kind
        is_one = self._level < 3 and self.refusing[-1] == first and "conflict" not in piece.kinds
        if (
            not self.asked.text
            or not is_one
            or self.asked.why
            or kind in ("date", "phone", "count")
            or self._names_kind(first)
        ):
            return False
        asked, before = terms_of(self.asked.text) - words.STOP_WORDS, terms_of(self.text[: piece.start])
        topic = topic_of(self._context(first))
        was_spoken_of = (
            asked & before
            or any(pattern.search(piece.text) for pattern in (words.EXACT, words.PARTY))
            or words.PRONOUN.match(self.text)
        )
        return bool(was_spoken_of) and len(topic - asked) >= 1 and not topic & asked - before

    def _says_yes_or_no(self, first: int) -> bool:
        """Whether a question for yes or no was answered before the refusing clause, which is not about that."""
        piece = self.pieces[first]
        if not self.asked.whether or piece.level == 3 or re.search("是否|whether|能否", piece.text):
            return False
        return piece.sentence > 0 or (first > 0 and words.YES_NO.match(self.pieces[0].text) is not None)

    def _spoke_of_item(self, first: int) -> bool:
        before = shared_terms(self.text[: self.pieces[first].start], self.asked.text)
        return (
            not self._names_kind(first) and before >= 4 and before > shared_terms(self._context(first), self.asked.text)
        )

    def _context(self, at: int) -> str:
        """A refusing clause, after the clause of its sentence that names its topic: 关于数额,没有记载."""
        piece = self.pieces[at]
        before = self.pieces[at - 1] if at else piece
        is_topic = before is not piece and before.sentence == piece.sentence and words.TOPIC.search(before.text)
        return before.text + "," + piece.text if is_topic else piece.text

    def _names_kind(self, at: int) -> bool:
        kind = self.asked.kind
        return kind != "" and words.KIND_WORDS[kind].search(self._context(at)) is not None

    def _names_asked(self, at: int) -> bool:
        """Whether the refusing clause speaks of the asked item: its kind, or words of the question."""
        return self._names_kind(at) or shared_terms(self._context(at), self.asked.text) >= 2

    def _is_about_another(self, first: int) -> bool:
        """其他不清楚, after the asked item was given."""
        others = {piece.sentence for piece in self.pieces if words.OTHERWISE.match(piece.text)}
        others |= {piece.sentence for piece in self.pieces if words.THE_REST.search(piece.text)}
        if any(self.pieces[at].sentence not in others for at in self.refusing):
            return False
        return not any(shared_terms(self._sentence(at)[2:], self.asked.text) for at in self.refusing)

    def _sentence(self, at: int) -> str:
        """The words of the sentence of a clause, as far as the clause."""
        sentence = self.pieces[at].sentence
        before = next(place for place in range(at, -1, -1) if place == 0 or self.pieces[place - 1].sentence != sentence)
        return self.text[self.pieces[before].start : self.pieces[at].end]

    def _gives_value_before(self, first: int) -> bool:
        """Whether one exact value of the asked kind stands before the refusal, which is not about that kind."""
        kind, start = self.asked.kind, self.pieces[first].start
        is_plain = self._level < 3 and not any("conflict" in self.pieces[at].kinds for at in self.refusing)
        if kind not in VALUE_KINDS or not is_plain or self._names_kind(first):
            return False
        given = _values(without_quotes(self.text[:start]), kind)
        if not all(value.is_exact and not value.approx for value in given):
            return False
        new = (
            (terms_of(self._context(first)) & terms_of(self.asked.text))
            - terms_of(self.text[:start])
            - words.STOP_WORDS
        )
        return len({str(value.value) for value in given}) == 1 and not new


def _values(text: str, kind: str) -> list[Mention]:
    """The values of a kind in a text, or in its beginning and end where it is long."""
    if len(text) > _LONGEST_VALUE_SEARCH:
        text = text[: _LONGEST_VALUE_SEARCH // 2] + "\n" + text[-_LONGEST_VALUE_SEARCH // 2 :]
    return [value for value in mentions(text) if value.kind == kind]


def _states_value(text: str) -> bool:
    return any(mention.kind not in ("ordinal", "number") for mention in mentions(text[:_LONGEST_VALUE_SEARCH]))
