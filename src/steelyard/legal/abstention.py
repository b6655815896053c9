"""Whether an answer refuses: the item is declared absent, unknown or contradictory, and not supplied after all."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from steelyard.legal.clauses import clause_of, clauses, without_quotes
from steelyard.legal.reading import read
from steelyard.legal.refusal_words import (
    ABSENT,
    ALTHOUGH,
    BECAUSE,
    CONFLICT,
    ENGLISH,
    ENGLISH_IGNORANT,
    IDIOM,
    IGNORANT,
    KNOWING,
    NEGATED,
    OTHERWISE,
    REFERS,
    SAID,
    SOURCE,
    STRONG,
    THEN,
    UNABLE,
    UNKNOWN,
    WHETHER,
    WHY,
)
from steelyard.text.mentions import mentions
from steelyard.text.normal import normal

_SHORT_QUOTE: Final = re.compile('“[^”]{1,4}”|「[^」]{1,4}」|"[^"]{1,4}"')
_ASKED: Final = {
    "date": re.compile(r"哪一?天|何时|什么时候|哪年|日期|\bwhen\b|\bwhat date\b", re.IGNORECASE),
    "phone": re.compile(r"电话|手机号|号码|\bphone\b", re.IGNORECASE),
    "money": re.compile(r"多少(?:钱|元|款)|金额|数额|价格|租金|\bhow much\b|\bamount\b", re.IGNORECASE),
    "count": re.compile(r"几(?:次|人|个|份|辆|台|名)|\bhow many\b", re.IGNORECASE),
}
_KIND_WORDS: Final = {
    "date": re.compile("日期|时间|哪天|几号|\\b(?:date|day|when)\\b", re.IGNORECASE),
    "phone": re.compile("电话|号码|手机|\\b(?:phone|number)\\b", re.IGNORECASE),
    "money": re.compile("数额|金额|多少|款|价|\\b(?:amount|sum|figure|how much)\\b", re.IGNORECASE),
    "count": re.compile("次数|人数|几|数量|\\b(?:number|how many)\\b", re.IGNORECASE),
}


@dataclass(frozen=True, slots=True)
class Abstention:
    """Whether an answer abstains, and the words that say so; `uncertain` where rules cannot decide."""

    abstains: bool
    reason: str
    uncertain: bool = False


@lru_cache(maxsize=1 << 12)
def detect_abstention(answer: str, *, question: str = "") -> Abstention:
    """Whether the answer declares the asked item absent or unknown, and does not supply it after all."""
    reading, asked = read(answer), normal(question)
    text = reading.text
    if reading.is_silent:
        return Abstention(False, "nothing is said")
    triggers = _triggers(text, asked)
    if not triggers:
        return Abstention(False, "nothing in the answer declares the item absent or unknown")
    word, _, end = triggers[0]
    if supplied := _supplied_after(text, end) or _conceded(text, triggers):
        return Abstention(False, f"after {word!r} the answer goes on: {supplied.strip()[:40]}")
    if _answered_before(text, asked, triggers) or _gives_asked_value(text, asked, triggers):
        return Abstention(False, f"{word!r} is said of something else")
    return Abstention(True, f"the answer says {word!r}")


def _triggers(text: str, question: str) -> list[tuple[str, int, int]]:
    """The words that declare the item absent, without those that are content of the answer."""
    own = without_quotes(text)
    found = [match for pattern in STRONG for match in pattern.finditer(own)]
    if _ignorance_counts(text, question):
        source = own if SAID.search(question) else _without_short_quotes(text)
        found += [match for pattern in (IGNORANT, ENGLISH_IGNORANT) for match in pattern.finditer(source)]
    kept = [match for match in found if not _is_content(text, question, match)]
    return sorted({(match[0], match.start(), match.end()) for match in kept}, key=lambda trigger: trigger[1])


def _ignorance_counts(text: str, question: str) -> bool:
    """ "I do not know" is the answer itself where knowledge is asked about, and a content of why and what was said."""
    if WHETHER.search(question) and KNOWING.search(question):
        return False
    if WHY.search(question) or SAID.search(question):
        bare = re.sub(r"[\s。,.!]|我|他|她|本人|对此|i |he |she ", "", without_quotes(text), flags=re.IGNORECASE)
        return bool(IGNORANT.fullmatch(bare)) or bool(re.search("原因|为什么|为何", text) and IGNORANT.search(text))
    return True


def _is_content(text: str, question: str, match: re.Match[str]) -> bool:
    if NEGATED.search(text[: match.start()]):
        return True
    if any(idiom.start() <= match.start() < idiom.end() for idiom in IDIOM.finditer(text)):
        return True
    if WHY.search(question) and _is_reason(text, match):
        return True
    if SAID.search(question) and not SOURCE.search(clause_of(text, match.start()).text):
        return not _is_bare(text, match)
    if not WHETHER.search(question):
        return False
    # 有没有说明原因: the verb of the question is answered, not refused
    verb = re.sub(r"^(?:未能|未|没有|没|并未|并没有|无法|无从|无|均未|不能|难以)", "", match[0])
    whole = clause_of(text, match.start()).text
    source = SOURCE.search(whole)
    asks_of_source = source is not None and source[0].lower() in question.lower()
    said = re.findall("[a-z]{4,}|[\u4e00-\u9fff]{1,4}", verb.lower())
    return bool(said) and said[-1] in question.lower() and (source is None or asks_of_source)


def _is_reason(text: str, match: re.Match[str]) -> bool:
    """Whether words of not knowing or not being able are the reason that was asked for: 因丈夫下落不明."""
    clause = clause_of(text, match.start()).text
    if BECAUSE.search(clause):
        return True
    if SOURCE.search(clause) or re.search("原因|缘由|为什么|为何|\\b(?:why|reason|cause)\\b", clause, re.IGNORECASE):
        return False
    if BECAUSE.search(text):
        return True
    is_inability = re.match(r"(?:unable|could|can|impossible)", match[0], re.IGNORECASE)
    return not _is_bare(text, match) and bool(UNKNOWN.match(match[0]) or is_inability)


def _is_bare(text: str, match: re.Match[str]) -> bool:
    """Whether the words are all that is said."""
    return not re.sub(
        r"[\s。,.!]|我|他|她|本人|对此|\b(?:i|he|she|it)\b", "", text.replace(match[0], ""), flags=re.IGNORECASE
    )


def _without_short_quotes(text: str) -> str:
    """Quotations that are names rather than utterances blanked out: “忘了归”."""
    return _SHORT_QUOTE.sub(lambda quote: " " * len(quote[0]), text)


def _conceded(text: str, triggers: list[tuple[str, int, int]]) -> str:
    """What follows a concession: although the record does not say so, he was there."""
    pieces = clauses(text)
    for place, piece in enumerate(pieces[:-1]):
        inside = any(piece.start <= start < piece.end for _, start, _ in triggers)
        following = pieces[place + 1].text
        if inside and ALTHOUGH.match(piece.text.strip()) and not any(p.search(following) for p in (*STRONG, IGNORANT)):
            return following
    return ""


def _gives_asked_value(text: str, question: str, triggers: list[tuple[str, int, int]]) -> bool:
    """Whether a clause before the refusal gives one exact value of the kind that is asked for, outside quotations."""
    kind = next((kind for kind, pattern in _ASKED.items() if pattern.search(question)), None)
    if kind is None or any(CONFLICT.search(word) for word, _, _ in triggers):
        return False
    first = clause_of(text, triggers[0][1]).start
    given = [value for value in mentions(without_quotes(text)) if value.kind == kind and value.end <= first]
    is_exact = all(value.is_exact and not value.approx for value in given)
    return (
        bool(given)
        and is_exact
        and len({str(value.value) for value in given}) == 1
        and not _names_kind(text, first, kind)
    )


def _names_kind(text: str, start: int, kind: str) -> bool:
    """Whether the refusing clause speaks of that kind of value itself: 准确数额无法确定."""
    return _KIND_WORDS[kind].search(clause_of(text, start + 1).text) is not None


def _supplied_after(text: str, end: int) -> str:
    """What follows an adversative after the trigger and is no abstention itself; a mere quotation is none either."""
    for mark in THEN.finditer(without_quotes(text), end):
        rest = text[mark.end() :]
        own = without_quotes(rest)
        bare = own.strip(" ,。.;:")
        if not bare or any(pattern.search(own) for pattern in (ABSENT, UNABLE, UNKNOWN, ENGLISH, IGNORANT)):
            continue
        is_quotation = own != rest and REFERS.search(own) and not _states_value(own)
        if not is_quotation:
            return rest
    return ""


def _states_value(text: str) -> bool:
    return any(mention.kind not in ("ordinal", "number") for mention in mentions(text))


def _answered_before(text: str, question: str, triggers: list[tuple[str, int, int]]) -> bool:
    """Whether the refusal is only about other things: 其他不清楚, after the asked item was given."""
    pieces = clauses(text)
    refusing = [piece for piece in pieces if any(piece.start <= start < piece.end for _, start, _ in triggers)]
    if not refusing or len(refusing) == len(pieces):
        return False
    asked = {question[at : at + 2] for at in range(len(question) - 1)}
    return all(
        OTHERWISE.search(piece.text)
        and not any(piece.text[at : at + 2] in asked for at in range(2, len(piece.text) - 1))
        for piece in refusing
    )
