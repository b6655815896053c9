"""Clauses of an answer, and how strongly each refuses, by its words and by the question."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise
from typing import Final

from steelyard.legal.refusals import chinese, english, question_words, words
from steelyard.text.normalisation import normalise
from steelyard.text.scripts import has_han

VALUE_KINDS: Final = ("date", "phone", "money", "count")
_NEAR: Final = 200
_QUOTED: Final = re.compile('“[^“”]{0,400}”|「[^」]{0,400}」|『[^』]{0,400}』|"[^"]{0,400}"|《[^》]{0,80}》')
_SHORT_QUOTE: Final = re.compile('“[^”]{1,4}”|「[^」]{1,4}」|"[^"]{1,4}"')
_STOP: Final = re.compile(
    r"[。!?;\n.,](?:(?<![.,])|(?<=\.)(?<!Mr\.)(?<!Ms\.)(?<!Dr\.)(?<!Mrs\.)(?<!vs\.)(?<!\b[A-Z]\.)(?=\s|$)"
    r"|(?<=,)(?!\d{3}(?!\d)))"
)
_UNCOUNTED: Final = re.compile(r"[\W_]+")
_BARE: Final = re.compile(r"[\s。,.!]|我|他|她|本人|对此|\b(?:i|he|she|it)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for: the kind of item, and forms to which refusing words are an answer."""

    text: str
    kind: str
    whether: bool
    why: bool
    speech: bool
    knowing: bool
    open: bool


@dataclass(slots=True)
class Clause:
    """A piece of an answer between two stops; `level` is the strength of its refusal (0 if it does not refuse)."""

    text: str
    start: int
    end: int
    sentence: int
    level: int = 0
    word: str = ""
    kinds: frozenset[str] = frozenset()
    weight: float = 0.0
    asks: bool = False

    def refuse(self, level: int, kind: str, word: str) -> None:
        """Add a cue."""
        self.kinds |= {kind}
        if level > self.level:
            self.level, self.word = level, word


@lru_cache(maxsize=1 << 10)
def asked_for(question: str) -> Asked:
    """What a question asks for."""
    text = normalise(question)
    kind = _last_kind(text)
    is_value = kind in VALUE_KINDS
    why, whether = (
        bool(question_words.WHY.search(text)),
        bool(question_words.WHETHER.search(question_words.POLITE.sub("", text))),
    )
    is_open = why or (not is_value and not whether and (not kind or bool(question_words.OPEN.search(text))))
    return Asked(
        text,
        kind,
        whether,
        why,
        bool(question_words.SPEECH.search(text)),
        bool(question_words.KNOWING.search(text)),
        is_open,
    )


_BACK: Final = 12


def _last_kind(text: str) -> str:
    """The kind of item that a question asks for last; 多少 has the kind before it, what and which have none."""
    questions = [
        (match.start() - (_BACK if match[0] == "多少" else 0), kind)
        for kind, pattern in question_words.ASKED.items()
        if kind != "thing"
        for match in islice(pattern.finditer(text), 20)
    ]
    return max(questions)[1] if questions else "thing" if question_words.ASKED["thing"].search(text) else ""


def split_clauses(text: str) -> list[Clause]:
    """The clauses of a text, each with the number of its sentence."""
    clauses: list[Clause] = []
    start = sentence = 0
    for stop in _STOP.finditer(text):
        if stop.start() > start:
            clauses.append(Clause(text[start : stop.start()], start, stop.start(), sentence))
        sentence += stop[0] != ","
        start = stop.end()
    if start < len(text):
        clauses.append(Clause(text[start:], start, len(text), sentence))
    asking = {piece.sentence for piece in clauses if text[piece.end : piece.end + 1] == "?"}
    for piece in clauses:
        piece.asks = piece.sentence in asking
    return clauses


def without_quotes(text: str) -> str:
    """The text with quotations and titles replaced by placeholders of the same length."""
    return _QUOTED.sub(lambda quote: "□" * len(quote[0]), text)


def _cues(text: str, asked: Asked) -> list[re.Match[str]]:
    """Matches of refusing words, in order, outside quotations; statements of ignorance also inside them."""
    own = without_quotes(text)
    matches = list(islice(chinese.CUES_ZH.finditer(own), english.MOST_CUES)) if has_han(own) else []
    matches += english.cues_en(own)
    if own != text and not asked.speech and not asked.why:
        short = _SHORT_QUOTE.sub(lambda quote: "□" * len(quote[0]), text)
        matches += islice(_IGNORANT.finditer(short), english.MOST_CUES)
    return sorted(matches, key=lambda cue: cue.start())


_IGNORANT: Final = re.compile(
    f"(?P<ignorant>{chinese.IGNORANT_ZH.pattern}|{english.IGNORANT_EN.pattern})", re.IGNORECASE
)


def marked_clauses(text: str, asked: Asked) -> list[Clause]:
    """The clauses of a text, each with the level of its strongest cue which is not content; none if it has no cue."""
    cues = _cues(text, asked)
    pieces = split_clauses(text) if cues else []
    at = 0
    for cue in cues:
        while at < len(pieces) - 1 and pieces[at].end <= cue.start():
            at += 1
        piece = pieces[at]
        level = _level(cue, _around(cue, piece, text), text, asked)
        if level:
            is_vague = cue.lastgroup == "speaker" and words.NOT_UNDERSTOOD.search(cue[0])
            piece.refuse(2 if is_vague else level, "vague" if is_vague else cue.lastgroup or "", cue[0])
    _strengthen(pieces)
    _drop_reasons(pieces)
    return pieces


def _around(cue: re.Match[str], piece: Clause, text: str) -> Clause:
    """The clause of a cue, or the part of a very long clause around the cue."""
    if len(piece.text) <= 2 * _NEAR:
        return piece
    start, end = max(piece.start, cue.start() - _NEAR), min(piece.end, cue.end() + _NEAR)
    return Clause(text[start:end], start, end, piece.sentence)


def _strengthen(pieces: list[Clause]) -> None:
    """Raise the level of refusals in a sentence with an apology or a mention of being a program."""
    weak = [piece for piece in pieces if piece.level and piece.kinds - {"sorry", "self", "vague"}]
    if not weak:
        return
    asked = {piece.sentence for piece in weak}
    nearby = (piece for piece in pieces if piece.sentence in asked)
    own = {piece.sentence for piece in nearby if "sorry" in piece.kinds or words.PROGRAM.search(piece.text)}
    for piece in weak:
        if piece.sentence in own:
            piece.level = 3


def _drop_reasons(pieces: list[Clause]) -> None:
    """Drop refusing clauses that give the reason of a statement before them: 不会入狱,因为我没有身体."""
    for before, piece in pairwise(pieces):
        if not piece.level:
            continue
        is_reason = piece.sentence == before.sentence and words.BECAUSE.match(piece.text)
        is_statement = not before.level and len(before.text) > 4 and not words.FILLER.match(before.text)
        if is_reason and is_statement and "vague" not in piece.kinds:
            piece.level = 0


def _level(cue: re.Match[str], piece: Clause, text: str, asked: Asked) -> int:
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


def _speaker_level(cue: re.Match[str], piece: Clause, text: str, asked: Asked) -> int:
    before = text[piece.start : cue.start()]
    is_bare = text[cue.end() : cue.end() + 1] in ("", "。", ",", "!")
    if chinese.REFUSES_TO.search(cue[0]) and not is_bare and not chinese.SPEAKER_VERB.match(text, cue.end()):
        return 0
    if words.CONDITION.match(before + cue[0][:1]) or words.SAYS.search(before):
        return 0
    if asked.whether and "会" in asked.text and "不会" in cue[0]:
        return 0
    if _IGNORANT.search(cue[0]) and _is_content(cue, piece, text, asked):
        return 0
    return 2 if cue[0].startswith("我们") and piece.sentence else 3


def _since_sentence(cue: re.Match[str], text: str) -> str:
    """The text before a cue in its sentence, at most 60 characters."""
    return re.split(r"[。;!?\n]|\. ", text[max(0, cue.start() - 60) : cue.start()])[-1]


def _is_term(cue: re.Match[str], piece: Clause, asked: Asked) -> bool:
    """Whether the words belong to a legal term of art, which is content: 约定不明."""
    if words.WHEREABOUTS.search(piece.text):
        return asked.kind not in ("place", "person") and not re.search("去向|下落|身份", asked.text)
    return words.TERM.search(piece.text) is not None


def _is_copied(piece: Clause, asked: Asked) -> bool:
    """Whether the clause only repeats words of the question, as when an option is chosen."""
    return len(piece.text) > 7 and piece.text.strip() in asked.text


def _in_idiom(cue: re.Match[str], text: str) -> bool:
    near = text[max(0, cue.start() - 8) : cue.end() + 8]
    return any(idiom.start() <= min(8, cue.start()) < idiom.end() for idiom in words.IDIOM.finditer(near))


def _is_hypothetical(cue: re.Match[str], piece: Clause, before: str, text: str) -> bool:
    """Whether the cue is in a condition or a noun phrase: 如果无法认定, 无法认定数额的, 未知的因素."""
    if words.CONDITION.match(piece.text) or words.UNDER_CONDITION.search(_since_sentence(cue, text)):
        return True
    after = text[cue.end() : cue.end() + 60]
    if words.ATTRIBUTE.match(after) and cue.lastgroup in ("unable", "unknown", "source"):
        return True
    return words.NOMINAL.match(after) is not None and "是" not in before[-6:]


_BARE_NOT: Final = re.compile("并?不(?:直接|明确|具体|专门)?(?:包|涉|含|显|体|载|反|提|记)")


def _agent_level(cue: re.Match[str], piece: Clause, before: str, text: str, asked: Asked) -> int:
    """The level by the subject of the cue: the material or nobody (2), a party of the case (1), any other thing (0)."""
    subject = words.CONNECTIVE.sub("", before.replace("□", ""))
    if cue.lastgroup == "source" and len(cue[0]) > 12 and shared_terms(cue[0], asked.text) >= 4:
        return 1  # 没有女性哭倒长城的记录: the premise is corrected in the words of the question
    if words.MATERIAL.search(subject) or (not subject.strip() and not _BARE_NOT.match(cue[0])):
        return 2
    if cue[0].startswith("不足以") or _BARE_NOT.match(cue[0]):
        return 0
    if words.PARTY.search(subject):
        return int(cue[0] != "silent")
    has_object = len(text[cue.end() : piece.end].strip()) > 2
    return 0 if cue.lastgroup == "unable" and has_object and len(subject) <= 8 and "并" in before else 1


def _is_content(cue: re.Match[str], piece: Clause, text: str, asked: Asked) -> bool:
    """Whether the words answer the question: it asks why, whether, or what was said."""
    if asked.whether and asked.knowing and _IGNORANT.search(cue[0]):
        return True
    if asked.why and _is_reason(cue, piece, text):
        return True
    if asked.speech and not words.SOURCE.search(piece.text):
        return not _is_bare(text, cue)
    return asked.whether and (_repeats_verb(cue, piece, asked) or _denies(cue, piece))


def _denies(cue: re.Match[str], piece: Clause) -> bool:
    """Whether the words deny that there is such a thing, which is the answer no: 并无此事."""
    is_denial = cue.lastgroup == "nothing" and re.match(r"没有|并无|无|不存在|no\b|does", cue[0], re.IGNORECASE)
    return bool(is_denial) and not words.SOURCE.search(piece.text) and not _INFORMATION.search(cue[0])


_INFORMATION: Final = re.compile("信息|资料|记录|记载|答案|recogni|known|reliable|official|clear", re.IGNORECASE)


def _is_reason(cue: re.Match[str], piece: Clause, text: str) -> bool:
    """Whether words of ignorance or inability are the reason that was asked for: 因丈夫下落不明."""
    if words.BECAUSE.search(piece.text) or words.REASON_IS.search(piece.text):
        return True
    if re.search("原因|缘由|理由|为什么|为何|\\b(?:why|reason|cause)\\b", piece.text, re.IGNORECASE):
        return False
    if words.GROUND.match(piece.text) or words.PARTY.search(text, piece.start, cue.start()):
        return True
    if words.SOURCE.search(piece.text):
        return False
    return not _is_bare(text, cue) and cue.lastgroup in ("ignorant", "unknown", "unable") and cue.start() > 0


def _is_bare(text: str, cue: re.Match[str]) -> bool:
    """Whether the answer consists of the cue only."""
    return len(text) < 60 and not _BARE.sub("", text[: cue.start()] + text[cue.end() :])


_COMPLEMENT: Final = re.compile("([查找看搜])不([到出见])")
_NEGATION: Final = re.compile(r"^(?:未能|未|没有|没|并未|并没有|无法|无从|无|均未|不能|难以)")


def _repeats_verb(cue: re.Match[str], piece: Clause, asked: Asked) -> bool:
    """Whether the cue negates the verb of the question, which answers it: 有没有说明原因."""
    source = words.SOURCE.search(piece.text[: cue.start() - piece.start])
    if source is None and words.NO_EVIDENCE.match(cue[0]):
        return True
    if source is not None and source[0].lower() not in asked.text.lower():
        return False
    verb = _COMPLEMENT.sub(r"\1\2", _NEGATION.sub("", cue[0]).lower())
    stems = re.findall("[a-z]{4,}|[\u4e00-\u9fff]{1,4}", verb)
    return bool(stems) and (stems[-1] in asked.text.lower() or (source is None and shared_terms(verb, asked.text) > 0))


def assign_weights(pieces: list[Clause], text: str) -> None:
    """Set the weight of each clause that states something; reasons of refusals and filler have weight 0.

    Quotations after a refusal belong to it; if statements are said to conflict, all quotations do.
    """
    blank = without_quotes(text)
    goes_all = any("conflict" in piece.kinds or (piece.level and blank[piece.end - 1] == "□") for piece in pieces)
    first = next((piece.start for piece in pieces if piece.level >= 2), len(text))
    own = blank if goes_all else text[:first] + without_quotes(text[first:])
    reason_of = -1
    for at, piece in enumerate(pieces):
        if piece.level:
            continue
        follows = at > 0 and pieces[at - 1].sentence == piece.sentence
        is_reason = at > 0 and pieces[at - 1].level and words.BECAUSE.match(piece.text)
        if is_reason or words.MAYBE_BECAUSE.match(piece.text):
            reason_of = piece.sentence
        if piece.sentence == reason_of and (follows or words.MAYBE_BECAUSE.match(piece.text)):
            continue
        refers = words.REFERRAL.search(piece.text[:200])
        if not piece.asks and not refers and not words.FILLER.match(piece.text):
            piece.weight = _weight(own[piece.start : piece.end])


def _weight(text: str) -> float:
    counted = _UNCOUNTED.sub("", text)
    if not counted or min(counted) >= "\u3000":
        return float(len(counted))
    return sum(1.0 if char >= "\u3000" else 0.4 for char in counted)


def shared_terms(text: str, question: str) -> int:
    """The number of words or pairs of Chinese characters that a clause shares with the question."""
    return len((terms_of(text) & terms_of(question)) - question_words.STOP_WORDS)


def topic_of(text: str) -> frozenset[str]:
    """The words of a refusing clause without those that refuse and those that name the source."""
    text = words.SOURCE.sub(" ", words.MATERIAL.sub(" ", without_quotes(text)))
    return terms_of(words.without_cues(text)) - question_words.STOP_WORDS


@lru_cache(maxsize=1 << 8)
def terms_of(text: str) -> frozenset[str]:
    """English words by their first six letters, and pairs of Chinese characters."""
    return frozenset(_iterate_terms(text.lower()[:2000]))


def _iterate_terms(text: str) -> Iterator[str]:
    for run in re.finditer("[\u4e00-\u9fff]+|[a-z]{4,}", text):
        if run[0] < "\u4e00":
            yield run[0][:6]
        else:
            yield from (run[0][at : at + 2] for at in range(len(run[0]) - 1))
