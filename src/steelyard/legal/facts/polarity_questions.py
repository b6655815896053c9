"""Yes/no questions: their predicate, their topics, and whether they are negative."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from steelyard.legal.facts.polarity_clauses import IS_HAN, scan

_WORK: Final = re.compile(r"《[^《》]*》")
_SENTENCE_END: Final = re.compile(r"[。!！;；\n:：](?=[^。!！;；\n:：]{4})|(?<=[a-z0-9]{2})\. (?=[A-Z])")
_SUBJECT: Final = re.compile(
    r"^\s*(?:the|an?|his|her|their|its|this|that|any|either|both) [a-z]+ (?=\w)", re.IGNORECASE
)
_HEAD_NOT: Final = re.compile(r"(?:已经?|会|是)?(?:不|没|未|无|并非)")
_FIRST_VERB: Final = re.compile(r"是|有(?!限)|会(?!计|议)|能(?!力)|可以|应[当该]?|需要?|要(?!求)|算|属于|构成")
_MARK_TOPICS: Final = {
    ("能", "可", "may", "can", "could"): "m_may",
    ("应", "要", "需", "该", "must", "should"): "m_must",
}
_ASKS: Final = re.compile(
    r"是否(?!定的)|能否|(?<!不)可否|会否|有否|应否|有无|有没有|是不是|(?P<v>[\u4e00-\u9fff])[不没](?P=v)以?|可不可以|"
    r"(?:^|,)\s*(?:did|does|do|was|were|is|are|has|have|had|can|could|will|would|should|must|may)\b|\bwhether\b"
)
COMMON: Final = frozenset(
    "the that this with from have been was were any and for his her not did does has had are its their there than "
    "under would will shall may can could should must party parties case court which who whom into upon such".split()
)
_FUNCTION: Final = frozenset(
    "的了在上下中是有没不未无过着地得和与向对把被给到从为以于个这那他她它其人会能可应要需，。,.?？ "
)
_REFUSING: Final = frozenset(
    "拒绝 拒不 矢口否认 否认 否决 难以 禁止 严禁 免除 免于 免责 豁免 缺乏 缺少 欠缺 "
    "deny denies denied denying refuse refuses refused refusal refusing decline declines declined declining fail fails "
    "failed failing failure reject rejects rejected rejecting neglect neglects neglected unable "
    "lack lacks lacked lacking".split()
)
_ENDING: Final = re.compile(r"(?<=[a-z]{3})(?:ing|ed|es|s|e)$")
_ABOUT_EXISTENCE: Final = re.compile(
    r"(?:是否|有没有|有无)(?:明确)?(?:约定|规定|包含|载明|写明|存在|列明|提到|提及|说明)|约定了?[^,。]{0,8}吗|"
    r"\b(?:is|are|was|were) there\b|\b(?:contain|include|provide|specify|mention|impose|require|address)\b"
)
_ABOUT_CLAIMS: Final = re.compile(
    r"承认|否认|主张|认罪|认可|辩称|声称|同意|\b(?:admit|den[yi]|claim|argu|conten|assert|agree|plea|alleg)"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks: its predicate, as pairs of characters or stems; its topics; whether it is negative."""

    predicate: str
    pairs: frozenset[str]
    chars: frozenset[str]
    subject: frozenset[str]
    topics: frozenset[str]
    opposites: frozenset[str]
    is_negative: bool
    embedded: tuple[str, ...]
    own_prefixes: frozenset[str]
    words: frozenset[str]
    is_about_existence: bool
    is_about_claims: bool
    head: str = ""


_HEAD: Final = re.compile(r"(相同|一致|一样|变更|变化|不同|有效|成立|合法|违法|存在|发生|完成|知情)的?吗?[?？]?\s*$")
"""The head of the predicate; a statement without it does not answer the question."""


@lru_cache(maxsize=1 << 10)
def asked_by(question: str) -> Asked:
    """What a question asks; its subject, proper names and titles are not part of the predicate."""
    plain = _WORK.sub("", question)
    plain = next((part for part in re.split("[?？]", plain) if part.strip()), plain).rstrip("吗呢么 \n。.")
    pieces = [piece.strip() for piece in _SENTENCE_END.split(plain) if piece.strip()]
    plain = next((piece for piece in reversed(pieces) if _ASKS.search(piece.lower())), pieces[-1] if pieces else plain)
    start, mark = _predicate_start(plain)
    predicate = plain[start:].lower()
    scanned, before = scan(predicate), scan(plain[: start - len(mark)].lower())
    verdicts = scan(predicate[predicate.rfind("的") + 1 :]) or scanned
    kinds = [kind for clause in verdicts for _, kind in clause.sides]
    topics = [kind for clause in scanned for _, kind in clause.sides]
    topics += [topic for words, topic in _MARK_TOPICS.items() if mark.strip(" ,，").startswith(words)]
    negators = [negator for clause in scanned for _, negator in clause.negators]
    lexical = [negator for clause in verdicts for _, negator in clause.negators if negator in _REFUSING]
    heads = bool(negators and mark and _HEAD_NOT.match(predicate))
    flips = heads + len(lexical) + sum(kind[:2] in ("c_", "r_") for kind in kinds)
    subjects = [negator for clause in before for _, negator in clause.negators]
    embedded = tuple({*(negator for negator in negators[heads:] if negator not in lexical), *subjects})
    pairs, chars = _words(plain[start:])
    return Asked(
        predicate,
        pairs,
        chars,
        subject=_words(plain[: start - len(mark)])[0],
        topics=frozenset(map(_topic, topics)),
        opposites=frozenset(map(_topic, kinds)),
        is_negative=flips % 2 == 1,
        embedded=embedded,
        own_prefixes=frozenset(root for clause in scanned for root in clause.prefixed),
        words=frozenset(re.findall("[a-z]{3,}", plain.lower())),
        is_about_existence=_ABOUT_EXISTENCE.search(plain.lower()) is not None,
        is_about_claims=_ABOUT_CLAIMS.search(plain.lower()) is not None,
        head=head[1] if (head := _HEAD.search(question)) else "",
    )


def _predicate_start(question: str) -> tuple[int, str]:
    """The start of the predicate and the question words: after 是否 and similar words, else after the first verb."""
    marks = list(_ASKS.finditer(question.lower()))
    if marks and marks[-1].end() < len(question):
        return marks[-1].end(), marks[-1][0]
    start = max(question.rfind(","), question.rfind("，")) + 1
    verb = _FIRST_VERB.search(question, start)
    if verb and len(question) - verb.end() >= 2:
        return verb.end() if verb[0] in "是有" else verb.start(), ""
    return start, ""


def _words(predicate: str) -> tuple[frozenset[str], frozenset[str]]:
    """The terms of a predicate: stems of English words, pairs and single characters of Chinese."""
    if not IS_HAN.search(predicate):
        return frozenset(stems(_SUBJECT.sub("", predicate)) or stems(predicate)), frozenset()
    lower = predicate.lower()
    return frozenset(lower[at : at + 2] for at in range(len(lower) - 1)), frozenset(lower) - _FUNCTION


def stems(text: str) -> set[str]:
    """The stems of the content words of an English text; of a question, without proper names if others remain."""
    words = {word for word in re.findall("[A-Za-z]{3,}", text) if word.lower() not in COMMON}
    plain = {word for word in words if word.islower()} or words
    return {_ENDING.sub("", word.lower())[:5] for word in plain}


def _topic(kind: str) -> str:
    return kind if kind.startswith("m_") else kind[2:]


def topic_in(kind: str, topics: frozenset[str]) -> str:
    """The topic of a word if it is among these; a claim that is allowed is one that holds."""
    topic = _topic(kind)
    if topic == "support" and topic not in topics:
        topic = "valid"
    return topic if topic in topics else ""
