"""Statements of a text with their signs (negations, hedges, conclusions …), and what they say of a predicate.

The predicate is what a yes/no question asks.
"""

import re
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Final, Literal

from steelyard.legal.thresholds import (
    CASE_REACH,
    ENOUGH_ECHO,
    NEAR_NEGATION,
    NEGATED_WORDS,
    SHORT_CLAUSE,
    TOPIC_ECHO,
)
from steelyard.lexicon import lexicon
from steelyard.text.normalisation import has_han

WORDS: Final = lexicon("polarity")
_SCANNED: Final = (
    "idiom", "stop", "comma", "contrast", "without", "turn", "aside", "condition", "case", "depends", "both", "hedge",
    "claim", "finding", "conclusion", "rule", "mostly", "vacuous", "rhetoric", "opposites", "refuse", "negation",
    "modal", "prefix",
)  # fmt: skip
"""The classes of words that are looked for in one pass; at one place the earlier counts."""
_MARKS: Final = " ()[]-*>“”\"'、—→✅❌✔✘√×~.·"
_CARRIED: Final = frozenset(("claim", "finding", "conclusion", "rule", "mostly"))
_OPENS_CLAUSE: Final = frozenset(("contrast", "without", "turn", "aside", "condition"))


@dataclass(slots=True)
class Statement:
    """A clause with its position and its signs."""

    text: str
    sentence: int
    start: int = 0
    is_asked: bool = False
    signs: frozenset[str] = frozenset()
    sides: list[tuple[int, str]] = field(default_factory=list)
    negators: list[tuple[int, str]] = field(default_factory=list)
    prefixed: list[str] = field(default_factory=list)
    idioms: list[str] = field(default_factory=list)


def statements_of(text: str) -> list[Statement]:
    """Return the statements of a text without the questions that it repeats; a rhetorical question is a statement."""
    statements = scan(WORDS["asked_again"].sub("", text.lower()))
    return [statement for statement in statements if not statement.is_asked or "rhetoric" in statement.signs]


def scan(text: str) -> list[Statement]:
    """Return the clauses of a text in lower case, with their signs, in one pass."""
    state = _Scan(text)
    for token in _pattern("zh" if has_han(text) else "en").finditer(text):
        state.take(token.lastgroup or "", token)
    state.end_clause(len(text), len(text))
    return state.statements


@cache
def _pattern(language: str) -> re.Pattern[str]:
    """Return the pattern of all scanned words, grouped by class; opposites and modals have their own groups."""
    groups: dict[str, list[str]] = {name: [] for name in _SCANNED}
    for name, entry in WORDS.entries():
        if name in groups and language in entry:
            groups[name].append(WORDS.entry_source(entry))
    sources = {name: "|".join(entries) for name, entries in groups.items() if entries}
    return re.compile("|".join(text if "(?P<" in text else f"(?P<{name}>{text})" for name, text in sources.items()))


class _Scan:
    """The state of a scan: the clause that is open, and the signs that hold until its sentence ends."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.statements: list[Statement] = []
        self.start = 0
        self.sentence = 0
        self.first_of_sentence = 0
        self.carried: frozenset[str] = frozenset()
        self.open = Statement("", 0)

    def take(self, kind: str, token: re.Match[str]) -> None:
        if kind == "comma":
            self.close(token.start(), token.end())
        elif kind == "stop":
            self.end_sentence(token)
        elif kind in ("negation", "refuse"):
            end = token.end() + (2 if kind == "negation" and token[0] != "n't" else 0)
            self.open.negators.append((token.start(), self.text[token.start() : end]))
        elif kind[1] == "_":
            self.open.sides.append((token.start(), kind))
            self.open.signs |= {"denies"} if kind == "r_agree" else frozenset()
        elif kind == "prefix":
            self.open.prefixed.append(self.text[token.end() : token.end() + 4])
        elif kind == "idiom":
            self.open.idioms.append(token[0])
        else:
            self.mark(kind, token)

    def mark(self, kind: str, token: re.Match[str]) -> None:
        """Add a sign to the clause; words such as 但 and because begin a new clause."""
        if kind in _OPENS_CLAUSE:
            self.close(token.start(), token.start())
        if kind in ("contrast", "without"):
            self.open.negators.append((token.start(), token[0]))
        if kind in ("turn", "finding"):
            self.carried -= {"claim"}
            self.open.signs -= {"claim"}
        if kind in _CARRIED:
            self.carried |= {kind}
        if kind == "case":
            before = self.text[max(self.start, token.start() - CASE_REACH) : token.start()]
            if token[0] == "的" and re.search("[是属为很]", before):
                return
            kind = "condition"
        self.open.signs |= {kind}

    def close(self, end: int, next_start: int) -> None:
        """End the open clause, and open the next."""
        self.open = Statement("", self.sentence, signs=self.end_clause(end, next_start))

    def end_clause(self, end: int, next_start: int) -> frozenset[str]:
        """End the open clause; the signs of the next, which after a condition has the sign `given`."""
        text = self.text[self.start : end].strip(_MARKS)
        start, self.start = self.start, next_start
        if not any(map(str.isalnum, text)):
            self.carried |= self.open.signs & _CARRIED
            return self.carried | (self.open.signs & {"turn"})
        self.open.text = text
        self.open.start = self.text.index(text, start)
        self.statements.append(self.open)
        if "condition" in self.open.signs:
            self.carried |= {"given"}
        return self.carried

    def end_sentence(self, token: re.Match[str]) -> None:
        """End the sentence; the clauses of one with a question mark are questions."""
        self.end_clause(token.start(), token.end())
        statements = self.statements[self.first_of_sentence :]
        if token[0] in "?？":
            for statement in statements:
                statement.is_asked = True
        self.first_of_sentence = len(self.statements)
        self.sentence += 1
        self.carried = frozenset()
        self.open = Statement("", self.sentence)


Sense = Literal["yes", "no", "depends", "none"]
_WORK: Final = re.compile(r"《[^《》]*》")
_SENTENCE_END: Final = re.compile(r"[。!！;；\n:：](?=[^。!！;；\n:：]{4})|(?<=[a-z0-9]{2})\. (?=[A-Z])")
_ENDING: Final = re.compile(r"(?<=[a-z]{3})(?:ing|ed|es|s|e)$")
_HEADS: Final = frozenset(("valid", "legal", "guilty", "support", "true", "right"))
"""Topics that are the verdict itself: a clause without it does not answer whether a request is supported."""
_VERDICTS: Final = _HEADS | {"m_may", "m_must", "m_class"}
_NEGATIVE: Final = "不没未无非"
_FUNCTION_WORDS: Final = WORDS.words("function_words")
_FUNCTION_CHARACTERS: Final = WORDS.words("function_characters") | {" "}


@dataclass(frozen=True, slots=True)
class Predicate:
    """What a question asks: its predicate, as pairs of characters or stems; its topics; whether it is negative."""

    text: str
    pairs: frozenset[str]
    chars: frozenset[str]
    topics: frozenset[str]
    is_negative: bool
    is_negated: bool
    embedded: tuple[str, ...]
    own_prefixes: frozenset[str]
    words: frozenset[str]
    is_about_existence: bool
    is_about_claims: bool

    @property
    def size(self) -> int:
        """The echo of a clause that repeats all of the predicate."""
        return 2 * len(self.pairs) + len(self.chars)


@lru_cache(maxsize=1 << 10)
def predicate_of(question: str) -> Predicate:
    """Return what a question asks; its subject, proper names and titles are not part of the predicate."""
    plain = _asking_sentence(question)
    start, mark = _predicate_start(plain)
    predicate = plain[start:].lower()
    scanned, before = scan(predicate), scan(plain[: start - len(mark)].lower())
    verdicts = scan(predicate[predicate.rfind("的") + 1 :]) or scanned
    kinds = [kind for part in verdicts for _, kind in part.sides]
    topics = [kind for part in (*scan(mark), *scanned) for _, kind in part.sides]
    negators = [negator for part in scanned for _, negator in part.negators]
    lexical = [negator for part in verdicts for _, negator in part.negators if WORDS["refuse"].fullmatch(negator)]
    heads = bool(scanned) and _is_negated(scanned[0], predicate)
    flips = (heads and has_han(predicate)) + len(lexical) + sum(kind[:2] in ("c_", "r_") for kind in kinds)
    subjects = [negator for part in before for _, negator in part.negators]
    embedded = tuple({*(negator for negator in negators[heads:] if negator not in lexical), *subjects})
    pairs, chars = _terms(plain[start:])
    return Predicate(
        predicate,
        pairs,
        chars,
        topics=frozenset(map(_topic, topics)),
        is_negative=flips % 2 == 1,
        is_negated=heads and scanned[0].negators[0][0] == 0,
        embedded=embedded,
        own_prefixes=frozenset(root for part in scanned for root in part.prefixed),
        words=frozenset(re.findall("[a-z]{3,}", plain.lower())),
        is_about_existence=WORDS["asks_existence"].search(plain) is not None,
        is_about_claims=WORDS["asks_claim"].search(plain) is not None,
    )


def _asking_sentence(question: str) -> str:
    """Return the last sentence that asks, without titles of works and final particles."""
    plain = _WORK.sub("", question)
    plain = next((part for part in re.split("[?？]", plain) if part.strip()), plain).rstrip("吗呢么 \n。.")
    plain = WORDS["tag"].sub("", plain)
    pieces = [piece.strip() for piece in _SENTENCE_END.split(plain) if piece.strip()]
    return next((piece for piece in reversed(pieces) if WORDS["asks"].search(piece)), pieces[-1] if pieces else plain)


def _predicate_start(question: str) -> tuple[int, str]:
    """Return the start of the predicate and the question words: after 是否 and the like, else the first verb."""
    marks = list(WORDS["asks"].finditer(question.lower()))
    if marks and marks[-1].end() < len(question):
        return marks[-1].end(), marks[-1][0]
    start = max(question.rfind(","), question.rfind("，")) + 1
    verb = WORDS["first_verb"].search(question, start)
    negated = [at for part in scan(question.lower()) for at, _ in part.negators if at >= start]
    if negated and (verb is None or negated[0] <= verb.start()):
        return negated[0], ""
    if verb and len(question) - verb.end() >= 2:
        return verb.end() if verb[0] in "是有" else verb.start(), ""
    return start, ""


def _is_negated(scanned: Statement, predicate: str) -> bool:
    """Whether a predicate is negated: it begins with a negation, which is not about a condition of a later verdict.

    没有签字, 可以不退押金; but not 没有借条可以起诉.
    """
    negation = WORDS["asks_negated"].match(predicate)
    at = scanned.negators[0][0] if scanned.negators else len(predicate)
    if negation is None or at >= negation.end():
        return False
    verdict = next((place for place, kind in scanned.sides if place > at and _topic(kind) in _VERDICTS), None)
    return verdict is None or _reaches(predicate, at, verdict)


def _terms(predicate: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the terms of a predicate: stems of English words, pairs and single characters of Chinese."""
    if not has_han(predicate):
        return frozenset(_stems(WORDS["subject"].sub("", predicate)) or _stems(predicate)), frozenset()
    lower = predicate.lower()
    pairs = frozenset(lower[at : at + 2] for at in range(len(lower) - 1))
    return pairs, frozenset(lower) - _FUNCTION_CHARACTERS


def _stems(text: str) -> set[str]:
    """Return the stems of the content words of an English text, without proper names if others remain."""
    words = {word for word in re.findall("[A-Za-z]{3,}", text) if word.lower() not in _FUNCTION_WORDS}
    plain = {word for word in words if word.islower()} or words
    return {_ENDING.sub("", word.lower())[:5] for word in plain}


def _topic(kind: str) -> str:
    return kind if kind.startswith("m_") else kind[2:]


def _topic_in(kind: str, topics: frozenset[str]) -> str:
    """Return the topic of a word if it is among these; a claim that is allowed is one that holds."""
    topic = _topic(kind)
    if topic == "support" and topic not in topics:
        topic = "valid"
    return topic if topic in topics else ""


@dataclass(frozen=True, slots=True, eq=False)
class Reply:
    """A statement as a reply to a question: its polarity, and how much of the predicate it repeats."""

    sense: Sense
    echo: int
    shares_topic: bool
    statement: Statement
    predicate: Predicate

    @property
    def answers(self) -> bool:
        """Whether the clause says something about the predicate; one shared character is not enough.

        A clause with the word order of a question ("did he sign") repeats the question.
        """
        if not self.echo or WORDS["inverted"].match(self.text):
            return False
        return self.echo >= 2 or self.sense == "no" or len(self.text) <= SHORT_CLAUSE

    @property
    def is_strong(self) -> bool:
        """Whether the clause repeats enough of the predicate to be about it, and its verdict."""
        size = self.predicate.size
        if not self.predicate.topics.isdisjoint(_HEADS):
            return self.shares_topic and self.echo >= TOPIC_ECHO
        is_repeated = self.echo >= min(ENOUGH_ECHO, (size + 1) // 2)
        return is_repeated or (self.shares_topic and self.echo >= max(TOPIC_ECHO, size // 4))

    @property
    def share(self) -> float:
        """The share of the predicate that the clause repeats."""
        return self.echo / max(self.predicate.size, 1)

    @property
    def text(self) -> str:
        return self.statement.text

    @property
    def sentence(self) -> int:
        return self.statement.sentence

    @property
    def is_own(self) -> bool:
        """Whether the text itself says this: it is no condition or reason, and no claim of a party."""
        is_denied = self.has("denies") and not self.has("finding")
        is_claim = (is_denied or self.has("claim")) and not self.predicate.is_about_claims
        return not is_claim and not self.has("condition", "aside", "vacuous")

    def has(self, *signs: str) -> bool:
        return not self.statement.signs.isdisjoint(signs)


def reply_of(statement: Statement, predicate: Predicate) -> Reply:
    """Return what a statement says of the predicate, and how much of it it repeats."""
    repeated = _echo(statement.text, predicate)
    denied = ENOUGH_ECHO if _denies_asked(statement.text, predicate) else 0
    shared = {topic for _, kind in statement.sides if (topic := _topic_in(kind, predicate.topics))}
    opposed = any(_is_opposite(root, predicate) for root in statement.prefixed)
    flips = _negations(statement, predicate) + _reversals(statement, predicate)
    flips += ("rhetoric" in statement.signs) + opposed
    echo = repeated + denied + 2 * len(shared) + 2 * opposed
    is_positive = (flips % 2 == 0) is not predicate.is_negative
    shares_topic = not shared.isdisjoint(predicate.topics & _HEADS or predicate.topics)
    return Reply("yes" if is_positive else "no", echo, shares_topic, statement, predicate)


def _reversals(statement: Statement, predicate: Predicate) -> int:
    """Return the number of words that turn what is asked into its opposite: 无异议 if the question is about 异议."""
    negative = (idiom for idiom in statement.idioms if idiom[0] in _NEGATIVE and idiom not in predicate.text)
    idioms = sum(idiom.lstrip(f"{_NEGATIVE}有") in predicate.text for idiom in negative)
    kinds = [kind for _, kind in statement.sides]
    return idioms + sum(
        kind[:2] == "r_" or bool(kind[:2] == "c_" and _topic_in(kind, predicate.topics)) for kind in kinds
    )


def _denies_asked(text: str, predicate: Predicate) -> bool:
    """Return whether a clause only denies words of the question: by the CFO, not the CEO."""
    if not text.startswith("not "):
        return False
    words = set(re.findall("[a-z]{3,}", text[4:])) - _FUNCTION_WORDS
    return bool(words) and words <= predicate.words


def _is_opposite(root: str, predicate: Predicate) -> bool:
    """Whether the rest of a word after un-, in-, non- is a word of the question: uncapped, where a cap is asked for."""
    if root in predicate.own_prefixes:
        return False
    return any(stem.startswith(root) or (len(stem) == 3 and root.startswith(stem)) for stem in predicate.pairs)


def _negations(statement: Statement, predicate: Predicate) -> int:
    """Return the number of negators that count: not those in the question, nor those before the verdict word.

    不支付工资属于违法: the verdict begins at 属于, and 不 does not govern it.
    """
    own = [(at, negator) for at, negator in statement.negators if not negator.startswith(predicate.embedded)]
    topics = predicate.topics & _VERDICTS if predicate.chars else frozenset()
    cut = next((at for at, kind in statement.sides if _topic_in(kind, topics)), -1) if topics else -1
    if cut < 0:
        return len(own)
    start = statement.start
    return sum(at > cut or _reaches(statement.text, at - start, cut - start) for at, _ in own)


def _reaches(text: str, at: int, verdict: int) -> bool:
    between = text[at:verdict]
    return (
        WORDS["distant_negation"].match(text, at) is not None
        or len(between) <= NEAR_NEGATION
        or WORDS["near_negation"].fullmatch(between) is not None
    )


def is_negated_at(statement: Statement, index: int) -> bool:
    """Return whether the negators of a statement, an odd number of them, govern what is at an index of its text."""
    governs = _reaches if has_han(statement.text) else _reaches_in_english
    before = [at for at, _ in statement.negators if at < index]
    return sum(governs(statement.text, at - statement.start, index - statement.start) for at in before) % 2 == 1


def _reaches_in_english(text: str, at: int, verdict: int) -> bool:
    between = text[at:verdict]
    return len(between.split()) <= NEGATED_WORDS and WORDS["new_subject"].search(between) is None


def _echo(text: str, predicate: Predicate) -> int:
    """Return how much of the predicate a clause repeats: pairs of characters, or stems of English words."""
    if not predicate.chars:
        return 2 * len(predicate.pairs & _stems(text)) if predicate.pairs else 0
    return 2 * sum(map(text.__contains__, predicate.pairs)) + len(predicate.chars.intersection(text))
