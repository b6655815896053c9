"""Statements about a yes/no question: the polarity of a clause, and how much of the predicate it repeats."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from steelyard.legal.facts.polarity_clauses import Clause
from steelyard.legal.facts.polarity_questions import COMMON, Asked, stems, topic_in

Sense = Literal["yes", "no", "depends", "none"]
_VERDICTS: Final = frozenset(("m_may", "m_must", "m_class", "valid", "legal", "guilty", "support", "true"))
_REFUSAL: Final = frozenset(("refuse",))
# a negator that governs what follows it at a distance: 没有证据证明其构成
_FINDS_NOT: Final = re.compile(
    r"(?:不|没有?|未|无|难以|并非)[^,。;]{0,4}(?:认定|认为|证明|证据|足以|足|意味|代表|说明|表明|等于|视为|依据|"
    r"理由|当然|必然|一律|直接)"
)
_ADVERBS: Final = re.compile(
    r"(?:并非|并不是|不是|绝非|没有|从未|未曾|尚未|不曾|未能|[不没未无非])(?:因此|因而|实际|完全|当然|必然|真正|"
    r"依法|能够?|应当?|得|会|再|予以?|被|可以?|足以|曾|经|有|法律|任何|属于|构成|存在|具有|"
    r"认定为|视为|是|就|所有人?|都|一定|直接|单独|另行|继续|"
    r"明确|认为|其|该|的){1,6}"
)
_INVERTED: Final = re.compile(
    r"(?:did|does|do) [a-z]+ |(?:was|were|is|are|has|have|had|can|could|will|would|may|must|should) "
    r"(?:the|a|an|he|she|it|they|any|there|this|that) "
)


@dataclass(slots=True)
class Statement:
    """A clause about the question: its polarity, how much of the predicate it repeats, and its signs."""

    positive: bool
    echo: int
    shares_topic: bool
    clause: Clause

    @property
    def sense(self) -> Sense:
        return "yes" if self.positive else "no"

    def answers(self, asked: Asked) -> bool:
        """Whether the clause says something about the predicate; one shared character is not enough.

        A clause with the word order of a question ("did he sign") repeats the question.
        """
        text = self.clause.text
        if not self.echo or (text[:1].isascii() and _INVERTED.match(text)):
            return False
        if self.echo >= 2 or self.shares_topic or not self.positive:
            return True
        return len(text) <= 4 or any(pair in text for pair in asked.subject)

    def is_strong(self, asked: Asked) -> bool:
        """Whether the clause repeats enough of the predicate to be about it."""
        full = 2 * len(asked.pairs) + len(asked.chars)
        return self.echo >= min(8, (full + 1) // 2) or (self.shares_topic and self.echo >= max(4, full // 3))

    def share(self, asked: Asked) -> float:
        """The share of the predicate that the clause repeats."""
        return self.echo / max(2 * len(asked.pairs) + len(asked.chars), 1)

    def has(self, *signs: str) -> bool:
        return not self.clause.signs.isdisjoint(signs)


def statement_of(clause: Clause, asked: Asked) -> Statement:
    """The statement of a clause: its polarity relative to the question, and how much of the predicate it repeats."""
    repeated = _echo(clause.text, asked)
    denied = 8 if _denies_asked(clause.text, asked) else 0
    if clause.is_plain:
        return Statement(not asked.is_negative, repeated + denied, False, clause)
    shared = _shared_topics(clause, asked, is_alone=repeated == 0 and len(clause.text) > 8)
    opposed = bool(clause.prefixed) and any(_is_opposite(root, asked) for root in clause.prefixed)
    count = _negations(clause, asked) + _reversals(clause, asked) + ("rhetoric" in clause.signs) + opposed
    echo = repeated + denied + 2 * len(shared) + 2 * opposed + ("contrast" in clause.signs)
    return Statement((count % 2 == 0) is not asked.is_negative, echo, bool(shared), clause)


def _shared_topics(clause: Clause, asked: Asked, *, is_alone: bool) -> frozenset[str]:
    """The topics of the question that the clause has; a modal that stands alone speaks of anything."""
    refuses = "refuse" in clause.signs and "agree" in asked.topics
    if not clause.sides:
        return _REFUSAL if refuses else frozenset()
    topics = {topic for _, kind in clause.sides if (topic := topic_in(kind, asked.topics))}
    shared = {topic for topic in topics if not topic.startswith("m_")} if is_alone else topics
    return frozenset(shared) | _REFUSAL if refuses else frozenset(shared)


def _reversals(clause: Clause, asked: Asked) -> int:
    """The number of idioms and of opposite words that turn what is asked into its opposite."""
    if not (clause.idioms or clause.sides):
        return 0
    count = sum(_negates_asked(idiom, asked.predicate) for idiom in clause.idioms)
    kinds = [kind for _, kind in clause.sides]
    return count + sum(kind[:2] == "r_" or bool(kind[:2] == "c_" and topic_in(kind, asked.opposites)) for kind in kinds)


def _denies_asked(text: str, asked: Asked) -> bool:
    """Whether a clause only denies words of the question: by the CFO, not the CEO."""
    if not text.startswith("not "):
        return False
    words = set(re.findall("[a-z]{3,}", text[4:])) - COMMON
    return bool(words) and words <= asked.words


def _is_opposite(root: str, asked: Asked) -> bool:
    """Whether the rest of a word after un-, in-, non- is a word of the question: uncapped, where a cap is asked for."""
    if root in asked.own_prefixes:
        return False
    return any(stem.startswith(root) or (len(stem) == 3 and root.startswith(stem)) for stem in asked.pairs)


def _negates_asked(idiom: str, predicate: str) -> bool:
    """Whether an idiom negates what is asked: 无异议 if the question is about 异议."""
    return idiom[0] in "不没未无非" and idiom not in predicate and idiom.lstrip("不没未无非有") in predicate


def _negations(clause: Clause, asked: Asked) -> int:
    """The number of negators that count: not those in the question, nor those before the verdict word.

    不支付工资属于违法: the verdict begins at 属于, and 不 does not govern it.
    """
    if not clause.negators:
        return 0
    own = [(at, negator) for at, negator in clause.negators if not negator.startswith(asked.embedded)]
    topics = asked.topics & _VERDICTS
    cut = next((at for at, kind in clause.sides if topic_in(kind, topics)), -1) if asked.chars and topics else -1
    if cut < 0:
        return len(own)
    return sum(at > cut or _reaches(clause.text, negator, at - clause.start, cut - clause.start) for at, negator in own)


def _reaches(text: str, negator: str, at: int, verdict: int) -> bool:
    """Whether a negator governs a verdict word that follows it."""
    if _FINDS_NOT.match(text, at):
        return True
    between = text[at:verdict]
    return len(between) <= 3 or _ADVERBS.fullmatch(between) is not None


def _echo(text: str, asked: Asked) -> int:
    """How much of the predicate a clause repeats: pairs of characters, or stems of English words."""
    if not asked.chars:
        return 2 * len(asked.pairs & stems(text)) if asked.pairs else 0
    return 2 * sum(map(text.__contains__, asked.pairs)) + len(asked.chars.intersection(text))
