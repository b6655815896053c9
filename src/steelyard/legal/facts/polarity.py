"""Judging yes/no questions: the polarity of the clause that answers.

A text is scanned once into clauses with their signs: negators, verdict words, conclusions, claims, conditions, hedges
(`polarity_clauses`). The clause that answers is a leading yes or no, else the one that concludes or repeats the
predicate of the question (`polarity_questions`, `polarity_statements`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from steelyard.i18n import Message
from steelyard.legal.facts.amounts import FieldVerdict
from steelyard.legal.facts.polarity_clauses import Clause, clauses_of, scan
from steelyard.legal.facts.polarity_questions import Asked, asked_by
from steelyard.legal.facts.polarity_statements import Sense, Statement, statement_of
from steelyard.legal.stance import detect_abstention
from steelyard.legal.wording import SENSES
from steelyard.text.reading import final_part

_QUOTED: Final = re.compile('“[^“”]*”|「[^「」]*」|『[^『』]*』|"[^"]*"')
_YES: Final = re.compile(
    r"(?:答案?|回答|结论)?(?:是的?|对的?|嗯|有的?|没错|不错|正确|属实|确实(?:如此|是|有)?|的确(?:如此|是)?|"
    r"当然(?:可以|能|是|会)?|可以的?|能的?|会的?|行的?|真的?|[是为]?肯定的?)|"
    r"yes|yeah|yep|correct|true|right|affirmative|indeed|certainly|absolutely|definitely|of course|"
    r"in the affirmative|yes indeed|"
    r"(?:that|this|it|the statement)(?:'s| is) (?:correct|right|true|so|the case)|(?:是|答案是)?(?:yes|true)"
)
_NO: Final = re.compile(
    r"(?:答案?|回答|结论)?(?:否|不|不是的?|不对|没有?[的过]?|未|无|不能的?|不可以的?|不行的?|不会的?|"
    r"当然不[是能行会]?|[是为]?否定的?|错误?|假的?|并非(?:如此)?|并不是|绝不|绝对不(?:是|行|可以)?|"
    r"还没有?|尚未|从未|并没有|并未|并无此事|无此事|没有这回事)[呢啊]?|"
    r"no|nope|negative|incorrect|false|wrong|not at all|(?:absolutely|certainly|definitely|of course) not|"
    r"in the negative|never|"
    r"(?:that|this|it|the statement)(?:'s| is) (?:not (?:correct|right|true|so|the case)|incorrect|false|wrong|untrue)"
)
_STATED: Final = re.compile(
    r"(?:the )?answer (?:to [\w ]{1,40} )?is (?:therefore |thus )?(?:(?P<yes>yes|affirmative)|no|negative)\b"
)
_BARE: Final = re.compile(
    r"(?P<no>不|无|没有?|不具|未)?(?:需要?|应当?|应该|必须|必|用|须|成立|构成|属于|存在|支持|有权|权|承担|得|可|"
    r"允许|具备|符合|同意|认可|有效|合法|违约|违法|担责|负责|赔偿)的?(?:责任|义务)?"
)
_NEXT_QUESTION: Final = re.compile(r"\n(?:问题|问|question|q)\s?\d{0,2}[:：]", re.IGNORECASE)
_CLARIFIES: Final = re.compile(
    r"请问[您你](?:指|是指|说的|想|能否|可否|具体|所)|[您你]指的是|[您你]是指|请(?:您|"
    r"你)?(?:提供|补充|说明)更多|\bcould you (?:please )?(?:clarify|"
    r"specify|provide)|\bplease (?:clarify|specify|provide more)"
)
_OPENS_YES: Final = re.compile(r"是的|对的|没错|yes\b(?!\s*(?:/|or|and)?\s*no\b)")
_OPENS_NO: Final = re.compile(r"不是[他她它我你]们?$|no (?=(?:it|he|she|they|there|this|that|i|we|you)\b)|不是的")
_SHORT_FORM: Final = re.compile(
    r"(?:(?:he|she|they|it|that|this|i|we|there)|m[rs]s?\.? \w+)? ?(?:certainly |indeed )?"
    r"(?:did|does|do|was|were|is|are|has|have|had|will|would|can|could)(?P<no>n't| not)?"
    r"(?: (?:so|correct|right|true|the case|indeed))?"
)
_SAYS_SO: Final = re.compile(
    r"承认|否认|认可|同意|拒绝|属实|确有|确实|此事|这回事|默认|予以|\b(?:admit|den(?:y|ie)|agree|refus|confirm|"
    r"acknowledg)"
)
# every refusal has one of these words; `detect_abstention` is called only if one occurs
_REFUSAL_HINT: Final = re.compile(
    r"提[及到供]|记[载录不得]|载明|显示|说明|写明|体现|涉及|注明|确[定认]|判断|认定|回答|得知|核实|知[道晓情]|"
    r"清楚|不详|不明|未知|忘|想不|信息|资料|材料|证据|依据|暂无|矛盾|一致|"
    r"查不|找不|无从|无法|没有?数|印象|\b(?:stat|mention|specif|record|provid|disclos|indicat|identif|clear|"
    r"unclear|unknown|avail|address|discuss|f[io]u?nd|establish|document|answer|"
    r"determin|report|contain|show|sa[yi]|t[eo]ld?l?\b|kn[oe]w|info|eviden|detail|silent|conclu|verif|recall|"
    r"remember|forg|omit|inconsisten|contradict|conflict|confirm|sorry|idea)"
)
_LONGEST: Final = 24_000
"""The number of characters of an answer that are read: all, or the beginning and the end of a longer one."""
_ASIDE: Final = frozenset(("condition", "aside"))
_FINDING: Final = re.compile(
    r"(?:不能|无法|难以|不足以|不应|不宜|不予|未|证据不足|没有[^,。;]{0,6}证据|"
    r"无[^,。;]{0,4}证据)[^,。;]{0,8}(?:认定|证明|证实|表明|支持|构成|成立)"
)
_OPENER: Final = re.compile(
    r"(?:[a-e]$|您好|你好|答|好的|根据|依据|按照|依照|从|关于|对于|就|在|针对|结论|答案|回答|综上|因此|所以|感谢|亲爱|"
    r"based on|according to|under|in this case|"
    r"answer|hello|hi|sure|in short|thus|therefore|so|as |in |with regard|regarding|with respect)"
)


@dataclass(frozen=True, slots=True)
class _Reading:
    """The answer of a text; `sure` is False if the rules cannot decide."""

    sense: Sense
    sure: bool = True


_ASKED_AGAIN: Final = re.compile(
    r"[^,。;\n!?]{0,80}(?:是否|能否|可否|有无|有没有|是不是|会不会|能不能)[^,。;\n!?]{0,80}"
)


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
    asked = asked_by(question)
    answer = _own_part(answer, question) if "\n" in answer else answer
    final = final_part(answer)
    if final and len(final) < len(answer):
        reading = _reading_of(final, question, asked)
        if reading.sense != "none" or any("hedge" in clause.signs for clause in scan(final.lower())):
            return reading
    return _reading_of(answer, question, asked)


def _own_part(answer: str, question: str) -> str:
    """The answer up to the next question that the model writes and answers itself."""
    other = _NEXT_QUESTION.search(answer)
    if other is None:
        return answer
    asked = re.split("[?？\n]", answer[other.end() : other.end() + 200])[0].strip()
    return answer if asked in question else answer[: other.start()]


def _reading_of(answer: str, question: str, asked: Asked) -> _Reading:
    """The reading of a text outside its quotations or, if that says nothing, inside them."""
    if len(answer) > _LONGEST:
        answer = f"{answer[: _LONGEST // 2]}\n{answer[-_LONGEST // 2 :]}"
    has_quotes = _QUOTED.search(answer) is not None
    own = _ASKED_AGAIN.sub(lambda again: "" if again[0].strip() in question else again[0], _QUOTED.sub(" ", answer))
    reading = _decide(clauses_of(own), answer, question, asked)
    if reading.sense != "none" or not has_quotes:
        return reading
    inside = _decide(clauses_of(re.sub('[“”「」『』"]', "", answer)), answer, question, asked)
    return _Reading(inside.sense, sure=inside.sense == "none" and reading.sure)


def _particle(text: str, asked: Asked) -> Sense:
    """The yes or no that a clause consists of; a bare modal verb answers a question that is not negative."""
    if _YES.fullmatch(text):
        return "yes"
    if _NO.fullmatch(text):
        return "no"
    if not asked.is_negative and (modal := _BARE.fullmatch(text)):
        return "no" if modal["no"] else "yes"
    short = _SHORT_FORM.fullmatch(text)
    if short:
        return "no" if short["no"] else "yes"
    return "none"


def _opening(text: str, asked: Asked) -> Sense:
    """The yes or no that a clause consists of or begins with."""
    if (sense := _particle(text, asked)) != "none":
        return sense
    if _OPENS_YES.match(text):
        return "yes"
    if _OPENS_NO.match(text):
        return "no"
    stated = _STATED.match(text)
    return "none" if stated is None else "yes" if stated["yes"] else "no"


def _lead(clauses: Sequence[Clause], asked: Asked) -> Sense:
    """The yes or no with which a text begins, after greetings and references."""
    for clause in clauses[:5]:
        if (sense := _opening(clause.text, asked)) != "none":
            return sense
        if not _OPENER.match(clause.text):
            return "none"
    return "none"


def _decide(clauses: list[Clause], answer: str, question: str, asked: Asked) -> _Reading:
    """The reading of clauses: the leading yes or no, else the conclusion and the first sentence about the predicate."""
    if not clauses:
        return _Reading("none")
    if "depends" in clauses[0].signs and len(clauses[0].text) <= 24:
        return _Reading("depends")
    lead = _lead(clauses, asked)
    if lead != "none":
        return _led(lead, clauses, asked)
    statements = [statement_of(clause, asked) for clause in clauses]
    if _abstains(statements, answer, question, asked):
        return _Reading("none", sure=clauses[-1].sentence < 2)
    if ("?" in answer or "请" in answer or "lease" in answer) and _CLARIFIES.search(answer.lower()):
        return _Reading("none", sure=False)
    closing = [
        sense for clause in clauses if "conclude" in clause.signs and (sense := _opening(clause.text, asked)) != "none"
    ]
    if closing:
        return _Reading(closing[-1], sure=len(set(closing)) == 1)
    return _prose(statements, asked)


def _abstains(statements: Sequence[Statement], answer: str, question: str, asked: Asked) -> bool:
    """Whether the answer refuses; what is left open after an answering first sentence does not count.

    That something cannot be established is a finding, not a refusal: 不能认定其构成自首.
    """
    if not _REFUSAL_HINT.search(answer.lower()):
        return False
    opening = [statement for statement in statements if statement.clause.sentence == statements[0].clause.sentence]
    if any(
        statement.is_strong(asked)
        and not statement.has(*_ASIDE, "hedge", "lean")
        and not _REFUSAL_HINT.search(statement.clause.text)
        for statement in opening
    ):
        return False
    if any(_FINDING.search(statement.clause.text) and statement.is_strong(asked) for statement in statements):
        return False
    if asked.is_about_existence and any(
        statement.clause.negators and statement.share(asked) >= 0.6 for statement in opening
    ):
        return False
    return detect_abstention(answer, question=question).abstains


def _led(lead: Sense, clauses: Sequence[Clause], asked: Asked) -> _Reading:
    """A leading yes or no, checked against what follows."""
    first = clauses[0].sentence
    if _takes_back(lead, clauses, asked):
        return _Reading("none", sure=len(clauses) < 6)
    same = [clause for clause in clauses if clause.sentence == first]
    if any("hedge" in clause.signs for clause in same):
        return _Reading("none", sure=False)
    if any(not clause.signs.isdisjoint(("depends", "both", "lean")) for clause in same):
        return _Reading(lead, sure=False)
    return _contradicted(lead, clauses, asked) or _Reading(lead)


def _takes_back(lead: Sense, clauses: Sequence[Clause], asked: Asked) -> bool:
    """Whether a later clause consists of the opposite of a leading yes or no: 是，也不是."""
    opposite = _NO if lead == "yes" else _YES
    if any(opposite.fullmatch(clause.text.lstrip("也又或")) for clause in clauses[1:]):
        return True
    later = [clause for clause in clauses[1:4] if clause.sentence > clauses[0].sentence]
    return any(_particle(clause.text, asked) not in (lead, "none") for clause in later)


def _contradicted(lead: Sense, clauses: Sequence[Clause], asked: Asked) -> _Reading | None:
    """The reading of a leading yes that is retracted (是的，他没有签字) or contradicted by a conclusion; else None."""
    following = [statement_of(clause, asked) for clause in clauses[1:2] if clause.sentence == clauses[0].sentence]
    for statement in following if asked.chars and lead == "yes" else ():
        if statement.is_strong(asked) and statement.sense == "no" and not statement.has("turn", "condition", "aside"):
            return _Reading("no", sure=False)
    ends = [statement_of(clause, asked) for clause in clauses[-6:] if "conclude" in clause.signs]
    ends = [statement for statement in ends if statement.is_strong(asked) and statement.echo >= 4]
    return _Reading(lead, sure=False) if ends and ends[-1].sense != lead else None


def _prose(statements: list[Statement], asked: Asked) -> _Reading:
    """The reading of a text without a leading yes or no."""
    answering = [
        statement
        for statement in statements
        if statement.answers(asked) and not statement.has("condition", "aside", "vacuous")
    ]
    own = [statement for statement in answering if asked.is_about_claims or not statement.has("claim", "denial")]
    if early := _two_sided(statements, own):
        return early
    if not own:
        return _indirect(statements, answering, asked)
    plain = [statement for statement in own if not statement.has("rule", "given")]
    strong = [statement for statement in plain if statement.is_strong(asked)] or own
    if statements[-1].clause.sentence <= 2 and _says_both(strong):
        return _Reading("none")
    first = _best([statement for statement in own if statement.clause.sentence == strong[0].clause.sentence])
    ends = [statement for statement in own if statement.has("conclude", "court") and not statement.has("given")]
    final = (
        _best([statement for statement in ends if statement.clause.sentence == ends[-1].clause.sentence])
        if ends
        else None
    )
    if first and final and first.is_strong(asked) and not (final.is_strong(asked) or final.has("court")):
        final = None
    return _combined(first, final, plain or own, statements, asked)


def _says_both(strong: Sequence[Statement]) -> bool:
    """Whether two sentences say the opposite of each other and nothing decides: 他签字了。他没有签字."""
    if any(statement.has("turn", "conclude", "court", "contrast", "rule", "mostly", "lean") for statement in strong):
        return False
    first = strong[0]
    return any(
        statement.sense != first.sense and abs(statement.echo - first.echo) <= 1 and statement.echo > 1
        for statement in strong[1:]
    )


def _two_sided(statements: Sequence[Statement], own: Sequence[Statement]) -> _Reading | None:
    """The reading of “it depends” before any other answer, or of both answers at once; else None."""
    at = own[0].clause.sentence if own else 0
    opening = [statement for statement in statements if statement.clause.sentence <= at]
    if any(statement.has("both") for statement in opening):
        return None if any(statement.has("court", "conclude") for statement in own) else _Reading("none")
    index = next((index for index, statement in enumerate(opening) if statement.has("depends")), None)
    if index is None:
        return None
    before = [
        statement
        for statement in opening[:index]
        if statement.echo and not statement.has("condition", "aside", "mostly")
    ]
    return _Reading(before[0].sense, sure=False) if before else _Reading("depends")


def _indirect(statements: Sequence[Statement], answering: Sequence[Statement], asked: Asked) -> _Reading:
    """The reading if no clause repeats the predicate: by its subject, a verdict verb, or what a party claims."""
    about = [
        statement
        for statement in statements
        if len(asked.subject) > 1
        and sum(pair in statement.clause.text for pair in asked.subject) * 2 >= len(asked.subject)
    ]
    if about and len(statements) <= 2 and not about[0].has("claim", "condition", "hedge", "lean"):
        return _Reading("none" if about[0].positive else about[0].sense, sure=not about[0].positive)
    verdicts = [
        statement
        for statement in statements
        if _SAYS_SO.search(statement.clause.text) and not statement.has("claim", "condition", "hedge", "lean")
    ]
    if verdicts:
        return _Reading(verdicts[0].sense, sure=len(statements) <= 3)
    return _Reading("none", sure=not answering and statements[-1].clause.sentence < 2)


def _best(group: Sequence[Statement]) -> Statement | None:
    """The clause of a sentence that repeats most of the predicate; None if two equal ones contradict each other."""
    best = max(
        group,
        key=lambda statement: (
            statement.has("court", "conclude"),
            statement.shares_topic,
            statement.echo - 3 * statement.has("turn"),
        ),
    )
    opposed = [
        statement
        for statement in group
        if statement.positive is not best.positive and not statement.has("turn", "contrast")
    ]
    near = [statement for statement in opposed if best.echo - statement.echo <= 3 and 2 * statement.echo >= best.echo]
    rivals = [statement for statement in near if statement.shares_topic >= best.shares_topic]
    is_decided = best.has("turn", "court", "conclude", "contrast") and not best.has("lean")
    return None if rivals and not is_decided else best


def _combined(
    first: Statement | None,
    final: Statement | None,
    plain: Sequence[Statement],
    statements: Sequence[Statement],
    asked: Asked,
) -> _Reading:
    """The reading of the first answering sentence and the conclusion; if they differ, the conclusion as a guess."""
    is_short = statements[-1].clause.sentence == 0
    chosen = final or first
    if chosen and chosen.positive and asked.head and not (chosen.shares_topic or asked.head in chosen.clause.text):
        return _Reading("none", sure=False)
    if chosen is None or chosen.has("hedge") or (chosen.has("lean") and is_short):
        return _Reading("none", sure=chosen is not None and is_short)
    if chosen.has("lean"):
        return _Reading(chosen.sense, sure=False)
    if chosen.has("mostly"):
        return _mostly(chosen, statements)
    return _Reading(chosen.sense, sure=_is_sure(chosen, first, final, plain, statements, asked))


def _is_sure(
    chosen: Statement,
    first: Statement | None,
    final: Statement | None,
    plain: Sequence[Statement],
    statements: Sequence[Statement],
    asked: Asked,
) -> bool:
    """Whether the chosen statement is certain: it repeats the predicate, and nothing contradicts it."""
    is_short = statements[-1].clause.sentence == 0
    agree = first is None or first.sense == chosen.sense or not first.is_strong(asked) or first.has("rule", "given")
    is_found = chosen.has("court") and chosen.has("turn")
    if not agree or not (is_short or is_found or chosen.is_strong(asked)) or chosen.has("given"):
        return False
    is_only = first is None or final is None or first is final
    is_thesis = _is_thesis(chosen, statements[0], asked)
    if not is_thesis and statements[-1].clause.sentence > 1 and is_only and chosen.share(asked) < 0.7:
        return False
    opposed = [other for other in plain if other.sense != chosen.sense and other.is_strong(asked)]
    if final is not None:
        opposed = [other for other in opposed if other.clause.start > final.clause.start]
    if is_thesis:
        opposed = [other for other in opposed if other.has("conclude", "turn")]
    if any(not is_short or other.has("turn") for other in opposed):
        return False
    turned = [other for other in plain if other.clause.sentence == chosen.clause.sentence and other.has("turn")]
    return is_short or all(other.sense == chosen.sense for other in turned)


def _is_thesis(chosen: Statement, first: Statement, asked: Asked) -> bool:
    """Whether the answer begins with a sentence that repeats most of the predicate; reasons follow."""
    return chosen.clause.sentence == first.clause.sentence and chosen.share(asked) >= 0.7


def _mostly(chosen: Statement, statements: Sequence[Statement]) -> _Reading:
    """The reading of a rule with exceptions (原则上可以，除非): “depends” if the exception says the opposite."""
    rest = [
        statement
        for statement in statements
        if statement.clause.start > chosen.clause.start and statement.clause.sentence <= chosen.clause.sentence + 1
    ]
    if any(statement.shares_topic and statement.sense != chosen.sense for statement in rest):
        return _Reading("depends", sure=False)
    return _Reading(chosen.sense, sure=not any(statement.has("turn", "condition", "given") for statement in rest))
