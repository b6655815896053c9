"""The stance of an answer: whether it answers the question, refuses it, or both.

An answer is read clause by clause (`cues`). A clause refuses (with a strength), supplies nothing (apology, referral,
description of the system itself), or states something. The verdict follows from the question, from the position of the
refusing clauses, and from what the others state.
"""

import math
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Final, Literal

from steelyard.i18n import Localized, Message
from steelyard.io.outputs import prose_around
from steelyard.legal import thresholds as limits
from steelyard.legal.cues import (
    HIDDEN,
    VALUE_KINDS,
    WORDS,
    Act,
    Asked,
    acts_of,
    asked_for,
    assign_weights,
    content_terms,
    has_cue,
    last_clause,
    names_kind,
    shared_terms,
    terms_of,
    topic_of,
)
from steelyard.legal.reading import Reading, answer_in, read, without_quotes
from steelyard.text.mentions import Mention, mentions
from steelyard.text.normalisation import normalise
from steelyard.text.reading import is_silent

_QUESTION_IN_BRACKETS: Final = re.compile(r"[（(][^（）()]*[?？]\s*[）)]")

Kind = Literal["answers", "refuses", "mixed", "asks", "blank"]


@dataclass(frozen=True, slots=True)
class Stance:
    """How an answer stands to its question, and the words that decided.

    *mixed* refuses the asked item and also supplies something of its kind; *asks* only asks back. `abstains` is
    whether it refuses, for *mixed* the better guess; `uncertain` if the rules cannot decide; `names_asked` if the
    refusal has words of the question.
    """

    kind: Kind
    why: Localized
    abstains: bool = False
    uncertain: bool = False
    names_asked: bool = False

    @property
    def reason(self) -> str:
        """The reason, in English."""
        return str(self.why)


_BLANK: Final = Stance("blank", Message("legal.nothing_said"))
_NOTHING_REFUSES: Final = Stance("answers", Message("legal.nothing_refuses"))


@lru_cache(maxsize=1 << 12)
def stance(question: str, answer: str, prose: str = "") -> Stance:
    """Return the stance of an answer, which every judge takes from here; an announced final answer decides alone.

    `prose` is what a model wrote beside the record that it gave as JSON; a refusal there counts.
    """
    asked = asked_for(question)
    found, beside = (_of_reading(read(text), asked) for text in (answer_in(answer), prose or prose_around(answer)))
    if beside.abstains and not found.abstains:
        return replace(beside, kind="mixed", uncertain=True)
    return found


def detect_abstention(answer: str, *, question: str = "") -> Stance:
    """Return whether the answer declares the asked item absent or unknown, and does not supply it after all."""
    return stance(question, answer)


def states_asked(question: str, text: str) -> bool:
    """Return whether a text states something of the kind that a question asks for: a value, or who or where it is."""
    asked = asked_for(question)
    plain = normalise(text)
    if asked.kind in VALUE_KINDS:
        return bool(_values_in(plain, asked.kind))
    return _names_asked(plain, asked)


def _names_asked(text: str, asked: Asked) -> bool:
    """Return whether a text says who, where or what the asked item is: 他叫黄国强, 船主是他舅舅, 地址是甲路6号."""
    identified = WORDS["identifies"].match(text) if asked.kind in ("person", "place", "thing") else None
    if identified is None or (asked.kind == "thing" and not (identified["attribute"] or identified["calls"])):
        return False
    return identified["subject"] in asked.text or WORDS["pronoun_subject"].fullmatch(identified["subject"]) is not None


def _of_reading(reading: Reading, asked: Asked) -> Stance:
    text, final = reading.text, reading.final
    if reading.is_silent:
        return _BLANK
    if not final or WORDS["asks_again"].match(final) or len(final) == len(text):
        return _decide(text, asked)
    index = text.rfind(final)
    if WORDS["others_result"].search(WORDS["final_lead"].sub("", text[max(0, index - 40) : index])):
        return _decide(text, asked)
    full_text, announced = _decide(text, asked), _decide(final, asked)
    if full_text.abstains and has_cue(last_clause(text[max(0, index - limits.CUE_CONTEXT) : index])):
        return full_text  # 无法给出答案
    if announced.abstains and full_text.kind != "refuses":
        return replace(announced, kind="mixed", uncertain=True)
    return announced


def _decide(text: str, asked: Asked) -> Stance:
    """Return the verdict on a text; a question in brackets beside other words is a note."""
    noted = _QUESTION_IN_BRACKETS.sub("", text)
    text = text if is_silent(noted) else noted
    bare = text.strip(" []【】()\"'“”")
    if null := WORDS["json_null"].match(text):
        return Stance("refuses", Message("legal.answer_says_words", word=null[1]), abstains=True)
    if WORDS["none"].fullmatch(bare):
        return Stance("answers", Message("legal.said_of_something_else", word=bare), uncertain=not asked.whether)
    if WORDS["null"].fullmatch(bare):
        counts = asked.kind == "count" and "号" not in asked.text
        is_answer = WORDS["zero"].fullmatch(bare) is not None and (asked.whether or counts)
        why = Message("legal.answer_says_words", word=bare)
        return Stance("answers" if is_answer else "refuses", why, abstains=not is_answer)
    acts = acts_of(text, asked)
    refusing = [at for at, act in enumerate(acts) if act.level]
    if refusing:
        assign_weights(acts, text)
    found = _verdict(_Refusal(text, acts, refusing, asked)) if refusing else _NOTHING_REFUSES
    if found.kind != "answers" or found.uncertain or not _lacks_asked(text, asked):
        return found
    return replace(found, why=Message("legal.no_such_value"), uncertain=True)


def _lacks_asked(text: str, asked: Asked) -> bool:
    """Return whether a text gives nothing of the kind that a question asks for."""
    is_other = asked.whether or asked.why or asked.speech or asked.knowing or asked.open
    if is_other or len(text) > limits.LONGEST_VALUE_SEARCH:
        return False
    kind, text = asked.kind, WORDS["no_numeral"].sub(" ", text)
    if _new_values(text, asked):
        return False
    if len(text) < limits.LONGEST_UNDECIDED and WORDS["undecided"].search(without_quotes(text, HIDDEN)):
        return True
    if kind == "phone":
        return not WORDS["asked_person"].search(asked.text)
    if kind in VALUE_KINDS:
        return not WORDS[f"gives_{kind}"].search(text)
    return bool(WORDS["asked_number"].search(asked.text)) and not WORDS["gives_number"].search(text)


def _new_values(text: str, asked: Asked) -> list[Mention]:
    """Return the values in a text that may be of the asked kind, without those of the question."""
    if asked.kind not in VALUE_KINDS:
        return []
    others = ("date", "time") if asked.kind in ("money", "count") else ("money", "percent")
    given = {str(value.value) for value in mentions(asked.text)}
    return [value for value in mentions(text) if value.kind not in others and str(value.value) not in given]


@dataclass(frozen=True, slots=True)
class _Refusal:
    """An answer with at least one refusing clause."""

    text: str
    acts: list[Act]
    refusing: list[int]
    asked: Asked

    @property
    def level(self) -> int:
        return max(self.acts[at].level for at in self.refusing)

    @property
    def first(self) -> Act:
        return self.acts[self.refusing[0]]

    @property
    def has_conflict(self) -> bool:
        """Whether a clause says that statements disagree."""
        return any("conflict" in self.acts[at].kinds for at in self.refusing)

    @property
    def gives_both_sides(self) -> bool:
        """Whether the answer says that statements disagree, and gives two values of the asked kind."""
        kinds = (self.asked.kind,) if self.asked.kind in VALUE_KINDS else VALUE_KINDS
        values = ({str(value.value) for value in _values_in(self.text, kind)} for kind in kinds)
        return self.has_conflict and any(len(different) > 1 for different in values)

    def has_direct(self, *, later: bool = False) -> bool:
        """Whether a clause refuses the question itself: 无法回答这个问题; with `later` one after the first sentence."""
        direct = (self.acts[at] for at in self.refusing if self.acts[at].level >= limits.THE_SOURCE)
        return any(WORDS["direct"].search(act.text) and (act.sentence or not later) for act in direct)

    def context(self, at: int) -> str:
        """Return a refusing clause, together with the clause before it that names its topic: 关于数额,没有记载."""
        act, before = self.acts[at], self.acts[at - 1] if at else None
        is_topic = before and before.sentence == act.sentence and WORDS["topic"].search(before.text)
        return f"{before.text},{act.text}" if before and is_topic else act.text

    def names_kind(self, at: int) -> bool:
        """Return whether a refusing clause names the kind of value that is asked for: 日期, phone."""
        return names_kind(self.context(at), self.asked.kind)

    def names_asked(self, at: int) -> bool:
        """Return whether the refusing clause is about the asked item: its kind, or words of the question."""
        return self.names_kind(at) or shared_terms(self.context(at), self.asked.text) >= 2

    def is_about_asked(self, at: int) -> bool:
        """Return whether the refusing clause has a word of the question, or names the asked kind and no other."""
        text = self.context(at)
        others = [kind for kind in VALUE_KINDS if kind != self.asked.kind and names_kind(text, kind)]
        return shared_terms(text, self.asked.text) > 0 or (self.names_kind(at) and not others)

    def refused(self, *, uncertain: bool = False) -> Stance:
        """Return the verdict that the answer refuses."""
        why = Message("legal.answer_says_words", word=self.first.word[: limits.CUE_CONTEXT])
        named = any(map(self.is_about_asked, self.refusing))
        return Stance("refuses", why, abstains=True, uncertain=uncertain, names_asked=named)

    def noted(self, *, uncertain: bool = False) -> Stance:
        """Return the verdict that the answer answers, and the refusal is a note about something else."""
        why = Message("legal.said_of_something_else", word=self.first.word[: limits.CUE_CONTEXT])
        return Stance("answers", why, uncertain=uncertain)

    def supplied(self) -> Stance:
        """Return the verdict that the answer supplies the asked item after its refusal."""
        following = islice(self.acts, self.refusing[0] + 1, None)
        start = next((act.start for act in following if act.weight), self.first.end)
        rest = self.text[start : start + 80].strip()[:40]
        why = Message("legal.goes_on_after", word=self.first.word[: limits.CUE_CONTEXT], rest=rest)
        return Stance("mixed", why)


def _verdict(refusal: _Refusal) -> Stance:
    strong = [at for at in refusal.refusing if refusal.acts[at].kinds != {"vague"}]
    stated = sum(act.weight for act in refusal.acts)
    if not strong:  # it asks back; what it states beside that may be the answer
        if stated >= limits.VAGUE_STATED:
            return refusal.noted()
        return replace(refusal.refused(), kind="mixed" if stated else "asks", uncertain=stated > 0)
    refusal = replace(refusal, refusing=strong)
    verdict = _by_weight(refusal, stated)
    if verdict.kind == "refuses" and _supplies(refusal):
        return replace(verdict, kind="mixed", uncertain=True)
    doubts = verdict.kind == "mixed" or (
        verdict.kind == "refuses" and stated >= limits.ANSWERED and not _lacks_value(refusal)
    )
    return replace(verdict, uncertain=verdict.uncertain or doubts)


def _by_weight(refusal: _Refusal, stated: float) -> Stance:
    if _is_ground(refusal) or _is_conceded(refusal):
        return refusal.noted()
    if _closes_full_answer(refusal):
        return replace(refusal.noted(uncertain=True), kind="mixed")
    is_of_self = all(refusal.acts[at].kinds <= {"self", "sorry"} for at in refusal.refusing)
    if is_of_self and stated >= limits.ANSWERED:  # what follows an apology decides
        return refusal.noted(uncertain=True)
    before = sum(act.weight for act in refusal.acts[: refusal.refusing[0]])
    after = stated - before
    if after and (supplied := _supplied_after(refusal, after)):
        return supplied
    is_apart = refusal.asked.whether or refusal.first.sentence > refusal.acts[0].sentence
    if (before >= limits.LEAST_STATED or (before and is_apart)) and (given := _given_before(refusal, before, after)):
        return given
    is_one = len(refusal.refusing) == 1 and refusal.first.sentence > 0
    if is_one and before >= limits.LONG_ANSWER and not refusal.has_direct():
        return refusal.noted(uncertain=True)  # one clause after long text is more often a note than not
    is_doubtful = refusal.level < limits.SPEAKER and before >= limits.STATED and after >= limits.LONG
    return refusal.refused(uncertain=is_doubtful or all(_is_note(refusal, at) for at in refusal.refusing))


def _supplies(refusal: _Refusal) -> bool:
    """Return whether an answer that refuses also states something of the asked kind, outside quotations.

    A refusal that does not name the asked item is contradicted by any statement; one that names it only by a value of
    the asked kind in a clause that is about the asked item at least as much.
    """
    blank = without_quotes(refusal.text, HIDDEN)
    later = (act for act in refusal.acts if act.weight and not act.level and act.start > refusal.first.start)
    if any(_names_asked(blank[act.start : act.end].strip(), refusal.asked) for act in later):
        return True
    ignorant = {act.sentence for act in refusal.acts if "ignorant" in act.kinds}
    stating = [
        replace(act, text=blank[act.start : act.end])
        for act in refusal.acts
        if act.weight and not act.level and act.sentence not in ignorant and HIDDEN not in blank[act.start : act.end]
    ]
    given = {act.start: values for act in stating if (values := _values_in(act.text, refusal.asked.kind))}
    if refusal.gives_both_sides:
        return False
    if not any(refusal.is_about_asked(at) for at in refusal.refusing):
        own = {refusal.acts[at].sentence for at in refusal.refusing}
        apart = sum(act.weight for act in stating if act.sentence not in own)
        has_value = any(_states_value(act.text) for act in stating)
        return apart >= limits.PHRASE or sum(act.weight for act in stating) >= limits.STATED or has_value
    if refusal.asked.kind not in VALUE_KINDS:
        return False
    about = max(shared_terms(refusal.context(at), refusal.asked.text) for at in refusal.refusing)
    exact = (act for act in stating if any(value.is_exact for value in given.get(act.start, ())))
    return any(shared_terms(act.text, refusal.asked.text) >= about for act in exact)


def _is_ground(refusal: _Refusal) -> bool:
    """Return whether the refusing words are the reason for a statement: 因证据不足,不起诉."""
    for at in refusal.refusing:
        act = refusal.acts[at]
        follows = at + 1 < len(refusal.acts) and refusal.acts[at + 1].weight > limits.PHRASE
        if act.level == limits.SPEAKER or not (WORDS["ground"].match(act.text) and follows):
            return False
    return True


def _is_conceded(refusal: _Refusal) -> bool:
    """Whether all refusing clauses are concessions after a statement: about 13 billion, though not exactly known."""
    before = refusal.acts[: refusal.refusing[0]]
    return bool(before) and before[-1].weight > 0 and all(_concedes(refusal.acts[at]) for at in refusal.refusing)


def _concedes(act: Act) -> bool:
    return WORDS["although"].match(act.text.strip()) is not None


def _closes_full_answer(refusal: _Refusal) -> bool:
    """Return whether an answer refuses only in its last sentence, in general words, after a list or three sentences."""
    last = refusal.acts[-1].sentence
    if refusal.first.sentence < last or _lacks_value(refusal):
        return False
    closing = refusal.text[next(act.start for act in refusal.acts if act.sentence == last) :]
    stating = {act.sentence for act in refusal.acts if act.weight and act.sentence < last}
    return len(stating) >= limits.FULL_ANSWER and WORDS["closing"].fullmatch(closing.strip(" 。.!")) is not None


# ----- the text after the refusal


def _supplied_after(refusal: _Refusal, after: float) -> Stance | None:
    """Return the verdict if the text after the refusal decides it; None if it does not supply the asked item."""
    level, asked = refusal.level, refusal.asked
    turned, closes = _turn(refusal), _closes_with_refusal(refusal)
    if not closes and (_concludes(refusal) or (turned is not None and _turn_supplies(refusal, turned))):
        return refusal.supplied()
    if closes or refusal.has_direct(later=True):
        return None
    if asked.open and after >= _needed(refusal, turned):
        return refusal.supplied()
    if level == limits.SOMEBODY and after >= limits.LONG:
        return refusal.noted()
    return None


def _lacks_value(refusal: _Refusal) -> bool:
    kind = refusal.asked.kind
    kinds = ("date", "time") if kind == "date" else (kind,)
    return kind in VALUE_KINDS and not any(_values_in(refusal.text, kind) for kind in kinds)


def _concludes(refusal: _Refusal) -> bool:
    """Return whether there is a conclusion after the last refusing clause: therefore, operating activities did."""
    acts = refusal.acts
    for at in range(refusal.refusing[-1] + 1, len(acts)):
        if acts[at].sentence != acts[at - 1].sentence and WORDS["conclusion"].match(acts[at].text):
            is_mark = len(acts[at].text) < limits.BRIEF_CONCLUSION and at + 1 < len(acts)
            stated = acts[at + 1] if is_mark else acts[at]
            return stated.weight >= limits.ANSWERED and not WORDS["denial"].search(stated.text)
    return False


def _needed(refusal: _Refusal, turned: int | None) -> float:
    """Return the weight that the text after a refusal needs to answer an open question.

    After a refusal by the speaker, or of the asked item in the first sentence, text alone is its explanation: only a
    turn to the matter answers, and not one to other help.
    """
    is_opening = refusal.first.sentence == 0 and refusal.names_asked(refusal.refusing[0])
    if turned is None and (is_opening or refusal.level == limits.SPEAKER):
        return math.inf
    if turned is None or refusal.level < limits.SPEAKER:
        return limits.LONG_ANSWER
    moral = sum(1 for act in refusal.acts[: limits.MORAL_CLAUSES] if WORDS["moral"].search(act.text))
    other_help = WORDS["offer"].search(refusal.text, turned, turned + limits.CUE_CONTEXT)
    return math.inf if moral >= 2 or other_help else limits.TURNED


def _closes_with_refusal(refusal: _Refusal) -> bool:
    """Return whether the refusal is repeated at the end, after all that is stated."""
    last = refusal.refusing[-1]
    rest = sum(act.weight for act in refusal.acts[last + 1 :])
    if last == refusal.refusing[0] or rest >= limits.BRIEF or refusal.acts[last].level < limits.THE_SOURCE:
        return False
    return (
        refusal.acts[last].level == limits.SPEAKER
        or len(refusal.acts) < limits.SHORT_REFUSAL
        or refusal.names_asked(last)
    )


def _turn(refusal: _Refusal) -> int | None:
    """Return the index of a word like 但 or 估计 that turns from the refusal to a statement; or None."""
    opening, concession = refusal.first, _concedes(refusal.first)
    same = [at for at in refusal.refusing if refusal.acts[at].sentence == opening.sentence]
    last = max(at for at in same if at == refusal.refusing[0] or refusal.acts[at].level > limits.SOMEBODY)
    for at in range(last + 1, len(refusal.acts)):
        act = refusal.acts[at]
        if act.level:
            continue
        following = islice(refusal.acts, at, at + limits.TURN_CLAUSES)
        is_turn = (
            act.sentence - opening.sentence < limits.TURN_SENTENCES
            and WORDS["adversative"].match(act.text.strip())
            and any(other.weight > 0 for other in following if other.sentence <= act.sentence + 1)
        )
        infers = act.weight and WORDS["inference"].search(act.text)
        if (concession and act.weight) or is_turn or infers:
            return act.start
    return None


def _turn_supplies(refusal: _Refusal, index: int) -> bool:
    rest, asked, level = refusal.text[index:], refusal.asked, refusal.level
    own = without_quotes(rest, HIDDEN)
    if (own != rest and WORDS["refers"].search(own) and not _states_value(own)) or refusal.gives_both_sides:
        return False
    if asked.kind in VALUE_KINDS:
        given = _values_in(own, asked.kind) or _figures(asked, own)
        is_loose = WORDS["years"].search(asked.text) or asked.kind != "date"
        infers = level == limits.SOMEBODY and WORDS["inference"].search(own[:40])
        return any(is_loose or value.is_exact for value in given) or bool(infers)
    if WORDS["referral"].search(own[:120]):
        return False
    if WORDS["inference"].search(own[:60]) or (asked.whether and WORDS["reported_yes"].search(own[:80])):
        return True
    if WORDS["denial"].search(own[:40]):
        return False
    return level < limits.SPEAKER and len(refusal.refusing) < 3


def _figures(asked: Asked, text: str) -> list[Mention]:
    """Return all figures, if a question asks 多少 or how many without a unit."""
    if asked.kind == "date" and WORDS["years"].search(asked.text):
        return [
            value for value in _values_in(text, "number") if limits.YEARS[0] <= (value.value or 0) <= limits.YEARS[1]
        ]
    if asked.kind != "count" or WORDS["measured"].search(asked.text):
        return []
    return [value for kind in ("count", "number", "money", "percent") for value in _values_in(text, kind)]


# ----- the text before the refusal


def _given_before(refusal: _Refusal, before: float, after: float) -> Stance | None:
    """Return the verdict if the text before the refusal gives the asked item; else None."""
    asked, first = refusal.asked, refusal.refusing[0]
    says_it = before >= limits.BRIEF or (asked.whether and WORDS["yes_no"].match(refusal.acts[0].text))
    if says_it and all(_is_note(refusal, at) for at in refusal.refusing):
        return refusal.noted()
    if refusal.has_direct() or (refusal.first.level == limits.SPEAKER and before < limits.STATED):
        return None
    if _gives_value_before(refusal, first) or _says_yes_or_no(refusal, first):
        return refusal.noted()
    if _is_side_detail(refusal, first):
        return refusal.noted(uncertain=True)
    if before + after < limits.LONG:
        return None
    names_item = any(refusal.names_asked(at) for at in refusal.refusing)
    if asked.open and not (names_item and refusal.first.level >= limits.THE_SOURCE and before < limits.EXPOSITION):
        return refusal.supplied()
    if not names_item:
        return refusal.noted()
    return refusal.refused(uncertain=before >= limits.TREATISE)


def _is_note(refusal: _Refusal, at: int) -> bool:
    """Return whether a refusing clause is about anything else, anything further, or the limits of the speaker."""
    act = refusal.acts[at]
    start = next(other.start for other in refusal.acts if other.sentence == act.sentence)
    return any(WORDS[name].search(refusal.text[start : act.end]) for name in ("advice", "note"))


def _is_side_detail(refusal: _Refusal, first: int) -> bool:
    """Return whether the refusal is about another topic than the question, which is answered before it."""
    act, asked = refusal.acts[first], refusal.asked
    is_one = refusal.level < limits.SPEAKER and refusal.refusing[-1] == first and "conflict" not in act.kinds
    if not asked.text or not is_one or asked.why or asked.kind in ("date", "phone", "count"):
        return False
    if refusal.names_kind(first):
        return False
    terms, before = content_terms(asked.text), terms_of(refusal.text[: act.start])
    topic = topic_of(refusal.context(first))
    is_narrower = any(WORDS[name].search(act.text) for name in ("exact", "party"))
    was_spoken_of = terms & before or is_narrower or act.sentence or WORDS["pronoun"].match(refusal.text)
    return bool(was_spoken_of) and len(topic - terms) >= 1 and not topic & terms - before


def _says_yes_or_no(refusal: _Refusal, first: int) -> bool:
    act = refusal.acts[first]
    if not refusal.asked.whether or act.level == limits.SPEAKER or WORDS["whether_open"].search(act.text):
        return False
    return act.sentence > 0 or (first > 0 and WORDS["yes_no"].match(refusal.acts[0].text) is not None)


def _gives_value_before(refusal: _Refusal, first: int) -> bool:
    """Return whether there is one exact value of the asked kind before the refusal, which is not about that kind."""
    kind, start = refusal.asked.kind, refusal.acts[first].start
    is_plain = refusal.level < limits.SPEAKER and not refusal.has_conflict
    if kind not in VALUE_KINDS or not is_plain or refusal.names_kind(first):
        return False
    given = _values_in(without_quotes(refusal.text[:start], HIDDEN), kind)
    if not all(value.is_exact and not value.approx for value in given):
        return False
    new = content_terms(refusal.context(first)) & terms_of(refusal.asked.text) - terms_of(refusal.text[:start])
    return len({str(value.value) for value in given}) == 1 and not new


def _values_in(text: str, kind: str) -> list[Mention]:
    """Return the values of a kind in a text, or in the beginning and end of a long one."""
    if len(text) > limits.LONGEST_VALUE_SEARCH:
        text = text[: limits.LONGEST_VALUE_SEARCH // 2] + "\n" + text[-limits.LONGEST_VALUE_SEARCH // 2 :]
    return [value for value in mentions(text) if value.kind == kind]


def _states_value(text: str) -> bool:
    """Return whether a text has a value other than a bare number."""
    return any(mention.kind not in ("ordinal", "number") for mention in mentions(text[: limits.LONGEST_VALUE_SEARCH]))
