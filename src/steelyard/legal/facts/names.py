"""Judging names and short texts: equal, or complete in the answering clause without another name."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Final

from steelyard.i18n import Message
from steelyard.legal.clauses import outline
from steelyard.legal.evidence.quotes import quote_key
from steelyard.legal.facts.name_occurrences import (
    GIVEN,
    SURNAME,
    Occurrence,
    asks_person,
    digits_of,
    folded,
    is_denied_name,
    name_pattern,
    occurrences_of,
    untitled,
)
from steelyard.legal.facts.statements import doubt
from steelyard.legal.facts.verdict import FieldVerdict
from steelyard.legal.grounding.proper_names import SURNAMES, names
from steelyard.legal.thresholds import EXPLANATION, PARAPHRASE, SHORT_ANSWER
from steelyard.lexicon import lexicon
from steelyard.text.reading import final_part
from steelyard.text.scripts import HAN

_WORDS: Final = lexicon("facts")
_IN_ROLE: Final = frozenset(("denied", "offered", "ranked"))
"""Objections that give the asked role to somebody else."""
_TITLE_PAIR: Final = re.compile(r"\b[A-Z][a-z]+(?: [A-Z]\.?)?(?: [A-Z][a-z'-]+)+")
_HAN_NAME: Final = re.compile(f"{SURNAME}{GIVEN}(?:{GIVEN})?")
_OPENS_WITH_NAME: Final = re.compile(
    f"(?:^|(?<=[由是为系:经]))(?!{_WORDS.source('not_surname')}){SURNAME}{GIVEN}{GIVEN}"
)
_STOP: Final = re.compile(r"[,。;\n]|\. ")


def judge_name(wanted: Sequence[str], question: str, answer: str) -> FieldVerdict:
    """Whether the answer gives one of these names or texts, complete, and no other."""
    final = final_part(answer)
    if final and len(final) < len(answer):
        verdict = _judge_text(wanted, question, final)
        if verdict.correct or _HAN_NAME.match(final) or _TITLE_PAIR.search(final):
            return verdict
    return _judge_text(wanted, question, answer)


def _judge_text(wanted: Sequence[str], question: str, answer: str) -> FieldVerdict:
    """The best verdict over the names."""
    text = folded(answer)
    if other := _other_in_role(wanted, question, text):
        return FieldVerdict(False, Message("legal.other_in_role", other=other), names_another=True)
    known = " ".join(wanted)
    verdicts = [
        _judge_digits(name, answer) if digits_of(name) else _judge_one(name, question, text, known)
        for name in dict.fromkeys((*wanted, *map(_untitled_name, wanted)))
    ]
    denial = replace(verdicts[0], unsettled=any(verdict.unsettled for verdict in verdicts))
    return next((verdict for verdict in verdicts if verdict.correct), denial)


def _untitled_name(name: str) -> str:
    """A name without its title; the name itself if a single word or character would be left."""
    bare = untitled(name).strip()
    return bare if len(bare.split() if bare.isascii() else bare) > 1 else name


def _judge_one(name: str, question: str, text: str, known: str) -> FieldVerdict:
    occurrences = list(occurrences_of(name, question, text, known))
    good = [occurrence for occurrence in occurrences if not occurrence.objection]
    bare = quote_key(untitled(text)) if not good and len(text) <= len(name) + 16 else ""
    if bare and bare == quote_key(untitled(folded(name))):
        return FieldVerdict(True, Message("legal.answer_is", name=name))
    if not good and _has_all_parts(name, question, text):
        return FieldVerdict(True, Message("legal.names", name=name))
    if not occurrences:
        is_open = _may_be_paraphrased(name, question, text)
        return FieldVerdict(False, Message("legal.not_in_answer", name=name), unsettled=is_open)
    if not good:
        return _objected(name, question, occurrences, text)
    if occurrences[0].objection == "doubted":
        return FieldVerdict(False, Message("legal.disclaims", name=name), uncertain=True)
    if any(occurrence.objection == "offered" for occurrence in occurrences):
        return FieldVerdict(False, Message("legal.offers_alternatives"))
    return _in_answering_clause(name, question, good, text)


def _has_all_parts(name: str, question: str, text: str) -> bool:
    """Whether a text has all names of a list, in any order, and no other: 甲和乙 for 乙、甲."""
    parts = [part.strip(" 《》") for part in _WORDS["list_join"].split(name)]
    if len(parts) < 2 or any(len(part) < 2 or part.isdigit() for part in parts):
        return False
    return all(any(not each.objection for each in occurrences_of(part, question, text, name)) for part in parts)


def _may_be_paraphrased(name: str, question: str, text: str) -> bool:
    """Whether a text without the name may mean it: it has some of its words, and states no rival of its kind."""
    terms = _stems(name) | _figures(name)
    terms = terms - _stems(question) - _figures(question) or terms
    echo = _echo(text, terms)
    if _is_person(name):
        return not _rival(text, question, name) and (echo > 0 or len(text) > SHORT_ANSWER)
    is_explained = len(name.split()) >= EXPLANATION or len(name) > SHORT_ANSWER
    has_other_figures = _figures(name) and not _figures(text) <= _figures(name) | _figures(question)
    has_organisations = all(_WORDS["organisation"].search(each) for each in (name, text))
    if not is_explained and (has_other_figures or has_organisations):
        return False
    is_common = name.islower() and (name + text).isascii()  # a rival of common words cannot be told from a paraphrase
    return is_common or echo >= max(1, PARAPHRASE * len(terms))


def _is_person(name: str) -> bool:
    return bool(_HAN_NAME.fullmatch(name) or _TITLE_PAIR.fullmatch(name))


def _figures(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\d+(?:\.\d+)?", text))


def _objected(name: str, question: str, occurrences: Sequence[Occurrence], text: str) -> FieldVerdict:
    """The verdict if there is an objection to every occurrence of the name."""
    reasons = {
        "offered": Message("legal.several_in_role"),
        "denied": Message("legal.denied_in_role", name=name),
        "doubted": Message("legal.disclaims", name=name),
        "listed": Message("legal.several_names", name=name),
        "part": Message("legal.another_name", name=name),
        "ranked": Message("legal.after_other_in_role", name=name),
        "owner": Message("legal.names_something_of", name=name),
        "recipient": Message("legal.names_in_another_role", name=name),
    }
    kind = next(kind for kind in reasons if any(occurrence.objection == kind for occurrence in occurrences))
    around = text[max(0, occurrences[0].start - 60) : occurrences[0].end + 60]
    unsure = kind in ("listed", "recipient") and _echo(around, _stems(question)) >= 2
    is_open = kind == "part" and not _is_person(name) and not _WORDS["organisation"].search(name)
    return FieldVerdict(False, reasons[kind], uncertain=unsure, names_another=kind in _IN_ROLE, unsettled=is_open)


# ----- the clause that answers


def _in_answering_clause(name: str, question: str, good: Sequence[Occurrence], text: str) -> FieldVerdict:
    """Right, unless another clause shares more words with the question and names somebody else."""
    right = FieldVerdict(True, Message("legal.names", name=name))
    asked, lower = _stems(question), text.lower()
    shared = frozenset(stem for stem in asked if stem in lower)
    starts = _clause_starts(text) if shared and asks_person(question) else []
    if len(starts) < 2:
        return right
    clauses = [text[start:end] for start, end in pairwise((*starts, len(text)))]
    echoes = [_echo(clause, shared) for clause in clauses]
    own = {bisect_right(starts, occurrence.start) - 1 for occurrence in good[:8]}
    best, own_echo = max(echoes), max(echoes[number] for number in own)
    rival = _rival(clauses[echoes.index(best)], question, name) if best > own_echo else ""
    if not rival:
        return right
    if own_echo and best < len(asked) and best - own_echo < 2:
        return FieldVerdict(True, Message("legal.names_beside_rival", name=name, rival=rival), uncertain=True)
    return FieldVerdict(False, Message("legal.other_in_role", other=rival), uncertain=True, names_another=True)


def _clause_starts(text: str) -> list[int]:
    """Where clauses begin; an English one goes on after a comma unless a conjunction or a relative follows."""
    clauses = list(outline(text).clauses)
    continued = {
        clause.start
        for last, clause in pairwise(clauses)
        if last.sentence == clause.sentence and clause.text[0] == " " and not _WORDS["new_clause"].match(clause.text)
    }
    return [clause.start for clause in clauses if clause.start not in continued]


def _rival(clause: str, question: str, name: str) -> str:
    """Another name in a clause, neither in the question nor part of the expected name; or ""."""
    asked = question.lower()
    pairs = [(match[0], match.start()) for match in _TITLE_PAIR.finditer(clause)]
    opened = [(match[0], match.start()) for match in _OPENS_WITH_NAME.finditer(clause)]
    for rival, at in (*pairs, *names(clause), *opened):
        words = rival.lower()
        is_known = words in asked or words in name.lower() or set(words.split()) <= set(re.findall(r"[\w']+", asked))
        if not is_known and not is_denied_name(clause, at):
            return rival
    return ""


@lru_cache(maxsize=1 << 10)
def _stems(question: str) -> frozenset[str]:
    """The terms of a question: stems of English words, pairs of Chinese characters."""
    words = set(re.findall("[a-z]{3,}", question.lower())) - _WORDS.words("stems_without")
    pairs = {one + two for run in re.findall(f"[{HAN}]{{2,}}", question) for one, two in pairwise(run)}
    return frozenset(
        {word[:5] for word in words} | {pair for pair in pairs if not _WORDS["pairs_without"].search(pair)}
    )


def _echo(text: str, stems: frozenset[str]) -> int:
    lower = text.lower()
    return sum(stem in lower for stem in stems)


def _other_in_role(wanted: Sequence[str], question: str, answer: str) -> str:
    """The name in the asked role if it is somebody else: 担保人是乙 for the question who that is; else ""."""
    asked = _WORDS["asked_who"].search(question)
    role = next(filter(None, asked.groups())).lower() if asked else ""
    lower = answer.lower()
    if role not in lower:
        role = role[role.rfind("的") + 1 :]
    at = lower.find(role) if len(role) > 1 else -1
    copula = _WORDS["copula"].match(answer, at + len(role)) if at >= 0 else None
    if copula is None:
        return ""
    rest = _STOP.split(answer[copula.end() : copula.end() + 60])[0]
    if any(untitled(rest).lower().startswith(name.lower()) or name_pattern(name).search(rest) for name in wanted):
        return ""
    bare = untitled(rest).strip()
    is_person = _HAN_NAME.match(bare) or _TITLE_PAIR.match(bare) or (2 <= len(bare) <= 4 and bare[0] in SURNAMES)
    return rest[:12] if is_person or _WORDS["organisation"].search(bare) else ""


# ----- numbers


def _judge_digits(name: str, answer: str) -> FieldVerdict:
    """Judge a number by its digits; all numbers of that kind in the answer must be equal to it."""
    if word := doubt(answer):
        return FieldVerdict(False, Message("legal.disclaims_itself", word=word))
    wanted = digits_of(name)
    runs = [re.sub(r"[\s\-()+]", "", run) for run in re.findall(r"\+?\d[\d\s\-()]{3,}[\dXx]", answer)]
    numbers = {run.upper().removeprefix("86") if len(run) == len(wanted) + 2 else run.upper() for run in runs}
    same_kind = {run for run in numbers if len(run) >= len(wanted) - 2}
    if not same_kind:
        return FieldVerdict(False, Message("legal.no_such_number"))
    if same_kind != {wanted}:
        return FieldVerdict(False, Message("legal.answer_says", value=", ".join(sorted(same_kind))))
    if is_denied_name(answer, max(0, answer.find(wanted[:3]))):
        return FieldVerdict(False, Message("legal.denies", name=name))
    return FieldVerdict(True, Message("legal.answer_says", value=name))
