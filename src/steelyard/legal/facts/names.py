"""Judging names and short texts: equal, or complete in the answering clause without another name."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from steelyard.i18n import Message
from steelyard.legal.evidence.quotes import quote_key
from steelyard.legal.facts.name_forms import IS_ORGANISATION, digits_of, folded, name_pattern, untitled
from steelyard.legal.facts.name_occurrences import (
    DOUBTED,
    NEGATED,
    NOT_GIVEN,
    SURNAME,
    Occurrence,
    asks_person,
    occurrences_of,
)
from steelyard.legal.facts.verdict import FieldVerdict
from steelyard.legal.grounding.proper_names import SURNAMES, names
from steelyard.text.reading import final_part
from steelyard.text.scripts import HAN

_IN_ROLE: Final = frozenset(("denied", "offered", "ranked"))
"""Objections that give the asked role to somebody else."""
_UNIT: Final = re.compile("公司|银行|法院|检察院|公安局|派出所|事务所|医院|委员会|集团|工厂|中心|学校|大学")
_WHO: Final = re.compile(
    r"(?:谁是|哪位是|何人是)([^?？,。]{2,12})|([^?？,。是]{2,12})[是为](?:谁|哪位|何人|哪家|哪个|什么)|"
    r"\bwho (?:is|was|are|were) (?:the |an? )?(?:[\w'-]+ ){0,3}?(\w+)(?= (?:of|for|in|on|at|to|that|who|when|"
    r"during)\b|\s?\?|$)",
    re.IGNORECASE,
)
_IS: Final = re.compile(r"(?:是|为|系|:| is| was)\s*(?:the )?(?!不|not\b)", re.IGNORECASE)
_PIECE: Final = re.compile(
    r"[。;!?\n；！？]|(?<![A-Z])\.(?=\s|$)|[,，](?: (?=and |while |whereas |but |with )|(?! )|$)|, (?=which|who |while|"
    r"whereas|but|[A-Z][a-z]+ [A-Z][a-z]+ [a-z]+ed\b)"
)
_TITLE_PAIR: Final = re.compile(r"\b[A-Z][a-z]+(?: [A-Z]\.?)?(?: [A-Z][a-z'-]+)+")
_HAN_NAME: Final = re.compile(f"{SURNAME}[{HAN}](?<![{NOT_GIVEN}])(?:[{HAN}](?<![{NOT_GIVEN}]))?")
_OPENS_WITH_NAME: Final = re.compile(
    f"(?:^|"
    f"(?<=[由是为系:经]))(?![由和时于向从对关方任何应都便平成高安明常计公国全]){SURNAME}[{HAN}](?<![{NOT_GIVEN}])[{HAN}](?<![{NOT_GIVEN}])"
)
_COMMON: Final = frozenset(
    "the who was were is are did does that this with from have has had his her its and for what which whom whose name "
    "谁是 是谁 的是 谁的".split()
)


def judge_name(expected: str, aliases: Sequence[str], question: str, answer: str) -> FieldVerdict:
    """Whether the answer gives this name or text, complete, and no other."""
    if digits_of(expected):
        return _judge_digits(expected, answer)
    final = final_part(answer)
    if final and len(final) < len(answer):
        verdict = _judge_text(expected, tuple(aliases), question, final)
        if verdict.correct or _has_name(final):
            return verdict
    return _judge_text(expected, tuple(aliases), question, answer)


@lru_cache(maxsize=1 << 12)
def _judge_text(expected: str, aliases: tuple[str, ...], question: str, answer: str) -> FieldVerdict:
    """The best verdict over the name and its aliases."""
    text = folded(answer)
    if other := _other_in_role((expected, *aliases), question, text):
        return FieldVerdict(False, Message("legal.other_in_role", other=other), names_another=True)
    first = _judge_one(expected, question, text)
    if first.correct:
        return first
    for alias in aliases:
        verdict = _judge_digits(alias, answer) if digits_of(alias) else _judge_one(alias, question, text)
        if verdict.correct:
            return verdict
    return first


def _judge_one(name: str, question: str, text: str) -> FieldVerdict:
    occurrences = list(occurrences_of(name, question, text))
    good = [occurrence for occurrence in occurrences if not occurrence.objection]
    if not good and len(text) <= len(name) + 16 and quote_key(untitled(text)) == quote_key(untitled(folded(name))):
        return FieldVerdict(True, Message("legal.answer_is", name=name))
    if not occurrences:
        return _absent(name, text)
    if not good:
        return _objected(name, question, occurrences, text)
    if occurrences[0].objection == "doubted":
        return FieldVerdict(False, Message("legal.disclaims", name=name), uncertain=True)
    if any(occurrence.objection == "offered" for occurrence in occurrences):
        return FieldVerdict(False, Message("legal.offers_alternatives"))
    return _in_answering_clause(name, question, good, text)


def _objected(name: str, question: str, occurrences: Sequence[Occurrence], text: str) -> FieldVerdict:
    """The verdict if there is an objection to every occurrence of the name."""
    reasons = {
        "part": Message("legal.another_name", name=name),
        "denied": Message("legal.denied_in_role", name=name),
        "offered": Message("legal.several_in_role"),
        "listed": Message("legal.several_names", name=name),
        "doubted": Message("legal.disclaims", name=name),
        "ranked": Message("legal.after_other_in_role", name=name),
        "owner": Message("legal.names_something_of", name=name),
        "recipient": Message("legal.names_in_another_role", name=name),
    }
    order = [kind for kind in reasons if any(occurrence.objection == kind for occurrence in occurrences)]
    kind = next((kind for kind in ("offered", "denied", "doubted", "listed") if kind in order), order[0])
    is_sentence = any(_echo(piece, _stems(question)) >= 2 for piece in _around(text, occurrences[0]))
    unsure = kind in ("listed", "recipient") and is_sentence
    return FieldVerdict(False, reasons[kind], uncertain=unsure, names_another=kind in _IN_ROLE)


def _absent(name: str, text: str) -> FieldVerdict:
    """The verdict if the name does not occur; uncertain if the surname occurs alone."""
    words = name.split()
    is_person = len(words) > 1 and name.isascii() and not IS_ORGANISATION.search(name)
    alone = is_person and len(words[-1]) > 2 and re.search(rf"(?<![A-Za-z-]){re.escape(words[-1])}(?![A-Za-z-])", text)
    surname_only = alone is not None and alone is not False and not re.search(r"[A-Z][\w'.-]+ $", text[: alone.start()])
    return FieldVerdict(False, Message("legal.not_in_answer", name=name), uncertain=surname_only)


def _in_answering_clause(name: str, question: str, good: Sequence[Occurrence], text: str) -> FieldVerdict:
    """Right, unless another clause shares more words with the question and names somebody else."""
    right = FieldVerdict(True, Message("legal.names", name=name))
    asked, lower = _stems(question), text.lower()
    shared = frozenset(stem for stem in asked if stem in lower)
    pieces = list(_pieces(text)) if shared and asks_person(question) else []
    if len(pieces) < 2:
        return right
    own = [piece for piece in pieces if any(piece[0] <= occurrence.start < piece[1] for occurrence in good[:8])]
    echoes = {(start, end): _echo(text[start:end], shared) for start, end in pieces}
    best = max(pieces, key=echoes.__getitem__)
    best_echo, own_echo = echoes[best], max((echoes[piece] for piece in own), default=0)
    if best in own or best_echo <= own_echo:
        return right
    rival = _rival(text[best[0] : best[1]], question, name)
    if not rival:
        return right
    if own_echo and best_echo < len(asked) and best_echo - own_echo < 2:
        return FieldVerdict(True, Message("legal.names_beside_rival", name=name, rival=rival), uncertain=True)
    return FieldVerdict(False, Message("legal.other_in_role", other=rival), uncertain=True, names_another=True)


def _rival(piece: str, question: str, name: str) -> str:
    """Another name in a clause, neither in the question nor part of the expected name; or ""."""
    asked = question.lower()
    pairs = [(match[0], match.start()) for match in _TITLE_PAIR.finditer(piece)]
    opened = [(match[0], match.start()) for match in _OPENS_WITH_NAME.finditer(piece)]
    for rival, at in (*pairs, *names(piece), *opened):
        words = rival.lower()
        if NEGATED.search(piece[max(0, at - 24) : at]):
            continue
        if (
            words not in asked
            and words not in name.lower()
            and not set(words.split()) <= set(re.findall(r"[\w']+", asked))
        ):
            return rival
    return ""


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for stop in _PIECE.finditer(text):
        if stop.start() > start:
            yield start, stop.start()
        start = stop.end()
    if start < len(text):
        yield start, len(text)


def _around(text: str, occurrence: Occurrence) -> list[str]:
    return [text[max(0, occurrence.start - 60) : occurrence.end + 60]]


@lru_cache(maxsize=1 << 10)
def _stems(question: str) -> frozenset[str]:
    """The terms of a question: stems of English words, pairs of Chinese characters."""
    words = {word[:5] for word in re.findall("[a-z]{3,}", question.lower()) if word not in _COMMON}
    han = {pair for run in re.findall(f"[{HAN}]{{2,}}", question) for pair in map("".join, pairwise(run))}
    return frozenset(words | {pair for pair in han - _COMMON if not set(pair) & set("了的是谁在吗呢由")})


def _echo(text: str, stems: frozenset[str]) -> int:
    lower = text.lower()
    return sum(stem in lower for stem in stems)


def _other_in_role(wanted: Sequence[str], question: str, answer: str) -> str:
    """The name in the asked role if it is somebody else: 担保人是乙 for the question who that is; else ""."""
    role = _asked_role(question)
    lower = answer.lower()
    if role not in lower:
        role = role[role.rfind("的") + 1 :]
    at = lower.find(role) if len(role) > 1 else -1
    copula = _IS.match(answer, at + len(role)) if at >= 0 else None
    if copula is None:
        return ""
    rest = re.split(r"[,。;\n]|\. ", answer[copula.end() : copula.end() + 60])[0]
    if any(untitled(rest).lower().startswith(name.lower()) or name_pattern(name).search(rest) for name in wanted):
        return ""
    bare = untitled(rest).strip()
    is_person = _HAN_NAME.match(bare) or _TITLE_PAIR.match(bare) or (2 <= len(bare) <= 4 and bare[0] in SURNAMES)
    return rest[:12] if is_person or _UNIT.search(bare) else ""


@lru_cache(maxsize=1 << 10)
def _asked_role(question: str) -> str:
    asked = _WHO.search(question)
    return next((group for group in asked.groups() if group), "").lower() if asked else ""


def _has_name(text: str) -> bool:
    return _HAN_NAME.match(text) is not None or _TITLE_PAIR.search(text) is not None


def _judge_digits(name: str, answer: str) -> FieldVerdict:
    """Judge a number by its digits; all numbers of that kind in the answer must be equal to it."""
    if word := DOUBTED.search(answer):
        return FieldVerdict(False, Message("legal.disclaims_itself", word=word[0]))
    wanted = digits_of(name)
    runs = [re.sub(r"[\s\-()+]", "", run) for run in re.findall(r"\+?\d[\d\s\-()]{3,}[\dXx]", answer)]
    numbers = {run.upper().removeprefix("86") if len(run) == len(wanted) + 2 else run.upper() for run in runs}
    same_kind = {run for run in numbers if len(run) >= len(wanted) - 2}
    if same_kind == {wanted} and NEGATED.search(answer[: answer.find(wanted[:3])][-24:]):
        return FieldVerdict(False, Message("legal.denies", name=name))
    if same_kind == {wanted}:
        return FieldVerdict(True, Message("legal.answer_says", value=name))
    if not same_kind:
        return FieldVerdict(False, Message("legal.no_such_number"))
    return FieldVerdict(False, Message("legal.answer_says", value=", ".join(sorted(same_kind))))
