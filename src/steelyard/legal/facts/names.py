"""Judging names and short texts: equal, or complete in the answering clause without another name.

A name occurs in any of its forms, and there may be an objection to each occurrence: denied, offered, listed, doubted …
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice, pairwise
from typing import Final, NamedTuple

from steelyard.i18n import Message
from steelyard.legal import thresholds
from steelyard.legal.evidence.quotes import quote_key
from steelyard.legal.facts.statements import FieldVerdict, doubt, terms_of
from steelyard.legal.grounding.names import DOUBLE_SURNAMES, SURNAMES, names
from steelyard.legal.reading import outline
from steelyard.lexicon import lexicon
from steelyard.text.normalisation import HAN
from steelyard.text.reading import final_part

_WORDS: Final = lexicon("facts")
_SHARED: Final = lexicon("shared")
_SURNAME: Final = f"(?:{'|'.join(DOUBLE_SURNAMES)}|[{''.join(sorted(SURNAMES))}])"
_GIVEN: Final = f"(?!{_WORDS.source('not_given')})[{HAN}]"
_PLAIN_LETTERS: Final = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "ı": "i"}
    | {"’": "'"}
)
_ACCENTED: Final = re.compile("[\u00c0-\u024f]")
_DOT: Final = re.compile(rf"(?<=[{HAN}]) ?[·•・‧∙.\-] ?(?=[{HAN}])")
_LISTED_SUBJECT: Final = re.compile(
    rf"\s*(?:[、和及与]|以及)\s*{_SURNAME}[{HAN}]{{2}}{_WORDS.source('listed_subject')}"
)
_LISTED_BEFORE: Final = re.compile(rf"[{HAN}]{{2,4}}、$|{_SURNAME}[{HAN}]{{1,2}}(?:[和及]|以及)$")
_IN_ROLE: Final = frozenset(("denied", "offered", "ranked"))
"""Objections that give the asked role to somebody else."""
_TITLE_PAIR: Final = re.compile(r"\b[A-Z][a-z]+(?: [A-Z]\.?)?(?: [A-Z][a-z'-]+)+")
_HAN_NAME: Final = re.compile(f"{_SURNAME}{_GIVEN}(?:{_GIVEN})?")
_OPENS_WITH_NAME: Final = re.compile(
    f"(?:^|(?<=[由是为系:经]))(?!{_WORDS.source('not_surname')}){_SURNAME}{_GIVEN}{_GIVEN}"
)
_JOINED: Final = re.compile(r"\b([A-Z][\w-]+),? (?:and|&) ([A-Z][\w-]+)")
"""Two things of which one is asked for: the Business and Enterprise plans."""
_LISTED_FIRST: Final = re.compile(r"(?:: |, |\b(?:are|includes?|in|of|supports?) )([\w.-]*\w), $", re.IGNORECASE)
_LISTED_NEXT: Final = re.compile(
    r"(?:, and|,? and|,|,? &) (?!(?:respectively|etc|too|others?|both|more|all|it)\b)"
    r"([\w.-]*\w)(?=\s*(?:[,;.]\s|[,;.]?$|\n| and\b))"
)
_STOP: Final = re.compile(r"[,。;\n]|\. ")


class _Occurrence(NamedTuple):
    """An occurrence of a name, and why it is not the answer ("" if it is)."""

    start: int
    objection: str


def judge_name(wanted: Sequence[str], question: str, answer: str) -> FieldVerdict:
    """Judge whether the answer gives one of these names or texts, complete, and no other."""
    final = final_part(answer)
    if final and len(final) < len(answer):
        verdict = _judge_text(wanted, question, final)
        if verdict.correct or _HAN_NAME.match(final) or _TITLE_PAIR.search(final):
            return verdict
    return _judge_text(wanted, question, answer)


def _judge_text(wanted: Sequence[str], question: str, answer: str) -> FieldVerdict:
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
    """Return a name without its title; the name itself if a single word or character would be left."""
    bare = untitled(name).strip()
    return bare if len(bare.split() if bare.isascii() else bare) > 1 else name


def _judge_one(name: str, question: str, text: str, known: str) -> FieldVerdict:
    occurrences = list(occurrences_of(name, question, text, known))
    good = [occurrence for occurrence in occurrences if not occurrence.objection]
    bare = quote_key(untitled(text)) if not good and len(text) <= len(name) + thresholds.SURPLUS else ""
    if bare and bare == quote_key(untitled(folded(name))):
        return FieldVerdict(True, Message("legal.answer_is", name=name))
    if not good and _has_all_parts(name, question, text):
        return FieldVerdict(True, Message("legal.names", name=name))
    if not occurrences:
        is_open = _may_be_paraphrased(name, question, text)
        return FieldVerdict(False, Message("legal.not_in_answer", name=name), unsettled=is_open)
    if good and _lists_more(name, question, text):
        return FieldVerdict(False, Message("legal.several_names", name=name), unsettled=True)
    if not good:
        return _objected(name, question, occurrences, text)
    if occurrences[0].objection == "doubted":
        return FieldVerdict(False, Message("legal.disclaims", name=name), uncertain=True)
    if any(occurrence.objection == "offered" for occurrence in occurrences):
        return FieldVerdict(False, Message("legal.offers_alternatives"))
    return _in_answering_clause(name, question, good, text)


def _has_all_parts(name: str, question: str, text: str) -> bool:
    """Return whether a text has all names of a list, in any order, and no other: 甲和乙 for 乙、甲."""
    parts = [part.strip(" 《》") for part in _WORDS["list_join"].split(name)]
    if len(parts) < 2 or any(len(part) < 2 or part.isdigit() for part in parts) or _lists_more(name, question, text):
        return False
    return all(any(not each.objection for each in occurrences_of(part, question, text, name)) for part in parts)


def _lists_more(name: str, question: str, text: str) -> bool:
    """Return whether a text lists things beside an expected list, or beside a name: Business and Enterprise."""
    parts = [part.strip() for part in _WORDS["list_join"].split(name)]
    known, lower = f"{name} {question}".lower(), text.lower()
    starts = [lower.find(part.lower()) for part in parts]
    if not question or not name.isascii() or -1 in starts or asks_person(question):
        return False
    if len(parts) == 1:
        return any(_is_other(name, known, pair) for pair in _pairs(question, text))
    last = max(range(len(parts)), key=starts.__getitem__)
    before = _LISTED_FIRST.search(text[: min(starts)])
    after = _LISTED_NEXT.match(text, starts[last] + len(parts[last]))
    inside = _WORDS["list_join"].split(text[min(starts) : starts[last]])
    extra = [
        each.strip() for each in (*inside, *(found[1] for found in (before, after) if found)) if len(each.split()) < 3
    ]
    return any(each and each.lower() not in known and not any(part in each for part in parts) for each in extra)


def _pairs(question: str, text: str) -> Iterator[re.Match[str]]:
    """Yield two things joined by "and": what a text consists of, or all if the question asks for one."""
    if _WORDS["asks_one"].search(question):
        yield from _JOINED.finditer(text)
    elif whole := _JOINED.fullmatch(text.strip(" .")):
        yield whole


def _is_other(name: str, known: str, pair: re.Match[str]) -> bool:
    """Return whether one of a pair is the name and the other is neither part of it nor in the question."""
    first, second = pair[1].lower(), pair[2].lower()
    return (first == name.lower() and second not in known) or (second == name.lower() and first not in known)


def _may_be_paraphrased(name: str, question: str, text: str) -> bool:
    """Return whether a text without the name may mean it: it has some of its words, and states no rival of its kind.

    Whether a text gives an expected explanation in other words is never for rules to decide.
    """
    terms = terms_of(name) | _figures(name)
    terms = terms - terms_of(question) - _figures(question) or terms
    echo = _echo(text, terms)
    if _is_person(name):
        return not _rival(text, question, name) and (echo > 0 or len(text) > thresholds.SHORT_ANSWER)
    is_explained = len(name.split()) >= thresholds.EXPLANATION or len(name) > thresholds.SHORT_ANSWER
    has_other_figures = _figures(name) and not _figures(text) <= _figures(name) | _figures(question)
    has_organisations = all(_WORDS["organisation"].search(each) for each in (name, text))
    if not is_explained and (has_other_figures or has_organisations):
        return False
    is_common = name.islower() and (name + text).isascii()  # a rival of common words cannot be told from a paraphrase
    return is_explained or is_common or echo >= max(1, thresholds.PARAPHRASE * len(terms))


def _is_person(name: str) -> bool:
    return bool(_HAN_NAME.fullmatch(name) or _TITLE_PAIR.fullmatch(name))


def _figures(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\d+(?:\.\d+)?", text))


def _objected(name: str, question: str, occurrences: Sequence[_Occurrence], text: str) -> FieldVerdict:
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
    reach = thresholds.NAME_CONTEXT
    around = text[max(0, occurrences[0].start - reach) : occurrences[0].start + len(name) + reach]
    unsure = kind in ("listed", "recipient") and _echo(around, terms_of(question)) >= thresholds.ANSWERING
    is_open = kind == "part" and not _is_person(name) and not _WORDS["organisation"].search(name)
    return FieldVerdict(False, reasons[kind], uncertain=unsure, names_another=kind in _IN_ROLE, unsettled=is_open)


# ----- the clause that answers


def _in_answering_clause(name: str, question: str, good: Sequence[_Occurrence], text: str) -> FieldVerdict:
    """Return right, unless another clause shares more words with the question and names somebody else."""
    right = FieldVerdict(True, Message("legal.names", name=name))
    asked, lower = terms_of(question), text.lower()
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
    if own_echo and best < len(asked) and best - own_echo < thresholds.ANSWERING:
        return FieldVerdict(True, Message("legal.names_beside_rival", name=name, rival=rival), uncertain=True)
    return FieldVerdict(False, Message("legal.other_in_role", other=rival), uncertain=True, names_another=True)


def _clause_starts(text: str) -> list[int]:
    """Return where clauses begin; an English one goes on after a comma unless a conjunction or a relative follows."""
    clauses = list(outline(text).clauses)
    continued = {
        clause.start
        for last, clause in pairwise(clauses)
        if last.sentence == clause.sentence and clause.text[0] == " " and not _WORDS["new_clause"].match(clause.text)
    }
    return [clause.start for clause in clauses if clause.start not in continued]


def _rival(clause: str, question: str, name: str) -> str:
    """Return another name in a clause, neither in the question nor part of the expected name; or ""."""
    asked = question.lower()
    pairs = [(match[0], match.start()) for match in _TITLE_PAIR.finditer(clause)]
    opened = [(match[0], match.start()) for match in _OPENS_WITH_NAME.finditer(clause)]
    for rival, at in (*pairs, *names(clause), *opened):
        words = rival.lower()
        is_known = words in asked or words in name.lower() or set(words.split()) <= set(re.findall(r"[\w']+", asked))
        if not is_known and not is_denied_name(clause, at):
            return rival
    return ""


def _echo(text: str, stems: frozenset[str]) -> int:
    lower = text.lower()
    return sum(stem in lower for stem in stems)


def _other_in_role(wanted: Sequence[str], question: str, answer: str) -> str:
    """Return the name in the asked role if it is somebody else: 担保人是乙 for the question who that is; else ""."""
    asked = _WORDS["asked_who"].search(question)
    role = next(filter(None, asked.groups())).lower() if asked else ""
    lower = answer.lower()
    if role not in lower:
        role = role[role.rfind("的") + 1 :]
    at = lower.find(role) if len(role) > 1 else -1
    copula = _WORDS["copula"].match(answer, at + len(role)) if at >= 0 else None
    if copula is None:
        return ""
    rest = _STOP.split(answer[copula.end() : copula.end() + thresholds.NAME_CONTEXT])[0]
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
    last = answer.rfind(wanted[-3:]) + 3
    if is_denied_name(answer, max(0, answer.find(wanted[:3]))) or _WORDS["denied_after"].match(answer, last):
        return FieldVerdict(False, Message("legal.denies", name=name))
    return FieldVerdict(True, Message("legal.answer_says", value=name))


# ----- forms


def folded(text: str) -> str:
    """Return the text without accents, and without the dots between the parts of a foreign name in Chinese."""
    if text.isascii():
        return text
    plain = text.translate(_PLAIN_LETTERS)
    if _ACCENTED.search(plain):
        plain = "".join(char for char in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(char))
    return _DOT.sub("", plain)


def untitled(text: str) -> str:
    """Return the text without titles such as 先生, 被告人 and Mr."""
    return _WORDS["title"].sub("", text)


def digits_of(name: str) -> str:
    """Return the digits of a name that is a number (phone, identity card), or ""."""
    figures = re.sub(r"[\s\-()+]", "", name)
    return figures.upper() if re.fullmatch(r"\d{5,}[0-9Xx]?", figures) else ""


@lru_cache(maxsize=1 << 12)
def name_pattern(name: str) -> re.Pattern[str]:
    """Return the pattern of a name: with or without middle names, initials and hyphens, or with the surname first."""
    plain = folded(name)
    words = re.findall(r"[A-Za-z]+(?:'[A-Za-z]+)?", plain)
    is_latin = plain.isascii() and bool(words) and not re.search(r"[\d_/@:]", plain)
    if is_latin and len(words) > 1 and words[0].lower() == "the":
        words = words[1:]
    if is_latin and 2 <= len(words) <= 4 and "," not in plain and not _WORDS["organisation_word"].search(plain):
        return re.compile(_bounded(_person(words), "Aa"))
    if not is_latin or "&" in plain:
        return re.compile(_bounded(re.escape(plain), plain), re.IGNORECASE)
    joined = r"[\s.,\-\"]{0,3}(?:& |and )?".join(map(re.escape, words))
    return re.compile(_bounded(joined, plain), re.IGNORECASE)


def _person(words: Sequence[str]) -> str:
    """Return the pattern of a person's name; a middle name may be left out or added."""
    first, *middle, last = map(re.escape, words)
    gap = r"[\s.\-\"“”]"
    added = r"(?:[A-Z][\w'.]{0,20}[\s\"“”\-]{1,3}){0,2}"
    optional = "".join(rf"(?:(?i:{word}|{word[0]}){gap}{{0,3}})?" for word in middle)
    is_initial = len(first) == 1
    given = rf"(?i:{first}[a-z]{{0,12}})" if is_initial else f"(?i:{first}|{first[0]}(?=[. ]))"
    forward = rf"{given}{gap}{{{0 if is_initial else 1},3}}{optional}{added}(?i:{last})"
    return f"(?:{forward}|(?i:{last}),? (?i:{first}))"


def _bounded(pattern: str, name: str) -> str:
    before = r"(?<![A-Za-z0-9])" if name[:1].isascii() and name[:1].isalnum() else ""
    after = r"(?![A-Za-z0-9])" if name[-1:].isascii() and name[-1:].isalnum() else ""
    return before + pattern + after


# ----- objections


def asks_person(question: str) -> bool:
    """Return whether a question asks for a person."""
    return _WORDS["asks_person"].search(question) is not None


def is_denied_name(text: str, at: int) -> bool:
    """Return whether the words right before a position deny what follows."""
    return _WORDS["denied_name"].search(text[max(0, at - thresholds.NAME_REACH) : at]) is not None


def occurrences_of(name: str, question: str, text: str, known: str = "") -> Iterator[_Occurrence]:
    """Yield the first occurrences of a name with the objection to each; names in `known` may be listed beside it."""
    for match in islice(name_pattern(name).finditer(text), thresholds.OCCURRENCES):
        yield _Occurrence(match.start(), _objection(name, question, text, match, f"{question} {known}"))


def _objection(name: str, question: str, text: str, match: re.Match[str], known: str) -> str:
    """Return why an occurrence of the name is not an answer, or ""."""
    reach = thresholds.NAME_CONTEXT
    ahead, after = text[max(0, match.start() - reach) : match.start()], text[match.end() : match.end() + reach]
    before = ahead[-thresholds.NAME_REACH :]
    if not _is_whole(name, after) or (len(name) == 1 and re.search(f"(?![是为叫即])[{HAN}]$", before)):
        return "part"
    if is_denied_name(text, match.start()) or _WORDS["denied_after"].match(after):
        return "denied"
    if _WORDS["offered_before"].search(before) or _WORDS["offered_after"].match(after):
        return "offered"
    if _is_listed(name, asks_person(question), known.lower(), before, after):
        return "listed"
    if _WORDS["ranked_second"].search(ahead) or _is_replaced(question, before, after):
        return "ranked"
    if _SHARED["doubt"].search(outline(text).sentences.at(match.start()).text):
        return "doubted"
    if _WORDS["possessive"].match(after):
        return "owner"
    return "recipient" if _WORDS["recipient"].search(before) and _WORDS["asks_agent"].search(question) else ""


def _is_replaced(question: str, before: str, after: str) -> bool:
    """Return whether somebody else replaced the named person: Ann Lee, who replaced X; X，后变更为乙."""
    if beaten := _WORDS["beaten"].search(before):
        return (beaten[1] or beaten[2])[:5].lower() not in question.lower()
    return bool(_WORDS["superseded"].match(after)) and not _WORDS["asks_earlier"].search(question)


def _is_whole(name: str, after: str) -> bool:
    """Return whether the name ends there and is not part of a longer name."""
    if name.isascii():
        if _WORDS["organisation_word"].search(name):
            return not _WORDS["organisation_goes_on"].match(after)
        return not (_WORDS["longer_name"].match(after) and len(name.split()) == 2)
    after = untitled(after) if _WORDS["title"].match(after) else after
    if not re.match(f"[{HAN}\\d]", after):
        return True
    if len(name) > 3:
        return not _WORDS["organisation_tail"].match(after)
    if _WORDS["legal_form"].match(after):
        return False
    is_full = name[0] in SURNAMES and not name.startswith(DOUBLE_SURNAMES) and len(name) == 3
    return (is_full and not _WORDS["unit_end"].search(name)) or _WORDS["after_name"].match(after) is not None


def _is_listed(name: str, is_person: bool, known: str, before: str, after: str) -> bool:
    """Return whether the name is in a list with names that are not known: 甲、乙 and 丙."""
    if not name.isascii():
        rest = _WORDS["listed_name"].match(after) or _LISTED_SUBJECT.match(after) or _LISTED_BEFORE.search(before)
    elif is_person:
        rest = _WORDS["listed_person"].match(after) or _WORDS["listed_person_before"].search(before)
    else:
        rest = _WORDS["long_list"].match(after)
    if rest is None:
        return False
    others = re.findall(rf"[A-Za-z']+|[{HAN}]{{2,}}", _WORDS["list_join"].sub(" ", rest[0]))
    return not others or not all(other.lower() in known for other in others)
