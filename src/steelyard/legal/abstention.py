"""Whether an answer refuses: the item is declared absent, unknown or contradictory, and not supplied after all.

An answer is read clause by clause. A clause refuses (with a strength), supplies nothing (apology, referral, description
of oneself), or states something. The verdict follows from what is asked, from where the refusing clauses stand, and from
what the others state.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice, pairwise
from typing import Final

from steelyard.legal import refusal_words as words
from steelyard.legal.reading import read
from steelyard.text.mentions import Mention, mentions
from steelyard.text.normal import normal
from steelyard.text.scripts import has_han

_VALUE_KINDS: Final = ("date", "phone", "money", "count")
_NEAR: Final = 200
_LONGEST_VALUE_SEARCH: Final = 4000
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
_QUOTED: Final = re.compile('“[^”]{0,400}”|「[^」]{0,400}」|『[^』]{0,400}』|"[^"]{0,400}"|《[^》]{0,80}》')
_SHORT_QUOTE: Final = re.compile('“[^”]{1,4}”|「[^」]{1,4}」|"[^"]{1,4}"')
_STOP: Final = re.compile(r"[。!?;\n]|(?<!Mr)(?<!Ms)(?<!Dr)(?<!Mrs)(?<!vs)(?<!\b[A-Z])\.(?=\s|$)|,(?!\d{3}(?!\d))")
_BARE: Final = re.compile(r"[\s。,.!]|我|他|她|本人|对此|\b(?:i|he|she|it)\b", re.IGNORECASE)
_ASKING_AGAIN: Final = re.compile(r"\s*(?:什么|多少|谁|哪|否|如何|怎)")


@dataclass(frozen=True, slots=True)
class Abstention:
    """Whether an answer abstains, and the words that say so; `uncertain` where rules cannot decide."""

    abstains: bool
    reason: str
    uncertain: bool = False


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a question asks for: the kind of item, and the forms that make refusing words an answer."""

    text: str
    kind: str
    whether: bool
    why: bool
    said: bool
    knowing: bool
    open: bool


@dataclass(slots=True)
class _Clause:
    """A piece of an answer between two stops, with the strength by which it refuses (0 if it does not)."""

    text: str
    start: int
    end: int
    sentence: int
    level: int = 0
    word: str = ""
    kinds: set[str] = field(default_factory=set)
    weight: float = 0.0
    asks: bool = False

    def refuse(self, level: int, kind: str, word: str) -> None:
        """Note a cue."""
        self.kinds.add(kind)
        if level > self.level:
            self.level, self.word = level, word


@lru_cache(maxsize=1 << 12)
def detect_abstention(answer: str, *, question: str = "") -> Abstention:
    """Whether the answer declares the asked item absent or unknown, and does not supply it after all."""
    reading = read(answer)
    if reading.is_silent:
        return Abstention(False, "nothing is said")
    text = reading.text
    if not _SUSPECT.search(text):
        return _NOTHING_REFUSES
    asked = _asked(question)
    if reading.final and not _ASKING_AGAIN.match(reading.final) and len(reading.final) < len(text):
        return _of_final(text, reading.final, asked)
    return _decide(text, asked)


_NOTHING_REFUSES: Final = Abstention(False, "nothing in the answer declares the item absent or unknown")


def _of_final(text: str, final: str, asked: _Asked) -> Abstention:
    """An announced answer decides, unless the announcement itself is refused: 无法给出答案."""
    whole, announced = _decide(text, asked), _decide(final, asked)
    place = text.rfind(final)
    if words.OTHERS_RESULT.search(words.FINAL_LEAD.sub("", text[max(0, place - 40) : place])):
        return whole
    lead = _split(text[max(0, place - 60) : place])[-1:]
    is_refused = any(words.has_cue(piece.text) for piece in lead)
    return whole if is_refused and whole.abstains else announced


@lru_cache(maxsize=1 << 10)
def _asked(question: str) -> _Asked:
    text = normal(question)
    kind = _last_kind(text)
    is_value = kind in _VALUE_KINDS
    why, whether = bool(words.WHY.search(text)), bool(words.WHETHER.search(words.POLITE.sub("", text)))
    is_open = why or (not is_value and not whether and (not kind or bool(words.OPEN.search(text))))
    return _Asked(text, kind, whether, why, bool(words.SAID.search(text)), bool(words.KNOWING.search(text)), is_open)


_BACK: Final = 12


def _last_kind(text: str) -> str:
    """The kind of item that a question asks for last; 多少 is of the kind before it, what and which are of none."""
    found = [
        (match.start() - (_BACK if match[0] == "多少" else 0), kind)
        for kind, pattern in words.ASKED.items()
        if kind != "thing"
        for match in islice(pattern.finditer(text), 20)
    ]
    return max(found)[1] if found else "thing" if words.ASKED["thing"].search(text) else ""


# ----- clauses and cues


def _split(text: str) -> list[_Clause]:
    """The clauses of a text, each with the number of its sentence."""
    found: list[_Clause] = []
    start = sentence = 0
    for stop in _STOP.finditer(text):
        if stop.start() > start:
            found.append(_Clause(text[start : stop.start()], start, stop.start(), sentence))
        sentence += stop[0] != ","
        start = stop.end()
    if start < len(text):
        found.append(_Clause(text[start:], start, len(text), sentence))
    asking = {piece.sentence for piece in found if text[piece.end : piece.end + 1] == "?"}
    for piece in found:
        piece.asks = piece.sentence in asking
    return found


def _without_quotes(text: str) -> str:
    return _QUOTED.sub(lambda quote: "□" * len(quote[0]), text) if _QUOTED.search(text) else text


def _cues(text: str, asked: _Asked) -> list[re.Match[str]]:
    """Words that may refuse, in order, outside quotations; ignorance is also read in what others are quoted with."""
    own = _without_quotes(text)
    found = list(islice(words.CUES_ZH.finditer(own), words.MOST_CUES)) if has_han(own) else []
    if re.search("[A-Za-z]{2}", own):
        found += words.cues_en(own)
    if own != text and not asked.said and not asked.why:
        short = _SHORT_QUOTE.sub(lambda quote: "□" * len(quote[0]), text)
        found += islice(_IGNORANT.finditer(short), words.MOST_CUES)
    return sorted(found, key=lambda cue: cue.start())


_IGNORANT: Final = re.compile(f"(?P<ignorant>{words.IGNORANT.pattern}|{words.IGNORANT_EN.pattern})", re.IGNORECASE)


def _mark(pieces: list[_Clause], text: str, asked: _Asked) -> None:
    """Give each clause the strongest of its cues that is no content of the answer."""
    at = 0
    for cue in _cues(text, asked):
        while at < len(pieces) - 1 and pieces[at].end <= cue.start():
            at += 1
        piece = pieces[at]
        level = _level(cue, _around(cue, piece, text), text, asked)
        if level:
            is_vague = cue.lastgroup == "speaker" and words.NOT_UNDERSTOOD.search(cue[0])
            piece.refuse(2 if is_vague else level, "vague" if is_vague else cue.lastgroup or "", cue[0])
    _strengthen(pieces)
    _drop_reasons(pieces)


def _around(cue: re.Match[str], piece: _Clause, text: str) -> _Clause:
    """The clause of a cue, or of a very long clause the part beside the cue."""
    if len(piece.text) <= 2 * _NEAR:
        return piece
    start, end = max(piece.start, cue.start() - _NEAR), min(piece.end, cue.end() + _NEAR)
    return _Clause(text[start:end], start, end, piece.sentence)


def _strengthen(pieces: list[_Clause]) -> None:
    """An apology, or a mention of being a program, makes the refusal of its sentence the speaker's own."""
    own = {piece.sentence for piece in pieces if "sorry" in piece.kinds or words.PROGRAM.search(piece.text)}
    for piece in pieces:
        if piece.level and piece.sentence in own and piece.kinds - {"sorry", "self", "vague"}:
            piece.level = 3


def _drop_reasons(pieces: list[_Clause]) -> None:
    """What is not there or not known is a reason where a statement stands before it: 不会入狱,因为我没有身体."""
    for before, piece in pairwise(pieces):
        is_reason = piece.sentence == before.sentence and words.BECAUSE.match(piece.text)
        is_statement = not before.level and len(before.text) > 4 and not words.FILLER.match(before.text)
        if is_reason and is_statement and "vague" not in piece.kinds:
            piece.level = 0


def _level(cue: re.Match[str], piece: _Clause, text: str, asked: _Asked) -> int:
    """How strongly a cue refuses: 3 the speaker, 2 the source or nobody in particular, 1 others, 0 not at all."""
    kind = cue.lastgroup or ""
    before = text[piece.start : cue.start()]
    if words.NEGATED.search(before[-14:]) or _in_idiom(cue, text) or _is_copied(piece, asked):
        return 0
    if kind in ("vague", "sorry", "self"):
        return 2
    if kind == "policy":
        return 3 if asked.open and piece.sentence == 0 else 0
    if kind == "speaker":
        return _speaker_level(cue, piece, text, asked)
    if _is_hypothetical(cue, piece, before, text) or _is_content(cue, piece, text, asked):
        return 0
    if words.FOUND.search(_since_sentence(cue, text)) or _is_term(cue, piece, asked):
        return 0
    if kind in ("unable", "source") or cue[0] == "silent":
        return _agent_level(cue, piece, before, text, asked)
    return 2 if kind == "nothing" else 1


def _speaker_level(cue: re.Match[str], piece: _Clause, text: str, asked: _Asked) -> int:
    before = text[piece.start : cue.start()]
    is_bare = text[cue.end() : cue.end() + 1] in ("", "。", ",", "!")
    if words.REFUSES_TO.search(cue[0]) and not is_bare and not words.SPEAKER_VERB.match(text, cue.end()):
        return 0
    if words.CONDITION.match(before + cue[0][:1]) or words.SAYS.search(before):
        return 0
    if asked.whether and "会" in asked.text and "不会" in cue[0]:
        return 0
    if _IGNORANT.search(cue[0]) and _is_content(cue, piece, text, asked):
        return 0
    return 2 if cue[0].startswith("我们") and piece.sentence else 3


def _since_sentence(cue: re.Match[str], text: str) -> str:
    """What stands before a cue in its sentence, at most 60 characters."""
    return re.split(r"[。;!?\n]|\. ", text[max(0, cue.start() - 60) : cue.start()])[-1]


def _is_term(cue: re.Match[str], piece: _Clause, asked: _Asked) -> bool:
    """Whether the words belong to a legal term of art, which is content: 约定不明."""
    if words.WHEREABOUTS.search(piece.text):
        return asked.kind not in ("place", "person") and not re.search("去向|下落|身份", asked.text)
    return words.TERM.search(piece.text) is not None


def _is_copied(piece: _Clause, asked: _Asked) -> bool:
    """Whether the clause only repeats words of the question, as an option that is chosen."""
    return len(piece.text) > 7 and piece.text.strip() in asked.text


def _in_idiom(cue: re.Match[str], text: str) -> bool:
    near = text[max(0, cue.start() - 8) : cue.end() + 8]
    return any(idiom.start() <= min(8, cue.start()) < idiom.end() for idiom in words.IDIOM.finditer(near))


def _is_hypothetical(cue: re.Match[str], piece: _Clause, before: str, text: str) -> bool:
    """Whether the cue stands in a condition or a noun phrase: 如果无法认定, 无法认定数额的, 未知的因素."""
    if words.CONDITION.match(piece.text) or words.UNDER_CONDITION.search(_since_sentence(cue, text)):
        return True
    after = text[cue.end() : cue.end() + 60]
    if words.ATTRIBUTE.match(after) and cue.lastgroup in ("unable", "unknown", "source"):
        return True
    return words.NOMINAL.match(after) is not None and "是" not in before[-6:]


_BARE_NOT: Final = re.compile("并?不(?:直接|明确|具体|专门)?(?:包|涉|含|显|体|载|反|提|记)")


def _agent_level(cue: re.Match[str], piece: _Clause, before: str, text: str, asked: _Asked) -> int:
    """Who cannot or does not: the material or nobody (2), a party of the case (1), a thing that is spoken of (0)."""
    subject = words.CONNECTIVE.sub("", before.replace("□", ""))
    if cue.lastgroup == "source" and len(cue[0]) > 12 and _shared(cue[0], asked.text) >= 4:
        return 1  # 没有女性哭倒长城的记录: the premise is corrected in the words of the question
    if words.MATERIAL.search(subject) or (not subject.strip() and not _BARE_NOT.match(cue[0])):
        return 2
    if cue[0].startswith("不足以") or _BARE_NOT.match(cue[0]):
        return 0
    if words.PARTY.search(subject):
        return int(cue[0] != "silent")
    has_object = len(text[cue.end() : piece.end].strip()) > 2
    return 0 if cue.lastgroup == "unable" and has_object and len(subject) <= 8 and "并" in before else 1


def _is_content(cue: re.Match[str], piece: _Clause, text: str, asked: _Asked) -> bool:
    """Whether the words answer the question: it asks why, whether, or what was said."""
    if asked.whether and asked.knowing and _IGNORANT.search(cue[0]):
        return True
    if asked.why and _is_reason(cue, piece, text):
        return True
    if asked.said and not words.SOURCE.search(piece.text):
        return not _is_bare(text, cue)
    return asked.whether and (_repeats_verb(cue, piece, asked) or _denies(cue, piece))


def _denies(cue: re.Match[str], piece: _Clause) -> bool:
    """并无此事: that there is no such thing is the answer no."""
    is_denial = cue.lastgroup == "nothing" and re.match(r"没有|并无|无|不存在|no\b|does", cue[0], re.IGNORECASE)
    return bool(is_denial) and not words.SOURCE.search(piece.text) and not _INFORMATION.search(cue[0])


_INFORMATION: Final = re.compile("信息|资料|记录|记载|答案|recogni|known|reliable|official|clear", re.IGNORECASE)


def _is_reason(cue: re.Match[str], piece: _Clause, text: str) -> bool:
    """Whether words of not knowing or not being able are the reason that was asked for: 因丈夫下落不明."""
    if words.BECAUSE.search(piece.text):
        return True
    if re.search("原因|缘由|理由|为什么|为何|\\b(?:why|reason|cause)\\b", piece.text, re.IGNORECASE):
        return False
    if words.GROUND.match(piece.text) or words.PARTY.search(text, piece.start, cue.start()):
        return True
    if words.SOURCE.search(piece.text):
        return False
    return not _is_bare(text, cue) and cue.lastgroup in ("ignorant", "unknown", "unable") and cue.start() > 0


def _is_bare(text: str, cue: re.Match[str]) -> bool:
    """Whether the words are all that is said."""
    return len(text) < 60 and not _BARE.sub("", text[: cue.start()] + text[cue.end() :])


_COMPLEMENT: Final = re.compile("([查找看搜])不([到出见])")
_NEGATION: Final = re.compile(r"^(?:未能|未|没有|没|并未|并没有|无法|无从|无|均未|不能|难以)")


def _repeats_verb(cue: re.Match[str], piece: _Clause, asked: _Asked) -> bool:
    """有没有说明原因: the verb of the question is answered, not refused."""
    source = words.SOURCE.search(piece.text[: cue.start() - piece.start])
    if source is None and words.NO_EVIDENCE.match(cue[0]):
        return True
    if source is not None and source[0].lower() not in asked.text.lower():
        return False
    verb = _COMPLEMENT.sub(r"\1\2", _NEGATION.sub("", cue[0]).lower())
    said = re.findall("[a-z]{4,}|[\u4e00-\u9fff]{1,4}", verb)
    return bool(said) and (said[-1] in asked.text.lower() or (source is None and _shared(verb, asked.text) > 0))


# ----- the verdict


def _decide(text: str, asked: _Asked) -> Abstention:
    bare = text.strip(" []【】()\"'“”")
    if words.JSON_NULL.match(text):
        return Abstention(True, "the answer says 'null'")
    if words.NULL.fullmatch(bare):
        is_answer = words.ZERO.fullmatch(bare) and (asked.whether or (asked.kind == "count" and "号" not in asked.text))
        return Abstention(not is_answer, f"the answer says {bare!r}")
    pieces = _split(text)
    _mark(pieces, text, asked)
    refusing = [at for at, piece in enumerate(pieces) if piece.level]
    if not refusing:
        return _NOTHING_REFUSES
    _weigh(pieces)
    return _Judge(text, pieces, refusing, asked).verdict()


def _weigh(pieces: list[_Clause]) -> None:
    """The weight of what each clause states; the reason of a refusal and what supplies nothing weigh nothing."""
    reason_of = -1
    for at, piece in enumerate(pieces):
        if piece.level:
            continue
        follows = at > 0 and pieces[at - 1].sentence == piece.sentence
        if (words.BECAUSE.match(piece.text) and at and pieces[at - 1].level) or words.MAYBE_BECAUSE.match(piece.text):
            reason_of = piece.sentence
        if piece.sentence == reason_of and (follows or words.MAYBE_BECAUSE.match(piece.text)):
            continue
        if not piece.asks and not words.FILLER.match(piece.text) and not words.REFERRAL.search(piece.text[:200]):
            piece.weight = _weight(piece.text)


def _weight(text: str) -> float:
    return sum(1.0 if char >= "\u3000" else 0.4 for char in text if char.isalnum())


@dataclass(slots=True)
class _Judge:
    """The decision on an answer with at least one refusing clause."""

    text: str
    pieces: list[_Clause]
    refusing: list[int]
    asked: _Asked

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
        if before and (given := self._given_before(before, after)):
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

    def _lacks_value(self) -> bool:
        """Whether a value is asked for, and none of its kind is stated."""
        if self.asked.kind not in _VALUE_KINDS:
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

    def _inner_turn(self, piece: _Clause) -> int | None:
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
        own = _without_quotes(rest)
        if own != rest and words.REFERS.search(own) and not _states_value(own):
            return False
        if self.asked.kind in _VALUE_KINDS:
            given = _values(own, self.asked.kind)
            is_loose = words.YEARS.search(self.asked.text) or self.asked.kind != "date"
            return any(is_loose or value.is_exact for value in given) or (
                level == 1 and bool(words.INFERENCE.search(own[:40]))
            )
        if words.REFERRAL.search(own[:120]):
            return False
        if words.INFERENCE.search(own[:60]):
            return True
        if words.DENIAL.search(own[:40]):
            return False
        return (level < 3 and len(self.refusing) < 3) or self._goes_on(place)

    def _goes_on(self, place: int) -> bool:
        """Whether the sentence of the refusal itself goes on to the asked item: I am no doctor, but aspirin thins blood."""
        first = self.pieces[self.refusing[0]]
        piece = next((piece for piece in self.pieces if piece.start <= place < piece.end), first)
        is_same = piece.sentence == first.sentence and piece is not first
        return is_same and piece.weight >= 8 and not words.OFFER.search(piece.text) and self._speaks_of_it(piece)

    def _speaks_of_it(self, piece: _Clause) -> bool:
        return _shared(piece.text, self.asked.text) >= 2 or bool(
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
        if not is_one or self.asked.why or kind in ("date", "phone", "count") or self._names_kind(first):
            return False
        asked, before = _terms(self.asked.text) - _STOP_WORDS, _terms(self.text[: piece.start])
        topic = _topic(self._context(first))
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
        before = _shared(self.text[: self.pieces[first].start], self.asked.text)
        return not self._names_kind(first) and before >= 4 and before > _shared(self._context(first), self.asked.text)

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
        return self._names_kind(at) or _shared(self._context(at), self.asked.text) >= 2

    def _is_about_another(self, first: int) -> bool:
        """其他不清楚, after the asked item was given."""
        contexts = [self._context(at) for at in self.refusing]
        return all(words.OTHERWISE.match(context) for context in contexts) and not any(
            _shared(context[2:], self.asked.text) for context in contexts
        )

    def _gives_value_before(self, first: int) -> bool:
        """Whether one exact value of the asked kind stands before the refusal, which is not about that kind."""
        kind, start = self.asked.kind, self.pieces[first].start
        is_plain = self._level < 3 and not any("conflict" in self.pieces[at].kinds for at in self.refusing)
        if kind not in _VALUE_KINDS or not is_plain or self._names_kind(first):
            return False
        given = _values(_without_quotes(self.text[:start]), kind)
        if not all(value.is_exact and not value.approx for value in given):
            return False
        new = (_terms(self._context(first)) & _terms(self.asked.text)) - _terms(self.text[:start]) - _STOP_WORDS
        return len({str(value.value) for value in given}) == 1 and not new


def _values(text: str, kind: str) -> list[Mention]:
    """The values of a kind in a text, or in its beginning and end where it is long."""
    if len(text) > _LONGEST_VALUE_SEARCH:
        text = text[: _LONGEST_VALUE_SEARCH // 2] + "\n" + text[-_LONGEST_VALUE_SEARCH // 2 :]
    return [value for value in mentions(text) if value.kind == kind]


def _states_value(text: str) -> bool:
    return any(mention.kind not in ("ordinal", "number") for mention in mentions(text[:_LONGEST_VALUE_SEARCH]))


_STOP_WORDS: Final = frozenset(
    (
        "什么 多少 是什 的是 哪里 specif docume contra this that what which with from have does were there about given"
        " provid text into been when where will would"
    ).split()
)


def _shared(text: str, question: str) -> int:
    """How many words or pairs of Chinese characters of a clause stand in the question."""
    return len((_terms(text) & _terms(question)) - _STOP_WORDS)


def _topic(text: str) -> frozenset[str]:
    """The words of a refusing clause without those that refuse and those that name the source."""
    text = words.SOURCE.sub(" ", words.MATERIAL.sub(" ", _without_quotes(text)))
    return _terms(words.without_cues(text)) - _STOP_WORDS


@lru_cache(maxsize=1 << 8)
def _terms(text: str) -> frozenset[str]:
    return frozenset(_iterate_terms(text.lower()[:2000]))


def _iterate_terms(text: str) -> Iterator[str]:
    for run in re.finditer("[\u4e00-\u9fff]+|[a-z]{4,}", text):
        if run[0] < "\u4e00":
            yield run[0][:6]
        else:
            yield from (run[0][at : at + 2] for at in range(len(run[0]) - 1))
