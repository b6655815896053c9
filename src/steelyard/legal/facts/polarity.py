"""Judging yes/no questions: the polarity of the clause that answers.

A text is scanned once into statements with their signs: negations, verdict words, conclusions, claims, conditions,
hedges (`polarity_statements`). What answers is a yes or no with which a sentence begins, else the clause that concludes
or repeats most of the predicate of the question (`polarity_predicates`). Where there is neither, where clauses
contradict each other, and where one has a condition, the reading is a guess.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Final

from steelyard.i18n import Message
from steelyard.legal.facts.polarity_statements import (
    WORDS,
    Predicate,
    Reply,
    Sense,
    Statement,
    predicate_of,
    reply_of,
    statements_of,
)
from steelyard.legal.facts.statements import FieldVerdict
from steelyard.legal.model import SENSES
from steelyard.legal.stance import detect_abstention
from steelyard.legal.thresholds import LONGEST_READ, NEXT_QUESTION, RIVAL_ECHO, THESIS_SHARE
from steelyard.text.reading import final_part

_QUOTED: Final = re.compile('“[^“”]*”|「[^「」]*」|『[^『』]*』|"[^"]*"')


@dataclass(frozen=True, slots=True)
class _Reading:
    """The answer of a text; `sure` is False if the rules cannot decide."""

    sense: Sense
    sure: bool = True


def judge_boolean(expected: bool, question: str, answer: str) -> FieldVerdict:
    """Judge whether the answer is the expected yes or no; hedged, two-sided and abstaining answers are neither."""
    reading = _read(question, answer)
    reasons = {"none": Message("legal.neither_yes_nor_no"), "depends": Message("legal.depends")}
    reason = reasons.get(reading.sense) or Message("legal.answer_says", value=SENSES[reading.sense])
    return FieldVerdict(reading.sense == ("yes" if expected else "no"), reason, uncertain=not reading.sure)


def polarity(question: str, answer: str) -> bool | None:
    """Return True, False, or None if the answer does not say, or says that it depends."""
    return {"yes": True, "no": False}.get(_read(question, answer).sense)


@lru_cache(maxsize=1 << 12)
def _read(question: str, answer: str) -> _Reading:
    """Return the reading of the announced final answer if it says yes or no; else of the full text."""
    predicate = predicate_of(question)
    answer = _own_part(answer, question) if "\n" in answer else answer
    final = final_part(answer)
    if final and len(final) < len(answer):
        reading = _reading_of(final, question, predicate)
        if reading.sense != "none":
            return reading
    return _reading_of(answer, question, predicate)


def _own_part(answer: str, question: str) -> str:
    """Return the answer up to the next question that the model writes and answers itself."""
    other = WORDS["next_question"].search(answer)
    if other is None:
        return answer
    asked = re.split("[?？\n]", answer[other.end() : other.end() + NEXT_QUESTION])[0].strip()
    return answer if asked in question else answer[: other.start()]


def _reading_of(answer: str, question: str, predicate: Predicate) -> _Reading:
    """Return the reading of a text outside its quotations or, if that says nothing, inside them."""
    if len(answer) > LONGEST_READ:
        answer = f"{answer[: LONGEST_READ // 2]}\n{answer[-LONGEST_READ // 2 :]}"
    plain = _QUOTED.sub(" ", answer)
    reading = _decide(statements_of(plain), answer, question, predicate)
    if reading.sense == "yes" and any(WORDS["dismissal"].search(quote) for quote in _QUOTED.findall(answer)):
        return _Reading("yes", sure=False)  # the quoted words may decide
    if reading.sense != "none" or plain == answer:
        return reading
    inside = _decide(statements_of(re.sub('[“”「」『』"]', "", answer)), answer, question, predicate)
    return _Reading(inside.sense, sure=inside.sense == "none" and reading.sure)


def _decide(statements: Sequence[Statement], answer: str, question: str, predicate: Predicate) -> _Reading:
    """Return the reading of a text: its first word, else a refusal, else what it says of the predicate."""
    if not statements:
        return _Reading("none")
    replies = [reply_of(statement, predicate) for statement in statements]
    if words := _first_words(replies, predicate):
        return _worded(words, replies, predicate)
    if _refuses(replies, answer, question, predicate):
        return _Reading("none", sure=replies[-1].sentence < 2 and not any(reply.is_strong for reply in replies))
    return _prose(replies)


def _word(text: str, predicate: Predicate) -> Sense:
    """Return the yes or no that a clause is or begins with; a bare verb answers a question that is not negative."""
    if WORDS["yes"].fullmatch(text) or WORDS["opens_yes"].match(text):
        return "yes"
    if WORDS["no"].fullmatch(text) or WORDS["opens_no"].match(text):
        return "no"
    if WORDS["short_form"].fullmatch(text) or (not predicate.is_negative and WORDS["bare_verb"].fullmatch(text)):
        return "no" if WORDS["negation"].search(text) else "yes"
    return "none"


def _first_words(replies: Sequence[Reply], predicate: Predicate) -> dict[int, Sense]:
    """Return the yes or no with which a sentence begins, after greetings, references and conclusions, by sentence."""
    words: dict[int, Sense] = {}
    for sentence, group in groupby(replies, lambda reply: reply.sentence):
        for reply in group:
            if (sense := _word(reply.text, predicate)) != "none":
                words[sentence] = sense
            if sense != "none" or not (reply.has("conclusion") or WORDS["opener"].match(reply.text)):
                break
    return words


def _worded(words: dict[int, Sense], replies: Sequence[Reply], predicate: Predicate) -> _Reading:
    at, lead = next(iter(words.items()))
    opposite: Sense = "no" if lead == "yes" else "yes"
    if opposite in words.values() or any(WORDS[opposite].fullmatch(reply.text.lstrip("也又或")) for reply in replies):
        return _Reading("none", sure=False)
    same = [reply for reply in replies if reply.sentence == at]
    if predicate.is_negated and lead == "no":
        meant = _prose([reply for reply in replies if reply is not same[0]])
        return meant if meant.sure else _Reading(lead, sure=False)
    about = max(same[1:] or same, key=lambda reply: reply.echo)
    if about.has("hedge") or any(reply.has("depends", "both") for reply in same):
        return _Reading(lead, sure=False)
    opposed = [reply for reply in replies if reply.sense == opposite and reply.is_strong and reply.is_own]
    retracts = lead == "yes" and any(reply in same[1:2] and not reply.has("turn") for reply in opposed)
    is_sure = not retracts and not any(reply.has("conclusion") for reply in opposed)
    return _Reading(opposite if retracts else lead, sure=is_sure)


def _refuses(replies: Sequence[Reply], answer: str, question: str, predicate: Predicate) -> bool:
    """Return whether the answer refuses; what is left open after an answering first sentence does not count.

    That something cannot be established is a finding, not a refusal: 不能认定其构成自首.
    """

    def abstains(text: str) -> bool:
        return detect_abstention(text, question=question).abstains

    stated = [reply for reply in replies if reply.is_strong and not reply.has("condition", "aside", "hedge")]
    if not abstains(answer) or any(WORDS["unproven"].search(reply.text) for reply in stated):
        return False
    stated = [reply for reply in stated if reply.sentence == replies[0].sentence]
    if predicate.is_about_existence and any(reply.statement.negators for reply in stated):
        return False
    return all(abstains(reply.text) for reply in stated)


def _prose(replies: Sequence[Reply]) -> _Reading:
    """Return the reading of the conclusion, else of the clause that repeats most of the predicate."""
    own = [reply for reply in replies if reply.is_own and reply.answers]
    stated = [reply for reply in own if reply.is_strong] or own
    conclusions = [reply for reply in stated if reply.has("conclusion", "finding")]
    if not conclusions and any(reply.has("both") for reply in replies):
        return _Reading("none", sure=False)
    first = replies.index(stated[0]) if stated else len(replies)
    if any(reply.has("depends") for reply in replies[: first + 1]):
        return _Reading("depends", sure=False)
    if not stated:
        return _indirect(replies)
    plain = [reply for reply in own if not reply.has("rule", "given")]
    chosen = (
        conclusions[-1]
        if conclusions
        else max([reply for reply in stated if not reply.has("rule", "given")] or stated, key=_weight)
    )
    return _judged(chosen, plain, replies)


def _weight(reply: Reply) -> tuple[bool, int]:
    """Return how much a clause is about the predicate; 而非 answers, and what follows 但 is added to an answer."""
    bonus = RIVAL_ECHO * (reply.has("contrast") - reply.has("turn"))
    return reply.shares_topic or reply.has("contrast"), reply.echo + bonus


def _judged(chosen: Reply, plain: Sequence[Reply], replies: Sequence[Reply]) -> _Reading:
    """Return the reading of a clause: sure if it repeats enough, has no condition, and nothing contradicts it."""
    if chosen.has("hedge"):
        return _Reading("none", sure=False)
    rivals = [reply for reply in plain if reply.sense != chosen.sense and reply.echo > chosen.echo - RIVAL_ECHO]
    rivals = [] if chosen.has("contrast") else rivals
    is_found = chosen.has("conclusion", "finding")
    if not is_found and any(not reply.has("turn", "contrast", "without") for reply in rivals):
        return _Reading("none", sure=False)
    share = max(reply.share for reply in (chosen, *plain) if reply.sense == chosen.sense)
    is_short = replies[-1].sentence == 0 and (chosen.sense == "no" or bool(chosen.predicate.chars))
    is_explicit = is_short or (chosen.is_strong and share >= THESIS_SHARE)
    is_open = chosen.has("given", "mostly") or any(reply.has("depends") for reply in replies)
    return _Reading(chosen.sense, sure=is_explicit and not is_open and not rivals)


def _indirect(replies: Sequence[Reply]) -> _Reading:
    """Return a guess where no clause is about the predicate: by verbs such as 承认 and 否认."""
    verdicts = [
        reply
        for reply in replies
        if WORDS["verdict"].search(reply.text) and not reply.has("claim", "condition", "hedge")
    ]
    return _Reading(verdicts[0].sense if verdicts else "none", sure=False)
