"""What a question asks for, and what each clause of an answer does.

A clause refuses, with a strength; it states something, with a weight; or neither.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from steelyard.legal import thresholds as limits
from steelyard.legal.reading import outline, without_quotes
from steelyard.lexicon import lexicon
from steelyard.text.normalisation import has_han, normalise

WORDS: Final = lexicon("refusal")
VALUE_KINDS: Final = ("date", "phone", "money", "count")
_ASKED_KINDS: Final = (*VALUE_KINDS, "person", "place")
_MOST_MATCHES: Final = 20
_BEFORE_HOW_MANY: Final = 12
"""Characters before 多少 in which the word for its kind stands: 金额是多少."""
_LONGEST_TERMS: Final = 2_000
_TERM: Final = re.compile("[\u4e00-\u9fff]+|[a-z]{4,}")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: the kind of item that it asks for, and forms to which refusing words are an answer.

    `speech` asks what somebody said, `knowing` what somebody knows, `open` for an explanation or a list.
    """

    text: str
    kind: str
    whether: bool
    why: bool
    speech: bool
    knowing: bool
    open: bool


@lru_cache(maxsize=1 << 10)
def asked_for(question: str) -> Asked:
    """Return what a question asks for."""
    text = normalise(question)
    kind, why = _last_kind(text), _has("why", text)
    whether = _has("whether", WORDS["polite"].sub("", text))
    is_open = why or (kind not in VALUE_KINDS and not whether and (not kind or _has("open", text)))
    return Asked(text, kind, whether, why, _has("speech", text), _has("knowing", text), is_open)


def _has(name: str, text: str) -> bool:
    return WORDS[name].search(text) is not None


def _last_kind(text: str) -> str:
    """Return the kind of item that a question asks for last; 多少 has the kind before it, what and which have none."""
    places = [
        (match.start() - (_BEFORE_HOW_MANY if match[0] == "多少" else 0), kind)
        for kind in _ASKED_KINDS
        for match in islice(WORDS[f"asked_{kind}"].finditer(text), _MOST_MATCHES)
    ]
    return max(places)[1] if places else "thing" if _has("asked_thing", text) else ""


def names_kind(text: str, kind: str) -> bool:
    """Return whether a text has a word for a kind of item: 日期, phone."""
    return kind != "" and _has(f"names_{kind}", text)


def shared_terms(text: str, question: str) -> int:
    """Return the number of words or pairs of Chinese characters that a text shares with a question."""
    return len(content_terms(text) & terms_of(question))


def content_terms(text: str) -> frozenset[str]:
    """Return the terms of a text that say something of its topic."""
    return terms_of(text) - WORDS.words("stop")


def terms_of(text: str) -> frozenset[str]:
    """Return English words by their first six letters, and pairs of Chinese characters."""
    terms: set[str] = set()
    for run in _TERM.findall(text.lower()[:_LONGEST_TERMS]):
        terms |= {run[:6]} if run.isascii() else {run[at : at + 2] for at in range(len(run) - 1)}
    return frozenset(terms)


_KINDS: Final = (
    "speaker", "self", "sorry", "vague", "source", "unable", "nothing", "unknown", "ignorant", "conflict", "policy",
)  # fmt: skip
_SHORT_QUOTE: Final = re.compile('“[^”]{1,4}”|「[^」]{1,4}」|"[^"]{1,4}"')
HIDDEN: Final = "□"
"""Stands for each character of a quotation or a title."""
_CHINESE: Final = re.compile(
    "|".join(f"(?P<{kind}>{source})" for kind in _KINDS if (source := WORDS.source(f"cue_{kind}", "zh"))), re.IGNORECASE
)
"""The Chinese cues, of which the first kind wins."""
_ENGLISH: Final = tuple(
    re.compile(rf"\b(?=[a-z])(?P<{kind}>{source})", re.IGNORECASE)
    for kind in _KINDS
    if (source := WORDS.source(f"cue_{kind}", "en"))
)
_IGNORANT: Final = re.compile(f"(?P<ignorant>{WORDS.source('cue_ignorant')})", re.IGNORECASE)
_UNCOUNTED: Final = re.compile(r"[\W_]+")


@dataclass(slots=True)
class Act:
    """A clause of an answer: how strongly it refuses (`level`, 0 if not), and how much it states (`weight`).

    `asks` if it belongs to a question, `is_covered` if refusing words begin before it and end in it.
    """

    text: str
    start: int
    end: int
    sentence: int
    level: int = 0
    word: str = ""
    kinds: frozenset[str] = frozenset()
    weight: float = 0.0
    asks: bool = False
    is_covered: bool = False

    def refuse(self, level: int, kind: str, word: str) -> None:
        self.kinds |= {kind}
        if level > self.level:
            self.level, self.word = level, word


class _Cue(NamedTuple):
    """Refusing words in a text, with the clause (or the part of a long one) and the question."""

    match: re.Match[str]
    act: Act
    text: str
    asked: Asked

    @property
    def kind(self) -> str:
        return self.match.lastgroup or ""

    @property
    def words(self) -> str:
        return self.match[0]

    @property
    def before(self) -> str:
        return self.text[self.act.start : self.match.start()]

    @property
    def sentence_before(self) -> str:
        return re.split(
            r"[。;!?\n]|\. ", self.text[max(0, self.match.start() - limits.CUE_CONTEXT) : self.match.start()]
        )[-1]


# ----- cues


def _found(text: str) -> Iterator[re.Match[str]]:
    """Yield refusing words; at most `limits.MOST_CUES` of each pattern."""
    if has_han(text):
        yield from islice(_CHINESE.finditer(text), limits.MOST_CUES)
    for pattern in _ENGLISH:
        yield from islice(pattern.finditer(text), limits.MOST_CUES)


def has_cue(text: str) -> bool:
    """Return whether a text has refusing words."""
    return next(_found(text), None) is not None


def topic_of(text: str) -> frozenset[str]:
    """Return the words of a refusing clause without those that refuse and those that name the source."""
    plain = WORDS["source"].sub(" ", WORDS["material"].sub(" ", without_quotes(text, HIDDEN)))
    for cue in list(_found(plain)):
        plain = plain[: cue.start()] + " " * len(cue[0]) + plain[cue.end() :]
    return content_terms(plain)


def _cues(text: str, asked: Asked) -> list[re.Match[str]]:
    """Return refusing words in order, outside quotations; statements of ignorance also inside them."""
    own = without_quotes(text, HIDDEN)
    matches = list(_found(own))
    if own != text and not asked.speech and not asked.why:
        short = _SHORT_QUOTE.sub(lambda quote: HIDDEN * len(quote[0]), text)
        matches += islice(_IGNORANT.finditer(short), limits.MOST_CUES)
    return sorted(matches, key=lambda cue: cue.start())


# ----- acts


def acts_of(text: str, asked: Asked) -> list[Act]:
    """Return the clauses of a text, each with its strongest cue which is not content; none if the text has no cue."""
    cues = _cues(text, asked)
    acts = _clauses(text) if cues else []
    at = 0
    for match in cues:
        while at < len(acts) - 1 and acts[at].end <= match.start():
            at += 1
        cue = _Cue(match, _around(match, acts[at], text), text, asked)
        if level := _level(cue):
            kind = _kind_of(cue)
            acts[at].refuse(level if kind == cue.kind else limits.THE_SOURCE, kind, cue.words)
            for covered in acts[at + 1 :]:
                if covered.start >= match.end():
                    break
                covered.is_covered = True
    return acts


def _kind_of(cue: _Cue) -> str:
    """Return the kind of a cue; the speaker may only ask what is meant, or say that it gives no advice."""
    if cue.kind == "speaker" and WORDS["not_understood"].search(cue.words):
        return "vague"
    return "self" if cue.kind == "speaker" and WORDS["advice"].search(cue.act.text) else cue.kind


def _clauses(text: str) -> list[Act]:
    clauses = list(outline(text).clauses)
    asking = {clause.sentence for clause in clauses if text[clause.end : clause.end + 1] == "?"}
    return [Act(each.text, each.start, each.end, each.sentence, asks=each.sentence in asking) for each in clauses]


def last_clause(text: str) -> str:
    """Return the last clause of a text."""
    return next((act.text for act in reversed(_clauses(text))), "")


def _around(match: re.Match[str], act: Act, text: str) -> Act:
    """Return the clause of a cue, or the part of a very long clause around the cue."""
    if len(act.text) <= 2 * limits.LONG_CLAUSE:
        return act
    start, end = max(act.start, match.start() - limits.LONG_CLAUSE), min(act.end, match.end() + limits.LONG_CLAUSE)
    return Act(text[start:end], start, end, act.sentence)


# ----- the strength of a cue


def _level(cue: _Cue) -> int:
    """Return how strongly a cue refuses: by the speaker, by the source or nobody, by somebody else, or not (0)."""
    if WORDS["negated"].search(cue.before[-14:]) or WORDS["instruction"].search(cue.sentence_before):
        return 0
    if cue.kind in ("vague", "sorry", "self"):
        return limits.THE_SOURCE
    if cue.kind == "policy":
        return limits.SPEAKER if cue.asked.open and cue.act.sentence == 0 else 0
    if cue.kind == "speaker":
        return _speaker_level(cue)
    if _is_hypothetical(cue) or _is_content(cue) or WORDS["found"].search(cue.sentence_before) or _is_term(cue):
        return 0
    if cue.kind in ("unable", "source") or cue.words == "silent":
        return _agent_level(cue)
    return limits.THE_SOURCE if cue.kind == "nothing" else limits.SOMEBODY


def _speaker_level(cue: _Cue) -> int:
    end = cue.match.end()
    is_bare = cue.text[end : end + 1] in ("", "。", ",", "!")
    if WORDS["refuses_to"].search(cue.words) and not is_bare and not WORDS["speaker_verb"].match(cue.text, end):
        return 0
    if WORDS["condition"].match(cue.before + cue.words[:1]) or WORDS["says"].search(cue.before):
        return 0
    if cue.asked.whether and "会" in cue.asked.text and "不会" in cue.words:
        return 0
    if WORDS["cue_ignorant"].search(cue.words) and _is_content(cue):
        return 0
    return limits.THE_SOURCE if cue.words.startswith("我们") and cue.act.sentence else limits.SPEAKER


def _is_term(cue: _Cue) -> bool:
    """Return whether the words belong to a legal term of art, which is content: 约定不明."""
    if WORDS["whereabouts"].search(cue.act.text):
        return cue.asked.kind not in ("place", "person") and not WORDS["asked_whereabouts"].search(cue.asked.text)
    return WORDS["term"].search(cue.act.text) is not None


def _is_hypothetical(cue: _Cue) -> bool:
    """Return whether the cue is in a condition or a noun phrase: 如果无法认定, 无法认定数额的, 未知的因素."""
    if WORDS["condition"].match(cue.act.text) or WORDS["under_condition"].search(cue.sentence_before):
        return True
    after = cue.text[cue.match.end() : cue.match.end() + limits.CUE_CONTEXT]
    if WORDS["attribute"].match(after) and cue.kind in ("unable", "unknown", "source"):
        return True
    return WORDS["nominal"].match(after) is not None and "是" not in cue.before[-6:]


def _agent_level(cue: _Cue) -> int:
    """Return the level by the subject of the cue: the material or nobody, a party of the case, or another thing (0)."""
    subject = WORDS["connective"].sub("", cue.before.replace(HIDDEN, ""))
    if (
        cue.kind == "source"
        and len(cue.words) > limits.PREMISE_CUE
        and shared_terms(cue.words, cue.asked.text) >= limits.PREMISE_TERMS
    ):
        return limits.SOMEBODY  # 没有女性哭倒长城的记录: the premise is corrected in the words of the question
    is_bare_not = WORDS["bare_not"].match(cue.words)
    if WORDS["material"].search(subject) or (not subject.strip() and not is_bare_not):
        return limits.THE_SOURCE
    if cue.words.startswith("不足以") or is_bare_not:
        return 0
    if WORDS["party"].search(subject):
        return limits.SOMEBODY if cue.words != "silent" else 0
    has_object = len(cue.text[cue.match.end() : cue.act.end].strip()) > 2
    is_other = cue.kind == "unable" and has_object and len(subject) <= 8 and "并" in cue.before
    return 0 if is_other else limits.SOMEBODY


# ----- cues that are content


def _is_content(cue: _Cue) -> bool:
    """Return whether the words answer the question: it asks why, whether, or what was said."""
    asked = cue.asked
    if asked.whether and asked.knowing and WORDS["cue_ignorant"].search(cue.words):
        return True
    if asked.why and _is_reason(cue):
        return True
    if asked.kind == "count" and _denies(cue):
        return True  # no witnesses were called: none
    if asked.speech and not WORDS["source"].search(cue.act.text):
        return True
    return asked.whether and (_repeats_verb(cue) or _denies(cue))


def _denies(cue: _Cue) -> bool:
    """Return whether the words deny that there is such a thing, which is the answer no: 并无此事."""
    is_denial = cue.kind == "nothing" and WORDS["no_such"].match(cue.words)
    return bool(is_denial) and not WORDS["source"].search(cue.act.text) and not WORDS["knowledge"].search(cue.words)


def _is_reason(cue: _Cue) -> bool:
    """Return whether words of ignorance or inability are the reason that was asked for: 因丈夫下落不明."""
    clause = cue.act.text
    if WORDS["because"].search(clause) or WORDS["reason_is"].search(clause):
        return True
    if WORDS["reason"].search(clause):
        return False
    if WORDS["ground"].match(clause) or WORDS["party"].search(cue.before):
        return True
    if WORDS["source"].search(clause):
        return False
    return cue.kind in ("ignorant", "unknown", "unable") and cue.match.start() > 0


def _repeats_verb(cue: _Cue) -> bool:
    """Return whether the cue negates the verb of the question, which answers it: 有没有说明原因."""
    source = WORDS["source"].search(cue.before)
    if source is None and WORDS["no_evidence"].match(cue.words):
        return True
    if source is not None and source[0].lower() not in cue.asked.text.lower():
        return False
    verb = re.sub("([查找看搜])不([到出见])", r"\1\2", WORDS["leading_negation"].sub("", cue.words).lower())
    stems = re.findall("[a-z]{4,}|[\u4e00-\u9fff]{1,4}", verb)
    if not stems:
        return False
    return stems[-1] in cue.asked.text.lower() or (source is None and shared_terms(verb, cue.asked.text) > 0)


# ----- weights


def assign_weights(acts: list[Act], text: str) -> None:
    """Set the weight of each clause that states something; reasons of refusals and filler have weight 0.

    Quotations after a refusal belong to it; if statements are said to conflict, all quotations do.
    """
    blank = without_quotes(text, HIDDEN)
    goes_all = any("conflict" in act.kinds or (act.level and blank[act.end - 1] == HIDDEN) for act in acts)
    first = next((act.start for act in acts if act.level >= limits.THE_SOURCE), len(text))
    own = blank if goes_all else text[:first] + without_quotes(text[first:], HIDDEN)
    reason_of = -1
    for at, act in enumerate(acts):
        if act.level:
            continue
        follows = at > 0 and acts[at - 1].sentence == act.sentence
        maybe = WORDS["maybe_because"].match(act.text)
        if maybe or (at > 0 and acts[at - 1].level and WORDS["because"].match(act.text)):
            reason_of = act.sentence
        if act.sentence == reason_of and (follows or maybe):
            continue
        refers = WORDS["referral"].search(act.text[: limits.LONG_CLAUSE])
        if not (act.asks or act.is_covered or refers or WORDS["filler"].match(act.text)):
            counted = _UNCOUNTED.sub("", own[act.start : act.end])
            act.weight = sum(1.0 if char >= "\u3000" else limits.LATIN_WEIGHT for char in counted)
