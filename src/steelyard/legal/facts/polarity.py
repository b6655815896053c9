"""Judging yes/no questions: the polarity of the clause that answers.

A text is scanned once into replies with their signs: negations, verdict words, conclusions, claims, conditions,
hedges (`polarity_statements`). The clause that answers is a leading yes or no, else the one that concludes or repeats
the predicate of the question (`polarity_predicates`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from steelyard.i18n import Message
from steelyard.legal.facts.amounts import FieldVerdict
from steelyard.legal.facts.polarity_predicates import Predicate, Reply, Sense, predicate_of, reply_of
from steelyard.legal.facts.polarity_statements import WORDS, Statement, scan, statements_of
from steelyard.legal.refusals.abstention import detect_abstention
from steelyard.legal.wording import SENSES
from steelyard.text.reading import final_part

_QUOTED: Final = re.compile('“[^“”]*”|「[^「」]*」|『[^『』]*』|"[^"]*"')
_LONGEST: Final = 24_000
"""The number of characters of an answer that are read: all, or the beginning and the end of a longer one."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """The answer of a text; `sure` is False if the rules cannot decide."""

    sense: Sense
    sure: bool = True


def judge_boolean(expected: bool, question: str, answer: str) -> FieldVerdict:
    """Whether the answer is the expected yes or no; hedged, two-sided and abstaining answers are neither."""
    reading = _read(question, answer)
    if reading.sense == "none":
        return FieldVerdict(False, Message("legal.neither_yes_nor_no"), uncertain=not reading.sure)
    if reading.sense == "depends":
        return FieldVerdict(False, Message("legal.depends"), uncertain=not reading.sure)
    return FieldVerdict(
        (reading.sense == "yes") is expected,
        Message("legal.answer_says", value=SENSES[reading.sense]),
        uncertain=not reading.sure,
    )


def polarity(question: str, answer: str) -> bool | None:
    """True, False, or None if the answer does not say, or says that it depends."""
    return {"yes": True, "no": False}.get(_read(question, answer).sense)


@lru_cache(maxsize=1 << 12)
def _read(question: str, answer: str) -> _Reading:
    """The reading of the announced final answer if it says yes or no; else of the full text."""
    predicate = predicate_of(question)
    answer = _own_part(answer, question) if "\n" in answer else answer
    final = final_part(answer)
    if final and len(final) < len(answer):
        reading = _reading_of(final, question, predicate)
        if reading.sense != "none" or any("hedge" in statement.signs for statement in scan(final.lower())):
            return reading
    return _reading_of(answer, question, predicate)


def _own_part(answer: str, question: str) -> str:
    """The answer up to the next question that the model writes and answers itself."""
    other = WORDS["next_question"].search(answer)
    if other is None:
        return answer
    asked = re.split("[?？\n]", answer[other.end() : other.end() + 200])[0].strip()
    return answer if asked in question else answer[: other.start()]


def _reading_of(answer: str, question: str, predicate: Predicate) -> _Reading:
    """The reading of a text outside its quotations or, if that says nothing, inside them."""
    if len(answer) > _LONGEST:
        answer = f"{answer[: _LONGEST // 2]}\n{answer[-_LONGEST // 2 :]}"
    has_quotes = _QUOTED.search(answer) is not None
    own = WORDS["question_copied"].sub(
        lambda again: "" if again[0].strip() in question else again[0], _QUOTED.sub(" ", answer)
    )
    reading = _decide(statements_of(own), answer, question, predicate)
    if reading.sense != "none" or not has_quotes:
        return reading
    inside = _decide(statements_of(re.sub('[“”「」『』"]', "", answer)), answer, question, predicate)
    return _Reading(inside.sense, sure=inside.sense == "none" and reading.sure)


def _particle(text: str, predicate: Predicate) -> Sense:
    """The yes or no that a clause consists of; a bare modal verb answers a question that is not negative."""
    if WORDS["yes"].fullmatch(text):
        return "yes"
    if WORDS["no"].fullmatch(text):
        return "no"
    if WORDS["short_form"].fullmatch(text) or (not predicate.is_negative and WORDS["bare_verb"].fullmatch(text)):
        return "no" if WORDS["negation"].search(text) else "yes"
    return "none"


def _opening(text: str, predicate: Predicate) -> Sense:
    """The yes or no that a clause consists of or begins with."""
    if (sense := _particle(text, predicate)) != "none":
        return sense
    if WORDS["opens_yes"].match(text):
        return "yes"
    return "no" if WORDS["opens_no"].match(text) else "none"


def _lead(statements: Sequence[Statement], predicate: Predicate) -> Sense:
    """The yes or no with which a text begins, after greetings and references."""
    for statement in statements[:5]:
        if (sense := _opening(statement.text, predicate)) != "none":
            return sense
        if not WORDS["opener"].match(statement.text):
            return "none"
    return "none"


def _decide(statements: list[Statement], answer: str, question: str, predicate: Predicate) -> _Reading:
    """The reading of a text: the leading yes or no, else the conclusion and the first sentence about the predicate."""
    if not statements:
        return _Reading("none")
    if "depends" in statements[0].signs and len(statements[0].text) <= 24:
        return _Reading("depends")
    lead = _lead(statements, predicate)
    if lead != "none":
        return _led(lead, statements, predicate)
    replies = [reply_of(statement, predicate) for statement in statements]
    if _abstains(replies, answer, question, predicate):
        return _Reading("none", sure=statements[-1].sentence < 2)
    if WORDS["asks_back"].search(answer):
        return _Reading("none", sure=False)
    closing = [
        sense
        for statement in statements
        if "conclusion" in statement.signs and (sense := _opening(statement.text, predicate)) != "none"
    ]
    if closing:
        return _Reading(closing[-1], sure=len(set(closing)) == 1)
    return _prose(replies, predicate)


def _abstains(replies: Sequence[Reply], answer: str, question: str, predicate: Predicate) -> bool:
    """Whether the answer refuses; what is left open after an answering first sentence does not count.

    That something cannot be established is a finding, not a refusal: 不能认定其构成自首.
    """
    opening = [reply for reply in replies if reply.statement.sentence == replies[0].statement.sentence]
    if any(WORDS["unproven"].search(reply.statement.text) and reply.is_strong for reply in replies):
        return False
    if predicate.is_about_existence and any(reply.statement.negators and reply.share >= 0.6 for reply in opening):
        return False
    stated = [reply for reply in opening if reply.is_strong and not reply.has("condition", "aside", "hedge", "lean")]
    return _refuses(answer, question) and all(_refuses(reply.statement.text, question) for reply in stated)


def _refuses(text: str, question: str) -> bool:
    return detect_abstention(text, question=question).abstains


def _led(lead: Sense, statements: Sequence[Statement], predicate: Predicate) -> _Reading:
    """A leading yes or no, checked against what follows."""
    first = statements[0].sentence
    if _takes_back(lead, statements, predicate):
        return _Reading("none", sure=len(statements) < 6)
    same = [statement for statement in statements if statement.sentence == first]
    if any("hedge" in statement.signs for statement in same):
        return _Reading("none", sure=False)
    if any(not statement.signs.isdisjoint(("depends", "both", "lean")) for statement in same):
        return _Reading(lead, sure=False)
    return _contradicted(lead, statements, predicate) or _Reading(lead)


def _takes_back(lead: Sense, statements: Sequence[Statement], predicate: Predicate) -> bool:
    """Whether a later clause consists of the opposite of a leading yes or no: 是，也不是."""
    opposite = WORDS["no" if lead == "yes" else "yes"]
    if any(opposite.fullmatch(statement.text.lstrip("也又或")) for statement in statements[1:]):
        return True
    later = [statement for statement in statements[1:4] if statement.sentence > statements[0].sentence]
    return any(_particle(statement.text, predicate) not in (lead, "none") for statement in later)


def _contradicted(lead: Sense, statements: Sequence[Statement], predicate: Predicate) -> _Reading | None:
    """The reading of a leading yes that is retracted (是的，他没有签字) or contradicted by a conclusion; else None."""
    following = [
        reply_of(statement, predicate) for statement in statements[1:2] if statement.sentence == statements[0].sentence
    ]
    for reply in following if predicate.chars and lead == "yes" else ():
        if reply.is_strong and reply.sense == "no" and not reply.has("turn", "condition", "aside"):
            return _Reading("no", sure=False)
    ends = [reply_of(statement, predicate) for statement in statements[-6:] if "conclusion" in statement.signs]
    ends = [reply for reply in ends if reply.is_strong and reply.echo >= 4]
    return _Reading(lead, sure=False) if ends and ends[-1].sense != lead else None


def _prose(replies: list[Reply], predicate: Predicate) -> _Reading:
    """The reading of a text without a leading yes or no."""
    answering = [reply for reply in replies if reply.answers and not reply.has("condition", "aside", "vacuous")]
    own = [reply for reply in answering if predicate.is_about_claims or not reply.has("claim", "denial")]
    if early := _two_sided(replies, own):
        return early
    if not own:
        return _indirect(replies, answering, predicate)
    plain = [reply for reply in own if not reply.has("rule", "given")]
    strong = [reply for reply in plain if reply.is_strong] or own
    if replies[-1].statement.sentence <= 2 and _says_both(strong):
        return _Reading("none")
    first = _best([reply for reply in own if reply.statement.sentence == strong[0].statement.sentence])
    ends = [reply for reply in own if reply.has("conclusion", "finding") and not reply.has("given")]
    final = (
        _best([reply for reply in ends if reply.statement.sentence == ends[-1].statement.sentence]) if ends else None
    )
    if first and final and first.is_strong and not (final.is_strong or final.has("finding")):
        final = None
    return _combined(first, final, plain or own, replies, predicate)


def _says_both(strong: Sequence[Reply]) -> bool:
    """Whether two sentences say the opposite of each other and nothing decides: 他签字了。他没有签字."""
    if any(reply.has("turn", "conclusion", "finding", "contrast", "rule", "mostly", "lean") for reply in strong):
        return False
    first = strong[0]
    return any(
        reply.sense != first.sense and abs(reply.echo - first.echo) <= 1 and reply.echo > 1 for reply in strong[1:]
    )


def _two_sided(replies: Sequence[Reply], own: Sequence[Reply]) -> _Reading | None:
    """The reading of “it depends” before any other answer, or of both answers at once; else None."""
    at = own[0].statement.sentence if own else 0
    opening = [reply for reply in replies if reply.statement.sentence <= at]
    if any(reply.has("both") for reply in opening):
        return None if any(reply.has("finding", "conclusion") for reply in own) else _Reading("none")
    index = next((index for index, reply in enumerate(opening) if reply.has("depends")), None)
    if index is None:
        return None
    before = [reply for reply in opening[:index] if reply.echo and not reply.has("condition", "aside", "mostly")]
    return _Reading(before[0].sense, sure=False) if before else _Reading("depends")


def _indirect(replies: Sequence[Reply], answering: Sequence[Reply], predicate: Predicate) -> _Reading:
    """The reading if no clause repeats the predicate: by its subject, a verdict verb, or what a party claims."""
    about = [
        reply
        for reply in replies
        if len(predicate.subject) > 1
        and sum(pair in reply.statement.text for pair in predicate.subject) * 2 >= len(predicate.subject)
    ]
    if about and len(replies) <= 2 and not about[0].has("claim", "condition", "hedge", "lean"):
        return _Reading("none" if about[0].positive else about[0].sense, sure=not about[0].positive)
    verdicts = [
        reply
        for reply in replies
        if WORDS["verdict"].search(reply.statement.text) and not reply.has("claim", "condition", "hedge", "lean")
    ]
    if verdicts:
        return _Reading(verdicts[0].sense, sure=len(replies) <= 3)
    return _Reading("none", sure=not answering and replies[-1].statement.sentence < 2)


def _best(group: Sequence[Reply]) -> Reply | None:
    """The clause of a sentence that repeats most of the predicate; None if two equal ones contradict each other."""
    best = max(
        group,
        key=lambda reply: (
            reply.has("finding", "conclusion"),
            reply.shares_topic,
            reply.echo - 3 * reply.has("turn"),
        ),
    )
    opposed = [reply for reply in group if reply.positive is not best.positive and not reply.has("turn", "contrast")]
    near = [reply for reply in opposed if best.echo - reply.echo <= 3 and 2 * reply.echo >= best.echo]
    rivals = [reply for reply in near if reply.shares_topic >= best.shares_topic]
    is_decided = best.has("turn", "finding", "conclusion", "contrast") and not best.has("lean")
    return None if rivals and not is_decided else best


def _combined(
    first: Reply | None,
    final: Reply | None,
    plain: Sequence[Reply],
    replies: Sequence[Reply],
    predicate: Predicate,
) -> _Reading:
    """The reading of the first answering sentence and the conclusion; if they differ, the conclusion as a guess."""
    is_short = replies[-1].statement.sentence == 0
    chosen = final or first
    if (
        chosen
        and chosen.positive
        and predicate.head
        and not (chosen.shares_topic or predicate.head in chosen.statement.text)
    ):
        return _Reading("none", sure=False)
    if chosen is None or chosen.has("hedge") or (chosen.has("lean") and is_short):
        return _Reading("none", sure=chosen is not None and is_short)
    if chosen.has("lean"):
        return _Reading(chosen.sense, sure=False)
    if chosen.has("mostly"):
        return _mostly(chosen, replies)
    return _Reading(chosen.sense, sure=_is_sure(chosen, first, final, plain, replies, predicate))


def _is_sure(
    chosen: Statement,
    first: Reply | None,
    final: Reply | None,
    plain: Sequence[Reply],
    replies: Sequence[Reply],
    predicate: Predicate,
) -> bool:
    """Whether the chosen statement is certain: it repeats the predicate, and nothing contradicts it."""
    is_short = replies[-1].statement.sentence == 0
    agree = first is None or first.sense == chosen.sense or not first.is_strong or first.has("rule", "given")
    is_found = chosen.has("finding") and chosen.has("turn")
    if not agree or not (is_short or is_found or chosen.is_strong) or chosen.has("given"):
        return False
    is_only = first is None or final is None or first is final
    is_thesis = _is_thesis(chosen, replies[0], predicate)
    if not is_thesis and replies[-1].statement.sentence > 1 and is_only and chosen.share < 0.7:
        return False
    opposed = [other for other in plain if other.sense != chosen.sense and other.is_strong]
    if final is not None:
        opposed = [other for other in opposed if other.statement.start > final.statement.start]
    if is_thesis:
        opposed = [other for other in opposed if other.has("conclusion", "turn")]
    if any(not is_short or other.has("turn") for other in opposed):
        return False
    turned = [other for other in plain if other.statement.sentence == chosen.statement.sentence and other.has("turn")]
    return is_short or all(other.sense == chosen.sense for other in turned)


def _is_thesis(chosen: Statement, first: Statement, predicate: Predicate) -> bool:
    """Whether the answer begins with a sentence that repeats most of the predicate; reasons follow."""
    return chosen.statement.sentence == first.statement.sentence and chosen.share >= 0.7


def _mostly(chosen: Statement, replies: Sequence[Reply]) -> _Reading:
    """The reading of a rule with exceptions (原则上可以，除非): “depends” if the exception says the opposite."""
    rest = [
        reply
        for reply in replies
        if reply.statement.start > chosen.statement.start and reply.statement.sentence <= chosen.statement.sentence + 1
    ]
    if any(reply.shares_topic and reply.sense != chosen.sense for reply in rest):
        return _Reading("depends", sure=False)
    return _Reading(chosen.sense, sure=not any(reply.has("turn", "condition", "given") for reply in rest))
